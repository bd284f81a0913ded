//! `arena run` with real processes: what it writes, whatever the worker count, kills and bots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::programs::{
    self, Folder, Said as _, command, count_lines, csv_rows, has, killed, line, living, new_folder,
    read, records, resume, sample_bot, stderr, stdout, summary, timeless, write, write_program,
};

/// Starts arena, whose processes are found by their environment.
fn start(folder: &Path, args: &str) -> Child {
    let mut command = command(folder, &args.split(' ').collect::<Vec<_>>());
    command
        .env("OF_TEST", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn end(child: Child, code: i32) -> Output {
    let out = child.wait_with_output().unwrap();
    out.status(code);
    out
}

#[track_caller]
fn nothing_lives(folder: &Path) {
    assert_eq!(living("OF_TEST", folder), [""; 0]);
}

fn wait_for_lines(path: &Path, lines: usize) {
    while count_lines(path) < lines {
        sleep(Duration::from_millis(1));
    }
}

fn signal(name: &str, process: &str) {
    let mut kill = Command::new("kill");
    kill.args([name, "--", process]).output().unwrap().status(0);
}

fn interrupt(child: &Child) {
    signal("-INT", &child.id().to_string());
}

/// A folder with a round robin of bots whose answers depend only on their input and seed, with
/// limits that they cannot miss.
fn deterministic() -> Folder {
    let [random, greedy, search, dice] = [
        "minishogi-random",
        "minishogi-greedy",
        "minishogi-search",
        "dice-shogi-random",
    ]
    .map(sample_bot);
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
    let folder = new_folder();
    write(&folder, "deterministic.toml", config);
    folder
}

const GAMES: usize = 3 * 20 + 20;

/// A folder with a gauntlet of so many bots, each of them a script.
fn scripts(bots: usize, script: impl Fn(usize) -> &'static str) -> Folder {
    let folder = new_folder();
    let mut config = "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\njobs = 2\n\
        [sandbox]\nmode = \"off\"\n[clock]\nstartup_ms = 60000\n"
        .to_owned();
    let greedy = sample_bot("onitama-greedy");
    for bot in 0..bots {
        let text = format!("#!/bin/sh\n{}\nexec {greedy}\n", script(bot));
        write_program(&folder.join(format!("b{bot}")), &text);
        let table = format!("[[bot]]\nname = \"b{bot}\"\ncommand = \"./b{bot}\"\n");
        config += &table;
    }
    write(&folder, "r.toml", config);
    folder
}

/// To ask all bots takes longer than the run may play.
#[test]
fn the_time_of_a_run_begins_with_its_first_game() {
    let folder = &scripts(6, |_| "sleep 1");
    let out = line(folder, "run r.toml --for 2s --out run");
    let told = stderr(out.status(0));
    let games = summary(&folder.join("run"))["games_played"].as_u64();
    assert!(games > Some(0), "{told}");
    let asking = "asking 6 bots for a first answer: ";
    let mut lines = told.lines().filter_map(|line| line.strip_prefix(asking));
    let ends = [lines.next(), lines.next_back()];
    assert_eq!(ends, [Some("0 of 6"), Some("6 of 6")], "{told}");
}

/// The first bot answers once the second has started.
#[test]
fn a_slow_bot_keeps_no_other_from_being_asked() {
    let wait = "for i in $(seq 100); do [ -e started ] && break; sleep 0.05; done; [ -e started ] || exit 7";
    let folder = scripts(8, |bot| match bot {
        0 => wait,
        1 => "touch started",
        _ => "",
    });
    line(&folder, "run r.toml").status(0);
}

#[test]
fn results_depend_neither_on_the_workers_nor_on_kills() {
    let folder = &deterministic();
    for jobs in ["1", "8"] {
        let flags = format!("--jobs {jobs} --out {jobs} --quiet");
        line(folder, &format!("run deterministic.toml {flags}")).status(0);
    }
    let whole = timeless(&folder.join("1"));
    assert_eq!(whole.each_ref().map(Vec::len), [GAMES + 1, GAMES]);
    assert_eq!(timeless(&folder.join("8")), whole);

    let run = &folder.join("killed");
    let args = [
        "run",
        "deterministic.toml",
        "--jobs",
        "2",
        "--out",
        "killed",
    ];
    let kills = [5, 30, 31, 60].map(|lines| {
        let mut arena = command(folder, &args);
        killed(arena.args(resume(run)), run, lines)
    });
    assert!(kills.contains(&true), "the run was never killed");
    line(
        folder,
        "run deterministic.toml --out killed --resume --quiet",
    )
    .status(0);
    assert_eq!(timeless(run), whole);
}

/// More games follow those that were played, and every verb reads the run. A further bot is
/// rejected.
#[test]
fn a_run_is_extended_by_games() {
    let folder = &deterministic();
    line(
        folder,
        "run deterministic.toml --out whole --games 6 --quiet",
    )
    .status(0);
    let run = &folder.join("whole");
    let before = timeless(run);
    let longer = "run deterministic.toml --games 8 --jobs 2 --quiet --out whole";
    line(folder, longer)
        .status(3)
        .contains("it holds a shorter run: one plan says `games = 8`, the other says `games = 6`");
    line(folder, &format!("{longer} --resume")).status(0);
    let after = timeless(run);
    // Two games more for every pairing of three and of two bots.
    assert_eq!((before[1].len(), after[1].len()), (24, 24 + 2 * (3 + 1)));
    assert!(after[0].starts_with(&before[0]) && after[1].starts_with(&before[1]));
    has(&read(run, "plan.toml"), "grown_from = [24]\n");
    line(folder, "run deterministic.toml --games 6 --out whole --resume")
        .status(3)
        .contains("it holds a larger run: one plan says `games = 8`, the other says `games = 6`\nhint: name as many games");
    for verb in [
        "verify whole",
        "report whole",
        "replay whole 31",
        "rate whole",
    ] {
        line(folder, verb).status(0);
    }
    let late = sample_bot("minishogi-greedy");
    let late = format!("[[bot]]\nname = \"late\"\ncommand = [\"{late}\"]\n");
    write(
        folder,
        "deterministic.toml",
        read(folder, "deterministic.toml") + &late,
    );
    line(folder, &format!("{longer} --resume"))
        .status(3)
        .contains("one plan has bot `late`, the other has not")
        .contains("`arena rate` joins the games of several runs");
}

#[test]
fn a_longer_run_may_be_killed() {
    let folder = &deterministic();
    let longer = "run deterministic.toml --games 8 --jobs 2 --quiet --resume --out";
    for out in ["whole", "killed"] {
        line(
            folder,
            &format!("run deterministic.toml --games 6 --quiet --out {out}"),
        )
        .status(0);
    }
    let run = &folder.join("killed");
    let resumed = format!("{longer} killed");
    let mut arena = command(folder, &resumed.split(' ').collect::<Vec<_>>());
    killed(&mut arena, run, 26);
    if !run.join("summary.json").exists() {
        line(folder, &resumed).status(0);
    }
    line(folder, &format!("{longer} whole")).status(0);
    assert_eq!(timeless(run), timeless(&folder.join("whole")));
}

/// In every cycle, all pairings of a game play on one seed, with one opening.
#[test]
fn pairings_on_the_same_seeds_are_extended() {
    let folder = &deterministic();
    let config = read(folder, "deterministic.toml");
    let shared = config.replace("games = 20", "same_seeds = true\ngames = 4");
    write(folder, "deterministic.toml", shared);
    for args in [
        "run deterministic.toml --quiet --games 8 --out whole",
        "run deterministic.toml --quiet --out grown",
        "run deterministic.toml --quiet --out grown --games 8 --resume",
        "verify whole",
        "replay whole 31",
    ] {
        line(folder, args).status(0);
    }
    let whole = &folder.join("whole");
    assert_eq!(timeless(&folder.join("grown")), timeless(whole));

    let mut openings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for record in records(whole, "records.jsonl") {
        let seed = format!("{} {}", record["game"], record["seed"]);
        let opening = record["options"]["opening"].to_string();
        openings.entry(seed).or_default().insert(opening);
    }
    assert_eq!(openings.len(), 4 + 4, "a seed for each cycle of each game");
    let is_one = |openings: &BTreeSet<String>| openings.len() == 1;
    assert!(openings.values().all(is_one), "{openings:?}");

    let games = &summary(whole)["games"];
    assert_eq!(games[0]["shared_seeds"], 4);
    assert_eq!(games[0]["units"], 12);
    let shared = &games[1]["shared_seeds"];
    assert!(shared.is_null(), "two bots have one pairing");
    let rated = line(folder, "rate whole");
    has(
        &stdout(rated.status(0)).replace("\n  ", " "),
        "pairings share 4 seeds, and the luck of each: intervals of ratings count seeds, not units",
    );
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
    write(folder, "faulty.toml", config);
    line(folder, "run faulty.toml")
}

#[test]
fn the_right_bot_is_blamed_with_the_right_fate() {
    let folder = &new_folder();
    let out = faulty(folder);
    out.status(0)
        .contains("crashes, seat 1, turn 2: crashed, exit code 3; it said: \"out of ideas\"")
        .contains("garbage, seat 0, turn 1: invalid_action \"xyzzy <&>\"");
    let rows = csv_rows(&folder.join("results/faulty"), "games.csv");
    assert_eq!(rows.len(), 2 * 4 * 2);
    let fates = BTreeMap::from([
        ("crashes", "crashed"),
        ("hangs", "timeout"),
        ("garbage", "invalid_action"),
        ("endless", "too_long"),
    ]);
    for row in rows {
        let is_good = row["p1_bot"].starts_with("good");
        let [bad, good] = if is_good { ["p2", "p1"] } else { ["p1", "p2"] };
        let seat = |seat: &str| {
            ["score", "place", "fate"].map(|column| row[&format!("{seat}_{column}")].clone())
        };
        let fate = fates[&*row[&format!("{bad}_bot")]];
        assert_eq!(seat(bad), ["-1", "2", fate], "{row:?}");
        assert_eq!(seat(good), ["1", "1", "ok"], "{row:?}");
        let is_nonsense = fate == "invalid_action";
        let reason = if is_nonsense { fate } else { "timeout" };
        assert_eq!(row["reason"], reason, "{row:?}");
    }
    let stdout = stdout(&out);
    for (bot, fate) in fates {
        let is_of = |line: &&str| line.contains(&format!("  {bot} "));
        let line = stdout.lines().find(is_of).unwrap();
        assert!(line.ends_with(&format!("2 {fate}")), "{stdout}");
    }
    let verified = line(folder, "verify results/faulty/records.jsonl");
    verified
        .status(0)
        .prints("16 games verified, 0 mismatches\n");
}

#[test]
fn a_finished_run_is_not_played_twice() {
    let folder = &deterministic();
    let args = "run deterministic.toml --games 2 --quiet";
    line(folder, args).status(0);
    let rows = read(folder, "results/deterministic/games.csv");
    let again = line(folder, args);
    assert_eq!(
        stderr(again.status(3)),
        "error: can't use results/deterministic: it holds a finished run of 8 games\nhint: \
         --force replaces it, --out DIR plays elsewhere\n"
    );
    assert_eq!(read(folder, "results/deterministic/games.csv"), rows);
}

#[test]
fn the_trace_holds_what_the_bots_were_sent() {
    let folder = &deterministic();
    line(folder, "run deterministic.toml --games 2 --quiet --trace").status(0);
    let records = read(folder, "results/deterministic/records.jsonl");
    assert!(records.contains("\"input\":\"0\\n5\\n"));
    line(folder, "verify results/deterministic").prints("8 games verified, 0 mismatches\n");
}

/// A bot that needs a second for each answer, so that a signal finds games in flight.
fn slow(folder: &Path) -> Child {
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
    write(folder, "slow.toml", config);
    let child = start(folder, "run slow.toml");
    // The first game is written, so the second one is being played.
    wait_for_lines(&folder.join("results/slow/games.csv"), 2);
    child
}

#[test]
fn the_first_interrupt_finishes_the_games_in_flight() {
    let folder = &new_folder();
    let child = slow(folder);
    interrupt(&child);
    has(&stdout(&end(child, 130)), "2 of 100 games");
    let run = &folder.join("results/slow");
    assert_eq!(count_lines(&run.join("games.csv")), 1 + 2);
    assert!(run.join("summary.json").exists());
    nothing_lives(folder);
    let again = line(folder, "run slow.toml");
    again.contains("unfinished run, 2 of 100 games\nhint: --resume continues it");
}

#[test]
fn a_second_signal_ends_the_games_in_flight_at_once() {
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let folder = &new_folder();
        let mut child = slow(folder);
        let id = child.id().to_string();
        signal(name, &id);
        if name == "-INT" {
            // The first one only lets the games in flight finish; it is heard before the second is
            // sent.
            let stderr = child.stderr.as_mut().unwrap();
            let mut said = [0; 9];
            stderr.read_exact(&mut said).unwrap();
            while !said.ends_with(b"finishing") {
                said.rotate_left(1);
                stderr.read_exact(&mut said[8..]).unwrap();
            }
            signal(name, &id);
        }
        end(child, code);
        let games = count_lines(&folder.join("results/slow/games.csv")) - 1;
        assert_eq!(games, 1, "the game in flight has no result");
        nothing_lives(folder);
    }
}

/// The files of a large run take longer than the games in flight may. Here the reader of the first
/// one is slow.
#[test]
fn a_signal_leaves_the_program_the_time_to_write_all_files() {
    let folder = &new_folder();
    let child = slow(folder);
    let results = folder.join("results/slow");
    let pipe = results.join("pending");
    Command::new("mkfifo")
        .arg(&pipe)
        .output()
        .unwrap()
        .status(0);
    signal("-TERM", &child.id().to_string());
    sleep(Duration::from_secs(3));
    fs::read(pipe).unwrap();
    let said = stderr(&end(child, 143));
    for file in ["timings.csv", "pairings.csv", "summary.json", "report.html"] {
        assert!(results.join(file).exists(), "{file}: {said}");
    }
    nothing_lives(folder);
}

/// A stopped run reports how many games it waits for.
#[test]
fn what_still_runs_is_told() {
    let folder = &new_folder();
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
    write(folder, "sleepy.toml", config);
    let mut child = start(folder, "run sleepy.toml");
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut stderr = stderr.lines().map(Result::unwrap);
    let begins = stderr.any(|line| line.starts_with("sandbox: "));
    assert!(begins, "the games are about to begin");
    sleep(Duration::from_secs(1));
    interrupt(&child);
    assert!(stderr.any(|line| line.contains("waiting for 1 game, the longest for ")));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    nothing_lives(folder);
}

/// Whatever is lost of what follows from the records is made again.
#[test]
fn a_report_writes_all_files_that_follow_from_the_records() {
    let folder = &deterministic();
    let args = "run deterministic.toml --quiet --set run.metrics=true";
    line(folder, args).status(0);
    let results = &folder.join("results/deterministic");
    let finished = "\"finished\": true";
    has(&read(results, "summary.json"), finished);
    let games = read(results, "games.csv");
    let names = [
        "games.csv",
        "ratings.csv",
        "pairings.csv",
        "timings.csv",
        "metrics.csv",
        "summary.json",
        "report.html",
    ];
    for name in names {
        fs::remove_file(results.join(name)).unwrap();
    }
    line(folder, "report results/deterministic").status(0);
    assert!(names.iter().all(|name| results.join(name).exists()));
    assert_eq!(read(results, "games.csv"), games);
    has(&read(results, "summary.json"), finished);
    line(folder, args).contains("it holds a finished run");
}

/// A plan says what was played: every command that reads one refuses it after a single byte was
/// changed.
#[test]
fn a_changed_plan_is_refused() {
    let folder = &deterministic();
    let args = "run deterministic.toml --quiet --out out --games 2";
    line(folder, args).status(0);
    fs::remove_file(folder.join("out/summary.json")).unwrap();
    let written = read(folder, "out/plan.toml");
    let changed = written.replacen("turn_ms = 60000", "turn_ms = 7", 1);
    write(folder, "out/plan.toml", changed);
    for reader in [
        "report out --json -",
        "rate out",
        "verify out",
        "replay out 0",
        &format!("{args} --resume"),
    ] {
        line(folder, reader)
            .status(3)
            .contains("plan.toml")
            .contains("was changed");
    }
    for at in (0..written.len()).step_by(written.len() / 8) {
        let mut changed = written.clone().into_bytes();
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        write(folder, "out/plan.toml", changed);
        eprintln!("byte {at}");
        line(folder, "report out --json -").status(3);
    }
}

/// A terminal sends its signals to the whole group, and a bot that is just being started still
/// belongs to it.
#[test]
fn a_signal_to_the_group_blames_no_bot() {
    let folder = &deterministic();
    for round in 0..20 {
        let out = round.to_string();
        let args = [
            "run",
            "deterministic.toml",
            "--games",
            "1000",
            "--quiet",
            "--out",
            &out,
        ];
        let mut child = programs::in_own_group(&mut command(folder, &args))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let games = folder.join(out).join("games.csv");
        wait_for_lines(&games, 5);
        sleep(Duration::from_micros(700 * round));
        signal("-INT", &format!("-{}", child.id()));
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let rows = fs::read_to_string(games).unwrap();
        assert!(!rows.contains("crashed"), "{rows}");
    }
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

/// Starts this run, and waits until its build has begun.
fn building(folder: &Path) -> Child {
    write(folder, "endless.toml", ENDLESS);
    let child = start(folder, "run endless.toml");
    wait_for_lines(&folder.join("pids"), 1);
    child
}

#[test]
fn a_build_ends_with_the_run() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let folder = &new_folder();
        let child = building(folder);
        signal(name, &child.id().to_string());
        end(child, code);
        nothing_lives(folder);
        assert!(!folder.join("results").exists());
    }
}

