//! `arena duel`: a match without a config.

use std::sync::Arc;

use clap::{Args, ValueHint};

use super::ad_hoc::AdHocArgs;
use super::bots::launches;
use super::contest::named_game;
use super::failure::{Result, UsageError};
use super::order::check_order;
use super::terms::within;
use crate::config::{GamesPerPairing, Integer, PRECISION, Precision, Setting, test_settings};
use arena_games::Games;

/// Play bots against each other, without a config
///
/// A duel of OLD and NEW shows whether NEW is stronger: its Elo with both ends of the interval,
/// live. It ends when it knows: once the interval excludes 0 or is narrower than --precision. With
/// --games or --for it ends after these instead, and with --sprt when the test is decided (exit
/// status 0 accepted, 1 rejected, 4 inconclusive). If a bot fails in most of the first 10 units
/// there is no verdict (4). Three or more bots play a round robin. Each duel plays other games, in
/// a new folder; to continue one, add --resume and its folder as --out.
///
/// Every bot is one string, split as a shell would: arena duel onitama "./old --depth 3" "./new
/// --depth 3". NAME=COMMAND gives it a name, as in deep="./new --depth 9"; the default name is its
/// command. Variables come before the program, as in "DEPTH=3 ./new" or deep="DEPTH=9 ./new". Bots
/// play in the sandbox; in games that have openings, the first four turns are random.
#[derive(Debug, Args)]
pub(super) struct DuelArgs {
    /// The game, see `arena list games`
    ///
    /// For an external referee its file, a config with [game.NAME], as FILE.toml or FILE.toml:NAME,
    /// or a run directory.
    #[arg(value_hint = ValueHint::FilePath)]
    game: String,
    /// The bots, each in quotes; two bots are OLD and then NEW
    ///
    /// A bot is a command or NAME=COMMAND.
    #[arg(required = true, num_args = 2.., value_name = "BOT", value_hint = ValueHint::AnyPath)]
    bots: Vec<String>,
    /// Games per pairing, rounded up to whole units
    ///
    /// Bots take seats equally often. By default two bots play until it is known who is stronger,
    /// at most 20000 games, and more bots play 200.
    #[arg(long, value_name = "N", value_parser = within("an integer", GamesPerPairing::RANGE), conflicts_with = "sprt")]
    games: Option<u64>,
    /// Stop two bots once the interval is this narrow
    ///
    /// That is, once the interval at every look is within so many Elo on either side; --games or
    /// --for may stop them before. The default without --games and --for is 20.
    #[arg(long, value_name = "ELO", value_parser = within("a number", PRECISION), conflicts_with = "sprt")]
    precision: Option<f64>,
    /// Test whether NEW is worth ELO1 or more, as in 0,10
    ///
    /// Plays until it is decided whether NEW is worth ELO1 or more, or ELO0 or less, as in 0,10 or
    /// -10,0. The keys of [sprt] in a config may follow:
    /// `0,10,alpha=0.01,beta=0.02,model=normalized,max_units=5000,early=false`.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = |text: &str| test_settings(text).map(Arc::<[Setting]>::from))]
    sprt: Option<Arc<[Setting]>>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

pub(super) fn duel(args: &DuelArgs, games: &Games) -> Result<u8> {
    check_order(&args.game, &args.bots, games)?;
    let game = named_game(&args.game, games)?;
    let mut bots = launches(&args.bots, args.ad_hoc.read())?;
    if let [_, _] = bots[..] {
        // The result is that of NEW.
        bots.reverse();
    }
    let count = bots.len();
    if args.sprt.is_some() && count != 2 {
        return Err(UsageError::TestOf(count).into());
    }
    let test = args.sprt.as_deref().unwrap_or_default().to_vec();
    let (mut config, overrides) = args.ad_hoc.config(bots, test, games)?;
    let run = &mut config.run;
    run.games = args.games.map(Integer).or(run.games);
    run.precision = args.precision.map(Precision).or(run.precision);
    args.ad_hoc.play("duel", game, config, &overrides, games)
}
