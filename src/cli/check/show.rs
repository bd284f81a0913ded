//! What `arena check` prints.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;

use super::subject::CheckArgs;
use crate::check::{Checked, TopicOutcome};
use crate::cli::contest::NamedGame;
use crate::cli::exit;
use crate::cli::failure::Result;
use crate::cli::output::{print, print_data};
use arena_section::text::{command_line, harmless};

/// The width of the column of outcomes.
const WIDTH: usize = 13;

/// Prints what was checked, as JSON or as text, and returns the exit status. `explain` returns the
/// lines below a problem.
pub(super) fn show<F: Serialize>(
    args: &CheckArgs,
    game: &NamedGame,
    title: &str,
    command: &[String],
    checks: &[Checked<F>],
    explain: impl Fn(&Checked<F>, &F) -> Vec<String>,
) -> Result<u8> {
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
        if let Some(referee) = &game.referee
            && let Some(league) = referee.league_in_words()
        {
            text.extend([league.as_str(), "\n"]);
        }
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

/// Lines that a program wrote.
pub(super) fn quoted_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(|line| format!("| {}", harmless(line)))
}
