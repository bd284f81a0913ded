//! Games as the replay viewer gets them: what is in them, which are chosen, and how many fit.

use std::collections::BTreeMap;
use std::io::Read as _;

use arena_games::{Fate, Games, Reason};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::play::record::Record;
use crate::report::replays::{
    BATCH, BUDGET, Chooser, Embedded, GameList, LARGE_BUDGET, Packer, Selection, Tag, Tagged,
    embed, pack, replay,
};
use crate::results::{GameResult, SeatResult, StoredGame};
use crate::standings::{BotSummary, Game};
use crate::store::{StoredGames, read_records};
use crate::testing::{golden_file, promised, root};

/// A game for the viewer, packed and unpacked.
fn content(record: &Record, games: &Games) -> Value {
    let [packed, again] = [(); 2].map(|()| {
        let replay = replay(record.clone(), &mut StoredGames::new(games)).unwrap();
        pack(&replay).unwrap()
    });
    assert_eq!(packed, again, "the same bytes for the same game");
    unpacked(&packed)
}

fn unpacked(packed: &str) -> Value {
    let packed = STANDARD.decode(packed).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Everything the record says is in what the viewer gets, and the last position is that of the
/// result.
#[test]
fn a_packed_game_is_the_recorded_one() {
    let games = Games::standard();
    for spec in games.iter() {
        for record in read_records(&golden_file(spec)).unwrap().step_by(7) {
            let record = record.unwrap().1;
            let content = content(&record, &games);
            let [start, frames @ .., end] = &content["frames"].as_array().unwrap()[..] else {
                panic!("{content}")
            };
            assert_eq!(
                (&end["scores"], &end["reason"]),
                (&json!(record.scores), &json!(record.reason))
            );
            assert_eq!(
                (&start["reason"], &start["turn"]),
                (&Value::Null, &json!(1))
            );
            let steps = content["steps"].as_array().unwrap();
            assert_eq!(steps.len(), record.steps.len());
            for (told, step) in steps.iter().zip(&record.steps) {
                assert_eq!(
                    (&told["player"], &told["output"]),
                    (&json!(step.player), &json!(step.output))
                );
                assert_eq!(told["input"], json!(step.input));
                assert_eq!(told["output"].is_null(), told["fault"].is_string());
            }
            let turns = steps.iter().map(|step| step["turn"].as_u64().unwrap());
            let mut turns: Vec<u64> = turns.collect();
            turns.dedup();
            assert_eq!(turns.len(), frames.len() + 1);
            for (turn, after) in turns.iter().zip(frames) {
                assert_eq!(after["turn"].as_u64().unwrap(), turn + 1);
            }
        }
    }
}

#[test]
fn times_faults_and_names_are_told() {
    let record = r#"{"number":7,"unit":3,"game":"minishogi","seed":"9007199254740993","bots":["mine","theirs"],"steps":[
        {"turn":1,"player":0,"output":"2543"},{"turn":2,"player":1,"output":null,"fault":"crashed"}],"scores":[1,-1],
        "reason":"timeout","faults":[{"player":1,"exit":"exit code 2","unfinished":"24","stderr":"<script>"}],
        "ms":[0.25,3141.59],"host_late":[0]}"#;
    let record = serde_json::from_str(record).unwrap();
    let content = content(&record, &Games::standard());
    let told =
        ["number", "bots", "scores", "places", "fates", "turns"].map(|key| content[key].clone());
    assert_eq!(
        json!(told),
        json!([7, ["mine", "theirs"], [1, -1], [1, 2], ["ok", "crashed"], 2])
    );
    assert_eq!(
        (&content["seed"], &content["unit"]),
        (&json!("9007199254740993"), &json!(3))
    );
    assert_eq!(
        (&content["ms"], &content["host_late"]),
        (&json!([0.25, 3141.59]), &json!([0]))
    );
    assert_eq!(content["steps"][1]["fault"], json!("crashed"));
    let fault =
        json!({"player": 1, "exit": "exit code 2", "unfinished": "24", "stderr": "<script>"});
    assert_eq!(content["faults"], json!([fault]));
}

