//! Any content as the file of a map.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| arena::laws::map(content));
