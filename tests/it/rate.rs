//! `arena rate`: a run by itself, and tables of counts. `src/results/tests.rs` has the statistics of several runs.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use published::{golden, source};

use crate::duel::UNHURRIED;
use crate::programs::{self, arena};

#[expect(dead_code, reason = "shared with the tests of the statistics")]
#[path = "../../crates/stats/tests/it/published.rs"]
mod published;

fn rate(folder: &Path, args: &[&str]) -> Output {
    arena(folder, &[&["rate"], args].concat())
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = rate(folder, &[args, &["--json"]].concat());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn bot<'a>(rated: &'a Value, name: &str) -> &'a Value {
    rated["games"][0]["bots"]
        .as_array()
        .unwrap()
        .iter()
        .find(|bot| bot["name"] == name)
        .unwrap()
}

fn near(value: &Value, expected: f64, tolerance: f64) {
    let actual = value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"));
    assert!(
        (actual - expected).abs() <= tolerance,
        "{actual} instead of {expected}"
    );
}

/// b beat a, and is ranked below it because c lost far more to a. One rating per bot can't say so.
#[test]
fn results_that_one_rating_per_bot_does_not_fit_are_named() {
    let table = "first,second,wins,draws,losses\na,b,90,0,110\na,c,190,0,10\nb,c,120,0,80\n";
    let folder = folder(&[("cycle.csv", table)]);
    let told = rate(folder.path(), &["cycle.csv"]);
    let told = String::from_utf8(told.stdout).unwrap();
    let words = "one rating per bot doesn't fit: b took 55.0% from a, the ratings say 40.7% (100 Elo apart)";
    assert!(told.contains(words), "{told}");
    assert!(
        told.contains("LOS of neighbours in the table that don't fit comes from their own games"),
        "{told}"
    );
    let rated = json(folder.path(), &["cycle.csv"]);
    let misfits = rated["games"][0]["misfits"].as_array().unwrap();
    let names: Vec<_> = misfits
        .iter()
        .map(|misfit| (&misfit["first"], &misfit["second"]))
        .collect();
    let [a, b, c] = ["a", "b", "c"].map(Value::from);
    assert_eq!(names, [(&b, &a), (&a, &c), (&c, &b)]);
    near(&misfits[0]["score"], 0.55, 1e-12);
    near(&misfits[0]["expected"], 0.407, 5e-4);
    near(&misfits[0]["elo_apart"], 99.9, 0.05);
    // a scored 45% against b in 200 games: that has its LOS, not the difference of the ratings.
    let own = programs::program()
        .args(["elo", "--json", "--wdl", "90,0,110"])
        .output()
        .unwrap();
    let own: Value = serde_json::from_slice(&own.stdout).unwrap();
    near(
        &bot(&rated, "a")["los_next"],
        own["los"].as_f64().unwrap(),
        1e-12,
    );
    near(
        &rated["games"][0]["los"][1][0],
        1.0 - own["los"].as_f64().unwrap(),
        1e-12,
    );
}

/// new beat old and lost to none, so only virtual draws say how far it is ahead.
#[test]
fn bots_that_are_not_connected_have_no_los() {
    let table = "first,second,wins,draws,losses\nnew,old,20,0,0\nold,older,12,3,5\n";
    let folder = folder(&[("perfect.csv", table)]);
    let rated = json(folder.path(), &["perfect.csv"]);
    assert_eq!(bot(&rated, "new")["los_next"], Value::Null);
    near(&bot(&rated, "old")["los_next"], 0.92, 0.02);
    let los = &rated["games"][0]["los"];
    assert_eq!([&los[0][1], &los[2][0]], [&Value::Null; 2]);
    near(&los[2][1], 0.08, 0.02);
}

/// `rate` shows the interval and likelihood of superiority of a match of two bots as its run does.
#[test]
fn two_bots_have_one_interval_and_one_los() {
    for counts in ["31,12,20", "20,12,31", "10,0,0", "0,7,0"] {
        let table = folder(&[(
            "table.csv",
            &format!("first,second,wins,draws,losses\nb,a,{counts}\n"),
        )]);
        let elo = programs::program()
            .args(["elo", "--json", "--wdl", counts])
            .output()
            .unwrap();
        let of_match: Value = serde_json::from_slice(&elo.stdout).unwrap();
        let rated = json(table.path(), &["table.csv"]);
        let is_first = rated["games"][0]["bots"][0]["name"] == "b";
        let los = of_match["los"].as_f64().unwrap();
        near(
            &rated["games"][0]["los"][0][1],
            if is_first { los } else { 1.0 - los },
            1e-12,
        );
        let anchored = json(table.path(), &["table.csv", "--anchor", "a=0"]);
        for end in ["lo95", "hi95"] {
            if let Some(of_match) = of_match[end].as_f64().filter(|_| of_match["elo"].is_f64()) {
                near(&bot(&anchored, "b")[end], of_match, 1e-6);
                near(&bot(&rated, "b")[end], of_match / 2.0, 1e-6);
                assert_eq!(bot(&anchored, "a")["error95"], 0.0);
            }
        }
        let [told, of_elo] = [
            &["rate", "table.csv"][..],
            &["elo", "table.csv", "--between", "b", "a"],
        ]
        .map(|args| {
            let output = programs::program()
                .current_dir(table.path())
                .args(args)
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        });
        if is_first {
            let interval = of_elo
                .split(['[', ']'])
                .nth(1)
                .filter(|_| of_match["elo"].is_f64());
            assert!(told.contains(interval.unwrap_or("> ")), "{told}{of_elo}");
        }
    }
}

