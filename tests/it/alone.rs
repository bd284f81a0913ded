//! Games of one seat: each bot plays alone, and bots are compared seed by seed.

#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::programs::{Said as _, arena, said, stdout, summary, timeless};

/// By the seed modulo 4, 3 or 1 point.
const MOSTLY: (&str, &str) = ("mostly", "read n; case $n in 0) echo 1;; *) echo 3;; esac");
const STEADY: (&str, &str) = ("steady", "echo 2");
/// The referee gives 9 points for an answer that is no number. The bot waits for its end, which its record tells of.
const BROKEN: (&str, &str) = ("broken", "echo nothing; cat > /dev/null");

fn project(path: &str) -> String {
    format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))
}

/// Writes a config `run.toml` of a game of one seat. `rest` is anything but its bots.
fn write(folder: &Path, run: &str, game: &str, rest: &str, bots: &[(&str, &str)]) {
    let referee = project("tests/programs/scorer.py");
    let mut config = format!(
        "[run]\nseed = 7\nname = \"run\"\ngame = \"task\"\n{run}\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.task]\nreferee = [\"python3\", {referee:?}]\nseats = 1\n{game}\n{rest}\n"
    );
    for (name, script) in bots {
        let command = format!("[\"sh\", \"-c\", {script:?}]");
        let _ = writeln!(config, "[[bot]]\nname = {name:?}\ncommand = {command}");
    }
    fs::write(folder.join("run.toml"), config).unwrap();
}

/// Plays `run.toml` and returns `summary.json`.
fn played(folder: &Path, args: &[&str], code: i32) -> Value {
    let run = arena(folder, &[&["run", "run.toml", "--quiet"], args].concat());
    run.status(code);
    summary(&folder.join("results/run"))
}

/// The wins and losses of `mostly` against `steady` on the first seeds, from the seeds alone.
fn counted(folder: &Path, units: u64) -> [f64; 2] {
    let games = fs::read_to_string(folder.join("results/run/games.csv")).unwrap();
    let mut won_lost = [0.0; 2];
    let of_mostly = games.lines().filter(|line| line.contains(",mostly,"));
    for (_, line) in (0..units).zip(of_mostly) {
        let seed: i64 = line.split(',').nth(3).unwrap().parse().unwrap();
        won_lost[usize::from(seed.rem_euclid(4) == 0)] += 1.0;
    }
    won_lost
}

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{path} in {value:#}"))
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() < 1e-3,
        "{what}: {found} {expected}"
    );
}

fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

#[test]
fn elo_and_its_interval_are_those_of_wins_and_losses_by_seed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "games = 41", "", "", &[MOSTLY, STEADY]);
    let summary = played(folder.path(), &[], 0);
    let [won, lost] = counted(folder.path(), 41);
    let game = &summary["games"][0];
    assert_eq!(
        [number(game, "/games"), number(game, "/units"), won + lost],
        [82.0, 41.0, 41.0]
    );
    let pairing = &game["pairings"][0];
    assert_eq!(
        ["/wins", "/draws", "/losses"].map(|key| number(pairing, key)),
        [won, 0.0, lost]
    );
    assert_eq!(pairing["first"], "mostly");
    // Wilson's interval.
    let (n, z) = (won + lost, 1.959_964);
    let score = won / n;
    let half = z * (score * (1.0 - score) / n + z * z / (4.0 * n * n)).sqrt();
    let ends = [-half, half].map(|half| (score + z * z / (2.0 * n) + half) / (1.0 + z * z / n));
    assert_near(number(pairing, "/elo/elo"), elo(score), "Elo");
    assert_near(number(pairing, "/elo/lo95"), elo(ends[0]), "lower end");
    assert_near(number(pairing, "/elo/hi95"), elo(ends[1]), "upper end");
    // It scores 3 of 3 points, or 1 of 2.
    let [mostly, steady] = ["mostly", "steady"].map(|name| {
        let mut bots = game["bots"].as_array().unwrap().iter();
        bots.find(|bot| bot["name"] == name).unwrap()
    });
    assert_near(
        number(mostly, "/mean_score"),
        (3.0 * won + lost) / n,
        "mean",
    );
    assert_near(
        number(mostly, "/score_over_best"),
        (won + lost / 2.0) / n,
        "of best",
    );
    assert_near(number(steady, "/mean_score"), 2.0, "mean");
    assert_near(
        number(steady, "/score_over_best"),
        (2.0 / 3.0 * won + lost) / n,
        "of best",
    );
    let page = fs::read_to_string(folder.path().join("results/run/report.html")).unwrap();
    assert!(page.contains("each bot alone on the same seeds") && !page.contains("By seat"));
    let rated = arena(folder.path(), &["rate", "results/run", "--json"]);
    let rated: Value = serde_json::from_str(&stdout(&rated)).unwrap();
    assert!(
        rated.to_string().contains(&format!("\"wins\":{won}")),
        "{rated:#}"
    );
}

