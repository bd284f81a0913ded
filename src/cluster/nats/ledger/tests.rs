use super::*;

/// A game of units of two games.
fn fixture(number: u64) -> Fixture {
    let (unit, game, seed, seating) = (number / 2, 0, 1, vec![0, 1]);
    Fixture {
        number,
        unit,
        game,
        seed,
        seating,
        variant: None,
        values: Vec::new(),
    }
}

fn ledger() -> Ledger {
    Ledger::new(vec![2])
}

fn beat(worker: &str, name: &str, state: State) -> Beat {
    Beat {
        worker: worker.to_owned(),
        name: name.to_owned(),
        jobs: 1,
        cores: 1,
        state,
        games: 0,
    }
}

fn playing() -> State {
    State::Playing {
        sandbox: "all of it".into(),
        remarks: Vec::new(),
    }
}

fn numbers(batch: &Batch) -> Vec<u64> {
    batch
        .fixtures
        .iter()
        .map(|fixture| fixture.number)
        .collect()
}

/// A ledger with a worker, and a unit under way.
fn busy() -> Ledger {
    let mut ledger = ledger();
    ledger.hear(beat("a", "box", playing()), Duration::ZERO);
    for number in [0, 1] {
        ledger.gather(fixture(number));
    }
    assert_eq!(ledger.batch(false).as_ref().map(numbers), Some(vec![0, 1]));
    ledger
}

#[test]
fn units_stay_whole() {
    let mut ledger = busy();
    ledger.gather(fixture(2));
    assert_eq!(
        ledger.batch(true),
        None,
        "the rest of the unit comes when there is room"
    );
    ledger.gather(fixture(3));
    assert_eq!(ledger.batch(false).as_ref().map(numbers), Some(vec![2, 3]));
    // A unit of which a game was played before, as in a run that goes on: another follows, or nothing else is under way.
    for number in [5, 6] {
        ledger.gather(fixture(number));
    }
    assert_eq!(ledger.batch(false).as_ref().map(numbers), Some(vec![5]));
    assert_eq!(ledger.batch(true), None);
    for number in [0, 1, 2, 3, 5] {
        assert!(ledger.take(number).is_some());
    }
    assert_eq!(ledger.batch(true).as_ref().map(numbers), Some(vec![6]));
}

#[test]
fn the_first_answer_counts() {
    let mut ledger = busy();
    assert_eq!(ledger.game(1), Some(&fixture(1)));
    assert_eq!(ledger.take(1), Some(fixture(1)));
    assert_eq!(ledger.game(1), None);
    assert_eq!(ledger.take(1), None, "the second is late");
    assert_eq!(ledger.take(77), None, "nobody was sent that");
}

#[test]
fn what_was_lost_is_sent_again_as_it_was() {
    let mut ledger = busy();
    for number in [2, 3, 4] {
        ledger.gather(fixture(number));
    }
    ledger.batch(false).unwrap();
    ledger.take(0);
    let again: Vec<Vec<u64>> = ledger.again().iter().map(numbers).collect();
    assert_eq!(again, [vec![1], vec![2, 3]]);
    assert_eq!(ledger.once_more(3).as_ref().map(numbers), Some(vec![3]));
    assert_eq!(ledger.once_more(0), None);
    for number in [1, 2, 3] {
        ledger.take(number);
    }
    assert!(
        ledger.batches.is_empty() && !ledger.is_empty(),
        "one is gathered"
    );
    assert_eq!(ledger.drop_all(|_| true), [fixture(4)]);
    assert!(ledger.is_empty());
}

#[test]
fn a_game_that_nobody_can_play_is_given_up_and_a_worker_that_can_play_none_too() {
    let mut ledger = busy();
    assert_eq!(ledger.failed("a", 0), (Retry::Again, false));
    assert_eq!(ledger.failed("a", 0), (Retry::Again, false));
    ledger.credit("a", 0.01);
    assert_eq!(
        ledger.failed("a", 0),
        (Retry::Never, false),
        "it played another between"
    );
    assert_eq!(ledger.failed("a", 1), (Retry::Again, false));
    assert_eq!(ledger.failed("a", 1), (Retry::Again, true));
}

#[test]
fn workers_come_and_go_and_each_is_told_of_once() {
    let mut ledger = ledger();
    let second = Duration::from_secs(1);
    let came = |name: &str| {
        Some(News::Came {
            name: name.into(),
            jobs: 1,
            remarks: Vec::new(),
        })
    };
    assert_eq!(
        ledger.hear(beat("a", "box", State::Preparing), Duration::ZERO),
        None
    );
    assert_eq!(
        ledger.hear(beat("a", "box", playing()), second),
        came("box")
    );
    assert_eq!(ledger.hear(beat("a", "box", playing()), second), None);
    assert_eq!(
        ledger.hear(beat("b", "box", playing()), second),
        came("box-2"),
        "names are unique"
    );
    assert_eq!(
        ledger.hear(beat("c", "\u{1b}[31m", playing()), second),
        came("31m"),
        "and harmless"
    );
    ledger.hear(beat("b", "box", playing()), 8 * second);
    ledger.hear(beat("c", "", playing()), 8 * second);
    assert_eq!(ledger.lost(8 * second), [News::Lost { name: "box".into() }]);
    assert_eq!(ledger.lost(9 * second), []);
    assert_eq!(ledger.playing().count(), 2);
    assert_eq!(
        ledger.hear(beat("a", "box", playing()), 10 * second),
        came("box"),
        "it is there again"
    );
    assert_eq!(
        ledger.hear(beat("b", "box", State::Leaving), 10 * second),
        Some(News::Left {
            name: "box-2".into()
        })
    );
    assert_eq!(ledger.dismiss("c"), Some("31m".into()));
    assert_eq!(ledger.dismiss("c"), None);
    assert_eq!(ledger.name("c"), None);
    assert_eq!(
        ledger.hear(beat("c", "", playing()), 10 * second),
        None,
        "nobody listens any more"
    );
}

#[test]
fn a_run_has_no_hope_when_all_are_unfit() {
    let mut ledger = ledger();
    assert_eq!(ledger.all_unfit(), None);
    let unfit = State::Unfit {
        why: "there is no java".into(),
    };
    let told = ledger.hear(beat("a", "box", unfit.clone()), Duration::ZERO);
    assert_eq!(
        told,
        Some(News::Unfit {
            name: "box".into(),
            why: "there is no java".into()
        })
    );
    assert_eq!(ledger.hear(beat("a", "box", unfit), Duration::ZERO), None);
    assert_eq!(
        ledger.all_unfit(),
        Some(vec!["box: there is no java".to_owned()])
    );
    ledger.hear(beat("b", "box", State::Preparing), Duration::ZERO);
    assert_eq!(ledger.all_unfit(), None);
}

#[test]
fn batches_last_a_fraction_of_a_second() {
    let mut ledger = busy();
    assert_eq!((ledger.units_per_batch(), ledger.width()), (1, 3));
    ledger.credit("a", 0.005);
    assert_eq!((ledger.units_per_batch(), ledger.width()), (10, 30));
    for _ in 0..1000 {
        ledger.credit("a", 2.0);
    }
    assert_eq!(ledger.units_per_batch(), 1);
    for nonsense in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        ledger.credit("a", nonsense);
    }
    assert_eq!(ledger.units_per_batch(), 1);
}
