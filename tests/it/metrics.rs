//! `metrics = true`: numbers that bots print on standard error get into records, metrics.csv and the page.

use std::fs;
use std::path::Path;

use crate::programs::{arena, folder, sample_bot};
use serde_json::Value;

fn succeeds(place: &Path, args: &[&str]) {
    let output = arena(place, args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A bot that plays as the greedy one does and runs `tells` before each answer, where `$n` is the number of the answer.
fn talker(tells: &str) -> String {
    format!(
        "n=0; {} | while read -r line; do n=$((n+1)); {tells}; echo \"$line\"; done",
        sample_bot("minishogi-greedy")
    )
}

/// A round robin of such a bot, one that tells nothing, and a third.
fn config(place: &Path, name: &str, metrics: &str, tells: &str) {
    let (greedy, random, read) = (
        sample_bot("minishogi-greedy"),
        sample_bot("minishogi-random"),
        folder().display(),
    );
    let text = format!(
        r#"
        [run]
        seed = 1
        name = "{name}"
        game = "minishogi"
        format = "round-robin"
        games = 2
        opening_plies = 2
        {metrics}
        [clock]
        first_turn_ms = 60000
        turn_ms = 60000
        [[bot]]
        name = "<talker>"
        command = ["sh", "-c", '''{}''']
        read = ["{read}"]
        [[bot]]
        name = "quiet"
        command = ["{greedy}"]
        [[bot]]
        name = "random"
        command = ["{random}"]
        "#,
        talker(tells)
    );
    fs::write(place.join(format!("{name}.toml")), text).unwrap();
}

fn read(place: &Path, file: &str) -> String {
    fs::read_to_string(place.join("results").join(file)).unwrap()
}

/// The records of a run as far as they are the same every time, line by line.
fn timeless(place: &Path, run: &str) -> Vec<String> {
    let records = read(place, &format!("{run}/records.jsonl"));
    records
        .lines()
        .map(|line| line.split_once(",\"ms\":").unwrap().0.to_owned())
        .collect()
}

const TELLS: &str = r"printf '[TDATA] answers = %s\n[PDATA][%s] money = %s\n[debug] x=1\neval=-0.%s, depth=7 pv=a1\n' $n $n $((n*n)) $n >&2";

#[test]
fn records_csv_and_page_have_what_bots_tell() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, "told", "metrics = true", TELLS);
    succeeds(place, &["run", "told.toml", "--quiet", "--jobs", "1"]);
    let mut rows = csv::Reader::from_path(place.join("results/told/metrics.csv")).unwrap();
    assert_eq!(
        rows.headers().unwrap(),
        &["number", "game", "turn", "seat", "bot", "name", "value"][..]
    );
    let mut rows: Vec<Vec<String>> = rows
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect();
    let mut expected = Vec::new();
    for record in read(place, "told/records.jsonl").lines() {
        let record: Value = serde_json::from_str(record).unwrap();
        let mut answers = [0; 2];
        for step in record["steps"].as_array().unwrap() {
            let seat = usize::try_from(step["player"].as_u64().unwrap()).unwrap();
            if record["bots"][seat] != "<talker>" {
                assert_eq!(step.get("metrics"), None);
                continue;
            }
            answers[seat] += 1;
            let n = answers[seat];
            let eval: f64 = format!("-0.{n}").parse().unwrap();
            let told = serde_json::json!({"answers": f64::from(n), "depth": 7.0, "eval": eval, format!("money@{n}"): f64::from(n * n)});
            assert_eq!(step["metrics"], told);
            let turn = step["turn"].to_string();
            let row = |turn: &str, name: &str, value: f64| {
                let [number, seat] = [record["number"].to_string(), seat.to_string()];
                [
                    &number,
                    "minishogi",
                    turn,
                    &seat,
                    "<talker>",
                    name,
                    &format!("{value:?}"),
                ]
                .map(str::to_owned)
                .to_vec()
            };
            expected.extend([
                row(&turn, "answers", f64::from(n)),
                row(&turn, "depth", 7.0),
                row(&turn, "eval", eval),
                row(&n.to_string(), "money", f64::from(n * n)),
            ]);
        }
    }
    assert!(expected.len() > 50);
    rows.sort();
    expected.sort();
    assert_eq!(rows, expected);

    let page = read(place, "told/report.html");
    for name in ["answers", "depth", "eval", "money"] {
        assert!(page.contains(&format!("<div><h4>{name}</h4>")), "{name}");
    }
    assert!(
        page.contains("<li class=\"s0\"><span>&lt;talker&gt;</span></li>")
            && !page.contains("<talker>")
    );
    succeeds(place, &["verify", "results/told"]);
    succeeds(place, &["report", "results/told", "--html", "again.html"]);
    assert_eq!(fs::read_to_string(place.join("again.html")).unwrap(), page);

    // The flag and several workers give the same metrics.
    succeeds(
        place,
        &[
            "run",
            "told.toml",
            "--quiet",
            "--out",
            "results/two",
            "--jobs",
            "2",
        ],
    );
    assert_eq!(timeless(place, "two"), timeless(place, "told"));
    assert_eq!(
        read(place, "two/metrics.csv"),
        read(place, "told/metrics.csv")
    );
    config(place, "flag", "", TELLS);
    succeeds(
        place,
        &["run", "flag.toml", "--quiet", "--set", "run.metrics=true"],
    );
    assert_eq!(
        read(place, "flag/metrics.csv"),
        read(place, "told/metrics.csv")
    );
    let refused = arena(place, &["run", "flag.toml", "--quiet", "--resume"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(3) && said.contains("metrics"),
        "{said}"
    );
}

#[test]
fn without_the_key_a_run_is_what_it_was() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, "off", "", TELLS);
    config(place, "explicit", "metrics = false", TELLS);
    config(place, "silent", "metrics = true", ":");
    for name in ["off", "explicit", "silent"] {
        succeeds(place, &["run", &format!("{name}.toml"), "--quiet"]);
    }
    // The last is of a bot that tells nothing: its records have nothing more either.
    for name in ["explicit", "silent"] {
        assert_eq!(timeless(place, name), timeless(place, "off"), "{name}");
    }
    assert_eq!(
        read(place, "silent/metrics.csv"),
        "number,game,turn,seat,bot,name,value\n"
    );
    for name in ["off", "explicit"] {
        assert!(
            !place
                .join("results")
                .join(name)
                .join("metrics.csv")
                .exists(),
            "{name}"
        );
        for file in ["records.jsonl", "plan.toml"] {
            assert!(
                !read(place, &format!("{name}/{file}")).contains("metrics"),
                "{name}/{file}"
            );
        }
        assert!(
            !read(place, &format!("{name}/report.html")).contains("<h3>Metrics"),
            "{name}"
        );
    }
}

