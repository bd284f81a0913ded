//! `arena elo` and `arena sprt` as programs call them.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::programs::{
    self, Said as _, check_rows, command, has, in_project, new_folder, stderr, stdout, summary,
    table, write,
};

fn calculated(args: &str) -> Output {
    programs::line(Path::new("."), args)
}

fn json(args: &str, code: i32) -> Value {
    let output = calculated(&format!("{args} --json"));
    output.status(code);
    programs::json(&output)
}

#[track_caller]
fn near(value: &Value, expected: f64, tolerance: f64) {
    let Some(actual) = value.as_f64() else {
        panic!("{value} is no number");
    };
    let is_near = (actual - expected).abs() <= tolerance;
    assert!(is_near, "{actual} instead of {expected}");
}

#[test]
fn elo_in_json() {
    let result = json("elo --wdl 136,111,96", 0);
    near(&result["elo"], 40.70, 0.005);
    near(&result["lo95"], 10.35, 0.005);
    near(&result["hi95"], 71.05, 0.005);
    near(&result["los"], 0.9957, 5e-5);
    // Wins come first on the command line, and last in JSON.
    assert_eq!(result["unit_counts"], serde_json::json!([96, 111, 136]));
    let won = json("elo --wdl=10,0,0", 0);
    for key in ["elo", "hi95", "nelo", "pairs_ratio"] {
        assert!(won[key].is_null() && won["beyond"][key] == "above", "{won}");
    }
    near(&won["lo95"], 166.2, 0.05);
    let lost = json("elo --wdl=0,0,10", 0);
    let below = serde_json::json!({ "elo": "below", "lo95": "below", "nelo": "below" });
    assert_eq!(lost["beyond"], below);
    assert_eq!(result["beyond"], serde_json::json!({}));
    let none = json("elo --wdl 0,0,0", 0);
    assert_eq!(
        (&none["units"], &none["beyond"]),
        (&0.into(), &serde_json::json!({}))
    );
    assert!(none["elo"].is_null() && none["lo95"].is_null() && none["los"].is_null());
}

#[test]
fn units_are_given_as_pairs_or_by_their_scores() {
    let pairs = &json("sprt --penta 34,54,63,64,75", 4)["tested"];
    let values = &json(
        "sprt --values 0,0.25,1/2,0.75,1 --counts 34,54,63,64,75 --games-per-unit 2",
        4,
    )["tested"];
    let spaced = &json(
        "sprt --values 0 0.25 0.5 0.75 1 --counts 34 54 63 64 75 --games-per-unit 2",
        4,
    )["tested"];
    near(&pairs["elo"], 55.6, 0.05);
    for key in ["elo", "lo95", "hi95", "nelo", "n_eff"] {
        near(&values[key], pairs[key].as_f64().unwrap(), 1e-9);
        assert_eq!(values[key], spaced[key]);
    }
}

/// Names may have commas and begin like options.
#[test]
fn bots_are_named_whatever_they_are_called() {
    let folder = &new_folder();
    let rows = "first,second,wins,draws,losses\n\"a, b\",-c,7,0,3\n\"a, b\",d,1,1,1\n";
    write(folder, "table.csv", rows);
    for (one, other, score) in [("a, b", "-c", 0.7), ("-c", "a, b", 0.3), ("d", "a, b", 0.5)] {
        let args = ["elo", "--json", "--between", one, other, "table.csv"];
        let output = command(folder, &args).output().unwrap();
        output.status(0);
        near(&programs::json(&output)["score"], score, 1e-12);
    }
}

/// Runs are read as reports tell them, from either side.
#[test]
fn runs_are_results() {
    let run = &in_project("results/example");
    let summary = summary(run);
    let run = run.display();
    let mut pairings = summary["games"][0]["pairings"].as_array().unwrap().iter();
    let has_interval = |elo: &Value| elo["elo"].is_number() && elo["lo95"].is_number();
    let met = pairings.find(|met| has_interval(&met["elo"])).unwrap();
    let [one, other] = ["first", "second"].map(|side| met[side].as_str().unwrap());
    let own = json(&format!("elo {run} --between {one} {other}"), 0);
    let theirs = json(&format!("elo {run} --between {other} {one}"), 0);
    for key in ["elo", "lo95", "hi95"] {
        near(&own[key], met["elo"][key].as_f64().unwrap(), 1e-9);
    }
    near(&theirs["elo"], -own["elo"].as_f64().unwrap(), 1e-9);
    let tested = json(&format!("sprt {run} --between {one} {other}"), 4);
    assert_eq!(tested["tested"]["units"], own["units"]);
    assert!(tested["length"]["variance"].as_f64().unwrap() > 0.0);
    let folder = &new_folder();
    write(folder, "table.csv", "first,second,wins,draws,losses\n");
    let rows = format!(
        "
        elo table.csv | 3 | it has no games
        elo {run} | 3 | hint: --between
        elo {run} --between {one} nobody | 3 | it has no bot `nobody`; its bots are
        elo no-such-run | 3 | no-such-run
        "
    );
    check_rows(folder, &rows);
}

