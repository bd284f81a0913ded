//! Results of several runs are a union of plays: each counts once, and a seed is what is independent. Whatever shows two bots shows
//! the same numbers.

#![expect(clippy::cast_precision_loss, reason = "numbers in tests are small")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use arena_section::words::{decimals, interval, signed};
use arena_stats::anytime::times_as_wide;
use arena_stats::estimate::Estimate;
use arena_stats::ratings::{self, Comparison, Settings, Unit};
use arena_stats::scores::UnitScores;

use crate::duel::UNHURRIED;
use crate::programs::{arena, command, is_long, said, stderr, stdout, summary};

const POOLED: &str = "several runs of the same two bots are rated together, and you may add runs until you like the result";
const MORE: &str =
    "several runs are rated together, and you may add runs until you like the result";

/// A bot whose answer is a number below `of`, drawn from the seed, the seat and SALT, and `more`.
fn drawn(more: u32, of: u32) -> String {
    format!(
        "while read n; do read p; echo $(((n * $((7919 + {more} * 104)) + p * 31 + ${{SALT:-0}} * 577 + {more} * 13) % {of} + {more})); done"
    )
}

/// Writes NAME.toml: a game of so many seats, its bots as scripts or as a file of the shell,
/// and more keys of `[run]`, with the tables that follow.
fn write(folder: &Path, name: &str, seats: usize, rest: &str, bots: &[(&str, &str)]) {
    let referee = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/coins.py");
    let kind = if name == "coins" { "coins" } else { "scores" };
    let mut config =
        format!("[run]\nname = {name:?}\ngame = \"task\"\nstart_anyway = true\n{rest}\n");
    let _ = writeln!(
        config,
        "[game.task]\nreferee = [\"python3\", {referee:?}, \"{kind}\"]\nseats = {seats}"
    );
    for (bot, script) in bots {
        let words = if *script == "bot.sh" {
            format!("{script:?}")
        } else {
            format!("\"-c\", {script:?}")
        };
        let _ = writeln!(
            config,
            "[[bot]]\nname = {bot:?}\ncommand = [\"sh\", {words}]"
        );
    }
    fs::write(folder.join(format!("{name}.toml")), config).unwrap();
}

/// Plays NAME.toml into a folder. SALT stands for the randomness of a run.
fn play(folder: &Path, name: &str, out: &str, salt: u32, flags: &[&str]) -> Output {
    let config = format!("{name}.toml");
    let args = [
        &["run", &config, "--quiet", "--out", out],
        flags,
        &UNHURRIED,
    ]
    .concat();
    let mut arena = command(folder, &args);
    arena.env("SALT", salt.to_string()).output().unwrap()
}

fn plays(folder: &Path, name: &str, out: &str, salt: u32, flags: &[&str]) {
    let played = play(folder, name, out, salt, flags);
    // Some decide nothing.
    let code = played.status.code();
    assert!(matches!(code, Some(0 | 4)), "{out}: {}", said(&played));
}

/// Plays a game of the program.
fn duel(folder: &Path, game: &str, bots: [&str; 2], out: &str, flags: &[&str]) -> Output {
    let args = ["duel", game, bots[0], bots[1], "--out", out, "--quiet"];
    arena(folder, &[&args[..], flags, &UNHURRIED].concat())
}

/// Plays 24 games of bots that take the first and the last of all legal actions: all units are one.
fn play_repeats(folder: &Path, out: &str, seed: &str) {
    let first = include_str!("../programs/smallest.sh");
    fs::write(folder.join("first.sh"), first).unwrap();
    fs::write(folder.join("last.sh"), first.replace("\\<", "\\>")).unwrap();
    let flags = ["--games", "24", "--opening-plies", "0", "--seed", seed];
    let played = duel(folder, "minishogi", ["first.sh", "last.sh"], out, &flags);
    assert_eq!(played.status.code(), Some(4), "{}", said(&played));
}

fn copy(folder: &Path, from: &str, to: &str) {
    fs::create_dir(folder.join(to)).unwrap();
    for file in fs::read_dir(folder.join(from)).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.join(to).join(file.file_name())).unwrap();
    }
}

/// What a command prints as JSON, whatever its status is.
fn shown(folder: &Path, args: &[&str]) -> Value {
    let output = arena(folder, &[args, &["--json"]].concat());
    let found = serde_json::from_slice(&output.stdout);
    found.unwrap_or_else(|_| panic!("{args:?}: {}", said(&output)))
}

fn rate(folder: &Path, files: &[&str]) -> Value {
    shown(folder, &[&["rate"], files].concat())
}

