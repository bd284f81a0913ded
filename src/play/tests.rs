//! Who is asked with which limit, who is paused meanwhile, and what a turn allocates.

use std::iter;

use allocation_counter::measure;
use arena_games::{Fate, Games, Listing, Opening, onitama};

use super::*;

/// Answers with the first action of the list, after a time of its own, and remembers what happened
/// to it.
#[derive(Default)]
struct Thinker {
    takes: Vec<Duration>,
    limits: Vec<Duration>,
    line: String,
    pauses: usize,
}

impl Player for Thinker {
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        let elapsed = *self.takes.get(self.limits.len()).unwrap_or(&Duration::ZERO);
        let Ask { prompt, limit, .. } = ask;
        self.limits.push(limit);
        if elapsed > Duration::from_millis(1) {
            thinks(false);
        }
        self.line = onitama::spec().listed_actions(prompt)[0].to_owned();
        Ok(Answer {
            reply: if elapsed > limit {
                Err(Fault::Timeout)
            } else {
                Ok(&self.line)
            },
            elapsed,
            late: false,
        })
    }

    fn pause(&mut self) {
        self.pauses += 1;
    }
}

fn played(clock: Clock, takes: [Vec<u64>; 2]) -> ([Thinker; 2], [Fate; 2]) {
    let thinker = |takes: Vec<u64>| Thinker {
        takes: takes.into_iter().map(Duration::from_millis).collect(),
        ..Thinker::default()
    };
    let mut players = takes.map(thinker);
    let mut game = onitama::spec().start(3, 2, &Opening::default()).unwrap();
    let played = play(game.as_mut(), &mut players, clock, Kept::default()).unwrap();
    (
        players,
        [0, 1].map(|seat: usize| played.standings[seat].fate),
    )
}

#[test]
fn the_first_answer_has_its_own_limit_and_the_time_to_start() {
    let clock = Clock {
        startup: Duration::from_secs(2),
        ..Clock::of(&onitama::spec())
    };
    let (players, fates) = played(clock, [vec![2900, 40, 40], vec![2900, 40, 60]]);
    assert_eq!(fates, [Fate::Ok, Fate::Timeout]);
    assert_eq!(players[1].limits, [3000, 50, 50].map(Duration::from_millis));
}

#[test]
fn codingame_forgives_two_late_answers() {
    let clock = Clock {
        rules: TimeRules::Codingame,
        ..Clock::of(&onitama::spec())
    };
    let (players, fates) = played(clock, [vec![1, 80, 10, 100, 50, 51], vec![1, 60]]);
    assert_eq!(fates, [Fate::Timeout, Fate::Ok]);
    let limits = [1000, 50, 50, 50, 50, 50].map(Duration::from_millis);
    let margins = [1, 1, 1, 1, 0, 0];
    assert_eq!(
        players[0].limits,
        [0, 1, 2, 3, 4, 5].map(|turn: usize| limits[turn] + margins[turn] * SOFT_MARGIN)
    );
    let (_, fates) = played(clock, [vec![1, 101], vec![]]);
    assert_eq!(fates[0], Fate::Timeout, "the margin is the end");
}

#[test]
fn the_other_seat_is_paused_while_one_thinks() {
    for no_ponder in [true, false] {
        let clock = Clock {
            no_ponder,
            ..Clock::of(&onitama::spec())
        };
        let (players, _) = played(clock, [vec![10, 0, 10, 10, 0, 60], vec![]]);
        assert_eq!(
            players.map(|player| player.pauses),
            [0, if no_ponder { 4 } else { 0 }]
        );
    }
}

#[test]
fn a_step_is_small() {
    assert!(size_of::<Step>() <= 128, "{}", size_of::<Step>());
}

/// Answers with the last action of the list, or waits in Kutulu, and fails after some answers.
struct Quick {
    listing: Listing,
    left: u32,
    line: String,
}

impl Player for Quick {
    fn ask(&mut self, ask: Ask<'_>, _thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        let action = match self.listing {
            Listing::None => "WAIT",
            _ => ask.prompt.lines().last().unwrap_or_default(),
        };
        self.line.clear();
        self.line.push_str(action);
        let fails = self.left == 0;
        self.left = self.left.saturating_sub(1);
        Ok(Answer {
            reply: if fails {
                Err(Fault::Timeout)
            } else {
                Ok(&self.line)
            },
            elapsed: Duration::ZERO,
            late: false,
        })
    }
}

/// Plays a game in which each seat fails after some answers. Returns the number of all answers, and
/// of allocations.
fn allocations(spec: &GameSpec, answers: u32) -> (usize, u64) {
    let seats = spec.default_seats();
    let mut game = spec.start(1, seats, &Opening::default()).unwrap();
    let quick = || Quick {
        listing: spec.listing,
        left: answers,
        line: String::with_capacity(64),
    };
    let mut players: Vec<Quick> = iter::repeat_with(quick).take(seats).collect();
    let mut steps = 0;
    let counts = measure(|| {
        let played = play(
            game.as_mut(),
            &mut players,
            Clock::of(spec),
            Kept::default(),
        );
        steps = played.unwrap().steps.len();
    });
    (steps, counts.count_total)
}

#[test]
fn turns_allocate_nothing() {
    for spec in Games::standard().iter() {
        allocations(spec, 1); // Makes what a process makes once.
        let (few, short) = allocations(spec, 2);
        let (many, long) = allocations(spec, u32::MAX);
        let usual = 4 * few..=USUAL_ANSWERS;
        assert!(usual.contains(&many), "{}: {many} answers", spec.id);
        assert_eq!(long, short, "{}", spec.id);
    }
}