#[test]
fn a_folder_is_taken_before_bots_are_built() {
    let folder = &new_folder();
    let first = building(folder);
    for how in ["", "--resume", "--force"] {
        let second = line(folder, &format!("run endless.toml --quiet {how}"));
        let said = "error: can't use results/endless: another arena is writing to it\n";
        assert_eq!(stderr(second.status(3)), said);
    }
    assert_eq!(count_lines(&folder.join("pids")), 1);
    interrupt(&first);
    end(first, 130);
    assert!(!folder.join("results").exists());
}

#[test]
fn only_folders_of_a_run_that_never_began_are_removed() {
    let folder = &new_folder();
    let failing = ENDLESS.replace("sleep 1000", "exit 9");
    write(folder, "failing.toml", failing);
    fs::create_dir_all(folder.join("mine/empty")).unwrap();
    for out in ["a/b/run", "mine/run", "mine/empty"] {
        line(folder, &format!("run failing.toml --quiet --out {out}")).status(3);
    }
    line(
        folder,
        r#"duel minishogi "sh -c 'exit 7'" "sh -c 'exit 8'""#,
    )
    .status(3);
    let folders = ["a", "mine", "mine/run", "mine/empty"];
    let left = folders.map(|name| folder.join(name).exists());
    assert_eq!(left, [false, true, false, true]);
    assert_eq!(fs::read_dir(folder.join("results")).unwrap().count(), 0);
}

