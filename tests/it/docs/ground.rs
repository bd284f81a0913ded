//! A folder for the commands of the documentation, with everything built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::programs::{self, copy_files, copy_program, in_project, sample_bot, search_path};

/// A substitute for cargo: everything is built already.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
    "run --release -- "*) shift 3; exec arena "$@" ;;
    build*) exit 0 ;;
    *) echo "no such cargo command: $*" >&2; exit 1 ;;
esac
"#;

/// Stands in for arena: plays 2 games of a new config instead of 200, and gives bots a minute per
/// turn in `check`, `tune` and pools.
const ARENA: &str = r#"#!/bin/sh
case "$*" in
    run | "run arena.toml") set -- "$@" --games 2 ;;
    *--help*) ;;
    pool\ new*)
        "PROGRAM" "$@"
        printf '[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n' >> pool/pool.toml
        exit
        ;;
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
    /// With the project's configs, starter bots and referees, the sample bots under
    /// `target/release`, `arena` and `cargo`.
    pub(crate) fn new() -> Ground {
        let ground = Ground {
            folder: tempfile::tempdir().unwrap(),
        };
        let path = ground.path();
        for folder in ["target/release", "programs"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        for folder in ["configs", "referees", "referees/bots"] {
            copy_files(&project().join(folder), &path.join(folder));
        }
        for game in GAMES {
            let starters = format!("starters/{}", game.replace('-', "_"));
            copy_files(&project().join(&starters), &path.join(&starters));
            for bot in BOTS {
                let name = format!("{game}-{bot}");
                // A copy of the program and not a link: a bot sees the program's folder.
                let (program, place) = (sample_bot(&name), path.join("target/release").join(name));
                if fs::hard_link(&program, &place).is_err() {
                    copy_program(program, &place);
                }
            }
        }
        let arena = ARENA.replace("PROGRAM", env!("CARGO_BIN_EXE_arena"));
        ground.script("programs/arena", &arena);
        ground.script("programs/cargo", CARGO);
        ground
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        programs::write(self.path(), name, content);
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
        let programs = self.path().join("programs");
        let mut bash = Command::new("bash");
        bash.args("--noprofile --norc -e -o pipefail -c".split(' '))
            .arg(script)
            .current_dir(self.path())
            .env("PATH", format!("{}:{}", programs.display(), search_path()))
            .env("GITHUB_STEP_SUMMARY", self.path().join("step-summary.md"))
            .env_remove("COLUMNS")
            .stdin(Stdio::null());
        bash.output().unwrap()
    }
}

pub(crate) fn project() -> PathBuf {
    in_project("")
}
