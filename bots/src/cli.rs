//! The command lines of the bots.

use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::alpha_beta::AlphaBeta;
use crate::bot::{Bot, run};
use crate::evaluation::{PARAMETERS, Parameter, Weights};
use crate::expectimax::Expectimax;
use crate::greedy::Greedy;
use crate::protocol::Game;
use crate::random::Random;
use crate::search::{Limits, Search};

/// The time for a turn where neither depth nor time is given: well inside 100 ms on a slow and busy machine, too.
const DEFAULT_TIME: Duration = Duration::from_millis(40);

/// The depth where only the time is given: more than any time is enough for.
const DEFAULT_DEPTH: u32 = 64;

/// What a parameter can be set to: little enough for every sum of them to stay below `INFINITE`.
const PARAMETER_RANGE: RangeInclusive<i32> = -2000..=2000;

/// Plays one game over standard input and output.
#[derive(Debug, Parser)]
struct Simple {
    /// Draws random numbers from this seed: the same seed answers the same prompts with the same moves
    #[arg(long, value_name = "N", env = "ARENA_SEED", default_value_t = 0)]
    seed: u64,
}

/// Plays one game over standard input and output, looking ahead.
///
/// Looks ahead for 40 ms where neither depth nor time is given. With a depth alone no clock is looked at, and the
/// same depth and seed answer the same prompts with the same moves.
#[derive(Debug, Parser)]
struct Searching {
    #[command(flatten)]
    simple: Simple,
    /// Looks this many moves ahead at most, its own included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    /// Answers within about this many milliseconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    time_ms: Option<u64>,
    /// Sets a parameter of the evaluation; may be repeated, see --params
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = setting, allow_hyphen_values = true)]
    set: Vec<Setting>,
    /// Plays a random move in this many of a hundred turns
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    blunder: u32,
    /// Lists the parameters of the evaluation with their defaults, and plays nothing
    #[arg(long)]
    params: bool,
}

/// A parameter with a value.
#[derive(Clone, Debug)]
struct Setting {
    parameter: &'static Parameter,
    value: i32,
}

fn setting(text: &str) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE, such as pawn=120")?;
    let parameter = Parameter::find(name).map_err(|error| error.to_string())?;
    let value = value.parse().ok().filter(|value| PARAMETER_RANGE.contains(value));
    let value = value.ok_or_else(|| {
        format!("the value must be a whole number from {} to {}", PARAMETER_RANGE.start(), PARAMETER_RANGE.end())
    })?;
    Ok(Setting { parameter, value })
}

/// The program of a bot that plays anything.
#[must_use]
pub fn random(game: Game) -> ExitCode {
    run(game, &mut Random::new(Simple::parse().seed))
}

/// The program of a bot that takes what it can get.
#[must_use]
pub fn greedy(game: Game) -> ExitCode {
    run(game, &mut Greedy::new(game, Simple::parse().seed))
}

/// The program of a bot that looks ahead.
#[must_use]
pub fn search(game: Game) -> ExitCode {
    let options = Searching::parse();
    if options.params {
        list_parameters();
        return ExitCode::SUCCESS;
    }
    run(game, &mut *searcher(game, &options))
}

fn searcher(game: Game, options: &Searching) -> Box<dyn Bot> {
    let mut weights = Weights::default();
    for setting in &options.set {
        weights.set(setting.parameter, setting.value);
    }
    let limits = limits(options.depth, options.time_ms.map(Duration::from_millis));
    let (blunder, seed) = (options.blunder, options.simple.seed);
    match game {
        Game::MiniShogi => Box::new(Search::new(AlphaBeta::new(weights), limits, blunder, seed)),
        Game::DiceShogi => Box::new(Search::new(Expectimax::new(weights), limits, blunder, seed)),
    }
}

fn limits(depth: Option<u32>, time: Option<Duration>) -> Limits {
    match (depth, time) {
        (None, None) => Limits { depth: DEFAULT_DEPTH, time: Some(DEFAULT_TIME) },
        (depth, time) => Limits { depth: depth.unwrap_or(DEFAULT_DEPTH), time },
    }
}

fn list_parameters() {
    for Parameter { name, default, meaning, .. } in &PARAMETERS {
        println!("{name:<16} {default:>5}  {meaning}");
    }
}