/// Noise and floods cost a bot nothing, and the run no more than a bounded record.
#[test]
fn what_is_too_much_is_left_out() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let flood = r#"echo >&2; i=0; while [ $i -lt 40 ]; do printf "n$i=$n \377\n"; i=$((i+1)); done >&2;
        head -c 100000 /dev/zero >&2; yes "<b>=1 eval=NaN n1=inf" | head -c 300000 >&2"#;
    config(place, "flood", "metrics = true", flood);
    succeeds(place, &["run", "flood.toml", "--quiet"]);
    for line in read(place, "flood/records.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record.get("faults"), None);
        for step in record["steps"].as_array().unwrap() {
            let told = step.get("metrics").and_then(Value::as_object);
            let names = |most: usize| {
                (0..40)
                    .take(most)
                    .all(|i| told.is_none_or(|told| told.contains_key(&format!("n{i}"))))
            };
            assert!(
                told.is_none_or(|told| told.len() == 16) && names(16),
                "{step}"
            );
        }
    }
    succeeds(place, &["verify", "results/flood"]);
}

#[test]
fn duels_keep_metrics_too() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let bot = format!("talker=sh -c '{}'", talker("echo depth=$n >&2"));
    let [random, read] = [
        sample_bot("minishogi-random"),
        folder().display().to_string(),
    ];
    let limits = ["--set", "clock.turn_ms=60000", "--read", &read];
    let duel = [
        "duel",
        "minishogi",
        &random,
        &bot,
        "--games",
        "2",
        "--out",
        "d",
        "--set",
        "run.metrics=true",
        "--quiet",
    ];
    succeeds(place, &[&duel[..], &limits[..]].concat());
    let rows = fs::read_to_string(place.join("d/metrics.csv")).unwrap();
    assert!(
        rows.lines().count() > 5 && rows.contains(",talker,depth,2.0\n"),
        "{rows}"
    );
}

/// `stderr = "turn"`: the text itself is in the records, in `arena replay` and in the page, and the numbers in it are metrics.
#[test]
fn what_a_bot_writes_is_kept_turn_by_turn() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(
        place,
        "said",
        "stderr = \"turn\"",
        "printf 'thought %s eval=0.5\\n' $n >&2",
    );
    succeeds(place, &["run", "said.toml", "--quiet"]);
    for record in read(place, "said/records.jsonl").lines() {
        let record: Value = serde_json::from_str(record).unwrap();
        let mut answers = [0; 2];
        for step in record["steps"].as_array().unwrap() {
            let seat = usize::try_from(step["player"].as_u64().unwrap()).unwrap();
            answers[seat] += 1;
            let talks = record["bots"][seat] == "<talker>";
            let said = talks.then(|| format!("thought {} eval=0.5\n", answers[seat]));
            assert_eq!(step["stderr"].as_str(), said.as_deref());
            assert_eq!(step["metrics"]["eval"].as_f64(), talks.then_some(0.5));
        }
    }
    let shown = arena(place, &["replay", "results/said", "0"]);
    assert!(
        String::from_utf8_lossy(&shown.stdout).contains("| thought 1 eval=0.5\n"),
        "{shown:?}"
    );
    succeeds(
        place,
        &[
            "run",
            "said.toml",
            "--quiet",
            "--force",
            "--set",
            "run.stderr=fault",
        ],
    );
    assert!(!read(place, "said/records.jsonl").contains("thought"));
}
