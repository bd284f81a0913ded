//! The laws that most fuzz targets check: each gives text from outside to the code that reads it.
//!
//! The laws use insides of the program, so they are a module of it, which only `--cfg fuzzing` and
//! the tests build.

#![expect(clippy::missing_panics_doc, reason = "a law panics if it doesn't hold")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arena_games::kutulu::{Kutulu, Maps, SEATS, read_map};
use arena_games::shogi::text::TextGame;
use arena_games::shogi::{self, Position};
use arena_games::{File, Folder, Game as _, Games};
use tempfile::TempDir;

use crate::battle;
use crate::config::{self, Outside, Overrides};
use crate::play::record::{Record, verify};
use crate::report::replays::Selection;
use crate::report::{export, html, junit, markdown};
use crate::standings::{RatedGame, RatingScale};
use crate::store::{
    Existing, PLAN, PlanFile, RECORDS, RunFolder, SUMMARY, StoredGames, VERSION, read_plan,
};
use crate::study::begin;
use crate::tournament;
use arena_schedule::Next;

/// Any text as a config: a plan, or a message.
pub fn config(text: &str) {
    let outside = Outside {
        find_start: |_, _| Ok(()),
        exists: |_| Ok(()),
        test_cases: |_| Ok(vec!["7".to_owned()]),
        read_folder: |_| {
            let file = File {
                path: "a.txt".into(),
                content: b"SSSS".to_vec(),
            };
            Ok(Folder {
                digest: "d".into(),
                files: vec![file],
            })
        },
    };
    match config::read(
        "fuzz.toml",
        text,
        &Games::standard(),
        &Overrides::default(),
        outside,
    ) {
        Ok((plan, _)) => assert!(!plan.games.is_empty() && plan.bots.len() > 1),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any content as the file of a map: an error, or a map that keeps its rows and on which a game can
/// be played.
pub fn map(content: &[u8]) {
    let file = |content: &[u8]| File {
        path: "map.txt".into(),
        content: content.to_vec(),
    };
    let Ok(maze) = read_map(&file(content)) else {
        return;
    };
    let again = read_map(&file(maze.rows().join("\n").as_bytes())).expect("its rows are a map");
    assert_eq!(again.rows(), maze.rows());
    let mut game = Kutulu::start(1, &Maps::one(Arc::new(maze)));
    let mut prompt = String::new();
    for answer in [
        "WAIT", "MOVE 3 3", "YELL", "LIGHT", "PLAN", "LEFT", "UP", "MOVE 0 0",
    ]
    .into_iter()
    .cycle()
    .take(60)
    {
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            assert!(prompt.ends_with('\n'));
        }
        game.advance(&[Some(Ok(answer)); SEATS]);
    }
}

/// Any text as a line of records.jsonl: no record, or one that is proved or not, the same every
/// time.
pub fn record(line: &[u8]) {
    let Ok(mut record) = serde_json::from_slice::<Record>(line) else {
        return;
    };
    // The last digit of a time may be rounded.
    record.ms.clear();
    let written = serde_json::to_string(&record).expect("a record can be written");
    assert_eq!(
        serde_json::from_str::<Record>(&written).expect("what is written is a record"),
        record
    );
    let games = Games::standard();
    let mut stored = StoredGames::new(&games);
    let mut prove = || stored.of(&record).and_then(|spec| verify(&record, &spec));
    assert_eq!(prove(), prove());
}

/// Any content as a file of battles: each is played the same every time, and whatever isn't a
/// battle has a reason.
pub fn battle(content: &[u8]) {
    for (_, found) in battle::read(content) {
        match found {
            Ok(battle) => {
                for spec in Games::standard().iter() {
                    if spec.seats.contains(&battle.scores.len()) {
                        let check = || battle::check_moves(&battle, spec);
                        assert_eq!(check(), check());
                    }
                }
            }
            Err(why) => assert!(why.to_string().starts_with("not a battle: "), "{why}"),
        }
    }
}

/// Any text as plan.toml, which was not changed since it was written: an error, or a plan whose
/// games can be begun with.
pub fn plan(text: &str) {
    let _ = PlanFile::parse(text);
    let Ok(file) = toml::from_str::<PlanFile>(text) else {
        return;
    };
    let signed = PlanFile {
        version: VERSION,
        ..file
    }
    .to_toml();
    let Ok(file) = PlanFile::parse(&signed) else {
        return;
    };
    let Ok(file) = file.looked_up(&Games::standard()) else {
        return;
    };
    if let Ok(mut study) = begin(&file.plan) {
        for _ in 0..4 {
            let Next::Play(fixture) = study.next() else {
                break;
            };
            assert_eq!(study.recall(fixture.number), Some(fixture));
        }
    }
}

/// Any text as the summary.json of a run without games: it is read, refused or of no account.
pub fn summary(text: &[u8]) {
    let run = damaged(&[(SUMMARY, text), (RECORDS, b"")]);
    let mut file = read_plan(run.path())
        .ok()
        .flatten()
        .expect("the example has a plan");
    for existing in [Existing::Refuse, Existing::Resume] {
        let _ = RunFolder::look(run.path(), Some(&mut file.plan), existing, true);
    }
    let _ = tournament::report(run.path(), &Selection::Fitting, false, &Games::standard());
}

/// Any content as the records of a run: an error, or all reports can be written.
pub fn run(records: &[u8]) {
    let run = damaged(&[(RECORDS, records)]);
    fs::remove_file(run.path().join(SUMMARY)).expect("the example has a summary");
    for asked in [&Selection::Fitting, &Selection::Numbers((0..40).collect())] {
        let Ok(report) = tournament::report(run.path(), asked, false, &Games::standard()) else {
            return;
        };
        export::files(&report).expect("every file can be written");
        html::page(&report);
        markdown::markdown(&report);
        junit::junit(&report).expect("a report can be written");
    }
}

/// The example run with some of its files replaced.
fn damaged(files: &[(&str, &[u8])]) -> TempDir {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example");
    let run = tempfile::tempdir().expect("a folder");
    for name in [PLAN, SUMMARY] {
        fs::copy(example.join(name), run.path().join(name)).expect("a file of the example");
    }
    for (name, content) in files {
        fs::write(run.path().join(name), content).expect("a file");
    }
    run
}

/// Any text as the SFEN of a position: an error, or a position that is written and read as the
/// same, with as many moves as are listed. Any text as input of the text program: an error or a
/// game, line by line and as a file.
pub fn shogi(text: &str) {
    if let Ok(position) = Position::from_sfen(text) {
        assert_eq!(
            Position::from_sfen(&position.to_string()).as_ref(),
            Ok(&position),
            "{position}"
        );
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        assert_eq!(
            u32::try_from(moves.len()),
            Ok(position.count_legal_moves()),
            "{position}"
        );
    }
    let mut game = TextGame::start();
    for line in text.lines() {
        if game.ending().is_some() {
            break;
        }
        game.play(line);
        assert!(!game.to_string().is_empty());
    }
    let _ = shogi::text::replay(text);
}

/// Any content as a table of counts for `arena rate`: an error, or ratings.
pub fn table(content: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), content).expect("a file");
    let Ok(union) = tournament::union(&[file.path()], false, &Games::standard()) else {
        return;
    };
    for (field, first_advantage) in union
        .fields
        .iter()
        .flat_map(|field| [(field, false), (field, true)])
    {
        let scale = RatingScale {
            anchors: Vec::new(),
            mean: 0.0,
            prior: 1.0,
            first_advantage,
        };
        if let Ok(rated) = RatedGame::new(field, &scale, &union.stop(field)) {
            let mut bots = rated.game.bots.iter();
            assert!(bots.all(|bot| bot.elo.is_none_or(f64::is_finite)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::MultiGzDecoder;

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
            battle(text.as_bytes());
            plan(text);
            summary(text.as_bytes());
            run(text.as_bytes());
            shogi(text);
            table(text.as_bytes());
        }
        let example = |name| {
            fs::read(
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("results/example")
                    .join(name),
            )
            .unwrap()
        };
        plan(&String::from_utf8(example(PLAN)).unwrap());
        summary(&example(SUMMARY));
        run(&example(RECORDS));
        table(&example("games.csv"));
        table(b"first,second,wins,draws,losses\na,b,3,0,1\n");
        shogi(&Position::start().to_string());
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/battles");
        for name in ["onitama-timeout-1", "minishogi-checkmate-1"] {
            let path = golden.join(format!("{name}.json.gz"));
            let mut text = String::new();
            MultiGzDecoder::new(fs::File::open(path).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            battle(text.as_bytes());
        }
    }
}
