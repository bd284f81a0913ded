//! Charts of the page. The browser stretches a drawing between labels that are text of the page, so
//! text keeps its size at every width.

use maud::{Markup, html};

use crate::screen::shortened_apart;
use crate::words::count;

/// The width of a drawing, before the browser stretches it. Drawings in tables are as wide.
pub const WIDTH: f64 = 1000.0;
/// The height of a drawing, before the browser stretches it.
pub const HEIGHT: f64 = 260.0;

/// The most bots in a chart: the page has as many colours.
pub const DRAWN: usize = 6;

/// The most labels below a drawing. They have room on a phone.
const LABELS: usize = 6;

/// About the characters that all labels together have room for on a phone.
const CHARACTERS: usize = 36;

/// The fewest characters to shorten a label to.
const LEAST: usize = 12;

/// The most labels at the left of a drawing.
const MOST_LEVELS: u8 = 5;

/// A drawing with its labels.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The heading. Empty if the part of the section has it.
    pub title: String,
    /// The description for screen readers.
    pub label: String,
    /// A class of the page's style sheet.
    pub class: &'static str,
    /// Texts at the left, each at its height, where a thin line crosses the drawing.
    pub levels: Vec<(f64, String)>,
    /// Texts below, each at its place from 0 to 1.
    pub ticks: Vec<(f64, String)>,
    /// The marks: elements of SVG.
    pub drawing: Markup,
    /// Classes of colours with their meaning.
    pub legend: Vec<(String, String)>,
}

impl Chart {
    /// The chart without its title.
    pub fn figure(&self) -> Markup {
        html! {
            figure class={ "plot " (self.class) } {
                div class="levels" aria-hidden="true" {
                    @for (at, text) in &self.levels { span title=(text) style={ "top:" (percentage(at / HEIGHT)) } { (text) } }
                }
                div class="canvas" {
                    svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(self.label) {
                        @for (at, _) in &self.levels { (level("grid", *at)) }
                        (self.drawing)
                    }
                }
                figcaption class="axis" { (labels(&self.ticks)) }
            }
            @if !self.legend.is_empty() { ul class="legend" { @for (class, text) in &self.legend { li class=(class) { span { (text) } } } } }
        }
    }

    /// The chart with its title.
    pub fn titled(&self) -> Markup {
        html! { div { h4 { (self.title) } (self.figure()) } }
    }
}

/// The labels below a drawing: every n-th one if there are many, each shortened to its room.
fn labels(ticks: &[(f64, String)]) -> Markup {
    let step = ticks.len().div_ceil(LABELS).max(1);
    let texts: Vec<&str> = ticks.iter().map(|(_, text)| text.as_str()).collect();
    let shown = ticks.len().div_ceil(step).max(1);
    let short = shortened_apart(&texts, LEAST.max(CHARACTERS / shown));
    html! { @for at in (0..ticks.len()).step_by(step) { (label(ticks, at, step, &short[at])) } }
}

fn label(ticks: &[(f64, String)], at: usize, step: usize, short: &str) -> Markup {
    let (place, text) = &ticks[at];
    let (anchor, edge) = match *place {
        place if place <= 0.0 => ("start", 1.0),
        place if place >= 1.0 => ("end", 1.0),
        place => ("middle", 2.0 * place.min(1.0 - place)),
    };
    let [left, edge, room] = [*place, edge, room(ticks, step, at)].map(percentage);
    html! {
        span class={ "tick " (anchor) } title=(text)
            style={ "left:" (left) ";--edge:" (edge) ";--room:" (room) } { (short) }
    }
}

/// The share of a drawing that a label has to itself if every `step`-th one is shown.
fn room(ticks: &[(f64, String)], step: usize, at: usize) -> f64 {
    let neighbours = [at.checked_sub(step), Some(at + step)];
    let mut room = 1.0;
    for (place, _) in neighbours.into_iter().filter_map(|near| ticks.get(near?)) {
        room = f64::min(room, (place - ticks[at].0).abs());
    }
    room
}

