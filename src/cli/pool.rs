//! `arena pool`: keep versions of a bot, try the next one, know the best.

mod attempt;
mod game;
pub(super) mod new;

use clap::{Args, Subcommand, ValueHint};

use self::attempt::TryArgs;
use self::game::{CommonArgs, KeepArgs, PoolGame};
use self::new::NewArgs;
use super::exit;
use super::failure::Result;
use super::output::{self, say};
use crate::pool::{self, Pool, State};
use arena_games::Games;

/// Keep versions of a bot, try the next one, know the best
///
/// A pool is a folder with copies of bots and the runs between them. `arena pool new onitama` makes
/// one, `arena pool try v1=bot.cpp` keeps a version and plays it against the best and the others,
/// and `arena pool` shows the table. docs/how-to/pool.md shows the whole routine.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = false)]
pub(super) struct PoolArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Subcommand)]
enum Verb {
    New(NewArgs),
    Add(AddArgs),
    Try(Box<TryArgs>),
    /// Make a bot the best; the former best stays an opponent
    Best {
        /// The bot
        name: String,
    },
    /// Play no more games against a bot; its games still count
    Retire {
        /// The bot
        name: String,
    },
}

/// Add opponents, without a try
///
/// Compiles and checks each bot, and copies it into the pool.
#[derive(Debug, Args)]
struct AddArgs {
    /// The bots, each as NAME=COMMAND in quotes
    #[arg(required = true, value_name = "NAME=BOT", value_hint = ValueHint::AnyPath)]
    bots: Vec<String>,
    #[command(flatten)]
    keep: KeepArgs,
}

pub(super) fn pool(args: &PoolArgs, games: &Games) -> Result<u8> {
    let common = &args.common;
    match &args.verb {
        Some(Verb::New(args)) => new::new(args, common, games),
        Some(Verb::Add(args)) => add(args, common, games),
        Some(Verb::Try(args)) => attempt::attempt(args, common, games),
        Some(Verb::Best { name }) => change(common, games, |pool, game| {
            game.playable(pool.known(name)?)?;
            pool.promote(name)?;
            Ok(format!("{name} is the best\n"))
        }),
        Some(Verb::Retire { name }) => change(common, games, |pool, _| {
            pool.retire(name)?;
            Ok(format!("{name} is retired; its games still count\n"))
        }),
        None => show(common, games),
    }
}

/// Shows the table, and writes it into the pool unless a try is doing that.
fn show(common: &CommonArgs, games: &Games) -> Result<u8> {
    let game = PoolGame::read(common, &[], games)?;
    let (pool, found) = (Pool::read()?, game.found()?);
    let standings = game.standings(&pool, &found);
    if let Ok(_lock) = Pool::lock() {
        pool::write(&standings, &found, None)?;
    }
    output::show(exit::OK, &standings, || pool::text(&standings))
}

/// Changes the states of bots.
fn change(
    common: &CommonArgs,
    games: &Games,
    change: impl FnOnce(&mut Pool, &PoolGame<'_>) -> Result<String>,
) -> Result<u8> {
    let game = PoolGame::read(common, &[], games)?;
    let _lock = Pool::lock()?;
    let mut pool = Pool::read()?;
    let said = change(&mut pool, &game)?;
    pool.save()?;
    finish(&pool, &game, said)
}

/// Keeps opponents.
fn add(args: &AddArgs, common: &CommonArgs, games: &Games) -> Result<u8> {
    let mut bots = Vec::new();
    for bot in &args.bots {
        bots.push(args.keep.launch(bot)?);
    }
    let game = PoolGame::read(common, &[], games)?;
    game.play(|supervised| {
        supervised.handle_signals(None)?;
        let _lock = Pool::lock()?;
        let mut pool = Pool::read()?;
        let mut said = String::new();
        for bot in &bots {
            let how = (State::Member, &*args.keep.note);
            let kept = game
                .keep(&mut pool, bot, how, supervised)
                .inspect_err(|_| {
                    if !said.is_empty() {
                        say(said.trim_end());
                    }
                })?;
            said += &kept;
            said.push('\n');
        }
        finish(&pool, &game, said)
    })
}

/// Writes the standings, and prints them as JSON or says what was done.
fn finish(pool: &Pool, game: &PoolGame<'_>, said: String) -> Result<u8> {
    let found = game.found()?;
    let standings = game.standings(pool, &found);
    pool::write(&standings, &found, None)?;
    output::show(exit::OK, &standings, || said)
}
