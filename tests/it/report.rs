//! `arena report`: what it makes of a run's files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::programs::arena;

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
        told.starts_with("search-d2 is first with ") && told.ends_with(" games/s, files in .\n"),
        "{told}"
    );
    assert!(!told.contains("Response times in ms"), "{told}");
    let told = stdout(&report(run.path(), &[".", "--times"]));
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
