//! Any text as a config: a plan, or a message.

#![no_main]

use arena::config::{Config, Outside, Overrides};
use arena_games::{File, Folder, Games, Wanted};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let read_folder = |_: Wanted<'_>| {
        let file = File { path: "a.txt".into(), content: b"SSSS".to_vec() };
        Ok(Folder { digest: "d".into(), files: vec![file] })
    };
    let outside = Outside { find_program: &|_| Ok(()), read_folder: &read_folder };
    let plan =
        Config::parse("fuzz.toml", text, &Games::standard()).and_then(|config| config.plan(&Overrides::default(), outside));
    match plan {
        Ok(plan) => assert!(!plan.games.is_empty() && plan.bots.len() > 1),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
