//! What `fuzz/` runs: text from outside into what reads it. Only built for it.

use std::sync::Arc;

use arena_games::kutulu::{Kutulu, Maps, SEATS, read_map};
use arena_games::{File, Folder, Game as _, Games, MAX_SEATS};

use crate::config::{self, Outside, Overrides};
use crate::record::{Record, verify};
use crate::store::{Columns, GameRow, StoredGames};

/// Any text as a config: a plan, or a message.
///
/// # Panics
/// If it is neither.
pub fn config(text: &str) {
    let outside = Outside {
        find_program: |_| Ok(()),
        find_start: |_, _| Ok(()),
        read_folder: |_| {
            let file = File { path: "a.txt".into(), content: b"SSSS".to_vec() };
            Ok(Folder { digest: "d".into(), files: vec![file] })
        },
    };
    match config::read("fuzz.toml", text, &Games::standard(), &Overrides::default(), outside) {
        Ok((plan, _)) => assert!(!plan.games.is_empty() && plan.bots.len() > 1),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any content as the file of a map: an error, or a map that keeps its rows and on which a game can be played.
///
/// # Panics
/// If it is neither.
pub fn map(content: &[u8]) {
    let file = |content: &[u8]| File { path: "map.txt".into(), content: content.to_vec() };
    let Ok(maze) = read_map(&file(content)) else { return };
    let again = read_map(&file(maze.rows().join("\n").as_bytes())).expect("its rows are a map");
    assert_eq!(again.rows(), maze.rows());
    let mut game = Kutulu::start(1, &Maps::one(Arc::new(maze)));
    let mut prompt = String::new();
    for answer in ["WAIT", "MOVE 3 3", "YELL", "LIGHT", "PLAN", "LEFT", "UP", "MOVE 0 0"].into_iter().cycle().take(60) {
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            assert!(prompt.ends_with('\n'));
        }
        game.advance(&[Some(Ok(answer)); SEATS]);
    }
}

/// Any text as a line of records.jsonl: no record, or one that is proved or not, the same every time.
///
/// # Panics
/// If it is neither.
pub fn record(line: &[u8]) {
    let Ok(mut record) = serde_json::from_slice::<Record>(line) else { return };
    // The last digit of a time may be rounded.
    record.ms.clear();
    let written = serde_json::to_string(&record).expect("a record can be written");
    assert_eq!(serde_json::from_str::<Record>(&written).expect("what is written is a record"), record);
    let games = Games::standard();
    let mut stored = StoredGames::new(&games);
    let mut prove = || stored.of(&record).and_then(|spec| verify(&record, &spec));
    assert_eq!(prove(), prove());
}

/// Any text as a row of games.csv: an error, or a row that is written as one that reads the same.
///
/// # Panics
/// If it is neither.
pub fn row(line: &[u8]) {
    let columns = Columns { seats: MAX_SEATS, has_map: true };
    let Ok(row) = GameRow::parse_line(line, columns) else { return };
    let written = row.to_line(columns, "").expect("a row can be written");
    let again = GameRow::parse_line(&written, columns).expect("what is written is a row");
    assert_eq!(again.to_line(columns, "").expect("a row can be written"), written);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The targets hold on a few inputs; `fuzz/run` looks for others.
    #[test]
    fn the_targets_run() {
        for text in [
            "",
            "[run]",
            "[run]\ngame = \"onitama\"\n[[bot]]\nname = 1\n",
            "#S.\n#.#",
            "0,0,onitama",
            "{\"game\":\"kutulu\"}",
        ] {
            config(text);
            map(text.as_bytes());
            record(text.as_bytes());
            row(text.as_bytes());
        }
        row(b"0,0,onitama,1,timeout,1,a,1,1,ok,b,0,2,timeout,,,,,,,,,1.000,2.000,,,,,,");
    }
}
