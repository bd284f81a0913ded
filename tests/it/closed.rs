//! What the sandbox closes: files of others that a start folder, an environment or a link leads to.

use std::fs;
use std::path::PathBuf;

use crate::programs::{self, closes_files};

/// Folders for a test: a start folder, and others beside it.
struct Ground(tempfile::TempDir);

impl Ground {
    fn new() -> Ground {
        let ground = Ground(tempfile::tempdir().unwrap());
        fs::create_dir_all(ground.at("start")).unwrap();
        ground
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }
}

/// The config and the run tell the seed.
const CONFIG: &str = "[run]\nname = \"r\"\ngame = \"onitama\"\ngames = 2\njobs = 1\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
    [[bot]]\nname = \"b\"\ncommand = \"arena bot onitama-random\"\n[[bot]]\nname = \"a\"\n";

#[test]
fn a_hidden_file_is_no_part_of_a_bot() {
    let ground = Ground::new();
    let bot = "# The rules of league.toml hold.\n".to_owned() + include_str!("../languages/bot.sh");
    ground.write("start/spy.sh", &bot);
    let config = CONFIG.to_owned() + "command = \"spy.sh\"\n";
    ground.write("start/league.toml", &config);
    let out = programs::arena(&ground.at("start"), &["run", "league.toml", "--out", "run"]);
    assert!(out.status.success(), "{}", programs::said(&out));
    let plan = fs::read_to_string(ground.at("start/run/plan.toml")).unwrap();
    assert!(
        plan.contains("\"spy.sh\" = ") || plan.contains("spy.sh = "),
        "{plan}"
    );
    assert!(!plan.contains("league.toml"), "{plan}");
}

#[test]
fn a_hidden_file_is_neither_opened_nor_offered() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    let table =
        "command = [\"sh\", \"-c\", \"echo ./league.toml: Permission denied >&2; exit 1\"]\n";
    let start = ground.at("start");
    for (keys, message) in [
        ("", "./league.toml: Permission denied"),
        (
            "read = [\"league.toml\"]\n",
            "no program may read `league.toml`",
        ),
        ("read = [\"run\"]\n", "no program may read `run`"),
    ] {
        ground.write("start/league.toml", &(CONFIG.to_owned() + table + keys));
        fs::create_dir_all(ground.at("start/run")).unwrap();
        let out = programs::arena(&start, &["run", "league.toml", "--out", "run"]);
        let said = programs::said(&out);
        assert!(!out.status.success() && said.contains(message), "{said}");
        assert!(!said.contains("--read"), "{said}");
    }
}