fn notes(rated: &Value) -> BTreeSet<&str> {
    let notes = rated["notes"].as_array().unwrap().iter();
    notes.map(|note| note.as_str().unwrap()).collect()
}

fn names(rated: &Value) -> BTreeSet<&str> {
    let bots = rated["games"][0]["bots"].as_array().unwrap().iter();
    bots.map(|bot| bot["name"].as_str().unwrap()).collect()
}

/// The rows of a table of a run, by column.
fn rows(folder: &Path, run: &str, file: &str) -> Vec<BTreeMap<String, String>> {
    let mut table = csv::Reader::from_path(folder.join(run).join(file)).unwrap();
    table.deserialize().map(Result::unwrap).collect()
}

fn same(what: &str, found: Option<f64>, expected: Option<f64>, error: f64) {
    let is_same = match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= error,
        _ => found == expected,
    };
    assert!(is_same, "{what}: {found:?} instead of {expected:?}");
}

// Tests

/// The numbers of a test, as each command and file has them, are those of its summary.
fn check_test(folder: &Path, run: &str, answer: &str) {
    let found = summary(&folder.join(run));
    let estimate = &found["sprt"]["estimate"];
    let keys = ["elo", "lo95", "hi95", "los"];
    let [elo, lo, hi, los] = keys.map(|key| estimate[key].as_f64());
    let [one, other] = ["candidate", "opponent"].map(|side| found["sprt"][side].as_str().unwrap());
    let pairing = &found["games"][0]["pairings"][0];
    assert_eq!(pairing["first"], one, "{run}");
    for (what, by) in [
        ("pairing", &pairing["elo"]),
        (
            "elo",
            &shown(folder, &["elo", run, "--between", one, other]),
        ),
        ("sprt", &shown(folder, &["sprt", run])["estimate"]),
    ] {
        let found = keys.map(|key| by[key].as_f64());
        assert_eq!(by["interval"], "test", "{run}, {what}");
        for (found, expected) in found.into_iter().zip([elo, lo, hi, los]) {
            same(&format!("{run}, {what}"), found, expected, 1e-9);
        }
    }
    // Each of the two has half of the difference.
    let rated = rate(folder, &[run]);
    assert_eq!(
        (&rated["games"][0]["interval"], &rated["notes"]),
        (&json!("test"), &json!([]))
    );
    for bots in [&rated["games"][0]["bots"], &found["games"][0]["bots"]] {
        let bot = bots
            .as_array()
            .unwrap()
            .iter()
            .find(|bot| bot["name"] == one);
        for (key, expected) in keys.into_iter().zip([elo, lo, hi]) {
            let half = bot.unwrap()[key].as_f64().map(|value| 2.0 * value);
            same(&format!("{run}, {key} of a bot"), half, expected, 1e-6);
        }
    }
    for (file, times) in [("pairings.csv", 1.0), ("ratings.csv", 2.0)] {
        let rows = rows(folder, run, file);
        let row = rows
            .iter()
            .find(|row| row.get("bot").is_none_or(|bot| bot == one))
            .unwrap();
        assert_eq!(row["interval"], "test");
        for (key, expected) in keys.into_iter().zip([elo, lo, hi]) {
            let value = row[key].parse::<f64>().ok().map(|value| times * value);
            same(&format!("{run}, {key} in {file}"), value, expected, 2e-4);
        }
    }
    let [Some(elo), Some(lo), Some(hi)] = [elo, lo, hi] else {
        panic!("{run}: {answer}{estimate}");
    };
    check_words(folder, run, answer, &[one, other], [elo, lo, hi]);
}

/// Answers and reports show these numbers of two bots.
fn check_words(folder: &Path, run: &str, answer: &str, bots: &[&str], [elo, lo, hi]: [f64; 3]) {
    let places = decimals((hi - lo) / 2.0);
    let [elo, ends] = [signed(elo, places), interval([lo, hi], places)];
    let words = format!("{elo} {ends} Elo (90.0% interval of the test)");
    let escaped = words.replace('[', "\\[").replace(']', "\\]");
    let text = |args: &[&str]| stdout(&arena(folder, args));
    for (what, text, words) in [
        ("the answer", answer.to_owned(), &words),
        ("sprt", text(&["sprt", run]), &words),
        (
            "elo",
            text(&[&["elo", run, "--between"], bots].concat()),
            &ends,
        ),
        (
            "Markdown",
            text(&["report", run, "--markdown", "-"]),
            &escaped,
        ),
        ("JUnit", text(&["report", run, "--junit", "-"]), &words),
    ] {
        assert!(text.contains(words), "{run}, {what}: {words} in\n{text}");
    }
}

