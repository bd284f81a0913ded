//! MiniShogi: shogi on five by five squares.
//!
//! The third occurrence of a position ends the game. The side to move wins if it is in check, else
//! player 1 wins.

use super::referee::Referee;
use super::rng::{Sha1Prng, shuffle};
use super::shogi::referee::{MAX_ROUNDS, Shogi, Variant};
use super::shogi::{Key, Move, Position};
use super::{GameSpec, Reason};

/// Returns the spec of MiniShogi.
pub fn spec() -> GameSpec {
    GameSpec {
        seed_decides: false,
        ..MiniShogi::spec("minishogi", "MiniShogi")
    }
}

/// A running game of MiniShogi.
pub type MiniShogi = Referee<Shogi<Repetition>>;

/// The additions of MiniShogi to the common rules: shuffled lists and repetition.
#[derive(Clone, Debug)]
pub struct Repetition {
    rng: Sha1Prng,
    /// Every position so far, including the start.
    history: Vec<Key>,
}

impl Variant for Repetition {
    fn new(seed: i64) -> Repetition {
        let mut history = Vec::with_capacity(MAX_ROUNDS as usize + 1);
        history.push(Position::start().key());
        Repetition {
            rng: Sha1Prng::new(seed),
            history,
        }
    }

    fn offer(&mut self, moves: &mut Vec<Move>) {
        shuffle(moves, &mut self.rng);
    }

    /// Shuffles the list of the prompt once more.
    fn choose(&mut self, offered: &mut [Move]) {
        shuffle(offered, &mut self.rng);
    }

    fn reached(&mut self, position: &Position) -> Option<Reason> {
        let key = position.key();
        self.history.push(key);
        if self.history.iter().filter(|&&past| past == key).count() < 3 {
            return None;
        }
        // Only this position counts, not whether every move of the cycle gave check.
        Some(if position.in_check() {
            Reason::PerpetualCheck
        } else {
            Reason::Repetition
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Opening};

    /// The example of the rules, word for word.
    #[test]
    fn the_first_prompts_for_seed_1() {
        let mut game = MiniShogi::start(1, &Opening::default()).unwrap();
        let mut prompt = String::new();
        game.prompt(0, &mut prompt);
        let first = "0 5 rbsgk ....p ..... P.... KGSBR - - none 14 \
                     2543 4544 2552 5453 1514 1513 5544 3544 1512 2534 2514 3534 3524 4534 ";
        assert_eq!(prompt, first.replace(' ', "\n"));
        game.prompt(1, &mut prompt);
        assert_eq!(
            prompt,
            first.replace(' ', "\n"),
            "the other player reads nothing"
        );

        game.advance(&[Some(Ok("2543")), None]);
        prompt.clear();
        game.prompt(1, &mut prompt);
        let second = "1 5 rbsgk ....p .B... P.... KGS.R - - 2543 14 \
                      3122 2132 3142 4152 1122 4132 1213 4114 3132 5153 4123 5152 5154 2122 ";
        assert_eq!(prompt, second.replace(' ', "\n"));
    }
}
