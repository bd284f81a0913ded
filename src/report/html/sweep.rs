//! A sweep: its variants, each parameter against Elo, and how many were left when.

use maud::{Markup, html};

use super::parts::{counted, dash, number, number_head, scroll, text_head};
use crate::report::sweep::{Axis, Point, axes, behind, findings, interval, probability, size, state, value};
use crate::report::table::signed;
use crate::report::words::percent;
use crate::summary::sweep::{State, SweepSummary, VariantSummary};

/// The size of a drawing, before it is stretched.
const W: f64 = 1000.0;
const H: f64 = 260.0;

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
                        variants with the same value stand side by side." }
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
    html! {
        table class="sortable" {
            thead { tr {
                (number_head("#"))
                @for name in &sweep.parameters { @if holds_numbers(sweep, name) { (number_head(name)) } @else { (text_head(name)) } }
                @for title in ["Elo", "95% interval", "units", "games", "score"] { (number_head(title)) }
                @if sweep.is_race() { (number_head("to the leader")) } @else { (number_head("p")) (number_head("p (Holm)")) }
                (text_head("state"))
            } }
            tbody { @for variant in sweep.ranking() { (row(sweep, variant)) } }
        }
    }
}

fn row(sweep: &SweepSummary, variant: &VariantSummary) -> Markup {
    // Who won or lost everything stands at an end of the column.
    let far = |elo: f64| elo.clamp(-1e6, 1e6);
    let leads = sweep.leader.as_ref() == Some(&variant.name);
    let gap = variant.behind.as_ref().map(|behind| behind.elo).or(leads.then_some(0.0));
    let p = |p: Option<f64>| number(p, &dash(probability(p)));
    html! {
        tr {
            (counted(variant.rank as u64))
            @for name in &sweep.parameters {
                @let value = variant.values.get(name).map(String::as_str).unwrap_or_default();
                @if holds_numbers(sweep, name) { td data-v=(value) { (value) } } @else { td class="text" { (value) } }
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
    let ends = axis.points.iter().flat_map(|point| [point.lo95, point.hi95]);
    let (low, high) = ends.fold((-1.0_f64, 1.0_f64), |(low, high), end| (low.min(end), high.max(end)));
    let margin = 0.06 * (high - low);
    let y = |elo: f64| H * (high + margin - elo) / (high - low + 2.0 * margin);
    // A level that would touch the one of zero is left out.
    let far = [high, low].into_iter().filter(|&elo| (y(elo) - y(0.0)).abs() > 0.08 * H);
    let levels: Vec<(f64, String)> =
        far.map(|elo| (y(elo), format!("{elo:+.0}"))).chain([(y(0.0), "0".to_owned())]).collect();
    html! {
        div {
            h4 { (axis.name) }
            (plot(&format!("Elo of every variant over {}", axis.name), &levels, &axis.ticks, &html! {
                line class="zero" x1="0" x2=(W) y1=(place(y(0.0))) y2=(place(y(0.0))) {}
                @for point in &axis.points { (mark(point, y)) }
            }))
        }
    }
}

fn mark(point: &Point, y: impl Fn(f64) -> f64) -> Markup {
    let x = place(W * point.place);
    html! {
        g class=(if point.is_in { "in" } else { "out" }) {
            title { (point.name) ": " (signed(point.elo)) " [" (signed(point.lo95)) ", " (signed(point.hi95)) "]" }
            line class="range" x1=(x) x2=(x) y1=(place(y(point.hi95))) y2=(place(y(point.lo95))) {}
            line class="dot" x1=(x) x2=(x) y1=(place(y(point.elo))) y2=(place(y(point.elo))) {}
        }
    }
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
    let ticks = [(0.0, "0".to_owned()), (1.0, format!("{} units", sweep.units))];
    plot("The variants that were left, unit by unit", &levels, &ticks, &html! { path d=(path) {} })
}

/// A drawing between the marks of its axes: levels by their height, ticks by their place from 0 to 1.
fn plot(label: &str, levels: &[(f64, String)], ticks: &[(f64, String)], drawing: &Markup) -> Markup {
    html! {
        figure class="llr sweep" {
            div class="levels" aria-hidden="true" {
                @for (at, text) in levels { span style={ "top:" (format!("{:.2}", 100.0 * at / H)) "%" } { (text) } }
            }
            svg viewBox={ "0 0 " (W) " " (H) } preserveAspectRatio="none" role="img" aria-label=(label) { (drawing) }
            figcaption class="axis" {
                @for (place, text) in ticks {
                    @let side = if *place < 0.04 { "start" } else if *place > 0.96 { "end" } else { "middle" };
                    span class=(side) style={ "left:" (format!("{:.2}", 100.0 * place)) "%" } { (text) }
                }
            }
        }
    }
}

fn place(at: f64) -> String {
    format!("{at:.1}")
}
