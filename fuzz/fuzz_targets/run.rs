//! Any content as the records of a run that is reported on.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| arena::laws::run(content));
