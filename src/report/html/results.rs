//! Results by opponent, seat, map and reason.

use maud::{Markup, html};

use super::parts::{Extra, bar, strip, table};
use crate::report::standings::{
    boards as by_board, crosstable, pairings as list, reasons as by_reason, seats as by_seat,
};
use crate::report::words::{interval, percent, signed};
use crate::summary::GameSummary;

/// Every two bots that met: a list where few of the possible pairs did, else a square.
pub(super) fn pairings(game: &GameSummary) -> Markup {
    let bots = game.bots.len();
    let is_square = bots > 2 && 4 * game.pairings.len() > bots * (bots - 1);
    let columns = ["bot", "against", "score", "won", "drawn", "lost", "Elo", "95% interval", "LOS", "units"];
    html! {
        @if !game.pairings.is_empty() {
            h3 { "Against each other" }
            @if is_square {
                p class="explain" { "The score of the bot in the row against the bot in the column, with its wins, draws and losses. Elo is in the tip of each cell." }
                (table(&crosstable(game), "cross", None))
            } @else {
                (table(&list(game).pick(&columns), "", None))
            }
        }
    }
}

/// The score of every bot in every seat.
pub(super) fn seats(game: &GameSummary) -> Markup {
    html! {
        div {
            h3 { "By seat" }
            @if let Some(first) = game.first_player {
                p class="explain" { "Moving first is worth " (signed(first.elo)) " " (interval([first.lo95, first.hi95])) " Elo." }
            }
            (table(&by_seat(game), "cross", None))
        }
    }
}

/// How games ended.
pub(super) fn reasons(game: &GameSummary) -> Markup {
    let reasons = by_reason(game);
    let shares = reasons.columns.last().into_iter().flat_map(|column| &column.cells).filter_map(|cell| cell.value);
    let drawn = Extra {
        after: reasons.columns.len() - 1,
        head: html! { th class="chart" { } },
        cells: shares.map(|share| strip(&percent(share), &bar("plain", [0.0, share], 4.0, 12.0))).collect(),
    };
    html! {
        div {
            h3 { "By reason of the end" }
            (table(&reasons, "reasons", Some(&drawn)))
        }
    }
}

/// What became of the games on each board, which is a map in the only game that has several.
pub(super) fn boards(game: &GameSummary) -> Markup {
    html! {
        @if !game.boards.is_empty() {
            h3 { "By map" }
            (table(&by_board(game), "cross", None))
        }
    }
}
