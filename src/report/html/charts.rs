//! Drawings of one game of a run.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games, answers and rows are far below 2^52"
)]

use std::ops::Range;

use maud::{Markup, html};

use super::parts::milliseconds;
use super::times::log;
use crate::report::chart::{
    Chart, DRAWN, HEIGHT, Scale, Series, WIDTH, intervals, legend, level, levels, path, place,
    whole,
};
use crate::report::replays::Listed;
use crate::report::words::{percent, whole_elo};
use crate::summary::{BINS, BotSummary, GameSummary, Interval, TimeSummary, bin_start};

/// So many games of a bot are drawn at most.
const GAMES: usize = 240;
fn drawn(game: &GameSummary) -> &[BotSummary] {
    &game.bots[..DRAWN.min(game.bots.len())]
}

/// Where so many rows stand, of which this is one.
fn row(at: usize, rows: usize) -> Range<f64> {
    let height = HEIGHT / rows.max(1) as f64;
    height * at as f64..height * (at + 1) as f64
}

fn middle(row: &Range<f64>) -> f64 {
    f64::midpoint(row.start, row.end)
}

/// The names of rows, each at its row.
fn names(bots: &[BotSummary]) -> Vec<(f64, String)> {
    (0..)
        .zip(bots)
        .map(|(at, bot)| (middle(&row(at, bots.len())), bot.name.clone()))
        .collect()
}

/// The numbers 1, 2 and 5 with any zeros behind them that a logarithmic scale holds.
fn round(low: u64, high: u64) -> impl Iterator<Item = u64> {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    powers
        .flat_map(|power| [1, 2, 5].map(|first| first * power))
        .filter(move |value| (low..=high).contains(value))
}

