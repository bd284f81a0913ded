//! Code of Kutulu for bots: prompts are parsed as they were sent, and custom maps work.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use arena_games::kutulu::{self, Action, Explorer, Kutulu, Maps, Maze, World};
use arena_games::{Game as _, Seat};
use flate2::read::MultiGzDecoder;
use proptest::prelude::*;
use serde::Deserialize;

/// The relevant part of a game of the original referee.
#[derive(Deserialize)]
struct Record {
    seed: i64,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    turn: u32,
    player: Seat,
    input: String,
    output: Option<String>,
}

fn golden() -> impl Iterator<Item = Record> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/kutulu.jsonl.gz");
    let lines = BufReader::new(MultiGzDecoder::new(File::open(path).unwrap())).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

/// Parses all prompts of a seat; calls `seen` with every turn's state, the input, and the seat's
/// answer.
fn read_as(record: &Record, seat: Seat, seen: &mut dyn FnMut(&World, &str, Option<&str>)) {
    let mut world: Option<World> = None;
    for (turn, step) in (0..).zip(record.steps.iter().filter(|step| step.player == seat)) {
        let mut lines = step.input.lines();
        let world = world.get_or_insert_with(|| World::from_first_lines(&mut lines).unwrap());
        world.read(turn, &mut lines).unwrap();
        assert_eq!(lines.next(), None);
        seen(world, &step.input, step.output.as_deref());
    }
}

#[test]
fn what_is_read_is_what_was_sent() {
    let mut turns = 0;
    for record in golden() {
        for seat in 0..kutulu::SEATS {
            read_as(&record, seat, &mut |world, input, _| {
                let mut sent = String::new();
                if world.turn == 0 {
                    sent = format!("{}{}\n", world.maze().text(), world.constants);
                }
                world.write(seat, &mut sent);
                assert_eq!(sent, input);
                turns += 1;
            });
        }
    }
    assert!(turns > 9000, "{turns}");
}

/// The state that a player reads suffices to predict what explorers do to each other, and most of
/// what minions do. Draws, the targets of slashers and the answers of others stay hidden; the
/// record gives the answers here.
#[test]
fn a_turn_can_be_foreseen() {
    let (mut turns, mut surprises, mut minions, mut strayed) = (0, 0, 0, 0);
    for record in golden() {
        let mut foreseen: Option<World> = None;
        let answers = |turn: u32| {
            let mut actions = [Some(Action::Wait); kutulu::SEATS];
            for step in record.steps.iter().filter(|step| step.turn == turn + 1) {
                actions[step.player] = step.output.as_deref().and_then(Action::parse);
            }
            actions
        };
        read_as(&record, 0, &mut |world, _, _| {
            if let Some(expected) = foreseen.take() {
                for (explorer, expected) in world.explorers.iter().zip(&expected.explorers) {
                    if explorer.living && expected.living {
                        assert_eq!(
                            explorer.cell, expected.cell,
                            "seed {} turn {}",
                            record.seed, world.turn
                        );
                        let own = |one: &Explorer| {
                            (one.plans, one.lights, one.yelled_at_by, one.has_slasher)
                        };
                        surprises += usize::from(own(explorer) != own(expected));
                    }
                }
                let shown = |world: &World| {
                    world
                        .minions
                        .iter()
                        .map(|minion| (minion.id, minion.cell))
                        .collect::<Vec<_>>()
                };
                let (seen, thought) = (shown(world), shown(&expected));
                minions += seen.len();
                strayed += seen
                    .iter()
                    .filter(|minion| !thought.contains(minion))
                    .count();
                turns += 1;
            }
            let mut next = world.clone();
            for (seat, action) in answers(world.turn).iter().enumerate() {
                if action.is_none() {
                    next.remove(seat);
                }
            }
            next.play(&answers(world.turn).map(|action| action.unwrap_or(Action::Wait)));
            foreseen = Some(next);
        });
    }
    assert!(turns > 2000 && minions > 10_000, "{turns} {minions}");
    // A yell at an explorer that is eliminated in the same turn is never sent, but keeps its caster
    // from casting.
    assert!(
        surprises <= 2,
        "{surprises} explorers had other powers than foreseen"
    );
    assert!(
        strayed * 50 < minions,
        "{strayed} of {minions} minions were foreseen elsewhere"
    );
}

