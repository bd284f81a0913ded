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
    let blocks = tuned.blocks.iter();
    let heights: Vec<f64> = blocks.map(|(_, centre)| y(parameter, centre[at])).collect();
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
    let mut values: Vec<f64> = match range.scale {
        Shape::Linear => Scale { low, high }.round(4.0),
        Shape::Log => {
            let powers = Scale {
                low: low.log10(),
                high: high.log10(),
            }
            .round(4.0);
            let whole = powers.into_iter().filter(|power| power.fract() == 0.0);
            whole.map(|power| 10_f64.powf(power)).collect()
        }
    };
    if values.len() < 2 {
        values = vec![high, low];
    }
    let values = values.into_iter();
    values
        .map(|value| (y(parameter, value), value.to_string()))
        .collect()
}

fn y(parameter: &ParameterSummary, value: f64) -> f64 {
    HEIGHT * (1.0 - parameter.share(value))
}

#[cfg(test)]
mod tests {
    use super::super::summary::example;
    use super::*;
    use arena_stats::tune::Parameter;

    #[test]
    fn ranges_have_round_values() {
        let values = |min, max, scale| {
            let parameter = example(Parameter {
                min,
                max,
                start: min,
                step: None,
                scale,
            });
            let levels = levels(&parameter).into_iter();
            levels.map(|(_, text)| text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(values(0.0, 60.0, Shape::Linear), "0 20 40 60");
        assert_eq!(values(0.5, 1000.0, Shape::Log), "1 10 100 1000");
        assert_eq!(values(2.0, 8.0, Shape::Log), "8 2");
    }
}
