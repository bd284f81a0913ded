//! What bots told of themselves, over the turns of a game.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::parts::{HEIGHT, Scale, WIDTH, level, place, plot};
use crate::summary::GameSummary;
use crate::summary::metrics::{Charts, Curve, MOST_CHARTS};

/// So many bots are drawn at most, the first of the standings: page.css has as many colours.
const DRAWN: usize = 6;

/// By this values are shrunk before places are computed, so that no difference of two is infinite.
const SHRUNK: f64 = 1.0 / 8.0;

/// One bot of a chart.
struct Line<'a> {
    bot: &'a str,
    /// The class that has its colour, the same in all charts of the game.
    class: String,
    points: Vec<(f64, f64)>,
}

pub(super) fn part(game: &GameSummary, charts: Option<&Charts>) -> Markup {
    let Some(charts) = charts else { return html! {} };
    let tells = |bot: &&str| charts.values().any(|bots| bots.contains_key(*bot));
    let mut tell: Vec<&str> = game.bots.iter().map(|bot| bot.name.as_str()).filter(tells).collect();
    let are_all = tell.len() <= DRAWN;
    tell.truncate(DRAWN);
    html! {
        h3 { "Metrics" }
        p class="explain" { "What bots told of themselves: the mean over all games, turn by turn; in long games a point stands for several turns. "
            code { "metrics.csv" } " has every value."
            @if !are_all { " Of the bots that told something, the first " (DRAWN) " of the standings are drawn." }
            @if charts.len() == MOST_CHARTS { " Of the metrics these are the first " (MOST_CHARTS) " by name." }
        }
        div class="pair" { @for (name, bots) in charts { (chart(name, &lines(&tell, bots))) } }
    }
}

/// Those of the bots that told this metric.
fn lines<'a>(bots: &[&'a str], curves: &BTreeMap<String, Curve>) -> Vec<Line<'a>> {
    let line = |(at, &bot): (usize, &&'a str)| {
        Some(Line { bot, class: format!("s{at}"), points: curves.get(bot)?.points().collect() })
    };
    bots.iter().enumerate().filter_map(line).collect()
}

fn chart(name: &str, lines: &[Line<'_>]) -> Markup {
    let points = || lines.iter().flat_map(|line| &line.points);
    let Some(&(turn, value)) = points().next() else { return html! {} };
    let turns = Scale::of(points().map(|point| point.0), turn, turn);
    let values = Scale::of(points().map(|point| point.1), value, value);
    let shrunk = Scale { low: SHRUNK * values.low, high: SHRUNK * values.high };
    let drawn = widened(&shrunk).with_room(0.06, 0.06);
    let x = |turn: f64| WIDTH * widened(&turns).place(turn);
    let y = |value: f64| HEIGHT * (1.0 - drawn.place(SHRUNK * value));
    let ends = html! {
        span class="start" style="left:0" { "turn " (turns.low.round()) }
        span class="end" style="left:100%" { "turn " (turns.high.round()) }
    };
    let drawing = html! {
        @if values.holds(0.0) { (level("zero", y(0.0))) }
        @for line in lines {
            path class=(line.class) d=(path(line.points.iter().map(|&(turn, value)| (x(turn), y(value))))) { title { (line.bot) } }
        }
    };
    html! {
        div class="metric" {
            h4 { (name) }
            (plot(&format!("The mean of {name} over the turns of a game"), &levels(&values, y), &ends, &drawing))
            ul class="legend" { @for line in lines { li class=(line.class) { (line.bot) } } }
        }
    }
}

/// The ends of the scale and zero, as far as they do not touch each other.
fn levels(values: &Scale, y: impl Fn(f64) -> f64) -> Vec<(f64, String)> {
    let mut levels: Vec<(f64, String)> = Vec::new();
    for value in [values.high, values.low, 0.0].into_iter().filter(|value| values.holds(*value)) {
        if levels.iter().all(|(at, _)| (at - y(value)).abs() > 0.08 * HEIGHT) {
            levels.push((y(value), number(value)));
        }
    }
    levels
}

/// The same, or one with room round it where it holds a single value.
fn widened(scale: &Scale) -> Scale {
    let room = if scale.high > scale.low { 0.0 } else { (0.1 * scale.low.abs()).max(1e-3) };
    Scale { low: scale.low - room, high: scale.high + room }
}

/// The points as an SVG path; a single one is a dot.
fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let places: Vec<String> = points.map(|(x, y)| format!("{} {}", place(x), place(y))).collect();
    let dot = if places.len() == 1 { "h0" } else { "" };
    format!("M{}{dot}", places.join("L"))
}

/// A number with few digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        100.0..1e6 => format!("{value:.0}"),
        0.001..100.0 => format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>(bot: &'a str, at: usize, points: &[(f64, f64)]) -> Line<'a> {
        Line { bot, class: format!("s{at}"), points: points.to_vec() }
    }

    #[test]
    fn every_number_of_a_chart_is_finite() {
        let extremes = [f64::MAX, f64::MIN, f64::MIN_POSITIVE, 0.0, -0.0, 1.0, 1e-300, 12_345.678];
        for one in extremes {
            for other in extremes {
                let lines = [line("a", 0, &[(1.0, one), (2.0, other)]), line("b", 1, &[(1.0, one)])];
                let page = chart("x", &lines).into_string();
                assert!(!page.contains("NaN") && !page.contains("inf"), "{one} {other}: {page}");
            }
        }
        assert_eq!(chart("x", &[]).into_string(), "");
    }

    #[test]
    fn what_a_chart_says() {
        let lines = [line("<a>", 0, &[(1.0, -1.0), (2.0, 3.0), (9.0, 0.5)]), line("b", 3, &[(4.0, 2.0)])];
        insta::assert_snapshot!(chart("eval", &lines).into_string().replace("><", ">\n<"));
    }

    #[test]
    fn numbers_have_few_digits() {
        let shown = [0.0, 0.5, -7.25, 12.0, 99.9996, 123.4, 999_999.0, 1e6, -2.5e-7, f64::MAX].map(number);
        assert_eq!(shown, ["0", "0.5", "-7.25", "12", "100", "123", "999999", "1.0e6", "-2.5e-7", "1.8e308"]);
    }
}
