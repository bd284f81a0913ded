//! The standings of a game.

use maud::{Markup, html};

use super::parts::{Extra, Scale, axis_head, bar, strip, table, tick};
use crate::report::standings::{COLUMNS, elo, interval, notes, standings};
use crate::summary::{BotSummary, GameSummary};

pub(super) fn part(game: &GameSummary) -> Markup {
    let ends = game.bots.iter().flat_map(|bot| [bot.lo95, bot.elo, bot.hi95]).flatten();
    let scale = Scale::of(ends, -10.0, 10.0).with_room(0.04, 0.04);
    let marks = marks(&scale);
    let drawn = Extra {
        after: 2,
        head: axis_head("95% interval, drawn", &marks),
        cells: game.bots.iter().map(|bot| drawing(bot, game, &scale, &marks)).collect(),
    };
    let notes = notes(game);
    html! {
        (table(&standings(game).pick(&COLUMNS), "standings", Some(&drawn)))
        @if !notes.is_empty() { ul class="notes" { @for note in notes { li { (note) } } } }
    }
}

/// Round values with their places, four at most on each side.
fn marks(scale: &Scale) -> Vec<(f64, String)> {
    let steps = [5, 10, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000];
    let step = steps.into_iter().find(|&step| (scale.high - scale.low) / f64::from(step) <= 4.5).unwrap_or(10_000);
    let inside = (-5..=5).map(|number| f64::from(number * step)).filter(|value| scale.holds(*value));
    inside.map(|value| (scale.place(value), if value == 0.0 { "0".into() } else { format!("{value:+}") })).collect()
}

fn drawing(bot: &BotSummary, game: &GameSummary, scale: &Scale, marks: &[(f64, String)]) -> Markup {
    let ends = bot.lo95.zip(bot.hi95).map(|(lo, hi)| [lo, hi].map(|end| scale.place(end)));
    let class = if game.groups.len() > 1 || bot.provisional { "interval vague" } else { "interval" };
    let label = format!("Elo {}, 95% interval {}", elo(bot), interval(bot, game));
    strip(
        &label,
        &html! {
            @for (place, text) in marks { (tick(if text == "0" { "zero" } else { "grid" }, *place, 0.0, 20.0)) }
            @if let Some(ends) = ends { (bar(class, ends, 7.0, 6.0)) }
            @if let Some(elo) = bot.elo { (tick("point", scale.place(elo), 3.0, 17.0)) }
        },
    )
}