#[test]
fn after_a_test_everything_shows_its_interval() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [low, high, higher] = [0, 2, 17].map(|more| drawn(more, 100));
    for (end, bots, most, code) in [
        ("accepted", [("new", &*higher), ("old", &*low)], 200, 0),
        ("rejected", [("new", &*low), ("old", &*higher)], 200, 1),
        ("max_units", [("new", &*high), ("old", &*low)], 24, 4),
    ] {
        for seats in 1..=4 {
            let run = format!("{end}-{seats}");
            let sprt = format!(
                "format = \"sprt\"\nseed = 1\n[sprt]\nelo0 = 0\nelo1 = 60\nmax_units = {most}\nearly = false"
            );
            write(folder, &run, seats, &sprt, &bots);
            let played = play(folder, &run, &run, 1, &[]);
            assert_eq!(played.status.code(), Some(code), "{run}: {}", said(&played));
            check_test(folder, &run, &stdout(&played));
        }
    }
    let kutulu = [50, 30]
        .map(|blunder| format!("{blunder}=arena bot kutulu-search --depth 1 --blunder {blunder}"));
    let kutulu = kutulu.each_ref().map(|bot| &**bot);
    let played = duel(
        folder,
        "kutulu",
        kutulu,
        "kutulu",
        &["--sprt=0,60,early=false", "--seed", "1"],
    );
    check_test(folder, "kutulu", &stdout(&played));
}

// What counts

/// The 95% intervals of ratings, by bot, that hold at every look, with all plays on a seed as one observation.
fn by_seed(folder: &Path, runs: &[&str]) -> BTreeMap<String, [Option<f64>; 2]> {
    let mut plays: Vec<_> = runs
        .iter()
        .flat_map(|run| rows(folder, run, "games.csv"))
        .collect();
    // A row has the times of its game.
    plays.sort_unstable();
    plays.dedup();
    let bots: BTreeSet<&String> = plays.iter().map(|row| &row["p1_bot"]).collect();
    let bots: Vec<&String> = bots.into_iter().collect();
    let mut seeds: BTreeMap<&str, Vec<Comparison>> = BTreeMap::new();
    for row in &plays {
        let bot = |seat| bots.binary_search(&&row[seat]).unwrap();
        let score = |seat| row[seat].parse::<i32>().unwrap();
        seeds.entry(&row["seed"]).or_default().push(Comparison {
            first: bot("p1_bot"),
            second: bot("p2_bot"),
            outcome: score("p1_score").cmp(&score("p2_score")),
        });
    }
    let ends: Vec<[f64; 2]> = if bots.len() == 2 {
        let mean = |games: &Vec<Comparison>| {
            let points = games.iter().map(|game| {
                let points = f64::from(ratings::half_points(game.outcome)) / 2.0;
                if game.first == 0 {
                    points
                } else {
                    1.0 - points
                }
            });
            (points.sum::<f64>() / games.len() as f64, 1)
        };
        let scores = UnitScores::from_values(seeds.values().map(mean)).unwrap();
        let by = Estimate::at_every_look(&scores, 2, scores.units()).unwrap();
        vec![
            [by.lo95 / 2.0, by.hi95 / 2.0],
            [-by.hi95 / 2.0, -by.lo95 / 2.0],
        ]
    } else {
        let units = seeds.into_values().map(|comparisons| Unit {
            comparisons,
            weight: 1,
        });
        let units: Vec<Unit> = units.collect();
        let rated = ratings::rate(bots.len(), &units, &Settings::new(2)).unwrap();
        let fewest = rated.bots.iter().map(|bot| bot.units).min().unwrap();
        let ends = rated.bots.iter().map(|bot| {
            let error = times_as_wide(fewest) * bot.error95.unwrap();
            [bot.elo - error, bot.elo + error]
        });
        ends.collect()
    };
    let ends = ends
        .into_iter()
        .map(|ends| ends.map(|end| Some(end).filter(|end| end.is_finite())));
    bots.into_iter().cloned().zip(ends).collect()
}

/// The intervals of ratings, by bot.
fn intervals(rated: &Value) -> BTreeMap<String, [Option<f64>; 2]> {
    let bots = rated["games"][0]["bots"].as_array().unwrap().iter();
    let ends = bots.map(|bot| {
        let ends = ["lo95", "hi95"].map(|end| bot[end].as_f64());
        (bot["name"].as_str().unwrap().to_owned(), ends)
    });
    ends.collect()
}

fn check_intervals(folder: &Path, runs: &[&str], rated: &Value) {
    let (found, expected) = (intervals(rated), by_seed(folder, runs));
    assert!(found.keys().eq(expected.keys()), "{runs:?}");
    for (bot, ends) in found {
        for (end, expected) in ends.into_iter().zip(expected[&bot]) {
            same(&format!("{runs:?}, {bot}"), end, expected, 1e-6);
        }
    }
}

