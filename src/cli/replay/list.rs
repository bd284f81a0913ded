//! The list of games that `arena replay` prints without a number.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

use clap::{ArgGroup, Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

use super::game::name;
use crate::cli::exit;
use crate::cli::failure::{InputError, Result};
use crate::cli::output::{say, show};
use crate::play::record::{Record, value};
use crate::report::replays::ListedGame;
use crate::store::{self, StoredGames};
use arena_games::{Fate, Games, Seat};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::table::{Cell, Kind, Rows};
use arena_section::text::{harmless, word};
use arena_section::words;

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
    /// The N games with the best scores
    #[arg(long, value_name = "N", conflicts_with_all = ["number", "worst"], num_args = 0..=1, default_missing_value = "10")]
    best: Option<usize>,
    /// The N games with the worst scores
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

/// The games of a run or of a file of records.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct Listed {
    /// The games that the filters select.
    games: Vec<ListedGame>,
    /// The number of all games.
    all_games: u64,
    /// Why games couldn't be read, a sentence for each.
    unread: Vec<String>,
}

/// Lists the games of a run or of a file of records.
pub(super) fn list(run: &Path, filter: &FilterArgs, games: &Games) -> Result<u8> {
    let path = store::named_file(run, store::RECORDS)?;
    let mut stored = StoredGames::new(games);
    let (mut chosen, mut total, mut unread) = (Vec::new(), 0, Vec::new());
    let (mut bots, mut maps, mut seats) = (BTreeSet::new(), BTreeSet::new(), 0);
    for (place, entry) in (0..).zip(store::read_records(&path)?) {
        match entry {
            Ok((_, record)) => {
                total += 1;
                let game = row(&record, record.number.unwrap_or(place), &mut stored);
                bots.extend(game.bots.iter().cloned());
                maps.extend(game.map.clone());
                seats = seats.max(game.scores.len());
                if filter.holds(&game) {
                    chosen.push(game);
                }
            }
            // A run may still be writing its last line.
            Err(error) => unread.push(error),
        }
    }
    let mut list = Listed {
        games: chosen,
        all_games: total,
        unread: unread.iter().map(ToString::to_string).collect(),
    };
    for error in unread {
        // A file without a record isn't one of records.
        if total == 0 {
            return Err(error.into());
        }
        say(&format!("not listed: {error}"));
    }
    if list.games.is_empty() {
        filter.check(&bots, &maps, seats)?;
    }
    filter.keep_extremes(&mut list.games);
    show(exit::OK, &list, || list.text(run))
}

/// The row of a game, with the name of its map.
pub(super) fn row(record: &Record, number: u64, stored: &mut StoredGames<'_>) -> ListedGame {
    let map = match stored.of(record) {
        Ok(spec) => spec.board(record.seed.0),
        Err(_) => None,
    };
    ListedGame::of(record, number, map)
}

impl Listed {
    fn text(&self, run: &Path) -> String {
        if self.games.is_empty() {
            return format!("none of {} games\n", self.all_games);
        }
        let screen = Screen::stdout();
        let mut text = table(&self.games, &screen);
        if screen.columns().is_some() {
            let (shown, of, run) = (self.games.len(), self.all_games, word(run.display()));
            let next = format!("{shown} of {of} games; arena replay {run} GAME shows one");
            text += &(screen.paint(Tone::Faint, screen.prose(&next)) + "\n");
        }
        text
    }
}

/// Finds the record of a game.
pub(super) fn find(run: &Path, number: u64) -> Result<Record> {
    let path = store::named_file(run, store::RECORDS)?;
    match store::pick_record(&path, number)? {
        Some(record) => Ok(record),
        None => Err(InputError::NoGame(number, path).into()),
    }
}

/// The result of a seat. A shared first place is a draw.
fn result_of(game: &ListedGame, seat: Seat) -> GameResult {
    let firsts = game.places.iter().filter(|&&place| place == 1).count();
    match (game.places[seat], firsts) {
        (1, 1) => GameResult::Win,
        (1, _) => GameResult::Draw,
        _ => GameResult::Loss,
    }
}

/// The result from the first seat's side, as in chess; with more seats than two, the places, and
/// with one, its score.
fn result(game: &ListedGame) -> String {
    match &game.places[..] {
        [_] => game.scores[0].to_string(),
        [_, _] => match result_of(game, 0) {
            GameResult::Win => "1-0".to_owned(),
            GameResult::Loss => "0-1".to_owned(),
            GameResult::Draw => "1/2".to_owned(),
        },
        places => {
            let places: Vec<String> = places.iter().map(ToString::to_string).collect();
            places.join("-")
        }
    }
}

