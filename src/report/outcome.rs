//! The final text of a run in a terminal: the answer first, then the tables or, of two bots, what
//! limits the answer, and the page. Tables longer than the window have the answer below them, too.

use std::path::Path;

use super::RunReport;
use crate::plan::PlannedGame;
use crate::standings::{Game, Summary, faults, tables};
use crate::store;
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::terminal::{not_shown, section, sentence};
use arena_section::text::{harmless, word};
use arena_section::words::{count, list};

/// The share of a time limit that is close to missing it.
const CLOSE: f64 = 0.8;

/// The most causes of faults to show.
const CAUSES: usize = 8;

/// The most lines at the end of a match of two bots. The answer itself may take more.
const MATCH: usize = 6;

/// Returns the command that shows a page in a browser. On Windows, the explorer does it in every
/// shell, if the path has no slashes.
pub(crate) fn opening(page: &Path) -> String {
    let page = page.display().to_string();
    if cfg!(windows) {
        return format!("explorer {}", word(page.replace('/', "\\")));
    }
    format!("open {}", word(page))
}

/// The whole text. With `verbose`, it has all tables, also those of two bots and of response times.
pub(crate) fn text(report: &RunReport, out: &Path, screen: &Screen, verbose: bool) -> String {
    let mut answers = String::new();
    for answer in &report.finding.answers {
        answers += &sentence(answer, screen);
    }
    let end = end(report, out, screen, verbose);
    let page = opening(&out.join(store::REPORT)) + "\n";
    let lines = |text: &str| text.lines().count();
    if report.plan.is_match() && !verbose {
        let room = MATCH.saturating_sub(lines(&answers) + lines(&end) + lines(&page));
        let remarks = fitted(&remarks(report, true, false), room, out, screen);
        return answers + &remarks + &end + &page;
    }
    let mut text = answers.clone();
    if !text.is_empty() {
        text.push('\n');
    }
    let mut out_of_window = Vec::new();
    for found in report.sections() {
        text += &(section(&found, screen, verbose, &mut out_of_window) + "\n");
    }
    text += &not_shown(&out_of_window, screen);
    for remark in remarks(report, false, verbose) {
        text += &remark.text(screen);
    }
    text += &end;
    // If the window with its prompt is full, the answer above has left it.
    if let Some((_, rows)) = screen.size
        && lines(&text) + lines(&page) >= rows
    {
        text += &answers;
    }
    text + &page
}

/// The answers, what limits them, and how to continue.
pub(super) fn sentences(report: &RunReport, out: &Path) -> Vec<String> {
    let answers = report.finding.answers.iter().map(ToString::to_string);
    let remarks = remarks(report, true, false).into_iter();
    let go_on = go_on(report, out).map(|command| format!("to continue: {command}"));
    let remarks = remarks.map(|Remark(_, line)| line);
    answers.chain(remarks).chain(go_on).collect()
}

/// A line below the answer, in its colour.
struct Remark(Tone, String);

impl Remark {
    fn text(&self, screen: &Screen) -> String {
        let Remark(tone, line) = self;
        screen.paint(*tone, screen.prose(line)) + "\n"
    }
}

/// What limits the answer, the weightiest first. `is_short` if there are no tables, whose notes say
/// most of it.
fn remarks(report: &RunReport, is_short: bool, verbose: bool) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for game in &report.summary.games {
        if is_short {
            remarks.extend(open(tables::reservations(game)));
        }
    }
    remarks.extend(causes(&report.summary));
    for game in &report.summary.games {
        if !verbose {
            remarks.extend(close_call(game, report.planned(&game.game)));
        }
    }
    remarks.extend(open(report.warnings()));
    remarks
}

fn open(lines: Vec<String>) -> impl Iterator<Item = Remark> {
    lines.into_iter().map(|line| Remark(Tone::Open, line))
}

/// The first remarks, in at most so many lines. The last line counts those that are left out.
fn fitted(remarks: &[Remark], room: usize, out: &Path, screen: &Screen) -> String {
    let mut text = String::new();
    let mut lines = 0;
    for (shown, remark) in remarks.iter().enumerate() {
        let more = remark.text(screen);
        let left = remarks.len() - shown;
        lines += more.lines().count();
        if lines + usize::from(left > 1) > room {
            let left = count(left as u64, "further remark", "further remarks");
            let out = word(out.display());
            return format!("{text}{left}: arena report {out} --verbose\n");
        }
        text += &more;
    }
    text
}

/// The causes of faults, a line each.
fn causes(summary: &Summary) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for cause in summary.fault_causes.iter().take(CAUSES) {
        remarks.push(Remark(Tone::Bad, faults::cause_line(cause)));
    }
    let more = summary.fault_causes.len().saturating_sub(CAUSES);
    if more > 0 {
        let more = format!("{more} further causes of faults: see the page");
        remarks.push(Remark(Tone::Plain, more));
    }
    remarks
}

/// The extent of the run, and the command that continues an unfinished one.
fn end(report: &RunReport, out: &Path, screen: &Screen, verbose: bool) -> String {
    let hint = if verbose {
        ""
    } else {
        "; --verbose shows more"
    };
    let extent = report.extent().join(", ") + hint;
    let mut text = screen.sentence(&extent) + "\n";
    if let Some(go_on) = go_on(report, out) {
        text.extend(["to continue: ", &go_on, "\n"]);
    }
    text
}

/// What continues an unfinished run.
fn go_on(report: &RunReport, out: &Path) -> Option<String> {
    let run = &report.summary.run;
    if run.finished || report.is_played {
        return None;
    }
    Some(match &run.go_on {
        Some(command) => harmless(command),
        None => format!(
            "the run's command with --resume --out {}",
            word(out.display())
        ),
    })
}

