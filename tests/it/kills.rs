//! Runs of every kind, killed at random moments and resumed: nothing outlives them, and their files
//! are those of a run that was played at once. `ARENA_KILLS` sets the number of kills of the long
//! form, `ARENA_KILLS_SEED` their moments.

use std::env;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arena_games::rng::SplitMix64;
use rustix::process::{Pid, Signal, kill_process};

use crate::programs::{
    bots, command, in_project, inner, resume, sample_bot, stderr, survivors, timeless,
};

/// The exit code of the outer process after a SIGKILL of the inner one.
const KILLED: i32 = 128 + 9;

/// Kills come within this many thousandths of the time of a whole run.
const MOMENTS: u64 = 700;

/// Tables that follow from the games. A run has those of its kind.
const TABLES: [&str; 3] = ["sprt.csv", "sweep.csv", "tune.csv"];

/// Kinds of runs: a name with sample bots and their arguments, then lines of `[run]` and further
/// tables. `REFEREES` is the folder of the sample referees.
const KINDS: &str = "
match: onitama-random, onitama-random --seed 1
game = 'onitama'
format = 'round-robin'
games = 80

seats: kutulu-random, kutulu-greedy, kutulu-random --seed 1, kutulu-random --seed 2, kutulu-greedy --seed 3
game = 'kutulu'
format = 'round-robin'
games = 8

round-robin: onitama-random, onitama-random --seed 1, onitama-random --seed 2
game = 'onitama'
format = 'round-robin'
games = 30

gauntlet: onitama-random, onitama-random --seed 1, onitama-random --seed 2
game = 'onitama'
games = 40

sprt: onitama-random, onitama-random --seed 1
game = 'onitama'
format = 'sprt'
[sprt]
elo0 = -5
elo1 = 5
early = false
max_units = 40

sweep: onitama-search --depth 1 --blunder {blunder}, onitama-random
game = 'onitama'
format = 'sweep'
[sweep]
bot = '0'
values = { blunder = [0, 30, 60] }
block = 4
max_units = 16

tune: onitama-search --depth 1 --param mobility={mobility}
game = 'onitama'
format = 'tune'
[tune]
bot = '0'
block = 4
max_units = 32
parameters = { mobility = { min = 0, max = 20, start = 9 } }

referee: python3 REFEREES/bots/tictactoe_random.py, python3 REFEREES/bots/tictactoe_greedy.py
game = 'tictactoe'
format = 'round-robin'
games = 40
[game.tictactoe]
referee = ['python3', 'REFEREES/tictactoe.py']
";

/// A kind of run.
struct Kind {
    name: &'static str,
    bots: &'static str,
    lines: &'static str,
}

/// Everything in [`KINDS`].
fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for block in KINDS.trim().split("\n\n") {
        let (first, lines) = block.split_once('\n').unwrap();
        let (name, bots) = first.split_once(": ").unwrap();
        kinds.push(Kind { name, bots, lines });
    }
    kinds
}

impl Kind {
    /// The config, with limits that no bot misses.
    fn config(&self) -> String {
        let mut config = format!(
            "[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n\
             [run]\nname = \"run\"\nseed = 5\njobs = 2\n{}\n",
            self.lines
        );
        for (number, bot) in self.bots.split(", ").enumerate() {
            let command = match bot.split_once(' ') {
                Some(("python3", _)) => bot.to_owned(),
                Some((program, arguments)) => format!("{} {arguments}", sample_bot(program)),
                None => sample_bot(bot),
            };
            config += &bots(&format!("{number} | {command}"));
        }
        config.replace("REFEREES", in_project("referees").to_str().unwrap())
    }
}

/// The arguments of a run into a folder. A run that was killed before it made one begins again.
fn args<'a>(folder: &Path, out: &'a str) -> Vec<&'a str> {
    let mut args = vec!["run", "run.toml", "--out", out, "--quiet"];
    args.extend(resume(&folder.join(out)));
    args
}

/// Counts about killed runs.
#[derive(Debug, Default)]
struct Seen {
    kills: u64,
    /// Kills of the inner process.
    inner: u64,
    /// Kills when some of the games were written.
    midway: u64,
    finished: u64,
    survivors: Vec<String>,
    differences: Vec<String>,
}