#[test]
fn a_bot_that_cannot_be_run_is_refused_before_the_first_game() {
    let folder = &new_folder();
    write_program(&folder.join("bot"), "#!/no/such/interpreter\n");
    let config = "[run]\ngame = \"minishogi\"\n[[bot]]\nname = \"a\"\ncommand = \"sh\"\n[[bot]]\nname = \"b\"\ncommand = \"./bot\"\n";
    write(folder, "bad.toml", config);
    line(folder, "run bad.toml")
        .status(3)
        .contains("\nerror: can't start the bot `b`: can't run `./bot` (the interpreter");
    assert!(!folder.join("results").exists());
}

#[test]
fn a_failed_build_shows_its_output_and_starts_nothing() {
    let folder = &new_folder();
    let refused = |command: &str, build: &str| {
        let config = ENDLESS
            .replacen("command = \"sh\"", &format!("command = \"{command}\""), 1)
            .replace("echo $$ >> pids; sleep 1000", build);
        write(folder, "built.toml", config);
        let out = line(folder, "run built.toml --quiet");
        out.status(3);
        assert!(!folder.join("results").exists());
        out
    };
    refused("sh", "echo compiling; echo line 7 is wrong >&2; exit 9")
        .begins("error: can't build bot `a` with `sh -c")
        .contains("exit status: 9\ncompiling\nline 7 is wrong\n");
    refused("./built-bot", "true").begins(
        "error: can't start bot `a`: can't find the program `./built-bot`: there is no such file",
    );
}

