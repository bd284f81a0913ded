//! Standard error as it is kept with an answer.

/// The most bytes that are kept with an answer.
const MOST: usize = 16 * 1024;

/// The beginning of a program's standard error since its last answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stderr {
    /// The first bytes, 16 KiB at most.
    pub bytes: Vec<u8>,
    /// The number of bytes after these.
    pub cut: usize,
    /// Whether the last byte, kept or not, ends a line.
    pub ends_line: bool,
}

impl Stderr {
    /// Adds the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let kept = chunk.len().min(MOST - self.bytes.len());
        self.bytes.extend_from_slice(&chunk[..kept]);
        self.cut += chunk.len() - kept;
        if let Some(last) = chunk.last() {
            self.ends_line = *last == b'\n';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_kept_in_whatever_pieces_it_comes() {
        let written = [&b"a=1\n"[..], &[b'x'; MOST], b"end\n"].concat();
        for size in [1, 7, MOST - 1, MOST, written.len()] {
            let mut stderr = Stderr::default();
            for chunk in written.chunks(size) {
                stderr.push(chunk);
            }
            let expected = Stderr {
                bytes: written[..MOST].to_vec(),
                cut: 8,
                ends_line: true,
            };
            assert_eq!(stderr, expected, "pieces of {size} bytes");
        }
    }
}
