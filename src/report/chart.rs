//! Drawings of results. What one shows is put together once; the page stretches it between labels of its own, so that text keeps its
//! size at every width, and a file has all of it with its text and colours inside.

#![expect(clippy::cast_precision_loss, reason = "drawings have few parts")]

use maud::{Markup, PreEscaped, Render, html};

use super::screen::shortened;

/// The size of a drawing, before it is stretched; one in a table is as wide.
pub(super) const WIDTH: f64 = 1000.0;
pub(super) const HEIGHT: f64 = 260.0;

/// So many bots are drawn at most, the first of the standings: the page has as many colours.
pub(super) const DRAWN: usize = 6;

/// The colours of both themes, how marks look, and what else a file has.
const FILE_STYLE: &str = concat!(include_str!("chart.css"), include_str!("file.css"));

/// How many rem a drawing is wide at least, by the class of the labels that it shows then. page.css has the same widths.
const WIDTHS: [(&str, f64); 3] = [("narrow", 16.0), ("medium", 24.0), ("broad", 48.0)];

/// How wide and how high a line of text is in a file; in the page a letter is half a rem wide, a line takes its size in CSS.
pub(super) const LETTER: f64 = 9.0;
pub(super) const LINE: f64 = 24.0;
/// The most letters of a label in a file.
const LONGEST: usize = 24;

/// A drawing with its labels.
#[derive(Default)]
pub(crate) struct Chart {
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// The same for those who do not see it.
    pub(crate) label: String,
    /// How it is laid out, by a class of page.css.
    pub(super) class: &'static str,
    /// Texts at its left, each at its height.
    pub(super) levels: Vec<(f64, String)>,
    /// Texts below it, each at its place from 0 to 1 from left to right. Those at the very ends stand inside.
    pub(super) ticks: Vec<(f64, String)>,
    /// Texts in it.
    pub(super) notes: Vec<Note>,
    pub(super) drawing: Markup,
    /// What colours mean: a class and a text.
    pub(super) legend: Vec<(String, String)>,
}

/// A text in a drawing, which is shown where it has room.
pub(super) struct Note {
    /// Where its middle is, or the mark that it stands beside.
    pub(super) at: [f64; 2],
    pub(super) side: Side,
    /// How wide it may be, as a share of the drawing.
    pub(super) room: f64,
    pub(super) text: String,
}

/// Where a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    On,
    Right,
}

impl Side {
    /// The class, the anchor and the distance from the mark in a file.
    fn looks(self) -> (&'static str, &'static str, f64) {
        match self {
            Side::Left => ("note left", "end", -8.0),
            Side::On => ("note", "middle", 0.0),
            Side::Right => ("note right", "start", 8.0),
        }
    }
}

impl Chart {
    /// The drawing as the page has it, without its title.
    pub(super) fn figure(&self) -> Markup {
        // Names have the room that they need at the left.
        let names = (self.class == "rows").then(|| format!("--letters:{}", self.widest()));
        html! {
            figure class={ "plot " (self.class) } style=[names] {
                div class="levels" aria-hidden="true" {
                    @for (at, text) in &self.levels { span title=(text) style={ "top:" (percentage(at / HEIGHT)) } { (text) } }
                }
                div class="canvas" {
                    svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(self.label) { (self.drawing) }
                    @for note in &self.notes { (note) }
                }
                figcaption class="axis" { (labels(&self.ticks)) }
            }
            @if !self.legend.is_empty() { ul class="legend" { @for (class, text) in &self.legend { li class=(class) { span { (text) } } } } }
        }
    }

    /// The letters of the longest text at its left, as many as a file shows.
    fn widest(&self) -> f64 {
        self.levels
            .iter()
            .map(|(_, text)| letters(text))
            .fold(3.0, f64::max)
            .min(LONGEST as f64)
    }

    /// The same with its title.
    pub(super) fn titled(&self) -> Markup {
        html! { div { h4 { (self.title) } (self.figure()) } }
    }