/// The most round values between the ends of an axis of units.
const BETWEEN: u8 = 4;

/// The labels of an axis from 0 to `units` units: round values, and the last unit.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of units are far below 2^52"
)]
pub fn units(units: u64) -> Vec<(f64, String)> {
    let scale = Scale {
        low: 0.0,
        high: units as f64,
    };
    let mut ticks = Vec::new();
    for value in scale.round(BETWEEN) {
        // The label of the last unit needs the room at the end.
        if value.fract() == 0.0 && scale.place(value) < 0.85 {
            ticks.push((scale.place(value), value.to_string()));
        }
    }
    ticks.push((1.0, count(units, "unit", "units")));
    ticks
}

/// A range of values, which have places from 0 to 1 in it.
#[derive(Clone, Copy)]
#[must_use]
pub struct Scale {
    /// The value at place 0.
    pub low: f64,
    /// The value at place 1.
    pub high: f64,
}

impl Scale {
    /// Returns a scale of those of these values that are finite, from at most `low` to at least
    /// `high`.
    pub fn of(values: impl Iterator<Item = f64>, low: f64, high: f64) -> Scale {
        let mut scale = Scale { low, high };
        for value in values.filter(|value| value.is_finite()) {
            scale.low = scale.low.min(value);
            scale.high = scale.high.max(value);
        }
        scale
    }

    /// Adds room at both ends, as a share of the width.
    pub fn with_room(self, share: f64) -> Scale {
        self.with(share * (self.high - self.low))
    }

    /// Adds room around a single value.
    pub fn widened(self) -> Scale {
        if self.high > self.low {
            return self;
        }
        self.with((0.1 * self.low.abs()).max(1e-3))
    }

    fn with(self, room: f64) -> Scale {
        let (low, high) = (self.low - room, self.high + room);
        Scale { low, high }
    }

    /// The place of a value, from 0 to 1. What lies beyond an end of the scale is at its edge.
    pub fn place(self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The height of a value, from the top.
    pub fn y(self, value: f64) -> f64 {
        HEIGHT * (1.0 - self.place(value))
    }

    /// Whether a value is in the range.
    pub fn holds(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Round values in the range, about `most` or fewer: the multiples of 1, 2 or 5 times a power
    /// of ten.
    pub fn round(self, most: u8) -> Vec<f64> {
        let power = ((self.high - self.low) / f64::from(most)).log10().floor();
        // A power below one divides, because tenths have no exact value: 3 / 10 is 0.3, and 3 * 0.1
        // isn't.
        let [times, parts] = [power, -power].map(|power| 10_f64.powf(power.max(0.0)));
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * times);
        let width = |step: f64| (self.high - self.low) / (step / parts);
        let step = steps.into_iter().find(|&step| width(step) <= most.into());
        let step = step.unwrap_or(steps[3]);
        let first = (self.low / (step / parts)).ceil();
        // Adding 0 turns a negative zero into a plain one.
        let value = |number| (first + f64::from(number)) * step / parts + 0.0;
        let mut values: Vec<f64> = (0..=most).map(value).collect();
        values.retain(|&value| self.holds(value));
        values.dedup();
        values
    }

    /// Round values at their heights, as `show` writes them.
    pub fn levels(self, show: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        levels(&self.round(MOST_LEVELS), |value| self.y(value), show)
    }
}

/// The labels of these values at the heights that `y` gives. A value too near to one before it has
/// no label.
pub fn levels(
    values: &[f64],
    y: impl Fn(f64) -> f64,
    show: impl Fn(f64) -> String,
) -> Vec<(f64, String)> {
    let mut levels: Vec<(f64, String)> = Vec::new();
    for &value in values {
        let is_near = |(at, _): &(f64, String)| (at - y(value)).abs() <= 0.08 * HEIGHT;
        if !levels.iter().any(is_near) {
            levels.push((y(value), show(value)));
        }
    }
    levels
}

/// A horizontal line.
pub fn level(class: &str, y: f64) -> Markup {
    html! { line class=(class) x1="0" x2=(WIDTH) y1=(place(y)) y2=(place(y)) {} }
}

/// An SVG path through these points; a single one is a dot.
pub fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let places: Vec<String> = points
        .map(|(x, y)| format!("{} {}", place(x), place(y)))
        .collect();
    let dot = if places.len() == 1 { "h0" } else { "" };
    format!("M{}{dot}", places.join("L"))
}

