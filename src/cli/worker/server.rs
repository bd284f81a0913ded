//! The use of a server of workers.

use std::sync::Arc;
use std::{env, fs};

use anyhow::Context as _;
use arena_cluster::{Access, Advice};

use super::super::Failure;
use super::super::supervised::ShowLine;
use super::{ServerArgs, WorkerArgs, list, serve};
use crate::plan::Plan;
use crate::tournament::{self, Control, RunError};
use crate::worker::pool::Executor;
use crate::worker::remote::{RemotePool, Stops};
use arena_games::Games;
use arena_process::LOGIN;

/// Plays for runs, or lists who is at the server.
pub(in crate::cli) fn worker(args: &WorkerArgs, games: &Games) -> Result<u8, Failure> {
    let access = access(&args.server, &args.url).map_err(Failure::input)?;
    if args.list {
        list::list(args, &access)
    } else {
        serve::serve(args, access, games)
    }
}

/// Returns the workers at an address, for the games of a plan.
pub(in crate::cli) fn pool(
    args: &ServerArgs,
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
    let access = access(args, url).map_err(RunError::Input)?;
    Ok(Box::new(RemotePool::new(plan, games, access, stops, show)))
}

fn access(args: &ServerArgs, url: &str) -> anyhow::Result<Access> {
    let login = match &args.login {
        Some(file) => Some(
            fs::read_to_string(file).with_context(|| format!("read --login {}", file.display()))?,
        ),
        None => env::var(LOGIN).ok(),
    };
    Ok(Access {
        url: url.to_owned(),
        login,
        ca: args.ca.clone(),
        insecure: args.insecure,
        advice: Advice {
            login: "give --login FILE with a token, user:password, the seed of an nkey or credentials"
                .to_owned(),
            authority: "--ca FILE names the authority of its certificate".to_owned(),
            insecure: "give it users (docs/cluster.md says how), or say --insecure if its network is closed"
                .to_owned(),
            worker: format!("start `arena worker {url}`"),
        },
    })
}
