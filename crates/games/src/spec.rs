//! What is fixed about a game, and the list of games.

use std::fmt::{self, Debug};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use crate::options::{OptionError, OptionInfo, Options, ReadFolder, refuse_others};
use crate::rng::{SplitMix64, choose};
use crate::{Game, Opening, StartError, dice_shogi, kutulu, minishogi, onitama};

/// How the prompts of a game tell the legal actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// They do not.
    None,
    /// They end with them, after the line that counts them.
    Ordered,
    /// The same, but the original referee lists them in any order: prompts are compared with those lines as a set.
    Unordered,
}

/// What is fixed about a game, and how it is started.
#[derive(Clone)]
pub struct GameSpec {
    /// The name used in configs, files and on the command line.
    pub id: String,
    /// The name shown to people.
    pub title: String,
    /// The numbers of seats that a game can have, within 2 to [`MAX_SEATS`](crate::MAX_SEATS).
    pub seats: RangeInclusive<usize>,
    /// The time limit for a seat's own first answer; zero where its questions say it.
    pub first_turn: Duration,
    /// The time limit for every later answer; zero likewise.
    pub turn: Duration,
    /// Whether [`Opening`] is supported.
    pub has_opening: bool,
    /// Whether the seed decides more than the order of lists: the deal, the dice, the map.
    pub seed_decides: bool,
    /// How prompts tell the legal actions.
    pub listing: Listing,
    /// The options that people can set.
    pub options: Vec<OptionInfo>,
    /// What the game does.
    pub rules: Arc<dyn Rules>,
}

/// Rules under options, and what is odd about the options.
pub type OwnRules = (Arc<dyn Rules>, Vec<String>);

/// What a game does. A function that starts a game is all that most need.
pub trait Rules: Send + Sync {
    /// Starts a game from a seed. [`GameSpec::start`] has looked at seats and opening.
    ///
    /// # Errors
    /// [`StartError`]
    fn start(
        &self,
        seed: i64,
        seats: usize,
        opening: &Opening,
    ) -> Result<Box<dyn Game>, StartError>;

    /// A legal action for the seat that reads a prompt, drawn at random, so that anybody can play. By default one of those
    /// that the prompt lists.
    fn random_action(&self, prompt: &str, rng: &mut SplitMix64) -> String {
        choose(&listed_actions(prompt), rng).map_or_else(String::new, ToString::to_string)
    }

    /// The rules under these options alone, whatever options hold here, and what is odd about the options, as
    /// [`Configured::warnings`]. `None` for a game without options.
    ///
    /// # Errors
    /// [`OptionError`]
    fn configure(
        &self,
        options: &Options,
        _read: &ReadFolder<'_>,
    ) -> Result<Option<OwnRules>, OptionError> {
        refuse_others(options, &[]).map(|()| None)
    }

    /// The options that these rules are under: enough to configure them so again.
    fn options(&self) -> Options {
        Options::new()
    }

    /// The names of the boards that seeds pick from, if there are several.
    fn boards(&self) -> Vec<String> {
        Vec::new()
    }

    /// Which of [`Rules::boards`] a seed picks.
    fn board(&self, _seed: i64) -> Option<usize> {
        None
    }
}

impl<F> Rules for F
where
    F: Fn(i64, &Opening) -> Result<Box<dyn Game>, StartError> + Send + Sync,
{
    fn start(
        &self,
        seed: i64,
        _seats: usize,
        opening: &Opening,
    ) -> Result<Box<dyn Game>, StartError> {
        self(seed, opening)
    }
}

/// A game under options.
#[derive(Clone, Debug)]
pub struct Configured {
    /// The game.
    pub game: Arc<GameSpec>,
    /// What is odd about the options, for people: sentences without a full stop.
    pub warnings: Vec<String>,
}

impl GameSpec {
    /// Starts a game from a seed.
    ///
    /// # Errors
    /// [`StartError`] for a number of seats that the game cannot have, and for an opening that cannot be played.
    pub fn start(
        &self,
        seed: i64,
        seats: usize,
        opening: &Opening,
    ) -> Result<Box<dyn Game>, StartError> {
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
            return Err(StartError(
                "play the opening: this game has none".to_owned(),
            ));
        }
        self.rules.start(seed, seats, opening)
    }

    /// The game under these options.
    ///
    /// # Errors
    /// [`OptionError`]
    pub fn configured(
        &self,
        options: &Options,
        read: &ReadFolder<'_>,
    ) -> Result<Configured, OptionError> {
        let configured = self.rules.configure(options, read)?;
        let (rules, warnings) = configured.unwrap_or_else(|| (self.rules.clone(), Vec::new()));
        Ok(Configured {
            game: Arc::new(GameSpec {
                rules,
                ..self.clone()
            }),
            warnings,
        })
    }

    /// The number of seats where nobody asks for another: the fewest.
    pub fn default_seats(&self) -> usize {
        *self.seats.start()
    }

    /// The name of the board that a seed picks; `None` in a game without several.
    pub fn board(&self, seed: i64) -> Option<String> {
        self.rules.boards().into_iter().nth(self.rules.board(seed)?)
    }

    /// The legal actions that a prompt lists; none in a game whose prompts do not list them.
    pub fn listed_actions<'p>(&self, prompt: &'p str) -> Vec<&'p str> {
        if self.listing == Listing::None {
            Vec::new()
        } else {
            listed_actions(prompt)
        }
    }
}

/// The same game under the same options.
impl PartialEq for GameSpec {
    fn eq(&self, other: &GameSpec) -> bool {
        self.id == other.id && self.rules.options() == other.rules.options()
    }
}

impl Eq for GameSpec {}

impl Debug for GameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameSpec")
            .field("id", &self.id)
            .field("options", &self.rules.options())
            .finish_non_exhaustive()
    }
}

/// The games that a program knows, in the order in which they are listed to people.
#[derive(Clone, Debug)]
pub struct Games(pub Vec<Arc<GameSpec>>);

impl Games {
    /// The games of this crate.
    pub fn standard() -> Games {
        Games(
            [
                minishogi::spec(),
                dice_shogi::spec(),
                onitama::spec(),
                kutulu::spec(),
            ]
            .map(Arc::new)
            .into(),
        )
    }

    /// The game with this id.
    pub fn find(&self, id: &str) -> Option<&Arc<GameSpec>> {
        self.iter().find(|game| game.id == id)
    }

    /// The game that people call so: its id or title in any case, with or without spaces, `-` and `_`.
    pub fn search(&self, name: &str) -> Option<&Arc<GameSpec>> {
        let name = plain(name);
        self.iter()
            .find(|game| plain(&game.id) == name || plain(&game.title) == name)
    }

    /// The games.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<GameSpec>> {
        self.0.iter()
    }

    /// Their ids.
    pub fn ids(&self) -> Vec<&str> {
        self.iter().map(|game| game.id.as_str()).collect()
    }
}

/// A name without what people leave out or write otherwise.
fn plain(name: &str) -> String {
    name.replace([' ', '-', '_'], "").to_lowercase()
}

/// The last lines of a prompt, those that the line before them counts. Empty where no line counts what follows it.
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
