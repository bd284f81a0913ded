//! Any text as a line of records.jsonl.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| arena::laws::record(line));
