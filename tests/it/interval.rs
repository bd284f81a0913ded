//! One interval is in force after a run of two bots, and every report shows the same one.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::duel::stopped;
use crate::programs::{PATIENT, Said as _, line, sample_bot, stdout, summary, table};

fn shown(folder: &Path, args: &str) -> String {
    stdout(&line(folder, args))
}

/// Checks a number, or a text of one, times a factor.
fn same(told: &Value, expected: &Value, factor: f64, error: f64, what: &str) {
    let text = |value: &Value| value.as_str()?.parse().ok();
    let found = told.as_f64().or_else(|| text(told));
    let is_same = match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => (factor * found - expected).abs() <= error,
        (found, expected) => found == expected,
    };
    assert!(is_same, "{what}: {told} instead of {expected}");
}

/// The number, interval and label in an answer such as
/// `a is stronger: +12 Elo [+3, +20] (95% at every look) against b, 60 games`.
fn number_in(answer: &str) -> &str {
    let (_, told) = answer.split_once(": ").unwrap();
    match told.split_once(" against ") {
        Some((told, _)) => told,
        None => match told.find(" game") {
            Some(games) => &told[..told[..games].rfind(", ").unwrap_or(games)],
            None => told.split(", ").next().unwrap(),
        },
    }
}

/// The row of a bot in a table of a run, by column.
fn row(folder: &Path, run: &str, file: &str, bot: &str) -> Value {
    let mut table = csv::Reader::from_path(folder.join(run).join(file)).unwrap();
    let mut rows = table.deserialize().map(Result::unwrap);
    let is_of_bot = |row: &Map<String, Value>| row.values().any(|cell| cell == bot);
    rows.find(is_of_bot).unwrap().into()
}

fn check(folder: &Path, run: &str, interval: &str) {
    let summary = summary(&folder.join(run));
    let pairing = &summary["games"][0]["pairings"][0];
    let [first, second] = ["first", "second"].map(|bot| pairing[bot].as_str().unwrap());
    let expected = &pairing["elo"];

    let answer = shown(folder, &format!("report {run}"));
    let told = number_in(answer.lines().next().unwrap());
    match interval {
        "once" => assert!(!told.contains('('), "{run}: {answer}"),
        "every_look" => assert!(told.ends_with("(95% at every look)"), "{run}: {answer}"),
        _ => assert!(
            told.ends_with("(90.0% interval of the test)"),
            "{run}: {answer}"
        ),
    }
    for (flag, told) in [
        ("--markdown", told.replace('[', "\\[").replace(']', "\\]")),
        ("--junit", told.replace('>', "&gt;")),
        ("--html", told.to_owned()),
    ] {
        line(folder, &format!("report {run} {flag} -")).contains(&told);
    }

    let json = |args: String| serde_json::from_str::<Value>(&shown(folder, &args)).unwrap();
    let elo = json(format!("elo {run} --between {first} {second} --json"));
    let rated = &json(format!("rate {run} --json"))["games"][0];
    let of_pairing = row(folder, run, "pairings.csv", first);
    let of_ratings = row(folder, run, "ratings.csv", first);
    for place in [expected, &elo, &of_pairing, &of_ratings, rated] {
        assert_eq!(place["interval"], interval, "{run}");
    }
    same(&elo["elo"], &expected["elo"], 1.0, 1e-9, run);
    same(&of_pairing["elo"], &expected["elo"], 1.0, 1e-3, run);
    let bots = rated["bots"].as_array().unwrap();
    let bot = bots.iter().find(|bot| bot["name"] == first).unwrap();
    let table = shown(folder, &format!("report {run} --verbose"));
    for end in ["lo95", "hi95"] {
        same(&elo[end], &expected[end], 1.0, 1e-9, run);
        same(&of_pairing[end], &expected[end], 1.0, 1e-3, run);
        if expected["elo"].is_null() {
            continue;
        }
        // The mean of two ratings is 0, so each has half of the difference.
        same(&bot[end], &expected[end], 2.0, 1e-6, run);
        same(&of_ratings[end], &expected[end], 2.0, 1e-3, run);
        if let Some(end) = expected[end].as_f64() {
            // The table shows the better bot.
            let is_first = bots[0]["name"] == first;
            let end = format!("{:+.1}", if is_first { end } else { -end });
            assert!(table.contains(&end), "{run}: {end} in\n{table}");
        }
    }
}

#[test]
fn everything_shows_the_interval_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bot = sample_bot("minishogi-search");
    let good = format!("good={bot} --depth 1 --seed 3");
    let bad = format!("bad={bot} --depth 1 --blunder 30");
    let random = format!("random={}", sample_bot("minishogi-random"));
    // They take the first and the last of all legal actions by name.
    let first = include_str!("../programs/smallest.sh");
    fs::write(folder.join("first.sh"), first).unwrap();
    fs::write(folder.join("last.sh"), first.replace("\\<", "\\>")).unwrap();
    stopped(
        folder,
        "stopped",
        &["minishogi", &good, &bad, "--games", "1000000"],
    );
    check(folder, "stopped", "every_look");
    let runs = "
        finished | 'GOOD' 'BAD' --games 60 | 0 | once
        accepted | 'BAD' 'GOOD' --sprt 0,20,early=false | 0 | test
        rejected | 'GOOD' 'BAD' --sprt 0,20,early=false | 1 | test
        early | 'RANDOM' 'GOOD' --sprt 0,10 | 0 | test
        repeated | first.sh last.sh --games 40 --opening-plies 0 | 4 | once
        ";
    for [run, args, status, interval] in table(runs) {
        let args = args.replace("GOOD", &good).replace("BAD", &bad);
        let args = args.replace("RANDOM", &random);
        let fixed = format!("--out {run} --quiet --seed 5 {PATIENT}");
        let played = line(folder, &format!("duel minishogi {args} {fixed}"));
        played.status(status.parse().unwrap());
        check(folder, run, interval);
    }
    let told = line(folder, "report repeated");
    told.contains("has no verdict").contains("different unit");
}
