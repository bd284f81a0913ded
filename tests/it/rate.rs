//! `arena rate`: results of several runs, and tables of counts, in one rating.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use published::{golden, source};

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

fn example() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example/games.csv"))
        .unwrap()
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

#[test]
fn two_halves_of_a_run_are_the_whole_in_any_order() {
    let whole = example();
    let (header, rows) = whole.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let (one, two) = rows.split_at(8);
    let file = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    let reversed: Vec<&str> = two.iter().rev().copied().collect();
    let folder = folder(&[
        ("whole.csv", &whole),
        ("one.csv", &file(one)),
        ("two.csv", &file(two)),
        ("reversed.csv", &file(&reversed)),
    ]);
    let expected = json(folder.path(), &["whole.csv"]);
    for halves in [["one.csv", "two.csv"], ["reversed.csv", "one.csv"]] {
        assert_eq!(json(folder.path(), &halves)["games"], expected["games"]);
    }
}

#[test]
fn units_of_different_runs_are_not_joined() {
    let whole = example();
    let (header, rows) = whole.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    // The first game of a unit in one file, the second in another: two runs whose units are both incomplete.
    let [one, two] = [rows[0], rows[1]].map(|row| format!("{header}\n{row}\n"));
    let folder = folder(&[
        ("one.csv", &one),
        ("two.csv", &two),
        ("both.csv", &format!("{header}\n{}\n{}\n", rows[0], rows[1])),
    ]);
    let apart = json(folder.path(), &["one.csv", "two.csv"]);
    assert_eq!(
        (
            &apart["games"][0]["units"],
            &apart["games"][0]["incomplete_units"]
        ),
        (&0.into(), &2.into())
    );
    assert!(apart["games"][0]["bots"][0]["elo"].is_null());
    let together = json(folder.path(), &["both.csv"]);
    assert_eq!(
        (
            &together["games"][0]["units"],
            &together["games"][0]["incomplete_units"]
        ),
        (&1.into(), &0.into())
    );
    let text = String::from_utf8(rate(folder.path(), &["one.csv", "two.csv"]).stdout).unwrap();
    assert!(text.contains("incomplete units: 2"), "{text}");
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

/// Copies of whole files and parts of them, lines in any order and twice, with other times: a game counts once.
#[test]
fn a_game_counts_once_whatever_files_have_it_in_whatever_order() {
    let header = example().split_inclusive('\n').next().unwrap().to_owned();
    let of_two: Vec<String> = example()
        .lines()
        .skip(1)
        .map(|line| format!("{line}\n"))
        .collect();
    let of_four: Vec<String> = (0..9)
        .map(|number| four_seats(number, number / 4, ["a", "b", "c", "d"]))
        .collect();
    for rows in [of_two, of_four] {
        let file = |rows: &mut dyn Iterator<Item = &String>| {
            header.clone() + &rows.map(String::as_str).collect::<String>()
        };
        let slower =
            |row: &String| row.trim_end().rsplit_once(',').unwrap().0.to_owned() + ",99.0\n";
        let slow: Vec<String> = rows.iter().map(slower).collect();
        let folder = folder(&[
            ("whole.csv", &file(&mut rows.iter())),
            ("copy.csv", &file(&mut slow.iter().rev())),
            ("interrupted.csv", &file(&mut rows.iter().take(7))),
            (
                "twice.csv",
                &file(&mut rows.iter().flat_map(|row| [row, row])),
            ),
            ("end.csv", &file(&mut rows.iter().skip(3))),
        ]);
        let expected = &json(folder.path(), &["whole.csv"])["games"];
        for files in [
            &["whole.csv", "copy.csv"][..],
            &["interrupted.csv", "whole.csv"],
            &["end.csv", "interrupted.csv", "copy.csv"],
            &["copy.csv", "interrupted.csv", "end.csv"],
            &["twice.csv"],
            &["whole.csv", "whole.csv", "./whole.csv"],
            &["end.csv", "twice.csv", "whole.csv", "copy.csv"],
        ] {
            assert_eq!(json(folder.path(), files)["games"], *expected, "{files:?}");
        }
        let text =
            String::from_utf8(rate(folder.path(), &["whole.csv", "copy.csv"]).stdout).unwrap();
        assert!(
            text.contains(&format!("{} games were left out", rows.len())),
            "{text}"
        );
    }
}

/// Units of `new` against `old`, each on a different seed. `new_wins` says who wins which game, and all games are
/// equally long.
fn dice(units: std::ops::Range<u64>, new_wins: impl Fn(u64) -> bool) -> Vec<String> {
    let games = 2 * units.start..2 * units.end;
    let row = |number: u64| {
        let mut bots = ["new", "old"];
        bots.rotate_left(usize::try_from(number % 2).unwrap());
        let unit = number / 2;
        let scores = if new_wins(number) == number.is_multiple_of(2) {
            ["1,1", "0,2"]
        } else {
            ["0,2", "1,1"]
        };
        let seats = [0, 1].map(|seat| format!("{},{},ok", bots[seat], scores[seat]));
        format!("{number},{unit},dice,{unit},drawn,1,{}\n", seats.join(","))
    };
    games.map(row).collect()
}

/// A file of such games.
fn dice_file<'a>(rows: impl IntoIterator<Item = &'a String>) -> String {
    let header = "number,unit,game,seed,reason,turns,p1_bot,p1_score,p1_place,p1_fate,p2_bot,p2_score,p2_place,p2_fate\n";
    header.to_owned() + &rows.into_iter().map(String::as_str).collect::<String>()
}

