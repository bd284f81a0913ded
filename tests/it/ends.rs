//! Duels that end when they know: the same end for all workers and after kills, and how to play on.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::duel::UNHURRIED;
use crate::programs::{Said as _, arena, command, sample_bot, stderr, stdout, summary, timeless};

fn duel(folder: &Path, args: &[&str]) -> Output {
    let seed = ["--seed", "1"];
    arena(folder, &[&["duel"], args, &seed, &UNHURRIED].concat())
}

/// The answer, which is the first line.
fn answer(output: &Output) -> String {
    stdout(output).lines().next().unwrap_or_default().to_owned()
}

fn bots(names: [&str; 2]) -> [String; 2] {
    names.map(|name| format!("{name}={}", sample_bot(&format!("onitama-{name}"))))
}

/// Two bots of the same strength, which aren't the same program with the same arguments.
fn equal_bots() -> [String; 2] {
    let bot = sample_bot("onitama-random");
    [format!("old={bot}"), format!("new={bot} --seed 3")]
}

/// Rows: the bots, the flags, and how the answer ends.
#[test]
fn a_duel_ends_when_it_knows_whatever_the_workers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (bots, flags, said, excludes_0) in [
        (bots(["random", "greedy"]), &[] as &[&str], " games", true),
        (
            equal_bots(),
            &["--precision", "120"],
            " games; the interval is within ±120 Elo",
            false,
        ),
        (
            equal_bots(),
            &["--precision", "1", "--games", "40"],
            "40 games; its maximum of games is reached",
            false,
        ),
    ] {
        let runs = ["1", "4"].map(|jobs| {
            let args = ["onitama", &bots[0], &bots[1], "--out", jobs, "--force"];
            let played = duel(folder, &[&args[..], flags, &["--jobs", jobs]].concat());
            played.status(0);
            let answer = answer(&played);
            assert!(answer.ends_with(said), "{answer}");
            assert!(answer.contains("(95% at every look)"), "{answer}");
            played.contains("ends once the interval at every look excludes 0");
            let run = folder.join(jobs);
            let plan = fs::read_to_string(run.join("plan.toml")).unwrap();
            assert!(plan.contains("\nprecision = "), "{plan}");
            (answer, summary(&run)["games"].clone(), timeless(&run))
        });
        let [one, four] = runs;
        assert_eq!((&one.0, &one.2), (&four.0, &four.2));
        let elo = &one.1[0]["pairings"][0]["elo"];
        let end = |key: &str| elo[key].as_f64().unwrap_or(f64::INFINITY);
        assert_eq!(end("lo95") > 0.0 || end("hi95") < 0.0, excludes_0, "{elo}");
        assert!(one.1[0]["distinct_units"].as_u64().unwrap() >= 10);
        for verb in ["verify", "report"] {
            let seen = arena(folder, &[verb, "4"]);
            seen.status(0);
        }
        // Those who read the run later see the same interval.
        let rated = arena(folder, &["rate", "4", "--json"]);
        let rated: Value = serde_json::from_slice(&rated.stdout).unwrap();
        assert_eq!(rated["games"][0]["interval"], "every_look");
    }
}

#[test]
fn a_killed_duel_ends_after_the_same_unit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [old, new] = equal_bots();
    let args = |out| {
        let flags = ["--precision", "120", "--seed", "1", "--quiet"];
        let bots = ["duel", "onitama", &old, &new, "--out", out];
        let resume: &[&str] = if folder.join(out).exists() {
            &["--resume"]
        } else {
            &[]
        };
        [&bots[..], &flags, resume, &UNHURRIED].concat()
    };
    let whole = arena(folder, &args("whole"));
    whole.status(0);
    let mut kills = 0;
    for goal in [10, 30] {
        let mut child = command(folder, &args("killed"))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let rows = || {
            fs::read_to_string(folder.join("killed/games.csv"))
                .map_or(0, |text| text.lines().count())
        };
        while rows() <= goal && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills > 0, "the run was never killed");
    let resumed = arena(folder, &args("killed"));
    assert_eq!(answer(&resumed), answer(&whole), "{}", stderr(&resumed));
    assert_eq!(
        timeless(&folder.join("killed")),
        timeless(&folder.join("whole"))
    );
}

