//! `arena rate`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::Failure;
use super::counts::{percent, print, print_json, signed};
use crate::exit;
use crate::rate::{RatedField, Results};
use crate::report::standings::{EVERY_SEAT, LOS, Style, rating_notes, ratings};
use crate::report::table::{Kind, Rows, Table};
use crate::store::read_results;
use crate::summary::BotSummary;

/// The columns of the standings.
const COLUMNS: [&str; 12] =
    ["#", "bot", "Elo", "95% interval", "LOS", "games", "score", "won", "drawn", "lost", "place", "first"];
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

#[derive(Serialize)]
struct RateJson {
    games: Vec<RatedField>,
}

pub(super) fn rate(args: &RateArgs) -> Result<u8, Failure> {
    let results = read(&args.files)?;
    if let Some((name, _)) = args.anchor.as_ref().filter(|(name, _)| results.names().all(|other| other != name)) {
        let names: BTreeSet<&str> = results.names().collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(anyhow::anyhow!("anchor `{name}`: expected one of {names}")));
    }
    let games = results.rate(args.anchor.as_ref(), args.first_advantage).map_err(Failure::input)?;
    if args.json {
        print_json(&RateJson { games })?;
    } else if games.is_empty() {
        print("no games in these files: nothing is known\n");
    } else {
        print(&games.iter().map(text).collect::<Vec<_>>().join("\n"));
    }
    Ok(exit::OK)
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

fn text(field: &RatedField) -> String {
    let name = if field.game.is_empty() { "tables of counts" } else { &field.game };
    let design = match (field.seats, field.bots_per_table, field.games_per_unit) {
        (4, 4, _) => ", groups of four bots in all rotations",
        (4, 2, 2) => ", two bots with two seats each, mirrored",
        (4, 2, _) => ", one bot against three seats of another in all rotations",
        (4, ..) => ", groups of three bots in all rotations",
        _ => "",
    };
    let mut text = format!("{name}: {} games, {} complete units{design}\n", field.games, field.units);
    let standings = ratings(&field.game, field.seats, &field.groups, &field.bots, STYLE);
    text.push_str(&standings.pick(&COLUMNS).text());
    if field.bots.len() > 2 && field.bots.len() <= WIDEST {
        text.push_str("  score against each other:\n");
        text.push_str(&crosstable(field).text());
    }
    for note in notes(field) {
        let _ = writeln!(text, "  {note}");
    }
    text
}

/// Each bot's mean score against each other one.
fn crosstable(field: &RatedField) -> Table {
    let rows: Vec<(&BotSummary, &Vec<Option<f64>>)> = field.bots.iter().zip(&field.scores).collect();
    let mut table = Rows::new("Crosstable", &rows);
    table = table.shown(Kind::Rank, "#", |(bot, _)| bot.rank);
    table = table.shown(Kind::Name, "bot", |(bot, _)| &bot.name);
    for (at, bot) in field.bots.iter().enumerate() {
        table = table.shown(Kind::Heat, format!("#{}", bot.rank), |(_, scores)| scores[at].map(percent));
    }
    table.table()
}

/// What limits the numbers.
fn notes(field: &RatedField) -> Vec<String> {
    let mut notes = vec![LOS.to_owned()];
    if field.seats > 2 {
        notes.push(EVERY_SEAT.to_owned());
    }
    if let Some(first) = field.first_player.filter(|first| first.elo.is_finite()) {
        let (lo, hi) = (first.lo95.unwrap_or(f64::NEG_INFINITY), first.hi95.unwrap_or(f64::INFINITY));
        let error = (hi - lo) / 2.0;
        let how = if first.fitted { "fitted with the ratings" } else { "from the scores of all first movers" };
        notes.push(format!(
            "moving first is worth {} Elo [{}, {}], {how}",
            signed(first.elo, error),
            signed(lo, error),
            signed(hi, error)
        ));
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
