//! `arena replay`.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::contest::{foreign_games_of_run, ready_games, takes_no_seed};
use super::exit;
use super::failure::{InputError, Result, UsageError};
use super::output::{is_json, print_data, show};
use super::supervised::interruptible;
use super::terms::within;
use crate::play::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::play::record::{self, Record};
use crate::report::replays::Playback;
use crate::store::StoredGames;
use arena_games::{Games, Seat};

pub(super) mod against;
pub(super) mod game;
pub(super) mod list;
mod story;

use game::{ShownGame, inputs};
use list::{FilterArgs, find, row};

/// List the games of a run, or show one turn by turn
///
/// Without the number of a game, lists all games, or those that the filters select. With a number,
/// shows the board after each turn, with the piece that moved in brackets and a * where it came
/// from, and at the end how a bot failed. --as-input writes only the prompts of a seat, byte for
/// byte, so that you can pipe them into the bot under a debugger: arena replay results/mine 17
/// --as-input 1 | ./my-bot
///
/// With --json, a game is one document: its last 20 turns, or those of --turns. Each answer comes
/// with its input and each turn with its board; --moves changes nothing.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// A run directory, or a file of records
    ///
    /// Records are JSON lines, plain or gzip.
    run: PathBuf,
    /// The number of the game
    ///
    /// In a file whose records have no number, its place from 0.
    #[arg(value_name = "GAME", value_parser = game_number)]
    number: Option<u64>,
    /// List the answers in a table, without boards
    #[arg(long, conflicts_with = "as_input", requires = "number")]
    moves: bool,
    /// Show these turns, as in 10..20 [default: all]
    ///
    /// Or 10, 10.. or ..20. With --json, the default is the last 20.
    #[arg(long, value_name = "TURNS", conflicts_with = "as_input", requires = "number", value_parser = turns)]
    turns: Option<RangeInclusive<u32>>,
    /// Write the input of this seat; seats count from 0
    #[arg(long, value_name = "SEAT", requires = "number")]
    as_input: Option<usize>,
    /// Ask this bot for its answers to the recorded input
    ///
    /// The input of --seat, or without GAME that of --bot in all games that it lost.
    #[arg(long, value_name = "BOT", conflicts_with_all = ["moves", "as_input"])]
    against: Vec<String>,
    /// Play GAME on from this turn with the bots of --against
    ///
    /// One bot for all seats, or one for each.
    #[arg(long, value_name = "TURN", requires = "against", requires = "number", conflicts_with = "seat", value_parser = within("an integer", 1..=u32::MAX))]
    from: Option<u32>,
    #[command(flatten)]
    filter: FilterArgs,
}

pub(super) fn replay(args: &ReplayArgs, games: &Games) -> Result<u8> {
    match (&args.against[..], args.from) {
        ([], _) => {}
        (bots, Some(from)) => {
            let number = args.number.unwrap_or_default();
            let turns = args.turns.as_ref();
            return against::onward(bots, (from, turns), &args.run, number, games);
        }
        _ if args.turns.is_some() => return Err(UsageError::TurnsOfAnswers.into()),
        ([bot], None) => {
            return against::against(bot, &args.run, args.number, &args.filter, games);
        }
        _ => return Err(UsageError::AskedSeveral.into()),
    }
    let Some(number) = args.number else {
        return list::list(&args.run, &args.filter, games);
    };
    if args.filter.seat.is_some() {
        return Err(UsageError::SeatOfNothing.into());
    }
    let record = find(&args.run, number)?;
    let place = format!("can't replay game {number} of {}", args.run.display());
    let mut stored = StoredGames::new(games);
    let playback = Playback::stored(&record, &mut stored).context(place)?;
    let Some(seat) = args.as_input else {
        let listed = row(&record, number, &mut stored);
        let game = ShownGame::new(listed, &record, &playback, args.turns.as_ref())?;
        return show(exit::OK, &game, || game.text(args.moves));
    };
    let last = playback.played.standings.len().saturating_sub(1);
    if seat > last {
        return Err(InputError::NoSeat(seat, last).into());
    }
    match inputs(&record, &playback.played, seat) {
        Some(input) => print_input(input),
        None => inputs_again(&args.run, &record, seat, games),
    }
}

/// Reads the number of a game.
fn game_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        "expected the number of a game, from 0\nhint: `arena replay RUN` lists the games".to_owned()
    })
}

/// Reads a range of turns, both ends included.
fn turns(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = match text.split_once("..") {
        Some((first, "")) => (first.parse(), Ok(u32::MAX)),
        Some(("", last)) => (Ok(0), last.parse()),
        Some((first, last)) => (first.parse(), last.parse()),
        None => (text.parse(), text.parse()),
    };
    match (first, last) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err("expected turns, as in 10..20, 10, 10.. or ..20".to_owned()),
    }
}

/// Prints the input of a seat after an external referee has played the game again.
fn inputs_again(run: &Path, record: &Record, seat: Seat, games: &Games) -> Result<u8> {
    let foreign = foreign_games_of_run(run, games);
    let id = &record.game;
    interruptible(DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        if takes_no_seed(&foreign, id) {
            return Err(InputError::NoInput(id.clone()).into());
        }
        let games = ready_games(&foreign, games, supervised)?;
        let played = StoredGames::new(&games)
            .of(record)
            .and_then(|spec| record::replay(record, &spec, true))
            .with_context(|| {
                format!("can't show the input, which the referee of {id} has to repeat")
            })?;
        print_input(inputs(record, &played, seat).unwrap_or_default())
    })
}

/// The input of a seat.
#[derive(Serialize, JsonSchema)]
pub(super) struct Input {
    /// What the seat was sent; null if only the external referee knows: `--as-input` asks it.
    input: String,
}

/// Prints the input of a seat, byte for byte.
fn print_input(input: String) -> Result<u8> {
    if is_json() {
        return show(exit::OK, &Input { input }, String::new);
    }
    print_data(input)
}