    /// The drawing as a file of its own: nothing is stretched and no style is newer than SVG 2, so that more than browsers show it.
    pub(super) fn file(&self) -> String {
        let (left, top, right) = (LETTER * self.widest() + 30.0, 2.2 * LINE, 40.0);
        let legend = legend_lines(&self.legend);
        let bottom = top + HEIGHT + LINE;
        let [width, height] = [
            left + WIDTH + right,
            bottom + (legend.len() as f64 + 0.8) * LINE,
        ];
        let step = every(&self.ticks, WIDTH / (2.0 * LETTER));
        let ticks = self
            .ticks
            .iter()
            .enumerate()
            .filter(|(at, _)| at.is_multiple_of(step));
        let body = html! {
            text class="head" x=(LINE) y=(1.3 * LINE) { (self.title) }
            @for (at, text) in &self.levels {
                text class="soft" text-anchor="end" x=(place(left - 12.0)) y=(place(top + at + 5.0)) { (shortened(text, LONGEST)) }
            }
            g transform={ "translate(" (place(left)) " " (place(top)) ")" } {
                g class="plot" { (self.drawing) }
                @for (at, (x, text)) in ticks {
                    @let cut = (room(&self.ticks, step, at) * WIDTH / LETTER).max(3.0);
                    text class="soft" text-anchor=(anchor(*x)) x=(place(WIDTH * x)) y=(place(HEIGHT + LINE)) { (shortened(text, whole(cut))) }
                }
                @for Note { at: [x, y], side, room, text } in &self.notes {
                    @let (_, anchor, shift) = side.looks();
                    @if LETTER * letters(text) <= room * WIDTH {
                        text text-anchor=(anchor) x=(place(x + shift)) y=(place(y + 5.0)) { (text) }
                    }
                }
            }
            @for (line, entries) in legend.iter().enumerate() {
                @let y = bottom + (line as f64 + 1.0) * LINE;
                @for (x, (class, text)) in entries {
                    rect class={ "key " (class) } x=(place(left + x)) y=(place(y - 10.0)) width="18" height="5" {}
                    text class="soft" x=(place(left + x + 26.0)) y=(place(y)) { (text) }
                }
            }
        };
        svg_file(&self.title, [width, height], FILE_STYLE, &body)
    }
}

/// An SVG file of this size in CSS pixels, with a ground, in both themes. `style` begins with the colours of both themes, a line each.
pub(super) fn svg_file(
    title: &str,
    [width, height]: [f64; 2],
    style: &str,
    body: &Markup,
) -> String {
    let dark = format!(
        "@media (prefers-color-scheme: dark) {{\n{}}}\n",
        inked(style, Theme::Dark)
    );
    let [width, height] = [width, height].map(place);
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img" {
            title { (title) }
            style { (PreEscaped(inked(style, Theme::Light))) (PreEscaped(dark)) }
            rect class="card" width=(width) height=(height) rx="8" {}
            (body)
        }
    };
    // XML has no way to write other characters, not even as a number.
    let is_allowed = |c: &char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    markup
        .into_string()
        .chars()
        .filter(is_allowed)
        .collect::<String>()
        + "\n"
}

#[derive(Clone, Copy)]
enum Theme {
    Light,
    Dark,
}

/// The rules of a style, a line each, with the colours of a theme in them: not everything that shows SVG knows variables.
fn inked(style: &str, theme: Theme) -> String {
    let definition = |line: &str| {
        let (name, value) = line
            .trim()
            .strip_prefix("--")?
            .strip_suffix(';')?
            .split_once(": ")?;
        let both = value
            .strip_prefix("light-dark(")
            .and_then(|both| both.strip_suffix(')')?.split_once(", "));
        let value = both.map_or(value, |(light, dark)| match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        });
        Some((format!("var(--{name})"), value.to_owned()))
    };
    let colours: Vec<(String, String)> = style.lines().filter_map(definition).collect();
    let rules = style
        .lines()
        .filter(|line| line.contains('{') && line.ends_with('}'));
    // One colour may stand for another.
    let inked = |rule: &str| {
        let colours = colours.iter().chain(&colours);
        colours.fold(rule.to_owned(), |rule, (name, colour)| {
            rule.replace(name, colour)
        })
    };
    rules.map(|rule| inked(rule) + "\n").collect()
}

