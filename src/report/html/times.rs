//! Response times against their limits.

use std::time::Duration;

use maud::{Markup, html};

use super::charts::{histogram, in_words};
use super::parts::{axis_head, strip, table, tick};
use crate::plan::PlannedGame;
use crate::report::chart::Scale;
use crate::report::standings::{FIRST, LATER, LONGEST, times};
use crate::report::table::Table;
use crate::summary::{BotSummary, GameSummary, TimeSummary, bin_start};

/// Nothing below a hundredth of a millisecond is told apart.
const LEAST_MS: f64 = 0.01;

pub(super) fn part(game: &GameSummary, text: Option<&PlannedGame>) -> Markup {
    html! {
        h3 { "Response times" }
        p class="explain" { "In milliseconds, on a logarithmic scale: how often each time was taken, by the root of its share; the bright line is the \
            median, the dot the longest, the red line the limit." }
        div class="pair" {
            @for is_first in [true, false] { (half(game, is_first, text.and_then(|text| text.clock.fixed(is_first)))) }
        }
        h4 { "The longest of the later turns of each game" }
        p class="explain" { "How long the slowest answer of a game takes: half of the games stay below the median. Times of one game are not independent, these are; \
            so intervals (95%) stand below the quantiles, here and of first turns." }
        (table(&Table { title: "Longest turns", ..times(game, &[LONGEST]) }, "", None))
    }
}

fn half(game: &GameSummary, is_first: bool, limit: Option<Duration>) -> Markup {
    let of = |bot: &BotSummary| {
        if is_first {
            bot.first_turn
        } else {
            bot.later_turns
        }
    };
    let limit_ms = limit.map(|limit| 1000.0 * limit.as_secs_f64());
    let scale = scale(game.bots.iter().filter_map(of), limit_ms);
    let marks = marks(&scale);
    let drawn = game
        .bots
        .iter()
        .map(|bot| drawing(of(bot).as_ref(), limit_ms, &scale, &marks))
        .collect();
    let column = (axis_head("drawn", &with_room(&marks)), drawn);
    let turns = if is_first { FIRST } else { LATER };
    let title = if is_first {
        "First turn"
    } else {
        "Later turns"
    };
    html! {
        div {
            h4 {
                (title)
                span class="muted" { @if let Some(limit) = limit { ", limit " (limit.as_millis()) " ms" } }
            }
            (table(&Table { title, ..times(game, &[turns]) }, "times", Some((1, column))))
        }
    }
}

/// Of milliseconds the logarithm to the base 10.
fn scale(times: impl Iterator<Item = TimeSummary>, limit: Option<f64>) -> Scale {
    let first = |times: &TimeSummary| {
        times
            .histogram
            .iter()
            .position(|&count| count > 0)
            .map(bin_start)
    };
    let ends = times.flat_map(|times| first(&times).into_iter().chain([times.p50, times.max]));
    let Scale { low, high } = Scale::of(ends, 1.0, limit.unwrap_or(1.0));
    Scale {
        low: log(0.8 * low),
        high: log((1.3 * high).max(10.0 * LEAST_MS)),
    }
}

pub(super) fn log(ms: f64) -> f64 {
    ms.max(LEAST_MS).log10()
}

/// The powers of ten with their places.
fn marks(scale: &Scale) -> Vec<(f64, String)> {
    let text = |ms: f64| {
        if ms < 1000.0 {
            ms.to_string()
        } else {
            format!("{} s", ms / 1000.0)
        }
    };
    let inside = (-2..=9).filter(|&power| scale.holds(f64::from(power)));
    inside
        .map(|power| (scale.place(f64::from(power)), text(10_f64.powi(power))))
        .collect()
}

/// Those of the marks whose texts have room side by side.
fn with_room(marks: &[(f64, String)]) -> Vec<(f64, String)> {
    let mut shown: Vec<(f64, String)> = marks.to_vec();
    shown.dedup_by(|next, last| next.0 - last.0 <= 0.22);
    shown
}

fn drawing(
    times: Option<&TimeSummary>,
    limit: Option<f64>,
    scale: &Scale,
    marks: &[(f64, String)],
) -> Markup {
    let Some(times) = times else {
        return html! { td class="chart" { } };
    };
    let place = |ms| scale.place(log(ms));
    strip(
        &in_words(times),
        &html! {
            @for (at, _) in marks { (tick("grid", *at, 0.0, 20.0)) }
            (histogram(times, scale, 20.0, 20.0))
            (tick("median", place(times.p50), 0.0, 20.0))
            (tick("point", place(times.max), 17.0, 17.0))
            @if let Some(limit) = limit { (tick("limit", place(limit), 0.0, 20.0)) }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::BINS;

    #[test]
    fn the_fastest_answers_are_on_the_scale() {
        let mut histogram = [0; BINS];
        (histogram[3], histogram[40]) = (5, 1);
        let slow = TimeSummary {
            count: 6,
            p50: 50.0,
            p95: 60.0,
            p99: 60.0,
            max: 60.0,
            interval95: None,
            histogram,
        };
        assert!(scale([slow].into_iter(), Some(100.0)).holds(log(bin_start(3))));
    }
}
