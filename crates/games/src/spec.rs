//! The fixed properties of games, and the list of games.

use std::fmt::{self, Debug};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use crate::options::{OptionError, OptionInfo, Options, ReadFolder, refuse_others};
use crate::rng::{SplitMix64, choose};
use crate::{Opening, StartError, StartResult, dice_shogi, kutulu, minishogi, onitama};

/// How the prompts of a game list the legal actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Prompts don't list them.
    None,
    /// Prompts end with their number and the list.
    Ordered,
    /// As `Ordered`, but the original referee lists them in any order, so a comparison of prompts
    /// ignores the order.
    Unordered,
}

/// The fixed properties of a game, and its rules.
#[derive(Clone)]
pub struct GameSpec {
    /// The name used in configs, files and on the command line.
    pub id: String,
    /// The name shown to people.
    pub title: String,
    /// The possible numbers of seats, within 1 to [`MAX_SEATS`](crate::MAX_SEATS).
    pub seats: RangeInclusive<usize>,
    /// The time limit for the first answer of a seat; zero if the game's questions have their own.
    pub first_turn: Duration,
    /// The time limit for later answers; zero as above.
    pub turn: Duration,
    /// True if the game supports an [`Opening`].
    pub has_opening: bool,
    /// True if the seed decides more than the order of lists: the deal, the dice or the map.
    pub seed_decides: bool,
    /// True if the lower score is the better one.
    pub lower_is_better: bool,
    /// How prompts list the legal actions.
    pub listing: Listing,
    /// The options that people can set.
    pub options: Vec<OptionInfo>,
    /// The rules.
    pub rules: Arc<dyn Rules>,
}

/// Rules under options; `None` for a game without options.
pub type ConfigureResult = Result<Option<Arc<dyn Rules>>, OptionError>;

/// The rules of a game. Most games only need a function that starts one.
pub trait Rules: Send + Sync {
    /// Starts a game from a seed. [`GameSpec::start`] has checked the seats and the opening.
    ///
    /// # Errors
    /// [`StartError`]
    fn start(&self, seed: i64, seats: usize, opening: &Opening) -> StartResult;

    /// Draws a random legal action for the seat that reads a prompt. By default, it is one that the
    /// prompt lists.
    fn random_action(&self, prompt: &str, rng: &mut SplitMix64) -> String {
        let listed = listed_actions(prompt);
        choose(&listed, rng).copied().unwrap_or_default().to_owned()
    }

    /// Returns the rules under these options.
    ///
    /// # Errors
    /// [`OptionError`]
    fn configure(&self, options: &Options, _read: &ReadFolder<'_>) -> ConfigureResult {
        refuse_others(options, &[]).map(|()| None)
    }

    /// Returns the options of these rules, complete enough to configure the same rules again.
    fn options(&self) -> Options {
        Options::new()
    }

    /// Returns warnings about its options: sentences without a full stop.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// Returns the names of the boards that seeds pick from, if there are several.
    fn boards(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the index in [`Rules::boards`] that a seed picks.
    fn board(&self, _seed: i64) -> Option<usize> {
        None
    }
}

impl<F: Fn(i64, &Opening) -> StartResult + Send + Sync> Rules for F {
    fn start(&self, seed: i64, _seats: usize, opening: &Opening) -> StartResult {
        self(seed, opening)
    }
}

impl GameSpec {
    /// Starts a game from a seed.
    ///
    /// # Errors
    /// [`StartError`] for an impossible number of seats or an opening that can't be played.
    pub fn start(&self, seed: i64, seats: usize, opening: &Opening) -> StartResult {
        if !self.seats.contains(&seats) {
            return Err(StartError(format!(
                "start the game with {seats} seats: it has another number"
            )));
        }
        let opens = match opening {
            Opening::Plies(plies) => *plies > 0,
            Opening::Moves(moves) => !moves.is_empty(),
        };
        if opens && !self.has_opening {
            let why = "play the opening: this game has none";
            return Err(StartError(why.to_owned()));
        }
        self.rules.start(seed, seats, opening)
    }

