//! The charts of a sweep: each parameter against Elo.

use maud::{Markup, html};

use super::axes::{Axis, Point, axes};
use super::summary::{SweepSummary, VariantState};
use super::words::estimate;
use arena_section::Part;
use arena_section::chart::{Chart, Scale, WIDTH, level, place};
use arena_section::words;

/// More variants than this are drawn with thin lines.
const MANY: usize = 40;

/// The explanation of the charts.
const EXPLANATION: &str = "Every variant with its interval; eliminated ones are grey. A variant that won or lost everything has no Elo \
                           and isn't drawn. With several parameters, variants with the same value are side by side.";

/// The part of the section with a chart for each parameter that has several values.
pub(super) fn part(sweep: &SweepSummary) -> Option<Part> {
    let axes = axes(sweep);
    (!axes.is_empty()).then(|| Part {
        title: "Parameters against Elo".to_owned(),
        explanation: EXPLANATION.to_owned(),
        charts: axes.iter().map(parameter).collect(),
        ..Part::default()
    })
}

/// The variants over the values of a parameter.
fn parameter(axis: &Axis<'_>) -> Chart {
    let ends = axis.points.iter().flat_map(|(.., [_, lo, hi])| [*lo, *hi]);
    let scale = Scale::of(ends, -1.0, 1.0).with_room(0.06);
    Chart {
        title: axis.name.to_owned(),
        label: format!("Elo of every variant over {}", axis.name),
        levels: scale.levels(words::bound),
        ticks: axis.ticks.clone(),
        drawing: html! {
            (level("zero", scale.y(0.0)))
            g class=[(axis.points.len() > MANY).then_some("many")] {
                @for point in &axis.points { (mark(point, scale)) }
            }
        },
        ..Chart::default()
    }
}

/// A variant with its interval.
fn mark((at, variant, elo95): &Point<'_>, scale: Scale) -> Markup {
    let x = place(WIDTH * at);
    let [elo, lo, hi] = elo95.map(|elo| place(scale.y(elo)));
    html! {
        g class=(if variant.state == VariantState::Dropped { "out" } else { "in" }) {
            title { (variant.name) ": " (estimate(*elo95)) }
            line class="range" x1=(x) x2=(x) y1=(hi) y2=(lo) {}
            line class="dot" x1=(x) x2=(x) y1=(elo) y2=(elo) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn a_variant_that_lost_everything_is_not_drawn() {
        let mut sweep = example("x");
        (sweep.variants[0].elo, sweep.variants[0].lo95) =
            (Some(f64::NEG_INFINITY), Some(f64::NEG_INFINITY));
        let drawn = |sweep: &SweepSummary| {
            let part = part(sweep).unwrap();
            let charts = part.charts.iter().map(|chart| chart.drawing.0.as_str());
            charts.collect::<String>()
        };
        assert!(drawn(&example("x")).contains("<title>x 4: -20.0 [-30.0, -10.0]</title>"));
        let charts = drawn(&sweep);
        assert!(
            charts.contains("<title>x 1: ") && !charts.contains("<title>x 4: "),
            "{charts}"
        );
        assert!(
            !charts.contains("inf") && !charts.contains("NaN"),
            "{charts}"
        );
    }
}
