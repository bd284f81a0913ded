//! `arena duel`: a match without a config.

use anyhow::anyhow;
use clap::{Args, ValueHint, value_parser};

use super::Failure;
use super::ad_hoc::AdHocArgs;
use super::bots::launches;
use super::contest::named_game;
use super::terms::{numbers, one_of};
use crate::config::{
    Chance, Choice, Elo, GamesPerPairing, Integer, MaxUnits, RunFormat, SprtTable,
};
use crate::plan::{DEFAULT_ERROR, DEFAULT_MAX_UNITS};
use arena_games::Games;
use arena_schedule::Design;
use arena_stats::sprt::Model;

/// Play bots against each other, without a config
///
/// A duel of OLD and NEW shows whether NEW is stronger: its Elo with both ends of the interval, live. It ends after --games, when
/// the test of --sprt is decided (exit status 0 accepted, 1 rejected, 4 inconclusive), after --for, or with Ctrl-C; by default
/// after 20000 games. If a bot fails in most of the first 10 units there is no verdict (4). Three or more bots play a round robin.
/// Each duel plays other games, in a new folder; to continue one, add --resume and its folder as --out.
///
/// Every bot is one string, split as a shell would: arena duel onitama "./old --depth 3" "./new --depth 3". NAME=COMMAND gives
/// it a name, as in deep="./new --depth 9"; the default name is its command. Variables come before the program, as in
/// "DEPTH=3 ./new" or deep="DEPTH=9 ./new". Bots play in the sandbox; in games that have openings, the first four turns are random.
#[derive(Debug, Args)]
pub(super) struct DuelArgs {
    /// The game, see `arena list games`; for an external referee its file, a config with [game.NAME], as FILE.toml or
    /// FILE.toml:NAME, or a run directory
    #[arg(value_hint = ValueHint::FilePath)]
    game: String,
    /// The bots, each a command or NAME=COMMAND in quotes; two bots are OLD and then NEW
    #[arg(required = true, num_args = 2.., value_name = "BOT", value_hint = ValueHint::AnyPath)]
    bots: Vec<String>,
    /// Games per pairing, rounded up so that bots take seats equally often
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(GamesPerPairing::RANGE), conflicts_with = "sprt")]
    games: Option<u64>,
    /// Play until it is decided whether NEW is worth ELO1 or more, or ELO0 or less, as in 0,10 or -10,0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = numbers::<f64, 2>("numbers"))]
    sprt: Option<[f64; 2]>,
    /// With --sprt: the chance that a bot worth ELO0 is accepted
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR, requires = "sprt", conflicts_with = "games")]
    alpha: f64,
    /// With --sprt: the chance that a bot worth ELO1 is rejected
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR, requires = "sprt", conflicts_with = "games")]
    beta: f64,
    /// With --sprt: the Elo of its bounds
    #[arg(long, value_name = "MODEL", default_value_t, value_parser = one_of::<Model>(), requires = "sprt", conflicts_with = "games")]
    model: Model,
    /// With --sprt: the most units, two games each; then it is inconclusive
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_UNITS, value_parser = value_parser!(u64).range(MaxUnits::RANGE), requires = "sprt", conflicts_with = "games")]
    max_units: u64,
    /// With --sprt: decide by the likelihood ratio alone, as fishtest does; by default, clear cases end early
    #[arg(long, requires = "sprt", conflicts_with = "games")]
    no_early: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

pub(super) fn duel(args: &DuelArgs, games: &Games) -> Result<u8, Failure> {
    let game = named_game(&args.game, games)?;
    let seats = game.spec.default_seats();
    let mut bots = launches(&args.bots, args.ad_hoc.read())?;
    if let [_, _] = bots[..] {
        // The result is that of NEW.
        bots.reverse();
    }
    let count = bots.len();
    if args.sprt.is_some() && count != 2 {
        return Err(Failure::usage(anyhow!(
            "a sequential test is about two bots, OLD and NEW; {count} are given"
        )));
    }
    let mut config = args.ad_hoc.config(&game, bots)?;
    config.run.games = args.games.map(Integer);
    config.run.design = (count < seats).then_some(Choice(Design::Mirror));
    if let Some([elo0, elo1]) = args.sprt {
        config.run.format = Some(Choice(RunFormat::Sprt));
        config.sprt = Some(SprtTable {
            elo0: Elo(elo0),
            elo1: Elo(elo1),
            alpha: Chance(args.alpha),
            beta: Chance(args.beta),
            model: Choice(args.model),
            early: !args.no_early,
            max_units: Integer(args.max_units),
        });
    }
    args.ad_hoc.play("duel", config)
}
