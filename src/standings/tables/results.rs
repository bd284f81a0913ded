//! The other tables of a game: results by opponent, seat, board and reason, and response times.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::ratings::{LOST_ALL, RESULTS, WON_ALL, title};
use crate::results::{Pair, WinsDrawsLosses};
use crate::standings::times::TimeIntervals;
use crate::standings::{BotSummary, Game, TimeSummary};
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::{self, likelihood, percent, signed, two_decimals};
use arena_stats::estimate::Estimate;

/// Results of each bot, in a row, against each other one, in a column. `met` fills a cell, given
/// the bots' places in the list.
pub(crate) fn crosstable(bots: &[BotSummary], met: impl Fn(usize, usize) -> Cell) -> Table {
    let rows: Vec<(usize, &BotSummary)> = bots.iter().enumerate().collect();
    let mut table = Rows::new("Crosstable", &rows)
        .shown(Kind::Rank, "#", |(place, _)| place + 1)
        .shown(Kind::Name, "bot", |(_, bot)| &bot.name);
    for (other, column) in bots.iter().enumerate() {
        table = table
            .shown(Kind::Heat, format!("#{}", other + 1), |(bot, _)| {
                met(*bot, other)
            })
            .note(&column.name)
            .spare(other);
    }
    table.table()
}

/// A cell of a run's crosstable; empty if the bots didn't meet.
pub(crate) fn met(game: &Game, bot: &str, other: &str) -> Cell {
    let Some((estimate, score, results)) = between(game, bot, other) else {
        return Cell::default();
    };
    let elo = words::estimate([estimate.elo, estimate.lo95, estimate.hi95]);
    let mut tip = format!("{bot} against {other}: {elo}, {}", title(estimate.holds));
    if let Some(los) = estimate.los {
        let _ = write!(tip, ", LOS {}", likelihood(los));
    }
    Cell {
        note: in_short(&results),
        tip,
        games: game.only([("bot", bot), ("against", other)]),
        ..Cell::shown(score, percent)
    }
}

/// What a bot came to against another one: how much stronger it is, its score, and its results.
pub(super) fn between(
    game: &Game,
    bot: &str,
    other: &str,
) -> Option<(Estimate, f64, WinsDrawsLosses)> {
    game.pairings.iter().find_map(|pairing| {
        let (by, score) = (pairing.by(bot), pairing.met.score);
        match (&*pairing.first, &*pairing.second) {
            names if names == (bot, other) => Some((by, score, pairing.results)),
            names if names == (other, bot) => Some((by, 1.0 - score, pairing.results.reversed())),
            _ => None,
        }
    })
}

fn in_short(results: &WinsDrawsLosses) -> String {
    results.to_string().replace('-', "–")
}

/// All pairings in a list.
pub(crate) fn pairings(game: &Game) -> Table {
    let by = |pairing: &Pair| pairing.met.by;
    let games =
        |Pair { first, second, .. }: &Pair| game.only([("bot", first), ("against", second)]);
    let knows_los = game.pairings.iter().any(|pair| by(pair).los.is_some());
    let los = if knows_los { "LOS" } else { "" };
    let mut rows = Rows::new("Pairings", &game.pairings)
        .file("game", |_| &game.game)
        .both(Kind::Name, "bot", "first", |pairing| &pairing.first)
        .both(Kind::Text, "against", "second", |pairing| &pairing.second)
        .both(Kind::Number, "units", "units", |pairing| pairing.met.units);
    for (result, count) in RESULTS {
        rows = rows
            .both(Kind::Number, result, result, |pairing| {
                count(&pairing.results)
            })
            .of_games(|pairing| match game.design.seats {
                2 => [games(pairing), vec![("result", result.to_owned())]].concat(),
                _ => games(pairing),
            })
            .spare(2);
    }
    rows.both(Kind::Heat, "score", "score", |pairing| {
        Cell::shown(pairing.met.score, percent)
    })
    .of_games(games)
    .both(Kind::Number, "Elo", "elo", |pairing| {
        Cell::shown(by(pairing).elo, |elo| match elo {
            f64::INFINITY => WON_ALL.to_owned(),
            f64::NEG_INFINITY => LOST_ALL.to_owned(),
            elo => signed(elo, 1),
        })
    })
    .of_games(games)
    .shown(Kind::Number, title(game.holds), |pairing| {
        let ends = by(pairing).interval();
        Cell::number(Some(ends[0]), Some(words::interval(ends, 1)))
    })
    .of_games(games)
    .file("lo95", |pairing| by(pairing).lo95)
    .file("hi95", |pairing| by(pairing).hi95)
    .file("interval", |_| <&str>::from(game.holds))
    .both(Kind::Number, los, "los", |pairing| {
        Cell::shown(by(pairing).los, likelihood)
    })
    .table()
}

/// The response times of all bots in some turns.
pub(crate) fn times(game: &Game, times: fn(&BotSummary) -> Option<TimeSummary>) -> Table {
    let rows = game.bots.iter().map(|bot| (&*bot.name, "", times(bot)));
    table_of_times(game, &rows.collect::<Vec<_>>())
}

