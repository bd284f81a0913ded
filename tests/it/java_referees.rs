//! Referees in Java made with the SDK of `CodinGame`: one machine plays many games where that makes
//! no difference.
//!
//! They compile a stand-in for the SDK. Without a JDK these tests do nothing; `.ci/run` installs
//! one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::programs::{
    Said as _, bots, cached, caching, in_project, read, stderr, stdout, timeless, write_program,
};

const GAMES: usize = 4;

/// Runs a tool of the JDK.
fn jdk(folder: &Path, line: &str) {
    let mut words = line.split(' ');
    let mut tool = Command::new(words.next().unwrap());
    tool.current_dir(folder).args(words).stdin(Stdio::null());
    tool.output().unwrap().status(0);
}

/// A folder with a jar of the stand-in and a class that counts as a library, if there is a JDK.
fn ground() -> Option<TempDir> {
    static JAR: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    let jar = JAR.get_or_init(|| {
        Command::new("javac").arg("-version").output().ok()?;
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let library =
            "package com.google;\n\npublic class Library {\n    public static int played;\n}\n";
        fs::write(folder.join("Library.java"), library).unwrap();
        let main = in_project("tests/programs/RefereeMain.java");
        jdk(
            folder,
            &format!("javac -d classes Library.java {}", main.display()),
        );
        jdk(folder, "jar cf game.jar -C classes .");
        Some(fs::read(folder.join("game.jar")).unwrap())
    });
    let Some(jar) = jar else {
        eprintln!("there is no javac here: nothing was tried");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.jar"), jar).unwrap();
    Some(folder)
}

/// Writes bots that give one answer, whatever the question.
fn write_bots(folder: &Path, bots: &[(&str, u32)]) {
    for (bot, answer) in bots {
        let text = format!("#!/bin/sh\nwhile read -r line; do echo {answer}; done\n");
        write_program(&folder.join(bot), &text);
    }
}

/// Replaces a text in a config.
fn change(folder: &Path, config: &str, from: &str, to: &str) {
    let text = read(folder, config);
    assert!(text.contains(from), "{text}");
    fs::write(folder.join(config), text.replace(from, to)).unwrap();
}

/// The rows of a run whose games leave something behind, but for what depends on the clock; and how
/// many processes of the referee played them.
fn played(folder: &Path, leaves: &str, jobs: usize) -> (Vec<String>, usize) {
    write_bots(folder, &[("one", 1), ("two", 2)]);
    let config = format!(
        "[run]\nseed = 1\nname = \"{leaves}\"\ngame = \"jar\"\ngames = {GAMES}\njobs = {jobs}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.jar]\njar = \"game.jar\"\noptions = {{ leaves = \"{leaves}\" }}\n{}",
        bots("one | ./one\n two | ./two")
    );
    fs::write(folder.join("run.toml"), config).unwrap();
    cached(folder, "run run.toml --quiet --force").status(0);
    let verified = cached(folder, &format!("verify results/{leaves}"));
    let all = format!("{GAMES} games verified, 0 mismatches\n");
    verified.status(0).prints(&all);
    let [rows, _] = timeless(&folder.join("results").join(leaves));
    (rows, processes(folder, leaves))
}

/// How many processes of the referee played a run.
fn processes(folder: &Path, run: &str) -> usize {
    let mut processes = BTreeSet::new();
    let records = read(folder, &format!("results/{run}/records.jsonl"));
    for record in records.lines() {
        let (_, told) = record.split_once("process ").unwrap();
        processes.insert(told.split('"').next().unwrap());
    }
    processes.len()
}

/// It is compiled once for all folders in which games are played.
#[test]
fn the_server_of_referees_is_compiled_once() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    let compiled = ["first", "second"].map(|name| {
        let place = folder.join(name);
        fs::create_dir(&place).unwrap();
        let out = caching(&place, "check ../game.jar --answer 1 --seeds 1")
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .output();
        stderr(&out.unwrap()).matches("compiling ").count()
    });
    assert_eq!(compiled, [1, 0]);
}

