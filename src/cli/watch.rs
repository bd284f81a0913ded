//! `arena watch` serves the page of a run on this machine while the run is played.
//!
//! It is a separate process that only reads the files of the run, so the run neither waits for it
//! nor talks to it. A request needs the token in the address and the name of this machine: other
//! web pages can't guess the token, and can't use the name.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{iter, mem};

use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use rustc_hash::FxBuildHasher;
use rustix::net::sockopt;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::Serialize;
use strum::{Display, EnumString, VariantNames};
use tiny_http::{Header, Method, Request, Response, Server};

use super::Failure;
use super::exit;
use super::terms::one_of;
use crate::report::html;
use crate::report::replays::ListedGame;
use crate::store;
use crate::tournament::Watched;
use arena_games::Games;
use arena_process::{HelperProcess, guard};

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
/// How long a page may leave data unread before its connection ends, in milliseconds. A page that
/// comes back asks for everything.
const UNREAD_MS: u32 = 10_000;
/// The longest request body to read.
const LONGEST_BODY: usize = 1 << 20;

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
    /// The page of a run that started this process: ends with the run, or stays
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
    let companion = HelperProcess::start(&args).context("start the page");
    Ok(Some(companion.map_err(Failure::internal)?))
}

pub(super) fn watch(args: &WatchArgs, games: &Games) -> Result<u8, Failure> {
    if args.beside.is_none() {
        // Report at once what isn't a run, or has lost its games.
        let files = store::read_run_files(&args.run, games).map_err(Failure::input)?;
        let there = store::count_games(&args.run).map_err(Failure::input)?;
        files.left(&args.run, there).map_err(Failure::input)?;
    }
    let server = listen(args.port)
        .context("listen on 127.0.0.1")
        .map_err(Failure::internal)?;
    let address = server.server_addr().to_ip();
    let port = address.map(|address| address.port()).unwrap_or_default();
    let mut random = [0; 16];
    getrandom(&mut random, GetRandomFlags::empty())
        .context("get random bytes")
        .map_err(Failure::internal)?;
    let site = Site::new(arena_process::hex(&random), port);
    // If standard error is closed, the address is lost, but the run continues.
    let _ = writeln!(
        io::stderr(),
        "watch: http://127.0.0.1:{port}/{}/",
        site.token
    );
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
    serve(&server, site, &args.run, games, &end).map(|()| exit::OK)
}

