//! The laws of the reader, and golden records as battles.

use std::path::Path;

use arena_games::Games;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::play::Step;
use crate::play::record::Record;
use crate::store::{StoredGames, read_records};

/// Everything that a text holds, with its place.
fn taken(text: impl AsRef<[u8]>) -> Vec<(String, Result<Found, String>)> {
    let mut taken = Vec::new();
    read(text.as_ref(), &mut |found| taken.push(found));
    taken
}

/// The battles of a text that holds nothing else.
fn battles(text: &str) -> Vec<Battle> {
    let found = taken(text).into_iter();
    let found = found.map(|(place, found)| match found {
        Ok(Found::Battle(battle)) => *battle,
        other => panic!("{place}: {other:?} in {text}"),
    });
    found.collect()
}

/// The message for a text that isn't a battle, with its place.
fn problem(text: impl AsRef<[u8]>) -> String {
    match &taken(text)[..] {
        [(place, Err(why))] => format!("{place}: {why}"),
        other => panic!("{other:?}"),
    }
}

/// A record as the site writes its battle.
fn written(record: &Record) -> Value {
    let mut frames = vec![
        json!({"agentId": -1, "keyframe": true, "view": " 0\n{}\n", "summary": "", "gameInformation": ""}),
    ];
    for (at, step) in record.steps.iter().enumerate() {
        let next = record.steps.get(at + 1).map(|next| next.turn);
        let stdout = match &step.output {
            Some(output) => format!("{output}\n"),
            None => String::new(),
        };
        frames.push(json!({
            "agentId": step.player,
            "stdout": stdout,
            "keyframe": next != Some(step.turn),
            "view": format!(" {}\n", at + 1),
        }));
    }
    let ranks = record
        .scores
        .iter()
        .map(|score| record.scores.iter().filter(|other| *other > score).count());
    json!({
        "frames": frames,
        "gameId": 900_000_001,
        "refereeInput": format!("seed={}\n", record.seed.0),
        "scores": record.scores.iter().map(|score| f64::from(*score)).collect::<Vec<_>>(),
        "ranks": ranks.collect::<Vec<_>>(),
        "metadata": {},
    })
}

/// Every golden record of the original referees comes back from its battle.
#[test]
fn golden_records_come_back_from_their_battles() {
    let games = Games::standard();
    let mut stored = StoredGames::new(&games);
    let mut count = 0;
    for spec in games.iter() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("crates/games/tests/golden")
            .join(format!("{}.jsonl.gz", spec.id));
        for record in read_records(&golden).unwrap() {
            let (line, record) = record.unwrap();
            let spec = stored.of(&record).unwrap();
            let battle = &battles(&written(&record).to_string())[0];
            let back = check(battle, &spec)
                .unwrap_or_else(|difference| panic!("{} {line}: {difference}", spec.id));
            let steps = |record: &Record| -> Vec<_> {
                let steps = record.steps.iter();
                let own = |step: &Step| (step.turn, step.player, step.output.clone());
                steps.map(own).collect()
            };
            assert_eq!(steps(&back), steps(&record));
            assert_eq!(
                (&back.game, back.seed, &back.scores, &back.reason),
                (&record.game, record.seed, &record.scores, &record.reason)
            );
            count += 1;
        }
    }
    assert_eq!(count, 173);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[A-Z0-9 *+]{1,8}",
        r#"[\PC\n"\\]{0,9}"#
    ]
}

prop_compose! {
    fn frame(seats: usize)(
        seat in 0..seats,
        stdout in text(),
        is_key in prop::option::of(any::<bool>()),
        summary in prop::option::of(text()),
    ) -> Frame {
        Frame { seat: Some(seat), stdout, is_key, summary }
    }
}

prop_compose! {
    fn agent()(
        id in prop::option::of(-2..100_000_i64),
        name in prop::option::of("[A-Za-z]{1,9}"),
        is_boss: bool,
        score in prop::option::of(-10..100_i32),
    ) -> Agent {
        Agent { id, is_boss: is_boss && name.is_some(), name, score: score.map(f64::from) }
    }
}

