//! What holds on every system: the same games, and nothing that outlives them.
//!
//! Bots that misbehave, and what they start, lock a file for as long as they live. So a test needs
//! no list of processes.

use std::fmt::Write as _;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::programs::{
    Folder, PATIENT, Said as _, check_rows, command, count_lines, csv_rows, in_project, line,
    new_folder, read, resume, sample_bot, table, timeless, write,
};

/// Ways to misbehave: the mode and its arguments, and the fate in every game.
const FATES: &str = "
honest | ok
crlf | ok
panic | crashed
abort | crashed
segfault | crashed
exit | crashed
exit-after | crashed
orphan-exit | crashed
hang | timeout
busy | timeout
never-reads | timeout
partial --ms 60000 | timeout
endless-output | too_long
endless-lines | invalid_action
stderr-flood | ok
endless-stderr | timeout
closes-stdin | timeout
closes-stdout | crashed
closes-stderr | ok
late-line | invalid_action
fork-bomb | ok
own-group | ok
daemon | ok
daemon-chain | ok
memory | out_of_memory
";

/// The most time that killed processes get to end, far less than a survivor would live.
const GONE_AFTER: Duration = Duration::from_secs(20);

/// A folder with a file that bots that misbehave lock while they live.
fn marked() -> Folder {
    let folder = new_folder();
    write(&folder, "mark", "");
    folder
}

/// A bot that misbehaves.
fn hostile(folder: &Path, name: &str, mode: &str) -> String {
    let (program, mark) = (sample_bot("hostile"), folder.join("mark"));
    let mark = mark.display();
    format!(
        "[[bot]]\nname = {name:?}\ncommand = '{program} --mode {mode}'\n\
         read = ['{mark}']\nenv = {{ HOSTILE_MARK = '{mark}' }}\n"
    )
}

/// Checks that no bot that misbehaves lives, nor anything it started.
#[track_caller]
fn nothing_lives(folder: &Path) {
    let start = Instant::now();
    loop {
        // What was just started may not have locked the file yet.
        sleep(Duration::from_millis(500));
        match File::open(folder.join("mark")).unwrap().try_lock() {
            Ok(()) => return,
            Err(TryLockError::WouldBlock) if start.elapsed() < GONE_AFTER => {}
            Err(error) => panic!("something lives on: {error}"),
        }
    }
}

/// Plays against these bots in turn, and returns the fate of each in each game.
fn fates(folder: &Path, modes: &[&str]) -> String {
    let mut config = String::from(
        "[run]\nname = 'run'\nseed = 1\ngame = 'onitama'\ngames = 2\njobs = 2\nstart_anyway = true\n\
         [clock]\nfirst_turn_ms = 20000\nturn_ms = 2000\nstartup_ms = 20000\n\
         [limits]\nmemory_mb = 512\n",
    );
    config += &hostile(folder, "first", "honest");
    for mode in modes {
        config += &hostile(folder, mode, mode);
    }
    write(folder, "run.toml", config);
    line(folder, "run run.toml --quiet").status(0);
    nothing_lives(folder);
    line(folder, "verify results/run").contains("0 mismatches");
    let mut fates = String::new();
    for row in csv_rows(&folder.join("results/run"), "games.csv") {
        let (seat, other) = if row["p1_bot"] == "first" {
            ("p2", "p1")
        } else {
            ("p1", "p2")
        };
        assert_eq!(row[&format!("{other}_fate")], "ok", "{row:?}");
        let (bot, fate) = (&row[&format!("{seat}_bot")], &row[&format!("{seat}_fate")]);
        let _ = writeln!(fates, "{bot} | {fate}");
    }
    fates
}

#[test]
fn bots_that_misbehave_meet_their_fate_and_leave_nothing() {
    let modes: Vec<&str> = table(FATES).iter().map(|[mode, _]| *mode).collect();
    let twice: Vec<&str> = FATES.trim().lines().flat_map(|row| [row; 2]).collect();
    assert_eq!(fates(&marked(), &modes).trim_end(), twice.join("\n"));
}

