//! Words and numbers that several reports share.

use super::RunReport;
use super::table::{elo, interval};
use crate::summary::sprt::{Obstacle, Verdict};
use crate::summary::{BotSummary, GameSummary, Summary};
use arena_stats::ratings::Mark;

/// A share with one decimal.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A likelihood of superiority: one that is nearly certain must not become certain.
pub(super) fn likelihood(los: f64) -> String {
    match los {
        los if los > 0.999 => ">99.9%".to_owned(),
        los if los < 0.001 => "<0.1%".to_owned(),
        los => percent(los),
    }
}

/// Something counted, in words.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A duration in the units that people use.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Every fault of a bot.
pub(super) fn faults_of(bot: &BotSummary) -> u64 {
    bot.faults.values().sum()
}

/// Every fault of a run.
pub(super) fn all_faults(summary: &Summary) -> u64 {
    summary.games.iter().flat_map(|game| &game.bots).map(faults_of).sum()
}

/// How many games, bots and kinds of games there were, and how long it took; phrases for a line.
pub(super) fn extent(report: &RunReport) -> Vec<String> {
    let (summary, run) = (&report.summary, &report.summary.run);
    let mut parts = Vec::new();
    parts.push(if run.finished || summary.games_played == run.games_planned {
        count(summary.games_played, "game", "games")
    } else {
        format!("{} of {} games", summary.games_played, run.games_planned)
    });
    parts.push(count(report.plan.bots.len() as u64, "bot", "bots"));
    if run.slice != "1/1" {
        parts.push(format!("slice {}", run.slice));
    }
    let rate = run.games_per_second.map(|rate| format!("{rate:.1} games/s"));
    match (run.seconds, rate) {
        (Some(seconds), Some(rate)) => parts.push(format!("{} at {rate}", duration(seconds))),
        (None, Some(rate)) => parts.push(rate),
        _ => {}
    }
    parts
}

/// What hinders trust in all of the run's numbers; sentences without a full stop.
pub(super) fn warnings(summary: &Summary) -> Vec<String> {
    let run = &summary.run;
    let mut warnings = Vec::new();
    if run.games_aborted > 0 {
        let aborted = count(run.games_aborted, "game", "games");
        warnings.push(format!("{aborted} could not be played and have no result; --resume tries again"));
    }
    if run.games_voided > 0 {
        let times = count(run.games_voided, "time", "times");
        warnings.push(format!("{times} a game was played again, the machine being too busy to be fair"));
    }
    warnings
}

/// Who is the best in a game and how sure that is, as one sentence; `None` where nothing was played.
pub(super) fn headline(game: &GameSummary) -> Option<[String; 2]> {
    let best = game.bots.first().filter(|_| game.games > 0)?;
    if best.mark == Some(Mark::Perfect) {
        return Some([best.name.clone(), " has won everything".to_owned()]);
    }
    let interval = best.lo95.map(|_| format!(", 95% interval {}", interval(best, game)));
    let likelihood = best.los_next.map(|los| format!("; stronger than the second with likelihood {}", likelihood(los)));
    let [interval, likelihood] = [interval, likelihood].map(Option::unwrap_or_default);
    Some([best.name.clone(), format!(" is first with {} Elo{interval}{likelihood}", elo(best))])
}

/// How the sequential test stands, as one sentence; `None` where there is no test, or nothing of it yet.
pub(super) fn verdict(report: &RunReport) -> Option<String> {
    let (test, llr) = (report.summary.sprt.as_ref()?, report.llr.last()?);
    let state = match test.verdict {
        Some(Verdict::Accepted) => "accepted",
        Some(Verdict::Rejected) => "rejected",
        Some(Verdict::Inconclusive) | None => "undecided",
    };
    let obstacle = match test.obstacle {
        Some(Obstacle::RepeatedUnits) => ", too many of which repeat others move for move",
        Some(Obstacle::BothFailed) => ", in most of which both bots failed",
        Some(Obstacle::MaxUnits) => ", the most that it may take",
        None => "",
    };
    let units = count(report.llr.len() as u64, "unit", "units");
    Some(format!("{state}: LLR {llr:.2} (bounds {:.2} and {:.2}) after {units}{obstacle}", test.lower, test.upper))
}

/// What else there is to say of the sequential test: the answer, what was asked, the figures and what limits them.
pub(super) fn test_lines(summary: &Summary) -> Vec<String> {
    let Some(test) = &summary.sprt else { return Vec::new() };
    let asked = format!(
        "{} bounds [{}, {}], alpha {}, beta {}, at most {} units",
        test.model, test.elo0, test.elo1, test.alpha, test.beta, test.max_units
    );
    let figures = super::verdict::report(test).into_iter().map(|line| line.trim_start().to_owned());
    super::verdict::answer(summary).into_iter().chain([asked]).chain(figures).collect()
}

#[cfg(test)]
mod tests {
    use super::super::example::report;
    use super::*;

    #[test]
    fn a_bound_that_was_reached_with_units_that_repeat_is_no_verdict() {
        let mut report = report("x");
        assert_eq!(verdict(&report).unwrap(), "accepted: LLR 3.10 (bounds -2.94 and 2.94) after 2 units");
        let test = report.summary.sprt.as_mut().unwrap();
        (test.verdict, test.obstacle) = (Some(Verdict::Inconclusive), Some(Obstacle::RepeatedUnits));
        let lines = test_lines(&report.summary);
        assert!(lines.contains(&"logistic bounds [0, 10], alpha 0.05, beta 0.05, at most 10 units".to_owned()));
        let sentence = verdict(&report).unwrap();
        assert!(sentence.starts_with("undecided: LLR 3.10") && sentence.ends_with("move for move"), "{sentence}");
    }
}
