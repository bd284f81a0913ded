//! Facts about a run as a whole: how much was played, and reasons to doubt its numbers.

use super::RunReport;
use arena_section::words::{count, duration};

/// The games, the bots and the time of a run; phrases for a line.
pub(super) fn extent(report: &RunReport) -> Vec<String> {
    let summary = &report.summary;
    let run = &summary.run;
    let played = if run.finished || summary.games_played == run.games_planned {
        count(summary.games_played, "game", "games")
    } else {
        format!("{} of {} games", summary.games_played, run.games_planned)
    };
    let mut parts = vec![played, count(report.plan.bots.len() as u64, "bot", "bots")];
    if let Some(rate) = run.games_per_second {
        parts.push(match run.seconds {
            Some(seconds) => format!("{} at {rate:.1} games/s", duration(seconds)),
            None => format!("{rate:.1} games/s"),
        });
    }
    parts
}

/// Reasons to doubt all numbers of the run; sentences without a full stop.
pub(super) fn warnings(report: &RunReport) -> Vec<String> {
    let mut warnings = Vec::from_iter(aborted(report));
    warnings.extend(routine(report));
    warnings
}

/// The games that have no result.
pub(super) fn aborted(report: &RunReport) -> Option<String> {
    let aborted = report.summary.run.games_aborted;
    let verb = match aborted {
        0 => return None,
        1 => "has",
        _ => "have",
    };
    let games = count(aborted, "game", "games");
    Some(format!(
        "{games} could not be played and {verb} no result; --resume tries again"
    ))
}

/// What happens in sound runs, too: games that were replayed or don't count.
pub(super) fn routine(report: &RunReport) -> Vec<String> {
    let run = &report.summary.run;
    let mut warnings = Vec::new();
    if run.games_voided > 0 {
        let times = count(run.games_voided, "time", "times");
        warnings.push(match &run.first_replay {
            None => format!(
                "{times} a game was replayed because the host was overloaded; no game is replayed more than twice for that, and a timeout in its second replay counts"
            ),
            Some(why) => format!("{times} a game was replayed, through no fault of a bot: {why}"),
        });
    }
    if run.games_unused > 0 {
        let games = count(run.games_unused, "more game was", "more games were");
        let why = &report.finding.unused;
        let verb = if run.games_unused == 1 { "does" } else { "do" };
        warnings.push(format!("{games} {why}, and {verb} not count"));
    }
    warnings
}
