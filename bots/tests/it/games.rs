//! The bots' programs play whole games without a fault, repeat their moves under the same seed, and
//! the stronger ones win.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use arena_games::kutulu::SEATS;
use sample_bots::samples;

use arena_games::{
    Fate, Fault, GameSpec, Opening, Standing, dice_shogi, kutulu, minishogi, onitama,
};

/// Far more time than any bot takes, because these tests aren't about time.
const LIMIT: Duration = Duration::from_secs(20);

const RANDOM: [&str; 1] = [env!("CARGO_BIN_EXE_minishogi-random")];
const GREEDY: [&str; 1] = [env!("CARGO_BIN_EXE_minishogi-greedy")];
const SEARCH: &str = env!("CARGO_BIN_EXE_minishogi-search");
const DICE_RANDOM: [&str; 1] = [env!("CARGO_BIN_EXE_dice-shogi-random")];
const DICE_GREEDY: [&str; 1] = [env!("CARGO_BIN_EXE_dice-shogi-greedy")];
const DICE_SEARCH: &str = env!("CARGO_BIN_EXE_dice-shogi-search");
const ONITAMA_RANDOM: [&str; 1] = [env!("CARGO_BIN_EXE_onitama-random")];
const ONITAMA_GREEDY: [&str; 1] = [env!("CARGO_BIN_EXE_onitama-greedy")];
const ONITAMA_SEARCH: &str = env!("CARGO_BIN_EXE_onitama-search");

const KUTULU_RANDOM: [&str; 1] = [env!("CARGO_BIN_EXE_kutulu-random")];
const KUTULU_GREEDY: [&str; 1] = [env!("CARGO_BIN_EXE_kutulu-greedy")];
const KUTULU_SEARCH: &str = env!("CARGO_BIN_EXE_kutulu-search");

/// A bot's process.
struct Bot {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Bot {
    fn start(command: &[&str], seed: i64) -> Bot {
        let mut bot = Command::new(command[0]);
        bot.args(&command[1..])
            .env("ARENA_SEED", seed.cast_unsigned().to_string());
        let mut child = bot
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            BufReader::new(stdout)
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        Bot {
            child,
            stdin,
            lines,
        }
    }

