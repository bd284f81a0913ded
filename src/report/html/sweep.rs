//! A sweep: its variants, each parameter against Elo, and how many were left when.

use maud::{Markup, html};

use super::parts::{counted, dash, number, number_head, scroll, text_head};
use crate::report::sweep::axes::{Axis, Point, axes};
use crate::report::sweep::{behind, findings, interval, probability, size, state, value};
use crate::report::words::percent;
use crate::summary::sweep::{State, SweepSummary, VariantSummary};

/// The size of a drawing, before it is stretched.
const W: f64 = 1000.0;
const H: f64 = 260.0;

/// More variants than this are drawn with thin lines.
const MANY: usize = 40;

/// How many rem a drawing is wide at least, by the class of the labels that it shows then. page.css has the same widths.
const WIDTHS: [(&str, f64); 3] = [("narrow", 16.0), ("medium", 24.0), ("broad", 48.0)];

pub(super) fn section(sweep: Option<&SweepSummary>) -> Markup {
    html! {
        @if let Some(sweep) = sweep {
            section id="sweep" aria-labelledby="sweep-title" {
                h2 id="sweep-title" { "Sweep" }
                p class="headline" {
                    strong { (sweep.bot) } ": " (size(sweep)) "."
                }
                (scroll("Variants", &variants(sweep)))
                ul class="notes" { @for line in findings(sweep) { li { (line) } } }
                @if let Some(command) = &sweep.confirm { pre class="command" { code { (command) } } }
                @let axes = axes(sweep);
                @if !axes.is_empty() {
                    h3 { "Parameters against Elo" }
                    p class="explain" { "Every variant with its 95% interval; those that were dropped are grey. With more parameters than one, \
                        variants with the same value stand side by side."
                        @if axes.iter().flat_map(|axis| &axis.points).any(is_open) {
                            " An arrow is a variant that won or lost everything: of its interval only the end is known where the arrow starts."
                        }
                    }
                    div class="pair" { @for axis in &axes { (parameter(axis)) } }
                }
                @if sweep.is_race() && sweep.units > 0 {
                    h3 { "Who was left" }
                    (survival(sweep))
                }
            }
        }
    }
}

fn variants(sweep: &SweepSummary) -> Markup {
    let parameters: Vec<(&String, bool)> =
        sweep.parameters.iter().map(|name| (name, holds_numbers(sweep, name))).collect();
    html! {
        table class="sortable" {
            thead { tr {
                (number_head("#"))
                @for (name, is_number) in &parameters { @if *is_number { (number_head(name)) } @else { (text_head(name)) } }
                @for title in ["Elo", "95% interval", "units", "games", "score"] { (number_head(title)) }
                @if sweep.is_race() { (number_head("to the leader")) } @else { (number_head("p")) (number_head("p (Holm)")) }
                (text_head("state"))
            } }
            tbody { @for variant in sweep.ranking() { (row(sweep, &parameters, variant)) } }
        }
    }
}

/// A variant; of each parameter it is known whether it is a number.
fn row(sweep: &SweepSummary, parameters: &[(&String, bool)], variant: &VariantSummary) -> Markup {
    // Who won or lost everything stands at an end of the column.
    let far = |elo: f64| elo.clamp(-1e6, 1e6);
    let leads = sweep.leader.as_ref() == Some(&variant.name);
    let gap = variant.behind.as_ref().map(|behind| behind.elo).or(leads.then_some(0.0));
    let p = |p: Option<f64>| number(p, &dash(probability(p)));
    html! {
        tr {
            (counted(variant.rank as u64))
            @for (name, is_number) in parameters {
                @let value = variant.values.get(*name).map(String::as_str).unwrap_or_default();
                @if *is_number { td data-v=(value) { (value) } } @else { td class="text" { (value) } }
            }
            (number(variant.elo.map(far), &dash(value(variant))))
            (number(variant.lo95, &dash(interval(variant))))
            (counted(variant.units)) (counted(variant.games))
            (number(variant.score, &variant.score.map_or_else(|| "–".to_owned(), percent)))
            @if sweep.is_race() { (number(gap, &dash(behind(sweep, variant)))) } @else { (p(variant.p)) (p(variant.p_adjusted)) }
            td class={ "text " @if variant.state == State::Dropped { "none" } } { (state(variant)) }
        }
    }
}

/// Whether a parameter is a number in all variants.
fn holds_numbers(sweep: &SweepSummary, name: &str) -> bool {
    let values = sweep.variants.iter().filter_map(|variant| variant.values.get(name));
    values.flat_map(|value| value.parse::<f64>()).filter(|value| value.is_finite()).count() == sweep.variants.len()
}

