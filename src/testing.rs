//! What tests of several modules need.

use std::path::{Path, PathBuf};

use arena_games::GameSpec;

/// The project's own folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The file with the games of a game's original referee.
pub(crate) fn golden_file(spec: &GameSpec) -> PathBuf {
    root()
        .join("crates/games/tests/golden")
        .join(&spec.id)
        .with_extension("jsonl.gz")
}

/// The number after these words in a document, in digits or as a word.
pub(crate) fn promised(page: &str, words: &str) -> u64 {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    let (_, number) = text.split_once(words).expect(words);
    match number.split_whitespace().next().unwrap() {
        "three" => 3,
        "six" => 6,
        "twenty" => 20,
        digits => digits.replace(',', "").parse().expect(digits),
    }
}
