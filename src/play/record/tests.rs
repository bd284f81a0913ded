//! Records read as they are written. `store/tests/golden.rs` verifies those of the original
//! referees.

use arena_games::kutulu;
use arena_games::{Fault, File, Folder, ReadFolder, TextError, Wanted};

use serde_json::json;

use super::bots::is_other;
use super::*;
use crate::play::{Kept, play};

#[test]
fn a_seed_survives_readers_that_know_only_doubles() {
    for (seed, text) in [
        (0, "0"),
        (-9_007_199_254_740_991, "-9007199254740991"),
        (9_007_199_254_740_992, "\"9007199254740992\""),
        (i64::MIN, "\"-9223372036854775808\""),
    ] {
        assert_eq!(serde_json::to_string(&Seed(seed)).unwrap(), text);
        for text in [text, &seed.to_string()] {
            assert_eq!(serde_json::from_str::<Seed>(text).unwrap(), Seed(seed));
        }
    }
    for bad in ["1.5", "true", "\"x\"", "9223372036854775808"] {
        assert!(serde_json::from_str::<Seed>(bad).is_err(), "{bad}");
    }
}

#[test]
fn unordered_actions_are_compared_as_a_set_and_nothing_else_is() {
    let text = "board\n5\nnone\n2\n2552\n5453\n";
    let sorted = "board\n5\nnone\n2\n5453\n2552\n";
    assert_eq!(difference(text, sorted, Listing::Unordered), None);
    assert!(difference(text, sorted, Listing::Ordered).is_some());
    for other in [
        "5\nboard\nnone\n2\n2552\n5453\n",
        "board\n5\nnone\n2\n2552\n2552\n",
        &text[..text.len() - 1],
    ] {
        let found = difference(text, other, Listing::Unordered);
        assert!(found.is_some(), "{other}");
    }
}

/// Waits, walks or casts, as its number and the turn will have it.
struct Walker(usize);

impl Player for Walker {
    fn ask(&mut self, ask: Ask<'_>, _thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        const LINES: [&str; 5] = ["MOVE 4 2", "WAIT", "YELL", "LIGHT", "PLAN for all"];
        self.0 += ask.prompt.len();
        Ok(Answer {
            reply: Ok(LINES[self.0 % LINES.len()]),
            elapsed: Duration::ZERO,
            late: false,
        })
    }
}

#[test]
fn a_record_tells_the_map() {
    let rows = [
        "########", "#S....S#", "#..w...#", "#..##.U#", "#S....S#", "########",
    ];
    let file = |path: &str, content: &str| File {
        path: path.into(),
        content: content.into(),
    };
    let files = vec![
        file("0.txt", "S.S\n#w#\nS.S"),
        file("1.txt", &rows.join("\n")),
    ];
    let folder = |digest: &str| {
        let (digest, files) = (digest.to_owned(), files.clone());
        let folder = Folder { digest, files };
        move |_: Wanted<'_>| Ok(folder.clone())
    };
    let kutulu = kutulu::spec();
    let prove = |record: &Record, read: &ReadFolder<'_>| {
        let spec = kutulu.configured(&record.options.game, read)?;
        verify(record, &spec)
    };
    for (options, told) in [
        (json!({}), "{\"maps_edition\":2}".to_owned()),
        (
            json!({ "map": rows }),
            format!("{{\"map\":{}}}", serde_json::to_string(&rows).unwrap()),
        ),
        (
            json!({ "maps": "my/maps" }),
            "{\"maps\":\"my/maps\",\"maps_digest\":\"d1\"}".to_owned(),
        ),
    ] {
        let spec = kutulu
            .configured(options.as_object().unwrap(), &folder("d1"))
            .unwrap();
        let mut game = spec.start(5, kutulu::SEATS, &Opening::default()).unwrap();
        let (mut players, mut kept) = ([1, 2, 3, 4].map(Walker), Kept::default());
        kept.input = true;
        let played = play(game.as_mut(), &mut players, Clock::of(&spec), kept).unwrap();
        let record = Record::new(&spec, 5, played);
        let json = serde_json::to_string(&record).unwrap();
        assert!(json.contains(&format!("\"options\":{told}")), "{json}");
        let record: Record = serde_json::from_str(&json).unwrap();
        assert_eq!(prove(&record, &folder("d1")), Ok(()));
        let needs_folder = record.options.game.contains_key("maps");
        for result in [
            prove(&record, &|_| Err(TextError("read the maps".into()))),
            prove(&record, &folder("d2")),
        ] {
            match result {
                Ok(()) => assert!(!needs_folder),
                Err(error) => assert!(needs_folder && error.0.contains("maps"), "{error}"),
            }
        }
    }
}

/// Another answer is one that a referee could tell from the recorded one.
#[test]
fn blanks_and_kinds_of_failure_make_no_other_answer() {
    for (recorded, reply, expected) in [
        (Ok("WAIT"), Ok(" WAIT\t"), false),
        (Ok("1\n2"), Ok("1 \n2"), false),
        (Ok("1\n2"), Ok("1 2"), true),
        (Ok("WAIT"), Ok("wait"), true),
        (Err(Fault::Timeout), Err(Fault::Crashed), false),
        (Err(Fault::Timeout), Ok(""), true),
        (Ok(""), Err(Fault::Timeout), true),
    ] {
        let what = format!("{recorded:?}, {reply:?}");
        assert_eq!(is_other(recorded, reply), expected, "{what}");
    }
}