/// Runs of 24 games, 12 of them in `half`. `whole` and `apart` are two ways to go on with `half`, `copy` is one of `first`, `again` and
/// `anew` play its seeds again, with the same answers and with others, and `other` plays other seeds. So do those of three bots.
fn all_runs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let bots = [0, 2, 3].map(|more| drawn(more, 60));
    let bots = [("a", &*bots[0]), ("b", &*bots[1]), ("c", &*bots[2])];
    write(path, "two", 2, "format = \"round-robin\"", &bots[..2]);
    write(path, "three", 2, "format = \"round-robin\"", &bots);
    write(path, "others", 2, "format = \"round-robin\"", &bots[1..]);
    for (name, run, salt, seed) in [
        ("two", "half", 1, "1"),
        ("two", "first", 3, "1"),
        ("two", "again", 3, "1"),
        ("two", "anew", 4, "1"),
        ("two", "other", 5, "2"),
        ("others", "bc", 5, "3"),
        ("three", "first-3", 1, "1"),
        ("three", "anew-3", 2, "1"),
        ("three", "other-3", 3, "2"),
    ] {
        let games = if run == "half" { "12" } else { "24" };
        plays(path, name, run, salt, &["--games", games, "--seed", seed]);
    }
    for (from, to) in [
        ("half", "whole"),
        ("half", "apart"),
        ("first", "copy"),
        ("first-3", "copy-3"),
    ] {
        copy(path, from, to);
    }
    for (run, salt) in [("whole", 1), ("apart", 2)] {
        plays(
            path,
            "two",
            run,
            salt,
            &["--seed", "1", "--games", "24", "--resume"],
        );
    }
    folder
}

