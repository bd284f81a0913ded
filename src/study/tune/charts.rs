//! The charts of a tuning: how each of its parameters moved.

use maud::html;

use super::summary::{ParameterSummary, TuneSummary};
use crate::study::line;
use arena_section::Part;
use arena_section::chart::{Chart, HEIGHT, Scale, WIDTH, level, place, units};
use arena_stats::tune::Scale as Shape;

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
    let mut heights = Vec::new();
    for (_, centre) in &tuned.blocks {
        heights.push(y(parameter, centre[at]));
    }
    let [low, high] = parameter.band.map(|value| place(y(parameter, value)));
    Chart {
        title: parameter.name.clone(),
        label: format!("{} over the units", parameter.name),
        levels: levels(parameter),
        ticks: units(tuned.units),
        drawing: html! {
            (level("zero", y(parameter, range.start)))
            line class="range" x1=(WIDTH) x2=(WIDTH) y1=(low) y2=(high) {}
            path d=(line(y(parameter, range.start), &heights)) {}
        },
        ..Chart::default()
    }
}

/// Round values of a parameter at their heights: powers of ten on a logarithmic scale. A range with
/// fewer than two has its ends.
fn levels(parameter: &ParameterSummary) -> Vec<(f64, String)> {
    let range = &parameter.range;
    let [low, high] = [range.min, range.max];
    let mut values = match range.scale {
        Shape::Linear => Scale { low, high }.round(4),
        Shape::Log => {
            let (low, high) = (low.log10(), high.log10());
            let mut powers = Scale { low, high }.round(4);
            powers.retain(|power| power.fract() == 0.0);
            powers.iter().map(|power| 10_f64.powf(*power)).collect()
        }
    };
    if values.len() < 2 {
        values = vec![high, low];
    }
    values
        .into_iter()
        .map(|value| (y(parameter, value), value.to_string()))
        .collect()
}

fn y(parameter: &ParameterSummary, value: f64) -> f64 {
    HEIGHT * (1.0 - parameter.share(value))
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::example;
    use super::*;

    #[test]
    fn ranges_have_round_values() {
        let values = |min, max, scale| {
            let levels = levels(&example(min, max, scale)).into_iter();
            levels.map(|(_, text)| text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(values(0.0, 60.0, Shape::Linear), "0 20 40 60");
        assert_eq!(values(0.5, 1000.0, Shape::Log), "1 10 100 1000");
        assert_eq!(values(2.0, 8.0, Shape::Log), "8 2");
    }
}
