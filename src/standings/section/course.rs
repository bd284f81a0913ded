//! The chart of ratings over the games, which shows where they settle.

use maud::{Markup, html};

use crate::standings::{Game, Interval};
use arena_section::chart::{Chart, DRAWN, HEIGHT, Scale, WIDTH, legend, level, path};
use arena_section::words;

/// The ratings of a bot over the games, at places from 0 to 1.
type Points = Vec<(f64, Interval)>;

/// The ratings after so many games, on a logarithmic scale. Two bots have one line: how far the
/// first is ahead.
pub(super) fn chart(game: &Game) -> Option<Chart> {
    let [(first, _), .., (last, _)] = game.course[..] else {
        return None;
    };
    let of_two = game.bots.len() == 2;
    let most = if of_two { 1 } else { DRAWN };
    let drawn = most.min(game.bots.len());
    let lines: Vec<Points> = (0..drawn).map(|bot| line(game, bot, first, last)).collect();
    if lines.iter().all(|line| line.len() <= 2) {
        return None;
    }
    // The first intervals are so wide that they would hide everything else.
    let begins = place(game.course[game.course.len() / 3].0, first, last);
    let seen = lines.iter().flatten();
    let seen = seen.flat_map(|&(at, ends)| if at >= begins { ends } else { [ends[1]; 3] });
    let scale = Scale::of(seen, 0.0, 0.0).widened().with_room(0.06, 0.06);
    let names = game.bots[..drawn].iter().map(|bot| bot.name.as_str());
    Some(Chart {
        label: "Elo with its interval after so many games".to_owned(),
        levels: scale.levels(words::bound),
        ticks: ticks(first, last),
        drawing: html! {
            (level("zero", y(scale, 0.0)))
            @for (at, line) in lines.iter().enumerate() {
                @if !line.is_empty() { g class={ "s" (at) } { (ribbon(line, scale)) } }
            }
        },
        legend: if of_two { Vec::new() } else { legend(names) },
        ..Chart::default()
    })
}

fn line(game: &Game, bot: usize, first: u64, last: u64) -> Points {
    let mut line = Points::new();
    for (games, elo) in &game.course {
        if let Some(Some(elo)) = elo.get(bot) {
            line.push((place(*games, first, last), *elo));
        }
    }
    line
}

fn place(games: u64, first: u64, last: u64) -> f64 {
    (games as f64 / first as f64).ln() / (last as f64 / first as f64).ln()
}

fn y(scale: Scale, elo: f64) -> f64 {
    scale.y(elo).clamp(0.0, HEIGHT)
}

/// Labels at 1, 2 and 5 times powers of ten, and at the last game.
fn ticks(first: u64, last: u64) -> Vec<(f64, String)> {
    let mut ticks = Vec::new();
    for power in 0..19 {
        for games in [1, 2, 5].map(|digit| digit * 10_u64.pow(power)) {
            let at = place(games, first, last);
            if (first..=last).contains(&games) && at < 0.65 {
                ticks.push((at, games.to_string()));
            }
        }
    }
    ticks.push((1.0, last.to_string()));
    ticks
}

/// A line in the band of its intervals.
fn ribbon(line: &Points, scale: Scale) -> Markup {
    let [lower, middle, upper] = [0, 1, 2].map(|which| {
        line.iter()
            .map(move |(at, ends)| (WIDTH * at, y(scale, ends[which])))
    });
    html! {
        path class="band" d=(path(upper.chain(lower.rev())) + "z") {}
        path class=(if line.len() == 1 { "series dot" } else { "series" }) d=(path(middle)) {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::standings::BotSummary;

    fn game() -> Game {
        Game {
            bots: vec![BotSummary::default(); 3],
            ..Game::default()
        }
    }

    /// The ends of all lines, and the corners of all paths that have nothing but these: columns and
    /// rows.
    fn places(drawing: &Markup) -> Vec<[f64; 2]> {
        let text = format!("<svg>{}</svg>", drawing.0);
        let read = roxmltree::Document::parse(&text).unwrap();
        let mut places = Vec::new();
        for node in read.descendants() {
            let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
            match node.tag_name().name() {
                "line" => {
                    places.extend([[number("x1"), number("y1")], [number("x2"), number("y2")]]);
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

    /// Whether all marks are inside the box.
    fn is_inside(drawing: &Markup) -> bool {
        places(drawing)
            .iter()
            .all(|[x, y]| (0.0..=WIDTH).contains(x) && (0.0..=HEIGHT).contains(y))
    }

    proptest! {
        /// In any run, the chart stays inside its box, and no bot has more marks than there
        /// are looks.
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
            assert_eq!(ticks.last().unwrap().1, last.to_string());
        }
    }
}
