//! Any content as results to be rated.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| arena::laws::table(content));
