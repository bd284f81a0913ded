//! `arena duel`: a match without a config.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context, anyhow};
use clap::{Args, ValueHint, value_parser};

use super::bots::{BotLine, launches};
use super::contest::{NamedGame, named_game};
use super::run::{Stage, TakenOver};
use super::supervised::{Supervised, supervised};
use super::terms::{LimitArgs, SandboxArgs, ViewArgs, one_of, time};
use super::worker::ServerArgs;
use super::{Failure, completions, run};
use crate::config::{DEFAULT_ERROR, DEFAULT_MAX_UNITS, GamesPerPairing, Jobs, MaxUnits, jobs};
use crate::languages::Languages;
use crate::plan::{Plan, PlannedGame, SprtPlan};
use crate::play::{Clock, KeptStderr, TimeRules};
use crate::schedule::{Balance, BotSeeds, Design, Format, Slice};
use crate::store::{Existing, PlanFile, Program, StoredRun, There, inspect, is_in_use, read_folder, runs_in};
use crate::tournament::{Built, Session};
use arena_games::{Configured, GameSpec, Games, Options};
use arena_stats::sprt::{Hypotheses, Model};

/// Games per pairing where neither a number nor a test is given.
const DEFAULT_GAMES: u64 = 20_000;
/// Random first turns, in games that have openings: without them, bots without randomness repeat one game.
const OPENING_PLIES: u32 = 4;
/// Where run directories are made.
const RESULTS: &str = "results";
/// The option that --maps sets.
const MAPS: &str = "maps";

/// Plays bots against each other, without a config
///
/// Of two bots, OLD and NEW, it says whether NEW is the stronger, and by how much: the Elo with both ends of its interval is
/// shown while the games go on. It ends after --games, when the test of --sprt is decided (exit status 0 accepted, 1
/// rejected, 4 inconclusive), after --for, or with Ctrl-C; without any of these after 20000 games. Where one of them fails in
/// most of the first 10 units there is no verdict (4). More bots than two play a round robin. The same duel again plays other
/// games, in a new folder; a test that is not decided goes on.
///
/// Every bot is one string, split as a shell would: arena duel onitama "./old --depth 3" "./new --depth 3". NAME=COMMAND gives
/// it a name, as in deep="./new --depth 9"; otherwise it is called by what differs between the commands. Variables of its
/// environment stand in front of the program, as in "DEPTH=3 ./new" or deep="DEPTH=9 ./new". Bots play in the sandbox; the
/// first four turns are drawn at random in games that have openings.
#[derive(Debug, Args)]
pub(super) struct DuelArgs {
    /// The game, see `arena games`
    #[arg(add = completions::games())]
    game: String,
    /// The bots, each a command or NAME=COMMAND in quotes; of two bots, OLD and then NEW
    #[arg(required = true, num_args = 2.., value_name = "BOT", add = completions::named_files())]
    bots: Vec<String>,
    /// Games per pairing
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(GamesPerPairing::RANGE), conflicts_with = "sprt")]
    games: Option<u64>,
    /// Play until it is decided whether NEW is worth ELO1 or more, or ELO0 or less, as in 0,10 or -10,0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = bounds)]
    sprt: Option<[f64; 2]>,
    /// Of --sprt: the chance that a bot worth ELO0 is accepted
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR, requires = "sprt")]
    alpha: f64,
    /// Of --sprt: the chance that a bot worth ELO1 is rejected
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR, requires = "sprt")]
    beta: f64,
    /// Of --sprt: the Elo of its bounds
    #[arg(long, value_name = "MODEL", default_value_t, value_parser = one_of::<Model>(), requires = "sprt")]
    model: Model,
    /// Of --sprt: the most units, two games each; then it is inconclusive
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_UNITS, value_parser = value_parser!(u64).range(MaxUnits::RANGE), requires = "sprt")]
    max_units: u64,
    /// Of --sprt: decide by the likelihood ratio alone, as fishtest does; clear cases end early otherwise
    #[arg(long, requires = "sprt")]
    no_early: bool,
    /// Start no more games after this time from the first game on, as in 20m or 1h30m; --resume goes on
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Games played at the same time [default: the cores]
    #[arg(long, short, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(Jobs::RANGE))]
    jobs: Option<u64>,
    /// Have the games played by the workers at this NATS server, see `arena worker` [default: here]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    workers: Option<String>,
    /// The seed of the games [default: follows from the bots, and is another for every duel of the same]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
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
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    maps: Option<String>,
    /// Keep what bots tell of themselves on standard error, as in eval=0.3 depth=7 (docs/metrics.md)
    #[arg(long)]
    metrics: bool,
    /// What to keep of standard error: its end of bots that fail, or what comes with every turn, and metrics
    #[arg(long, value_name = "WHEN", default_value_t, value_parser = one_of::<KeptStderr>())]
    stderr: KeptStderr,
    #[command(flatten)]
    sandbox: SandboxArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    view: ViewArgs,
}