/// Runs, whose union has so many games and units, on so many seeds if they share some, with so many games that count once.
type Counted<'a> = (&'a [&'a str], [u64; 2], Option<u64>, u64, &'a [&'a str]);

const UNIONS: &[Counted] = &[
    (&["first", "other"], [48, 24], None, 0, &[POOLED]),
    (&["first", "bc"], [48, 24], None, 0, &[MORE]),
    (&["first-3", "other-3"], [144, 72], None, 0, &[MORE]),
    (
        &["first", "copy", "other"],
        [48, 24],
        None,
        24,
        &[
            POOLED,
            "copy: all its 24 games have the same records as in first, and count once",
        ],
    ),
    (
        &["first", "anew"],
        [48, 24],
        Some(12),
        0,
        &[
            POOLED,
            "first and anew share 12 seeds: games on one seed share its luck, so intervals are those of 12 seeds, not of 24 units",
        ],
    ),
    (
        &["first", "again"],
        [48, 24],
        Some(12),
        0,
        &[
            POOLED,
            "first and again share 12 seeds: games on one seed share its luck, so intervals are those of 12 seeds, not of 24 units",
        ],
    ),
    (
        &["first-3", "anew-3"],
        [144, 72],
        Some(36),
        0,
        &[
            MORE,
            "first-3 and anew-3 share 36 seeds: games on one seed share its luck, so intervals are those of 36 seeds, not of 72 units",
        ],
    ),
    (
        &["whole", "apart"],
        [36, 18],
        Some(12),
        12,
        &[
            POOLED,
            "stopped, extended, or ended by its results: whole and apart",
            "whole and apart share 6 seeds: games on one seed share its luck, so intervals are those of 12 seeds, not of 18 units",
            "apart: 12 of its 24 games have the same records as in whole, and count once",
        ],
    ),
];

#[test]
fn a_play_counts_once_and_a_seed_is_one_observation() {
    let folder = all_runs();
    let folder = folder.path();
    for (files, counts, seeds, copies, expected) in UNIONS {
        let rated = rate(folder, files);
        let game = &rated["games"][0];
        let found = ["games", "units"].map(|key| game[key].as_u64().unwrap());
        assert_eq!(
            (found, game["shared_seeds"].as_u64()),
            (*counts, *seeds),
            "{files:?}"
        );
        assert_eq!(
            (&rated["copies"], &game["interval"]),
            (&json!(copies), &json!("every_look")),
            "{files:?}"
        );
        assert_eq!(
            notes(&rated),
            expected.iter().copied().collect(),
            "{files:?}"
        );
        check_intervals(folder, files, &rated);
        let reversed: Vec<&str> = files.iter().rev().copied().collect();
        assert_eq!(
            rate(folder, &reversed)["games"],
            rated["games"],
            "{reversed:?}"
        );
    }
}

/// A run that adds no play of its own changes nothing.
#[test]
fn copies_and_parts_of_a_run_change_nothing() {
    let folder = all_runs();
    let folder = folder.path();
    let same = |run: &str, games: u64, other: &str| {
        format!("{run}: all its {games} games have the same records as in {other}, and count once")
    };
    for (files, like, copies, note) in [
        (
            ["first", "first"],
            "first",
            None,
            "first is named twice, and counts once".to_owned(),
        ),
        (
            ["first", "copy"],
            "first",
            Some(24),
            same("copy", 24, "first"),
        ),
        (
            ["copy", "first"],
            "first",
            Some(24),
            same("first", 24, "copy"),
        ),
        (
            ["half", "whole"],
            "whole",
            Some(12),
            same("half", 12, "whole"),
        ),
        (
            ["whole", "half"],
            "whole",
            Some(12),
            same("half", 12, "whole"),
        ),
        (
            ["first-3", "copy-3"],
            "first-3",
            Some(72),
            same("copy-3", 72, "first-3"),
        ),
    ] {
        let (alone, rated) = (rate(folder, &[like]), rate(folder, &files));
        assert_eq!(rated["games"], alone["games"], "{files:?}");
        let expected = notes(&alone).into_iter().chain([&*note]);
        assert_eq!(notes(&rated), expected.collect(), "{files:?}");
        assert!(
            copies.is_none_or(|copies| rated["copies"] == copies),
            "{files:?}: {}",
            rated["copies"]
        );
    }
}

/// Neither test has announced how many games there are in both.
#[test]
fn tests_that_are_rated_together_hold_at_every_look() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [low, high] = [0, 30].map(|more| drawn(more, 100));
    for seats in [1, 3] {
        let rest = "format = \"sprt\"\n[sprt]\nelo0 = 0\nelo1 = 60\nmax_units = 200";
        write(
            folder,
            "test",
            seats,
            rest,
            &[("new", &high), ("old", &low)],
        );
        let runs = [format!("{seats}-one"), format!("{seats}-two")];
        for (run, seed) in runs.iter().zip(["1", "2"]) {
            plays(folder, "test", run, 1, &["--seed", seed]);
        }
        let rated = rate(folder, &runs.each_ref().map(|run| &**run));
        let game = &rated["games"][0];
        assert_eq!(
            (&game["interval"], &game["los"][0][1]),
            (&json!("every_look"), &Value::Null)
        );
        let stopped = format!(
            "stopped, extended, or ended by its results: {} and {}",
            runs[0], runs[1]
        );
        assert_eq!(notes(&rated), [POOLED, &stopped].into());
    }
}

/// Bots without randomness, and no openings: all units are one, in all runs.
#[test]
fn runs_that_repeat_each_other_say_nothing_new() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (run, seed) in [("one", "1"), ("two", "2")] {
        play_repeats(folder, run, seed);
    }
    let alone = rate(folder, &["one"]);
    let note = "one: 22 of 24 games of minishogi repeat others move for move; they say nothing new, so intervals are those of the other units";
    assert_eq!(notes(&alone), [note].into());
    let rated = rate(folder, &["one", "two"]);
    assert_eq!(
        (
            &rated["games"][0]["units"],
            &rated["games"][0]["shared_seeds"]
        ),
        (&json!(24), &Value::Null)
    );
    assert!(
        rated["notes"]
            .to_string()
            .contains("repeat others move for move"),
        "{}",
        rated["notes"]
    );
    let a = &rows(folder, "one", "pairings.csv")[0];
    let score: f64 = a["score"].parse().unwrap();
    let scores = UnitScores::from_values([(score, 24)]).unwrap();
    let by = Estimate::at_every_look(&scores, 2, 1).unwrap();
    let expected = [by.lo95, by.hi95].map(|end| Some(end / 2.0).filter(|end| end.is_finite()));
    let found = intervals(&rated)[&a["first"]];
    for (found, expected) in found.into_iter().zip(expected) {
        same("the end", found, expected, 1e-6);
    }
}

