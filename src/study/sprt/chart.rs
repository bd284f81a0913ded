//! The chart of a sequential test: its log-likelihood ratio over the units, or the evidence that
//! ended a clear case.

use maud::html;

use super::test::{AfterUnit, ClearCase, SprtSummary};
use super::words::{claim, odds};
use crate::study::line;
use arena_section::chart::{Chart, Scale, level, levels, units};
use arena_section::words;

/// What decided the test, over its units, if it has any.
pub(super) fn chart(test: &SprtSummary, history: &[AfterUnit]) -> Option<Chart> {
    if history.is_empty() {
        return None;
    }
    Some(match test.clear_case() {
        Some(case) => evidence(test, case, history),
        None => likelihood_ratio(test, history),
    })
}

fn likelihood_ratio(test: &SprtSummary, history: &[AfterUnit]) -> Chart {
    let llr: Vec<f64> = history.iter().map(|after| after.llr).collect();
    let ends = llr.iter().copied().chain([test.lower, test.upper]);
    let scale = Scale::of(ends, -0.5, 0.5).with_room(0.08, 0.08);
    let heights: Vec<f64> = llr.iter().map(|llr| scale.y(*llr)).collect();
    Chart {
        label: "The log-likelihood ratio, unit by unit".to_owned(),
        levels: [test.upper, 0.0, test.lower]
            .map(|llr| (scale.y(llr), words::level(llr, 2)))
            .into(),
        ticks: units(llr.len() as u64),
        drawing: html! {
            (level("upper", scale.y(test.upper))) (level("zero", scale.y(0.0))) (level("lower", scale.y(test.lower)))
            path d=(line(scale.y(0.0), &heights)) { }
        },
        ..Chart::default()
    }
}

/// The evidence of the bet that ended the test, on a log scale, with its bound.
fn evidence(test: &SprtSummary, case: ClearCase, history: &[AfterUnit]) -> Chart {
    let ClearCase { side, enough, .. } = case;
    let bets = history.iter().filter_map(|after| after.bets);
    let evidence: Vec<f64> = bets.map(|bets| bets.ln[side]).collect();
    let ends = evidence.iter().copied().chain([enough]);
    let scale = Scale::of(ends, 0.0, 0.0).with_room(0.08, 0.08);
    let heights: Vec<f64> = evidence.iter().map(|ln| scale.y(*ln)).collect();
    let bound = if side == 0 { "upper" } else { "lower" };
    let tens = (1..).map(|power| f64::from(power) * f64::ln(10.0));
    let tens: Vec<f64> = tens.take_while(|ln| scale.holds(*ln)).collect();
    Chart {
        title: format!(
            "Evidence for {}, on a log scale",
            claim(&test.hypotheses, side)
        ),
        label: format!(
            "The evidence for {}, unit by unit, on a log scale",
            claim(&test.hypotheses, side)
        ),
        levels: levels(
            &[&[enough, 0.0][..], &tens].concat(),
            |ln| scale.y(ln),
            odds,
        ),
        ticks: units(evidence.len() as u64),
        drawing: html! {
            (level(bound, scale.y(enough))) (level("zero", scale.y(0.0)))
            path d=(line(scale.y(0.0), &heights)) { }
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
