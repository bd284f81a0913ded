//! Positions as JSON, for those that draw them.

use serde::Serialize;

use super::{Game, Seat};

/// What every frame begins with, see [`Game::frame`].
#[derive(Serialize)]
pub(super) struct Frame<T: Serialize> {
    turn: u32,
    due: Vec<Seat>,
    scores: Vec<i32>,
    reason: Option<&'static str>,
    #[serde(flatten)]
    own: T,
}

/// Appends the frame of a game: what all games have in common, and then its own keys.
pub(super) fn append(game: &impl Game, own: impl Serialize, out: &mut String) {
    let due = game.due().iter().collect();
    let scores = game.standings().iter().map(|standing| standing.score).collect();
    let reason = game.reason().map(<&str>::from);
    append_json(&Frame { turn: game.turn(), due, scores, reason, own }, out);
}

/// Appends a value as JSON.
pub(super) fn append_json(value: &impl Serialize, out: &mut String) {
    // Only maps with keys that are no text fail, and writing to a string does not.
    if let Ok(json) = serde_json::to_string(value) {
        out.push_str(&json);
    }
}
