//! `arena worker`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint, value_parser};

use super::terms::time;
use crate::config::Jobs;

#[cfg(feature = "workers")]
mod list;
#[cfg(feature = "workers")]
mod serve;
#[cfg_attr(not(feature = "workers"), path = "worker/missing.rs")]
mod server;

pub(super) use server::{pool, worker};

/// Play games for runs on other machines
///
/// Waits at a NATS server for a run with `--workers URL`, fetches its programs, plays what it is sent, and then waits for the
/// next: docs/cluster.md tells how to set that up, and what a worker trusts. Bots play in the sandbox, which must be complete.
/// SIGTERM or Ctrl-C lets the games under way end and gives back the others; once more ends them at once.
#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// The NATS server, as in `nats://HOST:4222`, or `tls://HOST:4222`
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    url: String,
    /// Games played at the same time [default: the cores]
    #[arg(long, short, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(Jobs::RANGE))]
    jobs: Option<u64>,
    /// What the worker is called in live lines, records and reports [default: the name of the machine]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Take less of the sandbox where the system has not all of it
    #[arg(long, value_name = "MODE", default_value = "strict")]
    sandbox: SandboxMode,
    /// Let threads and their bots move between cores
    #[arg(long)]
    no_pin: bool,
    /// Where programs are kept [default: arena/worker in the user's cache folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    cache: Option<PathBuf>,
    /// End when there was no run for this time, as in 10m
    #[arg(long, value_name = "TIME", value_parser = time)]
    idle: Option<Duration>,
    /// List the workers at the server and the runs that they play for, and end
    #[arg(long, conflicts_with_all = ["jobs", "name", "sandbox", "no_pin", "cache", "idle"])]
    list: bool,
    /// Print the list as JSON
    #[arg(long, requires = "list")]
    json: bool,
    #[command(flatten)]
    server: ServerArgs,
}

/// How much of the sandbox a worker wants: never none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SandboxMode {
    /// All of it, or nothing is played
    Strict,
    /// As much as the system gives
    Auto,
}

/// How to use a server of workers.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ServerArgs {
    /// Of the server of workers: a file with a token, user:password, the seed of an nkey, or credentials [default: what the
    /// variable `ARENA_LOGIN` holds]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    login: Option<PathBuf>,
    /// Of the server of workers: a file with the certificates of its authority; the connection must be encrypted then
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    ca: Option<PathBuf>,
    /// Take a server of workers that lets anybody in, who can run programs on every worker, although it is another machine
    #[arg(long)]
    insecure: bool,
}
