//! The most likely mistakes of a new user, with the whole message for each.

use std::fmt::Write as _;
use std::fs;

use insta::assert_snapshot;

use crate::programs::{caching, said, write_program};

/// A bot for Onitama whose `turn` reads a prompt into `$first`, its first action.
const TURN: &str = r#"turn() {
  [ -n "$seat" ] || read -r seat || exit 0
  for i in 1 2 3 4 5 6 7 8 9 10 n; do read -r n || exit 0; done
  i=0; while [ $i -lt $n ]; do read -r action; [ $i -gt 0 ] || first=$action; i=$((i+1)); done
}
"#;
/// Checks that wait for an answer do not wait long.
const SHORT: &str =
    "--seeds 1 --set clock.startup_ms=0 --set clock.first_turn_ms=700 --set clock.turn_ms=700";

/// A block of a table: a title; files, programs and files with the line ends of Windows, each with
/// its text below; a folder for `PATH`; and commands.
///
/// Returns the title and what the last command says.
fn follow(block: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut lines = block.lines().peekable();
    let title = lines.next().unwrap();
    let (mut path, mut told) = (None, String::new());
    while let Some(line) = lines.next() {
        let mut text = String::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("    ")) {
            writeln!(text, "{}", &line[4..]).unwrap();
        }
        let text = text.replace("TURN\n", TURN);
        let (kind, words) = line.split_once(' ').unwrap();
        let place = folder.join(words);
        if ["file", "program", "windows"].contains(&kind) {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
        }
        match kind {
            "file" => fs::write(place, text).unwrap(),
            "program" => write_program(&place, &text),
            "windows" => write_program(&place, &text.replace('\n', "\r\n")),
            "PATH" => path = Some(place),
            _ => {
                let mut command = caching(folder, words);
                command.env_remove("NO_COLOR").env("COLUMNS", "100");
                if let Some(path) = &path {
                    command.env("PATH", path);
                }
                let out = command.output().unwrap();
                let args = shlex::split(words).unwrap();
                let args = shlex::try_join(args.iter().map(String::as_str)).unwrap();
                let (said, code) = (wrong(&said(&out)), out.status.code().unwrap());
                told = format!("$ arena {args}\n{said}\n(exit status {code})\n");
            }
        }
    }
    let real = fs::canonicalize(folder).unwrap().display().to_string();
    let told = told
        .replace(&real, "/HERE")
        .replace(&folder.display().to_string(), "/HERE")
        .replace('\u{200b}', "<200B>")
        .replace('\u{202e}', "<202E>");
    format!("{title}\n\n{told}")
}

/// What is well takes a time that differs, and is not what matters here.
fn wrong(said: &str) -> String {
    let mut wrong: Vec<&str> = said.trim_end().lines().collect();
    wrong.retain(|line| !line.starts_with("ok ") && !line.starts_with("not reached"));
    wrong.join("\n")
}

/// What is said about the mistakes of a table is what the snapshot of this name has.
fn assert_told(name: &str, table: &str) {
    let mut told = String::new();
    for block in table.trim().split("\n\n") {
        writeln!(told, "{}\n", follow(block)).unwrap();
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, told));
}

#[test]
fn what_is_no_program() {
    assert_told(
        "what_is_no_program",
        r#"
# a wrong path
$ check onitama './bto --depth 3'

# the source file is elsewhere
$ check onitama bot.py

# a program that may not be executed
file bot
    #!/bin/sh
$ check onitama ./bot

# a file of a language that is not known
file bot.xyz
    TURN
    while turn; do echo "$first"; done
$ check onitama bot.xyz

# a folder
file bots/README
file bots/bot.py
$ check onitama ./bots

# a folder without a path
program bots/bot
$ check onitama 'bots --depth 3'

# a folder in a config
file bots/notes.txt
file mine.toml
    [run]
    game = "onitama"
    [[bot]]
    name = "a"
    command = "bots"
    [[bot]]
    name = "b"
    command = "true"
$ run mine.toml

# a misspelt sample bot
$ check onitama 'arena bot onitama-gredy'

# no sample bot at all
$ check onitama 'arena bot alphazero'

# a script with the line ends of Windows
windows bot
    #!/bin/sh
    TURN
    while turn; do echo "$first"; done
$ check onitama ./bot

# a shell script with the line ends of Windows
windows bot.sh
    TURN
    while turn; do echo "$first"; done
$ check onitama bot.sh

# a script that names no interpreter
program bot
    TURN
    while turn; do echo "$first"; done
$ check onitama ./bot

# a misspelt interpreter
file bot.py
$ check onitama 'pyton3 bot.py'

# a path with a space that begins like another program
program mix/Engine
    #!/bin/sh
    TURN
    while turn; do echo "$first"; done
file mix/Engine 2.py
$ check onitama 'mix/Engine 2.py'

# a script whose path has a space
file my bots/bot.sh
    TURN
    while turn; do echo "$first"; done
$ check onitama 'sh my bots/bot.sh'

# a pipe, which only a shell would lay
$ check onitama 'yes | sh'

# a home, which only a shell would know
$ check onitama '~/bot'

# no compiler
file bot.cpp
PATH empty
$ check onitama bot.cpp

# a mistake in the source
file bot.x
file mine.toml
    [run]
    game = "onitama"
    [language.x]
    extensions = ["x"]
    compile = ["sh", "-c", "echo $0:3: no such word; exit 1", "{source}"]
    run = ["{out}"]
    [[bot]]
    name = "a"
    command = "bot.x"
    [[bot]]
    name = "b"
    command = "bot.x"
$ run mine.toml

# a Java file without a main
program bin/java
program bin/javac
file Bot.java
    class Bot { int depth; }
PATH bin
$ check onitama Bot.java
"#,
    );
}

