//! Markdown, ready for the summary of a CI job: who is first, the standings, the sweep, and the
//! faults.

use std::fmt::Write as _;

use super::RunReport;
use arena_section::markdown::{escaped, section, sentence};

/// A run as GitHub's Markdown. Text of bots stays text: it makes no table, no link and no HTML.
pub(crate) fn markdown(report: &RunReport) -> String {
    let mut text = format!("## {}\n\n", escaped(&report.summary.run.name));
    for answer in &report.finding.answers {
        sentence(&mut text, answer);
    }
    let _ = writeln!(text, "{}\n", escaped(&report.extent().join(", ")));
    for warning in report.warnings() {
        let _ = writeln!(text, "> {}.\n", escaped(&warning));
    }
    for found in report.faults().into_iter().chain(report.sections()) {
        section(&mut text, &found);
    }
    text
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