#[test]
fn nothing_is_read_back_from_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [low, high] = [0, 30].map(|more| drawn(more, 100));
    let bots = [("new", &*high), ("old", &*low), ("low", &*low)];
    write(
        folder,
        "test",
        3,
        "format = \"sprt\"\nseed = 1\n[sprt]\nelo0 = 0\nelo1 = 60\nmax_units = 200",
        &bots[..2],
    );
    write(
        folder,
        "many",
        2,
        "format = \"round-robin\"\nseed = 1\ngames = 12",
        &bots,
    );
    for run in ["test", "many"] {
        plays(folder, run, run, 1, &[]);
    }
    play_repeats(folder, "repeats", "1");
    let told = || {
        let asked = [
            &["rate", "repeats"][..],
            &["rate", "repeats", "--json"],
            &["rate", "test", "--json"],
            &["rate", "many"],
            &["rate", "test", "many", "repeats"],
            &["elo", "repeats"],
            &["elo", "test", "--json"],
            &["elo", "many", "--between", "new", "low"],
        ];
        asked.map(|args| (args, said(&arena(folder, args))))
    };
    let expected = told();
    for run in ["test", "many", "repeats"] {
        fs::remove_file(folder.join(run).join("summary.json")).unwrap();
    }
    for ((args, told), (_, expected)) in told().into_iter().zip(expected) {
        assert_eq!(told, expected, "{args:?}");
    }
}

// What a bot is

#[test]
fn programs_of_one_name_are_different_bots() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [old, new, newer] = [0, 3, 4].map(|more| drawn(more, 60));
    let by_file = "bot.sh";
    fs::write(folder.join("bot.sh"), &new).unwrap();
    for (run, script, file, seed) in [
        ("one", &*new, None, "1"),
        ("two", &newer, None, "2"),
        ("again", &new, None, "3"),
        ("file", by_file, Some(&new), "4"),
        ("other", by_file, Some(&newer), "5"),
    ] {
        if let Some(text) = file {
            fs::write(folder.join("bot.sh"), text).unwrap();
        }
        let rest = "format = \"round-robin\"\ngames = 24";
        write(folder, "pair", 2, rest, &[("new", script), ("old", &old)]);
        plays(folder, "pair", run, 1, &["--seed", seed]);
    }
    for runs in [["one", "two"], ["file", "other"], ["two", "one"]] {
        let rated = rate(folder, &runs);
        let names: Vec<&str> = names(&rated).into_iter().collect();
        let [one, other, "old"] = names[..] else {
            panic!("{runs:?}: {names:?}");
        };
        for name in [one, other] {
            let digits = name.strip_prefix("new@").unwrap();
            let is_short =
                digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            assert!(is_short, "{names:?}");
        }
        let told = [[one, other], [other, one]].map(|[one, other]| {
            format!("`new` names 2 programs, rated apart as {one} and {other}; --by-name rates them as one")
        });
        let notes = notes(&rated);
        assert!(
            notes.len() == 2
                && notes.contains(MORE)
                && told.iter().any(|told| notes.contains(&**told)),
            "{notes:?}"
        );
        let rated = rate(folder, &[&runs[..], &["--by-name"]].concat());
        let changed = format!(
            "{}: `new` has another program or other arguments than in {}",
            runs[1], runs[0]
        );
        assert_eq!(self::names(&rated), ["new", "old"].into());
        assert_eq!(self::notes(&rated), [POOLED, &changed].into());
    }
    let rated = rate(folder, &["one", "again"]);
    assert_eq!(
        (names(&rated), notes(&rated)),
        (["new", "old"].into(), [POOLED].into())
    );
    let gone = arena(folder, &["rate", "one", "two", "--by-program"]);
    assert_eq!(gone.status.code(), Some(2), "{}", said(&gone));
}

// What is read

#[test]
fn games_csv_alone_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [low, high] = [0, 30].map(|more| drawn(more, 100));
    let rest = "format = \"round-robin\"\nseed = 1\ngames = 24";
    write(folder, "run", 2, rest, &[("new", &high), ("old", &low)]);
    plays(folder, "run", "run", 1, &[]);
    fs::copy(folder.join("run/games.csv"), folder.join("lone.csv")).unwrap();
    fs::create_dir(folder.join("bare")).unwrap();
    fs::copy(folder.join("run/games.csv"), folder.join("bare/games.csv")).unwrap();
    let why = "it isn't in a run folder, so its end, units and programs aren't known";
    let hint = "hint: name the folder of the run, or count its results: arena elo --wdl W,D,L";
    for verb in ["rate", "elo", "sprt"] {
        for file in ["lone.csv", "bare/games.csv"] {
            let refused = arena(folder, &[verb, file]);
            let error = stderr(&refused);
            assert_eq!(
                refused.status.code(),
                Some(3),
                "{verb} {file}: {}",
                said(&refused)
            );
            assert!(
                error.contains(&format!("can't rate {file}: {why}")) && error.contains(hint),
                "{verb}: {error}"
            );
        }
        let [of_folder, of_file] = ["run", "run/games.csv"].map(|run| shown(folder, &[verb, run]));
        assert_eq!(of_folder, of_file, "{verb}");
    }
    let refused = arena(folder, &["rate", "run", "lone.csv"]);
    assert_eq!(refused.status.code(), Some(3), "{}", said(&refused));
    let table = "first,second,wins,draws,losses\nnew,old,31,12,20\nold,new,9,2,7\n";
    fs::write(folder.join("table.csv"), table).unwrap();
    let rated = rate(folder, &["table.csv"]);
    assert_eq!(
        (&rated["games"][0]["units"], names(&rated)),
        (&json!(81), ["new", "old"].into())
    );
    assert_eq!(
        shown(folder, &["elo", "table.csv", "--between", "new", "old"])["units"],
        81
    );
}

