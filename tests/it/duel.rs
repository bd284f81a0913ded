//! Sequential tests and duels with real processes: verdicts, exit codes, and that neither workers nor kills change them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::programs::{Said as _, arena, command, resume, sample_bot, stderr, stdout};

/// Limits that no bot misses, however busy the machine is.
pub(crate) const UNHURRIED: [&str; 6] = [
    "--set",
    "clock.first_turn_ms=60000",
    "--set",
    "clock.turn_ms=60000",
    "--set",
    "clock.startup_ms=60000",
];

fn duel(folder: &Path, args: &[&str]) -> Output {
    duel_with_fresh_seed(folder, &[args, &["--seed", "1"]].concat())
}

fn duel_with_fresh_seed(folder: &Path, args: &[&str]) -> Output {
    arena(folder, &[&["duel"], args, &UNHURRIED].concat())
}

/// The first line of standard output: the sentence that answers the question.
fn answer(out: &Output) -> String {
    stdout(out).lines().next().unwrap_or_default().to_owned()
}

fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

fn sprt_csv(run: &Path) -> String {
    fs::read_to_string(run.join("sprt.csv")).unwrap()
}

#[test]
fn equal_bots_pass_and_a_handicapped_one_is_rejected_whatever_the_workers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("minishogi-search");
    let old = format!("{bot} --depth 1 --seed 9");
    let (same, worse) = (
        format!("{bot} --depth 1"),
        format!("{bot} --depth 1 --blunder 20"),
    );
    for (new, bounds, name, code, end) in [
        (&same, "-30,0", "same", 0, "SPRT [-30, 0] accepted"),
        (&worse, "-30,0", "worse", 1, "SPRT [-30, 0] rejected"),
    ] {
        let runs = ["1", "8"].map(|jobs| {
            let out = format!("{name}-{jobs}");
            let played = duel(
                folder,
                &[
                    "minishogi",
                    &old,
                    new,
                    &format!("--sprt={bounds}"),
                    "--jobs",
                    jobs,
                    "--out",
                    &out,
                ],
            );
            played.status(code);
            assert!(answer(&played).contains(end), "{}", answer(&played));
            (
                sprt_csv(&folder.join(&out)),
                summary(&folder.join(&out))["sprt"].clone(),
                answer(&played),
            )
        });
        assert_eq!(runs[0], runs[1]);
        assert_eq!(
            runs[0].0.lines().count() as u64,
            1 + runs[0].1["result"]["units"].as_u64().unwrap()
        );
    }
}

/// Plays a duel until it has a few games, and stops it like Ctrl-C.
pub(crate) fn stopped(folder: &Path, run: &str, args: &[&str]) -> Output {
    let args = [&["duel"], args, &["--out", run, "--quiet"], &UNHURRIED].concat();
    let mut child = command(folder, &args)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while fs::read_to_string(folder.join(run).join("games.csv"))
        .map_or(0, |rows| rows.lines().count())
        < 9
    {
        assert_eq!(child.try_wait().unwrap(), None);
        sleep(Duration::from_millis(5));
    }
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let stopped = child.wait_with_output().unwrap();
    stopped.status(130);
    stopped
}

/// Later reports of a run of two bots show the interval in force.
fn read_later(folder: &Path, run: &str, interval: &str) {
    let shown = |args: &[&str]| stdout(&arena(folder, args));
    let named = match interval {
        "once" => "LOS",
        "every_look" => "95% at every look",
        _ => "interval of the test",
    };
    for verb in ["elo", "rate"] {
        let told = shown(&[verb, run]);
        let is_named = told.contains(named) || interval == "once" && told.contains("verdict");
        assert!(is_named, "{told}");
        assert!(interval != "every_look" || !told.contains("LOS"), "{told}");
    }
    let json = |args: &[&str]| {
        serde_json::from_str::<Value>(&shown(&[args, &["--json"]].concat())).unwrap()
    };
    let (elo, rated) = (json(&["elo", run]), json(&["rate", run]));
    assert_eq!(
        (&elo["interval"], &rated["games"][0]["interval"]),
        (&interval.into(), &interval.into())
    );
    let number = |value: &Value| value.as_f64().unwrap();
    if let Some(width) = elo["hi95"]
        .as_f64()
        .zip(elo["lo95"].as_f64())
        .map(|(hi, lo)| hi - lo)
    {
        let best = &rated["games"][0]["bots"][0];
        assert!(
            (4.0 * number(&best["error95"]) - width).abs() < 1e-9,
            "half of the error stands with each: {rated}"
        );
    }
}

