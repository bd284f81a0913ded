//! The answer of a run as intervals, which the page draws below the sentence.

use std::cmp::Ordering;

use super::ratings::title;
use crate::standings::Game;
use arena_section::Tone;
use arena_section::screen::shortened_apart;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words;
use arena_stats::estimate::{Claim, Estimate};

/// The most opponents of a challenger to draw.
const MOST: usize = 8;

/// A number in its interval, and what it is about.
struct Line {
    name: String,
    /// As much of the name as there is room for.
    shown: String,
    /// Lower end, estimate and upper end.
    elo: [f64; 3],
    tone: Tone,
}

/// The most characters of each of two names.
const NAME: usize = 12;

/// The answer of each game: the difference of two bots, or else the rating of the challenger or the
/// first bot. A challenger in the only game is compared with each opponent. `None` if nothing is
/// known.
pub(crate) fn drawn(games: &[Game]) -> Option<Table> {
    let mut lines = Vec::new();
    for game in games.iter().filter(|game| !game.same_moves) {
        let mut of_game = match (game.pair(), game.challenger) {
            (Some(pair), _) => {
                let names = shortened_apart(&[&pair.first, &pair.second], NAME);
                vec![Line {
                    shown: names.join(" over "),
                    ..Line::compared(&pair.first, &pair.second, pair.met.by)
                }]
            }
            (None, Some(place)) if games.len() == 1 => against_each(game, &game.bots[place].name),
            (None, _) => Vec::from_iter(rating(game)),
        };
        if let ([_, _, ..], [only]) = (games, &mut of_game[..]) {
            for name in [&mut only.name, &mut only.shown] {
                name.insert_str(0, &format!("{}: ", game.title));
            }
        }
        lines.extend(of_game);
    }
    // The answer says in words what a line for each game shows.
    let is_said = lines.len() <= games.len();
    let ends = if is_said { "" } else { title(games[0].holds) };
    let table = Rows::new("The answer as intervals", &lines)
        .shown(Kind::Name, "Elo", Line::named)
        .shown(Kind::Interval, "Elo, drawn", Line::drawn)
        .shown(Kind::Ends, ends, Line::text)
        .table();
    (!lines.is_empty()).then_some(table)
}

/// The difference between a challenger and each of its opponents, if there are few.
fn against_each(game: &Game, challenger: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for pairing in &game.pairings {
        let other = match (&pairing.first, &pairing.second) {
            (first, second) if first == challenger => second,
            (first, second) if second == challenger => first,
            _ => continue,
        };
        let by = pairing.by(challenger);
        lines.push(Line::compared(challenger, other, by));
    }
    if lines.len() > MOST {
        lines.clear();
    }
    lines
}

/// The rating of the challenger or the first bot.
fn rating(game: &Game) -> Option<Line> {
    let bot = game.bots.get(game.challenger.unwrap_or_default())?;
    Some(Line {
        name: bot.name.clone(),
        shown: bot.name.clone(),
        elo: [bot.lo95?, bot.elo?, bot.hi95?],
        tone: Tone::Plain,
    })
}

impl Line {
    fn compared(bot: &str, other: &str, by: Estimate) -> Line {
        let name = format!("{bot} over {other}");
        Line {
            shown: name.clone(),
            name,
            elo: [by.lo95, by.elo, by.hi95],
            tone: match by.claim() {
                Claim::Compared(Ordering::Greater) => Tone::Good,
                Claim::Compared(Ordering::Less) => Tone::Bad,
                Claim::Compared(Ordering::Equal) | Claim::NoVerdict => Tone::Faint,
            },
        }
    }

    fn named(&self) -> Cell {
        Cell {
            tip: self.name.clone(),
            ..Cell::from(&self.shown)
        }
    }

    fn text(&self) -> String {
        let [lo, elo, hi] = self.elo;
        words::estimate([elo, lo, hi])
    }

    fn drawn(&self) -> Cell {
        let [lo, elo, hi] = self.elo;
        Cell {
            value: Some(elo),
            ends: Some([lo, hi]),
            tip: format!("{}: {}", self.name, self.text()),
            tone: self.tone,
            ..Cell::default()
        }
    }
}
