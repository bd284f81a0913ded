//! `arena watch`: the page of a run, served on this machine while the run goes on.
//!
//! It is a process of its own that reads the files of the run and nothing else, so whoever plays neither waits for it nor talks to it.
//! Only who knows the token in the address gets anything, and only under the name of this machine: pages of others can neither guess the
//! one nor use the other.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{iter, mem};

use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use rustc_hash::FxBuildHasher;
use rustix::net::sockopt;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use tiny_http::{Header, Method, Request, Response, Server};

use super::Failure;
use super::exit;
use crate::report::html;
use crate::report::replays::ListedGame;
use crate::store;
use crate::tournament::Watched;
use arena_games::Games;
use arena_process::{HelperProcess, guard};

/// So often it is looked whether there is something to do.
const TICK: Duration = Duration::from_millis(100);
/// So often pages are told what is new, at most.
const REFRESH: Duration = Duration::from_secs(1);
/// And at least, however long it takes on a busy machine.
const SLOWEST: Duration = Duration::from_secs(10);
/// Whatever is told takes no more than this part of the time, as long as nobody else wants it.
const SHARE: u32 = 20;
/// So long the end waits for those who still read.
const PATIENCE: Duration = Duration::from_secs(1);
/// So long what is sent may be left unread, in milliseconds. A page of ours that comes back asks for all anew.
const UNREAD_MS: u32 = 10_000;
/// Longer bodies are not read: what never comes of one takes a buffer of that size.
const LONGEST_BODY: usize = 1 << 20;

/// Serve the page of a run, also while it is played
///
/// Prints an address on 127.0.0.1, which only a browser of this machine can open. The page tells of games as they finish, and every
/// game can be watched. Ctrl-C ends it; the run does not notice. `arena run --watch` starts it beside a run.
#[derive(Debug, Args)]
pub(super) struct WatchArgs {
    /// The run directory
    #[arg(value_hint = ValueHint::DirPath)]
    run: PathBuf,
    /// The port [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Ends when standard input does, as it does when the run that started it is over; with `stay`, only told so
    #[arg(long, value_name = "HOW", hide = true)]
    beside: Option<Watch>,
}

/// How long the page beside a run is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Watch {
    /// As long as the run.
    Run,
    /// Until Ctrl-C.
    Stay,
}

/// Starts the page beside a run that is about to begin in `out`, unless this is the process that plays.
pub(super) fn beside(out: &Path, how: Watch) -> Result<Option<HelperProcess>, Failure> {
    if guard::is_inner() {
        return Ok(None);
    }
    let how = match how {
        Watch::Run => "run",
        Watch::Stay => "stay",
    };
    let args = [
        "watch".as_ref(),
        out.as_os_str(),
        "--beside".as_ref(),
        how.as_ref(),
    ];
    let helper = HelperProcess::start(&args).context("start the page");
    Ok(Some(helper.map_err(Failure::internal)?))
}

pub(super) fn watch(args: &WatchArgs, games: &Games) -> Result<u8, Failure> {
    if args.beside.is_none() {
        // What is no run, or has lost its games, is better told at once.
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
    // Where nobody reads standard error, the address is lost, and the run goes on.
    let _ = writeln!(
        io::stderr(),
        "watch: http://127.0.0.1:{port}/{}/",
        site.token
    );
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // A second one ends it whatever it is doing.
        let code = exit::of_signal(signal).into();
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&stopped))
            .map_err(Failure::internal)?;
        signal_hook::flag::register(signal, Arc::clone(&stopped)).map_err(Failure::internal)?;
    }
    guard::lower_priority();
    if args.beside.is_some() {
        guard::end_with_parent();
    }
    let until = Until {
        beside: args.beside,
        stopped,
    };
    serve(&server, site, &args.run, games, &until).map(|()| exit::OK)
}

/// A server for this machine alone, whose connections end where nobody reads what is sent.
fn listen(port: u16) -> anyhow::Result<Server> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    // Whoever is accepted has this from here. Where the system does not know it, the page works nevertheless.
    let _ = sockopt::set_tcp_user_timeout(&listener, UNREAD_MS);
    Server::from_listener(listener, None).map_err(|error| anyhow!("{error}"))
}

/// What ends the page.
struct Until {
    beside: Option<Watch>,
    stopped: Arc<AtomicBool>,
}

impl Until {
    /// Whether the run beside which it was started goes on. A first Ctrl-C is for that.
    fn is_beside(&self) -> bool {
        self.beside.is_some() && !guard::outer_is_gone(Duration::ZERO)
    }

