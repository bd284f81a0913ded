//! Errors say what failed and why, and end with what to type. A new user met each message here.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::programs::{Said as _, bots, line, number_before, read, stderr, table, write_program};

const TWO: &str = "duel onitama 'arena bot onitama-random' 'arena bot onitama-greedy' --games 2";

/// A folder with bots in Python, which never have to play here.
fn ground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bot.py", "bot2.py"] {
        fs::write(folder.path().join(name), "print('move')\n").unwrap();
    }
    folder
}

/// Checks whole errors. A command line and its exit status are above each, and a blank line below.
fn check_errors(folder: &Path, blocks: &str) {
    for block in blocks.trim().split("\n\n") {
        let (command, error) = block.split_once('\n').unwrap();
        let (args, status) = command.split_once(" | ").unwrap();
        let out = line(folder, args);
        out.status(status.parse().unwrap());
        assert_eq!(stderr(&out), format!("{error}\n"), "{args}");
    }
}

#[test]
fn the_order_and_the_quotes_of_a_command_are_shown() {
    check_errors(
        ground().path(),
        "
duel bot.py bot2.py onitama --games 2 | 2
error: can't play the game `bot.py`: the game comes before the bots
hint: arena duel onitama bot.py bot2.py --games 2

check bot.py onitama | 2
error: can't play the game `bot.py`: the game comes before the bots
hint: arena check onitama bot.py

duel --seed 1 onitama python3 bot.py python3 bot2.py | 2
error: can't tell the bots apart: a program with its arguments is one word in quotes
hint: arena duel --seed 1 onitama 'python3 bot.py' 'python3 bot2.py'

duel onitama a b --games -5 | 2
error: can't use --games -5: expected an integer from 1 to 1000000000
hint: --games 200

duel onitama bot.py bot2.py --sprt 10,0 | 2
error: can't use --sprt 10,0: ELO0 must be below ELO1
hint: --sprt 0,10

sprt 0,10 | 2
error: can't read the run 0,10: there is no such file
hint: arena sprt --elo0 0 --elo1 10

replay x -1 | 2
error: can't use -1 as GAME: expected the number of a game, from 0
hint: `arena replay RUN` lists the games

duel onitama bot.py bot2.py --set clock.trun_ms=100 | 2
error: can't use --set clock.trun_ms=100: unknown key `trun_ms`: did you mean `turn_ms`?
hint: [clock] takes `first_turn_ms`, `turn_ms`, `startup_ms`, `rules` and `no_ponder`

duel onitama bot.py bot2.py --sprt 0,10,alpha=2 | 2
error: can't use --sprt 0,10,alpha=2: expected a number above 0 and below 1, found the integer `2`
hint: docs/reference/config.md describes the keys

check onitama bot.py --set run.seed=1 | 2
error: can't use --set run.seed=1: a check uses the tables clock, limits, game, language
hint: --set clock.turn_ms=100
",
    );
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

/// Command lines, their exit status, and what is said in any order, with ` & ` between texts.
const MEANT: &str = r"
Duel onitama bot.py bot2.py | 2 | hint: arena duel\n
CHECK onitama bot.py | 2 | hint: arena check\n
replay bot.py | 3 | can't read bot.py, line 1: expected a record
# The game is forgotten.
duel bot.py bot2.py | 2 | hint: arena duel onitama bot.py bot2.py\n & LIST
duel 'python3 bot.py' 'python3 bot2.py' | 2 | hint: arena duel onitama 'python3 bot.py' 'python3 bot2.py'\n
duel 'python3 bot.py' bot2.py bot.py --games 2 | 2 | hint: arena duel onitama 'python3 bot.py' bot2.py bot.py --games 2\n
duel bot.py bot2.py bot.py | 2 | hint: arena duel onitama bot.py bot2.py bot.py\n & LIST
check bot.py | 2 | error: can't play the game `bot.py` & hint: arena check onitama bot.py\n & LIST
check 'python3 bot.py' | 2 | hint: arena check onitama 'python3 bot.py'\n
check 'arena bot kutulu-greedy' | 2 | hint: arena check kutulu 'arena bot kutulu-greedy'\n
tune 'bot.py {w=5:0..40}' | 2 | hint: arena tune onitama 'bot.py {w=5:0..40}'\n
tune 'python3 bot.py {w=5:0..40}' bot2.py | 2 | hint: arena tune onitama 'python3 bot.py {w=5:0..40}' bot2.py\n
# Quotes are missing.
tune onitama bot.py '{w=5:0..40}' | 2 | hint: arena tune onitama 'bot.py {w=5:0..40}'\n
tune onitama bot.py w=5:0..40 v=1:0..9 | 2 | hint: arena tune onitama 'bot.py {w=5:0..40} {v=1:0..9}'\n
# Sample bots.
duel onitama onitama-greedy bot.py | 3 | `arena bot onitama-greedy`
check onitama 'onitama-search --depth 2' | 3 | `arena bot onitama-search --depth 2`
duel onitama new=bot.py old=ONITAMA-RANDOM | 3 | `arena bot onitama-random`
run sample.toml | 3 | `arena bot onitama-greedy --seed 1`
bot add mine | 2 | [[bot]] & arena run
# Runs and configs.
run results/mine | 3 | arena report results/mine & --resume --out results/mine
replay 3 | 3 | hint: arena replay RUN 3\n
report results | 3 | hint: arena report results/mine\n
verify results | 3 | hint: arena verify results/mine\n
rate results | 3 | hint: arena rate results/mine\n
replay unicode.toml | 3 | hint: arena run unicode.toml\n
report unicode.toml | 3 | hint: arena run unicode.toml\n
start unicode.toml | 3 | hint: arena run unicode.toml\n
elo 10,2,3 | 2 | hint: arena elo --wdl 10,2,3\n
# Languages, and names in another case.
init a --language c++ | 0 | wrote bot.cpp
init b --language Node | 0 | wrote bot.js
init c --language PYTHON3 | 0 | wrote bot.py
init e --language golang | 2 | expected one of python, cpp, javascript, java, rust
list Languages | 0 | .py
start --sandbox OFF nothing.py | 3 | there is no file
init f --game 'DICE shogi' --language py | 0 | wrote bot.py
# Backslashes.
run illegal.toml | 3 | BACKSLASH
run tabs.toml | 3 | BACKSLASH
run list.toml | 3 | BACKSLASH
run single.toml | 3 | C:Usersmebot.exe & BACKSLASH
duel onitama 'C:\Users\me\bot.exe' bot.py | 3 | C:Usersmebot.exe & BACKSLASH
# Keys above their table.
run headless.toml | 3 | expected `[run]` above it & `games` & belongs below `[run]` & `turn_ms`
run limit.toml | 3 | it belongs below `[limits]`
run bot.toml | 3 | it belongs below `[[bot]]`
";

/// Checks command lines that don't do what they mean.
fn check_meant(folder: &Path, rows: &str) {
    let rows = rows
        .replace("LIST", r"hint: `arena list games` shows the games\n")
        .replace("BACKSLASH", r"hint: `\` escapes the next character");
    for [args, status, texts] in table(&rows) {
        let out = line(folder, args);
        out.status(status.parse().unwrap()).lacks("all the same");
        for text in texts.split(" & ") {
            out.contains(&text.replace(r"\n", "\n"));
        }
    }
}

/// Hints say what was meant. If the game is missing, it is the one of `arena.toml`, if that exists.
#[test]
fn what_was_meant_is_said() {
    let ground = ground();
    let folder = ground.path();
    let config = |name: &str, head: &str, command: &str| {
        let bots = bots("a | COMMAND\n b | true").replace("\"COMMAND\"", command);
        let file = folder.join(format!("{name}.toml"));
        fs::write(file, format!("{head}\n{bots}")).unwrap();
    };
    let run = "[run]\ngame = 'onitama'";
    config("unicode", run, r#""C:\Users\me\bot.exe""#);
    config("illegal", run, r#"["C:\me\bot.exe"]"#);
    config("tabs", run, r#""bots\tom\bot.py""#);
    config("list", run, r#"["bots\new\bot.py"]"#);
    config("single", run, r"'C:\Users\me\bot.exe'");
    config("sample", run, "'Onitama_Greedy --seed 1'");
    let headless = "game = 'onitama'\ngames = 4\nturn_ms = 9";
    config("headless", headless, "'true'");
    config("limit", &format!("{run}\nmemory_mb = 64"), "'true'");
    config("bot", &format!("build = 'make'\n{run}"), "'true'");
    fs::create_dir_all(folder.join("results/mine")).unwrap();
    fs::write(folder.join("results/mine/plan.toml"), "").unwrap();
    check_meant(folder, MEANT);
    let first = "[run]\ngame = ['minishogi', 'kutulu']";
    config("arena", first, "'true'");
    check_meant(
        folder,
        r"
        check bot.py | 2 | hint: arena check minishogi bot.py\n
        duel bot.py bot2.py | 2 | hint: arena duel minishogi bot.py bot2.py\n
        duel 'sh a.sh' 'sh b.sh' 'sh c.sh' | 2 | hint: arena duel minishogi 'sh a.sh' 'sh b.sh' 'sh c.sh'\n
        ",
    );
}

/// A bot that fails because it is one for another game is worth a check.
#[test]
fn a_bot_that_fails_at_once_is_to_be_checked() {
    let ground = ground();
    fs::write(ground.path().join("bot.py"), "int(input())\nint(input())\n").unwrap();
    for [args, hint] in table(
        "
        duel minishogi bot.py 'arena bot minishogi-random' | hint: arena check minishogi bot.py
        duel kutulu x='python3 bot.py' 'arena bot kutulu-random' | hint: arena check kutulu 'python3 bot.py'
        ",
    ) {
        let out = line(ground.path(), args);
        out.status(3).contains(&format!("{hint}\n"));
        out.lacks("start_anyway");
    }
}

/// The seats that a referee promises are those of its games, in every verb that takes a referee.
#[test]
fn the_seats_of_a_promise_are_taken() {
    let ground = ground();
    let folder = ground.path();
    let bot = "import random\nwhile True:\n    input()\n    print('x', flush=True)\n";
    fs::write(folder.join("bot.py"), bot).unwrap();
    let three = bots("a | bot.py\n b | python3 bot.py\n c | python3 bot.py c");
    for seats in [1, 3] {
        let name = format!("r{seats}");
        let referee = REFEREE.replace("SEATS", &seats.to_string());
        write_program(&folder.join(format!("{name}.py")), &referee);
        let config = format!(
            "[run]\ngame = '{name}'\ngames = 2\n[game.{name}]\nreferee = '{name}.py'\n{three}"
        );
        fs::write(folder.join(format!("{name}.toml")), config).unwrap();
        for args in [
            "check NAME.py --answer x",
            "check NAME.py bot.py --seeds 1",
            "duel NAME.py bot.py 'python3 bot.py' 'python3 bot.py c' --games 2 --out duel-NAME",
            "duel NAME.py bot.py 'python3 bot.py' 'python3 bot.py c' --games 2 --out duel-NAME --resume",
            "run NAME.toml",
            "run NAME.toml --resume",
        ] {
            let out = line(folder, &args.replace("NAME", &name));
            out.status(0).lacks("`seats`");
            out.contains(&format!("{name} is played with {seats} seat"));
        }
    }
}

#[test]
fn a_name_is_as_long_as_the_page_says() {
    let most = number_before("reference/bots.md", " characters, and no `/`");
    let check = |length: usize| {
        let name = "a".repeat(length);
        line(ground().path(), &format!("check onitama {name}=./none"))
    };
    check(most).contains("can't find the program `./none`");
    check(most + 1).contains(&format!("it has {} characters", most + 1));
}

/// Without arguments, the overview is shown as it is by `--help`.
#[test]
fn no_command_shows_the_overview() {
    let folder = tempfile::tempdir().unwrap();
    let out = line(folder.path(), "");
    out.status(2).begins("Play tournaments of bots");
}

#[test]
fn what_is_not_there_is_said() {
    let ground = ground();
    let folder = ground.path();
    fs::create_dir_all(folder.join("results/mine")).unwrap();
    fs::write(folder.join("records.jsonl"), "").unwrap();
    let blocks = "
run | 3
error: can't read arena.toml: there is no such file in this folder
hint: arena init

check | 3
error: can't read arena.toml: there is no such file in this folder
hint: arena init

TWO --resume --out results/mien | 3
error: can't resume results/mien: there is no such folder
hint: --out results/mine

verify records.jsonl | 3
error: can't verify records.jsonl: there are no games in it
hint: name a run with games, as in results/mine

TWO --read nowhere | 2
error: can't use --read nowhere: No such file or directory (os error 2)
hint: paths start from the current folder

TWO --set game.kutulu.maps=nowhere | 3
error: can't use --set game.kutulu.maps=nowhere: `[game.kutulu]` is for a game that this run does not play
hint: add `kutulu` to the games of `[run]`, or leave this table out
";
    check_errors(folder, &blocks.replace("TWO", TWO));
    assert!(!folder.join("results/mien").exists());
}

/// `arena run` and `arena check` take `./arena.toml`; `--set` changes its keys.
#[test]
fn the_config_of_this_folder_is_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = "[run]\nname = 'mine'\ngame = 'onitama'\ngames = 2\n[clock]\nturn_ms = 60000\nfirst_turn_ms = 60000\n";
    let two = bots("a | arena bot onitama-random\n b | arena bot onitama-greedy");
    fs::write(folder.join("arena.toml"), config.to_owned() + &two).unwrap();
    line(folder, "run --quiet --set clock.startup_ms=5").status(0);
    let plan = read(folder, "results/mine/plan.toml");
    assert!(plan.contains("startup_ms = 5\n"), "{plan}");
    let out = line(folder, "check --seeds 1");
    out.status(0);
    let told = "checking `a`, the first bot of arena.toml\n";
    assert_eq!(stderr(&out).matches(told).count(), 1, "{out:?}");
    check_errors(
        folder,
        "
run --set clock.turn_ms=0 | 3
error: can't use --set clock.turn_ms=0: expected an integer from 1 to 86400000, found the integer `0`
hint: docs/reference/config.md describes the keys
",
    );
}

/// A full disk is no mistake in the input.
#[test]
fn a_report_on_a_full_disk_is_an_error_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    line(folder, &format!("{TWO} --out run --quiet")).status(0);
    symlink("/dev/full", folder.join("full.html")).unwrap();
    line(folder, "report run --html full.html").status(70);
    line(folder, "report run --html no/such/folder.html").status(3);
    // Its result is shown even if its reports can't be written again.
    fs::create_dir_all(folder.join("run/pending/in_the_way")).unwrap();
    let out = line(folder, &format!("{TWO} --out run --quiet --resume"));
    out.status(0).contains("against onitama-random");
    out.contains("warning: the reports weren't written again: can't ");
}
