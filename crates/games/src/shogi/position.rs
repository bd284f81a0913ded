//! A position: board, hands and the side to move.

use super::attacks::{diagonal, steps_from, straight};
use super::{Bitboard, Board, Color, Hand, Move, Piece, Role, Square};

/// A position, small enough to copy for looking ahead.
///
/// Each side has exactly one king, and the side that isn't to move isn't in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) board: Board,
    pub(super) hands: [Hand; 2],
    pub(super) side: Color,
}

/// The identity of a position for the repetition rule: board, side to move, and the pieces in both
/// hands in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    board: Board,
    /// Ten bits for each hand, one for the side.
    rest: u32,
}

impl Position {
    /// Returns the starting position.
    pub fn start() -> Position {
        use Role::{Bishop, Gold, King, Pawn, Rook, Silver};
        let mut board = Board::EMPTY;
        // Turning the board by half a turn exchanges the sides.
        let black = [King, Gold, Silver, Bishop, Rook, Pawn];
        for (square, role) in (0..).zip(black) {
            board.put(Piece::new(Color::Black, role), Square::at(square));
            board.put(Piece::new(Color::White, role), Square::at(24 - square));
        }
        Position {
            board,
            hands: [Hand::EMPTY; 2],
            side: Color::Black,
        }
    }

    /// Returns the board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the captured pieces that one side may drop.
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color.index()]
    }

    /// Returns the side to move.
    pub fn side(&self) -> Color {
        self.side
    }

    /// Returns the square of one side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board
            .piece(Piece::new(color, Role::King))
            .first()
            .unwrap_or(Square::at(0))
    }

    /// Returns true if the king of the side to move is attacked.
    pub fn in_check(&self) -> bool {
        self.is_attacked(self.side)
    }

    /// Returns true if the king of `color` is attacked.
    pub(super) fn is_attacked(&self, color: Color) -> bool {
        let (king, theirs) = (self.king(color), self.board.color(color.opponent()));
        let occupied = self.board.occupied();
        let straight = self.sliders(Role::Rook) & straight(king, occupied);
        let diagonal = self.sliders(Role::Bishop) & diagonal(king, occupied);
        !((self.step_attackers(color, king) | straight | diagonal) & theirs).is_empty()
    }

    /// Returns the pieces that reach `square` in one step and would attack a piece of `color`
    /// there. The result can include pieces of `color`, which the caller removes. A piece reaches a
    /// square if the same piece of the other side would reach it from there.
    #[inline]
    pub(super) fn step_attackers(&self, color: Color, square: Square) -> Bitboard {
        let board = &self.board;
        let golds = board.role(Role::Gold)
            | board.role(Role::PromotedSilver)
            | board.role(Role::PromotedPawn);
        let silvers = board.role(Role::Silver);
        let pawns = board.role(Role::Pawn);
        let dragons = board.role(Role::PromotedRook);
        let horses = board.role(Role::PromotedBishop);
        steps_from(Piece::new(color, Role::Gold), square) & golds
            | steps_from(Piece::new(color, Role::Silver), square) & silvers
            | steps_from(Piece::new(color, Role::Pawn), square) & pawns
            | steps_from(Piece::new(color, Role::PromotedRook), square) & dragons
            | steps_from(Piece::new(color, Role::PromotedBishop), square) & horses
    }

    /// Returns the pieces of both sides that slide as this role does, promoted or not.
    #[inline]
    pub(super) fn sliders(&self, role: Role) -> Bitboard {
        self.board.role(role) | self.board.role(role.promoted())
    }

    /// Plays a legal move. Any other move leaves a meaningless position.
    #[inline]
    pub fn play(&mut self, action: Move) {
        match action {
            Move::Board { from, to, promote } => {
                let role = self.board.role_at(from);
                if self.board.color(self.side.opponent()).contains(to) {
                    self.hands[self.side.index()].push(self.board.role_at(to).unpromoted());
                    self.board.clear(to);
                }
                self.board.clear(from);
                let role = if promote { role.promoted() } else { role };
                self.board.put(Piece::new(self.side, role), to);
            }
            Move::Drop { piece, to } => {
                self.hands[self.side.index()].take(piece.role);
                self.board.put(piece, to);
            }
        }
        self.side = self.side.opponent();
    }

    /// Returns the position after a legal move.
    #[must_use]
    pub fn after(mut self, action: Move) -> Position {
        self.play(action);
        self
    }

    /// Returns the identity of the position for the repetition rule.
    pub fn key(&self) -> Key {
        let [black, white] = self.hands.map(|hand| u32::from(hand.counts()));
        Key {
            board: self.board,
            rest: black | white << 10 | (self.side as u32) << 20,
        }
    }
}
