//! `metrics = true`: numbers that bots print on standard error get into records, metrics.csv and
//! the page.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::programs::{
    PATIENT, Said as _, folder, line, number_before, read, sample_bot, timeless,
};

/// A bot that plays as a sample bot does and runs `tells` before each answer, whose number is `$n`.
fn talker(bot: &str, tells: &str) -> String {
    let bot = sample_bot(bot);
    format!("n=0; {bot} | while read -r line; do n=$((n+1)); {tells}; echo \"$line\"; done")
}

/// Plays a round robin of such a bot, one that tells nothing, and a third.
fn play(place: &Path, name: &str, metrics: &str, tells: &str) {
    let [greedy, random] = ["minishogi-greedy", "minishogi-random"].map(sample_bot);
    let (read, talker) = (folder().display(), talker("minishogi-greedy", tells));
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
        command = ["sh", "-c", '''{talker}''']
        read = ["{read}"]
        [[bot]]
        name = "quiet"
        command = ["{greedy}"]
        [[bot]]
        name = "random"
        command = ["{random}"]
        "#
    );
    fs::write(place.join(format!("{name}.toml")), text).unwrap();
    line(place, &format!("run {name}.toml --quiet")).status(0);
}

/// A file of the run with this name.
fn of_run(place: &Path, file: &str) -> String {
    read(&place.join("results"), file)
}

/// The seat of an answer, its number there and its step.
type Answer = (usize, u32, Value);

/// The records of a run, and the answers in each.
fn answers(run: &Path) -> Vec<(Value, Vec<Answer>)> {
    let mut all = Vec::new();
    for record in read(run, "records.jsonl").lines() {
        let record: Value = serde_json::from_str(record).unwrap();
        let (mut numbers, mut answers) = ([0; 2], Vec::new());
        for step in record["steps"].as_array().unwrap() {
            let seat = usize::try_from(step["player"].as_u64().unwrap()).unwrap();
            numbers[seat] += 1;
            answers.push((seat, numbers[seat], step.clone()));
        }
        all.push((record, answers));
    }
    all
}

const TELLS: &str = r"printf '[TDATA] answers = %s\n[PDATA][%s] money = %s\n[debug] x=1\neval=-0.%s, depth=7 pv=a1\n' $n $n $((n*n)) $n >&2";

/// The rows of metrics.csv that follow from what the bot printed, in the order of the alphabet.
fn expected_rows(place: &Path) -> Vec<String> {
    let mut expected = Vec::new();
    for (record, answers) in answers(&place.join("results/told")) {
        for (seat, n, step) in answers {
            if record["bots"][seat] != "<talker>" {
                assert_eq!(step.get("metrics"), None);
                continue;
            }
            let eval: f64 = format!("-0.{n}").parse().unwrap();
            let (answers, money) = (f64::from(n), f64::from(n * n));
            let told = json!({"answers": answers, "depth": 7.0, "eval": eval, format!("money@{n}"): money});
            assert_eq!(step["metrics"], told);
            let (number, turn) = (&record["number"], &step["turn"]);
            let mut row = |turn: &str, name: &str, value: f64| {
                expected.push(format!(
                    "{number},minishogi,{turn},{seat},<talker>,{name},{value:?}"
                ));
            };
            let turn = turn.to_string();
            row(&turn, "answers", answers);
            row(&turn, "depth", 7.0);
            row(&turn, "eval", eval);
            row(&n.to_string(), "money", money);
        }
    }
    assert!(expected.len() > 50);
    expected.sort();
    expected
}

