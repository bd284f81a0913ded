//! One game of a run as a section: standings, and results by opponent, seat, map and reason.

use std::time::Duration;

use super::Game;
use super::faults;
use super::metrics::Charts;
use super::tables::{
    ANYTIME, COLUMNS, Turns, boards, crosstable, met, notes, pairings, reasons, seating, seats,
    standings, times,
};
use crate::section::chart::DRAWN;
use crate::section::table::Table;
use crate::section::words::{count, interval, signed};
use crate::section::{Detail, Part, Section, Sentence, Tone};

mod course;
mod curves;

/// The columns of a list of pairings.
const OF_PAIRINGS: [&str; 11] = [
    "bot",
    "against",
    "score",
    "won",
    "drawn",
    "lost",
    "Elo",
    "95% interval",
    ANYTIME,
    "LOS",
    "units",
];

/// What a section shows of a game besides its standings.
#[derive(Clone, Copy, Default)]
pub(crate) struct Beside<'a> {
    /// The time limits of first and later turns, if they are fixed.
    pub(crate) limits: [Option<Duration>; 2],
    pub(crate) metrics: Option<&'a Charts>,
    /// What to say of a game without standings.
    pub(crate) unrated: &'a str,
}

/// A game of a run.
pub(crate) fn section(game: &Game, beside: Beside<'_>) -> Section {
    let mut section = Section {
        id: game.game.clone(),
        title: game.title.clone(),
        lead: Vec::new(),
        parts: Vec::new(),
    };
    if game.games > 0 {
        let games = count(game.games, "game", "games");
        let extent = format!("{games}{}", seating(game));
        section.lead.push(Sentence::new(Tone::Plain, "", extent));
        section.parts = parts(game, beside);
    } else if beside.unrated.is_empty() {
        let lead = Sentence::new(Tone::Plain, "", "No game was played");
        section.lead.push(lead);
    } else {
        let lead = Sentence::new(Tone::Plain, "", beside.unrated);
        section.lead.push(lead);
        section.parts.extend(response_times(game, beside.limits));
    }
    section
}

fn parts(game: &Game, beside: Beside<'_>) -> Vec<Part> {
    let mut parts = vec![Part {
        table: Some(standings(game).pick(&COLUMNS)),
        notes: notes(game),
        ..Part::default()
    }];
    parts.extend(course(game));
    parts.extend(against_each_other(game));
    parts.extend(response_times(game, beside.limits));
    parts.extend(beside.metrics.map(|charts| curves::part(game, charts)));
    parts.push(fault_rates(game));
    parts.extend([by_seat(game), by_reason(game)]);
    if !game.boards.is_empty() {
        parts.push(Part {
            title: "By map".to_owned(),
            table: Some(boards(game)),
            ..on_the_page()
        });
    }
    parts
}

fn on_the_page() -> Part {
    Part {
        detail: Detail::Page,
        ..Part::default()
    }
}

/// The ratings over the games, where they settle.
fn course(game: &Game) -> Option<Part> {
    let chart = course::chart(game)?;
    let what = match &game.difference {
        Some(two) => format!(
            "How far {} was ahead of {} after so many games, with the interval that holds at every look.",
            two.first, two.second
        ),
        None if game.bots.len() > DRAWN => format!(
            "What the games so far said, with 95% intervals. The first {DRAWN} of the standings are drawn."
        ),
        None => "What the games so far said, with 95% intervals.".to_owned(),
    };
    Some(Part {
        title: "Elo over the games".to_owned(),
        explanation: format!("{what} The scale of the games is logarithmic."),
        charts: vec![chart],
        ..on_the_page()
    })
}

/// Results of each pairing: a crosstable if most bots met, else a list.
fn against_each_other(game: &Game) -> Option<Part> {
    let bots = game.bots.len();
    if game.pairings.is_empty() {
        return None;
    }
    let title = "Against each other".to_owned();
    if bots < 3 || 4 * game.pairings.len() <= bots * (bots - 1) {
        return Some(Part {
            title,
            table: Some(pairings(game).pick(&OF_PAIRINGS)),
            ..on_the_page()
        });
    }
    Some(Part {
        title,
        explanation: "The score of the bot in the row against the bot in the column, with its wins, draws and losses. \
                      Elo is in the tip of each cell."
            .to_owned(),
        table: Some(Table {
            is_whole: true,
            ..crosstable(&game.bots, |bot, other| met(game, bot, other))
        }),
        ..Part::default()
    })
}

/// Response times in milliseconds, with their limits.
fn response_times(game: &Game, limits: [Option<Duration>; 2]) -> [Part; 3] {
    let half = |title: &'static str, turns: Turns, limit: Option<Duration>| Part {
        title: title.to_owned(),
        explanation: limit.map_or_else(String::new, |limit| {
            format!("The limit is {} ms.", limit.as_millis())
        }),
        table: Some(Table {
            title,
            ..times(game, turns)
        }),
        detail: Detail::Full,
        ..Part::default()
    };
    let [first, later] = limits;
    [
        Part {
            beside: true,
            ..half("Response times in ms: first turn", Turns::First, first)
        },
        half("Response times in ms: later turns", Turns::Later, later),
        Part {
            explanation: "How long the slowest answer of a game takes: half of the games stay below the \
                          median. Times of one game aren't independent, these are. Therefore they have 95% intervals below \
                          the quantiles, as first turns have."
                .to_owned(),
            ..half("Response times in ms: the longest later turn of each game", Turns::Longest, None)
        },
    ]
}

/// Fault rates, also of bots without a fault: even that sets a limit.
fn fault_rates(game: &Game) -> Part {
    Part {
        title: "Fault rates".to_owned(),
        explanation: "In how many of its games a bot failed, with exact intervals; the true share is below the last number \
                      with 95% confidence."
            .to_owned(),
        table: Some(faults::rates(game)),
        notes: Vec::from_iter(faults::compared(game)),
        detail: Detail::Full,
        ..Part::default()
    }
}

/// The score of every bot in every seat.
fn by_seat(game: &Game) -> Part {
    let explanation = game.first_player.map(|first| {
        let ends = interval([first.lo95, first.hi95], 1);
        format!("Moving first is worth {} {ends} Elo.", signed(first.elo, 1))
    });
    Part {
        title: "By seat".to_owned(),
        explanation: explanation.unwrap_or_default(),
        table: Some(seats(game)),
        beside: true,
        ..on_the_page()
    }
}

fn by_reason(game: &Game) -> Part {
    Part {
        title: "By reason of the end".to_owned(),
        table: Some(reasons(game)),
        ..on_the_page()
    }
}
