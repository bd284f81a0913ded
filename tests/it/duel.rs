//! Sequential tests and duels with real processes: verdicts, exit codes, and that neither workers
//! nor kills change them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::{self, sleep};
use std::time::Duration;

use serde_json::Value;

use crate::programs::{
    PATIENT, Said as _, answer, arena, command, count_lines, has, in_project, json, killed, line,
    new_folder, promised, read, resume, sample_bot, signal, stderr, stdout, summary, table, write,
};

/// Limits that no bot misses, however busy the machine is.
pub(crate) const UNHURRIED: [&str; 6] = [
    "--set",
    "clock.first_turn_ms=60000",
    "--set",
    "clock.turn_ms=60000",
    "--set",
    "clock.startup_ms=60000",
];

const LIMITS: &str = "[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n";

fn duel(folder: &Path, args: &str) -> Output {
    line(folder, &format!("duel {args} --seed 1 {PATIENT}"))
}

/// Bots of a game, such as `random` and `greedy`.
fn bots(game: &str, names: [&str; 2]) -> String {
    names
        .map(|bot| sample_bot(&format!("{game}-{bot}")))
        .join(" ")
}

/// The tables of two bots in a config.
fn two_bots(new: &str, old: &str) -> String {
    let bot = |name, command| format!("[[bot]]\nname = {name:?}\ncommand = {command:?}\n");
    bot("new", new) + &bot("old", old)
}

#[test]
fn equal_bots_pass_and_a_handicapped_one_is_rejected_whatever_the_workers() {
    let folder = &new_folder();
    let bot = sample_bot("minishogi-search") + " --depth 1";
    for (blunders, name, code, end) in [
        ("", "same", 0, "SPRT [-30, 0] accepted"),
        (" --blunder 20", "worse", 1, "SPRT [-30, 0] rejected"),
    ] {
        let runs = ["1", "8"].map(|jobs| {
            let out = format!("{name}-{jobs}");
            let bots = format!("'{bot} --seed 9' '{bot}{blunders}'");
            let flags = format!("--sprt=-30,0 --jobs {jobs} --out {out}");
            let played = duel(folder, &format!("minishogi {bots} {flags}"));
            played.status(code);
            has(&answer(&played), end);
            let run = folder.join(out);
            let sprt = summary(&run)["sprt"].clone();
            (read(&run, "sprt.csv"), sprt, answer(&played))
        });
        assert_eq!(runs[0], runs[1]);
        let units = runs[0].1["result"]["units"].as_u64().unwrap();
        assert_eq!(runs[0].0.lines().count() as u64, 1 + units);
    }
}

/// Plays a duel until it has a few games, and stops it like Ctrl-C.
pub(crate) fn stopped(folder: &Path, run: &str, args: &[&str]) -> Output {
    let args = [&["duel"], args, &["--out", run, "--quiet"], &UNHURRIED].concat();
    let mut arena = command(folder, &args);
    let mut child = arena.stdout(Stdio::piped()).spawn().unwrap();
    while count_lines(&folder.join(run).join("games.csv")) < 9 {
        assert_eq!(child.try_wait().unwrap(), None);
        sleep(Duration::from_millis(5));
    }
    signal("-INT", child.id());
    let stopped = child.wait_with_output().unwrap();
    stopped.status(130);
    stopped
}

/// Later reports of a run of two bots show the interval in force.
fn read_later(folder: &Path, run: &str, interval: &str) {
    let named = match interval {
        "once" => "LOS",
        "every_look" => "95% at every look",
        _ => "interval of the test",
    };
    for verb in ["elo", "rate"] {
        let told = stdout(&arena(folder, &[verb, run]));
        let is_named = told.contains(named) || interval == "once" && told.contains("verdict");
        assert!(is_named, "{told}");
        assert!(interval != "every_look" || !told.contains("LOS"), "{told}");
    }
    let [elo, rated] = ["elo", "rate"].map(|verb| json(&arena(folder, &[verb, run, "--json"])));
    assert_eq!(elo["interval"], interval);
    assert_eq!(rated["games"][0]["interval"], interval);
    if let (Some(hi), Some(lo)) = (elo["hi95"].as_f64(), elo["lo95"].as_f64()) {
        // Half of the error stands with each.
        let error = rated["games"][0]["bots"][0]["error95"].as_f64().unwrap();
        assert!((4.0 * error - (hi - lo)).abs() < 1e-9, "{rated}");
    }
}

