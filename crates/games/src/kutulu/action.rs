//! The actions of players, and how the original parses them.

use std::fmt::{self, Display};

use super::maze::Direction;
use crate::rng::{Generator as _, SplitMix64, choose};

/// An action, without the message that followed it. It displays as the answer that
/// [`Action::parse`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Wait,
    /// The first step on the path to a place; nothing if there is no path.
    Move {
        /// The column.
        x: i32,
        /// The row.
        y: i32,
    },
    /// One step, if the cell is floor.
    Step(Direction),
    /// Heals the caster and the explorers near it.
    Plan,
    /// Makes the cells around the caster expensive for minions.
    Light,
    /// Keeps the explorers next to the caster from acting, in this turn and the next.
    Yell,
}

/// The characters that end an action and begin its message.
const BLANKS: [char; 4] = [' ', '\t', '\u{b}', '\u{c}'];
/// The characters that the original accepts as the end of a line.
const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

impl Action {
    /// Parses an answer as the original does. `None` is an illegal answer, which eliminates the
    /// player.
    ///
    /// The answer begins with the word, in either case; a message may follow after a blank. Exactly
    /// one space comes before each number of `MOVE`, and the numbers fit 32 bits.
    pub fn parse(line: &str) -> Option<Action> {
        let line = line.strip_suffix(LINE_ENDS).unwrap_or(line);
        if line.contains(LINE_ENDS) {
            return None;
        }
        let end =
            line.find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let (word, rest) = line.split_at(end.unwrap_or(line.len()));
        if word.eq_ignore_ascii_case("MOVE") {
            return parse_move(rest);
        }
        if !(rest.is_empty() || rest.starts_with(BLANKS)) {
            return None;
        }
        WORDS
            .iter()
            .find(|(name, _)| word.eq_ignore_ascii_case(name))
            .map(|(_, action)| *action)
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Action::Move { x, y } = self {
            return write!(f, "MOVE {x} {y}");
        }
        for (word, action) in WORDS {
            if action == *self {
                return f.write_str(word);
            }
        }
        Ok(())
    }
}

/// The actions without numbers.
const WORDS: [(&str, Action); 8] = [
    ("WAIT", Action::Wait),
    ("UP", Action::Step(Direction::Up)),
    ("DOWN", Action::Step(Direction::Down)),
    ("LEFT", Action::Step(Direction::Left)),
    ("RIGHT", Action::Step(Direction::Right)),
    ("PLAN", Action::Plan),
    ("LIGHT", Action::Light),
    ("YELL", Action::Yell),
];

/// Draws a random action: half the time a move to an entity in the prompt, else a word.
pub(super) fn random(prompt: &str, rng: &mut SplitMix64) -> String {
    let mut entities: Vec<&str> = prompt.lines().collect();
    entities.retain(|line| line.split(' ').count() == ENTITY_FIELDS);
    let entity = choose(&entities, rng).copied().unwrap_or_default();
    let word = choose(&WORDS, rng).map_or("WAIT", |(word, _)| word);
    match entity.split(' ').collect::<Vec<_>>()[..] {
        [_, _, x, y, ..] if rng.next_int(2) == 0 => format!("MOVE {x} {y}"),
        _ => word.to_owned(),
    }
}

/// The fields of an entity: type, id, column, row and three parameters.
const ENTITY_FIELDS: usize = 7;

/// Parses the rest of a `MOVE`: two numbers, each after one space.
fn parse_move(rest: &str) -> Option<Action> {
    let (x, rest) = parse_number(rest.strip_prefix(' ')?)?;
    let (y, rest) = parse_number(rest.strip_prefix(' ')?)?;
    (rest.is_empty() || rest.starts_with(BLANKS)).then_some(Action::Move { x, y })
}

/// Parses a number at the start of the text. Returns it with the rest.
fn parse_number(text: &str) -> Option<(i32, &str)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let after = digits.trim_start_matches(|character: char| character.is_ascii_digit());
    let number = &text[..text.len() - after.len()];
    // `parse` rejects a sign without digits.
    Some((number.parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_the_original_reads_them() {
        let to = |x, y| Some(Action::Move { x, y });
        let (wait, plan) = (Some(Action::Wait), Some(Action::Plan));
        for (line, action) in [
            ("wait", wait),
            ("Wait hello", wait),
            ("WAIT   ", wait),
            ("WAIT \u{2003}", wait),
            ("MOVE 3 4", to(3, 4)),
            ("move 3 4 see you 12", to(3, 4)),
            ("MOVE 003 -0", to(3, 0)),
            ("MOVE 3 4\tx", to(3, 4)),
            ("MOVE 3 4\u{b}go", to(3, 4)),
            ("MOVE 2147483647 -2147483648", to(i32::MAX, i32::MIN)),
            ("MOVE 0000000000000000000003 4", to(3, 4)),
            ("MOVE 3 4 5", to(3, 4)),
            ("PLAN 5 5", plan),
            ("PLAN\u{c} x", plan),
            ("light", Some(Action::Light)),
            ("yELL", Some(Action::Yell)),
            ("up", Some(Action::Step(Direction::Up))),
            ("DOWN", Some(Action::Step(Direction::Down))),
            ("LEFT\u{b}1", Some(Action::Step(Direction::Left))),
            ("Right", Some(Action::Step(Direction::Right))),
            ("WAIT\u{85}", wait),
            ("MOVE 3 4\u{2028}", to(3, 4)),
            ("WAIT \u{2029}", wait),
        ] {
            assert_eq!(Action::parse(line), action, "{line:?}");
        }
    }

    #[test]
    fn what_is_displayed_is_read() {
        let places =
            [(0, 0), (7, 12), (-3, i32::MIN), (i32::MAX, 1)].map(|(x, y)| Action::Move { x, y });
        for action in WORDS.map(|(_, action)| action).into_iter().chain(places) {
            assert_eq!(Action::parse(&action.to_string()), Some(action));
        }
    }

    /// What is no answer, between bars.
    const WRONG: &str = "| | WAIT|\u{b}WAIT|WAIT,x|WAIT!|WAITING|WAIT_|JUMP|MOVE|MOVE |MOVE 1|\
        MOVE 1 |MOVE  1 2|MOVE 1  2|MOVE\t1 2|MOVE 1\t2|MOVE 1 2x|MOVE 1.5 2|\
        MOVE +1 2|MOVE 1, 2|MOVE - 2|MOVE -- 2|MOVE 1 -|MOVE 2147483648 1|\
        MOVE 1 -2147483649|MOVE1 2|WAIT\u{a0}|MOVE 3 4\u{a0}|WAIT\u{1c}|WAIT\0|ＷＡＩＴ|\
        waıt|1 2|PLAN\u{2003}|WAIT\u{85}\u{85}|WAIT \u{2028} x|\u{85}WAIT|\u{85}|\
        MOVE ３ 4";

    #[test]
    fn anything_else_is_no_answer() {
        for line in WRONG.split('|') {
            assert_eq!(Action::parse(line), None, "{line:?}");
        }
    }
}
