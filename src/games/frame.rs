//! Positions as JSON, for those that draw them.

use serde::{Serialize, Serializer};

use super::{Game, Seat, SeatSet};

/// What every frame begins with, see [`Game::frame`].
#[derive(Serialize)]
pub(super) struct Frame<T: Serialize> {
    turn: u32,
    #[serde(serialize_with = "seats")]
    due: SeatSet,
    scores: Vec<i32>,
    reason: Option<&'static str>,
    #[serde(flatten)]
    own: T,
}

/// Appends the frame of a game: what all games have in common, and then its own keys.
pub(super) fn append(game: &impl Game, own: impl Serialize, out: &mut String) {
    let scores = game.standings().iter().map(|standing| standing.score).collect();
    let reason = game.reason().map(<&str>::from);
    append_json(&Frame { turn: game.turn(), due: game.due(), scores, reason, own }, out);
}

/// Appends a value as JSON.
pub(super) fn append_json(value: &impl Serialize, out: &mut String) {
    // Only maps with keys that are no text fail, and writing to a string does not.
    if let Ok(json) = serde_json::to_string(value) {
        out.push_str(&json);
    }
}

fn seats<S: Serializer>(set: &SeatSet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(set.iter().collect::<Vec<Seat>>())
}
