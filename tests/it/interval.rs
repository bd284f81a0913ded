//! One interval is in force after a run of two bots, and every report shows the same one.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::duel::{UNHURRIED, stopped};
use crate::programs::{command, sample_bot, stderr, stdout};

/// A number of a run, as everything is expected to show it.
struct Expected {
    elo: Option<f64>,
    ends: [Option<f64>; 2],
    /// The value of `interval` in files.
    interval: String,
    /// The Elo of the answer, with its interval and label.
    told: String,
    bots: [String; 2],
}

fn shown(folder: &Path, args: &[&str]) -> String {
    stdout(&command(folder, args).output().unwrap())
}

fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&shown(folder, &[args, &["--json"]].concat())).unwrap()
}

fn same(told: Option<f64>, expected: Option<f64>, error: f64, what: &str) {
    let is_same = match (told, expected) {
        (Some(told), Some(expected)) => (told - expected).abs() <= error,
        (told, expected) => told == expected,
    };
    assert!(is_same, "{what}: {told:?} instead of {expected:?}");
}

/// What `summary.json` has, and the words of the answer.
fn expected(folder: &Path, run: &str) -> Expected {
    let summary = fs::read_to_string(folder.join(run).join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let pairing = &summary["games"][0]["pairings"][0];
    let by = &pairing["elo"];
    let told = shown(folder, &["report", run]);
    let answer = told.lines().next().unwrap_or_default();
    let begin = answer.find(": ").unwrap() + 2;
    let end = answer.find(" against ").or(answer.find(", ")).unwrap();
    let end = answer[begin..].find(" game").map_or(end, |games| {
        let before = &answer[begin..begin + games];
        begin + before.rfind(", ").unwrap_or(before.len())
    });
    let told = &answer[begin..end];
    let told = told.split(" against ").next().unwrap().to_owned();
    let label = match by["interval"].as_str().unwrap() {
        "once" => None,
        "every_look" => Some("(95% at every look)"),
        _ => Some("(90.0% interval of the test)"),
    };
    assert!(
        label.is_none_or(|label| told.ends_with(label)),
        "{run}: {answer}"
    );
    assert!(label.is_some() || !told.contains('('), "{run}: {answer}");
    Expected {
        elo: by["elo"].as_f64(),
        ends: ["lo95", "hi95"].map(|end| by[end].as_f64()),
        interval: by["interval"].as_str().unwrap().to_owned(),
        told,
        bots: ["first", "second"].map(|bot| pairing[bot].as_str().unwrap().to_owned()),
    }
}

/// The row of a table of a run, by column.
fn row(folder: &Path, run: &str, file: &str, holds: impl Fn(&csv::StringRecord) -> bool) -> Value {
    let mut table = csv::Reader::from_path(folder.join(run).join(file)).unwrap();
    let header = table.headers().unwrap().clone();
    let row = table.records().map(Result::unwrap).find(holds).unwrap();
    header
        .iter()
        .map(str::to_owned)
        .zip(row.iter().map(Value::from))
        .collect()
}

fn number(value: &Value) -> Option<f64> {
    value.as_str().and_then(|text| text.parse().ok())
}

fn check(folder: &Path, run: &str, interval: &str) {
    let expected = expected(folder, run);
    assert_eq!(expected.interval, interval, "{run}");
    for flag in ["--markdown", "--junit", "--html"] {
        let report = shown(folder, &["report", run, flag, "-"]);
        let told = match flag {
            "--junit" => expected.told.replace('>', "&gt;"),
            "--markdown" => expected.told.replace('[', "\\[").replace(']', "\\]"),
            _ => expected.told.clone(),
        };
        assert!(report.contains(&told), "{run} {flag}: {told} in\n{report}");
    }
    let [first, second] = &expected.bots;
    let elo = json(folder, &["elo", run, "--between", first, second]);
    let pairing = row(folder, run, "pairings.csv", |_| true);
    let rated = json(folder, &["rate", run]);
    let rated = &rated["games"][0];
    let bot = |name: &String| {
        let bots = rated["bots"].as_array().unwrap().iter();
        bots.clone()
            .find(|bot| bot["name"] == **name)
            .unwrap()
            .clone()
    };
    let place = rated["bots"][0]["name"] != **first;
    for interval in [&elo["interval"], &pairing["interval"], &rated["interval"]] {
        assert_eq!(interval, &expected.interval, "{run}");
    }
    same(elo["elo"].as_f64(), expected.elo, 1e-9, run);
    same(number(&pairing["elo"]), expected.elo, 1e-3, run);
    let of_ratings = row(folder, run, "ratings.csv", |row| row[2] == **first);
    assert_eq!(of_ratings["interval"], expected.interval);
    for (end, (own, _)) in [("lo95", "hi95"), ("hi95", "lo95")].into_iter().enumerate() {
        let at = expected.ends[end];
        same(elo[own].as_f64(), at, 1e-9, run);
        same(number(&pairing[own]), at, 1e-3, run);
        if expected.elo.is_some() {
            // The mean of two ratings is 0, so each has half of the difference.
            same(bot(first)[own].as_f64().map(|end| 2.0 * end), at, 1e-6, run);
            same(number(&of_ratings[own]).map(|end| 2.0 * end), at, 1e-3, run);
        }
    }
    // The tables of terminal and `rate` show the better bot.
    let [lo, hi] = expected.ends;
    let ends = if place {
        [hi.map(|hi| -hi), lo.map(|lo| -lo)]
    } else {
        [lo, hi]
    };
    let whole = ends.map(|end| end.map_or(String::new(), |end| format!("{end:+.1}")));
    let table = shown(folder, &["report", run, "--verbose"]);
    for end in whole.iter().filter(|_| expected.elo.is_some()) {
        assert!(table.contains(&**end), "{run}: {end} in\n{table}");
    }
}

#[test]
fn everything_shows_the_interval_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("minishogi-search");
    let (good, bad) = (
        format!("good={bot} --depth 1 --seed 3"),
        format!("bad={bot} --depth 1 --blunder 30"),
    );
    let random = format!("random={}", sample_bot("minishogi-random"));
    let played = |run: &str, bots: [&str; 2], flags: &[&str], code: i32| {
        let args = [
            &[
                "duel",
                "minishogi",
                bots[0],
                bots[1],
                "--out",
                run,
                "--quiet",
                "--seed",
                "5",
            ],
            flags,
            &UNHURRIED,
        ]
        .concat();
        let output = command(folder, &args).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{run}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    };
    let [good, bad, random] = [&*good, &*bad, &*random];
    played("finished", [good, bad], &["--games", "60"], 0);
    stopped(
        folder,
        "stopped",
        &["minishogi", good, bad, "--games", "1000000"],
    );
    played("accepted", [bad, good], &["--sprt", "0,20,early=false"], 0);
    played("rejected", [good, bad], &["--sprt", "0,20,early=false"], 1);
    played("early", [random, good], &["--sprt", "0,10"], 0);
    // They take the first and the last of all legal actions by name.
    let first = include_str!("../programs/smallest.sh");
    fs::write(folder.join("first.sh"), first).unwrap();
    fs::write(folder.join("last.sh"), first.replace("\\<", "\\>")).unwrap();
    played(
        "repeated",
        ["first.sh", "last.sh"],
        &["--games", "40", "--opening-plies", "0"],
        4,
    );
    for (run, interval) in [
        ("finished", "once"),
        ("stopped", "every_look"),
        ("accepted", "test"),
        ("rejected", "test"),
        ("early", "test"),
        ("repeated", "once"),
    ] {
        check(folder, run, interval);
    }
    let told = shown(folder, &["report", "repeated"]);
    assert!(
        told.contains("has no verdict") && told.contains("different unit"),
        "{told}"
    );
}
