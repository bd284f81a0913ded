//! Means of the bots' metrics over the turns of a game, and charts of them. Memory grows neither
//! with the games nor with their length.

use std::collections::BTreeMap;

use maud::html;

use super::Game;
use crate::play::record::Record;
use arena_section::chart::{Chart, DRAWN, Scale, WIDTH, level, path};
use arena_section::{Detail, Part};

/// The most metrics of a game to keep, the first by name.
pub(crate) const MOST_CHARTS: usize = 32;
/// The largest value to count. Sums and differences of such values are finite.
const LARGEST: f64 = 1e200;
/// The most points of a curve.
const MOST_POINTS: u32 = 100;

/// The metrics of one game: by name, then by bot.
pub(crate) type Charts = BTreeMap<String, BTreeMap<String, Curve>>;

/// The metrics of all games of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetricTally {
    games: BTreeMap<String, Charts>,
}

impl MetricTally {
    /// Counts a game.
    pub(crate) fn add(&mut self, record: &Record) {
        for ((turn, seat, name), value) in record.metrics() {
            let Some(bot) = record.bots.get(seat) else {
                continue;
            };
            let charts = self.games.entry(record.game.clone()).or_default();
            let curves = charts.entry(name.to_owned()).or_default();
            curves.entry(bot.clone()).or_default().add(turn, value);
            // A metric that goes can't be among the first again, so the others miss nothing,
            // whatever the order of the games.
            if charts.len() > MOST_CHARTS {
                charts.pop_last();
            }
        }
    }

    /// The metrics of a game, if a bot reported any.
    pub(crate) fn of(&self, game: &str) -> Option<&Charts> {
        self.games.get(game)
    }
}

/// The means of a metric over the turns of many games.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curve {
    /// Each point covers 2 to this power of turns, as few as possible.
    power: u32,
    /// The number of values of each point, and their sum.
    points: Vec<[f64; 2]>,
}

impl Curve {
    fn add(&mut self, turn: u32, value: f64) {
        while turn >> self.power >= MOST_POINTS {
            self.power += 1;
            self.points = self
                .points
                .chunks(2)
                .map(|pair| [0, 1].map(|at| pair.iter().map(|point| point[at]).sum()))
                .collect();
        }
        let at = (turn >> self.power) as usize;
        if self.points.len() <= at {
            self.points.resize(at + 1, [0.0; 2]);
        }
        let [count, sum] = &mut self.points[at];
        *count += 1.0;
        *sum += value.clamp(-LARGEST, LARGEST);
    }

    /// The points with values: the turn, or the middle of the turns of a point, and the mean.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let turns = f64::from(2_u32.pow(self.power));
        self.points
            .iter()
            .enumerate()
            .filter(|(_, [count, _])| *count > 0.0)
            .map(move |(at, [count, sum])| {
                let middle = at as f64 * turns + (turns - 1.0) / 2.0;
                (middle, sum / count)
            })
    }
}

/// A bot in a chart.
struct Line<'a> {
    bot: &'a str,
    /// The class of its colour, the same in all charts of the game.
    class: String,
    points: Vec<(f64, f64)>,
}

/// The charts of a game.
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
    use crate::testing::promised;

    fn curve(values: &[(u32, f64)]) -> Vec<(f64, f64)> {
        let mut curve = Curve::default();
        for &(turn, value) in values {
            curve.add(turn, value);
        }
        curve.points().collect()
    }

    #[test]
    fn a_curve_is_the_mean_of_each_turn() {
        let two = curve(&[(1, 2.0), (3, 5.0), (1, 4.0)]);
        assert_eq!(two, [(1.0, 3.0), (3.0, 5.0)]);
        for (_, mean) in curve(&[(1, f64::MAX), (1, f64::MAX), (2, f64::MIN), (2, f64::MAX)]) {
            assert!(mean.is_finite(), "{mean}");
        }
    }

    #[test]
    fn turns_of_long_games_are_joined() {
        let long: Vec<(u32, f64)> = (0..1000).map(|turn| (turn, f64::from(turn))).collect();
        let points = curve(&long);
        assert_eq!(points.len(), 63);
        // Sixteen turns in a point, and the mean of their numbers is their middle.
        for (turn, mean) in &points[..62] {
            assert!((turn - mean).abs() < 1e-9, "{turn}: {mean}");
        }
        assert_eq!(curve(&[(0, 1.0), (u32::MAX, 2.0)]).len(), 2);
    }

    #[test]
    fn charts_do_not_depend_on_the_order_of_the_games() {
        let record = |number: usize| -> Record {
            let json = format!(
                r#"{{"game":"onitama","seed":1,"bots":["a","b"],"scores":[0,0],"reason":"timeout","steps":[
                    {{"turn":1,"player":1,"output":"x","metrics":{{"n{:02}":{number},"n{number:02}":1}}}}]}}"#,
                number % 3
            );
            serde_json::from_str(&json).unwrap()
        };
        let told = |numbers: &mut dyn Iterator<Item = usize>| -> Vec<(String, Vec<(f64, f64)>)> {
            let mut tally = MetricTally::default();
            numbers.for_each(|number| tally.add(&record(number)));
            let mut curves = Vec::new();
            for (name, bots) in tally.of("onitama").unwrap() {
                curves.push((name.clone(), bots["b"].points().collect()));
            }
            curves
        };
        let there = told(&mut (0..60));
        let page = "docs/reference/metrics.md";
        let promised = |words| usize::try_from(promised(page, words)).unwrap();
        assert_eq!(there.len(), promised("It shows the first"));
        assert_eq!(promised("metrics by name and the first"), DRAWN);
        assert_eq!(there.last().unwrap().0, "n31");
        for ((name, points), (other, others)) in there.iter().zip(told(&mut (0..60).rev())) {
            assert_eq!(*name, other);
            assert!((points[0].1 - others[0].1).abs() < 1e-9, "{name}");
        }
    }

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
