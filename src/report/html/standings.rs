//! The standings of a game.

use maud::{Markup, html};

use super::parts::{Extra, axis_head, bar, strip, table, tick};
use crate::report::standings::{COLUMNS, elo, interval, notes, standings};
use crate::summary::{BotSummary, GameSummary};

pub(super) fn part(game: &GameSummary) -> Markup {
    let scale = Scale::of(game);
    let drawn = Extra {
        after: 2,
        head: axis_head("95% interval, drawn", &scale.marks()),
        cells: game.bots.iter().map(|bot| scale.strip(bot, game)).collect(),
    };
    let notes = notes(game);
    html! {
        (table(&standings(game).pick(&COLUMNS), "standings", Some(&drawn)))
        @if !notes.is_empty() { ul class="notes" { @for note in notes { li { (note) } } } }
    }
}

/// From Elo to places in a drawing.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn of(game: &GameSummary) -> Scale {
        let ends = game.bots.iter().flat_map(|bot| [bot.lo95, bot.elo, bot.hi95]).flatten();
        let (low, high) = ends.fold((-10.0_f64, 10.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        let margin = 0.04 * (high - low);
        Scale { low: low - margin, high: high + margin }
    }

    fn place(&self, elo: f64) -> f64 {
        (elo - self.low) / (self.high - self.low)
    }

    /// Round values, four at most on each side.
    fn marks(&self) -> Vec<(f64, String)> {
        let steps = [5, 10, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000];
        let step = steps.into_iter().find(|&step| (self.high - self.low) / f64::from(step) <= 4.5).unwrap_or(10_000);
        let values = (-5..=5).map(|number| f64::from(number * step));
        let inside = values.filter(|value| (self.low..=self.high).contains(value));
        inside.map(|value| (self.place(value), if value == 0.0 { "0".into() } else { format!("{value:+}") })).collect()
    }

    fn strip(&self, bot: &BotSummary, game: &GameSummary) -> Markup {
        let ends = bot.lo95.zip(bot.hi95).map(|(lo, hi)| (self.place(lo), self.place(hi)));
        let vague = if game.groups.len() > 1 || bot.provisional { "interval vague" } else { "interval" };
        let label = format!("Elo {}, 95% interval {}", elo(bot), interval(bot, game));
        strip(
            &label,
            &html! {
                @for (place, text) in self.marks() { (tick(if text == "0" { "zero" } else { "grid" }, place, 0.0, 20.0)) }
                @if let Some(ends) = ends { (bar(vague, ends, 7.0, 6.0)) }
                @if let Some(elo) = bot.elo { (tick("point", self.place(elo), 3.0, 17.0)) }
            },
        )
    }
}