#[test]
fn a_test_counts_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let test = "[sprt]\nelo0 = 0\nelo1 = 100\nearly = false\n";
    write(
        folder.path(),
        "format = \"sprt\"",
        "",
        test,
        &[MOSTLY, STEADY],
    );
    let summary = played(folder.path(), &[], 0);
    let test = &summary["sprt"];
    assert_eq!(test["verdict"], "accepted");
    let units = number(test, "/result/units");
    let [won, lost] = counted(folder.path(), test["result"]["units"].as_u64().unwrap());
    assert_eq!(won + lost, units);
    assert_near(number(test, "/result/score"), won / units, "score");
    // The likelihood ratio of wins and losses, with the scores of 0 and 100 Elo.
    let [s0, s1] = [0.5, 1.0 / (1.0 + 10_f64.powf(-0.25))];
    let ratio = |won: f64, lost: f64| won * (s1 / s0).ln() + lost * ((1.0 - s1) / (1.0 - s0)).ln();
    let llr = number(test, "/llr");
    assert!(
        (llr - ratio(won, lost)).abs() < 0.05,
        "{llr} {}",
        ratio(won, lost)
    );
    let bound = (0.95_f64 / 0.05).ln();
    assert_near(number(test, "/upper"), bound, "bound");
    assert!(
        ratio(won - 1.0, lost) < bound,
        "it ended no later than it had to"
    );
}

