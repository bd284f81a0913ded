//! `arena run` with real processes: what it writes, whatever the worker count, kills and bots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::programs::{self, living, resume, sample_bot, text, timeless, write_program};

fn arena(folder: &Path, args: &[&str]) -> Command {
    let mut command = programs::command(folder, args);
    command.env("OF_TEST", folder);
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    arena(folder, args).output().unwrap()
}

/// A round robin of bots whose answers depend only on their input and seed, with limits that they cannot miss.
fn deterministic(folder: &Path) {
    let (random, greedy, search) = (
        sample_bot("minishogi-random"),
        sample_bot("minishogi-greedy"),
        sample_bot("minishogi-search"),
    );
    let dice = sample_bot("dice-shogi-random");
    let config = format!(
        r#"
        [run]
        seed = 1
        name = "deterministic"
        game = ["minishogi", "dice_shogi"]
        format = "round-robin"
        games = 20
        opening_plies = 2
        [clock]
        first_turn_ms = 60000
        turn_ms = 60000
        [[bot]]
        name = "random"
        command = ["{random}"]
        games = ["minishogi"]
        [[bot]]
        name = "greedy"
        command = ["{greedy}", "--seed", "{{seed}}"]
        games = ["minishogi"]
        [[bot]]
        name = "search"
        command = ["{search}", "--depth", "1"]
        games = ["minishogi"]
        [[bot]]
        name = "dice-a"
        command = ["{dice}"]
        games = ["dice_shogi"]
        [[bot]]
        name = "dice-b"
        command = ["{dice}"]
        games = ["dice_shogi"]
        "#
    );
    fs::write(folder.join("deterministic.toml"), config).unwrap();
}

const GAMES: usize = 3 * 20 + 20;

/// A gauntlet of so many bots, each of them a script.
fn scripts(folder: &Path, bots: usize, script: impl Fn(usize) -> String) {
    let mut config = "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\njobs = 2\n\
        [sandbox]\nmode = \"off\"\n[clock]\nstartup_ms = 60000\n"
        .to_owned();
    for bot in 0..bots {
        let name = format!("b{bot}");
        let greedy = sample_bot("onitama-greedy");
        let text = format!("#!/bin/sh\n{}\nexec {greedy}\n", script(bot));
        write_program(&folder.join(&name), &text);
        let table = format!("[[bot]]\nname = \"{name}\"\ncommand = \"./{name}\"\n");
        config.push_str(&table);
    }
    fs::write(folder.join("r.toml"), config).unwrap();
}

/// To ask all bots takes longer than the run may play.
#[test]
fn the_time_of_a_run_begins_with_its_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    scripts(folder, 6, |_| "sleep 1".to_owned());
    let out = run(folder, &["run", "r.toml", "--for", "2s", "--out", "run"]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{told}");
    assert!(
        programs::summary(&folder.join("run"))["games_played"].as_u64() > Some(0),
        "{told}"
    );
    let asking = "asking 6 bots for a first answer: ";
    let mut lines = told.lines().filter_map(|line| line.strip_prefix(asking));
    assert_eq!(
        [lines.next(), lines.next_back()],
        [Some("0 of 6"), Some("6 of 6")],
        "{told}"
    );
}

