//! However the arena ends, nothing that it started lives on. Real processes, killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::programs::{self, Said as _, inner, line, read, records, signal, stdout, write};

const LONG: Duration = Duration::from_secs(300);

/// Three daemons of a bot. The first leaves its group and session, ignores signals, and loops at
/// low priority for five minutes. The second keeps replacing itself by a new process; every
/// fiftieth lives a second, so that a slow scan finds it. The third sleeps.
const DAEMONS: &str = r#"
(trap '' TERM HUP INT; setsid sh -c 'trap "" TERM HUP INT; (setsid timeout -s KILL 300 nice -n 19 sh -c "while :; do :; done" &) ; exit' &)
(setsid sh -c 'step() { [ $1 -lt 100000 ] && (sleep $(($1 % 50 ? 0 : 1)).02; step $(($1+1))) & }; step 0' &)
sleep 300 &
"#;

/// How the command lines of the daemons begin.
const DAEMON_COMMANDS: [&str; 3] = ["sh -c while :; do :;", "sh -c step()", "sleep 300"];

/// Command lines of live processes started by the arena in `folder`.
fn living(folder: &Path) -> Vec<String> {
    programs::living("OF_TEST", folder)
}

fn config(folder: &Path, more: &str, script: &str) {
    write(folder, "bot.sh", script);
    // Three, because of two that both fail a run says that it has no verdict.
    let bots = ["a", "b", "c"]
        .map(|name| format!("[[bot]]\nname = \"{name}\"\ncommand = \"sh bot.sh\"\n"));
    let config = format!(
        "[run]\nseed = 1\nname = \"r\"\ngame = \"minishogi\"\ngames = 2\njobs = 2\n[clock]\nfirst_turn_ms = 60000\n{more}{}",
        bots.concat()
    );
    write(folder, "c.toml", config);
}

/// Starts a run of the config.
fn spawn(folder: &Path, namespaces: bool) -> Child {
    let mut arena = programs::command(folder, &["run", "c.toml", "--quiet"]);
    arena.env("OF_TEST", folder);
    arena.stdout(Stdio::piped()).stderr(Stdio::piped());
    if namespaces {
        arena.spawn().unwrap()
    } else {
        spawn_without_namespaces(&mut arena)
    }
}

fn out_of(folder: &Path, namespaces: bool) -> Output {
    spawn(folder, namespaces).wait_with_output().unwrap()
}

/// Starts a program where it gets no namespaces, as in many containers.
pub(crate) fn spawn_without_namespaces(command: &mut Command) -> Child {
    let rules = BTreeMap::from([(libc::SYS_unshare, Vec::new())]);
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch);
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    let spawn = || {
        seccompiler::apply_filter(&filter).unwrap();
        command.spawn().unwrap()
    };
    thread::scope(|scope| scope.spawn(spawn).join().unwrap())
}

/// Starts a run whose bots never answer, and start daemons again and again, because arena kills
/// those that left them. Returns when each kind of daemon has run.
fn running(folder: &Path, namespaces: bool) -> Child {
    config(
        folder,
        "",
        &format!("while :; do\n{DAEMONS}\nsleep 0.2\ndone"),
    );
    let child = spawn(folder, namespaces);
    let (start, mut seen) = (Instant::now(), BTreeSet::<&str>::new());
    while seen.len() < DAEMON_COMMANDS.len() {
        assert!(start.elapsed() < LONG, "only {seen:?} started");
        sleep(Duration::from_millis(5));
        let commands = living(folder);
        for daemon in DAEMON_COMMANDS {
            if commands.iter().any(|command| command.starts_with(daemon)) {
                seen.insert(daemon);
            }
        }
    }
    child
}

fn nothing_lives(folder: &Path, how: &str) {
    let survivors = programs::survivors("OF_TEST", folder);
    assert!(survivors.is_empty(), "left after {how}: {survivors:?}");
}

fn ends_by_signals(namespaces: bool) {
    for (name, times, code) in [("-TERM", 1, 143), ("-INT", 2, 130), ("-HUP", 1, 129)] {
        let folder = tempfile::tempdir().unwrap();
        let child = running(folder.path(), namespaces);
        for _ in 0..times {
            signal(name, child.id());
            sleep(Duration::from_millis(200));
        }
        let out = child.wait_with_output().unwrap();
        out.status(code);
        nothing_lives(folder.path(), name);
    }
}

fn ends_by_kill(namespaces: bool, kill_outer: bool, kill_inner: bool) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = running(folder.path(), namespaces);
    let inner = inner(&child).unwrap();
    if kill_outer {
        signal("-KILL", child.id());
    }
    if kill_inner {
        // It may have ended with the outer one.
        let _ = kill_process(inner, Signal::KILL);
    }
    nothing_lives(
        folder.path(),
        &format!("SIGKILL, outer {kill_outer}, inner {kill_inner}"),
    );
    let status = child.wait().unwrap();
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    assert_eq!(code, Some(137));
}

