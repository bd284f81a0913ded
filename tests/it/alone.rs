//! Games of one seat: each bot plays alone, and bots are compared seed by seed.

#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::programs::{
    Said as _, arena, has, in_project, json, line, new_folder, read, stdout, summary, timeless,
    write,
};

/// By the seed modulo 4, 3 or 1 point.
pub(crate) const MOSTLY: (&str, &str) =
    ("mostly", "read n; case $n in 0) echo 1;; *) echo 3;; esac");
pub(crate) const STEADY: (&str, &str) = ("steady", "echo 2");
/// The referee gives 9 points for an answer that is no number. The bot waits for its end, which its
/// record tells of.
pub(crate) const BROKEN: (&str, &str) = ("broken", "echo nothing; cat > /dev/null");

/// Writes a config `run.toml` of a game of the scorer. `game` is the keys of the game, and `rest`
/// anything but the bots, which are shell scripts.
pub(crate) fn write_config(
    folder: &Path,
    run: &str,
    game: &str,
    rest: &str,
    bots: &[(&str, &str)],
) {
    let referee = in_project("tests/programs/scorer.py").display().to_string();
    let mut config = format!(
        "[run]\nseed = 7\nname = \"run\"\ngame = \"task\"\n{run}\n[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [game.task]\nreferee = [\"python3\", {referee:?}]\n{game}\n{rest}\n"
    );
    for (name, script) in bots {
        let command = format!("[\"sh\", \"-c\", {script:?}]");
        let _ = writeln!(config, "[[bot]]\nname = {name:?}\ncommand = {command}");
    }
    write(folder, "run.toml", config);
}

/// Plays `run.toml` and returns `summary.json`.
fn played(folder: &Path, args: &str) -> Value {
    line(folder, &format!("run run.toml --quiet {args}")).status(0);
    summary(&folder.join("results/run"))
}

/// The wins and losses of `mostly` against `steady` on the first seeds, from the seeds alone.
fn counted(folder: &Path, units: usize) -> [f64; 2] {
    let games = read(folder, "results/run/games.csv");
    let mut won_lost = [0.0; 2];
    let of_mostly = games.lines().filter(|line| line.contains(",mostly,"));
    for line in of_mostly.take(units) {
        let seed: i64 = line.split(',').nth(3).unwrap().parse().unwrap();
        won_lost[usize::from(seed.rem_euclid(4) == 0)] += 1.0;
    }
    won_lost
}

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{path} in {value:#}"))
}

#[track_caller]
fn assert_near(value: &Value, path: &str, expected: f64) {
    let found = number(value, path);
    let is_near = (found - expected).abs() < 1e-3;
    assert!(is_near, "{path}: {found} {expected}");
}

fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

#[test]
fn elo_and_its_interval_are_those_of_wins_and_losses_by_seed() {
    let folder = &new_folder();
    write_config(folder, "games = 41", "seats = 1", "", &[MOSTLY, STEADY]);
    let summary = played(folder, "");
    let [won, lost] = counted(folder, 41);
    let game = &summary["games"][0];
    let units = [number(game, "/games"), number(game, "/units"), won + lost];
    assert_eq!(units, [82.0, 41.0, 41.0]);
    let pairing = &game["pairings"][0];
    let counts = ["/wins", "/draws", "/losses"].map(|key| number(pairing, key));
    assert_eq!(counts, [won, 0.0, lost]);
    assert_eq!(pairing["first"], "mostly");
    // Wilson's interval.
    let (n, z) = (won + lost, 1.959_964);
    let score = won / n;
    let half = z * (score * (1.0 - score) / n + z * z / (4.0 * n * n)).sqrt();
    let ends = [-half, half].map(|half| (score + z * z / (2.0 * n) + half) / (1.0 + z * z / n));
    assert_near(pairing, "/elo/elo", elo(score));
    assert_near(pairing, "/elo/lo95", elo(ends[0]));
    assert_near(pairing, "/elo/hi95", elo(ends[1]));
    // It scores 3 of 3 points, or 1 of 2.
    let [mostly, steady] = ["mostly", "steady"].map(|name| {
        let mut bots = game["bots"].as_array().unwrap().iter();
        bots.find(|bot| bot["name"] == name).unwrap()
    });
    assert_near(mostly, "/mean_score", (3.0 * won + lost) / n);
    assert_near(mostly, "/score_over_best", (won + lost / 2.0) / n);
    assert_near(steady, "/mean_score", 2.0);
    assert_near(steady, "/score_over_best", (2.0 / 3.0 * won + lost) / n);
    let page = read(folder, "results/run/report.html");
    assert!(page.contains("each bot alone on the same seeds") && !page.contains("By seat"));
    let rated = json(&line(folder, "rate results/run --json"));
    has(&rated.to_string(), &format!("\"wins\":{won}"));
}