/// The entries of a legend, in lines, each with its place in its line.
fn legend_lines(legend: &[(String, String)]) -> Vec<Vec<(f64, (&str, String))>> {
    let mut lines: Vec<Vec<(f64, (&str, String))>> = Vec::new();
    let mut end = f64::INFINITY;
    for (class, text) in legend {
        let text = shortened(text, 2 * LONGEST);
        let width = LETTER * letters(&text) + 60.0;
        if end + width > WIDTH {
            end = 0.0;
            lines.push(Vec::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push((end, (class.as_str(), text)));
        }
        end += width;
    }
    lines
}

fn anchor(x: f64) -> &'static str {
    match x {
        x if x <= 0.0 => "start",
        x if x >= 1.0 => "end",
        _ => "middle",
    }
}

/// Without its fraction; nothing is below 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is what is wanted"
)]
pub(super) fn whole(number: f64) -> usize {
    number as usize
}

fn letters(text: &str) -> f64 {
    console::measure_text_width(text) as f64
}

impl Render for Note {
    /// With the widths at which it has room.
    fn render(&self) -> Markup {
        let Note {
            at: [x, y],
            side,
            room,
            text,
        } = self;
        let fits = |width: f64| 0.5 * letters(text) + 0.5 <= room * width;
        let classes: Vec<&str> = WIDTHS
            .iter()
            .filter(|(_, width)| fits(*width))
            .map(|(class, _)| *class)
            .collect();
        let (kind, ..) = side.looks();
        html! {
            @if !classes.is_empty() {
                span class={ (kind) " " (classes.join(" ")) } aria-hidden="true"
                    style={ "left:" (percentage(x / WIDTH)) ";top:" (percentage(y / HEIGHT)) } { (text) }
            }
        }
    }
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
                @let anchor = anchor(*place);
                @let edge = percentage(if anchor == "middle" { 2.0 * place.min(1.0 - place) } else { 1.0 });
                span class={ "tick " (anchor) " " (classes.join(" ")) } title=(text)
                    style={ "left:" (percentage(*place)) ";--edge:" (edge) ";" (rooms.join(";")) } { (text) }
            }
        }
    }
}

/// Every how many-th label has room in a drawing of so many rem.
fn every(ticks: &[(f64, String)], width: f64) -> usize {
    let needed = needed(ticks) / width;
    let fits = |step: &usize| {
        (0..ticks.len())
            .step_by(*step)
            .all(|at| room(ticks, *step, at) >= needed)
    };
    (1..ticks.len()).find(fits).unwrap_or(ticks.len().max(1))
}

/// The rem that a label needs with the gap to the next one. Long ones must do with a part of their text.
fn needed(ticks: &[(f64, String)]) -> f64 {
    let longest = ticks
        .iter()
        .map(|(_, text)| letters(text))
        .fold(0.0, f64::max);
    (0.6 + 0.5 * longest).min(5.0)
}

/// The share of a drawing that a label has round its place, if every `step`-th one is shown.
fn room(ticks: &[(f64, String)], step: usize, at: usize) -> f64 {
    let place = ticks[at].0;
    let neighbours = [at.checked_sub(step), Some(at + step)]
        .into_iter()
        .flatten()
        .filter_map(|at| ticks.get(at));
    neighbours
        .map(|(other, _)| (other - place).abs())
        .fold(1.0, f64::min)
}

/// The labels of an axis of so many units.
pub(super) fn units(units: u64) -> Vec<(f64, String)> {
    vec![(0.0, "0".to_owned()), (1.0, format!("{units} units"))]
}

