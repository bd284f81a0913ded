//! Any content as a file of battles.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| arena::laws::battle(content));
