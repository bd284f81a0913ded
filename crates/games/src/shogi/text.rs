//! `MiniShogi` as a text program, with actions in words and positions drawn with letters, for
//! people and for files.
//!
//! The players are `lower` and `UPPER`, named after the case of their letters. Lower is
//! [`Color::Black`]: it starts at the bottom and moves first. A square is a column from `a` (left)
//! to `e` and a row from `1` (bottom) to `5`. Actions are `move a1 a2`, `move a1 a2 promote` and
//! `drop p c3`.
//!
//! Pieces move, promote and are dropped as everywhere in [`shogi`](super), but the end differs. A
//! game ends with an illegal action, with mate, or after 400 actions. It has no repetition rule,
//! and a player without a legal action who isn't in check is still asked.
//!
//! ```
//! use arena_games::shogi::text::TextGame;
//!
//! let mut game = TextGame::start();
//! game.play("move d1 a4");
//! assert!(game.to_string().ends_with("UPPER> "));
//! game.play("drop p c3");
//! assert!(game.to_string().ends_with("lower player wins.  Illegal move."));
//! ```

mod setup;

use std::collections::BTreeSet;
use std::fmt::{self, Display};

pub use setup::replay;

use super::{Bitboard, Color, Hand, Move, Piece, Position, Role, Square};

/// The limit of legal actions, 200 per player. A game that reaches it is a tie.
pub const MAX_ACTIONS: u32 = 400;

/// A game of the text program, and its last action.
///
/// It displays as the program prints it: the last action, the board, the captured pieces, and then
/// the result or the prompt of the player to move, after the answers to a check. Nothing follows
/// the space of the prompt or the last full stop.
#[derive(Clone, Debug)]
pub struct TextGame {
    /// The hands hold each captured kind once, which suffices for the rules and fits any number of
    /// captures.
    position: Position,
    /// The captured pieces of each player, first captured first.
    captures: [Vec<Role>; 2],
    /// The number of legal actions played.
    played: u32,
    last: Option<(Color, String)>,
    ending: Option<Ending>,
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// An illegal action, which isn't carried out. This player, the other one, wins.
    IllegalMove(Color),
    /// The opponent of this player is in check and has no legal action.
    Checkmate(Color),
    /// The game reached [`MAX_ACTIONS`] actions.
    TooManyMoves,
}

impl TextGame {
    /// Returns a game at its start.
    pub fn start() -> TextGame {
        TextGame::new(Position::start(), [Vec::new(), Vec::new()])
    }

    fn new(position: Position, captures: [Vec<Role>; 2]) -> TextGame {
        let mut game = TextGame {
            position,
            captures,
            played: 0,
            last: None,
            ending: None,
        };
        game.fill_hands();
        game
    }

    /// Returns the result, if the game has ended.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Parses and plays an action of the player to move, ignoring blanks around it. Anything but a
    /// legal action loses the game.
    ///
    /// Returns false if the line is blank or the game is over.
    pub fn play(&mut self, line: &str) -> bool {
        let line = line.trim_ascii();
        if line.is_empty() || self.ending.is_some() {
            return false;
        }
        let mover = self.position.side();
        self.last = Some((mover, line.to_owned()));
        self.ending = match self.read(line) {
            Some(action) => self.apply(action),
            None => Some(Ending::IllegalMove(mover.opponent())),
        };
        true
    }

