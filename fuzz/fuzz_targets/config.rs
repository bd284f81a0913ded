//! Any text as a config.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| arena::laws::config(text));
