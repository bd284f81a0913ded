//! Results of several runs are a union of plays: each counts once, and a seed is what is
//! independent. Whatever shows two bots shows the same numbers.

#![expect(clippy::cast_precision_loss, reason = "numbers in tests are small")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use arena_section::words::{decimals, interval, signed};
use arena_stats::anytime::times_as_wide;
use arena_stats::estimate::Estimate;
use arena_stats::ratings::{self, Comparison, Settings, Unit};
use arena_stats::scores::UnitScores;

use crate::programs::{
    self, Folder, PATIENT, Said as _, check_rows, command, copy_files, csv_rows, has, is_long,
    line, new_folder, read, records, said, stdout, summary, table,
};

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
    let mut config = format!(
        "[run]\nname = {name:?}\ngame = \"task\"\nstart_anyway = true\n{rest}\n\
         [game.task]\nreferee = [\"python3\", {referee:?}, \"{kind}\"]\nseats = {seats}\n"
    );
    for (bot, script) in bots {
        let option = if *script == "bot.sh" { "" } else { "\"-c\", " };
        let _ = writeln!(
            config,
            "[[bot]]\nname = {bot:?}\ncommand = [\"sh\", {option}{script:?}]"
        );
    }
    programs::write(folder, &format!("{name}.toml"), config);
}

/// Plays NAME.toml into a folder. SALT stands for the randomness of a run.
fn play(folder: &Path, name: &str, out: &str, salt: u32, flags: &str) -> Output {
    let config = format!("{name}.toml");
    let mut arena = command(folder, &["run", &config, "--quiet", "--out", out]);
    arena
        .args(flags.split_whitespace())
        .args(PATIENT.split(' '));
    arena.env("SALT", salt.to_string()).output().unwrap()
}

/// Plays a run that may decide nothing.
fn plays(folder: &Path, name: &str, out: &str, salt: u32, flags: &str) {
    let played = play(folder, name, out, salt, flags);
    let code = played.status.code();
    assert!(matches!(code, Some(0 | 4)), "{out}: {}", said(&played));
}

/// A folder with a round robin of two bots of unequal strength, in `run`.
fn played(games: u32) -> Folder {
    let folder = new_folder();
    let [low, high] = [0, 30].map(|more| drawn(more, 100));
    let rest = format!("format = \"round-robin\"\nseed = 1\ngames = {games}");
    write(&folder, "run", 2, &rest, &[("new", &high), ("old", &low)]);
    plays(&folder, "run", "run", 1, "");
    folder
}

/// Plays a game of the program.
fn duel(folder: &Path, game: &str, bots: &str, out: &str, flags: &str) -> Output {
    line(
        folder,
        &format!("duel {game} {bots} --out {out} --quiet {flags} {PATIENT}"),
    )
}

/// Plays 24 games of bots that take the first and the last of all legal actions: all units are one.
fn play_repeats(folder: &Path, out: &str, seed: u32) {
    let first = include_str!("../programs/smallest.sh");
    programs::write(folder, "first.sh", first);
    programs::write(folder, "last.sh", first.replace("\\<", "\\>"));
    let flags = format!("--games 24 --opening-plies 0 --seed {seed}");
    duel(folder, "minishogi", "first.sh last.sh", out, &flags).status(4);
}

/// What a command prints as JSON, whatever its status is.
fn shown(folder: &Path, args: &str) -> Value {
    programs::json(&line(folder, &format!("{args} --json")))
}

fn rate(folder: &Path, files: &[&str]) -> Value {
    shown(folder, &format!("rate {}", files.join(" ")))
}

fn notes(rated: &Value) -> BTreeSet<&str> {
    let notes = rated["notes"].as_array().unwrap().iter();
    notes.map(|note| note.as_str().unwrap()).collect()
}

fn bots(rated: &Value) -> &Vec<Value> {
    rated["games"][0]["bots"].as_array().unwrap()
}

fn names(rated: &Value) -> BTreeSet<&str> {
    let bots = bots(rated).iter();
    bots.map(|bot| bot["name"].as_str().unwrap()).collect()
}

/// The rows of a table of a run, by column.
fn rows(folder: &Path, run: &str, file: &str) -> Vec<BTreeMap<String, String>> {
    csv_rows(&folder.join(run), file)
}

