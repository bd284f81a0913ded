//! Onitama: two players with five pieces each, and five cards that decide how pieces move. To win,
//! capture the other master or bring yours to the other shrine.
//!
//! This file has the referee. The modules, in reading order: `board` (sides, squares), `cards` (how
//! pieces move), `action` (actions and replies), `position` (legal actions, perft), `deal` (the
//! start), `text` (positions as the lines of a prompt), `picture` (positions for viewers).
//!
//! ```
//! use arena_games::onitama::{Action, Position};
//!
//! let mut position = Position::deal(1);
//! let mut actions = Vec::new();
//! position.legal_actions(&mut actions);
//! assert_eq!(actions.len(), 9);
//!
//! let master_out = Action::parse("8 C1D2").unwrap();
//! assert!(actions.contains(&master_out));
//! position.play(master_out);
//! assert_eq!(position.to_string().lines().nth(3), Some("...W."));
//! ```

mod action;
mod board;
mod cards;
mod deal;
mod picture;
mod position;
mod text;

use std::fmt;
use std::time::Duration;

pub use action::Action;
pub use board::{Bitboard, Color, Square};
pub use cards::Card;
pub use picture::{CardSetting, Picture};
pub use position::{MAX_ACTIONS, Position, perft, perft_split};

use super::referee::{Referee, TurnBased};
use super::{GameSpec, Reason, Seat};

/// Returns the spec of Onitama.
pub fn spec() -> GameSpec {
    GameSpec {
        turn: Duration::from_millis(50),
        ..Onitama::spec("onitama", "Onitama")
    }
}

/// The turn limit, counting both players. A game that reaches it is a draw.
pub const MAX_TURNS: u32 = 200;

/// A running game of Onitama.
pub type Onitama = Referee<Position>;

impl TurnBased for Position {
    type Action = Action;

    const MOST_ACTIONS: usize = MAX_ACTIONS;
    const LIMIT: (u32, Reason) = (MAX_TURNS, Reason::MaxTurns);
    const LOSS: i64 = 0;

    fn new(seed: i64) -> Position {
        Position::deal(seed)
    }

    fn to_move(&self) -> Seat {
        self.side.index()
    }

    fn list(&self, list: &mut Vec<Action>) {
        self.legal_actions(list);
    }

    /// Parses an action, with or without a message.
    fn parse(&self, text: &str) -> Option<Action> {
        Action::parse(text)
    }

    fn apply(&mut self, action: Action) {
        self.play(action);
    }

    fn ending(&mut self, _legal: &[Action]) -> Option<(Reason, Option<Seat>)> {
        Some((Position::ending(self)?, Some(self.side.opponent().index())))
    }

    fn write(&self, _last: Option<Action>, out: &mut String) -> fmt::Result {
        self.write_lines(out)
    }

    fn write_action(action: Action, out: &mut String) -> fmt::Result {
        action.write(out)
    }

    fn picture(&self, last: Option<String>) -> crate::Picture {
        crate::Picture::Onitama(Picture::new(self, last))
    }

