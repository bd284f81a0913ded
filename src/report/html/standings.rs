//! The standings of a game.

use maud::{Markup, html};

use super::parts::{axis_head, bar, counted, dash, number, number_head, scroll, strip, text_head, tick};
use crate::report::table::{elo, faults, interval, notes};
use crate::report::words::{faults_of, likelihood, percent};
use crate::summary::{BotSummary, GameSummary};

pub(super) fn part(game: &GameSummary) -> Markup {
    html! {
        (scroll("Standings", &table(game)))
        @let notes = notes(game);
        @if !notes.is_empty() { ul class="notes" { @for note in notes { li { (note) } } } }
    }
}

fn table(game: &GameSummary) -> Markup {
    let (scale, four) = (Scale::of(game), game.seats > 2);
    html! {
        table class="sortable standings" {
            thead { tr {
                th scope="col" data-sort="number" aria-sort="ascending" { "#" }
                (text_head("bot"))
                (number_head("Elo"))
                (axis_head("95% interval, drawn", &scale.marks()))
                (number_head("95% interval"))
                (number_head("games"))
                @if four { (number_head("mean place")) (number_head("first")) }
                (number_head("score"))
                (number_head("won")) (number_head("drawn")) (number_head("lost"))
                th scope="col" data-sort="number" title="The likelihood of superiority: that the bot is stronger than the next one" { "above next" }
                (text_head("faults"))
            } }
            tbody { @for bot in &game.bots { tr {
                (counted(bot.rank as u64))
                th scope="row" { (bot.name) }
                (number(bot.elo, &dash(elo(bot))))
                (strip(&format!("Elo {}, 95% interval {}", elo(bot), interval(bot, game)), &scale.drawing(bot, game)))
                (number(bot.lo95, &dash(interval(bot, game))))
                (counted(bot.games))
                @if four {
                    (number(Some(bot.mean_place), &format!("{:.2}", bot.mean_place)))
                    (number(Some(bot.firsts), &percent(bot.firsts)))
                }
                (number(Some(bot.score), &percent(bot.score)))
                (counted(bot.wins)) (counted(bot.draws)) (counted(bot.losses))
                (number(bot.los_next, &bot.los_next.map_or_else(|| "–".to_owned(), likelihood)))
                td class=(if faults_of(bot) > 0 { "text bad" } else { "text none" }) { (dash(faults(bot))) }
            } } }
        }
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
        let value = |number: i32| f64::from(number * step);
        let inside = (-5..=5).map(value).filter(|value| (self.low..=self.high).contains(value));
        inside.map(|value| (self.place(value), if value == 0.0 { "0".into() } else { format!("{value:+}") })).collect()
    }

    fn drawing(&self, bot: &BotSummary, game: &GameSummary) -> Markup {
        let ends = bot.lo95.zip(bot.hi95).map(|(lo, hi)| (self.place(lo), self.place(hi)));
        let vague = if game.groups.len() > 1 || bot.provisional { "interval vague" } else { "interval" };
        html! {
            @for (place, text) in self.marks() { (tick(if text == "0" { "zero" } else { "grid" }, place, 0.0, 20.0)) }
            @if let Some(ends) = ends { (bar(vague, ends, 7.0, 6.0)) }
            @if let Some(elo) = bot.elo { (tick("point", self.place(elo), 3.0, 17.0)) }
        }
    }
}