/// The referee is not started: the record has all positions.
#[test]
fn a_game_of_another_referee_is_read_from_its_record() {
    let record = r#"{"number":3,"game":"constructor","seed":7,"bots":["mine","theirs"],"steps":[
        {"turn":1,"player":0,"input":"go\n","hash":"a","shown":{"frame":{"grid":["..#"]},"notes":["hello"]},"output":"A"},
        {"turn":1,"player":1,"hash":"b","shown":{"notes":["between"]},"output":"B\nC"},
        {"turn":2,"player":1,"hash":"c","shown":{"notes":["second"]},"output":"D"},
        {"turn":2,"player":0,"hash":"d","shown":{"frame":{"grid":["x.#"]}},"output":null}],
        "scores":[-1,4],"reason":"all_done","shown":{"notes":["seat 0: too slow"]},"ms":[1,2,3,4]}"#;
    let record = serde_json::from_str(record).unwrap();
    let content = content(&record, &Games::standard());
    assert_eq!(
        (&content["scores"], &content["fates"]),
        (&json!([-1, 4]), &json!(["timeout", "ok"]))
    );
    assert_eq!(
        content["steps_by_turn"],
        json!([2, 1, 1]),
        "a new position begins a turn"
    );
    let first = json!({"turn": 1, "player": 0, "input": "go\n", "output": "A"});
    assert_eq!(
        (&content["steps"][0], &content["steps"][3]["fault"]),
        (&first, &json!("timeout"))
    );
    assert_eq!(content["shown"], Value::Null);
    let frames = json!([
        {"turn": 1, "due": [0, 1], "scores": [], "reason": null, "grid": ["..#"], "notes": ["hello"]},
        {"turn": 2, "due": [1], "scores": [], "reason": null, "grid": ["..#"], "notes": ["between", "second"]},
        {"turn": 2, "due": [0], "scores": [], "reason": null, "grid": ["x.#"]},
        {"turn": 2, "due": [], "scores": [-1, 4], "reason": "all_done", "grid": ["x.#"], "notes": ["seat 0: too slow"]},
    ]);
    assert_eq!(content["frames"], frames);
}

/// A game with these places; who has none failed.
fn row(number: u64, game: &str, turns: u32, seats: &[(&str, usize)]) -> GameResult {
    let seat = |&(bot, place): &(&str, usize)| SeatResult {
        bot: bot.to_owned(),
        score: i64::from(place == 1),
        place: place.max(1),
        fate: if place == 0 { Fate::Crashed } else { Fate::Ok },
    };
    let (game, seats) = (game.to_owned(), seats.iter().map(seat).collect());
    GameResult {
        number,
        unit: number / 2,
        game,
        seed: 1,
        reason: Reason::Checkmate.to_string(),
        turns,
        moves: None,
        lower_is_better: false,
        seats,
    }
}

/// A game in which these seats answered once each.
fn answered(result: &GameResult, seats: &[usize]) -> StoredGame {
    let steps = seats
        .iter()
        .map(|seat| json!({"turn": 1, "player": seat, "output": "x"}));
    let record = json!({"game": result.game, "seed": 1, "steps": steps.collect::<Vec<_>>(),
        "scores": [], "reason": "checkmate"});
    StoredGame {
        result: result.clone(),
        record: serde_json::from_value(record).unwrap(),
    }
}

/// Standings of a game, the best bot first.
fn standings(game: &str, bots: &[&str]) -> Game {
    let bot = |name: &&str| BotSummary {
        name: (*name).to_owned(),
        ..BotSummary::default()
    };
    Game {
        game: game.to_owned(),
        bots: bots.iter().map(bot).collect(),
        ..Game::default()
    }
}

fn chosen(games: &[StoredGame], standings: &[Game]) -> Vec<Tagged> {
    let [mut chooser, mut backwards] = [Chooser::default(), Chooser::default()];
    for (game, other) in games.iter().zip(games.iter().rev()) {
        chooser.add(game);
        backwards.add(other);
    }
    let chosen = chooser.chosen(standings);
    assert_eq!(chosen, backwards.chosen(standings), "whatever the order");
    chosen
}

#[test]
fn faults_losses_and_ordinary_games_are_chosen() {
    use Tag::{Fault, Loss, Sample};
    let mut rows = vec![
        row(0, "onitama", 30, &[("a", 1), ("b", 2)]),
        row(1, "onitama", 12, &[("a", 1), ("b", 2)]),
        row(2, "onitama", 40, &[("a", 2), ("b", 1)]),
        row(3, "onitama", 40, &[("a", 1), ("b", 1)]),
        row(4, "onitama", 5, &[("a", 1), ("c", 0)]),
        row(5, "kutulu", 5, &[("a", 1), ("b", 2), ("c", 3), ("d", 4)]),
    ];
    let losses = [(5, Loss), (2, Loss), (1, Loss)];
    let expected = [&[(4, Fault)], &losses[..], &[(5, Sample), (0, Sample)]].concat();
    let all = |rows: &[GameResult]| -> Vec<StoredGame> {
        rows.iter()
            .map(|row| answered(row, &[0, 1, 2, 3]))
            .collect()
    };
    assert_eq!(chosen(&all(&rows), &[]), expected);

    // However often a bot fails, there is room for others.
    rows.extend((10..5000).map(|number| row(number, "onitama", 5, &[("a", 1), ("c", 0)])));
    assert_eq!(chosen(&all(&rows), &[]), expected);
}