#[test]
fn a_test_counts_seeds() {
    let folder = &new_folder();
    let run = "format = \"sprt\"";
    let test = "[sprt]\nelo0 = 0\nelo1 = 100\nearly = false\n";
    write_config(folder, run, "seats = 1", test, &[MOSTLY, STEADY]);
    let test = &played(folder, "")["sprt"];
    assert_eq!(test["verdict"], "accepted");
    let units = number(test, "/result/units");
    let counted_units = test["result"]["units"].as_u64().unwrap();
    let [won, lost] = counted(folder, counted_units.try_into().unwrap());
    assert_eq!(won + lost, units);
    assert_near(test, "/result/score", won / units);
    // The likelihood ratio of wins and losses, with the scores of 0 and 100 Elo.
    let [s0, s1] = [0.5, 1.0 / (1.0 + 10_f64.powf(-0.25))];
    let ratio = |won: f64, lost: f64| won * (s1 / s0).ln() + lost * ((1.0 - s1) / (1.0 - s0)).ln();
    let (llr, expected) = (number(test, "/llr"), ratio(won, lost));
    assert!((llr - expected).abs() < 0.05, "{llr} {expected}");
    let bound = (0.95_f64 / 0.05).ln();
    assert_near(test, "/upper", bound);
    // It ended no later than it had to.
    assert!(ratio(won - 1.0, lost) < bound);
}

