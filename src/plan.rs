//! What is played: what a config becomes, what `plan.toml` holds, and all that a run, its continuation, its slices, its
//! reports and a worker need to know. How fast and where is a matter of the session.

mod difference;
pub(crate) mod schedule;
mod study;
mod tune;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::plan::schedule::{
    Balance, BotId, Design, Schedule, SweepLayout, UnitDesign, last_where,
};
use crate::play::foreign::Referee;
use crate::play::{Clock, Kept, KeptStderr};
use arena_process::languages::Languages;
use arena_process::{Launch, Mode};
pub(crate) use study::{List, StudyPlan};
pub(crate) use tune::{Tune, TunedParameter};

use arena_games::{GameSpec, Games, Options, ReadFolder};
use arena_stats::StatsError;
use arena_stats::race::{Race, Rules};
use arena_stats::sprt::Hypotheses;

/// The memory limit of each process of a bot where none is given, in megabytes.
pub(crate) const DEFAULT_MEMORY_MB: u64 = 768;
/// The lower hypothesis of a sequential test where none is given.
pub(crate) const DEFAULT_ELO0: f64 = 0.0;
/// The upper hypothesis where none is given.
pub(crate) const DEFAULT_ELO1: f64 = 10.0;
/// Both chances of error where none is given.
pub(crate) const DEFAULT_ERROR: f64 = 0.05;
/// After so many units a test ends undecided, where nothing else is said.
pub(crate) const DEFAULT_MAX_UNITS: u64 = 20_000;
/// The most games per pairing of a stored plan: more than any config may ask for.
const MAX_GAMES: u64 = 1 << 40;
/// The variants that a sweep may have at most.
pub(crate) const MOST_VARIANTS: usize = 256;
/// The most units of a variant or between two looks: more than any config may ask for.
const MAX_UNITS: u64 = 1 << 31;

/// What is played: the same for every slice and every continuation of a run. It is written into the run directory as it
/// stands here; its digest tells runs apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The name of the run.
    pub(crate) name: String,
    /// How the seats of games of more than two are filled; missing where there is no such game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) design: Option<Design>,
    /// The seed from which all unit seeds derive, as text: TOML knows no unsigned 64-bit integers.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub(crate) seed: u64,
    /// Whether records carry every prompt.
    pub(crate) trace: bool,
    /// Whether records carry what bots tell of themselves on standard error.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) metrics: bool,
    /// What records carry of what bots write to standard error.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) stderr: KeptStderr,
    /// How much of the sandbox is wanted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) sandbox: Mode,
    /// The memory limit of each process of a bot, in megabytes.
    #[serde(
        default = "default_memory_mb",
        skip_serializing_if = "is_default_memory_mb"
    )]
    pub(crate) memory_mb: u64,
    /// What is to be found out. All but a list are about one game; in a test the candidate is the first of two bots.
    pub(crate) study: StudyPlan,
    /// The games to play, each with its own standings.
    #[serde(rename = "game")]
    pub(crate) games: Vec<PlannedGame>,
    /// The languages that the config adds or changes.
    #[serde(
        rename = "language",
        default,
        skip_serializing_if = "Languages::is_empty"
    )]
    pub(crate) languages: Languages,
    /// The bots, the challenger of a gauntlet first.
    #[serde(rename = "bot")]
    pub(crate) bots: Vec<Launch>,
}

/// One game of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlannedGame {
    /// Its id.
    pub(crate) id: String,
    /// Its time limits in this run.
    #[serde(flatten)]
    pub(crate) clock: Clock,
    /// Turns played from the unit's seed before the bots start; even.
    pub(crate) opening_plies: u32,
    /// The number of its seats; missing where it can have but one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seats: Option<usize>,
    /// Its own options.
    #[serde(flatten)]
    pub(crate) options: Options,
    /// The names of the bots that play it, in the plan's order.
    pub(crate) bots: Vec<String>,
    /// Its referee, where that is a program of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) referee: Option<Referee>,
    /// The game itself, without options; a plan that was read gets it from [`Plan::look_up`].
    #[serde(skip)]
    pub(crate) spec: Option<Arc<GameSpec>>,
}

