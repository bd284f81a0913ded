//! Duels that end when they know: the same end for all workers and after kills, and how to play on.

use std::path::Path;
use std::process::Output;

use crate::alone;
use crate::programs::{
    PATIENT, Said as _, answer, command, has, in_project, json, killed, line, new_folder, promised,
    read, resume, sample_bot, stderr, summary, timeless, write,
};

fn duel(folder: &Path, args: &str) -> Output {
    line(folder, &format!("duel {args} --seed 1 {PATIENT}"))
}

/// `random` and `greedy` of Onitama.
fn unequal_bots() -> String {
    let bot = |name: &str| format!("{name}={}", sample_bot(&format!("onitama-{name}")));
    format!("{} {}", bot("random"), bot("greedy"))
}

/// Two bots of the same strength, which aren't the same program with the same arguments.
fn equal_bots() -> String {
    let bot = sample_bot("onitama-random");
    format!("old={bot} 'new={bot} --seed 3'")
}

/// The document that promises when a duel ends.
fn document() -> String {
    read(&in_project("docs"), "explanation/statistics.md")
}

#[test]
fn a_duel_has_the_limits_of_the_document() {
    let folder = &new_folder();
    duel(folder, &format!("onitama {} --out apart", unequal_bots())).status(0);
    let run = folder.join("apart");
    let plan = read(&run, "plan.toml");
    let limit = |words| promised(&document(), words);
    let precision = limit("half its width is at most");
    has(&plan, &format!("\nprecision = {precision}.0\n"));
    has(&plan, &format!("\ngames = {}\n", limit("\n* after")));
    // The bots are so far apart that it ends as soon as it may.
    let units = &summary(&run)["games"][0]["distinct_units"];
    assert_eq!(*units, limit("Without them it plays at least"));
}

/// Rows: the bots, the flags, and how the answer ends.
#[test]
fn a_duel_ends_when_it_knows_whatever_the_workers() {
    let folder = &new_folder();
    for (bots, flags, said, excludes_0) in [
        (unequal_bots(), "", " games", true),
        (
            equal_bots(),
            "--precision 120",
            " games; the interval is within ±120 Elo",
            false,
        ),
        (
            equal_bots(),
            "--precision 1 --games 40",
            "40 games; its maximum of games is reached",
            false,
        ),
    ] {
        let [one, four] = ["1", "4"].map(|jobs| {
            let flags = format!("{flags} --out {jobs} --force --jobs {jobs}");
            let played = duel(folder, &format!("onitama {bots} {flags}"));
            played
                .status(0)
                .contains("ends once the interval at every look excludes 0");
            let answer = answer(&played);
            assert!(answer.ends_with(said), "{answer}");
            has(&answer, "(95% at every look)");
            let run = folder.join(jobs);
            has(&read(&run, "plan.toml"), "\nprecision = ");
            (answer, timeless(&run))
        });
        assert_eq!(one, four);
        let games = &summary(&folder.join("1"))["games"][0];
        let elo = &games["pairings"][0]["elo"];
        let end = |key: &str| elo[key].as_f64().unwrap_or(f64::INFINITY);
        assert_eq!(end("lo95") > 0.0 || end("hi95") < 0.0, excludes_0, "{elo}");
        assert!(games["distinct_units"].as_u64().unwrap() >= 10);
        line(folder, "verify 4").status(0);
        line(folder, "report 4").status(0);
        // Those who read the run later see the same interval.
        let rated = json(&line(folder, "rate 4 --json"));
        assert_eq!(rated["games"][0]["interval"], "every_look");
    }
}

/// Games of one, two and four seats. With seed 1 the first of two equal bots falls behind.
#[test]
fn a_hopeless_match_is_dropped_after_the_same_unit_whatever_the_workers() {
    let folder = &new_folder();
    let bots = [("new", "echo 2"), ("old", alone::MOSTLY.1)];
    alone::write_config(folder, "drop_below = 10", "seats = 1", "", &bots);
    let kutulu = sample_bot("kutulu-random");
    let four = format!("'old={kutulu} --seed 3' new={kutulu}");
    let equal = |game: &str, bots: &str| {
        format!("duel {game} {bots} --set run.drop_below=50 --precision 1 --seed 1 {PATIENT}")
    };
    for (args, percent) in [
        ("run run.toml".to_owned(), 10),
        (equal("onitama", &equal_bots()), 50),
        (equal("kutulu", &four), 50),
    ] {
        let why = format!("new is stronger than old with a likelihood below {percent}%");
        let [one, eight] = ["1", "8"].map(|jobs| {
            let flags = format!("--out {jobs} --force --jobs {jobs}");
            let played = line(folder, &format!("{args} {flags}"));
            let rule = format!("also ends once {why}: looked at after 20 units");
            played.status(0).contains(&rule);
            let answer = answer(&played);
            assert!(answer.ends_with(&format!("; {why}")), "{answer}");
            let plan = read(folder, &format!("{jobs}/plan.toml"));
            has(&plan, &format!("\ndrop_below = {percent}.0\n"));
            (answer, timeless(&folder.join(jobs)))
        });
        assert_eq!(one, eight);
        let units = || summary(&folder.join("8"))["games"][0]["units"].as_u64();
        let first = units();
        assert!(first >= Some(20) && first.unwrap() % 10 == 0, "{first:?}");
        line(folder, "verify 8").status(0);
        let resumed = format!("{args} --out 8 --resume");
        line(folder, &resumed)
            .contains("nothing is left to play")
            .contains(&format!("it ended because {why}; to play on"));
        line(folder, &format!("{resumed} --games 30000")).status(0);
        assert_eq!(units(), first, "more games don't continue it");
    }
}

