//! `arena duel`: a match without a config.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::{Args, value_parser};

use super::terms::{LimitArgs, SandboxArgs, known_game, one_of, time};
use super::{Failure, run};
use crate::config::{DEFAULT_ERROR, DEFAULT_MAX_UNITS, GamesPerPairing, Jobs, jobs};
use crate::languages::{Languages, find_start};
use crate::plan::{Plan, PlannedGame, SprtPlan};
use crate::play::{Clock, TimeRules};
use crate::process::Launch;
use crate::schedule::{Design, Format, Slice};
use crate::store::read_folder;
use crate::tournament::Session;
use arena_games::{Configured, GameSpec, Games, Options};
use arena_stats::sprt::{Hypotheses, Model};

/// Games per pairing where neither a number nor a test is given.
const DEFAULT_GAMES: u64 = 20_000;
/// Random first turns, in games that have openings: without them, bots without randomness repeat one game.
const OPENING_PLIES: u32 = 4;
/// The option that --maps sets.
const MAPS: &str = "maps";
/// A file name has at most 255 bytes; a bot's name stays well below.
const LONGEST_NAME: usize = 40;

/// Plays bots against each other, without a config
///
/// Of two bots, OLD and NEW, it says whether NEW is the stronger, and by how much: the Elo with both ends of its interval is
/// shown while the games go on. It ends after --games, when the test of --sprt is decided (exit status 0 accepted, 1
/// rejected, 4 inconclusive), after --for, or with Ctrl-C; without any of these after 20000 games. Where one of them fails in
/// most of the first 10 units there is no verdict (4). More bots than two play a round robin.
///
/// Every bot is one string, split as a shell would: arena duel onitama "./old --depth 3" "./new --depth 3". Variables of
/// its environment stand in front, as in "DEPTH=3 ./new". Bots play in the sandbox; the first four turns are drawn at random
/// in games that have openings.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(super) struct DuelArgs {
    /// The game, see `arena games`
    game: String,
    /// The commands of the bots; of two bots, OLD and then NEW
    #[arg(required = true, num_args = 2.., value_name = "BOT")]
    bots: Vec<String>,
    /// Games per pairing
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(GamesPerPairing::RANGE), conflicts_with = "sprt")]
    games: Option<u64>,
    /// Play until it is decided whether NEW is worth ELO1 or more, or ELO0 or less, as in 0,10 or -10,0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = bounds)]
    sprt: Option<[f64; 2]>,
    /// Start no more games after this time from the first game on, as in 20m or 1h30m; --resume goes on
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Games played at the same time [default: the cores]
    #[arg(long, short, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(Jobs::RANGE))]
    jobs: Option<u64>,
    /// The seed of the games
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,
    /// Random turns before the bots start, an even number [default: 4, or 0 in a game without openings]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(0..=100))]
    opening_plies: Option<u32>,
    #[command(flatten)]
    limits: LimitArgs,
    /// What happens to an answer after the limit, as in a config
    #[arg(long, value_name = "RULES", default_value_t, value_parser = one_of::<TimeRules>())]
    rules: TimeRules,
    /// Let bots think in the time of the others; they are paused otherwise
    #[arg(long)]
    ponder: bool,
    /// Code of Kutulu: a folder of maps to play on [default: the game's own]
    #[arg(long, value_name = "DIR")]
    maps: Option<String>,
    #[command(flatten)]
    sandbox: SandboxArgs,
    /// The run directory [default: results/duel-GAME-1, or the first number that is free]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run that the run directory --out holds
    #[arg(long, requires = "out")]
    resume: bool,
    /// Replace the run that the run directory --out holds
    #[arg(long, requires = "out", conflicts_with = "resume")]
    force: bool,
    /// Show only errors and the final tables
    #[arg(long, short)]
    quiet: bool,
}

/// Two hypotheses, as in `0,10`.
fn bounds(text: &str) -> Result<[f64; 2], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let bounds = numbers.and_then(|numbers| numbers.try_into().ok());
    bounds.ok_or_else(|| "expected two numbers with a comma, as in 0,10 or -10,0".to_owned())
}

pub(super) fn duel(args: &DuelArgs, games: &Games) -> Result<u8, Failure> {
    let (plan, session) = plan(args, games)?;
    run::play(&plan, &session, args.time, args.quiet)
}

