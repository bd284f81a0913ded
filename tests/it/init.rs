//! From nothing to the first Elo: what `arena init` writes plays.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rayon::prelude::*;

use crate::programs::{self, said};

const GAMES: [&str; 4] = ["minishogi", "dice_shogi", "onitama", "kutulu"];
/// The languages and the files of their bots.
const LANGUAGES: [(&str, &str); 5] = [
    ("python", "bot.py"),
    ("cpp", "bot.cpp"),
    ("java", "Player.java"),
    ("javascript", "bot.js"),
    ("rust", "bot.rs"),
];
const WORKFLOW: &str = ".github/workflows/arena.yml";

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = programs::command(folder, args);
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

fn arena(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("read {name}: {error}"))
}

/// Follows what `init` says for a game and a language; nothing to follow where the language is not installed.
fn is_played(game: &str, language: &str, file: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let out = arena(folder, &["init", "--game", game, "--language", language]);
    assert!(out.status.success(), "{}", said(&out));
    if said(&out).contains("is not installed here: apt install ") {
        assert_ne!(language, "rust", "whoever runs this has rustc");
        return false;
    }
    let limits = [
        "--seeds",
        "1",
        "--set",
        "clock.first_turn_ms=60000",
        "--set",
        "clock.turn_ms=60000",
        "--set",
        "clock.startup_ms=60000",
    ];
    let config = read(folder, "arena.toml");
    let seats = if game == "kutulu" { 4 } else { 2 };
    assert_eq!(config.matches("[[bot]]").count(), seats, "{config}");
    let ignored = read(folder, ".gitignore");
    assert!(ignored.starts_with("results/\n"), "{ignored}");
    let out = arena(folder, &[&["check"], &limits[..]].concat());
    assert!(
        out.status.success() && said(&out).contains("ready to play"),
        "{game} {file}: {}",
        said(&out)
    );
    let unhurried = "\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n";
    fs::write(
        folder.join("arena.toml"),
        read(folder, "arena.toml") + unhurried,
    )
    .unwrap();
    let out = arena(folder, &["run", "--games", "2", "--quiet"]);
    assert!(out.status.success(), "{game} {file}: {}", said(&out));
    assert!(read(folder, "results/mine/ratings.csv").contains("mine"));
    true
}

#[test]
fn what_is_written_is_ready_and_has_an_elo() {
    let mut all = Vec::new();
    for (place, game) in GAMES.iter().enumerate() {
        for (number, (language, file)) in LANGUAGES.iter().enumerate() {
            // Compilers take most of the time, so each compiled language plays one game.
            if *language == "python" || number % GAMES.len() == place || programs::is_long() {
                all.push((game, language, file));
            }
        }
    }
    let played = all
        .par_iter()
        .filter(|(game, language, file)| is_played(game, language, file))
        .count();
    assert!(played >= GAMES.len());
}

/// There is one workflow: what is written is the documented one with the game and the file.
#[test]
fn the_workflow_is_the_documented_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = arena(
        folder.path(),
        &[
            "init",
            "mine",
            "--game",
            "code of kutulu",
            "--language",
            "CPP",
        ],
    );
    assert!(out.status.success(), "{}", said(&out));
    let documented = read(
        Path::new(env!("CARGO_MANIFEST_DIR")),
        "docs/ci-workflow.yml",
    );
    let written = read(&folder.path().join("mine"), WORKFLOW);
    let differ = documented
        .lines()
        .zip(written.lines())
        .filter(|(documented, written)| documented != written)
        // It differs once Cargo.toml names a repository.
        .filter(|(documented, _)| !documented.starts_with("  ARENA: "));
    let expected = [
        ("  GAME: onitama", "  GAME: kutulu"),
        ("  BOT: bot.py", "  BOT: bot.cpp"),
    ];
    assert_eq!(differ.collect::<Vec<_>>(), expected);
    assert_eq!(documented.lines().count(), written.lines().count());
}

/// The referee of the project plays what is written for it, once there are bots.
#[test]
fn a_referee_gets_a_config() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("referees");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(project.join("tictactoe.py"), folder.join("tictactoe.py")).unwrap();
    let out = arena(folder, &["init", "mine", "--referee", "tictactoe.py"]);
    assert!(out.status.success(), "{}", said(&out));
    assert!(
        said(&out).contains("tictactoe: wrote arena.toml into mine"),
        "{}",
        said(&out)
    );
    let mine = folder.join("mine");
    for bot in ["mine", "other"] {
        fs::copy(project.join("bots/tictactoe_greedy.py"), mine.join(bot)).unwrap();
    }
    let limits = [
        "--seeds",
        "1",
        "--set",
        "clock.first_turn_ms=60000",
        "--set",
        "clock.turn_ms=60000",
    ];
    for args in [
        &["check", "arena.toml", "--seeds", "2"][..],
        &[&["check", "arena.toml", "./mine"], &limits[..]].concat(),
        &["run", "arena.toml", "--games", "2", "--quiet"],
    ] {
        let out = arena(&mine, args);
        assert!(out.status.success(), "{args:?}: {}", said(&out));
    }
    // A game of arena has the name already.
    fs::copy(project.join("tictactoe.py"), folder.join("onitama.py")).unwrap();
    let out = arena(folder, &["init", "--referee", "onitama.py"]);
    assert!(out.status.success(), "{}", said(&out));
    let config = read(folder, "arena.toml");
    assert!(config.contains("[game.my_onitama]\n"), "{config}");
    fs::write(folder.join("game.jar"), "").unwrap();
    let out = arena(folder, &["init", "jar", "--referee", "game.jar"]);
    let no_engine =
        "can't use --referee game.jar: it has no class com.codingame.gameengine.core.RefereeMain";
    assert!(said(&out).contains(no_engine), "{}", said(&out));
    fs::create_dir_all(folder.join("clone/race")).unwrap();
    fs::write(folder.join("clone/race/pom.xml"), "").unwrap();
    let out = arena(folder, &["init", "--referee", "clone"]);
    let below = "or a folder with a pom.xml\nhint: arena init --referee clone/race\n";
    assert!(said(&out).contains(below), "{}", said(&out));
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join(WORKFLOW).parent().unwrap()).unwrap();
    fs::write(folder.join(WORKFLOW), "mine").unwrap();
    fs::write(folder.join("bot.js"), "mine").unwrap();
    let out = arena(folder, &["init", "--language", "js"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(
        said(&out).contains(&format!(
            "it has bot.js, {WORKFLOW} already; nothing was written\nhint: name another folder"
        )),
        "{}",
        said(&out)
    );
    assert!(!folder.join("arena.toml").exists());
    assert_eq!(
        (read(folder, "bot.js"), read(folder, WORKFLOW)),
        ("mine".to_owned(), "mine".to_owned())
    );
}

#[test]
fn what_is_not_known_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (args, expected) in [
        (
            ["init", "--language", "cobol"],
            "expected one of python, cpp, javascript, java, rust",
        ),
        (["init", "--game", "kutulo"], "did you mean `kutulu`?"),
        (
            ["init", "--referee", "nowhere.jar"],
            "can't use --referee nowhere.jar: expected the file of a referee",
        ),
    ] {
        let out = arena(folder.path(), &args);
        assert_eq!(
            out.status.code(),
            Some(if args[1] == "--referee" { 3 } else { 2 })
        );
        assert!(said(&out).contains(expected), "{}", said(&out));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