#[test]
fn an_ended_duel_says_how_to_play_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = |bots: &[String; 2], out: &str, flags: &[&str]| {
        let args = ["onitama", &bots[0], &bots[1], "--out", out];
        let resume: &[&str] = if folder.join(out).exists() {
            &["--resume"]
        } else {
            &[]
        };
        duel(folder, &[&args[..], resume, flags].concat())
    };
    let games = |out: &str| summary(&folder.join(out))["games_played"].as_u64().unwrap();
    let equal = equal_bots();
    play(&equal, "equal", &["--precision", "150"]);
    let first = games("equal");
    let again = play(&equal, "equal", &["--precision", "150"]);
    again.status(0);
    for said in [
        "nothing is left to play",
        "it ended because the interval is within ±150 Elo; a smaller --precision plays on",
    ] {
        again.contains(said);
    }
    let wider = play(&equal, "equal", &["--precision", "200"]);
    wider
        .status(3)
        .contains("name its precision or a smaller one");
    let closer = play(&equal, "equal", &["--precision", "100"]);
    assert!(
        games("equal") > first && !stderr(&closer).contains("extended"),
        "{}",
        stderr(&closer)
    );
    let apart = bots(["random", "greedy"]);
    play(&apart, "apart", &[]);
    let again = play(&apart, "apart", &[]);
    let said =
        "it ended because the interval excludes 0; --games N without --precision plays N games";
    again.contains(said);
    let more = play(&apart, "apart", &["--games", "100"]);
    assert!(
        more.status.success() && games("apart") == 100,
        "{}",
        stderr(&more)
    );
    // The results decided that there are more.
    assert!(
        answer(&more).contains("(95% at every look)"),
        "{}",
        answer(&more)
    );
    for run in ["equal", "apart"] {
        let seen = arena(folder, &["verify", run]);
        seen.status(0);
    }
}

/// Plays the smallest move by its letters; the referee lists them in random order.
const SMALLEST: &str = include_str!("../programs/smallest.sh");

#[test]
fn a_duel_whose_units_repeat_ends_without_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("smallest.sh"), SMALLEST).unwrap();
    let largest = SMALLEST.replace("\\<", "\\>");
    fs::write(folder.join("largest.sh"), largest).unwrap();
    let bots = ["minishogi", "sh smallest.sh", "sh largest.sh"];
    let args = [&bots[..], &["--opening-plies", "0", "--out", "same"]].concat();
    let out = duel(folder, &args);
    out.status(4);
    assert!(answer(&out).contains("has no verdict"), "{}", answer(&out));
    assert_eq!(summary(&folder.join("same"))["games_played"], 200);
    let again = duel(folder, &[&args[..], &["--resume"]].concat());
    again.contains("it ended because nearly all units repeat others");
}

/// Such a duel is no pass for a check of changes.
#[test]
fn bots_that_play_the_same_moves_have_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("smallest.sh"), SMALLEST).unwrap();
    let bots = ["minishogi", "old=sh smallest.sh", "new=sh smallest.sh"];
    // The option wins over the key.
    let flags = ["--games", "20", "--sandbox", "auto", "--out", "alike"];
    let off = ["--set", "sandbox.mode=off"];
    let out = duel(folder, &[&bots[..], &flags, &off].concat());
    out.status(4);
    let told = "new against old: both bots played the same moves in all 10 units";
    assert!(answer(&out).starts_with(told), "{}", answer(&out));
    let plan = fs::read_to_string(folder.join("alike/plan.toml")).unwrap();
    assert!(!plan.contains("\nsandbox = "), "{plan}");
}

#[test]
fn more_than_two_bots_play_200_games_a_pairing_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [old, new] = equal_bots();
    let third = format!("third={}", sample_bot("onitama-greedy"));
    let args = ["onitama", &old, &new, &third, "--out", "three"];
    let played = duel(folder, &args);
    played
        .status(0)
        .contains("three: 600 games of 3 bots")
        .contains("\n200 games per pairing\n");
    let refused = duel(folder, &[&args[..], &["--precision", "5"]].concat());
    refused.status(2);
    let said = "--precision: a precision ends a match of two bots, and 3 bots play";
    refused.contains(said);
    for (flags, said) in [
        (
            &["--precision", "0"][..],
            "expected a number from 0.1 to 1000",
        ),
        (&["--precision", "5", "--sprt", "0,10"], "together with"),
    ] {
        let refused = duel(folder, &[&["onitama", &old, &new][..], flags].concat());
        refused.status(2).contains(said);
    }
}

#[test]
fn the_live_line_says_which_end_is_near() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = equal_bots();
    let played = duel(
        folder.path(),
        &["onitama", &old, &new, "--precision", "1", "--games", "20"],
    );
    let said = stderr(&played);
    let live = said.lines().rfind(|line| line.contains("W-D-L"));
    let live = live.expect(&said);
    assert!(
        live.contains("ends after 10 different units at the earliest")
            || live.contains(" Elo, ends at ±1")
            || live.contains("ends once the interval excludes 0"),
        "{live}"
    );
}