prop_compose! {
    fn of_seats(seats: usize)(
        id in prop::option::of(0..u64::MAX),
        league in prop::option::of(1..20_u64),
        seed: i64,
        frames in prop::collection::vec(frame(seats), 0..9),
        scores in prop::collection::vec(any::<i32>(), seats),
        ranks in prop::option::of(prop::collection::vec(0..8_i64, seats)),
        tooltips in prop::option::of(prop::collection::vec((0..9_i64, text(), -1..8_i64), 0..4)),
        agents in prop::collection::vec(agent(), seats),
    ) -> Battle {
        let setup = Frame { is_key: Some(true), summary: Some(String::new()), ..Frame::default() };
        let frames = [vec![setup], frames].concat();
        let tooltips = tooltips.map(|all| {
            let tooltip = |(frame, text, seat)| Tooltip { frame, text, seat };
            all.into_iter().map(tooltip).collect()
        });
        let title = league.map(|_| "Code of Kutulu".to_owned());
        let id = id.map(|id| id.to_string());
        Battle { id, title, league, seed, options: Vec::new(), frames, scores, ranks, tooltips, agents }
    }
}

fn any_battle() -> impl Strategy<Value = Battle> {
    (2..=8_usize).prop_flat_map(of_seats)
}

/// Sets a key unless the value is missing.
fn set(object: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object[key] = value.into();
    }
}

/// A battle as JSON. Without its title, which is around it.
fn as_json(battle: &Battle, has_own_seed: bool) -> Value {
    let mut frames = Vec::new();
    for frame in &battle.frames {
        let mut written = json!({"view": " 1\n{}\n", "gameInformation": "x"});
        written["agentId"] = frame.seat.map_or(json!(-1), |seat| json!(seat));
        if frame.seat.is_some() {
            written["stdout"] = json!(frame.stdout);
        }
        set(&mut written, "keyframe", frame.is_key);
        set(&mut written, "summary", frame.summary.clone());
        frames.push(written);
    }
    let mut written = json!({"frames": frames, "scores": battle.scores, "metadata": {"x": [[]]}});
    if has_own_seed {
        written["seed"] = json!(battle.seed.to_string());
    } else {
        written["refereeInput"] = json!(format!("seed={}\n", battle.seed));
    }
    set(&mut written, "gameId", battle.id.clone());
    set(&mut written, "ranks", battle.ranks.clone());
    if let Some(tooltips) = &battle.tooltips {
        let tooltips = tooltips.iter().map(|own| {
            let own = json!({"turn": own.frame, "text": own.text, "event": own.seat});
            json!(own.to_string())
        });
        written["tooltips"] = tooltips.collect();
    }
    let agents = battle.agents.iter().enumerate().map(|(index, agent)| {
        let mut own = json!({"index": index, "valid": true});
        set(&mut own, "agentId", agent.id);
        set(&mut own, "score", agent.score);
        match (&agent.name, agent.is_boss) {
            (Some(name), true) => own["arenaboss"] = json!({"nickname": name, "league": {}}),
            (Some(name), false) => own["codingamer"] = json!({"pseudo": name, "avatar": 0}),
            _ => {}
        }
        own
    });
    written["agents"] = agents.collect();
    written
}

/// The shapes that sites and tools write.
const SHAPES: usize = 10;

/// A battle in a shape, and how often it is there.
fn shaped(battle: &Battle, shape: usize) -> (String, usize) {
    let own = as_json(battle, shape % 2 == 1);
    let title = battle
        .league
        .map(|league| format!("Code of Kutulu - Level {league}"));
    let inner = |mut value: Value| {
        set(&mut value, "questionTitle", title.clone());
        value
    };
    match shape {
        0 => (inner(own).to_string(), 1),
        1 => (format!("\u{feff} \n{:#}\n\n", inner(own)), 1),
        2 => (inner(json!({"success": own, "error": null})).to_string(), 1),
        3 => (
            inner(json!({"puzzleId": 1, "gameResult": own, "viewer": "x"})).to_string(),
            1,
        ),
        4 => (json!([inner(own.clone()), inner(own)]).to_string(), 2),
        5 => (format!("{}\n{}\n", inner(own.clone()), inner(own)), 2),
        6 => (
            inner(json!({"rawResponse": own.to_string()})).to_string(),
            1,
        ),
        7 => (
            inner(json!({"a": [], "b": {"c": own}, "d": 1})).to_string(),
            1,
        ),
        8 => (format!("{:#}{:#}", inner(own.clone()), inner(own)), 2),
        _ => (
            json!({"battles": [{"rawResponse": inner(own)}], "x": 2}).to_string(),
            1,
        ),
    }
}

