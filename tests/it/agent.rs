//! A program improves a bot as docs/how-to/agents.md says.

use std::fs;

use crate::programs::{Said as _, in_project, shell, write};

/// Answers with the first legal action.
const FIRST: &str = r"
input()
while True:
    lines = [input() for _ in range(10)]
    actions = [input() for _ in range(int(input()))]
    print(actions[0], flush=True)
";

#[test]
fn a_script_keeps_the_better_of_two_versions() {
    let script = in_project("tests").join("agent.py");
    assert!(fs::read_to_string(&script).unwrap().lines().count() <= 40);
    let starter = in_project("starters/onitama").join("bot.py");
    for (versions, best) in [
        (["first.py", "starter.py"], "v2"),
        (["starter.py", "first.py"], "v1"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "first.py", FIRST);
        fs::copy(&starter, folder.path().join("starter.py")).unwrap();
        let line = format!("python3 {} {}", script.display(), versions.join(" "));
        let out = shell(folder.path(), &line).output().unwrap();
        out.status(0).contains(&format!("best: {best}"));
        // The end of a lost game has what the bot answered.
        assert_eq!(out.stdout.starts_with(b"best"), best == "v2");
    }
}
