//! One game of a run: standings, and results by opponent, seat, map and reason.

use maud::{Markup, html};

use super::parts::{axis_head, bar, notes, section, strip, table, table_with, tick};
use super::{course, metrics, times};
use crate::report::RunReport;
use crate::report::faults;
use crate::section::chart::{DRAWN, Scale};
use crate::section::words::{bound, interval, percent, signed};
use crate::standings::tables::{self, ANYTIME, COLUMNS, crosstable, elo, met};
use crate::standings::{BotSummary, Game};

/// A game of a run.
pub(super) fn part(game: &Game, report: &RunReport) -> Markup {
    let plan = report.plan.games.iter().find(|plan| plan.id == game.game);
    let content = html! {
        @if game.games > 0 {
            (ratings(game))
            (notes(&tables::notes(game)))
            (course(game))
            (pairings(game))
            (times::part(game, plan))
            (metrics::part(game, report.metrics.of(&game.game)))
            (fault_rates(game))
            div class="pair" {
                (seats(game))
                (reasons(game))
            }
            @if !game.boards.is_empty() {
                h3 { "By map" }
                (table_with(&tables::boards(game), "cross", None))
            }
        } @else if report.finding.unrated.is_empty() {
            p class="headline" { "No game was played." }
        } @else {
            p class="headline" { (report.finding.unrated) }
            (times::part(game, plan))
        }
    };
    section(&game.game, &game.title, &content)
}

/// The standings. If there are more than two bots, their intervals are drawn.
fn ratings(game: &Game) -> Markup {
    let standings = tables::standings(game).pick(&COLUMNS);
    if game.difference.is_some() {
        return table_with(&standings, "standings", None);
    }
    let bots = game.bots.iter();
    let ends = bots.flat_map(|bot| [bot.lo95, bot.elo, bot.hi95]).flatten();
    let scale = Scale::of(ends, -10.0, 10.0).with_room(0.04, 0.04);
    let marks = marks(&scale);
    let bots = game.bots.iter();
    let drawn = bots.map(|bot| drawing(bot, game, &scale, &marks)).collect();
    let column = (axis_head("95% interval, drawn", &marks), drawn);
    table_with(&standings, "standings", Some((3, column)))
}

/// Round values with their places, four at most on each side.
fn marks(scale: &Scale) -> Vec<(f64, String)> {
    let steps = [5, 10, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000];
    let step = steps
        .into_iter()
        .find(|&step| (scale.high - scale.low) / f64::from(step) <= 4.5)
        .unwrap_or(10_000);
    let mut marks = Vec::new();
    for number in -5..=5 {
        let value = f64::from(number * step);
        if scale.holds(value) {
            marks.push((scale.place(value), bound(value)));
        }
    }
    marks
}

fn drawing(bot: &BotSummary, game: &Game, scale: &Scale, marks: &[(f64, String)]) -> Markup {
    let ends = match (bot.lo95, bot.hi95) {
        (Some(lo), Some(hi)) => Some([scale.place(lo), scale.place(hi)]),
        _ => None,
    };
    let class = if game.groups.len() > 1 || bot.provisional {
        "interval vague"
    } else {
        "interval"
    };
    let label = format!(
        "Elo {}, 95% interval {}",
        elo(bot),
        tables::interval(bot, game)
    );
    strip(
        &label,
        &html! {
            @for (place, text) in marks { (tick(if text == "0" { "zero" } else { "grid" }, *place, 0.0, 20.0)) }
            @if let Some(ends) = ends { (bar(class, ends, 7.0, 6.0)) }
            @if let Some(elo) = bot.elo { (tick("point", scale.place(elo), 3.0, 17.0)) }
        },
    )
}

/// The chart of ratings over the games.
fn course(game: &Game) -> Markup {
    html! {
        @if let Some(chart) = course::chart(game) {
            h3 { "Elo over the games" }
            p class="explain" {
                @match &game.difference {
                    Some(difference) => { "How far " (difference.first) " was ahead of " (difference.second) " after so many games, with the interval that holds at every look." }
                    None => { "What the games so far said, with 95% intervals." @if game.bots.len() > DRAWN { " The first " (DRAWN) " of the standings are drawn." } }
                }
                " The scale of the games is logarithmic."
            }
            (chart.figure())
        }
    }
}

/// Results of each pairing: a crosstable if most bots met, else a list.
fn pairings(game: &Game) -> Markup {
    let bots = game.bots.len();
    let is_square = bots > 2 && 4 * game.pairings.len() > bots * (bots - 1);
    let columns = [
        "bot",
        "against",
        "score",
        "won",
        "drawn",
        "lost",
        "Elo",
        "95% interval",
        ANYTIME,
        "LOS",
        "units",
    ];
    html! {
        @if !game.pairings.is_empty() {
            h3 { "Against each other" }
            @if is_square {
                p class="explain" { "The score of the bot in the row against the bot in the column, with its wins, draws and losses. Elo is in the tip of each cell." }
                (table_with(&crosstable(&game.bots, |bot, other| met(game, bot, other)), "cross", None))
            } @else {
                (table(&tables::pairings(game).pick(&columns)))
            }
        }
    }
}

/// Fault rates, also of bots without a fault: even that sets a limit.
fn fault_rates(game: &Game) -> Markup {
    html! {
        h3 { "Fault rates" }
        p class="explain" { "In how many of its games a bot failed, with exact intervals; the true share is below the last number with 95% confidence." }
        (table(&faults::rates(game)))
        (notes(&Vec::from_iter(faults::compared(game))))
    }
}

/// The score of every bot in every seat.
fn seats(game: &Game) -> Markup {
    html! {
        div {
            h3 { "By seat" }
            @if let Some(first) = game.first_player {
                p class="explain" { "Moving first is worth " (signed(first.elo, 1)) " " (interval([first.lo95, first.hi95], 1)) " Elo." }
            }
            (table_with(&tables::seats(game), "cross", None))
        }
    }
}

/// Reasons of ends, with their shares drawn.
fn reasons(game: &Game) -> Markup {
    let reasons = tables::reasons(game);
    let mut drawn = Vec::new();
    for share in reasons
        .columns
        .last()
        .map_or(&[][..], |column| &column.cells)
    {
        let share = share.value.unwrap_or_default();
        drawn.push(strip(
            &percent(share),
            &bar("plain", [0.0, share], 4.0, 12.0),
        ));
    }
    let column = (html! { th class="chart" { } }, drawn);
    html! {
        div {
            h3 { "By reason of the end" }
            (table_with(&reasons, "reasons", Some((reasons.columns.len(), column))))
        }
    }
}
