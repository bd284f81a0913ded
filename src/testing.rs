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
