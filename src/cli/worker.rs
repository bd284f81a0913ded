//! `arena worker`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};

use super::terms::{games_at_once, time};
use arena_process::Mode;

#[cfg_attr(not(feature = "workers"), path = "worker/missing.rs")]
mod server;

pub(super) use server::{pool, worker};

/// Whether this program can use workers. Otherwise help doesn't show their options.
pub(super) const HAS_WORKERS: bool = cfg!(feature = "workers");

/// Play games for runs on other machines
///
/// Waits at a NATS server for a run with `--workers URL`, fetches its programs, plays its games, and waits for the next run.
/// docs/how-to/cluster.md explains the setup, and what a worker trusts. Bots play in the sandbox, which must be complete. The first
/// SIGTERM or Ctrl-C finishes the games in flight and gives back the others; the second ends them at once.
#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// The NATS server, as in `nats://HOST:4222`, or `tls://HOST:4222`
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    url: String,
    /// Games played at the same time [default: the cores]
    #[arg(long, short, value_name = "N", value_parser = games_at_once)]
    jobs: Option<u64>,
    /// Name of the worker in records [default: the machine's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Whether the sandbox must be complete
    #[arg(long, value_name = "MODE", default_value_t = Mode::Strict, value_parser = mode())]
    sandbox: Mode,
    /// Let threads and their bots move between cores
    #[arg(long)]
    no_pin: bool,
    /// End after this time without a run, as in 10m
    #[arg(long, value_name = "TIME", value_parser = time)]
    idle: Option<Duration>,
    /// File with NATS credentials or a token
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    login: Option<PathBuf>,
    /// File with certificates of the server's authority
    ///
    /// They require an encrypted connection.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    ca: Option<PathBuf>,
}

/// The sandbox modes of a worker. Bots that come from elsewhere never play without a sandbox.
fn mode() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["strict", "auto"]).try_map(|word| word.parse())
}
