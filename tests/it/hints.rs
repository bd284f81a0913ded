//! Errors say what failed and why, and end with what to type. Each message here is one that a new user met.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::programs::{command, said, stderr, write_program};

const RANDOM: &str = "arena bot onitama-random";
const GREEDY: &str = "arena bot onitama-greedy";

/// A short bot, which never has to play here.
const BOT: &str = "print('move')\n";

/// A folder with bots in Python.
fn ground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bot.py", "bot2.py"] {
        fs::write(folder.path().join(name), BOT).unwrap();
    }
    folder
}

/// The exit status and the error of a command line, split at blanks except within single quotes.
fn told(folder: &Path, line: &str) -> (Option<i32>, String) {
    let args = shlex::split(line).unwrap();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let out = command(folder, &args).output().unwrap();
    (out.status.code(), stderr(&out))
}

#[test]
fn the_order_and_the_quotes_of_a_command_are_shown() {
    let ground = ground();
    for (line, expected) in [
        (
            "duel bot.py bot2.py onitama --games 2",
            "error: can't play the game `bot.py`: the game comes before the bots\n\
             hint: arena duel onitama bot.py bot2.py --games 2\n",
        ),
        (
            "check bot.py onitama",
            "error: can't play the game `bot.py`: the game comes before the bots\n\
             hint: arena check onitama bot.py\n",
        ),
        (
            "duel --seed 1 onitama python3 bot.py python3 bot2.py",
            "error: can't tell the bots apart: a program with its arguments is one word in quotes\n\
             hint: arena duel --seed 1 onitama 'python3 bot.py' 'python3 bot2.py'\n",
        ),
        (
            "duel onitama a b --games -5",
            "error: can't use --games -5: expected an integer from 1 to 1000000000\nhint: --games 200\n",
        ),
        (
            "duel onitama bot.py bot2.py --sprt 10,0",
            "error: can't use --sprt 10,0: ELO0 must be below ELO1\nhint: --sprt 0,10\n",
        ),
        (
            "sprt 0,10",
            "error: can't read the run 0,10: there is no such file\nhint: arena sprt --elo0 0 --elo1 10\n",
        ),
        (
            "replay x -1",
            "error: can't use -1 as GAME: expected the number of a game, from 0\nhint: `arena replay RUN` lists the games\n",
        ),
        (
            "duel onitama bot.py bot2.py --set clock.trun_ms=100",
            "error: can't use --set clock.trun_ms=100: unknown key `trun_ms`: did you mean `turn_ms`?\n\
             hint: [clock] takes `first_turn_ms`, `turn_ms`, `startup_ms`, `rules` and `no_ponder`\n",
        ),
        (
            "duel onitama bot.py bot2.py --sprt 0,10,alpha=2",
            "error: can't use --sprt 0,10,alpha=2: expected a number above 0 and below 1, found the integer `2`\nhint: docs/reference/config.md describes the keys\n",
        ),
        (
            "check onitama bot.py --set run.seed=1",
            "error: can't use --set run.seed=1: a check uses the tables clock, limits, game, language\nhint: --set clock.turn_ms=100\n",
        ),
    ] {
        assert_eq!(told(ground.path(), line), (Some(2), expected.to_owned()));
    }
}

/// A referee in Python that promises so many seats, each of which it asks once.
const REFEREE: &str = r#"#!/usr/bin/env python3
import sys
def read():
    header = sys.stdin.readline() or sys.exit()
    return [sys.stdin.readline().rstrip("\n") for _ in range(int(header.strip("]\n").split("] ")[1]))]
def send(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)
while True:
    read(), read()
    send("ARENA", "protocol=1", "reuse=yes", "seats=SEATS")
    for seat in range(SEATS):
        send("NEXT_PLAYER_INPUT", "go")
        send("NEXT_PLAYER_INFO", seat, 1, 1000)
        read(), read()
    send("SCORES", *(f"{seat} {seat}" for seat in range(SEATS)))
"#;

const LIST: &str = "hint: `arena list games` shows the games\n";
const BACKSLASH: &str = "hint: `\\` escapes the next character";

