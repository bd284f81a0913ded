//! Takes the place of `server` in a program without the feature `workers`.

use std::sync::Arc;

use super::args::WorkerArgs;
use crate::cli::failure::{InputError, Result};
use crate::cli::supervised::ShowLine;
use crate::tournament::{Built, Control, RunError, Server};
use crate::worker::pool::Executor;
use arena_games::Games;

pub(in crate::cli) fn worker(_: &WorkerArgs, _: &Games) -> Result<u8> {
    Err(InputError::NoWorkers.into())
}

pub(in crate::cli) fn pool(
    _: &Server,
    _: &str,
    _: &Built,
    _: &Arc<Control>,
    _: ShowLine,
) -> Result<Box<dyn Executor>, RunError> {
    Err(RunError::Input(InputError::NoWorkers.into()))
}
