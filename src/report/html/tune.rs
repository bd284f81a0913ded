//! A tuning: its parameters, and how each of them moved.

use maud::{Markup, html};

use super::parts::{HEIGHT, WIDTH, level, notes, place, plot, section, table, units};
use crate::report::tune::{self, answer, findings, size};
use crate::summary::tune::{TuneSummary, TunedParameter};

/// So many points are drawn at most.
const DRAWN: usize = 600;

pub(super) fn part(tuned: &TuneSummary) -> Markup {
    let content = html! {
        p class="headline" { strong { (tuned.bot) } ": " (size(tuned)) "." }
        p { (answer(tuned).1) "." }
        (table(&tune::table(tuned), "", None))
        (notes(&findings(tuned)))
        @if let Some(command) = &tuned.confirm { pre class="command" { code { (command) } } }
        @if !tuned.blocks.is_empty() {
            h3 { "Where each parameter was" }
            p class="explain" { "The centre behind every block, between the ends of the range; the dashed line is the start, the bar at the right \
                what is played at the end." }
            div class="pair" {
                @for (at, parameter) in tuned.parameters.iter().enumerate() { (trajectory(tuned, at, parameter)) }
            }
        }
    };
    section("tune", "Tuning", &content)
}

fn trajectory(tuned: &TuneSummary, at: usize, parameter: &TunedParameter) -> Markup {
    let y = |value: f64| HEIGHT * (1.0 - parameter.share(value));
    let range = &parameter.range;
    let step = tuned.blocks.len().div_ceil(DRAWN).max(1);
    let last = tuned.blocks.len() - 1;
    let centres = tuned.blocks.iter().map(|(_, centre)| centre[at]).enumerate();
    let drawn = centres.filter(|(block, _)| (last - block).is_multiple_of(step));
    let points =
        drawn.map(|(block, centre)| format!("L{} {}", place(x(block + 1, tuned.blocks.len())), place(y(centre))));
    let path = format!("M0 {}{}", place(y(range.start)), points.collect::<String>());
    let [low, high] = parameter.band.map(|value| place(y(value)));
    let drawing = html! {
        (level("zero", y(range.start)))
        line class="range" x1=(WIDTH) x2=(WIDTH) y1=(low) y2=(high) {}
        path d=(path) {}
    };
    let levels = [(0.0, range.max.to_string()), (HEIGHT, range.min.to_string())];
    html! {
        div {
            h4 { (parameter.name) ": " (parameter.shown(range.start)) " to " (parameter.shown(parameter.answer)) }
            (plot(&format!("{} over the units", parameter.name), &levels, &units(tuned.units), &drawing))
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of blocks are far below 2^52")]
fn x(blocks: usize, all: usize) -> f64 {
    WIDTH * blocks as f64 / all as f64
}
