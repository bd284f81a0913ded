//! `arena check`.

mod referee;
mod show;
mod subject;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use self::show::{quoted_lines, show};
pub(super) use self::subject::CheckArgs;
use self::subject::Subject;
use super::failure::Result;
use super::supervised::supervised;
use crate::check::{self, BotProblem, Check, CheckError, Checked, TopicOutcome};
use crate::plan::DEFAULT_MEMORY_MB;
use crate::play::{Abort, probe};
use crate::store::io_error;
use arena_games::Games;
use arena_process::{Launcher, Mode};
use arena_section::text::{command_line, word};

pub(super) fn check(args: &CheckArgs, games: &Games) -> Result<u8> {
    let mut subject = match &args.game {
        Some(game) => Subject::of_arguments(args, game, games)?,
        None => Subject::of_config(args, games)?,
    };
    let Some(bot) = subject.bot.clone() else {
        return referee::check(args, subject, games);
    };
    supervised(subject.sandbox, subject.memory_mb, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        subject.build(supervised)?;
        subject.game.settle(games, supervised)?;
        let launch = supervised.ready(&subject.languages, &bot)?;
        let launcher = Launcher::new(&supervised.sandbox, launch);
        let spec = subject.game.ready(supervised)?;
        let first = probe::first_question(&spec)?;
        let title = subject.game.title(first.title);
        supervised.sandbox.close();
        let check = Check {
            clock: subject.clock,
            launcher,
            spec,
            is_foreign: subject.game.referee.is_some(),
            seeds: args.seeds,
            interrupt: Arc::clone(&supervised.control.kill),
        };
        match check::check(&check) {
            Ok(mut checks) => {
                save(args, &check, &mut checks)?;
                let explain = |checked: &Checked<BotProblem>, problem: &BotProblem| {
                    explain(&subject, checked, problem)
                };
                let game = &subject.game;
                show(args, game, &title, &bot.command, &checks, explain)
            }
            Err(CheckError::Abort(Abort::Interrupted)) => Ok(supervised.signal_code()),
            Err(error) => Err(error.into()),
        }
    })
}

/// Saves the input that led to each problem: that of the turn, and that of the game so far.
fn save(args: &CheckArgs, check: &Check, checks: &mut [Checked<BotProblem>]) -> Result<()> {
    let default = PathBuf::from(format!("check-{}", check.spec.id));
    let folder = args.out.as_ref().unwrap_or(&default);
    for checked in checks {
        let (TopicOutcome::Failed(problem) | TopicOutcome::Warning(problem)) = &checked.outcome
        else {
            continue;
        };
        fs::create_dir_all(folder).map_err(io_error("create", folder))?;
        for (what, text) in [("turn", &problem.input), ("game", &problem.inputs)] {
            let path = folder.join(format!("{}.{what}.txt", checked.check));
            fs::write(&path, text).map_err(io_error("write", &path))?;
            checked.files.push(path);
        }
    }
    Ok(())
}

/// Says what happened, what to try, and how to see it again.
fn explain(subject: &Subject, checked: &Checked<BotProblem>, problem: &BotProblem) -> Vec<String> {
    let (seed, seat, turn) = (problem.seed, problem.seat, problem.turn);
    let mut what = format!("seed {seed}, seat {seat}, turn {turn}: {}", problem.what);
    if let Some(exit) = &problem.exit {
        let _ = write!(what, " ({exit})");
    }
    let mut lines = vec![what];
    if !problem.hint.is_empty() {
        lines.push(format!("hint: {}", problem.hint));
    }
    if let [turn, game] = &checked.files[..] {
        let again = again(subject, seed);
        lines.push(format!("the input of that turn: {}", turn.display()));
        let game = word(game.display());
        lines.push(format!("to see it again: {again} < {game}"));
    }
    if !problem.stderr_tail.is_empty() {
        lines.push("the end of its standard error:".to_owned());
        lines.extend(quoted_lines(&problem.stderr_tail));
    }
    lines
}

/// The command that starts the bot again, in the same sandbox.
fn again(subject: &Subject, seed: i64) -> String {
    let mut start = format!("arena start --seed {seed}");
    if subject.sandbox != Mode::default() {
        let _ = write!(start, " --sandbox {}", subject.sandbox);
    }
    for path in subject.bot.iter().flat_map(|bot| &bot.read) {
        start += " --read ";
        start += &word(path.display());
    }
    if subject.memory_mb != DEFAULT_MEMORY_MB {
        let _ = write!(start, " --set limits.memory_mb={}", subject.memory_mb);
    }
    start + " -- " + &command_line(&subject.words)
}