/// A sequential test promises something of its end, and has an interval that says the same. Before it, the interval is the one that
/// holds at every look.
#[test]
fn a_test_has_no_interval_for_a_single_look() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Equal bots, which so close bounds do not tell apart before the test is stopped.
    let bots = ["a", "b"].map(|name| format!("{name}={}", sample_bot("onitama-random")));
    let test = |bounds| ["onitama", &bots[0], &bots[1], "--sprt", bounds];
    let open = stopped(folder, "open", &test("0,0.01,max_units=1000000"));
    let named = "(95% at every look)";
    assert!(
        answer(&open).contains(named) && answer(&open).contains("inconclusive so far"),
        "{}",
        answer(&open)
    );
    open.lacks("LOS");
    let report = |flag: &str| stdout(&arena(folder, &["report", "open", flag, "-"]));
    for flag in ["--markdown", "--html"] {
        assert!(report(flag).contains(named), "{}", report(flag));
    }
    read_later(folder, "open", "every_look");
    let decided = duel(
        folder,
        &[&test("0,100")[..], &["--out", "decided", "--quiet"]].concat(),
    );
    assert!(
        !answer(&decided).contains(named) && answer(&decided).contains("SPRT"),
        "{}",
        stdout(&decided)
    );
    read_later(folder, "decided", "test");
}

/// If you may stop because of what you see, every report shows an interval that allows for it; at the end that was
/// announced it is the usual one.
#[test]
fn a_match_that_is_stopped_has_the_interval_for_every_look() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let named = "(95% at every look)";
    let reports = |run: &str| {
        ["--markdown", "--junit", "--html"]
            .map(|flag| stdout(&arena(folder, &["report", run, flag, "-"])))
    };
    let of_run = |run: &str| summary(&folder.join(run))["games"][0]["interval"].clone();
    for game in ["onitama", "kutulu"] {
        let bots = ["greedy", "random"].map(|bot| sample_bot(&format!("{game}-{bot}")));
        let (long, short) = (format!("{game}-long"), format!("{game}-short"));
        let stopped = stopped(
            folder,
            &long,
            &[game, &bots[0], &bots[1], "--games", "1000000"],
        );
        let played = duel(
            folder,
            &[
                game, &bots[0], &bots[1], "--out", &short, "--games", "8", "--quiet",
            ],
        );
        assert_eq!(
            answer(&played).contains("no verdict"),
            played.status.code() == Some(4)
        );
        for (run, answer, is_named) in [
            (&long, answer(&stopped), true),
            (&short, answer(&played), false),
        ] {
            assert_eq!(answer.contains(named), is_named, "{answer}");
            let interval = if is_named { "every_look" } else { "once" };
            assert_eq!(of_run(run), interval);
            for report in reports(run) {
                assert_eq!(report.contains(named), is_named, "{run}: {report}");
            }
            read_later(folder, run, interval);
        }
        let joined = stdout(&arena(folder, &["rate", &long, &short]));
        assert!(joined.contains("95% at every look"), "{joined}");
        // More games after a look.
        let more = ["--out", &short, "--games", "16", "--quiet", "--resume"];
        let extended = duel(folder, &[&[game, &bots[0], &bots[1]], &more[..]].concat());
        assert!(
            extended.status.success() && answer(&extended).contains(named),
            "{}{}",
            stdout(&extended),
            stderr(&extended)
        );
        assert!(reports(&short).iter().all(|report| report.contains(named)));
    }
}

