//! What bots told of themselves, over the turns of a game.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::report::chart::{Chart, DRAWN, Scale, WIDTH, level, levels, path};
use crate::summary::GameSummary;
use crate::summary::metrics::{Charts, Curve, MOST_CHARTS};

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
    let Some(charts) = charts else {
        return html! {};
    };
    html! {
        h3 { "Metrics" }
        p class="explain" { "What bots told of themselves: the mean over all games, turn by turn; in long games a point stands for several turns. "
            code { "metrics.csv" } " has every value."
            @if telling(game, charts).count() > DRAWN { " Of the bots that told something, the first " (DRAWN) " of the standings are drawn." }
            @if charts.len() == MOST_CHARTS { " Of the metrics these are the first " (MOST_CHARTS) " by name." }
        }
        div class="pair" { @for chart in drawn(game, charts) { (chart.titled()) } }
    }
}

/// The bots that told something, in the order of the standings.
fn telling<'g>(game: &'g GameSummary, charts: &Charts) -> impl Iterator<Item = &'g str> {
    let tells = |bot: &&str| charts.values().any(|bots| bots.contains_key(*bot));
    game.bots.iter().map(|bot| bot.name.as_str()).filter(tells)
}

/// A chart of each metric.
fn drawn(game: &GameSummary, charts: &Charts) -> Vec<Chart> {
    let tell: Vec<&str> = telling(game, charts).take(DRAWN).collect();
    charts
        .iter()
        .filter_map(|(name, bots)| chart(name, &lines(&tell, bots)))
        .collect()
}

/// Those of the bots that told this metric.
fn lines<'a>(bots: &[&'a str], curves: &BTreeMap<String, Curve>) -> Vec<Line<'a>> {
    let line = |(at, &bot): (usize, &&'a str)| {
        Some(Line {
            bot,
            class: format!("s{at}"),
            points: curves.get(bot)?.points().collect(),
        })
    };
    bots.iter().enumerate().filter_map(line).collect()
}

fn chart(name: &str, lines: &[Line<'_>]) -> Option<Chart> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let &(turn, value) = points().next()?;
    let turns = Scale::of(points().map(|point| point.0), turn, turn);
    let values = Scale::of(points().map(|point| point.1), value, value);
    let shrunk = Scale {
        low: SHRUNK * values.low,
        high: SHRUNK * values.high,
    };
    let drawn = shrunk.widened().with_room(0.06, 0.06);
    let x = |turn: f64| WIDTH * turns.widened().place(turn);
    let y = |value: f64| drawn.y(SHRUNK * value);
    let shown = [values.high, values.low, 0.0]
        .into_iter()
        .filter(|value| values.holds(*value));
    Some(Chart {
        title: name.to_owned(),
        label: format!("The mean of {name} over the turns of a game"),
        class: "low",
        levels: levels(&shown.collect::<Vec<_>>(), y, number),
        ticks: vec![
            (0.0, format!("turn {}", turns.low.round())),
            (1.0, format!("turn {}", turns.high.round())),
        ],
        drawing: html! {
            @if values.holds(0.0) { (level("zero", y(0.0))) }
            @for line in lines {
                g class=(line.class) {
                    path class="series" d=(path(line.points.iter().map(|&(turn, value)| (x(turn), y(value))))) { title { (line.bot) } }
                }
            }
        },
        legend: lines
            .iter()
            .map(|line| (line.class.clone(), line.bot.to_owned()))
            .collect(),
        ..Chart::default()
    })
}

/// A number with few digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        100.0..1e6 => format!("{value:.0}"),
        0.001..100.0 => format!("{value:.3}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>(bot: &'a str, at: usize, points: &[(f64, f64)]) -> Line<'a> {
        Line {
            bot,
            class: format!("s{at}"),
            points: points.to_vec(),
        }
    }

    #[test]
    fn every_number_of_a_chart_is_finite() {
        let extremes = [
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            0.0,
            -0.0,
            1.0,
            1e-300,
            12_345.678,
        ];
        for one in extremes {
            for other in extremes {
                let lines = [
                    line("a", 0, &[(1.0, one), (2.0, other)]),
                    line("b", 1, &[(1.0, one)]),
                ];
                let page = chart("x", &lines).unwrap().titled().into_string();
                assert!(
                    !page.contains("NaN") && !page.contains("inf"),
                    "{one} {other}: {page}"
                );
            }
        }
        assert!(chart("x", &[]).is_none());
    }

    #[test]
    fn what_a_chart_says() {
        let lines = [
            line("<a>", 0, &[(1.0, -1.0), (2.0, 3.0), (9.0, 0.5)]),
            line("b", 3, &[(4.0, 2.0)]),
        ];
        insta::assert_snapshot!(
            chart("eval", &lines)
                .unwrap()
                .titled()
                .into_string()
                .replace("><", ">\n<")
        );
    }

    #[test]
    fn numbers_have_few_digits() {
        let shown = [
            0.0,
            0.5,
            -7.25,
            12.0,
            99.9996,
            123.4,
            999_999.0,
            1e6,
            -2.5e-7,
            f64::MAX,
        ]
        .map(number);
        assert_eq!(
            shown,
            [
                "0", "0.5", "-7.25", "12", "100", "123", "999999", "1.0e6", "-2.5e-7", "1.8e308"
            ]
        );
    }
}