#[test]
fn records_csv_and_page_have_what_bots_tell() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    play(place, "told", "metrics = true\njobs = 1", TELLS);
    let csv = of_run(place, "told/metrics.csv");
    let (header, rows) = csv.split_once('\n').unwrap();
    assert_eq!(header, "number,game,turn,seat,bot,name,value");
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_unstable();
    assert_eq!(rows, expected_rows(place));

    let page = of_run(place, "told/report.html");
    for name in ["answers", "depth", "eval", "money"] {
        assert!(page.contains(&format!("<div><h4>{name}</h4>")), "{name}");
    }
    assert!(page.contains("<li class=\"s0\"><span>&lt;talker&gt;</span></li>"));
    assert!(!page.contains("<talker>"));
    line(place, "verify results/told").status(0);
    line(place, "report results/told --html again.html").status(0);
    assert_eq!(read(place, "again.html"), page);

    // The flag and several workers give the same metrics.
    line(place, "run told.toml --quiet --out results/two --jobs 2").status(0);
    let run = |name: &str| timeless(&place.join("results").join(name));
    assert_eq!(run("two"), run("told"));
    assert_eq!(of_run(place, "two/metrics.csv"), csv);
    play(place, "flag", "", TELLS);
    line(
        place,
        "run flag.toml --quiet --force --set run.metrics=true",
    )
    .status(0);
    assert_eq!(of_run(place, "flag/metrics.csv"), csv);
    line(place, "run flag.toml --quiet --resume")
        .status(3)
        .contains("metrics");
}

#[test]
fn without_the_key_a_run_is_what_it_was() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let run = |name: &str| timeless(&place.join("results").join(name));
    play(place, "off", "", TELLS);
    play(place, "explicit", "metrics = false", TELLS);
    // The records of a bot that tells nothing have nothing more either.
    play(place, "silent", "metrics = true", ":");
    assert_eq!(run("explicit"), run("off"));
    assert_eq!(run("silent"), run("off"));
    let csv = of_run(place, "silent/metrics.csv");
    assert_eq!(csv, "number,game,turn,seat,bot,name,value\n");
    for name in ["off", "explicit"] {
        let results = place.join("results").join(name);
        assert!(!results.join("metrics.csv").exists(), "{name}");
        assert!(!read(&results, "records.jsonl").contains("metrics"));
        assert!(!read(&results, "plan.toml").contains("metrics"));
        assert!(!read(&results, "report.html").contains("<h3>Metrics"));
    }
}

/// Noise and floods cost a bot nothing, and the run no more than a bounded record.
#[test]
fn what_is_too_much_is_left_out() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let flood = r#"echo >&2; i=0; while [ $i -lt 40 ]; do printf "n$i=$n \377\n"; i=$((i+1)); done >&2;
        head -c 100000 /dev/zero >&2; yes "<b>=1 eval=NaN n1=inf" | head -c 300000 >&2"#;
    play(place, "flood", "metrics = true", flood);
    for (record, answers) in answers(&place.join("results/flood")) {
        assert_eq!(record.get("faults"), None);
        for (_, _, step) in answers {
            let Some(told) = step.get("metrics") else {
                continue;
            };
            assert_eq!(told.as_object().unwrap().len(), 16, "{step}");
            for i in 0..16 {
                assert!(told.get(format!("n{i}")).is_some(), "{step}");
            }
        }
    }
    line(place, "verify results/flood").status(0);
}

/// Plays a duel in Onitama of such a bot, whose games are long. Returns its answers in the first.
fn duel(place: &Path, tells: &str, key: &str) -> Vec<Value> {
    fs::write(place.join("talker.sh"), talker("onitama-random", tells)).unwrap();
    let (random, read) = (sample_bot("onitama-random"), folder().display());
    let bots = format!("{random} 'talker=sh talker.sh' --read {read}");
    let duel = format!("duel onitama {bots} --games 2 --out d --seed 1 --quiet");
    line(place, &format!("{duel} {PATIENT} --set run.{key}")).status(0);
    let mut steps = Vec::new();
    let (record, answers) = answers(&place.join("d")).swap_remove(0);
    for (seat, _, step) in answers {
        if record["bots"][seat] == "talker" {
            steps.push(step);
        }
    }
    steps
}

#[test]
fn duels_keep_metrics_too() {
    let place = tempfile::tempdir().unwrap();
    duel(place.path(), "echo depth=$n >&2", "metrics=true");
    let rows = read(place.path(), "d/metrics.csv");
    assert!(rows.lines().count() > 5, "{rows}");
    assert!(rows.contains(",talker,depth,2.0\n"), "{rows}");
}

