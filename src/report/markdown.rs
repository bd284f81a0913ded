//! Markdown, ready for the summary of a CI job: who is first, the standings, the sweep, and the faults.

use std::fmt::Write as _;

use super::RunReport;
use super::faults::FaultNote;
use super::sweep::{columns, findings, size};
use super::table::{elo, faults, holds_words, interval, notes};
use super::words::{all_faults, count, extent, headline, likelihood, percent, test_lines, verdict, warnings};
use crate::summary::sprt::Verdict;
use crate::summary::sweep::SweepSummary;
use crate::summary::{BotSummary, GameSummary};

/// So many faults are told one by one.
const TOLD: usize = 10;

/// A run as GitHub's Markdown. Text from outside stands in it as text: it makes no table, no link and no HTML.
pub(crate) fn markdown(report: &RunReport) -> String {
    let summary = &report.summary;
    let mut text = format!("## {}\n\n", escaped(&summary.run.name));
    if let Some((test, verdict)) = summary.sprt.as_ref().zip(verdict(report)) {
        let _ = writeln!(text, "{} **Sequential test {}.**\n", sign(test.verdict), escaped(&verdict));
        let lines = test_lines(summary);
        for line in &lines {
            let _ = writeln!(text, "- {}", escaped(line));
        }
        text.push_str(if lines.is_empty() { "" } else { "\n" });
    }
    let _ = writeln!(text, "{}\n", escaped(&extent(report).join(", ")));
    for warning in warnings(summary) {
        let _ = writeln!(text, "> {}.\n", escaped(&warning));
    }
    if all_faults(summary) > 0 {
        faults_part(&mut text, report);
    }
    if let Some(sweep) = &summary.sweep {
        sweep_part(&mut text, sweep);
    }
    for game in summary.games.iter().filter(|game| game.games > 0) {
        game_part(&mut text, game);
    }
    text
}

fn sign(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Accepted) => "✅",
        Some(Verdict::Rejected) => "❌",
        Some(Verdict::Inconclusive) | None => "❔",
    }
}

fn game_part(text: &mut String, game: &GameSummary) {
    let _ = writeln!(text, "### {}\n", escaped(&game.title));
    if let Some([name, rest]) = headline(game) {
        let _ = writeln!(text, "**{}**{}.\n", escaped(&name), escaped(&rest));
    }
    let four = game.seats > 2;
    let mut head = vec!["#", "bot", "Elo", "95% interval", "games"];
    head.extend(four.then_some(["place", "first"]).into_iter().flatten());
    head.extend(["score", "won", "drawn", "lost", "above next", "faults"]);
    table_head(text, &head);
    for bot in &game.bots {
        row(text, cells(bot, game, four).iter().map(|cell| escaped(cell)));
    }
    text.push('\n');
    for note in notes(game) {
        // A note that begins with a dash is no list in the list.
        let _ = writeln!(text, "- {}", escaped(&note).replacen("- ", "– ", usize::from(note.starts_with("- "))));
    }
    text.push('\n');
}

fn cells(bot: &BotSummary, game: &GameSummary, four: bool) -> Vec<String> {
    let mut cells = vec![bot.rank.to_string(), bot.name.clone(), elo(bot), interval(bot, game), bot.games.to_string()];
    if four {
        cells.extend([format!("{:.2}", bot.mean_place), percent(bot.firsts)]);
    }
    cells.push(percent(bot.score));
    cells.extend([bot.wins, bot.draws, bot.losses].map(|count| count.to_string()));
    cells.extend([bot.los_next.map_or_else(|| "-".to_owned(), likelihood), faults(bot)]);
    cells
}

/// The table of the variants and what follows from it.
fn sweep_part(text: &mut String, sweep: &SweepSummary) {
    let _ = writeln!(text, "### Sweep\n\n**{}**: {}.\n", escaped(&sweep.bot), escaped(&size(sweep)));
    let columns = columns(sweep);
    table_head(text, &columns.iter().map(|(title, _)| title.as_str()).collect::<Vec<_>>());
    for variant in 0..sweep.variants.len() {
        row(text, columns.iter().map(|(_, cells)| escaped(&cells[variant])));
    }
    text.push('\n');
    for finding in findings(sweep) {
        let _ = writeln!(text, "- {}", escaped(&finding));
    }
    if let Some(command) = &sweep.confirm {
        let _ = writeln!(text, "\n{}", block(command));
    }
    text.push('\n');
}

