//! The chart of a sequential test: its log-likelihood ratio over the units.

use maud::html;

use super::test::{AfterUnit, SprtSummary};
use crate::section::chart::{Chart, Scale, WIDTH, level, path, units};
use crate::section::words;

/// The most points to draw.
const DRAWN: usize = 1200;

/// The log-likelihood ratio over the units, if there is one.
pub(super) fn chart(test: &SprtSummary, history: &[AfterUnit]) -> Option<Chart> {
    let llr: Vec<f64> = history.iter().map(|after| after.llr).collect();
    if llr.is_empty() {
        return None;
    }
    let ends = llr.iter().copied().chain([test.lower, test.upper]);
    let scale = Scale::of(ends, -0.5, 0.5).with_room(0.08, 0.08);
    Some(Chart {
        label: "The log-likelihood ratio, unit by unit".to_owned(),
        levels: [test.upper, 0.0, test.lower]
            .map(|llr| (scale.y(llr), words::level(llr, 2)))
            .into(),
        ticks: units(llr.len() as u64),
        drawing: html! {
            (level("upper", scale.y(test.upper))) (level("zero", scale.y(0.0))) (level("lower", scale.y(test.lower)))
            path d=(course(&llr, scale)) { }
        },
        ..Chart::default()
    })
}

/// A path from zero through the points.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of units are far below 2^52"
)]
fn course(llr: &[f64], scale: Scale) -> String {
    let mut points = vec![(0.0, scale.y(0.0))];
    for (unit, after) in drawn(llr) {
        let x = WIDTH * (unit + 1) as f64 / llr.len() as f64;
        points.push((x, scale.y(after)));
    }
    path(points.into_iter())
}

/// The points to draw, with their places in the list. Of a long list, the least, the greatest and
/// the last of each part.
fn drawn(llr: &[f64]) -> Vec<(usize, f64)> {
    let points: Vec<(usize, f64)> = llr.iter().copied().enumerate().collect();
    if points.len() <= DRAWN {
        return points;
    }
    let mut drawn: Vec<(usize, f64)> = Vec::new();
    for part in points.chunks(points.len().div_ceil(DRAWN / 3)) {
        let kept = [
            part.iter().min_by(|a, b| a.1.total_cmp(&b.1)),
            part.iter().max_by(|a, b| a.1.total_cmp(&b.1)),
            part.last(),
        ];
        drawn.extend(kept.into_iter().flatten());
    }
    drawn.sort_by_key(|point| point.0);
    drawn.dedup();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_keeps_its_extremes_and_its_end() {
        let mut llr = vec![0.0; 10_000];
        llr[4567] = 9.0;
        let drawn = drawn(&llr);
        assert!(drawn.len() <= DRAWN && drawn.is_sorted_by_key(|point| point.0));
        assert!(drawn.contains(&(4567, 9.0)));
        assert_eq!(drawn.last(), Some(&(9999, 0.0)));
    }
}
