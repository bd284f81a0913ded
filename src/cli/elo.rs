//! `arena elo`.

use std::cmp::Ordering;
use std::fmt::Write as _;

use clap::Args;

use super::counts::{Counted, ResultArgs, fact, wrapped};
use super::exit;
use super::failure::{Result, UsageError};
use super::output::show;
use crate::standings::tables::{ANYTIME, NO_VERDICT, OF_TEST, same_moves, too_few};
use arena_games::Games;
use arena_section::words::{
    count, decimals, estimate, exact_percent, grouped, interval, likelihood, signed,
};
use arena_stats::estimate::{Claim, Estimate, Holds};

/// Show the Elo of counted results, with its interval
///
/// If RUN stopped early, the interval is the one that holds at every look, and after a sequential
/// test it has the error rates of the test. Otherwise interval and LOS are valid for one look.
///
/// The exit status is 4 if the results lie on one side of 0, but there are too few units for a
/// verdict.
#[derive(Debug, Args)]
pub(super) struct EloArgs {
    #[command(flatten)]
    results: ResultArgs,
}

pub(super) fn elo(args: &EloArgs, games: &Games) -> Result<u8> {
    let Some(counted) = args.results.counted(games)? else {
        return Err(UsageError::NoResults.into());
    };
    let status = match counted.estimate.map(|by| by.claim()) {
        Some(Claim::NoVerdict) => exit::INCONCLUSIVE,
        _ => exit::OK,
    };
    show(status, &counted, || wrapped(&text(&counted)))
}

fn text(counted: &Counted) -> String {
    let Some(by) = &counted.estimate else {
        return "no games yet: nothing is known\n".to_owned();
    };
    let mut text = results_line(counted) + "\n";
    text += &strength_and_interval(by);
    if let Some(los) = by.los {
        let meaning = "how sure it is that this bot is the stronger; 50% is a coin toss";
        text += &fact("LOS", format!("{}   {meaning}", likelihood(los)));
    }
    if let Some(nelo) = counted.nelo
        && nelo.is_finite()
    {
        let mut shown = signed(nelo, 1);
        if let (Some(lo), Some(hi)) = (counted.nelo_lo95, counted.nelo_hi95) {
            let places = decimals((hi - lo) / 2.0);
            shown = format!("{} {}", signed(nelo, places), interval([lo, hi], places));
        }
        let meaning =
            "Elo per standard deviation of a game: comparable between games that draw more or less";
        text += &fact("nElo", format!("{shown}   {meaning}"));
    }
    if let (Some(ratio), Some(level)) = (counted.pairs_ratio, counted.draw_ratio)
        && ratio.is_finite()
        && counted.games_per_unit > 1
    {
        let level = exact_percent(level);
        text += &fact(
            "won : lost",
            format!("{ratio:.2}   units won for each unit lost; {level} were level"),
        );
    }
    let repeated = counted.units - counted.distinct_units;
    if repeated > 0 {
        let units = counted.units;
        text += &fact(
            "repeated",
            format!("{repeated} of {units} units repeat others move for move and say nothing new"),
        );
    }
    if counted.same_program {
        let meaning =
            "both bots are the same program with the same arguments, so any difference is luck";
        text += &fact("Warning", meaning);
    }
    text + &conclusion(counted, by) + "\n"
}

/// The lines of an estimate.
pub(super) fn strength_and_interval(by: &Estimate) -> String {
    let ends = by.interval();
    let shown = interval(ends, decimals((ends[1] - ends[0]) / 2.0));
    let interval = fact("Interval", format!("{shown}   {}", meaning(by)));
    fact("Elo", strength(by)) + &interval
}

/// What the interval of an estimate promises.
fn meaning(by: &Estimate) -> String {
    match by.holds {
        Holds::Once => {
            "95%: 19 times out of 20 the true difference lies in such an interval".to_owned()
        }
        Holds::EveryLook => {
            format!("{ANYTIME}: it holds however often you look and whenever you stop")
        }
        Holds::Test => format!(
            "{} {OF_TEST}: it has the error rates of the test that ended the games",
            exact_percent(by.confidence)
        ),
    }
}

/// The results in one line.
pub(super) fn results_line(counted: &Counted) -> String {
    let (words, games) = (&counted.label, count(counted.games, "game", "games"));
    let share = exact_percent(counted.score.unwrap_or_default());
    let mut line = format!("{words}: {share} of the points from {games}");
    if counted.games_per_unit > 1 {
        let _ = write!(line, " in {}", count(counted.units, "unit", "units"));
    }
    line
}

/// Elo, or the limit on the one side where results set one.
fn strength(by: &Estimate) -> String {
    let [lo, hi] = by.interval();
    if by.elo.is_finite() {
        signed(by.elo, decimals((hi - lo) / 2.0))
    } else {
        estimate([by.elo, lo, hi])
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "games that were played are far below 2^52"
)]
fn conclusion(counted: &Counted, by: &Estimate) -> String {
    if counted.same_moves {
        let mut told = same_moves(counted.units);
        told.replace_range(..1, "B");
        return told + ".";
    }
    match by.claim() {
        Claim::Compared(Ordering::Greater) => {
            "This bot is the stronger: the whole interval lies above 0.".to_owned()
        }
        Claim::Compared(Ordering::Less) => {
            "This bot is the weaker: the whole interval lies below 0.".to_owned()
        }
        Claim::NoVerdict => format!(
            "This bot {NO_VERDICT}: {}.",
            too_few(counted.distinct_units)
        ),
        Claim::Compared(Ordering::Equal) => {
            let open = "Which bot is the stronger is not decided: the interval holds 0.";
            let is_steady = by.holds == Holds::Once && counted.distinct_units == counted.units;
            if !is_steady || by.interval().iter().any(|end| end.is_infinite()) {
                return open.to_owned();
            }
            let games = grouped(4.0 * counted.games as f64);
            format!("{open} Half its width takes about {games} games.")
        }
    }
}
