//! From nothing to the first Elo: what `arena init` writes plays.

use std::fs;
use std::path::Path;

use rayon::prelude::*;

use crate::programs::{
    PATIENT, Said as _, cached, check_rows, in_project, is_long, line, read, said, write_program,
};

const GAMES: [&str; 4] = ["minishogi", "dice_shogi", "onitama", "kutulu"];
const LANGUAGES: [&str; 5] = ["python", "cpp", "java", "javascript", "rust"];
const WORKFLOW: &str = ".github/workflows/arena.yml";

/// Follows what `init` says for a game and a language. Returns false if it isn't installed.
fn is_played(game: &str, language: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let out = cached(folder, &format!("init --game {game} --language {language}"));
    out.status(0);
    if said(&out).contains("is not installed here: apt install ") {
        assert_ne!(language, "rust", "whoever runs this has rustc");
        return false;
    }
    let config = read(folder, "arena.toml");
    let seats = if game == "kutulu" { 4 } else { 2 };
    assert_eq!(config.matches("[[bot]]").count(), seats, "{config}");
    assert!(read(folder, ".gitignore").starts_with("results/\n"));
    let out = cached(folder, &format!("check --seeds 1 {PATIENT}"));
    out.status(0).contains("ready to play");
    let unhurried = "\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n";
    fs::write(folder.join("arena.toml"), config + unhurried).unwrap();
    cached(folder, "run --games 2 --quiet").status(0);
    assert!(read(folder, "results/mine/ratings.csv").contains("mine"));
    true
}

#[test]
fn what_is_written_is_ready_and_has_an_elo() {
    let mut all = Vec::new();
    for (place, game) in GAMES.iter().enumerate() {
        for (number, language) in LANGUAGES.iter().enumerate() {
            // Compilers take most of the time, so each compiled language plays one game.
            if *language == "python" || number % GAMES.len() == place || is_long() {
                all.push((game, language));
            }
        }
    }
    let played = all
        .par_iter()
        .filter(|(game, language)| is_played(game, language))
        .count();
    assert!(played >= GAMES.len());
}

/// There is one workflow: what is written is the documented one with the game and the file.
#[test]
fn the_workflow_is_the_documented_one() {
    let folder = tempfile::tempdir().unwrap();
    let args = "init mine --game 'code of kutulu' --language CPP";
    line(folder.path(), args).status(0);
    let written = read(&folder.path().join("mine"), WORKFLOW);
    let expected = read(&in_project("."), "docs/ci-workflow.yml")
        .replace("\n  GAME: onitama\n", "\n  GAME: kutulu\n")
        .replace("\n  BOT: bot.py\n", "\n  BOT: bot.cpp\n");
    assert_eq!(written.lines().count(), expected.lines().count());
    for (written, expected) in written.lines().zip(expected.lines()) {
        // It differs once Cargo.toml names a repository.
        if !expected.starts_with("  ARENA: ") {
            assert_eq!(written, expected);
        }
    }
    assert!(written.contains("\n  GAME: kutulu\n") && written.contains("\n  BOT: bot.cpp\n"));
}

/// The referee of the project plays what is written for it, once there are bots.
#[test]
fn a_referee_gets_a_config() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let referee = in_project("referees/tictactoe.py");
    fs::copy(&referee, folder.join("tictactoe.py")).unwrap();
    let out = line(folder, "init mine --referee tictactoe.py");
    out.status(0)
        .contains("tictactoe: wrote arena.toml into mine");
    let mine = folder.join("mine");
    for bot in ["mine", "other"] {
        fs::copy(
            in_project("referees/bots/tictactoe_greedy.py"),
            mine.join(bot),
        )
        .unwrap();
    }
    line(&mine, "check arena.toml --seeds 2").status(0);
    let check = format!("check arena.toml ./mine --seeds 1 {PATIENT}");
    line(&mine, &check).status(0);
    line(&mine, "run arena.toml --games 2 --quiet").status(0);
    // A game of arena has the name already.
    fs::copy(&referee, folder.join("onitama.py")).unwrap();
    line(folder, "init --referee onitama.py").status(0);
    let config = read(folder, "arena.toml");
    assert!(config.contains("[game.my_onitama]\n"), "{config}");
    fs::write(folder.join("game.jar"), "").unwrap();
    line(folder, "init jar --referee game.jar").contains(
        "can't use --referee game.jar: it has no class com.codingame.gameengine.core.RefereeMain",
    );
    fs::create_dir_all(folder.join("clone/race")).unwrap();
    fs::write(folder.join("clone/race/pom.xml"), "").unwrap();
    line(folder, "init --referee clone")
        .contains("or a folder with a pom.xml\nhint: arena init --referee clone/race\n");
}

