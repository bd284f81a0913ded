//! What the referees of the shogi games share: turns, prompts, replies, ends and openings. A [`Variant`] adds what
//! a game has of its own.

use std::fmt::Write as _;

use crate::games::rng::{Generator as _, SplitMix64};
use crate::games::{Fate, Game, Opening, Options, OptionsError, Reason, Replies, Seat, SeatSet, Standing};

use super::{Color, Hand, Move, Piece, Position};

/// The number of turns after which a game is drawn.
const MAX_ROUNDS: u32 = 300;

/// How many openings are drawn before giving up: each that ends the game is drawn again.
const OPENING_ATTEMPTS: u32 = 1000;

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
    fn print(&self, _out: &mut String) {}

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
    /// The moves offered this turn, as listed.
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
pub fn start<V: Variant>(seed: i64, options: &Options) -> Result<Box<dyn Game>, OptionsError> {
    Ok(Box::new(Referee::<V>::start(seed, options)?))
}

impl<V: Variant> Referee<V> {
    /// A game whose opening has been played.
    ///
    /// # Errors
    /// [`OptionsError`] when the opening is illegal or ends the game.
    pub fn start(seed: i64, options: &Options) -> Result<Referee<V>, OptionsError> {
        match &options.opening {
            Opening::Plies(0) => Ok(Referee::new(seed)),
            Opening::Plies(plies) => Referee::draw_opening(seed, *plies),
            Opening::Moves(moves) => Referee::play_opening(seed, moves),
        }
    }

    fn new(seed: i64) -> Referee<V> {
        let mut game = Referee {
            variant: V::new(seed),
            position: Position::start(),
            offered: Vec::new(),
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

    fn draw_opening(seed: i64, plies: u32) -> Result<Referee<V>, OptionsError> {
        // Apart from the game's own generator, so that its draws are those of a game without an opening.
        let mut rng = SplitMix64::new(seed.cast_unsigned());
        for _ in 0..OPENING_ATTEMPTS {
            let mut game = Referee::<V>::new(seed);
            for _ in 0..plies {
                // More moves than fit are never on offer.
                let choice = rng.next_int(game.offered.len().max(1) as u32) as usize;
                let Some(&action) = game.offered.get(choice) else { break };
                game.play_opening_move(action);
                if game.reason.is_some() {
                    break;
                }
            }
            if game.reason.is_none() {
                return Ok(game);
            }
        }
        Err(OptionsError::NoOpening { plies })
    }

    fn play_opening(seed: i64, moves: &[String]) -> Result<Referee<V>, OptionsError> {
        let mut game = Referee::<V>::new(seed);
        for (number, action) in (1..).zip(moves) {
            let illegal = || OptionsError::IllegalOpening { number, action: action.clone() };
            let action = game.find(action).ok_or_else(illegal)?;
            game.play_opening_move(action);
            if game.reason.is_some() {
                return Err(OptionsError::OpeningEndsGame { plies: number });
            }
        }
        Ok(game)
    }

    fn play_opening_move(&mut self, action: Move) {
        self.opening.push(action.to_string());
        self.play(action);
    }

    /// The move that a reply stands for: the first word, in either case; the rest is a message without effect.
    fn understand(&mut self, reply: &str) -> Option<Move> {
        let text = reply.trim_matches(|character| character <= ' ');
        let word = text.split(' ').next()?;
        if word.eq_ignore_ascii_case("random") {
            self.variant.choose(&mut self.offered);
            return self.offered.first().copied();
        }
        self.find(word)
    }

    /// The offered move that is written like this, in either case.
    fn find(&self, word: &str) -> Option<Move> {
        Move::parse(word, self.position.side()).filter(|action| self.offered.contains(action))
    }

    /// Plays an offered move, then starts the next turn or ends the game.
    fn play(&mut self, action: Move) {
        self.position.play(action);
        self.last = Some(action);
        self.position.legal_moves(&mut self.offered);
        match self.ending() {
            Some(reason) => self.end(reason, self.winner(reason)),
            None => {
                self.turn += 1;
                self.variant.offer(&mut self.offered);
            }
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

    fn end(&mut self, reason: Reason, winner: Option<Color>) {
        self.reason = Some(reason);
        if let Some(winner) = winner {
            self.standings[winner.index()].score = 1;
            self.standings[winner.opponent().index()].score = -1;
        }
    }

    /// Ends the game by the failure of the side to move.
    fn fail(&mut self, reason: Reason, fate: Fate) {
        let loser = self.position.side();
        self.standings[loser.index()].fate = fate;
        self.end(reason, Some(loser.opponent()));
    }

    /// Whether this is the first time that the seat to move is asked.
    fn is_first_prompt(&self) -> bool {
        self.turn as usize <= self.opening.len() + 2
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
        let Some(reply) = self.due().iter().find_map(|seat| replies[seat]) else { return };
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

    fn opening(&self) -> &[String] {
        &self.opening
    }
}

impl<V: Variant> Referee<V> {
    fn write_prompt(&self, seat: Seat, out: &mut String) -> std::fmt::Result {
        if self.is_first_prompt() {
            writeln!(out, "{seat}\n5")?;
        }
        write!(out, "{}", self.position.board())?;
        for color in Color::ALL {
            write_hand(self.position.hand(color), color, out);
        }
        self.variant.print(out);
        match self.last {
            Some(action) => writeln!(out, "{action}")?,
            None => writeln!(out, "none")?,
        }
        writeln!(out, "{}", self.offered.len())?;
        self.offered.iter().try_for_each(|action| writeln!(out, "{action}"))
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
