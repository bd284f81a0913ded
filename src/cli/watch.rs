//! `arena watch` serves the page of a run on this machine while the run is played.
//!
//! It is a separate process that only reads the files of the run, so the run neither waits for it
//! nor talks to it. A request needs the token in the address and the name of this machine: other
//! web pages can't guess the token, and can't use the name.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::io::{self, Write};
use std::iter;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueHint};
use rustc_hash::FxBuildHasher;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::Serialize;
use strum::{Display, EnumString, VariantNames};

mod door;

use super::exit;
use super::terms::one_of;
use super::{Failure, say};
use crate::report::html;
use crate::report::replays::ListedGame;
use crate::store;
use crate::tournament::Watched;
use arena_games::Games;
use arena_process::{HelperProcess, guard};
use door::{Door, Request, head};

/// The longest wait for a request before looking for something else to do.
const TICK: Duration = Duration::from_millis(100);
/// The least time between two updates of the pages.
const REFRESH: Duration = Duration::from_secs(1);
/// The most time between two updates, even on a busy machine.
const SLOWEST: Duration = Duration::from_secs(10);
/// Updates take at most one part in so many of the time.
const SHARE: u32 = 20;
/// How long to wait at the end for pages that still read.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often to look at them.
const WAIT: Duration = Duration::from_millis(5);
/// The most pages and answers that are written at the same time.
const MOST_WRITERS: usize = 64;

/// Serve the page of a run, also while it is played
///
/// Prints an address on 127.0.0.1, which only a browser of this machine can open. The page lists games as they finish, and shows any
/// of them. Ctrl-C ends the page but not the run. `arena run --watch` serves it during a run.
#[derive(Debug, Args)]
pub(super) struct WatchArgs {
    /// The run directory
    #[arg(value_hint = ValueHint::DirPath)]
    run: PathBuf,
    /// The port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// When the page of the run that started this process ends
    #[arg(long, value_name = "HOW", hide = true, value_parser = one_of::<Watch>())]
    beside: Option<Watch>,
}

/// How long to serve the page beside a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Watch {
    /// As long as the run.
    Run,
    /// Until Ctrl-C.
    Stay,
}

/// Starts to serve the page of a run that is about to begin in `out`, unless this is the inner
/// process.
pub(super) fn beside(out: &Path, how: Watch) -> Result<Option<HelperProcess>, Failure> {
    if guard::is_inner() {
        return Ok(None);
    }
    let how = how.to_string();
    let args = [
        "watch".as_ref(),
        out.as_os_str(),
        "--beside".as_ref(),
        how.as_ref(),
    ];
    let companion = HelperProcess::start(&args).context("can't start the page");
    Ok(Some(companion.map_err(Failure::internal)?))
}

pub(super) fn watch(args: &WatchArgs, games: &Games) -> Result<u8, Failure> {
    if args.beside.is_none() {
        // Report at once what isn't a run, or has lost its games.
        let files = store::read_run_files(&args.run, games)?;
        let there = store::count_games(&args.run)?;
        files.left(&args.run, there)?;
    }
    let mut door = Door::open(args.port)
        .context("can't listen on 127.0.0.1")
        .map_err(Failure::internal)?;
    let port = door.port().map_err(Failure::internal)?;
    let mut random = [0; 16];
    getrandom(&mut random, GetRandomFlags::empty())
        .context("can't get random bytes")
        .map_err(Failure::internal)?;
    let site = Site {
        token: arena_process::hex(&random),
        port,
        pages: Vec::new(),
        due: Instant::now(),
        writer: Arc::new(()),
    };
    say(&format!("watch: http://127.0.0.1:{port}/{}/", site.token));
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in guard::deadly_signals() {
        // A second signal ends the process at once.
        let code = exit::of_signal(signal).into();
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&stopped))
            .map_err(Failure::internal)?;
        signal_hook::flag::register(signal, Arc::clone(&stopped)).map_err(Failure::internal)?;
    }
    guard::lower_priority();
    if args.beside.is_some() {
        guard::end_with_parent();
    }
    let end = EndCondition {
        beside: args.beside,
        stopped,
    };
    serve(&mut door, site, &args.run, games, &end).map(|()| exit::OK)
}

