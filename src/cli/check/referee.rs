//! `arena check` without a bot: a referee that is a program of its own.

use anyhow::anyhow;
use serde_json::json;

use super::{first_and_last, told, verdict};
use crate::check::Outcome;
use crate::check::referee::{Advice, Finding, RefereeCheck};
use crate::cli::contest::NamedGame;
use crate::cli::supervised::{Supervised, supervised};
use crate::cli::{CheckArgs, Failure, print};
use crate::exit;
use crate::play::foreign::Referee;
use crate::text::{command_line, harmless};
use arena_process::languages::Languages;

/// The longest to wait for a referee that may not play a second game in one process, in milliseconds.
const SILENCE_MS: u64 = 5_000;

pub(super) fn check(args: &CheckArgs, game: &NamedGame) -> Result<u8, Failure> {
    let Some(referee) = &game.referee else {
        let id = &game.spec.id;
        return Err(Failure::usage(anyhow!(
            "name a bot, as in `arena check {id} ./bot`: the referee of {id} is a part of the arena, and checked with it. Referees that \
             are programs of their own are checked without a bot, as in `arena check FILE.toml`"
        )));
    };
    let mut referee = referee.clone();
    referee.read.extend(args.sandbox.read.iter().cloned());
    supervised(args.sandbox.sandbox, args.sandbox.memory_mb, |supervised| {
        supervised.heed_signals(None)?;
        supervised.warn();
        let check = prepared(args, &game.spec.id, &referee, supervised)?;
        supervised.sandbox.close();
        let findings = check.findings();
        match supervised.signal_code() {
            exit::OK => {}
            interrupted => return Ok(interrupted),
        }
        let is_ok = findings
            .iter()
            .all(|finding| !matches!(finding.outcome, Outcome::Failed(_)));
        print(if args.json {
            format!("{:#}\n", json!({ "ok": is_ok, "checks": findings }))
        } else {
            let command = command_line(&referee.command);
            let mut text = format!("{}: {command}\n\n", game.spec.title);
            for Finding { title, outcome, .. } in &findings {
                text += &told(title, outcome, explain);
            }
            text + verdict(is_ok)
        })?;
        Ok(if is_ok { exit::OK } else { exit::CHECK_FAILED })
    })
}

fn prepared(
    args: &CheckArgs,
    id: &str,
    referee: &Referee,
    supervised: &Supervised,
) -> Result<RefereeCheck, Failure> {
    let housed =
        |referee: Referee| NamedGame::foreign(id, referee).housed(&Languages::new(), supervised);
    Ok(RefereeCheck {
        alone: housed(Referee {
            reuse: Some(false),
            ..referee.clone()
        })?,
        together: housed(Referee {
            reuse: Some(true),
            patience_ms: referee.patience_ms.min(SILENCE_MS),
            ..referee.clone()
        })?,
        usual: housed(referee.clone())?,
        answers: args.answers.clone(),
        seeds: args.seeds,
    })
}

/// The lines below a finding: what happened, and what to try.
fn explain(Advice { what, hint }: &Advice) -> Vec<String> {
    let (first, rest) = what.split_once('\n').unwrap_or((what, ""));
    let mut lines = vec![harmless(first)];
    lines.extend(first_and_last(&rest.lines().collect::<Vec<_>>()));
    lines.push(format!("hint: {hint}"));
    lines
}