proptest! {
    #[test]
    fn any_rows_are_a_map_or_an_error(rows in prop::collection::vec("[#.SwU]{3,8}|\\PC{0,6}|[#.S]{60}", 0..6)) {
        if let Ok(maze) = Maze::new(&rows) {
            prop_assert_eq!(maze.text().lines().count(), rows.len() + 2);
            prop_assert_ne!(maze.warning(), Some(String::new()));
            let mut game = Kutulu::start(1, &Maps::one(Arc::new(maze)));
            while !game.due().is_empty() {
                game.advance(&[Some(Ok("MOVE 2 1")), Some(Ok("LIGHT")), Some(Ok("YELL")), Some(Ok("PLAN"))]);
            }
        }
    }

    /// A bot that reads wrong numbers doesn't crash, nor when it looks ahead from there.
    #[test]
    fn spoilt_lines_are_read_or_refused(game in 0..47usize, turn in 0..30usize, seed: u64, spoilt in any::<[i32; 2]>()) {
        static RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| golden().collect());
        let own = RECORDS[game].steps.iter().filter(|step| step.player == 0);
        let own: Vec<&str> = own.map(|step| step.input.as_str()).collect();
        let turn = turn % own.len();
        let mut tokens: Vec<String> = own[turn].split_inclusive([' ', '\n']).map(str::to_owned).collect();
        for (index, number) in [seed % 1009, seed / 1009 % 1009].into_iter().zip(spoilt) {
            let at = usize::try_from(index).unwrap() % tokens.len();
            let end = tokens[at].pop().unwrap();
            // Mostly small numbers, which are more plausible.
            let number = if number % 5 == 0 { number } else { number % 7 };
            tokens[at] = format!("{number}{end}");
        }
        let text = tokens.concat();
        let mut lines = text.lines();
        let world = if turn == 0 { World::from_first_lines(&mut lines) } else { World::from_first_lines(&mut own[0].lines()) };
        if let Ok(mut world) = world && world.read(3, &mut lines).is_ok() {
            for _ in 0..60 {
                world.play(&[Action::Move { x: 4, y: 4 }, Action::Plan, Action::Yell, Action::Light]);
            }
        }
    }
}

#[test]
fn lines_that_nobody_was_sent_are_told() {
    let read = |text: &str| {
        let mut lines = text.lines();
        World::from_first_lines(&mut lines)
            .and_then(|mut world| world.read(0, &mut lines))
            .map_err(|error| error.to_string())
    };
    // `/` ends a line, and MAP stands for the first lines of a game.
    let read_case = |text: &str| {
        read(
            &text
                .replace("MAP", "3/2/.../#../3 1 4 30/")
                .replace('/', "\n"),
        )
    };
    assert_eq!(read_case("MAP1/EXPLORER 0 1 1 250 2 3/"), Ok(()));
    let wrong = "\
=> the width of the map, found the end of the input
3/x/=> the height of the map, found `x`
3/2/.../=> a row of the map, found the end of the input
3/1/.../3 1 4/=> the four constants of the game, found `3 1 4`
3/1/.../3 1 4 101/=> the four constants of the game, found `3 1 4 101`
MAP=> the number of entities, found the end of the input
MAP-1/=> the number of entities, found `-1`
";
    for case in wrong.lines() {
        let (text, expected) = case.split_once("=> ").unwrap();
        let expected = format!("can't read the turn: expected {expected}");
        assert_eq!(read_case(text), Err(expected), "{text}");
    }
    for entity in [
        "EXPLORER 0 0 1 250 2 3",
        "EXPLORER 4 0 0 250 2 3",
        "EXPLORER 0 0 0 250 2",
        "WANDERER 4 0 0 4 5 -1",
        "EFFECT_YELL -1 -1 -1 1 0 -1",
        "SPIRIT 4 0 0 4 1 -1",
    ] {
        let expected = format!(
            "can't read the turn: expected an entity: its type and six numbers that fit the map and the players, found `{entity}`"
        );
        assert_eq!(read_case(&format!("MAP1/{entity}/")), Err(expected));
    }
    assert!(read("3\n1\n...\n3 1 4 30\n0\n").is_ok());
    assert_eq!(
        read("2\n2\n..\n.\n3 1 4 30\n0\n"),
        Err("can't read the map: row 2 ends after column 1, expected 2 columns as in row 1".into())
    );
}