/// First and later response times below each other, as far as there are any.
pub(crate) fn all_times(game: &Game) -> Table {
    let mut rows = Vec::new();
    for bot in &game.bots {
        rows.push((&*bot.name, "first", bot.first_turn));
        rows.push((&*bot.name, "later", bot.later_turns));
    }
    rows.retain(|(.., times)| times.is_some());
    table_of_times(game, &rows)
}

fn table_of_times(game: &Game, rows: &[(&str, &str, Option<TimeSummary>)]) -> Table {
    let mut rows = Rows::new("Response times", rows)
        .file("game", |_| &game.game)
        .both(Kind::Name, "bot", "bot", |(bot, ..)| *bot)
        .file("turns", |(_, turns, _)| *turns)
        .file("count", |(.., times)| times.map(|times| times.count));
    for (title, name, ms, ends) in QUANTILES {
        rows = rows.both(Kind::Time, title, name, |(.., times)| {
            times.map(|times| Cell {
                note: times
                    .interval95
                    .map_or(String::new(), |of| in_brackets(ends(of))),
                ..Cell::shown(ms(times), two_decimals)
            })
        });
    }
    rows.both(Kind::Time, "max", "ms_max", |(.., times)| {
        times.map(|times| Cell::shown(times.max, two_decimals))
    })
    .table()
}

/// Reads both ends of the interval of a quantile.
type EndsOf = fn(TimeIntervals) -> [Option<f64>; 2];
type Quantile = (&'static str, &'static str, fn(TimeSummary) -> f64, EndsOf);

/// Columns of response times: the title, the name in files, the time and its interval.
const QUANTILES: [Quantile; 3] = [
    ("p50", "ms_p50", |times| times.p50, |ends| ends.p50),
    ("p95", "ms_p95", |times| times.p95, |ends| ends.p95),
    ("p99", "ms_p99", |times| times.p99, |ends| ends.p99),
];

fn in_brackets(ends: [Option<f64>; 2]) -> String {
    let [lo, hi] = ends.map(|end| end.map_or("–".to_owned(), two_decimals));
    format!("[{lo}, {hi}]")
}

/// The score of every bot in every seat, and of all of them.
pub(crate) fn seats(game: &Game) -> Table {
    let mut all = vec![WinsDrawsLosses::default(); game.design.seats];
    let mut rows: Vec<(Option<&BotSummary>, &[WinsDrawsLosses])> = Vec::new();
    for bot in &game.bots {
        for (all, own) in all.iter_mut().zip(&bot.by_seat) {
            all.wins += own.wins;
            all.draws += own.draws;
            all.losses += own.losses;
        }
        rows.push((Some(bot), &bot.by_seat));
    }
    rows.push((None, &all));
    let mut table = Rows::new("Scores by seat", &rows).shown(Kind::Name, "bot", |(bot, _)| {
        bot.map_or("all", |bot| bot.name.as_str())
    });
    for seat in 0..game.design.seats {
        table = table
            .shown(Kind::Heat, format!("seat {seat}"), |(_, seats)| Cell {
                note: in_short(&seats[seat]),
                ..Cell::shown(seats[seat].score(), percent)
            })
            .of_games(|(bot, _)| match bot {
                Some(bot) => game.only([("bot", &bot.name), ("seat", &seat.to_string())]),
                None => game.only([]),
            });
    }
    Table {
        has_sum: true,
        ..table.table()
    }
}

/// How games ended, the most frequent reason first.
pub(crate) fn reasons(game: &Game) -> Table {
    let mut reasons = Vec::from_iter(&game.reasons);
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    Rows::new("Reasons", &reasons)
        .shown(Kind::Name, "reason", |(reason, _)| reason.replace('_', " "))
        .shown(Kind::Number, "games", |(_, count)| **count)
        .of_games(|(reason, _)| game.only([("reason", reason)]))
        .shown(Kind::Number, "share", |(_, count)| {
            Cell::shown(**count as f64 / game.games.max(1) as f64, percent)
        })
        .table()
}

/// Scores by board, which is a map in the only game that has several.
pub(crate) fn boards(game: &Game) -> Table {
    let mut rows = Rows::new("Scores by map", &game.boards)
        .shown(Kind::Name, "map", |board| &board.name)
        .shown(Kind::Number, "games", |board| board.games)
        .of_games(|board| game.only([("map", &board.name)]))
        .shown(Kind::Number, "mean turns", |board| {
            Cell::shown(board.mean_turns, |turns| format!("{turns:.1}"))
        });
    for (place, bot) in game.bots.iter().enumerate() {
        rows = rows
            .shown(Kind::Heat, &bot.name, |board| {
                Cell::shown(board.scores[place], percent)
            })
            .of_games(|board| game.only([("bot", &bot.name), ("map", &board.name)]));
    }
    rows.table()
}