/// Units of every two of the bots a, b and c. Seeds favour b, or a and c.
fn lucky(seed: impl Fn(u64, u64) -> u64) -> String {
    let mut rows = Vec::new();
    for (unit, cycle) in (0..).zip((0..40).flat_map(|cycle| [cycle; 3])) {
        let pairing = ["ab", "bc", "ca"][usize::try_from(unit % 3).unwrap()];
        for number in [2 * unit, 2 * unit + 1] {
            let mut bots = pairing.to_owned();
            if number % 2 == 1 {
                bots = bots.chars().rev().collect();
            }
            let is_lucky = |bot: &str| (bot == "b") == (cycle % 2 == 0);
            let (one, other) = bots.split_at(1);
            // Bots that are as lucky win a game each, moving first.
            let scores = match (is_lucky(one), is_lucky(other)) {
                (false, true) => ["0,2", "1,1"],
                _ => ["1,1", "0,2"],
            };
            rows.push(format!(
                "{number},{unit},dice,{},drawn,1,{one},{},ok,{other},{},ok\n",
                seed(unit, cycle),
                scores[0],
                scores[1]
            ));
        }
    }
    dice_file(&rows)
}

/// A lucky seed is lucky in all its games, so there are 40 observations of b, not 80.
#[test]
fn units_of_different_bots_on_one_seed_share_its_luck() {
    let folder = folder(&[
        ("own.csv", &lucky(|unit, _| unit)),
        ("shared.csv", &lucky(|_, cycle| cycle)),
        ("unknown.csv", &lucky(|_, _| 1)),
    ]);
    let [own, shared, unknown] =
        ["own.csv", "shared.csv", "unknown.csv"].map(|file| json(folder.path(), &[file]));
    let error = |rated: &Value| bot(rated, "b")["error95"].as_f64().unwrap();
    let more = error(&shared) / error(&own);
    assert!((1.3..1.5).contains(&more), "{more}");
    let counted = |rated: &Value| {
        let game = &rated["games"][0];
        (game["units"].as_u64(), game["shared_seeds"].as_u64())
    };
    assert_eq!(counted(&shared), (Some(120), Some(40)));
    assert_eq!(counted(&own), (Some(120), None));
    assert_eq!(counted(&unknown).1, None);
    let said = "pairings share 40 seeds, and the luck of each: intervals of ratings count seeds, not units";
    assert!(shown(folder.path(), &["shared.csv"]).contains(said));
    assert!(!shown(folder.path(), &["own.csv"]).contains("pairings share"));
}

/// Draws that depend on the run and the number of the game.
fn drawn(run: u64) -> impl Fn(u64) -> bool {
    // The mixing steps of SplitMix64. `new` wins four games in five.
    move |number| {
        let mut mixed = (run << 32 | number)
            .wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        !(mixed ^ mixed >> 31).is_multiple_of(5)
    }
}

fn shown(folder: &Path, args: &[&str]) -> String {
    String::from_utf8(rate(folder, args).stdout).unwrap()
}

/// Ratings without what depends on how many files they come from.
fn without_looks(rated: &Value) -> Value {
    let mut games = rated["games"].clone();
    for game in games.as_array_mut().unwrap() {
        let looks = ["interval", "los", "first_player"];
        game.as_object_mut()
            .unwrap()
            .retain(|key, _| !looks.contains(&&**key));
        for bot in game["bots"].as_array_mut().unwrap() {
            let looks = ["lo95", "hi95", "error95", "los_next"];
            bot.as_object_mut()
                .unwrap()
                .retain(|key, _| !looks.contains(&&**key));
        }
    }
    games
}

