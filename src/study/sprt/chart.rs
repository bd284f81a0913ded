//! The chart of a sequential test: its log-likelihood ratio over the units.

use maud::html;

use super::test::{AfterUnit, SprtSummary};
use crate::study::line;
use arena_section::chart::{Chart, Scale, level, units};
use arena_section::words;

/// The log-likelihood ratio over the units, if there is one.
pub(super) fn chart(test: &SprtSummary, history: &[AfterUnit]) -> Option<Chart> {
    let llr: Vec<f64> = history.iter().map(|after| after.llr).collect();
    if llr.is_empty() {
        return None;
    }
    let ends = llr.iter().copied().chain([test.lower, test.upper]);
    let scale = Scale::of(ends, -0.5, 0.5).with_room(0.08, 0.08);
    let heights: Vec<f64> = llr.iter().map(|llr| scale.y(*llr)).collect();
    Some(Chart {
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
    })
}
