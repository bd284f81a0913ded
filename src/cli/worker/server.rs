//! The use of a server of workers.

use std::fmt::Write as _;
use std::num::NonZero;
use std::sync::Arc;
use std::{env, fs, thread};

use anyhow::{Context as _, anyhow};
use arena_cluster::{Access, Host, List};

use super::super::supervised::{ShowLine, supervised};
use super::super::{Failure, exit, print_either, say};
use super::WorkerArgs;
use crate::config::jobs;
use crate::plan::{DEFAULT_MEMORY_MB, Plan};
use crate::tournament::{self, Control, RunError, Server};
use crate::worker::pool::Executor;
use crate::worker::remote::{GamePlayer, RemotePool, Stops, program};
use arena_games::Games;
use arena_process::LOGIN;
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows};
use arena_section::text::{harmless, harmless_lines};

/// Plays for runs, or lists who is at the server.
pub(in crate::cli) fn worker(args: &WorkerArgs, games: &Games) -> Result<u8, Failure> {
    let access = access(&args.server.server(), &args.url, WORKER)?;
    if args.list {
        list(args, &access)
    } else {
        serve(args, access, games)
    }
}

/// Shows who is at the server.
fn list(args: &WorkerArgs, access: &Access) -> Result<u8, Failure> {
    let mut list = arena_cluster::list(access, Arc::new(|_| {}))?;
    for run in &mut list.runs {
        for text in [&mut run.program, &mut run.name, &mut run.session] {
            *text = harmless(text);
        }
    }
    for worker in &mut list.workers {
        worker.name = harmless(&worker.name);
        worker.state = harmless_lines(&worker.state);
    }
    print_either(args.json, &list, || listed(&list, &args.url))
}

fn listed(list: &List, url: &str) -> String {
    let mut text = if list.workers.is_empty() {
        format!("no workers at {url}: start `arena worker {url}`\n")
    } else {
        let workers = Rows::new("Workers", list.workers.iter())
            .shown(Kind::Name, "name", |worker| &worker.name)
            .shown(Kind::Value, "jobs", |worker| worker.jobs)
            .shown(Kind::Value, "cores", |worker| worker.cores)
            .shown(Kind::Value, "games", |worker| worker.games)
            .shown(Kind::Prose, "what it does", |worker| &worker.state);
        workers.text(&Screen::stdout())
    };
    for run in &list.runs {
        let _ = writeln!(text, "{}: {} games at a time", run.name, run.jobs);
    }
    text
}

/// Plays for one run after the other.
fn serve(args: &WorkerArgs, access: Access, games: &Games) -> Result<u8, Failure> {
    let show: ShowLine = Arc::new(|line| say(&harmless_lines(line)));
    let jobs = jobs(args.jobs).map_err(|why| Failure::usage(anyhow!("can't use --jobs: {why}")))?;
    supervised(args.sandbox, DEFAULT_MEMORY_MB, |supervised| {
        supervised.warn();
        supervised.drain_on_signals(Arc::clone(&show))?;
        let control = Arc::clone(&supervised.control);
        let player = GamePlayer {
            games,
            jobs,
            pin: !args.no_pin,
            sandbox: Arc::clone(&supervised.sandbox),
            kill: Arc::clone(&control.kill),
            leaves: Arc::new(move || control.is_stopping()),
        };
        let host = Host {
            name: args.name.clone(),
            program: program(),
            jobs,
            cores: thread::available_parallelism().map_or(1, NonZero::get),
            cache: args.cache.clone(),
            idle: args.idle,
        };
        let leaves = Arc::clone(&player.leaves);
        arena_cluster::serve(access, host, &player, Box::new(move || leaves()), &show)?;
        Ok(exit::OK)
    })
}

/// Returns the workers at an address, for the games of a plan.
pub(in crate::cli) fn pool(
    server: &Server,
    url: &str,
    plan: &Plan,
    control: &Arc<Control>,
    show: ShowLine,
) -> Result<Box<dyn Executor>, RunError> {
    let stops = Stops {
        drain: Arc::clone(&control.drain),
        kill: Arc::clone(&control.kill),
    };
    let games = tournament::games(plan)?;
    let access = access(server, url, RUN).map_err(RunError::Input)?;
    Ok(Box::new(RemotePool::new(plan, games, access, stops, show)))
}

/// How to write the keys of [`Server`]: login, authority and insecure.
type Options = [&'static str; 3];

const WORKER: Options = ["--login FILE", "--ca FILE", "--insecure"];
const RUN: Options = [
    "--set workers.login=FILE",
    "--set workers.ca=FILE",
    "--set workers.insecure=true",
];

fn access(server: &Server, url: &str, options: Options) -> anyhow::Result<Access> {
    let login = match &server.login {
        Some(file) => Some(
            fs::read_to_string(file)
                .with_context(|| format!("can't read the login {}", file.display()))?,
        ),
        None => env::var(LOGIN).ok(),
    };
    Ok(Access {
        url: url.to_owned(),
        login,
        ca: server.ca.clone(),
        insecure: server.insecure,
        options,
    })
}