/// A coordinate in a drawing.
pub fn place(at: f64) -> String {
    format!("{at:.1}")
}

/// A share in CSS.
pub fn percentage(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_values() {
        for (low, high, expected) in [
            (0.0, 10.0, vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            (-37.5, 61.0, vec![-20.0, 0.0, 20.0, 40.0, 60.0]),
            (-0.05, 0.31, vec![0.0, 0.1, 0.2, 0.3]),
            (980.0, 1020.0, vec![980.0, 990.0, 1000.0, 1010.0, 1020.0]),
        ] {
            assert_eq!(Scale { low, high }.round(MOST_LEVELS), expected);
        }
        let words =
            |ticks: Vec<(f64, String)>| ticks.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(words(units(64)), ["0", "20", "40", "64 units"]);
        assert_eq!(words(units(1)), ["0", "1 unit"]);
        assert_eq!(words(units(0)), ["0 units"]);
    }

    #[test]
    fn what_has_no_end_is_at_the_edge() {
        for (low, high, places) in [
            (f64::NEG_INFINITY, f64::INFINITY, ["0.00%", "100.00%"]),
            (f64::NEG_INFINITY, 5.0, ["0.00%", "75.00%"]),
            (-5.0, f64::INFINITY, ["25.00%", "100.00%"]),
        ] {
            let scale = Scale::of([low, high].into_iter(), -10.0, 10.0);
            assert_eq!([low, high].map(|end| percentage(scale.place(end))), places);
            assert_eq!(scale.round(MOST_LEVELS).len(), 5);
        }
    }

    #[test]
    fn labels_without_room_keep_what_differs() {
        let ticks = |texts: &[&str]| {
            let places = (0_u32..).map(|at| 0.25 + 0.25 * f64::from(at));
            places
                .zip(texts.iter().map(|text| (*text).to_owned()))
                .collect::<Vec<_>>()
        };
        for (texts, short) in [
            (["1", "2", "10"], ["1", "2", "10"]),
            (
                [
                    "weights/of-this-week-1.bin",
                    "weights/of-this-week-2.bin",
                    "x",
                ],
                ["weight…1.bin", "weight…2.bin", "x"],
            ),
        ] {
            let page = labels(&ticks(&texts)).into_string();
            for (text, short) in texts.iter().zip(short) {
                assert!(
                    page.contains(&format!("title=\"{text}\""))
                        && page.contains(&format!(">{short}<")),
                    "{page}"
                );
            }
        }
    }

    #[test]
    fn few_labels_are_shown_and_none_reaches_the_next() {
        for (count, shown) in [(1, 1), (2, 2), (6, 6), (7, 4), (60, 6), (256, 6)] {
            let ticks: Vec<(f64, String)> = (0..count)
                .map(|at| {
                    (
                        0.08 + 0.8 * f64::from(at) / f64::from(count),
                        at.to_string(),
                    )
                })
                .collect();
            let page = labels(&ticks).into_string();
            assert!(page.starts_with("<span class=\"tick middle\""), "{page}");
            assert_eq!(page.matches("<span").count(), shown, "{count}");
            let room = room(&ticks, ticks.len().div_ceil(shown), 0);
            assert!(count == 1 || room > 0.1, "{count}: {room}");
        }
    }
}
