//! Runs of every kind, killed at random moments and resumed: nothing outlives them, and their files are those of a run that was
//! played at once. `ARENA_KILLS` sets the number of kills of the long form, `ARENA_KILLS_SEED` their moments.

use std::env;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::programs::{command, inner, resume, sample_bot, stderr, survivors, timeless};
use arena_games::rng::SplitMix64;

/// The exit code of the outer process after a SIGKILL of the inner one.
const KILLED: i32 = 128 + 9;

/// Kills come within this many thousandths of the time of a whole run.
const MOMENTS: u64 = 700;

/// Tables that follow from the games. A run has those of its kind.
const TABLES: [&str; 3] = ["sprt.csv", "sweep.csv", "tune.csv"];

/// A kind of run.
struct Kind {
    name: &'static str,
    game: &'static str,
    /// Lines of `[run]`.
    run: &'static str,
    /// Further tables. `REFEREES` is the folder of the sample referees.
    tables: &'static str,
    /// Sample bots and their arguments.
    bots: &'static [&'static str],
    flags: &'static [&'static str],
}

const RANDOM: [&str; 3] = [
    "onitama-random",
    "onitama-random --seed 1",
    "onitama-random --seed 2",
];
const TWO: &[&str] = &[RANDOM[0], RANDOM[1]];
const LIST: &str = "format = \"round-robin\"\ngames = 80";

#[rustfmt::skip]
const KINDS: [Kind; 8] = [
    Kind { name: "match", game: "onitama", run: LIST, tables: "", bots: TWO, flags: &[] },
    Kind { name: "seats", game: "kutulu", run: "format = \"round-robin\"\ngames = 8", tables: "", bots: &["kutulu-random", "kutulu-greedy", "kutulu-random --seed 1", "kutulu-random --seed 2", "kutulu-greedy --seed 3"], flags: &[] },
    Kind { name: "round-robin", game: "onitama", run: "format = \"round-robin\"\ngames = 30", tables: "", bots: &RANDOM, flags: &[] },
    Kind { name: "gauntlet", game: "onitama", run: "games = 40", tables: "", bots: &RANDOM, flags: &[] },
    Kind { name: "sprt", game: "onitama", run: "format = \"sprt\"", tables: "[sprt]\nelo0 = -5\nelo1 = 5\nearly = false\nmax_units = 40", bots: TWO, flags: &[] },
    Kind { name: "sweep", game: "onitama", run: "format = \"sweep\"", tables: "[sweep]\nbot = \"0\"\nvalues = { blunder = [0, 30, 60] }\nblock = 4\nmax_units = 16", bots: &["onitama-search --depth 1 --blunder {blunder}", RANDOM[0]], flags: &[] },
    Kind { name: "tune", game: "onitama", run: "format = \"tune\"", tables: "[tune]\nbot = \"0\"\nblock = 4\nmax_units = 32\nparameters = { mobility = { min = 0, max = 20, start = 9 } }", bots: &["onitama-search --depth 1 --param mobility={mobility}"], flags: &[] },
    Kind { name: "referee", game: "tictactoe", run: "format = \"round-robin\"\ngames = 40", tables: "[game.tictactoe]\nreferee = [\"python3\", \"REFEREES/tictactoe.py\"]", bots: &["python3 REFEREES/bots/tictactoe_random.py", "python3 REFEREES/bots/tictactoe_greedy.py"], flags: &[] },
];

impl Kind {
    /// The config, with limits that no bot misses.
    fn config(&self) -> String {
        let Kind {
            game, run, tables, ..
        } = self;
        let mut config = format!(
            "[run]\nname = \"run\"\nseed = 5\njobs = 2\ngame = \"{game}\"\n{run}\n\
             [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n{tables}\n"
        );
        for (number, bot) in self.bots.iter().enumerate() {
            let (program, arguments) = bot.split_once(' ').unwrap_or((bot, ""));
            let program = match program {
                "python3" => program.to_owned(),
                _ => sample_bot(program),
            };
            let _ = writeln!(
                config,
                "[[bot]]\nname = \"{number}\"\ncommand = \"{program} {arguments}\""
            );
        }
        let referees = concat!(env!("CARGO_MANIFEST_DIR"), "/referees");
        config.replace("REFEREES", referees)
    }

    /// The arguments of a run into a folder. A run that was killed before it made one begins again.
    fn args<'a>(&self, folder: &Path, out: &'a str) -> Vec<&'a str> {
        let mut args = vec!["run", "run.toml", "--out", out, "--quiet"];
        args.extend(self.flags);
        args.extend(resume(&folder.join(out)));
        args
    }
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
    let whole = command(&folder, &kind.args(&folder, "whole"))
        .output()
        .unwrap();
    let took = begun.elapsed();
    let code = whole.status.code();
    let said = stderr(&whole);
    assert!(matches!(code, Some(0 | 1 | 4)), "{}: {said}", kind.name);
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
        let mut child = command(folder, &kind.args(folder, out))
            .env("OF_TEST", folder)
            .stdout(Stdio::null())
            .stderr(File::create(folder.join("stderr")).unwrap())
            .spawn()
            .unwrap();
        let mut is_inner = false;
        if seen.kills < goal {
            let share = u32::try_from(random.next64() % MOMENTS).unwrap();
            sleep(took * share / 1000);
            let inner = inner(&child).filter(|_| random.next64().is_multiple_of(3));
            is_inner = inner.is_some();
            // It may have ended.
            let _ = kill_process(inner.unwrap_or(Pid::from_child(&child)), Signal::KILL);
        }
        let status = child.wait().unwrap();
        let code = status.code().or(status.signal().map(|signal| 128 + signal));
        let [summary, page] =
            ["summary.json", "report.html"].map(|name| folder.join(out).join(name));
        let had_summary = summary.exists();
        let survivors = survivors("OF_TEST", folder);
        // Short runs that play on end before they count as survivors, but they write both files at their end. A
        // killed process may still finish one system call, and so one file.
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
    println!(
        "{} SIGKILLs, {} of the inner process, {} with games written; {} runs finished: {} survivors, {} differences",
        seen.kills,
        seen.inner,
        seen.midway,
        seen.finished,
        seen.survivors.len(),
        seen.differences.len()
    );
    assert_eq!(
        (&seen.survivors[..], &seen.differences[..]),
        (&[][..], &[][..])
    );
}

/// The kinds of runs that no other test kills.
#[test]
fn a_killed_run_is_resumed() {
    kill(&KINDS[..3], 8);
}

#[test]
#[ignore = "the long form: .ci/long"]
fn runs_of_every_kind_survive_many_kills() {
    kill(&KINDS, number("ARENA_KILLS").unwrap_or(1000));
}
