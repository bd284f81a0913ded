//! Dice Shogi: Mini Shogi in which a die tells the file to move to. There is no repetition rule.
//!
//! A die from 1 to 5 offers the legal moves to that file; a 6, or a file without any, offers all of them.

use std::fmt::Write as _;
use std::time::Duration;

use super::GameSpec;
use super::rng::{Generator as _, Sha1Prng, SplitMix64, shuffle};
use super::shogi::Move;
use super::shogi::referee::{self, Referee, Variant};

/// Dice Shogi.
pub static SPEC: GameSpec = GameSpec {
    id: "dice_shogi",
    title: "Dice Shogi",
    seats: 2,
    first_turn: Duration::from_secs(1),
    turn: Duration::from_millis(100),
    has_opening: true,
    actions_unordered: true,
    start: referee::start::<Rules>,
};

/// A running game of Dice Shogi.
pub type DiceShogi = Referee<Rules>;

/// What Dice Shogi adds to the common rules: the die.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The generator of the rolls, one draw per turn. None for the seed 0, with which every roll is a 6.
    dice: Option<Sha1Prng>,
    /// The order of the lists and the answers to `random`, which the original leaves to chance. They have a
    /// generator of their own, for the rolls must not depend on them.
    lists: SplitMix64,
    die: u8,
}

impl Variant for Rules {
    fn new(seed: i64) -> Rules {
        let dice = (seed != 0).then(|| Sha1Prng::new(seed));
        Rules { dice, lists: SplitMix64::new(seed.cast_unsigned() ^ u64::from_be_bytes(*b"the list")), die: 6 }
    }

    fn offer(&mut self, moves: &mut Vec<Move>) {
        self.die = self.dice.as_mut().map_or(6, |dice| dice.next_int(6) as u8 + 1);
        let on_file = |action: &Move| action.to().file() == self.die;
        if moves.iter().any(on_file) {
            moves.retain(on_file);
        }
        shuffle(moves, &mut self.lists);
    }

    fn choose(&mut self, offered: &mut [Move]) {
        shuffle(offered, &mut self.lists);
    }

    fn print(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", self.die);
    }
}
