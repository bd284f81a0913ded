//! Tunings with real processes: neither workers, kills nor a longer plan change what is played, and what cannot be tuned is told.

mod programs;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use programs::sample_bot;

/// The columns of `games.csv` before those of times, which come last.
const TIMELESS_COLUMNS: usize = 22;

fn arena(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("RUST_BACKTRACE");
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    arena(folder, &[&["run"], args].concat()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A tuning of a sample bot, with limits that no bot misses.
fn config(game: &str, command: &str, parameters: &str, units: u64, more: &str) -> String {
    format!(
        "[run]\nname = \"t\"\ngame = \"{game}\"\nformat = \"tune\"\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n\
         [sandbox]\nmode = \"off\"\n[tune]\nbot = \"search\"\nmax_units = {units}\nblock = 4\nparameters = {{ {parameters} }}\n{more}\n\
         [[bot]]\nname = \"search\"\n{command}\n"
    )
}

/// The numbers of Onitama's evaluation, of a bot that searches one move deep; one of them in its environment.
fn onitama(units: u64) -> String {
    let bot = sample_bot("onitama-search");
    let script = format!("exec {bot} --depth 1 --param mobility={{mobility}} --param centre=$CENTRE");
    let command = format!("command = [\"sh\", \"-c\", \"{script}\"]\nenv = {{ CENTRE = \"{{centre}}\" }}");
    let parameters =
        "mobility = { min = 0, max = 20, start = 9 }, centre = { min = 1, max = 40, start = 4, scale = \"log\" }";
    config("onitama", &command, parameters, units, "")
}

fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// Everything that a run wrote of its games, apart from times.
fn timeless(run: &Path) -> [String; 2] {
    let read = |name| fs::read_to_string(run.join(name)).unwrap();
    let timeless = |row: &str| row.split(',').take(TIMELESS_COLUMNS).collect::<Vec<_>>().join(",") + "\n";
    [read("tune.csv"), read("games.csv").lines().map(timeless).collect()]
}

#[test]
fn workers_kills_and_extensions_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("short.toml"), onitama(16)).unwrap();
    fs::write(folder.join("long.toml"), onitama(32)).unwrap();
    for jobs in ["1", "4"] {
        let out = run(folder, &["long.toml", "--jobs", jobs, "--out", jobs]);
        assert_eq!(out.status.code(), Some(0), "{}{}", text(&out.stdout), text(&out.stderr));
    }
    let whole = timeless(&folder.join("1"));
    assert_eq!(timeless(&folder.join("4")), whole);
    assert_eq!(whole[0].lines().count(), 1 + 8, "{}", whole[0]);

    for goal in [5, 37] {
        let args = ["run", "long.toml", "--jobs", "2", "--out", "killed", "--resume", "--quiet"];
        let mut child = arena(folder, &args).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let rows = || fs::read_to_string(folder.join("killed/games.csv")).map_or(0, |text| text.lines().count());
        while rows() <= goal && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for (config, out) in [("long.toml", "killed"), ("short.toml", "grown"), ("long.toml", "grown")] {
        let resumed = run(folder, &[config, "--out", out, "--resume", "--quiet"]);
        assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    }
    assert_eq!(timeless(&folder.join("killed")), whole);
    assert_eq!(timeless(&folder.join("grown")), whole);
    assert_eq!(summary(&folder.join("grown"))["tune"], summary(&folder.join("1"))["tune"]);

    let verified = arena(folder, &["verify", "killed/records.jsonl"]).output().unwrap();
    assert!(text(&verified.stdout).contains("64 games verified, 0 mismatches"), "{}", text(&verified.stdout));
    let slice = run(folder, &["long.toml", "--slice", "1/2", "--out", "slice"]);
    assert!(slice.status.code() == Some(3) && text(&slice.stderr).contains("slices"), "{}", text(&slice.stderr));
}

#[test]
fn two_against_two_and_a_panel_are_tuned() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("kutulu-search");
    let command = format!("command = \"{bot} --depth 1 --param plan={{plan}}\"");
    let plan = "plan = { min = 0, max = 2000, start = 1800 }";
    fs::write(folder.join("mirror.toml"), config("kutulu", &command, plan, 8, "")).unwrap();
    let bot = sample_bot("onitama-search");
    let command = format!("command = \"{bot} --depth 1 --param mobility={{mobility}}\"");
    let panel = config("onitama", &command, "mobility = { min = 0, max = 20, start = 9 }", 8, "against = \"greedy\"");
    let greedy = sample_bot("onitama-greedy");
    fs::write(folder.join("panel.toml"), format!("{panel}[[bot]]\nname = \"greedy\"\ncommand = \"{greedy}\"\n"))
        .unwrap();
    for (config, games) in [("mirror.toml", 16), ("panel.toml", 32)] {
        let out = run(folder, &[config, "--out", config.split('.').next().unwrap()]);
        assert_eq!(out.status.code(), Some(0), "{}{}", text(&out.stdout), text(&out.stderr));
        assert_eq!(summary(&folder.join(config.split('.').next().unwrap()))["games_played"], games);
    }
}

/// A bot that answers with the first action, after this.
fn scripted(folder: &Path, first: &str) -> String {
    let path = folder.join("bot.sh");
    fs::write(&path, format!("{first}\nexec {}\n", sample_bot("onitama-greedy"))).unwrap();
    format!("command = [\"sh\", \"{}\", \"{{x}}\"]", path.display())
}

#[test]
fn what_cannot_be_tuned_is_told() {
    let range = "x = { min = 0, max = 20, start = 9 }";
    for (first, code, told) in [
        // It refuses large values.
        (
            "[ \"$1\" -gt 15 ] && exit 7",
            3,
            "with x=20 and all else at the start it fails in its first turn (crashed, exit code 7)",
        ),
        ("exit 7", 3, "with the values of the start, x=9 it fails in its first turn"),
        ("true", 4, "does not heed its parameters: in all 4 units of the first block"),
        // It takes the ends and the start.
        ("case $1 in 0|9|20) ;; *) exit 7;; esac", 4, "nothing was measured"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let command = scripted(folder, first);
        fs::write(folder.join("t.toml"), config("onitama", &command, range, 16, "")).unwrap();
        let out = run(folder, &["t.toml", "--out", "run"]);
        let all = text(&out.stdout) + &text(&out.stderr);
        assert!(out.status.code() == Some(code) && all.contains(told), "{first}: {:?}\n{all}", out.status);
        assert_eq!(code == 3, !folder.join("run").exists(), "no game of such a run is kept");
    }
}