    /// Returns the legal action of a line. A pawn that must promote does so without the word.
    fn read(&self, line: &str) -> Option<Move> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let words = words.join(" ");
        let promoting = words.strip_suffix(" promote");
        let wanted = promoting.unwrap_or(&words);
        let mut meant = self
            .legal_actions()
            .into_iter()
            .filter(|&action| command(action) == wanted);
        match promoting {
            Some(_) => meant.find(|action| matches!(action, Move::Board { promote: true, .. })),
            // The move without promotion comes first.
            None => meant.next(),
        }
    }

    /// Returns the legal actions of the player to move. A king is never captured, even if a
    /// position from a file would allow it.
    fn legal_actions(&self) -> Vec<Move> {
        let mut actions = Vec::new();
        self.position.legal_moves(&mut actions);
        let king = self.position.king(self.position.side().opponent());
        actions.retain(|&action| action.to() != king && !self.drops_pawn_into_mate(action));
        if self.kings_touch() {
            let own = self.position.king(self.position.side());
            actions.retain(|action| matches!(action, Move::Board { from, .. } if *from == own));
        }
        actions
    }

    /// Returns true for a pawn drop into mate. [`Position`] checks only pawns in front of the king.
    /// But a file may begin with the waiting side in check, and then any pawn drop can mate.
    fn drops_pawn_into_mate(&self, action: Move) -> bool {
        if !matches!(action, Move::Drop { piece, .. } if piece.role == Role::Pawn) {
            return false;
        }
        let after = self.position.after(action);
        after.in_check() && !after.has_legal_move()
    }

    /// Returns true if the kings attack each other. No legal action leads there, so [`Position`]
    /// ignores it, but a file may begin like this.
    fn kings_touch(&self) -> bool {
        let [a, b] = Color::ALL.map(|color| self.position.king(color));
        a.file().abs_diff(b.file()) <= 1 && a.rank().abs_diff(b.rank()) <= 1
    }

    /// Plays a legal action. Returns the result if it ends the game.
    fn apply(&mut self, action: Move) -> Option<Ending> {
        let mover = self.position.side();
        let list = &mut self.captures[mover.index()];
        match action {
            Move::Board { to, .. } => {
                let taken = self.position.board.piece_at(to);
                list.extend(taken.map(|piece| piece.role.unpromoted()));
            }
            Move::Drop { piece, .. } => {
                if let Some(place) = list.iter().position(|&role| role == piece.role) {
                    list.remove(place);
                }
            }
        }
        self.position.play(action);
        self.fill_hands();
        self.played += 1;
        if self.position.in_check() && !self.position.has_legal_move() {
            return Some(Ending::Checkmate(mover));
        }
        (self.played >= MAX_ACTIONS).then_some(Ending::TooManyMoves)
    }

    fn fill_hands(&mut self) {
        for (hand, list) in self.position.hands.iter_mut().zip(&self.captures) {
            *hand = Hand::EMPTY;
            for role in Role::IN_HAND {
                if list.contains(&role) {
                    hand.push(role);
                }
            }
        }
    }

    fn write_state(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (1..=5).rev() {
            write!(f, "{row} |")?;
            for square in Bitboard::rank(6 - row) {
                match self.position.board.piece_at(square) {
                    None => f.write_str("__|")?,
                    Some(Piece { color, role }) => {
                        let mark = if role.is_promoted() { '+' } else { ' ' };
                        write!(f, "{mark}{}|", letter(color, role))?;
                    }
                }
            }
            f.write_str("\n")?;
        }
        f.write_str("    a  b  c  d  e\n\n")?;
        for color in [Color::White, Color::Black] {
            let letters: Vec<String> = self.captures[color.index()]
                .iter()
                .map(|&role| letter(color, role).to_string())
                .collect();
            writeln!(f, "Captures {}: {}", name(color), letters.join(" "))?;
        }
        f.write_str("\n")
    }
}

impl Display for TextGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((player, action)) = &self.last {
            writeln!(f, "{} player action: {action}", name(*player))?;
        }
        self.write_state(f)?;
        if let Some(ending) = self.ending {
            return ending.fmt(f);
        }
        let player = name(self.position.side());
        if self.position.in_check() || self.kings_touch() {
            writeln!(f, "{player} player is in check!\nAvailable moves:")?;
            let commands: BTreeSet<String> =
                self.legal_actions().into_iter().map(command).collect();
            for command in commands {
                writeln!(f, "{command}")?;
            }
        }
        write!(f, "{player}> ")
    }
}

impl Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Ending::IllegalMove(winner) => {
                write!(f, "{} player wins.  Illegal move.", name(winner))
            }
            Ending::Checkmate(winner) => write!(f, "{} player wins.  Checkmate.", name(winner)),
            Ending::TooManyMoves => f.write_str("Tie game.  Too many moves."),
        }
    }
}

/// Returns an action as people type it, without the promotion.
fn command(action: Move) -> String {
    match action {
        Move::Board { from, to, .. } => format!("move {} {}", square_name(from), square_name(to)),
        Move::Drop { piece, to } => {
            let letter = letter(Color::Black, piece.role);
            format!("drop {letter} {}", square_name(to))
        }
    }
}

/// Returns a square in the notation of this program.
fn square_name(square: Square) -> String {
    let column = char::from(b'a' + 5 - square.file());
    format!("{column}{}", 6 - square.rank())
}

fn read_square(text: &str) -> Option<Square> {
    match *text.as_bytes() {
        [column @ b'a'..=b'e', row @ b'1'..=b'5'] => {
            Square::new(5 - (column - b'a'), 6 - (row - b'0'))
        }
        _ => None,
    }
}

/// Returns the player's name.
fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "lower",
        Color::White => "UPPER",
    }
}

/// Returns the letter of a player's piece. Unlike in SFEN, the second player has the upper case.
fn letter(color: Color, role: Role) -> char {
    Piece::new(color.opponent(), role).letter()
}
