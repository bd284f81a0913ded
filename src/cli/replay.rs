//! `arena replay`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::contest::{foreign_games_of_run, ready_games, takes_no_seed};
use super::failure::{InputError, Result, UsageError};
use super::output::{print, print_data};
use super::supervised::supervised;
use super::terms::within;
use crate::play::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::play::record::{self, Record};
use crate::report::replays::Playback;
use crate::store::StoredGames;
use arena_games::{Games, Seat};
use arena_process::Mode;

mod against;
mod list;
mod story;

use list::{FilterArgs, find};
use story::{Story, inputs};

/// List the games of a run, or show one turn by turn
///
/// Without the number of a game, lists all games, or those that the filters select. With a number,
/// shows the board after each turn, with the piece that moved in brackets and a * where it came
/// from, and at the end how a bot failed. --as-input writes only the prompts of a seat, byte for
/// byte, so that you can pipe them into the bot under a debugger: arena replay results/mine 17
/// --as-input 1 | ./my-bot
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
            return against::onward(bots, from, &args.run, number, games);
        }
        ([bot], None) => {
            return against::against(bot, &args.run, args.number, &args.filter, games);
        }
        _ => return Err(UsageError::AskedSeveral.into()),
    }
    let Some(number) = args.number else {
        return print(list::list(&args.run, &args.filter, games)?);
    };
    if args.filter.seat.is_some() {
        return Err(UsageError::SeatOfNothing.into());
    }
    let record = find(&args.run, number)?;
    let place = format!("can't replay game {number} of {}", args.run.display());
    let playback =
        Playback::stored(&record, &mut StoredGames::new(games)).context(place.clone())?;
    let Some(seat) = args.as_input else {
        return print(Story::new(number, &record, &playback).text(args.moves));
    };
    let last = playback.played.standings.len().saturating_sub(1);
    if seat > last {
        return Err(InputError::NoSeat(place, seat, last).into());
    }
    match inputs(&record, &playback.played, seat) {
        Some(inputs) => print_data(inputs),
        None => inputs_again(&args.run, &record, seat, games),
    }
}

/// Reads the number of a game.
fn game_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        "expected the number of a game, from 0\nhint: `arena replay RUN` lists the games".to_owned()
    })
}

/// Prints the input of a seat after an external referee has played the game again.
fn inputs_again(run: &Path, record: &Record, seat: Seat, games: &Games) -> Result<u8> {
    let foreign = foreign_games_of_run(run, games);
    let id = &record.game;
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
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
        print_data(inputs(record, &played, seat).unwrap_or_default())
    })
}
