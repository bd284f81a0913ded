//! Speed of the Kutulu referee, in turns per second: every prompt of a turn is made and the answers are played. The games
//! are the golden ones with their answers, so that there are as many minions, lights and yells as in real games.
//!
//! The allocations are counted: a game takes its memory at its start, its turns take none.

use std::path::Path;
use std::sync::Arc;

use arena::games::kutulu::{Action, Kutulu, Maze, World};
use arena::games::{Fault, Game as _, MAX_SEATS, Maps, Options, Replies};
use arena::record::Record;
use arena::store::read_records;
use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// What a game starts with, and the answers of its turns.
struct Script {
    seed: i64,
    options: Options,
    turns: Vec<[Result<String, Fault>; MAX_SEATS]>,
}

fn scripts() -> Vec<Script> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/kutulu.jsonl.gz");
    let records = read_records(&path).expect("the golden records are there");
    records.map(|record| script(&record.expect("a golden record is a record").1)).collect()
}

fn script(record: &Record) -> Script {
    let map = Maze::new(&record.options.map).map(Arc::new);
    let options = Options { maps: map.map_or(Maps::Own, Maps::One), ..Options::default() };
    let mut turns = Vec::new();
    for step in &record.steps {
        turns.resize_with(step.turn as usize, || [const { Err(Fault::Timeout) }; MAX_SEATS]);
        turns[step.turn as usize - 1][step.player] = step.output.clone().ok_or(Fault::Timeout);
    }
    Script { seed: record.seed.0, options, turns }
}

fn start(script: &Script) -> Kutulu {
    Kutulu::start(script.seed, &script.options).expect("a golden game starts")
}

fn replies(answers: &[Result<String, Fault>; MAX_SEATS]) -> Replies<'_> {
    answers.each_ref().map(|answer| Some(answer.as_deref().map_err(|&fault| fault)))
}

fn count(scripts: &[Script]) -> ItemsCount {
    ItemsCount::new(scripts.iter().map(|script| script.turns.len()).sum::<usize>())
}

/// The referee as a run uses it: prompts and turns.
#[divan::bench]
fn referee(bencher: Bencher<'_, '_>) {
    let scripts = scripts();
    let mut prompt = String::with_capacity(1 << 14);
    bencher.counter(count(&scripts)).bench_local(|| {
        for script in &scripts {
            let mut game = start(script);
            for answers in &script.turns {
                for seat in game.due().iter() {
                    prompt.clear();
                    game.prompt(seat, &mut prompt);
                    divan::black_box(&prompt);
                }
                game.advance(&replies(answers));
            }
            assert!(game.reason().is_some());
        }
    });
}

/// The turns alone, on a copy of the state, as a bot simulates them.
#[divan::bench]
fn world(bencher: Bencher<'_, '_>) {
    let scripts = scripts();
    let action = |answer: &Result<String, Fault>| answer.as_deref().ok().and_then(Action::parse);
    let of_turn = |answers: &[_; MAX_SEATS]| answers.each_ref().map(action);
    let actions: Vec<Vec<[Option<Action>; MAX_SEATS]>> =
        scripts.iter().map(|script| script.turns.iter().map(of_turn).collect()).collect();
    bencher.counter(count(&scripts)).bench_local(|| {
        for (script, actions) in scripts.iter().zip(&actions) {
            let mut world: World = start(script).world().clone();
            for actions in actions {
                for seat in world.living().iter().filter(|&seat| actions[seat].is_none()) {
                    world.remove(seat);
                }
                world.play(&actions.map(|action| action.unwrap_or(Action::Wait)));
            }
            assert!(world.is_over());
        }
    });
}
