//! `plan.toml`: what a run directory is a run of.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml::{Table, Value};

use super::StoreError;
use crate::schedule::Slice;

/// The version of the files in a run directory.
pub(crate) const VERSION: u32 = 1;

/// The content of `plan.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanFile {
    /// The version of the files in this directory, see [`VERSION`].
    pub(crate) version: u32,
    /// The digest of [`PlanFile::plan`].
    pub(crate) digest: String,
    /// The number of games of the whole plan.
    pub(crate) total_games: u64,
    /// The slice of the plan that this run plays; `1/1` for all of it.
    pub(crate) slice: String,
    /// The number of games of that slice.
    pub(crate) games: u64,
    /// What is played: the same for every part and every continuation of a run.
    pub(crate) plan: PlanText,
    /// The programs that played, so that a run is not continued with others.
    pub(crate) program: Vec<Program>,
}

/// The part of a plan that decides what is played. How fast and where is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanText {
    /// The name of the run.
    pub(crate) name: String,
    /// How pairings are formed.
    pub(crate) format: String,
    /// How the seats of games for four are filled; missing where there is no such game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) design: Option<String>,
    /// The seed of the run, as text: TOML knows no unsigned 64-bit integers.
    pub(crate) seed: String,
    /// Games per pairing and game.
    pub(crate) games_per_pairing: u64,
    /// Whether records carry every prompt.
    pub(crate) trace: bool,
    /// How much of the sandbox was wanted; missing for "auto".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sandbox: Option<String>,
    /// The memory limit of bots in megabytes; missing for 768.
    #[serde(default = "default_memory_mb", skip_serializing_if = "is_default_memory_mb")]
    pub(crate) memory_mb: u64,
    /// The sequential test that ends the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sprt: Option<SprtText>,
    /// The sweep that the run is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sweep: Option<SweepText>,
    /// The games.
    pub(crate) game: Vec<GameText>,
    /// The bots.
    pub(crate) bot: Vec<BotText>,
}

/// The sequential test of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SprtText {
    /// In which Elo the hypotheses are.
    pub(crate) model: String,
    /// The lower hypothesis.
    pub(crate) elo0: f64,
    /// The upper hypothesis.
    pub(crate) elo1: f64,
    /// The chance to accept a bot of `elo0`.
    pub(crate) alpha: f64,
    /// The chance to reject a bot of `elo1`.
    pub(crate) beta: f64,
    /// After so many units the test ends undecided.
    pub(crate) max_units: u64,
    /// Units of one bot against three that follow the test; missing for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) check_1v3: u64,
}

/// The sweep of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SweepText {
    /// The name of the bot that is swept.
    pub(crate) bot: String,
    /// The names of the parameters, in their order.
    pub(crate) parameters: Vec<String>,
    /// Whom the variants meet, by name.
    pub(crate) against: Vec<String>,
    /// How many play on.
    pub(crate) mode: String,
    /// Units between two looks.
    pub(crate) block: u64,
    /// The most units of a variant.
    pub(crate) max_units: u64,
    /// The chance of error.
    pub(crate) alpha: f64,
    /// Within how many Elo of the leader nobody cares; missing where somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) indifference: Option<f64>,
    /// The variants.
    pub(crate) variant: Vec<VariantText>,
}

/// One variant of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VariantText {
    /// The name of its bot.
    pub(crate) bot: String,
    /// The value of each parameter.
    pub(crate) values: BTreeMap<String, String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(units: &u64) -> bool {
    *units == 0
}

/// One game of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GameText {
    /// Its id.
    pub(crate) id: String,
    /// The limit of a seat's first answer.
    pub(crate) first_turn_ms: u64,
    /// The limit of later answers.
    pub(crate) turn_ms: u64,
    /// Added to the first answer.
    pub(crate) startup_ms: u64,
    /// What happens to late answers.
    pub(crate) rules: String,
    /// Whether bots are paused while another thinks.
    pub(crate) no_ponder: bool,
    /// Turns played before the bots start.
    pub(crate) opening_plies: u32,
    /// The folder of its maps; missing where they are the game's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) maps: Option<String>,
    /// The digest of these maps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) maps_digest: Option<String>,
    /// The bots that play it, by name.
    pub(crate) bots: Vec<String>,
}

impl GameText {
    /// How long a seat may take for its first answer, or for a later one.
    pub(crate) fn limit(&self, first: bool) -> Duration {
        Duration::from_millis(if first { self.first_turn_ms.saturating_add(self.startup_ms) } else { self.turn_ms })
    }
}

/// One bot of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BotText {
    /// Its name.
    pub(crate) name: String,
    /// How it is started.
    pub(crate) command: Vec<String>,
    /// Its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
    /// What it may read besides its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) read: Vec<String>,
}

/// The files a bot is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    /// The name of the bot.
    pub(crate) bot: String,
    /// SHA-256 of its executable and of every file named in its command, by path.
    pub(crate) files: BTreeMap<String, String>,
}

impl PlanFile {
    /// The file of a plan, with its digest; the programs are not known yet.
    pub(crate) fn new(plan: PlanText, total_games: u64, slice: Slice, games: u64) -> PlanFile {
        let digest = hex(&Sha256::digest(plan_toml(&plan)));
        let (version, slice, program) = (VERSION, slice.to_string(), Vec::new());
        PlanFile { version, digest, total_games, slice, games, plan, program }
    }

