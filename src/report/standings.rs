//! What is said of one game of a run: its tables, what limits their numbers, and who is first.

use std::cmp::Reverse;

use super::faults::{self, of_bot};
use super::screen::{Ink, Screen};
use super::table::{Cell, Filter, Kind, Rows, Table, Tone};
use super::words::{self, indented, likelihood, percent, signed};
use crate::summary::{
    ANY_FAULT, BotSummary, GameSummary, PairingSummary, TimeIntervals, TimeSummary, WinsDrawsLosses,
};
use arena_stats::ratings::{FEW_UNITS, Mark};
use arena_stats::sprt::estimate::Estimate;

/// A crosstable of more bots than this does not fit a terminal, unless the game has four seats.
const WIDEST_CROSSTABLE: usize = 10;

/// The columns of the standings in a page and in Markdown.
pub(super) const COLUMNS: [&str; 15] = [
    "#", "bot", "Elo", DIFFERENCE, INTERVAL, ANYTIME, "games", "place", "first", "score", "won",
    "drawn", "lost", "LOS", "faults",
];
/// Those in a terminal.
const TERMINAL_COLUMNS: [&str; 15] = [
    "#", "bot", "Elo", DIFFERENCE, INTERVAL, ANYTIME, "LOS", "games", "place", "first", "score",
    "won", "drawn", "lost", "faults",
];
/// Those of standings that are shown while the games go on.
const LIVE_COLUMNS: [&str; 6] = ["#", "bot", "Elo", INTERVAL, "games", "score"];
/// What stands above the one number that two bots have.
pub(crate) const DIFFERENCE: &str = "Elo diff";

/// What stands above intervals.
pub(crate) const INTERVAL: &str = "95% interval";
/// And above one that may be watched.
pub(crate) const ANYTIME: &str = "95% at every look";

/// What the latter means.
pub(crate) const WATCHED: &str = "95% at every look: not played to an end that was announced before the first game, so the interval is the \
                       anytime-valid one, which holds however often one looks and whenever one stops";

/// What the column of likelihoods means.
pub(crate) const LOS: &str = "LOS: the likelihood that the bot is stronger than the next one";

/// How standings tell their numbers.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Elo, whose 95% error is so much.
    pub(crate) elo: fn(f64, f64) -> String,
    pub(crate) share: fn(f64) -> String,
    /// What stands for the interval of a rating without an error, if that is one that was set.
    pub(crate) anchor: Option<&'static str>,
    /// Whether intervals hold at every look; there is no likelihood then.
    pub(crate) anytime: bool,
}

/// Those of a run.
const RUN: Style = Style {
    elo: |elo, _| signed(elo),
    share: percent,
    anchor: None,
    anytime: false,
};

/// How far the better of two bots is ahead: the one number that is shown of two, whose ratings say nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// For sorting; infinite where a bot has won everything.
    pub(crate) value: f64,
    /// In words.
    pub(crate) elo: String,
    /// Both ends, if there are two.
    pub(crate) interval: Option<String>,
    /// The likelihood that it is ahead at all; `None` where the interval holds at every look, because it does not.
    pub(crate) los: Option<f64>,
}

/// The difference of two bots that met, the better one first; `None` of more bots, or before a unit is complete.
pub(crate) fn difference(game: &GameSummary) -> Option<Difference> {
    let best = game.bots.first()?;
    let (pairing, met) = game.difference()?;
    let met = if pairing.first == best.name {
        met
    } else {
        met.reversed()
    };
    Some(ahead(&met, &game.bots, of_run(game)))
}

/// How far the better of two bots is ahead.
pub(crate) fn ahead(by: &Estimate, bots: &[BotSummary], style: Style) -> Difference {
    let error = (by.hi95 - by.lo95) / 2.0;
    let show = |elo: f64| {
        if elo.is_finite() {
            (style.elo)(elo, error)
        } else {
            "no limit".to_owned()
        }
    };
    let rough = if bots.iter().any(|bot| bot.provisional) {
        "?"
    } else {
        ""
    };
    let (elo, interval) = if by.elo.is_finite() {
        (
            show(by.elo),
            Some(format!("[{}, {}]{rough}", show(by.lo95), show(by.hi95))),
        )
    } else {
        (format!("> {}", show(by.lo95)), None)
    };
    Difference {
        value: by.elo,
        elo,
        interval,
        los: (!style.anytime).then_some(by.los),
    }
}

