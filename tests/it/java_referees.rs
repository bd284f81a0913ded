//! Referees in Java made with the SDK of `CodinGame`: one machine plays many games where that makes no difference.
//!
//! They compile a stand-in for the SDK. Without a JDK these tests do nothing; `.ci/run` installs one.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const GAMES: usize = 4;

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .env("XDG_CACHE_HOME", folder.join("cache"));
    let output = command
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let (said, told) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {said}{told}"
    );
    output
}

/// A folder, if there is a JDK.
fn ground() -> Option<tempfile::TempDir> {
    let has_compiler = Command::new("javac").arg("-version").output().is_ok();
    if !has_compiler {
        eprintln!("there is no javac here: nothing was tried");
    }
    has_compiler.then(|| tempfile::tempdir().unwrap())
}

/// A jar with the stand-in and a class that counts as a library.
fn make_jar(folder: &Path) {
    let main = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/programs/RefereeMain.java"
    );
    let library =
        "package com.google;\n\npublic class Library {\n    public static int played;\n}\n";
    fs::write(folder.join("Library.java"), library).unwrap();
    run(folder, "javac", &["-d", "classes", "Library.java", main]);
    run(folder, "jar", &["cf", "game.jar", "-C", "classes", "."]);
}

/// The rows of a run whose games leave something behind, but for what depends on the clock; and how many processes of the
/// referee played them.
fn played(folder: &Path, leaves: &str, jobs: usize) -> (Vec<String>, usize) {
    let bot = |name: &str, answer: u32| {
        format!(
            "[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", \"while read -r line; do echo {answer}; done\"]\n"
        )
    };
    let config = format!(
        "[run]\nseed = 1\nname = \"{leaves}\"\ngame = \"jar\"\ngames = {GAMES}\njobs = {jobs}\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.jar]\njar = \"game.jar\"\noptions = {{ leaves = \"{leaves}\" }}\n{}{}",
        bot("one", 1),
        bot("two", 2)
    );
    fs::write(folder.join("run.toml"), config).unwrap();
    let arena = env!("CARGO_BIN_EXE_arena");
    run(folder, arena, &["run", "run.toml", "--quiet", "--force"]);
    let verified = run(folder, arena, &["verify", &format!("results/{leaves}")]);
    assert_eq!(
        String::from_utf8_lossy(&verified.stdout),
        format!("{GAMES} games verified, 0 mismatches\n")
    );
    let mut reader =
        csv::Reader::from_path(folder.join(format!("results/{leaves}/games.csv"))).unwrap();
    let kept: Vec<usize> = {
        let header = reader.headers().unwrap();
        (0..header.len())
            .filter(|&at| !header[at].contains("_ms_"))
            .collect()
    };
    let row = |row: csv::StringRecord| {
        kept.iter()
            .map(|&at| row[at].to_owned())
            .collect::<Vec<_>>()
            .join(",")
    };
    let rows = reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect();
    (rows, processes(folder, leaves))
}

/// How many processes of the referee played a run.
fn processes(folder: &Path, run: &str) -> usize {
    let records = fs::read_to_string(folder.join(format!("results/{run}/records.jsonl"))).unwrap();
    let process = |record: &str| {
        let (_, told) = record.split_once("process ").unwrap();
        told.split_once('"').unwrap().0.to_owned()
    };
    records.lines().map(process).collect::<BTreeSet<_>>().len()
}

/// It is compiled once for all folders in which games are played.
#[test]
fn the_server_of_referees_is_compiled_once() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_jar(folder);
    let compiled = ["first", "second"].map(|name| {
        let place = folder.join(name);
        fs::create_dir(&place).unwrap();
        let mut arena = Command::new(env!("CARGO_BIN_EXE_arena"));
        arena
            .args(["check", "../game.jar", "--answer", "1", "--seeds", "1"])
            .current_dir(place)
            .env("XDG_CACHE_HOME", folder.join("cache"));
        let said = String::from_utf8(arena.output().unwrap().stderr).unwrap();
        said.matches("compiling ").count()
    });
    assert_eq!(compiled, [1, 0]);
}

