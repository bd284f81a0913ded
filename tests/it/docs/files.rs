//! docs/reference/files.md lists every column and every key of the files that runs write, and
//! nothing else. Documents of JSON have the form of docs/reference/schemas.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::ground::{Ground, project};
use crate::programs::{Said as _, json, read, records, summary, table, validate};

/// Keys that no run of this test has, with the reason.
const RARE: &str = "
    options.map[] | only records of others have a map of their own
    worker | it takes a server, see tests/it/cluster.rs
    host_late[] | the machine must be busy
";

/// Four seats on maps of a folder, with a bot that ends with half a line; openings in the other
/// game.
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
    let start = format!("\n## `{heading}`\n");
    let (_, from) = manual.split_once(&start).expect(heading);
    let section = from.split("\n## ").next().unwrap();
    let mut tables: Vec<Vec<String>> = Vec::new();
    for line in section.lines() {
        if line.starts_with("|---") {
            tables.push(Vec::new());
        } else if let Some(line) = line.strip_prefix("| `")
            && let Some((names, _)) = line.split_once("` |")
        {
            let names = names.split("`, `").map(str::to_owned);
            tables.last_mut().unwrap().extend(names);
        }
    }
    assert!(!tables.is_empty(), "{heading} has no table");
    tables
}

/// The columns that tables describe: those that begin with `pK_` once for each seat, `value_NAME`
/// once for each parameter of [`RACE`] and [`TUNE`].
fn columns(tables: &[Vec<String>]) -> Vec<String> {
    let mut columns = Vec::new();
    for table in tables {
        let of_seat = |name: &String| name.starts_with("pK_");
        let seats_begin = table.iter().position(of_seat).unwrap_or(table.len());
        let (of_game, of_seats) = table.split_at(seats_begin);
        assert!(of_seats.iter().all(of_seat), "{table:?}");
        for name in of_game {
            match name.strip_suffix("NAME") {
                Some(value) => {
                    columns.extend(["depth", "slips"].map(|key| format!("{value}{key}")));
                }
                None => columns.push(name.clone()),
            }
        }
        for seat in 1..=4 {
            let seat = format!("p{seat}_");
            columns.extend(of_seats.iter().map(|name| name.replacen("pK_", &seat, 1)));
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
        listed
            .iter()
            .any(|other| match other.strip_prefix(path.as_str()) {
                Some(rest) => rest.is_empty() || rest.starts_with(['.', '[']),
                None => false,
            })
    };
    let mut missing = found.clone();
    missing.retain(|path| !is_told(path));
    assert!(
        missing.is_empty(),
        "{heading} has keys that docs/reference/files.md does not tell of: {missing:?}"
    );
    let mut never: BTreeSet<_> = listed.difference(&found).map(String::as_str).collect();
    for [rare, _reason] in table(RARE) {
        never.remove(rare);
    }
    assert!(
        never.is_empty(),
        "docs/reference/files.md tells of keys that {heading} has not: {never:?}"
    );
}

/// Runs that write every file and nearly every key.
const RUNS: &str = "
    for run in field race tuning; do arena run $run.toml --trace --quiet; done
    arena run test.toml --quiet || test $? = 4
    arena run gone.toml --quiet || test $? = 5
    arena import battles/1.json.gz --game onitama --me PLAYER_0 --out results/imported
    bots=target/release/minishogi
    arena duel minishogi $bots-random $bots-greedy --sprt 0,10 --out results/clear --quiet
    arena duel minishogi $bots-random $bots-greedy --sprt 0,50,early=false --out results/stopped --quiet
    arena duel onitama target/release/onitama-greedy 'yes nonsense' --out results/failing --quiet || test $? = 4
";

/// A folder with these runs.
fn played() -> Ground {
    let ground = Ground::new();
    for (name, config) in [
        ("field", FIELD),
        ("test", TEST),
        ("race", RACE),
        ("tuning", TUNE),
        ("gone", GONE),
    ] {
        ground.write(&format!("{name}.toml"), config);
    }
    let maps = project().join("crates/games/src/kutulu/maps");
    for (number, map) in fs::read_dir(maps).unwrap().take(2).enumerate() {
        let map = fs::read_to_string(map.unwrap().path()).unwrap();
        ground.write(&format!("maps/{number}.txt"), &map);
    }
    let battle = "tests/golden/battles/onitama-shrine_reached-1.json.gz";
    fs::create_dir(ground.path().join("battles")).unwrap();
    fs::copy(
        project().join(battle),
        ground.path().join("battles/1.json.gz"),
    )
    .unwrap();
    let vanishes = "#!/bin/sh\nread -r line; rm -f \"$0\"; echo no move\n";
    ground.script("vanishes", vanishes);
    ground.shell(RUNS).status(0);
    ground
}

/// A pool of three bots, with the answer of its last try.
const POOL: &str = "
    arena pool new onitama
    arena pool try v1='arena bot onitama-random' --quiet
    arena pool add v2='arena bot onitama-search --depth 1'
    arena pool try v3='arena bot onitama-greedy' --games 60 --seed 1 --quiet --json > answer.json
";

#[test]
fn every_column_and_key_of_a_pool_is_told_of() {
    let manual = read(&project(), "docs/reference/files.md");
    let ground = Ground::new();
    ground.shell(POOL).status(0);
    let pool = ground.path().join("pool");
    let file = read(&pool, "standings.csv");
    let header: Vec<&str> = file.lines().next().unwrap().split(',').collect();
    assert_eq!(columns(&documented(&manual, "standings.csv")), header);
    let parsed = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    validate("pool-try", &parsed(read(ground.path(), "answer.json")));
    let shown = json(&ground.shell("arena pool --json"));
    validate("pool", &shown);
    let mut standings = parsed(read(&pool, "standings.json"));
    standings["exit"] = 0.into();
    assert_eq!(standings, shown);
}

#[test]
fn every_column_and_key_is_told_of() {
    let manual = read(&project(), "docs/reference/files.md");
    let ground = played();
    let results = ground.path().join("results");
    for [run, name] in table(
        "
        test | games.csv
        test | ratings.csv
        test | pairings.csv
        test | timings.csv
        test | sprt.csv
        race | sweep.csv
        tuning | tune.csv
        field | metrics.csv
        ",
    ) {
        let file = read(&results.join(run), name);
        let header: Vec<&str> = file.lines().next().unwrap().split(',').collect();
        assert_eq!(columns(&documented(&manual, name)), header, "{name}");
    }
    let runs = ["field", "test", "imported"];
    let found = runs.map(|run| records(&results.join(run), "records.jsonl"));
    compare("records.jsonl", &manual, &found.concat());
    let scripts: Vec<&str> = manual.split("\n```python\n").skip(1).collect();
    assert_eq!(scripts.len(), 2);
    for script in scripts {
        let (script, _) = script.split_once("\n```").unwrap();
        ground.write("script.py", script);
        let has_pandas = script.contains("pandas");
        let module = if has_pandas { "pandas" } else { "polars" };
        // Without this module, only this script is left out.
        let check =
            format!("python3 -c 'import {module}' 2>/dev/null || exit 0; python3 script.py");
        ground.shell(&check).status(0);
    }
    for run in "field test race tuning gone failing clear stopped imported".split(' ') {
        let mut document = json(&ground.shell(&format!("arena report results/{run} --json")));
        validate("run", &document);
        let keys = document.as_object_mut().unwrap();
        for key in ["folder", "answer", "confirmation", "exit"] {
            assert!(keys.remove(key).is_some(), "{run} has no {key}");
        }
        assert_eq!(document, summary(&results.join(run)), "{run}");
    }
    for run in ["test", "clear", "stopped"] {
        let document = ground.shell(&format!("arena sprt results/{run} --json; :"));
        validate("sprt-of-run", &json(&document));
    }
}
