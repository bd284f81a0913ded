//! `arena rate`: a run by itself, and tables of counts. `src/results/tests.rs` has the statistics
//! of several runs.

use std::path::Path;

use serde_json::Value;

use published::{golden, source};

use crate::programs::{
    Folder, PATIENT, Said as _, check_rows, has, in_project, json, line, new_folder, stdout,
    summary, write,
};

#[expect(dead_code, reason = "shared with the tests of the statistics")]
#[path = "../../crates/stats/tests/it/published.rs"]
mod published;

const HEADER: &str = "first,second,wins,draws,losses";

/// What `arena rate` prints as JSON.
fn rate(folder: &Path, args: &str) -> Value {
    json(line(folder, &format!("rate {args} --json")).status(0))
}

/// A folder with these rows of counts in `table.csv`.
fn table(rows: &str) -> Folder {
    let folder = new_folder();
    write(&folder, "table.csv", format!("{HEADER}\n{rows}\n"));
    folder
}

fn bot<'a>(rated: &'a Value, name: &str) -> &'a Value {
    let mut bots = rated["games"][0]["bots"].as_array().unwrap().iter();
    bots.find(|bot| bot["name"] == name).unwrap()
}

fn elo(rated: &Value, name: &str) -> f64 {
    bot(rated, name)["elo"].as_f64().unwrap()
}

#[track_caller]
fn near(value: &Value, expected: f64, tolerance: f64) {
    let Some(actual) = value.as_f64() else {
        panic!("{value} is no number")
    };
    let is_near = (actual - expected).abs() <= tolerance;
    assert!(is_near, "{actual} instead of {expected}");
}

