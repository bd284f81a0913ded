//! The laws of the reader, and golden records as battles.

use std::path::Path;

use arena_games::Games;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::play::Step;
use crate::play::record::{Record, RecordAgent, RecordBattle};
use crate::store::{StoredGames, read_records};

/// The battles of a text that holds nothing else.
fn battles(text: &str) -> Vec<Battle> {
    read(text.as_bytes())
        .into_iter()
        .map(|(place, found)| found.unwrap_or_else(|why| panic!("{place}: {why} in {text}")))
        .collect()
}

/// What is said of the parts of a text, with their places.
fn said(text: impl AsRef<[u8]>) -> String {
    let mut said = Vec::new();
    for (place, found) in read(text.as_ref()) {
        said.push(match found {
            Ok(_) => format!("{place}: a battle"),
            Err(why) => format!("{place}: {why}"),
        });
    }
    said.join(" | ")
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
            "agentId": step.player, "stdout": stdout, "keyframe": next != Some(step.turn),
            "view": format!(" {}\n", at + 1),
        }));
    }
    let (mut scores, mut ranks) = (Vec::new(), Vec::new());
    for score in &record.scores {
        scores.push(f64::from(i32::try_from(*score).unwrap()));
        ranks.push(record.scores.iter().filter(|other| *other > score).count());
    }
    json!({
        "frames": frames, "gameId": 900_000_001, "refereeInput": format!("seed={}\n", record.seed.0),
        "scores": scores, "ranks": ranks, "metadata": {},
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
            let facts = |record: &Record| {
                let own = |step: &Step| (step.turn, step.player, step.output.clone());
                let steps: Vec<_> = record.steps.iter().map(own).collect();
                let Record {
                    game,
                    seed,
                    scores,
                    reason,
                    ..
                } = record.clone();
                (steps, game, seed, scores, reason)
            };
            assert_eq!(facts(&back), facts(&record));
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
        name in prop::option::of("[A-Z]{1,9}"),
        score in prop::option::of(-10..100_i32),
    ) -> (Option<String>, RecordAgent) {
        (name, RecordAgent { id, score: score.map(f64::from) })
    }
}

