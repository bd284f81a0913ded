//! Takes the place of `server` in a program without the feature `workers`.

use std::sync::Arc;

use anyhow::anyhow;

use super::super::Failure;
use super::super::supervised::ShowLine;
use super::WorkerArgs;
use crate::tournament::{Built, Control, RunError, Server};
use crate::worker::pool::Executor;
use arena_games::Games;

const ADVICE: &str = "can't use workers: this program was built without them\nhint: cargo install --path . --features workers";

pub(in crate::cli) fn worker(_: &WorkerArgs, _: &Games) -> Result<u8, Failure> {
    Err(Failure::input(anyhow!(ADVICE)))
}

pub(in crate::cli) fn pool(
    _: &Server,
    _: &str,
    _: &Built,
    _: &Arc<Control>,
    _: ShowLine,
) -> Result<Box<dyn Executor>, RunError> {
    Err(RunError::Input(anyhow!(ADVICE)))
}
