//! The programs themselves: they play whole games without a fault, the same seed plays the same moves, and stronger
//! ones win.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use arena::games::{Fate, GameSpec, Opening, Options, dice_shogi, minishogi, onitama};
use arena::play::{Clock, Played, TimeRules, play};
use arena::process::{Bot, Interrupt, Launch};

/// Far more than any bot takes: this is not about time.
const CLOCK: Clock = Clock {
    first_turn: Duration::from_secs(20),
    turn: Duration::from_secs(20),
    startup: Duration::ZERO,
    rules: TimeRules::Strict,
    no_ponder: false,
};

const RANDOM: [&str; 1] = [env!("CARGO_BIN_EXE_minishogi-random")];
const GREEDY: [&str; 1] = [env!("CARGO_BIN_EXE_minishogi-greedy")];
const SEARCH: &str = env!("CARGO_BIN_EXE_minishogi-search");
const DICE_RANDOM: [&str; 1] = [env!("CARGO_BIN_EXE_dice-shogi-random")];
const DICE_GREEDY: [&str; 1] = [env!("CARGO_BIN_EXE_dice-shogi-greedy")];
const DICE_SEARCH: &str = env!("CARGO_BIN_EXE_dice-shogi-search");
const ONITAMA_RANDOM: [&str; 1] = [env!("CARGO_BIN_EXE_onitama-random")];
const ONITAMA_GREEDY: [&str; 1] = [env!("CARGO_BIN_EXE_onitama-greedy")];
const ONITAMA_SEARCH: &str = env!("CARGO_BIN_EXE_onitama-search");

/// One game; the seed is that of the game, and of both bots.
fn game(spec: &GameSpec, bots: [&[&str]; 2], seed: i64) -> Played {
    let interrupt = Arc::new(Interrupt::new().unwrap());
    let mut players = bots.map(|command| {
        let command: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let launch = Launch { name: command.join(" "), command, env: BTreeMap::new() };
        Bot::start(&launch, seed.cast_unsigned(), &interrupt).unwrap()
    });
    let mut game = (spec.start)(seed, &Options { opening: Opening::Plies(4), ..Options::default() }).unwrap();
    play(&mut *game, &mut players, CLOCK, false).unwrap()
}

/// The points of `bot` from two games each, with seats swapped, for some seeds. No game may have a fault.
fn points(spec: &GameSpec, bot: &[&str], opponent: &[&str], seeds: i64) -> i32 {
    let mut points = 0;
    for seed in 1..=seeds {
        for seat in [0, 1] {
            let bots = if seat == 0 { [bot, opponent] } else { [opponent, bot] };
            let played = game(spec, bots, seed);
            assert!(played.standings.iter().all(|standing| standing.fate == Fate::Ok), "{bots:?} {seed}: {played:?}");
            points += played.standings[seat].score;
        }
    }
    points
}

#[test]
fn bots_play_whole_games_and_beat_random() {
    for (bot, least) in [
        (&RANDOM[..], -8),
        (&GREEDY, 6),
        (&[SEARCH, "--depth", "1"], 6),
        (&[SEARCH, "--depth", "3"], 6),
        (&[SEARCH, "--time-ms", "5"], 6),
        (&[SEARCH, "--blunder", "100"], -8),
    ] {
        assert!(points(&minishogi::SPEC, bot, &RANDOM, 4) >= least, "{bot:?}");
    }
    for (bot, least) in [
        (&DICE_RANDOM[..], -8),
        (&DICE_GREEDY, 4),
        (&[DICE_SEARCH, "--depth", "1"], 4),
        (&[DICE_SEARCH, "--depth", "2"], 4),
        (&[DICE_SEARCH, "--time-ms", "5"], 4),
        (&[DICE_SEARCH, "--blunder", "100"], -8),
    ] {
        assert!(points(&dice_shogi::SPEC, bot, &DICE_RANDOM, 4) >= least, "{bot:?}");
    }
    // Who does not win gets nothing, so that 8 is all there is.
    for (bot, least) in [
        (&ONITAMA_RANDOM[..], 0),
        (&ONITAMA_GREEDY, 7),
        (&[ONITAMA_SEARCH, "--depth", "1"], 7),
        (&[ONITAMA_SEARCH, "--depth", "4"], 7),
        (&[ONITAMA_SEARCH, "--time-ms", "5"], 7),
        (&[ONITAMA_SEARCH, "--blunder", "100"], 0),
    ] {
        assert!(points(&onitama::SPEC, bot, &ONITAMA_RANDOM, 4) >= least, "{bot:?}");
    }
}

#[test]
fn looking_deeper_wins() {
    // Over many games they win by 13, 18 and 18 points. No clock is looked at, so the result is always the same.
    let (deep, shallow) = ([SEARCH, "--depth", "3"], [SEARCH, "--depth", "1"]);
    assert!(points(&minishogi::SPEC, &deep, &shallow, 10) >= 8);
    assert!(points(&minishogi::SPEC, &shallow, &GREEDY, 10) >= 12);
    let (deep, shallow) = ([DICE_SEARCH, "--depth", "2"], [DICE_SEARCH, "--depth", "1"]);
    assert!(points(&dice_shogi::SPEC, &deep, &shallow, 20) >= 8);
    let (deep, shallow) = ([ONITAMA_SEARCH, "--depth", "4"], [ONITAMA_SEARCH, "--depth", "1"]);
    // Of a hundred games they win 90 and 83.
    assert!(points(&onitama::SPEC, &deep, &shallow, 20) >= 30);
    assert!(points(&onitama::SPEC, &shallow, &ONITAMA_GREEDY, 20) >= 28);
}

#[test]
fn the_same_seed_plays_the_same_moves() {
    let outputs = |spec, bot: &[&str], seed| {
        let played = game(spec, [bot, bot], seed);
        played.steps.into_iter().map(|step| step.output).collect::<Vec<_>>()
    };
    for (spec, bot) in [
        (&minishogi::SPEC, &RANDOM[..]),
        (&minishogi::SPEC, &GREEDY),
        (&minishogi::SPEC, &[SEARCH, "--depth", "3", "--blunder", "30"]),
        (&dice_shogi::SPEC, &DICE_RANDOM),
        (&dice_shogi::SPEC, &DICE_GREEDY),
        (&dice_shogi::SPEC, &[DICE_SEARCH, "--depth", "2", "--blunder", "30"]),
        (&onitama::SPEC, &ONITAMA_RANDOM),
        (&onitama::SPEC, &ONITAMA_GREEDY),
        (&onitama::SPEC, &[ONITAMA_SEARCH, "--depth", "4", "--blunder", "10"]),
    ] {
        assert_eq!(outputs(spec, bot, 5), outputs(spec, bot, 5), "{bot:?}");
    }
    // The seed of the command line goes before that of the environment.
    let draws = |seed| outputs(&minishogi::SPEC, &[RANDOM[0], "--seed", seed], 5);
    assert_eq!(draws("7"), draws("7"));
    assert_ne!(draws("7"), draws("8"));
}

#[test]
fn python_starters_play_whole_games() {
    if Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: there is no python3 on this machine, so the Python starters were not tried");
        return;
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/python/");
    let [mini, dice, onitama] = ["minishogi", "dice_shogi", "onitama"].map(|game| format!("{folder}{game}.py"));
    assert!(points(&minishogi::SPEC, &["python3", &mini], &RANDOM, 2) >= 0);
    assert!(points(&dice_shogi::SPEC, &["python3", &dice], &DICE_RANDOM, 2) >= 0);
    assert!(points(&onitama::SPEC, &["python3", &onitama], &ONITAMA_RANDOM, 2) >= 3);
}
