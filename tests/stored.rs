//! Runs that were stored by version 1 of the files: one of each format, interrupted ones and slices. They are verified,
//! rated, reported, resumed and merged as ever. `tests/stored/runs.tar.gz` holds them with their configs and bots, two
//! scripts for any shell, and what an undisturbed run comes to; all commands run in its folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const RUNS: [&str; 8] = [
    "gauntlet",
    "interrupted",
    "interrupted-sprt",
    "mirror",
    "own-maps",
    "round-robin",
    "sprt",
    "trace",
];

fn unpacked() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/runs.tar.gz");
    let tar = Command::new("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("-C")
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(tar.success());
    folder
}

fn arena(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arena"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn expected(folder: &Path, run: &str, file: &str) -> Option<String> {
    fs::read_to_string(
        folder
            .join("expected")
            .join(run)
            .join(format!("expected-{file}")),
    )
    .ok()
}

/// A file of a run without the columns that depend on the clock, the map and the bets of a test, which version 1 did not
/// name, and the interval to the leader of a sweep and those of the ratings of two bots, which had other ends.
fn timeless(text: &[u8]) -> String {
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let are_two_rated = rows.len() == 2 && header.iter().any(|name| name == "rank");
    let is_told = |name: &str| {
        let is_of_two = are_two_rated && ["lo95", "hi95"].contains(&name);
        let new = [
            "map",
            "ln_e",
            "behind_lo",
            "behind_hi",
            "mean_place_",
            "firsts_",
        ];
        !name.contains("_ms_") && !is_of_two && !new.iter().any(|new| name.starts_with(new))
    };
    let kept: Vec<usize> = (0..header.len())
        .filter(|&at| is_told(&header[at]))
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in [header].into_iter().chain(rows) {
        writer
            .write_record(kept.iter().map(|&at| &row[at]))
            .unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Ratings as JSON without what version 1 did not tell, or told of two bots in another way.
fn ratings(json: &str) -> serde_json::Value {
    let mut ratings: serde_json::Value = serde_json::from_str(json).unwrap();
    for game in ratings["games"].as_array_mut().unwrap() {
        game.as_object_mut().unwrap().remove("anytime");
        let are_two = game["bots"].as_array().unwrap().len() == 2;
        for bot in game["bots"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .filter_map(|bot| bot.as_object_mut())
        {
            bot.retain(|key, _| {
                !["mean_place_", "firsts_"]
                    .iter()
                    .any(|new| key.starts_with(new))
            });
            bot.retain(|key, _| !are_two || !["lo95", "hi95", "error95"].contains(&key.as_str()));
        }
        if are_two {
            game["los"].take();
            game["bots"][0]["los_next"].take();
        }
    }
    ratings["games"].take()
}

/// The files of a run are those of an undisturbed one.
fn assert_undisturbed(folder: &Path, run: &str, out: &str) {
    let mut compared = 0;
    for file in [
        "games.csv",
        "ratings.csv",
        "pairings.csv",
        "sprt.csv",
        "sweep.csv",
    ] {
        if let Some(expected) = expected(folder, run, file) {
            let expected = timeless(expected.as_bytes());
            assert_eq!(
                timeless(&fs::read(folder.join(out).join(file)).unwrap()),
                expected,
                "{out}, {file}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 3, "{run}");
}

#[test]
fn stored_runs_are_verified_rated_and_reported() {
    let folder = unpacked();
    for run in RUNS {
        let path = format!("runs/{run}");
        let verified = arena(folder.path(), &["verify", &path]);
        assert_eq!(
            Some(text(&verified.stdout).to_owned()),
            expected(folder.path(), run, "verify.txt"),
            "{run}"
        );
        let rated = arena(folder.path(), &["rate", &path, "--json"]);
        assert_eq!(
            rated.status.code(),
            Some(0),
            "{run}: {}",
            text(&rated.stderr)
        );
        if let Some(expected) = expected(folder.path(), run, "rate.json.txt") {
            assert_eq!(ratings(text(&rated.stdout)), ratings(&expected), "{run}");
        }
        let reported = arena(folder.path(), &["report", &path, "--json", "-"]);
        assert_eq!(
            reported.status.code(),
            Some(0),
            "{run}: {}",
            text(&reported.stderr)
        );
        let summary: serde_json::Value = serde_json::from_slice(&reported.stdout).unwrap();
        let games = text(&fs::read(folder.path().join(&path).join("records.jsonl")).unwrap())
            .matches('\n')
            .count();
        assert_eq!(summary["games_played"], games, "{run}");
    }
}

#[test]
fn interrupted_runs_are_resumed() {
    let folder = unpacked();
    for run in RUNS
        .into_iter()
        .filter(|run| run.starts_with("interrupted"))
    {
        let out = format!("runs/{run}");
        let config = format!("configs/{run}.toml");
        let resumed = arena(
            folder.path(),
            &[
                "run", &config, "--quiet", "--out", &out, "--jobs", "2", "--resume",
            ],
        );
        let code = resumed.status.code().map(|code| format!("{code}\n"));
        assert_eq!(
            code,
            expected(folder.path(), run, "exit-status.txt"),
            "{run}: {}",
            text(&resumed.stderr)
        );
        assert_undisturbed(folder.path(), run, &out);
        let verified = arena(folder.path(), &["verify", &out]);
        assert!(
            verified.status.success(),
            "{run}: {}",
            text(&verified.stdout)
        );
    }
}

#[test]
fn slices_are_merged() {
    let folder = unpacked();
    let slices = ["runs/slices/1of3", "runs/slices/2of3", "runs/slices/3of3"];
    let merged = arena(
        folder.path(),
        &[&["merge"], &slices[..], &["--out", "merged"]].concat(),
    );
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    assert_undisturbed(folder.path(), "slices", "merged");
}

/// What a plan says was played is what was played: a changed byte is refused by whoever reads it.
#[test]
fn a_changed_plan_is_refused() {
    let folder = unpacked();
    let config = [
        "run",
        "configs/interrupted.toml",
        "--quiet",
        "--resume",
        "--out",
        "runs/interrupted",
    ];
    let readers: [&[&str]; 6] = [
        &["report", "runs/interrupted", "--json", "-"],
        &["rate", "runs/interrupted"],
        &["verify", "runs/interrupted"],
        &["replay", "runs/interrupted", "--game", "0"],
        &["merge", "runs/interrupted", "--out", "merged"],
        &config,
    ];
    let plan = folder.path().join("runs/interrupted/plan.toml");
    let refused = |changed: &str| {
        fs::write(&plan, changed).unwrap();
        for arguments in readers {
            let output = arena(folder.path(), arguments);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{arguments:?}: {said}");
            assert!(
                said.contains("plan.toml") && said.contains("was changed"),
                "{arguments:?}: {said}"
            );
        }
    };
    // Version 1 has a digest of what is played.
    let stored = fs::read_to_string(&plan).unwrap();
    refused(&stored.replacen("turn_ms = 60000", "turn_ms = 7", 1));
    fs::write(&plan, &stored).unwrap();
    // Today's have a checksum of everything: any byte will do.
    let again = arena(
        folder.path(),
        &[
            "run",
            "configs/interrupted.toml",
            "--quiet",
            "--out",
            "runs/interrupted",
            "--force",
        ],
    );
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    fs::remove_file(folder.path().join("runs/interrupted/summary.json")).unwrap();
    let written = fs::read_to_string(&plan).unwrap();
    for at in (0..written.len()).step_by(written.len() / 8) {
        let mut changed = written.clone().into_bytes();
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        fs::write(&plan, changed).unwrap();
        let output = arena(folder.path(), readers[0]);
        assert_eq!(
            output.status.code(),
            Some(3),
            "byte {at}: {}",
            text(&output.stderr)
        );
    }
    refused(&written.replacen("turn_ms = 60000", "turn_ms = 7", 1));
}
