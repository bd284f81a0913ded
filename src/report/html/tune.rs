//! The section of a tuning: its parameters, and how each of them moved.

use maud::{Markup, html};

use super::parts::{notes, section, table};
use crate::report::tune::{self, answer, findings, size};
use crate::section::chart::{Chart, HEIGHT, WIDTH, level, path, place, units};
use crate::summary::tune::{TuneSummary, TunedParameter};

/// The most points to draw.
const DRAWN: usize = 600;

pub(super) fn part(tuned: &TuneSummary) -> Markup {
    let content = html! {
        p class="headline" { strong { (tuned.bot) } ": " (size(tuned)) "." }
        p { (answer(tuned).1) "." }
        (table(&tune::table(tuned)))
        (notes(&findings(tuned)))
        @if let Some(command) = &tuned.confirm { pre class="command" { code { (command) } } }
        @if !tuned.blocks.is_empty() {
            h3 { "Where each parameter was" }
            p class="explain" { "The centre behind every block, between the ends of the range; the dashed line is the start, the bar at the right \
                what is played at the end." }
            div class="pair" {
                @for chart in charts(tuned) { (chart.titled()) }
            }
        }
    };
    section("tune", "Tuning", &content)
}

/// A chart for each parameter.
fn charts(tuned: &TuneSummary) -> Vec<Chart> {
    let is_drawn = !tuned.blocks.is_empty();
    let parameters = tuned.parameters.iter().enumerate().filter(|_| is_drawn);
    parameters
        .map(|(at, parameter)| trajectory(tuned, at, parameter))
        .collect()
}

fn trajectory(tuned: &TuneSummary, at: usize, parameter: &TunedParameter) -> Chart {
    let y = |value: f64| HEIGHT * (1.0 - parameter.share(value));
    let range = &parameter.range;
    let step = tuned.blocks.len().div_ceil(DRAWN).max(1);
    let last = tuned.blocks.len() - 1;
    let centres = tuned
        .blocks
        .iter()
        .map(|(_, centre)| centre[at])
        .enumerate();
    let drawn = centres.filter(|(block, _)| (last - block).is_multiple_of(step));
    let points = drawn.map(|(block, centre)| (x(block + 1, tuned.blocks.len()), y(centre)));
    let [low, high] = parameter.band.map(|value| place(y(value)));
    Chart {
        title: format!(
            "{}: {} to {}",
            parameter.name,
            parameter.shown(range.start),
            parameter.shown(parameter.answer)
        ),
        label: format!("{} over the units", parameter.name),
        levels: vec![
            (0.0, range.max.to_string()),
            (HEIGHT, range.min.to_string()),
        ],
        ticks: units(tuned.units),
        drawing: html! {
            (level("zero", y(range.start)))
            line class="range" x1=(WIDTH) x2=(WIDTH) y1=(low) y2=(high) {}
            path d=(path([(0.0, y(range.start))].into_iter().chain(points))) {}
        },
        ..Chart::default()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of blocks are far below 2^52"
)]
fn x(blocks: usize, all: usize) -> f64 {
    WIDTH * blocks as f64 / all as f64
}
