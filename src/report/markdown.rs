//! Markdown, ready for the summary of a CI job: who is first, the standings, the sweep, and the
//! faults.

use std::fmt::Write as _;

use super::RunReport;
use super::facts::{extent, warnings};
use crate::section::table::Table;
use crate::section::text::harmless;
use crate::section::{Detail, Section, Sentence, Tone};

/// A run as GitHub's Markdown. Text of bots stays text: it makes no table, no link and no HTML.
pub(crate) fn markdown(report: &RunReport) -> String {
    let mut text = format!("## {}\n\n", escaped(&report.summary.run.name));
    for answer in &report.finding.answers {
        sentence(&mut text, answer);
    }
    let _ = writeln!(text, "{}\n", escaped(&extent(report).join(", ")));
    for warning in warnings(report) {
        let _ = writeln!(text, "> {}.\n", escaped(&warning));
    }
    for found in report.faults().into_iter().chain(report.sections()) {
        section(&mut text, &found);
    }
    text
}

/// A section that some kind of run has, without details and drawings.
fn section(text: &mut String, section: &Section) {
    let _ = writeln!(text, "### {}\n", escaped(&section.title));
    for lead in &section.lead {
        sentence(text, lead);
    }
    for part in &section.parts {
        if part.detail != Detail::Everywhere {
            continue;
        }
        if let Some(table) = &part.table {
            if !part.title.is_empty() {
                let _ = writeln!(text, "#### {}\n", escaped(&part.title));
            }
            self::table(text, table);
        }
        if !part.notes.is_empty() {
            list(text, &part.notes);
        }
        if let Some(command) = &part.command {
            let _ = writeln!(text, "{}\n", block(command));
        }
    }
}

/// A sentence, with a sign for a verdict.
fn sentence(text: &mut String, sentence: &Sentence) {
    let sign = match sentence.tone {
        Tone::Good => "✅ ",
        Tone::Bad => "❌ ",
        Tone::Open => "❔ ",
        _ => "",
    };
    let [subject, rest] = [&sentence.subject, &sentence.rest].map(|text| escaped(text));
    let subject = match subject.as_str() {
        "" => subject,
        subject => format!("**{subject}**"),
    };
    let _ = writeln!(text, "{sign}{subject}{rest}.\n");
}

fn table(text: &mut String, table: &Table) {
    let columns = table.shown();
    row(text, columns.iter().map(|column| escaped(&column.title)));
    row(
        text,
        columns
            .iter()
            .map(|column| if column.is_left() { "---" } else { "---:" }.to_owned()),
    );
    for at in 0..table.len() {
        row(
            text,
            columns
                .iter()
                .map(|column| escaped(column.cells[at].text.as_deref().unwrap_or("-"))),
        );
    }
    text.push('\n');
}

fn row(text: &mut String, cells: impl Iterator<Item = String>) {
    let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
}

fn list(text: &mut String, lines: &[String]) {
    for line in lines {
        // A line that begins with a dash must not become a nested list.
        let line = match line.strip_prefix("- ") {
            Some(line) => format!("– {}", escaped(line)),
            None => escaped(line),
        };
        let _ = writeln!(text, "- {line}");
    }
    text.push('\n');
}

/// Lines of code, in a fence longer than any run of backquotes within.
fn block(code: &str) -> String {
    let code = harmless(code);
    let fence = "`".repeat(3.max(1 + code.split(|c| c != '`').map(str::len).max().unwrap_or(0)));
    format!("{fence}sh\n{code}\n{fence}")
}

/// Escapes text for a line or a cell. Characters that could join cells or be part of something
/// longer become references, others get a backslash, and control characters become visible.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in harmless(text).chars() {
        match c {
            '\\' | '|' | '`' | '<' | '>' | '&' | '#' | '@' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            '*' | '_' | '{' | '}' | '[' | ']' | '~' | '!' | '$' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    // No address becomes a link.
    escaped
        .replace("://", "&#58;//")
        .replace("www.", "www&#46;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::super::tests::report;
    use super::*;

    #[test]
    fn a_small_run() {
        insta::assert_snapshot!(markdown(&report("run")));
    }

    /// The kinds of parts that a reader of Markdown sees, and the texts of all table cells.
    fn seen(markdown: &str) -> (Vec<String>, Vec<String>) {
        let (mut parts, mut cells) = (Vec::new(), Vec::new());
        let mut in_cell = false;
        for event in Parser::new_ext(
            markdown,
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH,
        ) {
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