fn plan(args: &DuelArgs, games: &Games) -> Result<(Plan, Session), Failure> {
    let spec = known_game(&args.game, games)?;
    let seats = spec.default_seats();
    let mut bots = bots(&args.bots, &args.sandbox.read)?;
    if let [_, _] = bots[..] {
        // The question is about the new one.
        bots.reverse();
    }
    let sprt = args.sprt.map(|bounds| sprt(bounds, bots.len())).transpose()?;
    let design = if sprt.is_some() || bots.len() < seats { Design::Mirror } else { Design::Rotations };
    let Configured { game: configured, warnings } = configured(args, spec)?;
    let game = PlannedGame {
        id: spec.id.clone(),
        clock: Clock { rules: args.rules, no_ponder: !args.ponder, ..args.limits.clock(spec) },
        opening_plies: opening_plies(args, spec)?,
        seats: spec.has_seat_choice().then_some(seats),
        options: configured.rules.options(),
        bots: bots.iter().map(|bot| bot.name.clone()).collect(),
        spec: Some(spec.clone()),
    };
    let out = args.out.clone().unwrap_or_else(|| free_folder(spec));
    let plan = Plan {
        name: out.file_name().map_or_else(|| "duel".to_owned(), |name| name.to_string_lossy().into_owned()),
        format: if sprt.is_some() { Format::Sprt } else { Format::RoundRobin },
        design: (seats > 2).then_some(design),
        seed: args.seed,
        games_per_pairing: sprt.as_ref().map_or(args.games.unwrap_or(DEFAULT_GAMES), SprtPlan::max_games),
        trace: false,
        sandbox: args.sandbox.sandbox,
        memory_mb: args.sandbox.memory_mb,
        sprt,
        sweep: None,
        languages: Languages::new(),
        games: vec![game],
        bots,
    };
    let session = Session {
        out,
        slice: Slice::WHOLE,
        existing: run::existing(args.resume, args.force),
        jobs: jobs(args.jobs),
        pin: true,
        builds: Vec::new(),
        warnings,
    };
    Ok((plan, session))
}

fn sprt([elo0, elo1]: [f64; 2], bots: usize) -> Result<SprtPlan, Failure> {
    if bots != 2 {
        return Err(Failure::usage(anyhow!("a sequential test is about two bots, OLD and NEW; {bots} are given")));
    }
    let hypotheses = Hypotheses::new(Model::default(), elo0, elo1, DEFAULT_ERROR, DEFAULT_ERROR);
    let hypotheses = hypotheses.map_err(|error| Failure::usage(anyhow!("--sprt: failed to {error}")))?;
    Ok(SprtPlan { hypotheses, max_units: DEFAULT_MAX_UNITS, check_units: 0 })
}

/// The game under the options that are given.
fn configured(args: &DuelArgs, spec: &GameSpec) -> Result<Configured, Failure> {
    if args.maps.is_some() && !spec.options.iter().any(|option| option.key == MAPS) {
        return Err(Failure::usage(anyhow!("--maps: {} is played without maps", spec.id)));
    }
    let options: Options = args.maps.iter().map(|folder| (MAPS.to_owned(), folder.as_str().into())).collect();
    spec.configured(&options, &read_folder).context("--maps").map_err(Failure::input)
}

fn opening_plies(args: &DuelArgs, spec: &GameSpec) -> Result<u32, Failure> {
    match args.opening_plies {
        None if spec.has_opening => Ok(OPENING_PLIES),
        None => Ok(0),
        Some(plies) if plies % 2 == 1 => Err(Failure::usage(anyhow!("--opening-plies: an even number is needed"))),
        Some(plies) if plies > 0 && !spec.has_opening => {
            Err(Failure::usage(anyhow!("--opening-plies: {} is played without openings", spec.id)))
        }
        Some(plies) => Ok(plies),
    }
}

/// The first folder that is not there.
fn free_folder(spec: &GameSpec) -> PathBuf {
    let folder = |number: u32| Path::new("results").join(format!("duel-{}-{number}", spec.id));
    (1..=u32::MAX).map(folder).find(|folder| !folder.exists()).unwrap_or_default()
}

/// The bots, named after their programs.
fn bots(lines: &[String], read: &[PathBuf]) -> Result<Vec<Launch>, Failure> {
    let mut commands = Vec::new();
    for line in lines {
        let wrong = || anyhow!("`{line}` is no command: a quote is open, or no program is there");
        let command = StartLine::parse(line).ok_or_else(wrong).map_err(Failure::usage)?;
        let found = find_start(&Languages::new(), &command.words);
        found.with_context(|| format!("start `{line}`")).map_err(Failure::input)?;
        commands.push(command);
    }
    let bots = names(&commands).into_iter().zip(commands).map(|(name, StartLine { env, words: command })| Launch {
        name,
        command,
        env: env.into_iter().collect(),
        read: read.to_vec(),
    });
    Ok(bots.collect())
}

