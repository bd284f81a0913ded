//! `arena check` without a bot checks an external referee.

use anyhow::anyhow;

use super::subject::Subject;
use super::{quoted_lines, show};
use crate::check::referee::{RefereeCheck, RefereeProblem};
use crate::cli::contest::NamedGame;
use crate::cli::exit;
use crate::cli::supervised::supervised;
use crate::cli::{CheckArgs, Failure};
use arena_section::text::harmless;

pub(super) fn check(args: &CheckArgs, subject: &Subject) -> Result<u8, Failure> {
    let game = &subject.game;
    let id = &game.spec.id;
    let Some(referee) = &game.referee else {
        return Err(Failure::usage(anyhow!(
            "can't check the referee of {id}: it is a part of arena; name a bot, or the file of an external referee\n\
             hint: arena check {id} ./bot"
        )));
    };
    let mut usual = referee.clone();
    usual.read.extend(args.sandbox.read.iter().cloned());
    let mut alone = usual.clone();
    alone.reuse = Some(false);
    supervised(subject.sandbox, subject.memory_mb, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        let check = RefereeCheck {
            alone: NamedGame::foreign(id, alone).ready(supervised)?,
            usual: NamedGame::foreign(id, usual).ready(supervised)?,
            answers: args.answers.clone(),
            seeds: args.seeds,
        };
        supervised.sandbox.close();
        let (title, checks) = check.run();
        if supervised.signal_code() != exit::OK {
            return Ok(supervised.signal_code());
        }
        let title = game.title(title);
        show(
            args,
            game,
            &title,
            &referee.command,
            &checks,
            |_, problem| explain(problem),
        )
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
