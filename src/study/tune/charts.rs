//! The charts of a tuning: how each of its parameters moved.

use maud::html;

use super::summary::{ParameterSummary, TuneSummary};
use crate::study::line;
use arena_section::Part;
use arena_section::chart::{Chart, HEIGHT, WIDTH, level, place, units};

/// The part of the section with a chart for each parameter, once a block is complete.
pub(super) fn part(tuned: &TuneSummary) -> Option<Part> {
    if tuned.blocks.is_empty() {
        return None;
    }
    let parameters = tuned.parameters.iter().enumerate();
    Some(Part {
        title: "Where each parameter was".to_owned(),
        explanation: "The centre after every block, between the ends of the range; the dashed line is the start, the bar at \
                      the right what is played at the end."
            .to_owned(),
        charts: parameters
            .map(|(at, parameter)| trajectory(tuned, at, parameter))
            .collect(),
        ..Part::default()
    })
}

fn trajectory(tuned: &TuneSummary, at: usize, parameter: &ParameterSummary) -> Chart {
    let range = &parameter.range;
    let blocks = tuned.blocks.iter();
    let heights: Vec<f64> = blocks.map(|(_, centre)| y(parameter, centre[at])).collect();
    let [low, high] = parameter.band.map(|value| place(y(parameter, value)));
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
            (level("zero", y(parameter, range.start)))
            line class="range" x1=(WIDTH) x2=(WIDTH) y1=(low) y2=(high) {}
            path d=(line(y(parameter, range.start), &heights)) {}
        },
        ..Chart::default()
    }
}

fn y(parameter: &ParameterSummary, value: f64) -> f64 {
    HEIGHT * (1.0 - parameter.share(value))
}