/// Bots whose longest answer came close to their limit. Answers over the limit are faults.
fn close_call(game: &Game, planned: Option<&PlannedGame>) -> Option<Remark> {
    let clock = &planned?.clock;
    let mut close = Vec::new();
    for bot in &game.bots {
        for (times, is_first, which) in [
            (bot.first_turn, true, "first"),
            (bot.later_turns, false, "later"),
        ] {
            let Some(limit) = clock.fixed(is_first) else {
                continue;
            };
            let limit = 1000.0 * limit.as_secs_f64();
            if let Some(times) = times
                && (CLOSE * limit..limit).contains(&times.max)
            {
                close.push(format!(
                    "{} ({:.0} of {limit:.0} ms in {which} turns)",
                    bot.name, times.max
                ));
            }
        }
    }
    let close = list(close.into_iter())?;
    let line = format!("close to the time limit in {}: {close}", game.title);
    Some(Remark(Tone::Open, line))
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;
    use crate::report::{html, markdown};
    use crate::standings::TimeSummary;
    use crate::study::{Finding, examples, list};
    use arena_stats::estimate::Holds;

    #[test]
    fn a_name_is_apart_from_its_numbers() {
        let report = report("x");
        let mut game = report.summary.games[0].clone();
        let times = |max| {
            Some(TimeSummary {
                count: 9,
                p50: 1.0,
                p95: 1.0,
                p99: 1.0,
                max,
                interval95: None,
                interval: Holds::Once,
            })
        };
        game.bots.truncate(2);
        for (bot, name, max) in [(0, "bot 4", 92.0), (1, "bot 2", 81.4)] {
            game.bots[bot].name = name.to_owned();
            game.bots[bot].later_turns = times(max);
        }
        let Remark(_, close) = close_call(&game, report.plan.games.first()).unwrap();
        assert_eq!(
            close,
            "close to the time limit in MiniShogi: bot 4 (92 of 100 ms in later turns), bot 2 (81 of 100 ms in later turns)"
        );
    }

    /// Rows: what a kind of run found, and what of it no report says three times, like its answers.
    #[test]
    fn evidence_and_answers_are_said_twice_at_most() {
        let round_robin = Finding {
            answers: list::answers(&report("x").summary.games, None),
            ..Finding::default()
        };
        for (finding, evidence) in [
            (
                examples::clear_case(),
                &["364:1", "+301.3 [+80.1, +548.5]"][..],
            ),
            (examples::accepted("x"), &["LLR 3.10"]),
            (examples::finished("x"), &["the best of 4 equal variants"]),
            (examples::unfinished("x"), &[]),
            (round_robin, &[]),
        ] {
            let report = RunReport {
                finding,
                ..report("x")
            };
            let answers = report
                .finding
                .answers
                .iter()
                .map(|answer| answer.rest.trim());
            let phrases: Vec<&str> = answers.chain(evidence.iter().copied()).collect();
            let [piped, shown] = [Screen::default(), Screen::wide(80)]
                .map(|screen| text(&report, Path::new("x"), &screen, true));
            let markdown = markdown::markdown(&report).replace('\\', "");
            for said in [piped, shown, markdown, html::page(&report)] {
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                for phrase in &phrases {
                    let times = said.matches(phrase).count();
                    assert!(
                        (1..=2).contains(&times),
                        "{phrase}: {times} times in {said}"
                    );
                }
            }
        }
    }

    #[test]
    fn tables_longer_than_the_window_have_the_answer_below_too() {
        let long = report("x");
        let mut short = report("x");
        short.summary.games.clear();
        short.finding.sections.clear();
        let wide = Screen::wide(80);
        for (report, screen, times) in [
            (&long, Screen::default(), 1),
            (&long, wide, 2),
            (&short, wide, 1),
        ] {
            let text = text(report, Path::new("x"), &screen, false);
            let answer = sentence(&report.finding.answers[0], &screen);
            assert!(text.starts_with(&answer), "{text}");
            assert_eq!(text.matches(&answer).count(), times, "{text}");
            let is_last = text.ends_with(&format!("{answer}open x/report.html\n"));
            assert_eq!(is_last, times == 2, "{text}");
        }
    }

    #[test]
    fn remarks_fit_the_room_that_is_left() {
        let remarks = ["one", "two", "three"].map(|line| Remark(Tone::Plain, line.to_owned()));
        for (room, text) in [
            (4, "one\ntwo\nthree\n"),
            (3, "one\ntwo\nthree\n"),
            (
                2,
                "one\n2 further remarks: arena report results/run --verbose\n",
            ),
            (1, "3 further remarks: arena report results/run --verbose\n"),
        ] {
            let out = Path::new("results/run");
            let shown = fitted(&remarks, room, out, &Screen::default());
            assert_eq!(shown, text, "{room}");
        }
        assert_eq!(fitted(&[], 0, Path::new("x"), &Screen::default()), "");
    }

    #[test]
    fn only_what_was_decided_is_called_so() {
        let mut report = report("x");
        let run = &mut report.summary.run;
        (run.games_unused, run.games_aborted) = (4, 0);
        report.summary.games_played = 20;
        let over = report.finding;
        report.finding = examples::unfinished("x");
        let dropped = "4 more games were started before their variant was dropped";
        assert_eq!(report.warnings(), [format!("{dropped}, and do not count")]);
        report.summary.run.finished = true;
        report.finding = over;
        let over = format!("{dropped} or the race was over, and do not count");
        assert_eq!(report.warnings(), [over]);
        assert_eq!(report.extent()[0], "20 games");
    }
}
