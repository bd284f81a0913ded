//! `arena check` without a bot checks an external referee.

use super::show::{quoted_lines, show};
use super::subject::{CheckArgs, Subject};
use crate::check::referee::{RefereeCheck, RefereeProblem};
use crate::cli::exit;
use crate::cli::failure::{Result, UsageError};
use crate::cli::supervised::supervised;
use arena_games::Games;
use arena_section::text::harmless;

pub(super) fn check(args: &CheckArgs, mut subject: Subject, games: &Games) -> Result<u8> {
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
            return Ok(supervised.signal_code());
        }
        let title = game.title(title);
        show(args, game, &title, &command, &checks, |_, problem| {
            explain(problem)
        })
    })
}

/// Says what happened, and what to try.
fn explain(RefereeProblem { what, hint }: &RefereeProblem) -> Vec<String> {
    let (first, rest) = what.split_once('\n').unwrap_or((what, ""));
    let mut lines = vec![harmless(first)];
    lines.extend(quoted_lines(rest));
    lines.push(format!("hint: {hint}"));
    lines
}
