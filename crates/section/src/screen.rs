//! The window of a terminal: its width, and whether it has colours. Without a window, as in a pipe,
//! nothing is coloured, wrapped, shortened or left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use console::{Style, Term, measure_text_width};
use textwrap::{Options, WordSplitter};

use crate::Tone;

/// The least width to lay texts out for.
const NARROWEST: usize = 40;
/// The least columns that can show what differs in a name, between two ellipses.
const LEAST: usize = 4;
/// Replaces what a name that is too long loses.
const ELLIPSIS: &str = "…";

/// The window that text is laid out for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Columns and rows; `None` without a window.
    pub size: Option<(usize, usize)>,
    /// Whether there are colours.
    pub has_colours: bool,
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

    /// Text in a colour, if there are colours.
    pub fn paint(&self, tone: Tone, text: impl Display) -> String {
        let style = Style::new().force_styling(self.has_colours);
        let style = match tone {
            Tone::Plain => style,
            Tone::Strong => style.bold(),
            Tone::Good => style.bold().green(),
            Tone::Bad => style.bold().red(),
            Tone::Open => style.bold().yellow(),
            Tone::Faint => style.dim(),
        };
        style.apply_to(text).to_string()
    }

    /// Wraps a sentence after a comma, colon or semicolon, as far as its clauses fit, and else
    /// between words. Continued lines are indented.
    pub fn sentence(&self, text: &str) -> String {
        let Some(columns) = self.columns() else {
            return text.to_owned();
        };
        let mut lines: Vec<String> = Vec::new();
        for clause in clauses(text) {
            match lines.last_mut() {
                Some(line) if measure_text_width(line) + measure_text_width(clause) < columns => {
                    line.extend([" ", clause]);
                }
                Some(_) => lines.push(format!("  {clause}")),
                None => lines.push(clause.to_owned()),
            }
        }
        self.prose(&lines.join("\n"))
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
                // The lines that continue this one hang below it.
                let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len() + 2);
                let options = options.clone().subsequent_indent(&indent);
                lines.push(textwrap::fill(line, options));
            } else {
                lines.push(line.to_owned());
            }
        }
        lines.join("\n")
    }
}