/// The values that a drawing holds; they have places from 0 to 1.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Scale {
    /// Holds these values, and those from `low` to `high`.
    pub(super) fn of(values: impl Iterator<Item = f64>, low: f64, high: f64) -> Scale {
        let wider = |scale: Scale, value| Scale {
            low: scale.low.min(value),
            high: scale.high.max(value),
        };
        values.fold(Scale { low, high }, wider)
    }

    /// The same with room at both ends, as shares of its width.
    pub(super) fn with_room(self, below: f64, above: f64) -> Scale {
        let width = self.high - self.low;
        Scale {
            low: self.low - below * width,
            high: self.high + above * width,
        }
    }

    /// The same, or one with room round it where it holds a single value.
    pub(super) fn widened(self) -> Scale {
        let room = if self.high > self.low {
            0.0
        } else {
            (0.1 * self.low.abs()).max(1e-3)
        };
        Scale {
            low: self.low - room,
            high: self.high + room,
        }
    }

    pub(super) fn place(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// How far down a value stands.
    pub(super) fn y(self, value: f64) -> f64 {
        HEIGHT * (1.0 - self.place(value))
    }

    pub(super) fn holds(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Those of the values that are not too near to one before them, as `show` tells them, at the heights that `y` gives.
pub(super) fn levels(
    values: &[f64],
    y: impl Fn(f64) -> f64,
    show: impl Fn(f64) -> String,
) -> Vec<(f64, String)> {
    let mut levels: Vec<(f64, String)> = Vec::new();
    for &value in values {
        if levels
            .iter()
            .all(|(at, _)| (at - y(value)).abs() > 0.08 * HEIGHT)
        {
            levels.push((y(value), show(value)));
        }
    }
    levels
}

/// One bot, run or the like of a chart, in a colour of its own.
pub(crate) struct Series {
    pub(crate) name: String,
    /// For each group, the lower end, the estimate and the upper end, where there are any.
    pub(crate) values: Vec<Option<[f64; 3]>>,
}

/// Intervals in groups side by side: those of all series for the first group, then for the next; `show` tells a value. `around` are
/// values that are to be seen, of which the first has a line.
pub(crate) fn intervals(
    label: &str,
    groups: &[String],
    series: &[Series],
    around: &[f64],
    show: impl Fn(f64) -> String,
) -> Chart {
    let known = series
        .iter()
        .flat_map(|one| one.values.iter().flatten().flatten().copied());
    let known = Scale::of(
        known.chain(around.iter().copied()),
        f64::INFINITY,
        f64::NEG_INFINITY,
    );
    let scale = known.widened().with_room(0.06, 0.06);
    let width = 1.0 / groups.len().max(1) as f64;
    let middle = |group: usize| width * (group as f64 + 0.5);
    let step = (0.7 * width / series.len().max(1) as f64).min(0.05);
    let x = |group: usize, at: usize| {
        WIDTH * (middle(group) + step * (at as f64 - (series.len() as f64 - 1.0) / 2.0))
    };
    let drawing = html! {
        (level("zero", scale.y(around[0])))
        @for (at, one) in series.iter().enumerate() {
            g class={ "s" (at % DRAWN) } {
                @for (group, values) in one.values.iter().enumerate() {
                    @if let Some(values) = values {
                        (range(x(group, at), values.map(|value| scale.y(value)), &format!("{}, {}: {} [{}, {}]", one.name, groups[group], show(values[1]), show(values[0]), show(values[2]))))
                    }
                }
            }
        }
    };
    let shown = levels(
        &[around[0], known.high, known.low],
        |value| scale.y(value),
        &show,
    );
    let ticks = groups
        .iter()
        .enumerate()
        .map(|(group, text)| (middle(group), text.clone()))
        .collect();
    Chart {
        label: label.to_owned(),
        levels: shown,
        ticks,
        drawing,
        legend: legend(series.iter().map(|one| one.name.as_str())),
        ..Chart::default()
    }
}

/// What the colours of these names mean, in the order of the colours.
pub(super) fn legend<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    names
        .enumerate()
        .map(|(at, name)| (format!("s{}", at % DRAWN), name.to_owned()))
        .collect()
}

/// An interval with its estimate, in the heights of its lower end, the estimate and its upper end.
pub(super) fn range(x: f64, [lo, middle, hi]: [f64; 3], tip: &str) -> Markup {
    let x = place(x);
    html! {
        g {
            title { (tip) }
            line class="range" x1=(x) x2=(x) y1=(place(hi)) y2=(place(lo)) {}
            line class="dot" x1=(x) x2=(x) y1=(place(middle)) y2=(place(middle)) {}
        }
    }
}

/// A horizontal line.
pub(super) fn level(class: &str, y: f64) -> Markup {
    html! { line class=(class) x1="0" x2=(WIDTH) y1=(place(y)) y2=(place(y)) {} }
}

/// The points as an SVG path; a single one is a dot.
pub(super) fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let places: Vec<String> = points
        .map(|(x, y)| format!("{} {}", place(x), place(y)))
        .collect();
    let dot = if places.len() == 1 { "h0" } else { "" };
    format!("M{}{dot}", places.join("L"))
}

