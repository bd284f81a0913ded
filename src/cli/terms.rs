//! Flags that several verbs have: under which time limits and within which walls a bot plays.

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use strum::VariantNames;

use crate::config::{LIMIT_MS, MEMORY_MB, STARTUP_MS};
use crate::games::GameSpec;
use crate::play::Clock;
use crate::process::Mode;
use crate::store::DEFAULT_MEMORY_MB;
use crate::tournament::DEFAULT_STARTUP;

#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the fields name the flags")]
pub(super) struct LimitArgs {
    /// The time limit of the first answer, in milliseconds [default: the game's]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(LIMIT_MS))]
    first_turn_ms: Option<u64>,
    /// The time limit of every later answer, in milliseconds [default: the game's]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(LIMIT_MS))]
    turn_ms: Option<u64>,
    /// Added to the first answer, for an interpreter's own start, in milliseconds [default: as in a config, 2000]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(STARTUP_MS))]
    startup_ms: Option<u64>,
}

impl LimitArgs {
    /// The limits of a game where no others are given.
    pub(super) fn clock(&self, spec: &GameSpec) -> Clock {
        let own = Clock::of(spec);
        let or = |ms: Option<u64>, own| ms.map_or(own, Duration::from_millis);
        let startup = or(self.startup_ms, DEFAULT_STARTUP);
        Clock { first_turn: or(self.first_turn_ms, own.first_turn), turn: or(self.turn_ms, own.turn), startup, ..own }
    }
}

#[derive(Debug, Args)]
pub(super) struct WallArgs {
    /// How much of the sandbox is put round bots, as in a config
    #[arg(long, value_name = "MODE", default_value_t, value_parser = one_of::<Mode>())]
    pub(super) sandbox: Mode,
    /// A further folder or file that bots may read in the sandbox; may be given more than once
    #[arg(long, value_name = "PATH")]
    pub(super) read: Vec<PathBuf>,
    /// The memory limit of each process of a bot, in megabytes [default: as in a config, 768]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(MEMORY_MB))]
    memory_mb: Option<u64>,
}

impl WallArgs {
    /// The memory limit of each process, in megabytes.
    pub(super) fn memory_mb(&self) -> u64 {
        self.memory_mb.unwrap_or(DEFAULT_MEMORY_MB)
    }
}

/// One word of a few.
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + VariantNames + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|word| word.parse())
}
