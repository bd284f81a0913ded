//! `arena check`.

mod referee;
mod subject;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;
use serde_json::json;

use self::subject::Subject;
use super::contest::NamedGame;
use super::exit;
use super::supervised::supervised;
use super::{CheckArgs, Failure, print, print_data};
use crate::check::{self, BotProblem, Check, CheckError, Checked, TopicOutcome};
use crate::plan::DEFAULT_MEMORY_MB;
use crate::play::Abort;
use crate::play::foreign::Referee;
use crate::play::probe;
use arena_games::Games;
use arena_process::{Launcher, Mode};
use arena_section::text::{command_line, harmless, word};

/// The width of the column of outcomes.
const WIDTH: usize = 13;

pub(super) fn check(args: &CheckArgs, games: &Games) -> Result<u8, Failure> {
    let mut subject = Subject::new(args, games)?;
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
        let first = probe::first_question(&spec).map_err(Failure::input)?;
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
                save(args, &check, &mut checks).map_err(Failure::internal)?;
                show(
                    args,
                    &subject.game,
                    &title,
                    &bot.command,
                    &checks,
                    |checked, problem| explain(&subject, checked, problem),
                )
            }
            Err(CheckError::Abort(Abort::Interrupted)) => Ok(supervised.signal_code()),
            Err(error @ CheckError::Start(_)) => Err(Failure::input(error)),
            Err(error @ (CheckError::Overloaded | CheckError::Abort(_))) => {
                Err(Failure::new(exit::ABORTED_GAMES, error))
            }
            Err(error) => Err(Failure::internal(error)),
        }
    })
}

/// Saves the input that led to each problem: that of the turn, and that of the game so far.
fn save(args: &CheckArgs, check: &Check, checks: &mut [Checked<BotProblem>]) -> anyhow::Result<()> {
    let default = PathBuf::from(format!("check-{}", check.spec.id));
    let folder = args.out.as_ref().unwrap_or(&default);
    for checked in checks {
        let (TopicOutcome::Failed(problem) | TopicOutcome::Warning(problem)) = &checked.outcome
        else {
            continue;
        };
        fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
        for (what, text) in [("turn", &problem.input), ("game", &problem.inputs)] {
            let path = folder.join(format!("{}.{what}.txt", checked.check));
            fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
            checked.files.push(path);
        }
    }
    Ok(())
}

/// Prints what was checked, as JSON or as text, and returns the exit status. `explain` returns the
/// lines below a problem.
fn show<F: Serialize>(
    args: &CheckArgs,
    game: &NamedGame,
    title: &str,
    command: &[String],
    checks: &[Checked<F>],
    explain: impl Fn(&Checked<F>, &F) -> Vec<String>,
) -> Result<u8, Failure> {
    let (mut code, mut verdict) = (exit::OK, "ready to play");
    for checked in checks {
        match checked.outcome {
            TopicOutcome::Failed(_) => {
                (code, verdict) = (exit::CHECK_FAILED, "not ready to play");
                break;
            }
            TopicOutcome::NotChecked(_) => {
                (code, verdict) = (exit::ABORTED_GAMES, "not checked: give --answer");
            }
            _ => {}
        }
    }
    let is_ok = code == exit::OK;
    if args.json {
        print_data(format!("{:#}\n", json!({ "ok": is_ok, "checks": checks })))?;
    } else {
        let mut text = format!("{title}: {}\n", command_line(command));
        let league = game.referee.as_ref().and_then(Referee::league_in_words);
        text.extend(league.map(|league| format!("{league}\n")));
        text.push('\n');
        for checked in checks {
            let (word, problem) = match &checked.outcome {
                TopicOutcome::Ok { .. } => ("ok", None),
                TopicOutcome::Warning(problem) => ("warning", Some(problem)),
                TopicOutcome::Failed(problem) => ("FAILED", Some(problem)),
                TopicOutcome::NotChecked(problem) => ("not checked", Some(problem)),
                TopicOutcome::NotReached => ("not reached", None),
            };
            let _ = write!(text, "{word:WIDTH$}{}", checked.title);
            if let TopicOutcome::Ok { detail } = &checked.outcome
                && !detail.is_empty()
            {
                let _ = write!(text, " ({detail})");
            }
            text.push('\n');
            let lines = problem.map(|problem| explain(checked, problem));
            for line in lines.unwrap_or_default() {
                let _ = writeln!(text, "{:WIDTH$}{line}", "");
            }
        }
        let _ = writeln!(text, "\n{verdict}");
        print(text)?;
    }
    Ok(code)
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

/// Lines that a program wrote.
fn quoted_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| format!("| {}", harmless(line)))
}
