//! Commands as one line, in which quotes keep the spaces of a word.

/// Whether a backslash in a command escapes the next character. On Windows it is part of a path.
pub const ESCAPES: bool = cfg!(not(windows));

/// Stands for a backslash that escapes nothing, while `shlex` reads or writes a command.
const PLAIN: &str = "\u{e000}";

/// Splits a command into its words, as a shell would. Returns `None` if a quote is open at the end,
/// or if nothing follows a backslash that escapes.
pub fn split_command(line: &str) -> Option<Vec<String>> {
    split(line, ESCAPES)
}

/// Joins words to a command that [`split_command`] splits again.
pub fn join_command(words: &[String]) -> String {
    join(words, ESCAPES)
}

fn split(line: &str, escapes: bool) -> Option<Vec<String>> {
    if escapes {
        return shlex::split(line);
    }
    let mut words = shlex::split(&line.replace('\\', PLAIN))?;
    for word in &mut words {
        *word = word.replace(PLAIN, "\\");
    }
    Some(words)
}

fn join(words: &[String], escapes: bool) -> String {
    if !escapes && words.iter().any(|word| word.contains('\\')) {
        let words: Vec<String> = words.iter().map(|word| word.replace('\\', PLAIN)).collect();
        return join(&words, true).replace(PLAIN, "\\");
    }
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_of_windows_is_part_of_a_path() {
        for (line, escaped, plain) in [
            (r"a\b 'c\d' x", "ab|c\\d|x", r"a\b|c\d|x"),
            (
                r#""C:\My bots\a.exe" -d "#,
                r"C:\My bots\a.exe|-d",
                r"C:\My bots\a.exe|-d",
            ),
            (r#""\\host\a b""#, r"\host\a b", r"\\host\a b"),
            (r"a\ b", "a b", r"a\|b"),
            (r"a\", "open", r"a\"),
            (r#""a\""#, "open", r"a\"),
            (r"it\'s", "it's", "open"),
        ] {
            let words =
                |escapes| split(line, escapes).map_or("open".to_owned(), |words| words.join("|"));
            assert_eq!([words(true), words(false)], [escaped, plain], "{line}");
        }
    }

    #[test]
    fn what_is_joined_is_split_again() {
        for words in [
            &["C:\\bots\\a.exe", "--depth", "3"][..],
            &["C:\\My bots\\a.exe", "it's", "\"", "", "a\\'b", "$x \\\\"],
        ] {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            for escapes in [false, true] {
                let line = join(&words, escapes);
                assert_eq!(split(&line, escapes).unwrap(), words, "{line}");
            }
        }
    }
}
