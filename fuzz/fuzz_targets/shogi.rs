//! Any text as a position in SFEN, and as input of the text program.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &str| arena::laws::shogi(content));
