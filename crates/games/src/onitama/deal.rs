//! The cards at the start of a game, drawn from its seed; some deals are redrawn.

use super::{Card, Position};
use crate::rng::{Generator as _, JavaRandom, shuffle};

impl Position {
    /// Returns the starting position of a seed. Only the low 48 bits of the seed matter.
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

/// Draws five cards: white's hand, black's hand, and the centre.
fn draw_cards(rng: &mut JavaRandom) -> [Card; 5] {
    let mut pool: Vec<Card> = Card::all().collect();
    for len in (6..=16).rev() {
        pool.remove(rng.next_int(len) as usize);
    }
    shuffle(&mut pool, rng);
    std::array::from_fn(|at| pool[at])
}

/// Returns true if the original referee rejects this deal and draws again.
fn is_refused(cards: [Card; 5]) -> bool {
    let [a, b, c, d, centre] = cards.map(Card::id);
    REFUSED.iter().any(|(kind, others)| {
        kind.contains(&c)
            && kind.contains(&d)
            && match (a, b, centre) {
                (TIGER, kept, centre) | (kept, TIGER, centre) => {
                    kind.contains(&kept) && others.contains(&centre)
                }
                (a, b, TIGER) => {
                    kind.contains(&a) && others.contains(&b)
                        || kind.contains(&b) && others.contains(&a)
                }
                _ => false,
            }
    })
}

const TIGER: u8 = 15;

/// The rejected deals, by ids. Black has two cards of a kind. White and the centre share the Tiger,
/// a third card of the kind, and one of the others listed with it; if white has the Tiger, white
/// has the third card too.
const REFUSED: [(&[u8], &[u8]); 3] = [
    (&[0, 2, 12], &[5, 8, 9, 11, 13, 14]),
    (&[5, 8, 9], &[0, 2, 11, 12, 13, 14]),
    (&[1, 3, 4, 6, 7], &[1, 3, 4, 6, 7]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};

    use super::*;

    /// All deals by ids, each hand in ascending order.
    fn deals() -> impl Iterator<Item = [u8; 5]> {
        let deals = (0..16_u32.pow(5))
            .map(|number| [16, 12, 8, 4, 0].map(|bits| (number >> bits & 15) as u8));
        deals.filter(|&[a, b, c, d, centre]| {
            let different = [a, b, c, d, centre]
                .into_iter()
                .collect::<BTreeSet<u8>>()
                .len()
                == 5;
            a < b && c < d && different
        })
    }

    #[test]
    fn the_refused_deals_are_those_of_the_original() {
        let mut text = String::new();
        for [a, b, c, d, centre] in
            deals().filter(|&ids| is_refused(ids.map(|id| Card::new(id).unwrap())))
        {
            writeln!(text, "{a} {b} {c} {d} {centre}").unwrap();
        }
        let mut digest = String::new();
        for byte in Sha256::digest(text) {
            write!(digest, "{byte:02x}").unwrap();
        }
        assert_eq!(
            digest,
            "b1166a57ac57ad54cab76310b3dcdcdeabb0856b57644fcfbe8d4720a0fb96bd"
        );
    }

    #[test]
    fn a_refused_deal_is_drawn_again_from_the_same_generator() {
        for (seed, refused) in [
            (1, 0),
            (305, 0),
            (10, 1),
            (765, 1),
            (967, 1),
            (1541, 1),
            (269_753, 2),
            (-3_859_320, 2),
        ] {
            let mut rng = JavaRandom::new(seed);
            let draws: Vec<_> = (0..=refused).map(|_| draw_cards(&mut rng)).collect();
            let count = draws.iter().take_while(|&&cards| is_refused(cards)).count();
            assert_eq!(count, refused, "seed {seed}");
            assert_eq!(
                Position::deal(seed),
                Position::start(draws[refused]),
                "seed {seed}"
            );
        }
        let mut rng = JavaRandom::new(10);
        assert_eq!(draw_cards(&mut rng).map(Card::id), [6, 4, 1, 7, 15]);
    }
}
