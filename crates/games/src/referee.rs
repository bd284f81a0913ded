//! The referee for two players who move in turn, each with one action out of a list: turns,
//! prompts, replies, endings and openings. The rules of a game implement [`TurnBased`].

use std::fmt::{self, Debug, Display, Write as _};
use std::sync::Arc;
use std::time::Duration;

use crate::rng::{SplitMix64, choose};
use crate::{
    Fate, Game, GameSpec, Listing, Opening, Picture, Reason, Replies, Seat, SeatSet, Setting,
    Standing, StartError, StartResult,
};

/// The number of openings to draw before giving up, because each decides the game.
const ATTEMPTS: u32 = 10_000;

/// The state and rules of a game for two players who move in turn. It holds all of the game's
/// randomness.
pub trait TurnBased: Clone + Debug + Send + 'static {
    /// An action.
    type Action: Copy + PartialEq + Debug + Display + Send;

    /// The maximum number of actions in a list.
    const MOST_ACTIONS: usize;
    /// The turn limit, counting both players, and the reason of the draw at the limit.
    const LIMIT: (u32, Reason);
    /// The score of the loser. The winner has 1, and both have 0 in a draw.
    const LOSS: i64;
    /// The text after the seat number in a player's first prompt.
    const GREETING: &'static str = "\n";

    /// Returns the state before the first turn.
    fn new(seed: i64) -> Self;

    /// Returns the seat to move.
    fn to_move(&self) -> Seat;

    /// Fills `list` with the legal actions.
    fn list(&self, list: &mut Vec<Self::Action>);

    /// Starts a turn: reduces the legal actions to the offered ones and puts them in the order of
    /// prompts. There is at least one.
    fn offer(&mut self, _legal: &mut Vec<Self::Action>) {}

    /// Parses an action, legal or not.
    fn parse(&self, text: &str) -> Option<Self::Action>;

    /// Parses a reply, whether or not the action is offered.
    fn parse_reply(&mut self, reply: &str, _offered: &mut [Self::Action]) -> Option<Self::Action> {
        self.parse(reply)
    }

    /// Plays a legal action.
    fn apply(&mut self, action: Self::Action);

    /// Returns the reason and the winner if the last action ended the game. `legal` are the actions
    /// that follow.
    fn ending(&mut self, legal: &[Self::Action]) -> Option<(Reason, Option<Seat>)>;

    /// Appends the lines of the position.
    ///
    /// # Errors
    /// Only the errors of writing to a string.
    fn write(&self, last: Option<Self::Action>, out: &mut String) -> fmt::Result;

    /// Appends an action.
    ///
    /// # Errors
    /// Only the errors of writing to a string.
    fn write_action(action: Self::Action, out: &mut String) -> fmt::Result;

    /// Returns the visible position; `last` is the last action.
    fn picture(&self, last: Option<String>) -> Picture;

    /// See [`Game::setting`].
    fn setting(&self) -> Setting {
        Setting::None {}
    }
}

/// A running game between two players.
#[derive(Clone, Debug)]
pub struct Referee<T: TurnBased> {
    pub(crate) state: T,
    /// The actions offered this turn, in the order of the prompt; none once the game is over.
    pub(crate) offered: Vec<T::Action>,
    pub(crate) last: Option<T::Action>,
    pub(crate) turn: u32,
    pub(crate) standings: [Standing; 2],
    pub(crate) reason: Option<Reason>,
    opening: Vec<String>,
}

impl<T: TurnBased> Referee<T> {
    /// Starts a game and plays its opening.
    ///
    /// # Errors
    /// [`StartError`] if the opening is illegal or ends the game.
    pub fn start(seed: i64, opening: &Opening) -> Result<Referee<T>, StartError> {
        match opening {
            Opening::Plies(plies) => Referee::drawn(seed, *plies),
            Opening::Moves(moves) => Referee::played(seed, moves),
        }
    }

    /// Returns the usual properties of such a game.
    pub(crate) fn spec(id: &str, title: &str) -> GameSpec {
        GameSpec {
            id: id.to_owned(),
            title: title.to_owned(),
            seats: 2..=2,
            first_turn: Duration::from_secs(1),
            turn: Duration::from_millis(100),
            has_opening: true,
            seed_decides: true,
            lower_is_better: false,
            listing: Listing::Ordered,
            options: Vec::new(),
            rules: Arc::new(Self::boxed),
        }
    }

    fn boxed(seed: i64, opening: &Opening) -> StartResult {
        Ok(Box::new(Self::start(seed, opening)?))
    }

    /// Returns a game whose first turn starts from this state.
    pub(crate) fn at(state: T) -> Referee<T> {
        let mut game = Referee {
            state,
            offered: Vec::with_capacity(T::MOST_ACTIONS),
            last: None,
            turn: 1,
            standings: [Standing::default(); 2],
            reason: None,
            opening: Vec::new(),
        };
        game.state.list(&mut game.offered);
        game.state.offer(&mut game.offered);
        game
    }

