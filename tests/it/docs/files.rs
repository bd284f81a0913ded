//! docs/reference/files.md lists every column and every key of the files that runs write, and nothing else.

use crate::programs::Said as _;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::ground::{Ground, project};

/// Keys that no run of this test has, with the reason.
const RARE: &[(&str, &str)] = &[
    (
        "options.map[]",
        "only records of others have a map of their own",
    ),
    ("worker", "it takes a server, see tests/it/cluster.rs"),
    ("host_late[]", "the machine must be busy"),
    (
        "run.first_replay",
        "the machine must refuse something, see tests/it/lack.rs",
    ),
    (
        "games[].bots[].mean_score",
        "only in games of one seat, see tests/it/alone.rs",
    ),
    (
        "games[].bots[].score_over_best",
        "only in games of one seat, see tests/it/alone.rs",
    ),
];

/// Four seats on maps of a folder, with a bot that ends with half a line; openings in the other game.
const FIELD: &str = r#"
[run]
seed = 1
start_anyway = true
name = "field"
game = ["onitama", "kutulu"]
format = "round-robin"
design = "mirror"
games = 2
opening_plies = 2
metrics = true
stderr = "turn"

[clock]
first_turn_ms = 60000
turn_ms = 60000

[game.kutulu]
maps = "maps"

[[bot]]
name = "sound"
command = "target/release/onitama-greedy"
games = ["onitama"]

[[bot]]
name = "broken"
command = ["sh", "-c", "echo depth=1 >&2; printf half; exit 7"]

[[bot]]
name = "careful"
command = "target/release/kutulu-greedy"
games = ["kutulu"]
"#;

/// A sequential test of four seats.
const TEST: &str = r#"
[run]
seed = 1
name = "test"
game = "kutulu"
format = "sprt"

[clock]
first_turn_ms = 60000
turn_ms = 60000

[sprt]
max_units = 4

[[bot]]
name = "greedy"
command = "target/release/kutulu-greedy"

[[bot]]
name = "random"
command = "target/release/kutulu-random"
"#;

/// A race of variants with two parameters.
const RACE: &str = r#"
[run]
seed = 1
name = "race"
game = "onitama"
format = "sweep"
opening_plies = 4

[clock]
first_turn_ms = 60000
turn_ms = 60000

[sweep]
bot = "search"
values = { depth = [1, 2], slips = [0, 60] }
block = 8
max_units = 16

[[bot]]
name = "search"
command = ["target/release/onitama-search", "--depth", "{depth}", "--blunder", "{slips}"]

[[bot]]
name = "greedy"
command = "target/release/onitama-greedy"
"#;

/// A tuning of the same two.
const TUNE: &str = r#"
[run]
seed = 1
name = "tuning"
game = "onitama"
format = "tune"
opening_plies = 4

[clock]
first_turn_ms = 60000
turn_ms = 60000

[tune]
bot = "search"
parameters = { depth = { min = 1, max = 4, start = 1 }, slips = { min = 0, max = 60, start = 30 } }
block = 2
max_units = 4

[[bot]]
name = "search"
command = ["target/release/onitama-search", "--depth", "{depth}", "--blunder", "{slips}"]
"#;

/// A bot that removes itself, so that later games can't start it.
const GONE: &str = r#"
[run]
seed = 1
name = "gone"
game = "onitama"
format = "round-robin"
games = 4
jobs = 1

[sandbox]
mode = "off"

[[bot]]
name = "vanishes"
command = "./vanishes"

[[bot]]
name = "greedy"
command = "target/release/onitama-greedy"
"#;

/// Columns or keys under a heading of the manual, from the first cells of its tables. A cell may
/// have several.
fn documented(manual: &str, heading: &str) -> Vec<Vec<String>> {
    let from = manual
        .split_once(&format!("\n## `{heading}`\n"))
        .unwrap_or_else(|| panic!("{heading} is missing"))
        .1;
    let section = from.split("\n## ").next().unwrap();
    let mut tables: Vec<Vec<String>> = Vec::new();
    for line in section.lines() {
        if line.starts_with("|---") {
            tables.push(Vec::new());
        } else if let Some((names, _)) = line
            .strip_prefix("| `")
            .and_then(|line| line.split_once("` |"))
        {
            let names = names.split("`, `").map(str::to_owned);
            tables.last_mut().unwrap().extend(names);
        }
    }
    assert!(!tables.is_empty(), "{heading} has no table");
    tables
}

/// The columns that tables describe: those that begin with `pK_` once for each seat, `value_NAME` once for each parameter of
/// [`RACE`] and [`TUNE`].
fn columns(tables: &[Vec<String>]) -> Vec<String> {
    let mut columns = Vec::new();
    for table in tables {
        let (of_seats, of_game): (Vec<_>, Vec<_>) =
            table.iter().partition(|name| name.starts_with("pK_"));
        assert!(
            table.ends_with(
                &of_seats
                    .iter()
                    .map(|&name| name.clone())
                    .collect::<Vec<_>>()
            ),
            "{table:?}"
        );
        for name in of_game {
            match name.strip_suffix("NAME") {
                Some(value) => columns
                    .extend(["depth", "slips"].map(|parameter| format!("{value}{parameter}"))),
                None => columns.push(name.clone()),
            }
        }
        for seat in 1..=4 {
            columns.extend(
                of_seats
                    .iter()
                    .map(|name| name.replacen("pK_", &format!("p{seat}_"), 1)),
            );
        }
    }
    columns
}

