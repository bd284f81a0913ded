//! `arena rate`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use super::counts::{percent, signed};
use super::{Failure, print_either};
use crate::rate::{RatedField, Results};
use crate::report::screen::{Ink, Screen};
use crate::report::standings::{DIFFERENCE, Difference, EVERY_SEAT, LOS, Style, crosstable, rating_notes, ratings};
use crate::report::words::indented;
use crate::store::read_results;
use crate::summary::BotSummary;

/// The columns of the standings.
const COLUMNS: [&str; 13] =
    ["#", "bot", "Elo", DIFFERENCE, "95% interval", "LOS", "games", "score", "won", "drawn", "lost", "place", "first"];
/// Numbers have as many decimals as their errors leave a meaning.
const STYLE: Style = Style { elo: signed, share: percent, los: percent, anchor: Some("anchor") };

/// Crosstables of more bots are too wide to read.
const WIDEST: usize = 12;

/// Rates the bots of any number of runs together
///
/// Each FILE is a games.csv, a run directory, or a table of counts with the columns first,second,wins,draws,losses, told
/// from the side of the bot that moved first. Bots of the same name are the same bot. Games with different rules, or
/// different numbers of seats per bot, are rated apart.
#[derive(Debug, Args)]
pub(super) struct RateArgs {
    /// Files of results, or run directories
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Fix the rating of one bot [default: the mean of all is 0]
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Option<(String, f64)>,
    /// Fit what moving first is worth; where units swap the seats it is needless
    #[arg(long)]
    first_advantage: bool,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
}

pub(super) fn rate(args: &RateArgs) -> Result<u8, Failure> {
    let results = read(&args.files)?;
    let names: BTreeSet<&str> = results.names().collect();
    if let Some((name, _)) = args.anchor.as_ref().filter(|(name, _)| !names.contains(name.as_str())) {
        let names = Vec::from_iter(names).join(", ");
        return Err(Failure::usage(anyhow::anyhow!("anchor `{name}`: expected one of {names}")));
    }
    let games = results.rate(args.anchor.as_ref(), args.first_advantage).map_err(Failure::input)?;
    print_either(args.json, &BTreeMap::from([("games", &games)]), || match &games[..] {
        [] => "no games in these files: nothing is known\n".to_owned(),
        games => games.iter().map(|field| text(field, args.anchor.is_some())).collect::<Vec<_>>().join("\n"),
    })
}

/// Reads all files. The same file given twice would double the evidence, and is refused.
fn read(files: &[PathBuf]) -> Result<Results, Failure> {
    let mut seen = BTreeSet::new();
    let mut results = Results::default();
    for (number, path) in files.iter().enumerate() {
        if path.canonicalize().is_ok_and(|path| !seen.insert(path)) {
            return Err(Failure::usage(anyhow::anyhow!("count {} twice: name every file once", path.display())));
        }
        read_results(path, &mut |line| results.add(number, line)).map_err(Failure::input)?;
    }
    Ok(results)
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    let parsed = text.rsplit_once('=').and_then(|(name, elo)| Some((name.to_owned(), elo.trim().parse::<f64>().ok()?)));
    parsed
        .filter(|(_, elo)| elo.is_finite())
        .ok_or_else(|| "a name and a rating are needed, as in search=1500".to_owned())
}

/// With an anchor, the ratings of two bots say more than their difference.
fn text(field: &RatedField, has_anchor: bool) -> String {
    let name = if field.game.is_empty() { "tables of counts" } else { &field.game };
    let design = match (field.seats, field.bots_per_table, field.games_per_unit) {
        (4, 4, _) => ", groups of four bots in all rotations",
        (4, 2, 2) => ", two bots with two seats each, mirrored",
        (4, 2, _) => ", one bot against three seats of another in all rotations",
        (4, ..) => ", groups of three bots in all rotations",
        _ => "",
    };
    let screen = Screen::stdout();
    let title = format!("{name}: {} games, {} complete units{design}", field.games, field.units);
    let mut text = screen.paint(Ink::Strong, screen.prose(&title)) + "\n";
    let difference = difference(&field.bots).filter(|_| !has_anchor);
    let table = ratings(&field.game, field.seats, &field.groups, &field.bots, difference.as_ref(), STYLE);
    text += &table.pick(&COLUMNS).text(&screen);
    if field.bots.len() > 2 && field.bots.len() <= WIDEST {
        text += "  score against each other:\n";
        let met = |bot: usize, other: usize| field.scores[bot][other].map(percent).into();
        text += &crosstable(&field.bots, met).text(&screen);
    }
    text + &screen.prose(&indented(&notes(field)))
}

/// How far the better of two bots is ahead. What both ratings do not share is their difference, and so is its error.
fn difference(bots: &[BotSummary]) -> Option<Difference> {
    let [best, other] = bots else { return None };
    let (value, error) = (best.elo? - other.elo?, best.error95? + other.error95?);
    let rough = if bots.iter().any(|bot| bot.provisional) { "?" } else { "" };
    let [elo, lo, hi] = [value, value - error, value + error].map(|elo| signed(elo, error));
    Some(Difference { value, elo, interval: Some(format!("[{lo}, {hi}]{rough}")), los: best.los_next })
}

/// What limits the numbers.
fn notes(field: &RatedField) -> Vec<String> {
    let mut notes = vec![LOS.to_owned()];
    notes.extend((field.seats > 2).then(|| EVERY_SEAT.to_owned()));
    if let Some(first) = field.first_player.filter(|first| first.elo.is_finite()) {
        let (lo, hi) = (first.lo95.unwrap_or(f64::NEG_INFINITY), first.hi95.unwrap_or(f64::INFINITY));
        let [elo, lo, hi] = [first.elo, lo, hi].map(|elo| signed(elo, (hi - lo) / 2.0));
        let how = if first.fitted { "fitted with the ratings" } else { "from the scores of all first movers" };
        notes.push(format!("moving first is worth {elo} Elo [{lo}, {hi}], {how}"));
    }
    if field.incomplete_units > 0 {
        notes.push(format!(
            "incomplete units: {}; their games count in games, won, drawn, lost and score, but not in Elo",
            field.incomplete_units
        ));
    }
    notes.extend(rating_notes(&field.groups, &field.bots));
    notes
}