/// The seats that failed and how; `None` if all went well.
fn faults(game: &ListedGame) -> Option<String> {
    let shown = |(seat, &fate)| (fate != Fate::Ok).then(|| format!("{seat}: {fate}"));
    words::list(game.fates.iter().enumerate().filter_map(shown))
}

impl FilterArgs {
    /// Keeps the games with the best or the worst scores, if these are asked for, and sorts them.
    fn keep_extremes(&self, games: &mut Vec<ListedGame>) {
        let Some(most) = self.best.or(self.worst) else {
            return;
        };
        let scores = |game: &ListedGame| {
            let mut scores = Vec::new();
            for seat in 0..game.scores.len() {
                if self.is_of_bot(game, seat) {
                    // A bot that failed is below all others, whatever the referee says.
                    let value = value(game.scores[seat], game.lower_is_better);
                    scores.push((game.fates[seat] == Fate::Ok, value));
                }
            }
            scores
        };
        if self.best.is_some() {
            games.sort_by_key(|game| Reverse(scores(game).into_iter().max()));
        } else {
            games.sort_by_key(|game| scores(game).into_iter().min());
        }
        games.truncate(most);
    }

    /// Returns an error if no game has the bot, the map or the seat.
    fn check(&self, bots: &BTreeSet<String>, maps: &BTreeSet<String>, seats: usize) -> Result<()> {
        for (what, wanted, known) in [("bot", &self.bot, bots), ("map", &self.map, maps)] {
            if let Some(name) = wanted
                && !known.contains(name)
            {
                let known = words::list(known.iter().map(|name| harmless(name)));
                let known = known.unwrap_or_else(|| "none".to_owned());
                return Err(InputError::NothingToList(what, name.clone(), known).into());
            }
        }
        if let Some(seat) = self.seat
            && seat >= seats
        {
            return Err(InputError::NoSeat(seat, seats.saturating_sub(1)).into());
        }
        Ok(())
    }

    fn holds(&self, game: &ListedGame) -> bool {
        let is_on_map = self.map.is_none() || self.map == game.map;
        is_on_map
            && (0..game.scores.len()).any(|seat| {
                self.is_of_bot(game, seat)
                    && [None, Some(seat)].contains(&self.seat)
                    && [None, Some(result_of(game, seat))].contains(&self.result)
                    && (!self.fault || game.fates[seat] != Fate::Ok)
            })
    }

    /// Whether a seat is that of --bot, if it is given.
    fn is_of_bot(&self, game: &ListedGame, seat: Seat) -> bool {
        self.bot.is_none() || self.bot.as_ref() == game.bots.get(seat)
    }
}

fn table(games: &[ListedGame], screen: &Screen) -> String {
    let seats = games.iter().map(|game| game.scores.len()).max();
    // The table leaves out columns without a title.
    let mut titles = ["", ""];
    if games.iter().any(|game| game.game != games[0].game) {
        titles[0] = "game";
    }
    if games.iter().any(|game| game.map.is_some()) {
        titles[1] = "map";
    }
    let title = match seats {
        Some(1) => "score",
        Some(2) => "result",
        _ => "places",
    };
    let mut rows = Rows::new("Games", games)
        .shown(Kind::Game, "number", |game| game.number)
        .shown(Kind::Name, titles[0], |game| harmless(&game.game));
    for seat in 0..seats.unwrap_or_default() {
        rows = rows.shown(Kind::Name, format!("seat {seat}"), move |game| {
            (seat < game.scores.len()).then(|| name(&game.bots, seat))
        });
    }
    rows.shown(Kind::Number, title, result)
        .shown(Kind::Text, "reason", |game| {
            harmless(&game.reason).replace('_', " ")
        })
        .shown(Kind::Number, "turns", |game| game.turns)
        .spare(1)
        .shown(Kind::Name, titles[1], |game| {
            game.map.as_deref().map(harmless)
        })
        .shown(Kind::Text, "fault by seat", |game| Cell {
            tone: Tone::Bad,
            ..faults(game).into()
        })
        .text(screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, reason: &str, fates: &[Fate]) -> ListedGame {
        let bot = |seat: usize| {
            format!("a-bot-with-a-name-of-exactly-sixty-columns-as-of-a-long-path-{seat}")
        };
        ListedGame {
            number,
            game: "onitama".to_owned(),
            map: None,
            bots: (0..fates.len()).map(bot).collect(),
            scores: vec![0; fates.len()],
            lower_is_better: false,
            places: (1..=fates.len()).collect(),
            fates: fates.to_vec(),
            reason: reason.to_owned(),
            turns: 12,
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
