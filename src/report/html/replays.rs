//! The games that can be watched.

use maud::{Markup, PreEscaped, html};

use super::json_for_script;
use crate::report::replays::Embedded;
use crate::report::words::count;

pub(super) fn section(embedded: &Embedded) -> Markup {
    let Embedded { replays, left_out } = embedded;
    html! {
        @if !replays.is_empty() || !left_out.is_empty() {
            section id="replays" aria-labelledby="replays-title" {
                h2 id="replays-title" { "Replays" }
                p class="headline" {
                    @if replays.is_empty() { "No game can be shown." }
                    @else { (count(replays.len() as u64, "game", "games")) " of the run. " code { "arena report RUN --games 3,17,100-120" } " embeds others." }
                }
                div id="viewer" { noscript { p { "The boards are drawn by a script." } } }
                @if !left_out.is_empty() {
                    details class="left-out" {
                        summary { (count(left_out.len() as u64, "chosen game is", "chosen games are")) " not embedded" }
                        ul { @for (number, why) in left_out { li { "game " (number) ": " (why) } } }
                    }
                }
                script type="application/json" id="replay-data" { (PreEscaped(json_for_script(replays))) }
            }
        }
    }
}
