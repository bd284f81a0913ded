//! The window of a terminal: its width, and whether it has colours. Without a window, as in a pipe,
//! nothing is coloured, wrapped, shortened or left out.

use std::fmt::Display;

use console::{Style, Term, measure_text_width};
use textwrap::{Options, WordSplitter};

use crate::Tone;

/// The least width to lay texts out for.
const NARROWEST: usize = 40;
/// Replaces the middle of a name that is too long.
const ELLIPSIS: char = '…';

/// The window that text is laid out for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Columns and rows; `None` without a window.
    size: Option<(usize, usize)>,
    has_colours: bool,
}

fn style(tone: Tone) -> Style {
    let style = Style::new().force_styling(true);
    match tone {
        Tone::Plain => style,
        Tone::Strong => style.bold(),
        Tone::Good => style.bold().green(),
        Tone::Bad => style.bold().red(),
        Tone::Open => style.bold().yellow(),
        Tone::Faint => style.dim(),
    }
}

impl Screen {
    /// The window of standard output.
    pub fn stdout() -> Screen {
        Screen {
            size: size(&Term::stdout()),
            has_colours: console::colors_enabled(),
        }
    }

    /// The window of standard error.
    pub fn stderr() -> Screen {
        Screen {
            size: size(&Term::stderr()),
            has_colours: console::colors_enabled_stderr(),
        }
    }

    /// A window without colours, for tests.
    pub fn wide(columns: usize) -> Screen {
        Screen {
            size: Some((columns, 24)),
            has_colours: false,
        }
    }

    /// The columns of the window, if there is one.
    pub fn columns(&self) -> Option<usize> {
        self.size.map(|(columns, _)| columns.max(NARROWEST))
    }

    /// Columns and rows of the window, if there is one.
    pub fn size(&self) -> Option<(usize, usize)> {
        self.size
    }

    /// Whether there are colours.
    pub fn has_colours(&self) -> bool {
        self.has_colours
    }

    /// Text in a colour, if there are colours.
    pub fn paint(&self, tone: Tone, text: impl Display) -> String {
        if self.has_colours && tone != Tone::Plain {
            style(tone).apply_to(text).to_string()
        } else {
            text.to_string()
        }
    }

    /// Wraps lines of prose. Continued lines are indented.
    pub fn prose(&self, text: &str) -> String {
        let Some(columns) = self.columns() else {
            return text.to_owned();
        };
        // Names and paths stay whole.
        let options = Options::new(columns)
            .break_words(false)
            .word_splitter(WordSplitter::NoHyphenation);
        let mut lines = Vec::new();
        for line in text.split('\n') {
            if measure_text_width(line) > columns {
                let indent = hanging(line);
                lines.push(textwrap::fill(
                    line,
                    options.clone().subsequent_indent(&indent),
                ));
            } else {
                lines.push(line.to_owned());
            }
        }
        lines.join("\n")
    }
}

/// The indent of the lines that continue this one.
fn hanging(line: &str) -> String {
    " ".repeat(line.len() - line.trim_start_matches(' ').len() + 2)
}

fn size(term: &Term) -> Option<(usize, usize)> {
    term.size_checked()
        .map(|(rows, columns)| (columns.into(), rows.into()))
}

/// Shortens a name to at most `columns` by cutting its middle: names differ at their ends.
pub fn shortened(name: &str, columns: usize) -> String {
    if measure_text_width(name) <= columns {
        return name.to_owned();
    }
    let room = columns.saturating_sub(1);
    let head = leading(name.chars(), room.div_ceil(2));
    let tail: Vec<char> = leading(name.chars().rev(), room / 2);
    head.into_iter()
        .chain([ELLIPSIS])
        .chain(tail.into_iter().rev())
        .collect()
}

/// As many characters as fit.
fn leading(characters: impl Iterator<Item = char>, columns: usize) -> Vec<char> {
    let mut width = 0;
    characters
        .take_while(|c| {
            width += measure_text_width(c.encode_utf8(&mut [0; 4]));
            width <= columns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_lose_their_middle() {
        for (name, columns, short) in [
            ("search", 6, "search"),
            ("onitama-search-depth-4", 12, "onitam…pth-4"),
            ("名前がとても長いボット", 9, "名前…ット"),
            ("ab", 1, "…"),
        ] {
            assert_eq!(shortened(name, columns), short, "{name}");
        }
    }

    #[test]
    fn prose_hangs() {
        let line = "  incomplete units: 3; their games count in won, drawn and lost";
        assert_eq!(Screen::default().prose(line), line);
        let expected = "  incomplete units: 3; their games count\n    in won, drawn and lost";
        assert_eq!(Screen::wide(40).prose(line), expected);
    }

    proptest! {
        #[test]
        fn shortened_names_fit(name in "\\PC{0,40}", columns in 1_usize..50) {
            prop_assert!(measure_text_width(&shortened(&name, columns)) <= columns);
        }
    }
}
