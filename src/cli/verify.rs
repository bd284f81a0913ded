//! `arena verify`.

use std::io::Write;

use super::{Failure, VerifyArgs};
use crate::{exit, record, store};

pub(super) fn verify(args: &VerifyArgs) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let (mut games, mut mismatches) = (0_u64, 0_u64);
    for path in &args.files {
        for entry in store::read_records(path).map_err(Failure::input)? {
            let (line, record) = entry.map_err(Failure::input)?;
            games += 1;
            if let Err(mismatch) = record::verify(&record) {
                mismatches += 1;
                let game = record.number.map_or_else(String::new, |number| format!(", game {number}"));
                let _ = writeln!(out, "{}:{line}{game} ({}): {mismatch}", path.display(), record.game);
            }
        }
    }
    let _ = writeln!(out, "{games} games verified, {mismatches} mismatches");
    Ok(if mismatches == 0 { exit::OK } else { exit::CHECK_FAILED })
}