/// b beat a, and is ranked below it because c lost far more to a. One rating per bot can't say so.
#[test]
fn results_that_one_rating_per_bot_does_not_fit_are_named() {
    let folder = &table("a,b,90,0,110\na,c,190,0,10\nb,c,120,0,80");
    line(folder, "rate table.csv")
        .contains("one rating per bot doesn't fit: b took 55.0% from a, the ratings say 40.7% (100 Elo apart)")
        .contains("LOS of neighbours in the table that don't fit comes from their own games");
    let rated = rate(folder, "table.csv");
    let misfits = rated["games"][0]["misfits"].as_array().unwrap();
    let names = |misfit: &Value| format!("{} {}", misfit["first"], misfit["second"]);
    let names: Vec<String> = misfits.iter().map(names).collect();
    assert_eq!(names, [r#""b" "a""#, r#""a" "c""#, r#""c" "b""#]);
    near(&misfits[0]["score"], 0.55, 1e-12);
    near(&misfits[0]["expected"], 0.407, 5e-4);
    near(&misfits[0]["elo_apart"], 99.9, 0.05);
    // a scored 45% against b in 200 games: that has its LOS, not the difference of the ratings.
    let own = json(&line(folder, "elo --json --wdl 90,0,110"));
    let los = own["los"].as_f64().unwrap();
    near(&bot(&rated, "a")["los_next"], los, 1e-12);
    near(&rated["games"][0]["los_matrix"][1][0], 1.0 - los, 1e-12);
}

/// new beat old and lost to none, so only virtual draws say how far it is ahead.
#[test]
fn bots_that_are_not_connected_have_no_los() {
    let folder = &table("new,old,20,0,0\nold,older,12,3,5");
    let rated = rate(folder, "table.csv");
    assert_eq!(bot(&rated, "new")["los_next"], Value::Null);
    near(&bot(&rated, "old")["los_next"], 0.92, 0.02);
    let los = &rated["games"][0]["los_matrix"];
    assert_eq!([&los[0][1], &los[2][0]], [&Value::Null; 2]);
    near(&los[2][1], 0.08, 0.02);
}

/// `rate` shows the interval and likelihood of superiority of a match of two bots as its run does.
#[test]
fn two_bots_have_one_interval_and_one_los() {
    for counts in ["31,12,20", "20,12,31", "10,0,0", "0,7,0"] {
        let folder = &table(&format!("b,a,{counts}"));
        let of_match = json(&line(folder, &format!("elo --json --wdl {counts}")));
        let is_finite = of_match["elo"].is_f64();
        let rated = rate(folder, "table.csv");
        let is_first = rated["games"][0]["bots"][0]["name"] == "b";
        let los = of_match["los"].as_f64().unwrap();
        let los = if is_first { los } else { 1.0 - los };
        near(&rated["games"][0]["los_matrix"][0][1], los, 1e-12);
        let anchored = rate(folder, "table.csv --anchor a=0");
        for end in ["lo95", "hi95"] {
            if is_finite && let Some(of_match) = of_match[end].as_f64() {
                near(&bot(&anchored, "b")[end], of_match, 1e-6);
                near(&bot(&rated, "b")[end], of_match / 2.0, 1e-6);
                assert_eq!(bot(&anchored, "a")["error95"], 0.0);
            }
        }
        if is_first {
            let of_elo = stdout(&line(folder, "elo table.csv --between b a"));
            let interval = of_elo.split(['[', ']']).nth(1);
            let shown = if is_finite {
                interval.unwrap_or("> ")
            } else {
                "> "
            };
            has(&stdout(&line(folder, "rate table.csv")), shown);
        }
    }
}

#[test]
fn a_run_is_rated_as_it_was_by_itself() {
    let run = &in_project("results/example");
    let (summary, rated) = (summary(run), rate(run, "."));
    let (own, ours) = (&summary["games"][0], &rated["games"][0]);
    for key in ["units", "games"] {
        assert_eq!(own[key], ours[key], "{key}");
    }
    for expected in own["bots"].as_array().unwrap() {
        let bot = bot(&rated, expected["name"].as_str().unwrap());
        for key in ["mark", "provisional"] {
            assert_eq!(bot[key], expected[key], "{key}");
        }
        for key in ["elo", "score", "lo95", "hi95"] {
            if bot["mark"].is_null() || key == "score" {
                near(&bot[key], expected[key].as_f64().unwrap(), 1e-9);
            }
        }
    }
}

/// Anchors at their fitted ratings move nothing; other anchors move the bots between them.
#[test]
fn several_anchors_hold_the_level() {
    let folder = &table("a,b,60,10,30\nb,c,55,10,35\na,c,70,10,20");
    let free = rate(folder, "table.csv");
    let [a, c] = ["a", "c"].map(|name| 100.0 + elo(&free, name));
    let anchors = format!("table.csv --anchor a={a} --anchor c={c}");
    let held = rate(folder, &anchors);
    near(&bot(&held, "b")["elo"], 100.0 + elo(&free, "b"), 1e-6);
    for name in ["a", "c"] {
        assert_eq!(bot(&held, name)["error95"], 0.0);
    }
    assert!(bot(&held, "b")["error95"].as_f64() > Some(10.0));
    let apart = rate(folder, "table.csv --anchor a=300 --anchor c=-300");
    assert!((-300.0..300.0).contains(&elo(&apart, "b")));
    assert_eq!(bot(&apart, "a")["elo"], 300.0);
    assert_eq!(bot(&apart, "c")["elo"], -300.0);
    let text = stdout(&line(folder, &format!("rate {anchors}")));
    assert_eq!(text.matches(" anchor ").count(), 2, "{text}");
}

#[test]
fn tables_of_counts_are_rated_as_published() {
    for entry in &golden("ratings") {
        if !source(entry).starts_with("spec") {
            continue;
        }
        let rows = entry["crosstable"].as_array().unwrap().iter();
        let rows: Vec<String> = rows.map(ToString::to_string).collect();
        let folder = &table(&rows.join("\n").replace(['[', ']'], ""));
        let options = &entry["options"];
        let average = options["average"].as_f64().unwrap();
        let (mut args, mut mean) = ("table.csv".to_owned(), average);
        if let Some(name) = options["anchor"].as_str() {
            args = format!("table.csv --anchor '{name}={average}'");
            mean = 0.0;
        }
        if options["white_auto"] == true {
            args += " --first-advantage";
        }
        let rated = rate(folder, &args);
        for (name, elo) in entry["ratings"].as_object().unwrap() {
            let expected = elo.as_f64().unwrap() - mean;
            near(&bot(&rated, name)["elo"], expected, 1e-4);
        }
        if let Some(advantage) = entry["first_player_advantage"].as_f64() {
            near(
                &rated["games"][0]["first_advantage"]["elo"],
                advantage,
                1e-4,
            );
        }
        line(folder, &format!("rate {args}")).status(0);
    }
}

/// Tables of counts: their names and lines, with `;` between them.
const FILES: &str = r#"
    other.csv | name,elo;a,3
    negative.csv | HEADER;a,b,1,2,-3
    short.csv | HEADER;a,b,1,2,3;a,b,1,2
    itself.csv | HEADER;a,a,1,2,3
    lacks.csv | first,second,wins,losses;a,b,1,2
    first.csv | HEADER;a,b,9,0,0;b,a,9,0,0
    good.csv | HEADER;"a, the first",b,1,0,2
    perfect.csv | HEADER;a,b,9,0,0
    groups.csv | HEADER;a,b,3,0,2;c,d,2,0,3;a,c,4,0,0
    windows.csv | HEADER;a,b,1,2,3;a,b,1,2,x
    blank.csv | ;HEADER;;a,b,1,2,x
    turned.csv | losses,Second,by whom,draws,first,wins;2,b,me,0,"a, the first",1
"#;

/// The tables in a folder.
fn files() -> Folder {
    let folder = new_folder();
    for [name, lines] in crate::programs::table::<2>(FILES) {
        let end = if name == "windows.csv" { "\r\n" } else { "\n" };
        let text = lines.replace("HEADER", HEADER) + ";";
        write(&folder, name, text.replace(';', end));
    }
    write(&folder, "packed.csv.gz", b"\x1f\x8b\x08");
    folder
}

#[test]
fn what_cannot_be_rated_is_refused_with_its_place() {
    check_rows(
        &files(),
        "
        rate other.csv | 3 | other.csv, line 1: expected the header
        rate negative.csv | 3 | line 2: column losses: expected a count, found `-3`
        rate short.csv | 3 | line 3
        rate itself.csv | 3 | expected two bots
        rate windows.csv | 3 | line 3: column losses: expected a count, found `x`
        rate blank.csv | 3 | line 4: column losses
        rate lacks.csv | 3 | the column `draws` is missing
        rate packed.csv.gz | 3 | it is compressed with gzip: unpack it first, with gunzip
        rate missing.csv | 3 | missing.csv
        rate first.csv --first-advantage | 3 | first player's advantage
        rate good.csv perfect.csv ./good.csv | 2 | can't count ./good.csv twice
        rate good.csv --anchor c=3 | 2 | a, the first, b
        rate good.csv --anchor b | 2 | as in search=1500
        rate good.csv --anchor b=inf | 2 | as in search=1500
        rate good.csv --anchor b=0 --anchor b=300 | 2 | anchor `b`: expected one rating, found several
        rate good.csv --mean nan | 2 | expected a number from -1000000 to 1000000
        rate good.csv --mean inf | 2 | expected a number from -1000000 to 1000000
        rate good.csv --mean -1e308 | 2 | expected a number from -1000000 to 1000000
        ",
    );
}

#[test]
fn columns_means_priors_and_anchors_are_heeded() {
    let folder = &files();
    let good = rate(folder, "good.csv");
    assert_eq!(rate(folder, "turned.csv"), good, "columns in any order");
    let mean = rate(folder, "good.csv --mean 1500");
    assert!((elo(&mean, "b") + elo(&mean, "a, the first") - 3000.0).abs() < 1e-9);
    let [half, one, two] = ["0.5", "1", "2"].map(|prior| {
        let rated = rate(folder, &format!("groups.csv --prior {prior}"));
        elo(&rated, "a")
    });
    assert!(half > one && one > two, "{half} {one} {two}");
    let perfect = rate(folder, "perfect.csv");
    assert!(bot(&perfect, "a")["elo"].is_null(), "{perfect}");
    let anchored = rate(folder, "good.csv --anchor b=-100.5");
    near(&bot(&anchored, "b")["elo"], -100.5, 1e-9);
}

/// What several runs share is said once, and isn't about pairings.
#[test]
fn seeds_that_runs_share_have_one_note() {
    let folder = &new_folder();
    let bots = "'a=arena bot onitama-greedy' 'b=arena bot onitama-random'";
    for out in ["one", "two"] {
        let flags = format!("--games 4 --seed 1 --out {out} --quiet {PATIENT}");
        line(folder, &format!("duel onitama {bots} {flags}")).status(0);
    }
    let told = stdout(&line(folder, "rate one two")).replace("\n  ", " ");
    has(&told, "one and two share 2 seeds: ");
    assert!(!told.contains("pairings share"), "{told}");
}