#[track_caller]
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
    let expected = keys.map(|key| estimate[key].as_f64());
    let [one, other] = ["candidate", "opponent"].map(|side| found["sprt"][side].as_str().unwrap());
    let pairing = &found["games"][0]["pairings"][0];
    assert_eq!(pairing["first"], one, "{run}");
    let between = format!("{run} --between {one} {other}");
    for (what, by) in [
        ("pairing", &pairing["elo"]),
        ("elo", &shown(folder, &format!("elo {between}"))),
        ("sprt", &shown(folder, &format!("sprt {run}"))["estimate"]),
    ] {
        assert_eq!(by["interval"], "test", "{run}, {what}");
        for (key, expected) in keys.into_iter().zip(expected) {
            same(
                &format!("{run}, {what}, {key}"),
                by[key].as_f64(),
                expected,
                1e-9,
            );
        }
    }
    let [Some(elo), Some(lo), Some(hi), _] = expected else {
        panic!("{run}: {answer}{estimate}");
    };
    let ends = [("elo", elo), ("lo95", lo), ("hi95", hi)];
    // Each of the two has half of the difference.
    let rated = rate(folder, &[run]);
    assert_eq!(rated["games"][0]["interval"], "test");
    assert_eq!(rated["notes"], json!([]));
    for rated in [&rated, &found] {
        let bot = bots(rated).iter().find(|bot| bot["name"] == one).unwrap();
        for (key, expected) in ends {
            let half = bot[key].as_f64().map(|value| 2.0 * value);
            same(
                &format!("{run}, {key} of a bot"),
                half,
                Some(expected),
                1e-6,
            );
        }
    }
    for (file, times) in [("pairings.csv", 1.0), ("ratings.csv", 2.0)] {
        let rows = rows(folder, run, file);
        let is_of_one =
            |row: &&BTreeMap<String, String>| row.get("bot").is_none_or(|bot| bot == one);
        let row = rows.iter().find(is_of_one).unwrap();
        assert_eq!(row["interval"], "test");
        for (key, expected) in ends {
            let value = times * row[key].parse::<f64>().unwrap();
            same(
                &format!("{run}, {key} in {file}"),
                Some(value),
                Some(expected),
                2e-4,
            );
        }
    }
    check_words(folder, run, answer, &between, [elo, lo, hi]);
}

/// Answers and reports show these numbers of two bots.
fn check_words(folder: &Path, run: &str, answer: &str, between: &str, [elo, lo, hi]: [f64; 3]) {
    let places = decimals((hi - lo) / 2.0);
    let [elo, ends] = [signed(elo, places), interval([lo, hi], places)];
    let words = format!("{elo} {ends} Elo (90.0% interval of the test)");
    let escaped = words.replace('[', "\\[").replace(']', "\\]");
    has(answer, &words);
    for (args, words) in [
        (format!("sprt {run}"), &words),
        (format!("elo {between}"), &ends),
        (format!("report {run} --markdown -"), &escaped),
        (format!("report {run} --junit -"), &words),
    ] {
        has(&stdout(&line(folder, &args)), words);
    }
}

#[test]
fn after_a_test_everything_shows_its_interval() {
    let folder = &new_folder();
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
            let played = play(folder, &run, &run, 1, "");
            check_test(folder, &run, &stdout(played.status(code)));
        }
    }
    let [one, other] = [50, 30].map(|blunder| {
        format!("'{blunder}=arena bot kutulu-search --depth 1 --blunder {blunder}'")
    });
    let flags = "--sprt=0,60,early=false --seed 1";
    let played = duel(folder, "kutulu", &format!("{one} {other}"), "kutulu", flags);
    check_test(folder, "kutulu", &stdout(&played));
}

// What counts

/// The ends of an interval, `None` if it has none.
type Ends = [Option<f64>; 2];

/// The 95% intervals of ratings, by bot, that hold at every look, with all plays on a seed as one
/// observation.
fn by_seed(folder: &Path, runs: &[&str]) -> BTreeMap<String, Ends> {
    let mut plays = Vec::new();
    for run in runs {
        plays.extend(rows(folder, run, "games.csv"));
    }
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
    let ends = if bots.len() == 2 {
        ends_of_two(&seeds)
    } else {
        ends_of_many(bots.len(), seeds)
    };
    let finite = |end: f64| end.is_finite().then_some(end);
    let ends = ends.into_iter().map(|ends| ends.map(finite));
    bots.into_iter().cloned().zip(ends).collect()
}

