//! `arena worker`.

mod args;
#[cfg_attr(not(feature = "workers"), path = "worker/missing.rs")]
mod server;

pub(super) use args::WorkerArgs;
pub(super) use server::{pool, worker};
