//! Openings, for games in which each turn is one action out of a list.

use super::rng::{self, SplitMix64};
use super::{Game, Opening, StartError};

/// How many openings are drawn before giving up: one that ends the game is drawn again.
const ATTEMPTS: u32 = 1000;

/// What an opening needs of a game.
pub(super) trait Open: Game + Sized {
    /// What is played in a turn.
    type Action: Copy;

    /// The game before its first turn.
    fn new(seed: i64) -> Self;

    /// The legal actions of this turn; none once the game is over.
    fn actions(&self) -> &[Self::Action];

    /// The legal action that is written like this.
    fn find(&self, text: &str) -> Option<Self::Action>;

    /// Plays a legal action and keeps it for [`Game::opening`].
    fn play_opening(&mut self, action: Self::Action);
}

/// A game whose opening has been played.
///
/// # Errors
/// [`StartError`] when the opening is illegal or ends the game.
pub(super) fn start<G: Open>(seed: i64, opening: &Opening) -> Result<G, StartError> {
    match opening {
        Opening::Plies(0) => Ok(G::new(seed)),
        Opening::Plies(plies) => draw(seed, *plies),
        Opening::Moves(moves) => play(seed, moves),
    }
}

fn draw<G: Open>(seed: i64, plies: u32) -> Result<G, StartError> {
    // Apart from the game's own generators, so that these draw as they would for bots that play the same actions.
    let mut rng = SplitMix64::new(seed.cast_unsigned());
    for _ in 0..ATTEMPTS {
        let mut game = G::new(seed);
        for _ in 0..plies {
            let Some(&action) = rng::choose(game.actions(), &mut rng) else { break };
            game.play_opening(action);
        }
        if game.reason().is_none() {
            return Ok(game);
        }
    }
    Err(StartError::NoOpening { plies })
}

fn play<G: Open>(seed: i64, moves: &[String]) -> Result<G, StartError> {
    let mut game = G::new(seed);
    for (number, text) in (1..).zip(moves) {
        let illegal = || StartError::IllegalOpening { number, action: text.clone() };
        let action = game.find(text).ok_or_else(illegal)?;
        game.play_opening(action);
        if game.reason().is_some() {
            return Err(StartError::OpeningEndsGame { plies: number });
        }
    }
    Ok(game)
}
