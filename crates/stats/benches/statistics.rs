//! How fast the statistics are, where much is counted: a sequential test over a million units, a
//! match that ends when it is known, and the ratings of a hundred bots and of two thousand.

use std::cmp::Ordering;
use std::error::Error;
use std::time::Instant;

use arena_stats::ratings::{Comparison, Settings, Unit, rate};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::{Hypotheses, Model, Sprt, State};
use arena_stats::stopping::Stopping;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test --benches` runs this program too, without `--bench`: then it is only seen to
    // work.
    let full = std::env::args().any(|argument| argument == "--bench");
    let (units, games) = if full {
        (1_000_000, 100_000)
    } else {
        (1_000, 2_000)
    };
    for model in [Model::Logistic, Model::Normalized] {
        pairs(model, units)?;
        four_seats(model, units / 10)?;
    }
    duel(if full { 10_000 } else { 1_000 })?;
    ratings(100, games)?;
    ratings(if full { 2_000 } else { 200 }, 10 * games)
}

/// A test that is evaluated after every pair. Its bounds are so far away that it never ends.
fn pairs(model: Model, units: u32) -> Result<(), Box<dyn Error>> {
    let numerators = |draw: u64| [0, 1, 1, 2, 2, 2, 2, 3, 3, 4][(draw % 10) as usize];
    test(
        model,
        "pairs",
        units,
        UnitScores::from_counts(4, [0; 5])?,
        numerators,
    )
}

/// Units of four seats can score 17 different values.
fn four_seats(model: Model, units: u32) -> Result<(), Box<dyn Error>> {
    test(
        model,
        "mirrored units of four seats",
        units,
        UnitScores::new(16),
        |draw| (draw % 17) as u32,
    )
}

fn test(
    model: Model,
    name: &str,
    units: u32,
    none: UnitScores,
    score: impl Fn(u64) -> u32,
) -> Result<(), Box<dyn Error>> {
    let hypotheses = Hypotheses::new(model, -5.0, 5.0, 1e-300, 1e-300)?;
    let mut sprt = Sprt::new(true, hypotheses, 2, none);
    let mut random = 1;
    let start = Instant::now();
    for _ in 0..units {
        sprt.add(score(next(&mut random)))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(sprt.state(), State::Running);
    println!(
        "sprt, {model}, {units} {name}: {seconds:.2} s, {:.2} us per unit",
        1e6 * seconds / f64::from(units)
    );
    Ok(())
}

/// A match of pairs that looks at its interval. Its precision is so small that it never ends.
fn duel(units: u32) -> Result<(), Box<dyn Error>> {
    let (mut rule, mut scores) = (
        Stopping::new(Some(1e-3), None),
        UnitScores::from_counts(4, [0; 5])?,
    );
    let start = Instant::now();
    for unit in 0..units {
        scores.add([0, 4, 2, 3, 1][unit as usize % 5], 1)?;
        rule.look(&scores, 2, scores.units());
    }
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(rule.end, None);
    println!(
        "duel, {units} pairs: {seconds:.3} s, {:.2} us per unit",
        1e6 * seconds / f64::from(units)
    );
    Ok(())
}

fn ratings(bots: usize, games: u64) -> Result<(), Box<dyn Error>> {
    let units = units(bots, games / 2);
    let start = Instant::now();
    let ratings = rate(bots, &units, &Settings::new(2))?;
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!((ratings.units, ratings.components.len()), (games / 2, 1));
    println!("ratings, {games} games of {bots} bots: {seconds:.2} s");
    Ok(())
}

/// Pairs of games of two bots. The stronger one usually has the higher number.
fn units(bots: usize, pairs: u64) -> Vec<Unit> {
    let mut random = 7;
    let mut below = |limit: usize| {
        usize::try_from(next(&mut random) % limit as u64).expect("it is below the limit")
    };
    let mut pair = || {
        let first = below(bots);
        let met = [first, (first + 1 + below(bots - 1)) % bots];
        let mut game = |first: usize, second: usize| {
            let wins = below(2 * bots) < bots + first - second.min(first);
            Comparison {
                first,
                second,
                outcome: if wins {
                    Ordering::Greater
                } else {
                    Ordering::Less
                },
            }
        };
        Unit {
            comparisons: vec![game(met[0], met[1]), game(met[1], met[0])],
            weight: 1,
        }
    };
    (0..pairs).map(|_| pair()).collect()
}

/// `SplitMix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) >> 16
}