/// The ratings after so many games: where they settle.
pub(super) fn course(game: &GameSummary) -> Option<Chart> {
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
        levels: levels(&[0.0, known.high, known.low], y, whole_elo),
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

/// The scores in every seat.
pub(super) fn seats(game: &GameSummary) -> Option<Chart> {
    let seats: Vec<String> = (0..game.seats).map(|seat| format!("seat {seat}")).collect();
    scores(&seats, game, |_, bot| bot.seat_scores.clone())
}

/// The scores on every map.
pub(super) fn boards(game: &GameSummary) -> Option<Chart> {
    let boards: Vec<String> = game.boards.iter().map(|board| board.name.clone()).collect();
    let of = |place: usize| {
        game.boards
            .iter()
            .map(move |board| board.of_units.get(place).copied().flatten())
            .collect()
    };
    scores(&boards, game, |place, _| of(place))
}

fn scores(
    groups: &[String],
    game: &GameSummary,
    values: impl Fn(usize, &BotSummary) -> Vec<Option<Interval>>,
) -> Option<Chart> {
    let series = drawn(game).iter().enumerate().map(|(at, bot)| Series {
        name: bot.name.clone(),
        values: values(at, bot),
    });
    let series: Vec<Series> = series.collect();
    let is_known = series
        .iter()
        .any(|one| one.values.iter().any(Option::is_some));
    is_known.then(|| {
        intervals(
            "Scores with 95% intervals",
            groups,
            &series,
            &[0.5],
            percent,
        )
    })
}

/// What became of a bot, and where in its row that stands, from the top: the upper end, and the height.
const ENDS: [(&str, f64, f64); 3] = [
    ("won", 0.12, 0.28),
    ("drawn", 0.48, 0.04),
    ("lost", 0.6, 0.28),
];

/// How long the games of each bot were, by their results.
pub(super) fn lengths(game: &GameSummary, listed: &[Listed]) -> Option<Chart> {
    let games: Vec<&Listed> = listed
        .iter()
        .filter(|listed| listed.game == game.game)
        .collect();
    let scale = Scale::of(
        games.iter().map(|game| f64::from(game.turns)),
        f64::INFINITY,
        f64::NEG_INFINITY,
    );
    let room = scale.widened().with_room(0.02, 0.02);
    let bots = drawn(game);
    let of_bot = |at: usize, bot: &BotSummary| {
        let (row, mut marks) = (row(at, bots.len()), ENDS.map(|_| Vec::new()));
        let seats = games
            .iter()
            .flat_map(|game| (0..game.bots.len()).map(move |seat| (*game, seat)));
        let own: Vec<(&Listed, usize)> = seats
            .filter(|(game, seat)| game.bots[*seat] == bot.name)
            .collect();
        for (number, part) in own.chunks(own.len().div_ceil(GAMES).max(1)).enumerate() {
            // The golden ratio spreads any number of games evenly: those of one length beside each other; and those that are drawn over
            // all of a unit, whose games follow a pattern.
            let spread = (number as f64 * 0.618_034).fract();
            let (game, seat) = part[whole(spread * part.len() as f64)];
            let end = ended(game, seat);
            let (_, top, height) = ENDS[end];
            let y = row.start + (row.end - row.start) * (top + height * spread);
            marks[end].push(format!(
                "M{} {}h0",
                place(WIDTH * room.place(f64::from(game.turns))),
                place(y)
            ));
        }
        html! {
            (level("grid", row.start))
            @for ((class, ..), marks) in ENDS.iter().zip(&marks).filter(|(_, marks)| !marks.is_empty()) {
                path class={ "games " (class) } d=(marks.concat()) {}
            }
        }
    };
    (!games.is_empty()).then(|| Chart {
        label: "The length of games that bots won, drew and lost".to_owned(),
        class: "rows",
        levels: names(bots),
        ticks: vec![
            (0.0, format!("turn {}", scale.low)),
            (1.0, format!("turn {}", scale.high)),
        ],
        drawing: html! { @for (at, bot) in bots.iter().enumerate() { (of_bot(at, bot)) } },
        ..Chart::default()
    })
}

/// How a game ended for a seat, as the list of games has it: a place in [`ENDS`].
fn ended(game: &Listed, seat: usize) -> usize {
    match game.places.get(seat) {
        Some(1) if game.places.iter().filter(|&&place| place == 1).count() > 1 => 1,
        Some(1) => 0,
        _ => 2,
    }
}

pub(super) fn in_words(times: &TimeSummary) -> String {
    format!(
        "median {} ms, longest {} ms",
        milliseconds(times.p50),
        milliseconds(times.max)
    )
}

/// Response times over their scale: as high as `height` above `base` where there are most.
pub(super) fn histogram(times: &TimeSummary, scale: &Scale, base: f64, height: f64) -> Markup {
    let most = times.histogram.iter().copied().max().unwrap_or(0).max(1) as f64;
    let x = |bin: usize| place(WIDTH * scale.place(log(bin_start(bin))).clamp(0.0, 1.0));
    let bars = (0..BINS)
        .filter(|&bin| times.histogram[bin] > 0)
        .map(|bin| {
            // By the root, so that few slow answers are seen beside many fast ones.
            let high = height * (times.histogram[bin] as f64 / most).sqrt();
            format!(
                "M{} {}V{}H{}V{}z",
                x(bin),
                place(base),
                place(base - high),
                x(bin + 1),
                place(base)
            )
        });
    html! { path class="bars" d=(bars.collect::<String>()) {} }
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
            let chart = course(&game);
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
            let ticks = course(&game).unwrap().ticks;
            assert!(ticks.is_sorted_by(|one, next| one.0 < next.0), "{ticks:?}");
            assert_eq!(ticks.last().unwrap().1, format!("{last} games"));
        }
    }

    #[test]
    fn a_bot_in_two_seats_has_two_marks() {
        let report = report("x");
        let game = report
            .summary
            .games
            .iter()
            .find(|game| game.game == report.replays.listed[0].game)
            .unwrap();
        let bots = vec![game.bots[0].name.clone(); 2];
        let listed = Listed {
            bots,
            places: vec![1, 2],
            ..report.replays.listed[0].clone()
        };
        let drawing = lengths(game, &[listed]).unwrap().drawing.0;
        for class in ["won", "lost"] {
            assert_eq!(
                drawing.matches(&format!("games {class}")).count(),
                1,
                "{drawing}"
            );
        }
    }

    #[test]
    fn of_many_games_a_part_is_drawn() {
        let report = report("x");
        let game = report
            .summary
            .games
            .iter()
            .find(|game| game.game == report.replays.listed[0].game)
            .unwrap();
        let bot = |at: usize| game.bots[at].name.clone();
        let listed: Vec<Listed> = (0..10_000)
            .map(|number| Listed {
                number,
                turns: 10 + u32::try_from(number % 90).unwrap(),
                bots: vec![bot(0), bot(1)],
                places: [vec![1, 2], vec![2, 1], vec![1, 1]]
                    [usize::try_from(number).unwrap() / 7 % 3]
                    .clone(),
                ..report.replays.listed[0].clone()
            })
            .collect();
        let chart = lengths(game, &listed).unwrap();
        assert!(is_inside(&chart.drawing));
        for class in ["won", "drawn", "lost"] {
            assert_eq!(
                chart.drawing.0.matches(&format!("games {class}")).count(),
                2
            );
        }
        let dots = chart.drawing.0.matches("h0").count();
        assert!((GAMES..=2 * GAMES).contains(&dots), "{dots}");
        assert!(lengths(game, &[]).is_none());
    }
}