/// Listens for connections from this machine. A connection ends if its data is left unread.
fn listen(port: u16) -> anyhow::Result<Server> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    // Connections inherit this. The page also works on a system without it.
    let _ = sockopt::set_tcp_user_timeout(&listener, UNREAD_MS);
    Server::from_listener(listener, None).map_err(|error| anyhow!("{error}"))
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
    server: &Server,
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
            if let Some(request) = server.recv_timeout(TICK).map_err(Failure::internal)? {
                // The reader may have gone away.
                let _ = site.answer(request, watched.as_mut());
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
    /// Each writing thread has a copy, so that `written` ends when all have.
    writer: Sender<()>,
    written: Receiver<()>,
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
    fn new(token: String, port: u16) -> Site {
        let (writer, written) = channel();
        Site {
            token,
            port,
            pages: Vec::new(),
            due: Instant::now(),
            writer,
            written,
        }
    }

    /// Answers a request.
    fn answer(&mut self, request: Request, watched: Option<&mut Watched<'_>>) -> io::Result<()> {
        if let Some(length) = request.body_length().filter(|&length| length > 0) {
            return self.turn_away(request, length);
        }
        let Some(path) = self.path(&request) else {
            let why = "the address is not that of a page";
            return self.refuse(request, 403, why);
        };
        if *request.method() != Method::Get {
            return self.refuse(request, 405, "only GET is answered");
        }
        let Some(watched) = watched else {
            return self.send(request, 200, WAITING.into(), HTML);
        };
        match &*path {
            "" => match watched.read_on().and_then(|()| watched.report()) {
                Ok(report) => {
                    let page = html::live_page(&report, watched.goes_on());
                    self.send(request, 200, page.into(), HTML)
                }
                Err(error) => self.refuse(request, 500, &error.to_string()),
            },
            "events" => self.subscribe(request),
            path => {
                let number = path.strip_prefix("game/").map(str::parse);
                let Some(Ok(number)) = number else {
                    let why = "there is nothing of this name";
                    return self.refuse(request, 404, why);
                };
                match watched.game(number) {
                    Ok(game) => self.send(request, 200, game, "application/json"),
                    Err(why) => self.refuse(request, 404, &why),
                }
            }
        }
    }

    /// Returns the path after the token, if the request has the token and a name of this machine. A
    /// foreign web page can't send that name, even if its own name leads here.
    fn path(&self, request: &Request) -> Option<String> {
        let mut headers = request.headers().iter();
        let host = headers.find(|header| header.field.equiv("Host"))?;
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let path = request.url().strip_prefix(&format!("/{}/", self.token))?;
        let is_ours = names.iter().any(|name| name == host.value.as_str());
        is_ours.then(|| path.to_owned())
    }

    /// Keeps the connection of a page open for updates: server-sent events.
    fn subscribe(&mut self, request: Request) -> io::Result<()> {
        let mut stream = request.into_writer();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n{SAFETY}\r\n"
        );
        let (updates, unread) = channel::<String>();
        self.start(move || {
            for text in iter::once(head).chain(unread) {
                stream.write_all(text.as_bytes())?;
                stream.flush()?;
            }
            Ok(())
        })?;
        let state = Rc::default();
        self.pages.push(Page { updates, state });
        self.due = Instant::now();
        Ok(())
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
            && let Ok(report) = watched.read_on().and_then(|()| watched.report())
        {
            let is_over = is_over || !watched.goes_on();
            let games = &report.replays.listed;
            let hashes = games.iter().map(|game| FxBuildHasher.hash_one(game));
            let state = Rc::new(PageState {
                parts: html::live_parts(&report, !is_over),
                listed: hashes.collect(),
            });
            self.pages
                .retain_mut(|page| page.update(&state, games, is_over));
        }
        let pause = begun.elapsed() * SHARE;
        self.due = Instant::now() + pause.clamp(REFRESH, SLOWEST);
        true
    }

    /// Closes all pages once they have read their updates, or after a while.
    fn end(self) {
        drop((self.pages, self.writer));
        // Nothing is ever sent: this ends with the last writing thread.
        let _ = self.written.recv_timeout(PATIENCE);
    }
    fn refuse(&self, request: Request, status: u16, why: &str) -> io::Result<()> {
        let kind = "text/plain; charset=utf-8";
        self.send(request, status, format!("{why}\n").into(), kind)
    }

    /// Rejects a request with a body. Our pages send none.
    fn turn_away(&self, request: Request, length: usize) -> io::Result<()> {
        if length > LONGEST_BODY {
            // Reading or dropping the request would allocate a buffer of the announced length.
            mem::forget(request);
            return Ok(());
        }
        self.refuse(request, 405, "only GET is answered, without a body")
    }

    fn send(&self, request: Request, status: u16, content: Vec<u8>, kind: &str) -> io::Result<()> {
        let mut response = Response::from_data(content).with_status_code(status);
        for line in format!("Content-Type: {kind}\r\n{SAFETY}").lines() {
            let header = line.parse::<Header>();
            response.add_header(header.map_err(|()| io::Error::other("no header"))?);
        }
        self.start(move || request.respond(response))
    }

    /// Starts a thread that writes, so that a slow reader delays no other. The reader may go away.
    fn start(&self, write: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
        let writer = self.writer.clone();
        thread::Builder::new().spawn(move || {
            let _ = write();
            drop(writer);
        })?;
        Ok(())
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

/// Headers of every answer.
const SAFETY: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n";