    fn setting(&self) -> crate::Setting {
        picture::setting(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fate, Fault, Game as _, Opening, SeatSet};

    const PROMPTS: [&str; 3] = [
        "0
bbBbb
.....
.....
.....
wwWww
0 8 -1 0 1 1 1 -1 0 0
0 6 -2 0 0 1 2 0 0 0
1 0 1 -1 1 1 -1 0 0 0
1 12 1 -1 1 0 -1 0 -1 1
-1 9 -1 -1 1 1 2 0 0 0
9
8 A1B2
8 B1C2
8 C1D2
8 D1E2
6 A1A2
6 B1B2
6 C1C2
6 D1D2
6 E1E2
",
        "1
bbBbb
.....
.....
...W.
ww.ww
0 6 -2 0 0 1 2 0 0 0
0 9 -1 -1 1 1 2 0 0 0
1 0 1 -1 1 1 -1 0 0 0
1 12 1 -1 1 0 -1 0 -1 1
-1 8 1 0 -1 -1 -1 1 0 0
8
0 A5B4
0 B5C4
0 C5D4
0 D5E4
12 A5B4
12 B5C4
12 C5D4
12 D5E4
",
        ".bBbb
.b...
.....
...W.
ww.ww
0 6 -2 0 0 1 2 0 0 0
0 9 -1 -1 1 1 2 0 0 0
1 0 1 -1 1 1 -1 0 0 0
1 8 1 0 -1 -1 -1 1 0 0
-1 12 -1 1 -1 0 1 0 1 -1
13
6 D2B2
6 E1C1
6 A1A2
6 B1B2
6 D2D3
6 E1E2
6 A1C1
9 D2C1
9 A1B2
9 B1C2
9 D1E2
9 D2E3
9 A1C1
",
    ];

    fn prompt(game: &Onitama, seat: Seat) -> String {
        let mut text = String::new();
        game.prompt(seat, &mut text);
        text
    }

    fn answer(game: &mut Onitama, reply: Result<&str, Fault>) {
        game.advance(&[Some(reply); 2]);
    }

    fn scores(game: &Onitama) -> [i64; 2] {
        game.standings.map(|standing| standing.score)
    }

    /// Returns a game with this board and these cards, of white's hand, black's hand and the
    /// centre.
    fn game_at(board: [&str; 5], cards: [u8; 5], side: Color) -> Onitama {
        let cards = Position::start(cards.map(|id| Card::new(id).unwrap()));
        let cards = Position { side, ..cards }.to_string();
        let lines: Vec<&str> = board.into_iter().chain(cards.lines().skip(5)).collect();
        Onitama::at(Position::from_lines(lines.try_into().unwrap()).unwrap())
    }

    #[test]
    fn the_first_prompts_for_seed_1() {
        let mut game = Onitama::start(1, &Opening::default()).unwrap();
        assert_eq!(
            [prompt(&game, 0).as_str(), &prompt(&game, 1)],
            [PROMPTS[0], ""]
        );
        answer(&mut game, Ok("8 C1D2"));
        assert_eq!(
            [prompt(&game, 0).as_str(), &prompt(&game, 1)],
            ["", PROMPTS[1]]
        );
        answer(&mut game, Ok("12 A5B4"));
        assert_eq!(
            [prompt(&game, 0).as_str(), &prompt(&game, 1)],
            [PROMPTS[2], ""]
        );
    }

    #[test]
    fn only_listed_actions_are_played() {
        for reply in [
            "9 C1D2", "0 C1D2", "6 C1D2", "8 C1B1", "8 C5D4", "8 PASS", "8 B2C3", "8 C1D2 ", "",
        ] {
            let mut game = Onitama::start(1, &Opening::default()).unwrap();
            answer(&mut game, Ok(reply));
            assert_eq!(
                (game.reason, game.turn(), game.due()),
                (Some(Reason::InvalidAction), 1, SeatSet::EMPTY)
            );
            assert_eq!(scores(&game), [0, 1], "{reply}");
            assert_eq!(
                game.standings.map(|standing| standing.fate),
                [Fate::InvalidAction, Fate::Ok]
            );
            assert_eq!(game.state, Position::deal(1), "nothing is played");
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
            let mut game = Onitama::start(1, &Opening::default()).unwrap();
            answer(&mut game, Ok("8 C1D2"));
            answer(&mut game, Err(fault));
            assert_eq!(
                (game.reason, game.turn(), scores(&game)),
                (Some(Reason::Timeout), 2, [1, 0])
            );
            assert_eq!(
                game.standings.map(|standing| standing.fate),
                [Fate::Ok, fate]
            );
        }
    }

    /// Every way to have no moves.
    #[test]
    fn who_cannot_move_must_pass_with_either_card() {
        const LEFT: [&str; 5] = ["w.B..", "w.b..", "W.b..", "w.b..", "w.b.."];
        const RIGHT: [&str; 5] = ["b.B.w", "b...w", "b...W", "b...w", "....w"];
        const TOP: [&str; 5] = ["wWwww", ".B...", ".....", ".....", ".b..."];
        for (board, hand) in [
            (LEFT, [3, 15]),
            (RIGHT, [15, 7]),
            (TOP, [4, 6]),
            (TOP, [13, 4]),
            (TOP, [6, 13]),
        ] {
            let [first, second] = hand;
            let mut mirrored =
                board.map(|row| row.chars().rev().map(exchanged).collect::<String>());
            mirrored.reverse();
            let mirrored = mirrored.each_ref().map(String::as_str);
            for (board, cards, side) in [
                (board, [first, second, 0, 1, 2], Color::White),
                (mirrored, [0, 1, first, second, 2], Color::Black),
            ] {
                let game = game_at(board, cards, side);
                let expected = hand.map(|card| format!("{card} PASS"));
                assert_eq!(
                    game.offered
                        .iter()
                        .map(Action::to_string)
                        .collect::<Vec<_>>(),
                    expected
                );
                assert_eq!(game.state.count_legal_actions(), 2);
                for (card, kept) in [(first, second), (second, first)] {
                    let mut game = game.clone();
                    answer(&mut game, Ok(&format!("{card} pass")));
                    assert_eq!((game.reason, game.turn()), (None, 2));
                    assert_eq!(game.state.hand(side).map(Card::id), [kept, 2]);
                    assert_eq!(game.state.centre().id(), card);
                }
                for reply in ["2 PASS", "0 PASS", "15 A1A2"] {
                    let mut game = game.clone();
                    answer(&mut game, Ok(reply));
                    assert_eq!(game.reason, Some(Reason::InvalidAction), "{reply}");
                }
            }
        }
    }

    /// Returns the same piece of the other side.
    fn exchanged(symbol: char) -> char {
        match symbol {
            'w' => 'b',
            'W' => 'B',
            'b' => 'w',
            'B' => 'W',
            other => other,
        }
    }

    #[test]
    fn games_end_by_the_last_action_and_only_by_it() {
        // Either side can capture, walk onto a shrine and leave one. White holds Boar and Ox, black
        // Horse and Crab.
        let cards = [4, 7, 3, 6, 0];
        let on_shrine = ["..B..", "..W..", ".....", "w...b", "....."];
        let beside = [".wB..", ".....", ".....", "..b..", "b.W.."];
        let vacated = ["B....", "..W..", "..w..", ".b...", "....b"];
        for (board, side, reply, reason) in [
            (
                on_shrine,
                Color::White,
                "4 C4C5",
                Some(Reason::MasterCaptured),
            ),
            (on_shrine, Color::White, "4 C4B4", None),
            (
                on_shrine,
                Color::Black,
                "3 C5C4",
                Some(Reason::MasterCaptured),
            ),
            (on_shrine, Color::Black, "3 C5D5", None),
            (beside, Color::White, "7 B5C5", Some(Reason::MasterCaptured)),
            (beside, Color::Black, "3 C2C1", Some(Reason::MasterCaptured)),
            (beside, Color::Black, "6 A1C1", Some(Reason::MasterCaptured)),
            (vacated, Color::White, "7 C4C5", Some(Reason::ShrineReached)),
            (vacated, Color::White, "4 C3D3", None),
            (vacated, Color::Black, "3 B2B1", None),
        ] {
            for (turn, limit) in [
                (1, None),
                (MAX_TURNS - 1, None),
                (MAX_TURNS, Some(Reason::MaxTurns)),
            ] {
                let mut game = game_at(board, cards, side);
                game.turn = turn;
                answer(&mut game, Ok(reply));
                assert_eq!(game.reason, reason.or(limit), "{reply} in turn {turn}");
                let winner = reason.map(|_| side.index());
                assert_eq!(
                    scores(&game),
                    [0, 1].map(|seat| i64::from(Some(seat) == winner)),
                    "{reply}"
                );
                assert_eq!(game.turn(), turn + u32::from(game.reason.is_none()));
            }
        }
    }

    #[test]
    fn a_student_on_a_shrine_means_nothing() {
        let mut game = game_at(
            ["B....", "..w..", ".....", "..b..", "W...."],
            [4, 7, 3, 6, 0],
            Color::White,
        );
        for reply in ["4 C4C5", "3 C2C1"] {
            answer(&mut game, Ok(reply));
            assert_eq!(game.reason, None, "{reply}");
        }
        assert!(
            game.state
                .pieces(Color::White)
                .contains(Color::Black.shrine())
        );
        assert!(
            game.state
                .pieces(Color::Black)
                .contains(Color::White.shrine())
        );
    }

    #[test]
    fn a_failure_in_the_last_turn_is_a_failure() {
        for (reply, reason) in [
            (Ok("PASS"), Reason::InvalidAction),
            (Err(Fault::Timeout), Reason::Timeout),
        ] {
            let mut game = Onitama::at(Position::deal(1));
            game.turn = MAX_TURNS;
            answer(&mut game, reply);
            assert_eq!(
                (game.reason, scores(&game), game.turn()),
                (Some(reason), [0, 1], MAX_TURNS)
            );
        }
    }

    #[test]
    fn each_seat_is_introduced_on_its_first_own_turn() {
        for plies in 0..5 {
            let mut game = Onitama::start(3, &Opening::Plies(plies)).unwrap();
            for turn in plies + 1..plies + 5 {
                let seat = (turn as usize + 1) % 2;
                assert_eq!((game.turn(), game.due()), (turn, SeatSet::EMPTY.with(seat)));
                let introduced = prompt(&game, seat).starts_with(&format!("{seat}\n"));
                assert_eq!(introduced, turn < plies + 3, "turn {turn} after {plies}");
                let action = game.offered[0].to_string();
                answer(&mut game, Ok(&action));
            }
        }
    }
}
