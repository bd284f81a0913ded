//! The command lines: valid and invalid arguments, and the end of a game.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

const SEARCH: &str = env!("CARGO_BIN_EXE_minishogi-search");
const ONITAMA: &str = env!("CARGO_BIN_EXE_onitama-search");
const KUTULU: &str = env!("CARGO_BIN_EXE_kutulu-search");

/// The first turn of a game, with two of the moves on offer.
const PROMPT: &str = "0\n5\nrbsgk\n....p\n.....\nP....\nKGSBR\n-\n-\nnone\n2\n2543\n5453\n";

/// The first turn of a game of Onitama, with two of the actions on offer.
const ONITAMA_PROMPT: &str = "0\nbbBbb\n.....\n.....\n.....\nwwWww\n0 8 -1 0 1 1 1 -1 0 0\n0 6 -2 0 0 1 2 0 0 0\n\
    1 0 1 -1 1 1 -1 0 0 0\n1 12 1 -1 1 0 -1 0 -1 1\n-1 9 -1 -1 1 1 2 0 0 0\n2\n8 C1D2\n6 A1A2\n";

/// The first turn of a game of Code of Kutulu that is as busy as can be.
const KUTULU_PROMPT: &str = "7\n4\n#######\n#...w.#\n#.U#..#\n#######\n6 1 3 40\n8\nEXPLORER 1 1 1 120 1 3\n\
    EXPLORER 2 2 1 90 2 1\nEXPLORER 3 5 2 30 0 0\nWANDERER 4 4 1 12 1 1\nSLASHER 5 3 1 40 3 2\n\
    EFFECT_PLAN -1 2 1 2 2 -1\nEFFECT_LIGHT -1 5 2 1 3 -1\nEFFECT_SHELTER -1 2 2 7 -1 -1\n";

fn run(program: &str, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).env_remove("ARENA_SEED");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that rejects its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Exit status, standard output and standard error.
fn texts(output: &Output) -> (Option<i32>, &str, &str) {
    (
        output.status.code(),
        str::from_utf8(&output.stdout).unwrap(),
        str::from_utf8(&output.stderr).unwrap(),
    )
}

#[test]
fn the_end_of_the_input_is_a_quiet_end() {
    for input in ["", "0\n5\nrbsgk\n", PROMPT] {
        let output = run(SEARCH, &["--depth", "2"], input);
        let (status, stdout, stderr) = texts(&output);
        assert_eq!((status, stderr), (Some(0), ""), "{input}");
        assert_eq!(stdout.lines().count(), usize::from(input == PROMPT));
    }
}

#[test]
fn a_prompt_that_is_none_is_an_error() {
    let output = run(SEARCH, &["--depth", "2"], &PROMPT.replace("5453", "5443"));
    let message = "error: read line 13 of the input: expected a legal move, found `5443`\n";
    assert_eq!(texts(&output), (Some(1), "", message));
}

#[test]
fn parameters_are_listed_and_checked() {
    for (program, prompt, known, count) in [
        (SEARCH, PROMPT, "hand_rook", 18),
        (ONITAMA, ONITAMA_PROMPT, "mobility", 7),
        (KUTULU, KUTULU_PROMPT, "near_turns", 13),
    ] {
        let output = run(program, &["--params"], "");
        let (status, list, _) = texts(&output);
        assert_eq!(status, Some(0));
        let names: Vec<&str> = list
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert!(names.contains(&known) && names.len() == count, "{list}");
        for name in &names {
            let setting = format!("{name}=-7");
            let output = run(program, &["--depth", "1", "--param", &setting], prompt);
            assert_eq!(output.status.code(), Some(0), "{setting}");
        }
        for value in ["2000", "-2000"] {
            let all: Vec<String> = names
                .iter()
                .flat_map(|name| ["--param".into(), format!("{name}={value}")])
                .collect();
            let mut arguments = vec!["--depth", "2"];
            arguments.extend(all.iter().map(String::as_str));
            assert_eq!(
                run(program, &arguments, prompt).status.code(),
                Some(0),
                "{program} {arguments:?}"
            );
        }
    }
    for (setting, expected) in [
        (
            "mobilty=3",
            "find the parameter `mobilty`: did you mean `mobility`? Known are pawn, silver,",
        ),
        ("mobility", "write it as NAME=VALUE, such as pawn=100"),
        (
            "mobility=much",
            "the value must be an integer from -2000 to 2000",
        ),
        (
            "mobility=2001",
            "the value must be an integer from -2000 to 2000",
        ),
    ] {
        let output = run(SEARCH, &["--param", setting], PROMPT);
        let (status, stdout, stderr) = texts(&output);
        assert_eq!((status, stdout), (Some(2), ""), "{setting}");
        assert!(stderr.contains(expected), "{setting}: {stderr}");
    }
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    for arguments in [
        ["--depth", "0"],
        ["--depth", "65"],
        ["--time-ms", "0"],
        ["--blunder", "101"],
        ["--seed", "x"],
    ] {
        assert_eq!(
            run(SEARCH, &arguments, PROMPT).status.code(),
            Some(2),
            "{arguments:?}"
        );
    }
}
