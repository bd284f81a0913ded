//! Tunings with real processes: neither workers, kills nor a longer plan change the games, and errors name what can't be tuned.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::programs::{
    self, arena, command, resume, run, sample_bot, summary, text, timeless_with,
};

/// The beginning of the advice to test the answer.
const ADVICE: &str = "a tuning doesn't prove a gain";

/// A tuning of a sample bot, with limits that no bot misses.
fn config(game: &str, command: &str, parameters: &str, units: u64, more: &str) -> String {
    format!(
        "[run]\nseed = 1\nname = \"t\"\ngame = \"{game}\"\nformat = \"tune\"\nstart_anyway = true\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n\
         [sandbox]\nmode = \"off\"\n[tune]\nbot = \"search\"\nmax_units = {units}\nblock = 4\nparameters = {{ {parameters} }}\n{more}\n\
         [[bot]]\nname = \"search\"\n{command}\n"
    )
}

/// The numbers of Onitama's evaluation, of a bot that searches one move deep; one of them in its environment.
fn onitama(units: u64) -> String {
    let bot = sample_bot("onitama-search");
    let script =
        format!("exec {bot} --depth 1 --param mobility={{mobility}} --param centre=$CENTRE");
    let command =
        format!("command = [\"sh\", \"-c\", \"{script}\"]\nenv = {{ CENTRE = \"{{centre}}\" }}");
    let parameters = "mobility = { min = 0, max = 20, start = 9 }, centre = { min = 1, max = 40, start = 4, scale = \"log\" }";
    config("onitama", &command, parameters, units, "")
}

#[test]
fn workers_kills_and_extensions_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("short.toml"), onitama(16)).unwrap();
    fs::write(folder.join("long.toml"), onitama(32)).unwrap();
    for jobs in ["1", "16"] {
        let out = run(folder, &["long.toml", "--jobs", jobs, "--out", jobs]);
        assert_eq!(
            out.status.code(),
            Some(0),
            "{}{}",
            text(&out.stdout),
            text(&out.stderr)
        );
    }
    let whole = timeless_with(&folder.join("1"), "tune.csv");
    assert_eq!(timeless_with(&folder.join("16"), "tune.csv"), whole);
    assert_eq!(whole.0.lines().count(), 1 + 8, "{}", whole.0);

    for goal in [5, 37] {
        let args = [
            "run",
            "long.toml",
            "--jobs",
            "2",
            "--out",
            "killed",
            "--quiet",
        ];
        let mut child = command(folder, &args)
            .args(resume(&folder.join("killed")))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let rows = || {
            fs::read_to_string(folder.join("killed/games.csv"))
                .map_or(0, |text| text.lines().count())
        };
        while rows() <= goal && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for (config, out) in [
        ("long.toml", "killed"),
        ("short.toml", "grown"),
        ("long.toml", "grown"),
    ] {
        let mut args = vec![config, "--out", out, "--quiet"];
        args.extend(resume(&folder.join(out)));
        let resumed = run(folder, &args);
        assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    }
    assert_eq!(timeless_with(&folder.join("killed"), "tune.csv"), whole);
    assert_eq!(timeless_with(&folder.join("grown"), "tune.csv"), whole);
    assert_eq!(
        summary(&folder.join("grown"))["tune"],
        summary(&folder.join("1"))["tune"]
    );

    let verified = command(folder, &["verify", "killed/records.jsonl"])
        .output()
        .unwrap();
    assert!(
        text(&verified.stdout).contains("64 games verified, 0 mismatches"),
        "{}",
        text(&verified.stdout)
    );
    // A side is started by hand with the values of the start.
    let by_hand = command(folder, &["start", "--run", "killed", "search[b]"])
        .output()
        .unwrap();
    assert!(
        !text(&by_hand.stderr).contains('{'),
        "{}",
        text(&by_hand.stderr)
    );
}

#[test]
fn two_against_two_and_a_panel_are_tuned() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("kutulu-search");
    let command = format!("command = \"{bot} --depth 1 --param plan={{plan}}\"");
    let plan = "plan = { min = 0, max = 2000, start = 1800 }";
    fs::write(
        folder.join("mirror.toml"),
        config("kutulu", &command, plan, 8, ""),
    )
    .unwrap();
    let bot = sample_bot("onitama-search");
    let command = format!("command = \"{bot} --depth 1 --param mobility={{mobility}}\"");
    let panel = config(
        "onitama",
        &command,
        "mobility = { min = 0, max = 20, start = 9 }",
        8,
        "against = \"greedy\"",
    );
    let greedy = sample_bot("onitama-greedy");
    fs::write(
        folder.join("panel.toml"),
        format!("{panel}[[bot]]\nname = \"greedy\"\ncommand = \"{greedy}\"\n"),
    )
    .unwrap();
    for (config, games) in [("mirror.toml", 16), ("panel.toml", 32)] {
        let out = run(
            folder,
            &[config, "--out", config.split('.').next().unwrap()],
        );
        assert_eq!(
            out.status.code(),
            Some(0),
            "{}{}",
            text(&out.stdout),
            text(&out.stderr)
        );
        assert_eq!(
            summary(&folder.join(config.split('.').next().unwrap()))["games_played"],
            games
        );
    }
}

