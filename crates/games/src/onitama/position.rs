//! Positions, their legal actions, and perft.

use super::cards::OFFSETS;
use super::{Action, Bitboard, Card, Color, Square};
use crate::Reason;

/// The maximum number of legal actions: five pieces, two cards, four offsets each.
pub const MAX_ACTIONS: usize = 5 * 2 * OFFSETS;

/// A position: pieces, cards and the side to move. It is small enough to copy for looking ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The pieces by side, including masters.
    pub(super) pieces: [Bitboard; 2],
    /// The masters of both sides.
    pub(super) masters: Bitboard,
    pub(super) hands: [[Card; 2]; 2],
    pub(super) centre: Card,
    /// The side to move.
    pub side: Color,
}

impl Position {
    /// Returns the starting position with these cards: white's hand, black's hand, and the centre.
    /// The cards should differ.
    pub fn start(cards: [Card; 5]) -> Position {
        let [a, b, c, d, centre] = cards;
        let lowest_row = 0b00001_00001_00001_00001_00001;
        Position {
            pieces: [lowest_row, lowest_row << 4].map(Bitboard::from_bits),
            masters: Bitboard::of(Color::White.shrine()) | Bitboard::of(Color::Black.shrine()),
            hands: [[a, b], [c, d]],
            centre,
            side: Color::White,
        }
    }

    /// Returns the squares of one side's pieces, including its master.
    pub const fn pieces(&self, color: Color) -> Bitboard {
        self.pieces[color.index()]
    }

    /// Returns the square of one side's master, unless it was captured.
    pub fn master(&self, color: Color) -> Option<Square> {
        (self.pieces(color) & self.masters).first()
    }

    /// Returns the cards of one side, in the order of lists.
    pub const fn hand(&self, color: Color) -> [Card; 2] {
        self.hands[color.index()]
    }

    /// Returns the centre card, which the side to move gets for the one that it uses.
    pub const fn centre(&self) -> Card {
        self.centre
    }

    /// Fills `list` with the legal actions, in the order of prompts. There is always one.
    pub fn legal_actions(&self, list: &mut Vec<Action>) {
        list.clear();
        self.for_each_action(|action| list.push(action));
    }

    /// Calls `visit` with each legal action, in the order of prompts.
    #[inline]
    pub fn for_each_action(&self, mut visit: impl FnMut(Action)) {
        let (own, hand) = (self.pieces(self.side), self.hand(self.side));
        let mut stuck = true;
        for card in hand {
            for step in card.steps(self.side) {
                for from in step.movers(own) {
                    stuck = false;
                    visit(Action::Move {
                        card,
                        from,
                        to: step.target(from),
                    });
                }
            }
        }
        if stuck {
            for card in hand {
                visit(Action::Pass { card });
            }
        }
    }

    /// Returns the number of legal actions.
    #[inline]
    pub fn count_legal_actions(&self) -> u32 {
        let own = self.pieces(self.side);
        let mut count = 0;
        for card in self.hand(self.side) {
            for step in card.steps(self.side) {
                count += step.movers(own).len();
            }
        }
        // A side without moves can pass with either card.
        if count == 0 { 2 } else { count }
    }

    /// Plays a legal action. Any other action leaves a meaningless position.
    #[inline]
    pub fn play(&mut self, action: Action) {
        let (mover, other) = (self.side.index(), self.side.opponent().index());
        if let Action::Move { from, to, .. } = action {
            let is_master = self.masters.contains(from);
            let (from, to) = (Bitboard::of(from), Bitboard::of(to));
            self.pieces[mover] = self.pieces[mover] & !from | to;
            self.pieces[other] &= !to;
            self.masters =
                self.masters & !(from | to) | if is_master { to } else { Bitboard::EMPTY };
        }
        let [first, second] = self.hands[mover];
        let uses_first = action.card() == first;
        self.hands[mover] = [if uses_first { second } else { first }, self.centre];
        self.centre = action.card();
        self.side = self.side.opponent();
    }

    /// Returns the position after a legal action.
    #[must_use]
    #[inline]
    pub fn after(mut self, action: Action) -> Position {
        self.play(action);
        self
    }

    /// Returns the reason if the last action won the game for the side that made it. It ignores the
    /// turn limit.
    #[inline]
    pub fn ending(&self) -> Option<Reason> {
        if (self.pieces(self.side) & self.masters).is_empty() {
            Some(Reason::MasterCaptured)
        } else if (self.pieces(self.side.opponent()) & self.masters).contains(self.side.shrine()) {
            Some(Reason::ShrineReached)
        } else {
            None
        }
    }
}

/// Returns the number of sequences of `depth` legal actions. It ignores the turn limit, and doesn't
/// count sequences that end the game earlier.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        _ if position.ending().is_some() => 0,
        1 => u64::from(position.count_legal_actions()),
        _ => {
            let mut count = 0;
            position.for_each_action(|action| count += perft(&position.after(action), depth - 1));
            count
        }
    }
}

/// Returns [`perft`] by first action, in the order of [`Position::legal_actions`]. `depth` counts
/// the first action; for 0 the list is empty.
pub fn perft_split(position: &Position, depth: u32) -> Vec<(Action, u64)> {
    let mut split = Vec::new();
    if depth > 0 && position.ending().is_none() {
        position.for_each_action(|action| {
            split.push((action, perft(&position.after(action), depth - 1)));
        });
    }
    split
}