#[test]
fn one_machine_plays_many_games_where_that_makes_no_difference() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_jar(folder);
    let (rows, processes) = played(folder, "nothing", 1);
    assert_eq!(
        processes, 1,
        "static fields, properties and the locale are new in every game"
    );
    assert_eq!(played(folder, "nothing", 3).0, rows);
    // Classes of libraries are loaded once, so a game that keeps something there differs from one in a new process.
    assert_eq!(played(folder, "library", 1), (rows.clone(), GAMES));
    // A thread that outlives its game might meddle with the next one.
    assert_eq!(played(folder, "thread", 1), (rows, GAMES));
    // A run says so if it is to play many games in one process.
    let config = fs::read_to_string(folder.join("run.toml")).unwrap();
    let config = config.replace("leaves = \"thread\"", "leaves = \"library\"");
    let config = config.replace("[game.jar]", "[game.jar]\nreuse = true");
    fs::write(folder.join("run.toml"), config).unwrap();
    let run = run(
        folder,
        env!("CARGO_BIN_EXE_arena"),
        &["run", "run.toml", "--force"],
    );
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        said.contains(
            "warning: `reuse = true` of `jar` changes nothing: a process that played before"
        ),
        "{said}"
    );
}

/// Where nothing compiles the server, every game has a process of its own.
#[test]
fn without_a_compiler_every_game_has_a_process() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_jar(folder);
    played(folder, "nothing", 1);
    let config = fs::read_to_string(folder.join("run.toml")).unwrap();
    let config = config.replace("[game.jar]", "[game.jar]\nreuse = true");
    fs::write(folder.join("run.toml"), config).unwrap();
    fs::create_dir(folder.join("bin")).unwrap();
    for program in ["java", "sh"] {
        let found = run(folder, "which", &[program]);
        let found = String::from_utf8(found.stdout).unwrap();
        symlink(found.trim(), folder.join("bin").join(program)).unwrap();
    }
    let path = format!("PATH={}", folder.join("bin").display());
    for broken in [false, true] {
        if broken {
            let javac = folder.join("bin/javac");
            fs::write(&javac, "#!/bin/sh\nexit 1\n").unwrap();
            fs::set_permissions(javac, fs::Permissions::from_mode(0o755)).unwrap();
            fs::remove_dir_all(folder.join("cache")).unwrap();
        }
        let arena = env!("CARGO_BIN_EXE_arena");
        let run = run(folder, "env", &[&path, arena, "run", "run.toml", "--force"]);
        let said = String::from_utf8_lossy(&run.stderr);
        let warning = "warning: `reuse = true` of `jar` changes nothing: no `javac` here compiles";
        assert!(said.contains(warning), "{said}");
        assert_eq!(processes(folder, "nothing"), GAMES);
    }
}

/// A project as Maven leaves it: the game's own files in `target/classes`, the engine in a jar of
/// `target/dependency`, whose manifest names a library. The game has four seats.
fn make_project(folder: &Path) {
    make_jar(folder);
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
    let dependency = project.join("target/dependency");
    let [engine, library] =
        ["engine.jar", "lib/library.jar"].map(|jar| dependency.join(jar).display().to_string());
    run(
        folder,
        "jar",
        &["cfm", &engine, "manifest", "-C", "classes", "com/codingame"],
    );
    run(
        folder,
        "jar",
        &["cf", &library, "-C", "classes", "com/google"],
    );
}

