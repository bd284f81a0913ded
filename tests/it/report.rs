//! `arena report`: what it makes of a run's files.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::programs::{
    Folder, PATIENT, Said as _, check_rows, has, in_project, line, new_folder, read, stdout, write,
};

/// The files of a run that a report is made of.
const FILES: [&str; 4] = ["plan.toml", "games.csv", "records.jsonl", "summary.json"];

/// A copy of the run that comes with the project, without what is made anew.
fn copy() -> Folder {
    let folder = new_folder();
    for name in FILES {
        let file = in_project("results/example").join(name);
        fs::copy(file, folder.join(name)).unwrap();
    }
    folder
}

/// The standard output of a report on this run.
fn report(run: &Path, flags: &str) -> String {
    stdout(line(run, &format!("report . {flags}")).status(0))
}

#[test]
fn the_page_is_a_function_of_the_files() {
    let run = &copy();
    let told = report(run, "");
    assert!(
        told.starts_with("search-d2 is first, level with search-d3: ")
            && told.ends_with("\nopen ./report.html\n"),
        "{told}"
    );
    assert!(!told.contains("Response times in ms"), "{told}");
    let verbose = report(run, "--verbose");
    has(&verbose, "\n  Response times in ms: first turn:\n bot ");
    let page = read(run, "report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("search-d1-tipsy"));
    assert_eq!(report(run, "--html -"), page);
    assert_eq!(report(run, "--html page.html"), "");
    assert_eq!(read(run, "page.html"), page);
}

#[test]
fn reports_for_programs() {
    let run = &copy();
    let xml = report(run, "--junit -");
    let junit = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let name = junit.name.as_ref().map(quick_junit::XmlString::as_str);
    assert_eq!(name, Some("round-robin"));
    assert_eq!((junit.tests, junit.failures), (5, 0));
    let markdown = report(run, "--markdown -");
    assert!(markdown.starts_with("## round-robin\n"), "{markdown}");
    has(&markdown, "| 1 | search-d");
    let page = report(run, "--json s.json --html -");
    assert_eq!(page.matches("<h1>").count(), 1);
    let json: serde_json::Value = serde_json::from_str(&read(run, "s.json")).unwrap();
    assert_eq!(json["games_played"], 20);
    assert_eq!(json["run"]["name"], "round-robin");
    let is_there = run.join("report.html").exists();
    assert!(!is_there, "it was not asked for");
}

#[test]
fn games_that_are_asked_for_are_embedded() {
    let run = &copy();
    let asked = line(run, "report . --games 3,17-18,400");
    asked.status(0).contains("game 400 is not embedded");
    let page = read(run, "report.html");
    let (_, data) = page.split_once("id=\"replay-data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["data"].as_object().unwrap().len(), 20, "all fit");
    assert_eq!(data["first"], 3, "that is first");
    report(run, "--games all");
    line(run, "report . --games 400").status(3);
    line(run, "report . --html - --json -").status(2);
    for wrong in ["''", "x", "5-3", "1,,2", "0-99999999999"] {
        line(run, &format!("report . --games {wrong}")).status(2);
    }
}

#[test]
fn a_run_under_way_is_reported() {
    let run = &copy();
    fs::remove_file(run.join("summary.json")).unwrap();
    let records = read(run, "records.jsonl");
    let half: Vec<&str> = records.lines().take(10).collect();
    let torn = half.join("\n") + "\n{\"number\":10,\"uni";
    write(run, "records.jsonl", &torn);
    let page = report(run, "--html -");
    has(&page, "Not finished: 10 of 20 games");
    assert_eq!(read(run, "records.jsonl"), torn);
}

#[test]
fn what_is_no_run_is_refused() {
    check_rows(
        &new_folder(),
        "
        report . | 3 | plan.toml
        report not-there | 3 | plan.toml
        ",
    );
    let run = &copy();
    let records = read(run, "records.jsonl");
    let forged = records.replacen("\"number\":0,", "\"number\":999,", 1);
    write(run, "records.jsonl", forged);
    line(run, "report .").status(3);
}

/// Two runs, and a third that has other limits than the first.
fn three_runs() -> Folder {
    let folder = new_folder();
    for (name, seed, turn_ms) in [("one", 1, 60000), ("two", 2, 60000), ("slow", 1, 50000)] {
        duel(&folder, name, seed, turn_ms, "--quiet").status(0);
    }
    folder
}

fn duel(folder: &Path, out: &str, seed: u32, turn_ms: u32, flag: &str) -> Output {
    let bots = "'arena bot onitama-random' 'arena bot onitama-greedy'";
    let limits = format!("--set clock.first_turn_ms=60000 --set clock.turn_ms={turn_ms}");
    let flags = format!("{limits} --games 4 --seed {seed} --out {out} {flag}");
    line(folder, &format!("duel onitama {bots} {flags}"))
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
    let folder = &three_runs();
    let whole = read(folder, "one/games.csv");
    for (what, change) in CHANGES {
        for mend in ["report", "resume"] {
            write(folder, "one/games.csv", change(&whole));
            line(folder, "verify one")
                .status(1)
                .contains("can't read one/games.csv, line ")
                .contains("4 games verified, 1 mismatch");
            check_rows(
                folder,
                "
                rate one | 3 | `arena report one` writes games.csv again
                elo one | 3 | `arena report one` writes games.csv again
                ",
            );
            let mended = match mend {
                "report" => line(folder, "report one"),
                _ => duel(folder, "one", 1, 60000, "--resume"),
            };
            mended.status(0);
            assert_eq!(read(folder, "one/games.csv"), whole, "{what} {mend}");
            line(folder, "verify one").status(0);
        }
    }
}

#[test]
fn files_of_another_run_are_found() {
    let folder = &three_runs();
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
        eprintln!("{file} of {from}");
        for name in FILES {
            let run = if name == file { from } else { "one" };
            write(
                folder,
                &format!("mixed/{name}"),
                read(folder, &format!("{run}/{name}")),
            );
        }
        line(folder, "verify mixed").status(1).contains(expected);
        line(folder, "rate mixed").status(3).contains(expected);
    }
}

/// Records may have the seeds and bots of the plan, and still be of games on other maps.
#[test]
fn games_with_other_options_are_not_as_planned() {
    let folder = &new_folder();
    let bots = "'arena bot kutulu-random' 'arena bot kutulu-greedy'";
    let flags = format!("--games 4 --out run --quiet {PATIENT}");
    line(folder, &format!("duel kutulu {bots} {flags}")).status(0);
    let records = read(folder, "run/records.jsonl");
    let changed = records.replacen("\"maps_edition\":", "\"maps_edition\":9", 1);
    assert_ne!(changed, records);
    write(folder, "run/records.jsonl", changed);
    let rated = line(folder, "rate run");
    rated.status(3).contains("game 0 is not as planned");
}