/// The standings of a game, the best bot first. With more seats than two, places stand beside the comparisons.
pub(crate) fn standings(game: &GameSummary) -> Table {
    ratings(
        &game.game,
        game.seats,
        &game.groups,
        &game.bots,
        difference(game).as_ref(),
        of_run(game),
    )
}

fn of_run(game: &GameSummary) -> Style {
    Style {
        anytime: game.anytime,
        ..RUN
    }
}

/// Rated bots of a game; `groups` are those that results link. Of two bots there is one number, their difference.
pub(crate) fn ratings(
    game: &str,
    seats: usize,
    groups: &[Vec<String>],
    bots: &[BotSummary],
    difference: Option<&Difference>,
    style: Style,
) -> Table {
    let of_places = |title: &'static str| if seats > 2 { title } else { "" };
    let of_each = |title: &'static str| if difference.is_none() { title } else { "" };
    // Of more seats than two these count comparisons, not games.
    let of_result = |result: &'static str| (seats == 2).then_some(result);
    let of_two = |title: &'static str| if difference.is_some() { title } else { "" };
    let [interval_title, los_title] = interval_and_los(style.anytime);
    let best = |bot: &BotSummary| difference.filter(|_| bot.rank == 1);
    let place = |place: f64| format!("{place:.2}");
    let elo = |bot: &BotSummary| rating(bot, style);
    let interval = |bot: &BotSummary| match difference {
        Some(_) => best(bot).and_then(|ahead| ahead.interval.clone()),
        None => Some(rating_interval(bot, groups, style)),
    };
    let los = |bot: &BotSummary| best(bot).map_or(bot.los_next, |ahead| ahead.los);
    let mut rows = Rows::new("Standings", bots)
        .file("game", |_| game)
        .both(Kind::Rank, "#", "rank", |bot| bot.rank)
        .both(Kind::Name, "bot", "bot", |bot| &bot.name)
        .both(Kind::Number, of_each("Elo"), "elo", |bot| {
            Cell::number(bot.elo, elo(bot))
        })
        .of_games(|bot| of_bot_in(game, bot, None))
        .shown(Kind::Number, of_two(DIFFERENCE), |bot| {
            best(bot).map_or_else(Cell::default, |ahead| {
                Cell::number(Some(ahead.value), ahead.elo.clone())
            })
        })
        .of_games(|bot| of_bot_in(game, bot, None))
        .note("How much stronger the bot is than the other one")
        .shown(Kind::Number, interval_title, |bot| {
            Cell::number(bot.lo95, interval(bot))
        })
        .of_games(|bot| of_bot_in(game, bot, None))
        .file("lo95", |bot| bot.lo95)
        .file("hi95", |bot| bot.hi95)
        .both(Kind::Number, "games", "games", |bot| bot.games)
        .of_games(|bot| of_bot_in(game, bot, None))
        // Two bots have played as many as are told above.
        .spare(if difference.is_some() { 3 } else { 0 })
        .both(Kind::Number, "score", "score", |bot| {
            Cell::shown(bot.score, style.share)
        })
        .of_games(|bot| of_bot_in(game, bot, None))
        .both(Kind::Number, "won", "won", |bot| bot.results.wins)
        .of_games(|bot| of_bot_in(game, bot, of_result("won")))
        .spare(2)
        .both(Kind::Number, "drawn", "drawn", |bot| bot.results.draws)
        .of_games(|bot| of_bot_in(game, bot, of_result("drawn")))
        .spare(2)
        .both(Kind::Number, "lost", "lost", |bot| bot.results.losses)
        .of_games(|bot| of_bot_in(game, bot, of_result("lost")))
        .spare(2)
        .both(Kind::Number, of_places("place"), "mean_place", |bot| Cell {
            note: ends(bot.mean_place_lo95, bot.mean_place_hi95, place),
            ..Cell::shown(bot.mean_place, place)
        })
        .spare(1)
        .note("The mean of its places, with its 95% interval from whole units")
        .both(Kind::Number, of_places("first"), "firsts", |bot| Cell {
            note: ends(bot.firsts_lo95, bot.firsts_hi95, style.share),
            ..Cell::shown(bot.firsts, style.share)
        })
        .spare(1)
        .shown(Kind::Number, los_title, |bot| {
            Cell::shown(los(bot), likelihood)
        })
        .note("The likelihood of superiority: that the bot is stronger than the next one")
        .shown(Kind::Words, "faults", |bot| Cell {
            tone: Tone::Bad,
            ..faults(bot).into()
        })
        .of_games(|bot| {
            [
                of_bot_in(game, bot, None),
                vec![("fault", ANY_FAULT.to_owned())],
            ]
            .concat()
        });
    for fate in bots.iter().take(1).flat_map(|bot| bot.faults.keys()) {
        rows = rows.file(fate, |bot| bot.faults.get(fate).copied());
    }
    rows.file("notes", |bot| limits(groups, bot))
        .file("mean_place_lo95", |bot| bot.mean_place_lo95)
        .file("mean_place_hi95", |bot| bot.mean_place_hi95)
        .file("firsts_lo95", |bot| bot.firsts_lo95)
        .file("firsts_hi95", |bot| bot.firsts_hi95)
        .table()
}

