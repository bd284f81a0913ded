//! Tables of response times, with their limits.

use std::time::Duration;

use maud::{Markup, html};

use super::parts::table;
use crate::plan::PlannedGame;
use crate::section::table::Table;
use crate::standings::Game;
use crate::standings::tables::{Turns, times};

pub(super) fn part(game: &Game, plan: Option<&PlannedGame>) -> Markup {
    let limit = |is_first| plan.and_then(|plan| plan.clock.fixed(is_first));
    html! {
        h3 { "Response times" }
        p class="explain" { "In milliseconds." }
        div class="pair" {
            (half(game, "First turn", Turns::First, limit(true)))
            (half(game, "Later turns", Turns::Later, limit(false)))
        }
        h4 { "The longest of the later turns of each game" }
        p class="explain" { "How long the slowest answer of a game takes: half of the games stay below the median. Times of one game are not independent, these are; \
            so intervals (95%) stand below the quantiles, here and of first turns." }
        (table(&Table { title: "Longest turns", ..times(game, Turns::Longest) }))
    }
}

/// The times of first turns or of later turns.
fn half(game: &Game, title: &'static str, turns: Turns, limit: Option<Duration>) -> Markup {
    html! {
        div {
            h4 {
                (title)
                span class="muted" { @if let Some(limit) = limit { ", limit " (limit.as_millis()) " ms" } }
            }
            (table(&Table { title, ..times(game, turns) }))
        }
    }
}