#[test]
fn one_machine_plays_many_games_where_that_makes_no_difference() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    let (rows, processes) = played(folder, "nothing", 1);
    assert_eq!(
        processes, 1,
        "static fields, properties and the locale are new in every game"
    );
    assert_eq!(played(folder, "nothing", 3).0, rows);
    // A thread that outlives its game might meddle with the next one.
    assert_eq!(played(folder, "thread", 1), (rows.clone(), GAMES));
    // Classes of libraries are loaded once, so a game that keeps something there differs from one
    // in a new process.
    assert_eq!(played(folder, "library", 1), (rows, GAMES));
    // A run says so if it is to play many games in one process.
    change(folder, "run.toml", "[game.jar]", "[game.jar]\nreuse = true");
    cached(folder, "run run.toml --force")
        .status(0)
        .contains("warning: `reuse = true` of `jar` changes nothing: a process that played before");
}

/// Where nothing compiles the server, every game has a process of its own.
#[test]
fn without_a_compiler_every_game_has_a_process() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    played(folder, "nothing", 1);
    change(folder, "run.toml", "[game.jar]", "[game.jar]\nreuse = true");
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    for program in ["java", "sh"] {
        let found = Command::new("which").arg(program).output().unwrap();
        symlink(stdout(&found).trim(), bin.join(program)).unwrap();
    }
    for broken in [false, true] {
        if broken {
            write_program(&bin.join("javac"), "#!/bin/sh\nexit 1\n");
            fs::remove_dir_all(folder.join("cache")).unwrap();
        }
        let mut arena = caching(folder, "run run.toml --force");
        let run = arena.env("PATH", &bin).output().unwrap();
        run.status(0)
            .contains("warning: `reuse = true` of `jar` changes nothing: no `javac` here compiles");
        assert_eq!(processes(folder, "nothing"), GAMES);
    }
}

/// A project as Maven leaves it: the game's own files in `target/classes`, the engine in a jar of
/// `target/dependency`, whose manifest names a library. The game has four seats.
fn make_project(folder: &Path) {
    let project = folder.join("rats");
    for part in [
        "target/classes",
        "target/dependency/lib",
        "config/level1",
        "config/level3",
        "src/main/java",
    ] {
        fs::create_dir_all(project.join(part)).unwrap();
    }
    fs::write(project.join("target/classes/seats"), "4").unwrap();
    fs::write(project.join("src/main/java/Referee.java"), "").unwrap();
    let pom =
        "<project><dependency><groupId>com.codingame.gameengine</groupId></dependency></project>";
    fs::write(project.join("pom.xml"), pom).unwrap();
    fs::write(folder.join("manifest"), "Class-Path: lib/library.jar\n").unwrap();
    let classes = folder.join("classes");
    fs::create_dir(&classes).unwrap();
    jdk(&classes, "jar xf ../game.jar");
    let jars = "rats/target/dependency";
    jdk(
        folder,
        &format!("jar cfm {jars}/engine.jar manifest -C classes com/codingame"),
    );
    jdk(
        folder,
        &format!("jar cf {jars}/lib/library.jar -C classes com/google"),
    );
}

#[test]
fn a_project_plays_from_its_folder() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_project(folder);
    cached(folder, "init --referee rats/src/main/java/Referee.java").status(0);
    let config = read(folder, "arena.toml");
    for line in [
        "jar = [\"rats/target/classes\", \"rats/target/dependency/*\"]",
        "league = 3",
        "seats = 4",
        "command = \"./other3\"",
    ] {
        assert!(config.contains(line), "{line}: {config}");
    }
    // The library in the manifest is only found if it is in the class path and open.
    let config = config.replace("games = 200", "games = 1\nseed = 1")
        + "[game.rats.options]\nleaves = \"library\"\n";
    fs::write(folder.join("arena.toml"), config).unwrap();
    write_bots(
        folder,
        &[("mine", 1), ("other1", 1), ("other2", 1), ("other3", 1)],
    );
    cached(folder, "check")
        .status(0)
        .contains("league 3; `league = N`");
    cached(folder, "run --quiet").status(0);
    let verified = cached(folder, "verify results/mine");
    verified.status(0);
    assert!(stdout(&verified).ends_with("games verified, 0 mismatches\n"));
}