#[test]
fn a_clear_case_ends_early() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (old, new) = (
        sample_bot("onitama-random"),
        sample_bot("onitama-search") + " --depth 1",
    );
    let args = ["onitama", &old, &new, "--sprt", "0,10", "--out"];
    let played = duel(folder, &[&args[..], &["early"]].concat());
    played.status(0);
    assert!(
        answer(&played).ends_with("SPRT [0, 10] accepted early"),
        "{}",
        answer(&played)
    );
    played.contains("90.0% interval of the test");
    let sprt = &summary(&folder.join("early"))["sprt"];
    let estimate = &sprt["estimate"];
    assert_eq!(
        (&sprt["ended_by"], &estimate["interval"], &estimate["los"]),
        (&"betting".into(), &"test".into(), &Value::Null)
    );
    assert!(estimate["lo95"].as_f64().unwrap() > 10.0, "{sprt}");
    let enough = &sprt["bets"]["enough"][0];
    assert!(
        sprt["bets"]["ln"][0].as_f64() >= enough.as_f64()
            && sprt["llr"].as_f64() < sprt["upper"].as_f64()
    );
    assert!(sprt["result"]["units"].as_u64().unwrap() < 20, "{sprt}");
    let reported = arena(folder, &["report", "early", "--markdown", "-"]);
    assert!(
        stdout(&reported).matches("evidence ").count() == 1
            && stdout(&reported).contains("**Clear case** after "),
        "{}",
        stdout(&reported)
    );
    let resumed = duel(
        folder,
        &[
            &args[..],
            &["early", "--set", "sprt.early=false", "--resume"],
        ]
        .concat(),
    );
    resumed.status(3).contains("`early`");

    let played = duel(
        folder,
        &[&args[..], &["late", "--set", "sprt.early=false"]].concat(),
    );
    assert!(
        answer(&played).ends_with("SPRT [0, 10] accepted"),
        "{}",
        answer(&played)
    );
    let sprt = &summary(&folder.join("late"))["sprt"];
    assert_eq!(
        (&sprt["ended_by"], &sprt["bets"]),
        (&"likelihood".into(), &Value::Null)
    );
    assert!(sprt["result"]["units"].as_u64().unwrap() > 100, "{sprt}");
    assert!(
        !fs::read_to_string(folder.join("late/plan.toml"))
            .unwrap()
            .contains("early =")
    );
}

#[test]
fn a_killed_test_ends_after_the_same_unit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("onitama-search");
    let config = format!(
        "[run]\nname = \"k\"\ngame = \"onitama\"\nformat = \"sprt\"\nseed = 2\nopening_plies = 2\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n[sprt]\nelo0 = -100\nelo1 = 0\n\
         [[bot]]\nname = \"new\"\ncommand = \"{bot} --depth 1 --blunder 5\"\n\
         [[bot]]\nname = \"old\"\ncommand = \"{bot} --depth 1 --blunder 5\"\n"
    );
    fs::write(folder.join("k.toml"), config).unwrap();
    let whole = arena(folder, &["run", "k.toml", "--out", "whole", "--quiet"]);
    let code = whole.status.code();
    assert!(matches!(code, Some(0 | 1)), "{}", stderr(&whole));
    let units = sprt_csv(&folder.join("whole")).lines().count() - 1;
    assert!(units > 12, "{units}");

    let mut kills = 0;
    for goal in [5, 14] {
        let args = ["run", "k.toml", "--jobs", "2", "--out", "killed", "--quiet"];
        let mut child = command(folder, &args)
            .args(resume(&folder.join("killed")))
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
    let resumed = arena(
        folder,
        &["run", "k.toml", "--out", "killed", "--resume", "--quiet"],
    );
    assert_eq!(resumed.status.code(), code, "{}", stderr(&resumed));
    assert_eq!(
        sprt_csv(&folder.join("killed")),
        sprt_csv(&folder.join("whole"))
    );
    assert_eq!(
        summary(&folder.join("killed"))["sprt"],
        summary(&folder.join("whole"))["sprt"]
    );
    assert_eq!(answer(&resumed), answer(&whole));
    let again = arena(folder, &["run", "k.toml", "--out", "killed", "--resume"]);
    assert!(
        again.status.code() == code && stderr(&again).contains("finished"),
        "{}",
        stderr(&again)
    );
}

