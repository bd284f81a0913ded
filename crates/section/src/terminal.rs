//! Sections as lines of a terminal.

use std::fmt::Write as _;
use std::time::Duration;

use crate::screen::Screen;
use crate::words::{indented, list};
use crate::{Detail, Part, Section, Sentence, Tone};

/// A section; its details only on request. Adds the titles of columns that the window has no room
/// for to `out`.
pub fn section(section: &Section, screen: &Screen, in_full: bool, out: &mut Vec<String>) -> String {
    let mut text = screen.paint(Tone::Strong, &section.title) + "\n";
    for lead in &section.lead {
        text += &sentence(lead, screen);
    }
    for part in &section.parts {
        if part.detail == Detail::Everywhere || part.detail == Detail::Full && in_full {
            text += &self::part(part, screen, out);
        }
    }
    text
}

fn part(part: &Part, screen: &Screen, out: &mut Vec<String>) -> String {
    let mut text = String::new();
    if let Some(table) = &part.table {
        if !part.title.is_empty() {
            text += &screen.prose(&format!("  {}:\n", part.title));
        }
        text += &table.fitting(screen, out);
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

/// Says which columns the window has no room for, if there are any.
pub fn not_shown(titles: &[String], screen: &Screen) -> String {
    let Some(titles) = list(titles.iter().cloned()) else {
        return String::new();
    };
    let line = format!("  not shown: {titles} (window too narrow; a file or pipe has all)");
    screen.paint(Tone::Faint, screen.prose(&line)) + "\n"
}

/// The time before the next line about progress where lines stay, as in a pipe: it grows with the
/// time since the first one.
pub fn pause(elapsed: Duration) -> Duration {
    (elapsed / 6).clamp(Duration::from_secs(5), Duration::from_secs(300))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Kind, Rows, Table};

    fn table(title: &'static str, spare: &[&str]) -> Table {
        let mut rows = Rows::new(title, &["a bot"]).shown(Kind::Name, "bot", |bot| *bot);
        for (at, column) in spare.iter().enumerate() {
            rows = rows
                .shown(Kind::Number, *column, |_| "1234567")
                .spare(1 + at);
        }
        rows.table()
    }

    /// Tables of several parts and sections leave out columns, also different ones.
    #[test]
    fn one_line_says_what_the_window_has_no_room_for() {
        let parts = [
            table("a", &["won", "drawn", "lost"]),
            table("b", &["won", "drawn", "lost", "games", "units"]),
        ]
        .map(|table| Part::new("", table));
        let sections = ["one", "two"].map(|id| Section::new(id, id, Vec::new(), parts.to_vec()));
        let drawn = |screen: &Screen| {
            let mut out = Vec::new();
            let texts = sections
                .each_ref()
                .map(|one| section(one, screen, false, &mut out));
            texts.concat() + &not_shown(&out, screen)
        };
        for columns in 40..130 {
            let text = drawn(&Screen::wide(columns));
            let (tables, out) = text.split_once("  not shown: ").unwrap_or((&text, ""));
            assert!(!out.contains("not shown"), "{columns}\n{text}");
            for column in ["won", "drawn", "lost", "games", "units"] {
                let is_everywhere = tables.matches(column).count()
                    == if "games units".contains(column) { 2 } else { 4 };
                let times = out
                    .split([' ', ',', '\n'])
                    .filter(|word| *word == column)
                    .count();
                assert_eq!(
                    times,
                    usize::from(!is_everywhere),
                    "{columns} {column}\n{text}"
                );
            }
        }
        assert!(!drawn(&Screen::default()).contains("not shown"));
    }

    /// Rows: minutes, and the most lines in them.
    #[test]
    fn lines_about_progress_become_fewer() {
        for (minutes, most) in [(1, 10), (4, 20), (60, 36), (24 * 60, 320)] {
            let (mut now, mut last, mut lines) = (Duration::ZERO, Duration::ZERO, 0);
            while now < Duration::from_secs(60 * minutes) {
                now += Duration::from_millis(100);
                if now >= last + pause(now) {
                    (last, lines) = (now, lines + 1);
                }
            }
            assert!((most / 2..=most).contains(&lines), "{minutes}: {lines}");
        }
    }
}
