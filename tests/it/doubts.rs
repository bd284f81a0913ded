//! Doubts about numbers, in games of one, two, three and four seats.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::programs::{Said as _, arena, said, stdout, summary};

/// Writes `run.toml`: bots whose answers are their scores, given the seed modulo `modulo`.
fn write(seats: usize, run: &str, modulo: u32, bots: &[(&str, &str)]) -> TempDir {
    let referee = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/scorer.py");
    let mut config = format!(
        "[run]\nseed = 7\nname = \"run\"\ngame = \"task\"\n{run}\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.task]\nreferee = [\"python3\", {referee:?}]\nseats = {seats}\noptions = {{ modulo = \"{modulo}\" }}\n"
    );
    for (name, answers) in bots {
        let script = format!("while read n; do set -- {answers}; shift $n; echo $1; done");
        let command = format!("[\"sh\", \"-c\", {script:?}]");
        let _ = writeln!(config, "[[bot]]\nname = {name:?}\ncommand = {command}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run.toml"), config).unwrap();
    folder
}

/// Plays `run.toml`, and returns all words about it.
fn played(folder: &Path) -> String {
    let run = arena(folder, &["run", "run.toml", "--verbose"]);
    run.status(0);
    let rated = arena(folder, &["rate", "results/run"]);
    said(&run) + &stdout(&rated)
}

/// `good` wins 19 of 20 units against `weak`, which their ratings fit exactly, and both always win
/// against the rest. Virtual draws pull at ratings, but not at results.
#[test]
fn a_bot_that_lost_everything_is_no_misfit() {
    let good = "1 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5";
    let (weak, lost) = ("3 ".repeat(20), "0 ".repeat(20));
    let bots = [
        ("good", good),
        ("weak", &weak),
        ("lost", &lost),
        ("too", &lost),
    ];
    for seats in 1..=4 {
        let bots = &bots[..seats.max(3)];
        let folder = write(seats, "format = \"round-robin\"\ngames = 200", 20, bots);
        let told = played(folder.path());
        assert!(told.contains("virtual draws"), "{seats}: {told}");
        assert!(!told.contains("doesn't fit"), "{seats}: {told}");
    }
}

/// Each of three bots wins two units in three against the next one.
#[test]
fn a_cycle_is_a_misfit_beside_a_bot_that_lost_everything() {
    let bots = [
        ("rock", "3 1 2"),
        ("paper", "2 3 1"),
        ("scissors", "1 2 3"),
        ("lost", "0 0 0"),
    ];
    for seats in 1..=4 {
        let folder = write(seats, "format = \"round-robin\"\ngames = 240", 3, &bots);
        let told = played(folder.path());
        let said = told.matches("one rating per bot doesn't fit: ").count();
        assert_eq!(said, 2, "{seats}: {told}");
        let groups = &summary(&folder.path().join("results/run"))["games"][0]["groups"];
        assert_eq!(groups.as_array().unwrap().len(), 2, "{seats}: {groups}");
    }
}

