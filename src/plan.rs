//! The plan of a run: everything that decides its results. A config becomes a plan, `plan.toml`
//! holds it, and resuming, reports and workers read it. Speed and folders are settings of
//! the session.

mod difference;
pub(crate) mod samples;
mod study;

use std::fmt::Display;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::play::foreign::Referee;
use crate::play::{Clock, Kept, KeptStderr};
use arena_games::{GameSpec, Games, Options, ReadFolder};
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};
use arena_schedule::{BotId, Design, Format, Schedule, UnitDesign};
pub(crate) use study::{
    Import, ImportedBattle, List, STUDY_FILES, SprtPlan, StudyPlan, Sweep, Trial, Tune,
    TunedParameter, Variant,
};

/// Default memory limit of each process of a bot, in megabytes.
pub(crate) const DEFAULT_MEMORY_MB: u64 = 768;
/// Default lower hypothesis of a sequential test.
pub(crate) const DEFAULT_ELO0: f64 = 0.0;
/// Default upper hypothesis.
pub(crate) const DEFAULT_ELO1: f64 = 10.0;
/// Default for both error rates.
pub(crate) const DEFAULT_ERROR: f64 = 0.05;
/// Default maximum of units of a test.
pub(crate) const DEFAULT_MAX_UNITS: u64 = 20_000;
/// Default precision that ends a duel, in Elo.
pub(crate) const DEFAULT_PRECISION: f64 = 20.0;
/// Maximum games per pairing of a stored plan, more than any config allows.
const MAX_GAMES: u64 = 1 << 40;
/// Maximum number of variants of a sweep.
pub(crate) const MOST_VARIANTS: usize = 256;
/// Maximum units of a variant or a block, more than any config allows.
const MAX_UNITS: u64 = 1 << 31;

/// The plan of a run. The run directory holds it as serialized here; its digest identifies the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) name: String,
    /// How the seats of games with more than two seats are filled; `None` if the run has no such
    /// game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) design: Option<Design>,
    /// The seed of all units. It is stored as text, because TOML has no unsigned 64-bit integers.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub(crate) seed: u64,
    /// Whether records hold every prompt.
    pub(crate) trace: bool,
    /// Whether records hold the metrics that bots write to standard error.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) metrics: bool,
    /// How much of the bots' standard error records hold.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) stderr: KeptStderr,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) sandbox: Mode,
    /// The memory limit of each process of a bot, in megabytes.
    #[serde(
        default = "default_memory_mb",
        skip_serializing_if = "is_default_memory_mb"
    )]
    pub(crate) memory_mb: u64,
    /// The study. All studies except lists are about one game; the candidate of a test is the first
    /// of two bots.
    pub(crate) study: StudyPlan,
    /// The games, each with its own standings.
    #[serde(rename = "game")]
    pub(crate) games: Vec<PlannedGame>,
    /// Languages that the config adds or changes.
    #[serde(
        rename = "language",
        default,
        skip_serializing_if = "Languages::is_empty"
    )]
    pub(crate) languages: Languages,
    /// The bots. The challenger of a gauntlet is the first.
    #[serde(rename = "bot")]
    pub(crate) bots: Vec<Launch>,
}

/// How bots fill the seats of a game, and the games of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitSize {
    pub(crate) design: UnitDesign,
    /// More than those of each bot if every bot plays alone.
    pub(crate) games: u64,
}

/// One game of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlannedGame {
    pub(crate) id: String,
    /// The time limits.
    #[serde(flatten)]
    pub(crate) clock: Clock,
    /// Turns played from the unit's seed before the bots start, an even number.
    pub(crate) opening_plies: u32,
    /// The number of seats; `None` if the game has a fixed number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seats: Option<usize>,
    #[serde(flatten)]
    pub(crate) options: Options,
    /// The names of the bots that play it, in the plan's order.
    pub(crate) bots: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) referee: Option<Referee>,
    /// The rules, without options. [`Plan::look_up`] sets them in a plan that was read.
    #[serde(skip)]
    pub(crate) spec: Option<Arc<GameSpec>>,
}

/// Why a plan or a game of it can't be played or counted.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unsound(String);

/// Returns the reason in these words.
pub(crate) fn unsound(why: impl Display) -> Unsound {
    Unsound(why.to_string())
}

/// Returns the id of a game with this title, such as the name of its referee's file.
pub(crate) fn id_of(title: &str) -> String {
    title.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_")
}