/// The variants over the values of a parameter.
fn parameter(axis: &Axis) -> Markup {
    let ends = axis.points.iter().flat_map(|point| [point.lo95, point.hi95]).flatten();
    let (low, high) = ends.fold((-1.0_f64, 1.0_f64), |(low, high), end| (low.min(end), high.max(end)));
    // An arrow that starts at the last number needs room, too.
    let margin = |is_open: bool| (high - low) * if is_open { 0.15 } else { 0.06 };
    let top = high + margin(axis.points.iter().any(|point| point.hi95.is_none()));
    let bottom = low - margin(axis.points.iter().any(|point| point.lo95.is_none()));
    let y = |elo: f64| H * (top - elo) / (top - bottom);
    // A level that would touch the one of zero is left out.
    let far = [high, low].into_iter().filter(|&elo| (y(elo) - y(0.0)).abs() > 0.08 * H);
    let levels: Vec<(f64, String)> =
        far.map(|elo| (y(elo), format!("{elo:+.0}"))).chain([(y(0.0), "0".to_owned())]).collect();
    html! {
        div {
            h4 { (axis.name) }
            (plot(&format!("Elo of every variant over {}", axis.name), &levels, &labels(&axis.ticks), &html! {
                line class="zero" x1="0" x2=(W) y1=(place(y(0.0))) y2=(place(y(0.0))) {}
                g class=[(axis.points.len() > MANY).then_some("many")] { @for point in &axis.points { (mark(point, y)) } }
            }))
        }
    }
}

/// Whether only one end of its interval is known.
fn is_open(point: &Point) -> bool {
    point.lo95.is_none() || point.hi95.is_none()
}

fn mark(point: &Point, y: impl Fn(f64) -> f64) -> Markup {
    let at = W * point.place;
    let x = place(at);
    html! {
        g class=(if point.is_in { "in" } else { "out" }) {
            title { (point.tip) }
            @match (point.lo95, point.hi95) {
                (Some(lo), Some(hi)) => { line class="range" x1=(x) x2=(x) y1=(place(y(hi))) y2=(place(y(lo))) {} }
                (Some(end), None) => { (arrow(at, y(end), 0.0)) }
                (None, Some(end)) => { (arrow(at, y(end), H)) }
                (None, None) => {}
            }
            @if let Some(elo) = point.elo { line class="dot" x1=(x) x2=(x) y1=(place(y(elo))) y2=(place(y(elo))) {} }
        }
    }
}

/// From the known end of an interval to the edge of the drawing.
fn arrow(x: f64, end: f64, edge: f64) -> Markup {
    let [left, middle, right] = [x - 8.0, x, x + 8.0].map(place);
    let (end, tip, barb) = (place(end), place(edge), place(if edge > 0.0 { edge - 9.0 } else { edge + 9.0 }));
    let path = format!("M{left} {end}H{right}M{middle} {end}V{tip}M{left} {barb}L{middle} {tip}L{right} {barb}");
    html! { path class="open" d=(path) {} }
}

/// The values below a drawing: so many that each has room, and of each as much as it has room for.
fn labels(ticks: &[(f64, String)]) -> Markup {
    let steps = WIDTHS.map(|(class, width)| (class, every(ticks, width)));
    html! {
        @for (at, (place, text)) in ticks.iter().enumerate() {
            @let shown: Vec<(&str, usize)> = steps.iter().copied().filter(|(_, step)| at.is_multiple_of(*step)).collect();
            @if !shown.is_empty() {
                @let classes: Vec<&str> = shown.iter().map(|(class, _)| *class).collect();
                @let rooms: Vec<String> = shown.iter().map(|(class, step)| format!("--{class}:{}", percentage(room(ticks, *step, at)))).collect();
                @let edge = percentage(2.0 * place.min(1.0 - place));
                span class={ "tick " (classes.join(" ")) } title=(text) style={ "left:" (percentage(*place)) ";--edge:" (edge) ";" (rooms.join(";")) } { (text) }
            }
        }
    }
}

/// Every how many-th label has room in a drawing of so many rem.
fn every(ticks: &[(f64, String)], width: f64) -> usize {
    let needed = needed(ticks) / width;
    let fits = |step: &usize| (0..ticks.len()).step_by(*step).all(|at| room(ticks, *step, at) >= needed);
    (1..ticks.len()).find(fits).unwrap_or(ticks.len().max(1))
}

/// The rem that a label needs with the gap to the next one. Long ones must do with a part of their text.
#[expect(clippy::cast_precision_loss, reason = "labels have few characters")]
fn needed(ticks: &[(f64, String)]) -> f64 {
    let longest = ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or_default();
    (0.6 + 0.5 * longest as f64).min(5.0)
}

