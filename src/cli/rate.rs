//! `arena rate`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{Failure, print_either};
use crate::report::screen::Screen;
use crate::section::Tone;
use crate::section::words::{count, decimals, exact_percent, indented, signed};
use crate::standings::tables::{
    ANYTIME, DIFFERENCE, EVERY_SEAT, INTERVAL, LOS, Style, WATCHED, crosstable, rating_notes,
    seating, table,
};
use crate::standings::{RatedGame, Results, Scale};
use crate::store::repeats_of_run;

/// The columns of the standings.
const COLUMNS: [&str; 14] = [
    "#", "bot", "Elo", DIFFERENCE, INTERVAL, ANYTIME, "LOS", "games", "score", "won", "drawn",
    "lost", "place", "first",
];
/// Numbers have as many decimals as their errors leave a meaning.
const STYLE: Style = Style {
    elo: |elo, error95| signed(elo, decimals(error95)),
    share: exact_percent,
    anchor: Some("anchor"),
    has_level: false,
};

/// What is said of a file that breaks off.
const CUT: &str = "the last line is cut off and left out: the file is still being written, or was not copied to its end";
/// What is said of runs that are no evidence of a fixed length.
const STOPPED: &str = "stopped by somebody or by a sequential test, not at an announced end, so that intervals, which are for a single look, \
                       are a little too narrow";

/// Crosstables of more bots are too wide to read.
const WIDEST: usize = 12;

/// Rate the bots of any number of runs together
///
/// Each FILE is a games.csv, a run directory, or a table of counts with the columns first,second,wins,draws,losses, told
/// from the side of the bot that moved first. Bots of the same name are the same bot. Games with different rules, or
/// different numbers of seats per bot, are rated apart. A game counts once, however many of the files have it.
///
/// Intervals and LOS are those of one look, at an end that was fixed before the first game. Two bots of which a run did not
/// come to such an end, because somebody or a sequential test stopped it, have the interval that holds at every look.
#[derive(Debug, Args)]
pub(super) struct RateArgs {
    /// Files of results, or run directories
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Fix the rating of a bot; of several, if it is given again
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Vec<(String, f64)>,
    /// The mean of all ratings
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true, value_parser = finite, conflicts_with = "anchor")]
    mean: f64,
    /// Virtual draws that each bot gets where results set no limit to ratings
    #[arg(long, value_name = "N", default_value_t = 1.0, allow_negative_numbers = true, value_parser = prior)]
    prior: f64,
    /// Fit what moving first is worth; where units swap the seats it is needless
    #[arg(long)]
    first_advantage: bool,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
}

/// What `--json` writes.
#[derive(Serialize)]
struct Rates<'a> {
    games: &'a [RatedGame],
    /// Games that were left out because they are there already.
    copies: u64,
}

pub(super) fn rate(args: &RateArgs) -> Result<u8, Failure> {
    let results = read(&args.files)?;
    let names: BTreeSet<&str> = results.names().collect();
    if let Some((name, _)) = args
        .anchor
        .iter()
        .find(|(name, _)| !names.is_empty() && !names.contains(name.as_str()))
    {
        let names = Vec::from_iter(names).join(", ");
        return Err(Failure::usage(anyhow::anyhow!(
            "anchor `{name}`: expected one of {names}"
        )));
    }
    let mut anchored = BTreeSet::new();
    if let Some((name, _)) = args.anchor.iter().find(|(name, _)| !anchored.insert(name)) {
        return Err(Failure::usage(anyhow::anyhow!(
            "anchor `{name}`: expected one rating, found several"
        )));
    }
    let scale = Scale {
        anchors: args.anchor.clone(),
        mean: args.mean,
        prior: args.prior,
        first_advantage: args.first_advantage,
    };
    let games = results.rate(&scale).map_err(Failure::input)?;
    let notes = of_files(
        &results,
        &args.files,
        games.iter().all(|rated| rated.game.is_watched),
    );
    print_either(
        args.json,
        &Rates {
            games: &games,
            copies: results.copies,
        },
        || match &games[..] {
            [] => "no games in these files: nothing is known\n".to_owned(),
            games => {
                let fields = games
                    .iter()
                    .map(|field| text(field, !args.anchor.is_empty() || args.mean != 0.0))
                    .collect::<Vec<_>>()
                    .join("\n");
                fields + &Screen::stdout().prose(&indented(&notes))
            }
        },
    )
}

