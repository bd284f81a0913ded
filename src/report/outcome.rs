//! The final text of a run in a terminal: the answer first, then the tables, and how much was
//! played.

use std::path::Path;

use super::RunReport;
use super::facts::{extent, warnings};
use crate::plan::{Plan, PlannedGame};
use crate::standings::{Game, Summary, faults};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::terminal::{section, sentence};
use arena_section::text::command_line;

/// The share of a time limit that is close to missing it.
const CLOSE: f64 = 0.8;

/// The most causes of faults to show.
const CAUSES: usize = 8;

/// The whole text. Response times are shown only on request.
pub(crate) fn text(report: &RunReport, out: &Path, screen: &Screen, with_times: bool) -> String {
    let summary = &report.summary;
    let mut text = String::new();
    for answer in &report.finding.answers {
        text += &sentence(answer, screen);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    for found in report.sections() {
        text += &(section(&found, screen, with_times) + "\n");
    }
    if !with_times {
        for line in close_calls(summary, &report.plan) {
            text += &(screen.paint(Tone::Open, screen.prose(&line)) + "\n");
        }
    }
    text + &causes(summary, screen) + &end(report, out, screen)
}

/// The causes of faults, a line each.
fn causes(summary: &Summary, screen: &Screen) -> String {
    let mut text = String::new();
    for cause in summary.fault_causes.iter().take(CAUSES) {
        text += &(screen.paint(Tone::Bad, screen.prose(&faults::cause_line(cause))) + "\n");
    }
    let more = summary.fault_causes.len().saturating_sub(CAUSES);
    if more > 0 {
        let more = format!("{more} further causes of faults: see the page");
        text += &(screen.prose(&more) + "\n");
    }
    text
}

/// The extent of the run, its folder, and the command that continues an unfinished one.
fn end(report: &RunReport, out: &Path, screen: &Screen) -> String {
    let summary = &report.summary;
    let extent = extent(report).join(", ");
    let mut text = String::new();
    for warning in warnings(report) {
        text += &(screen.paint(Tone::Open, screen.prose(&warning)) + "\n");
    }
    text += &(screen.prose(&format!("{extent}, files in {}", out.display())) + "\n");
    if !summary.run.finished && !report.is_played {
        let out = command_line(&[out.display().to_string()]);
        // The original command may name fewer games.
        let more = if summary.run.extended {
            ", and as many games as it was extended to"
        } else {
            ""
        };
        let how = format!("to continue: the run's command with --resume --out {out}{more}");
        text += &(screen.prose(&how) + "\n");
    }
    text
}

/// Bots whose longest answer came close to their limit, a line for each game. Answers over the
/// limit are faults.
fn close_calls(summary: &Summary, plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    for game in &summary.games {
        if let Some(planned) = plan.games.iter().find(|planned| planned.id == game.game) {
            lines.extend(close_call(game, planned));
        }
    }
    lines
}

fn close_call(game: &Game, planned: &PlannedGame) -> Option<String> {
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
                    "{} ({:.0} of {limit:.0} ms in {which} turns)",
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

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;
    use crate::study::sweep::tests::found_so_far;

    #[test]
    fn only_what_was_decided_is_called_so() {
        let mut report = report("x");
        let run = &mut report.summary.run;
        (run.games_unused, run.games_aborted) = (4, 0);
        report.summary.games_played = 20;
        let over = report.finding;
        report.finding = found_so_far("x");
        let dropped = "4 more games were started before their variant was dropped";
        assert_eq!(warnings(&report), [format!("{dropped}, and do not count")]);
        report.summary.run.finished = true;
        report.finding = over;
        let over = format!("{dropped} or the race was over, and do not count");
        assert_eq!(warnings(&report), [over]);
        assert_eq!(extent(&report)[0], "20 games");
    }
}