#[test]
fn a_bot_that_fails_is_last_and_lower_scores_can_be_better() {
    let folder = tempfile::tempdir().unwrap();
    let bots = [BROKEN, ("high", "echo 3"), ("low", "echo 1")];
    for (game, order) in [
        ("", ["high", "low", "broken"]),
        ("lower_is_better = true", ["low", "high", "broken"]),
    ] {
        write(folder.path(), "games = 5", game, "", &bots);
        let summary = played(folder.path(), &["--force"], 0);
        let bots = summary["games"][0]["bots"].as_array().unwrap();
        let names: Vec<&str> = bots
            .iter()
            .map(|bot| bot["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, order, "{game}");
        let places: Vec<f64> = bots.iter().map(|bot| number(bot, "/mean_place")).collect();
        assert_eq!(places, [1.0, 2.0, 3.0]);
        let of_best = [
            bots[0]["score_over_best"].as_f64(),
            bots[1]["score_over_best"].as_f64(),
        ];
        assert_eq!(of_best[0], Some(1.0));
        assert_near(of_best[1].unwrap(), 1.0 / 3.0, "of best");
        assert_eq!(
            (
                &bots[2]["mean_score"],
                number(&bots[2], "/faults/invalid_action")
            ),
            (&Value::Null, 5.0)
        );
        let listed = |args: &[&str]| {
            let args = [&["replay", "results/run"], args].concat();
            let list = stdout(&arena(folder.path(), &args));
            let rows = list.lines().filter(|line| {
                line.contains("task") || line.contains("finished") || line.contains("invalid")
            });
            rows.map(str::to_owned).collect::<Vec<_>>()
        };
        let [best, worst] = [listed(&["--best", "5"]), listed(&["--worst", "5"])];
        assert!(
            best.len() == 5 && best.iter().all(|row| row.contains(order[0])),
            "{best:?}"
        );
        assert!(
            worst.len() == 5 && worst.iter().all(|row| row.contains("broken")),
            "{worst:?}"
        );
        let own = listed(&["--bot", "high", "--worst", "2"]);
        assert!(
            own.len() == 2 && own.iter().all(|row| row.contains("high")),
            "{own:?}"
        );
    }
}

/// Scores each seat with its answer as it is.
const ECHO: &str = r#"import sys
read = lambda: [sys.stdin.readline()[:-1] for _ in range(int(sys.stdin.readline()[:-2].split("] ")[1]))]
send = lambda name, *lines: print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)
seats = int((read() + read())[0])
scores = []
for seat in range(seats):
    send("NEXT_PLAYER_INPUT", "go")
    send("NEXT_PLAYER_INFO", seat, 1, 60000)
    scores += read()
    read()
send("SCORES", *(f"{seat} {score}" for seat, score in enumerate(scores)))
"#;

/// Scores are integers of 64 bits, with their own sign wherever people read them.
#[test]
fn scores_are_those_that_the_referee_gave() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("echo.py"), ECHO).unwrap();
    let write = |seats: usize, lower: bool, scores: [&str; 2]| {
        let mut config = format!(
            "[run]\nseed = 7\nname = \"run\"\ngame = \"task\"\ngames = 2\n[clock]\nfirst_turn_ms = 60000\n\
             [game.task]\nreferee = \"echo.py\"\nseats = {seats}\nlower_is_better = {lower}\n"
        );
        for (name, score) in ["low", "high"].into_iter().zip(scores) {
            let command = format!("read go; echo '{score}'");
            let _ = writeln!(
                config,
                "[[bot]]\nname = {name:?}\ncommand = [\"sh\", \"-c\", {command:?}]"
            );
        }
        fs::write(path.join("run.toml"), config).unwrap();
    };
    for scores in [
        ["37", "2147483648"],
        ["-1000000000000", "1000000000001"],
        ["-9223372036854775808", "9223372036854775807"],
    ] {
        for (seats, lower) in [(1, true), (1, false), (2, true), (2, false)] {
            write(seats, lower, scores);
            let found = played(path, &["--force"], 0);
            let best = &found["games"][0]["bots"][0];
            assert_eq!(
                best["name"],
                if lower { "low" } else { "high" },
                "{found:#}"
            );
            let shown = |args: &[&str]| {
                let out = arena(path, args);
                out.status(0);
                stdout(&out)
            };
            let read =
                |name: &str| fs::read_to_string(path.join("results/run").join(name)).unwrap();
            let games = [0, 1].map(|game| shown(&["replay", "results/run", &game.to_string()]));
            for score in scores {
                for (what, text) in [
                    ("replay", games.concat()),
                    ("games.csv", read("games.csv") + "\n"),
                    ("records.jsonl", read("records.jsonl")),
                ] {
                    assert!(
                        [
                            format!(" {score} "),
                            format!(",{score},"),
                            format!("[{score}"),
                            format!(",{score}]")
                        ]
                        .iter()
                        .any(|score| text.contains(score)),
                        "{what}, {seats} seats, {score}: {text}"
                    );
                }
            }
            if seats == 1 {
                let best = scores[usize::from(!lower)];
                let listed = shown(&["replay", "results/run", "--best", "1"]);
                assert!(listed.contains(&format!(" {best} ")), "{best}: {listed}");
                let wanted: f64 = best.parse().unwrap();
                assert_eq!(number(&found, "/games/0/bots/0/mean_score"), wanted);
                for text in [
                    shown(&["report", "results/run", "--verbose"]),
                    shown(&["report", "results/run", "--markdown", "-"]),
                    read("report.html"),
                ] {
                    assert!(text.contains(&format!("{wanted:.2}")), "{wanted}: {text}");
                }
            }
        }
    }
    for score in [
        "9223372036854775808",
        "-9223372036854775809",
        "1.5",
        "1e3",
        "",
        "0x10",
        "nan",
    ] {
        for seats in [1, 2] {
            write(seats, false, ["0", score]);
            let run = arena(path, &["run", "run.toml", "--quiet", "--force"]);
            let why = "its score, an integer of 64 bits, in each line of SCORES";
            run.contains(why);
        }
    }
    let document = fs::read_to_string(project("docs/how-to/referees.md")).unwrap();
    for limit in [i64::MIN, i64::MAX] {
        assert!(document.contains(&limit.to_string()), "{limit}");
    }
}