/// Where the games go.
#[derive(Debug, Args)]
struct FolderArgs {
    /// The run directory [default: results/duel-GAME-1, or the first number that is free]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Go on with the run that the run directory --out holds, or extend it by more games than it had
    #[arg(long, requires = "out")]
    resume: bool,
    /// Replace the run that the run directory --out holds
    #[arg(long, requires = "out", conflicts_with = "resume")]
    force: bool,
    /// Play the games of the first duel of these bots again, with the same seeds
    #[arg(long, conflicts_with_all = ["seed", "resume"])]
    again: bool,
}

/// Two hypotheses, as in `0,10`.
fn bounds(text: &str) -> Result<[f64; 2], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let bounds = numbers.and_then(|numbers| numbers.try_into().ok());
    bounds.ok_or_else(|| "expected two numbers with a comma, as in 0,10 or -10,0".to_owned())
}

pub(super) fn duel(args: &DuelArgs, games: &Games) -> Result<u8, Failure> {
    let (mut plan, mut session) = plan(args, games)?;
    supervised(session.sandbox(&plan), plan.memory_mb, |supervised| {
        let Some(out) = &args.folder.out else { return in_new_folder(args, &plan, session, supervised) };
        plan.name = name_of(out);
        session.out.clone_from(out);
        let goes_on = match run::take_over(&mut plan, &session)? {
            TakenOver::Finished(why) => return run::tell_finished(&session, &why, games, args.view.times.times),
            TakenOver::Begun(goes_on) => goes_on,
        };
        let mut stage = Stage::new(supervised, args.time, &args.view, &args.server)?;
        let mut built = stage.build(&plan, &session)?;
        if !session.seed_is_given && !goes_on {
            let beside = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            settle_seed(&mut built, args, &runs_in(beside).0, 0);
        }
        stage.play(built, &session)
    })
}

/// Plays in the first folder that is free, or goes on with a test of the same bots that is not decided.
fn in_new_folder(args: &DuelArgs, plan: &Plan, mut session: Session, supervised: &Supervised) -> Result<u8, Failure> {
    let mut stage = Stage::new(supervised, args.time, &args.view, &args.server)?;
    let mut built = stage.build(plan, &session)?;
    let (runs, _) = runs_in(Path::new(RESULTS));
    if let Some((folder, begun)) = undecided(args, &built.plan, &built.programs, &runs) {
        let advice = format!("goes on with {}, which is not decided; --again plays anew", folder.display());
        session.warnings.push(advice);
        built.plan = begun;
        (session.out, session.existing) = (folder.clone(), Existing::Resume);
        return stage.play(built, &session);
    }
    let longer = with_more_units(&built.plan);
    if let Some((folder, _)) = undecided(args, &longer, &built.programs, &runs) {
        let ended = format!(
            "{} is the same test, which ended undecided after the most units that it may take",
            folder.display()
        );
        session
            .warnings
            .push(format!("{ended}; a larger --max-units goes on with it, while this plays anew on other seeds"));
    }
    let (number, folder) = claimed_folder(&plan.games[0].id)?;
    if !session.seed_is_given {
        // Duels that begin together have read the same runs, and folders with different numbers.
        settle_seed(&mut built, args, &runs, number - 1);
    }
    session.out = folder;
    built.plan.name = name_of(&session.out);
    let ended = stage.play(built, &session);
    // Goes only where it is empty, because no run began.
    let _ = fs::remove_dir(&session.out);
    ended
}

