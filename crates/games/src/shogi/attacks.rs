//! The moves of pieces on a board with obstacles, looked up in tables that the compiler computes.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "squares are numbers below 25"
)]

use strum::VariantArray as _;

use super::{Bitboard, Color, Piece, Role, Square};

/// A direction, as the change of row (up is positive) and of column (right is positive).
type Direction = (i32, i32);

/// Every direction: a rook's, then a bishop's.
const DIRECTIONS: [Direction; 8] = [
    (-1, 0),
    (1, 0),
    (0, -1),
    (0, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
    (1, 1),
];

/// The order of directions in lists of a rook's moves: its rays, then the steps that promotion
/// adds. `BISHOP_ORDER` is the same for a bishop.
const ROOK_ORDER: [usize; 8] = [0, 1, 2, 3, 4, 6, 5, 7];
const BISHOP_ORDER: [usize; 8] = [4, 5, 6, 7, 0, 2, 1, 3];

/// `RAYS[direction][square]`: all squares in a direction from a square.
static RAYS: [[u32; Square::COUNT]; 8] = rays();

/// `SLIDES[square]`: the rank, the file, the rising and the falling diagonal.
static SLIDES: [[Slide; 4]; Square::COUNT] = slides();

/// `STEPS[color][role][square]`: the squares that a piece reaches in one step. Rook and bishop have
/// none.
static STEPS: [[[u32; Square::COUNT]; 14]; 2] = steps();

/// `BETWEEN[a][b]`: the squares strictly between two squares on one line, else none.
static BETWEEN: [[u32; Square::COUNT]; Square::COUNT] = lines(false);

/// `LINE[a][b]`: the line through two squares from edge to edge, else none.
static LINE: [[u32; Square::COUNT]; Square::COUNT] = lines(true);

/// Returns the squares that a piece attacks from a square if `occupied` squares block its way. The
/// result includes squares that its own side occupies.
#[inline]
pub fn attacks(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    let steps = steps_from(piece, from);
    if piece.role.slides_straight() {
        steps | straight(from, occupied)
    } else if piece.role.slides_diagonally() {
        steps | diagonal(from, occupied)
    } else {
        steps
    }
}

/// Returns the squares that a piece reaches in one step.
#[inline]
pub(super) fn steps_from(piece: Piece, from: Square) -> Bitboard {
    Bitboard::from_bits(STEPS[piece.color.index()][piece.role as usize][from.index()])
}

/// Returns the squares that a rook attacks.
#[inline]
pub(super) fn straight(from: Square, occupied: Bitboard) -> Bitboard {
    let [rank, file, _, _] = &SLIDES[from.index()];
    rank.reached(occupied) | file.reached(occupied)
}

/// Returns the squares that a bishop attacks.
#[inline]
pub(super) fn diagonal(from: Square, occupied: Bitboard) -> Bitboard {
    let [_, _, rising, falling] = &SLIDES[from.index()];
    rising.reached(occupied) | falling.reached(occupied)
}

/// The squares that a slider reaches along one line from one square, for every way to occupy the
/// line.
#[derive(Clone, Copy)]
struct Slide {
    /// The line.
    line: u32,
    /// The factor that gathers the bits of the line side by side from bit 20 on.
    gather: u32,
    /// The reached squares, by the gathered bits.
    reached: [u32; 32],
}

impl Slide {
    #[inline]
    fn reached(&self, occupied: Bitboard) -> Bitboard {
        Bitboard::from_bits(self.reached[gathered(occupied.0 & self.line, self.gather)])
    }
}

const fn gathered(bits: u32, gather: u32) -> usize {
    (bits.wrapping_mul(gather) >> 20 & 0b11111) as usize
}

/// Returns the squares strictly between two squares on one line; none if they aren't on one.
#[inline]
pub(super) fn between(a: Square, b: Square) -> Bitboard {
    Bitboard::from_bits(BETWEEN[a.index()][b.index()])
}

/// Returns the line through two squares from edge to edge; none if they aren't on one.
#[inline]
pub(super) fn line(a: Square, b: Square) -> Bitboard {
    Bitboard::from_bits(LINE[a.index()][b.index()])
}

/// Calls `visit` with each of the squares that a piece reaches, in the order of a referee's list.
/// Pieces that slide go along their rays, from near to far; others go by ascending squares.
#[inline]
pub(super) fn in_order(role: Role, from: Square, targets: Bitboard, mut visit: impl FnMut(Square)) {
    let order = if role.slides_straight() {
        &ROOK_ORDER
    } else if role.slides_diagonally() {
        &BISHOP_ORDER
    } else {
        return targets.into_iter().for_each(visit);
    };
    for &direction in order {
        let on_ray = targets & Bitboard::from_bits(RAYS[direction][from.index()]);
        // Every second direction ascends in the order of squares.
        if direction % 2 == 1 {
            on_ray.into_iter().for_each(&mut visit);
        } else {
            on_ray.into_iter().rev().for_each(&mut visit);
        }
    }
}

const fn rays() -> [[u32; Square::COUNT]; 8] {
    let mut table = [[0; Square::COUNT]; 8];
    let mut index = 0;
    while index < 8 * Square::COUNT {
        let direction = index % 8;
        let square = index / 8;
        table[direction][square] = ray(square, DIRECTIONS[direction], 4);
        index += 1;
    }
    table
}

/// Returns the squares up to `distance` away from `square` in a direction.
const fn ray(square: usize, (rise, run): Direction, distance: i32) -> u32 {
    let (mut row, mut column) = (square as i32 / 5 + rise, square as i32 % 5 + run);
    let mut squares = 0;
    let mut steps = 0;
    while steps < distance && 0 <= row && row < 5 && 0 <= column && column < 5 {
        squares |= 1 << (row * 5 + column);
        (row, column) = (row + rise, column + run);
        steps += 1;
    }
    squares
}

const fn slides() -> [[Slide; 4]; Square::COUNT] {
    let mut table = [[slide(0, (0, 1), 0); 4]; Square::COUNT];
    let mut square = 0;
    while square < Square::COUNT {
        // All rows, shifted onto the last one. This works for a line with at most one square in
        // each column.
        let by_file = 0b00001_00001_00001_00001_00001;
        // One shift per row, which brings the square of row r to bit 20 + r.
        let by_rank = 0b1_0001_0001_0001_0001_0000 >> (square % 5);
        table[square][0] = slide(square, (0, 1), by_file);
        table[square][1] = slide(square, (1, 0), by_rank);
        table[square][2] = slide(square, (1, 1), by_file);
        table[square][3] = slide(square, (1, -1), by_file);
        square += 1;
    }
    table
}

/// Returns the slide from `square` in a direction and its opposite.
const fn slide(square: usize, (rise, run): Direction, gather: u32) -> Slide {
    let line = ray(square, (rise, run), 4) | ray(square, (-rise, -run), 4);
    let mut reached = [0; 32];
    // Go through every subset of the line by counting in its bits alone.
    let mut occupied = 0u32;
    loop {
        reached[gathered(occupied, gather)] =
            unblocked(square, (rise, run), occupied) | unblocked(square, (-rise, -run), occupied);
        occupied = occupied.wrapping_sub(line) & line;
        if occupied == 0 {
            return Slide {
                line,
                gather,
                reached,
            };
        }
    }
}

/// Returns the squares in a direction up to the first occupied one.
const fn unblocked(square: usize, direction: Direction, occupied: u32) -> u32 {
    let mut distance = 0;
    while distance < 4 && ray(square, direction, distance) & occupied == 0 {
        distance += 1;
    }
    ray(square, direction, distance)
}

const fn steps() -> [[[u32; Square::COUNT]; 14]; 2] {
    let mut table = [[[0; Square::COUNT]; 14]; 2];
    let mut index = 0;
    while index < Role::VARIANTS.len() * Square::COUNT {
        let role = Role::VARIANTS[index / Square::COUNT];
        let square = index % Square::COUNT;
        table[Color::Black.index()][role as usize][square] = role_steps(role, square, 1);
        table[Color::White.index()][role as usize][square] = role_steps(role, square, -1);
        index += 1;
    }
    table
}

/// Returns the squares that a role reaches in one step; `forward` is the change of row that it
/// calls forward.
const fn role_steps(role: Role, square: usize, forward: i32) -> u32 {
    let mut squares = 0;
    let mut index = 0;
    while index < DIRECTIONS.len() {
        let (rise, run) = DIRECTIONS[index];
        if makes_step(role, rise * forward, run != 0) {
            squares |= ray(square, (rise, run), 1);
        }
        index += 1;
    }
    squares
}

/// Returns true if a role makes a step of `advance` rows forward, straight or to the side.
const fn makes_step(role: Role, advance: i32, aside: bool) -> bool {
    match role {
        Role::King => true,
        Role::Gold | Role::PromotedSilver | Role::PromotedPawn => advance >= 0 || !aside,
        Role::Silver => advance > 0 || advance < 0 && aside,
        Role::Pawn => advance > 0 && !aside,
        Role::PromotedRook => advance != 0 && aside,
        Role::PromotedBishop => advance == 0 || !aside,
        Role::Rook | Role::Bishop => false,
    }
}

/// Returns, for any two squares on one line, the line from edge to edge if `whole`, else the
/// squares between them.
const fn lines(whole: bool) -> [[u32; Square::COUNT]; Square::COUNT] {
    let mut table = [[0; Square::COUNT]; Square::COUNT];
    let mut index = 0;
    while index < 8 * Square::COUNT * Square::COUNT {
        let (rise, run) = DIRECTIONS[index % 8];
        let from = index / 8 % Square::COUNT;
        let to = index / 8 / Square::COUNT;
        let ahead = ray(from, (rise, run), 4);
        let back = ray(to, (-rise, -run), 4);
        if ahead >> to & 1 == 1 {
            table[from][to] = if whole { ahead | back } else { ahead & back };
        }
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(text: &str) -> Square {
        let [file, rank] = *text.as_bytes() else {
            panic!("{text}")
        };
        Square::from_digits(file, rank).unwrap()
    }

    fn squares(text: &str) -> Bitboard {
        let squares = text.split_whitespace().map(square);
        squares.fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }

    fn check(piece: Piece, from: &str, occupied: &str, expected: &str) {
        let reached = attacks(piece, square(from), squares(occupied));
        assert_eq!(reached, squares(expected), "{piece} on {from}");
    }

    #[test]
    fn pieces_reach_what_they_should() {
        let [black, white] = Color::ALL.map(|color| move |role| Piece::new(color, role));
        check(black(Role::King), "33", "", "22 23 24 32 34 42 43 44");
        check(black(Role::Gold), "33", "", "22 32 42 23 43 34");
        check(white(Role::PromotedPawn), "33", "", "24 34 44 23 43 32");
        check(black(Role::Silver), "33", "", "22 32 42 24 44");
        check(white(Role::Silver), "33", "", "24 34 44 22 42");
        check(black(Role::Pawn), "33", "", "32");
        check(white(Role::Pawn), "33", "", "34");
        check(black(Role::Rook), "33", "31 23 35", "32 31 23 43 53 34 35");
        check(white(Role::Bishop), "33", "22", "22 42 51 24 15 44 55");
        check(black(Role::PromotedRook), "55", "54 45", "54 45 44");
        check(black(Role::PromotedBishop), "11", "33", "22 33 12 21");
    }

    #[test]
    fn lines_join_what_is_in_line() {
        let [a, b, c] = ["51", "33", "43"].map(square);
        assert_eq!(between(a, b), squares("42"));
        assert_eq!(line(a, b), squares("51 42 33 24 15"));
        assert_eq!(between(b, c) | between(a, c) | line(a, c), Bitboard::EMPTY);
        assert_eq!(line(b, c), squares("53 43 33 23 13"));
    }
}