/// The first bot answers once the second has started.
#[test]
fn a_slow_bot_keeps_no_other_from_being_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    scripts(folder, 8, |bot| {
        match bot {
        0 => "for i in $(seq 100); do [ -e started ] && break; sleep 0.05; done; [ -e started ] || exit 7",
        1 => "touch started",
        _ => "",
    }
    .to_owned()
    });
    let out = run(folder, &["run", "r.toml"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
}

#[test]
fn results_depend_neither_on_the_workers_nor_on_kills() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    for jobs in ["1", "8"] {
        let out = run(
            folder,
            &[
                "run",
                "deterministic.toml",
                "--jobs",
                jobs,
                "--out",
                jobs,
                "--quiet",
            ],
        );
        assert!(out.status.success(), "{}", text(&out.stderr));
    }
    let whole = timeless(&folder.join("1"));
    assert_eq!(whole.each_ref().map(Vec::len), [GAMES + 1, GAMES]);
    assert_eq!(timeless(&folder.join("8")), whole);

    let mut kills = 0;
    for goal in [5, 30, 31, 60] {
        let args = [
            "run",
            "deterministic.toml",
            "--jobs",
            "2",
            "--out",
            "killed",
            "--quiet",
        ];
        let mut child = arena(folder, &args)
            .args(resume(&folder.join("killed")))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while lines(&folder.join("killed/games.csv")) <= goal {
            sleep(Duration::from_millis(1));
            if child.try_wait().unwrap().is_some() {
                break;
            }
        }
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(kills > 0, "the run was never killed");
    let out = run(
        folder,
        &[
            "run",
            "deterministic.toml",
            "--out",
            "killed",
            "--resume",
            "--quiet",
        ],
    );
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(timeless(&folder.join("killed")), whole);
}

/// More games follow those that were played, whatever kills come in between, and every verb reads the run. A further bot is
/// rejected.
#[test]
fn a_run_is_extended_by_games() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    let succeeds = |args: &[&str]| {
        let out = run(folder, args);
        assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
        text(&out.stdout)
    };
    for out in ["whole", "killed"] {
        succeeds(&[
            "run",
            "deterministic.toml",
            "--out",
            out,
            "--games",
            "6",
            "--quiet",
        ]);
    }
    let before = timeless(&folder.join("whole"));
    let longer = [
        "run",
        "deterministic.toml",
        "--games",
        "8",
        "--jobs",
        "2",
        "--quiet",
        "--out",
    ];
    let out = run(folder, &[&longer[..], &["whole"]].concat());
    let said = "it holds a shorter run: one plan says `games = 8`, the other says `games = 6`";
    assert!(
        out.status.code() == Some(3) && text(&out.stderr).contains(said),
        "{}",
        text(&out.stderr)
    );
    succeeds(&[&longer[..], &["whole", "--resume"]].concat());
    let after = timeless(&folder.join("whole"));
    // Two games more for every pairing of three and of two bots.
    assert_eq!((before[1].len(), after[1].len()), (24, 24 + 2 * (3 + 1)));
    assert!(after[0].starts_with(&before[0]) && after[1].starts_with(&before[1]));
    let plan = fs::read_to_string(folder.join("whole/plan.toml")).unwrap();
    assert!(plan.contains("grown_from = [24]\n"), "{plan}");

    let out = run(
        folder,
        &[
            "run",
            "deterministic.toml",
            "--games",
            "6",
            "--out",
            "whole",
            "--resume",
        ],
    );
    let said = "it holds a larger run: one plan says `games = 8`, the other says `games = 6`\nhint: name as many games";
    assert!(
        out.status.code() == Some(3) && text(&out.stderr).contains(said),
        "{}",
        text(&out.stderr)
    );

    let mut child = arena(folder, &[&longer[..], &["killed", "--resume"]].concat())
        .spawn()
        .unwrap();
    while lines(&folder.join("killed/games.csv")) <= 26 && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if !folder.join("killed/summary.json").exists() {
        succeeds(&[&longer[..], &["killed", "--resume"]].concat());
    }
    assert_eq!(timeless(&folder.join("killed")), after);

    succeeds(&["verify", "whole"]);
    succeeds(&["report", "whole"]);
    succeeds(&["replay", "whole", "31"]);
    succeeds(&["rate", "whole"]);

    let config = folder.join("deterministic.toml");
    let late = format!(
        "[[bot]]\nname = \"late\"\ncommand = [\"{}\"]\n",
        sample_bot("minishogi-greedy")
    );
    fs::write(&config, fs::read_to_string(&config).unwrap() + &late).unwrap();
    let out = run(folder, &[&longer[..], &["whole", "--resume"]].concat());
    let said = text(&out.stderr);
    assert!(
        out.status.code() == Some(3)
            && said.contains("one plan has bot `late`, the other has not")
            && said.contains("`arena rate` joins the games of several runs"),
        "{said}"
    );
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.matches('\n').count())
}

/// In every cycle, all pairings of a game play on one seed, with one opening.
#[test]
fn pairings_on_the_same_seeds_are_extended() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    let config = folder.join("deterministic.toml");
    let text_of_config = fs::read_to_string(&config).unwrap();
    let shared = text_of_config.replace("games = 20", "same_seeds = true\ngames = 4");
    fs::write(&config, shared).unwrap();
    let succeeds = |line: &str| {
        let out = run(folder, &line.split(' ').collect::<Vec<_>>());
        assert!(out.status.success(), "{line}: {}", text(&out.stderr));
        text(&out.stdout)
    };
    succeeds("run deterministic.toml --quiet --games 8 --out whole");
    succeeds("run deterministic.toml --quiet --out grown");
    succeeds("run deterministic.toml --quiet --out grown --games 8 --resume");
    let whole = timeless(&folder.join("whole"));
    assert_eq!(timeless(&folder.join("grown")), whole);
    succeeds("verify whole");
    succeeds("replay whole 31");

    let mut openings: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for line in &whole[1] {
        let record: Value = serde_json::from_str(line).unwrap();
        let game = record["game"].as_str().unwrap().to_owned();
        let opening = record["options"]["opening"].to_string();
        let seed = record["seed"].to_string();
        openings.entry((game, seed)).or_default().insert(opening);
    }
    assert_eq!(openings.len(), 4 + 4, "a seed for each cycle of each game");
    assert!(
        openings.values().all(|openings| openings.len() == 1),
        "{openings:?}"
    );

    let of_run = &programs::summary(&folder.join("whole"))["games"];
    assert_eq!(
        (&of_run[0]["shared_seeds"], &of_run[0]["units"]),
        (&4.into(), &12.into())
    );
    assert!(
        of_run[1]["shared_seeds"].is_null(),
        "two bots have one pairing"
    );
    let said =
        "pairings share 4 seeds, and the luck of each: intervals of ratings count seeds, not units";
    let rated = succeeds("rate whole").replace("\n  ", " ");
    assert!(rated.contains(said), "{rated}");
}