#[test]
fn a_project_plays_from_its_folder() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_project(folder);
    let arena = env!("CARGO_BIN_EXE_arena");
    run(
        folder,
        arena,
        &["init", "--referee", "rats/src/main/java/Referee.java"],
    );
    let config = fs::read_to_string(folder.join("arena.toml")).unwrap();
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
    for bot in ["mine", "other1", "other2", "other3"] {
        let path = folder.join(bot);
        fs::write(&path, "#!/bin/sh\nwhile read -r line; do echo 1; done\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let checked = run(folder, arena, &["check"]);
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(said.contains("league 3; `league = N`"), "{said}");
    run(folder, arena, &["run", "--quiet"]);
    let verified = run(folder, arena, &["verify", "results/mine"]);
    let said = String::from_utf8_lossy(&verified.stdout);
    assert!(said.ends_with("games verified, 0 mismatches\n"), "{said}");
}

#[test]
fn a_referee_that_cannot_be_used_says_what_to_type() {
    let Some(folder) = ground() else { return };
    let folder = folder.path();
    make_project(folder);
    let arena = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
        command
            .current_dir(folder)
            .args(arguments)
            .stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    fs::write(folder.join("two.toml"), "[run]\ngame = \"rats\"\n[game.rats]\njar = [\"rats/target/classes\", \"rats/target/dependency/*\"]\n\
        [[bot]]\nname = \"a\"\ncommand = \"cat\"\n[[bot]]\nname = \"b\"\ncommand = \"cat\"\n").unwrap();
    let seats = "hint: it starts with 4: write `seats = 4` in [game.rats] of a config";
    let said = arena(&["run", "two.toml"]);
    assert!(said.contains(seats), "{said}");
    let said = arena(&["init", "--referee", "rats/target/rats.jar"]);
    assert!(said.contains("hint: arena init --referee rats\n"), "{said}");
    fs::remove_dir_all(folder.join("rats/target/dependency")).unwrap();
    let said = arena(&["init", "--referee", "rats"]);
    assert!(
        said.contains("can't use --referee rats: the project isn't built yet\nhint: mvn -f rats/pom.xml compile\nhint: mvn -f rats/pom.xml dependency:copy-dependencies\n"),
        "{said}"
    );
}

/// A project for one player: its test cases that count on the site are played once each, in their order, and its metadata have
/// the score.
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
    let arena = env!("CARGO_BIN_EXE_arena");
    run(folder, arena, &["init", "--referee", "rats"]);
    let config = fs::read_to_string(folder.join("arena.toml")).unwrap();
    let keys =
        "seats = 1\ntests = \"rats/config\"\ncriteria = \"Points\"\nlower_is_better = true\n";
    assert!(
        config.contains(keys) && config.contains("games = 3\n"),
        "{config}"
    );
    for (bot, answer) in [("mine", "1"), ("other", "2")] {
        // The answer 2 is refused in the last case.
        let text = format!("#!/bin/sh\nwhile read -r line; do echo {answer}; done\n");
        fs::write(folder.join(bot), text).unwrap();
        fs::set_permissions(folder.join(bot), fs::Permissions::from_mode(0o755)).unwrap();
    }
    run(folder, arena, &["run", "--quiet"]);
    let verified = run(folder, arena, &["verify", "results/mine"]);
    assert_eq!(
        String::from_utf8_lossy(&verified.stdout),
        "6 games verified, 0 mismatches\n"
    );
    let records = fs::read_to_string(folder.join("results/mine/records.jsonl")).unwrap();
    let results: Vec<String> = records
        .lines()
        .map(|record| {
            let record: serde_json::Value = serde_json::from_str(record).unwrap();
            format!(
                "{} {} {} {}",
                record["seed"], record["bots"][0], record["scores"], record["reason"]
            )
        })
        .collect();
    // The sum of six answers and the case.
    assert_eq!(
        results,
        [
            // Lost games with a score count.
            "1 \"mine\" [13] \"finished\"",
            "1 \"other\" [19] \"finished\"",
            "2 \"mine\" [26] \"finished\"",
            "2 \"other\" [32] \"finished\"",
            "3 \"mine\" [36] \"finished\"",
            "3 \"other\" [0] \"invalid_action\"",
        ]
    );
    let report = run(folder, arena, &["report", "results/mine"]);
    let said = String::from_utf8_lossy(&report.stdout);
    assert!(said.contains("other: lost, twelve is too much"), "{said}");
    // Further games would be the same again.
    let config = config.replace("games = 3", "games = 4");
    fs::write(folder.join("arena.toml"), config).unwrap();
    let more = run(folder, arena, &["run", "--out", "more"]);
    let said = String::from_utf8_lossy(&more.stderr);
    assert!(
        said.contains(
            "warning: `rats` has 3 test cases, which repeat: `games = 3` plays each once"
        ),
        "{said}"
    );
}
