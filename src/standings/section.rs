//! One game of a run as a section: standings, and results by opponent, seat, map and reason.

use std::time::Duration;

use super::metrics::{self, Charts};
use super::tables::{
    ANYTIME, COLUMNS, INTERVAL, OF_TEST, boards, crosstable, in_force, met, notes, notes_on_games,
    pairings, reasons, seating, seats, standings, times,
};
use super::{BotSummary, Game, TimeSummary, faults};
use arena_section::table::Table;
use arena_section::words::count;
use arena_section::{Detail, Part, Section, Sentence, Tone};

/// The most bots in a crosstable outside the page.
const WIDEST: usize = 10;
/// The columns of a list of pairings.
const OF_PAIRINGS: [&str; 12] = [
    "bot", "against", "score", "won", "drawn", "lost", "Elo", INTERVAL, ANYTIME, OF_TEST, "LOS",
    "units",
];

/// The columns of a list of pairings without Elo.
const OF_RESULTS: [&str; 7] = ["bot", "against", "score", "won", "drawn", "lost", "units"];

/// Additions to the standings of a game.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extras<'a> {
    /// The time limits of first and later turns, if they are fixed.
    pub(crate) limits: [Option<Duration>; 2],
    pub(crate) metrics: Option<&'a Charts>,
    /// What to say of a game if the run has no standings.
    pub(crate) unrated: &'a str,
}

/// A game of a run.
pub(crate) fn section(game: &Game, beside: Extras<'_>) -> Section {
    let mut section = standing(game, beside);
    section.parts.extend(numbers(game, beside));
    section
}

/// A game of a run without the numbers that the page shows on request: standings, scores and
/// charts.
pub(crate) fn standing(game: &Game, beside: Extras<'_>) -> Section {
    let games = count(game.games, "game", "games") + &seating(game);
    let (lead, parts) = match (game.games, beside.unrated) {
        (0, "") => ("No game was played".to_owned(), Vec::new()),
        (0, unrated) => (unrated.to_owned(), Vec::new()),
        (_, "") => (games, ratings(game)),
        (_, unrated) => (format!("{games}; {unrated}"), results(game)),
    };
    let lead = Sentence::new(Tone::Plain, "", lead);
    Section::new(&game.game, &game.title, vec![lead], parts)
}

/// What the page shows of a game on request: response times, fault rates, metrics, and results by
/// seat, reason and map.
pub(crate) fn numbers(game: &Game, beside: Extras<'_>) -> Vec<Part> {
    if game.games == 0 && beside.unrated.is_empty() {
        return Vec::new();
    }
    let mut parts = Vec::from(response_times(game, beside.limits));
    if game.games == 0 {
        return parts;
    }
    parts.push(Part {
        explanation: "In how many of its games a bot failed, with exact intervals; the true share is below the last number \
                      with 95% confidence."
            .to_owned(),
        detail: Detail::Full,
        ..Part::new("Fault rates", faults::rates(game))
    });
    if game.design.seats > 1 {
        parts.push(by_seat(game));
    }
    parts.push(Part::new("By reason of the end", reasons(game)).on_the_page());
    if !game.boards.is_empty() {
        parts.push(Part::new("By map", boards(game)).on_the_page());
    }
    parts.extend(beside.metrics.map(|charts| metrics::part(game, charts)));
    parts
}

fn ratings(game: &Game) -> Vec<Part> {
    let mut parts = vec![Part {
        notes: notes(game),
        ..Part::new("", standings(game).pick(&COLUMNS))
    }];
    parts.extend(against_each_other(game));
    parts
}

/// Results without Elo, which another section has.
fn results(game: &Game) -> Vec<Part> {
    let notes = Part {
        notes: notes_on_games(game),
        ..Part::default()
    };
    let list = pairings(game).pick(&OF_RESULTS);
    vec![notes, Part::new("Against each other", list).on_the_page()]
}

/// Results of each pairing: a crosstable if most bots met, else a list. The standings of two bots
/// say it all.
fn against_each_other(game: &Game) -> Option<Part> {
    let bots = game.bots.len();
    if game.pairings.is_empty() || bots < 3 {
        return None;
    }
    let title = "Against each other";
    if 4 * game.pairings.len() <= bots * (bots - 1) {
        let list = pairings(game).pick(&OF_PAIRINGS);
        return Some(Part::new(title, list).on_the_page());
    }
    let table = crosstable(&game.bots, |bot, other| {
        met(game, &game.bots[bot].name, &game.bots[other].name)
    });
    Some(Part {
        explanation: "The score of the bot in the row against the bot in the column, with its wins, draws and losses. \
                      Elo is in the tip of each cell."
            .to_owned(),
        detail: if bots > WIDEST { Detail::Page } else { Detail::Everywhere },
        ..Part::new(title, table)
    })
}

/// Response times in milliseconds, with their limits.
fn response_times(game: &Game, limits: [Option<Duration>; 2]) -> [Part; 3] {
    let [first, later] = limits.map(|limit| match limit {
        Some(limit) => format!("The limit is {} ms.", limit.as_millis()),
        None => String::new(),
    });
    [
        Part {
            explanation: first,
            beside: true,
            ..times_of("Response times in ms: first turn", game, |bot| bot.first_turn)
        },
        Part {
            explanation: later,
            ..times_of("Response times in ms: later turns", game, |bot| bot.later_turns)
        },
        Part {
            explanation: "How long the slowest answer of a game takes: half of the games stay below the \
                          median. Times of one game aren't independent, these are. Therefore they have 95% intervals below \
                          the quantiles, as first turns have."
                .to_owned(),
            ..times_of("Response times in ms: the longest later turn of each game", game, |bot| bot.longest)
        },
    ]
}

fn times_of(title: &'static str, game: &Game, of: fn(&BotSummary) -> Option<TimeSummary>) -> Part {
    let times = times(game, of);
    Part {
        detail: Detail::Full,
        ..Part::new(title, Table { title, ..times })
    }
}

/// The score of every bot in every seat.
fn by_seat(game: &Game) -> Part {
    let explanation = match game.first_player {
        Some(first) => format!("Moving first is worth {}.", in_force(&first.by)),
        None => String::new(),
    };
    Part {
        explanation,
        beside: true,
        ..Part::new("By seat", seats(game)).on_the_page()
    }
}