/// Kills runs of a kind so often, and resumes each until it is finished.
fn kill_runs(kind: &Kind, kills: u64, random: &mut SplitMix64, seen: &mut Seen) {
    let mut place = tempfile::tempdir().unwrap();
    let folder = place.path().to_owned();
    fs::write(folder.join("run.toml"), kind.config()).unwrap();
    let begun = Instant::now();
    let whole = command(&folder, &args(&folder, "whole")).output().unwrap();
    let took = begun.elapsed();
    let code = whole.status.code();
    let is_fine = matches!(code, Some(0 | 1 | 4));
    assert!(is_fine, "{}: {}", kind.name, stderr(&whole));
    let expected = files(&folder.join("whole"));

    let goal = seen.kills + kills;
    while seen.kills < goal {
        let out = format!("killed-{}", seen.finished);
        let found = resumed(kind, &folder, &out, (took, goal), random, seen);
        seen.finished += 1;
        if found == code && files(&folder.join(&out)) == expected {
            fs::remove_dir_all(folder.join(&out)).unwrap();
        } else {
            place.disable_cleanup(true);
            let said = fs::read_to_string(folder.join("stderr")).unwrap();
            let ends = format!("exit status {found:?}, not {code:?}: {said}");
            let run = folder.join(out);
            seen.differences.push(format!("{}: {ends}", run.display()));
        }
    }
}

/// Resumes a run until it ends by itself, and kills it until then. Returns its exit status.
fn resumed(
    kind: &Kind,
    folder: &Path,
    out: &str,
    (took, goal): (Duration, u64),
    random: &mut SplitMix64,
    seen: &mut Seen,
) -> Option<i32> {
    loop {
        let mut child = command(folder, &args(folder, out))
            .env("OF_TEST", folder)
            .stdout(Stdio::null())
            .stderr(File::create(folder.join("stderr")).unwrap())
            .spawn()
            .unwrap();
        let mut is_inner = false;
        if seen.kills < goal {
            let share = u32::try_from(random.next64() % MOMENTS).unwrap();
            sleep(took * share / 1000);
            let inner = inner(&child);
            is_inner = inner.is_some() && random.next64().is_multiple_of(3);
            let killed = match inner {
                Some(inner) if is_inner => inner,
                _ => Pid::from_child(&child),
            };
            // It may have ended.
            let _ = kill_process(killed, Signal::KILL);
        }
        let status = child.wait().unwrap();
        let code = status.code().or(status.signal().map(|signal| 128 + signal));
        let [summary, page] =
            ["summary.json", "report.html"].map(|name| folder.join(out).join(name));
        let had_summary = summary.exists();
        let survivors = survivors("OF_TEST", folder);
        // Short runs that play on end before they count as survivors, but they write both files at
        // their end. A killed process may still finish one system call, and so one file.
        let played_on = !had_summary && page.exists();
        if played_on || !survivors.is_empty() {
            let name = kind.name;
            seen.survivors
                .push(format!("{name}, played on: {played_on}, {survivors:?}"));
        }
        if code != Some(KILLED) {
            return code;
        }
        seen.kills += 1;
        seen.inner += u64::from(is_inner);
        let rows = fs::read_to_string(folder.join(out).join("games.csv"));
        seen.midway += u64::from(rows.is_ok_and(|rows| rows.lines().count() > 1));
    }
}

/// The games and records of a run without times, and the tables of its kind.
fn files(run: &Path) -> ([Vec<String>; 2], [Option<String>; 3]) {
    let tables = TABLES.map(|table| fs::read_to_string(run.join(table)).ok());
    (timeless(run), tables)
}

/// The number in a variable of the environment.
fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().expect(variable))
}

/// Kills runs of these kinds at moments from a seed, and prints what was seen.
fn kill(kinds: &[Kind], kills: u64) {
    let moments = number("ARENA_KILLS_SEED").unwrap_or_else(|| RandomState::new().hash_one(kills));
    println!("ARENA_KILLS_SEED={moments}");
    let mut random = SplitMix64::new(moments);
    let mut seen = Seen::default();
    let share = kills.div_ceil(kinds.len() as u64);
    for kind in kinds {
        kill_runs(kind, share, &mut random, &mut seen);
        println!("{}: {share} kills", kind.name);
    }
    let Seen {
        kills,
        inner,
        midway,
        finished,
        ..
    } = seen;
    println!(
        "{kills} SIGKILLs, {inner} of the inner process, {midway} with games written; {finished} runs finished"
    );
    assert!(seen.survivors.is_empty(), "{:?}", seen.survivors);
    assert!(seen.differences.is_empty(), "{:?}", seen.differences);
}

/// The kinds of runs that no other test kills.
#[test]
fn a_killed_run_is_resumed() {
    kill(&kinds()[..3], 8);
}

#[test]
#[ignore = "the long form: .ci/long"]
fn runs_of_every_kind_survive_many_kills() {
    kill(&kinds(), number("ARENA_KILLS").unwrap_or(1000));
}
