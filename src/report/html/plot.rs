//! Drawings of their own: a box with levels at its left and labels below it.

use maud::{Markup, html};

use super::parts::percentage;

/// The size of a drawing, before it is stretched.
pub(super) const WIDTH: f64 = 1000.0;
pub(super) const HEIGHT: f64 = 260.0;

/// A drawing between levels, each at its height with its text, and labels below it.
pub(super) fn plot(label: &str, levels: &[(f64, String)], labels: &Markup, drawing: &Markup) -> Markup {
    html! {
        figure class="plot" {
            div class="levels" aria-hidden="true" {
                @for (at, text) in levels { span style={ "top:" (percentage(at / HEIGHT)) } { (text) } }
            }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(label) { (drawing) }
            figcaption class="axis" { (labels) }
        }
    }
}

/// The labels of an axis of so many units.
pub(super) fn units(units: u64) -> Markup {
    html! { span class="start" style="left:0" { "0" } span class="end" style="left:100%" { (units) " units" } }
}

/// A horizontal line.
pub(super) fn level(class: &str, y: f64) -> Markup {
    html! { line class=(class) x1="0" x2=(WIDTH) y1=(place(y)) y2=(place(y)) {} }
}

/// A place in a drawing.
pub(super) fn place(at: f64) -> String {
    format!("{at:.1}")
}
