//! `arena check` without a bot: a referee that is a program of its own.

use std::sync::Arc;

use anyhow::anyhow;
use serde_json::{Value, json};

use super::{first_and_last, told, verdict};
use crate::check::Report;
use crate::check::referee::{Advice, RefereeCheck, RefereeTopic};
use crate::cli::contest::NamedGame;
use crate::cli::supervised::{Supervised, supervised};
use crate::cli::{CheckArgs, Failure, print};
use crate::exit;
use crate::foreign::Referee;
use crate::text::{command_line, harmless};
use arena_games::{GameSpec, MAX_SEATS};
use arena_process::languages::Languages;

/// The longest that a referee is waited for where silence may well be its answer, in milliseconds.
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
        let report = check.report();
        match supervised.signal_code() {
            exit::OK => {}
            interrupted => return Ok(interrupted),
        }
        print(if args.json {
            as_json(&report)
        } else {
            as_text(&report, &game.spec, &referee)
        })?;
        Ok(if report.is_ok() {
            exit::OK
        } else {
            exit::CHECK_FAILED
        })
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
    let with_reuse = |reuse: bool| Referee {
        reuse: Some(reuse),
        ..referee.clone()
    };
    let impatient = |referee: Referee| Referee {
        patience_ms: referee.patience_ms.min(SILENCE_MS),
        ..referee
    };
    let misfits = [referee.seats - 1, referee.seats + 1]
        .into_iter()
        .filter(|seats| *seats <= MAX_SEATS);
    let misfit = |seats: usize| {
        housed(impatient(Referee {
            seats,
            ..with_reuse(false)
        }))
    };
    Ok(RefereeCheck {
        alone: housed(with_reuse(false))?,
        together: housed(impatient(with_reuse(true)))?,
        usual: housed(referee.clone())?,
        misfits: misfits.map(misfit).collect::<Result<_, _>>()?,
        answers: args.answers.clone(),
        seeds: args.seeds,
    })
}

fn as_json(report: &Report<RefereeTopic, Advice>) -> String {
    let check = |(topic, outcome)| json!({ "check": topic, "result": outcome });
    let checks: Vec<Value> = report
        .outcomes
        .iter()
        .map(|(topic, outcome)| check((topic, outcome)))
        .collect();
    format!("{:#}\n", json!({ "ok": report.is_ok(), "checks": checks }))
}

fn as_text(
    report: &Report<RefereeTopic, Advice>,
    spec: &Arc<GameSpec>,
    referee: &Referee,
) -> String {
    let mut text = format!("{}: {}\n\n", spec.title, command_line(&referee.command));
    for (topic, outcome) in &report.outcomes {
        text += &told(title(*topic), outcome, explain);
    }
    text + verdict(report)
}

/// The lines below a topic: what happened, and what to try.
fn explain(Advice { what, hint }: &Advice) -> Vec<String> {
    let all: Vec<&str> = what.lines().collect();
    let (first, rest) = all.split_first().unwrap_or((&"", &[]));
    [harmless(first)]
        .into_iter()
        .chain(first_and_last(rest))
        .chain([format!("hint: {hint}")])
        .collect()
}

fn title(topic: RefereeTopic) -> &'static str {
    match topic {
        RefereeTopic::Starts => "starts, and comes to a question",
        RefereeTopic::FullGames => "plays games to their end",
        RefereeTopic::Questions => "asks for what can be answered",
        RefereeTopic::Actions => "lists legal actions",
        RefereeTopic::Seed => "plays the same game on the same seed",
        RefereeTopic::OtherSeeds => "plays another game on another seed",
        RefereeTopic::Reuse => "plays game after game in one process",
        RefereeTopic::NoAnswer => "goes on or ends where a seat gives no answer",
        RefereeTopic::NoAction => "tells of answers that are no action",
        RefereeTopic::Seats => "other numbers of seats",
        RefereeTopic::Frame => "shows positions",
        RefereeTopic::Speed => "is fast",
    }
}