/// One bot that plays, and bots that fail in every way that one can name in a line of shell.
fn faulty(folder: &Path) -> Output {
    let random = sample_bot("minishogi-random");
    let config = format!(
        r#"
        [run]
        seed = 1
        name = "faulty"
        start_anyway = true
        game = ["minishogi", "dice_shogi"]
        games = 2
        opening_plies = 0
        [clock]
        first_turn_ms = 500
        turn_ms = 500
        startup_ms = 0
        [[bot]]
        name = "good"
        command = ["{random}"]
        games = ["minishogi"]
        [[bot]]
        name = "good-dice"
        command = ["{dice}"]
        games = ["dice_shogi"]
        [[bot]]
        name = "crashes"
        command = "sh -c 'read line; echo out of ideas >&2; exit 3'"
        [[bot]]
        name = "hangs"
        command = "sleep 1000"
        [[bot]]
        name = "garbage"
        command = "sh -c 'while read line; do echo \"xyzzy <&>\"; done'"
        [[bot]]
        name = "endless"
        command = "sh -c 'while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done'"
        "#,
        dice = sample_bot("dice-shogi-random"),
    );
    fs::write(folder.join("faulty.toml"), config).unwrap();
    run(folder, &["run", "faulty.toml"])
}

#[test]
fn the_right_bot_is_blamed_with_the_right_fate() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let out = faulty(folder);
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert!(out.status.success(), "{stderr}");
    let [rows, _] = timeless(&folder.join("results/faulty"));
    assert_eq!(rows.len(), 1 + 2 * 4 * 2);
    let fates = [
        ("crashes", "crashed"),
        ("hangs", "timeout"),
        ("garbage", "invalid_action"),
        ("endless", "too_long"),
    ];
    for row in &rows[1..] {
        let row: Vec<&str> = row.split(',').collect();
        let seats = [&row[7..11], &row[11..15]];
        let faulty = seats
            .iter()
            .position(|seat| !seat[0].starts_with("good"))
            .unwrap();
        let [bad, good] = [seats[faulty], seats[1 - faulty]];
        let fate = fates.iter().find(|(bot, _)| *bot == bad[0]).unwrap().1;
        assert_eq!(bad[1..], ["-1", "2", fate], "{row:?}");
        assert_eq!(good[1..], ["1", "1", "ok"], "{row:?}");
        assert_eq!(
            row[4],
            if fate == "invalid_action" {
                "invalid_action"
            } else {
                "timeout"
            },
            "{row:?}"
        );
    }
    for (bot, fate) in fates {
        let line = stdout
            .lines()
            .find(|line| line.contains(&format!("  {bot} ")))
            .unwrap();
        assert!(line.ends_with(&format!("2 {fate}")), "{stdout}");
    }
    assert!(
        stderr.contains("crashes, seat 1, turn 2: crashed, exit code 3; it said: \"out of ideas\""),
        "{stderr}"
    );
    assert!(
        stderr.contains("garbage, seat 0, turn 1: invalid_action \"xyzzy <&>\""),
        "{stderr}"
    );

    let out = run(folder, &["verify", "results/faulty/records.jsonl"]);
    assert_eq!(text(&out.stdout), "16 games verified, 0 mismatches\n");
    assert!(out.status.success());
}

#[test]
fn a_finished_run_is_not_played_twice() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    let args = ["run", "deterministic.toml", "--games", "2", "--quiet"];
    assert!(run(folder, &args).status.success());
    let rows = fs::read(folder.join("results/deterministic/games.csv")).unwrap();
    let out = run(folder, &args);
    assert_eq!(out.status.code(), Some(3));
    assert_eq!(
        text(&out.stderr),
        "error: can't use results/deterministic: it holds a finished run of 8 games\nhint: \
         --force replaces it, --out DIR plays elsewhere\n"
    );
    assert_eq!(
        fs::read(folder.join("results/deterministic/games.csv")).unwrap(),
        rows
    );
}

