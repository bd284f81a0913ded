//! The end of standard error, and the error message that came before a long end.

/// The most bytes of the end.
const TAIL_MAX: usize = 4 * 1024;
/// The most bytes before the end in which to look for an error message: more than the stack trace
/// of an overflow has.
const TRACE_MAX: usize = 256 * 1024;
/// The most characters of an earlier error message.
const LINE_MAX: usize = 512;

/// Stands for the text between the two.
const LEFT_OUT: &str = "..";

/// Beginnings of error messages. Runtimes write such a line before a stack trace, which may be
/// long.
const BEGINNINGS: [&str; 9] = [
    "Exception in thread ",
    "Caused by: ",
    "Unhandled exception",
    "Unhandled Exception",
    "[ERROR] FATAL UNHANDLED EXCEPTION",
    "panic: ",
    "fatal error: ",
    "thread '",
    "terminate called ",
];

/// Beginnings of lines in which Java only repeats variables of its environment.
const ECHOES: [&str; 3] = [
    "Picked up JAVA_TOOL_OPTIONS: ",
    "Picked up _JAVA_OPTIONS: ",
    "NOTE: Picked up JDK_JAVA_OPTIONS: ",
];

/// The end of a stream of any length.
#[derive(Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    /// Returns whether nothing came yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the next bytes of the stream.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.0.extend_from_slice(chunk);
        // Not at each call, because the rest is moved.
        if self.0.len() > 2 * TRACE_MAX {
            self.0.drain(..self.0.len() - TRACE_MAX);
        }
    }

    /// Returns the last [`TAIL_MAX`] bytes, after the last error message before them, as text
    /// [without echoes](without_echoes). Invalid UTF-8 is replaced, and a character that was cut in
    /// two is left out.
    pub(crate) fn text(&self) -> String {
        let begin = self.0.len().saturating_sub(TAIL_MAX);
        let (before, end) = self.0.split_at(begin);
        let before = String::from_utf8_lossy(&before[begin.saturating_sub(TRACE_MAX)..]);
        let full_lines = before.rsplit_once('\n').map_or("", |(lines, _)| lines);
        let is_message = |line: &&str| BEGINNINGS.iter().any(|text| line.starts_with(text));
        let mut text = String::new();
        if let Some(message) = full_lines.lines().rfind(is_message) {
            text.extend(message.trim_end().chars().take(LINE_MAX));
            text.extend(["\n", LEFT_OUT, "\n"]);
        }
        let end = String::from_utf8_lossy(end);
        let whole = end.trim_start_matches(char::REPLACEMENT_CHARACTER);
        text + &without_echoes(if begin > 0 { whole } else { &end })
    }
}

/// Removes the lines in which Java repeats its environment.
pub(crate) fn without_echoes(text: &str) -> String {
    text.split_inclusive('\n')
        .filter(|line| !ECHOES.iter().any(|echo| line.starts_with(echo)))
        .collect()
}

/// Parts of a line that says what is wrong, in the words of runtimes and common libraries.
const SIGNS: [&str; 10] = [
    "insufficient memory",
    "rror: ",
    "Error",
    "Exception",
    "exception.",
    "panicked",
    "panic: ",
    "terminate called",
    "what():",
    "Assertion",
];

/// Returns the line of a standard error that says what is wrong; `None` if it is empty.
///
/// This is the last line with one of the usual signs that isn't a place in a stack trace, or else
/// the last line. If it ends in a colon, the next line is part of it.
pub fn error_line(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    let trace = lines.iter().position(|line| begins_trace(line));
    let at = lines[..trace.unwrap_or(lines.len())]
        .iter()
        .rposition(|line| is_error(line))
        .or_else(|| lines.iter().rposition(|line| is_error(line)))
        .or(lines.len().checked_sub(1))?;
    let line = lines[at].trim();
    match lines.get(at + 1) {
        Some(next) if line.ends_with(':') => Some(format!("{line} {}", next.trim())),
        _ => Some(line.to_owned()),
    }
}

/// Returns whether places in a stack trace follow a line.
fn begins_trace(line: &str) -> bool {
    line.starts_with("goroutine ") || line.starts_with("stack backtrace:") || line == LEFT_OUT
}

/// Returns whether a line says what is wrong.
fn is_error(line: &str) -> bool {
    !is_place(line) && SIGNS.iter().any(|sign| line.contains(sign))
}

/// Returns whether a line looks like a place in a stack trace.
pub(crate) fn is_place(line: &str) -> bool {
    line.starts_with([' ', '\t']) && !line.trim_start().starts_with("what():")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error output of runtimes, and below each text, after `=>`, the line that says what is wrong.
    #[test]
    fn the_line_that_says_what_is_wrong() {
        let cases = include_str!("error_lines.txt")
            .split("----\n")
            .filter(|case| !case.is_empty());
        let mut count = 0;
        for case in cases {
            let (stderr, said) = case.split_once("=> ").unwrap();
            assert_eq!(
                error_line(stderr).as_deref(),
                Some(said.trim_end()),
                "{stderr}"
            );
            count += 1;
        }
        assert_eq!(count, 28);
        assert_eq!(error_line("\n \n"), None);
    }

    #[test]
    fn the_tail_of_a_long_stream() {
        let stream = ('a'..='z')
            .map(|letter| letter.to_string() + "é\n")
            .collect::<String>()
            .repeat(200);
        for size in [1, 7, 1_000, TAIL_MAX, 3 * TAIL_MAX, stream.len()] {
            let mut tail = Tail::default();
            stream
                .as_bytes()
                .chunks(size)
                .for_each(|chunk| tail.push(chunk));
            let text = tail.text();
            assert!(stream.ends_with(&text), "pieces of {size} bytes");
            assert!(
                (TAIL_MAX - 1..=TAIL_MAX).contains(&text.len()),
                "pieces of {size} bytes"
            );
        }
    }

    /// The stack trace of an overflow has a thousand lines.
    #[test]
    fn an_error_before_a_long_trace_is_kept() {
        for (said, place) in [
            (
                "Exception in thread \"main\" java.lang.StackOverflowError",
                "\tat Player.search(Player.java:7)\n",
            ),
            (
                "panic: runtime error: index out of range [3]",
                "main.handleError(0x1)\n\t/home/me/bot.go:3 +0x5e\n",
            ),
        ] {
            for size in [1, 100, 10_000] {
                let mut tail = Tail::default();
                let stream = format!("depth 5\n{said}\n{}", place.repeat(1000));
                stream
                    .as_bytes()
                    .chunks(size)
                    .for_each(|chunk| tail.push(chunk));
                assert_eq!(
                    error_line(&tail.text()).as_deref(),
                    Some(said),
                    "pieces of {size} bytes"
                );
                assert!(tail.text().len() < TAIL_MAX + LINE_MAX);
            }
        }
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut tail = Tail::default();
        tail.push(b"\xa9 one ");
        tail.push(b"two");
        assert_eq!(tail.text(), "\u{fffd} one two");
    }

    /// They are the last words of every Java machine that says nothing else.
    #[test]
    fn what_java_repeats_of_its_environment_is_left_out() {
        let mut tail = Tail::default();
        tail.push(b"Picked up JAVA_TOOL_OPTIONS: -Xmx384m\nno board\n");
        tail.push(b"NOTE: Picked up JDK_JAVA_OPTIONS: -Xlog:disable\n");
        assert_eq!(tail.text(), "no board\n");
    }
}