/// A text without the marks of Markdown and HTML.
fn plain(text: &str) -> String {
    let parts = text.split('<').enumerate();
    let untagged = parts.map(|(at, part)| match part.split_once('>') {
        Some((_, rest)) if at > 0 => rest,
        _ => part,
    });
    let words = untagged
        .collect::<String>()
        .replace("**", "")
        .replace('\\', "");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What each report says of `results/run`, and its page.
fn answers(folder: &Path) -> Vec<String> {
    let report = |args: &[&str]| {
        let out = arena(folder, &[&["report", "results/run"], args].concat());
        out.status(0);
        stdout(&out)
    };
    let mut told = vec![
        report(&[]),
        report(&["--markdown", "-"]),
        report(&["--html", "-"]),
    ];
    for told in &mut told {
        *told = plain(told);
    }
    told
}

/// Nobody is named first of bots that are level, and no bot is placed before it has a whole unit.
#[test]
fn bots_that_are_level_have_no_first() {
    let (three, four, top, rest) = (
        "all 3 bots are level",
        "all 4 bots are level",
        "level with too",
        "level with 5 others",
    );
    let nothing = "nothing is known until a unit is complete";
    for (run, scores, games, words, ranks) in [
        ("round-robin", "333", None, three, "111"),
        ("gauntlet", "333", None, three, "111"),
        ("round-robin", "0000", None, four, "1111"),
        ("gauntlet", "7777", None, four, "1111"),
        ("round-robin", "551", None, top, "113"),
        ("round-robin", "5555551", None, rest, "1111117"),
        ("gauntlet", "333", Some(1), nothing, "111"),
        ("round-robin", "333", Some(1), nothing, "111"),
        ("round-robin", "33", Some(1), nothing, "11"),
        ("gauntlet", "31", Some(1), nothing, "11"),
    ] {
        // Groups of four of seven bots don't meet equally often.
        let most = if scores.len() > 6 { 2 } else { 4 };
        for seats in 1..=most.min(scores.len()) {
            let answers: Vec<String> = scores.chars().map(String::from).collect();
            let names = ["own", "too", "c", "d", "e", "f", "g"];
            let bots: Vec<(&str, &str)> = names
                .into_iter()
                .zip(answers.iter().map(String::as_str))
                .collect();
            let run = format!("format = \"{run}\"\ngames = {}", 2 * bots.len() * seats);
            let folder = write(seats, &run, 1, &bots);
            let path = folder.path();
            let out = arena(path, &["run", "run.toml", "--quiet"]);
            let results = path.join("results/run");
            assert!(results.exists(), "{}", said(&out));
            if let Some(games) = games {
                for (name, lines) in [("records.jsonl", games), ("games.csv", 1 + games)] {
                    let file = fs::read_to_string(results.join(name)).unwrap();
                    let kept: Vec<&str> = file.split_inclusive('\n').take(lines).collect();
                    fs::write(results.join(name), kept.concat()).unwrap();
                }
                fs::remove_file(results.join("summary.json")).unwrap();
            }
            let place = format!("{run}, {scores}, {seats} seats");
            for told in self::answers(path) {
                assert!(told.contains(words), "{place}: {told}");
                let is_placed = [" is first:", " is 1st of ", "stronger than the second"];
                let is_placed = is_placed.iter().any(|claim| told.contains(claim));
                assert!(!is_placed, "{place}: {told}");
            }
            let bots = summary(&results)["games"][0]["bots"].clone();
            let found: String = bots
                .as_array()
                .unwrap()
                .iter()
                .map(|bot| bot["rank"].to_string())
                .collect();
            assert_eq!(found, ranks, "{place}: {bots}");
        }
    }
}

/// The score of a challenger says something new only if its opponents meet each other.
#[test]
fn a_challenger_has_a_column_where_it_says_something() {
    for (seats, is_shown) in [(1, true), (2, false), (3, true), (4, true)] {
        let bots = [("own", "3"), ("b", "2"), ("c", "4"), ("d", "1")];
        let folder = write(seats, "format = \"gauntlet\"\ngames = 24", 1, &bots);
        let told = played(folder.path());
        assert_eq!(
            told.contains("challenger's score"),
            is_shown,
            "{seats}: {told}"
        );
        assert!(
            told.contains("own is 2nd of 4: 100.0% against b"),
            "{seats}: {told}"
        );
    }
}

/// Many bots that start one program are a few names and a number.
#[test]
fn many_names_of_one_program_are_counted() {
    for (count, words) in [
        (3, "b0 and b1 and b2 are the same program"),
        (4, "b0 and b1 and b2 and b3 are the same program"),
        (5, "b0, b1, b2 and 2 others are the same program"),
        (60, "b0, b1, b2 and 57 others are the same program"),
    ] {
        let names: Vec<String> = (0..count).map(|at| format!("b{at}")).collect();
        let bots: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "1")).collect();
        let folder = write(2, "format = \"gauntlet\"\ngames = 2", 1, &bots);
        let told = played(folder.path());
        assert!(told.contains(words), "{count}: {told}");
        let longest = told.lines().map(str::len).max();
        assert!(longest < Some(600), "{count}: {told}");
    }
}

