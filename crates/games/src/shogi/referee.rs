//! The common part of the referees of `MiniShogi` and Dice Shogi. A [`Variant`] adds the rest.

use std::fmt::{self, Debug, Write as _};

use super::picture::letters;
use super::{Color, MAX_MOVES, Move, Position};
use crate::referee::TurnBased;
use crate::{Picture, Reason, Seat};

/// The turn limit. A game that reaches it is a draw.
pub const MAX_ROUNDS: u32 = 300;

/// The additions of a game to the common rules. It holds all of the game's randomness.
pub trait Variant: Clone + Debug + Send + 'static {
    /// Returns the state before the first turn.
    fn new(seed: i64) -> Self;

    /// As [`TurnBased::offer`].
    fn offer(&mut self, moves: &mut Vec<Move>);

    /// Puts the move that answers `random` first.
    fn choose(&mut self, offered: &mut [Move]);

    /// Returns the roll of this turn, in a game with a die.
    fn die(&self) -> Option<u32> {
        None
    }

    /// Records the position after a move. Returns a reason if it ends the game.
    fn reached(&mut self, _position: &Position) -> Option<Reason> {
        None
    }
}

/// The state of a game of shogi.
#[derive(Clone, Debug)]
pub struct Shogi<V> {
    position: Position,
    variant: V,
}

impl<V: Variant> TurnBased for Shogi<V> {
    type Action = Move;

    const MOST_ACTIONS: usize = MAX_MOVES;
    const LIMIT: (u32, Reason) = (MAX_ROUNDS, Reason::MaxRounds);
    const LOSS: i64 = -1;
    const GREETING: &'static str = "\n5\n";

    fn new(seed: i64) -> Shogi<V> {
        Shogi {
            position: Position::start(),
            variant: V::new(seed),
        }
    }

    fn to_move(&self) -> Seat {
        self.position.side().index()
    }

    fn list(&self, list: &mut Vec<Move>) {
        self.position.legal_moves(list);
    }

    fn offer(&mut self, legal: &mut Vec<Move>) {
        self.variant.offer(legal);
    }

    /// Parses a move; the letter of a drop can be in either case.
    fn parse(&self, text: &str) -> Option<Move> {
        Move::parse(text, self.position.side())
    }

    /// Parses the first word of a reply. The rest is a message without effect.
    fn parse_reply(&mut self, reply: &str, offered: &mut [Move]) -> Option<Move> {
        let reply = reply.trim_matches(|character| character <= ' ');
        let word = reply.split(' ').next()?;
        if word.eq_ignore_ascii_case("random") {
            self.variant.choose(offered);
            return offered.first().copied();
        }
        self.parse(word)
    }

    fn apply(&mut self, action: Move) {
        self.position.play(action);
    }

    fn ending(&mut self, legal: &[Move]) -> Option<(Reason, Option<Seat>)> {
        let side = self.position.side();
        if legal.is_empty() {
            let reason = if self.position.in_check() {
                Reason::Checkmate
            } else {
                Reason::Stalemate
            };
            return Some((reason, Some(side.opponent().index())));
        }
        let reason = self.variant.reached(&self.position)?;
        let winner = match reason {
            Reason::PerpetualCheck => side,
            _ => Color::White,
        };
        Some((reason, Some(winner.index())))
    }

    fn write(&self, last: Option<Move>, out: &mut String) -> fmt::Result {
        self.position.board().write(out)?;
        for color in Color::ALL {
            let hand = self.position.hand(color);
            if hand.is_empty() {
                out.push('-');
            }
            out.extend(letters(hand, color));
            out.push('\n');
        }
        if let Some(die) = self.variant.die() {
            writeln!(out, "{die}")?;
        }
        match last {
            Some(action) => action.write(out)?,
            None => out.push_str("none"),
        }
        out.push('\n');
        Ok(())
    }

    fn write_action(action: Move, out: &mut String) -> fmt::Result {
        action.write(out)
    }

