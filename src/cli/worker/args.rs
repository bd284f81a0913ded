//! The flags of `arena worker`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};

use crate::cli::terms::{games_at_once, time};
use arena_process::Mode;

/// Play games for runs on other machines
///
/// Waits at a NATS server for a run with `--workers URL`, fetches its programs, plays its games,
/// and waits for the next run. docs/how-to/cluster.md explains the setup, and what a worker trusts.
/// Bots play in the sandbox, which must be complete. The first SIGTERM or Ctrl-C finishes the games
/// in flight and gives back the others; the second ends them at once.
#[derive(Debug, Args)]
pub(in crate::cli) struct WorkerArgs {
    /// The NATS server, as in `nats://HOST:4222`, or `tls://HOST:4222`
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(super) url: String,
    /// Games at a time [default: the cores; on Windows half]
    #[arg(long, short, value_name = "N", value_parser = games_at_once)]
    pub(super) jobs: Option<u64>,
    /// Name of the worker in records [default: the machine's]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Whether the sandbox must be complete
    #[arg(long, value_name = "MODE", default_value_t = Mode::Strict, value_parser = mode())]
    pub(super) sandbox: Mode,
    /// Let threads and their bots move between cores
    #[arg(long)]
    pub(super) no_pin: bool,
    /// End after this time without a run, as in 10m
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) idle: Option<Duration>,
    /// File with NATS credentials or a token
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) login: Option<PathBuf>,
    /// File with certificates of the server's authority
    ///
    /// They require an encrypted connection.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) ca: Option<PathBuf>,
}

/// The sandbox modes of a worker. Bots that come from elsewhere never play without a sandbox.
fn mode() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["strict", "auto"]).try_map(|word| word.parse())
}
