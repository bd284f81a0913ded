//! Sections as lines of a terminal.

use std::fmt::Write as _;

use crate::screen::Screen;
use crate::words::indented;
use crate::{Detail, Part, Section, Sentence, Tone};

/// A section; its details only on request.
pub fn section(section: &Section, screen: &Screen, in_full: bool) -> String {
    let mut text = screen.paint(Tone::Strong, &section.title) + "\n";
    for lead in &section.lead {
        text += &sentence(lead, screen);
    }
    for part in &section.parts {
        if part.detail == Detail::Everywhere || part.detail == Detail::Full && in_full {
            text += &self::part(part, screen);
        }
    }
    text
}

fn part(part: &Part, screen: &Screen) -> String {
    let mut text = String::new();
    if let Some(table) = &part.table {
        if !part.title.is_empty() {
            text += &screen.prose(&format!("  {}:\n", part.title));
        }
        text += &table.text(screen);
    }
    text += &screen.prose(&indented(&part.notes));
    if let Some(command) = &part.command {
        let _ = writeln!(text, "    {command}");
    }
    text
}

/// A sentence on its own line, in its colour.
pub fn sentence(sentence: &Sentence, screen: &Screen) -> String {
    screen.paint(sentence.tone, screen.sentence(&sentence.to_string())) + "\n"
}
