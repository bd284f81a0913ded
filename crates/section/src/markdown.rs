//! Sections as GitHub's Markdown. Text of bots stays text: it makes no table, no link and no HTML.

use std::fmt::Write as _;

use crate::table::{Column, Kind, Table};
use crate::text::harmless;
use crate::{Detail, Section, Sentence, Tone};

/// Adds a section, without details and drawings.
pub fn section(text: &mut String, section: &Section) {
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

/// Adds a sentence, with a sign for a verdict.
pub fn sentence(text: &mut String, sentence: &Sentence) {
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
    let side = |column: &&Column| if column.is_left() { "---" } else { "---:" }.to_owned();
    row(text, columns.iter().map(side));
    for at in 0..table.row_count() {
        let cell = |column: &&Column| {
            let cell = escaped(column.cells[at].text.as_deref().unwrap_or("-"));
            let is_bold = table.marked == Some(at) && column.kind == Kind::Name;
            if is_bold { format!("**{cell}**") } else { cell }
        };
        row(text, columns.iter().map(cell));
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
pub fn escaped(text: &str) -> String {
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