/// If only games that differ counted twice, the stronger bot would lose Elo by playing again.
#[test]
fn random_bots_that_play_again_have_the_elo_of_all_their_games() {
    let runs = [1, 2].map(|run| dice(0..500, drawn(run)));
    let elsewhere = dice(500..1000, |number| drawn(2)(number - 1000));
    let folder = folder(&[
        ("one.csv", &dice_file(&runs[0])),
        ("two.csv", &dice_file(&runs[1])),
        ("elsewhere.csv", &dice_file(&elsewhere)),
        ("joined.csv", &dice_file(runs.iter().flatten())),
    ]);
    let expected = json(folder.path(), &["one.csv", "elsewhere.csv"]);
    assert_eq!(expected["games"][0]["units"], 1000);
    assert!(
        !expected["notes"].to_string().contains("same seed"),
        "{}",
        expected["notes"]
    );
    for files in [
        &["one.csv", "two.csv"][..],
        &["two.csv", "one.csv"],
        &["joined.csv"],
    ] {
        let rated = json(folder.path(), files);
        assert_eq!(without_looks(&rated), without_looks(&expected), "{files:?}");
        assert_eq!(rated["copies"], 0);
    }
    let text = shown(folder.path(), &["two.csv", "one.csv"]);
    assert!(
        text.replace("\n  ", " ").contains(
            "played again on the same seeds, with other results, so that all games count: one.csv, two.csv"
        ),
        "{text}"
    );
}

/// Two runs on the same seeds say as much as two on different seeds.
#[test]
fn intervals_of_runs_on_the_same_seeds_hold_the_truth() {
    let pairs: u32 = if programs::is_long() { 1000 } else { 40 };
    // The difference if a bot wins four games in five. Its rating is half of it.
    let truth = 200.0 * 4_f64.log10();
    let [mut once, mut always, mut broken] = [0; 3];
    for pair in 0..pairs {
        let runs = [2 * pair, 2 * pair + 1].map(|run| dice(0..200, drawn(1000 + u64::from(run))));
        let units = runs[1].chunks(2).zip(runs[0].chunks(2));
        let differ = units.filter(|(one, other)| one != other);
        let differ = runs[0].iter().chain(differ.flat_map(|(rows, _)| rows));
        let folder = folder(&[
            ("one.csv", &dice_file(&runs[0])),
            ("two.csv", &dice_file(&runs[1])),
            ("joined.csv", &dice_file(runs.iter().flatten())),
            ("differ.csv", &dice_file(differ)),
        ]);
        let holds = |files: &[&str], interval: &str| {
            let rated = json(folder.path(), files);
            assert_eq!(rated["games"][0]["interval"], interval);
            let [lo, hi] = ["lo95", "hi95"].map(|end| bot(&rated, "new")[end].as_f64().unwrap());
            u32::from((lo..=hi).contains(&truth))
        };
        once += holds(&["joined.csv"], "once");
        always += holds(&["one.csv", "two.csv"], "every_look");
        broken += holds(&["differ.csv"], "once");
    }
    println!(
        "of {pairs} intervals hold the truth: for one look {once}, for every look {always}; with units that agree \
         counted once, those that differ twice {broken}"
    );
    // Three and a half standard errors below 95%.
    let least = f64::from(pairs) * (0.95 - 3.5 * (0.95 * 0.05 / f64::from(pairs)).sqrt());
    for held in [once, always] {
        assert!(f64::from(held) >= least, "{held} of {pairs}");
    }
    assert!(
        2 * broken < pairs,
        "counting units that agree once is known to fail: {broken} of {pairs}"
    );
}

