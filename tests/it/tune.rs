//! Tunings with real processes: neither workers, kills nor a longer plan change the games, and
//! errors name what can't be tuned.

use std::fs;

use serde_json::Value;

use crate::programs::{
    PATIENT, Said as _, command, has, in_project, killed, line, new_folder, promised, read, resume,
    sample_bot, shell, stderr, stdout, summary, timeless_with, write,
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

/// The numbers of Onitama's evaluation, of a bot that searches one move deep; one of them in its
/// environment.
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
    let folder = &new_folder();
    write(folder, "short.toml", onitama(16));
    write(folder, "long.toml", onitama(32));
    for jobs in ["1", "16"] {
        line(folder, &format!("run long.toml --jobs {jobs} --out {jobs}")).status(0);
    }
    let table = |run: &str| timeless_with(&folder.join(run), "tune.csv");
    let whole = table("1");
    assert_eq!(table("16"), whole);
    assert_eq!(whole.0.lines().count(), 1 + 8, "{}", whole.0);

    let run = &folder.join("killed");
    let args = [
        "run",
        "long.toml",
        "--jobs",
        "2",
        "--out",
        "killed",
        "--quiet",
    ];
    for lines in [5, 37] {
        let mut arena = command(folder, &args);
        killed(arena.args(resume(run)), run, lines);
    }
    for (config, out) in [("long", "killed"), ("short", "grown"), ("long", "grown")] {
        let resume = resume(&folder.join(out)).unwrap_or_default();
        line(
            folder,
            &format!("run {config}.toml --out {out} --quiet {resume}"),
        )
        .status(0);
    }
    assert_eq!(table("killed"), whole);
    assert_eq!(table("grown"), whole);
    let [grown, one] = ["grown", "1"].map(|run| summary(&folder.join(run)));
    assert_eq!(grown["tune"], one["tune"]);
    let verified = line(folder, "verify killed/records.jsonl");
    verified.contains("64 games verified, 0 mismatches");
    // A side is started by hand with the values of the start.
    let by_hand = stderr(&line(folder, "start --run killed 'search[b]'"));
    assert!(!by_hand.contains('{'), "{by_hand}");
}

#[test]
fn two_against_two_and_a_panel_are_tuned() {
    let folder = &new_folder();
    let bot = sample_bot("kutulu-search");
    let command = format!("command = \"{bot} --depth 1 --param plan={{plan}}\"");
    let plan = "plan = { min = 0, max = 2000, start = 1800 }";
    write(
        folder,
        "mirror.toml",
        config("kutulu", &command, plan, 8, ""),
    );
    let bot = sample_bot("onitama-search");
    let command = format!("command = \"{bot} --depth 1 --param mobility={{mobility}}\"");
    let mobility = "mobility = { min = 0, max = 20, start = 9 }";
    let greedy = sample_bot("onitama-greedy");
    let greedy = format!("[[bot]]\nname = \"greedy\"\ncommand = \"{greedy}\"\n");
    let panel = config("onitama", &command, mobility, 8, "against = \"greedy\"");
    write(folder, "panel.toml", panel + &greedy);
    for (name, games) in [("mirror", 16), ("panel", 32)] {
        line(folder, &format!("run {name}.toml --out {name}")).status(0);
        assert_eq!(summary(&folder.join(name))["games_played"], games);
    }
}

#[test]
fn what_cannot_be_tuned_is_told() {
    let start = "with the values of the start, x=9 it fails in its first turn";
    let end = "with x=20 and all else at the start it fails in its first turn";
    for (first, code, told) in [
        // It refuses large values.
        (
            "[ \"$1\" -gt 15 ] && exit 7",
            3,
            format!("{end} (crashed, exit code 7)"),
        ),
        // It answers them with nonsense.
        (
            "[ \"$1\" -gt 15 ] && { echo nonsense; exec cat; }",
            3,
            format!("{end} (invalid_action)"),
        ),
        ("exit 7", 3, start.to_owned()),
        (
            "true",
            4,
            "ignores its parameters: both sides gave the same answers in all 4 units".to_owned(),
        ),
        // It takes the ends and the start.
        (
            "case $1 in 0|9|20) ;; *) exit 7;; esac",
            4,
            "nothing was measured".to_owned(),
        ),
    ] {
        let folder = &new_folder();
        // A bot that answers with the first action, after this.
        let script = format!("{first}\nexec {}\n", sample_bot("onitama-greedy"));
        write(folder, "bot.sh", script);
        let command = "command = [\"sh\", \"bot.sh\", \"{x}\"]";
        let range = "x = { min = 0, max = 20, start = 9 }";
        write(folder, "t.toml", config("onitama", command, range, 16, ""));
        line(folder, "run t.toml --out run")
            .status(code)
            .contains(&told);
        let is_kept = folder.join("run").exists();
        assert_eq!(is_kept, code != 3, "no game of such a run is kept");
    }
}

#[test]
fn the_document_names_the_most_parameters() {
    let document = read(&in_project("docs/tutorial"), "first-tuning.md");
    let most = promised(&document, "You can tune up to");
    let tune = |parameters: usize| {
        let range = |name| format!("{{p{name}=5:0..9}}");
        let ranges: Vec<String> = (0..parameters).map(range).collect();
        let bot = format!("sh -c false {}", ranges.join(" "));
        line(&new_folder(), &format!("tune onitama '{bot}'"))
    };
    tune(most)
        .status(3)
        .contains("ends before its first answer");
    tune(most + 1)
        .status(2)
        .contains(&format!("expected 1 to {most} parameters"));
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
        Value::Number(number) if number.is_f64() => {
            ((number.as_f64().unwrap() * 1000.0).round() / 1000.0).into()
        }
        other => other.clone(),
    }
}

