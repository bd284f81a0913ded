//! The list of games that `arena replay` prints without a number.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

use anyhow::bail;
use clap::{ArgGroup, Args, ValueEnum};

use super::super::say;
use super::name;
use crate::play::record::Record;
use crate::store::{self, StoredGames};
use arena_games::{Fate, Games, Seat};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::table::{Cell, Kind, Rows};
use arena_section::text::{harmless, word};

/// Conditions on the games to list. A game must meet all of them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which games are listed")]
#[group(skip)]
#[command(group(ArgGroup::new("whose").args(["bot", "seat"]).multiple(true)))]
pub(in crate::cli) struct FilterArgs {
    /// Games of this bot
    #[arg(long, value_name = "NAME", conflicts_with = "number")]
    pub(super) bot: Option<String>,
    /// Games that --bot played in this seat
    ///
    /// Without --bot, the seat for --result, --fault and --against.
    #[arg(long, value_name = "SEAT")]
    pub(super) seat: Option<Seat>,
    /// Games with this result for --bot or --seat
    ///
    /// With more than two seats, a shared first place is a draw.
    #[arg(long, conflicts_with = "number", requires = "whose")]
    result: Option<GameResult>,
    /// Games with a fault, by --bot or --seat if given
    #[arg(long, conflicts_with = "number")]
    fault: bool,
    /// Games on this map
    #[arg(long, value_name = "NAME", conflicts_with = "number")]
    map: Option<String>,
    /// The N games with the highest scores
    #[arg(long, value_name = "N", conflicts_with_all = ["number", "worst"], num_args = 0..=1, default_missing_value = "10")]
    best: Option<usize>,
    /// The N games with the lowest scores
    #[arg(long, value_name = "N", conflicts_with = "number", num_args = 0..=1, default_missing_value = "10")]
    worst: Option<usize>,
}

/// The result of a game for one bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GameResult {
    Win,
    Draw,
    Loss,
}

/// A game in the list.
struct GameEntry {
    number: u64,
    game: String,
    seats: Vec<SeatEntry>,
    reason: String,
    turns: u32,
    /// The board that its seed picked, if the game has several.
    map: Option<String>,
}

struct SeatEntry {
    bot: String,
    score: i32,
    place: usize,
    result: GameResult,
    fate: Fate,
}

/// Lists the games of a run or of a file of records.
pub(super) fn list(run: &Path, filter: &FilterArgs, games: &Games) -> anyhow::Result<String> {
    let path = store::named_file(run, store::RECORDS)?;
    let mut stored = StoredGames::new(games);
    let (mut chosen, mut total) = (Vec::new(), 0);
    let (mut bots, mut maps, mut seats) = (BTreeSet::new(), BTreeSet::new(), 0);
    for (place, entry) in (0..).zip(store::read_records(&path)?) {
        match entry {
            Ok((_, record)) => {
                total += 1;
                let game = GameEntry::of(&record, place, &mut stored);
                bots.extend(game.seats.iter().map(|seat| seat.bot.clone()));
                maps.extend(game.map.clone());
                seats = seats.max(game.seats.len());
                if filter.holds(&game) {
                    chosen.push(game);
                }
            }
            // A run may still be writing its last line.
            Err(error) => say(&format!("not listed: {error}")),
        }
    }
    if chosen.is_empty() {
        filter.check(&bots, &maps, seats)?;
        return Ok(format!("none of {total} games\n"));
    }
    filter.keep_extremes(&mut chosen);
    let screen = Screen::stdout();
    let mut text = table(&chosen, &screen);
    if screen.columns().is_some() {
        let next = format!(
            "{} of {total} games; arena replay {} GAME shows one",
            chosen.len(),
            word(run.display())
        );
        text += &(screen.paint(Tone::Faint, screen.prose(&next)) + "\n");
    }
    Ok(text)
}

impl GameEntry {
    fn of(record: &Record, place: u64, stored: &mut StoredGames<'_>) -> GameEntry {
        let map = stored
            .of(record)
            .ok()
            .and_then(|spec| spec.board(record.seed.0));
        GameEntry {
            number: record.number.unwrap_or(place),
            game: harmless(&record.game),
            seats: (0..record.scores.len())
                .map(|seat| SeatEntry::of(record, seat))
                .collect(),
            reason: harmless(&record.reason).replace('_', " "),
            turns: record.turns(),
            map: map.map(|map| harmless(&map)),
        }
    }

    /// The result from the first seat's side, as in chess; with more seats than two, the places, and
    /// with one, its score.
    fn result(&self) -> String {
        if let [only] = &self.seats[..] {
            return only.score.to_string();
        }
        if let [first, _] = &self.seats[..] {
            let result = match first.result {
                GameResult::Win => "1-0",
                GameResult::Loss => "0-1",
                GameResult::Draw => "1/2",
            };
            return result.to_owned();
        }
        let places = self.seats.iter().map(|seat| seat.place.to_string());
        places.collect::<Vec<_>>().join("-")
    }

    /// The seats that failed and how; `None` if all went well.
    fn faults(&self) -> Option<String> {
        let mut failed = Vec::new();
        for (number, seat) in self.seats.iter().enumerate() {
            if seat.fate != Fate::Ok {
                failed.push(format!("{number}: {}", seat.fate));
            }
        }
        (!failed.is_empty()).then(|| failed.join(", "))
    }
}

