//! How a run ends that isn't played out, and what it shows before it begins.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::programs::{self, arena, stdout, write_program};
use crate::window::{ALL_ROWS, Window};

/// Limits that no bot misses, however busy the machine is.
const CLOCK: &str = "[clock]\nfirst_turn_ms = 600000\nturn_ms = 600000\nstartup_ms = 60000\n";

fn bot(name: &str, command: &str) -> String {
    format!("[[bot]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
}

/// A folder with a config of Onitama, which may have more keys in `[run]`, and these bots.
fn ground(run: &str, bots: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bots: String = bots
        .iter()
        .map(|(name, command)| bot(name, command))
        .collect();
    let config = format!(
        "[run]\nname = \"mine\"\ngame = \"onitama\"\nseed = 1\nopening_plies = 4\nstart_anyway = true\n{run}\n{CLOCK}{bots}"
    );
    fs::write(folder.path().join("arena.toml"), config).unwrap();
    folder
}

const RANDOM: &str = "arena bot onitama-random";

/// The bots never answer.
#[test]
fn a_first_interrupt_waits_no_longer_than_the_grace() {
    let slow = "sh -c 'sleep 1000'";
    let folder = ground("games = 2", &[("a", slow), ("b", slow)]);
    let run = ["run", "arena.toml", "--jobs", "1", "--grace", "1"];
    let mut window = Window::open([80, 24, ALL_ROWS], folder.path(), &[], &run);
    window.shows("1 at a time");
    window.press("\x03");
    window.shows("finishing the games in flight, for 1s at most");
    window.end();
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
}

#[test]
fn a_compiler_is_shown_and_ends_at_once() {
    let folder = ground("games = 2", &[("mine", "bot.slow"), ("other", RANDOM)]);
    let path = folder.path();
    fs::write(path.join("bot.slow"), "").unwrap();
    let language = "[language.slow]\nextensions = [\"slow\"]\ncompile = [\"sh\", \"-c\", \"sleep 1000\", \"{source}\"]\nrun = [\"{out}\"]\n";
    let config = fs::read_to_string(path.join("arena.toml")).unwrap();
    fs::write(path.join("arena.toml"), config + language).unwrap();
    let cache = path.join("cache").display().to_string();
    let env = [("XDG_CACHE_HOME", &*cache), ("OF_TEST", &*cache)];
    let mut window = Window::open([80, 24, ALL_ROWS], path, &env, &["run", "arena.toml"]);
    window.shows("compiling bot.slow");
    // The bar of games comes when there are games.
    let shown = window.parser.screen().contents();
    assert!(!shown.contains('█'), "{shown}");
    window.press("\x03");
    window.end();
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
    let shown = window.parser.screen().contents();
    assert!(
        shown.contains("error: interrupted before the first game") && !shown.contains("finishing"),
        "{shown}"
    );
    assert!(programs::survivors("OF_TEST", &cache).is_empty());
}

#[test]
fn something_is_shown_before_bots_are_built() {
    let folder = ground("games = 2", &[("mine", "./mine"), ("other", RANDOM)]);
    let path = folder.path();
    write_program(&path.join("build"), "#!/bin/sh\nsleep 1000\n");
    let config = fs::read_to_string(path.join("arena.toml")).unwrap();
    let config = config.replace(
        "command = \"./mine\"\n",
        "command = \"./mine\"\nbuild = \"./build\"\n",
    );
    fs::write(path.join("arena.toml"), config).unwrap();
    let mut window = Window::open([80, 24, ALL_ROWS], path, &[], &["run", "arena.toml"]);
    window.shows("building: ./build");
    window.press("\x03");
    window.end();
    assert!(
        window.written().contains("starting"),
        "{}",
        window.written()
    );
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
}

#[test]
fn a_compiled_bot_is_called_by_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("starters/onitama/bot.rs");
    fs::copy(starter, path.join("bot.rs")).unwrap();
    let out = arena(path, &["check", "onitama", "bot.rs", "--seeds", "1"]);
    let told = stdout(&out);
    assert!(told.starts_with("Onitama: bot.rs\n"), "{told}");
}
