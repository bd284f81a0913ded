//! Doubts about numbers, in games of one, two, three and four seats.

use std::path::Path;

use serde_json::Value;

use crate::alone::{cut, write_config};
use crate::programs::{
    Folder, Said as _, csv_rows, has, line, new_folder, read, said, stdout, summary, table, write,
};

/// Writes `run.toml`: bots whose answers are their scores, given the seed modulo `modulo`.
fn ground(seats: usize, run: &str, modulo: u32, bots: &[(&str, &str)]) -> Folder {
    let script = |answers| format!("while read n; do set -- {answers}; shift $n; echo $1; done");
    let scripts: Vec<String> = bots.iter().map(|(_, answers)| script(answers)).collect();
    let mut scripted = Vec::new();
    for ((name, _), script) in bots.iter().zip(&scripts) {
        scripted.push((*name, script.as_str()));
    }
    let game = format!("seats = {seats}\noptions = {{ modulo = \"{modulo}\" }}");
    let folder = new_folder();
    write_config(&folder, run, &game, "", &scripted);
    folder
}

/// Plays `run.toml`, and returns all words about it.
fn played(folder: &Path) -> String {
    let run = line(folder, "run run.toml --verbose");
    run.status(0);
    said(&run) + &stdout(&line(folder, "rate results/run"))
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
        let folder = &ground(seats, "format = \"round-robin\"\ngames = 200", 20, bots);
        let told = played(folder);
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
        let folder = &ground(seats, "format = \"round-robin\"\ngames = 240", 3, &bots);
        let told = played(folder);
        let said = told.matches("one rating per bot doesn't fit: ").count();
        assert_eq!(said, 2, "{seats}: {told}");
        let groups = &summary(&folder.join("results/run"))["games"][0]["groups"];
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

/// Nobody is named first of bots that are level, and no bot is placed before it has a whole unit.
#[test]
fn bots_that_are_level_have_no_first() {
    for [format, scores, games, words, ranks] in table(
        "
        round-robin | 333 | all | all 3 bots are level | 111
        gauntlet | 333 | all | all 3 bots are level | 111
        round-robin | 0000 | all | all 4 bots are level | 1111
        gauntlet | 7777 | all | all 4 bots are level | 1111
        round-robin | 551 | all | level with too | 113
        round-robin | 5555551 | all | level with 5 others | 1111117
        gauntlet | 333 | 1 | nothing is known until a unit is complete | 111
        round-robin | 333 | 1 | nothing is known until a unit is complete | 111
        round-robin | 33 | 1 | nothing is known until a unit is complete | 11
        gauntlet | 31 | 1 | nothing is known until a unit is complete | 11
        ",
    ) {
        // Groups of four of seven bots don't meet equally often.
        let most = if scores.len() > 6 { 2 } else { 4 };
        for seats in 1..=most.min(scores.len()) {
            let names = ["own", "too", "c", "d", "e", "f", "g"];
            let mut bots = Vec::new();
            for (at, name) in names.into_iter().enumerate().take(scores.len()) {
                bots.push((name, &scores[at..=at]));
            }
            let run = format!("format = \"{format}\"\ngames = {}", 2 * bots.len() * seats);
            let folder = &ground(seats, &run, 1, &bots);
            let out = line(folder, "run run.toml --quiet");
            let results = &folder.join("results/run");
            assert!(results.exists(), "{}", said(&out));
            if games != "all" {
                cut(results, games.parse().unwrap());
            }
            let place = format!("{run}, {scores}, {seats} seats");
            for flags in ["", "--markdown -", "--html -"] {
                let out = line(folder, &format!("report results/run {flags}"));
                out.status(0);
                let told = plain(&stdout(&out));
                assert!(told.contains(words), "{place}: {told}");
                for claim in [" is first:", " is 1st of ", "stronger than the second"] {
                    assert!(!told.contains(claim), "{place}: {told}");
                }
            }
            let bots = summary(results)["games"][0]["bots"].clone();
            let bots = bots.as_array().unwrap().iter();
            let found: String = bots.map(|bot| bot["rank"].to_string()).collect();
            assert_eq!(found, ranks, "{place}");
        }
    }
}

/// The score of a challenger says something new only if its opponents meet each other.
#[test]
fn a_challenger_has_a_column_where_it_says_something() {
    for (seats, is_shown) in [(1, true), (2, false), (3, true), (4, true)] {
        let bots = [("own", "3"), ("b", "2"), ("c", "4"), ("d", "1")];
        let folder = &ground(seats, "format = \"gauntlet\"\ngames = 24", 1, &bots);
        let told = played(folder);
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
        let folder = &ground(2, "format = \"gauntlet\"\ngames = 2", 1, &bots);
        let told = played(folder);
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
        let folder = &ground(seats, &format!("{design}{run}"), 5, &bots);
        let played = line(folder, "run run.toml --quiet");
        let results = &folder.join("results/run");
        assert!(results.exists(), "{}", said(&played));
        line(folder, "report results/run --junit run.xml");
        let told = |args: &str| stdout(&line(folder, args));
        for told in [
            stdout(&played),
            told("report results/run"),
            told("report results/run --markdown -"),
            told("elo results/run"),
            told("rate results/run"),
            read(folder, "run.xml"),
            read(results, "report.html"),
        ] {
            let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains("the same program"), "{seats} {run}: {told}");
        }
        let twins = serde_json::json!([["new", "old"]]);
        assert_eq!(summary(results)["games"][0]["same_program"], twins);
    }
}

