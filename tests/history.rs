//! `arena history` and `arena compare`: several runs together, with real games.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn arena(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arena"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = arena(folder, &[args, &["--json"]].concat());
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn shown(folder: &Path, args: &[&str]) -> String {
    String::from_utf8(arena(folder, args).stdout).unwrap()
}

/// The page of a command, whose drawing is whole.
fn page(folder: &Path, args: &[&str]) -> String {
    let text = shown(folder, args);
    assert_eq!(
        shown(folder, &[args, &["--html", "page.html"]].concat()),
        text,
        "a file takes nothing from the terminal"
    );
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert_eq!(shown(folder, &[args, &["--html", "-"]].concat()), page);
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("default-src 'none'"),
        "{page}"
    );
    let (from, to) = (page.find("<svg").unwrap(), page.find("</svg>").unwrap());
    let drawing = roxmltree::Document::parse(&page[from..to + 6]).unwrap();
    assert!(
        drawing
            .descendants()
            .any(|node| node.attribute("class") == Some("dot")),
        "{page}"
    );
    let nowhere = arena(folder, &[args, &["--html", "nowhere/page.html"]].concat());
    let said = String::from_utf8_lossy(&nowhere.stderr);
    assert!(
        nowhere.status.code() == Some(3) && said.contains("write nowhere/page.html"),
        "{said}"
    );
    page
}