    /// The file as text.
    pub(crate) fn to_toml(&self) -> String {
        let head = "# What this run directory is a run of. Written by arena; read again by --resume and merge.\n";
        toml::to_string(self).map_or_else(|_| String::new(), |text| format!("{head}{text}"))
    }

    /// Says in what two plans differ first, apart from their slices, with the keys of a config; `None` when nothing that
    /// matters does. Programs are compared where both files have them.
    pub(crate) fn difference(&self, other: &PlanFile) -> Option<String> {
        if self.digest != other.digest {
            let tables = [self, other].map(|file| Table::try_from(&file.plan).unwrap_or_default());
            let changed = first_difference(&tables[0], &tables[1], "");
            return Some(changed.unwrap_or_else(|| "the digests of their plans are not the same".to_owned()));
        }
        let changed = self.program.iter().zip(&other.program).find(|(a, b)| a != b)?;
        Some(format!("the program of bot `{}` is not the same", changed.0.bot))
    }
}

/// The key of a plan that follows from `max_units` in tests and sweeps. A config calls it `games`.
const GAMES_PER_PAIRING: &str = "games_per_pairing";

/// The first difference of two tables of a plan. `place` says where in the plan they stand.
fn first_difference(ours: &Table, theirs: &Table, place: &str) -> Option<String> {
    let rank = |key: &&String| match ours.get(*key).or(theirs.get(*key)) {
        Some(Value::Table(_)) => 1,
        _ if *key == GAMES_PER_PAIRING => 2,
        Some(Value::Array(list)) if list.iter().any(Value::is_table) => 3,
        _ => 0,
    };
    let mut keys: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
    keys.sort_by_key(|key| (rank(key), *key));
    let key = keys.into_iter().find(|key| ours.get(*key) != theirs.get(*key))?;
    let inner = if place.is_empty() { format!(", in `[{key}]`") } else { format!(", in `{key}`{place}") };
    Some(match (ours.get(key), theirs.get(key)) {
        (Some(Value::Table(ours)), Some(Value::Table(theirs))) => first_difference(ours, theirs, &inner)?,
        (Some(Value::Array(ours)), Some(Value::Array(theirs))) if ours.iter().chain(theirs).all(Value::is_table) => {
            difference_of_lists(key, &named(ours), &named(theirs))
        }
        (ours, theirs) => {
            let key = if key == GAMES_PER_PAIRING { "games" } else { key };
            let says = |value: &Value| if value.is_table() { format!("[{key}]") } else { format!("{key} = {value}") };
            let (one, other) = match (ours.map(says), theirs.map(says)) {
                (Some(ours), Some(theirs)) => (format!("says `{ours}`"), format!("`{theirs}`")),
                (ours, theirs) => {
                    let side =
                        |text: Option<String>| text.map_or(format!("has no `{key}`"), |it| format!("says `{it}`"));
                    (side(ours), side(theirs))
                }
            };
            format!("one plan {one}, the other {other}{place}")
        }
    })
}

/// The tables of a list with what they are called.
fn named(list: &[Value]) -> Vec<(&str, &Table)> {
    let tables = list.iter().filter_map(Value::as_table);
    let names = ["name", "id", "bot"];
    tables.map(|table| (names.iter().find_map(|key| table.get(*key)?.as_str()).unwrap_or_default(), table)).collect()
}

/// The first difference of two lists of bots, games or variants.
fn difference_of_lists(kind: &str, ours: &[(&str, &Table)], theirs: &[(&str, &Table)]) -> String {
    let find = |list: &[(&str, &Table)], name: &str| list.iter().position(|entry| entry.0 == name);
    if let Some((name, _)) = ours.iter().find(|entry| find(theirs, entry.0).is_none()) {
        return format!("one plan has {kind} `{name}`, the other has not");
    }
    if let Some((name, _)) = theirs.iter().find(|entry| find(ours, entry.0).is_none()) {
        return format!("one plan has no {kind} `{name}`, the other has");
    }
    let of_same = ours.iter().zip(theirs).filter(|(ours, theirs)| ours.0 == theirs.0);
    let changed = { of_same }.find_map(|(ours, theirs)| {
        let place = format!(", of {kind} `{}`", ours.0);
        first_difference(ours.1, theirs.1, &place)
    });
    changed.unwrap_or_else(|| format!("the tables of each {kind} stand in another order"))
}

/// The memory limit of each process of a bot where none is given, in megabytes. Plans do not write it: those from before
/// there was a limit stay what they were.
pub(crate) const DEFAULT_MEMORY_MB: u64 = 768;

fn default_memory_mb() -> u64 {
    DEFAULT_MEMORY_MB
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_default_memory_mb(memory_mb: &u64) -> bool {
    *memory_mb == DEFAULT_MEMORY_MB
}

fn plan_toml(plan: &PlanText) -> String {
    toml::to_string(plan).unwrap_or_default()
}

/// The SHA-256 of a file, in hexadecimal.
pub(crate) fn hash_file(path: &Path) -> Result<String, StoreError> {
    let bytes = std::fs::read(path).map_err(|source| StoreError::Unreadable { path: path.to_owned(), source })?;
    Ok(hex(&Sha256::digest(bytes)))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
