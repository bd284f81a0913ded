//! Digests of files.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::input::open_input;

/// Returns the SHA-256 of a file, in hexadecimal. The file may be larger than the memory.
///
/// # Errors
/// If it isn't a regular file or can't be read.
pub fn hash_file(path: &Path) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 18, open_input(path)?);
    let mut hasher = Sha256::new();
    loop {
        let chunk = file.fill_buf()?;
        if chunk.is_empty() {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(chunk);
        let read = chunk.len();
        file.consume(read);
    }
}

/// Returns bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
