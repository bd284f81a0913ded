//! `arena elo`.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;

use super::Failure;
use super::counts::{Counted, Counts, grouped, percent, print, print_json, signed};
use crate::exit;
use arena_stats::elo::{MatchElo, match_elo};

/// Says how much stronger a bot is, from the results of its match
///
/// Elo with its 95% interval. Give games with --wdl (wins first), pairs of games on one seed with --penta (worst first),
/// or units of any kind with --values and --counts.
#[derive(Debug, Args)]
pub(super) struct EloArgs {
    #[command(flatten)]
    counts: Counts,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
}

/// A match in JSON.
#[derive(Debug, Default, Serialize)]
pub(super) struct MatchJson {
    units: u64,
    games: u64,
    games_per_unit: u32,
    /// Possible scores, the worst first, and how many units had each.
    values: Vec<f64>,
    counts: Vec<u64>,
    score: Option<f64>,
    score_lo: Option<f64>,
    score_hi: Option<f64>,
    elo: Option<f64>,
    lo95: Option<f64>,
    hi95: Option<f64>,
    error95: Option<f64>,
    los: Option<f64>,
    n_eff: Option<f64>,
    variance: Option<f64>,
    nelo: Option<f64>,
    nelo_error95: Option<f64>,
    draw_ratio: Option<f64>,
    pairs_ratio: Option<f64>,
}

impl MatchJson {
    pub(super) fn new(counted: &Counted) -> Self {
        let (values, counts) = counted.scores.values().unzip();
        let result = match_elo(&counted.scores, counted.games_per_unit);
        let get = |field: fn(&MatchElo) -> f64| result.as_ref().map(field);
        Self {
            units: counted.scores.units(),
            games: result.as_ref().map_or(0, |result| result.games),
            games_per_unit: counted.games_per_unit,
            values,
            counts,
            score: get(|m| m.score),
            score_lo: get(|m| m.score_lo),
            score_hi: get(|m| m.score_hi),
            elo: get(|m| m.elo),
            lo95: get(|m| m.lo95),
            hi95: get(|m| m.hi95),
            error95: get(|m| m.error95),
            los: get(|m| m.los),
            n_eff: get(|m| m.n_eff),
            variance: get(|m| m.variance),
            nelo: result.as_ref().and_then(|m| m.nelo),
            nelo_error95: result.as_ref().and_then(|m| m.nelo_error95),
            draw_ratio: get(|m| m.draw_ratio),
            pairs_ratio: result.as_ref().and_then(|m| m.pairs_ratio),
        }
    }
}

pub(super) fn elo(args: &EloArgs) -> Result<u8, Failure> {
    let counted = args.counts.required()?;
    if args.json {
        print_json(&MatchJson::new(&counted))?;
    } else {
        print(&text(&counted));
    }
    Ok(exit::OK)
}

fn text(counted: &Counted) -> String {
    let Some(result) = match_elo(&counted.scores, counted.games_per_unit) else {
        return "no games yet: nothing is known\n".to_owned();
    };
    let mut text = format!("{}\n", told(counted, &result));
    let _ = writeln!(text, "Elo           {}", strength(&result));
    let _ = writeln!(
        text,
        "95% interval  {}   19 times out of 20 the true difference lies in such an interval",
        interval(&result)
    );
    let _ = writeln!(
        text,
        "LOS           {}   how sure it is that this bot is the stronger; 50% is a coin toss",
        percent(result.los)
    );
    if let Some((nelo, error)) = result.nelo.zip(result.nelo_error95) {
        let _ = writeln!(
            text,
            "nElo          {} +- {}   Elo per standard deviation of a game: comparable between games that draw more or less",
            signed(nelo, error),
            signed(error, error).trim_start_matches('+')
        );
    }
    if let Some(ratio) = result.pairs_ratio.filter(|ratio| counted.games_per_unit > 1 && ratio.is_finite()) {
        let _ = writeln!(
            text,
            "won : lost    {ratio:.2}   units won for each unit lost; {} were level",
            percent(result.draw_ratio)
        );
    }
    text + &conclusion(&result) + "\n"
}

/// The results in one line.
pub(super) fn told(counted: &Counted, result: &MatchElo) -> String {
    let of = if counted.games_per_unit == 1 { String::new() } else { format!(" in {} units", result.units) };
    format!("{}: {} of the points from {} games{of}", counted.told, percent(result.score), result.games)
}

/// Elo, or the limit on the one side where results set one.
pub(super) fn strength(result: &MatchElo) -> String {
    let (units, won) = (result.units, result.score > 0.5);
    if result.elo.is_finite() {
        signed(result.elo, result.error95)
    } else if won {
        format!("> {} ({units}/{units}): everything was won", signed(result.lo95, f64::INFINITY))
    } else {
        format!("< {} (0/{units}): everything was lost", signed(result.hi95, f64::INFINITY))
    }
}

pub(super) fn interval(result: &MatchElo) -> String {
    let end = |elo: f64, none: &str| if elo.is_finite() { signed(elo, result.error95) } else { none.to_owned() };
    format!("[{}, {}]", end(result.lo95, "no limit"), end(result.hi95, "no limit"))
}

#[expect(clippy::cast_precision_loss, reason = "games that were played are far below 2^52")]
fn conclusion(result: &MatchElo) -> String {
    if result.lo95 > 0.0 {
        "This bot is the stronger: the whole interval lies above 0.".to_owned()
    } else if result.hi95 < 0.0 {
        "This bot is the weaker: the whole interval lies below 0.".to_owned()
    } else {
        let games = grouped(4.0 * result.games as f64);
        format!(
            "Which bot is the stronger is not decided: the interval holds 0. Half its width takes about {games} games."
        )
    }
}