/// A sequential test promises something of its end, and has an interval that says the same. Before
/// it, the interval is the one that holds at every look.
#[test]
fn a_test_has_no_interval_for_a_single_look() {
    let folder = &new_folder();
    // Equal bots, which so close bounds do not tell apart before the test is stopped.
    let bots = ["a", "b"].map(|name| format!("{name}={}", sample_bot("onitama-random")));
    let test = ["onitama", &bots[0], &bots[1], "--sprt"];
    let open = [&test[..], &["0,0.01,max_units=1000000"]].concat();
    let open = stopped(folder, "open", &open);
    let named = "(95% at every look)";
    has(&answer(&open), named);
    has(&answer(&open), "inconclusive so far");
    open.lacks("LOS");
    for flag in ["--markdown", "--html"] {
        arena(folder, &["report", "open", flag, "-"]).contains(named);
    }
    read_later(folder, "open", "every_look");
    let flags = "0,100 --out decided --quiet";
    let decided = duel(folder, &format!("{} {flags}", test.join(" ")));
    let told = answer(&decided);
    assert!(!told.contains(named) && told.contains("SPRT"), "{told}");
    read_later(folder, "decided", "test");
}

/// If you may stop because of what you see, every report shows an interval that allows for it; at
/// the end that was announced it is the usual one.
#[test]
fn a_match_that_is_stopped_has_the_interval_for_every_look() {
    let folder = &new_folder();
    let named = "(95% at every look)";
    let reports = |run: &str| {
        ["--markdown", "--junit", "--html"]
            .map(|flag| stdout(&arena(folder, &["report", run, flag, "-"])))
    };
    for game in ["onitama", "kutulu"] {
        let bots = ["greedy", "random"].map(|bot| sample_bot(&format!("{game}-{bot}")));
        let (long, short) = (format!("{game}-long"), format!("{game}-short"));
        let args = [game, &bots[0], &bots[1], "--games", "1000000"];
        let stopped = stopped(folder, &long, &args);
        let args = format!("{game} {} --out {short} --quiet", bots.join(" "));
        let played = duel(folder, &format!("{args} --games 8"));
        let has_verdict = !answer(&played).contains("no verdict");
        assert_eq!(has_verdict, played.status.code() != Some(4));
        for (run, answer, is_named) in [
            (&long, answer(&stopped), true),
            (&short, answer(&played), false),
        ] {
            assert_eq!(answer.contains(named), is_named, "{answer}");
            let interval = if is_named { "every_look" } else { "once" };
            let found = summary(&folder.join(run));
            assert_eq!(found["games"][0]["interval"], interval);
            for report in reports(run) {
                assert_eq!(report.contains(named), is_named, "{run}: {report}");
            }
            read_later(folder, run, interval);
        }
        arena(folder, &["rate", &long, &short]).contains("95% at every look");
        // More games after a look.
        let extended = duel(folder, &format!("{args} --games 16 --resume"));
        extended.status(0);
        has(&answer(&extended), named);
        for report in reports(&short) {
            has(&report, named);
        }
    }
}