/// A bot that answers with the first action, after this.
fn scripted(folder: &Path, first: &str) -> String {
    let path = folder.join("bot.sh");
    fs::write(
        &path,
        format!("{first}\nexec {}\n", sample_bot("onitama-greedy")),
    )
    .unwrap();
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
        // It answers them with nonsense.
        (
            "[ \"$1\" -gt 15 ] && { echo nonsense; exec cat; }",
            3,
            "with x=20 and all else at the start it fails in its first turn (invalid_action)",
        ),
        (
            "exit 7",
            3,
            "with the values of the start, x=9 it fails in its first turn",
        ),
        (
            "true",
            4,
            "ignores its parameters: both sides gave the same answers in all 4 units",
        ),
        // It takes the ends and the start.
        (
            "case $1 in 0|9|20) ;; *) exit 7;; esac",
            4,
            "nothing was measured",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let command = scripted(folder, first);
        fs::write(
            folder.join("t.toml"),
            config("onitama", &command, range, 16, ""),
        )
        .unwrap();
        let out = run(folder, &["t.toml", "--out", "run"]);
        let all = text(&out.stdout) + &text(&out.stderr);
        assert!(
            out.status.code() == Some(code) && all.contains(told),
            "{first}: {:?}\n{all}",
            out.status
        );
        assert_eq!(
            code == 3,
            !folder.join("run").exists(),
            "no game of such a run is kept"
        );
    }
}

/// A bot for tic-tac-toe: above 10 it completes its lines, else none at all.
const CARELESS: &str = r#"import sys
while True:
    letter, board = input(), "".join(input() for _ in range(3))
    cells = [3 * int(action[0]) + int(action[2]) for action in (input() for _ in range(int(input())))]
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    ends = lambda of: [cell for cell in cells for line in lines if cell in line and [board[at] for at in line].count(of) == 2]
    careful = ends(letter) or cells
    careless = [cell for cell in cells if cell not in ends("X") + ends("O")] or cells
    cell = careful[0] if float(sys.argv[1]) > 10 else careless[0]
    print(cell // 3, cell % 3, flush=True)
"#;

/// Rounds numbers to three decimals: further digits of powers depend on the processor.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(rounded).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), rounded(value)))
            .collect(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(Value::Null, |number| {
            ((number * 1000.0).round() / 1000.0).into()
        }),
        other => other.clone(),
    }
}

#[test]
fn a_game_of_another_referee_is_tuned_and_the_answer_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let referee = Path::new(env!("CARGO_MANIFEST_DIR")).join("referees/tictactoe.py");
    fs::write(folder.join("careless.py"), CARELESS).unwrap();
    let command = "command = \"python3 careless.py {care}\"";
    let game = format!(
        "[game.tictactoe]\nreferee = [\"python3\", \"{}\"]\n",
        referee.display()
    );
    let range = "care = { min = 0, max = 40, start = 10 }";
    let config = config("tictactoe", command, range, 16, "confirm = true")
        .replace("[sandbox]", &(game + "[sandbox]"));
    fs::write(folder.join("t.toml"), config).unwrap();
    let out = run(folder, &["t.toml", "--out", "run"]);
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(
        out.status.code() == Some(0)
            && said.contains("tuned is stronger")
            && !said.contains(ADVICE),
        "{said}"
    );
    let found = rounded(&summary(&folder.join("run"))["tune"]);
    let command = found["confirm"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(serde_json::to_string_pretty(&found).unwrap());
    let tested = |run: &str| summary(&folder.join(run))["sprt"]["verdict"].take();
    assert_eq!(tested("run-confirm-16"), "accepted");
    // It was tested on the seeds of the command, and the command does the same.
    let out = programs::shell(folder, &(command + " --out told"))
        .output()
        .unwrap();
    assert_eq!(
        out.status.code(),
        Some(0),
        "{}{}",
        text(&out.stdout),
        text(&out.stderr)
    );
    assert_eq!(
        timeless_with(&folder.join("told"), "sprt.csv").0,
        timeless_with(&folder.join("run-confirm-16"), "sprt.csv").0
    );
    // Once more there is nothing to play, and the verdict is the same.
    let out = run(folder, &["t.toml", "--out", "run", "--resume"]);
    let said = text(&out.stderr);
    assert!(
        out.status.code() == Some(0) && said.matches("nothing is left to play").count() == 2,
        "{said}"
    );
    let junit = text(&arena(folder, &["report", "run", "--junit", "-"]).stdout);
    assert!(
        junit.contains("<testsuite name=\"tune\" tests=\"1\"")
            && junit.contains("to confirm the answer"),
        "{junit}"
    );
    // An interrupted test goes on with the command of the tuning.
    fs::remove_dir_all(folder.join("run-confirm-16")).unwrap();
    run(folder, &["t.toml", "--out", "run", "--resume"]);
    let plan = fs::read_to_string(folder.join("run-confirm-16/plan.toml")).unwrap();
    let go_on = plan.lines().find(|line| line.starts_with("go_on = "));
    assert!(
        go_on.is_some_and(|line| line.contains("--out run ") && !line.contains("confirm")),
        "{plan}"
    );
    // The folder of a test that is left is refused once the tuning has an answer.
    fs::remove_dir_all(folder.join("run")).unwrap();
    let out = run(folder, &["t.toml", "--out", "run"]);
    let said = text(&out.stderr);
    assert!(
        out.status.code() == Some(3) && said.contains("run-confirm-16"),
        "{said}"
    );
}

