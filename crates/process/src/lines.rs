//! Bytes from a bot, cut into lines.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use crate::answer::Failure;

/// The most bytes of a bot's line, without its terminator.
pub(crate) const LINE_MAX: usize = 9_999;

/// The initial size of the buffer. An unfinished line of a bot takes at most [`LINE_MAX`] bytes of
/// it, so there is always room for a read. The buffer grows for programs that may write longer
/// lines.
const SIZE: usize = 16 * 1024;

/// The most characters to show of an unfinished line.
const UNFINISHED_MAX: usize = 160;

/// A bounded buffer that turns bytes into lines. A line ends at LF, CR or CRLF.
#[derive(Default)]
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
            ..Lines::default()
        }
    }

    /// Takes the next full line, as a range for [`Lines::text`]; `None` if more must be read
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

    /// Returns the text of a line, until the next call of [`Lines::space`]. It is only copied if
    /// bytes have to be replaced.
    pub(crate) fn text(&self, line: Range<usize>) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.buffer[line])
    }

    /// Makes a line that was just taken the next one again.
    pub(crate) fn put_back(&mut self, line: &Range<usize>) {
        (self.start, self.seen) = (line.start, line.start);
        self.after_cr = false;
    }

    /// Returns the beginning of a line that has no end yet; `None` if there is none.
    pub(crate) fn unfinished(&self) -> Option<String> {
        let rest = &self.buffer[self.start..self.end];
        let is_line = !rest.is_empty() && !rest.iter().any(|byte| b"\r\n".contains(byte));
        let text = String::from_utf8_lossy(rest);
        is_line.then(|| text.chars().take(UNFINISHED_MAX).collect())
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

#[cfg(any(test, fuzzing))]
pub(crate) mod tests;
