//! Tuning: its schedule, the values that it plays, and what decides them.

use arena_stats::tune::spsa::{gain, width};
use arena_stats::tune::{Parameter, Scale, Tuning};
use proptest::prelude::*;

fn parameter(ends: [f64; 2], start: f64, step: Option<f64>, scale: Scale) -> Parameter {
    Parameter {
        min: ends[0],
        max: ends[1],
        start,
        step,
        scale,
    }
}

fn tuning(parameters: &[Parameter], seed: u64) -> Tuning {
    Tuning::new(parameters, 32, seed)
}

#[test]
fn the_schedule_is_the_published_one() {
    for (unit, expected) in [(0, 0.03), (999, 0.017_237_370_6), (4999, 0.007_155_799_5)] {
        assert!(
            (gain(unit) - expected).abs() < 1e-10,
            "{unit}: {}",
            gain(unit)
        );
    }
    assert!((width(999) - 0.163_658_235_3).abs() < 1e-10);
}

/// What is drawn is frozen: stored runs depend on it.
#[test]
fn the_first_units_are_these() {
    let parameters = [
        parameter([0.0, 20.0], 9.0, Some(1.0), Scale::Linear),
        parameter([0.1, 0.5], 0.2, Some(0.1), Scale::Linear),
        parameter([1.0, 1000.0], 10.0, None, Scale::Log),
    ];
    let tuning = tuning(&parameters, 1);
    let units: Vec<String> = (0..4)
        .map(|unit| format!("{:?}", tuning.sides(unit).unwrap()))
        .collect();
    let expected = [
        "[[5.0, 0.2, 31.6228], [12.0, 0.3, 3.16228]]",
        "[[5.0, 0.2, 3.16235], [12.0, 0.1, 31.622]]",
        "[[12.0, 0.1, 3.16242], [5.0, 0.3, 31.6213]]",
        "[[6.0, 0.2, 3.1625], [12.0, 0.1, 31.6206]]",
    ];
    assert_eq!(units, expected);
    assert_eq!(tuning.sides(32), None);
}

#[test]
fn a_result_moves_the_centre_by_what_was_played() {
    let parameters = [
        parameter([0.0, 12.0], 6.0, None, Scale::Linear),
        parameter([1.0, 100.0], 10.0, None, Scale::Log),
    ];
    let mut tuning = tuning(&parameters, 7);
    let sides = tuning.sides(0).unwrap();
    tuning.add(&[2.0]);
    for (at, parameter) in parameters.iter().enumerate() {
        let [a, b] = [0, 1].map(|side: usize| parameter.coordinate(sides[side][at]));
        assert!(
            ((a - b).abs() / 2.0 - parameter.range() / 6.0).abs() < 1e-5,
            "{sides:?}"
        );
        let moved = parameter.coordinate(parameter.start) + 0.03 * (a - b) / 2.0 * 2.0;
        assert!((tuning.centres()[0][at] - moved).abs() < 1e-9);
    }
    assert_eq!((tuning.units(), tuning.sides(0)), (1, Some(sides)));
    // The answer is rounded to what can be played.
    let whole = [parameter([0.0, 20.0], 9.0, Some(1.0), Scale::Linear)];
    assert_eq!(self::tuning(&whole, 7).answer(), [9.0]);
}

proptest! {
    /// Whatever is tuned: sides are values of the range, at its steps, apart by one at least where
    /// there is room; and both mean the centre on average.
    #[test]
    fn sides_can_be_played(
        (min, width, steps) in (-50.0..50.0_f64, 0.5..100.0_f64, prop::option::of(3..40_u32)),
        at in 0.0..=1.0_f64,
        is_log: bool,
        seed: u64,
        results in prop::collection::vec(-2.0..2.0_f64, 32),
    ) {
        let min = if is_log { min.abs() + 0.5 } else { min };
        let step = steps.map(|steps| width / f64::from(steps));
        let scale = if is_log { Scale::Log } else { Scale::Linear };
        let parameter = parameter([min, min + width], min + at * width, step, scale);
        let parameter = Parameter { start: parameter.rounded(parameter.start), ..parameter };
        prop_assert!(parameter.is_sound());
        let mut tuning = tuning(&[parameter], seed);
        for block in 0..3 {
            for unit in 32 * block..32 * (block + 1) {
                let sides = tuning.sides(unit).unwrap();
                prop_assert_eq!(&sides, &tuning.sides(unit).unwrap());
                for value in sides.iter().map(|side| side[0]) {
                    prop_assert!((parameter.min..=parameter.max).contains(&value), "{}", value);
                    let steps = step.map_or(0.0, |step| (value - min) / step);
                    let is_end = (value - parameter.max).abs() < 1e-6;
                    prop_assert!(is_end || (steps - steps.round()).abs() < 1e-6, "{} {}", value, steps);
                    prop_assert_eq!(value.to_string().parse::<f64>().unwrap().to_bits(), value.to_bits());
                }
            }
            tuning.add(&results);
            let centre = tuning.centre()[0];
            prop_assert!((parameter.min - 1e-9..=parameter.max + 1e-9).contains(&centre));
        }
    }

    /// No length is planned: a tuning that continues keeps its centres.
    #[test]
    fn more_units_change_nothing_before(results in prop::collection::vec(-2.0..2.0_f64, 256), seed: u64) {
        let parameters = [parameter([0.0, 1.0], 0.3, None, Scale::Linear), parameter([0.0, 9.0], 3.0, Some(1.0), Scale::Linear)];
        let (mut short, mut long) = (tuning(&parameters, seed), tuning(&parameters, seed));
        results[..128].chunks(32).for_each(|block| short.add(block));
        results.chunks(32).for_each(|block| long.add(block));
        prop_assert_eq!(short.centres(), &long.centres()[..4]);
        for unit in 0..128 {
            prop_assert_eq!(short.sides(unit), long.sides(unit));
        }
    }
}
