//! `arena verify`: the games of the original referees, those that this program wrote, and what it
//! says of changed ones.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Output;

use arena_games::Games;
use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use crate::programs::{Said as _, copy_files, in_project, new_folder, program, stdout, write};

fn golden_file(game: &str) -> PathBuf {
    in_project(&format!("crates/games/tests/golden/{game}.jsonl.gz"))
}

/// The lines of the original referee's records of a game.
fn golden(game: &str) -> impl Iterator<Item = String> {
    let file = File::open(golden_file(game)).unwrap();
    let lines = BufReader::new(MultiGzDecoder::new(file)).lines();
    lines.map(Result::unwrap)
}

/// The original referee's records of Kutulu.
fn records_of_kutulu() -> Vec<Value> {
    let record = |line: String| serde_json::from_str(&line).unwrap();
    golden("kutulu").map(record).collect()
}

fn verify(files: &[PathBuf]) -> Output {
    program().arg("verify").args(files).output().unwrap()
}

#[test]
fn the_program_says_file_line_turn_and_seat() {
    let games = Games::standard();
    let files: Vec<PathBuf> = games.iter().map(|spec| golden_file(&spec.id)).collect();
    let all = verify(&files);
    all.status(0).prints("173 games verified, 0 mismatches\n");

    let folder = &new_folder();
    let files = &[folder.join("records.jsonl")];
    let mut lines: Vec<String> = golden("minishogi").take(3).collect();
    lines[1] = lines[1]
        .replacen("\"scores\":[1,-1]", "\"scores\":[1,0]", 1)
        .replacen("\"scores\":[-1,1]", "\"scores\":[0,1]", 1);
    lines[2] = lines[2].replacen(r"\nKGSBR\n", r"\nKGSBQ\n", 1);
    write(folder, "records.jsonl", lines.join("\n"));
    let out = verify(files);
    out.status(1);
    let said = stdout(&out).replace(&folder.display().to_string(), "FOLDER");
    insta::assert_snapshot!(said);

    let half = format!("{}\n{{\"game\":\"minishogi\"\n", lines[0]);
    write(folder, "records.jsonl", half);
    let out = verify(files);
    out.status(1)
        .contains("records.jsonl, line 2: expected a record");
    let said = stdout(&out);
    assert!(said.ends_with("2 games verified, 1 mismatch\n"), "{said}");
    verify(&[folder.join("none")]).status(3);
}

/// The game's own maps in records, as a folder.
const DIGEST: &str = "a66eb8511e6caa4ba6037fc6f7345fcd9319d01b54fb7a99785cc453a90a4a7e";

/// Verifies records that pick from a folder of maps, and says what was said.
fn verify_with_maps(folder: &Path, digest: Option<&str>) -> String {
    let mut records = records_of_kutulu();
    records.retain(|record| record["options"]["map"].is_null());
    assert!(records.len() > 1);
    let mut text = String::new();
    for mut record in records {
        record["options"]["maps"] = json!(folder.display().to_string());
        record["options"]["maps_digest"] = json!(digest);
        let _ = writeln!(text, "{record}");
    }
    let outer = folder.parent().unwrap();
    write(outer, "records.jsonl", text);
    let out = verify(&[outer.join("records.jsonl")]);
    let said = stdout(&out);
    out.status(i32::from(!said.ends_with(" 0 mismatches\n")));
    // Both games say the same, but for the line.
    let first = said.lines().next().unwrap();
    let first = first.replace(&outer.display().to_string(), "FOLDER");
    match first.rsplit_once(", got ") {
        Some((expected, digest)) if digest.len() == DIGEST.len() && digest != DIGEST => {
            format!("{expected}, got DIGEST")
        }
        _ => first,
    }
}

#[test]
fn games_on_the_maps_of_a_folder_need_that_folder() {
    let folder = &new_folder();
    let maps = &folder.join("maps");
    copy_files(&in_project("crates/games/src/kutulu/maps"), maps);
    write(maps, "README.md", "no map");
    let mut said = Vec::new();
    let both = [None, Some(DIGEST)];
    said.extend(both.map(|digest| verify_with_maps(maps, digest)));
    // The order of the names is the order of the maps.
    fs::rename(maps.join("00-standing-stones.txt"), maps.join("99.txt")).unwrap();
    said.extend(both.map(|digest| verify_with_maps(maps, digest)));
    write(maps, "99.txt", "####\n#SS#\n#SS\n####\n");
    said.push(verify_with_maps(maps, None));
    write(maps, "99.txt", [0xff, 0xfe]);
    said.push(verify_with_maps(maps, None));
    fs::remove_dir_all(maps).unwrap();
    said.push(verify_with_maps(maps, None));
    fs::create_dir(maps).unwrap();
    said.push(verify_with_maps(maps, None));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_record_with_its_map_needs_no_folder() {
    let folder = &new_folder();
    let mut records = records_of_kutulu();
    records.retain(|record| record["options"]["map"].is_array());
    let record = &mut records[0];
    record["options"]["maps"] = json!(folder.join("gone").display().to_string());
    write(folder, "records.jsonl", record.to_string());
    let out = verify(&[folder.join("records.jsonl")]);
    out.status(0).prints("1 game verified, 0 mismatches\n");
}

/// Records that this program wrote stay good: the committed example is never written anew without
/// need.
#[test]
fn the_example_run_still_verifies() {
    let out = verify(&[in_project("results/example/records.jsonl")]);
    out.status(0).prints("20 games verified, 0 mismatches\n");
}