/// Two names of one program: the fact stands beside every number, whatever the kind of the match.
#[test]
fn what_one_program_has_under_two_names_is_luck() {
    let bots = [("new", "1 5 2 4 3"), ("old", "1 5 2 4 3")];
    let test = "format = \"sprt\"\n[sprt]\nmax_units = 6\n";
    let match_ = "format = \"round-robin\"\ngames = 12";
    for (seats, run) in (1..=4).flat_map(|seats| [(seats, match_), (seats, test)]) {
        let design = if seats > 2 {
            "design = \"mirror\"\n"
        } else {
            ""
        };
        let folder = write(seats, &format!("{design}{run}"), 5, &bots);
        let path = folder.path();
        let run_said = arena(path, &["run", "run.toml", "--quiet"]);
        assert!(path.join("results/run").exists(), "{}", said(&run_said));
        let mut told = vec![stdout(&run_said)];
        for words in [
            &["report", "results/run"][..],
            &["report", "results/run", "--markdown", "-"],
            &["elo", "results/run"],
            &["rate", "results/run"],
        ] {
            told.push(stdout(&arena(path, words)));
        }
        arena(path, &["report", "results/run", "--junit", "run.xml"]);
        for file in ["run.xml", "results/run/report.html"] {
            told.push(fs::read_to_string(path.join(file)).unwrap());
        }
        for told in told {
            let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains("the same program"), "{seats} {run}: {told}");
        }
        let twins = serde_json::json!([["new", "old"]]);
        assert_eq!(
            summary(&path.join("results/run"))["games"][0]["same_program"],
            twins
        );
    }
}

/// Twelve values that change nothing but luck: the truth is 0 Elo. By luck, the best is more than
/// 1.96 standard errors ahead, which an interval for one look at one variant excludes.
#[test]
fn the_interval_of_the_best_of_many_variants_holds() {
    for seats in 1..=4 {
        let folder = write(seats, "format = \"sweep\"", 65537, &[]);
        let path = folder.path().join("run.toml");
        let config = fs::read_to_string(&path).unwrap();
        let answers = ["$(( (n * ({key} * 7919 + 13) % 65537) % 3 ))", "1"];
        let [own, other] = answers.map(|answer| format!("while read n; do echo {answer}; done"));
        let more = format!(
            "[sweep]\nbot = \"own\"\nblock = 16\nmax_units = 48\nvalues = {{ key = {{ min = 1, max = 12, step = 1 }} }}\n\
             [[bot]]\nname = \"own\"\ncommand = [\"sh\", \"-c\", {own:?}]\n\
             [[bot]]\nname = \"other\"\ncommand = [\"sh\", \"-c\", {other:?}]\n"
        );
        fs::write(&path, config.replace("seed = 7", "seed = 1") + &more).unwrap();
        let run = arena(folder.path(), &["run", "run.toml"]);
        let sweep = &summary(&folder.path().join("results/run"))["sweep"];
        let number = |value: &Value| value.as_f64().unwrap();
        let error = number(&sweep["luck_elo"]) / number(&sweep["luck_of_the_best"]);
        let against = &sweep["leader_against"][0];
        assert!(number(&against["elo"]) > 1.96 * error, "{seats}: {sweep}");
        let mut told = vec![("leader_against", against.clone())];
        let variants = sweep["variants"].as_array().unwrap();
        told.extend(variants.iter().map(|variant| ("variants", variant.clone())));
        let mut file = csv::Reader::from_path(folder.path().join("results/run/sweep.csv")).unwrap();
        let rows = file.deserialize().map(Result::unwrap);
        told.extend(rows.map(|row: Map<_, _>| ("sweep.csv", row.into())));
        assert_eq!(told.len(), 1 + 2 * 12);
        for (place, row) in told {
            let ends = [&row["lo95"], &row["hi95"]].map(number);
            assert!(ends[0] < 0.0 && ends[1] > 0.0, "{seats}, {place}: {row}");
        }
        for report in ["--markdown", "--html", "--text"] {
            let told = match report {
                "--text" => stdout(&run),
                _ => stdout(&arena(
                    folder.path(),
                    &["report", "results/run", report, "-"],
                )),
            };
            let ends =
                [&against["lo95"], &against["hi95"]].map(|end| format!("{:+.1}", number(end)));
            assert!(told.contains(&ends.join(", ")), "{seats}: {ends:?} {told}");
            assert!(
                told.contains("95% for all intervals together at every look"),
                "{told}"
            );
        }
    }
}

/// The mark of a lower end is explained where it is shown: with few games nothing is that low.
#[test]
fn a_bot_that_won_everything_has_a_lower_end_or_none() {
    for (won, shown, is_low) in [(20, "> +286.6", true), (2, "won all", false)] {
        let folder = tempfile::tempdir().unwrap();
        let table = format!("first,second,wins,draws,losses\na,b,{won},0,0\n");
        fs::write(folder.path().join("table.csv"), table).unwrap();
        let told = stdout(&arena(folder.path(), &["rate", "table.csv"]));
        assert!(told.contains(shown), "{told}");
        assert_eq!(told.contains("> everything was won"), is_low, "{told}");
    }
}