    fn has_come(&self) -> bool {
        let stopped = self.stopped.load(Ordering::Relaxed);
        match self.beside {
            _ if self.is_beside() => {
                self.stopped.store(false, Ordering::Relaxed);
                false
            }
            Some(Watch::Run) => true,
            Some(Watch::Stay) | None => stopped,
        }
    }
}

/// Serves until the end. Whenever the run directory holds another run than before, everything is read anew.
fn serve(
    server: &Server,
    mut site: Site,
    run: &Path,
    games: &Games,
    until: &Until,
) -> Result<(), Failure> {
    loop {
        let file = store::read_run_files(run, games)
            .ok()
            .map(|files| files.plan);
        let mut watched = file.as_ref().and_then(|file| Watched::new(file, run).ok());
        loop {
            if let Some(request) = server.recv_timeout(TICK).map_err(Failure::internal)? {
                // Whoever asked may have gone away.
                let _ = site.answer(request, watched.as_mut());
            }
            let is_over = until.has_come();
            let is_the_run = site.refresh(watched.as_mut(), is_over);
            if is_over && (is_the_run || watched.is_none()) {
                site.end();
                return Ok(());
            }
            if !is_the_run {
                break;
            }
        }
    }
}

/// The pages that are open.
struct Site {
    token: String,
    port: u16,
    pages: Vec<Page>,
    refreshed: Instant,
    /// The time between two refreshes.
    pause: Duration,
    writers: Writers,
    /// Ends when all writers have.
    written: Receiver<()>,
}

/// Whatever is written to others is written by threads: who does not read what it asked for holds up nobody else.
struct Writers(Sender<()>);

/// A page that hears of what is new.
struct Page {
    /// To the thread that writes to it; it takes no more while there is something that the page has not read.
    news: SyncSender<String>,
    /// What it was told last.
    told: Rc<Told>,
}

/// What pages are told.
#[derive(Default)]
struct Told {
    parts: BTreeMap<&'static str, String>,
    /// Of every game in the list its hash: what is said of a game changes as others come.
    listed: Vec<u64>,
}

/// What is new, as `live.js` has it.
#[derive(Serialize)]
struct News<'a> {
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
            refreshed: Instant::now(),
            pause: REFRESH,
            writers: Writers(writer),
            written,
        }
    }

    /// Answers a request.
    fn answer(&mut self, request: Request, watched: Option<&mut Watched<'_>>) -> io::Result<()> {
        if let Some(length) = request.body_length().filter(|&length| length > 0) {
            return self.writers.turn_away(request, length);
        }
        let Some(path) = self.path(&request) else {
            let why = "the address is not that of a page";
            return self.writers.refuse(request, 403, why);
        };
        if *request.method() != Method::Get {
            return self.writers.refuse(request, 405, "only GET is answered");
        }
        let Some(watched) = watched else {
            return self.writers.respond(request, WAITING.into(), HTML);
        };
        match &*path {
            "" => match watched.read_on().and_then(|()| watched.report()) {
                Ok(report) => {
                    let page = html::live_page(&report, watched.goes_on());
                    self.writers.respond(request, page.into(), HTML)
                }
                Err(error) => self.writers.refuse(request, 500, &error.to_string()),
            },
            "events" => self.subscribe(request),
            path => {
                let number = path.strip_prefix("game/").map(str::parse);
                let Some(Ok(number)) = number else {
                    let why = "there is nothing of this name";
                    return self.writers.refuse(request, 404, why);
                };
                match watched.game(number) {
                    Ok(game) => self.writers.respond(request, game, "application/json"),
                    Err(why) => self.writers.refuse(request, 404, &why),
                }
            }
        }
    }

    /// What follows the token in the address of a request that is from a page of ours: with the token, and under a name of this
    /// machine, which a page of others could not make up even where its own name leads here.
    fn path(&self, request: &Request) -> Option<String> {
        let mut headers = request.headers().iter();
        let host = headers.find(|header| header.field.equiv("Host"))?;
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let path = request.url().strip_prefix(&format!("/{}/", self.token))?;
        let is_ours = names.iter().any(|name| name == host.value.as_str());
        is_ours.then(|| path.to_owned())
    }

    /// Keeps the connection of a page open, to tell it what is new: server-sent events.
    fn subscribe(&mut self, request: Request) -> io::Result<()> {
        let mut stream = request.into_writer();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n{SAFETY}\r\n"
        );
        let (news, unread) = sync_channel::<String>(1);
        self.writers.start(move || {
            for text in iter::once(head).chain(unread) {
                stream.write_all(text.as_bytes())?;
                stream.flush()?;
            }
            Ok(())
        })?;
        self.pages.push(Page {
            news,
            told: Rc::default(),
        });
        let due = Instant::now().checked_sub(self.pause);
        self.refreshed = due.unwrap_or(self.refreshed);
        Ok(())
    }

    /// Tells all pages what is new, if it is time. `false` if the run directory holds another run.
    fn refresh(&mut self, watched: Option<&mut Watched<'_>>, is_over: bool) -> bool {
        // Before the run has begun there is nothing to tell.
        let Some(watched) = watched else { return false };
        if self.refreshed.elapsed() < self.pause && !is_over {
            return true;
        }
        if watched.is_replaced() {
            // What they show is of another run. Who is gone need not hear of it.
            for page in self.pages.drain(..) {
                let news = "data: {\"replaced\": true}\n\n".to_owned();
                let _ = page.news.try_send(news);
            }
            return false;
        }
        let begun = Instant::now();
        if !self.pages.is_empty()
            && let Ok(report) = watched.read_on().and_then(|()| watched.report())
        {
            // What is said last is worth a wait.
            let patience = if is_over { PATIENCE } else { Duration::ZERO };
            let is_over = is_over || !watched.goes_on();
            let games = &report.replays.listed;
            let hashes = games.iter().map(|game| FxBuildHasher.hash_one(game));
            let told = Rc::new(Told {
                parts: html::live_parts(&report, !is_over),
                listed: hashes.collect(),
            });
            let patience = Instant::now() + patience;
            self.pages
                .retain_mut(|page| page.tell(&told, games, is_over, patience));
        }
        self.refreshed = Instant::now();
        self.pause = (begun.elapsed() * SHARE).clamp(REFRESH, SLOWEST);
        true
    }

    /// Closes all pages, once they have read what they were told, or do not.
    fn end(self) {
        drop((self.pages, self.writers));
        // Nobody sends anything: it ends when nobody can any more.
        let _ = self.written.recv_timeout(PATIENCE);
    }
}