/// Rows: games of two, each with its turns, the loser and the winner, and the seats that answered;
/// after the arrow the losses that are chosen.
const LOSSES: &str = "
    5 best weak 1, 30 best weak 01 -> 1          | of a loser that was asked
    5 weak best 1, 5 weak mid -    ->            | none was asked
    6 best mid 01, 40 best weak 01 -> 1          | the weaker rival goes before the shorter game
    6 mid best 01, 40 mid weak 01 -> 1           |
    6 best mid 01, 40 best unrated 01 -> 0       |
    9 best weak 01, 6 best weak 01 -> 1          |
    6 mid best 01, 6 weak mid 01, 40 best weak 01 -> 2 1 0 | the greatest surprise is first";

/// The worst loss is the one against the weakest rival, of those in which the loser answered.
#[test]
fn the_worst_loss_is_a_surprise_in_which_the_loser_played() {
    let losses = |games: &[StoredGame]| {
        let tables = ["onitama", "table"].map(|game| standings(game, &["best", "mid", "weak"]));
        let mut chosen = chosen(games, &tables);
        chosen.retain(|(_, tag)| *tag == Tag::Loss);
        let numbers = chosen.iter().map(|(number, _)| number.to_string());
        numbers.collect::<Vec<_>>().join(" ")
    };
    for line in LOSSES.lines().skip(1) {
        let (games, rest) = line.split_once("->").unwrap();
        let mut rows = Vec::new();
        for (number, game) in (0..).zip(games.split(',')) {
            let [turns, loser, winner, seats] = game.split_whitespace().collect::<Vec<_>>()[..]
            else {
                panic!("{line}")
            };
            let seats: Vec<usize> = seats
                .bytes()
                .filter_map(|seat| match seat {
                    b'-' => None,
                    seat => Some(usize::from(seat - b'0')),
                })
                .collect();
            let row = row(
                number,
                "onitama",
                turns.parse().unwrap(),
                &[(loser, 2), (winner, 1)],
            );
            rows.push(answered(&row, &seats));
        }
        assert_eq!(
            losses(&rows),
            rest.split('|').next().unwrap().trim(),
            "{line}"
        );
    }
    // At a table, all that were ahead are rivals.
    let table = |number, places: [usize; 3], seats: &[usize]| {
        let [best, mid, weak] = places;
        let places = [("best", best), ("mid", mid), ("weak", weak)];
        answered(&row(number, "table", 9, &places), seats)
    };
    let tables = [
        table(0, [3, 1, 2], &[0, 1, 2]),
        table(1, [1, 3, 2], &[0, 1, 2]),
        table(2, [3, 1, 2], &[1, 2]),
        table(3, [2, 1, 3], &[2]),
    ];
    assert_eq!(losses(&tables), "0 1 3");
}

/// The games of the example run, in a list.
fn example(asked: &Selection, choices: &[Tagged]) -> Embedded {
    let path = root().join("results/example/records.jsonl");
    let mut list = GameList::default();
    for record in read_records(&path).unwrap() {
        let record = record.unwrap().1;
        list.add(&StoredGame::new(record).unwrap(), None);
    }
    embed(&path, (asked, choices), &list, &Games::standard()).unwrap()
}

#[test]
fn all_games_are_embedded_as_long_as_they_fit() {
    let choices = [5, 9999].map(|number| (number, Tag::Sample));
    let all = example(&Selection::Fitting, &choices);
    assert_eq!(
        (all.data.len(), all.unlisted, all.first),
        (all.listed, 0, Some(5))
    );
    assert_eq!(all.left_out, [(9999, "its record is missing".to_owned())]);
    assert_eq!(unpacked(&all.list)[5]["tags"], json!(["sample"]));
    let asked = example(&Selection::Numbers(vec![7, 3]), &choices);
    assert_eq!((asked.data.len(), asked.first), (all.data.len(), Some(7)));
    assert_eq!(unpacked(&asked.list)[3]["tags"], json!(["asked"]));
    let none = example(&Selection::None, &choices);
    assert_eq!((none.data.len(), none.listed), (0, all.listed));
}

