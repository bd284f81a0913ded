//! `arena report`: what it makes of a run's files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::programs::{arena, said};

/// The run that comes with the project.
fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example")
}

/// A copy of it, without what is made anew.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["plan.toml", "games.csv", "records.jsonl", "summary.json"] {
        fs::copy(example().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn report(folder: &Path, args: &[&str]) -> Output {
    arena(folder, &[&["report"], args].concat())
}

fn stdout(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_page_is_a_function_of_the_files() {
    let run = copy();
    let told = stdout(&report(run.path(), &["."]));
    assert!(
        told.starts_with("search-d2 is first, level with search-d3: ")
            && told.ends_with("\nopen ./report.html\n"),
        "{told}"
    );
    assert!(!told.contains("Response times in ms"), "{told}");
    let told = stdout(&report(run.path(), &[".", "--verbose"]));
    assert!(
        told.contains("\n  Response times in ms: first turn:\n bot "),
        "{told}"
    );
    let page = fs::read_to_string(run.path().join("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("search-d1-tipsy"));
    assert_eq!(stdout(&report(run.path(), &[".", "--html", "-"])), page);
    assert_eq!(
        stdout(&report(run.path(), &[".", "--html", "page.html"])),
        ""
    );
    assert_eq!(
        fs::read_to_string(run.path().join("page.html")).unwrap(),
        page
    );
}

#[test]
fn reports_for_programs() {
    let run = copy();
    let xml = stdout(&report(run.path(), &[".", "--junit", "-"]));
    let junit = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!(
        (
            junit.name.as_ref().map(quick_junit::XmlString::as_str),
            junit.tests,
            junit.failures
        ),
        (Some("round-robin"), 5, 0)
    );
    let markdown = stdout(&report(run.path(), &[".", "--markdown", "-"]));
    assert!(
        markdown.starts_with("## round-robin\n") && markdown.contains("| 1 | search-d"),
        "{markdown}"
    );
    assert_eq!(
        stdout(&report(
            run.path(),
            &[".", "--json", "s.json", "--html", "-"]
        ))
        .matches("<h1>")
        .count(),
        1
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(run.path().join("s.json")).unwrap()).unwrap();
    assert_eq!(
        (&json["games_played"], &json["run"]["name"]),
        (&20.into(), &"round-robin".into())
    );
    assert!(
        !run.path().join("report.html").exists(),
        "it was not asked for"
    );
}

#[test]
fn games_that_are_asked_for_are_embedded() {
    let run = copy();
    let output = report(run.path(), &[".", "--games", "3,17-18,400"]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("game 400 is not embedded"),
        "{output:?}"
    );
    let page = fs::read_to_string(run.path().join("report.html")).unwrap();
    let data = page
        .split_once("id=\"replay-data\">")
        .unwrap()
        .1
        .split_once("</script>")
        .unwrap()
        .0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(
        (data["data"].as_object().unwrap().len(), &data["first"]),
        (20, &3.into()),
        "all fit, and that is first"
    );
    assert_eq!(
        report(run.path(), &[".", "--games", "400"]).status.code(),
        Some(3)
    );
    assert!(
        report(run.path(), &[".", "--games", "all"])
            .status
            .success()
    );
    for wrong in ["", "x", "5-3", "1,,2", "0-99999999999"] {
        assert_eq!(
            report(run.path(), &[".", "--games", wrong]).status.code(),
            Some(2),
            "{wrong}"
        );
    }
    assert_eq!(
        report(run.path(), &[".", "--html", "-", "--json", "-"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_run_under_way_is_reported() {
    let run = copy();
    fs::remove_file(run.path().join("summary.json")).unwrap();
    let records = fs::read_to_string(run.path().join("records.jsonl")).unwrap();
    let half: Vec<&str> = records.lines().take(10).collect();
    let torn = half.join("\n") + "\n{\"number\":10,\"uni";
    fs::write(run.path().join("records.jsonl"), &torn).unwrap();
    let page = stdout(&report(run.path(), &[".", "--html", "-"]));
    assert!(page.contains("Not finished: 10 of 20 games"), "{page}");
    assert_eq!(
        fs::read_to_string(run.path().join("records.jsonl")).unwrap(),
        torn
    );
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for path in [".", "not-there"] {
        let output = report(folder.path(), &[path]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("plan.toml"),
            "{output:?}"
        );
    }
    let run = copy();
    let records = fs::read_to_string(run.path().join("records.jsonl")).unwrap();
    let forged = records.replacen("\"number\":0,", "\"number\":999,", 1);
    fs::write(run.path().join("records.jsonl"), forged).unwrap();
    assert_eq!(report(run.path(), &["."]).status.code(), Some(3));
}

/// Two runs, and a third that has other limits than the first.
fn three_runs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, seed, turn_ms) in [
        ("one", "1", "60000"),
        ("two", "2", "60000"),
        ("slow", "1", "50000"),
    ] {
        let played = duel(folder.path(), name, seed, turn_ms, "--quiet");
        assert!(played.status.success(), "{}", said(&played));
    }
    folder
}

fn duel(folder: &Path, out: &str, seed: &str, turn_ms: &str, flag: &str) -> Output {
    let bots = ["arena bot onitama-random", "arena bot onitama-greedy"];
    let turn_ms = format!("clock.turn_ms={turn_ms}");
    let limits = ["--set", "clock.first_turn_ms=60000", "--set", &turn_ms];
    let args = ["--games", "4", "--seed", seed, "--out", out, flag];
    arena(
        folder,
        &[&["duel", "onitama", bots[0], bots[1]], &limits[..], &args].concat(),
    )
}

/// A file that was changed, and what makes the change.
type Change = (&'static str, fn(&str) -> String);

const CHANGES: [Change; 5] = [
    ("a result", |rows| rows.replacen(",1,", ",7,", 1)),
    ("a time", |rows| {
        let (rest, _) = rows.trim_end().rsplit_once(',').unwrap();
        format!("{rest},9.999\n")
    }),
    ("a lost row", |rows| {
        let (rest, _) = rows.trim_end().rsplit_once('\n').unwrap();
        format!("{rest}\n")
    }),
    ("a row too many", |rows| {
        let (_, last) = rows.trim_end().rsplit_once('\n').unwrap();
        format!("{rows}{last}\n")
    }),
    ("a column", |rows| rows.replacen("turns", "plies", 1)),
];

#[test]
fn rows_that_are_not_those_of_the_records_are_found_and_written_again() {
    let folder = three_runs();
    let folder = folder.path();
    let file = folder.join("one/games.csv");
    let whole = fs::read_to_string(&file).unwrap();
    for (what, change) in CHANGES {
        for mend in ["report", "resume"] {
            fs::write(&file, change(&whole)).unwrap();
            let verified = arena(folder, &["verify", "one"]);
            let told = said(&verified);
            assert_eq!(verified.status.code(), Some(1), "{what}: {told}");
            assert!(
                told.contains("can't read one/games.csv, line ")
                    && told.contains("4 games verified, 1 mismatch"),
                "{what}: {told}"
            );
            for verb in ["rate", "elo"] {
                let rated = arena(folder, &[verb, "one"]);
                assert_eq!(rated.status.code(), Some(3), "{what}: {}", said(&rated));
                assert!(said(&rated).contains("`arena report one` writes games.csv again"));
            }
            let mended = match mend {
                "report" => report(folder, &["one"]),
                _ => duel(folder, "one", "1", "60000", "--resume"),
            };
            assert!(mended.status.success(), "{what}: {}", said(&mended));
            assert_eq!(fs::read_to_string(&file).unwrap(), whole, "{what} {mend}");
            let verified = arena(folder, &["verify", "one"]);
            assert!(verified.status.success(), "{}", said(&verified));
        }
    }
}

#[test]
fn files_of_another_run_are_found() {
    let folder = three_runs();
    let folder = folder.path();
    for (file, from, expected) in [
        ("records.jsonl", "two", "game 0 is not as planned"),
        ("plan.toml", "two", "game 0 is not as planned"),
        (
            "plan.toml",
            "slow",
            "its summary.json is not of its plan.toml",
        ),
        (
            "summary.json",
            "slow",
            "its summary.json is not of its plan.toml",
        ),
        ("games.csv", "two", "can't read mixed/games.csv, line 2: "),
    ] {
        let mixed = folder.join("mixed");
        let _ = fs::remove_dir_all(&mixed);
        fs::create_dir(&mixed).unwrap();
        for name in ["plan.toml", "games.csv", "records.jsonl", "summary.json"] {
            let run = if name == file { from } else { "one" };
            fs::copy(folder.join(run).join(name), mixed.join(name)).unwrap();
        }
        for (verb, code) in [("verify", 1), ("rate", 3)] {
            let found = arena(folder, &[verb, "mixed"]);
            let told = said(&found);
            assert_eq!(found.status.code(), Some(code), "{file} of {from}: {told}");
            assert!(told.contains(expected), "{file} of {from}: {told}");
        }
    }
}

/// Records may have the seeds and bots of the plan, and still be of games on other maps.
#[test]
fn games_with_other_options_are_not_as_planned() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = ["arena bot kutulu-random", "arena bot kutulu-greedy"];
    let args = [
        "--set",
        "clock.first_turn_ms=60000",
        "--set",
        "clock.turn_ms=60000",
    ];
    let out = ["--games", "4", "--out", "run", "--quiet"];
    let played = arena(
        folder,
        &[&["duel", "kutulu", bots[0], bots[1]], &args[..], &out].concat(),
    );
    assert!(played.status.success(), "{}", said(&played));
    let file = folder.join("run/records.jsonl");
    let records = fs::read_to_string(&file).unwrap();
    let changed = records.replacen("\"maps_edition\":", "\"maps_edition\":9", 1);
    assert_ne!(changed, records);
    fs::write(&file, changed).unwrap();
    let rated = arena(folder, &["rate", "run"]);
    assert_eq!(rated.status.code(), Some(3), "{}", said(&rated));
    assert!(said(&rated).contains("game 0 is not as planned"));
}