#[test]
fn the_trace_holds_what_the_bots_were_sent() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    assert!(
        run(
            folder,
            &[
                "run",
                "deterministic.toml",
                "--games",
                "2",
                "--quiet",
                "--trace"
            ]
        )
        .status
        .success()
    );
    let records = folder.join("results/deterministic/records.jsonl");
    let kept = fs::read_to_string(&records).unwrap();
    assert!(kept.contains("\"input\":\"0\\n5\\n"));
    let out = run(folder, &["verify", "results/deterministic"]);
    assert_eq!(text(&out.stdout), "8 games verified, 0 mismatches\n");
}

/// A bot that needs a second for each answer, so that a signal finds games in flight.
fn slow(folder: &Path) -> std::process::Child {
    let random = sample_bot("minishogi-random");
    let config = format!(
        r#"
        [run]
        seed = 1
        name = "slow"
        game = "minishogi"
        games = 100
        jobs = 1
        [clock]
        first_turn_ms = 20000
        turn_ms = 20000
        [[bot]]
        name = "random"
        command = ["{random}"]
        [[bot]]
        name = "slow"
        command = "sh -c 'while :; do sleep 1; echo nonsense; done'"
        "#
    );
    fs::write(folder.join("slow.toml"), config).unwrap();
    let child = arena(folder, &["run", "slow.toml"])
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The first game is written, so the second one is being played.
    while lines(&folder.join("results/slow/games.csv")) < 2 {
        sleep(Duration::from_millis(5));
    }
    child
}

fn signal(child: &std::process::Child, name: &str) {
    assert!(
        Command::new("kill")
            .args([name, &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn the_first_interrupt_finishes_the_games_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let child = slow(folder);
    signal(&child, "-INT");
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(130), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("2 of 100 games"),
        "{}",
        text(&out.stdout)
    );
    assert_eq!(lines(&folder.join("results/slow/games.csv")), 1 + 2);
    assert!(folder.join("results/slow/summary.json").exists());
    assert_eq!(living("OF_TEST", folder), [""; 0]);
    let out = run(folder, &["run", "slow.toml"]);
    assert!(
        text(&out.stderr).contains("unfinished run, 2 of 100 games\nhint: --resume continues it"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn a_second_signal_ends_the_games_in_flight_at_once() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut child = slow(folder);
        signal(&child, name);
        if name == "-INT" {
            // The first one only lets the games in flight finish; it is heard before the second is sent.
            let mut said = [0; 9];
            child
                .stderr
                .as_mut()
                .unwrap()
                .read_exact(&mut said)
                .unwrap();
            while !said.ends_with(b"finishing") {
                said.rotate_left(1);
                child
                    .stderr
                    .as_mut()
                    .unwrap()
                    .read_exact(&mut said[8..])
                    .unwrap();
            }
            signal(&child, name);
        }
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(code), "{}", text(&out.stderr));
        assert_eq!(
            lines(&folder.join("results/slow/games.csv")),
            1 + 1,
            "the game in flight has no result"
        );
        assert_eq!(living("OF_TEST", folder), [""; 0]);
    }
}

/// The files of a large run take longer than the games in flight may. Here the reader of the first one is slow.
#[test]
fn a_signal_leaves_the_program_the_time_to_write_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let child = slow(folder);
    let results = folder.join("results/slow");
    assert!(
        Command::new("mkfifo")
            .arg(results.join("pending"))
            .status()
            .unwrap()
            .success()
    );
    signal(&child, "-TERM");
    sleep(Duration::from_secs(3));
    fs::read(results.join("pending")).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(143), "{}", text(&out.stderr));
    for file in ["timings.csv", "pairings.csv", "summary.json", "report.html"] {
        assert!(results.join(file).exists(), "{file}: {}", text(&out.stderr));
    }
    assert_eq!(living("OF_TEST", folder), [""; 0]);
}