#[test]
fn games_that_cannot_be_played_are_told_and_played_later() {
    let folder = &new_folder();
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
    write(folder, "vanishing.toml", config);
    // It still exists when arena tries to start it.
    let script =
        "#!/bin/sh\nread -r line\n[ ! -e tried ] || rm -f vanishes\ntouch tried\necho garbage\n";
    write_program(&folder.join("vanishes"), script);
    line(folder, "run vanishing.toml --quiet")
        .status(5)
        .contains("game 1 could not be played: can't start the bot `vanishes`")
        .contains("1 of 60 games");
    // It has to be the same program, or the run would not be one.
    write_program(&folder.join("vanishes"), &script.replace("rm", "true"));
    line(folder, "run vanishing.toml --quiet --resume")
        .status(3)
        .contains("bot `vanishes` is not the same: ./vanishes has changed");
}

/// The folders that a bot may read and its classes are part of it, down to the file.
#[test]
fn a_bot_that_is_a_folder_must_be_the_same() {
    let folder = &new_folder();
    write(folder, "book/a/first.txt", "1");
    write(folder, "classes/Player.class", "1");
    write(folder, "bot.sh", "echo nonsense");
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
    write(folder, "folders.toml", config);
    // The bot answers nonsense: there is no verdict.
    let plays = || {
        line(folder, "run folders.toml --quiet --resume").status(4);
        let results = &folder.join("results/folders");
        let records = read(results, "records.jsonl");
        let first = records.lines().next().unwrap();
        write(results, "records.jsonl", format!("{first}\n"));
        for name in ["summary.json", "games.csv"] {
            fs::remove_file(results.join(name)).unwrap();
        }
    };
    plays();
    // What is no program may lie beside classes.
    write(folder, "classes/notes.txt", "");
    plays();
    for (name, changed) in [
        ("book/a/first.txt", "book/a/first.txt"),
        ("book/second.txt", "book/"),
        ("classes/Player.class", "classes/Player.class"),
    ] {
        let was = fs::read(folder.join(name));
        write(folder, name, "2");
        line(folder, "run folders.toml --quiet --resume")
            .status(3)
            .contains(&format!(
                "bot `folder` is not the same: {changed} has changed"
            ));
        match was {
            Ok(was) => write(folder, name, was),
            Err(_) => fs::remove_file(folder.join(name)).unwrap(),
        }
    }
    // All is as it was.
    plays();
}