/// The share of a drawing that a label has round its place, if every `step`-th one is shown.
fn room(ticks: &[(f64, String)], step: usize, at: usize) -> f64 {
    let place = ticks[at].0;
    let neighbours = [at.checked_sub(step), Some(at + step)].into_iter().flatten().filter_map(|at| ticks.get(at));
    neighbours.map(|(other, _)| (other - place).abs()).fold(1.0, f64::min)
}

/// How many variants were left after so many units.
#[expect(clippy::cast_precision_loss, reason = "counts of units and variants are far below 2^52")]
fn survival(sweep: &SweepSummary) -> Markup {
    let (units, all) = (sweep.units.max(1) as f64, sweep.variants.len() as f64);
    let (x, y) = (|at: u64| W * at as f64 / units, |left: usize| H * (1.05 * all - left as f64) / (1.05 * all));
    let steps = sweep.survival().into_iter().map(|(at, left)| format!("H{}V{}", place(x(at)), place(y(left))));
    let path = format!("M0 {}{}", place(y(sweep.variants.len())), steps.collect::<Vec<_>>().concat());
    let left = sweep.living.len();
    let mut levels = vec![(y(sweep.variants.len()), sweep.variants.len().to_string())];
    if left < sweep.variants.len() {
        levels.push((y(left), left.to_string()));
    }
    let ends = html! { span class="start" style="left:0" { "0" } span class="end" style="left:100%" { (sweep.units) " units" } };
    plot("The variants that were left, unit by unit", &levels, &ends, &html! { path d=(path) {} })
}

/// A drawing between levels at their heights and labels below it.
fn plot(label: &str, levels: &[(f64, String)], labels: &Markup, drawing: &Markup) -> Markup {
    html! {
        figure class="llr sweep" {
            div class="levels" aria-hidden="true" {
                @for (at, text) in levels { span style={ "top:" (percentage(at / H)) } { (text) } }
            }
            svg viewBox={ "0 0 " (W) " " (H) } preserveAspectRatio="none" role="img" aria-label=(label) { (drawing) }
            figcaption class="axis" { (labels) }
        }
    }
}

fn place(at: f64) -> String {
    format!("{at:.1}")
}

/// A share in the words of a style.
fn percentage(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::super::super::example::sweep as example;
    use super::*;

    #[test]
    fn as_many_labels_are_shown_as_have_room() {
        let ticks = |count: u32, text: &dyn Fn(u32) -> String| -> Vec<(f64, String)> {
            (0..count).map(|at| (0.08 + 0.84 * f64::from(at) / f64::from(count - 1), text(at))).collect()
        };
        for (count, long) in [(2, 1), (6, 40), (60, 2), (60, 40), (256, 3)] {
            let ticks = ticks(count, &|at| format!("{at:0long$}"));
            let mut before = 0;
            for (class, width) in WIDTHS {
                let step = every(&ticks, width);
                let shown = (0..ticks.len()).step_by(step).count();
                assert!(shown >= before && shown >= 2, "{count} of {long}, {class}: {shown}");
                before = shown;
                let rem = |step| width * room(&ticks, step, 0);
                assert!(rem(step) >= needed(&ticks), "{count} of {long}, {class}: {step}");
                // One more of them would have had no room.
                assert!(step == 1 || rem(step - 1) < needed(&ticks), "{count} of {long}, {class}: {step}");
            }
            let page = labels(&ticks).into_string();
            assert!(page.starts_with("<span class=\"tick narrow medium broad\""), "{page}");
            assert_eq!(page.matches(" narrow").count(), (0..ticks.len()).step_by(every(&ticks, 16.0)).count());
        }
        assert_eq!(every(&ticks(6, &|at| at.to_string()), 16.0), 1);
    }

    #[test]
    fn an_arrow_is_drawn_and_explained_where_there_is_one() {
        let explained = "An arrow is a variant";
        let mut sweep = example("x");
        let page = section(Some(&sweep)).into_string();
        assert!(!page.contains(explained) && !page.contains("class=\"open\""));
        (sweep.variants[0].elo, sweep.variants[0].lo95) = (Some(f64::NEG_INFINITY), Some(f64::NEG_INFINITY));
        let page = section(Some(&sweep)).into_string();
        assert!(page.contains(explained) && page.contains("x 4: &lt; -10.0"), "{page}");
        // Once over each parameter; it ends at the edge, and no number of the drawing is without end.
        assert_eq!(page.matches("class=\"open\"").count(), 2);
        assert!(page.contains("V260.0") && !page.contains("inf") && !page.contains("NaN"), "{page}");
    }
}
