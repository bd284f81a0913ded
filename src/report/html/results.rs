//! Results by opponent, seat, map and reason.

use maud::{Markup, html};

use super::parts::{bar, counted, heat, number, number_head, scroll, strip, text_head};
use crate::report::words::{likelihood, percent};
use crate::summary::{BotSummary, Elo, GameSummary, PairingSummary, SeatSummary};

/// Every two bots that met: a list where few of the possible pairs did, else a square.
pub(super) fn pairings(game: &GameSummary) -> Markup {
    let bots = game.bots.len();
    let square = bots > 2 && 4 * game.pairings.len() > bots * (bots - 1);
    html! {
        @if !game.pairings.is_empty() {
            h3 { "Against each other" }
            @if square {
                p class="explain" { "The score of the bot in the row against the bot in the column, with its wins, draws and losses. Elo is in the tip of each cell." }
                (scroll("Crosstable", &crosstable(game)))
            } @else {
                (scroll("Pairings", &list(game)))
            }
        }
    }
}

fn crosstable(game: &GameSummary) -> Markup {
    html! {
        table class="sortable cross" {
            thead { tr {
                (number_head("#")) (text_head("bot"))
                @for bot in &game.bots { th scope="col" data-sort="number" title=(bot.name) { "#" (bot.rank) } }
            } }
            tbody { @for bot in &game.bots { tr {
                (counted(bot.rank as u64))
                th scope="row" { (bot.name) }
                @for other in &game.bots { (met(game, bot, other)) }
            } } }
        }
    }
}

/// What a bot reached against another.
fn met(game: &GameSummary, bot: &BotSummary, other: &BotSummary) -> Markup {
    let between = |one: &str, other: &str| game.pairings.iter().find(|p| p.first == one && p.second == other);
    let (pairing, turned) = match (between(&bot.name, &other.name), between(&other.name, &bot.name)) {
        (Some(pairing), _) => (pairing, false),
        (None, Some(pairing)) => (pairing, true),
        (None, None) => return html! { td data-v="" class="none" { (if bot.rank == other.rank { "" } else { "–" }) } },
    };
    let PairingSummary { wins, draws, losses, .. } = *pairing;
    let (wins, losses) = if turned { (losses, wins) } else { (wins, losses) };
    let elo = pairing.elo.map(|elo| if turned { from_the_other_side(elo) } else { elo });
    let tip = elo.map_or_else(String::new, |elo| {
        format!("{} against {}: Elo {}, LOS {}", bot.name, other.name, with_interval(elo), likelihood(elo.los))
    });
    heat(SeatSummary { wins, draws, losses }.score(), &tip, &format!("{wins}–{draws}–{losses}"))
}

fn from_the_other_side(elo: Elo) -> Elo {
    let Elo { units, score, elo, lo95, hi95, los } = elo;
    Elo { units, score: 1.0 - score, elo: -elo, lo95: -hi95, hi95: -lo95, los: 1.0 - los }
}

fn signed(elo: f64) -> String {
    match elo {
        elo if elo == f64::INFINITY => "+∞".to_owned(),
        elo if elo == f64::NEG_INFINITY => "-∞".to_owned(),
        // Adding 0 turns a negative zero into a plain one.
        elo => format!("{:+.1}", (elo * 10.0).round() / 10.0 + 0.0),
    }
}

fn interval(elo: Elo) -> String {
    format!("[{}, {}]", signed(elo.lo95), signed(elo.hi95))
}

fn with_interval(elo: Elo) -> String {
    format!("{} {}", signed(elo.elo), interval(elo))
}

