//! The charts of a sweep: each parameter against Elo, and the remaining variants over the units.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::axes::{Axis, axes, ends};
use super::summary::{SweepSummary, VariantState, VariantSummary};
use super::words::estimate;
use crate::section::Part;
use crate::section::chart::{Chart, HEIGHT, Note, Scale, Side, WIDTH, level, levels, place, units};
use crate::section::words;

/// More variants than this are drawn with thin lines.
const MANY: usize = 40;

/// The parts of the section that have charts.
pub(super) fn parts(sweep: &SweepSummary) -> Vec<Part> {
    let mut parts = Vec::new();
    let axes = axes(sweep);
    if !axes.is_empty() {
        parts.push(Part {
            title: "Parameters against Elo".to_owned(),
            explanation: explanation(&axes),
            charts: axes.iter().map(parameter).collect(),
            ..Part::default()
        });
    }
    if let Some(chart) = survival(sweep) {
        parts.push(Part {
            title: "Remaining variants".to_owned(),
            charts: vec![chart],
            ..Part::default()
        });
    }
    parts
}

fn explanation(axes: &[Axis<'_>]) -> String {
    let mut text = "Every variant with its 95% interval; those that were dropped are grey. With more parameters than one, \
                    variants with the same value are side by side."
        .to_owned();
    let mut variants = axes.iter().flat_map(|axis| &axis.points);
    if variants.any(|(_, variant)| ends(variant).contains(&None)) {
        text += " An arrow is a variant that won or lost everything: its interval is known only at the end where the arrow starts.";
    }
    text
}

/// The variants over the values of a parameter.
fn parameter(axis: &Axis<'_>) -> Chart {
    let ends: Vec<[Option<f64>; 2]> = axis
        .points
        .iter()
        .map(|(_, variant)| ends(variant))
        .collect();
    let known = Scale::of(ends.iter().flatten().copied().flatten(), -1.0, 1.0);
    // An arrow that starts at the outermost number needs room.
    let [below, above] = [0, 1].map(|end| {
        if ends.iter().any(|ends| ends[end].is_none()) {
            0.15
        } else {
            0.06
        }
    });
    let scale = known.with_room(below, above);
    // Each label takes the larger gap beside its mark, unless the label before has it.
    let mut free = 0.0;
    let mut estimates = Vec::new();
    for (place, (at, variant)) in axis.points.iter().enumerate() {
        let next = axis.points.get(place + 1).map_or(1.0, |(next, _)| *next);
        let (side, room) = if next - at >= at - free {
            (Side::Right, next - at)
        } else {
            (Side::Left, at - free)
        };
        free = if side == Side::Right { next } else { *at };
        if let Some(elo) = variant.elo.filter(|elo| elo.is_finite()) {
            estimates.push(Note {
                at: [WIDTH * at, scale.y(elo)],
                side,
                room,
                text: words::level(elo, 0),
            });
        }
    }
    Chart {
        title: axis.name.to_owned(),
        label: format!("Elo of every variant over {}", axis.name),
        levels: levels(
            &[0.0, known.high, known.low],
            |elo| scale.y(elo),
            |elo| words::level(elo, 0),
        ),
        ticks: axis.ticks.clone(),
        notes: estimates,
        drawing: html! {
            (level("zero", scale.y(0.0)))
            g class=[(axis.points.len() > MANY).then_some("many")] {
                @for (at, variant) in &axis.points { (mark(WIDTH * at, variant, scale)) }
            }
        },
        ..Chart::default()
    }
}

fn mark(at: f64, variant: &VariantSummary, scale: Scale) -> Markup {
    let elo = variant.elo.filter(|elo| elo.is_finite());
    let x = place(at);
    html! {
        g class=(if variant.state == VariantState::Dropped { "out" } else { "in" }) {
            title { (variant.name) ": " (estimate([variant.elo, variant.lo95, variant.hi95])) }
            @match ends(variant) {
                [Some(lo), Some(hi)] => { line class="range" x1=(x) x2=(x) y1=(place(scale.y(hi))) y2=(place(scale.y(lo))) {} }
                [Some(end), None] => { (arrow(at, scale.y(end), 0.0)) }
                [None, Some(end)] => { (arrow(at, scale.y(end), HEIGHT)) }
                [None, None] => {}
            }
            @if let Some(elo) = elo { line class="dot" x1=(x) x2=(x) y1=(place(scale.y(elo))) y2=(place(scale.y(elo))) {} }
        }
    }
}

/// An arrow from the known end of an interval to the edge of the drawing.
fn arrow(x: f64, end: f64, edge: f64) -> Markup {
    let [left, middle, right] = [x - 8.0, x, x + 8.0].map(place);
    let (end, tip, barb) = (
        place(end),
        place(edge),
        place(if edge > 0.0 { edge - 9.0 } else { edge + 9.0 }),
    );
    let path = format!(
        "M{left} {end}H{right}M{middle} {end}V{tip}M{left} {barb}L{middle} {tip}L{right} {barb}"
    );
    html! { path class="open" d=(path) {} }
}

/// The number of remaining variants over the units.
fn survival(sweep: &SweepSummary) -> Option<Chart> {
    let all = sweep.variants.len();
    let left = sweep.living.len();
    if sweep.units == 0 {
        return None;
    }
    let scale = Scale {
        low: 0.0,
        high: 1.05 * all as f64,
    };
    let mut path = format!("M0 {}", place(scale.y(all as f64)));
    for (at, left) in sweep.survival() {
        let x = WIDTH * at as f64 / sweep.units as f64;
        let _ = write!(path, "H{}V{}", place(x), place(scale.y(left as f64)));
    }
    let mut levels = vec![(scale.y(all as f64), all.to_string())];
    if left < all {
        levels.push((scale.y(left as f64), left.to_string()));
    }
    Some(Chart {
        label: "Remaining variants, unit by unit".to_owned(),
        levels,
        ticks: units(sweep.units),
        drawing: html! { path d=(path) {} },
        ..Chart::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn an_arrow_is_drawn_and_explained_where_there_is_one() {
        let explained = "An arrow is a variant";
        let drawn = |sweep: &SweepSummary| {
            let part = parts(sweep).swap_remove(0);
            let charts = part.charts.iter().map(|chart| chart.drawing.0.as_str());
            (part.explanation, charts.collect::<String>())
        };
        let mut sweep = example("x");
        let (text, charts) = drawn(&sweep);
        assert!(!text.contains(explained) && !charts.contains("class=\"open\""));
        (sweep.variants[0].elo, sweep.variants[0].lo95) =
            (Some(f64::NEG_INFINITY), Some(f64::NEG_INFINITY));
        let (text, charts) = drawn(&sweep);
        assert!(
            text.contains(explained) && charts.contains("x 4: &lt; -10.0"),
            "{text} {charts}"
        );
        // Once over each parameter; it ends at the edge, and no number of the drawing is without
        // end.
        assert_eq!(charts.matches("class=\"open\"").count(), 2);
        assert!(
            charts.contains("V260.0") && !charts.contains("inf") && !charts.contains("NaN"),
            "{charts}"
        );
    }
}
