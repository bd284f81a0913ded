//! How bytes are cut into lines, for tests and fuzzing.

use std::io::Read as _;

use super::*;

/// Cuts a text into lines that arrives in pieces of the given lengths, over and over. Each piece is
/// read only when no full line is left. Stops at the first line that is too long.
pub fn lines_of(text: &[u8], pieces: &[usize]) -> Vec<Result<Vec<u8>, Failure>> {
    let mut lines = Lines::new(LINE_MAX);
    let (mut rest, mut found) = (text, Vec::new());
    let mut pieces = pieces.iter().cycle();
    loop {
        if let Some(line) = lines.next() {
            let is_last = line.is_err();
            found.push(line.map(|line| lines.buffer[line].to_vec()));
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
mod cases {
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