#[test]
fn a_referee_that_cannot_be_used_says_what_to_type() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_project(folder);
    let refused = |args: &str, why: &str| {
        let out = cached(folder, args);
        assert!(!out.status.success(), "{args}");
        out.contains(why);
    };
    let config = "[run]\ngame = \"rats\"\n[game.rats]\njar = [\"rats/target/classes\", \"rats/target/dependency/*\"]\n";
    let config = config.to_owned() + &bots("a | cat\n b | cat");
    fs::write(folder.join("two.toml"), config).unwrap();
    let seats = "hint: it starts with 4: write `seats = 4` in [game.rats] of a config";
    refused("run two.toml", seats);
    let project = "hint: arena init --referee rats\n";
    refused("init --referee rats/target/rats.jar", project);
    fs::remove_dir_all(folder.join("rats/target/dependency")).unwrap();
    let build = "can't use --referee rats: the project isn't built yet\nhint: mvn -f rats/pom.xml compile\nhint: mvn -f rats/pom.xml dependency:copy-dependencies\n";
    refused("init --referee rats", build);
}

/// A project for one player: its test cases that count on the site are played once each, in their
/// order, and its metadata have the score.
#[test]
fn a_project_for_one_player_plays_its_test_cases() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_project(folder);
    let project = folder.join("rats");
    fs::write(project.join("target/classes/seats"), "1").unwrap();
    for (number, input, counts) in [
        (1, "random", false),
        (2, "7\\nlast\\n", true),
        (10, "30", true),
        (9, "20", true),
    ] {
        let case = format!(r#"{{"testIn": "{input}", "isValidator": "{counts}"}}"#);
        fs::write(project.join(format!("config/test{number}.json")), case).unwrap();
    }
    let settings = "type=opti\nmin_players=1\ncriteria=Points\nsorting_order=asc\n";
    fs::write(project.join("config/config.ini"), settings).unwrap();
    cached(folder, "init --referee rats").status(0);
    let config = read(folder, "arena.toml");
    let keys =
        "seats = 1\ntests = \"rats/config\"\ncriteria = \"Points\"\nlower_is_better = true\n";
    assert!(config.contains(keys), "{config}");
    // The answer 2 is refused in the last case.
    write_bots(folder, &[("mine", 1), ("other", 2)]);
    cached(folder, "run --quiet").status(0);
    cached(folder, "verify results/mine").prints("6 games verified, 0 mismatches\n");
    let mut results = String::new();
    for record in read(folder, "results/mine/records.jsonl").lines() {
        let record: Value = serde_json::from_str(record).unwrap();
        let (seed, bot) = (&record["seed"], &record["bots"][0]);
        let (scores, reason) = (&record["scores"], &record["reason"]);
        writeln!(results, "{seed} {bot} {scores} {reason}").unwrap();
    }
    // The sum of six answers and the case. Lost games with a score count.
    let expected = r#"1 "mine" [13] "finished"
1 "other" [19] "finished"
2 "mine" [26] "finished"
2 "other" [32] "finished"
3 "mine" [36] "finished"
3 "other" [0] "invalid_action"
"#;
    assert_eq!(results, expected);
    cached(folder, "report results/mine").contains("other: lost, twelve is too much");
    // Further games would be the same again.
    change(folder, "arena.toml", "games = 3\n", "games = 4\n");
    cached(folder, "run --out more")
        .status(0)
        .contains("warning: `rats` has 3 test cases, which repeat: `games = 3` plays each once");
}