/// A sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SprtPlan {
    /// What is tested.
    #[serde(flatten)]
    pub(crate) hypotheses: Hypotheses,
    /// Whether clear cases end early.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) early: bool,
    /// After so many units it ends undecided.
    pub(crate) max_units: u64,
}

/// Variants of one bot against the same opponents on the same seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sweep {
    /// The name of the bot that is swept, as the config has it.
    pub(crate) bot: String,
    /// The names of the parameters, in the order in which they were written.
    pub(crate) parameters: Vec<String>,
    /// Whom the variants meet, by name: a baseline, or a panel.
    pub(crate) against: Vec<String>,
    /// Units between two looks.
    pub(crate) block: u64,
    /// The most units of a variant, a multiple of the block.
    pub(crate) max_units: u64,
    /// The chance of error of the race, between 0 and 1.
    pub(crate) alpha: f64,
    /// The indifference zone in Elo, above 0: the race ends when all that remain are within it; `None` goes on to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) indifference: Option<f64>,
    /// The variants, two at least.
    #[serde(rename = "variant")]
    pub(crate) variants: Vec<Variant>,
}

/// One set of values, and the bot that has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    /// The name of its bot.
    pub(crate) bot: String,
    /// The value of each parameter, as it stands in the bot's command or environment.
    pub(crate) values: BTreeMap<String, String>,
}

impl Sweep {
    /// The games of a unit: a variant on one seed against all opponents, seats swapped.
    pub(crate) fn games_per_unit(&self) -> u32 {
        u32::try_from(2 * self.against.len()).unwrap_or(u32::MAX)
    }

    fn schedule(&self, plan: &Plan, seats: usize) -> Schedule {
        let variants = self.variants.iter().map(|variant| &variant.bot);
        let layout = SweepLayout {
            seats,
            variants: &plan.numbers(variants),
            opponents: &plan.numbers(&self.against),
            seeds_per_block: self.block,
            blocks: self.max_units.div_ceil(self.block.max(1)),
        };
        Schedule::sweep(&layout, plan.seed)
    }

    /// Says why a sweep that was read from a file cannot be played or counted.
    fn check(&self, plan: &Plan) -> Result<(), String> {
        plan.check_names(self.variants.iter().map(|variant| &variant.bot))?;
        plan.check_names(&self.against)?;
        let fits = (1..=MAX_UNITS).contains(&self.block)
            && (1..=MAX_UNITS).contains(&self.max_units)
            && (1..=MOST_VARIANTS).contains(&self.variants.len())
            && !self.against.is_empty();
        if !fits {
            return Err("its sweep is out of bounds".to_owned());
        }
        let seats = plan.games.first().map_or(2, PlannedGame::seats);
        self.race(seats)
            .map(drop)
            .map_err(|error| format!("its sweep cannot be held: failed to {error}"))
    }

    /// The race, before its first block, in a game of so many seats.
    pub(crate) fn race(&self, seats: usize) -> Result<Race, StatsError> {
        let rules = Rules {
            alpha: self.alpha,
            block: self.block,
            max_units: self.max_units,
            indifference: self.indifference,
        };
        let games = self.games_per_unit();
        let points = UnitDesign::swapped(seats)
            .full_points()
            .saturating_mul(games);
        Race::new(rules, self.variants.len(), points, games)
    }
}

impl Plan {
    /// What is kept of its games.
    pub(crate) fn kept(&self) -> Kept {
        Kept {
            input: self.trace,
            metrics: self.metrics,
            stderr: self.stderr == KeptStderr::Turn,
        }
    }

    /// The number of the bot with this name.
    pub(crate) fn bot(&self, name: &str) -> Option<BotId> {
        self.bots.iter().position(|bot| bot.name == name)
    }

    /// The bots with these names, in their order.
    pub(crate) fn numbers<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Vec<BotId> {
        let names = names.into_iter();
        names.filter_map(|name| self.bot(name)).collect()
    }

    /// Whether a unit is two games of two bots, in a game of so many seats.
    fn is_mirror(&self, seats: usize) -> bool {
        seats == 2 || self.design.unwrap_or_default() == Design::Mirror
    }

    /// All fixtures.
    pub(crate) fn schedule(&self) -> Schedule {
        self.study.schedule(self)
    }