/// A file counts as a copy even if its run was resumed or interrupted, or had a few games replayed.
#[test]
fn a_copy_with_a_few_other_games_is_left_out() {
    let whole = dice(0..100, drawn(1));
    let replayed = dice(0..100, |number| drawn(1)(number) != (number % 11 == 0));
    let mut torn = dice_file(&replayed[..151]);
    torn.truncate(torn.len() - 4);
    let begun = dice_file(&whole[..81]);
    let of_four = |rest: u64| -> String {
        let rows = whole
            .chunks(2)
            .zip(0..)
            .filter(|(_, unit)| unit % 4 == rest);
        dice_file(rows.flat_map(|(rows, _)| rows))
    };
    let parts = dice_file(whole[20..60].iter().chain(&whole[120..160]));
    let folder = folder(&[
        ("whole.csv", &dice_file(&whole)),
        ("replayed.csv", &dice_file(&replayed[..198])),
        ("torn.csv", &torn),
        ("begun.csv", &begun),
        ("quarter.csv", &of_four(1)),
        ("parts.csv", &parts),
        ("left.csv", &dice_file(&whole[..100])),
        ("right.csv", &dice_file(&whole[100..])),
    ]);
    let expected = &without_looks(&json(folder.path(), &["whole.csv"]));
    for mut files in [
        vec!["whole.csv", "whole.csv"],
        vec!["whole.csv", "replayed.csv"],
        vec!["whole.csv", "torn.csv", "begun.csv"],
        vec!["whole.csv", "quarter.csv", "replayed.csv"],
        vec!["left.csv", "right.csv", "parts.csv"],
        vec!["left.csv", "quarter.csv", "right.csv"],
        vec!["left.csv", "begun.csv", "right.csv", "right.csv"],
    ] {
        for _ in 0..files.len() {
            files.rotate_left(1);
            assert_eq!(
                without_looks(&json(folder.path(), &files)),
                *expected,
                "{files:?}"
            );
        }
        files.reverse();
        assert_eq!(
            without_looks(&json(folder.path(), &files)),
            *expected,
            "{files:?}"
        );
    }
    let copied = |files: [&str; 2]| shown(folder.path(), &files).replace("\n  ", " ");
    let texts = [
        (
            ["quarter.csv", "whole.csv"],
            "quarter.csv: 50 games were left out, because whole.csv has them with the same seed, seats, turns and result: a copy, or deterministic bots played again",
        ),
        (
            ["replayed.csv", "whole.csv"],
            "replayed.csv: 198 games were left out, because whole.csv has them with the same seed and seats, and 180 of 198 with the same turns and result: a copy",
        ),
        (
            ["whole.csv", "./whole.csv"],
            "200 games were left out, because the file has them twice or is named twice",
        ),
    ];
    for (files, expected) in texts {
        let text = copied(files);
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("played again on"), "{text}");
    }
}

/// The third file is both others, one after the other, which played on the same seeds.
#[test]
fn two_runs_in_one_file_are_a_copy_of_each() {
    let runs = [1, 2].map(|run| dice(0..100, drawn(run)));
    let folder = folder(&[
        ("one.csv", &dice_file(&runs[0])),
        ("two.csv", &dice_file(&runs[1][..150])),
        ("both.csv", &dice_file(runs.iter().flatten())),
    ]);
    let expected = &json(folder.path(), &["both.csv"])["games"];
    assert_eq!(expected[0]["games"], 400);
    for files in [
        &["one.csv", "both.csv"][..],
        &["both.csv", "two.csv"],
        &["two.csv", "both.csv", "one.csv"],
        &["one.csv", "two.csv", "both.csv", "both.csv"],
    ] {
        assert_eq!(json(folder.path(), files)["games"], *expected, "{files:?}");
    }
}

/// Another result on the same seed is another game: such bots draw at random.
#[test]
fn the_same_seed_with_another_result_is_another_game() {
    let whole = example();
    let longer = |(at, line): (usize, &str)| {
        let mut fields: Vec<&str> = line.split(',').collect();
        if at > 0 {
            fields[5] = "999";
        }
        fields.join(",") + "\n"
    };
    let other: String = whole.lines().enumerate().map(longer).collect();
    let folder = folder(&[("one.csv", &whole), ("other.csv", &other)]);
    let rated = json(folder.path(), &["one.csv", "other.csv"]);
    assert_eq!(
        (&rated["games"][0]["games"], &rated["games"][0]["units"]),
        (&40.into(), &20.into())
    );
}

