//! `pool.toml`, a config without bots, and the table of a pool's bots.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize};

use super::mistake::Mistake;
use super::settings::{Setting, Source};
use super::values::{Choice, DropBelow, Integer, expect};
use super::{Config, ConfigError, RunFormat, text_of};
use arena_games::Games;
use arena_process::Launch;
use arena_schedule::Design;

/// The budget of a try and how sure it must be. Only in the `pool.toml` of a pool, see
/// docs/how-to/pool.md.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TryTable {
    /// How long a try plays.
    /// Default: `"10m"`. Example: `"1h30m"`.
    #[serde(rename = "for")]
    pub(crate) time: Option<Time>,
    /// Instead of `for`, how many games it plays.
    /// Default: none. Example: `600`.
    pub(crate) games: Option<TryGames>,
    /// A candidate is called likely stronger if it is better with this likelihood, in percent.
    /// `"every-look"` asks for an interval that holds at every look.
    /// Default: `90`. Example: `80`.
    pub(crate) sure: Option<Sure>,
}

/// The games of a try.
pub(crate) type TryGames = Integer<16, 10_000_000>;

/// How long something takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time(pub(crate) Duration);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        expect(
            from,
            "a time, as in \"10m\" or \"1h30m\"",
            |text: String| {
                let time = humantime::parse_duration(&text).ok()?;
                (!time.is_zero()).then_some(Time(time))
            },
        )
    }
}

/// When a candidate is called likely stronger.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Sure {
    /// If it is better with this likelihood, in percent.
    Percent(f64),
    /// Never: only an interval that holds at every look counts.
    EveryLook,
}

impl Default for Sure {
    fn default() -> Sure {
        Sure::Percent(90.0)
    }
}

/// The expected value of [`Sure`].
const SURE: &str = "a number from 50 to 99.9, or every-look";

impl FromStr for Sure {
    type Err = String;

    fn from_str(text: &str) -> Result<Sure, String> {
        match text.parse() {
            Ok(percent) if (50.0..=99.9).contains(&percent) => Ok(Sure::Percent(percent)),
            Err(_) if text == "every-look" => Ok(Sure::EveryLook),
            _ => Err(format!("expected {SURE}")),
        }
    }
}

impl<'de> Deserialize<'de> for Sure {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        expect(from, SURE, |value: toml::Value| match value {
            toml::Value::String(text) => text.parse().ok(),
            number => number.to_string().parse().ok(),
        })
    }
}

/// Reads the config of a pool.
pub(crate) fn load_pool(
    path: &Path,
    games: &Games,
    settings: &[Setting],
) -> Result<Config, ConfigError> {
    let (name, text) = text_of(path)?;
    read_pool(&name, &text, games, settings)
}

/// Turns the text of the config of a pool into one.
pub(super) fn read_pool(
    file: &str,
    text: &str,
    games: &Games,
    settings: &[Setting],
) -> Result<Config, ConfigError> {
    let source = Source {
        file: Some(file),
        text,
        settings,
    };
    let read = || {
        let config = Config::of(&source, games)?;
        config.check_of_pool()?;
        Ok(config)
    };
    read().map_err(|mistakes| ConfigError::new(mistakes, &source))
}

impl Config {
    /// A gauntlet of the first of these bots with so many games per pairing. With `drop_below`, a
    /// match of two, which ends early if it shows who is stronger, or that the first is better with
    /// a likelihood below so many percent.
    pub(crate) fn between(&self, bots: &[Launch], games: u64, drop_below: Option<f64>) -> Config {
        let mut config = self.clone();
        config.bot = bots.iter().cloned().map(Into::into).collect();
        config.run.games = Some(Integer(games));
        config.run.drop_below = drop_below.map(DropBelow);
        config.run.format = Some(Choice(match drop_below {
            Some(_) => RunFormat::RoundRobin,
            None => RunFormat::Gauntlet,
        }));
        if self.has_many_seats() {
            // Two bots share the seats.
            config.run.design.get_or_insert(Choice(Design::Mirror));
        }
        config
    }

    fn has_many_seats(&self) -> bool {
        self.games.iter().any(|(_, spec)| spec.default_seats() > 2)
    }

    /// Rejects the table of a pool in another config.
    pub(super) fn check_without_pool(&self) -> Result<(), Mistake> {
        if self.attempt == TryTable::default() {
            return Ok(());
        }
        let problem = "only the pool.toml of a pool has this table: leave it out";
        Err(Mistake::new("try", problem))
    }

    /// Rejects what a try decides by itself, and several games.
    fn check_of_pool(&self) -> Result<(), Mistake> {
        let run = &self.run;
        let decided = [
            ("run.name", run.name.is_some()),
            ("run.format", run.format.is_some()),
            ("run.games", run.games.is_some()),
            ("run.total_games", run.total_games.is_some()),
            ("run.precision", run.precision.is_some()),
            ("run.drop_below", run.drop_below.is_some()),
            ("run.same_seeds", run.same_seeds),
            ("run.seed", run.seed.is_some()),
            ("bot", !self.bot.is_empty()),
            ("sprt", self.sprt.is_some()),
            ("sweep", self.sweep.is_some()),
            ("tune", self.tune.is_some()),
        ];
        if let Some((path, _)) = decided.iter().find(|(_, is_set)| *is_set) {
            let help = "a pool has its bots in members.toml, and `[try]` says how much a try plays";
            let problem = "`arena pool try` decides that: leave it out";
            return Err(Mistake::new(*path, problem).help(help));
        }
        if run.design.is_some() && !self.has_many_seats() {
            let problem = "`design` is for games of more than two seats: leave it out";
            return Err(Mistake::new("run.design", problem));
        }
        if self.games.len() > 1 {
            let problem = "a pool has one game: expected one";
            return Err(Mistake::new("run.game", problem));
        }
        if self.attempt.time.is_some() && self.attempt.games.is_some() {
            let problem = "a budget is a time or a number of games: leave one out";
            return Err(Mistake::new("try.games", problem));
        }
        Ok(())
    }
}

/// Reads a TOML file, with the place of every mistake.
pub(crate) fn read_table<T: DeserializeOwned>(path: &Path) -> Result<T, ConfigError> {
    let (name, text) = text_of(path)?;
    let source = Source {
        file: Some(&name),
        text: &text,
        ..Source::default()
    };
    let read = || source.document()?.read("");
    read().map_err(|mistake: Mistake| ConfigError::new(mistake.into(), &source))
}