#[test]
fn four_seats_are_tested_two_against_two() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (old, new) = (sample_bot("kutulu-random"), sample_bot("kutulu-greedy"));
    let runs = ["1", "8"].map(|jobs| {
        let played = duel(
            folder,
            &[
                "kutulu", &old, &new, "--sprt", "0,100", "--jobs", jobs, "--out", jobs,
            ],
        );
        played.status(0).contains("2v2 mirror");
        assert!(
            answer(&played).starts_with("kutulu-greedy is stronger: "),
            "{}",
            answer(&played)
        );
        assert_eq!(summary(&folder.join(jobs))["sprt"]["design"], "mirror");
        (sprt_csv(&folder.join(jobs)), answer(&played))
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_test_that_reaches_its_maximum_is_inconclusive() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("onitama-random");
    let config = format!(
        "[run]\nseed = 1\nname = \"short\"\ngame = \"onitama\"\nformat = \"sprt\"\n[sprt]\nmax_units = 3\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [[bot]]\nname = \"new\"\ncommand = \"{bot}\"\n[[bot]]\nname = \"old\"\ncommand = \"{bot}\"\n"
    );
    fs::write(folder.join("short.toml"), config).unwrap();
    let out = arena(folder, &["run", "short.toml"]);
    out.status(4);
    assert!(
        answer(&out).contains("SPRT [0, 10] inconclusive"),
        "{}",
        answer(&out)
    );
}

/// Plays the smallest move by its letters; the referee lists them in random order.
const SMALLEST: &str = include_str!("../programs/smallest.sh");

/// Bots without randomness, from one start: the same game again and again.
#[test]
fn repeated_units_give_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("smallest.sh"), SMALLEST).unwrap();
    let args = [
        "minishogi",
        "sh smallest.sh",
        "sh smallest.sh",
        "--sprt=-100,0",
        "--opening-plies",
        "0",
        "--out",
        "same",
    ];
    let out = duel(folder, &args);
    out.status(4);
    assert!(
        answer(&out).starts_with("sh smallest.sh-2 has no verdict: "),
        "{}",
        answer(&out)
    );
    assert!(
        answer(&out)
            .ends_with("inconclusive: units repeat; raise opening_plies, or give the bots {seed}; sh smallest.sh-2 and sh smallest.sh are the same program, so any difference between them is luck"),
        "{}",
        answer(&out)
    );
    let sprt = &summary(&folder.join("same"))["sprt"];
    assert_eq!(
        (&sprt["distinct_units"], &sprt["obstacle"]),
        (&1.into(), &"repeated_units".into())
    );
    // The bounds alone would have decided.
    assert_eq!(sprt["state"], "accepted");
}

/// Bots that both fail draw every pair, which is no proof that the new one is as strong as the old one; nor is it one to beat
/// a bot that fails.
#[test]
fn an_opponent_that_fails_gives_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let test = |old: &str, new: &str, out: &str| {
        let out = duel(
            folder,
            &["onitama", old, new, "--sprt=-300,0", "--out", out],
        );
        (out.status.code(), answer(&out))
    };
    let (code, answer) = test("yes rubbish", "yes nonsense", "both");
    assert!(
        code == Some(4) && answer.starts_with("no verdict: yes nonsense failed in "),
        "{answer}"
    );
    assert!(answer.contains(", yes rubbish failed in "), "{answer}");
    let sprt = &summary(&folder.join("both"))["sprt"];
    assert_eq!(
        (&sprt["state"], &sprt["obstacle"]),
        (&"accepted".into(), &"opponent_failed".into())
    );
    let out = duel(
        folder,
        &[
            "onitama",
            "yes rubbish",
            "yes nonsense",
            "--sprt",
            "0,300",
            "--out",
            "gain",
        ],
    );
    out.status(4);
    let random = sample_bot("onitama-random");
    assert_eq!(test("yes rubbish", &random, "old").0, Some(4));
    // A new one that fails alone is judged.
    assert_eq!(test(&random, "yes rubbish", "new").0, Some(1));
}

#[test]
fn games_that_are_rounded_up_are_announced_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (game, games, announced, on_the_page) in [
        (
            "onitama",
            "3",
            "3 games per pairing are rounded up to 4, so that both bots move first equally often",
            "4 games per pairing",
        ),
        (
            "kutulu",
            "1",
            "1 game per pairing is rounded up to 2, so that both bots play in every seat equally often",
            "2 games per pairing",
        ),
        ("onitama", "2", "", "2 games per pairing"),
    ] {
        let bots = ["random", "greedy"].map(|bot| sample_bot(&format!("{game}-{bot}")));
        let played = duel(
            folder,
            &[
                game, &bots[0], &bots[1], "--games", games, "--out", "run", "--force",
            ],
        );
        let said = stderr(&played);
        assert_eq!(
            said.matches("rounded up").count(),
            usize::from(!announced.is_empty()),
            "{said}"
        );
        assert!(said.contains(announced), "{said}");
        let page = fs::read_to_string(folder.join("run/report.html")).unwrap();
        assert!(page.contains(on_the_page), "{on_the_page}");
    }
}

