//! `arena check` without a bot: a referee that is a program of its own.

use std::sync::Arc;

use anyhow::anyhow;
use serde_json::json;

use super::{first_and_last, told, verdict};
use crate::check::Outcome;
use crate::check::referee::{Advice, Finding, RefereeCheck};
use crate::cli::contest::NamedGame;
use crate::cli::exit;
use crate::cli::supervised::{Supervised, supervised};
use crate::cli::{CheckArgs, Failure, print};
use crate::play::foreign::Referee;
use crate::section::text::{command_line, harmless};
use arena_games::GameSpec;
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
        if supervised.signal_code() != exit::OK {
            return Ok(supervised.signal_code());
        }
        let mut outcomes = findings.iter().map(|finding| &finding.outcome);
        let is_ok = !outcomes.any(|outcome| matches!(outcome, Outcome::Failed(_)));
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
    let [mut alone, mut together, usual] = [(); 3].map(|()| referee.clone());
    alone.reuse = Some(false);
    together.reuse = Some(true);
    together.patience_ms = together.patience_ms.min(SILENCE_MS);
    Ok(RefereeCheck {
        alone: housed(id, alone, supervised)?,
        together: housed(id, together, supervised)?,
        usual: housed(id, usual, supervised)?,
        answers: args.answers.clone(),
        seeds: args.seeds,
    })
}

fn housed(id: &str, referee: Referee, supervised: &Supervised) -> Result<Arc<GameSpec>, Failure> {
    NamedGame::foreign(id, referee).housed(&Languages::new(), supervised)
}

/// The lines below a finding: what happened, and what to try.
fn explain(Advice { what, hint }: &Advice) -> Vec<String> {
    let (first, rest) = what.split_once('\n').unwrap_or((what, ""));
    let mut lines = vec![harmless(first)];
    lines.extend(first_and_last(&rest.lines().collect::<Vec<_>>()));
    lines.push(format!("hint: {hint}"));
    lines
}