#[test]
fn a_run_is_rated_as_it_was_by_itself() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example");
    let summary: Value =
        serde_json::from_slice(&fs::read(here.join("summary.json")).unwrap()).unwrap();
    let rated = json(&here, &["."]);
    let (own, ours) = (&summary["games"][0], &rated["games"][0]);
    assert_eq!(
        (&own["units"], &own["games"]),
        (&ours["units"], &ours["games"])
    );
    for expected in own["bots"].as_array().unwrap() {
        let bot = bot(&rated, expected["name"].as_str().unwrap());
        let keys: &[&str] = if bot["mark"].is_null() {
            &["elo", "score", "lo95", "hi95"]
        } else {
            &["score"]
        };
        for key in keys {
            near(&bot[key], expected[key].as_f64().unwrap(), 1e-9);
        }
        assert_eq!(
            (&bot["mark"], &bot["provisional"]),
            (&expected["mark"], &expected["provisional"])
        );
    }
}

/// Anchors at their fitted ratings move nothing; other anchors move the bots between them.
#[test]
fn several_anchors_hold_the_level() {
    let header = "first,second,wins,draws,losses\n";
    let table = format!("{header}a,b,60,10,30\nb,c,55,10,35\na,c,70,10,20\n");
    let folder = folder(&[("table.csv", &table)]);
    let free = json(folder.path(), &["table.csv"]);
    let elo = |rated: &Value, name: &str| bot(rated, name)["elo"].as_f64().unwrap();
    let [a, c] = ["a", "c"].map(|name| format!("{name}={}", 100.0 + elo(&free, name)));
    let held = json(
        folder.path(),
        &["table.csv", "--anchor", &a, "--anchor", &c],
    );
    near(&bot(&held, "b")["elo"], 100.0 + elo(&free, "b"), 1e-6);
    for name in ["a", "c"] {
        assert_eq!(bot(&held, name)["error95"], 0.0);
    }
    assert!(bot(&held, "b")["error95"].as_f64() > Some(10.0));
    let apart = json(
        folder.path(),
        &["table.csv", "--anchor", "a=300", "--anchor", "c=-300"],
    );
    assert!((-300.0..300.0).contains(&elo(&apart, "b")));
    assert_eq!(
        (&bot(&apart, "a")["elo"], &bot(&apart, "c")["elo"]),
        (&300.0.into(), &(-300.0).into())
    );
    let text = String::from_utf8(
        rate(
            folder.path(),
            &["table.csv", "--anchor", &a, "--anchor", &c],
        )
        .stdout,
    )
    .unwrap();
    assert_eq!(text.matches(" anchor ").count(), 2, "{text}");
}

#[test]
fn tables_of_counts_are_rated_as_published() {
    for entry in golden("ratings")
        .iter()
        .filter(|entry| source(entry).starts_with("spec"))
    {
        let mut table = "first,second,wins,draws,losses\n".to_owned();
        for row in entry["crosstable"].as_array().unwrap() {
            let cells: Vec<String> = row
                .as_array()
                .unwrap()
                .iter()
                .map(ToString::to_string)
                .collect();
            table += &(cells.join(",") + "\n");
        }
        let folder = folder(&[("table.csv", &table)]);
        let options = &entry["options"];
        let average = options["average"].as_f64().unwrap();
        let anchor = options["anchor"]
            .as_str()
            .map(|name| format!("{name}={average}"));
        let mut args = vec!["table.csv"];
        args.extend(anchor.iter().flat_map(|anchor| ["--anchor", anchor]));
        args.extend((options["white_auto"] == true).then_some("--first-advantage"));
        let rated = json(folder.path(), &args);
        let mean = if anchor.is_some() { 0.0 } else { average };
        for (name, elo) in entry["ratings"].as_object().unwrap() {
            near(
                &bot(&rated, name)["elo"],
                elo.as_f64().unwrap() - mean,
                1e-4,
            );
        }
        if let Some(advantage) = entry["first_player_advantage"].as_f64() {
            near(&rated["games"][0]["first_player"]["elo"], advantage, 1e-4);
        }
        assert!(rate(folder.path(), &args).status.success());
    }
}