prop_compose! {
    fn of_seats(seats: usize)(
        id in prop::option::of(0..u64::MAX),
        league in prop::option::of(1..20_u64),
        seed: i64,
        frames in prop::collection::vec(frame(seats), 0..9),
        scores in prop::collection::vec(any::<i32>().prop_map(i64::from), seats),
        ranks in prop::option::of(prop::collection::vec(0..seats, seats)),
        tooltips in prop::option::of(prop::collection::vec((any::<prop::sample::Index>(), text(), 0..seats), 0..4)),
        agents in prop::collection::vec(agent(), seats),
    ) -> Battle {
        let setup = Frame { is_key: Some(true), summary: Some(String::new()), ..Frame::default() };
        let frames = [vec![setup], frames].concat();
        let tooltips = tooltips.map(|all| {
            let tooltip = |(at, text, seat): (prop::sample::Index, _, _)| {
                Tooltip { frame: at.index(frames.len()), text, seat }
            };
            all.into_iter().map(tooltip).collect()
        });
        let title = league.map(|_| "Code of Kutulu".to_owned());
        let id = id.map(|id| id.to_string());
        let (names, mut agents): (Vec<_>, Vec<_>) = agents.into_iter().unzip();
        let players = names.into_iter().enumerate().map(|(seat, name)| {
            name.unwrap_or_else(|| match agents[seat].id {
                Some(-1) => "me".to_owned(),
                Some(-2) => "default AI".to_owned(),
                Some(id) => format!("agent {id}"),
                None => format!("seat {seat}"),
            })
        }).collect();
        if agents.iter().all(|agent| *agent == RecordAgent::default()) {
            agents.clear();
        }
        let site = RecordBattle { id, agents };
        Battle { site, players, title, league, seed, options: Vec::new(), frames, scores, ranks, tooltips }
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
    set(&mut written, "gameId", battle.site.id.clone());
    set(&mut written, "ranks", battle.ranks.clone());
    let tooltip =
        |own: &Tooltip| json!({"turn": own.frame, "text": own.text, "event": own.seat}).to_string();
    let tooltips = battle.tooltips.as_ref();
    set(
        &mut written,
        "tooltips",
        tooltips.map(|all| all.iter().map(tooltip).collect::<Vec<_>>()),
    );
    let players = battle.players.iter().enumerate();
    let agents = players.map(|(index, name)| {
        let mut own = json!({"index": index, "valid": true});
        if let Some(agent) = battle.site.agents.get(index) {
            set(&mut own, "agentId", agent.id);
            set(&mut own, "score", agent.score);
        }
        let has_own_name = name.chars().all(char::is_uppercase);
        if has_own_name && index % 2 == 0 {
            own["arenaboss"] = json!({"nickname": name, "league": {}});
        } else if has_own_name {
            own["codingamer"] = json!({"pseudo": name, "avatar": 0});
        }
        own
    });
    written["agents"] = agents.collect();
    written
}

/// The shapes that the site writes.
const SHAPES: usize = 5;

/// A battle in a shape, and how often it is there.
fn shaped(battle: &Battle, shape: usize) -> (String, usize) {
    let own = as_json(battle, shape % 2 == 1);
    let titled = |mut value: Value| {
        let title = battle
            .league
            .map(|league| format!("Code of Kutulu - Level {league}"));
        set(&mut value, "questionTitle", title);
        value
    };
    match shape {
        0 => (titled(own).to_string(), 1),
        1 => (format!(" \n{:#}\n\n", titled(own)), 1),
        2 => (
            json!({"success": titled(own), "error": null}).to_string(),
            1,
        ),
        3 => (
            titled(json!({"puzzleId": 1, "gameResult": own, "viewer": "x"})).to_string(),
            1,
        ),
        _ => (json!([titled(own.clone()), titled(own)]).to_string(), 2),
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
    let million = r#",{"agentId":0,"stdout":"x"}"#.repeat(1_000_000);
    let lines: Vec<String> = r#"
        frames: []
        frames: {}
        frames: null
        frames: [{"agentId":0,"stdout":"x\n"}]
        frames: [{"agentId":-1},{"agentId":2,"stdout":"x\n"}]
        frames: [{"agentId":-1},{"agentId":-1}]
        frames: [{"agentId":-1},{"stdout":"x\n"}]
        frames: [{"agentId":-1},{"agentId":0,"stdout":[1]}]
        frames: [{"agentId":-1}MILLION]
        scores: [1]
        scores: [1,2.5]
        scores: [1,9223372036854775808]
        scores: [1,null]
        scores: [1,2,3,4,5,6,7,8,9]
        refereeInput: "seed=1e18"
        refereeInput: "seed=9223372036854775808"
        refereeInput: "map=x"
        agents: [{},{},{}]
        ranks: [0]
        tooltips: ["{"]
        tooltips: [{"turn":1}]
        agents: [{"index":2}]
    "#
    .trim()
    .lines()
    .filter_map(|line| line.trim().split_once(": "))
    .map(|(key, value)| said(small(key, &value.replace("MILLION", &million))))
    .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    : not a battle: frames: expected 1 to 20001, found 0
    : not a battle: frames: expected an array
    : not a battle: expected an object with `frames`
    : not a battle: frames[0].agentId: expected -1, found 0
    : not a battle: frames[1].agentId: expected 0 to 1, found 2
    : not a battle: frames[1].agentId: expected 0 to 1, found -1
    : not a battle: frames[1].agentId: expected an integer, found null
    : not a battle: frames[1].stdout: expected a text
    : not a battle: frames: expected 1 to 20001, found 1000001
    : not a battle: scores: expected 2 to 8, one for each seat, found 1
    : not a battle: scores[1]: expected an integer, found 2.5
    : not a battle: scores[1]: expected an integer, found 9223372036854775808
    : not a battle: scores[1]: expected an integer, found null
    : not a battle: scores: expected 2 to 8, one for each seat, found 9
    : not a battle: the seed: expected an integer of 64 bits, found "1e18"
    : not a battle: the seed: expected an integer of 64 bits, found "9223372036854775808"
    : not a battle: the seed is missing: expected `refereeInput` with a line `seed=..`, or `seed`
    : not a battle: agents[2]: expected 2 agents at most
    : not a battle: ranks: expected 2, one for each score, found 1
    : not a battle: tooltips[0]: EOF while parsing an object at line 1 column 1
    : not a battle: tooltips[0]: expected a text
    : not a battle: agents[0].index: expected 0 to 1, found 2
    "#);
}

#[test]
fn what_is_no_battle_is_said_with_its_place() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    let [good, bad] = [small("gameId", "7"), small("scores", "1")];
    let many = format!("[{}1]", "1,".repeat(10_000));
    let texts: [&[u8]; 17] = [
        b"",
        b"\xff\xfe",
        b"<!DOCTYPE html>",
        b"{\"frames\":[\n{\"agentId\":",
        b"12",
        b"[]x",
        b"[]",
        b"{}",
        b"[3,null]",
        br#"{"success":null,"error":{"id":1,"message":"no"}}"#,
        br#"{"success":true}"#,
        br#"{"gameResult":7}"#,
        br#"{"frames":[{"stdout":"\ud83d"}]}"#,
        many.as_bytes(),
        &deep("[", "]").into_bytes(),
        &deep(r#"{"a":"#, "}").into_bytes(),
        &format!("[{good},{bad},{good}]").into_bytes(),
    ];
    let lines: Vec<String> = texts.iter().map(said).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    : not a battle: expected JSON: EOF while parsing a value at line 1 column 0
    : not a battle: expected JSON: expected value at line 1 column 1
    : not a battle: expected JSON: expected value at line 1 column 1
    : not a battle: expected JSON: EOF while parsing a value at line 2 column 11
    : not a battle: expected an object with `frames`
    : not a battle: expected JSON: trailing characters at line 1 column 3
    : not a battle: expected 1 to 10000 battles, found 0
    : not a battle: expected an object with `frames`
    [0]: not a battle: expected an object with `frames` | [1]: not a battle: expected an object with `frames`
    : not a battle: the site answered with an error: "{\"id\":1,\"message\":\"no\"}"
    : not a battle: expected an object with `frames`
    : not a battle: expected an object with `frames`
    : not a battle: expected JSON: unexpected end of hex escape at line 1 column 29
    : not a battle: expected 1 to 10000 battles, found 10001
    : not a battle: expected JSON: recursion limit exceeded at line 1 column 128
    : not a battle: expected JSON: recursion limit exceeded at line 1 column 636
    [0]: a battle | [1]: not a battle: scores: expected an array | [2]: a battle
    "#);
}

/// A floating-point number would be another seed.
#[test]
fn seeds_are_read_as_text() {
    for own in [i64::MIN, -7_391_798_008_006_716_001, i64::MAX] {
        for input in [
            format!(r#""seed={own}\n""#),
            format!(r#"null, "seed": "{own}""#),
            format!(r#"null, "seed": {own}"#),
        ] {
            let text = small("refereeInput", &input);
            assert_eq!(battles(&text)[0].seed, own, "{text}");
        }
    }
    let rounded = said(small("refereeInput", r#"null, "seed": 6.5e18"#));
    let why = "expected an integer of 64 bits";
    assert!(rounded.contains(why), "{rounded}");
}

#[test]
fn names_are_shown_as_they_look() {
    let agents = r#"[{"index":1,"codingamer":{"pseudo":" A\u202eB\ud83d\ude00 "}},{"index":0,"agentId":-1}]"#;
    let battle = battles(&small("agents", agents)).remove(0);
    assert_eq!(battle.players, ["me", "AB😀"]);
    assert!(battle.is_me(0, None) && !battle.is_me(1, None) && battle.is_me(1, Some("AB😀")));
}
