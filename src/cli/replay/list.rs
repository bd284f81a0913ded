//! The games of a run, to choose one from.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{anyhow, ensure};
use clap::{Args, ValueEnum};

use super::name;
use crate::play::record::Record;
use crate::report::screen::Screen;
use crate::section::Tone;
use crate::section::table::{Cell, Kind, Rows};
use crate::section::text::harmless;
use crate::store::{self, StoredGames};
use arena_games::{Fate, Games, Seat};

/// Which games are listed: those that fulfil all of it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which games are listed")]
pub(in crate::cli) struct FilterArgs {
    /// Games of this bot
    #[arg(long, value_name = "NAME", conflicts_with = "one")]
    bot: Option<String>,
    /// With --bot, games in which it had this seat; else the seat that --result and --fault are about
    #[arg(long, value_name = "SEAT", conflicts_with = "one")]
    seat: Option<Seat>,
    /// Games that ended so for --bot, or for --seat; with more seats than two, who shares the first place has a draw
    #[arg(long, conflicts_with = "one")]
    result: Option<GameResult>,
    /// Games in which a bot failed; with --bot or --seat, that one
    #[arg(long, conflicts_with = "one")]
    fault: bool,
    /// Games on this map
    #[arg(long, value_name = "NAME", conflicts_with = "one")]
    map: Option<String>,
}

/// What a game was for a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GameResult {
    Win,
    Draw,
    Loss,
}

/// A game in the list.
struct Listed {
    number: u64,
    game: String,
    seats: Vec<ListedSeat>,
    reason: String,
    turns: u32,
    /// The board that its seed picked, where there are several.
    map: Option<String>,
}

struct ListedSeat {
    bot: String,
    place: usize,
    result: GameResult,
    fate: Fate,
}

/// The games of a run, or of a file of records, as a table for standard output.
pub(super) fn list(run: &Path, filter: &FilterArgs, games: &Games) -> anyhow::Result<String> {
    let of_one = filter.bot.is_some() || filter.seat.is_some();
    ensure!(
        filter.result.is_none() || of_one,
        "list games by --result: of whom? add --bot NAME or --seat N"
    );
    let path = store::named_file(run, store::RECORDS)?;
    let mut stored = StoredGames::new(games);
    let mut all = Vec::new();
    for (place, entry) in (0..).zip(store::read_records(&path)?) {
        match entry {
            Ok((_, record)) => {
                all.push(Listed::of(&record, place, &mut stored).map_err(|why| anyhow!(why))?);
            }
            // A run that goes on has not written its last line yet. Where nobody reads standard error, the list must do.
            Err(error) => drop(writeln!(io::stderr(), "not listed: {error}")),
        }
    }
    filter.check(&all)?;
    let total = all.len();
    let chosen: Vec<Listed> = all.into_iter().filter(|game| filter.holds(game)).collect();
    let screen = Screen::stdout();
    if chosen.is_empty() {
        return Ok(format!("none of {total} games\n"));
    }
    let mut text = table(&chosen, &screen);
    if screen.columns().is_some() {
        let next = format!(
            "{} of {total} games; arena replay {} GAME shows one",
            chosen.len(),
            run.display()
        );
        text += &(screen.paint(Tone::Faint, screen.prose(&next)) + "\n");
    }
    Ok(text)
}

impl Listed {
    fn of(record: &Record, place: u64, stored: &mut StoredGames<'_>) -> Result<Listed, String> {
        let seats = (0..record.scores.len())
            .map(|seat| ListedSeat::of(record, seat))
            .collect::<Result<_, _>>()?;
        Ok(Listed {
            number: record.number.unwrap_or(place),
            game: harmless(&record.game),
            seats,
            reason: harmless(&record.reason).replace('_', " "),
            turns: record.turns(),
            map: stored
                .of(record)
                .ok()
                .and_then(|spec| spec.board(record.seed.0))
                .map(|map| harmless(&map)),
        })
    }

