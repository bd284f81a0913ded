//! Captured pieces.

use super::Role;

/// Pieces in hand, in the order of their capture.
///
/// Two hands are equal if their order is equal too; [`Hand::counts`] ignores the order.
// Three bits per piece, the first captured lowest. No role in hand has the number 0, and the ten
// pieces of a game that can be captured fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand(u32);

impl Hand {
    /// The empty hand.
    pub const EMPTY: Hand = Hand(0);

    const BITS: u32 = 3;

    /// Returns true if the hand is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of pieces.
    pub const fn len(self) -> u32 {
        (u32::BITS - self.0.leading_zeros()).div_ceil(Hand::BITS)
    }

    /// Iterates over the pieces, first captured first.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let number = rest & 0b111;
            rest >>= Hand::BITS;
            (number != 0).then_some(Role::from_number(number as u8))
        })
    }

    /// Iterates over the kinds of pieces, each once, in the order of their first capture.
    pub fn kinds(self) -> impl Iterator<Item = Role> {
        let mut seen = 0u32;
        self.iter().filter(move |&role| {
            let bit = 1 << role as u32;
            let new = seen & bit == 0;
            seen |= bit;
            new
        })
    }

    /// Returns the number of pieces of this kind.
    pub fn count(self, role: Role) -> usize {
        self.iter().filter(|&held| held == role).count()
    }

    /// Returns the numbers of pieces of all kinds in one number with two bits per kind. It is equal
    /// for hands that differ only in order.
    pub fn counts(self) -> u16 {
        self.iter().map(|role| 1 << (2 * (role as u16 - 1))).sum()
    }

    /// Adds a piece at the end.
    pub(super) const fn push(&mut self, role: Role) {
        self.0 |= (role as u32) << (Hand::BITS * self.len());
    }

    /// Removes the first piece of this kind.
    pub(super) fn take(&mut self, role: Role) {
        if let Some((place, _)) = (0..).zip(self.iter()).find(|&(_, held)| held == role) {
            let before = (1 << (Hand::BITS * place)) - 1;
            self.0 = self.0 & before | self.0 >> Hand::BITS & !before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_keeps_the_order_of_capture() {
        let mut hand = Hand::EMPTY;
        let mut list = Vec::new();
        for role in [
            Role::Pawn,
            Role::Bishop,
            Role::Pawn,
            Role::Gold,
            Role::Bishop,
        ]
        .into_iter()
        .chain(Role::IN_HAND)
        {
            hand.push(role);
            list.push(role);
            assert_eq!(hand.iter().collect::<Vec<_>>(), list);
            assert_eq!(hand.len() as usize, list.len());
        }
        assert_eq!(
            hand.kinds().collect::<Vec<_>>(),
            [
                Role::Pawn,
                Role::Bishop,
                Role::Gold,
                Role::Silver,
                Role::Rook
            ]
        );
        for role in [Role::Bishop, Role::Pawn, Role::Rook, Role::Gold, Role::Rook] {
            hand.take(role);
            if let Some(place) = list.iter().position(|&held| held == role) {
                list.remove(place);
            }
            assert_eq!(hand.iter().collect::<Vec<_>>(), list);
        }
        assert_eq!(hand.count(Role::Pawn), 2);
    }

    #[test]
    fn counts_forget_the_order() {
        let hand = |roles: [Role; 3]| {
            let mut hand = Hand::EMPTY;
            for role in roles {
                hand.push(role);
            }
            hand
        };
        let one = hand([Role::Pawn, Role::Rook, Role::Pawn]);
        let mut other = hand([Role::Rook, Role::Pawn, Role::Pawn]);
        assert_ne!(one, other);
        assert_eq!(one.counts(), other.counts());
        other.push(Role::Gold);
        assert_ne!(one.counts(), other.counts());
    }
}