/// When to end the page.
struct EndCondition {
    beside: Option<Watch>,
    stopped: Arc<AtomicBool>,
}

impl EndCondition {
    fn is_met(&self) -> bool {
        if self.beside.is_some() && !guard::outer_is_gone(Duration::ZERO) {
            // While the run beside it is played, Ctrl-C is meant for that run.
            self.stopped.store(false, Ordering::Relaxed);
            return false;
        }
        self.beside == Some(Watch::Run) || self.stopped.load(Ordering::Relaxed)
    }
}

/// Serves until the end. Reads everything again when the run directory holds another run.
fn serve(
    door: &mut Door,
    mut site: Site,
    run: &Path,
    games: &Games,
    end: &EndCondition,
) -> Result<(), Failure> {
    loop {
        let file = store::read_run_files(run, games)
            .ok()
            .map(|files| files.plan);
        let mut watched = file.as_ref().and_then(|file| Watched::new(file, run).ok());
        loop {
            if let Some(request) = door.next(TICK).map_err(Failure::internal)?
                && let Err((request, status, why)) = site.answer(request, watched.as_mut())
            {
                door.refuse(request, status, &why);
            }
            let is_over = end.is_met();
            let is_same_run = site.refresh(watched.as_mut(), is_over);
            if is_over && (is_same_run || watched.is_none()) {
                site.end();
                return Ok(());
            }
            if !is_same_run {
                break;
            }
        }
    }
}

/// The server's state: its address and the open pages.
struct Site {
    token: String,
    port: u16,
    pages: Vec<Page>,
    /// The time of the next update.
    due: Instant,
    /// Each writing thread has a copy.
    writer: Arc<()>,
}

/// An open page that receives updates.
struct Page {
    /// Updates for the thread that writes to the page.
    updates: Sender<String>,
    /// The state that the page has.
    state: Rc<PageState>,
}

/// The content of a page.
#[derive(Default)]
struct PageState {
    parts: BTreeMap<&'static str, String>,
    /// A hash of each game in the list: an entry may change as other games come.
    listed: Vec<u64>,
}

/// An update, as `live.js` reads it.
#[derive(Serialize)]
struct Update<'a> {
    parts: &'a BTreeMap<&'static str, String>,
    games: Vec<&'a ListedGame>,
    over: bool,
}

impl Site {
    /// Answers a request, or returns it with the status and the reason of a refusal.
    fn answer(
        &mut self,
        request: Request,
        watched: Option<&mut Watched<'_>>,
    ) -> Result<(), (Request, u16, String)> {
        let Some(path) = self.path(&request) else {
            let why = "the address is not that of a page";
            return Err((request, 403, why.to_owned()));
        };
        if request.method != "GET" {
            return Err((request, 405, "only GET is answered".to_owned()));
        }
        let Some(watched) = watched else {
            self.send(request, WAITING.into(), HTML);
            return Ok(());
        };
        match &*path {
            "" => match watched.read_on().and_then(|()| watched.report()) {
                Ok(report) => {
                    let page = html::live_page(&report);
                    self.send(request, page.into(), HTML);
                }
                Err(error) => return Err((request, 500, error.to_string())),
            },
            "events" => self.subscribe(request),
            path => {
                let number = path.strip_prefix("game/").map(str::parse);
                let Some(Ok(number)) = number else {
                    return Err((request, 404, "there is nothing of this name".to_owned()));
                };
                match watched.game(number) {
                    Ok(game) => self.send(request, game, "application/json"),
                    Err(why) => return Err((request, 404, why)),
                }
            }
        }
        Ok(())
    }

    /// Returns the path after the token, if the request has the token and a name of this machine. A
    /// foreign web page can't send that name, even if its own name leads here.
    fn path(&self, request: &Request) -> Option<String> {
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let path = request.path.strip_prefix(&format!("/{}/", self.token))?;
        names.contains(&request.host).then(|| path.to_owned())
    }

