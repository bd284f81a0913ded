//! System calls of a game: how many arena makes beyond bare processes and pipes. Needs `strace`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::programs::{bots, sample_bot, write};

/// The most calls of a game, with the sandbox off, beyond those of bare processes and pipes.
const MOST: usize = 40;
/// The games of two runs. What a run does once is in both, so only their difference counts.
const GAMES: [usize; 2] = [6, 46];
/// A busy machine makes arena do more, never less. So the least of several runs counts, for each
/// number of games.
const TRIES: usize = 3;
/// The variable with the number of [bare games](bare_games).
const BARE: &str = "ARENA_BARE_GAMES";

/// Calls whose number depends on turns, threads and the time between them. Until a bot that was
/// killed is gone, arena repeats `getpgid`.
const UNCOUNTED: &str = "--trace=!read,write,?poll,ppoll,futex,restart_syscall,recvfrom,sched_yield,\
                         clock_nanosleep,timerfd_settime,getpgid";
/// Parts of other lines that don't count. If a bot takes more than a millisecond to answer, as
/// they all do under `strace`, arena looks at it in `/proc` and stops its rival. And a debug build
/// checks each descriptor that it closes.
const OTHERS: [&str; 4] = ["/proc/", "SIGSTOP", "SIGCONT", "F_GETFD"];
/// Calls that the C library makes for each start, for instance 121 to reset every signal. Bare
/// processes don't need them, so they count for arena only.
const OF_THE_LIBRARY: [&str; 4] = ["rt_sigaction", "prlimit64", "mmap", "munmap"];

/// How often each call was made.
type Calls = BTreeMap<String, usize>;

/// Returns the calls of the games that a long run has beyond a short one. `program` adds the
/// program that plays so many games with this bot to a command.
fn of_games(bot: &str, program: impl Fn(&mut Command, usize)) -> Calls {
    let run = |games| {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut strace = Command::new("strace");
        strace.args(["-f", "-y", "--seccomp-bpf", "--signal=none", UNCOUNTED]);
        strace.arg("-o").arg(&log).current_dir(folder.path());
        program(&mut strace, games);
        let run = strace.output().expect("install strace");
        assert!(run.status.success(), "{run:?}");
        count(&fs::read_to_string(log).unwrap(), bot)
    };
    let [few, mut many] = GAMES.map(|games| {
        let tries = [(); TRIES].map(|()| run(games));
        tries.into_iter().min_by_key(total).unwrap()
    });
    for (call, times) in few {
        let more = many.entry(call).or_default();
        *more = more.saturating_sub(times);
    }
    many
}

/// Counts the calls in a log. Those of a child count until it becomes the bot.
fn count(log: &str, bot: &str) -> Calls {
    let (mut playing, mut calls) = (Vec::new(), Calls::new());
    for line in log.lines() {
        let (process, line) = line.split_once(' ').unwrap();
        // Other lines are the ends of calls and of processes.
        let Some((call, rest)) = line.trim_start().split_once('(') else {
            continue;
        };
        let is_other = call.starts_with('<') || OTHERS.iter().any(|part| rest.contains(part));
        if !is_other && !playing.contains(&process) {
            *calls.entry(call.to_owned()).or_default() += 1;
        }
        if call == "execve" && rest.starts_with(&format!("{bot:?}")) {
            playing.push(process);
        }
    }
    calls
}

fn total(calls: &Calls) -> usize {
    calls.values().sum()
}

#[test]
fn a_game_makes_few_calls_beyond_processes_and_pipes() {
    let mut roof = of_games("/bin/cat", |strace, games| {
        strace
            .arg(env::current_exe().unwrap())
            .args(["calls::bare_games", "--exact", "--ignored"])
            .env(BARE, games.to_string());
    });
    roof.retain(|call, _| !OF_THE_LIBRARY.contains(&call.as_str()));
    let bot = sample_bot("onitama-random");
    let folder = tempfile::tempdir().unwrap();
    let most = total(&roof) + MOST * (GAMES[1] - GAMES[0]);
    let bots = bots(&format!("a | {bot}\nb | {bot}"));
    let arena = of_games(&bot, |strace, games| {
        let run = format!("[run]\ngame = \"onitama\"\ngames = {games}\njobs = 2\n");
        let config = format!("{run}[sandbox]\nmode = \"off\"\n{bots}");
        write(folder.path(), "run.toml", config);
        let program = env!("CARGO_BIN_EXE_arena");
        strace.args([program, "run", "--quiet"]);
        strace.arg(folder.path().join("run.toml"));
    });
    assert!(
        total(&arena) <= most,
        "{} calls, more than {most}: {arena:#?}, of processes and pipes alone: {roof:#?}",
        total(&arena),
    );
}

/// The program of the test above: games of two bots, each asked once.
#[test]
#[ignore = "the test above traces it"]
fn bare_games() {
    let games = env::var(BARE).map_or(1, |games| games.parse().unwrap());
    for _ in 0..games {
        let bots = [(); 2].map(|()| {
            Command::new("/bin/cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .unwrap()
        });
        for mut bot in bots {
            let question = b"a question\n";
            bot.stdin.as_mut().unwrap().write_all(question).unwrap();
            let stdout = bot.stdout.as_mut().unwrap();
            poll(&mut [PollFd::new(stdout, PollFlags::IN)], None).unwrap();
            let answer = stdout.read(&mut [0; 64]).unwrap();
            assert_eq!(answer, question.len());
            kill_process_group(Pid::from_child(&bot), Signal::KILL).unwrap();
            bot.wait().unwrap();
        }
    }
}
