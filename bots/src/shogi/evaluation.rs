//! The evaluation of a position: the pieces, and a few properties of their squares. All numbers are
//! parameters that can be set by name, in hundredths of a pawn.

use arena_games::shogi::{Color, Piece, Position, Role, attacks};

use crate::parameters::{Parameter, Parameters};

/// One more than the highest number of a role.
const ROLES: usize = Role::PromotedPawn as usize + 1;

/// Values for all parameters.
#[derive(Clone, Debug)]
pub struct Weights {
    board: [i32; ROLES],
    hand: [i32; ROLES],
    mobility: i32,
    attack: i32,
    shelter: i32,
    tempo: i32,
}

impl Parameters for Weights {
    const ALL: &'static [Parameter<Weights>] = &[
        parameter("pawn", 100, "a pawn on the board", |weights| {
            &mut weights.board[Role::Pawn as usize]
        }),
        parameter("silver", 400, "a silver on the board", |weights| {
            &mut weights.board[Role::Silver as usize]
        }),
        parameter("gold", 450, "a gold on the board", |weights| {
            &mut weights.board[Role::Gold as usize]
        }),
        parameter("bishop", 550, "a bishop on the board", |weights| {
            &mut weights.board[Role::Bishop as usize]
        }),
        parameter("rook", 650, "a rook on the board", |weights| {
            &mut weights.board[Role::Rook as usize]
        }),
        parameter("promoted_pawn", 400, "a promoted pawn", |weights| {
            &mut weights.board[Role::PromotedPawn as usize]
        }),
        parameter("promoted_silver", 450, "a promoted silver", |weights| {
            &mut weights.board[Role::PromotedSilver as usize]
        }),
        parameter("promoted_bishop", 850, "a promoted bishop", |weights| {
            &mut weights.board[Role::PromotedBishop as usize]
        }),
        parameter("promoted_rook", 950, "a promoted rook", |weights| {
            &mut weights.board[Role::PromotedRook as usize]
        }),
        parameter("hand_pawn", 120, "a pawn in hand", |weights| {
            &mut weights.hand[Role::Pawn as usize]
        }),
        parameter("hand_silver", 450, "a silver in hand", |weights| {
            &mut weights.hand[Role::Silver as usize]
        }),
        parameter("hand_gold", 500, "a gold in hand", |weights| {
            &mut weights.hand[Role::Gold as usize]
        }),
        parameter("hand_bishop", 600, "a bishop in hand", |weights| {
            &mut weights.hand[Role::Bishop as usize]
        }),
        parameter("hand_rook", 700, "a rook in hand", |weights| {
            &mut weights.hand[Role::Rook as usize]
        }),
        parameter(
            "mobility",
            10,
            "a square that a piece reaches or protects",
            |weights| &mut weights.mobility,
        ),
        parameter(
            "attack",
            40,
            "a square next to the enemy king that a piece reaches",
            |weights| &mut weights.attack,
        ),
        parameter(
            "shelter",
            30,
            "an own piece next to the own king",
            |weights| &mut weights.shelter,
        ),
        parameter("tempo", 30, "being the one to move", |weights| {
            &mut weights.tempo
        }),
    ];
}

const fn parameter(
    name: &'static str,
    default: i32,
    meaning: &'static str,
    slot: fn(&mut Weights) -> &mut i32,
) -> Parameter<Weights> {
    Parameter {
        name,
        default,
        meaning,
        slot,
    }
}

impl Default for Weights {
    fn default() -> Weights {
        let mut weights = Weights {
            board: [0; ROLES],
            hand: [0; ROLES],
            mobility: 0,
            attack: 0,
            shelter: 0,
            tempo: 0,
        };
        weights.reset();
        weights
    }
}

impl Weights {
    /// Returns the value of the position for the side to move.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let side = position.side();
        self.material(position, side) + self.activity(position, side)
            - self.activity(position, side.opponent())
            + self.tempo
    }

    /// Returns the value of the pieces of `side`, on the board and in hand, less those of the other
    /// side.
    pub fn material(&self, position: &Position, side: Color) -> i32 {
        let of = |color: Color| {
            let pieces = position.board().color(color).into_iter();
            let board: i32 = pieces
                .filter_map(|at| position.board().piece_at(at))
                .map(|p| self.piece(p.role))
                .sum();
            let hand: i32 = position
                .hand(color)
                .iter()
                .map(|role| self.hand[role as usize])
                .sum();
            board + hand
        };
        of(side) - of(side.opponent())
    }

    /// Returns the value of a piece on the board.
    pub fn piece(&self, role: Role) -> i32 {
        self.board[role as usize]
    }

    /// Returns the value of capturing a piece, which one side loses and the other gets in hand.
    pub fn capture(&self, role: Role) -> i32 {
        self.board[role as usize] + self.hand[role.unpromoted() as usize]
    }

    /// Returns the value of the squares of one side's pieces.
    fn activity(&self, position: &Position, side: Color) -> i32 {
        let board = position.board();
        let occupied = board.occupied();
        let around = |color| {
            attacks(
                Piece {
                    color,
                    role: Role::King,
                },
                position.king(color),
                occupied,
            )
        };
        let (own_king, enemy_king) = (around(side), around(side.opponent()));
        let mut worth = self.shelter * (own_king & board.color(side)).len().cast_signed();
        for from in board.color(side) {
            let Some(piece) = board
                .piece_at(from)
                .filter(|piece| piece.role != Role::King)
            else {
                continue;
            };
            let reached = attacks(piece, from, occupied);
            worth += self.mobility * reached.len().cast_signed();
            worth += self.attack * (reached & enemy_king).len().cast_signed();
        }
        worth
    }
}
