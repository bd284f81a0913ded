//! Takes the place of `server` in a program without the feature `workers`.

use std::sync::Arc;

use super::args::WorkerArgs;
use crate::cli::failure::{Failure, Result};
use crate::cli::supervised::ShowLine;
use crate::tournament::{Built, Control, RunError, Server};
use crate::worker::pool::Executor;
use arena_games::Games;

const NO_WORKERS: &str = "can't use workers: this program was built without them\nhint: cargo install --path . --features workers";

pub(in crate::cli) fn worker(_: &WorkerArgs, _: &Games) -> Result<u8> {
    Err(Failure::Input(NO_WORKERS.to_owned()))
}

pub(in crate::cli) fn pool(
    _: &Server,
    _: &str,
    _: &Built,
    _: &Arc<Control>,
    _: ShowLine,
) -> Result<Box<dyn Executor>, RunError> {
    Err(RunError::Input(anyhow::Error::msg(NO_WORKERS)))
}