/// The paths of all keys of a value. An object below a documented `.*` has any keys.
fn keys(value: &Value, path: &str, open: &BTreeSet<String>, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let dot = if path.is_empty() { "" } else { "." };
                let any = format!("{path}.*");
                let path = if open.contains(&any) {
                    any
                } else {
                    format!("{path}{dot}{key}")
                };
                keys(value, &path, open, found);
            }
            // The page lists tables by their keys, and also lists and named parts themselves.
            if !path.is_empty() {
                found.insert(path.to_owned());
            }
        }
        Value::Array(entries) => {
            found.insert(format!("{path}[]"));
            for entry in entries {
                keys(entry, &format!("{path}[]"), open, found);
            }
        }
        _ => drop(found.insert(path.to_owned())),
    }
}

/// Every key of the values is documented, and every documented key occurs or is rare.
fn compare(heading: &str, manual: &str, values: &[Value]) {
    let listed: BTreeSet<String> = documented(manual, heading).into_iter().flatten().collect();
    let mut found = BTreeSet::new();
    for value in values {
        keys(value, "", &listed, &mut found);
    }
    // `a.*` and `a[][]` also document `a` and `a[]`, and so do the keys of `a` in another table.
    let is_told = |path: &String| {
        listed.contains(path)
            || listed.iter().any(|other| {
                other
                    .strip_prefix(path.as_str())
                    .is_some_and(|rest| rest.starts_with(['.', '[']))
            })
    };
    let missing: Vec<_> = found.iter().filter(|path| !is_told(path)).collect();
    assert!(
        missing.is_empty(),
        "{heading} has keys that docs/reference/files.md does not tell of: {missing:?}"
    );
    let never: Vec<_> = listed
        .iter()
        .filter(|path| !found.contains(*path) && !RARE.iter().any(|(rare, _)| rare == path))
        .collect();
    assert!(
        never.is_empty(),
        "docs/reference/files.md tells of keys that {heading} has not: {never:?}"
    );
}

/// The scripts in Python.
fn python(manual: &str) -> Vec<&str> {
    let scripts: Vec<&str> = manual
        .split("\n```python\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("\n```")?.0))
        .collect();
    assert_eq!(scripts.len(), 2);
    scripts
}

fn values(path: &Path) -> Vec<Value> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_column_and_key_is_told_of() {
    let manual = fs::read_to_string(project().join("docs/reference/files.md")).unwrap();
    let ground = Ground::new();
    let maps = project().join("crates/games/src/kutulu/maps");
    for (number, map) in fs::read_dir(maps)
        .unwrap()
        .map(Result::unwrap)
        .take(2)
        .enumerate()
    {
        ground.write(
            &format!("maps/{number}.txt"),
            &fs::read_to_string(map.path()).unwrap(),
        );
    }
    fs::create_dir(ground.path().join("battles")).unwrap();
    let battle = "onitama-shrine_reached-1.json.gz";
    let battles = project().join("tests/golden/battles");
    fs::copy(
        battles.join(battle),
        ground.path().join("battles/1.json.gz"),
    )
    .unwrap();
    ground.write("field.toml", FIELD);
    ground.write("test.toml", TEST);
    ground.write("race.toml", RACE);
    ground.write("tuning.toml", TUNE);
    ground.write("gone.toml", GONE);
    let vanishes = "#!/bin/sh\nread -r line; rm -f \"$0\"; echo no move\n";
    ground.script("vanishes", vanishes);
    let run = ground.shell(
        "for run in field race tuning; do arena run $run.toml --trace --quiet; done
         arena run test.toml --quiet || test $? = 4
         arena run gone.toml --quiet || test $? = 5
         arena import battles/1.json.gz --game onitama --me PLAYER_0 --out results/imported
         arena duel minishogi target/release/minishogi-random target/release/minishogi-greedy --sprt 0,10 --out results/clear --quiet
         arena duel minishogi target/release/minishogi-random target/release/minishogi-greedy --sprt 0,50,early=false --out results/stopped --quiet
         arena duel onitama target/release/onitama-greedy 'yes nonsense' --out results/failing --quiet || test $? = 4",
    );
    run.status(0);
    let [
        field,
        test,
        race,
        tuning,
        gone,
        failing,
        clear,
        stopped,
        imported,
    ] = [
        "field", "test", "race", "tuning", "gone", "failing", "clear", "stopped", "imported",
    ]
    .map(|name| ground.path().join("results").join(name));
    let of_all = [
        "games.csv",
        "ratings.csv",
        "pairings.csv",
        "timings.csv",
        "sprt.csv",
    ]
    .map(|name| (&test, name));
    let of_some = [
        (&race, "sweep.csv"),
        (&tuning, "tune.csv"),
        (&field, "metrics.csv"),
    ];
    for (run, name) in of_all.into_iter().chain(of_some) {
        let file = fs::read_to_string(run.join(name)).unwrap();
        let header: Vec<_> = file
            .lines()
            .next()
            .unwrap()
            .split(',')
            .map(str::to_owned)
            .collect();
        assert_eq!(columns(&documented(&manual, name)), header, "{name}");
    }
    let records: Vec<Value> = [&field, &test, &imported]
        .into_iter()
        .flat_map(|run| values(&run.join("records.jsonl")))
        .collect();
    compare("records.jsonl", &manual, &records);
    let summary = |run: &Path| -> Value {
        serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
    };
    for script in python(&manual) {
        ground.write("script.py", script);
        let module = if script.contains("pandas") {
            "pandas"
        } else {
            "polars"
        };
        // Without this module, only this script is left out.
        let run = ground.shell(&format!(
            "python3 -c 'import {module}' 2>/dev/null || exit 0; python3 script.py"
        ));
        run.status(0);
    }
    compare(
        "summary.json",
        &manual,
        &[
            &field, &test, &race, &tuning, &gone, &failing, &clear, &stopped, &imported,
        ]
        .map(|run| summary(run)),
    );
}