/// Everything up to a limit of the page is kept, and nothing beyond.
#[test]
fn the_limits_are_those_of_the_page() {
    let place = tempfile::tempdir().unwrap();
    let limit = |text| number_before("reference/metrics.md", text);
    let names = limit(" names of a bot in a game");
    let values = limit(" values and");
    let bytes = 1024 * limit(" KiB of standard error with each answer");
    let name = "x".repeat(limit(" ASCII letters"));
    let turn = limit(", kept unchanged");
    // The last line that is read has 5 bytes, and the one before it an end.
    let filler = bytes - 6;
    let tells = format!(
        r#"case $n in
        1) echo "{name}y=1 {name}=1"; for i in $(seq {names}); do echo n$i=$i; done;;
        2) for i in $(seq 0 {values}); do echo "[PDATA][$i] n1 = 1"; done;;
        3) head -c {filler} /dev/zero |tr '\0' y; printf '\nn1=7\nn2=8\n';;
        4) echo "[PDATA][{turn}] n1 = 1"; echo "[PDATA][$(({turn}+1))] n1 = 1";;
        5) echo "n1=1 n{names}=1";;
        esac >&2"#
    );
    let answers = duel(place.path(), &tells, "metrics=true");
    let told = |answer: usize| answers[answer - 1]["metrics"].as_object().unwrap();
    assert_eq!(told(1).len(), names);
    assert!(told(1).contains_key(&name));
    assert!(told(1).contains_key(&format!("n{}", names - 1)));
    assert_eq!(told(2).len(), values);
    assert!(told(2).contains_key(&format!("n1@{}", values - 1)));
    assert_eq!(*told(3), *json!({"n1": 7.0}).as_object().unwrap());
    assert_eq!(told(4).len(), 1);
    assert!(told(4).contains_key(&format!("n1@{turn}")));
    assert_eq!(*told(5), *json!({"n1": 1.0}).as_object().unwrap());
}

/// The text of an answer is cut at one limit of the page, and that of a game at the other.
#[test]
fn the_text_that_is_kept_is_as_long_as_the_page_says() {
    let place = tempfile::tempdir().unwrap();
    let limit = |text| 1024 * number_before("reference/report.md", text);
    let (per_turn, per_game) = (limit(" KiB per turn"), limit(" KiB per bot and game"));
    // Every second answer has a byte too many.
    let tells = format!("head -c $(({per_turn} + (n + 1) % 2)) /dev/zero |tr '\\0' y >&2");
    let answers = duel(place.path(), &tells, "stderr=turn");
    let text = |answer: usize| answers[answer - 1]["stderr"].as_str().unwrap();
    let full = "y".repeat(per_turn);
    assert_eq!(text(1), full);
    assert_eq!(text(2), full + "\n[arena: 1 more bytes are cut]\n");
    let mut kept = 0;
    for answer in 1..=answers.len() {
        kept += text(answer).matches('y').count() - text(answer).matches("bytes").count();
    }
    assert_eq!(kept, per_game);
    assert!(answers.len() > per_game / per_turn);
}

/// `stderr = "turn"`: the text itself is in the records, in `arena replay` and in the page, and the
/// numbers in it are metrics.
#[test]
fn what_a_bot_writes_is_kept_turn_by_turn() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let tells = "printf 'thought %s eval=0.5\\n' $n >&2";
    play(place, "said", "stderr = \"turn\"", tells);
    for (record, answers) in answers(&place.join("results/said")) {
        for (seat, n, step) in answers {
            if record["bots"][seat] == "<talker>" {
                assert_eq!(step["stderr"], format!("thought {n} eval=0.5\n"));
                assert_eq!(step["metrics"]["eval"], 0.5);
            } else {
                assert!(step["stderr"].is_null() && step["metrics"].is_null());
            }
        }
    }
    line(place, "replay results/said 0").contains("| thought 1 eval=0.5\n");
    line(
        place,
        "run said.toml --quiet --force --set run.stderr=fault",
    )
    .status(0);
    assert!(!of_run(place, "said/records.jsonl").contains("thought"));
}