fn read(files: &[PathBuf]) -> Result<Results, Failure> {
    let results = Results::read(files).map_err(Failure::input)?;
    let mut seen = BTreeSet::new();
    let mut tables = results.tables.iter().map(|&table| &files[table]);
    if let Some(twice) =
        tables.find(|path| path.canonicalize().is_ok_and(|path| !seen.insert(path)))
    {
        let why = "is named twice: its counts cannot be told from copies; name it once";
        return Err(Failure::usage(anyhow::anyhow!("{} {why}", twice.display())));
    }
    Ok(results)
}

/// What limits the evidence of the files; `anytime` says whether all intervals hold at every look.
fn of_files(results: &Results, files: &[PathBuf], anytime: bool) -> Vec<String> {
    let listed = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers
            .map(|file| files[file].display().to_string())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    let cut = listed(&mut results.cut());
    let cut = cut.iter().map(|file| format!("{file}: {CUT}"));
    let watched = listed(&mut results.watched()).join(", ");
    let watched = (!watched.is_empty() && !anytime).then(|| format!("{STOPPED}: {watched}"));
    let copies = results.copies;
    let copies = (copies > 0).then(|| {
        let games = count(copies, "game was", "games were");
        format!("{games} left out: the same game is there already, with its seed, bots, seats, turns and result")
    });
    let files: BTreeSet<&PathBuf> = files.iter().collect();
    cut.chain(watched)
        .chain(copies)
        .chain(files.into_iter().flat_map(|run| repeats_of_run(run)))
        .collect()
}

fn prior(text: &str) -> Result<f64, String> {
    let draws = text
        .parse()
        .ok()
        .filter(|draws| (1e-3..=1e6).contains(draws));
    draws.ok_or_else(|| "a number from 0.001 to 1000000 is needed".to_owned())
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    let parsed = text
        .rsplit_once('=')
        .and_then(|(name, elo)| Some((name.to_owned(), finite(elo.trim()).ok()?)));
    parsed.ok_or_else(|| "a name and a rating are needed, as in search=1500".to_owned())
}

/// A rating whose sums with others are finite, too.
fn finite(text: &str) -> Result<f64, String> {
    let elo = text.parse().ok().filter(|elo| (-1e6..=1e6).contains(elo));
    elo.ok_or_else(|| "a number from -1000000 to 1000000 is needed".to_owned())
}

fn text(rated: &RatedGame, has_level: bool) -> String {
    let game = &rated.game;
    let name = if game.game.is_empty() {
        "tables of counts"
    } else {
        &game.game
    };
    let screen = Screen::stdout();
    let title = format!(
        "{name}: {} games, {} complete units{}",
        game.games,
        game.units,
        seating(game)
    );
    let mut text = screen.paint(Tone::Strong, screen.prose(&title)) + "\n";
    let style = Style { has_level, ..STYLE };
    text += &table(game, style).pick(&COLUMNS).text(&screen);
    if game.bots.len() > 2 && game.bots.len() <= WIDEST {
        text += "  score against each other:\n";
        let met = |bot: usize, other: usize| rated.scores[bot][other].map(exact_percent).into();
        text += &crosstable(&game.bots, met).text(&screen);
    }
    text + &screen.prose(&indented(&notes(rated)))
}

/// What limits the numbers.
fn notes(rated: &RatedGame) -> Vec<String> {
    let game = &rated.game;
    let mut notes = vec![if game.is_watched { WATCHED } else { LOS }.to_owned()];
    notes.extend((game.design.seats > 2).then(|| EVERY_SEAT.to_owned()));
    if let Some(first) = rated.first_player.filter(|first| first.elo.is_finite()) {
        let (lo, hi) = (
            first.lo95.unwrap_or(f64::NEG_INFINITY),
            first.hi95.unwrap_or(f64::INFINITY),
        );
        let [elo, lo, hi] = [first.elo, lo, hi].map(|elo| signed(elo, decimals((hi - lo) / 2.0)));
        let how = if first.fitted {
            "fitted with the ratings"
        } else {
            "from the scores of all first movers"
        };
        notes.push(format!(
            "moving first is worth {elo} Elo [{lo}, {hi}], {how}"
        ));
    }
    if game.incomplete_units > 0 {
        notes.push(format!(
            "incomplete units: {}; their games count in games, won, drawn, lost and score, but not in Elo",
            game.incomplete_units
        ));
    }
    notes.extend(rating_notes(&game.groups, &game.bots));
    notes
}