/// A stopped run reports how many games it waits for.
#[test]
fn what_still_runs_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = r#"
        [run]
        seed = 1
        name = "sleepy"
        game = "minishogi"
        jobs = 1
        [clock]
        first_turn_ms = 60000
        [[bot]]
        name = "sleepy"
        command = "sleep 1000"
        [[bot]]
        name = "sleepier"
        command = "sleep 1001"
        "#;
    fs::write(folder.join("sleepy.toml"), config).unwrap();
    let mut child = arena(folder, &["run", "sleepy.toml"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(
        stderr.any(|line| line.starts_with("sandbox: ")),
        "the games are about to begin"
    );
    sleep(Duration::from_secs(1));
    signal(&child, "-INT");
    assert!(stderr.any(|line| line.contains("waiting for 1 game, the longest for ")));
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(living("OF_TEST", folder), [""; 0]);
}

/// Whatever is lost of what follows from the records is made again.
#[test]
fn a_report_writes_all_files_that_follow_from_the_records() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    assert!(
        run(
            folder,
            &[
                "run",
                "deterministic.toml",
                "--quiet",
                "--set",
                "run.metrics=true"
            ]
        )
        .status
        .success()
    );
    let results = folder.join("results/deterministic");
    let names = [
        "games.csv",
        "ratings.csv",
        "pairings.csv",
        "timings.csv",
        "metrics.csv",
        "summary.json",
        "report.html",
    ];
    let [games, summary] =
        ["games.csv", "summary.json"].map(|name| fs::read_to_string(results.join(name)).unwrap());
    for name in names {
        fs::remove_file(results.join(name)).unwrap();
    }
    assert!(
        run(folder, &["report", "results/deterministic"])
            .status
            .success()
    );
    assert!(names.iter().all(|name| results.join(name).exists()));
    assert_eq!(
        fs::read_to_string(results.join("games.csv")).unwrap(),
        games
    );
    assert!(summary.contains("\"finished\": true"));
    assert!(
        fs::read_to_string(results.join("summary.json"))
            .unwrap()
            .contains("\"finished\": true")
    );
    let out = run(
        folder,
        &["run", "deterministic.toml", "--set", "run.metrics=true"],
    );
    assert!(
        text(&out.stderr).contains("it holds a finished run"),
        "{}",
        text(&out.stderr)
    );
}

/// A plan says what was played: every command that reads one refuses it after a single byte was changed.
#[test]
fn a_changed_plan_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    let config = [
        "run",
        "deterministic.toml",
        "--quiet",
        "--out",
        "out",
        "--games",
        "2",
    ];
    assert!(run(folder, &config).status.success());
    fs::remove_file(folder.join("out/summary.json")).unwrap();
    let resume = [&config[..], &["--resume"]].concat();
    let readers: [&[&str]; 5] = [
        &["report", "out", "--json", "-"],
        &["rate", "out"],
        &["verify", "out"],
        &["replay", "out", "0"],
        &resume,
    ];
    let plan = folder.join("out/plan.toml");
    let written = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, written.replacen("turn_ms = 60000", "turn_ms = 7", 1)).unwrap();
    for reader in readers {
        let out = run(folder, reader);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(3), "{reader:?}: {said}");
        assert!(
            said.contains("plan.toml") && said.contains("was changed"),
            "{reader:?}: {said}"
        );
    }
    for at in (0..written.len()).step_by(written.len() / 8) {
        let mut changed = written.clone().into_bytes();
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        fs::write(&plan, changed).unwrap();
        let out = run(folder, readers[0]);
        assert_eq!(
            out.status.code(),
            Some(3),
            "byte {at}: {}",
            text(&out.stderr)
        );
    }
}

/// A terminal sends its signals to the whole group, and a bot that is just being started still belongs to it.
#[test]
fn a_signal_to_the_group_blames_no_bot() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    let mut interrupted = 0;
    for round in 0..20 {
        let out = folder.join(round.to_string());
        let args = [
            "run",
            "deterministic.toml",
            "--games",
            "1000",
            "--quiet",
            "--out",
            out.to_str().unwrap(),
        ];
        let mut child = arena(folder, &args)
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while lines(&out.join("games.csv")) < 5 {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_micros(700 * round));
        let group = format!("-{}", child.id());
        assert!(
            Command::new("kill")
                .args(["-INT", "--", &group])
                .status()
                .unwrap()
                .success()
        );
        interrupted += usize::from(child.wait().unwrap().code() == Some(130));
        let rows = fs::read_to_string(out.join("games.csv")).unwrap();
        assert!(!rows.contains("crashed"), "{rows}");
    }
    assert_eq!(interrupted, 20);
}

/// A run whose build never ends.
const ENDLESS: &str = r#"
[run]
seed = 1
game = "minishogi"
[[bot]]
name = "a"
command = "sh"
build = "sh -c 'echo $$ >> pids; sleep 1000'"
[[bot]]
name = "b"
command = "sh"
"#;

#[test]
fn a_build_ends_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("endless.toml"), ENDLESS).unwrap();
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = arena(folder, &["run", "endless.toml"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while lines(&folder.join("pids")) < 1 {
            sleep(Duration::from_millis(5));
        }
        signal(&child, name);
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(code), "{}", text(&out.stderr));
        assert_eq!(living("OF_TEST", folder), [""; 0]);
        assert!(!folder.join("results").exists());
        fs::remove_file(folder.join("pids")).unwrap();
    }
}

