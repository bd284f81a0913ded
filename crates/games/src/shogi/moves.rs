//! Generation of legal moves, without playing them and taking them back. It first finds checks,
//! pins and attacked squares, which determine the targets of each piece.

use super::attacks::{attacks, between, diagonal, in_order, line, steps_from, straight};
use super::{Bitboard, Color, Move, Piece, Position, Role, Square};

/// An upper bound on the number of moves in a position with the pieces of a game. The king has 8.
/// Each of the ten other pieces has at most 16 on the board (eight squares, with and without
/// promotion), while each kind in hand has a drop on every square but the kings'. The maximum is
/// five kinds in hand and five pieces on the board.
pub const MAX_MOVES: usize = 8 + 5 * (Square::COUNT - 2) + 5 * 2 * 8;

/// The legal moves of one piece, with and without promotion if both are legal, or the drops of one
/// kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The piece.
    pub piece: Piece,
    /// Its square; `None` for a piece in hand.
    pub from: Option<Square>,
    /// The squares that it can go to, or be dropped on.
    pub targets: Bitboard,
}

impl Batch {
    /// Returns the number of moves, counting a target twice if promotion is optional there.
    #[inline]
    pub fn len(self) -> u32 {
        match self.piece.role {
            Role::Pawn => self.targets.len(),
            _ => self.targets.len_with(self.targets & self.promoting()),
        }
    }

    /// Returns true if there are no moves.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.targets.is_empty()
    }

    /// Calls `visit` with each move, in the order of the referees' lists.
    #[inline]
    pub fn for_each(self, mut visit: impl FnMut(Move)) {
        let (piece, promoting) = (self.piece, self.promoting());
        let Some(from) = self.from else {
            for to in self.targets {
                visit(Move::Drop { piece, to });
            }
            return;
        };
        in_order(piece.role, from, self.targets, |to| {
            let may_promote = promoting.contains(to);
            // A pawn on the furthest rank could never move again: it has to promote.
            let must_promote = may_promote && piece.role == Role::Pawn;
            for (promote, is_legal) in [(false, !must_promote), (true, may_promote)] {
                if is_legal {
                    visit(Move::Board { from, to, promote });
                }
            }
        });
    }

    /// Returns the squares on which the piece may promote.
    #[inline]
    fn promoting(self) -> Bitboard {
        let zone = Bitboard::promotion_zone(self.piece.color);
        match self.from {
            None => Bitboard::EMPTY,
            Some(_) if !self.piece.role.can_promote() => Bitboard::EMPTY,
            Some(from) if zone.contains(from) => Bitboard::ALL,
            Some(_) => zone,
        }
    }
}

impl Position {
    /// Fills `list` with the legal moves, in the order of the referees' lists before they are
    /// shuffled.
    pub fn legal_moves(&self, list: &mut Vec<Move>) {
        list.clear();
        self.for_each_batch(|batch| batch.for_each(|action| list.push(action)));
    }

    /// Returns the number of legal moves.
    pub fn count_legal_moves(&self) -> u32 {
        let mut count = 0;
        self.for_each_batch(|batch| count += batch.len());
        count
    }

    /// Returns true if there is a legal move. If there is none, the side to move has lost.
    pub fn has_legal_move(&self) -> bool {
        self.try_each_batch(|batch| batch.is_empty().then_some(()))
            .is_none()
    }

    /// Calls `visit` with the legal moves, piece by piece in the order of squares, then with the
    /// drops in the order of the hand. Some batches may be empty.
    #[inline]
    pub fn for_each_batch(&self, mut visit: impl FnMut(Batch)) {
        self.try_each_batch(|batch| {
            visit(batch);
            Some(())
        });
    }

    /// Calls `visit` as [`Position::for_each_batch`] does, until it returns `None`.
    #[inline]
    fn try_each_batch(&self, mut visit: impl FnMut(Batch) -> Option<()>) -> Option<()> {
        let color = self.side;
        let own = self.board.color(color);
        let occupied = self.board.occupied();
        let king = self.king(color);
        let threats = Threats::find(self, king);
        for from in own {
            let piece = Piece::new(color, self.board.role_at(from));
            let mut targets = attacks(piece, from, occupied) & !own;
            if from != king {
                targets &= threats.answers;
                if threats.pinned.contains(from) {
                    targets &= line(king, from);
                }
            } else if !targets.is_empty() {
                // The king doesn't protect the squares behind itself from sliders.
                targets &= !self.attacked_by(color.opponent(), occupied & !Bitboard::of(king));
            }
            visit(Batch {
                piece,
                from: Some(from),
                targets,
            })?;
        }
        let empty = threats.answers & !occupied;
        for role in self.hand(color).kinds() {
            let piece = Piece { color, role };
            let targets = if role == Role::Pawn {
                self.pawn_drops(empty)
            } else {
                empty
            };
            visit(Batch {
                piece,
                from: None,
                targets,
            })?;
        }
        Some(())
    }