    fn ask(&mut self, prompt: &str) -> Result<String, Fault> {
        // A bot that has ended gives no answer.
        let _ = self.stdin.write_all(prompt.as_bytes());
        self.lines.recv_timeout(LIMIT).map_err(|error| match error {
            RecvTimeoutError::Timeout => Fault::Timeout,
            RecvTimeoutError::Disconnected => Fault::Crashed,
        })
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The result of a game.
#[derive(Debug)]
struct Played {
    answers: Vec<Result<String, Fault>>,
    standings: Vec<Standing>,
}

/// Plays one game. The game and all bots have the same seed.
fn game<const N: usize>(spec: &GameSpec, bots: [&[&str]; N], seed: i64) -> Played {
    let mut bots = bots.map(|command| Bot::start(command, seed));
    let opening = Opening::Plies(if spec.has_opening { 4 } else { 0 });
    let mut game = spec.start(seed, N, &opening).unwrap();
    let (mut answers, mut prompt) = (Vec::new(), String::new());
    while !game.due().is_empty() {
        let first_of_turn = answers.len();
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            answers.push(bots[seat].ask(&prompt));
        }
        let mut replies = [None; N];
        for (seat, answer) in game.due().iter().zip(&answers[first_of_turn..]) {
            replies[seat] = Some(answer.as_deref().map_err(|&fault| fault));
        }
        game.advance(&replies);
    }
    Played {
        answers,
        standings: game.standings().to_vec(),
    }
}

/// Returns the points of `bot` from two games per seed, with seats swapped. No game may have a
/// fault.
fn points(spec: &GameSpec, bot: &[&str], opponent: &[&str], seeds: i64) -> i64 {
    let mut points = 0;
    for seed in 1..=seeds {
        for seat in [0, 1] {
            let bots = if seat == 0 {
                [bot, opponent]
            } else {
                [opponent, bot]
            };
            let played = game(spec, bots, seed);
            assert!(
                played
                    .standings
                    .iter()
                    .all(|standing| standing.fate == Fate::Ok),
                "{bots:?} {seed}: {played:?}"
            );
            points += played.standings[seat].score;
        }
    }
    points
}

/// Returns the percentage of the others that `bot` outlived at tables of Code of Kutulu; a tie
/// counts half. Each table has two of either, in all seats in turn. No game may have a fault.
fn outlived(bot: &[&str], opponent: &[&str], seeds: i64) -> usize {
    let (mut halves, mut met) = (0, 0);
    for seed in 1..=seeds {
        for rotation in 0..SEATS {
            let is_bot = |seat: usize| (seat + rotation) % SEATS < 2;
            let bots =
                std::array::from_fn::<_, SEATS, _>(
                    |seat| if is_bot(seat) { bot } else { opponent },
                );
            let played = game(&kutulu::spec(), bots, seed);
            assert!(
                played
                    .standings
                    .iter()
                    .all(|standing| standing.fate == Fate::Ok),
                "{bots:?} {seed}: {played:?}"
            );
            let scores = |bot| (0..SEATS).filter(move |&seat| is_bot(seat) == bot);
            for (own, other) in
                scores(true).flat_map(|own| scores(false).map(move |other| (own, other)))
            {
                let score = |seat: usize| played.standings[seat].score;
                halves += score(own).cmp(&score(other)) as i32 + 1;
                met += 2;
            }
        }
    }
    usize::try_from(halves).unwrap() * 100 / met
}

#[test]
fn explorers_play_whole_games_and_outlive_random() {
    for (bot, least) in [
        (&KUTULU_RANDOM[..], 0),
        (&KUTULU_GREEDY, 65),
        (&[KUTULU_SEARCH, "--depth", "1"], 65),
        (&[KUTULU_SEARCH, "--depth", "2"], 65),
        (&[KUTULU_SEARCH, "--time-ms", "2"], 65),
        (&[KUTULU_SEARCH, "--blunder", "100"], 0),
    ] {
        assert!(outlived(bot, &KUTULU_RANDOM, 3) >= least, "{bot:?}");
    }
}

#[test]
fn random_explorers_do_everything() {
    let played = game(&kutulu::spec(), [&KUTULU_RANDOM[..]; SEATS], 1);
    let said = |word: &str| {
        played.answers.iter().any(|answer| {
            answer
                .as_ref()
                .is_ok_and(|line| line.split(' ').next() == Some(word))
        })
    };
    for word in ["WAIT", "MOVE", "PLAN", "LIGHT", "YELL"] {
        assert!(said(word), "{word}");
    }
}

#[test]
fn looking_deeper_lives_longer() {
    let (shallow, deep) = (
        [KUTULU_SEARCH, "--depth", "1"],
        [KUTULU_SEARCH, "--depth", "3"],
    );
    // The bots use no clock, so the result is always the same.
    assert!(outlived(&shallow, &KUTULU_GREEDY, 10) >= 57);
    assert!(outlived(&deep, &shallow, 6) >= 65);
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
        assert!(
            points(&minishogi::spec(), bot, &RANDOM, 4) >= least,
            "{bot:?}"
        );
    }
    for (bot, least) in [
        (&DICE_RANDOM[..], -8),
        (&DICE_GREEDY, 4),
        (&[DICE_SEARCH, "--depth", "1"], 4),
        (&[DICE_SEARCH, "--depth", "2"], 4),
        (&[DICE_SEARCH, "--time-ms", "5"], 4),
        (&[DICE_SEARCH, "--blunder", "100"], -8),
    ] {
        assert!(
            points(&dice_shogi::spec(), bot, &DICE_RANDOM, 4) >= least,
            "{bot:?}"
        );
    }
    // Only wins count, so 8 is the maximum.
    for (bot, least) in [
        (&ONITAMA_RANDOM[..], 0),
        (&ONITAMA_GREEDY, 7),
        (&[ONITAMA_SEARCH, "--depth", "1"], 7),
        (&[ONITAMA_SEARCH, "--depth", "4"], 7),
        (&[ONITAMA_SEARCH, "--time-ms", "5"], 7),
        (&[ONITAMA_SEARCH, "--blunder", "100"], 0),
    ] {
        assert!(
            points(&onitama::spec(), bot, &ONITAMA_RANDOM, 4) >= least,
            "{bot:?}"
        );
    }
}

#[test]
fn looking_deeper_wins() {
    // Over many games they win by 13, 18 and 18 points. They use no clock, so the result is always
    // the same.
    let (deep, shallow) = ([SEARCH, "--depth", "3"], [SEARCH, "--depth", "1"]);
    assert!(points(&minishogi::spec(), &deep, &shallow, 10) >= 8);
    assert!(points(&minishogi::spec(), &shallow, &GREEDY, 10) >= 12);
    let (deep, shallow) = ([DICE_SEARCH, "--depth", "2"], [DICE_SEARCH, "--depth", "1"]);
    assert!(points(&dice_shogi::spec(), &deep, &shallow, 20) >= 8);
    let (deep, shallow) = (
        [ONITAMA_SEARCH, "--depth", "4"],
        [ONITAMA_SEARCH, "--depth", "1"],
    );
    // They win 90 and 83 of a hundred games.
    assert!(points(&onitama::spec(), &deep, &shallow, 20) >= 30);
    assert!(points(&onitama::spec(), &shallow, &ONITAMA_GREEDY, 20) >= 28);
}

#[test]
fn the_same_seed_plays_the_same_moves() {
    let outputs = |spec: &GameSpec, bot: &[&str], seed| game(spec, [bot, bot], seed).answers;
    for (spec, bot) in [
        (&minishogi::spec(), &RANDOM[..]),
        (&minishogi::spec(), &GREEDY),
        (
            &minishogi::spec(),
            &[SEARCH, "--depth", "3", "--blunder", "30"],
        ),
        (&dice_shogi::spec(), &DICE_RANDOM),
        (&dice_shogi::spec(), &DICE_GREEDY),
        (
            &dice_shogi::spec(),
            &[DICE_SEARCH, "--depth", "2", "--blunder", "30"],
        ),
        (&onitama::spec(), &ONITAMA_RANDOM),
        (&onitama::spec(), &ONITAMA_GREEDY),
        (
            &onitama::spec(),
            &[ONITAMA_SEARCH, "--depth", "4", "--blunder", "10"],
        ),
    ] {
        assert_eq!(outputs(spec, bot, 5), outputs(spec, bot, 5), "{bot:?}");
    }
    for bot in [
        &KUTULU_RANDOM[..],
        &KUTULU_GREEDY,
        &[KUTULU_SEARCH, "--depth", "2", "--blunder", "10"],
    ] {
        let outputs = |seed| game(&kutulu::spec(), [bot; SEATS], seed).answers;
        assert_eq!(outputs(5), outputs(5), "{bot:?}");
    }
    // The seed of the command line takes precedence over that of the environment.
    let draws = |seed| outputs(&minishogi::spec(), &[RANDOM[0], "--seed", seed], 5);
    assert_eq!(draws("7"), draws("7"));
    assert_ne!(draws("7"), draws("8"));
}

/// If this fails and the answers are meant to change, raise `samples::VERSION` and accept the
/// snapshot.
#[test]
fn the_version_tells_of_other_answers() {
    let mut told = format!("version {}\n", samples::VERSION);
    for (spec, bot) in [
        (minishogi::spec(), &GREEDY[..]),
        (
            minishogi::spec(),
            &[SEARCH, "--depth", "2", "--blunder", "10"],
        ),
        (dice_shogi::spec(), &DICE_GREEDY),
        (
            dice_shogi::spec(),
            &[DICE_SEARCH, "--depth", "2", "--blunder", "10"],
        ),
        (onitama::spec(), &ONITAMA_GREEDY),
        (
            onitama::spec(),
            &[ONITAMA_SEARCH, "--depth", "2", "--blunder", "10"],
        ),
        (kutulu::spec(), &KUTULU_GREEDY),
        (
            kutulu::spec(),
            &[KUTULU_SEARCH, "--depth", "2", "--blunder", "10"],
        ),
    ] {
        let answers = if spec.seats.contains(&2) {
            game(&spec, [bot; 2], 1)
        } else {
            game(&spec, [bot; SEATS], 1)
        }
        .answers;
        let answers: Vec<String> = answers.into_iter().map(Result::unwrap).collect();
        writeln!(
            told,
            "{} {} {}",
            spec.id,
            bot[1..].join(" "),
            answers.join(", ")
        )
        .unwrap();
    }
    insta::assert_snapshot!(told);
}