/// The clauses of a sentence. An interval in brackets has none.
fn clauses(text: &str) -> Vec<&str> {
    let (mut clauses, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        match pair[0] {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            b',' | b':' | b';' if pair[1] == b' ' && depth == 0 => {
                clauses.push(&text[start..=at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    clauses.push(&text[start..]);
    clauses
}

fn size(term: &Term) -> Option<(usize, usize)> {
    term.size_checked()
        .map(|(rows, columns)| (columns.into(), rows.into()))
}

/// Shortens the names of a list to at most `columns` each, and keeps what differs: a name loses its
/// middle or, if it then looks like another one, what both begin with.
pub fn shortened_apart(names: &[&str], columns: usize) -> Vec<String> {
    let mut short: BTreeMap<&str, String> = BTreeMap::new();
    for name in names {
        short.insert(name, shortened(name, columns));
    }
    let rounds = if columns < LEAST { 0 } else { names.len() };
    // Of names that still look alike, fewer share each longer beginning.
    for _ in 0..rounds {
        let mut alike: BTreeMap<&String, BTreeSet<&str>> = BTreeMap::new();
        for (name, text) in &short {
            alike.entry(text).or_default().insert(name);
        }
        alike.retain(|_, names| names.len() > 1);
        let mut apart = Vec::new();
        for names in alike.values() {
            let shared = shared_start(names);
            for name in names {
                apart.push((*name, without_start(name, shared, columns)));
            }
        }
        if apart.is_empty() {
            break;
        }
        short.extend(apart);
    }
    names.iter().map(|name| short[name].clone()).collect()
}

/// The number of characters that all names begin with.
fn shared_start(names: &BTreeSet<&str>) -> usize {
    // Names in order: the first and the last one differ earliest.
    let first = names.first().copied().unwrap_or_default();
    let last = names.last().copied().unwrap_or_default();
    first
        .chars()
        .zip(last.chars())
        .take_while(|(one, other)| one == other)
        .count()
}

/// Cuts characters off the start of a name, the last of which are context, and what is too much off
/// its end.
fn without_start(name: &str, shared: usize, columns: usize) -> String {
    let all = name.chars().count();
    let tail = leading(name.chars().rev(), columns.saturating_sub(1)).len();
    let context = columns / 4;
    if all - tail <= shared {
        let tail: String = name.chars().skip(all - tail).collect();
        return [ELLIPSIS, &tail].concat();
    }
    let start = shared.saturating_sub(context);
    let before = if start > 0 { ELLIPSIS } else { "" };
    let room = columns.saturating_sub(1 + before.chars().count());
    let kept = leading(name.chars().skip(start), room);
    let is_cut = start + kept.len() < all;
    let after = if is_cut { ELLIPSIS } else { "" };
    let kept: String = kept.into_iter().collect();
    [before, &kept, after].concat()
}

/// Shortens a name to at most `columns` by cutting its middle: names differ at their ends.
pub fn shortened(name: &str, columns: usize) -> String {
    if measure_text_width(name) <= columns {
        return name.to_owned();
    }
    let room = columns.saturating_sub(1);
    let head: String = leading(name.chars(), room.div_ceil(2))
        .into_iter()
        .collect();
    let tail = leading(name.chars().rev(), room / 2);
    let tail: String = tail.into_iter().rev().collect();
    [&head, ELLIPSIS, &tail].concat()
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
    fn shortened_names_keep_what_differs() {
        for (names, columns, short) in [
            (&["search", "greedy"][..], 8, &["search", "greedy"][..]),
            (
                &["my-bot-with-a-long-name-v1", "my-bot-with-a-long-name-v2"],
                10,
                &["my-bo…e-v1", "my-bo…e-v2"],
            ),
            (
                &["bot --depth 3 --pawn 100", "bot --depth 4 --pawn 100", "x"],
                12,
                &["…th 3 --paw…", "…th 4 --paw…", "x"],
            ),
            (
                &["bot --weights 1 --depth 17", "bot --weights 2 --depth 17"],
                16,
                &["…ts 1 --depth 17", "…ts 2 --depth 17"],
            ),
            (
                &["same-long-name-of-a-bot", "same-long-name-of-a-bot"],
                8,
                &["same…bot", "same…bot"],
            ),
            (&["1234567890-a-1", "1234567890-b-1"], 1, &["…", "…"]),
        ] {
            assert_eq!(shortened_apart(names, columns), short, "{names:?}");
        }
    }

    #[test]
    fn a_sentence_is_wrapped_between_clauses() {
        let verdict = "v2.sh is neither clearly stronger nor weaker, inconclusive: \
                       -107.5 [-242.8, +27.8] Elo against v1.sh, 20 games, LOS 6.1%";
        let expected = "v2.sh is neither clearly stronger nor weaker, inconclusive:\n  \
                        -107.5 [-242.8, +27.8] Elo against v1.sh, 20 games, LOS 6.1%";
        assert_eq!(Screen::wide(80).sentence(verdict), expected);
        assert_eq!(Screen::default().sentence(verdict), verdict);
        let long = "one clause of a sentence that is too long for its window: two";
        let expected = "one clause of a sentence that is too\n  long for its window:\n  two";
        assert_eq!(Screen::wide(40).sentence(long), expected);
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

        #[test]
        fn short_names_differ_where_long_ones_do(
            names in prop::collection::vec("[ab]{0,3}(long-)?[ab]{0,12}[-名]{0,9}", 1..6),
            columns in 8_usize..20,
        ) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let short = shortened_apart(&names, columns);
            for (name, text) in names.iter().zip(&short) {
                prop_assert!(measure_text_width(text) <= columns, "{name} {text}");
            }
        }

        #[test]
        fn two_names_stay_apart(
            start in "[a-c]{0,30}", ends in ["x[a-c]{0,30}", "y[a-c]{0,30}"], columns in 8_usize..20,
        ) {
            let names = ends.map(|end| format!("{start}{end}"));
            let short = shortened_apart(&[&names[0], &names[1]], columns);
            prop_assert_ne!(&short[0], &short[1]);
        }

        #[test]
        fn no_word_of_a_sentence_is_lost(text in "[a-z,:;()\\[\\] 名]{0,120}", columns in 40_usize..90) {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&Screen::wide(columns).sentence(&text)), words(&text));
        }
    }
}
