//! `arena elo` and `arena sprt` as programs call them.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::programs::{self, Said as _, arena};

fn calculated(args: &str) -> Output {
    let args: Vec<&str> = args.split_whitespace().collect();
    arena(Path::new("."), &args)
}

fn json(args: &str, code: i32) -> Value {
    let output = calculated(args);
    output.status(code);
    serde_json::from_slice(&output.stdout).unwrap()
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

#[test]
fn elo_in_json() {
    let result = json("elo --wdl 136,111,96 --json", 0);
    near(&result["elo"], 40.70, 0.005);
    near(&result["lo95"], 10.35, 0.005);
    near(&result["hi95"], 71.05, 0.005);
    near(&result["los"], 0.9957, 5e-5);
    // Wins come first on the command line, and last in JSON.
    assert_eq!(result["counts"], serde_json::json!([96, 111, 136]));
    let won = json("elo --json --wdl=10,0,0", 0);
    assert!(won["elo"].is_null() && won["hi95"].is_null() && won["pairs_ratio"].is_null());
    near(&won["lo95"], 166.2, 0.05);
    let none = json("elo --wdl 0,0,0 --json", 0);
    assert_eq!(
        (&none["units"], &none["elo"], &none["lo95"], &none["los"]),
        (&0.into(), &Value::Null, &Value::Null, &Value::Null)
    );
}

#[test]
fn units_are_given_as_pairs_or_by_their_scores() {
    let pairs = json("sprt --penta 34,54,63,64,75 --json", 4);
    let values = json(
        "sprt --values 0,0.25,1/2,0.75,1 --counts 34,54,63,64,75 --games-per-unit 2 --json",
        4,
    );
    let spaced = json(
        "sprt --values 0 0.25 0.5 0.75 1 --counts 34 54 63 64 75 --games-per-unit 2 --json",
        4,
    );
    near(&pairs["elo"], 55.6, 0.05);
    for key in ["elo", "lo95", "hi95", "nelo", "n_eff"] {
        near(&values[key], pairs[key].as_f64().unwrap(), 1e-9);
        assert_eq!(values[key], spaced[key]);
    }
}

/// Names may have commas and begin like options.
#[test]
fn bots_are_named_whatever_they_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table.csv");
    let rows = [
        "first,second,wins,draws,losses",
        "\"a, b\",-c,7,0,3",
        "\"a, b\",d,1,1,1",
        "",
    ];
    std::fs::write(&table, rows.join("\n")).unwrap();
    for (between, score) in [
        (["a, b", "-c"], 0.7),
        (["-c", "a, b"], 0.3),
        (["d", "a, b"], 0.5),
    ] {
        let mut command = programs::program();
        let output = command
            .args(["elo", "--json", "--between"])
            .args(between)
            .arg(&table)
            .output()
            .unwrap();
        output.status(0);
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        near(&result["score"], score, 1e-12);
    }
}

/// Runs are read as reports tell them, from either side.
#[test]
fn runs_are_results() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/results/example");
    let summary: Value =
        serde_json::from_slice(&std::fs::read(format!("{run}/summary.json")).unwrap()).unwrap();
    let pairings = summary["games"][0]["pairings"].as_array().unwrap();
    let met = pairings
        .iter()
        .find(|met| met["elo"]["elo"].is_number() && met["elo"]["lo95"].is_number())
        .unwrap();
    let [one, other] = ["first", "second"].map(|side| met[side].as_str().unwrap());
    let (own, turned) = (
        json(&format!("elo {run} --between {one} {other} --json"), 0),
        format!("{other} {one}"),
    );
    let theirs = json(&format!("elo {run} --between {turned} --json"), 0);
    for key in ["elo", "lo95", "hi95"] {
        near(&own[key], met["elo"][key].as_f64().unwrap(), 1e-9);
    }
    near(&theirs["elo"], -own["elo"].as_f64().unwrap(), 1e-9);
    let tested = json(&format!("sprt {run} --between {one} {other} --json"), 4);
    assert_eq!(tested["units"], own["units"]);
    assert!(tested["length"]["variance"].as_f64().unwrap() > 0.0);
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("table.csv");
    std::fs::write(&empty, "first,second,wins,draws,losses\n").unwrap();
    for (args, said) in [
        (format!("elo {}", empty.display()), "it has no games"),
        (format!("elo {run}"), "hint: --between "),
        (
            format!("elo {run} --between {one} nobody"),
            "it has no bot `nobody`; its bots are",
        ),
        ("elo no-such-run".to_owned(), "no-such-run"),
    ] {
        let output = calculated(&args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(3) && error.contains(said),
            "{args}: {error}"
        );
    }
}