#[test]
fn a_game_of_another_referee_is_tuned_and_the_answer_confirmed() {
    let folder = &new_folder();
    let referee = in_project("referees/tictactoe.py");
    write(folder, "careless.py", CARELESS);
    let command = "command = \"python3 careless.py {care}\"";
    let game = format!("[game.tictactoe]\nreferee = [\"python3\", {referee:?}]\n[sandbox]");
    let range = "care = { min = 0, max = 40, start = 10 }";
    let config = config("tictactoe", command, range, 16, "confirm = true");
    write(folder, "t.toml", config.replace("[sandbox]", &game));
    let run = || line(folder, "run t.toml --out run");
    run().status(0).contains("tuned is stronger").lacks(ADVICE);
    let found = rounded(&summary(&folder.join("run"))["tune"]);
    let command = found["confirm"].as_str().unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&found).unwrap());
    let test = &folder.join("run-confirm-16");
    assert_eq!(summary(test)["sprt"]["verdict"], "accepted");
    // It was tested on the seeds of the command, and the command does the same.
    let told = shell(folder, &format!("{command} --out told")).output();
    told.unwrap().status(0);
    let [told, tested] = [&folder.join("told"), test].map(|run| timeless_with(run, "sprt.csv").0);
    assert_eq!(told, tested);
    // Once more there is nothing to play, and the verdict is the same.
    let resumed = line(folder, "run t.toml --out run --resume");
    let said = stderr(resumed.status(0));
    assert_eq!(said.matches("nothing is left to play").count(), 2, "{said}");
    line(folder, "report run --junit -")
        .contains("<testsuite name=\"tune\" tests=\"1\"")
        .contains("to confirm the answer");
    // An interrupted test goes on with the command of the tuning.
    fs::remove_dir_all(test).unwrap();
    line(folder, "run t.toml --out run --resume");
    let plan = read(test, "plan.toml");
    let mut lines = plan.lines();
    let go_on = lines.find(|line| line.starts_with("go_on = ")).unwrap();
    has(go_on, "--out run ");
    assert!(!go_on.contains("confirm"), "{plan}");
    // The folder of a test that is left is refused once the tuning has an answer.
    fs::remove_dir_all(folder.join("run")).unwrap();
    run().status(3).contains("run-confirm-16");
}

#[test]
fn a_tuning_needs_no_config() {
    let folder = &new_folder();
    let bot = sample_bot("onitama-search");
    let tune = |flags: &str| {
        let bot = format!("'{bot} --depth 1 --blunder {{blunder=30:0..60}}'");
        let flags = format!("{PATIENT} --sandbox off --seed 5 {flags}");
        line(folder, &format!("tune onitama {bot} {flags}"))
    };
    tune("--units 64 --out whole --force --quiet").status(0);
    tune("--units 32 --out grown --force --quiet").status(0);
    tune("--units 64 --out grown --resume --quiet").status(0);
    let [grown, whole] = ["grown", "whole"].map(|run| timeless_with(&folder.join(run), "tune.csv"));
    assert_eq!(grown, whole);
    // Without --units it continues with its units. If you ask for a test later, arena plays it
    // then.
    let out = tune("--out grown/ --resume --confirm");
    // What it is about to do, it doesn't advise.
    let told = stdout(out.status(0));
    assert!(!told.contains(ADVICE), "{told}");
    let confirmed = summary(&folder.join("grown-confirm-64"));
    assert_eq!(confirmed["sprt"]["verdict"], "accepted");
    // After a limit of time it is tested, too.
    tune("--for 5s --confirm")
        .status(0)
        .contains("tuned is stronger");
    assert!(folder.join("results/tune-onitama-1/tuned.toml").exists());
    let mistake = line(folder, "tune onitama 'true {x=50:0..40}'");
    mistake
        .status(2)
        .contains("the start is outside of the range");
}

#[test]
fn without_a_change_there_is_nothing_to_confirm() {
    let folder = &new_folder();
    // It heeds its parameter, which makes it neither stronger nor weaker.
    let bot = sample_bot("onitama-random");
    let command = format!("command = [\"{bot}\", \"--seed\", \"{{seed}}{{x}}\"]");
    let range = "x = { min = 1, max = 4, start = 2 }";
    let config = config("onitama", &command, range, 4, "confirm = true");
    write(folder, "t.toml", config);
    line(folder, "run t.toml --out run")
        .status(4)
        .contains("no gain was found; the answer is the start")
        .contains("nothing to confirm");
    assert!(!folder.join("run-confirm-4").exists());
    // A start at an end of the range says nothing of what lies beyond it.
    for range in ["{x=90:0..90}", "{x=0:0..1000}"] {
        let bot = format!("'arena bot onitama-random --seed {range}'");
        line(
            folder,
            &format!("tune onitama {bot} --units 32 --seed 1 --out end --force"),
        )
        .contains("the answer is the start")
        .lacks("at an end of its range");
    }
}
