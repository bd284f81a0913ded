//! `arena worker URL`: plays for one run after the other.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use anyhow::anyhow;

use super::super::supervised::{ShowLine, supervised};
use super::super::{Failure, say};
use super::WorkerArgs;
use crate::cli::exit;
use crate::config::jobs;
use crate::plan::DEFAULT_MEMORY_MB;
use crate::worker::remote::{GamePlayer, program};
use arena_cluster::{Access, Host};
use arena_games::Games;
use arena_section::text::harmless_lines;

pub(super) fn serve(args: &WorkerArgs, access: Access, games: &Games) -> Result<u8, Failure> {
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