#[test]
fn a_duel_needs_no_config() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (random, greedy) = (sample_bot("onitama-random"), sample_bot("onitama-greedy"));
    let two = duel(folder, &["onitama", &random, &greedy, "--games", "20"]);
    two.status(0).contains("results/duel-onitama-1");
    assert!(
        answer(&two).starts_with("onitama-greedy is stronger: "),
        "{}",
        answer(&two)
    );
    assert!(
        answer(&two).contains("against onitama-random, 20 games"),
        "{}",
        answer(&two)
    );
    let record = fs::read_to_string(folder.join("results/duel-onitama-1/records.jsonl")).unwrap();
    assert!(
        record.contains("\"opening\":["),
        "bots without randomness need openings"
    );

    let same = duel(
        folder,
        &["onitama", &greedy, &greedy, &random, "--games", "4"],
    );
    same.status(0);
    let summary = summary(&folder.join("results/duel-onitama-2"));
    assert_eq!(summary["games"][0]["pairings"].as_array().unwrap().len(), 3);
    same.contains("onitama-greedy-2");

    for (args, said) in [
        (&["go", &*random, &*greedy][..], "can't play the game `go`"),
        (
            &["onitama", &random, &greedy, &random, "--sprt", "0,10"],
            "a sequential test is about two",
        ),
        (
            &["onitama", &random, &greedy, "--sprt", "10,0"],
            "can't use --sprt 10,0: ELO0 must be below ELO1\nhint: --sprt 0,10\n",
        ),
        (
            &["onitama", &random, &greedy, "--opening-plies", "3"],
            "expected an even integer from 0 to 100",
        ),
        (&["onitama", &random, "'open"], "it ends in an open quote"),
        (
            &["onitama", &random, &greedy, "--sprt", "ten"],
            "expected ELO0,ELO1, as in 0,10",
        ),
    ] {
        let refused = duel(folder, args);
        refused.status(2).contains(said);
    }
    let missing = duel(folder, &["onitama", &random, "./no-such-bot"]);
    missing.status(3);
    assert!(!folder.join("results/duel-onitama-3").exists());
}

fn seed(run: &Path) -> String {
    summary(run)["run"]["seed"].as_str().unwrap().to_owned()
}

/// A run without a seed draws one, which its plan keeps. Bots could try out every guessable seed until `ARENA_SEED` fits.
#[test]
fn a_run_without_a_seed_draws_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = [
        "onitama",
        "arena bot onitama-greedy",
        "arena bot onitama-random",
        "--games",
        "2",
    ];
    let config = "[run]\nname = \"t\"\ngame = \"onitama\"\ngames = 2\n\
        [[bot]]\nname = \"new\"\ncommand = \"arena bot onitama-random\"\n[[bot]]\nname = \"old\"\n\
        command = \"arena bot onitama-greedy\"\n";
    fs::write(folder.join("t.toml"), config).unwrap();
    let test = config.replace("games = 2", "format = \"sprt\"\n[sprt]\nmax_units = 2");
    fs::write(folder.join("test.toml"), test).unwrap();
    let play = |out: &str, args: &[&str]| {
        let played = arena(folder, &[args, &["--out", out]].concat());
        let drawn = seed(&folder.join(out));
        (drawn.parse::<u64>().unwrap(), stderr(&played))
    };
    let mut seeds = BTreeSet::new();
    let duel = [&["duel"], &bots[..]].concat();
    for (number, args) in [
        &duel[..],
        &duel,
        &["run", "t.toml"],
        &["run", "t.toml"],
        &["run", "test.toml"],
    ]
    .into_iter()
    .enumerate()
    {
        let out = number.to_string();
        let (drawn, said) = play(&out, args);
        assert!(
            said.contains(&format!("seed: {drawn}, drawn for this run")),
            "{said}"
        );
        assert!(drawn > 1 << 32, "{drawn}");
        // `--resume` continues with it.
        let (resumed, _) = play(&out, &[args, &["--resume"]].concat());
        assert_eq!(resumed, drawn);
        seeds.insert(drawn);
    }
    assert_eq!(seeds.len(), 5, "{seeds:?}");
    let given = ["run", "t.toml", "--force", "--seed", "7"];
    assert_eq!(play("0", &given).0, 7);
}