#[test]
fn without_a_terminal_progress_is_told_in_lines_unless_quiet() {
    let folder = &deterministic();
    let out = line(folder, "run deterministic.toml --games 2");
    out.begins(
        "asking 5 bots for a first answer: 0 of 5\n\
         asking 5 bots for a first answer: 5 of 5\n\
         deterministic: 8 games of 5 bots",
    );
    let told = stderr(&out);
    for part in ["8/8 games, ", "; MiniShogi: ", "W-D-L "] {
        has(&told, part);
    }
    let told = stdout(&out);
    let answer = "MiniShogi: search has won everything\n";
    assert!(told.starts_with(answer), "{told}");
    has(&told, "\n\nMiniShogi\n6 games\n #  bot ");
    // No terminal, no escapes.
    out.lacks("\u{1b}");
    let quiet = line(folder, "run deterministic.toml --games 2 --quiet --force");
    assert_eq!(stderr(&quiet), "");
}

#[test]
fn perft_counts_and_splits() {
    let folder = &new_folder();
    let perft = |args: &str| line(folder, &format!("perft minishogi {args}"));
    let told = stdout(&perft("--depth 3"));
    assert!(
        told.starts_with("5544: ") && told.ends_with("\n2512\n"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 14 + 1);
    let told = stdout(&perft("--depth 2 --sfen 'k2+PS/2G2/BS3/b2K1/R4 b PRg 101'"));
    assert!(told.ends_with("\n955\n"), "{told}");
    perft("--sfen 'k4/5/5/5/5 b -'").status(3).begins("error: ");
}

/// Whatever is wrong with a config: one message that shows the place, exit status 3, nothing
/// started, nothing written.
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
    let second = "name = \"b\"\ncommand = \"sh -c 'echo started >> started'\"";
    let cases = [
        ("games = 2", "gmaes = 2"),
        ("games = 2", "games = \"two\""),
        ("games = 2", "games = 0"),
        ("games = 2", "opening_plies = 3"),
        ("turn_ms = 100", "turn_ms = -5"),
        ("game = \"minishogi\"", "game = \"minishogo\""),
        ("name = \"b\"", "name = \"a\""),
        (
            second,
            "name = \"b\"\ncommand = \"./no-such-bot --depth 3\"",
        ),
        (second, "name = \"b\"\ncommand = \"./bad.toml\""),
    ];
    let folder = &new_folder();
    let mut messages = String::new();
    let mut check = |config: &str| {
        let out = line(folder, &format!("run {config}"));
        let said = stderr(out.status(3).prints(""));
        messages += &said.replace(&folder.display().to_string(), "FOLDER");
        messages.push('\n');
        assert!(!folder.join("results").exists() && !folder.join("started").exists());
    };
    for (right, wrong) in cases {
        assert!(good.contains(right));
        write(folder, "bad.toml", good.replacen(right, wrong, 1));
        check("bad.toml");
    }
    check("no-such.toml");
    check(".");
    write(folder, "bad.toml", b"[run]\nname = \"caf\xe9\"\n");
    check("bad.toml");
    insta::assert_snapshot!(messages);
}