#[test]
fn the_page_has_as_many_games_as_promised() {
    let page = "docs/reference/report.md";
    let number = |words| usize::try_from(promised(page, words)).unwrap();
    let game = answered(&row(0, "onitama", 9, &[]), &[]);
    let mut list = GameList::default();
    for _ in 0..number("The list has the first") {
        list.add(&game, None);
    }
    assert_eq!(list.unlisted(), 0);
    list.add(&game, None);
    assert_eq!(list.unlisted(), 1);
    assert_eq!(BUDGET, 1_000_000 * number("The page holds"));
    assert_eq!(LARGE_BUDGET, 1_000_000 * number("you can watch, and"));
}

#[test]
fn games_share_the_budget_and_the_best_come_first() {
    let games = Games::standard();
    let (mut text, mut list, mut number) = (String::new(), GameList::default(), 0);
    for spec in games.iter() {
        for record in read_records(&golden_file(spec)).unwrap().take(12) {
            let mut record = record.unwrap().1;
            record.number = Some(number);
            record.unit = Some(number);
            record.bots = vec!["bot".to_owned(); record.scores.len()];
            list.add(&StoredGame::new(record.clone()).unwrap(), None);
            text += &(serde_json::to_string(&record).unwrap() + "\n");
            number += 1;
        }
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let order: Vec<u64> = (0..number).rev().collect();
    let packer = Packer::new(file.path(), &list, &games);
    let budget = 200_000;
    let mut embedded = Embedded::default();
    let room = budget / packer.kinds();
    embedded.fill(&order, (BATCH, room), &packer).unwrap();
    assert!(embedded.data.contains_key(&order[0]), "the best come first");
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    for listed in list.games() {
        if let Some(data) = embedded.data.get(&listed.number) {
            *used.entry(&listed.game).or_default() += data.len();
        }
    }
    assert!(
        used.values().sum::<usize>() <= budget && used.len() > 1,
        "{used:?}"
    );
    let (least, most) = (used.values().min().unwrap(), used.values().max().unwrap());
    assert!(most - least < budget / 4, "{used:?}");
}

#[test]
fn a_game_that_cannot_be_played_again_is_left_out_with_the_reason() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let unmapped = r#"{"number":5,"game":"kutulu","seed":1,"options":{"maps":"nowhere"},"steps":[],"scores":[],"reason":"timeout"}"#;
    let stray =
        r#"{"number":6,"game":"onitama","seed":1,"steps":[],"scores":[1,0],"reason":"timeout"}"#;
    std::fs::write(file.path(), format!("{unmapped}\n{stray}\n")).unwrap();
    let asked = Selection::Numbers(vec![5, 6]);
    let embedded = embed(
        file.path(),
        (&asked, &[]),
        &GameList::default(),
        &Games::standard(),
    )
    .unwrap();
    assert!(embedded.data.is_empty());
    let [(5, maps), (6, steps)] = &embedded.left_out[..] else {
        panic!("{:?}", embedded.left_out)
    };
    assert!(
        maps.starts_with("can't read the maps in nowhere: No such file"),
        "{maps}"
    );
    assert!(
        steps.starts_with("the record ends before the game"),
        "{steps}"
    );
}

/// Text of bots must never be read as HTML, and the page loads nothing.
#[test]
fn the_viewer_only_ever_writes_text() {
    let folder = root().join("src/report/html");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let scripts = "elements.js boards.js viewer.js games.js page.js";
    let [script, style] = [scripts, "viewer.css page.css"]
        .map(|names| names.split(' ').map(read).collect::<String>());
    let words =
        "innerHTML outerHTML insertAdjacentHTML document.write eval( Function( DOMParser fetch(";
    for word in words.split(' ').chain(["import "]) {
        assert!(!script.contains(word), "{word}");
    }
    let namespace = script.replace("http://www.w3.org/2000/svg", "");
    for text in [namespace.as_str(), &style] {
        assert!(!text.contains("://") && !text.contains("@import") && !text.contains("url("));
        assert!(!text.contains("</"), "it would end its element");
    }
    for spec in Games::standard().iter() {
        assert!(
            script.contains(&format!("{}: draw", spec.id)),
            "{} has a drawing",
            spec.id
        );
    }
}

#[test]
fn an_answer_from_a_seat_that_is_not_there_is_refused() {
    let record = r#"{"game":"harvest","seed":7,"steps":[{"turn":4,"player":2,"hash":"a","output":"A"}],"scores":[1,0],"reason":"end"}"#;
    let record: Record = serde_json::from_str(record).unwrap();
    let replay = replay(record, &mut StoredGames::new(&Games::standard()));
    let why = replay.err().unwrap().to_string();
    assert!(why.contains("in turn 4 seat 2 answers"), "{why}");
}
