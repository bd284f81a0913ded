//! Which cards a game starts with: drawn from its seed, and some deals refused.

use super::{Card, Position};
use crate::rng::{Generator as _, JavaRandom, shuffle};

impl Position {
    /// The position in which the game with this seed starts. Only the low 48 bits of the seed matter.
    pub fn deal(seed: i64) -> Position {
        let mut rng = JavaRandom::new(seed);
        loop {
            let cards = draw_cards(&mut rng);
            if !is_refused(cards) {
                return Position::start(cards);
            }
        }
    }
}

/// The five cards drawn next, refused or not: white's hand, black's hand, and the centre.
fn draw_cards(rng: &mut JavaRandom) -> [Card; 5] {
    let mut pool = Card::ALL.to_vec();
    for len in (6..=16).rev() {
        pool.remove(rng.next_int(len) as usize);
    }
    shuffle(&mut pool, rng);
    std::array::from_fn(|at| pool[at])
}

/// Whether the original referee draws again rather than deal these cards.
fn is_refused(cards: [Card; 5]) -> bool {
    let [a, b, c, d, centre] = cards.map(Card::id);
    REFUSED.contains(&[a.min(b), a.max(b), c.min(d), c.max(d), centre])
}

/// The deals that are refused, by ids: each hand in ascending order, and the centre.
#[rustfmt::skip]
const REFUSED: [[u8; 5]; 162] = [
    [0, 5, 2, 12, 15], [0, 5, 8, 9, 15], [0, 8, 2, 12, 15], [0, 8, 5, 9, 15], [0, 9, 2, 12, 15], [0, 9, 5, 8, 15],
    [0, 11, 2, 12, 15], [0, 13, 2, 12, 15], [0, 14, 2, 12, 15], [0, 15, 2, 12, 5], [0, 15, 2, 12, 8], [0, 15, 2, 12, 9],
    [0, 15, 2, 12, 11], [0, 15, 2, 12, 13], [0, 15, 2, 12, 14], [1, 3, 4, 6, 15], [1, 3, 4, 7, 15], [1, 3, 6, 7, 15],
    [1, 4, 3, 6, 15], [1, 4, 3, 7, 15], [1, 4, 6, 7, 15], [1, 6, 3, 4, 15], [1, 6, 3, 7, 15], [1, 6, 4, 7, 15],
    [1, 7, 3, 4, 15], [1, 7, 3, 6, 15], [1, 7, 4, 6, 15], [1, 15, 3, 4, 6], [1, 15, 3, 4, 7], [1, 15, 3, 6, 4],
    [1, 15, 3, 6, 7], [1, 15, 3, 7, 4], [1, 15, 3, 7, 6], [1, 15, 4, 6, 3], [1, 15, 4, 6, 7], [1, 15, 4, 7, 3],
    [1, 15, 4, 7, 6], [1, 15, 6, 7, 3], [1, 15, 6, 7, 4], [2, 5, 0, 12, 15], [2, 5, 8, 9, 15], [2, 8, 0, 12, 15],
    [2, 8, 5, 9, 15], [2, 9, 0, 12, 15], [2, 9, 5, 8, 15], [2, 11, 0, 12, 15], [2, 13, 0, 12, 15], [2, 14, 0, 12, 15],
    [2, 15, 0, 12, 5], [2, 15, 0, 12, 8], [2, 15, 0, 12, 9], [2, 15, 0, 12, 11], [2, 15, 0, 12, 13], [2, 15, 0, 12, 14],
    [3, 4, 1, 6, 15], [3, 4, 1, 7, 15], [3, 4, 6, 7, 15], [3, 6, 1, 4, 15], [3, 6, 1, 7, 15], [3, 6, 4, 7, 15],
    [3, 7, 1, 4, 15], [3, 7, 1, 6, 15], [3, 7, 4, 6, 15], [3, 15, 1, 4, 6], [3, 15, 1, 4, 7], [3, 15, 1, 6, 4],
    [3, 15, 1, 6, 7], [3, 15, 1, 7, 4], [3, 15, 1, 7, 6], [3, 15, 4, 6, 1], [3, 15, 4, 6, 7], [3, 15, 4, 7, 1],
    [3, 15, 4, 7, 6], [3, 15, 6, 7, 1], [3, 15, 6, 7, 4], [4, 6, 1, 3, 15], [4, 6, 1, 7, 15], [4, 6, 3, 7, 15],
    [4, 7, 1, 3, 15], [4, 7, 1, 6, 15], [4, 7, 3, 6, 15], [4, 15, 1, 3, 6], [4, 15, 1, 3, 7], [4, 15, 1, 6, 3],
    [4, 15, 1, 6, 7], [4, 15, 1, 7, 3], [4, 15, 1, 7, 6], [4, 15, 3, 6, 1], [4, 15, 3, 6, 7], [4, 15, 3, 7, 1],
    [4, 15, 3, 7, 6], [4, 15, 6, 7, 1], [4, 15, 6, 7, 3], [5, 11, 8, 9, 15], [5, 12, 0, 2, 15], [5, 12, 8, 9, 15],
    [5, 13, 8, 9, 15], [5, 14, 8, 9, 15], [5, 15, 8, 9, 0], [5, 15, 8, 9, 2], [5, 15, 8, 9, 11], [5, 15, 8, 9, 12],
    [5, 15, 8, 9, 13], [5, 15, 8, 9, 14], [6, 7, 1, 3, 15], [6, 7, 1, 4, 15], [6, 7, 3, 4, 15], [6, 15, 1, 3, 4],
    [6, 15, 1, 3, 7], [6, 15, 1, 4, 3], [6, 15, 1, 4, 7], [6, 15, 1, 7, 3], [6, 15, 1, 7, 4], [6, 15, 3, 4, 1],
    [6, 15, 3, 4, 7], [6, 15, 3, 7, 1], [6, 15, 3, 7, 4], [6, 15, 4, 7, 1], [6, 15, 4, 7, 3], [7, 15, 1, 3, 4],
    [7, 15, 1, 3, 6], [7, 15, 1, 4, 3], [7, 15, 1, 4, 6], [7, 15, 1, 6, 3], [7, 15, 1, 6, 4], [7, 15, 3, 4, 1],
    [7, 15, 3, 4, 6], [7, 15, 3, 6, 1], [7, 15, 3, 6, 4], [7, 15, 4, 6, 1], [7, 15, 4, 6, 3], [8, 11, 5, 9, 15],
    [8, 12, 0, 2, 15], [8, 12, 5, 9, 15], [8, 13, 5, 9, 15], [8, 14, 5, 9, 15], [8, 15, 5, 9, 0], [8, 15, 5, 9, 2],
    [8, 15, 5, 9, 11], [8, 15, 5, 9, 12], [8, 15, 5, 9, 13], [8, 15, 5, 9, 14], [9, 11, 5, 8, 15], [9, 12, 0, 2, 15],
    [9, 12, 5, 8, 15], [9, 13, 5, 8, 15], [9, 14, 5, 8, 15], [9, 15, 5, 8, 0], [9, 15, 5, 8, 2], [9, 15, 5, 8, 11],
    [9, 15, 5, 8, 12], [9, 15, 5, 8, 13], [9, 15, 5, 8, 14], [11, 12, 0, 2, 15], [12, 13, 0, 2, 15], [12, 14, 0, 2, 15],
    [12, 15, 0, 2, 5], [12, 15, 0, 2, 8], [12, 15, 0, 2, 9], [12, 15, 0, 2, 11], [12, 15, 0, 2, 13], [12, 15, 0, 2, 14],
];

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_refused_deals_are_those_of_the_original() {
        let mut text = String::new();
        for [a, b, c, d, centre] in REFUSED {
            writeln!(text, "{a} {b} {c} {d} {centre}").unwrap();
        }
        let mut digest = String::new();
        for byte in Sha256::digest(text) {
            write!(digest, "{byte:02x}").unwrap();
        }
        assert_eq!(digest, "b1166a57ac57ad54cab76310b3dcdcdeabb0856b57644fcfbe8d4720a0fb96bd");
    }

    #[test]
    fn a_refused_deal_is_drawn_again_from_the_same_generator() {
        for (seed, refused) in [(1, 0), (305, 0), (10, 1), (765, 1), (967, 1), (1541, 1), (269_753, 2), (-3_859_320, 2)]
        {
            let mut rng = JavaRandom::new(seed);
            let draws: Vec<_> = (0..=refused).map(|_| draw_cards(&mut rng)).collect();
            let count = draws.iter().take_while(|&&cards| is_refused(cards)).count();
            assert_eq!(count, refused, "seed {seed}");
            assert_eq!(Position::deal(seed), Position::start(draws[refused]), "seed {seed}");
        }
        let mut rng = JavaRandom::new(10);
        assert_eq!(draw_cards(&mut rng).map(Card::id), [6, 4, 1, 7, 15]);
    }
}
