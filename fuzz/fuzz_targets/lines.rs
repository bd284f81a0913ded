//! Any bytes as what a bot writes.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| arena::fuzzing::lines(content));
