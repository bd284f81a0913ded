//! What is kept of standard error: its end, and before it what runtimes say first of a long end.

/// The most bytes that are kept of the end.
const TAIL_MAX: usize = 4 * 1024;
/// The most bytes that are kept of the line before it.
const LINE_MAX: usize = 512;

/// The line in the place of what is not kept.
const LEFT_OUT: &str = "..";

/// How lines begin with which runtimes tell of an error before they write where it was, which may be long.
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

/// The last [`TAIL_MAX`] bytes of a stream of any length, and the last line before them that tells of an error.
#[derive(Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    /// Whether the beginning is lost.
    cut: bool,
    /// The last line of what is lost that begins so.
    told: Vec<u8>,
    /// The line that the loss has reached, as far as it is kept.
    lost: Vec<u8>,
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
        if excess > 0 {
            self.cut = true;
            let kept = self.bytes.split_off(excess);
            let lost = std::mem::replace(&mut self.bytes, kept);
            self.lose(&lost);
        }
    }

    /// Looks for an error in what is lost.
    fn lose(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let room = LINE_MAX - self.lost.len();
            self.lost.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                if BEGINNINGS
                    .iter()
                    .any(|beginning| self.lost.starts_with(beginning.as_bytes()))
                {
                    self.told = std::mem::take(&mut self.lost);
                }
                self.lost.clear();
            }
        }
    }

    /// What is kept as text. Bytes that are no UTF-8 are replaced; a character that was cut in two is left out.
    pub(super) fn text(&self) -> String {
        let mut bytes = &self.bytes[..];
        if self.cut {
            // Continuation bytes of UTF-8 are 10xxxxxx, and at most three of them follow one another.
            let torn = bytes
                .iter()
                .take(3)
                .take_while(|&&byte| byte & 0xC0 == 0x80)
                .count();
            bytes = &bytes[torn..];
        }
        let told = String::from_utf8_lossy(&self.told);
        let before = if told.is_empty() {
            String::new()
        } else {
            format!("{}\n{LEFT_OUT}\n", told.trim_end())
        };
        before + &String::from_utf8_lossy(bytes)
    }
}

/// What stands in a line that says what is wrong, as runtimes and common libraries put it.
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

/// The line of a standard error that says what is wrong: the last one with one of the usual signs that is no place in a stack
/// trace, or else the last one. A line that ends in a colon goes on with the next. `None` where nothing was written.
pub fn complaint(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    // Places in a trace stand further right, or behind a line that says that they come.
    let is_trace = |line: &&str| {
        line.starts_with("goroutine ") || line.starts_with("stack backtrace:") || *line == LEFT_OUT
    };
    let trace = lines.iter().position(is_trace).unwrap_or(lines.len());
    let is_place =
        |line: &str| line.starts_with([' ', '\t']) && !line.trim_start().starts_with("what():");
    let says = |line: &&str| !is_place(line) && SIGNS.iter().any(|sign| line.contains(sign));
    let at = lines[..trace]
        .iter()
        .rposition(says)
        .or_else(|| lines.iter().rposition(says));
    let at = at.or(lines.len().checked_sub(1))?;
    let end = if lines[at].ends_with(':') {
        lines.len().min(at + 2)
    } else {
        at + 1
    };
    Some(
        lines[at..end]
            .iter()
            .map(|line| line.trim())
            .collect::<Vec<_>>()
            .join(" "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As runtimes wrote it, one after the other: what is told of each is below `=>`.
    #[test]
    fn the_line_that_says_what_is_wrong() {
        let cases = include_str!("complaints.txt")
            .split("----\n")
            .filter(|case| !case.is_empty());
        let mut count = 0;
        for case in cases {
            let (stderr, said) = case.split_once("=> ").unwrap();
            assert_eq!(
                complaint(stderr).as_deref(),
                Some(said.trim_end()),
                "{stderr}"
            );
            count += 1;
        }
        assert_eq!(count, 28);
        assert_eq!(complaint("\n \n"), None);
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

    /// A stack that ran over has a thousand places.
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
                    complaint(&tail.text()).as_deref(),
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
}
