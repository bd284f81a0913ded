//! Text from outside: which characters to show, and which known name a misspelt word means.

use std::fmt::Display;

use console::AnsiCodeIterator;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// The longest misspelt word, in bytes.
const LONGEST_MISSPELLING: usize = 40;

/// The most characters of a program's output in a message.
const SHOWN: usize = 160;

/// Whether a character is invisible, controls the terminal or is none at all (`U+FFFE`). Characters
/// that turn the direction of writing count, too, because they can make two texts look alike.
pub fn is_hidden(c: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    let is_none = u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c);
    let hidden = [Control, Format, LineSeparator, ParagraphSeparator];
    is_none || hidden.contains(&c.general_category())
}

/// Escapes the hidden characters of a line.
pub fn harmless(line: &str) -> String {
    escaped(line, &[])
}

/// Escapes the hidden characters of lines, except for line ends and tabs.
pub fn harmless_lines(text: &str) -> String {
    escaped(text, &['\n', '\t'])
}

fn escaped(text: &str, kept: &[char]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, c) in text.char_indices() {
        // A page has megabytes of printable characters.
        if !c.is_ascii_graphic() && is_hidden(c) && !kept.contains(&c) {
            shown.push_str(&text[copied..at]);
            shown.extend(c.escape_default());
            copied = at + c.len_utf8();
        }
    }
    shown + &text[copied..]
}

/// Escapes the hidden characters of a text for a terminal, except for line ends, tabs and colours.
/// All text for people but the bar of a run passes through here. Texts of programs have lost their
/// colours before, by [`harmless_lines`].
pub fn shown(text: &str) -> String {
    AnsiCodeIterator::new(text)
        .map(|(part, is_code)| {
            if is_code && part.starts_with("\u{1b}[") && part.ends_with('m') {
                part.to_owned()
            } else {
                harmless_lines(part)
            }
        })
        .collect()
}

/// Quotes a command as for a shell: one of Linux, or `cmd` and `PowerShell` of Windows.
pub fn command_line(words: &[String]) -> String {
    if cfg!(windows) {
        let words: Vec<String> = words.iter().map(|word| for_windows(word)).collect();
        return words.join(" ");
    }
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// Quotes a word for `cmd` and `PowerShell` of Windows, in which a backslash escapes nothing.
fn for_windows(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "+-./:\\_".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // One before the closing quote would escape it.
    let last = word.len() - word.trim_end_matches('\\').len();
    format!("\"{}{}\"", word.replace('"', "\"\""), "\\".repeat(last))
}

/// Quotes a word, such as a path or a name, as for a shell.
pub fn word(text: impl Display) -> String {
    command_line(&[text.to_string()])
}

/// Cuts the output of a bot or a referee for a message.
pub fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    short
}

/// Cuts output, and puts it in quotes on one line.
pub fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

/// Suggests the nearest known name in a message about an unknown one, followed by a space.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    let ask = |name| format!("did you mean `{name}`? ");
    nearest(word, known).map(ask).unwrap_or_default()
}

/// Returns the known name that a word probably means: one that begins with it, or one that differs
/// in at most a third of its letters, in any case.
pub fn nearest<'n>(word: &str, known: &[&'n str]) -> Option<&'n str> {
    if word.len() > LONGEST_MISSPELLING {
        return None;
    }
    let word = word.to_lowercase();
    let letters = word.chars().count();
    let near = known.iter().filter_map(|&name| {
        let lower = name.to_lowercase();
        let distance = strsim::damerau_levenshtein(&word, &lower);
        let is_close = 3 * distance <= letters.max(name.len());
        let begins = letters >= 3 && lower.starts_with(&word);
        (is_close || begins).then_some((distance, name))
    });
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_escaped() {
        for (text, shown) in [
            (
                "plain \"text\" \\ é 名前 क्षि 👍🏽",
                "plain \"text\" \\ é 名前 क्षि 👍🏽",
            ),
            ("a\u{1b}[2J\r\n\u{9b}1m", "a\\u{1b}[2J\\r\\n\\u{9b}1m"),
            (
                "1 \u{202e}0-1\u{202c}\u{2067}\u{200f}\u{61c}",
                "1 \\u{202e}0-1\\u{202c}\\u{2067}\\u{200f}\\u{61c}",
            ),
            (
                "a\u{200b}b\u{200d}c\u{feff}d\u{ad}e\u{2060}",
                "a\\u{200b}b\\u{200d}c\\u{feff}d\\u{ad}e\\u{2060}",
            ),
            ("\u{2028}\u{2029}\u{e0041}", "\\u{2028}\\u{2029}\\u{e0041}"),
        ] {
            assert_eq!(harmless(text), shown);
        }
    }

    #[test]
    fn words_are_quoted_for_windows() {
        for (word, quoted) in [
            (r"C:\bots\a.exe", r"C:\bots\a.exe"),
            (r"C:\My bots\ä.exe", r#""C:\My bots\ä.exe""#),
            (r"My results\", r#""My results\\""#),
            ("it's", "\"it's\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("x={1..3}", "\"x={1..3}\""),
            ("", "\"\""),
        ] {
            assert_eq!(for_windows(word), quoted);
        }
    }

    #[test]
    fn only_colours_reach_a_terminal() {
        for (text, expected) in [
            ("a\u{1b}[1;31mb\u{1b}[0m\nc", "a\u{1b}[1;31mb\u{1b}[0m\nc"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            (
                "\u{9b}31m\u{1b}c\r\u{202e}",
                "\\u{9b}31m\\u{1b}c\\r\\u{202e}",
            ),
            ("\u{1b}[31", "\\u{1b}[31"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
