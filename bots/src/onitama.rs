//! The protocol of Onitama: the board, the cards and the offered actions.

pub mod alpha_beta;
pub mod evaluation;
pub mod greedy;

use std::io::BufRead;
use std::time::Duration;

use arena_games::onitama::{self, Action, Color, Position, Square};

use crate::protocol::{self, Lines, PromptError, Protocol};

/// Onitama.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onitama;

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The position, with the bot to move.
    pub position: Position,
    /// The offered actions: at least one, all legal.
    pub actions: Vec<Action>,
}

impl protocol::Turn for Turn {
    type Position = Position;
    type Action = Action;

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn after(&self, action: Action) -> Position {
        self.position.after(action)
    }
}

impl Protocol for Onitama {
    /// The side that the bot plays.
    type Known = Color;
    type Turn = Turn;

    fn time_limit(&self) -> Duration {
        onitama::spec().turn
    }

    /// Parses the player's number, which only the first prompt shows.
    fn greeting(&self, lines: &mut Lines<impl BufRead>) -> Result<Color, PromptError> {
        lines.parse("the player, 0 or 1", |text| {
            Color::ALL
                .into_iter()
                .find(|color| text == color.index().to_string())
        })
    }

    fn turn(
        &self,
        &mut side: &mut Color,
        lines: &mut Lines<impl BufRead>,
    ) -> Result<Turn, PromptError> {
        let mut text: [String; 10] = Default::default();
        for line in &mut text {
            *line = lines.line()?;
        }
        let position = Position::from_lines(text.each_ref().map(String::as_str));
        let position = position.map_err(|source| lines.no_position(source))?;
        // The centre card is printed for the side to move.
        if position.side != side {
            return Err(lines.no_position(OtherSide {
                expected: side,
                found: position.side,
            }));
        }
        let mut legal = Vec::new();
        position.legal_actions(&mut legal);
        let read = |text: &str| Action::parse(text).filter(|action| legal.contains(action));
        let actions = lines.parse_counted("a legal action", read)?;
        Ok(Turn { position, actions })
    }
}

/// The position has the opponent to move.
#[derive(Debug, thiserror::Error)]
#[error("expected a centre card printed for {expected}, found one printed for {found}")]
struct OtherSide {
    expected: Color,
    found: Color,
}

/// Returns the square on which `action` captures.
fn captures(position: &Position, action: Action) -> Option<Square> {
    match action {
        Action::Move { to, .. } => {
            Some(to).filter(|&to| position.pieces(position.side.opponent()).contains(to))
        }
        Action::Pass { .. } => None,
    }
}