/// Kutulu with a user's maps: from a broken folder nothing starts; from a good one the records
/// prove themselves, until the folder changes.
#[test]
fn kutulu_is_played_on_the_maps_of_a_folder() {
    let folder = &new_folder();
    let bot = |number: u32| {
        format!("[[bot]]\nname = \"waiter-{number}\"\ncommand = [\"yes\", \"WAIT\"]\n")
    };
    let bots = [1, 2, 3, 4].map(bot).concat();
    let config = format!(
        "[run]\nseed = 1\ngame = \"kutulu\"\ngames = 8\n{bots}[game.kutulu]\nmaps = \"maps\"\n"
    );
    write(folder, "k.toml", config);
    let map = |name: &str, middle: &str| {
        let map = format!("#######\n#S...S#\n{middle}\n#S...S#\n#######\n");
        write(folder, &format!("maps/{name}.txt"), map);
    };
    map("good", "#......");
    map("short", "#..w..");
    let broken = line(folder, "run k.toml");
    insta::assert_snapshot!(stderr(broken.status(3)));
    assert!(!folder.join("results").exists());

    fs::remove_file(folder.join("maps/short.txt")).unwrap();
    let played = line(folder, "run k.toml");
    let said = stderr(played.status(0));
    let warnings = said.lines().filter(|line| line.starts_with("warning: "));
    insta::assert_snapshot!(warnings.collect::<Vec<_>>().join("\n"));
    let verify = || stdout(&line(folder, "verify results/k/records.jsonl"));
    assert_eq!(verify(), "8 games verified, 0 mismatches\n");
    map("other", "#.....#");
    assert!(verify().ends_with("8 games verified, 8 mismatches\n"));
}