    /// As chess tells it, from the first seat's side; of more seats than two their places.
    fn result(&self) -> String {
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

    /// Who failed in which way; `None` where nobody did.
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

impl ListedSeat {
    fn of(record: &Record, seat: Seat) -> Result<ListedSeat, String> {
        let score = record.scores[seat];
        let place = record.place(seat);
        let place = place.ok_or_else(|| format!("expected a score of seat {seat}"))?;
        let equals = record.scores.iter().filter(|&&other| other == score);
        let equals = equals.count();
        let result = match (place, equals) {
            (1, 1) => GameResult::Win,
            (1, _) => GameResult::Draw,
            _ => GameResult::Loss,
        };
        Ok(ListedSeat {
            bot: name(record, seat),
            place,
            result,
            fate: record.fate(seat),
        })
    }
}

impl FilterArgs {
    /// Says what no game has.
    fn check(&self, games: &[Listed]) -> anyhow::Result<()> {
        let seats = games.iter().flat_map(|game| &game.seats);
        let bots: BTreeSet<&str> = seats.map(|seat| seat.bot.as_str()).collect();
        let maps = games.iter().filter_map(|game| game.map.as_deref());
        let maps: BTreeSet<&str> = maps.collect();
        for (what, asked, known) in [("bot", &self.bot, bots), ("map", &self.map, maps)] {
            let Some(asked) = asked.as_deref().filter(|asked| !known.contains(asked)) else {
                continue;
            };
            ensure!(
                !known.is_empty(),
                "list games of {what} `{asked}`: no game here has a {what}"
            );
            let known = Vec::from_iter(known).join(", ");
            return Err(anyhow!(
                "list games of {what} `{asked}`: expected one of those that were played: {known}"
            ));
        }
        let seats = games.iter().map(|game| game.seats.len()).max().unwrap_or(0);
        if let Some(seat) = self.seat
            && seats > 0
        {
            let last = seats - 1;
            ensure!(
                seat <= last,
                "list games of seat {seat}: expected 0 to {last}"
            );
        }
        Ok(())
    }

    fn holds(&self, game: &Listed) -> bool {
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

fn table(games: &[Listed], screen: &Screen) -> String {
    let seats = games.iter().map(|game| game.seats.len()).max().unwrap_or(0);
    // Columns without a title are left out.
    let mut titles = ["", ""];
    if games.iter().any(|game| game.game != games[0].game) {
        titles[0] = "game";
    }
    if games.iter().any(|game| game.map.is_some()) {
        titles[1] = "map";
    }
    let result = if seats > 2 { "places" } else { "result" };
    let mut rows = Rows::new("Games", games)
        .shown(Kind::Game, "number", |game| game.number)
        .shown(Kind::Name, titles[0], |game| &game.game);
    for seat in 0..seats {
        rows = rows.shown(Kind::Name, format!("seat {seat}"), move |game| {
            game.seats.get(seat).map(|seat| seat.bot.clone())
        });
    }
    rows.shown(Kind::Number, result, Listed::result)
        .shown(Kind::Text, "reason", |game| &game.reason)
        .shown(Kind::Number, "turns", |game| game.turns)
        .spare(1)
        .shown(Kind::Name, titles[1], |game| game.map.as_ref())
        .shown(Kind::Text, "fault by seat", |game| Cell {
            tone: Tone::Bad,
            ..game.faults().into()
        })
        .table()
        .text(screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, reason: &str, fates: &[Fate]) -> Listed {
        let seat = |(place, &fate): (usize, &Fate)| ListedSeat {
            bot: format!("a-bot-with-a-name-of-exactly-sixty-columns-as-of-a-long-path-{place}"),
            place: 1 + place,
            result: if place == 0 {
                GameResult::Win
            } else {
                GameResult::Loss
            },
            fate,
        };
        let seats = fates.iter().enumerate().map(seat).collect();
        Listed {
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