impl Page {
    /// Sends what the page does not have; also where nothing is new, so that a page that is gone is noticed. One that has not read what
    /// came before hears of it another time. `false` if it is gone.
    fn tell(
        &mut self,
        told: &Rc<Told>,
        games: &[ListedGame],
        is_over: bool,
        patience: Instant,
    ) -> bool {
        let mut new = Vec::new();
        for (at, game) in games.iter().enumerate() {
            if self.told.listed.get(at) != Some(&told.listed[at]) {
                new.push(game);
            }
        }
        let mut news = if is_over || !new.is_empty() || self.told.parts != told.parts {
            let news = News {
                parts: &told.parts,
                games: new,
                over: is_over,
            };
            let news = serde_json::to_string(&news).unwrap_or_default();
            format!("data: {news}\n\n")
        } else {
            ":\n\n".to_owned()
        };
        loop {
            match self.news.try_send(news) {
                Ok(()) => {
                    self.told = Rc::clone(told);
                    return true;
                }
                Err(TrySendError::Full(back)) if Instant::now() < patience => news = back,
                Err(error) => return matches!(error, TrySendError::Full(_)),
            }
            thread::sleep(TICK / 10);
        }
    }
}

/// What a page is before the run has begun.
const WAITING: &str = "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=1><link rel=icon href='data:,'>\
    <title>arena</title><p>The run has not begun yet. This page waits for it.";

/// The type of the page.
const HTML: &str = "text/html; charset=utf-8";

/// Headers that come with every answer.
const SAFETY: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n";

impl Writers {
    fn respond(&self, request: Request, content: Vec<u8>, kind: &str) -> io::Result<()> {
        self.send(request, 200, content, kind)
    }

    fn refuse(&self, request: Request, status: u16, why: &str) -> io::Result<()> {
        let kind = "text/plain; charset=utf-8";
        self.send(request, status, format!("{why}\n").into(), kind)
    }

    /// Refuses a request with a body of such a length, which no page of ours sends.
    fn turn_away(&self, request: Request, length: usize) -> io::Result<()> {
        if length > LONGEST_BODY {
            // To read it to its end, or to drop it, is to make a buffer for all that is missing, however much it says that this is.
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

    /// Begins to write. Whoever reads may go away.
    fn start(&self, write: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
        let writer = self.0.clone();
        thread::Builder::new().spawn(move || {
            let _ = write();
            drop(writer);
        })?;
        Ok(())
    }
}
