//! The most likely mistakes of a new user, with the whole message for each.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::programs::{self, write_program};

/// A bot for Onitama whose `turn` reads a prompt into `$first`, its first action.
const TURN: &str = r#"turn() {
  [ -n "$seat" ] || read -r seat || exit 0
  for i in 1 2 3 4 5 6 7 8 9 10 n; do read -r n || exit 0; done
  i=0; while [ $i -lt $n ]; do read -r action; [ $i -gt 0 ] || first=$action; i=$((i+1)); done
}
"#;
const BOTS: &str =
    "[[bot]]\nname = \"a\"\ncommand = \"true\"\n[[bot]]\nname = \"b\"\ncommand = \"true\"\n";
/// Checks that wait for an answer do not wait long.
const SHORT: [&str; 8] = [
    "--seeds",
    "1",
    "--set",
    "clock.startup_ms=0",
    "--set",
    "clock.first_turn_ms=700",
    "--set",
    "clock.turn_ms=700",
];

/// A folder with some files.
struct Ground(tempfile::TempDir);

impl Ground {
    fn new() -> Ground {
        Ground(tempfile::tempdir().unwrap())
    }

    fn file(&self, path: &str, text: &str) -> &Ground {
        fs::write(self.place(path), text).unwrap();
        self
    }

    fn program(&self, path: &str, text: &str) -> &Ground {
        write_program(&self.place(path), text);
        self
    }

