//! Actions and their notation.

use std::fmt::{self, Display, Write};

use super::{Card, Square};

/// An action. Its notation is the id of the card and the two squares, `8 C1D2`, or `8 PASS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// A piece moves, with a capture if the target is occupied.
    Move {
        /// The card that it uses.
        card: Card,
        /// Its square.
        from: Square,
        /// The target.
        to: Square,
    },
    /// Only a card is exchanged, by a player without moves.
    Pass {
        /// The card.
        card: Card,
    },
}

impl Action {
    /// Returns the card.
    pub const fn card(self) -> Card {
        match self {
            Action::Move { card, .. } | Action::Pass { card } => card,
        }
    }

    /// Parses a reply as the referee does, legal or not: digits at the very start, blanks, the
    /// action in either case, and then nothing or a message. A message begins after one blank and
    /// isn't empty, so a single blank at the end makes the reply invalid, but two don't.
    pub fn parse(reply: &str) -> Option<Action> {
        let rest = reply.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
        let id = &reply[..reply.len() - rest.len()];
        let (word, tail) = rest.trim_start_matches(BLANKS).split_at_checked(4)?;
        let finished = tail.is_empty() || tail.len() > 1 && tail.starts_with(BLANKS);
        if id.is_empty() || !rest.starts_with(BLANKS) || !finished {
            return None;
        }
        // Leading zeros are ignored, in any number. An id too large for an integer is invalid.
        let digits = match id.trim_start_matches('0') {
            "" => "0",
            digits => digits,
        };
        let card = Card::new(digits.parse().ok()?)?;
        if word.eq_ignore_ascii_case("PASS") {
            return Some(Action::Pass { card });
        }
        let [a, b, c, d] = *word.as_bytes() else {
            return None;
        };
        Some(Action::Move {
            card,
            from: Square::from_bytes(a, b)?,
            to: Square::from_bytes(c, d)?,
        })
    }

    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        self.card().write(out)?;
        match self {
            Action::Move { from, to, .. } => {
                out.write_char(' ')?;
                from.write(out)?;
                to.write(out)
            }
            Action::Pass { .. } => out.write_str(" PASS"),
        }
    }
}

/// The blanks in a reply.
const BLANKS: [char; 4] = [' ', '\t', '\u{b}', '\u{c}'];

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is no answer, between bars.
    const WRONG: &str = "| |   |8|8 | 8 C1D2|\u{feff}8 C1D2|+8 C1D2|-8 C1D2|\u{668} C1D2|\
        \u{ff18} C1D2|C1D2| C1D2|8C1D2|8\u{a0}C1D2|8 \u{2003}C1D2|8\u{85}C1D2|\
        8 C1D2 |8 C1D2\t|8 C1D2x|8 C1D2\u{a0}x|8 C1D2\u{3000}x|8 C1 D2|8 C1-D2|\
        8 C1D|8 C1D6|8 C0D1|8 F1D2|8 1C2D|8 C1D\u{ff12}|8 PA\u{17f}S|8 PASSED|PASS|\
        16 C1D2|256 C1D2|2147483648 C1D2|4294967304 C1D2|18446744073709551624 PASS|\
        8.0 C1D2|8, C1D2";

    #[test]
    fn replies_are_read_as_the_original_reads_them() {
        for (reply, expected) in [
            ("8 C1D2", "8 C1D2"),
            ("8 c1D2", "8 C1D2"),
            ("15 pAsS", "15 PASS"),
            ("0 PASS", "0 PASS"),
            ("000 A1A2", "0 A1A2"),
            ("00000000000000000000000000000000000012 e5a1", "12 E5A1"),
            ("8 \t\u{b}\u{c}C1D2", "8 C1D2"),
            ("8 C1D2  ", "8 C1D2"),
            ("8 C1D2\t\u{b}", "8 C1D2"),
            ("8 C1D2 \u{a0}", "8 C1D2"),
            ("8 C1D2 9 A1B2", "8 C1D2"),
            ("8 C1D2\u{c}h\u{e9}llo \u{1f600}", "8 C1D2"),
            ("8 PASS \u{1}", "8 PASS"),
            ("8 C1C1", "8 C1C1"),
        ] {
            assert_eq!(
                Action::parse(reply)
                    .map(|action| action.to_string())
                    .as_deref(),
                Some(expected),
                "{reply:?}"
            );
        }
        for reply in WRONG.split('|') {
            assert_eq!(Action::parse(reply), None, "{reply:?}");
        }
    }
}