#[test]
fn a_folder_is_taken_before_bots_are_built() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("endless.toml"), ENDLESS).unwrap();
    let first = arena(folder, &["run", "endless.toml"]).spawn().unwrap();
    while lines(&folder.join("pids")) < 1 {
        sleep(Duration::from_millis(5));
    }
    for how in [&[][..], &["--resume"], &["--force"]] {
        let second = run(folder, &[&["run", "endless.toml", "--quiet"], how].concat());
        assert_eq!(
            (second.status.code(), text(&second.stderr).as_str()),
            (
                Some(3),
                "error: can't use results/endless: another arena is writing to it\n"
            )
        );
    }
    assert_eq!(lines(&folder.join("pids")), 1);
    signal(&first, "-INT");
    assert_eq!(first.wait_with_output().unwrap().status.code(), Some(130));
    assert!(!folder.join("results").exists());
}

#[test]
fn only_folders_of_a_run_that_never_began_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("failing.toml"),
        ENDLESS.replace("sleep 1000", "exit 9"),
    )
    .unwrap();
    fs::create_dir_all(folder.join("mine/empty")).unwrap();
    for out in ["a/b/run", "mine/run", "mine/empty"] {
        let failed = run(folder, &["run", "failing.toml", "--quiet", "--out", out]);
        assert_eq!(failed.status.code(), Some(3), "{}", text(&failed.stderr));
    }
    let silent = ["sh -c 'exit 7'", "sh -c 'exit 8'"];
    let duel = run(folder, &["duel", "minishogi", silent[0], silent[1]]);
    assert_eq!(duel.status.code(), Some(3), "{}", text(&duel.stderr));
    let folders = ["a", "mine", "mine/run", "mine/empty"];
    let left = folders.map(|name| folder.join(name).exists());
    assert_eq!(left, [false, true, false, true]);
    assert_eq!(fs::read_dir(folder.join("results")).unwrap().count(), 0);
}

#[test]
fn a_bot_that_cannot_be_run_is_refused_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_program(&folder.join("bot"), "#!/no/such/interpreter\n");
    let config = "[run]\ngame = \"minishogi\"\n[[bot]]\nname = \"a\"\ncommand = \"sh\"\n[[bot]]\nname = \"b\"\ncommand = \"./bot\"\n";
    fs::write(folder.join("bad.toml"), config).unwrap();
    let out = run(folder, &["run", "bad.toml"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(
        text(&out.stderr)
            .contains("\nerror: can't start the bot `b`: can't run `./bot` (the interpreter"),
        "{}",
        text(&out.stderr)
    );
    assert!(!folder.join("results").exists());
}

#[test]
fn a_failed_build_shows_its_output_and_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let refused = |command: &str, build: &str| {
        let config = format!(
            r#"
            [run]
            seed = 1
            game = "minishogi"
            [[bot]]
            name = "a"
            command = "{command}"
            build = "{build}"
            [[bot]]
            name = "b"
            command = "sh"
            "#
        );
        fs::write(folder.join("built.toml"), config).unwrap();
        let out = run(folder, &["run", "built.toml", "--quiet"]);
        assert_eq!(out.status.code(), Some(3));
        assert!(!folder.join("results").exists());
        text(&out.stderr)
    };
    let stderr = refused(
        "sh",
        "sh -c 'echo compiling; echo line 7 is wrong >&2; exit 9'",
    );
    assert!(
        stderr.starts_with("error: can't build bot `a` with `sh -c"),
        "{stderr}"
    );
    assert!(
        stderr.contains("exit status: 9\ncompiling\nline 7 is wrong\n"),
        "{stderr}"
    );
    let stderr = refused("./built-bot", "true");
    assert!(
        stderr.starts_with(
            "error: can't start bot `a`: can't find the program `./built-bot`: there is no such file"
        ),
        "{stderr}"
    );
}

#[test]
fn games_that_cannot_be_played_are_told_and_played_later() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = r#"
        [run]
        seed = 1
        name = "vanishing"
        game = "minishogi"
        games = 60
        jobs = 1
        [sandbox]
        mode = "off"
        [[bot]]
        name = "vanishes"
        command = "./vanishes"
        [[bot]]
        name = "garbage"
        command = "echo garbage"
    "#;
    fs::write(folder.join("vanishing.toml"), config).unwrap();
    // It still exists when arena tries to start it.
    let script =
        "#!/bin/sh\nread -r line\n[ ! -e tried ] || rm -f vanishes\ntouch tried\necho garbage\n";
    let install = |script: &str| {
        fs::write(folder.join("vanishes"), script).unwrap();
        assert!(
            Command::new("chmod")
                .arg("+x")
                .arg(folder.join("vanishes"))
                .status()
                .unwrap()
                .success()
        );
    };
    install(script);
    let out = run(folder, &["run", "vanishing.toml", "--quiet"]);
    assert_eq!(out.status.code(), Some(5), "{}", text(&out.stderr));
    assert!(
        text(&out.stderr).contains("game 1 could not be played: can't start the bot `vanishes`"),
        "{}",
        text(&out.stderr)
    );
    assert!(
        text(&out.stdout).contains("1 of 60 games"),
        "{}",
        text(&out.stdout)
    );
    // It has to be the same program, or the run would not be one.
    install(&script.replace("rm", "true"));
    let out = run(folder, &["run", "vanishing.toml", "--quiet", "--resume"]);
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
    assert!(
        text(&out.stderr).contains("bot `vanishes` is not the same: ./vanishes has changed"),
        "{}",
        text(&out.stderr)
    );
}