    fn picture(&self, last: Option<String>) -> Picture {
        let die = self.variant.die();
        Picture::Shogi(super::Picture::new(&self.position, last, die))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minishogi::MiniShogi;
    use crate::{Fate, Fault, Game, Opening, SeatSet, Standing};

    /// Returns a game that continues from a position.
    fn game_at(sfen: &str) -> MiniShogi {
        let mut game = MiniShogi::start(1, &Opening::default()).unwrap();
        game.state.position = Position::from_sfen(sfen).unwrap();
        game.state.position.legal_moves(&mut game.offered);
        game
    }

    fn answer(game: &mut impl Game, reply: Result<&str, Fault>) {
        game.advance(&[Some(reply); 2]);
    }

    /// What is no answer, between bars.
    const WRONG: &str = "|   |1425\tmsg|play 1425|1425,|\"1425\"|1425++|+p*33|14 25|randomx|r*33|\
        p*55|k*33|1426|2514|\u{a0}1425|\u{feff}1425|1425\u{a0}|１４２５";

    #[test]
    fn replies_are_read_as_the_original_reads_them() {
        let game = game_at("k4/5/5/4b/K4 w p");
        for (reply, expected) in [
            ("1425", "1425"),
            ("1425 Take this!", "1425"),
            ("1425  p*24", "1425"),
            ("  p*24  ", "p*24"),
            ("P*24", "p*24"),
            ("\t1425+ \t", "1425+"),
            ("\0\u{1}1425\u{1f}\r", "1425"),
        ] {
            let mut game = game.clone();
            answer(&mut game, Ok(reply));
            assert_eq!(
                game.last.map(|action| action.to_string()).as_deref(),
                Some(expected),
                "{reply:?}"
            );
        }
        for reply in ["RANDOM msg", "Random  x  y", " random"] {
            let mut game = game.clone();
            answer(&mut game, Ok(reply));
            assert!(game.last.is_some(), "{reply:?}");
        }
        for reply in WRONG.split('|') {
            let mut game = game.clone();
            answer(&mut game, Ok(reply));
            assert_eq!(game.reason, Some(Reason::InvalidAction), "{reply:?}");
            assert_eq!(game.standings.map(|standing| standing.score), [1, -1]);
            assert_eq!(
                game.standings.map(|standing| standing.fate),
                [Fate::Ok, Fate::InvalidAction]
            );
        }
    }

    #[test]
    fn a_pawn_on_the_furthest_rank_needs_its_promotion_written() {
        for (reply, reason) in [("1415", Some(Reason::InvalidAction)), ("1415+", None)] {
            let mut game = game_at("k4/5/5/4p/K4 w -");
            answer(&mut game, Ok(reply));
            assert_eq!(game.reason, reason, "{reply}");
        }
    }

    #[test]
    fn every_fault_loses_as_a_timeout_and_keeps_its_name() {
        for (fault, fate) in [
            (Fault::Timeout, Fate::Timeout),
            (Fault::Crashed, Fate::Crashed),
            (Fault::TooLong, Fate::TooLong),
            (Fault::OutOfMemory, Fate::OutOfMemory),
        ] {
            let mut game = MiniShogi::start(1, &Opening::default()).unwrap();
            answer(&mut game, Err(fault));
            assert_eq!(game.reason, Some(Reason::Timeout));
            assert_eq!(
                game.standings,
                [
                    Standing { score: -1, fate },
                    Standing {
                        score: 1,
                        fate: Fate::Ok
                    }
                ]
            );
            assert_eq!((game.turn(), game.due()), (1, SeatSet::EMPTY));
        }
    }

    /// The end on the board takes precedence over the round limit.
    #[test]
    fn an_end_on_the_board_goes_before_the_round_limit() {
        let mate = "4k/5/4G/5/K4 b G";
        for (turn, reply, reason) in [
            (MAX_ROUNDS, "G*12", Reason::Checkmate),
            (MAX_ROUNDS, "5554", Reason::MaxRounds),
            (MAX_ROUNDS, "5511", Reason::InvalidAction),
        ] {
            let mut game = game_at(mate);
            game.turn = turn;
            answer(&mut game, Ok(reply));
            assert_eq!(
                (game.reason, game.turn),
                (Some(reason), MAX_ROUNDS),
                "{reply}"
            );
        }
    }
}
