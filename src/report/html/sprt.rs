//! The course of a sequential test.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::report::RunReport;
use crate::report::words::{test_lines, verdict};
use crate::summary::sprt::{SprtSummary, Verdict};

/// So many points are drawn at most.
const DRAWN: usize = 1200;
/// The size of the drawing, before it is stretched.
const W: f64 = 1000.0;
const H: f64 = 300.0;

pub(super) fn section(report: &RunReport) -> Markup {
    html! {
        @if let Some((test, verdict)) = report.summary.sprt.as_ref().zip(verdict(report)) {
            @let class = match test.verdict {
                Some(Verdict::Accepted) => "good",
                Some(Verdict::Rejected) => "bad",
                Some(Verdict::Inconclusive) | None => "muted",
            };
            section id="sprt" aria-labelledby="sprt-title" {
                h2 id="sprt-title" { "Sequential test" }
                p class="headline" { "The test is " strong class=(class) { (verdict) } "." }
                (figure(test, &report.llr))
                @let lines = test_lines(&report.summary);
                @if !lines.is_empty() { ul class="notes" { @for line in lines { li { (line) } } } }
            }
        }
    }
}

fn figure(test: &SprtSummary, llr: &[f64]) -> Markup {
    let drawn = drawn(llr);
    let ends = drawn.iter().map(|(_, llr)| *llr).chain([test.lower, test.upper]);
    let (low, high) = ends.fold((-0.5_f64, 0.5_f64), |(low, high), end| (low.min(end), high.max(end)));
    let margin = 0.08 * (high - low);
    let y = |llr: f64| H * (high + margin - llr) / (high - low + 2.0 * margin);
    let units = llr.len();
    let marks = [("upper", test.upper), ("zero", 0.0), ("lower", test.lower)];
    html! {
        figure class="llr" {
            div class="levels" aria-hidden="true" {
                @for (_, llr) in &marks { span style={ "top:" (format!("{:.2}", 100.0 * y(*llr) / H)) "%" } { (level(*llr)) } }
            }
            svg viewBox={ "0 0 " (W) " " (H) } preserveAspectRatio="none" role="img" aria-label="The log-likelihood ratio, unit by unit" {
                @for (name, llr) in &marks { line class=(name) x1="0" x2=(W) y1=(format!("{:.1}", y(*llr))) y2=(format!("{:.1}", y(*llr))) {} }
                path d=(path(&drawn, units, y)) { }
            }
            figcaption { span { "0" } span { "units" } span { (units) } }
        }
    }
}

fn level(llr: f64) -> String {
    if llr == 0.0 { "0".to_owned() } else { format!("{llr:+.2}") }
}

/// The points as an SVG path.
#[expect(clippy::cast_precision_loss, reason = "counts of units are far below 2^52")]
fn path(points: &[(usize, f64)], units: usize, y: impl Fn(f64) -> f64) -> String {
    let mut path = format!("M0 {:.1}", y(0.0));
    for (place, llr) in points {
        let x = W * (place + 1) as f64 / units.max(1) as f64;
        let _ = write!(path, "L{x:.1} {:.1}", y(*llr));
    }
    path
}

/// The points to draw with their places in the list: of long lists the least, the greatest and the last of each part.
fn drawn(llr: &[f64]) -> Vec<(usize, f64)> {
    let points: Vec<(usize, f64)> = llr.iter().copied().enumerate().collect();
    if points.len() <= DRAWN {
        return points;
    }
    let mut drawn: Vec<(usize, f64)> = Vec::new();
    for part in points.chunks(points.len().div_ceil(DRAWN / 3)) {
        let by_llr = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
        let mut kept: Vec<(usize, f64)> = [part.iter().min_by(by_llr), part.iter().max_by(by_llr), part.last()]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        kept.sort_by_key(|point| point.0);
        kept.dedup();
        drawn.extend(kept);
    }
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
