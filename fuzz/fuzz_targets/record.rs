//! Any text as a line of records.jsonl: no record, or one that is proved or not, the same every time.

#![no_main]

use arena::record::{Record, verify};
use arena::store::StoredGames;
use arena_games::Games;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let Ok(mut record) = serde_json::from_slice::<Record>(line) else { return };
    // The last digit of a time may be rounded.
    record.ms.clear();
    let written = serde_json::to_string(&record).expect("a record can be written");
    assert_eq!(serde_json::from_str::<Record>(&written).expect("what is written is a record"), record);
    let games = Games::standard();
    let mut stored = StoredGames::new(&games);
    let mut prove = || stored.of(&record).and_then(|spec| verify(&record, &spec));
    assert_eq!(prove(), prove());
});
