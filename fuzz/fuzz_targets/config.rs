//! Any text as a config: a plan, or a message.

#![no_main]

use std::sync::Arc;

use arena::config::{Config, Outside, Overrides};
use arena_games;
use arena_games::kutulu::{MapSet, own_maps};
use arena::store::MapFolder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let read_maps = |_: &std::path::Path| {
        let mazes = own_maps().iter().map(Arc::clone).collect();
        Ok(MapFolder { maps: MapSet { folder: "maps".into(), digest: "d".into(), mazes }, names: Vec::new(), warnings: Vec::new() })
    };
    let outside = Outside { find_program: &|_| Ok(()), read_maps: &read_maps };
    let plan =
        Config::parse("fuzz.toml", text, games::ALL).and_then(|config| config.plan(&Overrides::default(), outside));
    match plan {
        Ok(plan) => assert!(!plan.games.is_empty() && plan.bots.len() > 1),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