proptest! {
    /// The same battle is in every shape.
    #[test]
    fn a_battle_is_read_as_it_was_written(battle in any_battle(), shape in 0..SHAPES) {
        let (text, count) = shaped(&battle, shape);
        prop_assert_eq!(battles(&text), vec![battle; count], "{}", text);
    }

    /// A changed text is read or refused with a reason, and the same every time.
    #[test]
    fn a_changed_battle_is_read_or_refused(
        battle in any_battle(),
        shape in 0..SHAPES,
        at in any::<prop::sample::Index>(),
        removed in 0..30_usize,
        inserted in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..4),
            r#"[\[\]{}",:0-9.e\\nutls-]{0,9}"#.prop_map(String::into_bytes),
        ],
    ) {
        let (text, _) = shaped(&battle, shape);
        let mut text = text.into_bytes();
        let start = at.index(text.len());
        let end = (start + removed).min(text.len());
        text.splice(start..end, inserted);
        crate::laws::battle(&text);
    }

    /// A battle has everything of itself without any of the parts that tools drop, and not the other
    /// way round.
    #[test]
    fn a_stripped_battle_is_a_part_of_the_whole(battle in any_battle(), dropped in 0..32_usize) {
        let mut stripped = battle.clone();
        for frame in &mut stripped.frames {
            if dropped & 1 != 0 {
                frame.is_key = None;
            }
            if dropped & 2 != 0 {
                frame.summary = None;
            }
        }
        if dropped & 4 != 0 {
            stripped.ranks = None;
        }
        if dropped & 8 != 0 {
            stripped.tooltips = None;
        }
        if dropped & 16 != 0 {
            for agent in &mut stripped.agents {
                agent.id = None;
            }
        }
        let [whole, part] = [&battle, &stripped].map(Battle::fingerprint);
        prop_assert!(whole.has_all_of(&part));
        prop_assert_eq!(part.has_all_of(&whole), stripped == battle);
        stripped.frames.push(Frame { seat: Some(0), stdout: "x\n".to_owned(), ..Frame::default() });
        let other = stripped.fingerprint();
        prop_assert!(!whole.has_all_of(&other) && !other.has_all_of(&whole));
    }
}