/// A place in a drawing.
pub(super) fn place(at: f64) -> String {
    format!("{at:.1}")
}

/// A share in the words of a style.
pub(super) fn percentage(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The ends of all lines, and the corners of all paths that have nothing but these: columns and rows.
    pub(in crate::report) fn places(drawing: &Markup) -> Vec<[f64; 2]> {
        let text = format!("<svg>{}</svg>", drawing.0);
        let read = roxmltree::Document::parse(&text).unwrap();
        let mut places = Vec::new();
        for node in read.descendants() {
            let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
            match node.tag_name().name() {
                "line" => {
                    places.extend([[number("x1"), number("y1")], [number("x2"), number("y2")]])
                }
                "path" => {
                    let corners = node
                        .attribute("d")
                        .unwrap()
                        .replace("h0", "")
                        .replace('z', "");
                    for corner in corners
                        .split(['M', 'L'])
                        .filter(|corner| !corner.is_empty())
                    {
                        let (x, y) = corner.split_once(' ').unwrap();
                        places.push([x, y].map(|place| place.parse().unwrap()));
                    }
                }
                _ => {}
            }
        }
        places
    }

    /// Whether all marks stand in their box.
    pub(in crate::report) fn is_inside(drawing: &Markup) -> bool {
        places(drawing)
            .iter()
            .all(|[x, y]| (0.0..=WIDTH).contains(x) && (0.0..=HEIGHT).contains(y))
    }

    fn interval() -> impl Strategy<Value = Option<[f64; 3]>> {
        let ends = (-1e4..1e4_f64, 0.0..500.0_f64, 0.0..500.0_f64);
        prop::option::of(
            ends.prop_map(|(middle, below, above)| [middle - below, middle, middle + above]),
        )
    }

    proptest! {
        /// Whatever is drawn, it stands in its box, each interval has its estimate within, and no two texts at the left touch.
        #[test]
        fn intervals_stand_in_their_box(
            values in prop::collection::vec(prop::collection::vec(interval(), 5), 1..8),
            name in "\\PC{0,40}",
        ) {
            let groups: Vec<String> = (0..5).map(|group| format!("{name}{group}")).collect();
            let drawn: usize = values.iter().flatten().flatten().count();
            let series: Vec<Series> =
                values.into_iter().map(|values| Series { name: name.clone(), values }).collect();
            let chart = Chart { title: name.clone(), ..intervals("x", &groups, &series, &[0.0], |value| value.to_string()) };
            let places = places(&chart.drawing);
            prop_assert!(is_inside(&chart.drawing), "{places:?}");
            // The line of zero, then of each interval its upper and its lower end, and its estimate twice.
            prop_assert_eq!(places.len(), 2 + 4 * drawn);
            for mark in places[2..].chunks(4) {
                prop_assert!(mark[0][1] <= mark[2][1] && mark[2][1] <= mark[1][1]);
                prop_assert!(mark.iter().all(|place| (place[0] - mark[0][0]).abs() < 1e-9));
            }
            for (at, one) in chart.levels.iter().enumerate() {
                prop_assert!(chart.levels[..at].iter().all(|other| (one.0 - other.0).abs() > 0.08 * HEIGHT));
            }
            let file = chart.file();
            let read = roxmltree::Document::parse(&file);
            prop_assert!(read.is_ok(), "{:?} {file}", read.err());
            prop_assert!(!file.contains("NaN") && !file.contains("inf\"") && !file.contains("var("));
        }
    }

    /// What is written in a file is text, and characters that XML does not have are left out.
    #[test]
    fn a_file_holds_nothing_but_text_of_others() {
        let hostile = "</title><script>harm()</script>&\"'\u{1}\u{ffff}]]>";
        let series = [Series {
            name: hostile.to_owned(),
            values: vec![Some([1.0, 2.0, 3.0])],
        }];
        let chart = intervals("x", &[hostile.to_owned()], &series, &[0.0], |_| {
            hostile.to_owned()
        });
        let file = Chart {
            title: hostile.to_owned(),
            ..chart
        }
        .file();
        let read = roxmltree::Document::parse(&file).unwrap();
        let named = |name: &str| {
            read.descendants()
                .filter(|node| node.tag_name().name() == name)
                .count()
        };
        assert_eq!([named("script"), named("svg")], [0, 1]);
        assert_eq!(
            read.root_element().first_element_child().unwrap().text(),
            Some("</title><script>harm()</script>&\"']]>")
        );
        // Both themes, with colours and without variables.
        assert!(
            file.contains(".card { fill: #ffffff; }") && file.contains(".card { fill: #1b1e24; }"),
            "{file}"
        );
        assert!(
            !file.contains("light-dark") && !file.contains("http:")
                || file.matches("http:").count() == 1
        );
    }

    #[test]
    fn a_note_is_shown_where_it_has_room() {
        let note = |room: f64| {
            Note {
                at: [500.0, 130.0],
                side: Side::Right,
                room,
                text: "+255".to_owned(),
            }
            .render()
            .into_string()
        };
        assert_eq!(note(0.01), "");
        assert!(
            note(0.06).starts_with("<span class=\"note right broad\""),
            "{}",
            note(0.06)
        );
        assert!(
            note(0.2).contains("narrow medium broad")
                && note(0.2).contains("left:50.00%;top:50.00%")
        );
    }

    #[test]
    fn as_many_labels_are_shown_as_have_room() {
        let ticks = |count: u32, text: &dyn Fn(u32) -> String| -> Vec<(f64, String)> {
            (0..count)
                .map(|at| (0.08 + 0.84 * f64::from(at) / f64::from(count - 1), text(at)))
                .collect()
        };
        for (count, long) in [(2, 1), (6, 40), (60, 2), (60, 40), (256, 3)] {
            let ticks = ticks(count, &|at| format!("{at:0long$}"));
            let mut before = 0;
            for (class, width) in WIDTHS {
                let step = every(&ticks, width);
                let shown = (0..ticks.len()).step_by(step).count();
                assert!(
                    shown >= before && shown >= 2,
                    "{count} of {long}, {class}: {shown}"
                );
                before = shown;
                let rem = |step| width * room(&ticks, step, 0);
                assert!(
                    rem(step) >= needed(&ticks),
                    "{count} of {long}, {class}: {step}"
                );
                // One more of them would have had no room.
                assert!(
                    step == 1 || rem(step - 1) < needed(&ticks),
                    "{count} of {long}, {class}: {step}"
                );
            }
            let page = labels(&ticks).into_string();
            assert!(
                page.starts_with("<span class=\"tick middle narrow medium broad\""),
                "{page}"
            );
            assert_eq!(
                page.matches(" narrow").count(),
                (0..ticks.len()).step_by(every(&ticks, 16.0)).count()
            );
        }
        assert_eq!(every(&ticks(6, &|at| at.to_string()), 16.0), 1);
    }
}