/// The folders that a bot may read and its classes are part of it, down to the file.
#[test]
fn a_bot_that_is_a_folder_must_be_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, content) in [
        ("book/a/first.txt", "1"),
        ("classes/Player.class", "1"),
        ("bot.sh", "echo nonsense"),
    ] {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), content).unwrap();
    }
    let random = sample_bot("minishogi-random");
    let config = format!(
        r#"
        [run]
        seed = 1
        game = "minishogi"
        games = 2
        [[bot]]
        name = "random"
        command = ["{random}"]
        [[bot]]
        name = "folder"
        command = "sh bot.sh -cp classes"
        read = ["book"]
        "#
    );
    fs::write(folder.join("folders.toml"), config).unwrap();
    let run_again = || run(folder, &["run", "folders.toml", "--quiet", "--resume"]);
    let lose_a_game = || {
        let results = folder.join("results/folders");
        let records = fs::read_to_string(results.join("records.jsonl")).unwrap();
        fs::write(
            results.join("records.jsonl"),
            records.lines().next().unwrap().to_owned() + "\n",
        )
        .unwrap();
        for name in ["summary.json", "games.csv"] {
            fs::remove_file(results.join(name)).unwrap();
        }
    };
    // The bot answers nonsense: there is no verdict.
    assert_eq!(run_again().status.code(), Some(4));
    lose_a_game();
    // What is no program may lie beside classes.
    fs::write(folder.join("classes/notes.txt"), "").unwrap();
    assert_eq!(run_again().status.code(), Some(4));
    lose_a_game();
    for (name, content, said) in [
        (
            "book/a/first.txt",
            Some("2"),
            "bot `folder` is not the same: book/a/first.txt has changed",
        ),
        ("book/a/first.txt", Some("1"), ""),
        (
            "book/second.txt",
            Some("1"),
            "bot `folder` is not the same: book/ has changed",
        ),
        ("book/second.txt", None, ""),
        (
            "classes/Player.class",
            Some("2"),
            "bot `folder` is not the same: classes/Player.class has changed",
        ),
        ("classes/Player.class", Some("1"), ""),
    ] {
        match content {
            Some(content) => fs::write(folder.join(name), content).unwrap(),
            None => fs::remove_file(folder.join(name)).unwrap(),
        }
        if !said.is_empty() {
            let out = run_again();
            assert_eq!(out.status.code(), Some(3), "{name}: {}", text(&out.stderr));
            assert!(text(&out.stderr).contains(said), "{}", text(&out.stderr));
        }
    }
    assert_eq!(run_again().status.code(), Some(4), "all is as it was");
}

#[test]
fn without_a_terminal_progress_is_told_in_lines_unless_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    deterministic(folder);
    let out = run(folder, &["run", "deterministic.toml", "--games", "2"]);
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert!(
        stderr.starts_with(
            "asking 5 bots for a first answer: 0 of 5\n\
             asking 5 bots for a first answer: 5 of 5\n\
             deterministic: 8 games of 5 bots"
        ),
        "{stderr}"
    );
    assert!(stderr.contains("8/8 games, "), "{stderr}");
    assert!(
        stderr.contains("; MiniShogi: ") && stderr.contains("W-D-L "),
        "{stderr}"
    );
    assert!(
        stdout.starts_with("MiniShogi: search has won everything\n"),
        "{stdout}"
    );
    assert!(
        stdout.contains("\n\nMiniShogi\n6 games\n #  bot "),
        "{stdout}"
    );
    assert!(
        !(stdout + &stderr).contains('\u{1b}'),
        "no terminal, no escapes"
    );
    let out = run(
        folder,
        &[
            "run",
            "deterministic.toml",
            "--games",
            "2",
            "--quiet",
            "--force",
        ],
    );
    assert_eq!(text(&out.stderr), "");
}

