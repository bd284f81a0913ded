//! The use of a server of workers.

use std::fs;
use std::sync::Arc;

use anyhow::Context as _;
use arena_cluster::{Access, Host};

use super::args::WorkerArgs;
use crate::cli::exit;
use crate::cli::failure::Result;
use crate::cli::output::{self, say};
use crate::cli::supervised::{ShowLine, supervised};
use crate::config::jobs;
use crate::plan::DEFAULT_MEMORY_MB;
use crate::tournament::{Built, Control, RunError, Server};
use crate::worker::pool::Executor;
use crate::worker::remote::{GamePlayer, RemotePool, program};
use arena_games::Games;
use arena_process::languages::cache_folder;
use arena_section::text::harmless_lines;

/// Plays for one run after the other.
pub(in crate::cli) fn worker(args: &WorkerArgs, games: &Games) -> Result<u8> {
    let server = Server {
        login: args.login.clone(),
        ca: args.ca.clone(),
    };
    let access = access(&server, &args.url, ["--login FILE", "--ca FILE"])?;
    let show: ShowLine = Arc::new(|line| say(&harmless_lines(line)));
    let jobs = jobs(args.jobs).context("can't use --jobs")?;
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
            cache: cache_folder("worker")?,
            idle: args.idle,
        };
        let leaves = Arc::clone(&player.leaves);
        arena_cluster::serve(access, host, &player, Box::new(move || leaves()), &show)?;
        output::show(exit::OK, &(), String::new)
    })
}

/// Returns the workers at an address, for the games of a run.
pub(in crate::cli) fn pool(
    server: &Server,
    url: &str,
    built: &Built,
    control: &Arc<Control>,
    show: ShowLine,
) -> Result<Box<dyn Executor>, RunError> {
    let stops = [&control.drain, &control.kill];
    let options = ["--set workers.login=FILE", "--set workers.ca=FILE"];
    let access = access(server, url, options).map_err(RunError::Input)?;
    let (plan, games) = (&built.plan, built.games.clone());
    Ok(Box::new(RemotePool::new(plan, games, access, stops, show)))
}

/// Returns how to reach a server. `options` are the words for the keys of [`Server`].
fn access(server: &Server, url: &str, options: [&'static str; 2]) -> anyhow::Result<Access> {
    let login = server.login.as_ref().map(|file| {
        fs::read_to_string(file).with_context(|| format!("can't read the login {}", file.display()))
    });
    Ok(Access {
        url: url.to_owned(),
        login: login.transpose()?,
        ca: server.ca.clone(),
        options,
    })
}
