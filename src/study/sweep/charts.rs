//! The charts of a sweep: each parameter against Elo.

use maud::{Markup, html};

use super::axes::{Axis, Point, axes};
use super::summary::{SweepSummary, VariantState};
use arena_section::Part;
use arena_section::chart::{Chart, Scale, WIDTH, level, place};
use arena_section::words::{self, estimate};

/// More variants than this are drawn with thin lines.
const MANY: usize = 40;

/// The explanation of the charts.
const EXPLANATION: &str = "Every variant with its interval; eliminated ones are grey. An interval without an end reaches the \
                           edge. With several parameters, variants with the same value are side by side.";

/// The part of the section with a chart for each parameter that has several values.
pub(super) fn part(sweep: &SweepSummary) -> Option<Part> {
    let axes = axes(sweep);
    if axes.is_empty() {
        return None;
    }
    Some(Part {
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
    let [y, lo, hi] = elo95.map(|elo| place(scale.y(elo)));
    html! {
        g class=(if variant.state == VariantState::Dropped { "out" } else { "in" }) {
            title { (variant.name) ": " (estimate(*elo95)) }
            line class="range" x1=(x) x2=(x) y1=(hi) y2=(lo) {}
            @if elo95[0].is_finite() { line class="dot" x1=(x) x2=(x) y1=(y) y2=(y) {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{estimated, example};
    use super::*;

    #[test]
    fn an_interval_without_an_end_reaches_the_edge() {
        const INF: f64 = f64::INFINITY;
        for elo95 in [
            [-20.0, -30.0, -10.0],
            [400.0, 12.0, INF],
            [INF, 5.0, INF],
            [-INF, -INF, -30.0],
            [-470.0, -INF, 93.0],
            [INF, -INF, INF],
        ] {
            let mut sweep = example("x");
            sweep.variants[0].by = Some(estimated(elo95));
            let drawing = parameter(&axes(&sweep)[0]).drawing.into_string();
            let title = format!("<title>x 4: {}</title>", estimate(elo95));
            let (_, mark) = drawing.split_once(&title).unwrap();
            let (mark, _) = mark.split_once("</g>").unwrap();
            let reaches = ["y2=\"260.0\"", "y1=\"0.0\""].map(|edge| mark.contains(edge));
            assert_eq!(
                reaches,
                [elo95[1], elo95[2]].map(f64::is_infinite),
                "{elo95:?} {mark}"
            );
            assert_eq!(mark.contains("dot"), elo95[0].is_finite(), "{mark}");
            assert!(
                !drawing.contains("inf") && !drawing.contains("NaN"),
                "{drawing}"
            );
        }
    }
}
