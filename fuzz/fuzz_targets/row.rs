//! Any text as a row of games.csv: an error, or a row that is written as one that reads the same.

#![no_main]

use arena::store::GameRow;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let Ok(row) = GameRow::parse_line(line) else { return };
    let written = row.to_line().expect("a row can be written");
    let again = GameRow::parse_line(&written).expect("what is written is a row");
    assert_eq!(again.to_line().expect("a row can be written"), written);
});