/// The games that a bot played, or those with this result.
fn of_bot_in(game: &str, bot: &BotSummary, result: Option<&str>) -> Filter {
    let result = result.map(|result| ("result", result.to_owned()));
    [("kind", game.to_owned()), ("bot", bot.name.clone())]
        .into_iter()
        .chain(result)
        .collect()
}

/// The games of two bots, or those that ended like this for the first.
fn of_pairing(game: &GameSummary, first: &str, second: &str, result: Option<&str>) -> Filter {
    let result = result.map(|result| ("result", result.to_owned()));
    let both = [
        ("kind", game.game.clone()),
        ("bot", first.to_owned()),
        ("against", second.to_owned()),
    ];
    both.into_iter().chain(result).collect()
}

/// An interval below a number, if there is one.
fn ends(lo: Option<f64>, hi: Option<f64>, show: impl Fn(f64) -> String) -> String {
    lo.zip(hi).map_or_else(String::new, |(lo, hi)| {
        format!("[{}, {}]", show(lo), show(hi))
    })
}

/// What stands above intervals and likelihoods. At every look there is no likelihood.
fn interval_and_los(anytime: bool) -> [&'static str; 2] {
    if anytime {
        [ANYTIME, ""]
    } else {
        [INTERVAL, "LOS"]
    }
}

/// What each bot, in a row, reached against each other one, in a column, as `met` tells it of their places in the list.
pub(crate) fn crosstable(bots: &[BotSummary], met: impl Fn(usize, usize) -> Cell) -> Table {
    let rows: Vec<(usize, &BotSummary)> = bots.iter().enumerate().collect();
    let mut table = Rows::new("Crosstable", &rows)
        .shown(Kind::Rank, "#", |(_, bot)| bot.rank)
        .shown(Kind::Name, "bot", |(_, bot)| &bot.name);
    for (other, column) in bots.iter().enumerate() {
        table = table
            .shown(Kind::Heat, format!("#{}", column.rank), |(bot, _)| {
                met(*bot, other)
            })
            .note(&column.name)
            .spare(other);
    }
    table.table()
}

/// Every two bots that met, in a list.
pub(crate) fn pairings(game: &GameSummary) -> Table {
    let [interval_title, los_title] = interval_and_los(game.anytime);
    let interval = |pairing: &PairingSummary| pairing.elo.map(|met| met.interval(game.anytime));
    Rows::new("Pairings", &game.pairings)
        .file("game", |_| &game.game)
        .both(Kind::Name, "bot", "first", |pairing| &pairing.first)
        .both(Kind::Text, "against", "second", |pairing| &pairing.second)
        .both(Kind::Number, "units", "units", |pairing| {
            pairing.elo.map_or(0, |elo| elo.units)
        })
        .both(Kind::Number, "won", "won", |pairing| pairing.results.wins)
        .of_games(|pairing| {
            of_pairing(
                game,
                &pairing.first,
                &pairing.second,
                (game.seats == 2).then_some("won"),
            )
        })
        .both(Kind::Number, "drawn", "drawn", |pairing| {
            pairing.results.draws
        })
        .of_games(|pairing| {
            of_pairing(
                game,
                &pairing.first,
                &pairing.second,
                (game.seats == 2).then_some("drawn"),
            )
        })
        .both(Kind::Number, "lost", "lost", |pairing| {
            pairing.results.losses
        })
        .of_games(|pairing| {
            of_pairing(
                game,
                &pairing.first,
                &pairing.second,
                (game.seats == 2).then_some("lost"),
            )
        })
        .both(Kind::Heat, "score", "score", |pairing| {
            Cell::shown(pairing.elo.map(|elo| elo.score), percent)
        })
        .of_games(|pairing| of_pairing(game, &pairing.first, &pairing.second, None))
        .both(Kind::Number, "Elo", "elo", |pairing| {
            Cell::shown(pairing.elo.map(|elo| elo.elo), signed)
        })
        .of_games(|pairing| of_pairing(game, &pairing.first, &pairing.second, None))
        .shown(Kind::Number, interval_title, |pairing| {
            Cell::number(
                interval(pairing).map(|[lo, _]| lo),
                interval(pairing).map(words::interval),
            )
        })
        .of_games(|pairing| of_pairing(game, &pairing.first, &pairing.second, None))
        .file("lo95", |pairing| pairing.elo.map(|elo| elo.lo95))
        .file("hi95", |pairing| pairing.elo.map(|elo| elo.hi95))
        .both(Kind::Number, los_title, "los", |pairing| {
            Cell::shown(pairing.elo.map(|elo| elo.los), likelihood)
        })
        .table()
}

