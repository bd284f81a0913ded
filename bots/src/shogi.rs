//! The protocol of Mini Shogi and Dice Shogi: the board, the hands, the die in Dice Shogi, the
//! opponent's last move and the offered moves.

pub mod alpha_beta;
pub mod evaluation;
pub mod expectimax;
pub mod greedy;

use std::io::BufRead;
use std::time::Duration;

use arena_games::shogi::{Color, Move, Position};
use arena_games::{dice_shogi, minishogi};

use crate::protocol::{self, Lines, PromptError, Protocol};

/// The two shogi games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Game {
    /// Mini Shogi.
    MiniShogi,
    /// Dice Shogi.
    DiceShogi,
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The position, with the bot to move.
    pub position: Position,
    /// The die, from 1 to 6, in Dice Shogi.
    pub die: Option<u8>,
    /// The opponent's last move; `None` on the first turn of the game.
    pub last: Option<Move>,
    /// The offered moves: at least one, all legal.
    pub moves: Vec<Move>,
}

impl protocol::Turn for Turn {
    type Position = Position;
    type Action = Move;

    fn actions(&self) -> &[Move] {
        &self.moves
    }

    fn after(&self, action: Move) -> Position {
        self.position.after(action)
    }
}

impl Protocol for Game {
    /// The side that the bot plays.
    type Known = Color;
    type Turn = Turn;

    fn time_limit(&self) -> Duration {
        match self {
            Game::MiniShogi => minishogi::spec().turn,
            Game::DiceShogi => dice_shogi::spec().turn,
        }
    }

    /// Parses the player's number and the size of the board.
    fn greeting(&self, lines: &mut Lines<impl BufRead>) -> Result<Color, PromptError> {
        let side = lines.parse("the player, 0 or 1", |text| match text {
            "0" => Some(Color::Black),
            "1" => Some(Color::White),
            _ => None,
        })?;
        lines.parse("the size of the board, 5", |text| {
            (text == "5").then_some(side)
        })
    }

    fn turn(
        &self,
        &mut side: &mut Color,
        lines: &mut Lines<impl BufRead>,
    ) -> Result<Turn, PromptError> {
        let position = position(side, lines)?;
        let die = match self {
            Game::MiniShogi => None,
            Game::DiceShogi => Some(lines.parse("a die from 1 to 6", |text| {
                text.parse().ok().filter(|die| (1..=6).contains(die))
            })?),
        };
        let last = lines.parse("the last move or `none`", |text| match text {
            "none" => Some(None),
            _ => Move::parse(text, side.opponent()).map(Some),
        })?;
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        let read = |text: &str| Move::parse(text, side).filter(|action| legal.contains(action));
        let moves = lines.parse_counted("a legal move", read)?;
        Ok(Turn {
            position,
            die,
            last,
            moves,
        })
    }
}

/// Parses five lines of the board and one for each hand. Put together, they are SFEN.
fn position(side: Color, lines: &mut Lines<impl BufRead>) -> Result<Position, PromptError> {
    let mut ranks = Vec::new();
    for _ in 0..5 {
        ranks.push(lines.line()?.replace('.', "1"));
    }
    let hands = [lines.line()?, lines.line()?].concat().replace('-', "");
    let hands = if hands.is_empty() { "-" } else { &hands };
    let side = match side {
        Color::Black => 'b',
        Color::White => 'w',
    };
    let sfen = format!("{} {side} {hands}", ranks.join("/"));
    Position::from_sfen(&sfen).map_err(|source| lines.no_position(source))
}
