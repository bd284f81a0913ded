//! The ratings of a game over its games: where they settle.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games are far below 2^52"
)]

use maud::html;

use crate::report::chart::{Chart, DRAWN, HEIGHT, Scale, WIDTH, legend, level, levels, path};
use crate::report::words;
use crate::summary::{BotSummary, GameSummary, Interval};

fn drawn(game: &GameSummary) -> &[BotSummary] {
    &game.bots[..DRAWN.min(game.bots.len())]
}

/// The numbers 1, 2 and 5 with any zeros behind them that a logarithmic scale holds.
fn round(low: u64, high: u64) -> impl Iterator<Item = u64> {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    powers
        .flat_map(|power| [1, 2, 5].map(|first| first * power))
        .filter(move |value| (low..=high).contains(value))
}

/// The ratings after so many games.
pub(super) fn chart(game: &GameSummary) -> Option<Chart> {
    let looks = &game.course;
    let [(first, _), .., (last, _)] = looks[..] else {
        return None;
    };
    let share = |games: u64| (games as f64 / first as f64).ln() / (last as f64 / first as f64).ln();
    let of_two = game.bots.len() == 2;
    let line = |bot: usize| -> Vec<(f64, Interval)> {
        looks
            .iter()
            .filter_map(|(games, elo)| Some((share(*games), (*elo.get(bot)?)?)))
            .collect()
    };
    let lines: Vec<_> = (0..if of_two { 1 } else { drawn(game).len() })
        .map(line)
        .collect();
    // The first intervals are so wide that nothing else would be seen.
    let begins = share(looks[looks.len() / 3].0);
    let seen = |&(at, ends): &(f64, Interval)| if at >= begins { ends } else { [ends[1]; 3] };
    let known = Scale::of(lines.iter().flatten().flat_map(seen), 0.0, 0.0);
    let scale = known.widened().with_room(0.06, 0.06);
    let y = |elo: f64| scale.y(elo).clamp(0.0, HEIGHT);
    let [low, middle, high] =
        [0, 1, 2].map(|end| move |&(at, ends): &(f64, Interval)| (WIDTH * at, y(ends[end])));
    let ticks = round(first, last)
        .map(|games| (share(games), games.to_string()))
        .filter(|(at, _)| *at < 0.85);
    lines.iter().any(|line| line.len() > 2).then(|| Chart {
        label: "Elo with its interval after so many games".to_owned(),
        levels: levels(&[0.0, known.high, known.low], y, |elo| words::level(elo, 0)),
        ticks: ticks.chain([(1.0, format!("{last} games"))]).collect(),
        drawing: html! {
            (level("zero", y(0.0)))
            @for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
                g class={ "s" (at) } {
                    path class="band" d=(path(line.iter().map(high).chain(line.iter().rev().map(low))) + "z") {}
                    path class=(if line.len() == 1 { "series dot" } else { "series" }) d=(path(line.iter().map(middle))) {}
                }
            }
        },
        legend: if of_two { Vec::new() } else { legend(drawn(game).iter().map(|bot| bot.name.as_str())) },
        ..Chart::default()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::chart::tests::{is_inside, places};
    use crate::report::tests::report;

    fn game() -> GameSummary {
        report("x").summary.games.remove(0)
    }

    proptest! {
        /// However a run went, its course stands in its box, and no bot has more marks than there are looks.
        #[test]
        fn a_course_stands_in_its_box(ends in prop::collection::vec((1_u64..50, prop::option::of((-2e3..2e3_f64, 0.0..3e3_f64))), 0..100)) {
            let mut game = game();
            game.course.clear();
            let mut games = 0;
            for (more, known) in &ends {
                games += more;
                let one = known.map(|(elo, error)| [elo - error, elo, elo + error]);
                game.course.push((games, vec![one; game.bots.len()]));
            }
            let known = ends.iter().filter(|(_, known)| known.is_some()).count();
            let chart = chart(&game);
            prop_assert_eq!(chart.is_some(), known > 2);
            if let Some(chart) = chart {
                prop_assert!(is_inside(&chart.drawing));
                // Both edges of the band and the line, and the line of zero.
                prop_assert_eq!(places(&chart.drawing).len(), 2 + 3 * known * game.bots.len());
                prop_assert!(chart.ticks.iter().all(|(at, _)| (0.0..=1.0).contains(at)));
            }
        }
    }

    #[test]
    fn the_last_of_the_games_has_one_label() {
        let mut game = game();
        for last in [20, 30, 50, 100, 101, 1000] {
            game.course = [1, 5, 10, last]
                .map(|games| (games, vec![Some([-1.0, 0.0, 1.0]); game.bots.len()]))
                .to_vec();
            let ticks = chart(&game).unwrap().ticks;
            assert!(ticks.is_sorted_by(|one, next| one.0 < next.0), "{ticks:?}");
            assert_eq!(ticks.last().unwrap().1, format!("{last} games"));
        }
    }
}