    /// A path in the folder. Its parent exists.
    fn place(&self, path: &str) -> PathBuf {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// What is said, and how it ends. Programs are looked for in `path` if it is given.
    fn said(&self, args: &[&str], path: Option<&str>) -> String {
        let mut command = programs::program();
        command
            .current_dir(&self.0)
            .args(args)
            .stdin(Stdio::null())
            .env("XDG_CACHE_HOME", self.0.path().join("cache"));
        command
            .env_remove("RUST_BACKTRACE")
            .env_remove("NO_COLOR")
            .env("COLUMNS", "100");
        let folders = path.map(|path| self.0.path().join(path).display().to_string());
        command.envs(folders.iter().map(|folders| ("PATH", folders)));
        let out = command.output().unwrap();
        let said = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
        let real = fs::canonicalize(&self.0).unwrap().display().to_string();
        let said = said.replace('\u{200b}', "<200B>");
        let said = said
            .replace(&real, "/HERE")
            .replace(&self.0.path().display().to_string(), "/HERE");
        let shown = shlex::try_join(args.iter().copied())
            .unwrap()
            .replace('\u{202e}', "<202E>");
        let code = out.status.code().unwrap();
        format!(
            "$ arena {shown}\n{}\n(exit status {code})\n",
            wrong(said.trim_end())
        )
    }

    fn check(&self, bot: &[&str]) -> String {
        self.said(&[&["check", "onitama"], bot].concat(), None)
    }

    fn run(&self, config: &str) -> String {
        self.file("mine.toml", config)
            .said(&["run", "mine.toml"], None)
    }
}

/// What is well takes a time that differs, and is not what matters here.
fn wrong(said: &str) -> String {
    let is_wrong = |line: &&str| !line.starts_with("ok ") && !line.starts_with("not reached");
    said.lines().filter(is_wrong).collect::<Vec<_>>().join("\n")
}

fn script(text: &str) -> String {
    format!("{TURN}{text}\n")
}

/// Makes a mistake, and gives what is said about it.
type Make<'m> = &'m dyn Fn(&Ground) -> String;

/// What is said about each mistake is what the snapshot of this name has.
fn assert_told(name: &str, mistakes: &[(&str, Make<'_>)]) {
    let mut told = String::new();
    for (what, make) in mistakes {
        writeln!(told, "# {what}\n\n{}\n", make(&Ground::new())).unwrap();
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, told));
}

#[test]
fn what_is_no_program() {
    let script = script("while turn; do echo \"$first\"; done");
    let script = script.as_str();
    assert_told(
        "what_is_no_program",
        &[
            ("a wrong path", &|ground| ground.check(&["./bto --depth 3"])),
            ("the source file is elsewhere", &|ground| {
                ground.check(&["bot.py"])
            }),
            ("a program that may not be executed", &|ground| {
                ground.file("bot", "#!/bin/sh\n").check(&["./bot"])
            }),
            ("a file of a language that is not known", &|ground| {
                ground.file("bot.xyz", script).check(&["bot.xyz"])
            }),
            ("a folder", &|ground| {
                ground
                    .file("bots/README", "")
                    .file("bots/bot.py", "")
                    .check(&["./bots"])
            }),
            ("a folder without a path", &|ground| {
                ground.program("bots/bot", "").check(&["bots --depth 3"])
            }),
            ("a folder in a config", &|ground| {
                let bots = BOTS.replacen("\"true\"", "\"bots\"", 1);
                ground
                    .file("bots/notes.txt", "")
                    .run(&format!("[run]\ngame = \"onitama\"\n{bots}"))
            }),
            ("a misspelt sample bot", &|ground| {
                ground.check(&["arena bot onitama-gredy"])
            }),
            ("no sample bot at all", &|ground| {
                ground.check(&["arena bot alphazero"])
            }),
            ("a script with the line ends of Windows", &|ground| {
                ground
                    .program("bot", &format!("#!/bin/sh\n{script}").replace('\n', "\r\n"))
                    .check(&["./bot"])
            }),
            ("a shell script with the line ends of Windows", &|ground| {
                ground
                    .file("bot.sh", &script.replace('\n', "\r\n"))
                    .check(&["bot.sh"])
            }),
            ("a script that names no interpreter", &|ground| {
                ground.program("bot", script).check(&["./bot"])
            }),
            ("a misspelt interpreter", &|ground| {
                ground.file("bot.py", "").check(&["pyton3 bot.py"])
            }),
            (
                "a path with a space that begins like another program",
                &|ground| {
                    ground
                        .program("mix/Engine", &format!("#!/bin/sh\n{script}"))
                        .file("mix/Engine 2.py", "")
                        .check(&["mix/Engine 2.py"])
                },
            ),
            ("a script whose path has a space", &|ground| {
                ground
                    .file("my bots/bot.sh", script)
                    .check(&["sh my bots/bot.sh"])
            }),
            ("a pipe, which only a shell would lay", &|ground| {
                ground.check(&["yes | sh"])
            }),
            ("a home, which only a shell would know", &|ground| {
                ground.check(&["~/bot"])
            }),
            ("no compiler", &|ground| {
                ground
                    .file("bot.cpp", "")
                    .said(&["check", "onitama", "bot.cpp"], Some("empty"))
            }),
            ("a mistake in the source", &|ground| {
                let language = "extensions = [\"x\"]\ncompile = [\"sh\", \"-c\", \"echo $0:3: no such word; exit 1\", \"{source}\"]\n\
                 run = [\"{out}\"]\n";
                let bots = BOTS.replace("\"true\"", "\"bot.x\"");
                ground.file("bot.x", "").run(&format!(
                    "[run]\ngame = \"onitama\"\n[language.x]\n{language}{bots}"
                ))
            }),
            ("a Java file without a main", &|ground| {
                ground
                    .program("bin/java", "")
                    .program("bin/javac", "")
                    .file("Bot.java", "class Bot { int depth; }\n");
                ground.said(&["check", "onitama", "Bot.java"], Some("bin"))
            }),
        ],
    );
}

#[test]
fn what_is_no_command() {
    assert_told(
        "what_is_no_command",
        &[
            ("no command", &|ground| ground.check(&[""])),
            ("an open quote", &|ground| {
                ground.check(&["python3 'bot.py"])
            }),
            ("a path with spaces", &|ground| {
                ground
                    .file("my bots/bot.py", "")
                    .check(&["my bots/bot.py --depth 3"])
            }),
            ("a path with spaces in a config", &|ground| {
                let bots = BOTS.replacen("\"true\"", "\"my bots/bot.py\"", 1);
                ground
                    .file("my bots/bot.py", "")
                    .run(&format!("[run]\ngame = \"onitama\"\n{bots}"))
            }),
            ("two bots to check", &|ground| {
                ground.check(&["./a --depth 2", "./b --depth 3"])
            }),
            ("a command without quotes", &|ground| {
                ground.check(&["python3", "bot.py"])
            }),
            ("options of the bot without quotes", &|ground| {
                ground.check(&["./bot", "--depth", "3"])
            }),
            ("options of bots without quotes", &|ground| {
                ground.said(&["duel", "onitama", "./bot", "--depth", "3"], None)
            }),
            ("a variable instead of a name", &|ground| {
                ground.said(&["duel", "onitama", "true", "DEBUG=true"], None)
            }),
            ("a named bot that is not there", &|ground| {
                ground.said(&["duel", "onitama", "old=true", "new=./bto 3"], None)
            }),
            ("an empty name", &|ground| ground.check(&["=true"])),
            ("a name that is taken for a path", &|ground| {
                ground.check(&["v1/2=true"])
            }),
            ("a name with a tab", &|ground| {
                ground.check(&["'a\tb=true'"])
            }),
            ("a name that is shown backwards", &|ground| {
                ground.check(&["new\u{202e}dlo=true"])
            }),
            ("a name with a space at its end", &|ground| {
                ground.check(&["'a =true'"])
            }),
            ("a name that is too long", &|ground| {
                ground.check(&[&format!("{}=true", "a".repeat(101))])
            }),
            ("a name in a config that nobody sees", &|ground| {
                ground.run(&format!(
                    "[run]\ngame = \"onitama\"\n{}",
                    BOTS.replacen("\"a\"", "\"a\u{200b}\"", 1)
                ))
            }),
            ("one name for two bots", &|ground| {
                ground.said(&["duel", "onitama", "a=true", "a=false"], None)
            }),
        ],
    );
}

#[test]
fn what_is_played_wrongly() {
    assert_told(
        "what_is_played_wrongly",
        &[
            ("debug output on standard output", &|ground| {
                ground.file(
                    "bot.sh",
                    &script("while turn; do echo \"thinking\"; echo \"$first\"; done"),
                );
                ground.check(&[&SHORT[..], &["bot.sh"]].concat())
            }),
            ("an answer that is not ended by a newline", &|ground| {
                ground.file(
                    "bot.sh",
                    &script("while turn; do printf '%s' \"$first\"; done"),
                );
                ground.check(&[&SHORT[..], &["bot.sh"]].concat())
            }),
            ("an answer that is not flushed", &|ground| {
                ground.file(
                    "bot.sh",
                    &script(
                        "turn; answer=$first; while read -r line; do :; done; echo \"$answer\"",
                    ),
                );
                ground.check(&[&SHORT[..], &["bot.sh"]].concat())
            }),
            ("a bot that ends at once", &|ground| {
                ground.file("bot.sh", "echo 'no module named numpy' >&2; exit 1");
                ground.check(&["bot.sh"])
            }),
        ],
    );
}

#[test]
fn what_is_asked_for_in_vain() {
    let run = |text: &str| format!("[run]\ngame = \"onitama\"\n{text}{BOTS}");
    assert_told(
        "what_is_asked_for_in_vain",
        &[
            ("a misspelt game", &|ground| {
                ground.said(&["duel", "minishoggi", "true", "true"], None)
            }),
            ("a game that is not known", &|ground| {
                ground.said(&["check", "chess", "true"], None)
            }),
            ("a misspelt game in a config", &|ground| {
                ground.run(&run("").replace("onitama", "Onitamma"))
            }),
            ("a misspelt key in a config", &|ground| {
                ground.run(&run("gmes = 100\n"))
            }),
            ("an unknown bot in a config", &|ground| {
                ground.run(&run(
                    "format = \"sweep\"\n[sweep]\nbot = \"c\"\nagainst = \"a\"\nvalues = { depth = [2, 3] }\n",
                ))
            }),
            ("a source file in the place of a config", &|ground| {
                ground.said(&["run", "my bot.py"], None)
            }),
            ("a program in the place of a config", &|ground| {
                ground
                    .program("bot", "#!/bin/sh\n")
                    .said(&["run", "./bot"], None)
            }),
            ("a file in the place of a folder", &|ground| {
                ground.file("mine", "").said(&["init", "mine"], None)
            }),
            ("a referee that is missing", &|ground| {
                ground
                    .file("game.toml", "[game.mine]\nreferee = \"./gone\"\n")
                    .said(&["check", "game.toml"], None)
            }),
            ("a file in the place of a run", &|ground| {
                ground.file("mine", "").said(&["report", "mine"], None)
            }),
            ("a file in the place of a new run", &|ground| {
                let bots = ["true", "true"];
                let duel = [&["duel", "onitama"][..], &bots, &["--out", "mine"]].concat();
                ground.file("mine", "").said(&duel, None)
            }),
            ("a misspelt script", &|ground| {
                let bots = ["a=sh nosuch.sh", "arena bot onitama-random"];
                ground.said(&[&["duel", "onitama"][..], &bots].concat(), None)
            }),
            (
                "an interpreter that prints errors where answers belong",
                &|ground| {
                    ground.file(
                        "php.sh",
                        "echo Could not open input file: bot.php\nexit 1\n",
                    );
                    let bots = ["a=sh php.sh", "arena bot onitama-random"];
                    ground.said(&[&["duel", "onitama"][..], &bots].concat(), None)
                },
            ),
            ("a misspelt language", &|ground| {
                ground.said(&["init", "--language", "javscript"], None)
            }),
            ("a map where there are none", &|ground| {
                ground.said(
                    &[
                        "duel", "onitama", "a=yes x", "b=yes x", "--games", "2", "--out", "mine",
                        "--quiet",
                    ],
                    None,
                );
                ground.said(&["replay", "mine", "--map", "maze"], None)
            }),
            ("no config", &|ground| {
                ground.said(&["run", "mine.toml"], None)
            }),
            ("a run directory that holds a run", &|ground| {
                let args = [
                    "duel", "onitama", "a=yes x", "b=yes x", "--games", "2", "--out", "mine",
                    "--quiet",
                ];
                ground.said(&args, None);
                ground.said(&args, None)
            }),
            ("to go on with what is no run", &|ground| {
                let args = [
                    "duel", "onitama", "true", "true", "--out", "mine", "--resume",
                ];
                ground.file("mine/notes.txt", "").said(&args, None)
            }),
        ],
    );
}
