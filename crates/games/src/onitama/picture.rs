//! Positions for those who draw them.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Card, Color, Position};
use crate::frame::{name, spaced};
use crate::{Seat, Setting};

/// A position of Onitama.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The seat to move; at the end, the one that would be.
    pub side: Seat,
    /// Five rows as bots read them: `w` and `b` are students, `W` and `B` masters.
    pub board: Vec<String>,
    /// The two cards of each seat.
    pub hands: [[Card; 2]; 2],
    /// The fifth card, which `side` gets.
    pub centre: Card,
    /// The last action as bots write it.
    pub last: Option<String>,
}

/// A card.
#[derive(Clone, Debug, Serialize)]
pub struct CardSetting {
    /// Its id.
    pub id: Card,
    /// Its name.
    pub name: &'static str,
    /// Its steps as seat 0 takes them, in columns to the right and rows upwards. Seat 1 takes them the other way round.
    pub moves: Vec<(i8, i8)>,
}

/// What stays as it is for a game.
pub(super) fn setting(position: &Position) -> Setting {
    let mut cards = position.hands.concat();
    cards.push(position.centre);
    cards.sort_unstable();
    let cards = cards.into_iter().map(|id| CardSetting {
        id,
        name: id.name(),
        moves: id.offsets(Color::White).collect(),
    });
    Setting::Onitama {
        cards: cards.collect(),
    }
}

/// The width of a card, and of the name over the two cards of a side.
const CARD: usize = 14;
const HOLDER: usize = 2 * CARD + 2;

impl Picture {
    pub(super) fn new(position: &Position, last: Option<String>) -> Picture {
        Picture {
            side: position.side.index(),
            board: position
                .to_string()
                .lines()
                .take(5)
                .map(str::to_owned)
                .collect(),
            hands: position.hands,
            centre: position.centre,
            last,
        }
    }

    /// The board, and below it every card as its holder uses it, the centre one as the side to move will.
    pub(crate) fn text(&self, names: &[String]) -> String {
        let mut text = String::new();
        for (row, pieces) in (1..=5).rev().zip(&self.board) {
            let _ = writeln!(text, "  {row} {}", spaced(pieces.chars()));
        }
        text.push_str("     A B C D E\n\n");
        let [first, second] = fitting([0, 1].map(|seat| name(names, seat)));
        let _ = writeln!(text, "  {first:HOLDER$}  {second:HOLDER$}  centre");
        let [[a, b], [c, d]] = self.hands;
        let [white, black] = Color::ALL;
        let cards = [
            (a, white),
            (b, white),
            (c, black),
            (d, black),
            (self.centre, Color::ALL[self.side]),
        ];
        text.push_str(&line(
            cards.map(|(card, _)| format!("{card} {}", card.name())),
        ));
        for dy in (-2..=2).rev() {
            text.push_str(&line(cards.map(|(card, color)| card_row(card, color, dy))));
        }
        text
    }
}

fn line(cells: [String; 5]) -> String {
    let cells = cells.map(|cell| format!("  {cell:CARD$}"));
    cells.concat().trim_end().to_owned() + "\n"
}

/// A row of a card: `O` is the piece, `x` where it may go.
fn card_row(card: Card, color: Color, dy: i8) -> String {
    let symbols = [-2, -1, 0, 1, 2].map(|dx| match (dx, dy) {
        (0, 0) => "O",
        _ if card.offsets(color).any(|offset| offset == (dx, dy)) => "x",
        _ => ".",
    });
    symbols.join(" ")
}

/// What stands for a part of a name that is left out.
const CUT: &str = "..";

/// Two names as they fit over their cards. One that is too long keeps its beginning and the place where it differs from the
/// other, so two different names that do not hold [`CUT`] themselves are never shown alike.
fn fitting(names: [&str; 2]) -> [String; 2] {
    /// So much of the beginning stays where the difference is far behind, and so much of what is before the difference.
    const HEAD: usize = 10;
    const BEFORE: usize = 8;
    let letters = names.map(|name| name.chars().collect::<Vec<char>>());
    let alike = letters[0]
        .iter()
        .zip(&letters[1])
        .take_while(|(one, other)| one == other)
        .count();
    // The character that differs must not be behind the mark at the end.
    let is_early = alike < HOLDER - CUT.len();
    letters.map(|name| {
        if name.len() <= HOLDER || is_early {
            return cut(&name, HOLDER);
        }
        let head: String = name[..HEAD].iter().collect();
        head + CUT + &cut(&name[alike - BEFORE..], HOLDER - HEAD - CUT.len())
    })
}

/// The beginning of a text that is longer than `width`.
fn cut(text: &[char], width: usize) -> String {
    if text.len() > width {
        text[..width - CUT.len()].iter().collect::<String>() + CUT
    } else {
        text.iter().collect()
    }
}
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_names_keep_what_differs() {
        let first = "search[mobility=1,centre=4,shrine=3]";
        for (second, expected) in [
            (
                "search[mobility=9,centre=4,shrine=3]",
                [
                    "search[mobility=1,centre=4,s..",
                    "search[mobility=9,centre=4,s..",
                ],
            ),
            (
                "search[mobility=1,centre=4,shrine=0]",
                ["search[mob..,shrine=3]", "search[mob..,shrine=0]"],
            ),
            ("guessed", ["search[mobility=1,centre=4,s..", "guessed"]),
            (first, ["search[mob..hrine=3]"; 2]),
        ] {
            assert_eq!(fitting([first, second]), expected);
        }
        assert_eq!(
            fitting(["search[depth=1,width=0.2]", "é"]),
            ["search[depth=1,width=0.2]", "é"]
        );
    }

    /// Names that begin alike for long; two dots, the mark, are not in them.
    fn names() -> impl Strategy<Value = [String; 2]> {
        let end = "[a-b]{0,40}";
        ("[a-cé]{0,45}", end, end)
            .prop_map(|(begin, one, other)| [format!("{begin}{one}"), format!("{begin}{other}")])
    }

    proptest! {
        #[test]
        fn different_names_are_shown_differently([one, other] in names()) {
            let shown = fitting([&one, &other]);
            prop_assert_eq!(shown[0] == shown[1], one == other, "{:?}", shown);
            for (name, shown) in [one, other].iter().zip(&shown) {
                let (whole, width) = (name.chars().count() <= HOLDER, shown.chars().count());
                prop_assert!(width <= HOLDER && (name == shown) == whole, "{} {}", name, shown);
            }
        }
    }
}