    /// Returns the squares that one side's pieces attack if `occupied` squares block their way. All
    /// pieces of a kind take their steps at once.
    #[inline]
    fn attacked_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        let own = |role| self.board.piece(Piece { color, role });
        let golds = own(Role::Gold) | own(Role::PromotedSilver) | own(Role::PromotedPawn);
        let (horses, dragons) = (own(Role::PromotedBishop), own(Role::PromotedRook));
        let silvers = own(Role::Silver);
        let ahead = golds | silvers;
        let forward = ahead | ahead.sideways() | own(Role::Pawn) | horses | dragons.sideways();
        let back = golds | silvers.sideways() | horses | dragons.sideways();
        let mut attacked = forward.forward(color)
            | back.forward(color.opponent())
            | (golds | horses).sideways()
            | steps_from(Piece::new(color, Role::King), self.king(color));
        for rook in own(Role::Rook) | dragons {
            attacked |= straight(rook, occupied);
        }
        for bishop in own(Role::Bishop) | horses {
            attacked |= diagonal(bishop, occupied);
        }
        attacked
    }

    /// Returns the `empty` squares on which a pawn may be dropped.
    fn pawn_drops(&self, empty: Bitboard) -> Bitboard {
        let piece = Piece::new(self.side, Role::Pawn);
        let pawns = self.board.piece(piece);
        let mut targets = empty & !Bitboard::promotion_zone(self.side);
        for pawn in pawns {
            targets &= !Bitboard::file(pawn.file());
        }
        // A pawn attacks the king from the one square that the king would attack as a pawn.
        let enemy = Piece::new(self.side.opponent(), Role::Pawn);
        let checking = targets & steps_from(enemy, self.king(enemy.color));
        if let Some(to) = checking.first()
            && !self.after(Move::Drop { piece, to }).has_legal_move()
        {
            targets &= !checking;
        }
        targets
    }
}

/// The checks and pins against the king of the side to move.
struct Threats {
    /// Own pieces that may move only on the line through the king.
    pinned: Bitboard,
    /// The targets of moves and drops, of any piece but the king, that answer the current checks:
    /// all squares without a check, none with two.
    answers: Bitboard,
}

impl Threats {
    #[inline]
    fn find(position: &Position, king: Square) -> Threats {
        let board = &position.board;
        let own = board.color(position.side);
        let theirs = board.color(position.side.opponent());
        let mut checkers = position.step_attackers(position.side, king) & theirs;
        let mut pinned = Bitboard::EMPTY;
        // Enemy sliders that see the king through own pieces either give check or pin the only
        // piece between.
        let snipers = straight(king, theirs) & position.sliders(Role::Rook)
            | diagonal(king, theirs) & position.sliders(Role::Bishop);
        for sniper in snipers & theirs {
            let shields = between(king, sniper) & own;
            match shields.len() {
                0 => checkers |= Bitboard::of(sniper),
                1 => pinned |= shields,
                _ => {}
            }
        }
        let answers = match (checkers.first(), checkers.len()) {
            (Some(checker), 1) => checkers | between(king, checker),
            (Some(_), _) => Bitboard::EMPTY,
            (None, _) => Bitboard::ALL,
        };
        Threats { pinned, answers }
    }
}

/// Returns the number of legal move sequences of `depth` moves, ignoring repetition and round
/// limits.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => u64::from(position.count_legal_moves()),
        _ => {
            let mut count = 0;
            position.for_each_batch(|batch| {
                batch.for_each(|action| count += perft(&position.after(action), depth - 1));
            });
            count
        }
    }
}

/// Returns [`perft`] by first move, in the order of [`Position::legal_moves`]. `depth` counts the
/// first move; for 0 the list is empty.
pub fn perft_split(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let mut moves = Vec::new();
    if depth > 0 {
        position.legal_moves(&mut moves);
    }
    moves
        .into_iter()
        .map(|action| (action, perft(&position.after(action), depth - 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unshuffled lists of the original referee.
    const ORDER: [(&str, &str); 4] = [
        ("rbsgk/4p/5/P4/KGSBR b -", "5544 4544 4534 3544 3534 3524 2534 2543 2552 2514 1514 1513 1512 5453"),
        (
            "1sk2/rp1r1/4g/1G3/4K w BSbp",
            "1324 1314 1323 1312 5253 5254 5255 5255+ 5251 4243 2223 2224 2225 2225+ 2221 2232 2212 4132 3132 3121 b*55 b*45
             b*35 b*25 b*54 b*34 b*24 b*14 b*53 b*43 b*33 b*23 b*32 b*12 b*51 b*21 b*11 p*54 p*34 p*24 p*53 p*33 p*23 p*32
             p*12 p*51 p*21 p*11",
        ),
        (
            "k2+PS/2G2/BS3/b2K1/R4 b PRg",
            "5554 5545 5535 5525 5515 2435 2425 2415 2434 2414 2433 2423
             2413 5344 5335 5342 5331 5331+ 4354 4334 4352 4342 3233 3242 3222 3241 3231 2122 2131 1122 1122+ P*45 P*35 P*25
             P*15 P*44 P*34 P*14 P*33 P*23 P*13 P*42 P*22 P*12 R*45 R*35 R*25 R*15 R*44 R*34 R*14 R*33 R*23 R*13 R*52 R*42
             R*22 R*12 R*41 R*31",
        ),
        // Black could take the king.
        (
            "2k2/PS3/5/R3p/+B1K2 b -",
            "5544 5533 5522 5511 5545 3545 3525 3544 3534 3524 5453 5444 5434 5424 5414 5251+ 4253 4233
             4251 4251+ 4241 4241+ 4231 4231+",
        ),
    ];

    #[test]
    fn moves_are_listed_in_the_order_of_the_original_referee() {
        for (sfen, expected) in ORDER {
            let mut moves = Vec::new();
            Position::read(sfen).unwrap().legal_moves(&mut moves);
            let written: Vec<String> = moves.iter().map(Move::to_string).collect();
            assert_eq!(
                written,
                expected.split_whitespace().collect::<Vec<_>>(),
                "{sfen}"
            );
        }
    }
}
