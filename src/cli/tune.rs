//! `arena tune` finds values for parameters of a bot, without a config.

use std::slice;

use clap::{Args, ValueHint};

use super::ad_hoc::AdHocArgs;
use super::bots::launches;
use super::contest::named_game;
use super::failure::{Result, UsageError};
use super::order::check_order;
use super::terms::within;
use crate::config::{Integer, OneOrMore, Setting, TuneTable, TuneUnits, with_ranges};
use crate::store;
use arena_games::Games;

/// Tune numbers of a bot by games against itself, without a config
///
/// Write every parameter into the bot's command, with its value and the range to search: arena tune
/// onitama "./bot --depth 3 --param {x=10:0..40}". After the range, :step=STEP sets the distance of
/// values (1 if all three are integers, else none), and :log makes steps shares of the value, as in
/// {margin=100:10..1000:log}; {x} repeats the value. The tuning ends after --units, after --for, or
/// with Ctrl-C, and prints the values that it found. Only a test shows whether they are a gain:
/// --confirm plays one, against the first values on fresh seeds, and the exit status is then 0 if
/// they are stronger, 1 if not, and 4 if that isn't decided or nothing changed. docs/how-to/tune.md
/// explains how to choose ranges.
#[derive(Debug, Args)]
pub(super) struct TuneArgs {
    /// The game, see `arena list games`
    ///
    /// For an external referee its file, a config with [game.NAME], as FILE.toml or FILE.toml:NAME,
    /// or a run directory.
    #[arg(value_hint = ValueHint::FilePath)]
    game: String,
    /// The bot in quotes, with every parameter in braces
    ///
    /// A command or NAME=COMMAND.
    #[arg(value_name = "BOT", value_hint = ValueHint::AnyPath)]
    bot: String,
    /// Opponents other than itself, each a command or NAME=COMMAND in quotes
    #[arg(value_name = "OPPONENT", value_hint = ValueHint::AnyPath)]
    against: Vec<String>,
    /// Most units, rounded up to whole blocks of 32 [default: 4000]
    ///
    /// A unit is two games of the bot with itself, or four against each opponent. With --resume,
    /// more units extend the run, and the default is what the run has.
    #[arg(long, value_name = "N", value_parser = within("an integer", TuneUnits::RANGE))]
    units: Option<u64>,
    /// Test the values at the end, against the first ones
    ///
    /// The test has its own run directory.
    #[arg(long)]
    confirm: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

pub(super) fn tune(args: &TuneArgs, games: &Games) -> Result<u8> {
    let written = [slice::from_ref(&args.bot), &args.against].concat();
    check_order(&args.game, &written, games)?;
    let game = named_game(&args.game, games)?;
    let (lines, parameters) = with_ranges(&written).map_err(UsageError::Parsed)?;
    let bots = launches(&lines, args.ad_hoc.read())?;
    let tuned = bots[0].name.clone();
    let against: Vec<String> = bots[1..].iter().map(|bot| bot.name.clone()).collect();
    // The arguments fill these, and `--set` may set the other keys of the table.
    let filled = [("tune.bot", ""), ("tune.parameters", "{}")];
    let filled = filled.map(|(key, value)| Setting::new(key, value, ""));
    let (mut config, overrides) = args.ad_hoc.config(bots, filled.to_vec(), games)?;
    let table = config.tune.take().unwrap_or_default();
    config.set_tuning(TuneTable {
        bot: tuned,
        parameters,
        against: Some(OneOrMore(against)),
        max_units: units(args, games).map(Integer).or(table.max_units),
        confirm: args.confirm || table.confirm,
        ..table
    });
    args.ad_hoc.play("tune", game, config, &overrides, games)
}

/// Returns the number of units: as given, or as in the run to resume.
fn units(args: &TuneArgs, games: &Games) -> Option<u64> {
    if args.units.is_some() {
        return args.units;
    }
    // An unreadable run is reported later.
    let files = store::read_run_files(args.ad_hoc.resumed()?, games).ok()?;
    files.plan.plan.study.max_units()
}