#[test]
fn perft_counts_and_splits() {
    let folder = tempfile::tempdir().unwrap();
    let perft = |args: &[&str]| run(folder.path(), &[&["perft", "minishogi"], args].concat());
    let out = perft(&["--depth", "3"]);
    let stdout = text(&out.stdout);
    assert!(
        stdout.starts_with("5544: ") && stdout.ends_with("\n2512\n"),
        "{stdout}"
    );
    assert_eq!(stdout.lines().count(), 14 + 1);
    let out = perft(&["--depth", "2", "--sfen", "k2+PS/2G2/BS3/b2K1/R4 b PRg 101"]);
    assert!(
        text(&out.stdout).ends_with("\n955\n"),
        "{}",
        text(&out.stdout)
    );
    let out = perft(&["--sfen", "k4/5/5/5/5 b -"]);
    assert_eq!(out.status.code(), Some(3), "{}", text(&out.stderr));
    assert!(
        text(&out.stderr).starts_with("error: "),
        "{}",
        text(&out.stderr)
    );
}

/// Whatever is wrong with a config: one message that shows the place, exit status 3, nothing started, nothing written.
#[test]
fn a_mistake_in_the_config_stops_everything() {
    let good = r#"
[run]
name = "good"
game = "minishogi"
games = 2
[clock]
turn_ms = 100
[[bot]]
name = "a"
command = "sh -c 'echo started >> started'"
[[bot]]
name = "b"
command = "sh -c 'echo started >> started'"
"#;
    let cases = [
        ("games = 2", "gmaes = 2"),
        ("games = 2", "games = \"two\""),
        ("games = 2", "games = 0"),
        ("games = 2", "opening_plies = 3"),
        ("turn_ms = 100", "turn_ms = -5"),
        ("game = \"minishogi\"", "game = \"minishogo\""),
        ("name = \"b\"", "name = \"a\""),
        (
            "name = \"b\"\ncommand = \"sh -c 'echo started >> started'\"",
            "name = \"b\"\ncommand = \"./no-such-bot --depth 3\"",
        ),
        (
            "name = \"b\"\ncommand = \"sh -c 'echo started >> started'\"",
            "name = \"b\"\ncommand = \"./bad.toml\"",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut messages = String::new();
    let mut check = |args: &[&str]| {
        let out = run(folder, args);
        assert_eq!(out.status.code(), Some(3));
        assert_eq!(text(&out.stdout), "");
        messages += &text(&out.stderr).replace(&folder.display().to_string(), "FOLDER");
        messages.push('\n');
        assert!(!folder.join("results").exists() && !folder.join("started").exists());
    };
    for (right, wrong) in cases {
        assert!(good.contains(right));
        fs::write(folder.join("bad.toml"), good.replacen(right, wrong, 1)).unwrap();
        check(&["run", "bad.toml"]);
    }
    check(&["run", "no-such.toml"]);
    check(&["run", "."]);
    fs::write(folder.join("bad.toml"), b"[run]\nname = \"caf\xe9\"\n").unwrap();
    check(&["run", "bad.toml"]);
    insta::assert_snapshot!(messages);
}

/// Kutulu with a user's maps: from a broken folder nothing starts; from a good one the records prove themselves, until the
/// folder changes.
#[test]
fn kutulu_is_played_on_the_maps_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = |number: u32| {
        format!("[[bot]]\nname = \"waiter-{number}\"\ncommand = [\"yes\", \"WAIT\"]\n")
    };
    let bots = [1, 2, 3, 4].map(bot).concat();
    let config = format!(
        "[run]\nseed = 1\ngame = \"kutulu\"\ngames = 8\n{bots}[game.kutulu]\nmaps = \"maps\"\n"
    );
    fs::write(folder.join("k.toml"), config).unwrap();
    fs::create_dir(folder.join("maps")).unwrap();
    fs::write(
        folder.join("maps/good.txt"),
        "#######\n#S...S#\n#......\n#S...S#\n#######\n",
    )
    .unwrap();
    fs::write(
        folder.join("maps/short.txt"),
        "#######\n#S...S#\n#..w..\n#S...S#\n#######\n",
    )
    .unwrap();

    let broken = run(folder, &["run", "k.toml"]);
    assert_eq!(
        (broken.status.code(), folder.join("results").exists()),
        (Some(3), false)
    );
    insta::assert_snapshot!(text(&broken.stderr));

    fs::remove_file(folder.join("maps/short.txt")).unwrap();
    let played = run(folder, &["run", "k.toml"]);
    assert_eq!(played.status.code(), Some(0), "{}", text(&played.stderr));
    let said = text(&played.stderr);
    let warnings: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("warning: "))
        .collect();
    insta::assert_snapshot!(warnings.join("\n"));
    let verify = || text(&run(folder, &["verify", "results/k/records.jsonl"]).stdout);
    assert_eq!(verify(), "8 games verified, 0 mismatches\n");
    fs::write(
        folder.join("maps/other.txt"),
        "#######\n#S...S#\n#.....#\n#S...S#\n#######\n",
    )
    .unwrap();
    assert!(verify().ends_with("8 games verified, 8 mismatches\n"));
}
