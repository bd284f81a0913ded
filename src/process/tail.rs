//! A bounded tail of standard error.

/// The most bytes that are kept.
const TAIL_MAX: usize = 4 * 1024;

/// The last [`TAIL_MAX`] bytes of a stream of any length.
#[derive(Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    /// Whether the beginning is lost.
    cut: bool,
}

impl Tail {
    /// Whether nothing came yet.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds what came next in the stream.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        let excess = self.bytes.len().saturating_sub(TAIL_MAX);
        self.cut |= excess > 0;
        self.bytes.drain(..excess);
    }

    /// The tail as text. Bytes that are no UTF-8 are replaced; a character that was cut in two is left out.
    pub(super) fn text(&self) -> String {
        let mut bytes = &self.bytes[..];
        if self.cut {
            // Continuation bytes of UTF-8 are 10xxxxxx, and at most three of them follow one another.
            let torn = bytes.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
            bytes = &bytes[torn..];
        }
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// What stands in a line that says what is wrong, as runtimes and common libraries put it.
const SIGNS: [&str; 8] =
    ["error: ", "Error", "Exception", "panicked", "panic: ", "terminate called", "what():", "Assertion"];

/// The line of a standard error that says what is wrong: the last one with one of the [`SIGNS`] that is no place in a stack
/// trace, or else the last one. A line that ends in a colon goes on with the next. `None` where nothing was written.
pub(crate) fn complaint(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let says = |line: &&str| !line.starts_with("at ") && SIGNS.iter().any(|sign| line.contains(sign));
    let at = lines.iter().rposition(says).or(lines.len().checked_sub(1))?;
    let end = if lines[at].ends_with(':') { lines.len().min(at + 2) } else { at + 1 };
    Some(lines[at..end].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As runtimes wrote it, one after the other: what is told of each is below `=>`.
    #[test]
    fn the_line_that_says_what_is_wrong() {
        let cases = include_str!("complaints.txt").split("----\n").filter(|case| !case.is_empty());
        let mut count = 0;
        for case in cases {
            let (stderr, said) = case.split_once("=> ").unwrap();
            assert_eq!(complaint(stderr).as_deref(), Some(said.trim_end()), "{stderr}");
            count += 1;
        }
        assert_eq!(count, 22);
        assert_eq!(complaint("\n \n"), None);
    }

    #[test]
    fn the_tail_of_a_long_stream() {
        let stream = ('a'..='z').map(|letter| letter.to_string() + "é\n").collect::<String>().repeat(200);
        for size in [1, 7, 1_000, TAIL_MAX, 3 * TAIL_MAX, stream.len()] {
            let mut tail = Tail::default();
            stream.as_bytes().chunks(size).for_each(|chunk| tail.push(chunk));
            let text = tail.text();
            assert!(stream.ends_with(&text), "pieces of {size} bytes");
            assert!((TAIL_MAX - 1..=TAIL_MAX).contains(&text.len()), "pieces of {size} bytes");
        }
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut tail = Tail::default();
        tail.push(b"\xa9 one ");
        tail.push(b"two");
        assert_eq!(tail.text(), "\u{fffd} one two");
    }
}
