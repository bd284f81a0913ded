//! Bytes from a bot, cut into lines.

#[cfg(any(test, fuzzing))]
use std::io::Read as _;
use std::ops::Range;

use memchr::memchr2;

use crate::answer::Failure;

/// The most bytes of a bot's line, without its terminator.
pub(crate) const LINE_MAX: usize = 9_999;

/// The initial size of the buffer. An unfinished line of a bot takes at most [`LINE_MAX`] bytes of
/// it, so there is always room for a read. The buffer grows for programs that may write longer
/// lines.
const SIZE: usize = 16 * 1024;

/// A bounded buffer that turns bytes into lines. A line ends at LF, CR or CRLF.
pub(crate) struct Lines {
    /// The most bytes of a line, without its terminator.
    longest: usize,
    buffer: Vec<u8>,
    /// Index of the first unused byte.
    start: usize,
    /// End of the bytes that were searched for a terminator, so that no byte is searched twice.
    seen: usize,
    /// Index of the first free byte.
    end: usize,
    /// Whether the last line ended at a CR. If an LF comes next, however late, it belongs to that
    /// line.
    after_cr: bool,
}

impl Lines {
    /// Creates a buffer for lines of at most `longest` bytes, without their terminators.
    pub(crate) fn new(longest: usize) -> Lines {
        Lines {
            longest,
            buffer: vec![0; SIZE],
            start: 0,
            seen: 0,
            end: 0,
            after_cr: false,
        }
    }

    /// Takes the next full line, as a range for [`Lines::bytes`]; `None` if more must be read
    /// first.
    pub(crate) fn next(&mut self) -> Option<Result<Range<usize>, Failure>> {
        if self.after_cr && self.start < self.end {
            self.after_cr = false;
            if self.buffer[self.start] == b'\n' {
                self.start += 1;
                self.seen = self.start;
            }
        }
        let unseen = &self.buffer[self.seen..self.end];
        let Some(at) = memchr2(b'\n', b'\r', unseen) else {
            self.seen = self.end;
            return (self.end - self.start > self.longest).then_some(Err(Failure::TooLong));
        };
        let line = self.start..self.seen + at;
        self.after_cr = unseen[at] == b'\r';
        self.start = line.end + 1;
        self.seen = self.start;
        Some(if line.len() > self.longest {
            Err(Failure::TooLong)
        } else {
            Ok(line)
        })
    }

    /// Returns the bytes of a line. They are valid until the next call of [`Lines::space`].
    pub(crate) fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    /// Makes a line that was just taken the next one again.
    pub(crate) fn put_back(&mut self, line: &Range<usize>) {
        (self.start, self.seen) = (line.start, line.start);
        self.after_cr = false;
    }

    /// Returns the bytes after the last line that was taken.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the free part of the buffer, to read into. It is never empty after [`Lines::next`]
    /// returned `None`.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        self.buffer.copy_within(self.start..self.end, 0);
        self.seen -= self.start;
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        &mut self.buffer[self.end..]
    }

    /// Notes that the first `count` bytes of [`Lines::space`] were filled.
    pub(crate) fn filled(&mut self, count: usize) {
        self.end += count;
    }
}

/// Cuts a text into lines that arrives in pieces of the given lengths, over and over. Each piece is
/// read only when no full line is left. Stops at the first line that is too long.
#[cfg(any(test, fuzzing))]
pub fn lines_of(text: &[u8], pieces: &[usize]) -> Vec<Result<Vec<u8>, Failure>> {
    let mut lines = Lines::new(LINE_MAX);
    let (mut rest, mut found) = (text, Vec::new());
    let mut pieces = pieces.iter().cycle();
    loop {
        if let Some(line) = lines.next() {
            let is_last = line.is_err();
            found.push(line.map(|line| lines.bytes(line).to_vec()));
            if is_last {
                return found;
            }
            continue;
        }
        if rest.is_empty() {
            return found;
        }
        let space = lines.space();
        let room = space.len().min(*pieces.next().unwrap_or(&1));
        debug_assert!(room > 0, "there is always room to read");
        let count = rest.read(&mut space[..room]).unwrap_or(0);
        lines.filled(count);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_longest_line() {
        for terminator in ["\n", "\r", "\r\n"] {
            for pieces in [&[1][..], &[SIZE], &[7, 4096]] {
                let fits = "x".repeat(LINE_MAX) + terminator + "next\n";
                let expected = vec![Ok(vec![b'x'; LINE_MAX]), Ok(b"next".to_vec())];
                assert_eq!(lines_of(fits.as_bytes(), pieces), expected);
                let exceeds = "x".repeat(LINE_MAX + 1) + terminator;
                assert_eq!(
                    lines_of(exceeds.as_bytes(), pieces),
                    [Err(Failure::TooLong)]
                );
            }
        }
        let unfinished = "x".repeat(LINE_MAX);
        assert_eq!(lines_of(unfinished.as_bytes(), &[SIZE]), []);
        assert_eq!(
            lines_of((unfinished + "x").as_bytes(), &[SIZE]),
            [Err(Failure::TooLong)]
        );
    }

    /// A referee's line may be longer than the buffer. The text after it isn't lost.
    #[test]
    fn long_lines() {
        let long = "x".repeat(5 * SIZE);
        let mut lines = Lines::new(5 * SIZE);
        let text = format!("{long}\nnext\n{long}x");
        let (mut rest, mut found) = (text.as_bytes(), Vec::new());
        loop {
            match lines.next() {
                Some(Ok(line)) => found.push(line.len()),
                Some(Err(fault)) => break assert_eq!(fault, Failure::TooLong),
                None => {
                    let space = lines.space();
                    let count = space.len().min(rest.len());
                    assert!(count > 0, "the last line is too long");
                    space[..count].copy_from_slice(&rest[..count]);
                    lines.filled(count);
                    rest = &rest[count..];
                }
            }
        }
        assert_eq!(found, [long.len(), 4]);
    }

    proptest! {
        /// However the bytes arrive, the lines are those of the text with every CRLF and CR
        /// replaced by LF.
        #[test]
        fn lines_do_not_depend_on_the_pieces(
            text in "([a-c\u{e9}]{0,3}(\n|\r|\r\n)){0,40}[a-c]{0,3}",
            pieces in prop::collection::vec(1_usize..9, 1..9),
        ) {
            let unix = text.replace("\r\n", "\n").replace('\r', "\n");
            let mut expected: Vec<&str> = unix.split('\n').collect();
            expected.pop();
            let expected: Vec<_> = expected.into_iter().map(|line| Ok(line.as_bytes().to_vec())).collect();
            prop_assert_eq!(lines_of(text.as_bytes(), &pieces), expected);
        }
    }
}
