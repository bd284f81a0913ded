//! A sweep: its variants, each parameter against Elo, and how many were left when.

use maud::{Markup, html};

use super::parts::{HEIGHT, Scale, WIDTH, level, notes, percentage, place, plot, section, table, units};
use crate::report::sweep::axes::{Axis, axes, ends};
use crate::report::sweep::{self, estimate};
use crate::summary::sweep::{SweepSummary, VariantState, VariantSummary};

/// More variants than this are drawn with thin lines.
const MANY: usize = 40;

/// How many rem a drawing is wide at least, by the class of the labels that it shows then. page.css has the same widths.
const WIDTHS: [(&str, f64); 3] = [("narrow", 16.0), ("medium", 24.0), ("broad", 48.0)];

pub(super) fn part(swept: &SweepSummary) -> Markup {
    let content = html! {
        p class="headline" { strong { (swept.bot) } ": " (sweep::size(swept)) "." }
        (table(&sweep::table(swept, &swept.ranking()), "", None))
        (notes(&sweep::findings(swept)))
        @if let Some(command) = &swept.confirm { pre class="command" { code { (command) } } }
        (notes(&Vec::from_iter(sweep::gains(swept))))
        (parameters(&axes(swept)))
        @if swept.is_race() && swept.units > 0 {
            h3 { "Remaining variants" }
            (survival(swept))
        }
    };
    section("sweep", "Sweep", &content)
}

fn parameters(axes: &[Axis<'_>]) -> Markup {
    let mut ends = axes.iter().flat_map(|axis| &axis.points).flat_map(|(_, variant)| ends(variant));
    html! {
        @if !axes.is_empty() {
            h3 { "Parameters against Elo" }
            p class="explain" { "Every variant with its 95% interval; those that were dropped are grey. With more parameters than one, \
                variants with the same value stand side by side."
                @if ends.any(|end| end.is_none()) {
                    " An arrow is a variant that won or lost everything: of its interval only the end is known where the arrow starts."
                }
            }
            div class="pair" { @for axis in axes { (parameter(axis)) } }
        }
    }
}

/// The variants over the values of a parameter.
fn parameter(axis: &Axis<'_>) -> Markup {
    let ends: Vec<[Option<f64>; 2]> = axis.points.iter().map(|(_, variant)| ends(variant)).collect();
    let known = Scale::of(ends.iter().flatten().copied().flatten(), -1.0, 1.0);
    // An arrow that starts at the last number needs room, too.
    let [below, above] = [0, 1].map(|end| if ends.iter().any(|ends| ends[end].is_none()) { 0.15 } else { 0.06 });
    let scale = known.with_room(below, above);
    let y = |elo: f64| HEIGHT * (1.0 - scale.place(elo));
    // A level that would touch the one of zero is left out.
    let far = [known.high, known.low].into_iter().filter(|&elo| (y(elo) - y(0.0)).abs() > 0.08 * HEIGHT);
    let levels: Vec<(f64, String)> =
        far.map(|elo| (y(elo), format!("{elo:+.0}"))).chain([(y(0.0), "0".to_owned())]).collect();
    let drawing = html! {
        (level("zero", y(0.0)))
        g class=[(axis.points.len() > MANY).then_some("many")] {
            @for (at, variant) in &axis.points { (mark(WIDTH * at, variant, y)) }
        }
    };
    html! {
        div {
            h4 { (axis.name) }
            (plot(&format!("Elo of every variant over {}", axis.name), &levels, &labels(&axis.ticks), &drawing))
        }
    }
}

fn mark(at: f64, variant: &VariantSummary, y: impl Fn(f64) -> f64) -> Markup {
    let VariantSummary { name, elo, lo95, hi95, state, .. } = variant;
    let x = place(at);
    html! {
        g class=(if *state == VariantState::Dropped { "out" } else { "in" }) {
            title { (name) ": " (estimate([*elo, *lo95, *hi95])) }
            @match ends(variant) {
                [Some(lo), Some(hi)] => { line class="range" x1=(x) x2=(x) y1=(place(y(hi))) y2=(place(y(lo))) {} }
                [Some(end), None] => { (arrow(at, y(end), 0.0)) }
                [None, Some(end)] => { (arrow(at, y(end), HEIGHT)) }
                [None, None] => {}
            }
            @if let Some(elo) = elo.filter(|elo| elo.is_finite()) { line class="dot" x1=(x) x2=(x) y1=(place(y(elo))) y2=(place(y(elo))) {} }
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
    let all = sweep.variants.len();
    let left = sweep.living.len();
    let x = |at: u64| WIDTH * at as f64 / sweep.units.max(1) as f64;
    let y = |left: usize| HEIGHT * (1.0 - left as f64 / (1.05 * all as f64));
    let steps = sweep.survival().into_iter().map(|(at, left)| format!("H{}V{}", place(x(at)), place(y(left))));
    let path = format!("M0 {}{}", place(y(all)), steps.collect::<String>());
    let mut levels = vec![(y(all), all.to_string())];
    levels.extend((left < all).then(|| (y(left), left.to_string())));
    plot("Remaining variants, unit by unit", &levels, &units(sweep.units), &html! { path d=(path) {} })
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::sweep as example;
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
        let page = part(&sweep).into_string();
        assert!(!page.contains(explained) && !page.contains("class=\"open\""));
        (sweep.variants[0].elo, sweep.variants[0].lo95) = (Some(f64::NEG_INFINITY), Some(f64::NEG_INFINITY));
        let page = part(&sweep).into_string();
        assert!(page.contains(explained) && page.contains("x 4: &lt; -10.0"), "{page}");
        // Once over each parameter; it ends at the edge, and no number of the drawing is without end.
        assert_eq!(page.matches("class=\"open\"").count(), 2);
        assert!(page.contains("V260.0") && !page.contains("inf") && !page.contains("NaN"), "{page}");
    }
}
