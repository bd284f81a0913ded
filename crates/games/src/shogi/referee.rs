//! What the referees of the shogi games share: turns, prompts, replies, ends and openings. A [`Variant`] adds what
//! a game has of its own.

use std::fmt::{self, Write as _};

use serde::Serialize;

use crate::frame;
use crate::opening::{self, Open};
use crate::{Fate, Game, Opening, Reason, Replies, Seat, SeatSet, Standing, StartError};

use super::{Color, Hand, MAX_MOVES, Move, Piece, Position};

/// The number of turns after which a game is drawn.
pub const MAX_ROUNDS: u32 = 300;

/// What a game of shogi adds to the common rules. Holds all of the game's randomness.
pub trait Variant: Clone + Send + 'static {
    /// The state before the first turn.
    fn new(seed: i64) -> Self;

    /// Starts a turn: cuts the legal moves, of which there is at least one, down to those that are offered, and
    /// puts them in the order in which they are listed.
    fn offer(&mut self, moves: &mut Vec<Move>);

    /// Puts the move that answers `random` first.
    fn choose(&mut self, offered: &mut [Move]);

    /// Appends the lines between the hands and the last action.
    ///
    /// # Errors
    /// None of its own: those of writing to a string.
    fn print(&self, _out: &mut String) -> fmt::Result {
        Ok(())
    }

    /// This turn's roll, in a game with a die.
    fn die(&self) -> Option<u32> {
        None
    }

    /// Takes note of a position that a move led to, and tells why it ends the game, if it does.
    fn reached(&mut self, _position: &Position) -> Option<Reason> {
        None
    }
}

/// A running game of shogi.
#[derive(Clone, Debug)]
pub struct Referee<V> {
    variant: V,
    position: Position,
    /// The moves offered this turn, as listed; none once the game is over.
    offered: Vec<Move>,
    last: Option<Move>,
    turn: u32,
    standings: [Standing; 2],
    reason: Option<Reason>,
    opening: Vec<String>,
}

/// The start function of a game's spec.
///
/// # Errors
/// As [`Referee::start`].
pub fn start<V: Variant>(seed: i64, opening: &Opening) -> Result<Box<dyn Game>, StartError> {
    Ok(Box::new(Referee::<V>::start(seed, opening)?))
}

impl<V: Variant> Referee<V> {
    /// A game whose opening has been played.
    ///
    /// # Errors
    /// [`StartError`] when the opening is illegal or ends the game.
    pub fn start(seed: i64, opening: &Opening) -> Result<Referee<V>, StartError> {
        opening::start(seed, opening)
    }
}

impl<V: Variant> Open for Referee<V> {
    type Action = Move;

    fn new(seed: i64) -> Referee<V> {
        let mut game = Referee {
            variant: V::new(seed),
            position: Position::start(),
            offered: Vec::with_capacity(MAX_MOVES),
            last: None,
            turn: 1,
            standings: [Standing { score: 0, fate: Fate::Ok }; 2],
            reason: None,
            opening: Vec::new(),
        };
        game.position.legal_moves(&mut game.offered);
        game.variant.offer(&mut game.offered);
        game
    }

    fn actions(&self) -> &[Move] {
        &self.offered
    }

    /// In either case.
    fn find(&self, text: &str) -> Option<Move> {
        Move::parse(text, self.position.side()).filter(|action| self.offered.contains(action))
    }

    fn play_opening(&mut self, action: Move) {
        self.opening.push(action.to_string());
        self.play(action);
    }
}

impl<V: Variant> Game for Referee<V> {
    fn due(&self) -> SeatSet {
        if self.reason.is_none() { SeatSet::of(self.position.side().index()) } else { SeatSet::EMPTY }
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    /// A seat that is not due reads nothing.
    fn prompt(&self, seat: Seat, out: &mut String) {
        if self.due().contains(seat) {
            // Writing to a string cannot fail.
            let _ = self.write_prompt(seat, out);
        }
    }

    fn advance(&mut self, replies: &Replies<'_>) {
        let Some(reply) = self.due().iter().find_map(|seat| replies.get(seat).copied().flatten()) else { return };
        match reply.map(|line| self.understand(line)) {
            Ok(Some(action)) => self.play(action),
            Ok(None) => self.fail(Reason::InvalidAction, Fate::InvalidAction),
            Err(fault) => self.fail(Reason::Timeout, fault.into()),
        }
    }

    fn standings(&self) -> &[Standing] {
        &self.standings
    }

    fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// | key | value |
    /// |---|---|
    /// | `side` | the seat to move; at the end, the one that would be |
    /// | `check` | whether its king is attacked |
    /// | `board` | five rows as bots read them: black's pieces in upper case, `+` before a promoted piece |
    /// | `hands` | by seat, the letters of the captured pieces in the order of their capture |
    /// | `last` | the last move as bots read it, or `null` |
    /// | `die` | only in Dice Shogi: the roll of the turn |
    fn frame(&self, out: &mut String) {
        let mut board = String::new();
        // Writing to a string cannot fail.
        let _ = self.position.board().write(&mut board);
        let hand = |color| self.position.hand(color).iter().map(|role| Piece { color, role }.letter()).collect();
        let own = Frame {
            side: self.position.side().index(),
            check: self.position.in_check(),
            board: board.lines().collect(),
            hands: Color::ALL.map(hand),
            last: self.last.map(|action| action.to_string()),
            die: self.variant.die(),
        };
        frame::append(self, own, out);
    }

    fn opening(&self) -> &[String] {
        &self.opening
    }
}

#[derive(Serialize)]
struct Frame<'a> {
    side: Seat,
    check: bool,
    board: Vec<&'a str>,
    hands: [String; 2],
    last: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    die: Option<u32>,
}

