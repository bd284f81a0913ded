//! What stands in the place of workers where the program is built without them: the same names, and a word on how to have them.

use std::sync::Arc;

use anyhow::{anyhow, bail};

use super::terms::{Access, Host, Leaves, Present, Stops, Tell};
use crate::plan::Plan;
use crate::pool::{Executor, Feed};
use crate::worker::Started;
use arena_games::{GameSpec, Games};

const ADVICE: &str = "use workers: this program was built without them; `cargo install --path . --features workers` has them";

pub(crate) struct RemotePool;

impl RemotePool {
    pub(crate) fn new(_: &Plan, _: Vec<Arc<GameSpec>>, _: Access, _: Stops, _: Tell) -> RemotePool {
        RemotePool
    }
}

impl Executor for RemotePool {
    fn prepare(&self, _: Started) -> anyhow::Result<String> {
        bail!(ADVICE)
    }

    fn width(&self) -> usize {
        1
    }

    fn execute(&self, _: &mut dyn Feed) -> anyhow::Result<()> {
        bail!(ADVICE)
    }
}

pub(crate) fn serve(_: Access, _: &Host, _: &Games, _: Leaves, _: &Tell) -> anyhow::Result<()> {
    Err(anyhow!(ADVICE))
}

pub(crate) fn present(_: &Access, _: Tell) -> anyhow::Result<Present> {
    Err(anyhow!(ADVICE))
}