/// Twelve values that change nothing but luck: the truth is 0 Elo. By luck, the best is more than
/// 1.96 standard errors ahead, which an interval for one look at one variant excludes.
#[test]
fn the_interval_of_the_best_of_many_variants_holds() {
    for seats in 1..=4 {
        let folder = &ground(seats, "format = \"sweep\"", 65537, &[]);
        let config = read(folder, "run.toml").replace("seed = 7", "seed = 1");
        let answers = ["$(( (n * ({key} * 7919 + 13) % 65537) % 3 ))", "1"];
        let [own, other] = answers.map(|answer| format!("while read n; do echo {answer}; done"));
        let more = format!(
            "[sweep]\nbot = \"own\"\nblock = 16\nmax_units = 48\nvalues = {{ key = {{ min = 1, max = 12, step = 1 }} }}\n\
             [[bot]]\nname = \"own\"\ncommand = [\"sh\", \"-c\", {own:?}]\n\
             [[bot]]\nname = \"other\"\ncommand = [\"sh\", \"-c\", {other:?}]\n"
        );
        write(folder, "run.toml", config + &more);
        let played = line(folder, "run run.toml");
        let run = &folder.join("results/run");
        let sweep = &summary(run)["sweep"];
        let number = |value: &Value| value.as_f64().unwrap();
        let error = number(&sweep["luck_elo"]) / number(&sweep["luck_of_the_best"]);
        let against = &sweep["leader_against"][0];
        assert!(number(&against["elo"]) > 1.96 * error, "{seats}: {sweep}");
        let ends = |row: &Value| [&row["lo95"], &row["hi95"]].map(number);
        let mut intervals = vec![ends(against)];
        intervals.extend(sweep["variants"].as_array().unwrap().iter().map(ends));
        for row in csv_rows(run, "sweep.csv") {
            intervals.push(["lo95", "hi95"].map(|end| row[end].parse().unwrap()));
        }
        assert_eq!(intervals.len(), 1 + 2 * 12);
        for [low, high] in intervals {
            assert!(low < 0.0 && high > 0.0, "{seats}, {low} to {high}: {sweep}");
        }
        let interval = ends(against).map(|end| format!("{end:+.1}")).join(", ");
        for told in [
            stdout(&played),
            stdout(&line(folder, "report results/run --markdown -")),
            stdout(&line(folder, "report results/run --html -")),
        ] {
            has(&told, &interval);
            has(&told, "95% for all intervals together at every look");
        }
    }
}

/// The mark of a lower end is explained where it is shown: with few games nothing is that low.
#[test]
fn a_bot_that_won_everything_has_a_lower_end_or_none() {
    for (won, shown, is_low) in [(20, "> +286.6", true), (2, "won all", false)] {
        let folder = &new_folder();
        let results = format!("first,second,wins,draws,losses\na,b,{won},0,0\n");
        write(folder, "table.csv", results);
        let told = stdout(&line(folder, "rate table.csv"));
        has(&told, shown);
        assert_eq!(told.contains("> everything was won"), is_low, "{told}");
    }
}
