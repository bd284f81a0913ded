//! The command lines of the bots.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::bot::{Bot, run};
use crate::parameters::{Parameter, Parameters};
use crate::protocol::Protocol;
use crate::search::{Limits, Lookahead, Search};

/// The depth if only the time is given: more than any time allows.
const DEFAULT_DEPTH: u32 = 64;

/// The range of parameters, small enough to keep every sum of them below `INFINITE`.
const PARAMETER_RANGE: RangeInclusive<i32> = -2000..=2000;

/// Plays one game over standard input and output.
#[derive(Debug, Parser)]
struct Simple {
    /// Draws random numbers from this seed: the same seed answers the same prompts with the same
    /// moves
    #[arg(long, value_name = "N", env = "ARENA_SEED", default_value_t = 0)]
    seed: u64,
}

/// Plays one game over standard input and output, looking ahead.
///
/// Looks ahead for two fifths of the game's time limit where neither depth nor time is given. With
/// a depth alone no clock is looked at, and the same depth and seed answer the same prompts with
/// the same moves.
#[derive(Debug, Parser)]
struct Searching<W: Parameters> {
    #[command(flatten)]
    simple: Simple,
    /// Looks this many moves ahead at most, its own included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    /// Answers within about this many milliseconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    time_ms: Option<u64>,
    /// Sets a parameter of the evaluation; may be repeated, see --params
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = setting::<W>, allow_hyphen_values = true)]
    set: Vec<Setting<W>>,
    /// Plays a random move in this many of a hundred turns
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    blunder: u32,
    /// Lists the parameters of the evaluation with their defaults, and plays nothing
    #[arg(long)]
    params: bool,
}

/// A parameter with a value.
#[derive(Clone, Debug)]
struct Setting<W: Parameters> {
    parameter: &'static Parameter<W>,
    value: i32,
}

fn setting<W: Parameters>(text: &str) -> Result<Setting<W>, String> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        let example = W::ALL
            .first()
            .map(|parameter| format!(", such as {}={}", parameter.name, parameter.default));
        format!("write it as NAME=VALUE{}", example.unwrap_or_default())
    })?;
    let parameter = Parameter::find(name).map_err(|error| error.to_string())?;
    let value = value
        .parse()
        .ok()
        .filter(|value| PARAMETER_RANGE.contains(value));
    let value = value.ok_or_else(|| {
        format!(
            "the value must be an integer from {} to {}",
            PARAMETER_RANGE.start(),
            PARAMETER_RANGE.end()
        )
    })?;
    Ok(Setting { parameter, value })
}

/// Runs a bot whose only option is the seed. Its command line begins with its name.
pub fn simple<P: Protocol, B: Bot<P::Turn>>(
    line: Vec<OsString>,
    protocol: P,
    bot: impl FnOnce(u64) -> B,
) -> ExitCode {
    run(protocol, &mut bot(Simple::parse_from(line).seed))
}

/// Runs a bot that looks ahead, with the weights of its evaluation. Its command line begins with
/// its name.
pub fn search<P, W, L>(line: Vec<OsString>, protocol: P, lookahead: impl FnOnce(W) -> L) -> ExitCode
where
    P: Protocol,
    W: Parameters,
    L: Lookahead<Turn = P::Turn>,
{
    let options = Searching::<W>::parse_from(line);
    if options.params {
        return match list_parameters::<W>() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                eprintln!("error: write standard output: {error}");
                ExitCode::FAILURE
            }
            _ => ExitCode::SUCCESS,
        };
    }
    let mut weights = W::default();
    for setting in &options.set {
        *(setting.parameter.slot)(&mut weights) = setting.value;
    }
    let limits = limits(
        options.depth,
        options.time_ms.map(Duration::from_millis),
        protocol.time_limit(),
    );
    run(
        protocol,
        &mut Search::new(
            lookahead(weights),
            limits,
            options.blunder,
            options.simple.seed,
        ),
    )
}

fn limits(depth: Option<u32>, time: Option<Duration>, allowed: Duration) -> Limits {
    match (depth, time) {
        // Stay well inside the limit even on a slow, busy machine.
        (None, None) => Limits {
            depth: DEFAULT_DEPTH,
            time: Some(allowed * 2 / 5),
        },
        (depth, time) => Limits {
            depth: depth.unwrap_or(DEFAULT_DEPTH),
            time,
        },
    }
}

fn list_parameters<W: Parameters>() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for Parameter {
        name,
        default,
        meaning,
        ..
    } in W::ALL
    {
        writeln!(stdout, "{name:<16} {default:>5}  {meaning}")?;
    }
    stdout.flush()
}