/// What the file of response times calls a bot's first answers in its games, and all others.
pub(crate) const FIRST: &str = "first";
pub(crate) const LATER: &str = "later";
/// The longest of the latter in each game, which is in no file.
pub(crate) const LONGEST: &str = "longest";

/// Response times of all bots, of first answers or of later ones; or of both, as far as there are any.
pub(crate) fn times(game: &GameSummary, turns: &[&'static str]) -> Table {
    let of = |bot: &BotSummary, turns: &str| match turns {
        FIRST => bot.first_turn,
        LONGEST => bot.longest,
        _ => bot.later_turns,
    };
    let rows = game.bots.iter().flat_map(|bot| {
        turns
            .iter()
            .map(|&turns| (bot.name.as_str(), turns, of(bot, turns)))
    });
    let rows: Vec<_> = rows
        .filter(|(.., times)| turns.len() == 1 || times.is_some())
        .collect();
    let ms = |value: Option<f64>| Cell::shown(value, |ms| format!("{ms:.2}"));
    let end = |end: Option<f64>| end.map_or("–".to_owned(), |ms| format!("{ms:.2}"));
    let quantile = |times: Option<TimeSummary>,
                    value: fn(&TimeSummary) -> f64,
                    ends: fn(&TimeIntervals) -> [Option<f64>; 2]| {
        let ends = times
            .and_then(|times| times.interval95)
            .map(|intervals| ends(&intervals).map(end));
        let note = ends.map_or_else(String::new, |[lo, hi]| format!("[{lo}, {hi}]"));
        Cell {
            note,
            ..ms(times.as_ref().map(value))
        }
    };
    Rows::new("Response times", &rows)
        .file("game", |_| &game.game)
        .both(Kind::Name, "bot", "bot", |(bot, ..)| *bot)
        .file("turns", |(_, turns, _)| *turns)
        .file("count", |(.., times)| times.map(|times| times.count))
        .both(Kind::Time, "p50", "ms_p50", |(.., times)| {
            quantile(*times, |times| times.p50, |ends| ends.p50)
        })
        .both(Kind::Time, "p95", "ms_p95", |(.., times)| {
            quantile(*times, |times| times.p95, |ends| ends.p95)
        })
        .both(Kind::Time, "p99", "ms_p99", |(.., times)| {
            quantile(*times, |times| times.p99, |ends| ends.p99)
        })
        .both(Kind::Time, "max", "ms_max", |(.., times)| {
            ms(times.map(|times| times.max))
        })
        .table()
}

/// The score of every bot in every seat, and of all of them.
pub(crate) fn seats(game: &GameSummary) -> Table {
    let all = |seat: usize| {
        let sum = |count: fn(&WinsDrawsLosses) -> u64| {
            game.bots.iter().map(|bot| count(&bot.by_seat[seat])).sum()
        };
        WinsDrawsLosses {
            wins: sum(|seat| seat.wins),
            draws: sum(|seat| seat.draws),
            losses: sum(|seat| seat.losses),
        }
    };
    let bots = game
        .bots
        .iter()
        .map(|bot| (bot.name.as_str(), bot.by_seat.clone()));
    let rows: Vec<(&str, Vec<WinsDrawsLosses>)> = bots
        .chain([("all", (0..game.seats).map(all).collect())])
        .collect();
    let mut table = Rows::new("Scores by seat", &rows).shown(Kind::Name, "bot", |(name, _)| *name);
    for seat in 0..game.seats {
        table = table.shown(Kind::Heat, format!("seat {seat}"), |(_, seats)| {
            let WinsDrawsLosses {
                wins,
                draws,
                losses,
            } = seats[seat];
            Cell {
                note: format!("{wins}–{draws}–{losses}"),
                ..Cell::shown(seats[seat].score(), percent)
            }
        });
        // The last row is of all bots.
        table = table.of_games(
            |(name, _)| match game.bots.iter().find(|bot| bot.name == *name) {
                Some(bot) => [
                    of_bot_in(&game.game, bot, None),
                    vec![("seat", seat.to_string())],
                ]
                .concat(),
                None => vec![("kind", game.game.clone())],
            },
        );
    }
    Table {
        has_sum: true,
        ..table.table()
    }
}

/// How games ended, the most frequent way first.
pub(crate) fn reasons(game: &GameSummary) -> Table {
    let mut reasons: Vec<(&String, &u64)> = game.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(**count));
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of games are far below 2^52"
    )]
    let share = |count: u64| count as f64 / game.games.max(1) as f64;
    Rows::new("Reasons", &reasons)
        .shown(Kind::Name, "reason", |(reason, _)| reason.replace('_', " "))
        .shown(Kind::Number, "games", |(_, count)| **count)
        .of_games(|(reason, _)| vec![("kind", game.game.clone()), ("reason", (*reason).clone())])
        .shown(Kind::Number, "share", |(_, count)| {
            Cell::shown(share(**count), percent)
        })
        .table()
}

