//! Any text as plan.toml.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &str| arena::laws::plan(content));
