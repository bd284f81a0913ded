//! Charts of metrics over the turns of a game.

use std::collections::BTreeMap;

use maud::html;

use crate::standings::Game;
use crate::standings::metrics::{Charts, Curve, MOST_CHARTS};
use arena_section::chart::{Chart, DRAWN, Scale, WIDTH, level, path};
use arena_section::{Detail, Part};

/// A bot in a chart.
struct Line<'a> {
    bot: &'a str,
    /// The class of its colour, the same in all charts of the game.
    class: String,
    points: Vec<(f64, f64)>,
}

pub(super) fn part(game: &Game, charts: &Charts) -> Part {
    let telling = telling(game, charts);
    let drawn = &telling[..DRAWN.min(telling.len())];
    let mut explanation = "What bots told of themselves: the mean over all games, turn by turn; in long games a point stands \
                           for several turns. metrics.csv has every value."
        .to_owned();
    if telling.len() > DRAWN {
        let drawn = format!(
            " Of the bots that told something, the first {DRAWN} of the standings are drawn."
        );
        explanation += &drawn;
    }
    if charts.len() == MOST_CHARTS {
        let first = format!(" Of the metrics these are the first {MOST_CHARTS} by name.");
        explanation += &first;
    }
    let chart = |(name, curves): (&String, _)| chart(name, &lines(drawn, curves));
    Part {
        title: "Metrics".to_owned(),
        explanation,
        charts: charts.iter().filter_map(chart).collect(),
        detail: Detail::Page,
        ..Part::default()
    }
}

/// The bots with metrics, in the order of the standings.
fn telling<'g>(game: &'g Game, charts: &Charts) -> Vec<&'g str> {
    let mut telling: Vec<&str> = game.bots.iter().map(|bot| &*bot.name).collect();
    telling.retain(|bot| charts.values().any(|curves| curves.contains_key(*bot)));
    telling
}

/// The lines of the bots that have a metric.
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
    let points: Vec<(f64, f64)> = lines.iter().flat_map(|line| line.points.clone()).collect();
    let &(turn, value) = points.first()?;
    let turns = Scale::of(points.iter().map(|point| point.0), turn, turn);
    let values = Scale::of(points.iter().map(|point| point.1), value, value);
    let drawn = values.widened().with_room(0.06);
    let wide = turns.widened();
    let named = |line: &Line<'_>| (line.class.clone(), line.bot.to_owned());
    Some(Chart {
        title: name.to_owned(),
        label: format!("The mean of {name} over the turns of a game"),
        class: "low",
        levels: drawn.levels(number),
        ticks: vec![
            (0.0, format!("turn {}", turns.low.round())),
            (1.0, format!("turn {}", turns.high.round())),
        ],
        drawing: html! {
            @if values.holds(0.0) { (level("zero", drawn.y(0.0))) }
            @for Line { bot, class, points } in lines {
                g class=(class) {
                    path class="series" d=(path(points.iter().map(|&(turn, value)| (WIDTH * wide.place(turn), drawn.y(value))))) { title { (bot) } }
                }
            }
        },
        legend: lines.iter().map(named).collect(),
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
        let least = f64::MIN_POSITIVE;
        let extremes = [1e200, -1e200, least, 0.0, -0.0, 1.0, 1e-300, 12_345.678];
        for one in extremes {
            for other in extremes {
                let lines = [
                    line("a", 0, &[(1.0, one), (2.0, other)]),
                    line("b", 1, &[(1.0, one)]),
                ];
                let page = chart("x", &lines).unwrap().titled().into_string();
                for word in ["NaN", "inf"] {
                    assert!(!page.contains(word), "{one} {other}: {page}");
                }
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
        let page = chart("eval", &lines).unwrap().titled().into_string();
        insta::assert_snapshot!(page.replace("><", ">\n<"));
    }

    #[test]
    fn numbers_have_few_digits() {
        for case in "0 0, 0.5 0.5, -7.25 -7.25, 12 12, 99.9996 100, 123.4 123, 999999 999999, \
                     1e6 1.0e6, -2.5e-7 -2.5e-7, 1.7976931348623157e308 1.8e308"
            .split(", ")
        {
            let (value, shown) = case.split_once(' ').unwrap();
            assert_eq!(number(value.parse().unwrap()), shown);
        }
    }
}