/// What became of the games on each board, which is a map in the only game that has several.
pub(crate) fn boards(game: &GameSummary) -> Table {
    let mut rows = Rows::new("Scores by map", &game.boards)
        .shown(Kind::Name, "map", |board| &board.name)
        .shown(Kind::Number, "games", |board| board.games)
        .of_games(|board| vec![("kind", game.game.clone()), ("map", board.name.clone())])
        .shown(Kind::Number, "mean turns", |board| {
            Cell::shown(board.mean_turns, |turns| format!("{turns:.1}"))
        });
    for (place, bot) in game.bots.iter().enumerate() {
        let of_map = |map: &str| {
            [
                of_bot_in(&game.game, bot, None),
                vec![("map", map.to_owned())],
            ]
            .concat()
        };
        rows = rows
            .shown(Kind::Heat, &bot.name, |board| {
                Cell::shown(board.scores[place], percent)
            })
            .of_games(|board| of_map(&board.name));
    }
    rows.table()
}

/// All that a terminal shows of a game; response times only on request.
pub(crate) fn text(game: &GameSummary, screen: &Screen, with_times: bool) -> String {
    let design = match game.design {
        "mirror" => words::seating(game.seats, 2, 2),
        _ => words::seating(game.seats, game.seats, game.games_per_unit),
    };
    let title = format!("{}: {} games{design}", game.game, game.games);
    let mut text = screen.paint(Ink::Strong, screen.prose(&title)) + "\n";
    text += &standings(game).pick(&TERMINAL_COLUMNS).text(screen);
    // With two seats there is more to say of pairs where more met than a challenger and the others, as long as it fits.
    let bots = game.bots.len();
    if bots > 2 && (game.seats > 2 || game.pairings.len() >= bots) {
        let table = crosstable(&game.bots, |bot, other| met(game, bot, other));
        if (game.seats > 2 || bots <= WIDEST_CROSSTABLE) && table.fits(screen) {
            text += "  score against each other:\n";
            text += &table.text(screen);
        } else {
            let told = format!(
                "  score against each other: the table of {bots} bots is too wide, the page has it\n"
            );
            text += &screen.prose(&told);
        }
    }
    text += &screen.prose(&indented(&notes(game)));
    if with_times {
        text += "  response times in ms, first turn and later turns:\n";
        text += &response_times(game).text(screen);
        text += "  faults by game:\n";
        text += &faults::rates(game).text(screen);
        text += &screen.prose(&indented(&Vec::from_iter(faults::compared(game))));
    }
    text
}

