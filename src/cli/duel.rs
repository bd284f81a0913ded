//! `arena duel`: a match without a config.

use anyhow::anyhow;
use clap::{Args, ValueHint, value_parser};

use super::Failure;
use super::ad_hoc::AdHocArgs;
use super::bots::launches;
use super::contest::named_game;
use super::terms::one_of;
use crate::config::{Choice, Elo, GamesPerPairing, Integer, MaxUnits, RunFormat, Share, SprtTable};
use crate::plan::schedule::Design;
use crate::plan::{DEFAULT_ERROR, DEFAULT_MAX_UNITS};
use arena_games::Games;
use arena_stats::sprt::Model;

/// Play bots against each other, without a config
///
/// Of two bots, OLD and NEW, it says whether NEW is the stronger, and by how much: the Elo with both ends of its interval is
/// shown while the games go on. It ends after --games, when the test of --sprt is decided (exit status 0 accepted, 1
/// rejected, 4 inconclusive), after --for, or with Ctrl-C; without any of these after 20000 games. Where one of them fails in
/// most of the first 10 units there is no verdict (4). More bots than two play a round robin. The same duel again plays other
/// games, in a new folder; --resume with its folder as --out goes on with one.
///
/// Every bot is one string, split as a shell would: arena duel onitama "./old --depth 3" "./new --depth 3". NAME=COMMAND gives
/// it a name, as in deep="./new --depth 9"; otherwise its command is its name. Variables of its environment
/// stand in front of the program, as in "DEPTH=3 ./new" or deep="DEPTH=9 ./new". Bots play in the sandbox; the first four turns
/// are drawn at random in games that have openings.
#[derive(Debug, Args)]
pub(super) struct DuelArgs {
    /// The game, see `arena list games`; of another referee a config with [game.NAME], as FILE.toml or FILE.toml:NAME, its file, or a
    /// run directory
    #[arg(value_hint = ValueHint::FilePath)]
    game: String,
    /// The bots, each a command or NAME=COMMAND in quotes; of two bots, OLD and then NEW
    #[arg(required = true, num_args = 2.., value_name = "BOT", value_hint = ValueHint::AnyPath)]
    bots: Vec<String>,
    /// Games per pairing
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value_parser!(u64).range(GamesPerPairing::RANGE), conflicts_with = "sprt")]
    games: Option<u64>,
    /// Play until it is decided whether NEW is worth ELO1 or more, or ELO0 or less, as in 0,10 or -10,0
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = bounds)]
    sprt: Option<[f64; 2]>,
    /// Of --sprt: the chance that a bot worth ELO0 is accepted
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR, requires = "sprt")]
    alpha: f64,
    /// Of --sprt: the chance that a bot worth ELO1 is rejected
    #[arg(long, value_name = "P", default_value_t = DEFAULT_ERROR, requires = "sprt")]
    beta: f64,
    /// Of --sprt: the Elo of its bounds
    #[arg(long, value_name = "MODEL", default_value_t, value_parser = one_of::<Model>(), requires = "sprt")]
    model: Model,
    /// Of --sprt: the most units, two games each; then it is inconclusive
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_UNITS, value_parser = value_parser!(u64).range(MaxUnits::RANGE), requires = "sprt")]
    max_units: u64,
    /// Of --sprt: decide by the likelihood ratio alone, as fishtest does; clear cases end early otherwise
    #[arg(long, requires = "sprt")]
    no_early: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Two hypotheses, as in `0,10`.
fn bounds(text: &str) -> Result<[f64; 2], String> {
    let (elo0, elo1) = text.split_once(',').unwrap_or_default();
    match (elo0.trim().parse(), elo1.trim().parse()) {
        (Ok(elo0), Ok(elo1)) => Ok([elo0, elo1]),
        _ => Err("expected two numbers with a comma, as in 0,10 or -10,0".to_owned()),
    }
}

pub(super) fn duel(args: &DuelArgs, games: &Games) -> Result<u8, Failure> {
    let game = named_game(&args.game, games)?;
    let seats = game.spec.default_seats();
    let mut bots = launches(&args.bots, args.ad_hoc.read())?;
    if let [_, _] = bots[..] {
        // The question is about the new one.
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
            alpha: Share(args.alpha),
            beta: Share(args.beta),
            model: Choice(args.model),
            early: !args.no_early,
            max_units: Integer(args.max_units),
        });
    }
    args.ad_hoc.play("duel", &config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_two_numbers() {
        assert_eq!(bounds("-10,0"), Ok([-10.0, 0.0]));
        assert_eq!(bounds("0, 2.5"), Ok([0.0, 2.5]));
        for wrong in ["", "10", "0,10,20", "a,b"] {
            assert!(bounds(wrong).is_err(), "{wrong}");
        }
    }
}
