//! Bots whose processes go on from game to game.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A bot for Onitama that plays game after game: a line with its seat begins another one. `$ANSWER` chooses from the first and
/// the last action, `$games` is the number of the game in this process.
const BOT: &str = r#"echo start >> "$STARTS"
games=0
while read -r line; do
  case $line in [01]) games=$((games+1)); continue ;; esac
  for i in 2 3 4 5 6 7 8 9 10; do read -r line; done
  read -r n
  first=
  for i in $(seq "$n"); do read -r last; [ -n "$first" ] || first=$last; done
  eval "$ANSWER"
done
"#;

fn run(folder: &Path, keep_alive: bool, answer: &str, args: &[&str]) -> Output {
    fs::write(folder.join("bot.sh"), BOT).unwrap();
    let config = format!(
        r#"
        [run]
        name = "kept"
        game = "onitama"
        games = 12
        [clock]
        first_turn_ms = 60000
        turn_ms = 60000
        [sandbox]
        mode = "off"
        [[bot]]
        name = "a"
        command = "sh bot.sh"
        keep_alive = {keep_alive}
        env = {{ ANSWER = '{answer}', STARTS = "{0}/starts" }}
        [[bot]]
        name = "b"
        command = "sh bot.sh"
        env = {{ ANSWER = "echo $first", STARTS = "/dev/null" }}
        "#,
        folder.display()
    );
    fs::write(folder.join("kept.toml"), config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command
        .current_dir(folder)
        .args(["run", "kept.toml"])
        .args(args)
        .stdin(Stdio::null())
        .env("COLUMNS", "1000");
    command.env_remove("RUST_BACKTRACE").output().unwrap()
}

/// How often the bot was started.
fn starts(folder: &Path) -> usize {
    let starts = fs::read_to_string(folder.join("starts")).unwrap();
    fs::remove_file(folder.join("starts")).unwrap();
    starts.lines().count()
}

/// The records but for their times.
fn games(folder: &Path, run: &str) -> Vec<String> {
    let records = fs::read_to_string(folder.join(run).join("records.jsonl")).unwrap();
    records
        .lines()
        .map(|line| line.split(",\"ms\":").next().unwrap().to_owned())
        .collect()
}

const LAST: &str = "echo $last";

#[test]
fn a_bot_plays_on_in_its_process_and_as_in_fresh_ones() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let out = run(folder, false, LAST, &["--out", "fresh", "--jobs", "1"]);
    assert!(out.status.success(), "{out:?}");
    // One more shows that it starts.
    assert_eq!(starts(folder), 12 + 1);
    let fresh = games(folder, "fresh");
    assert_eq!(fresh.len(), 12);
    for jobs in ["1", "3"] {
        let out = run(folder, true, LAST, &["--out", jobs, "--jobs", jobs]);
        assert!(out.status.success(), "{out:?}");
        assert_eq!(games(folder, jobs), fresh);
        // Two against itself in either way, and one for each job at most.
        let starts = starts(folder);
        assert!(
            (6..=5 + jobs.parse::<usize>().unwrap()).contains(&starts),
            "{starts}"
        );
    }
    let verified = Command::new(env!("CARGO_BIN_EXE_arena"))
        .current_dir(folder)
        .args(["verify", "3"])
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn a_bot_that_plays_otherwise_then_is_refused() {
    let cases = [
        (
            "[ $games = 1 ] && echo $first || echo $last",
            "turn 1 of a game it answered",
        ),
        ("echo $last; [ $games = 1 ] || exit", "nothing (crashed)"),
        (
            "echo $last; echo more",
            "its fate in a game against itself was invalid_action",
        ),
        (
            "echo pass",
            "its fate in a game against itself was invalid_action",
        ),
    ];
    for (answer, why) in cases {
        let folder = tempfile::tempdir().unwrap();
        let out = run(folder.path(), true, answer, &["--out", "run"]);
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(3), "{stderr}");
        let told = stderr.contains("error: keep bot `a` alive: ") && stderr.contains(why);
        assert!(
            told && stderr.contains("`keep_alive = false` starts it for every game"),
            "{stderr}"
        );
        assert!(!folder.path().join("run").exists());
    }
}

#[test]
fn check_tells_whether_a_bot_can_be_kept_alive() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bot.sh"), BOT).unwrap();
    let said = |answer: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
        let args = [
            "check",
            "onitama",
            "sh bot.sh",
            "--keep-alive",
            "--seeds",
            "1",
            "--sandbox",
            "off",
        ];
        command
            .current_dir(folder.path())
            .args(args)
            .env("ANSWER", answer)
            .env("STARTS", "/dev/null");
        let out = command
            .env("COLUMNS", "1000")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (
            out.status.code(),
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let (code, stdout, stderr) = said(LAST);
    assert!(
        code == Some(0) && stdout.ends_with("`keep_alive = true` may be set\n"),
        "{stdout}{stderr}"
    );
    let (code, stdout, stderr) = said("[ $games = 1 ] && echo $first || echo $last");
    let why = "in a process that played another game before, and \"";
    assert!(
        code == Some(1) && stderr.starts_with("error: keep bot") && stderr.contains(why),
        "{stdout}{stderr}"
    );
}

#[test]
fn a_fault_ends_the_process_and_the_next_game_has_another() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let out = run(
        folder,
        true,
        "[ $games = 4 ] && echo pass || echo $last",
        &["--out", "run", "--jobs", "1"],
    );
    assert!(out.status.success(), "{out:?}");
    let lost = games(folder, "run")
        .iter()
        .filter(|game| game.contains("\"faults\":"))
        .count();
    assert_eq!((lost, starts(folder)), (3, 5 + 3));
}

#[test]
fn a_seed_in_the_command_and_a_life_of_several_games_exclude_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let out = run(folder.path(), true, "echo {seed}", &[]);
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("bot `a` is kept alive, and is started with the seed of a game"),
        "{stderr}"
    );
}
