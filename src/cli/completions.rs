//! `arena completions`, and what a shell offers for arguments that depend on the games or on a run.
//!
//! The script of a shell calls this program with the words typed so far, at every press of the key; `clap_complete` then
//! answers from the types of the command line. Its dynamic part has no stable interface yet, so all that uses it is here.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, CommandFactory};
use clap_complete::engine::ValueCompleter as _;
use clap_complete::env::Shells;
use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompleteEnv, CompletionCandidate, PathCompleter, Shell};

use super::{Cli, Failure, print};
use crate::plan::Plan;
use crate::store;
use arena_games::Games;

/// The variable in which the script of a shell says which shell it is.
const VARIABLE: &str = "ARENA_COMPLETE";

/// Generates shell completions
///
/// For bash and zsh, a line in ~/.bashrc or ~/.zshrc (there behind compinit): source <(arena completions bash). For fish, a
/// line in ~/.config/fish/config.fish: arena completions fish | source. What is generated is for this version of arena:
/// a file that keeps it has to be written again after an update.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    let program = env::current_exe().context("find this program").map_err(Failure::internal)?;
    let shells = Shells::builtins();
    let unknown = || Failure::internal(anyhow!("find completions for {}", args.shell));
    let shell = shells.completer(&args.shell.to_string()).ok_or_else(unknown)?;
    let mut script = Vec::new();
    let written = shell.write_registration(VARIABLE, "arena", "arena", &program.to_string_lossy(), &mut script);
    written.map_err(Failure::internal)?;
    print(script)
}

/// Answers the script of a shell and ends, if it is such a script that has started this program.
pub(super) fn serve() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// The ids of the games.
pub(super) fn games() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let games = Games::standard();
        games.iter().map(|spec| candidate(&spec.id, &spec.title)).collect()
    })
}

/// The verbs.
pub(super) fn verbs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| Cli::command().get_subcommands().map(|verb| verb.get_name().into()).collect())
}

/// The bots of the run that is named on the command line.
pub(super) fn bots() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let bots = run().map(|(_, plan)| plan.bots).unwrap_or_default();
        bots.into_iter().map(|bot| CompletionCandidate::new(bot.name)).collect()
    })
}

/// The same, or files where no run is named.
pub(super) fn bots_or_files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        if run().is_none() {
            return PathCompleter::any().complete(typed);
        }
        let mut bots = bots().candidates();
        bots.retain(|bot| bot.get_value().to_string_lossy().starts_with(&*typed.to_string_lossy()));
        bots
    })
}

/// The seats of the game that is named on the command line, with the bots that sat there.
pub(super) fn seats() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let record = || {
            let number = words().find_map(|word| word.to_str()?.parse().ok())?;
            let records = store::named_file(&run()?.0, store::RECORDS).ok()?;
            store::pick_records(&records, &BTreeSet::from([number])).ok()?.pop()
        };
        let bots = record().map(|record| record.bots).unwrap_or_default();
        bots.iter().enumerate().map(|(seat, bot)| candidate(&seat.to_string(), bot)).collect()
    })
}

/// The run directory that is named on the command line, and its plan.
fn run() -> Option<(PathBuf, Plan)> {
    let games = Games::standard();
    words().map(PathBuf::from).find_map(|run| {
        let files = store::read_run_files(&run, &games).ok()?;
        Some((run, files.plan.plan))
    })
}

/// What is typed so far; the script hands it on behind `--`.
fn words() -> impl Iterator<Item = OsString> {
    env::args_os().skip_while(|word| word != "--").skip(1)
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.to_owned().into()))
}
