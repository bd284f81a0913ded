//! Response times against their limits.

use std::time::Duration;

use maud::{Markup, html};

use super::parts::{axis_head, bar, number, number_head, scroll, strip, text_head, tick};
use crate::plan::PlannedGame;
use crate::summary::{BotSummary, GameSummary, TimeSummary};

/// Nothing below a hundredth of a millisecond is told apart.
const LEAST_MS: f64 = 0.01;

pub(super) fn part(game: &GameSummary, text: Option<&PlannedGame>) -> Markup {
    let limit = |first: bool| text.map(|text| text.clock.limit(first));
    let lower =
        |limit: Option<Duration>| limit.map_or_else(String::new, |limit| format!(", limit {} ms", limit.as_millis()));
    html! {
        h3 { "Response times" }
        p class="explain" { "In milliseconds, on a logarithmic scale: the box reaches from the median to the 95th percentile, \
            the line on to the 99th, the dot is the longest, the red line the limit." }
        div class="pair" {
            @for first in [true, false] {
                @let limit = limit(first);
                div {
                    h4 { (if first { "First turn" } else { "Later turns" }) span class="muted" { (lower(limit)) } }
                    (scroll(if first { "First turn" } else { "Later turns" }, &table(game, first, limit)))
                }
            }
        }
    }
}

fn table(game: &GameSummary, first: bool, limit: Option<Duration>) -> Markup {
    let times = |bot: &BotSummary| if first { bot.first_turn } else { bot.later_turns };
    let limit = limit.map(|limit| 1000.0 * limit.as_secs_f64());
    let scale = Scale::new(game.bots.iter().filter_map(times), limit);
    html! {
        table class="sortable times" {
            thead { tr {
                (text_head("bot"))
                (axis_head("drawn", &scale.head()))
                @for title in ["p50", "p95", "p99", "max"] { (number_head(title)) }
            } }
            tbody { @for bot in &game.bots { tr {
                th scope="row" { (bot.name) }
                @match times(bot) {
                    Some(times) => {
                        (strip(&format!("median {} ms, longest {} ms", ms(times.p50), ms(times.max)), &scale.drawing(&times, limit)))
                        @for value in [times.p50, times.p95, times.p99, times.max] { (number(Some(value), &ms(value))) }
                    }
                    None => { td class="chart" { } @for _ in 0..4 { (number(None, "–")) } }
                }
            } } }
        }
    }
}

fn ms(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn mark_text(ms: f64) -> String {
    if ms < 1000.0 { ms.to_string() } else { format!("{} s", ms / 1000.0) }
}

/// From milliseconds to places in a drawing.
struct Scale {
    /// Logarithms to the base 10.
    low: f64,
    high: f64,
}

impl Scale {
    fn new(times: impl Iterator<Item = TimeSummary>, limit: Option<f64>) -> Scale {
        let (mut least, mut most) = (1.0_f64, limit.unwrap_or(1.0));
        for times in times {
            (least, most) = (least.min(times.p50), most.max(times.max));
        }
        Scale { low: (0.8 * least).max(LEAST_MS).log10(), high: (1.3 * most).max(10.0 * LEAST_MS).log10() }
    }

    fn place(&self, ms: f64) -> f64 {
        (ms.max(LEAST_MS).log10() - self.low) / (self.high - self.low)
    }

    /// The powers of ten.
    fn marks(&self) -> Vec<(f64, String)> {
        let inside = (-2..=9).filter(|&power| (self.low..=self.high).contains(&f64::from(power)));
        let mark = |power: i32| 10_f64.powi(power);
        inside.map(|power| (self.place(mark(power)), mark_text(mark(power)))).collect()
    }

    /// Those of the marks whose texts have room side by side.
    fn head(&self) -> Vec<(f64, String)> {
        let mut last = f64::NEG_INFINITY;
        let mut has_room = |place: f64| {
            let room = place - last > 0.22;
            last = if room { place } else { last };
            room
        };
        self.marks().into_iter().filter(|(place, _)| has_room(*place)).collect()
    }

    fn drawing(&self, times: &TimeSummary, limit: Option<f64>) -> Markup {
        let place = |ms| self.place(ms);
        html! {
            @for (at, _) in self.marks() { (tick("grid", at, 0.0, 20.0)) }
            (bar("line", (place(times.p95), place(times.p99)), 9.0, 2.0))
            (bar("interval", (place(times.p50), place(times.p95)), 6.0, 8.0))
            (tick("point", place(times.max), 7.0, 13.0))
            @if let Some(limit) = limit { (tick("limit", place(limit), 0.0, 20.0)) }
        }
    }
}
