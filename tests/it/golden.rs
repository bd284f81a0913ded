//! `arena verify`: the games of the original referees, those that this program wrote, and what it says of changed ones.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use arena_games::Games;
use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use crate::programs;

fn golden_file(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/games/tests/golden")
        .join(game)
        .with_extension("jsonl.gz")
}

/// The lines of the original referee's records of a game.
fn golden(game: &str) -> impl Iterator<Item = String> {
    BufReader::new(MultiGzDecoder::new(File::open(golden_file(game)).unwrap()))
        .lines()
        .map(Result::unwrap)
}

fn arena_verify(files: &[&Path]) -> (Option<i32>, String) {
    let out = programs::program()
        .arg("verify")
        .args(files)
        .output()
        .unwrap();
    (out.status.code(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn the_program_says_file_line_turn_and_seat() {
    let files: Vec<PathBuf> = Games::standard()
        .iter()
        .map(|spec| golden_file(&spec.id))
        .collect();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let (code, stdout) = arena_verify(&files);
    assert_eq!(
        (code, stdout.as_str()),
        (Some(0), "173 games verified, 0 mismatches\n")
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.jsonl");
    let mut lines: Vec<String> = golden("minishogi").take(3).collect();
    lines[1] = lines[1]
        .replacen("\"scores\":[1,-1]", "\"scores\":[1,0]", 1)
        .replacen("\"scores\":[-1,1]", "\"scores\":[0,1]", 1);
    lines[2] = lines[2].replacen(r"\nKGSBR\n", r"\nKGSBQ\n", 1);
    fs::write(&file, lines.join("\n")).unwrap();
    let (code, stdout) = arena_verify(&[&file]);
    assert_eq!(code, Some(1));
    let said = stdout.replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(said);

    fs::write(&file, format!("{}\n{{\"game\":\"minishogi\"\n", lines[0])).unwrap();
    let (code, stdout) = arena_verify(&[&file]);
    assert_eq!(code, Some(1));
    assert!(
        stdout.contains("records.jsonl, line 2: expected a record"),
        "{stdout}"
    );
    assert!(
        stdout.ends_with("2 games verified, 1 mismatch\n"),
        "{stdout}"
    );
    assert_eq!(arena_verify(&[&folder.path().join("none")]).0, Some(3));
}

/// The game's own maps in records, as a folder.
const DIGEST: &str = "a66eb8511e6caa4ba6037fc6f7345fcd9319d01b54fb7a99785cc453a90a4a7e";

/// Verifies records that pick from a folder of maps, and says what was said.
fn verify_with_maps(folder: &Path, digest: Option<&str>) -> String {
    let records = golden("kutulu").map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let mut records: Vec<Value> = records
        .filter(|record| record["options"]["map"].is_null())
        .collect();
    assert!(records.len() > 1);
    for record in &mut records {
        record["options"]["maps"] = json!(folder.display().to_string());
        record["options"]["maps_digest"] = json!(digest);
    }
    let file = folder.parent().unwrap().join("records.jsonl");
    fs::write(
        &file,
        records
            .iter()
            .map(|record| record.to_string() + "\n")
            .collect::<String>(),
    )
    .unwrap();
    let (code, stdout) = arena_verify(&[&file]);
    assert_eq!(code, Some(i32::from(!stdout.ends_with(" 0 mismatches\n"))));
    // Both games say the same, but for the line.
    let first = stdout
        .lines()
        .next()
        .unwrap()
        .replace(&folder.parent().unwrap().display().to_string(), "FOLDER");
    match first.rsplit_once(", got ") {
        Some((expected, digest)) if digest.len() == DIGEST.len() && digest != DIGEST => {
            format!("{expected}, got DIGEST")
        }
        _ => first,
    }
}

#[test]
fn games_on_the_maps_of_a_folder_need_that_folder() {
    let folder = tempfile::tempdir().unwrap();
    let maps = folder.path().join("maps");
    fs::create_dir(&maps).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/games/src/kutulu/maps");
    for entry in fs::read_dir(own).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), maps.join(entry.file_name())).unwrap();
    }
    fs::write(maps.join("README.md"), "no map").unwrap();
    let mut said = vec![
        verify_with_maps(&maps, None),
        verify_with_maps(&maps, Some(DIGEST)),
    ];
    // The order of the names is the order of the maps.
    fs::rename(maps.join("00-standing-stones.txt"), maps.join("99.txt")).unwrap();
    said.extend([
        verify_with_maps(&maps, None),
        verify_with_maps(&maps, Some(DIGEST)),
    ]);
    fs::write(maps.join("99.txt"), "####\n#SS#\n#SS\n####\n").unwrap();
    said.push(verify_with_maps(&maps, None));
    fs::write(maps.join("99.txt"), [0xff, 0xfe]).unwrap();
    said.push(verify_with_maps(&maps, None));
    fs::remove_dir_all(&maps).unwrap();
    said.push(verify_with_maps(&maps, None));
    fs::create_dir(&maps).unwrap();
    said.push(verify_with_maps(&maps, None));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_record_with_its_map_needs_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = golden("kutulu").map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let mut record = records
        .find(|record| record["options"]["map"].is_array())
        .unwrap();
    record["options"]["maps"] = json!(folder.path().join("gone").display().to_string());
    let file = folder.path().join("records.jsonl");
    fs::write(&file, record.to_string()).unwrap();
    assert_eq!(
        arena_verify(&[&file]),
        (Some(0), "1 game verified, 0 mismatches\n".to_owned())
    );
}

/// Records that this program wrote stay good: the committed example is never written anew without need.
#[test]
fn the_example_run_still_verifies() {
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example");
    let (code, stdout) = arena_verify(&[&run.join("records.jsonl")]);
    assert_eq!(
        (code, stdout.as_str()),
        (Some(0), "20 games verified, 0 mismatches\n")
    );
}
