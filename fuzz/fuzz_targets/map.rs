//! Any content as the file of a map: an error, or a map that keeps its rows and on which a game can be played.

#![no_main]

use std::path::Path;
use std::sync::Arc;

use arena_games::{MAX_SEATS, Maps, Options, kutulu};
use arena::store::parse_map;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    let path = Path::new("map.txt");
    let Ok(maze) = parse_map(path, content) else { return };
    let again = parse_map(path, maze.rows().join("\n").as_bytes()).expect("its rows are a map");
    assert_eq!(again.rows(), maze.rows());
    let options = Options { maps: Maps::One(Arc::new(maze)), ..Options::default() };
    let mut game = (kutulu::SPEC.start)(1, &options).expect("a map can be played on");
    let mut prompt = String::new();
    for answer in ["WAIT", "MOVE 3 3", "YELL", "LIGHT", "PLAN", "LEFT", "UP", "MOVE 0 0"].iter().cycle().take(60) {
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            assert!(prompt.ends_with('\n'));
        }
        game.advance(&[Some(Ok(answer)); MAX_SEATS]);
    }
});
