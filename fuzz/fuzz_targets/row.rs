//! Any text as a row of games.csv.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| arena::laws::row(line));