    fn drawn(seed: i64, plies: u32) -> Result<Referee<T>, StartError> {
        // Not one of the game's own generators, which draw as if bots had played the opening.
        let mut rng = SplitMix64::new(seed.cast_unsigned());
        for _ in 0..ATTEMPTS {
            let mut game = Referee::at(T::new(seed));
            for _ in 0..plies {
                let Some(&action) = choose(&game.offered, &mut rng) else {
                    break;
                };
                game.play_opening(action);
            }
            if plies == 0 || !game.is_decided() {
                return Ok(game);
            }
        }
        Err(StartError(format!(
            "draw an opening of {plies} turns: every one that was tried decides the game; ask for fewer"
        )))
    }

    /// Returns true if the game is over, or the side to move wins with an action, or each of its
    /// actions loses or lets the other side win with the next one. Rolls are those of the seed.
    fn is_decided(&self) -> bool {
        let rival = 1 - self.state.to_move();
        self.reason.is_some()
            || self.wins_at_once()
            || self.offered.iter().all(|&action| {
                let mut next = self.clone();
                next.play(action);
                next.standings[rival].score == 1 || next.wins_at_once()
            })
    }

    /// Returns true if an action wins for the side to move.
    fn wins_at_once(&self) -> bool {
        let mover = self.state.to_move();
        self.offered.iter().any(|&action| {
            let mut next = self.clone();
            next.act(action);
            next.standings[mover].score == 1
        })
    }

    fn played(seed: i64, moves: &[String]) -> Result<Referee<T>, StartError> {
        let mut game = Referee::at(T::new(seed));
        for (number, text) in (1..).zip(moves) {
            let problem = match game.state.parse(text) {
                Some(action) if game.offered.contains(&action) => {
                    game.play_opening(action);
                    if game.reason.is_none() {
                        continue;
                    }
                    format!("it ends the game after {number} turns")
                }
                _ => format!("action {number}, {text:?}, is not legal there"),
            };
            return Err(StartError(format!("play the opening: {problem}")));
        }
        Ok(game)
    }

    fn play_opening(&mut self, action: T::Action) {
        self.opening.push(action.to_string());
        self.play(action);
    }

    /// Plays an offered action, then starts the next turn or ends the game.
    fn play(&mut self, action: T::Action) {
        self.act(action);
        if self.reason.is_none() {
            self.turn += 1;
            self.state.offer(&mut self.offered);
        }
    }

    /// Plays an offered action, and ends the game if it does.
    fn act(&mut self, action: T::Action) {
        self.state.apply(action);
        self.last = Some(action);
        self.state.list(&mut self.offered);
        let (last_turn, limit) = T::LIMIT;
        match self.state.ending(&self.offered) {
            Some((reason, winner)) => self.end(reason, winner),
            None if self.turn == last_turn => self.end(limit, None),
            None => {}
        }
    }

    /// Ends the game because the seat to move failed.
    fn fail(&mut self, reason: Reason, fate: Fate) {
        let loser = self.state.to_move();
        self.standings[loser].fate = fate;
        self.end(reason, Some(1 - loser));
    }

    fn end(&mut self, reason: Reason, winner: Option<Seat>) {
        self.reason = Some(reason);
        self.offered.clear();
        if let Some(winner) = winner {
            self.standings[winner].score = 1;
            self.standings[1 - winner].score = T::LOSS;
        }
    }

    fn write_prompt(&self, seat: Seat, out: &mut String) -> fmt::Result {
        let is_first = self.turn as usize <= self.opening.len() + 2;
        if is_first {
            write!(out, "{seat}{}", T::GREETING)?;
        }
        self.state.write(self.last, out)?;
        writeln!(out, "{}", self.offered.len())?;
        for &action in &self.offered {
            T::write_action(action, out)?;
            out.push('\n');
        }
        Ok(())
    }
}

impl<T: TurnBased> Game for Referee<T> {
    fn due(&self) -> SeatSet {
        match self.reason {
            None => SeatSet::EMPTY.with(self.state.to_move()),
            Some(_) => SeatSet::EMPTY,
        }
    }

    fn turn(&self) -> u32 {
        self.turn
    }

    /// Writes nothing for a seat that isn't due.
    fn prompt(&self, seat: Seat, out: &mut String) {
        if self.due().contains(seat) {
            // Writing to a string cannot fail.
            let _ = self.write_prompt(seat, out);
        }
    }

    fn advance(&mut self, replies: &Replies<'_>) {
        let reply = self.due().iter().find_map(|seat| *replies.get(seat)?);
        let Some(reply) = reply else { return };
        match reply.map(|line| self.state.parse_reply(line, &mut self.offered)) {
            Ok(Some(action)) if self.offered.contains(&action) => self.play(action),
            Ok(_) => self.fail(Reason::InvalidAction, Fate::InvalidAction),
            Err(fault) => self.fail(Reason::Timeout, fault.into()),
        }
    }

    fn standings(&self) -> &[Standing] {
        &self.standings
    }

    fn reason(&self) -> Option<&str> {
        self.reason.map(Into::into)
    }

    fn picture(&self) -> Picture {
        self.state
            .picture(self.last.map(|action| action.to_string()))
    }

    fn setting(&self) -> Setting {
        self.state.setting()
    }

    fn opening(&self) -> &[String] {
        &self.opening
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_document_says_how_many_openings_are_drawn() {
        let document = include_str!("../../../docs/reference/games.md");
        let thousands = super::ATTEMPTS / 1000;
        let sentence = format!("After {thousands},000 of these, arena asks for a smaller");
        assert!(document.contains(&sentence), "{sentence}");
    }
}