#[test]
fn what_cannot_be_rated_is_refused_with_its_place() {
    let header = "first,second,wins,draws,losses\n";
    let files = [
        ("other.csv", "name,elo\na,3\n".to_owned()),
        ("negative.csv", format!("{header}a,b,1,2,-3\n")),
        ("short.csv", format!("{header}a,b,1,2,3\na,b,1,2\n")),
        ("itself.csv", format!("{header}a,a,1,2,3\n")),
        (
            "lacks.csv",
            "first,second,wins,losses\na,b,1,2\n".to_owned(),
        ),
        ("first.csv", format!("{header}a,b,9,0,0\nb,a,9,0,0\n")),
        ("good.csv", format!("{header}\"a, the first\",b,1,0,2\n")),
        ("perfect.csv", format!("{header}a,b,9,0,0\n")),
        (
            "groups.csv",
            format!("{header}a,b,3,0,2\nc,d,2,0,3\na,c,4,0,0\n"),
        ),
        (
            "windows.csv",
            format!("{header}a,b,1,2,3\na,b,1,2,x\n").replace('\n', "\r\n"),
        ),
        ("blank.csv", format!("\n{header}\na,b,1,2,x\n")),
        (
            "turned.csv",
            "losses,Second,by whom,draws,first,wins\n2,b,me,0,\"a, the first\",1\n".to_owned(),
        ),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let folder = folder(&files);
    fs::write(folder.path().join("packed.csv.gz"), b"\x1f\x8b\x08").unwrap();
    for (args, code, words) in [
        (
            &["other.csv"][..],
            3,
            "other.csv, line 1: expected the header",
        ),
        (
            &["negative.csv"],
            3,
            "line 2: column losses: expected a count, found `-3`",
        ),
        (&["short.csv"], 3, "line 3"),
        (&["itself.csv"], 3, "expected two bots"),
        (
            &["windows.csv"],
            3,
            "line 3: column losses: expected a count, found `x`",
        ),
        (&["blank.csv"], 3, "line 4: column losses"),
        (&["lacks.csv"], 3, "the column `draws` is missing"),
        (
            &["packed.csv.gz"],
            3,
            "it is compressed with gzip: unpack it first, with gunzip",
        ),
        (&["missing.csv"], 3, "missing.csv"),
        (
            &["first.csv", "--first-advantage"],
            3,
            "first player's advantage",
        ),
        (
            &["good.csv", "perfect.csv", "./good.csv"],
            2,
            "can't count ./good.csv twice",
        ),
        (&["good.csv", "--anchor", "c=3"], 2, "a, the first, b"),
        (&["good.csv", "--anchor", "b"], 2, "as in search=1500"),
        (&["good.csv", "--anchor", "b=inf"], 2, "as in search=1500"),
        (
            &["good.csv", "--anchor", "b=0", "--anchor", "b=300"],
            2,
            "anchor `b`: expected one rating, found several",
        ),
        (
            &["good.csv", "--mean", "nan"],
            2,
            "expected a number from -1000000 to 1000000",
        ),
        (
            &["good.csv", "--mean", "inf"],
            2,
            "expected a number from -1000000 to 1000000",
        ),
        (
            &["good.csv", "--mean", "-1e308"],
            2,
            "expected a number from -1000000 to 1000000",
        ),
    ] {
        let output = rate(folder.path(), args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(words), "{args:?}: {error}");
    }
    assert_eq!(
        json(folder.path(), &["turned.csv"]),
        json(folder.path(), &["good.csv"]),
        "columns in any order"
    );
    let mean = json(folder.path(), &["good.csv", "--mean", "1500"]);
    let elo = |name: &str| bot(&mean, name)["elo"].as_f64().unwrap();
    assert!((elo("b") + elo("a, the first") - 3000.0).abs() < 1e-9);
    let of_better_group = |prior: &str| {
        let rated = json(folder.path(), &["groups.csv", "--prior", prior]);
        bot(&rated, "a")["elo"].as_f64().unwrap()
    };
    assert!(of_better_group("0.5") > of_better_group("1"));
    assert!(of_better_group("1") > of_better_group("2"));
    let perfect = json(folder.path(), &["perfect.csv"]);
    assert!(bot(&perfect, "a")["elo"].is_null(), "{perfect}");
    let anchored = json(folder.path(), &["good.csv", "--anchor", "b=-100.5"]);
    near(&bot(&anchored, "b")["elo"], -100.5, 1e-9);
}

/// What several runs share is said once, and isn't about pairings.
#[test]
fn seeds_that_runs_share_have_one_note() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bots = ["a=arena bot onitama-greedy", "b=arena bot onitama-random"];
    for out in ["one", "two"] {
        let flags = ["--games", "4", "--seed", "1", "--out", out, "--quiet"];
        let args = [&["duel", "onitama"][..], &bots, &flags, &UNHURRIED].concat();
        let played = arena(folder, &args);
        assert!(played.status.success(), "{}", programs::said(&played));
    }
    let told = rate(folder, &["one", "two"]);
    let told = String::from_utf8(told.stdout).unwrap().replace("\n  ", " ");
    assert!(
        told.contains("one and two share 2 seeds: ") && !told.contains("pairings share"),
        "{told}"
    );
}
