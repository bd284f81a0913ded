//! Clocks of whole runs: a machine that is busy or pauses for a while costs no bot a game.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::programs::{self, Said as _, command, read, write};

/// A run of two bots with a short limit, as a process.
fn start(folder: &Path, bot: &str, games: u32, turn_ms: u32) -> Child {
    let bots = ["a", "b"].map(|name| format!("[[bot]]\nname = \"{name}\"\ncommand = {bot:?}\n"));
    let config = format!(
        "[run]\nname = \"clocks\"\ngame = \"onitama\"\ngames = {games}\nseed = 1\n[clock]\nturn_ms = {turn_ms}\nfirst_turn_ms = 10000\n{}",
        bots.concat()
    );
    write(folder, "clocks.toml", config);
    let args = [
        "run",
        "clocks.toml",
        "--out",
        "run",
        "--jobs",
        "2",
        "--quiet",
    ];
    command(folder, &args)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for the end of a run, and asserts that no bot ran out of time.
fn nobody_lost_on_time(folder: &Path, mut arena: Child, games: usize) {
    arena.wait().unwrap();
    let table = read(folder, "run/games.csv");
    assert_eq!(table.lines().count(), games + 1);
    for row in table.lines() {
        assert!(!row.contains("timeout"), "{row}");
    }
}

/// Both processes of arena pause, but the bots don't.
#[test]
fn a_run_that_is_stopped_for_a_while_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let bot = "arena bot onitama-search --time-ms 5";
    let mut arena = start(folder.path(), bot, 12, 400);
    let outer = arena.id();
    let signal = |name: &str| {
        let children = fs::read_to_string(format!("/proc/{outer}/task/{outer}/children"));
        let mut kill = Command::new("kill");
        kill.args([name, &outer.to_string()]);
        kill.args(children.unwrap_or_default().split_whitespace());
        assert!(kill.status().unwrap().success());
    };
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(400));
        if arena.try_wait().unwrap().is_some() {
            break;
        }
        signal("-STOP");
        thread::sleep(Duration::from_secs(1));
        signal("-CONT");
    }
    nobody_lost_on_time(folder.path(), arena, 12);
}

/// Processes that want a core all the time, until this is dropped.
struct Load(Vec<Child>);

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// `tests/busy.sh` is the long form.
#[test]
fn instant_bots_lose_no_game_on_a_busy_machine() {
    let folder = tempfile::tempdir().unwrap();
    let mut busy = Command::new("sh");
    busy.args(["-c", "while kill -0 $PPID; do :; done"]);
    let _load = Load((0..8).map(|_| busy.spawn().unwrap()).collect());
    let arena = start(folder.path(), "arena bot onitama-random", 40, 50);
    nobody_lost_on_time(folder.path(), arena, 40);
}

/// `tests/honest.sh` is the long form.
#[test]
fn honest_bots_are_never_blamed() {
    let played = Command::new("tests/honest.sh")
        .args(["100", "4", "5s"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("ARENA", env!("CARGO_BIN_EXE_arena"))
        .env("PATH", programs::search_path())
        .output()
        .unwrap();
    played.status(0);
}
