//! Speed of the referees in answers per second: every due seat gets its prompt, and the turn is
//! played. The answers are random picks from the prompts, made before the measured run. The start
//! of a game has its own column.
//!
//! A game allocates its memory at the start and none in its turns, which is asserted. Times aren't.
//!
//! The referees take turns in every round, beside a yardstick that depends only on the processor.
//! Figures vary with the load of the machine; their ratio to the yardstick varies less.

use std::env;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use allocation_counter::{AllocationInfo, measure};
use arena_games::kutulu::{Action, Kutulu, Maps, SEATS, World};
use arena_games::rng::{Generator as _, SplitMix64, choose};
use arena_games::{Fault, Game, GameSpec, Games, MAX_SEATS, Opening, Reply};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// The draws of a yardstick.
const DRAWS: u32 = 100;
const COLUMNS: [&str; 8] = [
    "",
    "games",
    "turns",
    "turns/s",
    "answers/s",
    "ns/answer",
    "yardsticks/answer",
    "us/start",
];

fn main() {
    // `cargo test` also runs this program, without `--bench`, to check that turns allocate nothing.
    let full = env::args().any(|argument| argument == "--bench");
    let (rounds, answers) = if full { (41, 20_000) } else { (1, 2_000) };

    let scripts: Vec<Vec<Script>> = Games::standard()
        .iter()
        .map(|spec| scripts(spec, answers))
        .collect();
    let mut contenders = Vec::new();
    for scripts in &scripts {
        assert_turns_allocate_nothing(scripts);
        contenders.push(Contender::referee(scripts));
        if scripts[0].spec.id == "kutulu" {
            contenders.push(Contender::world(scripts));
        }
    }
    for _ in 0..rounds {
        contenders.iter_mut().for_each(Contender::run);
    }
    println!("{}", table(&contenders));
    let yardstick = median(
        contenders
            .iter()
            .flat_map(|contender| &contender.laps)
            .map(|lap| lap.yardstick),
    );
    println!(
        "medians of {rounds} rounds; a yardstick is {DRAWS} draws of SplitMix64, here {:.0} ns",
        1e9 * yardstick
    );
}

/// The answers of a turn, by seat.
type Answers = [Option<Result<String, Fault>>; MAX_SEATS];

/// A game, and the answers of its turns.
struct Script {
    spec: Arc<GameSpec>,
    seed: i64,
    turns: Vec<Answers>,
}

/// Games with this many answers together, or a few more.
fn scripts(spec: &Arc<GameSpec>, answers: usize) -> Vec<Script> {
    let mut scripts = Vec::new();
    let mut seed = 1;
    while count_answers(&scripts) < answers {
        scripts.push(script(spec, seed));
        seed += 1;
    }
    scripts
}

/// A game of random players.
fn script(spec: &Arc<GameSpec>, seed: i64) -> Script {
    let mut script = Script {
        spec: spec.clone(),
        seed,
        turns: Vec::new(),
    };
    let mut rng = SplitMix64::new(seed.cast_unsigned());
    let mut game = script.start();
    let mut prompt = String::new();
    while !game.due().is_empty() {
        let mut answers = Answers::default();
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            answers[seat] = Some(pick(&prompt, &mut rng));
        }
        game.advance(&replies(&answers));
        script.turns.push(answers);
    }
    script
}

/// Picks one of the counted lines at the end of the prompt. If they are entities, it returns the
/// path there or a word, and rarely an invalid action.
fn pick(prompt: &str, rng: &mut SplitMix64) -> Result<String, Fault> {
    const WORDS: [&str; 8] = [
        "WAIT", "PLAN", "LIGHT", "YELL", "UP", "LEFT", "DOWN", "RIGHT",
    ];
    let lines: Vec<&str> = prompt.lines().collect();
    let is_count = |&at: &usize| lines[at].parse() == Ok(lines.len() - at - 1);
    let counted = (0..lines.len())
        .rev()
        .find(is_count)
        .map_or(&[][..], |at| &lines[at + 1..]);
    let line = *choose(counted, rng).expect("every prompt ends with a counted list");
    let word = *choose(&WORDS, rng).expect("there are words");
    let entity: Vec<&str> = line.split(' ').collect();
    match (rng.next_int(1000), &entity[..]) {
        (0, _) => Err(Fault::Timeout),
        (1, _) => Ok("no action".to_owned()),
        (2..500, [_, _, x, y, _, _, _]) => Ok(format!("MOVE {x} {y}")),
        (_, [_, _, _, _, _, _, _]) => Ok(word.to_owned()),
        _ => Ok(line.to_owned()),
    }
}

impl Script {
    fn start(&self) -> Box<dyn Game> {
        self.spec
            .start(self.seed, *self.spec.seats.start(), &Opening::default())
            .expect("every game starts")
    }
}

fn count_answers(scripts: &[Script]) -> usize {
    scripts
        .iter()
        .flat_map(|script| &script.turns)
        .flatten()
        .flatten()
        .count()
}

fn replies(answers: &Answers) -> [Option<Reply<'_>>; MAX_SEATS] {
    answers.each_ref().map(|answer| {
        answer
            .as_ref()
            .map(|answer| answer.as_deref().map_err(|&fault| fault))
    })
}

/// Plays a turn as a run does.
fn play_turn(game: &mut dyn Game, answers: &Answers, prompt: &mut String) {
    for seat in game.due().iter() {
        prompt.clear();
        game.prompt(seat, prompt);
        black_box(&prompt);
    }
    game.advance(&replies(answers));
}