#[test]
fn a_clear_case_ends_early() {
    let folder = &new_folder();
    let bots = format!(
        "{} '{} --depth 1'",
        sample_bot("onitama-random"),
        sample_bot("onitama-search")
    );
    let test = |flags: &str| duel(folder, &format!("onitama {bots} --sprt 0,10 --out {flags}"));
    let ends_with = |played: &Output, end: &str| {
        let told = answer(played);
        assert!(told.ends_with(end), "{told}");
    };
    let played = test("early");
    played.status(0);
    ends_with(&played, "SPRT [0, 10] accepted early");
    played.contains("90.0% interval of the test");
    let sprt = &summary(&folder.join("early"))["sprt"];
    let estimate = &sprt["estimate"];
    assert_eq!(sprt["ended_by"], "betting");
    assert_eq!(estimate["interval"], "test");
    assert_eq!(estimate["los"], Value::Null);
    assert!(estimate["lo95"].as_f64().unwrap() > 10.0, "{sprt}");
    assert!(sprt["bets"]["ln"][0].as_f64() >= sprt["bets"]["enough"][0].as_f64());
    assert!(sprt["llr"].as_f64() < sprt["upper"].as_f64());
    assert!(sprt["result"]["units"].as_u64().unwrap() < 20, "{sprt}");
    let reported = stdout(&line(folder, "report early --markdown -"));
    assert_eq!(reported.matches("evidence ").count(), 1, "{reported}");
    has(&reported, "**Clear case** after ");
    let resumed = test("early --set sprt.early=false --resume");
    resumed.status(3).contains("`early`");

    let played = test("late --set sprt.early=false");
    ends_with(&played, "SPRT [0, 10] accepted");
    let sprt = &summary(&folder.join("late"))["sprt"];
    assert_eq!(sprt["ended_by"], "likelihood");
    assert_eq!(sprt["bets"], Value::Null);
    assert!(sprt["result"]["units"].as_u64().unwrap() > 100, "{sprt}");
    assert!(!read(folder, "late/plan.toml").contains("early ="));
}

#[test]
fn a_killed_test_ends_after_the_same_unit() {
    let folder = &new_folder();
    let bot = sample_bot("onitama-search") + " --depth 1 --blunder 5";
    let config = "[run]\nname = \"k\"\ngame = \"onitama\"\nformat = \"sprt\"\nseed = 2\n\
        opening_plies = 2\n[sprt]\nelo0 = -100\nelo1 = 0\n";
    let config = format!("{config}{LIMITS}{}", two_bots(&bot, &bot));
    write(folder, "k.toml", config);
    let whole = line(folder, "run k.toml --out whole --quiet");
    let code = whole.status.code().unwrap();
    assert!(code == 0 || code == 1, "{}", stderr(&whole));
    let units = count_lines(&folder.join("whole/sprt.csv")) - 1;
    assert!(units > 12, "{units}");

    let [run, first] = ["killed", "whole"].map(|run| folder.join(run));
    let kills = [5, 14].map(|goal| {
        let args = ["run", "k.toml", "--jobs", "2", "--out", "killed", "--quiet"];
        killed(command(folder, &args).args(resume(&run)), &run, goal)
    });
    assert!(kills.contains(&true), "the run was never killed");
    let resumed = line(folder, "run k.toml --out killed --resume --quiet");
    resumed.status(code);
    assert_eq!(read(&run, "sprt.csv"), read(&first, "sprt.csv"));
    assert_eq!(summary(&run)["sprt"], summary(&first)["sprt"]);
    assert_eq!(answer(&resumed), answer(&whole));
    let again = line(folder, "run k.toml --out killed --resume");
    again.status(code);
    has(&stderr(&again), "finished");
}