fn table_head(text: &mut String, head: &[&str]) {
    row(text, head.iter().map(|title| escaped(title)));
    row(text, head.iter().map(|title| if holds_words(title) { "---" } else { "---:" }.to_owned()));
}

fn row(text: &mut String, cells: impl Iterator<Item = String>) {
    let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
}

fn faults_part(text: &mut String, report: &RunReport) {
    let all = all_faults(&report.summary);
    let _ = writeln!(text, "### Faults\n\n⚠️ {} of bots.\n", count(all, "fault", "faults"));
    row(text, ["game", "bot", "seat", "turn", "fate", "what happened"].iter().map(ToString::to_string));
    row(text, ["---:", "---", "---:", "---:", "---", "---"].iter().map(ToString::to_string));
    for fault in report.faults.iter().take(TOLD) {
        let FaultNote { number, bot, seat, turn, fate, .. } = fault;
        let cells =
            [number.to_string(), bot.clone(), seat.to_string(), turn.to_string(), fate.to_string(), fault.what()];
        row(text, cells.iter().map(|cell| escaped(cell)));
    }
    text.push('\n');
    if let Some(first) = report.faults.first() {
        let _ = writeln!(text, "See the first again:\n\n{}\n", block(&first.again));
    }
}

/// Lines of code. The fence is longer than any run of its marks within.
fn block(code: &str) -> String {
    let code = super::harmless(code);
    let fence = "`".repeat(3.max(1 + code.split(|c| c != '`').map(str::len).max().unwrap_or(0)));
    format!("{fence}sh\n{code}\n{fence}")
}

/// Text that Markdown shows as it is, within a line or a cell. What means something is written as a reference where it
/// could keep the cells of a table together or be half of something else, or else behind a backslash; characters that a
/// terminal obeys are made visible.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in super::harmless(text).chars() {
        match c {
            '\\' | '|' | '`' | '<' | '>' | '&' | '#' | '@' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            '*' | '_' | '{' | '}' | '[' | ']' | '~' | '!' | '$' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    // No address becomes a link.
    escaped.replace("://", "&#58;//").replace("www.", "www&#46;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::super::example::report;
    use super::*;

    #[test]
    fn a_small_run() {
        insta::assert_snapshot!(markdown(&report("run")));
    }

    /// What a reader of Markdown sees: the kinds of its parts, and the text of all cells of tables.
    fn seen(markdown: &str) -> (Vec<String>, Vec<String>) {
        let (mut parts, mut cells) = (Vec::new(), Vec::new());
        let mut in_cell = false;
        for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Start(tag) => {
                    in_cell = tag == Tag::TableCell;
                    cells.extend(in_cell.then(String::new));
                    parts.push(format!("{:?}", tag.to_end()));
                }
                Event::End(TagEnd::TableCell) => in_cell = false,
                Event::Text(text) if in_cell => cells.last_mut().unwrap().push_str(&text),
                Event::Text(_) | Event::End(_) => {}
                other => parts.push(format!("{other:?}")),
            }
        }
        (parts, cells)
    }

    proptest! {
        /// Names are shown as they are and change nothing else.
        #[test]
        fn names_are_text(outside in r#"[a-z0-9][<>&"'`|*_a-z\[\]()!#~\\:/.@$+=0-9-]{0,20}"#) {
            let (parts, cells) = seen(&markdown(&report(&outside)));
            let (plain, _) = seen(&markdown(&report("x")));
            prop_assert_eq!(parts, plain);
            // A bot, a parameter and the value of one.
            for name in ["a", "depth", "1"] {
                prop_assert!(cells.contains(&format!("{outside} {name}")), "{name} {:?}", cells);
            }
        }
    }
}
