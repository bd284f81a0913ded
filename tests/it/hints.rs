//! Errors say what failed and why, and end with what to type. Each message here is one that a new user met.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::programs::{command, said, stderr};

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
