//! Words and numbers that several reports share.

use std::time::Duration;

use super::RunReport;
use super::verdict::no_verdict;
use crate::summary::Summary;
use arena_stats::sprt::{Hypotheses, Model};

/// Lines below what they belong to.
pub(crate) fn indented(lines: &[String]) -> String {
    lines.iter().flat_map(|line| ["  ", line, "\n"]).collect()
}

/// A share with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A likelihood of superiority: one that is nearly certain must not become certain.
pub(crate) fn likelihood(los: f64) -> String {
    match los {
        los if los > 0.999 => ">99.9%".to_owned(),
        los if los < 0.001 => "<0.1%".to_owned(),
        los => percent(los),
    }
}

/// A probability with four decimals.
pub(super) fn probability(p: f64) -> String {
    if p < 0.0001 {
        "<0.0001".to_owned()
    } else {
        format!("{p:.4}")
    }
}

/// Something counted, in words.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A number of seats in a word.
pub(super) fn in_words(seats: usize) -> String {
    let words = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight",
    ];
    words
        .get(seats)
        .map_or_else(|| seats.to_string(), |word| (*word).to_owned())
}

/// How so many different bots fill the seats of a table in the games of a unit, to stand behind a number of games; nothing
/// where two bots can only swap theirs.
pub(crate) fn seating(seats: usize, bots: usize, games_per_unit: u32) -> String {
    match (seats, bots, games_per_unit) {
        (0..=2, ..) => String::new(),
        (_, 2, 2) if !seats.is_multiple_of(2) => {
            ", two bots that share the seats, mirrored".to_owned()
        }
        (_, 2, 2) => format!(
            ", two bots with {} seats each, mirrored",
            in_words(seats / 2)
        ),
        (_, 2, _) => format!(
            ", one bot against {} seats of another in all rotations",
            in_words(seats - 1)
        ),
        _ => format!(", groups of {} bots in all rotations", in_words(bots)),
    }
}

/// A time limit of a turn.
pub(crate) fn limit(limit: Duration) -> String {
    match limit.as_millis() {
        0 => "as the referee says".to_owned(),
        ms => format!("{ms} ms"),
    }
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

/// Elo with its sign, to one or two decimals; zero is never negative.
pub(crate) fn signed(elo: f64, decimals: usize) -> String {
    let scale = if decimals == 2 { 100.0 } else { 10.0 };
    format!("{:+.decimals$}", (elo * scale).round() / scale + 0.0)
}

/// A number at a line of a chart, with its sign.
pub(super) fn level(value: f64, decimals: usize) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:+.decimals$}")
    }
}

/// A round number of Elo, such as a bound of a sequential test.
pub(crate) fn bound(elo: f64) -> String {
    if elo == 0.0 {
        "0".to_owned()
    } else {
        format!("{elo:+}")
    }
}

/// The Elo that the bounds of a test are in.
pub(crate) fn model(hypotheses: &Hypotheses) -> &'static str {
    match hypotheses.model {
        Model::Logistic => "Elo",
        Model::Normalized => "normalized Elo",
    }
}

/// An interval of Elo.
pub(super) fn interval(ends: [f64; 2]) -> String {
    let [lo, hi] = ends.map(|end| {
        if end.is_finite() {
            signed(end, 1)
        } else {
            "no limit".to_owned()
        }
    });
    format!("[{lo}, {hi}]")
}

/// Elo with both ends; a bot that won or lost everything has only one.
pub(super) fn estimate([elo, lo, hi]: [f64; 3]) -> String {
    match elo {
        f64::INFINITY => format!("more than {} Elo, won everything", signed(lo, 1)),
        f64::NEG_INFINITY => format!("less than {} Elo, lost everything", signed(hi, 1)),
        _ => format!("{} Elo {}", signed(elo, 1), interval([lo, hi])),
    }
}

/// A number to four decimals, which is more than any of them means (`summary.json` has them all); nothing where it is
/// not finite, as `null` in JSON.
pub(super) fn decimal(value: f64) -> String {
    // Adding 0 turns a negative zero into a plain one.
    if value.is_finite() {
        ((value * 1e4).round() / 1e4 + 0.0).to_string()
    } else {
        String::new()
    }
}

/// How many games and bots there were, and how long it took; phrases for a line.
pub(super) fn extent(report: &RunReport) -> Vec<String> {
    let summary = &report.summary;
    let run = &summary.run;
    let played = if run.finished || summary.games_played == run.games_planned {
        count(summary.games_played, "game", "games")
    } else {
        format!("{} of {} games", summary.games_played, run.games_planned)
    };
    let mut parts = vec![played, count(report.plan.bots.len() as u64, "bot", "bots")];
    if run.slice != "1/1" {
        parts.push(format!("slice {}", run.slice));
    }
    if let Some(rate) = run.games_per_second {
        parts.push(match run.seconds {
            Some(seconds) => format!("{} at {rate:.1} games/s", duration(seconds)),
            None => format!("{rate:.1} games/s"),
        });
    }
    parts
}

/// What hinders trust in all of the run's numbers; sentences without a full stop.
pub(super) fn warnings(summary: &Summary) -> Vec<String> {
    let run = &summary.run;
    let mut warnings = Vec::new();
    // A test says it itself.
    if summary.sprt.is_none() {
        warnings.extend(no_verdict(summary));
    }
    if run.games_aborted > 0 {
        let games = count(run.games_aborted, "game", "games");
        warnings.push(format!(
            "{games} could not be played and have no result; --resume tries again"
        ));
    }
    if run.games_voided > 0 {
        let times = count(run.games_voided, "time", "times");
        warnings.push(format!(
            "{times} a game was replayed because the host was overloaded"
        ));
    }
    warnings
}
