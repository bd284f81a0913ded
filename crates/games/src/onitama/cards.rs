//! The cards and their moves.

use std::fmt::{self, Display, Write};
use std::sync::LazyLock;

use serde::Serialize;

use super::{Bitboard, Color, Square};

/// The maximum number of offsets of a card.
pub(super) const OFFSETS: usize = 4;

/// The names and offsets of the cards by id, as white uses them, in the order of lists and prompts.
/// Missing offsets are (0, 0), as in prompts.
const CARDS: [(&str, [(i8, i8); OFFSETS]); 16] = [
    ("Eel", [(-1, 1), (-1, -1), (1, 0), (0, 0)]),
    ("Crane", [(-1, -1), (0, 1), (1, -1), (0, 0)]),
    ("Frog", [(-2, 0), (-1, 1), (1, -1), (0, 0)]),
    ("Horse", [(-1, 0), (0, 1), (0, -1), (0, 0)]),
    ("Boar", [(-1, 0), (0, 1), (1, 0), (0, 0)]),
    ("Rooster", [(-1, -1), (-1, 0), (1, 0), (1, 1)]),
    ("Crab", [(-2, 0), (0, 1), (2, 0), (0, 0)]),
    ("Ox", [(0, 1), (0, -1), (1, 0), (0, 0)]),
    ("Cobra", [(-1, 0), (1, 1), (1, -1), (0, 0)]),
    ("Rabbit", [(-1, -1), (1, 1), (2, 0), (0, 0)]),
    ("Dragon", [(-2, 1), (-1, -1), (1, -1), (2, 1)]),
    ("Monkey", [(-1, 1), (-1, -1), (1, 1), (1, -1)]),
    ("Goose", [(-1, 1), (-1, 0), (1, 0), (1, -1)]),
    ("Elephant", [(-1, 1), (-1, 0), (1, 1), (1, 0)]),
    ("Mantis", [(-1, 1), (0, -1), (1, 1), (0, 0)]),
    ("Tiger", [(0, -1), (0, 2), (0, 0), (0, 0)]),
];

/// A card, which decides how its holder may move. It displays as its id, from 0 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Card(u8);

impl Card {
    /// Iterates over all cards, by id.
    pub fn all() -> impl Iterator<Item = Card> {
        (0..16).map(Card)
    }

    /// Returns the card with this id.
    pub const fn new(id: u8) -> Option<Card> {
        if id < 16 { Some(Card(id)) } else { None }
    }

    /// Returns the id of the card in the protocol, from 0 to 15.
    pub const fn id(self) -> u8 {
        self.0
    }

    /// Returns the name on the card. The protocol doesn't use it.
    pub const fn name(self) -> &'static str {
        CARDS[self.0 as usize].0
    }

    /// Returns the moves of `color` with this card, in columns to the right and rows upwards, in
    /// the order of lists.
    pub fn offsets(self, color: Color) -> impl Iterator<Item = (i8, i8)> {
        self.padded_offsets(color)
            .into_iter()
            .filter(|&offset| offset != (0, 0))
    }

    /// Returns the squares that a piece of `color` on `from` reaches with this card, whether or not
    /// they are occupied.
    pub fn reach(self, color: Color, from: Square) -> Bitboard {
        let mut reached = Bitboard::EMPTY;
        for step in self.steps(color) {
            if step.sources.contains(from) {
                reached |= Bitboard::of(step.target(from));
            }
        }
        reached
    }

    fn padded_offsets(self, color: Color) -> [(i8, i8); OFFSETS] {
        let (_, offsets) = CARDS[usize::from(self.0)];
        match color {
            Color::White => offsets,
            Color::Black => offsets.map(|(dx, dy)| (-dx, -dy)),
        }
    }

    #[inline]
    pub(super) fn steps(self, color: Color) -> &'static [Step; OFFSETS] {
        &STEPS[color.index()][usize::from(self.0)]
    }

    // Prompts are mostly small numbers, and formatting would take three times as long.
    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        if self.0 >= 10 {
            out.write_char('1')?;
        }
        out.write_char(char::from(b'0' + self.0 % 10))
    }

    /// Returns the line of the card in a prompt, after its owner.
    pub(super) fn line(self, orientation: Color) -> &'static str {
        &LINES[orientation.index()][usize::from(self.0)]
    }

    fn written(self, orientation: Color) -> String {
        let mut line = format!(" {self}");
        for (dx, dy) in self.padded_offsets(orientation) {
            // Writing to a string cannot fail.
            let _ = write!(line, " {dx} {dy}");
        }
        line
    }
}

/// The lines of all cards for white and for black, since a prompt has five of them.
static LINES: LazyLock<[Vec<String>; 2]> = LazyLock::new(|| {
    Color::ALL.map(|orientation| Card::all().map(|card| card.written(orientation)).collect())
});

impl Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// An offset, prepared for all pieces at once.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// The squares where it doesn't leave the board; none for the offset (0, 0).
    sources: Bitboard,
    /// The difference that it makes to [`Square::index`].
    shift: i8,
}

impl Step {
    const fn new(dx: i8, dy: i8) -> Step {
        let mut sources = 0;
        let mut square = 0;
        while square < 25 {
            let (x, y) = (square / 5 + dx, square % 5 + dy);
            if matches!((x, y), (0..5, 0..5)) && !matches!((dx, dy), (0, 0)) {
                sources |= 1 << square;
            }
            square += 1;
        }
        Step {
            sources: Bitboard::from_bits(sources),
            shift: 5 * dx + dy,
        }
    }

    /// Returns the target from one of its sources.
    #[inline]
    pub(super) const fn target(self, from: Square) -> Square {
        Square::at(from.0.wrapping_add_signed(self.shift))
    }

    /// Returns the pieces that can take the step without landing on another of them.
    #[inline]
    pub(super) const fn movers(self, pieces: Bitboard) -> Bitboard {
        // Rotated back by the step, each target is on its source. Bits that leave the board wrap to
        // squares that aren't sources.
        let blocked = pieces
            .0
            .rotate_right(self.shift.rem_euclid(32).cast_unsigned() as u32);
        Bitboard::from_bits(pieces.0 & self.sources.0 & !blocked)
    }
}

/// The steps of each card, for both sides.
static STEPS: [[[Step; OFFSETS]; 16]; 2] = {
    let mut steps = [[[Step::new(0, 0); OFFSETS]; 16]; 2];
    let mut index = 0;
    while index < 16 * OFFSETS {
        let (card, at) = (index / OFFSETS, index % OFFSETS);
        let (dx, dy) = CARDS[card].1[at];
        steps[0][card][at] = Step::new(dx, dy);
        steps[1][card][at] = Step::new(-dx, -dy);
        index += 1;
    }
    steps
};