#[test]
fn four_seats_are_tested_two_against_two() {
    let folder = &new_folder();
    let bots = bots("kutulu", ["random", "greedy"]);
    let runs = ["1", "8"].map(|jobs| {
        let flags = format!("--sprt 0,100 --jobs {jobs} --out {jobs}");
        let played = duel(folder, &format!("kutulu {bots} {flags}"));
        played.status(0).contains("2v2 mirror");
        let told = answer(&played);
        assert!(told.starts_with("kutulu-greedy is stronger: "), "{told}");
        let run = folder.join(jobs);
        assert_eq!(summary(&run)["sprt"]["design"], "mirror");
        (read(&run, "sprt.csv"), told)
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_test_that_reaches_its_maximum_is_inconclusive() {
    let folder = &new_folder();
    let bot = sample_bot("onitama-random");
    let config = "[run]\nseed = 1\nname = \"short\"\ngame = \"onitama\"\nformat = \"sprt\"\n\
        [sprt]\nmax_units = 3\n";
    let config = format!("{config}{LIMITS}{}", two_bots(&bot, &bot));
    write(folder, "short.toml", config);
    let out = line(folder, "run short.toml");
    out.status(4);
    has(&answer(&out), "SPRT [0, 10] inconclusive");
}

/// Plays the smallest move by its letters; the referee lists them in random order.
const SMALLEST: &str = include_str!("../programs/smallest.sh");

/// Bots without randomness, from one start: the same game again and again.
#[test]
fn repeated_units_give_no_verdict() {
    let folder = &new_folder();
    write(folder, "smallest.sh", SMALLEST);
    let bots = "'sh smallest.sh' 'sh smallest.sh'";
    let flags = "--sprt=-100,0 --opening-plies 0 --out same";
    let out = duel(folder, &format!("minishogi {bots} {flags}"));
    out.status(4);
    let told = answer(&out);
    assert!(
        told.starts_with("sh smallest.sh-2 has no verdict: "),
        "{told}"
    );
    let end = "inconclusive: units repeat; raise opening_plies, or give the bots {seed}; \
        sh smallest.sh-2 and sh smallest.sh are the same program, so any difference between them \
        is luck";
    assert!(told.ends_with(end), "{told}");
    let sprt = &summary(&folder.join("same"))["sprt"];
    assert_eq!(sprt["distinct_units"], 1);
    assert_eq!(sprt["obstacle"], "repeated_units");
    // The bounds alone would have decided.
    assert_eq!(sprt["state"], "accepted");
}

/// Bots that both fail draw every pair, which is no proof that the new one is as strong as the old
/// one; nor is it one to beat a bot that fails.
#[test]
fn an_opponent_that_fails_gives_no_verdict() {
    let folder = &new_folder();
    let test = |bots: &str, bounds: &str, out: &str| {
        let flags = format!("--sprt={bounds} --out {out}");
        duel(folder, &format!("onitama {bots} {flags}"))
    };
    let both = "'yes rubbish' 'yes nonsense'";
    let out = test(both, "-300,0", "both");
    out.status(4);
    let told = answer(&out);
    let start = "no verdict: yes nonsense failed in ";
    assert!(told.starts_with(start), "{told}");
    has(&told, ", yes rubbish failed in ");
    let sprt = &summary(&folder.join("both"))["sprt"];
    assert_eq!(sprt["state"], "accepted");
    assert_eq!(sprt["obstacle"], "opponent_failed");
    test(both, "0,300", "gain").status(4);
    let random = sample_bot("onitama-random");
    test(&format!("'yes rubbish' {random}"), "-300,0", "old").status(4);
    // A new one that fails alone is judged.
    test(&format!("{random} 'yes rubbish'"), "-300,0", "new").status(1);
}

/// All of them are counted.
#[test]
fn three_faults_of_a_kind_are_printed() {
    let folder = &new_folder();
    let bots = format!("'yes rubbish' {}", sample_bot("onitama-random"));
    for (games, printed, says) in [(2, 2, 0), (4, 3, 1), (6, 3, 1)] {
        let flags = format!("--games {games} --out {games}");
        let said = stderr(&duel(folder, &format!("onitama {bots} {flags}")));
        assert_eq!(said.matches("see it again: ").count(), printed, "{said}");
        let further = "yes rubbish: further faults of this kind (invalid_action) are only counted";
        assert_eq!(said.matches(further).count(), says, "{said}");
        let found = summary(&folder.join(games.to_string()));
        let mut bots = found["games"][0]["bots"].as_array().unwrap().iter();
        let failing = bots.find(|bot| bot["name"] == "yes rubbish").unwrap();
        assert_eq!(failing["faults"]["invalid_action"], games);
    }
}

#[test]
fn games_that_are_rounded_up_are_announced_once() {
    let folder = &new_folder();
    for [game, games, announced, on_the_page] in table(
        "
        onitama | 3 | 3 games per pairing are rounded up to 4, so that both bots move first equally often | 4 games per pairing
        kutulu | 1 | 1 game per pairing is rounded up to 2, so that both bots play in every seat equally often | 2 games per pairing
        onitama | 2 | nothing | 2 games per pairing
        ",
    ) {
        let bots = bots(game, ["random", "greedy"]);
        let flags = format!("--games {games} --out run --force");
        let said = stderr(&duel(folder, &format!("{game} {bots} {flags}")));
        let is_rounded = announced != "nothing";
        let told = said.matches("rounded up").count();
        assert_eq!(told, usize::from(is_rounded), "{said}");
        assert!(!is_rounded || said.contains(announced), "{said}");
        let page = read(folder, "run/report.html");
        assert!(page.contains(on_the_page), "{on_the_page}");
    }
}

#[test]
fn a_duel_needs_no_config() {
    let folder = &new_folder();
    let (random, greedy) = (sample_bot("onitama-random"), sample_bot("onitama-greedy"));
    let two = duel(folder, &format!("onitama {random} {greedy} --games 20"));
    two.status(0).contains("results/duel-onitama-1");
    let told = answer(&two);
    assert!(told.starts_with("onitama-greedy is stronger: "), "{told}");
    has(&told, "against onitama-random, 20 games");
    let record = read(folder, "results/duel-onitama-1/records.jsonl");
    // Bots without randomness need openings.
    assert!(record.contains("\"opening\":["));

    let three = format!("onitama {greedy} {greedy} {random} --games 4");
    let same = duel(folder, &three);
    same.status(0);
    let summary = summary(&folder.join("results/duel-onitama-2"));
    assert_eq!(summary["games"][0]["pairings"].as_array().unwrap().len(), 3);
    same.contains("onitama-greedy-2");

    let both = format!("{random} {greedy}");
    for [args, status, said] in table(
        "
        go BOTH | 2 | can't play the game `go`
        onitama BOTH RANDOM --sprt 0,10 | 2 | a sequential test is about two
        onitama BOTH --sprt 10,0 | 2 | can't use --sprt 10,0: ELO0 must be below ELO1;hint: --sprt 0,10;
        onitama BOTH --opening-plies 3 | 2 | expected an even integer from 0 to 100
        onitama RANDOM \"'open\" | 2 | it ends in an open quote
        onitama BOTH --sprt ten | 2 | expected ELO0,ELO1, as in 0,10
        onitama RANDOM ./no-such-bot | 3 | ./no-such-bot
        ",
    ) {
        let args = args.replace("BOTH", &both).replace("RANDOM", &random);
        let refused = duel(folder, &args);
        let said = said.replace(';', "\n");
        refused.status(status.parse().unwrap()).contains(&said);
    }
    assert!(!folder.join("results/duel-onitama-3").exists());
}

#[test]
fn a_core_plays_as_many_games_at_a_time_as_the_document_says() {
    let folder = &new_folder();
    let document = read(&in_project("docs"), "reference/config.md");
    let cores = thread::available_parallelism().unwrap().get();
    let most = cores * promised(&document, "Games at the same time, at most");
    let play = |jobs: usize| {
        let bots = bots("onitama", ["random", "greedy"]);
        duel(folder, &format!("onitama {bots} --games 2 --jobs {jobs}"))
    };
    play(most).status(0);
    let refused = play(most + 1);
    refused
        .status(2)
        .contains(&format!(": expected {most} or fewer"));
}

fn seed(run: &Path) -> String {
    summary(run)["run"]["seed"].as_str().unwrap().to_owned()
}

/// A run without a seed draws one, which its plan keeps. Bots could try out every guessable seed
/// until `ARENA_SEED` fits.
#[test]
fn a_run_without_a_seed_draws_one() {
    let folder = &new_folder();
    let config = "[run]\nname = \"t\"\ngame = \"onitama\"\ngames = 2\n".to_owned()
        + &two_bots("arena bot onitama-random", "arena bot onitama-greedy");
    write(folder, "t.toml", &config);
    let test = config.replace("games = 2", "format = \"sprt\"\n[sprt]\nmax_units = 2");
    write(folder, "test.toml", test);
    let play = |out: usize, args: &str| {
        let played = line(folder, &format!("{args} --out {out}"));
        let drawn = seed(&folder.join(out.to_string()));
        (drawn.parse::<u64>().unwrap(), stderr(&played))
    };
    let duel = "duel onitama 'arena bot onitama-greedy' 'arena bot onitama-random' --games 2";
    let runs = [duel, duel, "run t.toml", "run t.toml", "run test.toml"];
    let mut seeds = BTreeSet::new();
    for (number, args) in runs.into_iter().enumerate() {
        let (drawn, said) = play(number, args);
        has(&said, &format!("seed: {drawn}, drawn for this run"));
        assert!(drawn > 1 << 32, "{drawn}");
        // `--resume` continues with it.
        assert_eq!(play(number, &format!("{args} --resume")).0, drawn);
        seeds.insert(drawn);
    }
    assert_eq!(seeds.len(), 5, "{seeds:?}");
    assert_eq!(play(0, "run t.toml --force --seed 7").0, 7);
}

/// If you forgot to build the new bot, arena says so before the first game.
#[test]
fn the_same_bot_twice_is_told() {
    let folder = &new_folder();
    let bot = sample_bot("onitama-random");
    let played = |new: &str| {
        let bots = format!("'old={bot}' 'new={bot}{new}'");
        duel(folder, &format!("onitama {bots} --games 2"))
    };
    let told = "`new` and `old` are the same program with the same arguments";
    has(&stderr(&played("")), told);
    let other = stderr(&played(" --seed 2"));
    assert!(!other.contains("the same program"), "{other}");
}

/// A test that is undecided at its end continues, too, if it may take more units.
#[test]
fn an_undecided_test_goes_on() {
    let folder = &new_folder();
    let play = |flags: &str| {
        let bots = "'arena bot onitama-greedy' 'arena bot onitama-random'";
        let args = format!("duel onitama {bots} --out test --sprt {flags} {PATIENT}");
        line(folder, &args)
    };
    play("0,100 --for 1ms").status(4);
    let first = seed(&folder.join("test"));
    let out = play("0,100,max_units=30000 --resume");
    out.status(1)
        .contains("extended from 40000 games: an undecided test may continue");
    assert_eq!(seed(&folder.join("test")), first);
    // The run is evaluated as the test that it is.
    let told = line(folder, "sprt test --json");
    told.status(1);
    let test = json(&told);
    assert_eq!(test["verdict"], "rejected");
    assert_eq!(test["elo1"], 100.0);
}

/// Each duel gets a new folder, and one that doesn't begin leaves none.
#[test]
fn duels_that_begin_together_do_not_meet() {
    let folder = &new_folder();
    let bot = sample_bot("onitama-random");
    let other = format!("{bot} --seed 2");
    let args = ["duel", "onitama", &bot, &other, "--games", "2"];
    let mut together = Vec::new();
    for _ in 0..6 {
        let mut duel = command(folder, &args);
        duel.args(UNHURRIED);
        duel.stderr(Stdio::null()).stdout(Stdio::null());
        together.push(duel.spawn().unwrap());
    }
    for mut duel in together {
        assert!(duel.wait().unwrap().success());
    }
    let mut seeds = BTreeSet::new();
    for number in 1..=6 {
        let run = folder.join(format!("results/duel-onitama-{number}"));
        assert_eq!(summary(&run)["games_played"], 2, "{number}");
        seeds.insert(seed(&run));
    }
    assert_eq!(seeds.len(), 6, "{seeds:?}");
}

/// Files hold the name in front of a command, or the command itself, and the id of the game.
#[test]
fn bots_are_called_by_their_commands_and_games_by_their_ids() {
    let folder = &new_folder();
    let bot = sample_bot("onitama-search");
    for [game, old, new, old_name, new_name] in table(
        "
        Onitama | BOT --depth 1 | BOT --depth 2 | onitama-search --depth 1 | onitama-search --depth 2
        oni-tama | BOT | BOT --depth 2 | onitama-search | onitama-search --depth 2
        onitama | old=BOT --depth 1 | new=WHO=true BOT --depth 2 | old | new
        ",
    ) {
        let bots = format!("'{old}' '{new}'").replace("BOT", &bot);
        let flags = "--games 2 --out run --force --quiet";
        duel(folder, &format!("{game} {bots} {flags}")).status(0);
        let file: toml::Table = read(folder, "run/plan.toml").parse().unwrap();
        let plan = &file["plan"];
        // The new one first.
        let names = [1, 0].map(|bot| plan["bot"][bot]["name"].as_str().unwrap());
        assert_eq!(names, [old_name, new_name]);
        assert_eq!(plan["bot"].as_array().unwrap().len(), 2);
        assert_eq!(plan["game"][0]["id"].as_str(), Some("onitama"));
    }
    let plan = read(folder, "run/plan.toml");
    assert!(plan.contains("WHO = \"true\""), "{plan}");
}
