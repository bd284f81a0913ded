//! The part of the bots' standard error that a game keeps.

use std::fmt::Write as _;

use super::{Kept, Player};
use crate::play::metrics::{Metrics, MetricsReader};
use arena_process::Stderr;

/// Maximum number of bytes of text to keep with an answer.
const MOST_PER_ANSWER: usize = 4 * 1024;
/// Maximum number of bytes of text to keep of a game.
const MOST_PER_GAME: usize = 64 * 1024;

/// A reader of the standard error of one seat.
#[derive(Debug, Default)]
pub(super) struct StderrReader {
    listener: MetricsReader,
    /// Number of bytes of text kept so far.
    size: usize,
}

impl StderrReader {
    /// Returns the metrics and the text that came with the player's last answer, if they are kept.
    pub(super) fn take(
        &mut self,
        player: &mut impl Player,
        kept: Kept,
    ) -> (Metrics, Option<Box<str>>) {
        if !kept.metrics && !kept.stderr {
            return (Metrics::new(), None);
        }
        let written = player.take_stderr();
        let metrics = kept.metrics.then(|| self.listener.read(&written));
        let text = kept.stderr.then(|| self.text(&written));
        (metrics.unwrap_or_default(), text.flatten())
    }

    /// Returns the text of an answer; `None` if it is empty. A last line says how much is cut.
    fn text(&mut self, written: &Stderr) -> Option<Box<str>> {
        let room = MOST_PER_ANSWER.min(MOST_PER_GAME - self.size);
        let bytes = &written.bytes[..written.bytes.len().min(room)];
        let cut = written.bytes.len() - bytes.len() + written.cut;
        self.size += bytes.len();
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        if cut > 0 {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            let _ = writeln!(text, "[arena: {cut} more bytes are cut]");
        }
        (!text.is_empty()).then(|| text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_told() {
        let mut notes = StderrReader::default();
        let mut text = |bytes: &[u8], cut: usize| {
            notes.text(&Stderr {
                bytes: bytes.to_vec(),
                cut,
                ends_line: false,
            })
        };
        assert_eq!(text(b"", 0), None);
        assert_eq!(&*text(b"a\nb \xff", 0).unwrap(), "a\nb \u{fffd}");
        assert_eq!(
            text(&[b'x'; MOST_PER_ANSWER + 5], 2).unwrap().into_string(),
            "x".repeat(MOST_PER_ANSWER) + "\n[arena: 7 more bytes are cut]\n"
        );
        let mut sum = 0;
        for _ in 0..100 {
            let text = text(&[b'x'; MOST_PER_ANSWER], 0).unwrap();
            sum += text.matches('x').count();
        }
        assert!(
            sum < MOST_PER_GAME && sum > MOST_PER_GAME - 2 * MOST_PER_ANSWER,
            "{sum}"
        );
        assert_eq!(
            &*text(b"more", 0).unwrap(),
            "[arena: 4 more bytes are cut]\n"
        );
    }
}
