//! Any bytes as what a bot writes: its lines do not depend on the pieces in which they come. The
//! first byte decides on these.

#![no_main]

use arena_process::lines_of;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    if let Some((&piece, text)) = content.split_first() {
        let whole = lines_of(text, &[usize::MAX]);
        assert_eq!(lines_of(text, &[usize::from(piece) + 1]), whole);
        for line in whole.into_iter().flatten() {
            assert!(line.len() <= 9_999 && !line.iter().any(|byte| b"\r\n".contains(byte)));
        }
    }
});
