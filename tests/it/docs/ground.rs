//! A folder for the commands of the documentation, with everything built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::programs;

/// A substitute for cargo: everything is built already.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
    "run --release -- "*) shift 3; exec arena "$@" ;;
    build*) exit 0 ;;
    *) echo "no such cargo command: $*" >&2; exit 1 ;;
esac
"#;

/// Stands in for arena: plays 2 games of a new config instead of 200, and gives bots a minute per turn
/// in `check` and `tune`.
const ARENA: &str = r#"#!/bin/sh
case "$*" in
    run | "run arena.toml") set -- "$@" --games 2 ;;
    *_ms=* | check\ *.toml*) ;;
    check | check\ * | tune\ *)
        verb=$1
        shift
        set -- "$verb" --set clock.first_turn_ms=60000 --set clock.turn_ms=60000 "$@"
        ;;
esac
exec "PROGRAM" "$@"
"#;

/// The sample bots, by game, and what they are called.
const BOTS: [&str; 3] = ["random", "greedy", "search"];
const GAMES: [&str; 4] = ["minishogi", "dice-shogi", "onitama", "kutulu"];

pub(crate) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    /// With the project's configs, starter bots and referees, the sample bots under `target/release`, `arena` and `cargo`.
    pub(crate) fn new() -> Ground {
        let ground = Ground {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["target/release", "programs"] {
            fs::create_dir_all(ground.path().join(folder)).unwrap();
        }
        let starters = GAMES.map(|game| format!("starters/{}", game.replace('-', "_")));
        for folder in
            starters
                .iter()
                .map(String::as_str)
                .chain(["configs", "referees", "referees/bots"])
        {
            fs::create_dir_all(ground.path().join(folder)).unwrap();
            for file in fs::read_dir(project().join(folder))
                .unwrap()
                .map(Result::unwrap)
            {
                if file.file_type().unwrap().is_file() {
                    fs::copy(
                        file.path(),
                        ground.path().join(folder).join(file.file_name()),
                    )
                    .unwrap();
                }
            }
        }
        for (game, bot) in GAMES.iter().flat_map(|game| BOTS.map(|bot| (game, bot))) {
            let name = format!("{game}-{bot}");
            ground.place_program(
                Path::new(&programs::sample_bot(&name)),
                &format!("target/release/{name}"),
            );
        }
        let arena = ARENA.replace("PROGRAM", env!("CARGO_BIN_EXE_arena"));
        ground.script("programs/arena", &arena);
        ground.script("programs/cargo", CARGO);
        ground
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A copy of the program and not a link: a bot sees the program's folder.
    fn place_program(&self, program: &Path, place: &str) {
        let place = self.path().join(place);
        if fs::hard_link(program, &place).is_err() {
            programs::copy_program(program, &place);
        }
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A script that can be run; the place may hold another program so far.
    pub(crate) fn script(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        programs::write_program(&path, content);
    }

    /// Runs a script as a step of a CI job is run: it ends with the first command that fails.
    pub(crate) fn shell(&self, script: &str) -> Output {
        let path = format!(
            "{}:{}",
            self.path().join("programs").display(),
            programs::search_path()
        );
        let mut bash = Command::new("bash");
        bash.args([
            "--noprofile",
            "--norc",
            "-e",
            "-o",
            "pipefail",
            "-c",
            script,
        ])
        .current_dir(self.path());
        bash.env("PATH", path)
            .env("GITHUB_STEP_SUMMARY", self.path().join("step-summary.md"));
        bash.env_remove("COLUMNS")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }
}

pub(crate) fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