impl SeatEntry {
    fn of(record: &Record, seat: Seat) -> SeatEntry {
        let score = record.scores[seat];
        let place = record.place(seat).unwrap_or_default();
        let equals = record.scores.iter().filter(|&&other| other == score);
        let result = match (place, equals.count()) {
            (1, 1) => GameResult::Win,
            (1, _) => GameResult::Draw,
            _ => GameResult::Loss,
        };
        SeatEntry {
            bot: name(record, seat),
            score,
            place,
            result,
            fate: record.fate(seat),
        }
    }
}

impl FilterArgs {
    /// Keeps the games with the best or the worst scores, if these are asked for, and sorts them.
    fn keep_extremes(&self, games: &mut Vec<GameEntry>) {
        let Some(most) = self.best.or(self.worst) else {
            return;
        };
        let scores = |game: &GameEntry| {
            let seats = game.seats.iter();
            let own = seats.filter(|seat| self.bot.as_ref().is_none_or(|bot| *bot == seat.bot));
            // A bot that failed is below all others, whatever the referee says.
            own.map(|seat| (seat.fate == Fate::Ok, seat.score))
                .collect::<Vec<_>>()
        };
        if self.best.is_some() {
            games.sort_by_key(|game| Reverse(scores(game).into_iter().max()));
        } else {
            games.sort_by_key(|game| scores(game).into_iter().min());
        }
        games.truncate(most);
    }

    /// Returns an error if no game has the bot, the map or the seat.
    fn check(
        &self,
        bots: &BTreeSet<String>,
        maps: &BTreeSet<String>,
        seats: usize,
    ) -> anyhow::Result<()> {
        for (what, wanted, known) in [("bot", &self.bot, bots), ("map", &self.map, maps)] {
            if let Some(name) = wanted
                && !known.contains(name)
            {
                let mut known: Vec<&str> = known.iter().map(String::as_str).collect();
                if known.is_empty() {
                    known.push("none");
                }
                let known = known.join(", ");
                bail!(
                    "can't list games of the {what} `{name}`: there are none\nhint: {what}s of these games are {known}"
                );
            }
        }
        if let Some(seat) = self.seat.filter(|seat| *seat >= seats) {
            bail!(
                "can't list games of seat {seat}: seats are 0 to {}",
                seats.saturating_sub(1)
            );
        }
        Ok(())
    }

    fn holds(&self, game: &GameEntry) -> bool {
        let is_on_map = self.map.is_none() || self.map == game.map;
        let mut seats = game.seats.iter().enumerate();
        is_on_map
            && seats.any(|(place, seat)| {
                self.bot.as_ref().is_none_or(|bot| *bot == seat.bot)
                    && self.seat.is_none_or(|seat| seat == place)
                    && self.result.is_none_or(|result| result == seat.result)
                    && (!self.fault || seat.fate != Fate::Ok)
            })
    }
}

fn table(games: &[GameEntry], screen: &Screen) -> String {
    let seats = games.iter().map(|game| game.seats.len()).max().unwrap_or(0);
    // The table leaves out columns without a title.
    let mut titles = ["", ""];
    if games.iter().any(|game| game.game != games[0].game) {
        titles[0] = "game";
    }
    if games.iter().any(|game| game.map.is_some()) {
        titles[1] = "map";
    }
    let result = match seats {
        1 => "score",
        2 => "result",
        _ => "places",
    };
    let mut rows = Rows::new("Games", games)
        .shown(Kind::Game, "number", |game| game.number)
        .shown(Kind::Name, titles[0], |game| &game.game);
    for seat in 0..seats {
        rows = rows.shown(Kind::Name, format!("seat {seat}"), move |game| {
            game.seats.get(seat).map(|seat| seat.bot.clone())
        });
    }
    rows.shown(Kind::Number, result, GameEntry::result)
        .shown(Kind::Text, "reason", |game| &game.reason)
        .shown(Kind::Number, "turns", |game| game.turns)
        .spare(1)
        .shown(Kind::Name, titles[1], |game| game.map.as_ref())
        .shown(Kind::Text, "fault by seat", |game| Cell {
            tone: Tone::Bad,
            ..game.faults().into()
        })
        .text(screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, reason: &str, fates: &[Fate]) -> GameEntry {
        let seat = |(place, &fate): (usize, &Fate)| SeatEntry {
            bot: format!("a-bot-with-a-name-of-exactly-sixty-columns-as-of-a-long-path-{place}"),
            score: 0,
            place: 1 + place,
            result: if place == 0 {
                GameResult::Win
            } else {
                GameResult::Loss
            },
            fate,
        };
        let seats = fates.iter().enumerate().map(seat).collect();
        GameEntry {
            number,
            game: "onitama".to_owned(),
            seats,
            reason: reason.to_owned(),
            turns: 12,
            map: None,
        }
    }

    #[test]
    fn a_game_takes_a_row_of_80_columns() {
        let two = [
            game(0, "master captured", &[Fate::Ok, Fate::Ok]),
            game(1234, "invalid action", &[Fate::Ok, Fate::InvalidAction]),
            game(5678, "perpetual check", &[Fate::Ok, Fate::Ok]),
        ];
        let four = [game(
            0,
            "last died together",
            &[Fate::Ok, Fate::OutOfMemory, Fate::Ok, Fate::Crashed],
        )];
        let shown = [
            table(&two, &Screen::wide(80)),
            table(&four, &Screen::wide(80)),
        ];
        insta::assert_snapshot!(shown.join("\n"));
    }
}