impl Plan {
    /// Takes the titles of games from their referees, unless a config names them.
    pub(crate) fn entitle<'t>(&mut self, title: impl Fn(&str) -> Option<&'t String>) {
        for game in &mut self.games {
            if let (Some(title), Some(referee)) = (title(&game.id), &mut game.referee)
                && id_of(&referee.title) == game.id
            {
                referee.title.clone_from(title);
                game.spec = Some(Arc::new(referee.spec(&game.id)));
            }
        }
    }

    /// Returns what to keep of the games.
    pub(crate) fn kept(&self) -> Kept {
        Kept {
            input: self.trace,
            metrics: self.metrics,
            stderr: self.stderr == KeptStderr::Turn,
        }
    }

    /// Whether two bots play every game, so that one number answers its question.
    pub(crate) fn is_match(&self) -> bool {
        self.study.compares_programs() && self.games.iter().all(|game| game.bots.len() == 2)
    }

    /// Returns the number of the bot with this name.
    pub(crate) fn bot(&self, name: &str) -> Option<BotId> {
        self.bots.iter().position(|bot| bot.name == name)
    }

    /// Returns the numbers of the bots with these names, in the same order.
    pub(crate) fn numbers<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Vec<BotId> {
        names.into_iter().filter_map(|it| self.bot(it)).collect()
    }

    /// Returns the maximum of games per pairing as played: an even number if bots swap seats, and
    /// the number of seeds if each plays alone.
    pub(crate) fn games_in_pairs(&self) -> u64 {
        let games = self.study.games_per_pairing();
        if self.games.iter().any(|game| game.seats() != 1) {
            games.next_multiple_of(2)
        } else {
            self.study.max_units().unwrap_or(games)
        }
    }

    /// Returns the schedule of all fixtures.
    pub(crate) fn schedule(&self) -> Schedule {
        let has_tests = |game: &usize| {
            let referee = &self.games[*game].referee;
            matches!(referee, Some(referee) if !referee.tests.is_empty())
        };
        let counted = (0..self.games.len()).filter(has_tests).collect();
        self.study.schedule(self).counting_seeds(counted)
    }

    /// Returns the schedule of pairings that play so many games.
    fn pairings(&self, format: Format, games_per_pairing: u64) -> Schedule {
        let games: Vec<(usize, Vec<BotId>)> = self
            .games
            .iter()
            .map(|game| (game.seats(), self.numbers(&game.bots)))
            .collect();
        let design = self.design.unwrap_or_default();
        Schedule::new(format, design, &games, games_per_pairing, self.seed)
    }

    /// Returns the number of seats of the first game.
    pub(crate) fn seats(&self) -> usize {
        self.games.first().map_or(2, PlannedGame::seats)
    }

    /// Returns how the bots of a game fill its seats, and the games of a unit.
    pub(crate) fn unit(&self, game: usize) -> UnitSize {
        let games = self.schedule().games_per_unit(game);
        let games_of_each = u32::try_from(games).unwrap_or(u32::MAX);
        UnitSize {
            design: UnitDesign::new(self.games[game].seats(), games_of_each),
            games,
        }
    }

    /// Looks the games up in a list.
    pub(crate) fn look_up(&mut self, games: &Games) {
        for game in &mut self.games {
            game.spec = match &game.referee {
                Some(referee) => Some(Arc::new(referee.spec(&game.id))),
                None => games.find(&game.id).cloned(),
            };
        }
    }

    /// Returns the games of the plan, without options.
    pub(crate) fn known_games(&self) -> Games {
        Games(self.games.iter().filter_map(|it| it.spec.clone()).collect())
    }

    /// Returns the games with their options.
    pub(crate) fn configured(&self, read: &ReadFolder<'_>) -> Result<Vec<Arc<GameSpec>>, Unsound> {
        self.games.iter().map(|it| it.configured(read)).collect()
    }

    /// Checks a plan that was read from a file.
    pub(crate) fn check(&self) -> Result<(), Unsound> {
        if self.games.is_empty() || self.study.games_per_pairing() > MAX_GAMES {
            return Err(unsound("it has no games, or too many"));
        }
        for game in &self.games {
            let (id, seats) = (&game.id, game.seats());
            let Some(spec) = &game.spec else {
                return Err(unsound(format!("unknown game `{id}`")));
            };
            if !spec.seats.contains(&seats) {
                let why = format!("`{id}` is not played with {seats} seats");
                return Err(unsound(why));
            }
            self.check_names(&game.bots)?;
            if game.bots.len() < bots_needed(self.design.unwrap_or_default(), seats) {
                return Err(unsound(format!("too few bots play `{id}`")));
            }
        }
        self.study.check(self)
    }

    /// Returns the values with which to probe a bot. A tuned bot's starting values come first;
    /// other bots have none.
    pub(crate) fn trials(&self, bot: BotId) -> Vec<Trial> {
        self.study.trials(&self.bots[bot].name)
    }

    fn check_names<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Result<(), Unsound> {
        match names.into_iter().find(|name| self.bot(name).is_none()) {
            Some(unknown) => Err(unsound(format!("it has no bot `{unknown}`"))),
            None => Ok(()),
        }
    }
}

/// Returns how many bots a game needs at least.
pub(crate) fn bots_needed(design: Design, seats: usize) -> usize {
    match design {
        Design::Mirror => 2,
        Design::Rotations => seats.max(2),
    }
}

impl PlannedGame {
    /// Returns the plan's number of seats, else the game's default, else 2.
    pub(crate) fn seats(&self) -> usize {
        match (self.seats, &self.spec) {
            (Some(seats), _) => seats,
            (None, Some(spec)) => spec.default_seats(),
            (None, None) => 2,
        }
    }

    /// Returns the game with its options.
    pub(crate) fn configured(&self, read: &ReadFolder<'_>) -> Result<Arc<GameSpec>, Unsound> {
        let Some(spec) = &self.spec else {
            return Err(unsound(format!("find the game `{}`", self.id)));
        };
        spec.configured(&self.options, read).map_err(unsound)
    }
}

fn default_memory_mb() -> u64 {
    DEFAULT_MEMORY_MB
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_default_memory_mb(memory_mb: &u64) -> bool {
    *memory_mb == DEFAULT_MEMORY_MB
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn as_text<S: Serializer>(seed: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(seed)
}

fn from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    String::deserialize(deserializer)?
        .parse()
        .map_err(de::Error::custom)
}
