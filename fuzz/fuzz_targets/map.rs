//! Any content as the file of a map: an error, or a map that keeps its rows and on which a game can be played.

#![no_main]

use std::sync::Arc;

use arena_games::File;
use arena_games::kutulu::{Kutulu, Maps, SEATS, read_map};
use arena_games::Game as _;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    let file = |content: &[u8]| File { path: "map.txt".into(), content: content.to_vec() };
    let Ok(maze) = read_map(&file(content)) else { return };
    let again = read_map(&file(maze.rows().join("\n").as_bytes())).expect("its rows are a map");
    assert_eq!(again.rows(), maze.rows());
    let mut game = Kutulu::start(1, &Maps::one(Arc::new(maze)));
    let mut prompt = String::new();
    for answer in ["WAIT", "MOVE 3 3", "YELL", "LIGHT", "PLAN", "LEFT", "UP", "MOVE 0 0"].iter().cycle().take(60) {
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            assert!(prompt.ends_with('\n'));
        }
        game.advance(&[Some(Ok(answer)); SEATS]);
    }
});