impl<V: Variant> Referee<V> {
    fn write_prompt(&self, seat: Seat, out: &mut String) -> fmt::Result {
        if self.is_first_prompt() {
            writeln!(out, "{seat}\n5")?;
        }
        self.position.board().write(out)?;
        for color in Color::ALL {
            write_hand(self.position.hand(color), color, out);
        }
        self.variant.print(out)?;
        match self.last {
            Some(action) => action.write(out)?,
            None => out.push_str("none"),
        }
        writeln!(out, "\n{}", self.offered.len())?;
        for action in &self.offered {
            action.write(out)?;
            out.push('\n');
        }
        Ok(())
    }

    /// Whether the seat to move has not been asked before.
    fn is_first_prompt(&self) -> bool {
        self.turn as usize <= self.opening.len() + 2
    }

    /// The offered move that a reply stands for. Its first word counts, the rest is a message without effect.
    fn understand(&mut self, reply: &str) -> Option<Move> {
        let word = reply.trim_matches(|character| character <= ' ').split(' ').next()?;
        if word.eq_ignore_ascii_case("random") {
            self.variant.choose(&mut self.offered);
            return self.offered.first().copied();
        }
        self.find(word)
    }

    /// Plays an offered move, then starts the next turn or ends the game.
    fn play(&mut self, action: Move) {
        self.position.play(action);
        self.last = Some(action);
        self.position.legal_moves(&mut self.offered);
        if let Some(reason) = self.ending() {
            self.end(reason, self.winner(reason));
        } else {
            self.turn += 1;
            self.variant.offer(&mut self.offered);
        }
    }

    /// Why the position reached ends the game: the first of these that holds.
    fn ending(&mut self) -> Option<Reason> {
        if self.offered.is_empty() {
            return Some(if self.position.in_check() { Reason::Checkmate } else { Reason::Stalemate });
        }
        self.variant.reached(&self.position).or((self.turn == MAX_ROUNDS).then_some(Reason::MaxRounds))
    }

    /// Who wins a game that ends for this reason in the position reached.
    fn winner(&self, reason: Reason) -> Option<Color> {
        match reason {
            Reason::Checkmate | Reason::Stalemate => Some(self.position.side().opponent()),
            Reason::PerpetualCheck => Some(self.position.side()),
            Reason::Repetition => Some(Color::White),
            _ => None,
        }
    }

    /// Ends the game by the failure of the side to move.
    fn fail(&mut self, reason: Reason, fate: Fate) {
        let loser = self.position.side();
        self.standings[loser.index()].fate = fate;
        self.end(reason, Some(loser.opponent()));
    }

    fn end(&mut self, reason: Reason, winner: Option<Color>) {
        self.reason = Some(reason);
        self.offered.clear();
        if let Some(winner) = winner {
            self.standings[winner.index()].score = 1;
            self.standings[winner.opponent().index()].score = -1;
        }
    }
}

/// One line: the pieces in the order of capture, or `-`.
fn write_hand(hand: Hand, color: Color, out: &mut String) {
    if hand.is_empty() {
        out.push('-');
    }
    out.extend(hand.iter().map(|role| Piece { color, role }.letter()));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fault;
    use crate::minishogi::{MiniShogi, Rules};

    /// A game that goes on from a position.
    fn game_at(sfen: &str) -> MiniShogi {
        let mut game = Referee::<Rules>::new(1);
        game.position = Position::from_sfen(sfen).unwrap();
        game.position.legal_moves(&mut game.offered);
        game
    }

    fn answer(game: &mut impl Game, reply: Result<&str, Fault>) {
        game.advance(&[Some(reply); 2]);
    }

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
            assert_eq!(game.last.map(|action| action.to_string()).as_deref(), Some(expected), "{reply:?}");
        }
        for reply in ["RANDOM msg", "Random  x  y", " random"] {
            let mut game = game.clone();
            answer(&mut game, Ok(reply));
            assert!(game.last.is_some(), "{reply:?}");
        }
        for reply in [
            "",
            "   ",
            "1425\tmsg",
            "play 1425",
            "1425,",
            "\"1425\"",
            "1425++",
            "+p*33",
            "14 25",
            "randomx",
            "r*33",
            "p*55",
            "k*33",
            "1426",
            "2514",
            "\u{a0}1425",
            "\u{feff}1425",
            "1425\u{a0}",
            "１４２５",
        ] {
            let mut game = game.clone();
            answer(&mut game, Ok(reply));
            assert_eq!(game.reason, Some(Reason::InvalidAction), "{reply:?}");
            assert_eq!(game.standings.map(|standing| standing.score), [1, -1]);
            assert_eq!(game.standings.map(|standing| standing.fate), [Fate::Ok, Fate::InvalidAction]);
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
            let mut game = Referee::<Rules>::new(1);
            answer(&mut game, Err(fault));
            assert_eq!(game.reason, Some(Reason::Timeout));
            assert_eq!(game.standings, [Standing { score: -1, fate }, Standing { score: 1, fate: Fate::Ok }]);
            assert_eq!((game.turn(), game.due()), (1, SeatSet::EMPTY));
        }
    }

    /// The last move of a game counts for more than the limit it reaches.
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
            assert_eq!((game.reason, game.turn), (Some(reason), MAX_ROUNDS), "{reply}");
        }
    }
}