#[test]
fn a_bot_that_fails_is_last_and_lower_scores_can_be_better() {
    let folder = &new_folder();
    let bots = [BROKEN, ("high", "echo 3"), ("low", "echo 1")];
    for (game, order) in [
        ("", ["high", "low", "broken"]),
        ("lower_is_better = true", ["low", "high", "broken"]),
    ] {
        let game = format!("seats = 1\n{game}");
        write_config(folder, "games = 5", &game, "", &bots);
        let summary = played(folder, "--force");
        let bots = &summary["games"][0]["bots"];
        assert_eq!(bots.as_array().unwrap().len(), 3);
        for (place, name) in order.iter().enumerate() {
            assert_eq!(bots[place]["name"], *name, "{game}");
            assert_eq!(bots[place]["mean_place"], [1.0, 2.0, 3.0][place]);
        }
        assert_eq!(bots[0]["score_over_best"], 1.0);
        assert_near(&bots[1], "/score_over_best", 1.0 / 3.0);
        assert_eq!(bots[2]["mean_score"], Value::Null);
        assert_eq!(bots[2]["faults"]["invalid_action"], 5);
        for (args, count, bot) in [
            ("--best 5", 5, order[0]),
            ("--worst 5", 5, "broken"),
            ("--bot high --worst 2", 2, "high"),
        ] {
            let list = stdout(&line(folder, &format!("replay results/run {args}")));
            let mut rows: Vec<&str> = list.lines().collect();
            let words = ["task", "finished", "invalid"];
            rows.retain(|row| words.iter().any(|word| row.contains(word)));
            assert_eq!(rows.len(), count, "{rows:?}");
            assert!(rows.iter().all(|row| row.contains(bot)), "{rows:?}");
        }
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

/// Writes a config of a game in which `low` and `high` get these scores.
fn write_echo(folder: &Path, seats: usize, lower: bool, scores: [&str; 2]) {
    let mut config = format!(
        "[run]\nseed = 7\nname = \"run\"\ngame = \"task\"\ngames = 2\n[clock]\nfirst_turn_ms = 60000\n\
         [game.task]\nreferee = \"echo.py\"\nseats = {seats}\nlower_is_better = {lower}\n"
    );
    for (name, score) in ["low", "high"].into_iter().zip(scores) {
        let command = format!("[\"sh\", \"-c\", \"read go; echo '{score}'\"]");
        let _ = writeln!(config, "[[bot]]\nname = {name:?}\ncommand = {command}");
    }
    write(folder, "run.toml", config);
}

/// The output of a command that succeeds.
fn shown(folder: &Path, args: &str) -> String {
    let out = line(folder, args);
    out.status(0);
    stdout(&out)
}

/// Scores are integers of 64 bits, with their own sign wherever people read them.
#[test]
fn scores_are_those_that_the_referee_gave() {
    let folder = &new_folder();
    write(folder, "echo.py", ECHO);
    for scores in [
        ["37", "2147483648"],
        ["-1000000000000", "1000000000001"],
        ["-9223372036854775808", "9223372036854775807"],
    ] {
        for (seats, lower) in [(1, true), (1, false), (2, true), (2, false)] {
            write_echo(folder, seats, lower, scores);
            let found = played(folder, "--force");
            let best = &found["games"][0]["bots"][0]["name"];
            assert_eq!(best, if lower { "low" } else { "high" }, "{found:#}");
            let run = folder.join("results/run");
            let games = [0, 1].map(|game| shown(folder, &format!("replay results/run {game}")));
            for (what, text) in [
                ("replay", games.concat()),
                ("games.csv", read(&run, "games.csv") + "\n"),
                ("records.jsonl", read(&run, "records.jsonl")),
            ] {
                for score in scores {
                    let is_there = [(" ", " "), (",", ","), ("[", ""), (",", "]")]
                        .iter()
                        .any(|(before, after)| text.contains(&format!("{before}{score}{after}")));
                    assert!(is_there, "{what}, {seats} seats, {score}: {text}");
                }
            }
            if seats == 1 {
                shows_its_best(folder, scores[usize::from(!lower)], &found);
            }
        }
    }
}

/// Lists and reports of a run of games of one seat show its best score.
fn shows_its_best(folder: &Path, best: &str, found: &Value) {
    let listed = shown(folder, "replay results/run --best 1");
    has(&listed, &format!(" {best} "));
    let wanted: f64 = best.parse().unwrap();
    assert_eq!(number(found, "/games/0/bots/0/mean_score"), wanted);
    for text in [
        shown(folder, "report results/run --verbose"),
        shown(folder, "report results/run --markdown -"),
        read(folder, "results/run/report.html"),
    ] {
        has(&text, &format!("{wanted:.2}"));
    }
}

#[test]
fn a_score_is_an_integer_of_64_bits() {
    let folder = &new_folder();
    write(folder, "echo.py", ECHO);
    for score in "9223372036854775808,-9223372036854775809,1.5,1e3,,0x10,nan".split(',') {
        for seats in [1, 2] {
            write_echo(folder, seats, false, ["0", score]);
            line(folder, "run run.toml --quiet --force")
                .contains("its score, an integer of 64 bits, in each line of SCORES");
        }
    }
    let document = read(&in_project("docs"), "how-to/referees.md");
    for limit in [i64::MIN, i64::MAX] {
        has(&document, &limit.to_string());
    }
}

/// However a run came to its games, they and what follows from them are the same, and can be
/// proved.
#[test]
fn a_run_can_be_cut_resumed_and_verified() {
    let folder = &new_folder();
    let bots = [MOSTLY, STEADY, BROKEN];
    write_config(folder, "games = 6\njobs = 2", "seats = 1", "", &bots);
    let whole = played(folder, "");
    let results = folder.join("results/run");
    let games = timeless(&results);
    let verified = line(folder, "verify results/run");
    assert_eq!(stdout(&verified), "18 games verified, 0 mismatches\n");
    // Eight games are two units and two games of the third.
    cut(&results, 8);
    let reported = line(folder, "report results/run");
    assert_ne!(reported.status.code(), Some(3), "{reported:?}");
    let cut = summary(&results);
    let units = ["/games/0/units", "/games/0/incomplete_units"].map(|key| number(&cut, key));
    assert_eq!(units, [2.0, 1.0]);
    let resumed = played(folder, "--resume");
    assert_eq!(timeless(&results), games);
    let wins = |of: &Value| of["games"][0]["pairings"][0]["wins"].clone();
    assert_eq!(wins(&resumed), wins(&whole));
}

/// Leaves the first games of a run, as if it had been killed after them.
pub(crate) fn cut(run: &Path, games: usize) {
    for (name, lines) in [("records.jsonl", games), ("games.csv", 1 + games)] {
        let file = read(run, name);
        let first: String = file.split_inclusive('\n').take(lines).collect();
        write(run, name, first);
    }
    fs::remove_file(run.join("summary.json")).unwrap();
}

#[test]
fn sweeps_and_tunings_find_what_scores_more() {
    let folder = &new_folder();
    let bot = ("bot", "echo {points}");
    let sweep = "[sweep]\nbot = \"bot\"\nvalues = { points = [1, 2, 3] }\nagainst = \"steady\"\n\
        block = 8\nmax_units = 16\n";
    write_config(
        folder,
        "format = \"sweep\"",
        "seats = 1",
        sweep,
        &[bot, STEADY],
    );
    let found = &played(folder, "")["sweep"];
    assert_eq!(found["leader"], "bot[points=3]", "{found:#}");
    let variants = found["variants"].as_array().unwrap();
    let scores: Vec<f64> = variants.iter().map(|one| number(one, "/score")).collect();
    assert_eq!(scores, [0.0, 0.5, 1.0]);
    let range = "{ points = { min = 0, max = 100, start = 20 } }";
    for (against, bots) in [("", &[bot][..]), ("against = \"steady\"\n", &[bot, STEADY])] {
        let tune = format!(
            "[tune]\nbot = \"bot\"\nparameters = {range}\n{against}block = 8\nmax_units = 64\n"
        );
        write_config(folder, "format = \"tune\"", "seats = 1", &tune, bots);
        let found = &played(folder, "--force")["tune"];
        assert_eq!(number(found, "/units"), 64.0);
        let answer = number(found, "/parameters/0/answer");
        assert!(answer > 20.0 || !against.is_empty(), "{found:#}");
    }
}

/// The scorer of the document is the one that the tests of documents run.
#[test]
fn the_document_shows_the_scorer() {
    let here = &in_project("");
    let document = read(here, "docs/how-to/referees.md");
    let scorer = read(here, "referees/knapsack.py");
    has(&document, &format!("```python\n{scorer}```\n"));
    let folder = &new_folder();
    let run = &folder.join("run");
    let out = run.display().to_string();
    let args = ["run", "configs/knapsack.toml", "--quiet", "--out", &out];
    arena(here, &args).status(0);
    let best = &summary(run)["games"][0]["bots"][0];
    assert_eq!(best["name"], "greedy");
    assert_eq!(number(best, "/games"), 20.0);
    line(here, "check configs/knapsack.toml --answer 0").status(0);
}
