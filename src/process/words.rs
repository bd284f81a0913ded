//! What a bot writes to standard error, answer by answer, where it is kept.

/// The most bytes that are kept with an answer.
const MOST_PER_ANSWER: usize = 4 * 1024;
/// The most bytes that are kept of a game.
const MOST_PER_GAME: usize = 64 * 1024;

/// Keeps what came since the last answer, within bounds.
#[derive(Debug, Default)]
pub(crate) struct Words {
    bytes: Vec<u8>,
    /// How many bytes of this answer are not kept.
    cut: usize,
    /// How many bytes of the game were handed out.
    kept: usize,
}

impl Words {
    /// Takes what came next.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        let room = MOST_PER_ANSWER
            .min(MOST_PER_GAME - self.kept)
            .saturating_sub(self.bytes.len());
        let taken = chunk.len().min(room);
        self.bytes.extend_from_slice(&chunk[..taken]);
        self.cut += chunk.len() - taken;
    }

    /// What came since the last answer, with a last line that tells how much is cut; `None` where nothing came.
    pub(super) fn take(&mut self) -> Option<String> {
        let (bytes, cut) = (
            std::mem::take(&mut self.bytes),
            std::mem::take(&mut self.cut),
        );
        self.kept += bytes.len();
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if cut > 0 {
            let end = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            text = format!("{text}{end}[arena: {cut} more bytes are cut]\n");
        }
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_told() {
        let mut words = Words::default();
        assert_eq!(words.take(), None);
        words.push(b"a\n");
        words.push(b"b \xff");
        assert_eq!(words.take().unwrap(), "a\nb \u{fffd}");
        words.push(&[b'x'; MOST_PER_ANSWER + 5]);
        assert_eq!(
            words.take().unwrap(),
            "x".repeat(MOST_PER_ANSWER) + "\n[arena: 5 more bytes are cut]\n"
        );
        let mut sum = 0;
        for _ in 0..100 {
            words.push(&[b'x'; MOST_PER_ANSWER]);
            sum += words.take().unwrap().matches('x').count();
        }
        assert!(
            sum < MOST_PER_GAME && sum > MOST_PER_GAME - 2 * MOST_PER_ANSWER,
            "{sum}"
        );
        words.push(b"more");
        assert_eq!(words.take().unwrap(), "[arena: 4 more bytes are cut]\n");
    }
}
