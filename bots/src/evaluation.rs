//! What a position is worth: the pieces, and a few things about where they stand. All numbers are parameters that can
//! be set by name, in hundredths of a pawn.

use arena::games::shogi::{Color, Piece, Position, Role, attacks};

/// One more than the highest number of a role.
const ROLES: usize = Role::PromotedPawn as usize + 1;

/// What a parameter weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    /// A piece on the board.
    Board(Role),
    /// A piece in hand.
    Hand(Role),
    /// A square that a piece reaches or protects.
    Mobility,
    /// The same, for a square next to the opponent's king.
    Attack,
    /// An own piece next to the own king.
    Shelter,
    /// Being the one to move.
    Tempo,
}

/// A number of the evaluation that can be set by name.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The value if nothing else is said, in hundredths of a pawn.
    pub default: i32,
    /// What it weighs, for people.
    pub meaning: &'static str,
    term: Term,
}

/// Every parameter.
pub static PARAMETERS: [Parameter; 18] = {
    const fn parameter(name: &'static str, default: i32, term: Term, meaning: &'static str) -> Parameter {
        Parameter { name, default, meaning, term }
    }
    use Role::{Bishop, Gold, Pawn, PromotedBishop, PromotedPawn, PromotedRook, PromotedSilver, Rook, Silver};
    [
        parameter("pawn", 100, Term::Board(Pawn), "a pawn on the board"),
        parameter("silver", 400, Term::Board(Silver), "a silver on the board"),
        parameter("gold", 450, Term::Board(Gold), "a gold on the board"),
        parameter("bishop", 550, Term::Board(Bishop), "a bishop on the board"),
        parameter("rook", 650, Term::Board(Rook), "a rook on the board"),
        parameter("promoted_pawn", 400, Term::Board(PromotedPawn), "a promoted pawn"),
        parameter("promoted_silver", 450, Term::Board(PromotedSilver), "a promoted silver"),
        parameter("promoted_bishop", 850, Term::Board(PromotedBishop), "a promoted bishop"),
        parameter("promoted_rook", 950, Term::Board(PromotedRook), "a promoted rook"),
        parameter("hand_pawn", 120, Term::Hand(Pawn), "a pawn in hand"),
        parameter("hand_silver", 450, Term::Hand(Silver), "a silver in hand"),
        parameter("hand_gold", 500, Term::Hand(Gold), "a gold in hand"),
        parameter("hand_bishop", 600, Term::Hand(Bishop), "a bishop in hand"),
        parameter("hand_rook", 700, Term::Hand(Rook), "a rook in hand"),
        parameter("mobility", 10, Term::Mobility, "a square that a piece reaches or protects"),
        parameter("attack", 40, Term::Attack, "a square next to the enemy king that a piece reaches"),
        parameter("shelter", 30, Term::Shelter, "an own piece next to the own king"),
        parameter("tempo", 30, Term::Tempo, "being the one to move"),
    ]
};

/// A name that no parameter has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("find the parameter `{name}`: did you mean `{nearest}`? Known are {}", known())]
pub struct UnknownParameter {
    /// The name as given.
    pub name: String,
    /// The known name that looks most like it.
    pub nearest: &'static str,
}

fn known() -> String {
    PARAMETERS.each_ref().map(|parameter| parameter.name).join(", ")
}

impl Parameter {
    /// The parameter of this name.
    ///
    /// # Errors
    /// [`UnknownParameter`] if there is none.
    pub fn find(name: &str) -> Result<&'static Parameter, UnknownParameter> {
        let found = PARAMETERS.iter().find(|parameter| parameter.name == name);
        found.ok_or_else(|| UnknownParameter { name: name.to_owned(), nearest: nearest(name) })
    }
}

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

impl Default for Weights {
    fn default() -> Weights {
        let mut weights = Weights { board: [0; ROLES], hand: [0; ROLES], mobility: 0, attack: 0, shelter: 0, tempo: 0 };
        for parameter in &PARAMETERS {
            weights.set(parameter, parameter.default);
        }
        weights
    }
}

impl Weights {
    /// Sets a parameter.
    pub fn set(&mut self, parameter: &Parameter, value: i32) {
        *self.slot(parameter.term) = value;
    }

    fn slot(&mut self, term: Term) -> &mut i32 {
        match term {
            Term::Board(role) => &mut self.board[role as usize],
            Term::Hand(role) => &mut self.hand[role as usize],
            Term::Mobility => &mut self.mobility,
            Term::Attack => &mut self.attack,
            Term::Shelter => &mut self.shelter,
            Term::Tempo => &mut self.tempo,
        }
    }

    /// What the position is worth for the side to move.
    #[must_use]
    pub fn evaluate(&self, position: &Position) -> i32 {
        let side = position.side();
        self.material(position, side) + self.activity(position, side) - self.activity(position, side.opponent())
            + self.tempo
    }

    /// The pieces of `side`, on the board and in hand, less those of the other side.
    #[must_use]
    pub fn material(&self, position: &Position, side: Color) -> i32 {
        let of = |color: Color| {
            let pieces = position.board().color(color).into_iter();
            let board: i32 = pieces.filter_map(|at| position.board().piece_at(at)).map(|p| self.piece(p.role)).sum();
            let hand: i32 = position.hand(color).iter().map(|role| self.hand[role as usize]).sum();
            board + hand
        };
        of(side) - of(side.opponent())
    }

    /// What a piece on the board is worth.
    #[must_use]
    pub fn piece(&self, role: Role) -> i32 {
        self.board[role as usize]
    }

    /// What the capture of a piece is worth: one side loses it, the other one gets it in hand.
    #[must_use]
    pub fn capture(&self, role: Role) -> i32 {
        self.board[role as usize] + self.hand[role.unpromoted() as usize]
    }

    /// Where the pieces of `side` stand.
    fn activity(&self, position: &Position, side: Color) -> i32 {
        let board = position.board();
        let occupied = board.occupied();
        let around = |color| attacks(Piece { color, role: Role::King }, position.king(color), occupied);
        let (own_king, enemy_king) = (around(side), around(side.opponent()));
        let mut worth = self.shelter * (own_king & board.color(side)).len().cast_signed();
        for from in board.color(side) {
            let Some(piece) = board.piece_at(from).filter(|piece| piece.role != Role::King) else { continue };
            let reached = attacks(piece, from, occupied);
            worth += self.mobility * reached.len().cast_signed();
            worth += self.attack * (reached & enemy_king).len().cast_signed();
        }
        worth
    }
}

/// The known name that takes the fewest typing errors to become this one.
fn nearest(name: &str) -> &'static str {
    let distance = |known: &&str| strsim::damerau_levenshtein(known, name);
    PARAMETERS.iter().map(|parameter| parameter.name).min_by_key(distance).unwrap_or("pawn")
}