#[test]
fn columns_are_found_by_their_names() {
    let whole = example();
    let names: Vec<&str> = whole.lines().next().unwrap().split(',').collect();
    let turned = |line: &str, without: &str| {
        let fields = line
            .split(',')
            .zip(&names)
            .filter(|(_, name)| **name != without)
            .map(|(field, _)| field);
        let mut fields: Vec<&str> = fields.collect();
        fields.reverse();
        fields.join(",") + ",more\n"
    };
    let file = |without: &str| {
        whole
            .lines()
            .map(|line| turned(line, without))
            .collect::<String>()
    };
    let folder = folder(&[
        ("whole.csv", &whole),
        ("turned.csv", &file("p1_ms_max")),
        ("lacks.csv", &file("p2_score")),
    ]);
    let packed = Command::new("gzip")
        .arg("--keep")
        .arg("whole.csv")
        .current_dir(&folder)
        .status();
    assert!(packed.unwrap().success());
    assert_eq!(
        json(folder.path(), &["turned.csv"])["games"],
        json(folder.path(), &["whole.csv"])["games"]
    );
    for (file, said) in [
        ("lacks.csv", "the column `p2_score` is missing"),
        (
            "whole.csv.gz",
            "it is compressed with gzip: unpack it first, with gunzip",
        ),
    ] {
        let refused = rate(folder.path(), &[file]);
        let error = String::from_utf8_lossy(&refused.stderr);
        assert!(
            refused.status.code() == Some(3) && error.contains(said),
            "{error}"
        );
    }
}

/// Only the games of a unit that meet the conditions count.
#[test]
fn a_game_that_is_still_being_written_is_left_out() {
    let mut torn = example();
    torn.truncate(torn.trim_end().len() - 3);
    let folder = folder(&[("games.csv", &torn)]);
    let rated = json(folder.path(), &["games.csv"]);
    assert_eq!(
        (
            &rated["games"][0]["games"],
            &rated["games"][0]["incomplete_units"]
        ),
        (&19.into(), &1.into())
    );
    let text = String::from_utf8(rate(folder.path(), &["games.csv"]).stdout).unwrap();
    assert!(
        text.contains("games.csv: the last line is cut off and left out"),
        "{text}"
    );
}

/// A game of four seats, as `games.csv` has it: the bots by seat, the best first.
fn four_seats(number: u64, unit: u64, bots: [&str; 4]) -> String {
    let mut seats: Vec<String> = (0..4)
        .map(|at| format!("{},{},{},ok", bots[at], 4 - at, at + 1))
        .collect();
    seats.rotate_left(usize::try_from(number % 4).unwrap());
    format!(
        "{number},{unit},kutulu,{number},max_turns,30,{},,,,,,,,\n",
        seats.join(",")
    )
}