/// Command lines, with their exit status and parts of what is said.
const MEANT: &[(&str, i32, &[&str])] = &[
    ("Duel onitama bot.py bot2.py", 2, &["hint: arena duel\n"]),
    ("CHECK onitama bot.py", 2, &["hint: arena check\n"]),
    (
        "replay bot.py",
        3,
        &["can't read bot.py, line 1: expected a record"],
    ),
    // The game is forgotten.
    (
        "duel bot.py bot2.py",
        2,
        &["hint: arena duel onitama bot.py bot2.py\n", LIST],
    ),
    (
        "duel 'python3 bot.py' 'python3 bot2.py'",
        2,
        &["hint: arena duel onitama 'python3 bot.py' 'python3 bot2.py'\n"],
    ),
    (
        "duel 'python3 bot.py' bot2.py bot.py --games 2",
        2,
        &["hint: arena duel onitama 'python3 bot.py' bot2.py bot.py --games 2\n"],
    ),
    (
        "duel bot.py bot2.py bot.py",
        2,
        &["hint: arena duel onitama bot.py bot2.py bot.py\n", LIST],
    ),
    (
        "check bot.py",
        2,
        &[
            "error: can't play the game `bot.py`",
            "hint: arena check onitama bot.py\n",
            LIST,
        ],
    ),
    (
        "check 'python3 bot.py'",
        2,
        &["hint: arena check onitama 'python3 bot.py'\n"],
    ),
    (
        "check 'arena bot kutulu-greedy'",
        2,
        &["hint: arena check kutulu 'arena bot kutulu-greedy'\n"],
    ),
    (
        "tune 'bot.py {w=5:0..40}'",
        2,
        &["hint: arena tune onitama 'bot.py {w=5:0..40}'\n"],
    ),
    (
        "tune 'python3 bot.py {w=5:0..40}' bot2.py",
        2,
        &["hint: arena tune onitama 'python3 bot.py {w=5:0..40}' bot2.py\n"],
    ),
    // Quotes are missing.
    (
        "tune onitama bot.py '{w=5:0..40}'",
        2,
        &["hint: arena tune onitama 'bot.py {w=5:0..40}'\n"],
    ),
    (
        "tune onitama bot.py w=5:0..40 v=1:0..9",
        2,
        &["hint: arena tune onitama 'bot.py {w=5:0..40} {v=1:0..9}'\n"],
    ),
    // Sample bots.
    (
        "duel onitama onitama-greedy bot.py",
        3,
        &["`arena bot onitama-greedy`"],
    ),
    (
        "check onitama 'onitama-search --depth 2'",
        3,
        &["`arena bot onitama-search --depth 2`"],
    ),
    (
        "duel onitama new=bot.py old=ONITAMA-RANDOM",
        3,
        &["`arena bot onitama-random`"],
    ),
    (
        "run sample.toml",
        3,
        &["`arena bot onitama-greedy --seed 1`"],
    ),
    ("bot add mine", 2, &["[[bot]]", "arena run"]),
    // Runs and configs.
    (
        "run results/mine",
        3,
        &["arena report results/mine", "--resume --out results/mine"],
    ),
    ("replay 3", 3, &["hint: arena replay RUN 3\n"]),
    ("report results", 3, &["hint: arena report results/mine\n"]),
    ("verify results", 3, &["hint: arena verify results/mine\n"]),
    ("rate results", 3, &["hint: arena rate results/mine\n"]),
    (
        "replay unicode.toml",
        3,
        &["hint: arena run unicode.toml\n"],
    ),
    (
        "report unicode.toml",
        3,
        &["hint: arena run unicode.toml\n"],
    ),
    ("start unicode.toml", 3, &["hint: arena run unicode.toml\n"]),
    ("elo 10,2,3", 2, &["hint: arena elo --wdl 10,2,3\n"]),
    // Languages, and names in another case.
    ("init a --language c++", 0, &[]),
    ("init b --language Node", 0, &[]),
    ("init c --language PYTHON3", 0, &[]),
    ("init d --language c#", 2, &["csharp"]),
    ("init e --language golang", 2, &["arena plays bots in go"]),
    ("list Languages", 0, &[]),
    ("start --sandbox OFF nothing.py", 3, &["there is no file"]),
    ("init f --game 'DICE shogi' --language py", 0, &[]),
    // Backslashes.
    ("run illegal.toml", 3, &[BACKSLASH]),
    ("run tabs.toml", 3, &[BACKSLASH]),
    ("run list.toml", 3, &[BACKSLASH]),
    ("run single.toml", 3, &["C:Usersmebot.exe", BACKSLASH]),
    (
        r"duel onitama 'C:\Users\me\bot.exe' bot.py",
        3,
        &["C:Usersmebot.exe", BACKSLASH],
    ),
    // Keys above their table.
    (
        "run headless.toml",
        3,
        &[
            "expected `[run]` above it",
            "`games`",
            "belongs below `[run]`",
            "`turn_ms`",
        ],
    ),
    ("run limit.toml", 3, &["it belongs below `[limits]`"]),
    ("run bot.toml", 3, &["it belongs below `[[bot]]`"]),
];