#[test]
fn a_bot_that_overflows_its_stack_crashes() {
    let fates = fates(&marked(), &["honest", "stack-overflow"]);
    let [honest, overflows] = ["honest | ok\n", "stack-overflow | crashed\n"];
    assert_eq!(fates, honest.repeat(2) + &overflows.repeat(2));
}

/// Kills come while bots leave daemons, and between games.
#[test]
fn kills_at_ten_moments_leave_nothing_and_cost_no_game() {
    let folder = &marked();
    let bots = hostile(folder, "a", "daemon") + &hostile(folder, "b", "honest");
    let config = |name: &str| {
        format!(
            "[run]\nname = '{name}'\nseed = 1\ngame = 'onitama'\ngames = 60\njobs = 2\n\
             [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n{bots}"
        )
    };
    write(folder, "once.toml", config("once"));
    write(folder, "often.toml", config("often"));
    line(folder, "run once.toml --quiet").status(0);
    let run = &folder.join("results/often");
    for kill in 0..10 {
        let mut arena = command(folder, &["run", "often.toml", "--quiet"])
            .args(resume(run))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let games = run.join("games.csv");
        while count_lines(&games) <= 5 * kill && arena.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(13 * kill as u64));
        arena.kill().unwrap();
        arena.wait().unwrap();
        nothing_lives(folder);
    }
    line(folder, "run often.toml --quiet --resume").status(0);
    assert_eq!(timeless(run), timeless(&folder.join("results/once")));
}

/// Runs whose `games.csv` is in tests/golden: a name, and the arguments of arena.
const RUNS: &str = "
minishogi | duel minishogi 'arena bot minishogi-greedy' 'arena bot minishogi-random' --games 4
dice_shogi | duel dice_shogi 'arena bot dice-shogi-greedy' 'arena bot dice-shogi-random' --games 4
onitama | duel onitama 'arena bot onitama-search --depth 1' 'arena bot onitama-random' --games 4
kutulu | duel kutulu 'arena bot kutulu-greedy' 'arena bot kutulu-random' --games 4
sprt | duel onitama 'arena bot onitama-greedy' 'arena bot onitama-random' --sprt 0,50,max_units=20
gauntlet | run gauntlet.toml --games 2
";

/// The golden file was written on Linux, by `UPDATE_EXAMPLES=1 cargo test --test it everywhere::`.
#[test]
fn games_are_those_of_linux() {
    let folder = &new_folder();
    let gauntlet = fs::read_to_string(in_project("configs/gauntlet.toml")).unwrap();
    write(folder, "gauntlet.toml", gauntlet);
    let mut games = String::new();
    for [name, args] in table(RUNS) {
        let out = line(
            folder,
            &format!("{args} --seed 1 --out {name} --quiet {PATIENT}"),
        );
        assert!(
            matches!(out.status.code(), Some(0 | 1 | 4)),
            "{name}: {out:?}"
        );
        line(folder, &format!("verify {name}"))
            .status(0)
            .contains("0 mismatches");
        let [rows, _] = timeless(&folder.join(name));
        let _ = writeln!(games, "# {name}\n{}", rows.join("\n"));
    }
    let golden = in_project("tests/golden/games.csv");
    if std::env::var_os("UPDATE_EXAMPLES").is_some() {
        fs::write(&golden, &games).unwrap();
    }
    assert_eq!(games, fs::read_to_string(golden).unwrap());
}

#[test]
fn an_author_gets_from_nothing_to_a_pool() {
    let folder = &new_folder();
    let rows = "
        init --game onitama --language python | 0 | arena.toml
        check onitama 'arena bot onitama-greedy' --seeds 1 | 0 | ready to play
        duel onitama 'arena bot onitama-greedy' 'arena bot onitama-random' --games 40 --seed 1 --out run | 0 | onitama-random is weaker
        replay run 1 | 0 | seat 0  onitama-greedy
        verify run | 0 | 0 mismatches
        rate run | 0 | greedy
        pool new onitama | 0 | pool
        pool try v1='arena bot onitama-random' --seed 1 | 0 | v1 is the best
        pool try v2='arena bot onitama-greedy' --seed 1 --games 40 | 0 | v2 is stronger
    ";
    check_rows(folder, rows);
    assert!(read(folder, "run/plan.toml").contains("onitama-greedy"));
}