#[test]
fn designs_of_four_seats_are_rated_apart_and_by_whole_units() {
    let header = example().split_inclusive('\n').next().unwrap().to_owned();
    let rotations: String = (0..8)
        .map(|number| four_seats(number, number / 4, ["a", "b", "c", "d"]))
        .collect();
    let mirrored: String = (8..12)
        .map(|number| four_seats(number, number / 2, ["a", "b", "b", "a"]))
        .collect();
    let of_test = header.clone() + &mirrored;
    let folder = folder(&[
        ("games.csv", &(header + &rotations + &mirrored)),
        ("test.csv", &of_test),
    ]);
    for (verb, code) in [("elo", 0), ("sprt", 4)] {
        let told = programs::program()
            .current_dir(folder.path())
            .args([verb, "test.csv", "--json"])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&told.stderr);
        assert_eq!(told.status.code(), Some(code), "{error}");
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(
            (&told["games_per_unit"], &told["units"]),
            (&2.into(), &2.into())
        );
    }
    let rated = json(folder.path(), &["games.csv"]);
    let designs: Vec<_> = rated["games"].as_array().unwrap().iter().collect();
    let facts = |field: &Value| {
        [
            "bots_per_table",
            "games_per_unit",
            "games",
            "units",
            "incomplete_units",
        ]
        .map(|key| field[key].as_u64().unwrap())
    };
    assert_eq!(facts(designs[0]), [2, 2, 4, 2, 0]);
    assert_eq!(facts(designs[1]), [4, 4, 8, 2, 0]);
    let best = &designs[1]["bots"][0];
    assert_eq!(
        (&best["name"], &best["firsts"], &best["mark"]),
        (&"a".into(), &1.0.into(), &"perfect".into())
    );
    // First of four, and last of four, against two others: level.
    near(&designs[0]["bots"][0]["score"], 0.5, 0.0);
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
            "broken.csv",
            example().replacen("minishogi,", "minishogi,x", 1),
        ),
        (
            "place.csv",
            example().replacen(",2,ok,", ",18446744073709551615,ok,", 1),
        ),
        ("high.csv", example().replacen(",2,ok,", ",3,ok,", 1)),
        ("zero.csv", example().replacen(",2,ok,", ",0,ok,", 1)),
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
        (&["broken.csv"], 3, "line 2: column seed"),
        (
            &["place.csv"],
            3,
            "line 2: column p1_place: expected a place from 1 to the number of seats, found `18446",
        ),
        (
            &["high.csv"],
            3,
            "column p1_place: expected a place from 1 to the number of seats, found `3`",
        ),
        (
            &["zero.csv"],
            3,
            "column p1_place: expected a place from 1 to the number of seats, found `0`",
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

fn duel(folder: &Path, new: &str, out: &str) {
    let new = format!("new=arena bot onitama-{new}");
    let output = programs::program()
        .current_dir(folder)
        .args(["duel", "onitama", "old=arena bot onitama-greedy", &new])
        .args(["--games", "60", "--seed", "1", "--out", out, "--quiet"])
        .args([
            "--set",
            "clock.turn_ms=60000",
            "--set",
            "clock.first_turn_ms=60000",
        ])
        .args(["--set", "clock.startup_ms=60000"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs of a bot, of the same bot again, and of another version of it, whose rows are separate, too.
fn two_versions() -> TempDir {
    let runs = tempfile::tempdir().unwrap();
    let folder = runs.path();
    duel(folder, "search --depth 1", "one");
    duel(folder, "search --depth 1", "again");
    duel(folder, "search --depth 1 --param centre=9", "two");
    fs::copy(folder.join("two/games.csv"), folder.join("two.csv")).unwrap();
    runs
}

/// A game that two versions of a bot played alike on the same seed is one of each.
#[test]
fn games_of_other_programs_are_no_copies() {
    let runs = two_versions();
    let folder = runs.path();
    let games = |files: &[&str]| {
        let rated = json(folder, files);
        (
            rated["games"][0]["games"].as_u64().unwrap(),
            rated["copies"].as_u64().unwrap(),
        )
    };
    assert_eq!(games(&["one", "again"]), (60, 60));
    assert_eq!(games(&["one", "two"]), (120, 0));
    assert_eq!(
        games(&["two/games.csv", "one", "two.csv", "again"]),
        (120, 120)
    );
    assert_eq!(games(&["two.csv", "again", "one", "two"]), (120, 120));
}

/// Programs are known of run directories only.
#[test]
fn other_programs_of_one_name_are_told_and_rated_apart() {
    let runs = two_versions();
    let folder = runs.path();
    let notes = |files: &[&str]| {
        let rated = json(folder, files);
        rated["notes"].as_array().unwrap().clone()
    };
    let changed = "two: `new` has another program or other arguments than in one; --by-program rates them apart";
    assert!(notes(&["one", "two"]).contains(&changed.into()));
    let copied = |note: &Value| {
        note.as_str()
            .unwrap()
            .starts_with("one: 60 games were left out")
    };
    assert!(notes(&["one", "again"]).iter().any(copied));
    for files in [
        &["one", "two.csv"][..],
        &["one", "again"],
        &["two", "two.csv"],
    ] {
        let notes = notes(files);
        let is_told = |note: &Value| note.as_str().unwrap().contains("another program");
        assert!(!notes.iter().any(is_told), "{notes:?}");
    }
    let text = shown(folder, &["two", "one"]).replace("\n  ", " ");
    assert!(
        text.contains("one: `new` has another program or other arguments than in two"),
        "{text}"
    );

    let names = |files: &[&str]| -> Vec<String> {
        let rated = json(
            folder,
            &[files, &["--by-program", "--anchor", "old=0"]].concat(),
        );
        let bots = rated["games"][0]["bots"].as_array().unwrap();
        let mut names: Vec<String> = bots
            .iter()
            .map(|bot| bot["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort_unstable();
        let text = rated["notes"].to_string();
        assert!(!text.contains("another program"), "{text}");
        names
    };
    let apart = names(&["two.csv", "one", "two", "again"]);
    let [one, two, old] = &apart[..] else {
        panic!("{apart:?}");
    };
    assert_eq!(old, "old");
    for name in [one, two] {
        let digits = name.strip_prefix("new@").unwrap();
        assert!(
            digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()),
            "{apart:?}"
        );
    }
    assert_eq!(names(&["two", "one"]), apart, "whatever comes first");
    assert_eq!(names(&["one", "again"]), ["new", "old"]);
    assert_eq!(names(&["one", "two.csv"]), ["new", "old"]);
}