#[test]
fn sequential_tests_in_json_and_exit_status() {
    let accepted = json("sprt --penta 49,113,470,168,57 --elo1 20 --json", 0);
    near(&accepted["llr"], 3.021_002_055_1, 1e-5);
    near(&accepted["upper"], 2.944_438_979_17, 1e-9);
    assert_eq!(accepted["state"], "accepted");
    assert_eq!(accepted["interval"], "test");
    assert!(accepted["lo95"].as_f64().unwrap() >= 0.0, "{accepted}");
    let rejected = json("sprt --wdl 43,9,61 --elo0 0 --elo1=40 --json", 1);
    near(&rejected["llr"], -3.060_641_992_25, 1e-5);
    assert_eq!(rejected["state"], "rejected");
    for bounds in ["--elo0 -10 --elo1 -2.5", "--elo0=-10 --elo1=-2.5"] {
        let running = json(
            &format!("sprt --wdl 0,3,0 {bounds} --model normalized --json"),
            4,
        );
        assert_eq!(
            (&running["state"], &running["elo1"]),
            (&"running".into(), &(-2.5).into())
        );
        assert_eq!(running["interval"], "every_look");
    }
    let open = json("sprt --penta 45,96,402,130,39 --elo1 20 --json", 4);
    assert!(
        open["lo95"].as_f64() < open["elo"].as_f64() && open["los"].is_null(),
        "{open}"
    );
    let nothing = json("sprt --wdl 0,0,0 --json", 4);
    near(&nothing["llr"], 0.0, 0.0);
    assert!(nothing["elo"].is_null() && nothing["length"].is_null());
    // A million units take no longer than one.
    assert_eq!(
        json("sprt --penta 100000,200000,400000,200000,100000 --json", 1)["units"],
        1_000_000
    );
}

#[test]
fn lengths_in_json() {
    let length = |args: &str| json(&format!("sprt {args} --json"), 0)["length"].clone();
    let plain = length("--elo0 0 --elo1 10 --no-early");
    near(&plain["truths"][2]["elo"], 5.0, 0.0);
    near(
        &plain["truths"][2]["pass_probability"],
        0.500_152_431_248,
        1e-9,
    );
    near(&plain["truths"][2]["expected_games"], 10_471.128_911, 1e-3);
    near(&plain["truths"][1]["pass_probability"], 0.05, 1e-9);
    let normalized =
        length("--no-early --elo1 2 --model normalized --draw-ratio 0.49 --bias 191 --elo 0.5");
    // Beside the middle, which is 0.51 in ordinary Elo.
    near(&normalized["truths"][2]["elo"], 0.5, 0.0);
    near(
        &normalized["truths"][2]["expected_games"],
        261_566.916_399,
        0.3,
    );
    near(&normalized["logistic_elo1"], 1.019_165_185_94, 1e-8);
    let clear = |more: &str| {
        let truths = length(&format!("--elo 300 {more}"))["truths"].clone();
        truths.as_array().unwrap().last().unwrap()["expected_games"]
            .as_f64()
            .unwrap()
    };
    assert!(
        clear("") < 0.3 * clear("--no-early"),
        "clear cases end early"
    );
    // A score of 80% in units of one game: the variance at 5 Elo is almost 1/4, at 241 Elo it is 4/25.
    let lopsided = &json("sprt --wdl 160,0,40 --elo 240.824 --no-early --json", 0)["length"];
    near(&lopsided["variance"], 0.249_948, 1e-4);
    let even = length("--games-per-unit 1 --no-early");
    let games = |of: &Value, at: usize| of["truths"][at]["expected_games"].as_f64().unwrap();
    near(
        &lopsided["truths"][2]["expected_games"],
        games(&even, 2),
        20.0,
    );
    let strong = length("--games-per-unit 1 --no-early --elo 240.824");
    near(
        &lopsided["truths"][5]["expected_games"],
        0.64 * games(&strong, 5),
        1.0,
    );
    let drawish = json("sprt --penta 0,0,950,50,0 --elo1 25 --json", 1);
    assert_eq!(drawish["length"]["out_of_reach"], true);
}

