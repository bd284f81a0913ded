//! The places of a sweep's variants in charts.

use indexmap::IndexSet;

use super::summary::{SweepSummary, VariantSummary};
use arena_section::chart::Scale;

/// The free share of a drawing at each side.
const MARGIN: f64 = 0.08;

/// The least share of a drawing between two numbers drawn to scale. A label needs as much.
const ROOM: f64 = 0.05;

/// A variant with its place from 0 to 1, and Elo with its interval. Their ends may be infinite.
pub(super) type Point<'s> = (f64, &'s VariantSummary, [f64; 3]);

/// A parameter with the variants over its values.
#[derive(Clone, Debug)]
pub(super) struct Axis<'s> {
    pub(super) name: &'s str,
    /// The values at their places from 0 to 1, from left to right.
    pub(super) ticks: Vec<(f64, String)>,
    /// The variants with an Elo at their places.
    pub(super) points: Vec<Point<'s>>,
}

/// The parameters with several values, once a variant has an Elo. Numbers are drawn to scale. If
/// two of them have no room, or if values are words, they are drawn at equal distances: numbers in
/// their order, words as they were written.
pub(super) fn axes(sweep: &SweepSummary) -> Vec<Axis<'_>> {
    let mut axes = Vec::new();
    for name in &sweep.parameters {
        let mut values = IndexSet::new();
        for variant in &sweep.variants {
            values.extend(variant.values.get(name));
        }
        if values.len() < 2 {
            continue;
        }
        let ticks = placed(&Vec::from_iter(values));
        let points = points(sweep, name, &ticks);
        if !points.is_empty() {
            axes.push(Axis {
                name,
                ticks,
                points,
            });
        }
    }
    axes
}

/// Returns values with their places, from left to right.
fn placed(values: &[&String]) -> Vec<(f64, String)> {
    let mut values: Vec<String> = values.iter().copied().cloned().collect();
    let mut places: Vec<f64> = even(values.len()).collect();
    if values.iter().all(|value| number(value).is_some()) {
        values.sort_by(|a, b| f64::total_cmp(&number(a).unwrap_or(0.0), &number(b).unwrap_or(0.0)));
        let numbers = values.iter().filter_map(|value| number(value));
        let scale = Scale::of(numbers.clone(), f64::INFINITY, f64::NEG_INFINITY);
        // NaN, which is no room, if the width is zero or infinite.
        let to_scale = numbers.map(|one| MARGIN + (1.0 - 2.0 * MARGIN) * scale.place(one));
        let to_scale: Vec<f64> = to_scale.collect();
        if to_scale.windows(2).all(|pair| pair[1] - pair[0] >= ROOM) {
            places = to_scale;
        }
    }
    places.into_iter().zip(values).collect()
}