/// Hints say what was meant. If the game is missing, it is the one of `arena.toml`, if that exists.
#[test]
fn what_was_meant_is_said() {
    let ground = ground();
    let folder = ground.path();
    let file = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let bots = "\n[[bot]]\nname = 'a'\ncommand = COMMAND\n[[bot]]\nname = 'b'\ncommand = 'true'\n";
    let config = |name: &str, head: &str, command: &str| {
        file(name, &format!("{head}{}", bots.replace("COMMAND", command)));
    };
    let run = "[run]\ngame = 'onitama'";
    for (name, command) in [
        ("unicode", r#""C:\Users\me\bot.exe""#),
        ("illegal", r#"["C:\me\bot.exe"]"#),
        ("tabs", r#""bots\tom\bot.py""#),
        ("list", r#"["bots\new\bot.py"]"#),
        ("single", r"'C:\Users\me\bot.exe'"),
    ] {
        config(&format!("{name}.toml"), run, command);
    }
    config("sample.toml", run, "'Onitama_Greedy --seed 1'");
    config(
        "headless.toml",
        "game = 'onitama'\ngames = 4\nturn_ms = 9",
        "'true'",
    );
    config("limit.toml", &format!("{run}\nmemory_mb = 64"), "'true'");
    config("bot.toml", &format!("build = 'make'\n{run}"), "'true'");
    fs::create_dir_all(folder.join("results/mine")).unwrap();
    let plan = folder.join("results/mine/plan.toml");
    fs::write(plan, "").unwrap();
    for (line, code, expected) in MEANT {
        let (found, told) = told(folder, line);
        assert_eq!(found, Some(*code), "{line}: {told}");
        for part in *expected {
            assert!(told.contains(part), "{line}: {told}");
        }
        assert!(!told.contains("all the same"), "{line}: {told}");
    }
    config(
        "arena.toml",
        "[run]\ngame = ['minishogi', 'kutulu']",
        "'true'",
    );
    for (line, expected) in [
        ("check bot.py", "hint: arena check minishogi bot.py\n"),
        (
            "duel bot.py bot2.py",
            "hint: arena duel minishogi bot.py bot2.py\n",
        ),
        (
            "duel 'sh a.sh' 'sh b.sh' 'sh c.sh'",
            "hint: arena duel minishogi 'sh a.sh' 'sh b.sh' 'sh c.sh'\n",
        ),
    ] {
        let (_, told) = told(folder, line);
        assert!(told.contains(expected), "{line}: {told}");
    }
}

/// A bot that fails because it is one for another game is worth a check.
#[test]
fn a_bot_that_fails_at_once_is_to_be_checked() {
    let ground = ground();
    let folder = ground.path();
    fs::write(folder.join("bot.py"), "int(input())\nint(input())\n").unwrap();
    for (line, expected) in [
        (
            "duel minishogi bot.py 'arena bot minishogi-random'",
            "hint: arena check minishogi bot.py\n",
        ),
        (
            "duel kutulu x='python3 bot.py' 'arena bot kutulu-random'",
            "hint: arena check kutulu 'python3 bot.py'\n",
        ),
    ] {
        let (code, told) = told(folder, line);
        assert_eq!(code, Some(3), "{told}");
        assert!(
            told.contains(expected) && !told.contains("start_anyway"),
            "{told}"
        );
    }
}

/// The seats that a referee promises are those of its games, in every verb that takes a referee.
#[test]
fn the_seats_of_a_promise_are_taken() {
    let ground = ground();
    let folder = ground.path();
    let bot = "import random\nwhile True:\n    input()\n    print('x', flush=True)\n";
    fs::write(folder.join("bot.py"), bot).unwrap();
    for seats in [1, 3] {
        let name = format!("r{seats}");
        let referee = REFEREE.replace("SEATS", &seats.to_string());
        write_program(&folder.join(format!("{name}.py")), &referee);
        let bots = "[[bot]]\nname = 'a'\ncommand = 'bot.py'\n[[bot]]\nname = 'b'\ncommand = 'python3 bot.py'\n\
                    [[bot]]\nname = 'c'\ncommand = 'python3 bot.py c'\n";
        let config = format!(
            "[run]\ngame = '{name}'\ngames = 2\n[game.{name}]\nreferee = '{name}.py'\n{bots}"
        );
        fs::write(folder.join(format!("{name}.toml")), config).unwrap();
        for (line, code) in [
            ("check NAME.py --answer x", 0),
            ("check NAME.py bot.py --seeds 1", 0),
            (
                "duel NAME.py bot.py 'python3 bot.py' 'python3 bot.py c' --games 2 --out duel-NAME",
                0,
            ),
            (
                "duel NAME.py bot.py 'python3 bot.py' 'python3 bot.py c' --games 2 --out duel-NAME --resume",
                0,
            ),
            ("run NAME.toml", 0),
            ("run NAME.toml --resume", 0),
        ] {
            let line = line.replace("NAME", &name);
            let (found, told) = told(folder, &line);
            assert_eq!(found, Some(code), "{line}: {told}");
            let expected = format!("{name} is played with {seats} seat");
            assert!(told.contains(&expected), "{line}: {told}");
            assert!(!told.contains("`seats`"), "{line}: {told}");
        }
    }
}

/// Without arguments, the overview is shown as it is by `--help`.
#[test]
fn no_command_shows_the_overview() {
    let folder = tempfile::tempdir().unwrap();
    let (code, told) = told(folder.path(), "");
    assert_eq!(code, Some(2));
    assert!(told.starts_with("Play tournaments of bots"), "{told}");
}

#[test]
fn what_is_not_there_is_said() {
    let ground = ground();
    let folder = ground.path();
    fs::create_dir_all(folder.join("results/mine")).unwrap();
    fs::write(folder.join("records.jsonl"), "").unwrap();
    let bots = format!("onitama '{RANDOM}' '{GREEDY}' --games 2");
    for (line, code, expected) in [
        (
            "run",
            3,
            "error: can't read arena.toml: there is no such file in this folder\nhint: arena init\n",
        ),
        (
            "check",
            3,
            "error: can't read arena.toml: there is no such file in this folder\nhint: arena init\n",
        ),
        (
            &format!("duel {bots} --resume --out results/mien"),
            3,
            "error: can't resume results/mien: there is no such folder\nhint: --out results/mine\n",
        ),
        (
            "verify records.jsonl",
            3,
            "error: can't verify records.jsonl: there are no games in it\nhint: name a run with games, as in results/mine\n",
        ),
        (
            &format!("duel {bots} --read nowhere"),
            2,
            "error: can't use --read nowhere: No such file or directory (os error 2)\nhint: paths start from the current folder\n",
        ),
        (
            &format!("duel {bots} --set game.kutulu.maps=nowhere"),
            3,
            "error: can't use --set game.kutulu.maps=nowhere: `[game.kutulu]` is for a game that this run does not play\n\
             hint: add `kutulu` to the games of `[run]`, or leave this table out\n",
        ),
    ] {
        assert_eq!(told(folder, line), (Some(code), expected.to_owned()));
    }
    assert!(!folder.join("results/mien").exists());
}

/// `arena run` and `arena check` take `./arena.toml`; `--set` changes its keys.
#[test]
fn the_config_of_this_folder_is_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = format!(
        "[run]\nname = \"mine\"\ngame = \"onitama\"\ngames = 2\n[clock]\nturn_ms = 60000\nfirst_turn_ms = 60000\n\
         [[bot]]\nname = \"a\"\ncommand = \"{RANDOM}\"\n[[bot]]\nname = \"b\"\ncommand = \"{GREEDY}\"\n"
    );
    fs::write(folder.join("arena.toml"), config).unwrap();
    let out = command(folder, &["run", "--quiet", "--set", "clock.startup_ms=5"])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", said(&out));
    let plan = fs::read_to_string(folder.join("results/mine/plan.toml")).unwrap();
    assert!(plan.contains("startup_ms = 5\n"), "{plan}");
    let out = command(folder, &["check", "--seeds", "1"])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", said(&out));
    let told = "checking `a`, the first bot of arena.toml\n";
    assert_eq!(stderr(&out).matches(told).count(), 1, "{}", said(&out));
    let out = command(folder, &["run", "--set", "clock.turn_ms=0"])
        .output()
        .unwrap();
    assert_eq!(
        (out.status.code(), stderr(&out)),
        (
            Some(3),
            "error: can't use --set clock.turn_ms=0: expected an integer from 1 to 86400000, found the integer `0`\nhint: docs/reference/config.md describes the keys\n"
                .to_owned()
        )
    );
}

/// A full disk is no mistake in the input.
#[test]
fn a_report_on_a_full_disk_is_an_error_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let duel = [
        "duel", "onitama", RANDOM, GREEDY, "--games", "2", "--out", "run", "--quiet",
    ];
    let out = command(folder, &duel).output().unwrap();
    assert!(out.status.success(), "{}", said(&out));
    symlink("/dev/full", folder.join("full.html")).unwrap();
    for (args, code) in [("full.html", 70), ("no/such/folder.html", 3)] {
        let out = command(folder, &["report", "run", "--html", args])
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(code), "{}", said(&out));
    }
    // Its result is shown even if its reports can't be written again.
    fs::create_dir_all(folder.join("run/pending/in_the_way")).unwrap();
    let out = command(folder, &[&duel[..], &["--resume"]].concat())
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", said(&out));
    assert!(
        said(&out).contains("warning: the reports weren't written again: can't ")
            && said(&out).contains("against onitama-random"),
        "{}",
        said(&out)
    );
}