fn duel(folder: &Path, old: &str, new: &str, out: &str, seed: &str) {
    let (old, new) = (
        format!("old=arena bot onitama-{old}"),
        format!("new=arena bot onitama-{new}"),
    );
    let limits = [
        "--turn-ms",
        "60000",
        "--first-turn-ms",
        "60000",
        "--startup-ms",
        "60000",
    ];
    let args = [
        "duel", "onitama", &old, &new, "--games", "60", "--out", out, "--seed", seed, "--quiet",
    ];
    let output = arena(folder, &[&args[..], &limits].concat());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Every run calls its bots `old` and `new`; what they are made of tells them apart, and links them.
#[test]
fn versions_are_told_apart_by_what_they_are_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    duel(
        folder,
        "search --depth 1",
        "search --depth 2",
        "results/first",
        "1",
    );
    duel(
        folder,
        "search --depth 2",
        "search --depth 3",
        "results/second",
        "2",
    );
    let history = json(folder, &["history"]);
    let versions = history[0]["versions"].as_array().unwrap();
    let said: Vec<_> = versions
        .iter()
        .map(|version| {
            (
                version["name"].as_str().unwrap(),
                version["games"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(said, [("old", 60), ("new", 120), ("new (second)", 60)]);
    assert_eq!(
        (
            &history[0]["groups"].as_array().unwrap().len(),
            &history[0]["runs"]
        ),
        (&1, &2.into())
    );
    let text = shown(folder, &["history", "results"]);
    assert!(
        text.starts_with("onitama: 3 versions in 2 runs") && text.contains('●'),
        "{text}"
    );
    let page = page(folder, &["history", "results"]);
    assert!(
        page.contains("new (second)") && page.contains("<h1>versions in results</h1>"),
        "{page}"
    );

    // A copy of a run has its games once, and one that cannot be read is named.
    for (copy, is_damaged) in [("copy", false), ("damaged", true)] {
        std::fs::create_dir(folder.join("results").join(copy)).unwrap();
        for file in ["plan.toml", "games.csv"] {
            let text = std::fs::read_to_string(folder.join("results/second").join(file)).unwrap();
            let text = if is_damaged {
                text.replace("onitama", "onitamo")
            } else {
                text
            };
            std::fs::write(folder.join("results").join(copy).join(file), text).unwrap();
        }
    }
    let told = arena(folder, &["history", "results"]);
    let (text, warnings) = (
        String::from_utf8_lossy(&told.stdout),
        String::from_utf8_lossy(&told.stderr),
    );
    assert!(
        text.starts_with("onitama: 3 versions in 3 runs") && text.contains("60 games left out"),
        "{text}"
    );
    assert!(
        warnings.starts_with(
            "warning: a run is left out: use results/damaged/plan.toml: it was changed"
        ),
        "{warnings}"
    );

    let nothing = arena(folder, &["history", "results/first"]);
    assert_eq!(nothing.status.code(), Some(3));
}

/// Two equal bots are one version, whatever they are called, and their games say nothing of it.
#[test]
fn games_of_a_version_against_itself_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    duel(
        folder,
        "search --depth 2",
        "search --depth 2",
        "results/equal",
        "1",
    );
    assert_eq!(json(folder, &["history"]), serde_json::json!([]));
    assert_eq!(
        shown(folder, &["history"]),
        "no games of different versions in these runs: nothing is known\n"
    );
    duel(
        folder,
        "search --depth 1",
        "search --depth 2",
        "other/first",
        "2",
    );
    let text = shown(folder, &["history", "other"]);
    assert!(
        text.starts_with("onitama: 2 versions in 1 run, the oldest first"),
        "{text}"
    );
    std::fs::rename(folder.join("other/first"), folder.join("results/first")).unwrap();
    let history = json(folder, &["history"]);
    assert_eq!(history.as_array().unwrap().len(), 1, "{history}");
    for version in history[0]["versions"].as_array().unwrap() {
        assert_eq!(version["games"], 60, "{history}");
    }
}

#[test]
fn two_runs_stand_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    duel(folder, "search --depth 1", "search --depth 2", "one", "1");
    duel(folder, "search --depth 1", "search --depth 2", "two", "2");
    duel(folder, "search --depth 2", "search --depth 3", "three", "2");
    let compared = json(folder, &["compare", "one", "two"]);
    let bot = &compared["games"][0]["bots"][0];
    let sides = [0, 1].map(|at| bot["elo"][at].as_f64().unwrap());
    let errors = [0, 1].map(|at| bot["error95"][at].as_f64().unwrap());
    assert!((bot["change"].as_f64().unwrap() - (sides[1] - sides[0])).abs() < 1e-9);
    assert!((bot["change_error95"].as_f64().unwrap() - errors[0].hypot(errors[1])).abs() < 1e-9);
    assert!(compared["settings"].is_null() && compared["same_seed"] == false);
    assert_eq!(
        compared["games"][0]["bots"].as_array().unwrap().len(),
        1,
        "two bots have one number"
    );
    // The same difference as in the run itself.
    let summary: Value =
        serde_json::from_slice(&std::fs::read(folder.join("one/summary.json")).unwrap()).unwrap();
    let elo = summary["games"][0]["pairings"][0]["elo"]["elo"]
        .as_f64()
        .unwrap();
    assert!((sides[0].abs() - elo.abs()).abs() < 1e-6, "{sides:?} {elo}");
    assert!(page(folder, &["compare", "one", "two"]).contains("<h1>one and two</h1>"));
    let text = shown(folder, &["compare", "two", "three"]);
    assert!(
        text.contains("not the same runs") && text.contains("on the same seeds"),
        "{text}"
    );
    let nothing = arena(
        folder,
        &[
            "compare",
            "one",
            concat!(env!("CARGO_MANIFEST_DIR"), "/results/example"),
        ],
    );
    let error = String::from_utf8_lossy(&nothing.stderr);
    assert!(
        nothing.status.code() == Some(3) && error.contains("two bots in common"),
        "{error}"
    );
    assert!(
        error.contains("one has onitama (pairs): new, old; the other "),
        "{error}"
    );
}

/// Of three bots that both runs have, one met no other of them in the second: what is left is one number in both.
#[test]
fn runs_are_compared_among_the_same_bots() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = |name: &str, counts: &str| {
        let text = format!("first,second,wins,draws,losses\n{counts}");
        std::fs::write(folder.join(name), text).unwrap();
    };
    file("one.csv", "a,b,30,0,10\nb,c,10,5,25\na,c,20,0,20\n");
    file("other.csv", "a,b,15,0,25\nc,d,20,0,20\n");
    file("pair.csv", "a,b,30,0,10\n");
    file("strangers.csv", "a,d,15,0,25\nc,e,20,0,20\n");
    let bots =
        |one: &str, other: &str| json(folder, &["compare", one, other])["games"][0]["bots"].clone();
    let compared = bots("one.csv", "other.csv");
    assert_eq!(
        (&compared, compared.as_array().unwrap().len()),
        (&bots("pair.csv", "other.csv"), 1)
    );
    assert_eq!(compared[0]["name"], "a against b");
    let nothing = arena(folder, &["compare", "one.csv", "strangers.csv"]);
    let error = String::from_utf8_lossy(&nothing.stderr);
    assert!(
        nothing.status.code() == Some(3) && error.contains("one has (pairs): a, b, c; the other "),
        "{error}"
    );
}

/// A game that two versions of a bot played alike on the same seed is one of each.
#[test]
fn games_of_other_programs_are_no_copies() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    duel(folder, "greedy", "search --depth 1", "one", "1");
    duel(folder, "greedy", "search --depth 1", "again", "1");
    duel(
        folder,
        "greedy",
        "search --depth 1 --param centre=9",
        "two",
        "1",
    );
    std::fs::copy(folder.join("two/games.csv"), folder.join("two.csv")).unwrap();
    let games = |files: &[&str]| {
        let rated = json(folder, &[&["rate"], files].concat());
        (
            rated["games"][0]["games"].as_u64().unwrap(),
            rated["copies"].as_u64().unwrap(),
        )
    };
    assert_eq!(games(&["one", "again"]), (60, 60));
    assert_eq!(games(&["one", "two"]), (120, 0));
    assert_eq!(
        games(&["two/games.csv", "one", "two.csv", "again"]),
        (120, 120)
    );
    assert_eq!(games(&["two.csv", "again", "one", "two"]), (120, 120));
}