/// A small battle of Onitama with one key replaced by JSON text.
fn small(key: &str, value: &str) -> String {
    let mut keys = vec![
        ("frames", r#"[{"agentId":-1},{"agentId":0,"stdout":""}]"#),
        ("refereeInput", r#""seed=55\n""#),
        ("scores", "[0.0,1.0]"),
    ];
    keys.retain(|(own, _)| *own != key);
    keys.push((key, value));
    let keys = keys.iter().map(|(key, value)| format!("{key:?}: {value}"));
    format!("{{{}}}", keys.collect::<Vec<_>>().join(", "))
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let million = format!(
        r#"[{{"agentId":-1}}{}]"#,
        r#",{"agentId":0,"stdout":"x"}"#.repeat(1_000_000)
    );
    let said: Vec<String> = [
        ("frames", "[]"),
        ("frames", "{}"),
        ("frames", "null"),
        ("frames", r#"[{"agentId":0,"stdout":"x\n"}]"#),
        ("frames", r#"[{"agentId":-1},{"agentId":2,"stdout":"x\n"}]"#),
        ("frames", r#"[{"agentId":-1},{"agentId":-1}]"#),
        ("frames", r#"[{"agentId":-1},{"stdout":"x\n"}]"#),
        ("frames", r#"[{"agentId":-1},{"agentId":0,"stdout":[1]}]"#),
        ("frames", &million),
        ("scores", "[1]"),
        ("scores", "[1,2.5]"),
        ("scores", "[1,3000000000]"),
        ("scores", "[1,null]"),
        ("scores", "[1,2,3,4,5,6,7,8,9]"),
        ("refereeInput", r#""seed=1e18""#),
        ("refereeInput", r#""seed=9223372036854775808""#),
        ("refereeInput", r#""map=x""#),
        ("seed", "56"),
        ("seed", "6.5e18"),
        ("ranks", "[0]"),
        ("tooltips", r#"["{"]"#),
        ("tooltips", r#"[{"turn":1}]"#),
        ("agents", r#"[{"index":2}]"#),
        ("agents", r#"[{"agentId":"x"}]"#),
        ("gameId", "[1]"),
    ]
    .map(|(key, value)| problem(small(key, value)))
    .into();
    insta::assert_snapshot!(said.join("\n"), @r#"
    : frames: expected 1 to 20001, found 0
    : frames: invalid type: map, expected an array
    : `frames` is missing
    : frames[0].agentId: expected -1, because the first frame is the setup, found 0
    : frames[1].agentId: expected a seat from 0 to 1, found 2
    : frames[1].agentId: expected a seat from 0 to 1, found -1
    : frames[1]: `agentId` is missing
    : frames[1]: invalid type: sequence, expected a text
    : frames: more than 100000 items
    : scores: expected 2 to 8, one for each seat, found 1
    : scores[1]: expected an integer, found 2.5
    : scores[1]: 3000000000 is more than 32 bits hold
    : scores[1]: expected an integer, found null
    : scores: expected 2 to 8, one for each seat, found 9
    : refereeInput: expected a seed, an integer of 64 bits, found "1e18"
    : refereeInput: expected a seed, an integer of 64 bits, found "9223372036854775808"
    : the seed is missing: expected `refereeInput` with a line `seed=..`, or `seed`
    : it has several seeds: [55, 56]
    : seed: expected a seed, an integer of 64 bits, found "6.5e18"
    : ranks: expected 2, one for each score, found 1
    : tooltips[0]: EOF while parsing an object
    : tooltips[0]: expected `turn` and `event`
    : agents[0]: expected an index from 0 to 1
    : agents[0].agentId: expected an integer, found "x"
    : gameId: expected a number
    "#);
}

#[test]
fn what_is_no_battle_is_said_with_its_place() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    let texts: [&[u8]; 13] = [
        b"",
        b" \n",
        b"\xff\xfe",
        b"<!DOCTYPE html>",
        b"{\"frames\":[\n{\"agentId\":",
        b"12",
        b"[]x",
        b"{}",
        b"[3,null]x",
        br#"{"success":null,"error":{"id":1,"message":"no"}}"#,
        br#"{"gameResult":7}"#,
        deep("[", "]").leak().as_bytes(),
        deep(r#"{"a":"#, "}").leak().as_bytes(),
    ];
    let said: Vec<String> = texts
        .iter()
        .map(|text| {
            let said = taken(text).into_iter().map(|(place, found)| match found {
                Err(why) => format!("{place}: {why}"),
                found => format!("{place}: {found:?}"),
            });
            said.collect::<Vec<_>>().join(" | ")
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r#"
    : the file is empty
    : the file is empty
    : expected UTF-8 text, found another byte at offset 0
    : expected JSON: line 1, column 1: expected value
    : expected JSON: line 2, column 11: EOF while parsing a value | : expected JSON: line 2, column 11: EOF while parsing a value
    : expected a battle, an object with `frames`, found a number
    line 1: expected a battle, an object with `frames`, found an array, with no battle in its first levels | : expected JSON: line 1, column 1: expected value
    : expected a battle, an object with `frames`, found an object without `frames`
    line 1[0]: expected a battle, an object with `frames`, found a number | line 1[1]: expected a battle, an object with `frames`, found null | : expected JSON: line 1, column 1: expected value
    : the site answered with an error instead of a battle: {"id":1,"message":"no"}
    : expected a battle, an object with `frames`, found an object without `frames`
    [0][0][0][0][0][0][0][0]: expected a battle, an object with `frames`, found an array, with no battle in its first levels
    : expected JSON: line 1, column 500001: expected value
    "#);
}

#[test]
fn a_bad_battle_does_not_hide_the_others() {
    let good = small("gameId", "7");
    let bad = small("scores", "1");
    for (text, places) in [
        (format!("[{good},{bad},{good}]"), ["[0]", "[1]!", "[2]"]),
        (
            format!("{good}\n{bad}\n{good}"),
            ["line 1", "line 2!", "line 3"],
        ),
        (
            format!("{good}\n{{\"frames\":\n{good}"),
            ["line 1", "!", "line 3"],
        ),
        (
            format!("{good}\n[{{\"a\":{{\n{good}"),
            ["line 1", "!", "line 3"],
        ),
        (format!("{good}\nx\n{good}"), ["line 1", "!", "line 3"]),
        (
            format!("{good}\n{{\"frames\":}}\n{good}"),
            ["line 1", "!", "line 3"],
        ),
    ] {
        let found: Vec<String> = taken(&text)
            .into_iter()
            .map(|(place, found)| format!("{place}{}", if found.is_err() { "!" } else { "" }))
            .collect();
        assert_eq!(found, places, "{text}");
    }
    // Not endlessly many.
    assert_eq!(taken(format!("[{}1]", "1,".repeat(9999))).len(), 101);
    assert_eq!(taken("{x\n".repeat(9999)).len(), 101);
    assert_eq!(taken("x\n".repeat(9999)).len(), 1);
    let long = format!("[{}1]", "1,".repeat(100_000));
    let found = ": scores: more than 100000 items";
    assert_eq!(problem(small("scores", &long)), found);
    assert_eq!(problem(long), ": more than 100000 items");
    let keys: Vec<String> = (0..1001)
        .map(|key| format!("\"{key}\": [{good}]"))
        .collect();
    assert_eq!(
        problem(format!("{{{}}}", keys.join(","))),
        ": more than 1000 keys"
    );
}

/// Only a key with a battle in it is a wrapper, whatever the others hold.
#[test]
fn wrappers_are_known_by_what_they_hold() {
    let good = small("gameId", "7");
    let text = json!(good).to_string();
    let list = r#""gameId": 7, "players": [{"position": 0}, {"position": 1}]"#;
    for (wrapped, place) in [
        (
            format!(r#"{{"success": true, "gameResult": {good}}}"#),
            "gameResult",
        ),
        (
            format!(r#"{{"games": 3, "response": "ok", "battles": [{good}]}}"#),
            "battles[0]",
        ),
        (
            format!(r#"{{{list}, "rawResponse": {text}}}"#),
            "rawResponse",
        ),
        (
            format!(r#"{{{list}, "battle": null, "response": {good}}}"#),
            "response",
        ),
    ] {
        let [(found, Ok(Found::Battle(_)))] = &taken(&wrapped)[..] else {
            panic!("{wrapped}: {:?}", taken(&wrapped))
        };
        assert_eq!(found, place, "{wrapped}");
    }
    let listed = taken(format!(r#"{{{list}, "rawResponse": null, "games": 2}}"#));
    assert!(
        matches!(&listed[..], [(_, Ok(Found::Listed(_)))]),
        "{listed:?}"
    );
    let both = taken(format!(r#"{{"battles": [{good}, 3], "games": [{good}]}}"#));
    let places: Vec<&str> = both.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["battles[0]", "battles[1]", "games[0]"]);
    let cut = r#"{"rawResponse": "{\"frames\": ["}"#;
    assert_eq!(problem(cut), "rawResponse: EOF while parsing a list");
}

#[test]
fn half_a_surrogate_is_read() {
    let frames = r#"[{"agentId":-1},{"agentId":0,"stdout":"a\ud83d\n"}]"#;
    let battle = &battles(&small("frames", frames))[0];
    let answer = battle.frames[1].answer().unwrap();
    assert!(
        answer.starts_with('a') && answer.ends_with('\u{fffd}'),
        "{answer}"
    );
    let agents = r#"[{"index":1,"codingamer":{"pseudo":" A\u202eB\ud83d\ude00 "}},{"index":0,"agentId":-1}]"#;
    let agents = battles(&small("agents", agents)).remove(0).agents;
    assert_eq!(agents[1].name.as_deref(), Some("AB😀"));
    assert_eq!(agents[0].id, Some(-1));
}

#[test]
fn a_list_of_last_battles_is_known() {
    let text = r#"[{"gameId":5,"done":true,"players":[
        {"playerAgentId":1,"position":0,"userId":2,"nickname":"A"},
        {"playerAgentId":3,"position":1,"userId":4,"nickname":"B"}]}]"#;
    let [(place, Ok(Found::Listed(players)))] = &taken(text)[..] else {
        panic!()
    };
    assert_eq!(place, "[0]");
    let places: Vec<i64> = players.iter().map(|(_, place)| *place).collect();
    assert_eq!(places, [0, 1]);
}