#[test]
fn a_tuning_needs_no_config() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = format!(
        "{} --depth 1 --blunder {{blunder=30:0..60}}",
        sample_bot("onitama-search")
    );
    let tune = |args: &[&str]| {
        let limits = [
            "--set",
            "clock.turn_ms=60000",
            "--set",
            "clock.first_turn_ms=60000",
            "--sandbox",
            "off",
            "--seed",
            "5",
        ];
        command(
            folder,
            &[&["tune", "onitama", &bot][..], &limits, args].concat(),
        )
        .output()
        .unwrap()
    };
    for (units, out, more) in [
        ("64", "whole", "--force"),
        ("32", "grown", "--force"),
        ("64", "grown", "--resume"),
    ] {
        let out = tune(&["--units", units, "--out", out, more, "--quiet"]);
        assert_eq!(
            out.status.code(),
            Some(0),
            "{}{}",
            text(&out.stdout),
            text(&out.stderr)
        );
    }
    assert_eq!(
        timeless_with(&folder.join("grown"), "tune.csv"),
        timeless_with(&folder.join("whole"), "tune.csv")
    );
    // Without --units it continues with its units. If you ask for a test later, arena plays it then.
    let out = tune(&["--out", "grown/", "--resume", "--confirm"]);
    assert_eq!(
        out.status.code(),
        Some(0),
        "{}{}",
        text(&out.stdout),
        text(&out.stderr)
    );
    // What it is about to do, it doesn't advise.
    assert!(!text(&out.stdout).contains(ADVICE), "{}", text(&out.stdout));
    assert_eq!(
        summary(&folder.join("grown-confirm-64"))["sprt"]["verdict"],
        "accepted"
    );
    // After a limit of time it is tested, too.
    let out = tune(&["--for", "5s", "--confirm"]);
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(
        out.status.code() == Some(0) && said.contains("tuned is stronger"),
        "{said}"
    );
    assert!(folder.join("results/tune-onitama-1/tuned.toml").exists());
    let mistake = command(folder, &["tune", "onitama", "true {x=50:0..40}"])
        .output()
        .unwrap();
    let said = text(&mistake.stderr);
    assert!(
        mistake.status.code() == Some(2) && said.contains("the start is outside of the range"),
        "{said}"
    );
}

#[test]
fn without_a_change_there_is_nothing_to_confirm() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // It heeds its parameter, which makes it neither stronger nor weaker.
    let command = format!(
        "command = [\"{}\", \"--seed\", \"{{seed}}{{x}}\"]",
        sample_bot("onitama-random")
    );
    let config = config(
        "onitama",
        &command,
        "x = { min = 1, max = 4, start = 2 }",
        4,
        "confirm = true",
    );
    fs::write(folder.join("t.toml"), config).unwrap();
    let out = run(folder, &["t.toml", "--out", "run"]);
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(
        said.contains("no gain was found; the answer is the start")
            && said.contains("nothing to confirm"),
        "{said}"
    );
    assert!(
        out.status.code() == Some(4) && !folder.join("run-confirm-4").exists(),
        "{said}"
    );
    // A start at an end of the range says nothing of what lies beyond it.
    for range in ["{x=90:0..90}", "{x=0:0..1000}"] {
        let bot = format!("arena bot onitama-random --seed {range}");
        let out = arena(
            folder,
            &[
                "tune", "onitama", &bot, "--units", "32", "--seed", "1", "--out", "end", "--force",
            ],
        );
        let said = text(&out.stdout);
        assert!(said.contains("the answer is the start"), "{said}");
        assert!(!said.contains("at an end of its range"), "{said}");
    }
}