#[test]
fn what_is_no_command() {
    let table = r#"
# no command
$ check onitama ''

# an open quote
$ check onitama "python3 'bot.py"

# a path with spaces
file my bots/bot.py
$ check onitama 'my bots/bot.py --depth 3'

# a path with spaces in a config
file my bots/bot.py
file mine.toml
    [run]
    game = "onitama"
    [[bot]]
    name = "a"
    command = "my bots/bot.py"
    [[bot]]
    name = "b"
    command = "true"
$ run mine.toml

# two bots to check
$ check onitama './a --depth 2' './b --depth 3'

# a command without quotes
$ check onitama python3 bot.py

# options of the bot without quotes
$ check onitama ./bot --depth 3

# options of bots without quotes
$ duel onitama ./bot --depth 3

# a variable instead of a name
$ duel onitama true DEBUG=true

# a named bot that is not there
$ duel onitama old=true 'new=./bto 3'

# an empty name
$ check onitama =true

# a name that is taken for a path
$ check onitama v1/2=true

# a name with a tab
$ check onitama "'a<TAB>b=true'"

# a name that is shown backwards
$ check onitama new<202E>dlo=true

# a name with a space at its end
$ check onitama "'a =true'"

# a name that is too long
$ check onitama <101>=true

# a name in a config that nobody sees
file mine.toml
    [run]
    game = "onitama"
    [[bot]]
    name = "a<200B>"
    command = "true"
    [[bot]]
    name = "b"
    command = "true"
$ run mine.toml

# one name for two bots
$ duel onitama a=true a=false
"#;
    let table = table
        .replace("<TAB>", "\t")
        .replace("<101>", &"a".repeat(101))
        .replace("<200B>", "\u{200b}")
        .replace("<202E>", "\u{202e}");
    assert_told("what_is_no_command", &table);
}

#[test]
fn what_is_played_wrongly() {
    let table = r#"
# debug output on standard output
file bot.sh
    TURN
    while turn; do echo "thinking"; echo "$first"; done
$ check onitama SHORT bot.sh

# an answer that is not ended by a newline
file bot.sh
    TURN
    while turn; do printf '%s' "$first"; done
$ check onitama SHORT bot.sh

# an answer that is not flushed
file bot.sh
    TURN
    turn; answer=$first; while read -r line; do :; done; echo "$answer"
$ check onitama SHORT bot.sh

# a bot that ends at once
file bot.sh
    echo 'no module named numpy' >&2; exit 1
$ check onitama bot.sh
"#;
    assert_told("what_is_played_wrongly", &table.replace("SHORT", SHORT));
}

#[test]
fn what_is_asked_for_in_vain() {
    assert_told(
        "what_is_asked_for_in_vain",
        r#"
# a misspelt game
$ duel minishoggi true true

# a game that is not known
$ check chess true

# a misspelt game in a config
file mine.toml
    [run]
    game = "Onitamma"
    [[bot]]
    name = "a"
    command = "true"
    [[bot]]
    name = "b"
    command = "true"
$ run mine.toml

# a misspelt key in a config
file mine.toml
    [run]
    game = "onitama"
    gmes = 100
    [[bot]]
    name = "a"
    command = "true"
    [[bot]]
    name = "b"
    command = "true"
$ run mine.toml

# an unknown bot in a config
file mine.toml
    [run]
    game = "onitama"
    format = "sweep"
    [sweep]
    bot = "c"
    against = "a"
    values = { depth = [2, 3] }
    [[bot]]
    name = "a"
    command = "true"
    [[bot]]
    name = "b"
    command = "true"
$ run mine.toml

# a source file in the place of a config
$ run 'my bot.py'

# a program in the place of a config
program bot
    #!/bin/sh
$ run ./bot

# a file in the place of a folder
file mine
$ init mine

# a referee that is missing
file game.toml
    [game.mine]
    referee = "./gone"
$ check game.toml

# a file in the place of a run
file mine
$ report mine

# a file in the place of a new run
file mine
$ duel onitama true true --out mine

# a misspelt script
$ duel onitama 'a=sh nosuch.sh' 'arena bot onitama-random'

# an interpreter that prints errors where answers belong
file php.sh
    echo Could not open input file: bot.php
    exit 1
$ duel onitama 'a=sh php.sh' 'arena bot onitama-random'

# a misspelt language
$ init --language javscript

# a map where there are none
$ duel onitama 'a=yes x' 'b=yes x' --games 2 --out mine --quiet
$ replay mine --map maze

# no config
$ run mine.toml

# a run directory that holds a run
$ duel onitama 'a=yes x' 'b=yes x' --games 2 --out mine --quiet
$ duel onitama 'a=yes x' 'b=yes x' --games 2 --out mine --quiet

# to go on with what is no run
file mine/notes.txt
$ duel onitama true true --out mine --resume
"#,
    );
}
