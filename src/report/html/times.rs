//! Response times against their limits.

use std::time::Duration;

use maud::{Markup, html};

use super::parts::{Extra, axis_head, bar, milliseconds, strip, table, tick};
use crate::plan::PlannedGame;
use crate::report::standings::{FIRST, LATER, times};
use crate::report::table::Table;
use crate::summary::{BotSummary, GameSummary, TimeSummary};

/// Nothing below a hundredth of a millisecond is told apart.
const LEAST_MS: f64 = 0.01;

pub(super) fn part(game: &GameSummary, text: Option<&PlannedGame>) -> Markup {
    html! {
        h3 { "Response times" }
        p class="explain" { "In milliseconds, on a logarithmic scale: the box reaches from the median to the 95th percentile, \
            the line on to the 99th, the dot is the longest, the red line the limit." }
        div class="pair" {
            @for is_first in [true, false] { (half(game, is_first, text.map(|text| text.clock.limit(is_first)))) }
        }
    }
}

fn half(game: &GameSummary, is_first: bool, limit: Option<Duration>) -> Markup {
    let of = |bot: &BotSummary| if is_first { bot.first_turn } else { bot.later_turns };
    let limit_ms = limit.map(|limit| 1000.0 * limit.as_secs_f64());
    let scale = Scale::new(game.bots.iter().filter_map(of), limit_ms);
    let drawn = Extra {
        after: 0,
        head: axis_head("drawn", &scale.head()),
        cells: game.bots.iter().map(|bot| scale.strip(of(bot), limit_ms)).collect(),
    };
    let (turns, title) = if is_first { (FIRST, "First turn") } else { (LATER, "Later turns") };
    let table_of_times = Table { title, ..times(game, &[turns]) };
    html! {
        div {
            h4 {
                (title)
                span class="muted" { @if let Some(limit) = limit { ", limit " (limit.as_millis()) " ms" } }
            }
            (table(&table_of_times, "times", Some(&drawn)))
        }
    }
}

/// From milliseconds to places in a drawing.
struct Scale {
    /// Logarithms to the base 10.
    low: f64,
    high: f64,
}

impl Scale {
    fn new(times: impl Iterator<Item = TimeSummary>, limit: Option<f64>) -> Scale {
        let mut least = 1.0_f64;
        let mut most = limit.unwrap_or(1.0);
        for times in times {
            least = least.min(times.p50);
            most = most.max(times.max);
        }
        Scale { low: (0.8 * least).max(LEAST_MS).log10(), high: (1.3 * most).max(10.0 * LEAST_MS).log10() }
    }

    fn place(&self, ms: f64) -> f64 {
        (ms.max(LEAST_MS).log10() - self.low) / (self.high - self.low)
    }

    /// The powers of ten.
    fn marks(&self) -> Vec<(f64, String)> {
        let inside = (-2..=9).filter(|&power| (self.low..=self.high).contains(&f64::from(power)));
        let values = inside.map(|power| 10_f64.powi(power));
        let text = |ms: f64| if ms < 1000.0 { ms.to_string() } else { format!("{} s", ms / 1000.0) };
        values.map(|ms| (self.place(ms), text(ms))).collect()
    }

    /// Those of the marks whose texts have room side by side.
    fn head(&self) -> Vec<(f64, String)> {
        let mut head: Vec<(f64, String)> = Vec::new();
        for mark in self.marks() {
            if head.last().is_none_or(|last| mark.0 - last.0 > 0.22) {
                head.push(mark);
            }
        }
        head
    }

    fn strip(&self, times: Option<TimeSummary>, limit: Option<f64>) -> Markup {
        let Some(TimeSummary { p50, p95, p99, max, .. }) = times else { return html! { td class="chart" { } } };
        let [median, most, nearly_all, longest] = [p50, p95, p99, max].map(|ms| self.place(ms));
        let label = format!("median {} ms, longest {} ms", milliseconds(p50), milliseconds(max));
        strip(
            &label,
            &html! {
                @for (at, _) in self.marks() { (tick("grid", at, 0.0, 20.0)) }
                (bar("line", (most, nearly_all), 9.0, 2.0))
                (bar("interval", (median, most), 6.0, 8.0))
                (tick("point", longest, 7.0, 13.0))
                @if let Some(limit) = limit { (tick("limit", self.place(limit), 0.0, 20.0)) }
            },
        )
    }
}
