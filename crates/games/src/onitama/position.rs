//! Positions, their legal actions, and counting them.

use super::cards::OFFSETS;
use super::{Action, Bitboard, Card, Color, Square};
use crate::Reason;

/// More actions than this cannot be listed: five pieces, two cards, four offsets each.
pub const MAX_ACTIONS: usize = 5 * 2 * OFFSETS;

/// A position: pieces, cards and the side to move. A small value: copy it to look ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// By side, masters included.
    pub(super) pieces: [Bitboard; 2],
    /// Those of both sides.
    pub(super) masters: Bitboard,
    pub(super) hands: [[Card; 2]; 2],
    pub(super) centre: Card,
    pub(super) side: Color,
}

impl Position {
    /// The position in which a game with these cards starts: white's hand, black's hand, and the centre. They should
    /// differ.
    pub fn start(cards: [Card; 5]) -> Position {
        let [a, b, c, d, centre] = cards;
        let lowest_row = 0b00001_00001_00001_00001_00001;
        Position {
            pieces: [Bitboard::new(lowest_row), Bitboard::new(lowest_row << 4)],
            masters: Bitboard::of(Color::White.shrine()) | Bitboard::of(Color::Black.shrine()),
            hands: [[a, b], [c, d]],
            centre,
            side: Color::White,
        }
    }

    /// The side to move.
    pub const fn side(&self) -> Color {
        self.side
    }

    /// Where the pieces of one side stand, its master among them.
    pub const fn pieces(&self, color: Color) -> Bitboard {
        self.pieces[color.index()]
    }

    /// Where the master of one side stands, unless it was captured.
    pub fn master(&self, color: Color) -> Option<Square> {
        (self.pieces(color) & self.masters).first()
    }

    /// The cards of one side, in the order of lists.
    pub const fn hand(&self, color: Color) -> [Card; 2] {
        self.hands[color.index()]
    }

    /// The card that the side to move gets for the one it uses.
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
                for from in step.movers(own).iter() {
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

    /// The number of legal actions.
    #[inline]
    pub fn count_legal_actions(&self) -> u32 {
        let own = self.pieces(self.side);
        let mut count = 0;
        for card in self.hand(self.side) {
            for step in card.steps(self.side) {
                count += step.movers(own).len();
            }
        }
        // Without a move, a pass with either card.
        if count == 0 { 2 } else { count }
    }

    /// Plays an action, which must be a legal one: any other leaves a position without meaning.
    #[inline]
    pub fn play(&mut self, action: Action) {
        let (mover, other) = (self.side.index(), self.side.opponent().index());
        if let Action::Move { from, to, .. } = action {
            let is_master = self.masters.contains(from);
            let (from, to) = (Bitboard::of(from), Bitboard::of(to));
            self.pieces[mover] = self.pieces[mover] & !from | to;
            self.pieces[other] = self.pieces[other] & !to;
            self.masters =
                self.masters & !(from | to) | if is_master { to } else { Bitboard::EMPTY };
        }
        let [first, second] = self.hands[mover];
        let kept = if action.card() == first {
            second
        } else {
            first
        };
        self.hands[mover] = [kept, self.centre];
        self.centre = action.card();
        self.side = self.side.opponent();
    }

    /// The position after a legal action.
    #[must_use]
    #[inline]
    pub fn after(mut self, action: Action) -> Position {
        self.play(action);
        self
    }

    /// Why the last action ended the game, if it did: the side that made it has won. The turn limit is not looked at.
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

/// Perft: the number of sequences of `depth` legal actions. A sequence that ends the game before is not counted; the
/// turn limit is not looked at.
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

/// [`perft`] apart for each first action, in the order of [`Position::legal_actions`]. `depth` counts the first
/// action; for 0 the list is empty.
pub fn perft_split(position: &Position, depth: u32) -> Vec<(Action, u64)> {
    let mut split = Vec::new();
    if depth > 0 && position.ending().is_none() {
        position.for_each_action(|action| {
            split.push((action, perft(&position.after(action), depth - 1)));
        });
    }
    split
}