/// Standings in at most so many lines, for a window that shows them while the games go on: the best and the last bots, and
/// `challenger`.
pub(super) fn live(
    game: &GameSummary,
    challenger: Option<&String>,
    lines: usize,
    screen: &Screen,
) -> Vec<String> {
    let bots = game.bots.len();
    // One line is the head, and one stands for those left out.
    let rows = if bots < lines {
        bots
    } else {
        lines.saturating_sub(2)
    };
    let top = rows.div_ceil(2);
    let mut shown: Vec<usize> = (0..bots)
        .filter(|&rank| rank < top || rank + rows >= bots + top)
        .collect();
    if let Some(rank) = game
        .bots
        .iter()
        .position(|bot| Some(&bot.name) == challenger)
        && !shown.contains(&rank)
        && let Some(last) = top.checked_sub(1)
    {
        shown[last] = rank;
    }
    let few: Vec<BotSummary> = shown.iter().map(|&rank| game.bots[rank].clone()).collect();
    let mut table =
        ratings(&game.game, game.seats, &game.groups, &few, None, RUN).pick(&LIVE_COLUMNS);
    // Their number alone, so that every bot takes one line: how bots fail is told above.
    let faults = |bot: &BotSummary| Some(of_bot(bot)).filter(|&count| count > 0);
    let faults = |bot: &BotSummary| Cell {
        tone: Tone::Bad,
        ..faults(bot).into()
    };
    table.columns.extend(
        Rows::new("", &few)
            .shown(Kind::Number, "faults", faults)
            .table()
            .columns,
    );
    let mut lines: Vec<String> = table.text(screen).lines().map(ToOwned::to_owned).collect();
    if let Some(gap) = shown
        .iter()
        .zip(0..)
        .position(|(&rank, place)| rank != place)
    {
        lines.insert(gap + 1, format!(" ⋮  {} more", bots - shown.len()));
    }
    lines
}

/// First and later answers side by side.
fn response_times(game: &GameSummary) -> Table {
    let mut table = times(game, &[FIRST]);
    for column in table
        .columns
        .iter_mut()
        .filter(|column| column.kind == Kind::Time)
    {
        column.title = format!("first {}", column.title);
    }
    table.columns.extend(
        times(game, &[LATER])
            .columns
            .into_iter()
            .filter(|column| column.kind == Kind::Time),
    );
    table
}

/// What a bot reached against another; nothing where they did not meet.
pub(super) fn met(game: &GameSummary, bot: usize, other: usize) -> Cell {
    let [bot, other] = [bot, other].map(|bot| &game.bots[bot]);
    let is_of = |pairing: &PairingSummary, one: &BotSummary, two: &BotSummary| {
        pairing.first == one.name && pairing.second == two.name
    };
    let pairing = game
        .pairings
        .iter()
        .find(|pairing| is_of(pairing, bot, other) || is_of(pairing, other, bot));
    let Some((pairing, elo)) = pairing.and_then(|pairing| Some((pairing, pairing.elo?))) else {
        return Cell::default();
    };
    let WinsDrawsLosses {
        wins,
        draws,
        losses,
    } = pairing.results;
    let (won, lost, score, los, [elo, lo, hi]) = if is_of(pairing, bot, other) {
        (
            wins,
            losses,
            elo.score,
            elo.los,
            [elo.elo, elo.lo95, elo.hi95],
        )
    } else {
        (
            losses,
            wins,
            1.0 - elo.score,
            1.0 - elo.los,
            [-elo.elo, -elo.hi95, -elo.lo95],
        )
    };
    let (elo, interval, los) = (signed(elo), words::interval([lo, hi]), likelihood(los));
    let tip = format!(
        "{} against {}: Elo {elo} {interval}, LOS {los}",
        bot.name, other.name
    );
    let games = of_pairing(game, &bot.name, &other.name, None);
    Cell {
        note: format!("{won}–{draws}–{lost}"),
        tip,
        games,
        ..Cell::shown(score, percent)
    }
}

/// The rating of a bot in a run.
pub(crate) fn elo(bot: &BotSummary) -> String {
    rating(bot, RUN)
}

/// Its interval.
pub(crate) fn interval(bot: &BotSummary, game: &GameSummary) -> String {
    rating_interval(bot, &game.groups, RUN)
}

/// A rating, with a mark where the true one lies beyond it.
fn rating(bot: &BotSummary, style: Style) -> String {
    let mark = match bot.mark {
        Some(Mark::Perfect) => "> ",
        Some(Mark::Zero) => "< ",
        None => "",
    };
    let error = bot
        .error95
        .filter(|&error| error > 0.0)
        .unwrap_or(f64::INFINITY);
    bot.elo.map_or_else(
        || "-".to_owned(),
        |elo| mark.to_owned() + &(style.elo)(elo, error),
    )
}

