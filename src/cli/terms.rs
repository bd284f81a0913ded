//! Flags that several verbs share, and parsers of their values.

use std::error::Error;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use strum::VariantNames;

use crate::config::{Jobs, Overrides, Setting, jobs};
use crate::store::Existing;
use arena_process::Mode;

/// Whether this program can use workers. Otherwise help doesn't show their options.
pub(super) const HAS_WORKERS: bool = cfg!(feature = "workers");

/// The config of commands that name none.
pub(super) const CONFIG: &str = "arena.toml";
/// The game of a bot that is begun without a game.
pub(super) const FIRST_GAME: &str = "onitama";

/// Keys of a config on the command line.
#[derive(Debug, Args)]
pub(super) struct SetArgs {
    /// Set a key of the config, as in `clock.turn_ms=100`
    ///
    /// May be given more than once. The value is TOML; a bare word is a string, as in
    /// run.stderr=turn. docs/reference/config.md lists the keys.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) settings: Vec<Setting>,
}

#[derive(Debug, Args)]
pub(super) struct SandboxArgs {
    /// Sandbox of the bots [default: the config's, or auto]
    #[arg(long, value_name = "MODE", value_parser = one_of::<Mode>(), hide_short_help = true)]
    pub(super) sandbox: Option<Mode>,
    /// Let bots read this folder or file, too
    ///
    /// May be given more than once.
    #[arg(long, value_name = "PATH", value_parser = existing, hide_short_help = true)]
    pub(super) read: Vec<PathBuf>,
}

/// How a run is played on this machine, with a config or without.
#[derive(Debug, Args)]
pub(super) struct PlayArgs {
    /// Start no more games after this time, as in 20m
    ///
    /// The time counts from the first game. --resume continues the run later. A time may have
    /// several parts, as in 1h30m.
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    pub(super) time: Option<Duration>,
    /// Time for games in flight to finish after Ctrl-C or --for
    ///
    /// In seconds, or as in 2m.
    #[arg(long, value_name = "TIME", default_value = "30s", hide_short_help = true, value_parser = grace)]
    pub(super) grace: Duration,
    /// Games at a time [default: the cores; on Windows half]
    ///
    /// A config may say another number, as `jobs` in [run].
    #[arg(long, short, value_name = "N", value_parser = games_at_once)]
    jobs: Option<u64>,
    /// Play on the workers at this NATS server, see `arena worker`
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, value_parser = server, hide = !HAS_WORKERS, hide_short_help = true)]
    workers: Option<String>,
    /// The seed of the run [default: drawn at random]
    #[arg(long, value_name = "N", value_parser = within("an integer", 0..=u64::MAX))]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) set: SetArgs,
    #[command(flatten)]
    pub(super) verbose: VerboseArgs,
}

impl PlayArgs {
    /// Returns the flags that override a config.
    pub(super) fn overrides(&self, out: Option<&PathBuf>, existing: Existing) -> Overrides {
        Overrides {
            out: out.cloned(),
            jobs: self.jobs,
            seed: self.seed,
            workers: self.workers.clone(),
            settings: self.set.settings.clone(),
            has_time_limit: self.time.is_some(),
            existing,
            ..Overrides::default()
        }
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct VerboseArgs {
    /// Show all tables at the end
    ///
    /// Those of two bots, too, and response times and fault rates.
    #[arg(long, hide_short_help = true)]
    pub(super) verbose: bool,
}

/// Reads the path of a file or folder that exists.
fn existing(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.metadata() {
        Ok(_) => Ok(path),
        Err(error) => Err(format!(
            "{error}\nhint: paths start from the current folder"
        )),
    }
}

/// Reads a number in a range; `what` is its kind.
pub(super) fn within<T>(
    what: &'static str,
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = (range.start(), range.end());
            Err(format!("expected {what} from {least} to {most}"))
        }
    }
}

/// Reads so many counts with commas between.
pub(super) fn counts<const N: usize>(text: &str) -> Result<[u64; N], String> {
    let counts: Result<Vec<u64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match counts.map(<[u64; N]>::try_from) {
        Ok(Ok(counts)) => Ok(counts),
        _ => Err(format!("expected {N} integers from 0 with commas between")),
    }
}

/// Reads one of a few words.
pub(super) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + VariantNames + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|word| word.to_lowercase().parse())
}

/// Reads a number of games to play at the same time.
pub(super) fn games_at_once(text: &str) -> Result<u64, String> {
    let number = within("an integer", Jobs::RANGE)(text)?;
    jobs(Some(number))
        .map(|_| number)
        .map_err(|too_many| too_many.to_string())
}

/// Reads the address of a server. Other programs take a number of workers here.
fn server(text: &str) -> Result<String, String> {
    match text.parse::<u64>() {
        Ok(number) => Err(format!("expected an address\nhint: --jobs {number}")),
        Err(_) => Ok(text.to_owned()),
    }
}

/// Reads seconds, or a time such as `2m`.
fn grace(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map(Duration::from_secs);
    seconds.or_else(|_| {
        humantime::parse_duration(text)
            .map_err(|error| format!("expected a time, as in 5, 30s or 2m: {error}"))
    })
}

/// Reads a time such as `20m` or `1h 30m`.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("expected a time longer than none, as in 20m".to_owned()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("expected a time, as in 90s, 20m or 1h30m: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grace_is_in_seconds_or_has_a_unit() {
        assert_eq!(grace("1"), Ok(Duration::from_secs(1)));
        assert_eq!(grace("0"), Ok(Duration::ZERO));
        assert_eq!(grace("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "-1", "soon"] {
            assert!(grace(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn counts_are_as_many_as_expected() {
        assert_eq!(counts("10,0"), Ok([10, 0]));
        assert_eq!(counts("0, 25"), Ok([0, 25]));
        for wrong in ["", "10", "0,10,20", "a,b", "-10,0", "0,2.5"] {
            assert!(counts::<2>(wrong).is_err(), "{wrong}");
        }
    }
}