fn list(game: &GameSummary) -> Markup {
    html! {
        table class="sortable" {
            thead { tr {
                (text_head("bot")) (text_head("against"))
                @for title in ["score", "won", "drawn", "lost", "Elo", "95% interval", "LOS", "units"] { (number_head(title)) }
            } }
            tbody { @for pairing in &game.pairings {
                @let PairingSummary { wins, draws, losses, .. } = *pairing;
                @let score = SeatSummary { wins, draws, losses }.score();
                tr {
                    th scope="row" { (pairing.first) }
                    td class="text" { (pairing.second) }
                    (heat(score, "", ""))
                    (counted(wins)) (counted(draws)) (counted(losses))
                    @match pairing.elo {
                        Some(elo) => {
                            (number(Some(elo.elo.clamp(-1e9, 1e9)), &signed(elo.elo)))
                            (number(Some(elo.lo95.clamp(-1e9, 1e9)), &interval(elo)))
                            (number(Some(elo.los), &likelihood(elo.los)))
                            (counted(elo.units))
                        }
                        None => { @for _ in 0..4 { (number(None, "–")) } }
                    }
                }
            } }
        }
    }
}

/// The score of every bot in every seat.
pub(super) fn seats(game: &GameSummary) -> Markup {
    let all = |seat: usize| {
        let of_seat = game.bots.iter().filter_map(|bot| bot.by_seat.get(seat));
        of_seat.fold(SeatSummary { wins: 0, draws: 0, losses: 0 }, |sum, seat| SeatSummary {
            wins: sum.wins + seat.wins,
            draws: sum.draws + seat.draws,
            losses: sum.losses + seat.losses,
        })
    };
    let cell = |seat: SeatSummary| {
        let SeatSummary { wins, draws, losses } = seat;
        heat(seat.score(), "", &format!("{wins}–{draws}–{losses}"))
    };
    let table = html! {
        table class="sortable cross" {
            thead { tr {
                (text_head("bot"))
                @for seat in 0..game.seats { (number_head(&format!("seat {seat}"))) }
            } }
            tbody {
                @for bot in &game.bots { tr {
                    th scope="row" { (bot.name) }
                    @for seat in &bot.by_seat { (cell(*seat)) }
                } }
            }
            tfoot { tr { th scope="row" { "all" } @for seat in 0..game.seats { (cell(all(seat))) } } }
        }
    };
    html! {
        div {
            h3 { "By seat" }
            @if let Some(first) = game.first_player {
                p class="explain" { "Moving first is worth " (with_interval(first)) " Elo." }
            }
            (scroll("Scores by seat", &table))
        }
    }
}

/// How games ended.
pub(super) fn reasons(game: &GameSummary) -> Markup {
    let mut reasons: Vec<(&str, u64)> = game.reasons.iter().map(|(reason, count)| (*reason, *count)).collect();
    reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    #[expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]
    let share = |count: u64| count as f64 / game.games.max(1) as f64;
    let table = html! {
        table class="sortable reasons" {
            thead { tr { (text_head("reason")) (number_head("games")) (number_head("share")) th class="chart" { } } }
            tbody { @for (reason, count) in reasons { tr {
                th scope="row" { (reason.replace('_', " ")) }
                (counted(count))
                (number(Some(share(count)), &percent(share(count))))
                (strip(&percent(share(count)), &bar("plain", (0.0, share(count)), 4.0, 12.0)))
            } } }
        }
    };
    html! {
        div {
            h3 { "By reason of the end" }
            (scroll("Reasons", &table))
        }
    }
}

/// What became of the games on each board, which is a map in the only game that has several.
pub(super) fn boards(game: &GameSummary) -> Markup {
    let table = html! {
        table class="sortable cross" {
            thead { tr {
                (text_head("map")) (number_head("games")) (number_head("mean turns"))
                @for bot in &game.bots { (number_head(&bot.name)) }
            } }
            tbody { @for board in &game.boards { tr {
                th scope="row" { (board.name) }
                (counted(board.games))
                (number(Some(board.mean_turns), &format!("{:.1}", board.mean_turns)))
                @for score in &board.scores { (heat(*score, "", "")) }
            } } }
        }
    };
    html! {
        @if !game.boards.is_empty() {
            h3 { "By map" }
            (scroll("Scores by map", &table))
        }
    }
}