/// How a bot is started, as a shell reads it: its environment stands in front of its program.
struct StartLine {
    env: Vec<(String, String)>,
    /// One word at least, which is not empty.
    words: Vec<String>,
}

impl StartLine {
    fn parse(line: &str) -> Option<StartLine> {
        let mut words = shlex::split(line)?;
        let variable = |word: &String| {
            let (name, value) = word.split_once('=')?;
            // A path with this sign in it is a program.
            (!name.is_empty() && !name.contains('/')).then(|| (name.to_owned(), value.to_owned()))
        };
        let env: Vec<(String, String)> = words.iter().map_while(variable).collect();
        words.drain(..env.len());
        words.first().is_some_and(|program| !program.is_empty()).then_some(StartLine { env, words })
    }
}

/// A name for each command: its program's, or that of the script which the program runs, with what tells it from others.
fn names(commands: &[StartLine]) -> Vec<String> {
    let plain: Vec<String> = commands.iter().map(|command| plain_name(&command.words)).collect();
    let with_arguments: Vec<String> = commands.iter().map(long_name).collect();
    let is_alone = |names: &[String], at: usize| names.iter().filter(|name| **name == names[at]).count() == 1;
    let mut names: Vec<String> = Vec::new();
    for at in 0..commands.len() {
        let best = [&plain, &with_arguments].into_iter().find(|names| is_alone(names, at)).unwrap_or(&plain);
        let numbered = (2_u32..).map(|number| format!("{}-{number}", best[at]));
        let free = std::iter::once(best[at].clone()).chain(numbered).find(|name| !names.contains(name));
        names.extend(free);
    }
    names
}

/// The file name of a program; of an interpreter, that of the script behind it.
fn plain_name(command: &[String]) -> String {
    let is_script = |word: &&String| !word.starts_with('-') && Path::new(word.as_str()).is_file();
    let file = command.iter().skip(1).find(is_script).unwrap_or(&command[0]);
    printable(&Path::new(file).file_stem().unwrap_or_default().to_string_lossy())
}

/// The file name of a program, its arguments, and its environment.
fn long_name(StartLine { env, words }: &StartLine) -> String {
    let file = Path::new(&words[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let env = env.iter().map(|(name, value)| format!("{name}={value}"));
    printable(&std::iter::once(file).chain(words[1..].iter().cloned()).chain(env).collect::<Vec<_>>().join(" "))
}

/// A name that stands in one cell of a table.
fn printable(name: &str) -> String {
    let clean: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    if clean.trim().is_empty() { "bot".to_owned() } else { clean.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_as_short_as_can_be() {
        let named = |lines: &[&str]| names(&lines.iter().filter_map(|line| StartLine::parse(line)).collect::<Vec<_>>());
        assert_eq!(named(&["./old", "target/new --depth 3"]), ["old", "new"]);
        assert_eq!(named(&["./bot --depth 2", "./bot --depth 3"]), ["bot --depth 2", "bot --depth 3"]);
        assert_eq!(named(&["./bot", "./bot", "x/bot"]), ["bot", "bot-2", "bot-3"]);
        assert_eq!(named(&["bot", "bot", "bot-2"]), ["bot", "bot-2", "bot-2-2"]);
        assert_eq!(named(&["D=1 ./bot", "D=2 ./bot"]), ["bot D=1", "bot D=2"]);
    }

    #[test]
    fn variables_stand_in_front_of_the_program() {
        let parsed = |line| StartLine::parse(line).map(|line| (line.env, line.words.join(" ")));
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let both = vec![variable("A", "x y"), variable("B", "")];
        assert_eq!(parsed("A='x y' B= ./bot C=3"), Some((both, "./bot C=3".to_owned())));
        assert_eq!(parsed("/a=b/bot -d 1"), Some((Vec::new(), "/a=b/bot -d 1".to_owned())));
        assert_eq!((parsed("A=1"), parsed("A=1 ''"), parsed("")), (None, None, None));
    }

    #[test]
    fn bounds_are_two_numbers() {
        assert_eq!(bounds("-10,0"), Ok([-10.0, 0.0]));
        assert_eq!(bounds("0, 2.5"), Ok([0.0, 2.5]));
        for wrong in ["", "10", "0,10,20", "a,b"] {
            assert!(bounds(wrong).is_err(), "{wrong}");
        }
    }
}
