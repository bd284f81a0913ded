//! The use of a server of workers.

use std::sync::Arc;
use std::{env, fs};

use anyhow::Context as _;
use arena_cluster::Access;

use super::super::Failure;
use super::super::supervised::ShowLine;
use super::{WorkerArgs, list, serve};
use crate::plan::Plan;
use crate::tournament::{self, Control, RunError, Server};
use crate::worker::pool::Executor;
use crate::worker::remote::{RemotePool, Stops};
use arena_games::Games;
use arena_process::LOGIN;

/// Plays for runs, or lists who is at the server.
pub(in crate::cli) fn worker(args: &WorkerArgs, games: &Games) -> Result<u8, Failure> {
    let access = access(&args.server.server(), &args.url, WORKER)?;
    if args.list {
        list::list(args, &access)
    } else {
        serve::serve(args, access, games)
    }
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
