//! Dice Shogi: MiniShogi with a die that decides the file to move to. It has no repetition rule.
//!
//! A roll from 1 to 5 offers the legal moves to that file. A roll of 6, or a file without legal
//! moves, offers all legal moves.

use super::referee::Referee;
use super::rng::{Generator as _, Sha1Prng, SplitMix64, shuffle};
use super::shogi::Move;
use super::shogi::referee::{Shogi, Variant};
use super::{GameSpec, Listing};

/// Returns the spec of Dice Shogi.
pub fn spec() -> GameSpec {
    GameSpec {
        listing: Listing::Unordered,
        ..DiceShogi::spec("dice_shogi", "Dice Shogi")
    }
}

/// A running game of Dice Shogi.
pub type DiceShogi = Referee<Shogi<Dice>>;

/// The addition of Dice Shogi to the common rules: the die.
#[derive(Clone, Debug)]
pub struct Dice {
    /// The generator of the rolls, one draw per turn. `None` for the seed 0, which rolls only
    /// sixes.
    rolls: Option<Sha1Prng>,
    /// The generator for the order of lists and the answers to `random`, which the original leaves
    /// to chance. It is separate so that rolls don't depend on it.
    lists: SplitMix64,
    /// The roll of this turn, from 1 to 6.
    die: u32,
}

impl Variant for Dice {
    fn new(seed: i64) -> Dice {
        let rolls = (seed != 0).then(|| Sha1Prng::new(seed));
        Dice {
            rolls,
            lists: SplitMix64::new(seed.cast_unsigned() ^ u64::from_be_bytes(*b"the list")),
            die: 6,
        }
    }

    fn offer(&mut self, moves: &mut Vec<Move>) {
        self.die = self.rolls.as_mut().map_or(6, |rng| rng.next_int(6) + 1);
        let die = self.die;
        if moves
            .iter()
            .any(|action| u32::from(action.to().file()) == die)
        {
            moves.retain(|action| u32::from(action.to().file()) == die);
        }
        shuffle(moves, &mut self.lists);
    }

    fn choose(&mut self, offered: &mut [Move]) {
        shuffle(offered, &mut self.lists);
    }

    fn die(&self) -> Option<u32> {
        Some(self.die)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Opening};

    fn prompt(game: &DiceShogi) -> Vec<String> {
        let mut text = String::new();
        game.due()
            .iter()
            .for_each(|seat| game.prompt(seat, &mut text));
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn dice_are_rolled_as_published() {
        for (seed, expected) in [
            (1, [5, 4, 5, 6, 3, 6, 3, 5, 5, 2]),
            (42, [3, 2, 4, 5, 4, 2, 1, 1, 5, 1]),
            (-1, [3, 2, 6, 5, 1, 1, 1, 3, 2, 6]),
            (123_456_789_012_345, [1, 1, 4, 1, 1, 2, 1, 1, 4, 6]),
            (i64::MIN, [6, 2, 4, 5, 1, 6, 6, 6, 5, 4]),
            (0, [6; 10]),
        ] {
            let mut game = DiceShogi::start(seed, &Opening::default()).unwrap();
            for (turn, die) in (1..).zip(expected) {
                let lines = prompt(&game);
                let before = if turn <= 2 { 9 } else { 7 };
                assert_eq!(lines[before], die.to_string(), "seed {seed}, turn {turn}");
                let offered = &lines[before + 3..];
                let files: Vec<u32> = offered
                    .iter()
                    .map(|action| u32::from(action.as_bytes()[2] - b'0'))
                    .collect();
                assert!(
                    die == 6 || files.iter().all(|&file| file == die) || !files.contains(&die),
                    "{lines:?}"
                );
                // The answers must not change the rolls.
                let reply = if turn % 3 == 0 { &offered[0] } else { "random" };
                game.advance(&[Some(Ok(reply)); 4]);
            }
        }
    }

    /// The example of the rules, word for word but for the order of the actions.
    #[test]
    fn the_first_prompts_for_seed_1() {
        let mut game = DiceShogi::start(1, &Opening::default()).unwrap();
        for (expected, actions, reply) in [
            (
                "0 5 rbsgk ....p ..... P.... KGSBR - - 5 none 2",
                vec!["2552", "5453"],
                "2552",
            ),
            (
                "1 5 rbsgk B...p ..... P.... KGS.R - - 4 2552 1",
                vec!["3142"],
                "3142",
            ),
            (
                "rb.gk Bs..p ..... P.... KGS.R - - 5 3142 1",
                vec!["5453"],
                "5453",
            ),
        ] {
            let mut lines = prompt(&game);
            let mut listed = lines.split_off(lines.len() - actions.len());
            listed.sort_unstable();
            assert_eq!(
                (lines.join(" "), listed),
                (
                    expected.to_owned(),
                    actions.into_iter().map(str::to_owned).collect()
                )
            );
            game.advance(&[Some(Ok(reply)); 4]);
        }
    }
}