/// By itself: daemons do not even see the next game.
fn ends_by_itself(namespaces: bool) {
    let folder = tempfile::tempdir().unwrap();
    config(folder.path(), "", &format!("{DAEMONS}\necho nonsense"));
    let out = out_of(folder.path(), namespaces);
    out.status(0);
    assert!(
        living(folder.path()).is_empty(),
        "nothing outlives the arena"
    );
}

#[test]
fn everything_dies_with_the_arena() {
    ends_by_signals(true);
    ends_by_itself(true);
    for (outer, inner) in [(true, false), (false, true), (true, true)] {
        ends_by_kill(true, outer, inner);
    }
}

#[test]
fn everything_dies_with_the_arena_where_there_are_no_namespaces() {
    ends_by_signals(false);
    ends_by_itself(false);
    for (outer, inner) in [(true, false), (false, true)] {
        ends_by_kill(false, outer, inner);
    }
}

/// A bot can signal the thread that starts it, and so the inner process.
#[test]
fn a_signal_ends_the_run_only_through_the_outer_process() {
    for namespaces in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = running(folder.path(), namespaces);
        let inner = inner(&child).unwrap();
        for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
            kill_process(inner, signal).unwrap();
        }
        sleep(Duration::from_millis(300));
        assert_eq!(child.try_wait().unwrap(), None);
        signal("-TERM", child.id());
        assert_eq!(child.wait().unwrap().code(), Some(143));
        nothing_lives(folder.path(), "SIGTERM");
    }
}

#[test]
fn daemons_end_with_their_game_and_are_reaped() {
    for namespaces in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        // Answers with the number of processes that ended and were not reaped, or that earlier
        // games left behind.
        let count = "ps -eo stat,args | grep -c '^Z.*\\[s[hl]\\|[w]hile :; do sleep'";
        let daemon = "(setsid sh -c 'while :; do sleep 9; done' &)";
        config(
            folder.path(),
            "[sandbox]\nmode = \"off\"\n",
            &format!("{count} >> counts; {daemon}\nsleep 0.05; echo nonsense"),
        );
        let config = read(folder.path(), "c.toml").replace("jobs = 2", "jobs = 1");
        let config = config.replace("games = 2", "games = 10");
        write(folder.path(), "c.toml", config);
        let out = out_of(folder.path(), namespaces);
        out.status(0);
        if namespaces {
            // The two bots of one game may see each other's.
            for count in read(folder.path(), "counts").lines() {
                assert!(count.parse::<u32>().unwrap() <= 2, "{count}");
            }
        }
        assert!(living(folder.path()).is_empty());
    }
}

#[test]
fn the_header_and_the_summary_tell_the_rung_and_strict_wants_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    config(folder, "", "echo nonsense");
    out_of(folder, false).status(0);
    let summary = read(folder, "results/r/summary.json");
    assert!(summary.contains("subreaper, no pid namespace"), "{summary}");
    fs::remove_dir_all(folder.join("results")).unwrap();
    config(folder, STRICT, "echo nonsense");
    out_of(folder, false)
        .status(3)
        .begins("error: set up the sandbox: required feature unavailable: pid namespace");
    assert!(!folder.join("results").exists());
}

const STRICT: &str = "[sandbox]\nmode = \"strict\"\n";

/// A single bot, which talks to a user, needs no namespace.
#[test]
fn a_bot_starts_in_a_strict_sandbox_wherever_a_run_does() {
    let folder = tempfile::tempdir().unwrap();
    config(folder.path(), STRICT, "echo nonsense");
    let run = out_of(folder.path(), true);
    let start = line(folder.path(), "start --sandbox strict 'sh bot.sh'");
    let has_started = start.status.success();
    assert_eq!(run.status.success(), has_started, "{start:?}");
    assert_eq!(stdout(&start) == "nonsense\n", has_started, "{start:?}");
}

/// Whatever is open in the process that starts the arena, or in the arena, a bot has its three
/// pipes.
#[test]
fn no_descriptor_leaks_into_a_bot() {
    let folder = tempfile::tempdir().unwrap();
    config(
        folder.path(),
        "",
        "sleep 0.02; ls -l /proc/$$/fd > $TMPDIR/fds; echo $(sed -n 's/.*\\([0-9]*\\) -> \\(.*\\)/\\2/p' $TMPDIR/fds)",
    );
    let command = format!(
        "exec 7</dev/zero 8</dev/zero; exec {} run c.toml --quiet",
        env!("CARGO_BIN_EXE_arena")
    );
    let status = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let records = records(folder.path(), "results/r/records.jsonl");
    assert_eq!(records.len(), 4);
    for record in records {
        let open = record["steps"][0]["output"].as_str().unwrap();
        let (pipes, others): (Vec<&str>, Vec<&str>) =
            open.split(' ').partition(|file| file.starts_with("pipe:"));
        assert_eq!(pipes.len(), 3, "{open}");
        for file in others {
            // The shell reads its script, and `ls` writes its list.
            let is_own = file.ends_with("/bot.sh") || file.ends_with("/fds");
            assert!(is_own, "{open}");
        }
    }
}
