//! The chart of a sequential test: its log-likelihood ratio over the units, or the evidence that
//! ended a clear case.

use maud::html;

use super::test::SprtSummary;
use super::words::{claim, odds};
use crate::results::AfterUnit;
use crate::study::line;
use arena_section::chart::{Chart, Scale, level, levels, units};
use arena_section::words;

/// What decided the test, over its units, if it has any: the evidence of the bet that ended it, on
/// a log scale, or its log-likelihood ratio.
pub(super) fn chart(test: &SprtSummary, history: &[AfterUnit]) -> Option<Chart> {
    if history.is_empty() {
        return None;
    }
    let Some((bets, side)) = test.clear_case() else {
        let llr: Vec<f64> = history.iter().map(|after| after.llr).collect();
        let bounds = [(test.upper, "upper"), (test.lower, "lower")];
        return Some(Chart {
            label: "The log-likelihood ratio, unit by unit".to_owned(),
            ..course(&llr, &bounds, &[], 0.5, |llr| words::level(llr, 2))
        });
    };
    let enough = bets.enough[side];
    let bets = history.iter().filter_map(|after| after.bets);
    let evidence: Vec<f64> = bets.map(|bets| bets.ln[side]).collect();
    let bound = [(enough, if side == 0 { "upper" } else { "lower" })];
    let highest = evidence.iter().copied().fold(enough, f64::max);
    let tens = (1..).map(|power| f64::from(power) * f64::ln(10.0));
    let tens: Vec<f64> = tens.take_while(|ln| *ln <= highest).collect();
    let claim = claim(&test.hypotheses, side);
    Some(Chart {
        title: format!("Evidence for {claim}, on a log scale"),
        label: format!("The evidence for {claim}, unit by unit, on a log scale"),
        ..course(&evidence, &bound, &tens, 0.0, odds)
    })
}

/// A line from 0 through these heights, one for each unit, with 0, its bounds and the classes that
/// draw them, and further heights beside the axis. The chart is at least `least` high on both sides
/// of 0.
fn course(
    heights: &[f64],
    bounds: &[(f64, &str)],
    beside: &[f64],
    least: f64,
    show: fn(f64) -> String,
) -> Chart {
    let lines: Vec<f64> = bounds.iter().map(|(height, _)| *height).collect();
    let ends = heights.iter().chain(&lines).copied();
    let scale = Scale::of(ends, -least, least).with_room(0.08);
    let drawn: Vec<f64> = heights.iter().map(|height| scale.y(*height)).collect();
    Chart {
        levels: levels(&[&lines[..], &[0.0], beside].concat(), |y| scale.y(y), show),
        ticks: units(heights.len() as u64),
        drawing: html! {
            (level("zero", scale.y(0.0)))
            @for (height, class) in bounds { (level(class, scale.y(*height))) }
            path d=(line(scale.y(0.0), &drawn)) { }
        },
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::clear_case;
    use super::*;

    #[test]
    fn a_clear_case_shows_its_evidence() {
        let (test, history) = clear_case(&[2, 3, 4, 4, 4]);
        let chart = chart(&test, &history).unwrap();
        let drawing = chart.drawing.into_string().replace("><", ">\n<");
        insta::assert_snapshot!(format!(
            "{}\n{}\n{:?}\n{drawing}",
            chart.title, chart.label, chart.levels
        ));
    }
}