/// Both ends of a rating's interval; in parentheses where they rest on virtual games.
fn rating_interval(bot: &BotSummary, groups: &[Vec<String>], style: Style) -> String {
    let (Some(lo), Some(hi), Some(error)) = (bot.lo95, bot.hi95, bot.error95) else {
        return "-".to_owned();
    };
    if let Some(anchor) = style.anchor.filter(|_| error == 0.0) {
        return anchor.to_owned();
    }
    let [lo, hi] = [lo, hi].map(|end| (style.elo)(end, error));
    let provisional = if bot.provisional { "?" } else { "" };
    if groups.len() > 1 {
        format!("({lo}, {hi}){provisional}")
    } else {
        format!("[{lo}, {hi}]{provisional}")
    }
}

/// How often a bot failed in which way; `None` where it did not.
pub(crate) fn faults(bot: &BotSummary) -> Option<String> {
    let some = bot.faults.iter().filter(|(_, count)| **count > 0);
    let some: Vec<String> = some
        .map(|(fate, count)| format!("{count} {fate}"))
        .collect();
    (!some.is_empty()).then(|| some.join(", "))
}

/// What limits a rating, as words for programs.
fn limits(groups: &[Vec<String>], bot: &BotSummary) -> String {
    let limits = [
        (bot.mark == Some(Mark::Perfect), "perfect"),
        (bot.mark == Some(Mark::Zero), "zero"),
        (groups.len() > 1, "unlinked"),
        (bot.provisional, "provisional"),
    ];
    limits
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, word)| word)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The answer of a game of which there is no test, as one sentence in two parts, a name and what is said of it, with its
/// colour: how much stronger the first of two bots is, or who is first. `None` where nothing was played.
pub(crate) fn headline(game: &GameSummary) -> Option<(Ink, [String; 2])> {
    let best = game.bots.first().filter(|_| game.games > 0)?;
    if let Some((PairingSummary { first, second, .. }, met)) = game.difference() {
        let (ink, claim) = match (met.lo95 > 0.0, met.hi95 < 0.0) {
            (true, _) => (Ink::Good, "is stronger"),
            (_, true) => (Ink::Bad, "is weaker"),
            _ => (
                Ink::Open,
                "is neither clearly stronger nor weaker, inconclusive",
            ),
        };
        let los = if game.anytime {
            String::new()
        } else {
            format!(", LOS {}", likelihood(met.los))
        };
        let rest = format!(
            " {claim}: {} against {second}, {} games{los}",
            in_force(&met, game.anytime),
            game.games
        );
        return Some((ink, [first.clone(), rest]));
    }
    let mut sentence = format!(" is first with {} Elo", elo(best));
    if best.mark == Some(Mark::Perfect) {
        " has won everything".clone_into(&mut sentence);
    }
    sentence.extend(
        best.lo95
            .map(|_| format!(", 95% interval {}", interval(best, game))),
    );
    let likelihood = best.los_next.map(likelihood);
    sentence
        .extend(likelihood.map(|los| format!("; stronger than the second with likelihood {los}")));
    Some((Ink::Strong, [best.name.clone(), sentence]))
}

/// How far the first of two bots is ahead, with the interval that is in force, which is named if it holds at every look.
pub(super) fn in_force(met: &Estimate, anytime: bool) -> String {
    let estimate = estimate([met.elo, met.lo95, met.hi95]);
    if anytime {
        format!("{estimate} ({ANYTIME})")
    } else {
        estimate
    }
}

/// Elo with both ends; a bot that won or lost everything has one end only.
pub(super) fn estimate([elo, lo, hi]: [f64; 3]) -> String {
    match elo {
        f64::INFINITY => format!("more than {} Elo, won everything", signed(lo)),
        f64::NEG_INFINITY => format!("less than {} Elo, lost everything", signed(hi)),
        _ => format!("{} Elo {}", signed(elo), words::interval([lo, hi])),
    }
}