#[test]
fn a_stored_game_that_does_not_fit_its_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [low, high] = [0, 30].map(|more| drawn(more, 100));
    let rest = "format = \"round-robin\"\nseed = 1\ngames = 8";
    write(folder, "run", 2, rest, &[("a", &high), ("b", &low)]);
    plays(folder, "run", "run", 1, &[]);
    // In game 4, of unit 2, in its record and in its row.
    for (record, row) in [
        (["[\"a\",\"b\"]", "[\"a\",\"x\"]"], [",b,", ",x,"]),
        (["[\"a\",\"b\"]", "[\"b\",\"a\"]"], [",a,", ",b,"]),
        (["[\"a\",\"b\"]", "[\"a\"]"], [",b,", ",,"]),
        (["\"unit\":2", "\"unit\":1"], ["4,2,", "4,1,"]),
        (["\"number\":4", "\"number\":400"], ["4,2,", "400,2,"]),
        (["\"number\":4", "\"number\":3"], ["4,2,", "3,2,"]),
        (
            ["\"game\":\"task\"", "\"game\":\"other\""],
            ["task", "other"],
        ),
        (["\"seed\":\"", "\"seed\":\"1"], ["task,", "task,1"]),
    ] {
        let _ = fs::remove_dir_all(folder.join("bad"));
        copy(folder, "run", "bad");
        for (file, line, [from, to]) in [("records.jsonl", 4, record), ("games.csv", 5, row)] {
            let text = fs::read_to_string(folder.join("bad").join(file)).unwrap();
            let mut lines: Vec<String> = text.lines().map(|line| line.to_owned() + "\n").collect();
            assert!(lines[line].contains(from), "{from} in {}", lines[line]);
            lines[line] = lines[line].replacen(from, to, 1);
            fs::write(folder.join("bad").join(file), lines.concat()).unwrap();
        }
        for verb in ["rate", "elo"] {
            let refused = arena(folder, &[verb, "bad"]);
            let error = stderr(&refused);
            assert_eq!(
                refused.status.code(),
                Some(3),
                "{verb}, {record:?}: {}",
                said(&refused)
            );
            assert!(
                error.contains("can't read bad/records.jsonl, line 5: "),
                "{verb}, {record:?}: {error}"
            );
        }
    }
}

// What was played

/// The digest of a record's opening and answers, empty if nobody answered.
fn moves(record: &str) -> String {
    let record: Value = serde_json::from_str(record).unwrap();
    let steps = record["steps"].as_array().unwrap().iter();
    let answers: Vec<Value> = steps
        .map(|step| json!([step["player"], step["output"]]))
        .collect();
    let opening = record["options"]
        .get("opening")
        .cloned()
        .unwrap_or(json!([]));
    if answers.iter().all(|answer| answer[1].is_null()) {
        return String::new();
    }
    let digest = Sha256::digest(json!([opening, answers]).to_string());
    digest[..8]
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// `games.csv` as it was before it said what was played.
fn without_moves(games: &str) -> String {
    let header = games.lines().next().unwrap().split(',');
    let at = header
        .clone()
        .position(|column| column == "moves")
        .expect("a column of moves");
    let lines = games.lines().map(|line| {
        let fields = line
            .split(',')
            .enumerate()
            .filter(|(place, _)| *place != at);
        fields.map(|(_, field)| field).collect::<Vec<_>>().join(",") + "\n"
    });
    lines.collect()
}

#[test]
fn games_csv_says_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let odd = "read n; echo \"'é→\\\\\\\"\t$n\"; exec cat > /dev/null";
    let broken = "read n; [ $((n % 3)) = 0 ] && exit 1; while read p; do echo 7; read n; done";
    let rest = "format = \"round-robin\"\nseed = 1\ngames = 12";
    for (run, seats) in [("alone", 1), ("task", 2)] {
        write(
            folder,
            run,
            seats,
            rest,
            &[("odd", odd), ("broken", broken), ("fair", &drawn(3, 60))],
        );
        play(folder, run, run, 1, &["--force"]);
    }
    for (game, bots) in [
        ("kutulu", ["greedy", "random"]),
        ("onitama", ["greedy", "random"]),
    ] {
        let bots = bots.map(|bot| format!("{bot}=arena bot {game}-{bot}"));
        let flags = ["--games", "8", "--seed", "1"];
        duel(
            folder,
            game,
            bots.each_ref().map(|bot| &**bot),
            game,
            &flags,
        );
    }
    for (run, after) in [
        ("alone", "p1_bot"),
        ("task", "p1_bot"),
        ("kutulu", "map"),
        ("onitama", "p1_bot"),
    ] {
        let header = fs::read_to_string(folder.join(run).join("games.csv")).unwrap();
        let header = header.lines().next().unwrap();
        let start = format!("number,unit,game,seed,reason,turns,moves,{after},");
        assert!(header.starts_with(&start), "{run}: {header}");
        let records = fs::read_to_string(folder.join(run).join("records.jsonl")).unwrap();
        let expected: Vec<String> = records.lines().map(moves).collect();
        let found = rows(folder, run, "games.csv");
        assert_eq!(
            found.iter().map(|row| &row["moves"]).collect::<Vec<_>>(),
            expected.iter().collect::<Vec<_>>(),
            "{run}"
        );
    }
}