    /// Returns the game under these options.
    ///
    /// # Errors
    /// [`OptionError`]
    pub fn configured(
        &self,
        options: &Options,
        read: &ReadFolder<'_>,
    ) -> Result<Arc<GameSpec>, OptionError> {
        let mut game = self.clone();
        game.rules = self.rules.configure(options, read)?.unwrap_or(game.rules);
        Ok(Arc::new(game))
    }

    /// Returns the default number of seats, the lowest.
    pub fn default_seats(&self) -> usize {
        *self.seats.start()
    }

    /// Returns the name of the board that a seed picks; `None` in a game without several.
    pub fn board(&self, seed: i64) -> Option<String> {
        self.rules.boards().into_iter().nth(self.rules.board(seed)?)
    }

    /// Returns the legal actions that a prompt lists.
    pub fn listed_actions<'p>(&self, prompt: &'p str) -> Vec<&'p str> {
        match self.listing {
            Listing::None => Vec::new(),
            Listing::Ordered | Listing::Unordered => listed_actions(prompt),
        }
    }
}

/// Two specs are equal if they are of the same game under the same options.
impl PartialEq for GameSpec {
    fn eq(&self, other: &GameSpec) -> bool {
        self.id == other.id && self.rules.options() == other.rules.options()
    }
}

impl Eq for GameSpec {}

impl Debug for GameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.id, self.rules.options())
    }
}

/// The known games, in the order of lists.
#[derive(Clone, Debug)]
pub struct Games(pub Vec<Arc<GameSpec>>);

impl Games {
    /// Returns the games of this crate.
    pub fn standard() -> Games {
        let shogi = [minishogi::spec(), dice_shogi::spec()];
        let others = [onitama::spec(), kutulu::spec()];
        Games(shogi.into_iter().chain(others).map(Arc::new).collect())
    }

    /// Returns the game with this id.
    pub fn find(&self, id: &str) -> Option<&Arc<GameSpec>> {
        self.iter().find(|game| game.id == id)
    }

    /// Returns the game with this id or title, in any case and with or without spaces, `-` and `_`.
    pub fn search(&self, name: &str) -> Option<&Arc<GameSpec>> {
        let name = normalized(name);
        self.iter()
            .find(|game| normalized(&game.id) == name || normalized(&game.title) == name)
    }

    /// Iterates over the games.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<GameSpec>> {
        self.0.iter()
    }

    /// Returns the ids of the games.
    pub fn ids(&self) -> Vec<&str> {
        self.iter().map(|game| game.id.as_str()).collect()
    }
}

/// Normalizes a name for comparison.
fn normalized(name: &str) -> String {
    name.replace([' ', '-', '_'], "").to_lowercase()
}

/// Returns the last lines of a prompt if the line before them is their number.
fn listed_actions(prompt: &str) -> Vec<&str> {
    let mut actions: Vec<&str> = Vec::new();
    for line in prompt.lines().rev() {
        if line.parse() == Ok(actions.len()) {
            actions.reverse();
            return actions;
        }
        actions.push(line);
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_as_people_call_them() {
        let games = Games::standard();
        for (name, id) in [
            ("minishogi", "minishogi"),
            ("MiniShogi", "minishogi"),
            ("mini-shogi", "minishogi"),
            ("dice shogi", "dice_shogi"),
            ("DiceShogi", "dice_shogi"),
            ("ONITAMA", "onitama"),
            ("Kutulu", "kutulu"),
            ("Code of Kutulu", "kutulu"),
            ("code-of-kutulu", "kutulu"),
            ("codeofkutulu", "kutulu"),
        ] {
            assert_eq!(
                games.search(name).map(|game| game.id.as_str()),
                Some(id),
                "{name}"
            );
        }
        for name in ["", "-", "shogi", "onitama2"] {
            assert_eq!(games.search(name), None, "{name}");
        }
    }

    #[test]
    fn the_last_count_that_fits_counts_the_actions() {
        assert_eq!(
            listed_actions("3\nboard\n2\n2552\n5453\n"),
            ["2552", "5453"]
        );
        assert_eq!(listed_actions("board\n0\n"), [""; 0]);
        assert_eq!(listed_actions("7\nboard\n"), [""; 0]);
        assert_eq!(listed_actions(""), [""; 0]);
    }
}