/// Returns the number that a value is, if it is finite.
pub(super) fn number(value: &str) -> Option<f64> {
    value.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Places at equal distances; few of them have as much room at the sides as between them.
fn even(count: usize) -> impl Iterator<Item = f64> {
    let margin = MARGIN.max(0.5 / count.max(1) as f64);
    let step = (1.0 - 2.0 * margin) / count.saturating_sub(1).max(1) as f64;
    (0..count).map(move |at| margin + step * at as f64)
}

/// The variants over a parameter; those of the same value beside each other, and nearer to it than
/// to the next value.
fn points<'s>(sweep: &'s SweepSummary, name: &str, ticks: &[(f64, String)]) -> Vec<Point<'s>> {
    // Both sides of the drawing leave half of a gap.
    let mut gap = 2.0 * ticks[0].0;
    for pair in ticks.windows(2) {
        gap = gap.min(pair[1].0 - pair[0].0);
    }
    let width = 0.8 * gap;
    let mut points = Vec::new();
    for (place, value) in ticks {
        let mut own = Vec::from_iter(&sweep.variants);
        own.retain(|variant| variant.values.get(name) == Some(value));
        let step = (width / own.len() as f64).min(0.03);
        let middle = (own.len() - 1) as f64 / 2.0;
        for (at, variant) in own.into_iter().enumerate() {
            let place = place + step * (at as f64 - middle);
            points.extend(variant.elo95().map(|elo95| (place, variant, elo95)));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{estimated, example};
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn numbers_stand_where_they_belong_and_words_side_by_side() {
        let sweep = example("x");
        let axes = axes(&sweep);
        let [depth, name] = &axes[..] else {
            panic!("{axes:?}")
        };
        assert_eq!(depth.ticks.len(), 3);
        for ((place, text), (expected, value)) in
            depth
                .ticks
                .iter()
                .zip([(0.08, "1"), (0.36, "2"), (0.92, "4")])
        {
            assert!(near(*place, expected) && text == value, "{place} {text}");
        }
        let [_, (left, ..), (right, ..), _] = depth.points[..] else {
            panic!("{depth:?}")
        };
        assert!(left < 0.36 && right > 0.36 && near(left + right, 0.72));
        let words: Vec<&str> = name.ticks.iter().map(|(_, text)| &**text).collect();
        assert_eq!(words, ["x 4", "x 1", "x 2", "x 3"]);
        assert_eq!(name.points.len(), 4);
        let mut one = example("x");
        one.variants.truncate(1);
        assert!(super::axes(&one).is_empty());
    }

    #[test]
    fn numbers_without_room_stand_in_order_at_equal_distances() {
        for (values, order) in [
            ("8 1000 0 1 5 2 3", "0 1 2 3 5 8 1000"),
            ("1e308 -1e308 0", "-1e308 0 1e308"),
            ("1.0 1 2", "1.0 1 2"),
            ("1.0 1", "1.0 1"),
        ] {
            let values: Vec<String> = values.split(' ').map(str::to_owned).collect();
            let (places, texts): (Vec<f64>, Vec<String>) =
                placed(&Vec::from_iter(&values)).into_iter().unzip();
            assert_eq!(texts.join(" "), order);
            let steps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(
                steps
                    .iter()
                    .all(|step| *step > 0.0 && near(*step, steps[0])),
                "{places:?}"
            );
        }
    }

    proptest! {
        /// Numbers are in order from left to right, with room for a label or evenly, and all
        /// variants are nearer to their value than to any other.
        #[test]
        fn values_keep_apart(numbers in prop::collection::btree_set(-1_000_000_i32..1_000_000, 2..40), wide in 1..20_usize) {
            let texts: Vec<String> = numbers.iter().rev().map(i32::to_string).collect();
            let template = example("x");
            let variant = |text: &String| {
                let mut variant = template.variants[1].clone();
                variant.values.insert(template.parameters[0].clone(), text.clone());
                variant
            };
            let variants = (0..wide).flat_map(|_| texts.iter().map(variant)).collect();
            let sweep = SweepSummary { variants, ..template.clone() };
            let axis = axes(&sweep).remove(0);
            let places: Vec<f64> = axis.ticks.iter().map(|(place, _)| *place).collect();
            let order: Vec<i32> = axis.ticks.iter().map(|(_, text)| text.parse().unwrap()).collect();
            prop_assert_eq!(order, numbers.into_iter().collect::<Vec<_>>());
            let steps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
            prop_assert!(steps.iter().all(|step| *step >= ROOM) || steps.iter().all(|step| *step > 0.0 && near(*step, steps[0])));
            prop_assert_eq!(axis.points.len(), wide * places.len());
            for (at, (point, ..)) in axis.points.iter().enumerate() {
                let nearest = places.iter().map(|place| (place - point).abs()).fold(f64::INFINITY, f64::min);
                prop_assert!(near(nearest, (places[at / wide] - point).abs()));
                prop_assert!(*point > 0.0 && *point < 1.0);
            }
        }
    }

    #[test]
    fn a_variant_without_an_elo_has_no_point() {
        let mut sweep = example("x");
        let infinite = f64::INFINITY;
        sweep.variants[0].by = Some(estimated([infinite, 10.0, infinite]));
        sweep.variants[1].by = Some(estimated([-infinite, -infinite, 30.0]));
        sweep.variants[2].by = None;
        let points = axes(&sweep).remove(1).points;
        assert!(
            points
                .iter()
                .all(|(_, variant, elo95)| variant.elo95() == Some(*elo95))
        );
        let mut names: Vec<&str> = points
            .iter()
            .map(|(_, variant, _)| &*variant.name)
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["x 1", "x 3", "x 4"]);
        for variant in &mut sweep.variants {
            variant.by = None;
        }
        assert!(axes(&sweep).is_empty(), "nothing is known");
    }
}
