//! `arena completions`, and what a shell offers for arguments that depend on the games or on a run.
//!
//! The script of a shell calls this program with the words typed so far, at every press of the key; `clap_complete` then
//! answers from the types of the command line. Its dynamic part has no stable interface yet, so all that uses it is here.

use std::any::Any;
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, CommandFactory};
use clap_complete::engine::ValueCompleter as _;
use clap_complete::env::Shells;
use clap_complete::{
    ArgValueCandidates, ArgValueCompleter, CompleteEnv, CompletionCandidate, PathCompleter, Shell,
};

use super::{Cli, Failure, print};
use crate::plan::Plan;
use crate::store;
use arena_games::Games;

/// The variable in which the script of a shell says which shell it is.
const VARIABLE: &str = "ARENA_COMPLETE";

/// What bash needs beside: it splits words at `=` and `:`, as in `NAME=COMMAND`, and completes the last part alone. The words
/// are joined again where no blank stands between them in the line; of what is offered, bash gets the last part.
const BASH_WORDS: &str = r#"
_arena() {
    local line=" ${COMP_LINE:0:COMP_POINT}" words=() before rest part i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        part="${COMP_WORDS[i]}"
        rest="${line#"${line%%[![:space:]]*}"}"
        [[ "$rest" == "$line" ]] || words+=("")
        line="${rest#"$part"}"
        if [[ $i == "$COMP_CWORD" ]]; then
            [[ "$part" == [=:]* ]] && words[-1]+="$part"
            before="${words[-1]}" part="$2"
        fi
        words[-1]+="$part"
    done
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1))
    _clap_complete_arena arena "${words[-1]}"
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o nospace -o bashdefault -o nosort -F _arena arena
"#;

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
    let program = env::current_exe()
        .context("find this program")
        .map_err(Failure::internal)?;
    let shells = Shells::builtins();
    let unknown = || Failure::internal(anyhow!("find completions for {}", args.shell));
    let shell = shells
        .completer(&args.shell.to_string())
        .ok_or_else(unknown)?;
    let mut script = Vec::new();
    let written = shell.write_registration(
        VARIABLE,
        "arena",
        "arena",
        &program.to_string_lossy(),
        &mut script,
    );
    written.map_err(Failure::internal)?;
    if args.shell == Shell::Bash {
        script.extend(BASH_WORDS.bytes());
    }
    print(script)
}

/// Answers the script of a shell and ends, if it is such a script that has started this program.
pub(super) fn serve() {
    CompleteEnv::with_factory(Cli::command)
        .var(VARIABLE)
        .complete();
}

/// The ids of the games.
pub(super) fn games() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let games = Games::standard();
        games
            .iter()
            .map(|spec| candidate(&spec.id, &spec.title))
            .collect()
    })
}

/// Names that depend on nothing.
pub(super) fn names(names: Vec<&'static str>) -> ArgValueCandidates {
    ArgValueCandidates::new(move || names.iter().map(CompletionCandidate::new).collect())
}

/// Files, also behind the name of a bot as in `NAME=./bot`.
pub(super) fn named_files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let typed = typed.to_string_lossy();
        let is_name = |at: &usize| !typed[..*at].contains('/');
        let (name, path) = typed.split_at(typed.find('=').filter(is_name).map_or(0, |at| at + 1));
        let files = PathCompleter::any().complete(OsStr::new(path)).into_iter();
        files.map(|file| file.add_prefix(name)).collect()
    })
}

/// The verbs.
pub(super) fn verbs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        Cli::command()
            .get_subcommands()
            .map(|verb| verb.get_name().into())
            .collect()
    })
}

/// The bots of the run that is named on the command line.
pub(super) fn bots() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let bots = run().map(|(_, plan)| plan.bots).unwrap_or_default();
        bots.into_iter()
            .map(|bot| CompletionCandidate::new(bot.name))
            .collect()
    })
}

/// The same, or files where no run is named.
pub(super) fn bots_or_files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        if run().is_none() {
            return PathCompleter::any().complete(typed);
        }
        let mut bots = bots().candidates();
        bots.retain(|bot| {
            bot.get_value()
                .to_string_lossy()
                .starts_with(&*typed.to_string_lossy())
        });
        bots
    })
}

/// The beginnings of anchors, as in `NAME=1500`.
pub(super) fn anchors() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let bots = run().map(|(_, plan)| plan.bots).unwrap_or_default();
        bots.into_iter()
            .map(|bot| CompletionCandidate::new(bot.name + "="))
            .collect()
    })
}

/// The seats of the game that is named on the command line, with the bots that sat there.
pub(super) fn seats() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let record = || {
            let number = typed("number").or_else(|| typed("game"))?;
            let records = store::named_file(&run()?.0, store::RECORDS).ok()?;
            store::pick_records(&records, &BTreeSet::from([number]))
                .ok()?
                .pop()
        };
        let bots = record().map(|record| record.bots).unwrap_or_default();
        bots.iter()
            .enumerate()
            .map(|(seat, bot)| candidate(&seat.to_string(), bot))
            .collect()
    })
}

/// The run directory that is named on the command line, of several the first, and its plan.
fn run() -> Option<(PathBuf, Plan)> {
    let run: PathBuf = typed("run").or_else(|| typed("files"))?;
    let files = store::read_run_files(&run, &Games::standard()).ok()?;
    Some((run, files.plan.plan))
}

/// What is typed so far for an argument of the verb; the script hands the words on behind `--`.
fn typed<T: Any + Clone + Send + Sync>(argument: &str) -> Option<T> {
    let words = env::args_os().skip_while(|word| word != "--").skip(1);
    let (_, verb) = Cli::command()
        .ignore_errors(true)
        .try_get_matches_from(words)
        .ok()?
        .remove_subcommand()?;
    verb.try_get_one(argument).ok()?.cloned()
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.to_owned().into()))
}