/// What is measured in a few units, or cannot be counted, is called so.
#[test]
fn lengths_say_what_they_do_not_know() {
    let text = |args: &str| String::from_utf8(calculated(args).stdout).unwrap();
    let few = text("sprt --penta 1,0,2,0,1");
    assert!(
        few.contains("Warning       4 units say little of the variance"),
        "{few}"
    );
    assert!(
        !text("sprt --penta 10,20,40,20,10").contains("guess") && !text("sprt").contains("guess")
    );
    let scaled = "scaled from the results' score of 80.0% to the true Elo of each line";
    assert!(text("sprt --wdl 160,0,40").contains(scaled));
    assert!(!text("sprt --wdl 120,0,80").contains("scaled from"));
    let endless = text("sprt --elo1 1e-6");
    assert!(
        endless.contains("A good limit is >10^15 units") && !endless.contains("no limit"),
        "{endless}"
    );
}

#[test]
fn nonsense_is_refused_with_a_word_about_what_is_needed() {
    for (args, needed) in [
        ("elo", "--wdl W,D,L"),
        ("elo --wdl 1,2", "3 integers from 0"),
        ("elo --wdl -1,2,3", "integers from 0"),
        ("elo --wdl 1,2,x", "integers from 0"),
        ("sprt --wdl 1,2,3 --penta 1,2,3,4,5", "together with"),
        ("sprt --values 0.5", "--counts"),
        ("sprt --values 0 0.5 --counts 3", "one count for each value"),
        ("sprt --values 0 nan --counts 3 4", "from 0 to 1"),
        ("elo --wdl 9999999999999999999,0,0", "at most"),
        (
            "sprt --wdl 1,1,1 --elo0 10 --elo1 0",
            "elo0 must be less than elo1",
        ),
        ("sprt --wdl 1,1,1 --elo1 inf", "numbers from -2000 to 2000"),
        (
            "sprt --wdl 1,1,1 --alpha 0.5 --beta 0.5",
            "less than 1 together",
        ),
        (
            "sprt --wdl 1,1,1 --model other",
            "[possible values: logistic, normalized]",
        ),
        ("sprt --draw-ratio -0.5", "from 0 up to"),
        ("sprt --draw-ratio 0.9 --bias 300", "leave no variance"),
        ("sprt --wdl 1,1,1 --draw-ratio 0.5", "together with"),
        (
            "sprt --elo inf",
            "expected a number from -1000000 to 1000000",
        ),
        (
            "sprt --model normalized --elo1 900",
            "no score is so far from even",
        ),
        ("sprt --wdl 1,2,3 --games-per-unit 4", "together with"),
        ("elo run --between one,other", "2 values required"),
    ] {
        let output = calculated(args);
        let error = String::from_utf8_lossy(&output.stderr);
        output.status(2);
        assert!(
            error.starts_with("error: ") && error.contains(needed),
            "{args}: {error}"
        );
    }
}