    /// Of each game its seats and the bots that play it.
    fn seats_and_bots(&self) -> Vec<(usize, Vec<BotId>)> {
        let games = self.games.iter();
        games
            .map(|game| (game.seats(), self.numbers(&game.bots)))
            .collect()
    }

    /// The plan before its run begins: the groups of a list are balanced as exactly as its number of games allows.
    pub(crate) fn balanced(mut self) -> Plan {
        let games = self.seats_and_bots();
        if let StudyPlan::List(list) = &mut self.study {
            list.balance = Balance::of(
                list.format,
                self.design.unwrap_or_default(),
                &games,
                list.games_per_pairing,
            );
        }
        self
    }

    /// A list with the most games per pairing that come to at most this many games in all; an error has the fewest games
    /// that it can be.
    pub(crate) fn within(&self, list: List, total_games: u64) -> Result<Plan, u64> {
        let fewest = self.with(list, 1).schedule().len();
        if fewest > total_games {
            return Err(fewest);
        }
        // Two bots that meet in so many games play no fewer.
        let most = last_where(total_games + 1, |games| {
            self.with(list, games).schedule().len() <= total_games
        });
        Ok(self.with(list, most))
    }

    fn with(&self, list: List, games_per_pairing: u64) -> Plan {
        let mut plan = self.clone();
        plan.study = StudyPlan::List(List {
            games_per_pairing,
            ..list
        });
        plan.balanced()
    }

    /// Looks its games up in a list.
    pub(crate) fn look_up(&mut self, games: &Games) {
        for game in &mut self.games {
            game.spec = match &game.referee {
                Some(referee) => Some(Arc::new(referee.spec(&game.id))),
                None => games.find(&game.id).cloned(),
            };
        }
    }

    /// The games of the plan, without options.
    pub(crate) fn known_games(&self) -> Games {
        let specs = self.games.iter().filter_map(|game| game.spec.clone());
        Games(specs.collect())
    }

    /// Says why a plan that was read from a file cannot be played or counted: what a config never asks for.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.games.is_empty() || self.study.games_per_pairing() > MAX_GAMES {
            return Err("it has no games, or too many".to_owned());
        }
        for game in &self.games {
            let Some(spec) = &game.spec else {
                return Err(format!("unknown game `{}`", game.id));
            };
            let seats = game.seats();
            if !spec.seats.contains(&seats) {
                return Err(format!("`{}` is not played with {seats} seats", game.id));
            }
            self.check_names(&game.bots)?;
            let needed = if self.is_mirror(seats) { 2 } else { seats };
            if game.bots.len() < needed {
                return Err(format!("too few bots play `{}`", game.id));
            }
        }
        self.study.check(self)
    }

    /// What a bot is started with to see whether it starts, in the place of names in braces: of a bot that is tuned the
    /// values before the first game.
    pub(crate) fn values_to_try(&self, bot: BotId) -> Option<BTreeMap<String, String>> {
        match &self.study {
            StudyPlan::Tune(tune) if tune.sides().contains(&self.bots.get(bot)?.name) => {
                Some(tune.named(&tune.start()))
            }
            _ => None,
        }
    }

    fn check_names<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Result<(), String> {
        match names.into_iter().find(|name| self.bot(name).is_none()) {
            Some(unknown) => Err(format!("it has no bot `{unknown}`")),
            None => Ok(()),
        }
    }
}

impl PlannedGame {
    /// The number of its seats.
    pub(crate) fn seats(&self) -> usize {
        match (self.seats, &self.spec) {
            (Some(seats), _) => seats,
            (None, Some(spec)) => spec.default_seats(),
            (None, None) => 2,
        }
    }

    /// The game under its options.
    pub(crate) fn configured(&self, read: &ReadFolder<'_>) -> Result<Arc<GameSpec>, String> {
        let spec = self.spec.as_ref();
        let spec = spec.ok_or_else(|| format!("find the game `{}`", self.id))?;
        let configured = spec.configured(&self.options, read);
        Ok(configured.map_err(|error| error.to_string())?.game)
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

/// Writes a value as text, for serde.
pub(crate) fn as_text<T: Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Reads a value from text, for serde.
pub(crate) fn from_text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(deserializer)?
        .parse()
        .map_err(de::Error::custom)
}