fn ends_of_two(seeds: &BTreeMap<&str, Vec<Comparison>>) -> Vec<[f64; 2]> {
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
    let [lo, hi] = [by.lo95 / 2.0, by.hi95 / 2.0];
    vec![[lo, hi], [-hi, -lo]]
}

fn ends_of_many(bots: usize, seeds: BTreeMap<&str, Vec<Comparison>>) -> Vec<[f64; 2]> {
    let unit = |comparisons| Unit {
        comparisons,
        weight: 1,
    };
    let units: Vec<Unit> = seeds.into_values().map(unit).collect();
    let rated = ratings::rate(bots, &units, &Settings::new(2)).unwrap();
    let fewest = rated.bots.iter().map(|bot| bot.units).min().unwrap();
    let mut ends = Vec::new();
    for bot in rated.bots {
        let error = times_as_wide(fewest) * bot.error95.unwrap();
        ends.push([bot.elo - error, bot.elo + error]);
    }
    ends
}

/// The intervals of ratings, by bot.
fn intervals(rated: &Value) -> BTreeMap<String, Ends> {
    let mut intervals = BTreeMap::new();
    for bot in bots(rated) {
        let ends = ["lo95", "hi95"].map(|end| bot[end].as_f64());
        intervals.insert(bot["name"].as_str().unwrap().to_owned(), ends);
    }
    intervals
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

/// Runs of 24 games, 12 of them in `half`. `whole` and `apart` are two ways to go on with `half`,
/// `copy` is one of `first`, `again` and `anew` play its seeds again, with the same answers and
/// with others, and `other` plays other seeds. So do those of three bots.
static RUNS: LazyLock<Folder> = LazyLock::new(|| {
    let folder = new_folder();
    let bots = [0, 2, 3].map(|more| drawn(more, 60));
    let bots = [("a", &*bots[0]), ("b", &*bots[1]), ("c", &*bots[2])];
    let rest = "format = \"round-robin\"";
    write(&folder, "two", 2, rest, &bots[..2]);
    write(&folder, "three", 2, rest, &bots);
    write(&folder, "others", 2, rest, &bots[1..]);
    for (name, run, salt, flags) in [
        ("two", "half", 1, "--games 12 --seed 1"),
        ("two", "first", 3, "--games 24 --seed 1"),
        ("two", "again", 3, "--games 24 --seed 1"),
        ("two", "anew", 4, "--games 24 --seed 1"),
        ("two", "other", 5, "--games 24 --seed 2"),
        ("others", "bc", 5, "--games 24 --seed 3"),
        ("three", "first-3", 1, "--games 24 --seed 1"),
        ("three", "anew-3", 2, "--games 24 --seed 1"),
        ("three", "other-3", 3, "--games 24 --seed 2"),
    ] {
        plays(&folder, name, run, salt, flags);
    }
    for (from, to) in [
        ("half", "whole"),
        ("half", "apart"),
        ("first", "copy"),
        ("first-3", "copy-3"),
    ] {
        copy_files(&folder.join(from), &folder.join(to));
    }
    let longer = "--games 24 --seed 1 --resume";
    plays(&folder, "two", "whole", 1, longer);
    plays(&folder, "two", "apart", 2, longer);
    folder
});

/// Runs, whose union has so many games and units, on so many seeds if they share some, with so many
/// games that count once.
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
    for (files, counts, seeds, copies, expected) in UNIONS {
        eprintln!("{files:?}");
        let rated = rate(&RUNS, files);
        let game = &rated["games"][0];
        let found = ["games", "units"].map(|key| game[key].as_u64().unwrap());
        assert_eq!(found, *counts);
        assert_eq!(game["shared_seeds"].as_u64(), *seeds);
        assert_eq!(rated["copies"], *copies);
        assert_eq!(game["interval"], "every_look");
        assert_eq!(notes(&rated), expected.iter().copied().collect());
        check_intervals(&RUNS, files, &rated);
        let reversed: Vec<&str> = files.iter().rev().copied().collect();
        assert_eq!(rate(&RUNS, &reversed)["games"], rated["games"]);
    }
}