#[test]
fn sequential_tests_in_json_and_exit_status() {
    let accepted = json("sprt --penta 49,113,470,168,57 --elo1 20", 0);
    near(&accepted["upper"], 2.944_438_979_17, 1e-9);
    let accepted = &accepted["tested"];
    near(&accepted["llr"], 3.021_002_055_1, 1e-5);
    assert_eq!(accepted["state"], "accepted");
    assert_eq!(accepted["interval"], "test");
    assert!(accepted["lo95"].as_f64().unwrap() >= 0.0, "{accepted}");
    let rejected = &json("sprt --wdl 43,9,61 --elo0 0 --elo1=40", 1)["tested"];
    near(&rejected["llr"], -3.060_641_992_25, 1e-5);
    assert_eq!(rejected["state"], "rejected");
    for bounds in ["--elo0 -10 --elo1 -2.5", "--elo0=-10 --elo1=-2.5"] {
        let args = format!("sprt --wdl 0,3,0 {bounds} --model normalized");
        let running = json(&args, 4);
        assert_eq!(running["elo1"], -2.5);
        assert_eq!(running["tested"]["state"], "running");
        assert_eq!(running["tested"]["interval"], "every_look");
    }
    let open = &json("sprt --penta 45,96,402,130,39 --elo1 20", 4)["tested"];
    assert!(
        open["lo95"].as_f64() < open["elo"].as_f64() && open["los"].is_null(),
        "{open}"
    );
    let nothing = json("sprt --wdl 0,0,0", 4);
    near(&nothing["tested"]["llr"], 0.0, 0.0);
    assert!(nothing["tested"]["elo"].is_null() && nothing["length"].is_null());
    // A million units take no longer than one.
    let many = json("sprt --penta 100000,200000,400000,200000,100000", 1);
    assert_eq!(many["tested"]["units"], 1_000_000);
}

#[test]
fn lengths_in_json() {
    let length = |args: &str| json(&format!("sprt {args}"), 0)["length"].clone();
    let games = |of: &Value, at: usize| of["truths"][at]["expected_games"].as_f64().unwrap();
    let passes = |of: &Value, at: usize| of["truths"][at]["pass_probability"].clone();
    let plain = length("--elo0 0 --elo1 10 --no-early");
    near(&plain["truths"][2]["true_elo"], 5.0, 0.0);
    near(&passes(&plain, 2), 0.500_152_431_248, 1e-9);
    near(&games(&plain, 2).into(), 10_471.128_911, 1e-3);
    near(&passes(&plain, 1), 0.05, 1e-9);
    let normalized =
        length("--no-early --elo1 2 --model normalized --draw-ratio 0.49 --bias 191 --elo 0.5");
    // Beside the middle, which is 0.51 in ordinary Elo.
    near(&normalized["truths"][2]["true_elo"], 0.5, 0.0);
    near(&games(&normalized, 2).into(), 261_566.916_399, 0.3);
    near(&normalized["logistic_elo1"], 1.019_165_185_94, 1e-8);
    let clear = |more: &str| {
        let length = length(&format!("--elo 300 {more}"));
        games(&length, length["truths"].as_array().unwrap().len() - 1)
    };
    assert!(
        clear("") < 0.3 * clear("--no-early"),
        "clear cases end early"
    );
    // A score of 80% in units of one game: the variance at 5 Elo is almost 1/4, at 241 Elo it is
    // 4/25.
    let lopsided = &json("sprt --wdl 160,0,40 --elo 240.824 --no-early", 0)["length"];
    near(&lopsided["variance"], 0.249_948, 1e-4);
    let even = length("--games-per-unit 1 --no-early");
    near(&games(lopsided, 2).into(), games(&even, 2), 20.0);
    let strong = length("--games-per-unit 1 --no-early --elo 240.824");
    near(&games(lopsided, 5).into(), 0.64 * games(&strong, 5), 1.0);
    let drawish = json("sprt --penta 0,0,950,50,0 --elo1 25", 1);
    assert_eq!(drawish["length"]["drawish"], true);
}

/// What is measured in a few units, or cannot be counted, is called so.
#[test]
fn lengths_say_what_they_do_not_know() {
    let scaled = "scaled from the results' score of 80.0% to the true Elo of each line";
    let few = "Warning       4 units say little of the variance";
    has(&stdout(&calculated("sprt --penta 1,0,2,0,1")), few);
    calculated("sprt --penta 10,20,40,20,10").lacks("guess");
    calculated("sprt").lacks("guess");
    has(&stdout(&calculated("sprt --wdl 160,0,40")), scaled);
    calculated("sprt --wdl 120,0,80").lacks("scaled from");
    let endless = calculated("sprt --elo1 1e-6");
    has(&stdout(&endless), "A good limit is >10^15 units");
    endless.lacks("no limit");
}

#[test]
fn nonsense_is_refused_with_a_word_about_what_is_needed() {
    for [args, needed] in table(
        "
        elo | --wdl W,D,L
        elo --wdl 1,2 | 3 integers from 0
        elo --wdl -1,2,3 | integers from 0
        elo --wdl 1,2,x | integers from 0
        sprt --wdl 1,2,3 --penta 1,2,3,4,5 | together with
        sprt --values 0.5 | --counts
        sprt --values 0 0.5 --counts 3 | one count for each value
        sprt --values 0 nan --counts 3 4 | from 0 to 1
        elo --wdl 9999999999999999999,0,0 | at most
        sprt --wdl 1,1,1 --elo0 10 --elo1 0 | elo0 must be less than elo1
        sprt --wdl 1,1,1 --elo1 inf | numbers from -2000 to 2000
        sprt --wdl 1,1,1 --alpha 0.5 --beta 0.5 | less than 1 together
        sprt --wdl 1,1,1 --model other | [possible values: logistic, normalized]
        sprt --draw-ratio -0.5 | from 0 up to
        sprt --draw-ratio 0.9 --bias 300 | leave no variance
        sprt --wdl 1,1,1 --draw-ratio 0.5 | together with
        sprt --elo inf | expected a number from -1000000 to 1000000
        sprt --model normalized --elo1 900 | no score is so far from even
        sprt --wdl 1,2,3 --games-per-unit 4 | together with
        elo run --between one,other | 2 values required
        ",
    ) {
        let output = calculated(args);
        output.status(2).begins("error: ");
        has(&stderr(&output), needed);
    }
}
