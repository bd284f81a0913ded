//! `arena check`.

mod subject;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

pub(super) use self::subject::CheckArgs;
use self::subject::Subject;
use super::contest::NamedGame;
use super::exit;
use super::failure::{Result, UsageError};
use super::output::{say, show};
use super::supervised::supervised;
use crate::check::referee::{RefereeCheck, RefereeProblem};
use crate::check::{self, BotProblem, Check, CheckError, Checked, TopicOutcome};
use crate::plan::DEFAULT_MEMORY_MB;
use crate::play::{Abort, probe};
use crate::store::io_error;
use arena_games::Games;
use arena_process::{Launcher, Mode};
use arena_section::text::{command_line, harmless, word};

/// The width of the column of outcomes.
const WIDTH: usize = 13;

pub(super) fn check(args: &CheckArgs, games: &Games) -> Result<u8> {
    let mut subject = match &args.game {
        Some(game) => Subject::of_arguments(args, game, games)?,
        None => Subject::of_config(args, games)?,
    };
    let Some(bot) = subject.bot.clone() else {
        return check_referee(args, subject, games);
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
                if let Err(error) = save(args, &check, &mut checks) {
                    say(&format!("warning: {:#}", anyhow::Error::new(error)));
                }
                let explain = |checked: &Checked<BotProblem>, problem: &BotProblem| {
                    explain(&subject, checked, problem)
                };
                let game = &subject.game;
                finish(game, &title, &bot.command, &checks, explain)
            }
            Err(CheckError::Abort(Abort::Interrupted)) => Err(supervised.interrupted()),
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
    if let Some(ended) = &problem.ended {
        let _ = write!(what, " ({ended})");
    }
    let mut lines = vec![what];
    if let Some(hint) = &problem.hint {
        lines.push(format!("hint: {hint}"));
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

/// Checks an external referee.
fn check_referee(args: &CheckArgs, mut subject: Subject, games: &Games) -> Result<u8> {
    let game = &mut subject.game;
    let id = &game.spec.id;
    let Some(referee) = &mut game.referee else {
        return Err(UsageError::OwnReferee(id.clone()).into());
    };
    referee.read.extend(args.sandbox.read.iter().cloned());
    let command = referee.command.clone();
    supervised(subject.sandbox, subject.memory_mb, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        game.settle(games, supervised)?;
        let mut alone = game.clone();
        if let Some(referee) = &mut alone.referee {
            referee.reuse = Some(false);
        }
        let check = RefereeCheck {
            alone: alone.ready(supervised)?,
            usual: game.ready(supervised)?,
            answers: args.answers.clone(),
            seeds: args.seeds,
        };
        supervised.sandbox.close();
        let (title, checks) = check.run();
        if supervised.signal_code() != exit::OK {
            return Err(supervised.interrupted());
        }
        let title = game.title(title);
        finish(game, &title, &command, &checks, |_, problem| {
            explain_referee(problem)
        })
    })
}

/// Says what happened, and what to try.
fn explain_referee(RefereeProblem { what, hint }: &RefereeProblem) -> Vec<String> {
    let (first, rest) = what.split_once('\n').unwrap_or((what, ""));
    let mut lines = vec![harmless(first)];
    lines.extend(quoted_lines(rest));
    lines.push(format!("hint: {hint}"));
    lines
}

/// What was checked, for programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct Checks<'c, F> {
    /// Whether the bot or referee is ready to play.
    ok: bool,
    /// What was checked, in this order.
    checks: &'c [Checked<F>],
}

/// Shows what was checked, and returns the exit status. `explain` returns the lines below a
/// problem.
fn finish<F: Serialize>(
    game: &NamedGame,
    title: &str,
    command: &[String],
    checks: &[Checked<F>],
    explain: impl Fn(&Checked<F>, &F) -> Vec<String>,
) -> Result<u8> {
    let has = |is: fn(&TopicOutcome<F>) -> bool| checks.iter().any(|checked| is(&checked.outcome));
    let (code, verdict) = if has(|outcome| matches!(outcome, TopicOutcome::Failed(_))) {
        (exit::CHECK_FAILED, "not ready to play")
    } else if has(|outcome| matches!(outcome, TopicOutcome::NotChecked(_))) {
        (exit::ABORTED_GAMES, "not checked: give --answer")
    } else {
        (exit::OK, "ready to play")
    };
    let ok = code == exit::OK;
    show(code, &Checks { ok, checks }, || {
        let mut text = format!("{title}: {}\n", command_line(command));
        if let Some(referee) = &game.referee
            && let Some(league) = referee.league_in_words()
        {
            text.extend([league.as_str(), "\n"]);
        }
        text.push('\n');
        for checked in checks {
            let (word, detail, problem) = match &checked.outcome {
                TopicOutcome::Ok { detail } => ("ok", detail.as_str(), None),
                TopicOutcome::Warning(problem) => ("warning", "", Some(problem)),
                TopicOutcome::Failed(problem) => ("FAILED", "", Some(problem)),
                TopicOutcome::NotChecked(problem) => ("not checked", "", Some(problem)),
                TopicOutcome::NotReached => ("not reached", "", None),
            };
            let _ = write!(text, "{word:WIDTH$}{}", checked.title);
            if !detail.is_empty() {
                let _ = write!(text, " ({detail})");
            }
            text.push('\n');
            let lines = problem.map(|problem| explain(checked, problem));
            for line in lines.unwrap_or_default() {
                let _ = writeln!(text, "{:WIDTH$}{line}", "");
            }
        }
        let _ = writeln!(text, "\n{verdict}");
        text
    })
}

/// Lines that a program wrote.
fn quoted_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| format!("| {}", harmless(line)))
}
