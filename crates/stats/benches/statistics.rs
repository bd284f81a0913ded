//! How fast the statistics are, where much is counted: a sequential test over a million units, and the ratings of a
//! hundred bots from a hundred thousand games.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::time::Instant;

use arena::rate::{Field, Options};
use arena::store::{columns, read_results};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::{Hypotheses, Model, Sprt, State};

const BOTS: u64 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test --benches` runs this program too, without `--bench`: then it is only seen to work.
    let full = std::env::args().any(|argument| argument == "--bench");
    let (units, games) = if full { (1_000_000, 100_000) } else { (1_000, 2_000) };
    for model in [Model::Logistic, Model::Normalized] {
        pairs(model, units)?;
        four_seats(model, units / 10)?;
    }
    ratings(games)
}

/// A test that is evaluated after every pair. Its bounds are so far away that it never ends.
fn pairs(model: Model, units: u32) -> Result<(), Box<dyn Error>> {
    let numerators = |draw: u64| [0, 1, 1, 2, 2, 2, 2, 3, 3, 4][(draw % 10) as usize];
    test(model, "pairs", units, UnitScores::pentanomial([0; 5])?, numerators)
}

/// Units of four seats can score 17 different values.
fn four_seats(model: Model, units: u32) -> Result<(), Box<dyn Error>> {
    test(model, "mirrored units of four seats", units, UnitScores::new(16)?, |draw| (draw % 17) as u32)
}

fn test(
    model: Model,
    name: &str,
    units: u32,
    none: UnitScores,
    score: impl Fn(u64) -> u32,
) -> Result<(), Box<dyn Error>> {
    let hypotheses = Hypotheses::new(model, -5.0, 5.0, 1e-300, 1e-300)?;
    let mut sprt = Sprt::new(hypotheses, 2, none);
    let mut random = 1;
    let start = Instant::now();
    for _ in 0..units {
        sprt.add(score(next(&mut random)))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(sprt.state(), State::Running);
    println!("sprt, {model}, {units} {name}: {seconds:.2} s, {:.2} us per unit", 1e6 * seconds / f64::from(units));
    Ok(())
}

fn ratings(games: u64) -> Result<(), Box<dyn Error>> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), games_csv(games)?)?;
    let start = Instant::now();
    let mut field = Field::default();
    read_results(file.path(), &mut |line| field.add(0, line))?;
    let read = start.elapsed().as_secs_f64();
    let rated = field.rate(&Options::default())?;
    let all = start.elapsed().as_secs_f64();
    assert_eq!((rated.len(), rated[0].bots.len() as u64), (1, BOTS));
    println!("rate, {games} games of {BOTS} bots: {all:.2} s, of which reading {read:.2} s");
    Ok(())
}

/// Pairs of games of two bots, the stronger of which has the higher number more often than not.
fn games_csv(games: u64) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut csv = Vec::new();
    writeln!(csv, "{}", columns().collect::<Vec<_>>().join(","))?;
    let (mut random, mut bots) = (7, [0, 0]);
    for number in 0..games {
        if number % 2 == 0 {
            let first = next(&mut random) % BOTS;
            bots = [first, (first + 1 + next(&mut random) % (BOTS - 1)) % BOTS];
        } else {
            bots.reverse();
        }
        let wins = next(&mut random) % (2 * BOTS) < BOTS + bots[0] - bots[1].min(bots[0]);
        let (scores, places) = if wins { ([1, 0], [1, 2]) } else { ([0, 1], [2, 1]) };
        write!(csv, "{number},{},minishogi,{number},checkmate,30", number / 2)?;
        for seat in 0..2 {
            write!(csv, ",bot-{},{},{},ok", bots[seat], scores[seat], places[seat])?;
        }
        writeln!(csv, ",,,,,,,,,0.1,0.2,0.1,0.2,,,,")?;
    }
    Ok(csv)
}

/// `SplitMix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) >> 16
}