    /// Keeps the connection of a page open for updates: server-sent events.
    fn subscribe(&mut self, request: Request) {
        let (updates, unread) = channel::<String>();
        let head = head(200, "text/event-stream");
        self.start(request, move |stream| {
            for text in iter::once(head).chain(unread) {
                stream.write_all(text.as_bytes())?;
            }
            Ok(())
        });
        let state = Rc::default();
        self.pages.push(Page { updates, state });
        self.due = Instant::now();
    }

    /// Updates all pages if it is time. Returns false if the run directory holds another run.
    fn refresh(&mut self, watched: Option<&mut Watched<'_>>, is_over: bool) -> bool {
        // Before the run has begun there are no updates.
        let Some(watched) = watched else { return false };
        let begun = Instant::now();
        if begun < self.due && !is_over {
            return true;
        }
        if watched.is_replaced() {
            for page in self.pages.drain(..) {
                let update = "data: {\"replaced\": true}\n\n".to_owned();
                let _ = page.updates.send(update);
            }
            return false;
        }
        if !self.pages.is_empty()
            && let Ok(mut report) = watched.read_on().and_then(|()| watched.report())
        {
            report.is_played &= !is_over;
            let games = &report.replays.listed;
            let hashes = games.iter().map(|game| FxBuildHasher.hash_one(game));
            let state = Rc::new(PageState {
                parts: html::live_parts(&report),
                listed: hashes.collect(),
            });
            self.pages
                .retain_mut(|page| page.update(&state, games, !report.is_played));
        }
        let pause = begun.elapsed() * SHARE;
        self.due = Instant::now() + pause.clamp(REFRESH, SLOWEST);
        true
    }

    /// Closes all pages once they have read their updates, or after a while.
    fn end(self) {
        drop(self.pages);
        let begun = Instant::now();
        while Arc::strong_count(&self.writer) > 1 && begun.elapsed() < PATIENCE {
            thread::sleep(WAIT);
        }
    }

    fn send(&self, request: Request, content: Vec<u8>, kind: &str) {
        let head = head(200, kind);
        self.start(request, move |stream| {
            stream.write_all(head.as_bytes())?;
            stream.write_all(&content)
        });
    }

    /// Starts a thread that writes, so that a slow reader delays no other. The reader may go away.
    /// If too many are written to, the connection ends without an answer.
    fn start(
        &self,
        request: Request,
        write: impl FnOnce(&mut TcpStream) -> io::Result<()> + Send + 'static,
    ) {
        let (mut stream, writer) = (request.stream, Arc::clone(&self.writer));
        if Arc::strong_count(&writer) > MOST_WRITERS {
            return;
        }
        // Without a thread, there is no answer either.
        let _ = thread::Builder::new().spawn(move || {
            let _ = stream
                .set_nonblocking(false)
                .and_then(|()| write(&mut stream));
            drop((stream, writer));
        });
    }
}

impl Page {
    /// Sends what the page does not have, or a comment, which shows whether the page is still open.
    /// Returns false if it isn't.
    fn update(&mut self, state: &Rc<PageState>, games: &[ListedGame], is_over: bool) -> bool {
        let mut new = Vec::new();
        for (at, game) in games.iter().enumerate() {
            if self.state.listed.get(at) != Some(&state.listed[at]) {
                new.push(game);
            }
        }
        let update = if is_over || !new.is_empty() || self.state.parts != state.parts {
            let update = Update {
                parts: &state.parts,
                games: new,
                over: is_over,
            };
            let update = serde_json::to_string(&update).unwrap_or_default();
            format!("data: {update}\n\n")
        } else {
            ":\n\n".to_owned()
        };
        self.state = Rc::clone(state);
        self.updates.send(update).is_ok()
    }
}

/// The page before the run has begun.
const WAITING: &str = "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=1><link rel=icon href='data:,'>\
    <title>arena</title><p>The run has not begun yet. This page waits for it.";

/// The content type of the page.
const HTML: &str = "text/html; charset=utf-8";
