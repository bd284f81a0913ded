//! `arena elo`.

use std::fmt::Write as _;

use clap::Args;

use super::counts::{Counted, Counts, fact, wrapped};
use super::{Failure, print_either};
use arena_games::Games;
use arena_section::words::{count, decimals, exact_percent, grouped, interval, likelihood, signed};
use arena_stats::elo::MatchElo;

/// Show the Elo of counted results, with its interval
///
/// Give a run, or games with --wdl (wins first), pairs of games on one seed with --penta (worst first),
/// or units of any kind with --values and --counts.
///
/// If a RUN of two bots stopped early, the interval is the one that holds at every look. Otherwise interval and LOS are valid for
/// one look.
#[derive(Debug, Args)]
pub(super) struct EloArgs {
    #[command(flatten)]
    counts: Counts,
    /// Write JSON; numbers that aren't finite or known are null
    #[arg(long)]
    json: bool,
}

pub(super) fn elo(args: &EloArgs, games: &Games) -> Result<u8, Failure> {
    let Some(counted) = args.counts.counted(games)? else {
        return Err(Failure::usage(anyhow::anyhow!(
            "find any results: give a RUN or --wdl W,D,L or --penta N0,..,N4 or --values V.. --counts N.."
        )));
    };
    print_either(args.json, &counted, || wrapped(&text(&counted)))
}

fn text(counted: &Counted) -> String {
    let Some(result) = &counted.result else {
        return "no games yet: nothing is known\n".to_owned();
    };
    let mut text = results_line(counted, result) + "\n";
    text += &fact("Elo", strength(result));
    let meaning = if counted.anytime {
        "at every look: it holds whenever one stops; no announced end was reached"
    } else {
        "19 times out of 20 the true difference lies in such an interval"
    };
    let ends = result.interval(counted.anytime);
    let shown = interval(ends, decimals((ends[1] - ends[0]) / 2.0));
    text += &fact("95% interval", format!("{shown}   {meaning}"));
    if !counted.anytime {
        let meaning = "how sure it is that this bot is the stronger; 50% is a coin toss";
        text += &fact("LOS", format!("{}   {meaning}", likelihood(result.los)));
    }
    if let (Some(nelo), Some(lo), Some(hi)) = (result.nelo, result.nelo_lo95, result.nelo_hi95) {
        let [mut shown, lo, hi] =
            [nelo, lo, hi].map(|nelo| signed(nelo, decimals((hi - lo) / 2.0)));
        if !counted.anytime {
            let _ = write!(shown, " [{lo}, {hi}]");
        }
        let meaning =
            "Elo per standard deviation of a game: comparable between games that draw more or less";
        text += &fact("nElo", format!("{shown}   {meaning}"));
    }
    if let Some(ratio) = result.pairs_ratio
        && ratio.is_finite()
        && counted.games_per_unit > 1
    {
        let level = exact_percent(result.draw_ratio);
        text += &fact(
            "won : lost",
            format!("{ratio:.2}   units won for each unit lost; {level} were level"),
        );
    }
    text + &conclusion(result, ends) + "\n"
}

/// The results in one line.
pub(super) fn results_line(counted: &Counted, result: &MatchElo) -> String {
    let (words, games) = (&counted.words, count(result.games, "game", "games"));
    let share = exact_percent(result.score);
    let mut line = format!("{words}: {share} of the points from {games}");
    if counted.games_per_unit > 1 {
        let _ = write!(line, " in {}", count(result.units, "unit", "units"));
    }
    line
}

/// Elo, or the limit on the one side where results set one.
pub(super) fn strength(result: &MatchElo) -> String {
    let units = result.units;
    let [lo, hi] = [result.lo95, result.hi95].map(|elo| signed(elo, 1));
    if result.elo.is_finite() {
        signed(result.elo, decimals(result.error95))
    } else if result.score > 0.5 {
        format!("> {lo} ({units}/{units}): everything was won")
    } else {
        format!("< {hi} (0/{units}): everything was lost")
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "games that were played are far below 2^52"
)]
fn conclusion(result: &MatchElo, [lo, hi]: [f64; 2]) -> String {
    if lo > 0.0 {
        "This bot is the stronger: the whole interval lies above 0.".to_owned()
    } else if hi < 0.0 {
        "This bot is the weaker: the whole interval lies below 0.".to_owned()
    } else {
        let games = grouped(4.0 * result.games as f64);
        format!(
            "Which bot is the stronger is not decided: the interval holds 0. Half its width takes about {games} games."
        )
    }
}