#[test]
fn a_killed_duel_ends_after_the_same_unit() {
    let folder = &new_folder();
    let flags = format!("--precision 120 --seed 1 --quiet {PATIENT}");
    let args = format!("duel onitama {} {flags} --out", equal_bots());
    let whole = line(folder, &format!("{args} whole"));
    whole.status(0);
    let run = folder.join("killed");
    let kills = [10, 30].map(|goal| {
        let mut arena = command(folder, &[]);
        arena.args(shlex::split(&format!("{args} killed")).unwrap());
        killed(arena.args(resume(&run)), &run, goal)
    });
    assert!(kills.contains(&true), "the run was never killed");
    let resumed = line(folder, &format!("{args} killed --resume"));
    assert_eq!(answer(&resumed), answer(&whole), "{}", stderr(&resumed));
    assert_eq!(timeless(&run), timeless(&folder.join("whole")));
}

#[test]
fn an_ended_duel_says_how_to_play_on() {
    let folder = &new_folder();
    let play = |bots: &str, out: &str, flags: &str| {
        let resume = resume(&folder.join(out)).unwrap_or_default();
        let args = format!("onitama {bots} --out {out} {resume} {flags}");
        duel(folder, &args)
    };
    let games = |out: &str| summary(&folder.join(out))["games_played"].as_u64().unwrap();
    let equal = equal_bots();
    play(&equal, "equal", "--precision 150");
    let first = games("equal");
    play(&equal, "equal", "--precision 150")
        .status(0)
        .contains("nothing is left to play")
        .contains(
            "it ended because the interval is within ±150 Elo; a smaller --precision plays on",
        );
    play(&equal, "equal", "--precision 200")
        .status(3)
        .contains("name its precision or a smaller one");
    play(&equal, "equal", "--precision 100").lacks("extended");
    assert!(games("equal") > first);
    let apart = unequal_bots();
    play(&apart, "apart", "");
    play(&apart, "apart", "").contains(
        "it ended because the interval excludes 0; --games N without --precision plays N games",
    );
    let more = play(&apart, "apart", "--games 100");
    more.status(0);
    assert_eq!(games("apart"), 100);
    // The results decided that there are more.
    has(&answer(&more), "(95% at every look)");
    for run in ["equal", "apart"] {
        line(folder, &format!("verify {run}")).status(0);
    }
}

/// Plays the smallest move by its letters; the referee lists them in random order.
const SMALLEST: &str = include_str!("../programs/smallest.sh");

#[test]
fn a_duel_whose_units_repeat_ends_without_a_verdict() {
    let folder = &new_folder();
    write(folder, "smallest.sh", SMALLEST);
    write(folder, "largest.sh", SMALLEST.replace("\\<", "\\>"));
    let bots = "minishogi 'sh smallest.sh' 'sh largest.sh' --opening-plies 0 --out same";
    let out = duel(folder, bots);
    out.status(4);
    has(&answer(&out), "has no verdict");
    let units = promised(&document(), "it ends after");
    assert_eq!(summary(&folder.join("same"))["games_played"], 2 * units);
    duel(folder, &format!("{bots} --resume"))
        .contains("it ended because nearly all units repeat others");
}

/// Such a duel is no pass for a check of changes.
#[test]
fn bots_that_play_the_same_moves_have_no_verdict() {
    let folder = &new_folder();
    write(folder, "smallest.sh", SMALLEST);
    let bots = "minishogi 'old=sh smallest.sh' 'new=sh smallest.sh'";
    // The option wins over the key.
    let flags = "--sandbox auto --set sandbox.mode=off --out alike --force";
    let promise = "if both\n  bots played the same moves in all units (at least";
    let least = promised(&read(&in_project("docs"), "how-to/ci.md"), promise);
    for (units, status) in [(least - 1, 0), (least, 4)] {
        let out = duel(folder, &format!("{bots} {flags} --games {}", 2 * units));
        out.status(status);
        let told = answer(&out);
        let same = format!("both bots played the same moves in all {units} units");
        let start = format!("new against old: {same}");
        assert!(told.starts_with(&start), "{told}");
    }
    let plan = read(folder, "alike/plan.toml");
    assert!(!plan.contains("\nsandbox = "), "{plan}");
}

#[test]
fn more_than_two_bots_play_200_games_a_pairing_and_say_so() {
    let folder = &new_folder();
    let two = equal_bots();
    let three = format!("{two} third={} --out three", sample_bot("onitama-greedy"));
    duel(folder, &format!("onitama {three}"))
        .status(0)
        .contains("three: 600 games of 3 bots")
        .contains("\n200 games per pairing\n");
    for (args, said) in [
        (
            format!("{three} --precision 5"),
            "--precision: a precision ends a match of two bots, and 3 bots play",
        ),
        (
            format!("{two} --precision 0"),
            "expected a number from 0.1 to 1000",
        ),
        (format!("{two} --precision 5 --sprt 0,10"), "together with"),
    ] {
        let refused = duel(folder, &format!("onitama {args}"));
        refused.status(2).contains(said);
    }
}

#[test]
fn the_live_line_says_which_end_is_near() {
    let folder = &new_folder();
    let args = format!("onitama {} --precision 1 --games 20", equal_bots());
    let said = stderr(&duel(folder, &args));
    let live = said.lines().rfind(|line| line.contains("W-D-L"));
    let live = live.expect(&said);
    let ends = [
        "ends after 10 different units at the earliest",
        " Elo, ends at ±1",
        "ends once the interval excludes 0",
    ];
    assert!(ends.iter().any(|end| live.contains(end)), "{live}");
}