/// What limits the numbers of a game.
pub(super) fn notes(game: &GameSummary) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend((game.seats > 2).then(|| EVERY_SEAT.to_owned()));
    if game.incomplete_units > 0 {
        let count = game.incomplete_units;
        notes.push(format!(
            "incomplete units: {count}; their games count in won, drawn and lost, but not in Elo"
        ));
    }
    notes.extend(failing(game));
    notes.extend(repeats(game));
    if let ([pairing], 2) = (&game.pairings[..], game.seats) {
        notes.extend(pairs(pairing));
    }
    let late = game.bots.iter().filter(|bot| bot.host_late > 0);
    let late: Vec<String> = late
        .map(|bot| format!("{} {}", bot.name, bot.host_late))
        .collect();
    if !late.is_empty() {
        let late = late.join(", ");
        notes.push(format!(
            "answers after the limit that counted, because the host was overloaded: {late}"
        ));
    }
    let watched = game.anytime.then(|| watched(game)).flatten();
    let has_los = watched.is_none() && game.bots.iter().any(|bot| bot.los_next.is_some());
    notes.extend(watched);
    notes.extend(has_los.then(|| LOS.to_owned()));
    notes.extend(rating_notes(&game.groups, &game.bots));
    notes
}

/// What the interval of two bots means who may be watched.
fn watched(game: &GameSummary) -> Option<String> {
    let met = game.difference()?.0.elo?;
    let times = (met.hi95_anytime - met.lo95_anytime) / (met.hi95 - met.lo95);
    let width = format!("; here {times:.1} times as wide as for a single look");
    Some(WATCHED.to_owned() + if times.is_finite() { &width } else { "" })
}

/// What results mean where more than two bots meet.
pub(crate) const EVERY_SEAT: &str =
    "won, drawn, lost, score: every seat is compared with those of all other bots";

/// The bots that failed in more than half of their seats: standings with them mean little.
fn failing(game: &GameSummary) -> Option<String> {
    let seats = |bot: &BotSummary| if game.design == "mirror" { game.seats as u64 / 2 } else { 1 } * bot.games;
    let failing = game
        .bots
        .iter()
        .filter(|bot| 2 * bot.faults.values().sum::<u64>() > seats(bot));
    let failing: Vec<String> = failing
        .filter_map(|bot| {
            Some(format!(
                "{}: {} in {} games",
                bot.name,
                faults(bot)?,
                bot.games
            ))
        })
        .collect();
    (!failing.is_empty()).then(|| {
        format!(
            "warning: results against bots that fail in most games tell little of strength ({})",
            failing.join("; ")
        )
    })
}

fn repeats(game: &GameSummary) -> Option<String> {
    let count = game.repeated_games;
    let repeated = game.units - game.distinct_units;
    let units = if repeated > 0 {
        format!(" ({repeated} of {} units)", game.units)
    } else {
        String::new()
    };
    (count > 0).then(|| {
        format!(
            "repeated games: {count}{units}, the same bots playing the same moves; they say nothing new, and the intervals \
             are too narrow: set opening_plies, or give the bots {{seed}}"
        )
    })
}

/// How the pairs of games of two bots came out, and what it was worth to play in pairs.
fn pairs(pairing: &PairingSummary) -> Option<String> {
    let (split, drawn) = pairing.pairs_split.zip(pairing.pairs_drawn)?;
    let scores = pairing.unit_scores.iter().zip(&pairing.unit_counts);
    let won: u64 = scores
        .clone()
        .filter(|(score, _)| **score > 0.5)
        .map(|(_, count)| count)
        .sum();
    let lost: u64 = scores
        .filter(|(score, _)| **score < 0.5)
        .map(|(_, count)| count)
        .sum();
    let first = &pairing.first;
    let mut note = format!(
        "pairs for {first}: {won} won, {lost} lost, {split} with a win each, {drawn} drawn twice"
    );
    note.extend(
        pairing
            .pairing_gain
            .map(|gain| format!("; a game in a pair is worth {gain:.2} single games")),
    );
    Some(note)
}

/// What limits ratings; `groups` are the bots that results link.
pub(crate) fn rating_notes(groups: &[Vec<String>], bots: &[BotSummary]) -> Vec<String> {
    let mut notes = Vec::new();
    if groups.len() > 1 {
        let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
        notes.push(format!(
            "not connected by both wins and losses: {}; ratings between these groups, and intervals in ( ), rest on \
             virtual draws and mean little",
            groups.join(" | ")
        ));
    }
    if bots.iter().any(|bot| bot.mark.is_some()) {
        notes.push("> won everything, < lost everything: bounded on one side only".to_owned());
    }
    if bots.iter().any(|bot| bot.provisional && bot.lo95.is_some()) {
        notes.push(format!(
            "? fewer than {FEW_UNITS} units: the interval is rough"
        ));
    }
    if bots
        .iter()
        .any(|bot| bot.mark.is_none() && bot.lo95.is_none())
    {
        notes
            .push("- not enough games for an interval: more units than bots are needed".to_owned());
    }
    notes
}