/// If you forgot to build the new bot, arena says so before the first game.
#[test]
fn the_same_bot_twice_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let bot = sample_bot("onitama-random");
    let said = |new: &str| {
        let old = format!("old={bot}");
        let bots = ["onitama", &old, &format!("new={bot}{new}"), "--games", "2"];
        stderr(&duel(folder.path(), &bots))
    };
    let told = "`new` and `old` are the same program with the same arguments";
    assert!(said("").contains(told), "{}", said(""));
    assert!(!said(" --seed 2").contains("the same program"));
}

/// A test that is undecided at its end continues, too, if it may take more units.
#[test]
fn an_undecided_test_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = |keys: &str, more: &[&str]| {
        let test = format!("0,100{keys}");
        let bots = [
            "onitama",
            "arena bot onitama-greedy",
            "arena bot onitama-random",
            "--sprt",
            &test,
            "--out",
            "test",
        ];
        duel_with_fresh_seed(folder, &[&bots[..], more].concat())
    };
    let out = play("", &["--for", "1ms"]);
    out.status(4);
    let first = seed(&folder.join("test"));
    let out = play(",max_units=30000", &["--resume"]);
    out.contains("extended from 40000 games: an undecided test may continue");
    assert_eq!(
        (out.status.code(), seed(&folder.join("test"))),
        (Some(1), first)
    );
    // The run is evaluated as the test that it is.
    let told = arena(folder, &["sprt", "test", "--json"]);
    let test: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(
        (told.status.code(), &test["verdict"], &test["elo1"]),
        (Some(1), &"rejected".into(), &100.0.into())
    );
}

/// Each duel gets a new folder, and one that doesn't begin leaves none.
#[test]
fn duels_that_begin_together_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let bot = sample_bot("onitama-random");
    let args = [
        "duel",
        "onitama",
        &bot,
        &format!("{bot} --seed 2"),
        "--games",
        "2",
    ];
    let begin = |_| {
        command(folder.path(), &args)
            .args(UNHURRIED)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
    };
    let mut together: Vec<_> = (0..6).map(begin).collect::<Result<_, _>>().unwrap();
    assert!(
        together
            .iter_mut()
            .all(|duel| duel.wait().unwrap().success())
    );
    let mut seeds = BTreeSet::new();
    for number in 1..=6 {
        let run = folder.path().join(format!("results/duel-onitama-{number}"));
        assert_eq!(summary(&run)["games_played"], 2, "{number}");
        seeds.insert(seed(&run));
    }
    assert_eq!(seeds.len(), 6, "{seeds:?}");
}

/// Files hold the name in front of a command, or the command itself, and the id of the game.
#[test]
fn bots_are_called_by_their_commands_and_games_by_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("onitama-search");
    let [shallow, deep] = [1, 2].map(|depth| format!("{bot} --depth {depth}"));
    let (named, variable) = (format!("old={shallow}"), format!("new=WHO=true {deep}"));
    for (game, bots, expected) in [
        (
            "Onitama",
            [&shallow, &deep],
            ["onitama-search --depth 1", "onitama-search --depth 2"],
        ),
        (
            "oni-tama",
            [&bot, &deep],
            ["onitama-search", "onitama-search --depth 2"],
        ),
        ("onitama", [&named, &variable], ["old", "new"]),
    ] {
        let out = duel(
            folder,
            &[
                game, bots[0], bots[1], "--games", "2", "--out", "run", "--force", "--quiet",
            ],
        );
        out.status(0);
        let file: toml::Table = fs::read_to_string(folder.join("run/plan.toml"))
            .unwrap()
            .parse()
            .unwrap();
        let plan = &file["plan"];
        // The new one first.
        let found: Vec<&str> = plan["bot"]
            .as_array()
            .unwrap()
            .iter()
            .rev()
            .map(|bot| bot["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            (found, plan["game"][0]["id"].as_str()),
            (expected.to_vec(), Some("onitama"))
        );
    }
    let plan = fs::read_to_string(folder.join("run/plan.toml")).unwrap();
    assert!(plan.contains("WHO = \"true\""), "{plan}");
}