fn name_of(folder: &Path) -> String {
    folder.file_name().map_or_else(|| "duel".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Chooses a seed of these bots that none of the runs has, from that of a `turn` on; or, to play again, that of the first
/// of their runs.
fn settle_seed(built: &mut Built, args: &DuelArgs, runs: &[StoredRun], turn: usize) {
    let mut seeds = runs.iter().map(|run| run.plan.plan.seed);
    if !args.folder.again {
        return built.settle_seed(turn, &seeds.collect::<Vec<_>>());
    }
    let of_bots: Vec<u64> = built.seeds().take(turn + runs.len() + 1).collect();
    built.plan.seed = seeds.find(|seed| of_bots.contains(seed)).unwrap_or(of_bots[0]);
}

/// The last run of the same test with the same programs, if it has not come to its end, and the plan with which it goes on.
fn undecided<'r>(
    args: &DuelArgs,
    plan: &Plan,
    programs: &[Program],
    runs: &'r [StoredRun],
) -> Option<(&'r PathBuf, Plan)> {
    if plan.sprt.is_none() || args.folder.again || args.seed.is_some() {
        return None;
    }
    runs.iter().rev().find_map(|StoredRun { path, plan: begun, .. }| {
        let plan = PlanFile::new(plan.as_begun(&begun.plan), Slice::WHOLE);
        let plan = PlanFile { program: programs.to_vec(), ..plan };
        let goes_on = !is_in_use(path) && matches!(inspect(path, &plan, Existing::Resume), Ok(There::Unfinished(_)));
        goes_on.then_some((path, plan.plan))
    })
}

/// The same, of a test with one more unit.
fn with_more_units(plan: &Plan) -> Plan {
    let mut longer = plan.clone();
    if let Some(test) = &mut longer.sprt {
        test.max_units += 1;
        longer.games_per_pairing = test.max_games();
    }
    longer
}

/// What is played, as yet without a name, and without a folder if none was chosen.
fn plan(args: &DuelArgs, games: &Games) -> Result<(Plan, Session), Failure> {
    let NamedGame { spec, referee } = &named_game(&args.game, games)?;
    let seats = spec.default_seats();
    let lines = args.bots.iter().map(|line| BotLine::split(line)).collect::<Result<_, _>>()?;
    let mut bots = launches(lines, &args.sandbox.read)?;
    if let [_, _] = bots[..] {
        // The question is about the new one.
        bots.reverse();
    }
    let sprt = args.sprt.map(|bounds| sprt(args, bounds, bots.len())).transpose()?;
    let design = if sprt.is_some() || bots.len() < seats { Design::Mirror } else { Design::Rotations };
    let Configured { game: configured, warnings } = configured(args, spec)?;
    let game = PlannedGame {
        id: spec.id.clone(),
        clock: Clock { rules: args.rules, no_ponder: !args.ponder, ..args.limits.clock(spec) },
        opening_plies: opening_plies(args, spec)?,
        seats: spec.has_seat_choice().then_some(seats),
        options: configured.rules.options(),
        bots: bots.iter().map(|bot| bot.name.clone()).collect(),
        referee: referee.clone(),
        spec: Some(spec.clone()),
    };
    let games_per_pairing = sprt.as_ref().map_or(args.games.unwrap_or(DEFAULT_GAMES), SprtPlan::max_games);
    let plan = Plan {
        name: String::new(),
        format: if sprt.is_some() { Format::Sprt } else { Format::RoundRobin },
        design: (seats > 2).then_some(design),
        seed: args.seed.unwrap_or_default(),
        games_per_pairing,
        balance: Balance::Exact,
        trace: false,
        metrics: args.metrics || args.stderr == KeptStderr::Turn,
        stderr: args.stderr,
        sandbox: args.sandbox.sandbox,
        memory_mb: args.sandbox.memory_mb,
        sprt,
        sweep: None,
        tune: None,
        joined: BTreeMap::new(),
        bot_seeds: BotSeeds::Hashed,
        languages: Languages::new(),
        games: vec![game],
        bots,
    };
    let plan = plan.with_games(games_per_pairing);
    let session = Session {
        out: args.folder.out.clone().unwrap_or_default(),
        slice: Slice::WHOLE,
        existing: run::existing(args.folder.resume, args.folder.force),
        jobs: jobs(args.jobs),
        workers: args.workers.clone(),
        pin: true,
        seed_is_given: args.seed.is_some(),
        scale_limits: false,
        built_by_workers: BTreeSet::new(),
        builds: Vec::new(),
        warnings,
    };
    Ok((plan, session))
}

fn sprt(args: &DuelArgs, [elo0, elo1]: [f64; 2], bots: usize) -> Result<SprtPlan, Failure> {
    if bots != 2 {
        return Err(Failure::usage(anyhow!("a sequential test is about two bots, OLD and NEW; {bots} are given")));
    }
    let hypotheses = Hypotheses::new(args.model, elo0, elo1, args.alpha, args.beta);
    let hypotheses = hypotheses.map_err(|error| Failure::usage(anyhow!("--sprt: failed to {error}")))?;
    Ok(SprtPlan { hypotheses, early: !args.no_early, max_units: args.max_units, check_units: 0 })
}

/// The game under the options that are given.
fn configured(args: &DuelArgs, spec: &GameSpec) -> Result<Configured, Failure> {
    if args.maps.is_some() && !spec.options.iter().any(|option| option.key == MAPS) {
        return Err(Failure::usage(anyhow!("--maps: {} is played without maps", spec.id)));
    }
    let options: Options = args.maps.iter().map(|folder| (MAPS.to_owned(), folder.as_str().into())).collect();
    spec.chosen(&options, &read_folder).context("--maps").map_err(Failure::input)
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

/// The first folder that is not there, and its number. It is made at once: of two duels that begin together, the other takes
/// the next.
fn claimed_folder(game: &str) -> Result<(usize, PathBuf), Failure> {
    let results = Path::new(RESULTS);
    let failed = |error: io::Error, folder: &Path| Failure::input(anyhow!("{}: {error}; see --out", folder.display()));
    fs::create_dir_all(results).map_err(|error| failed(error, results))?;
    let mut number = 1;
    loop {
        let folder = results.join(format!("duel-{game}-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok((number, folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(failed(error, &folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_two_numbers() {
        assert_eq!(bounds("-10,0"), Ok([-10.0, 0.0]));
        assert_eq!(bounds("0, 2.5"), Ok([0.0, 2.5]));
        for wrong in ["", "10", "0,10,20", "a,b"] {
            assert!(bounds(wrong).is_err(), "{wrong}");
        }
    }
}