/// A `games.csv` that doesn't say what was played gets the column again.
#[test]
fn a_games_csv_without_moves_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [("a", &*drawn(0, 60)), ("b", &*drawn(3, 60))];
    write(
        folder,
        "run",
        2,
        "format = \"round-robin\"\nseed = 1",
        &bots,
    );
    plays(folder, "run", "run", 1, &["--games", "12"]);
    let path = folder.join("run/games.csv");
    let whole = fs::read_to_string(&path).unwrap();
    let strip = || fs::write(&path, without_moves(&whole)).unwrap();
    let rated = rate(folder, &["run"]);
    strip();
    assert_eq!(rate(folder, &["run"]), rated);
    let told = arena(folder, &["report", "run"]);
    assert!(told.status.success(), "{}", said(&told));
    assert_eq!(fs::read_to_string(&path).unwrap(), whole, "after report");
    strip();
    plays(folder, "run", "run", 1, &["--games", "24", "--resume"]);
    let grown = fs::read_to_string(&path).unwrap();
    assert!(
        grown.starts_with(&whole) && grown.lines().count() == 25,
        "{grown}"
    );
}

// Coins

/// Luck belongs to the seed and the bot, and equal bots play twice on the same seeds. In the long form, 95% intervals of ratings miss
/// the truth in at most 7% of 300 cases.
#[test]
fn coins_on_the_same_seeds_hold_the_truth() {
    let cases: u32 = if is_long() { 300 } else { 2 };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = ["0", "1", "2"].map(|bot| format!("while read n; do read p; echo {bot}; done"));
    let bots = [("a", &*bots[0]), ("b", &*bots[1]), ("c", &*bots[2])];
    let mut first = Vec::new();
    for (many, games) in [(2, "40"), (3, "24")] {
        write(
            folder,
            "coins",
            2,
            "format = \"round-robin\"",
            &bots[..many],
        );
        let mut missed = 0;
        for case in 0..cases {
            let runs = ["one", "two"];
            for (salt, run) in runs.into_iter().enumerate() {
                let salt = 2 * case + u32::try_from(salt).unwrap();
                plays(
                    folder,
                    "coins",
                    run,
                    salt,
                    &["--seed", &case.to_string(), "--games", games, "--force"],
                );
            }
            let rated = rate(folder, &runs);
            check_intervals(folder, &runs, &rated);
            let ends = intervals(&rated);
            let excludes = |[lo, hi]: &[Option<f64>; 2]| {
                lo.is_some_and(|lo| lo > 0.0) || hi.is_some_and(|hi| hi < 0.0)
            };
            // Two bots have one interval.
            let counted = if many == 2 { 1 } else { many };
            missed += ends
                .values()
                .take(counted)
                .filter(|ends| excludes(ends))
                .count();
            if case == 0 {
                first.push(ends["a"].map(|end| end.map(|end| signed(end, 1))));
            }
        }
        println!("{many} bots: {missed} intervals of {cases} cases miss the truth");
        let of = f64::from(cases) * if many == 2 { 1.0 } else { 3.0 };
        assert!(
            !is_long() || missed as f64 <= 0.07 * of,
            "{many} bots: {missed} in {cases} cases"
        );
    }
    let expected = [["-109.6", "+120.1"], ["-124.5", "+296.0"]];
    assert_eq!(
        first,
        expected.map(|ends| ends.map(|end| Some(end.to_owned())))
    );
}