/// A run that adds no play of its own changes nothing.
#[test]
fn copies_and_parts_of_a_run_change_nothing() {
    for (files, copy, like, games) in [
        (["first", "copy"], "copy", "first", 24),
        (["copy", "first"], "first", "copy", 24),
        (["half", "whole"], "half", "whole", 12),
        (["whole", "half"], "half", "whole", 12),
        (["first-3", "copy-3"], "copy-3", "first-3", 72),
    ] {
        let (alone, rated) = (rate(&RUNS, &[like]), rate(&RUNS, &files));
        assert_eq!(rated["games"], alone["games"], "{files:?}");
        assert_eq!(rated["copies"], games, "{files:?}");
        let note = format!(
            "{copy}: all its {games} games have the same records as in {like}, and count once"
        );
        let expected = notes(&alone).into_iter().chain([&*note]);
        assert_eq!(notes(&rated), expected.collect(), "{files:?}");
    }
    let (alone, rated) = (rate(&RUNS, &["first"]), rate(&RUNS, &["first", "first"]));
    assert_eq!(rated["games"], alone["games"]);
    let note = "first is named twice, and counts once";
    assert_eq!(
        notes(&rated),
        notes(&alone).into_iter().chain([note]).collect()
    );
}

/// Neither test has announced how many games there are in both.
#[test]
fn tests_that_are_rated_together_hold_at_every_look() {
    let folder = &new_folder();
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
        let runs = [1, 2].map(|seed| format!("{seats}-{seed}"));
        plays(folder, "test", &runs[0], 1, "--seed 1");
        plays(folder, "test", &runs[1], 1, "--seed 2");
        let rated = rate(folder, &[&runs[0], &runs[1]]);
        let game = &rated["games"][0];
        assert_eq!(game["interval"], "every_look");
        assert_eq!(game["los_matrix"][0][1], Value::Null);
        let both = runs.join(" and ");
        let stopped = format!("stopped, extended, or ended by its results: {both}");
        assert_eq!(notes(&rated), [POOLED, &stopped].into());
    }
}

/// Bots without randomness, and no openings: all units are one, in all runs.
#[test]
fn runs_that_repeat_each_other_say_nothing_new() {
    let folder = &new_folder();
    play_repeats(folder, "one", 1);
    play_repeats(folder, "two", 2);
    let alone = rate(folder, &["one"]);
    let note = "one: 22 of 24 games of minishogi repeat others move for move; they say nothing new, so intervals are those of the other units";
    assert_eq!(notes(&alone), [note].into());
    let rated = rate(folder, &["one", "two"]);
    assert_eq!(rated["games"][0]["units"], 24);
    assert_eq!(rated["games"][0]["shared_seeds"], Value::Null);
    has(&rated["notes"].to_string(), "repeat others move for move");
    let a = &rows(folder, "one", "pairings.csv")[0];
    let score: f64 = a["score"].parse().unwrap();
    let scores = UnitScores::from_values([(score, 24)]).unwrap();
    let by = Estimate::at_every_look(&scores, 2, 1).unwrap();
    let found = intervals(&rated)[&a["first"]];
    for (found, end) in found.into_iter().zip([by.lo95, by.hi95]) {
        let expected = end.is_finite().then_some(end / 2.0);
        same("the end", found, expected, 1e-6);
    }
}

#[test]
fn nothing_is_read_back_from_the_summary() {
    let folder = &new_folder();
    let [low, high] = [0, 30].map(|more| drawn(more, 100));
    let bots = [("new", &*high), ("old", &*low), ("low", &*low)];
    let sprt = "format = \"sprt\"\nseed = 1\n[sprt]\nelo0 = 0\nelo1 = 60\nmax_units = 200";
    write(folder, "test", 3, sprt, &bots[..2]);
    plays(folder, "test", "test", 1, "");
    let list = "format = \"round-robin\"\nseed = 1\ngames = 12";
    write(folder, "many", 2, list, &bots);
    plays(folder, "many", "many", 1, "");
    play_repeats(folder, "repeats", 1);
    let told = || {
        [
            "rate repeats",
            "rate repeats --json",
            "rate test --json",
            "rate many",
            "rate test many repeats",
            "elo repeats",
            "elo test --json",
            "elo many --between new low",
        ]
        .map(|args| (args, said(&line(folder, args))))
    };
    let expected = told();
    for run in ["test", "many", "repeats"] {
        fs::remove_file(folder.join(run).join("summary.json")).unwrap();
    }
    assert_eq!(told(), expected);
}

// What a bot is

