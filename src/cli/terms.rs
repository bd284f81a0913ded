//! Flags that several verbs have: under which time limits and in which sandbox a bot plays.

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use strum::VariantNames;

use crate::config::{ClockTable, Integer, LimitMs, MemoryMb, StartupMs};
use crate::plan::DEFAULT_MEMORY_MB;
use arena_process::Mode;

#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the fields name the flags")]
pub(super) struct LimitArgs {
    /// The time limit of the first answer, in milliseconds [default: the game's]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(LimitMs::RANGE))]
    first_turn_ms: Option<u64>,
    /// The time limit of every later answer, in milliseconds [default: the game's]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(LimitMs::RANGE))]
    turn_ms: Option<u64>,
    /// Added to the first answer, for an interpreter's own start, in milliseconds [default: 2000]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(StartupMs::RANGE))]
    startup_ms: Option<u64>,
}

impl LimitArgs {
    /// The limits as a config has them.
    pub(super) fn table(&self) -> ClockTable {
        ClockTable {
            first_turn_ms: self.first_turn_ms.map(Integer),
            turn_ms: self.turn_ms.map(Integer),
            startup_ms: self.startup_ms.map(Integer),
            ..ClockTable::default()
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct SandboxArgs {
    /// How much of the sandbox bots are put in, as in a config
    #[arg(long, value_name = "MODE", default_value_t, value_parser = one_of::<Mode>())]
    pub(super) sandbox: Mode,
    /// A further folder or file that bots may read in the sandbox; may be given more than once
    #[arg(long, value_name = "PATH")]
    pub(super) read: Vec<PathBuf>,
    /// The memory limit of each process of a bot, in megabytes
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MEMORY_MB, value_parser = value_parser!(u64).range(MemoryMb::RANGE))]
    pub(super) memory_mb: u64,
}

#[derive(Debug, Args)]
pub(super) struct ViewArgs {
    /// Show only errors and the final tables
    #[arg(long, short)]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) times: TimesArgs,
}

#[derive(Debug, Args)]
pub(super) struct TimesArgs {
    /// Show response times among the final tables
    #[arg(long)]
    pub(super) times: bool,
}

/// One word of a few.
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + VariantNames + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|word| word.parse())
}

/// A time as in `20m` or `1h 30m`, longer than none.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("expected a time longer than none, as in 20m".to_owned()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("expected a time, as in 90s, 20m or 1h30m: {error}")),
    }
}
