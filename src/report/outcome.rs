//! What a terminal shows of a run that has ended: the answer first, then the tables, and how much was played.

use std::fmt::Write as _;
use std::path::Path;

use super::screen::{Ink, Screen};
use super::{command_line, faults, standings, sweep, tune, verdict, workers};
use crate::plan::{Plan, PlannedGame};
use crate::summary::{GameSummary, Summary};

/// A bot that took this share of a time limit is close to missing it.
const CLOSE: f64 = 0.8;

/// So many causes of faults are told.
const CAUSES: usize = 8;

/// All of it. Response times are shown only on request.
pub(crate) fn text(
    summary: &Summary,
    plan: &Plan,
    out: &Path,
    screen: &Screen,
    with_times: bool,
) -> String {
    let mut text = String::new();
    for (ink, answer) in verdict::answers(summary) {
        text += &(screen.paint(ink, screen.prose(&answer)) + "\n");
    }
    text.extend((!text.is_empty()).then_some('\n'));
    let games = summary.games.iter().filter(|_| summary.tune.is_none());
    text.extend(games.map(|game| standings::text(game, screen, with_times) + "\n"));
    if let Some(test) = &summary.sprt {
        text += &(screen.prose(&verdict::report(test).join("\n  ")) + "\n\n");
    }
    text.extend(
        summary
            .sweep
            .iter()
            .map(|swept| sweep::text(swept, screen) + "\n"),
    );
    text.extend(
        summary
            .tune
            .iter()
            .map(|tuned| tune::text(tuned, screen) + "\n"),
    );
    text += &workers::text(&summary.workers, screen, with_times);
    if with_times {
        let gains = summary.sweep.as_ref().and_then(sweep::gains);
        text.extend(gains.map(|line| screen.prose(&line) + "\n"));
    } else {
        let close = close_calls(summary, plan);
        text.extend(
            close
                .iter()
                .map(|line| screen.paint(Ink::Open, screen.prose(line)) + "\n"),
        );
    }
    for cause in summary.fault_causes.iter().take(CAUSES) {
        text += &(screen.paint(Ink::Bad, screen.prose(&faults::cause_line(cause))) + "\n");
    }
    let more = summary.fault_causes.len().saturating_sub(CAUSES);
    text.extend(
        (more > 0).then(|| {
            screen.prose(&format!("{more} further causes of faults: see the page")) + "\n"
        }),
    );
    let extent = format!("{}, files in {}", extent(summary).join(", "), out.display());
    let _ = writeln!(text, "{}", screen.prose(&extent));
    if !summary.run.finished {
        let out = command_line(&[out.display().to_string()]);
        // The command that the run was begun with may name fewer.
        let more = if summary.run.extended {
            ", and as many games as it was extended to"
        } else {
            ""
        };
        let how = format!("to go on: the run's command with --resume --out {out}{more}");
        let _ = writeln!(text, "{}", screen.prose(&how));
    }
    text
}

/// The bots whose longest answer came close to their limit but not over it, which is told as a fault, a line for each game that has one.
fn close_calls(summary: &Summary, plan: &Plan) -> Vec<String> {
    let planned = |game: &GameSummary| plan.games.iter().find(|planned| planned.id == game.game);
    let line = |game: &GameSummary| close_call(game, planned(game)?);
    summary.games.iter().filter_map(line).collect()
}

fn close_call(game: &GameSummary, planned: &PlannedGame) -> Option<String> {
    let mut close = Vec::new();
    for bot in &game.bots {
        for (times, is_first, which) in [
            (bot.first_turn, true, "first"),
            (bot.later_turns, false, "later"),
        ] {
            let Some(limit) = planned.clock.fixed(is_first) else {
                continue;
            };
            let limit = 1000.0 * limit.as_secs_f64();
            if let Some(times) = times.filter(|times| (CLOSE * limit..limit).contains(&times.max)) {
                close.push(format!(
                    "{} {:.0} of {limit:.0} ms ({which} turns)",
                    bot.name, times.max
                ));
            }
        }
    }
    let close = (!close.is_empty()).then(|| close.join(", "))?;
    Some(format!(
        "close to the time limit in {}: {close}; --times and the page have all response times",
        game.game
    ))
}

/// How much of a run was played, and what was not; phrases for a line.
fn extent(summary: &Summary) -> Vec<String> {
    let run = &summary.run;
    let played = summary.games_played;
    let is_decided = run.finished && played < run.games_planned;
    let of_all = if is_decided {
        String::new()
    } else {
        format!(" of {}", run.games_planned)
    };
    let why = match &summary.sweep {
        None => "under way when it was decided",
        Some(swept) if swept.end.is_none() => "started before their variant was dropped",
        Some(_) => "started before their variant was dropped or the race was over",
    };
    let rate = run
        .games_per_second
        .map(|rate| format!("{rate:.1} games/s"));
    let some = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let parts = [
        Some(format!("{played}{of_all} games")),
        rate,
        some(run.games_aborted, "could not be played and have no result"),
        some(run.games_voided, "replayed because the host was overloaded"),
        some(
            run.games_unused,
            &format!("more were {why}, and do not count"),
        ),
    ];
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;
    use arena_stats::race::End;

    #[test]
    fn only_what_was_decided_is_called_so() {
        let mut summary = report("x").summary;
        (
            summary.run.games_unused,
            summary.run.games_aborted,
            summary.games_played,
        ) = (4, 0, 20);
        let unused = |summary: &Summary| extent(summary)[2..].join(", ");
        let swept = summary.sweep.as_mut().unwrap();
        swept.end = None;
        let dropped = "4 more were started before their variant was dropped";
        assert_eq!(unused(&summary), format!("{dropped}, and do not count"));
        summary.run.finished = true;
        summary.sweep.as_mut().unwrap().end = Some(End::One);
        assert_eq!(
            unused(&summary),
            format!("{dropped} or the race was over, and do not count")
        );
        summary.sweep = None;
        assert_eq!(
            unused(&summary),
            "4 more were under way when it was decided, and do not count"
        );
        assert_eq!(extent(&summary)[0], "20 games");
    }
}