/// Checks that two programs are rated apart, by the name of both and the beginnings of their
/// digests.
fn check_apart(rated: &Value) {
    let names: Vec<&str> = names(rated).into_iter().collect();
    let [one, other, "old"] = names[..] else {
        panic!("{names:?}");
    };
    for name in [one, other] {
        let digits = name.strip_prefix("new@").unwrap();
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        assert!(digits.len() == 4 && is_hex, "{names:?}");
    }
    let mut notes = notes(rated);
    assert!(notes.remove(MORE), "{notes:?}");
    let note = notes.pop_last().unwrap();
    let told = [[one, other], [other, one]].map(|[one, other]| {
        format!(
            "`new` names 2 programs, rated apart as {one} and {other}; --by-name rates them as one"
        )
    });
    assert!(
        told.contains(&note.to_owned()) && notes.is_empty(),
        "{note}"
    );
}

#[test]
fn programs_of_one_name_are_different_bots() {
    let folder = &new_folder();
    let [old, new, newer] = [0, 3, 4].map(|more| drawn(more, 60));
    for (run, script, file, seed) in [
        ("one", &*new, "", 1),
        ("two", &newer, "", 2),
        ("again", &new, "", 3),
        ("file", "bot.sh", &*new, 4),
        ("other", "bot.sh", &newer, 5),
    ] {
        programs::write(folder, "bot.sh", file);
        let rest = "format = \"round-robin\"\ngames = 24";
        write(folder, "pair", 2, rest, &[("new", script), ("old", &old)]);
        plays(folder, "pair", run, 1, &format!("--seed {seed}"));
    }
    for [one, other] in [["one", "two"], ["file", "other"], ["two", "one"]] {
        check_apart(&rate(folder, &[one, other]));
        let rated = rate(folder, &[one, other, "--by-name"]);
        let changed =
            format!("{other}: `new` has another program or other arguments than in {one}");
        assert_eq!(names(&rated), ["new", "old"].into());
        assert_eq!(notes(&rated), [POOLED, &changed].into());
    }
    let rated = rate(folder, &["one", "again"]);
    assert_eq!(names(&rated), ["new", "old"].into());
    assert_eq!(notes(&rated), [POOLED].into());
    line(folder, "rate one two --by-program").status(2);
}

// What is read

#[test]
fn games_csv_alone_is_refused() {
    let folder = &played(24);
    let games = read(folder, "run/games.csv");
    programs::write(folder, "lone.csv", &games);
    programs::write(folder, "bare/games.csv", &games);
    for verb in ["rate", "elo", "sprt"] {
        for file in ["lone.csv", "bare/games.csv"] {
            line(folder, &format!("{verb} {file}"))
                .status(3)
                .contains(&format!("can't rate {file}: it isn't in a run folder, so its end, units and programs aren't known"))
                .contains("hint: name the folder of the run, or count its results: arena elo --wdl W,D,L");
        }
        let [of_folder, of_file] =
            ["run", "run/games.csv"].map(|run| shown(folder, &format!("{verb} {run}")));
        assert_eq!(of_folder, of_file, "{verb}");
    }
    line(folder, "rate run lone.csv").status(3);
    let table = "first,second,wins,draws,losses\nnew,old,31,12,20\nold,new,9,2,7\n";
    programs::write(folder, "table.csv", table);
    let rated = rate(folder, &["table.csv"]);
    assert_eq!(rated["games"][0]["units"], 81);
    assert_eq!(names(&rated), ["new", "old"].into());
    let of_two = shown(folder, "elo table.csv --between new old");
    assert_eq!(of_two["units"], 81);
}

/// Changes of game 4, of unit 2, in its record and in its row.
const CHANGES: &str = r#"
    ["new","old"] | ["new","x"] | ,old, | ,x,
    ["new","old"] | ["old","new"] | ,new, | ,old,
    ["new","old"] | ["new"] | ,old, | ,,
    "unit":2 | "unit":1 | 4,2, | 4,1,
    "number":4 | "number":400 | 4,2, | 400,2,
    "number":4 | "number":3 | 4,2, | 3,2,
    "game":"task" | "game":"other" | task | other
    "seed":" | "seed":"1 | task, | task,1
"#;

#[test]
fn a_stored_game_that_does_not_fit_its_run_is_an_error() {
    let folder = &played(8);
    for [of_record, record, of_row, row] in table::<4>(CHANGES) {
        copy_files(&folder.join("run"), &folder.join("bad"));
        for (file, line, from, to) in [
            ("bad/records.jsonl", 4, of_record, record),
            ("bad/games.csv", 5, of_row, row),
        ] {
            let text = read(folder, file);
            let line = text.lines().nth(line).unwrap();
            has(line, from);
            let changed = line.replacen(from, to, 1);
            programs::write(folder, file, text.replacen(line, &changed, 1));
        }
        eprintln!("{record}");
        check_rows(
            folder,
            "
            rate bad | 3 | can't read bad/records.jsonl, line 5:
            elo bad | 3 | can't read bad/records.jsonl, line 5:
            ",
        );
    }
}