/// Plays all games with a prompt buffer of the final size.
fn assert_turns_allocate_nothing(scripts: &[Script]) {
    let mut prompt = String::new();
    for grown in [false, true] {
        for script in scripts {
            let mut game = script.start();
            for answers in &script.turns {
                let turn = game.turn();
                let counts = measure(|| play_turn(game.as_mut(), answers, &mut prompt));
                if grown {
                    assert_eq!(
                        counts,
                        AllocationInfo::default(),
                        "{}, seed {}, turn {turn}",
                        script.spec.id,
                        script.seed
                    );
                }
            }
            assert!(game.reason().is_some());
        }
    }
}

/// Something that plays the turns of games.
struct Contender<'a> {
    name: String,
    scripts: &'a [Script],
    /// Plays all games once.
    play: Box<dyn FnMut() -> Lap + 'a>,
    laps: Vec<Lap>,
}

/// The seconds that a contender took in a round.
#[derive(Default)]
struct Lap {
    /// To start all its games.
    starts: f64,
    /// To play all their turns.
    turns: f64,
    /// A yardstick measured right after.
    yardstick: f64,
}

impl<'a> Contender<'a> {
    /// The referee as a run uses it.
    fn referee(scripts: &'a [Script]) -> Contender<'a> {
        let mut prompt = String::with_capacity(1 << 16);
        let play = move || {
            lap(scripts, Script::start, |game, script| {
                script
                    .turns
                    .iter()
                    .for_each(|answers| play_turn(game.as_mut(), answers, &mut prompt));
            })
        };
        Contender {
            name: scripts[0].spec.id.clone(),
            scripts,
            play: Box::new(play),
            laps: Vec::new(),
        }
    }

    /// The turns of Kutulu alone, as a bot simulates them: on copies of the state, with parsed
    /// actions.
    fn world(scripts: &'a [Script]) -> Contender<'a> {
        let games: Vec<_> = scripts
            .iter()
            .map(|script| (start_world(script), actions(script)))
            .collect();
        let play = move || {
            lap(
                &games,
                |(world, _)| world.clone(),
                |world, (_, actions)| {
                    for actions in actions {
                        for seat in world
                            .living()
                            .iter()
                            .filter(|&seat| actions[seat].is_none())
                        {
                            world.remove(seat);
                        }
                        world.play(&actions.map(|action| action.unwrap_or(Action::Wait)));
                    }
                    assert!(world.is_over());
                },
            )
        };
        Contender {
            name: "kutulu's World".to_owned(),
            scripts,
            play: Box::new(play),
            laps: Vec::new(),
        }
    }

    fn run(&mut self) {
        let lap = (self.play)();
        self.laps.push(Lap {
            yardstick: yardstick(),
            ..lap
        });
    }
}

fn start_world(script: &Script) -> World {
    Kutulu::start(script.seed, &Maps::own()).world().clone()
}

/// Returns the actions of each turn; `None` eliminates a due seat.
fn actions(script: &Script) -> Vec<[Option<Action>; SEATS]> {
    let action = |reply: Option<Reply<'_>>| reply.and_then(Result::ok).and_then(Action::parse);
    let of_turn = |answers| {
        let replies = replies(answers);
        std::array::from_fn(|seat| action(replies[seat]))
    };
    script.turns.iter().map(of_turn).collect()
}

fn lap<T, G>(games: &[T], start: impl Fn(&T) -> G, mut play: impl FnMut(&mut G, &T)) -> Lap {
    let (mut starts, mut turns) = (Duration::ZERO, Duration::ZERO);
    for game in games {
        let begin = Instant::now();
        let mut state = start(game);
        let started = Instant::now();
        play(&mut state, game);
        turns += started.elapsed();
        starts += started - begin;
    }
    Lap {
        starts: starts.as_secs_f64(),
        turns: turns.as_secs_f64(),
        yardstick: 0.0,
    }
}

/// The seconds that a yardstick takes, as the mean of many.
fn yardstick() -> f64 {
    const COUNT: u32 = 100_000;
    let mut rng = SplitMix64::new(black_box(1));
    let begin = Instant::now();
    black_box((0..COUNT * DRAWS).fold(0, |sum: u64, _| sum ^ rng.next64()));
    begin.elapsed().as_secs_f64() / f64::from(COUNT)
}

fn table(contenders: &[Contender<'_>]) -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(COLUMNS);
    for Contender {
        name,
        scripts,
        laps,
        ..
    } in contenders
    {
        let games = scripts.len();
        let turns: usize = scripts.iter().map(|script| script.turns.len()).sum();
        let answers = count_answers(scripts);
        let seconds = median(laps.iter().map(|lap| lap.turns));
        table.add_row([
            name.clone(),
            games.to_string(),
            turns.to_string(),
            format!("{:.0}", float(turns) / seconds),
            format!("{:.0}", float(answers) / seconds),
            format!("{:.0}", 1e9 * seconds / float(answers)),
            format!(
                "{:.2}",
                median(laps.iter().map(|lap| lap.turns / lap.yardstick)) / float(answers)
            ),
            format!(
                "{:.2}",
                1e6 * median(laps.iter().map(|lap| lap.starts)) / float(games)
            ),
        ]);
    }
    table
        .column_iter_mut()
        .skip(1)
        .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "counts of things in memory")]
fn float(count: usize) -> f64 {
    count as f64
}
