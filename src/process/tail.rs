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

#[cfg(test)]
mod tests {
    use super::*;

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