// What was played

/// The digest of a record's opening and answers, empty if nobody answered.
fn moves(record: &Value) -> String {
    let steps = record["steps"].as_array().unwrap().iter();
    let answers: Vec<Value> = steps
        .map(|step| json!([step["player"], step["output"]]))
        .collect();
    if answers.iter().all(|answer| answer[1].is_null()) {
        return String::new();
    }
    let none = json!([]);
    let opening = record["options"].get("opening").unwrap_or(&none);
    let digest = Sha256::digest(json!([opening, answers]).to_string());
    let mut text = String::new();
    for byte in &digest[..8] {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[test]
fn games_csv_says_what_was_played() {
    let folder = &new_folder();
    let odd = "read n; echo \"'é→\\\\\\\"\t$n\"; exec cat > /dev/null";
    let broken = "read n; [ $((n % 3)) = 0 ] && exit 1; while read p; do echo 7; read n; done";
    let rest = "format = \"round-robin\"\nseed = 1\ngames = 12";
    let fair = drawn(3, 60);
    for (run, seats) in [("alone", 1), ("task", 2)] {
        let bots = [("odd", odd), ("broken", broken), ("fair", &fair)];
        write(folder, run, seats, rest, &bots);
        play(folder, run, run, 1, "--force");
    }
    for game in ["kutulu", "onitama"] {
        let bots = format!("'arena bot {game}-greedy' 'arena bot {game}-random'");
        duel(folder, game, &bots, game, "--games 8 --seed 1");
    }
    for (run, after) in [
        ("alone", "p1_bot"),
        ("task", "p1_bot"),
        ("kutulu", "map"),
        ("onitama", "p1_bot"),
    ] {
        let run = &folder.join(run);
        let games = read(run, "games.csv");
        let start = format!("number,unit,game,seed,reason,turns,moves,{after},");
        assert!(games.starts_with(&start), "{games}");
        let expected: Vec<String> = records(run, "records.jsonl").iter().map(moves).collect();
        let rows = csv_rows(run, "games.csv");
        let found: Vec<&String> = rows.iter().map(|row| &row["moves"]).collect();
        assert_eq!(
            found,
            expected.iter().collect::<Vec<_>>(),
            "{}",
            run.display()
        );
    }
}

// Coins

/// Luck belongs to the seed and the bot, and equal bots play twice on the same seeds. In the long
/// form, 95% intervals of ratings miss the truth in at most 7% of 300 cases.
#[test]
fn coins_on_the_same_seeds_hold_the_truth() {
    let cases: u32 = if is_long() { 300 } else { 2 };
    let folder = &new_folder();
    let bots = ["0", "1", "2"].map(|bot| format!("while read n; do read p; echo {bot}; done"));
    let bots = [("a", &*bots[0]), ("b", &*bots[1]), ("c", &*bots[2])];
    for (many, games, expected) in [(2, 40, ["-109.6", "+120.1"]), (3, 24, ["-124.5", "+296.0"])] {
        write(
            folder,
            "coins",
            2,
            "format = \"round-robin\"",
            &bots[..many],
        );
        let mut missed = 0;
        // Two bots have one interval.
        let counted = if many == 2 { 1 } else { many };
        for case in 0..cases {
            let flags = format!("--seed {case} --games {games} --force");
            plays(folder, "coins", "one", 2 * case, &flags);
            plays(folder, "coins", "two", 2 * case + 1, &flags);
            let runs = ["one", "two"];
            let rated = rate(folder, &runs);
            check_intervals(folder, &runs, &rated);
            let ends = intervals(&rated);
            for [lo, hi] in ends.values().take(counted) {
                missed += u32::from(*lo > Some(0.0) || hi.is_some_and(|hi| hi < 0.0));
            }
            if case == 0 {
                let shown = ends["a"].map(|end| signed(end.unwrap(), 1));
                assert_eq!(shown, expected);
            }
        }
        println!("{many} bots: {missed} intervals of {cases} cases miss the truth");
        let share = f64::from(missed) / (f64::from(cases) * counted as f64);
        assert!(!is_long() || share <= 0.07, "{many} bots: {share} of all");
    }
}
