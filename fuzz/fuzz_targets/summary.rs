//! Any content as summary.json.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| arena::laws::summary(content));