/// Follows the commands of `AGENTS.md`, with a few games and a changed bot as the second version.
fn follow_agents(folder: &Path, bot: &str, rules: &str) {
    let page = read(folder, "AGENTS.md");
    let lines = page.lines().count();
    assert!(lines <= 32 && !page.contains('{'), "{page}");
    let (_, commands) = page.split_once("```sh\n").unwrap();
    let (commands, _) = commands.split_once("```").unwrap();
    let commands = commands
        .lines()
        .filter_map(|line| line.strip_prefix("arena "));
    let mut verbs = String::new();
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let verb = words[..2].join(" ");
        let more = match &*verb {
            "pool try" => format!(" --games 16 {PATIENT}"),
            _ if words[0] == "check" => format!(" --seeds 1 {PATIENT}"),
            _ => String::new(),
        };
        let command = command.replace(" --for 10m", "") + &more;
        if command.contains(" v2=") {
            let text = read(folder, bot) + "\n# changed\n";
            write_program(&folder.join(bot), &text);
            let status = cached(folder, &command).status.code();
            assert!(
                [0, 1, 4].map(Some).contains(&status),
                "{command}: {status:?}"
            );
        } else {
            cached(folder, &command).status(0);
        }
        verbs.extend([&verb, ", "]);
    }
    let expected = [
        format!("{rules}, check "),
        ", pool new, pool try, pool try, pool best, ".to_owned(),
    ];
    assert!(
        verbs.starts_with(&expected[0]) && verbs.ends_with(&expected[1]),
        "{verbs}"
    );
}

#[test]
fn agents_get_commands_that_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    line(folder, "init mine --language python --agents")
        .status(0)
        .contains(".gitignore, AGENTS.md into mine");
    follow_agents(&folder.join("mine"), "bot.py", "list rules");
    line(folder, "init mine --agents")
        .status(3)
        .contains(".gitignore, AGENTS.md already");
    fs::copy(
        in_project("referees/tictactoe.py"),
        folder.join("a game.py"),
    )
    .unwrap();
    line(folder, "init other --referee 'a game.py' --agents")
        .status(0)
        .contains("wrote arena.toml, AGENTS.md into other");
    let other = folder.join("other");
    fs::copy(
        in_project("referees/bots/tictactoe_greedy.py"),
        other.join("mine"),
    )
    .unwrap();
    follow_agents(&other, "mine", "check arena.toml");
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir_all(folder.join(WORKFLOW).parent().unwrap()).unwrap();
    for file in [WORKFLOW, "bot.js"] {
        fs::write(folder.join(file), "mine").unwrap();
    }
    let out = line(folder, "init --language js");
    out.status(3).contains(&format!(
        "it has bot.js, {WORKFLOW} already; nothing was written\nhint: name another folder"
    ));
    assert!(!folder.join("arena.toml").exists());
    for file in [WORKFLOW, "bot.js"] {
        assert_eq!(read(folder, file), "mine");
    }
}

#[test]
fn what_is_not_known_is_told() {
    let folder = tempfile::tempdir().unwrap();
    check_rows(
        folder.path(),
        "
        init --language cobol | 2 | expected one of python, cpp, javascript, java, rust
        init --game kutulo | 2 | did you mean `kutulu`?
        init --referee nowhere.jar | 3 | can't use --referee nowhere.jar: expected the file of a referee
        ",
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