/// However a run came to its games, they and what follows from them are the same, and can be proved.
#[test]
fn a_run_can_be_cut_resumed_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(
        path,
        "games = 6\njobs = 2",
        "",
        "",
        &[MOSTLY, STEADY, BROKEN],
    );
    let whole = played(path, &[], 0);
    let results = path.join("results/run");
    let games = timeless(&results);
    let verified = arena(path, &["verify", "results/run"]);
    assert_eq!(stdout(&verified), "18 games verified, 0 mismatches\n");
    // Eight games are two units and two games of the third.
    for (name, lines) in [("records.jsonl", 8), ("games.csv", 9)] {
        let file = fs::read_to_string(results.join(name)).unwrap();
        let first: String = file.split_inclusive('\n').take(lines).collect();
        fs::write(results.join(name), first).unwrap();
    }
    fs::remove_file(results.join("summary.json")).unwrap();
    let reported = arena(path, &["report", "results/run"]);
    assert_ne!(reported.status.code(), Some(3), "{}", said(&reported));
    let cut = summary(&results);
    assert_eq!(
        ["/games/0/units", "/games/0/incomplete_units"].map(|key| number(&cut, key)),
        [2.0, 1.0]
    );
    let resumed = played(path, &["--resume"], 0);
    assert_eq!(timeless(&results), games);
    assert_eq!(
        resumed["games"][0]["pairings"][0]["wins"],
        whole["games"][0]["pairings"][0]["wins"]
    );
}

#[test]
fn sweeps_and_tunings_find_what_scores_more() {
    let folder = tempfile::tempdir().unwrap();
    let bot = ("bot", "echo {points}");
    let sweep = "[sweep]\nbot = \"bot\"\nvalues = { points = [1, 2, 3] }\nagainst = \"steady\"\nblock = 8\nmax_units = 16\n";
    write(
        folder.path(),
        "format = \"sweep\"",
        "",
        sweep,
        &[bot, STEADY],
    );
    let found = played(folder.path(), &[], 0);
    assert_eq!(
        found["sweep"]["leader"], "bot[points=3]",
        "{:#}",
        found["sweep"]
    );
    let variants = found["sweep"]["variants"].as_array().unwrap();
    let scores: Vec<f64> = variants.iter().map(|one| number(one, "/score")).collect();
    assert_eq!(scores, [0.0, 0.5, 1.0]);
    let range = "{ points = { min = 0, max = 100, start = 20 } }";
    for (against, bots) in [("", &[bot][..]), ("against = \"steady\"\n", &[bot, STEADY])] {
        let tune = format!(
            "[tune]\nbot = \"bot\"\nparameters = {range}\n{against}block = 8\nmax_units = 64\n"
        );
        write(folder.path(), "format = \"tune\"", "", &tune, bots);
        let found = played(folder.path(), &["--force"], 0);
        assert_eq!(number(&found["tune"], "/units"), 64.0);
        let answer = number(&found["tune"], "/parameters/0/answer");
        assert!(answer > 20.0 || !against.is_empty(), "{:#}", found["tune"]);
    }
}

/// The scorer of the document is the one that the tests of documents run.
#[test]
fn the_document_shows_the_scorer() {
    let document = fs::read_to_string(project("docs/how-to/referees.md")).unwrap();
    let scorer = fs::read_to_string(project("referees/knapsack.py")).unwrap();
    assert!(document.contains(&format!("```python\n{scorer}```\n")));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run").display().to_string();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = arena(
        here,
        &["run", "configs/knapsack.toml", "--quiet", "--out", &out],
    );
    run.status(0);
    let found = summary(&folder.path().join("run"));
    let best = &found["games"][0]["bots"][0];
    assert_eq!(best["name"], "greedy");
    assert_eq!(number(best, "/games"), 20.0);
    let check = arena(here, &["check", "configs/knapsack.toml", "--answer", "0"]);
    check.status(0);
}
