//! `arena rate`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::anyhow;
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
use crate::standings::{RatedGame, RatingScale, Results};
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
    for (place, (name, _)) in args.anchor.iter().enumerate() {
        if !names.is_empty() && !names.contains(name.as_str()) {
            let names = Vec::from_iter(names).join(", ");
            return Err(Failure::usage(anyhow!(
                "anchor `{name}`: expected one of {names}"
            )));
        }
        if args.anchor[..place].iter().any(|(other, _)| other == name) {
            return Err(Failure::usage(anyhow!(
                "anchor `{name}`: expected one rating, found several"
            )));
        }
    }
    let scale = RatingScale {
        anchors: args.anchor.clone(),
        mean: args.mean,
        prior: args.prior,
        first_advantage: args.first_advantage,
    };
    let games = results.rate(&scale).map_err(Failure::input)?;
    let anytime = games.iter().all(|rated| rated.game.is_watched);
    let notes = of_files(&results, &args.files, anytime);
    let rates = Rates {
        games: &games,
        copies: results.copies,
    };
    print_either(args.json, &rates, || {
        if games.is_empty() {
            return "no games in these files: nothing is known\n".to_owned();
        }
        let has_level = !args.anchor.is_empty() || args.mean != 0.0;
        let fields: Vec<String> = games.iter().map(|field| text(field, has_level)).collect();
        fields.join("\n") + &Screen::stdout().prose(&indented(&notes))
    })
}

fn read(files: &[PathBuf]) -> Result<Results, Failure> {
    let results = Results::read(files).map_err(Failure::input)?;
    let mut seen = BTreeSet::new();
    for &table in &results.tables {
        let path = &files[table];
        if path.canonicalize().is_ok_and(|path| !seen.insert(path)) {
            let why = "is named twice: its counts cannot be told from copies; name it once";
            return Err(Failure::usage(anyhow!("{} {why}", path.display())));
        }
    }
    Ok(results)
}

/// What limits the evidence of the files; `anytime` says whether all intervals hold at every look.
fn of_files(results: &Results, files: &[PathBuf], anytime: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let cut: BTreeSet<&PathBuf> = results.cut().map(|file| &files[file]).collect();
    for file in cut {
        notes.push(format!("{}: {CUT}", file.display()));
    }
    let watched: BTreeSet<&PathBuf> = results.watched().map(|file| &files[file]).collect();
    if !watched.is_empty() && !anytime {
        let watched: Vec<String> = watched
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        notes.push(format!("{STOPPED}: {}", watched.join(", ")));
    }
    if results.copies > 0 {
        let games = count(results.copies, "game was", "games were");
        notes.push(format!("{games} left out: the same game is there already, with its seed, bots, seats, turns and result"));
    }
    for run in files.iter().collect::<BTreeSet<_>>() {
        notes.extend(repeats_of_run(run));
    }
    notes
}

fn prior(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(draws @ 1e-3..=1e6) => Ok(draws),
        _ => Err("a number from 0.001 to 1000000 is needed".to_owned()),
    }
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    let (name, elo) = text.rsplit_once('=').unwrap_or_default();
    match finite(elo.trim()) {
        Ok(elo) => Ok((name.to_owned(), elo)),
        Err(_) => Err("a name and a rating are needed, as in search=1500".to_owned()),
    }
}

/// A rating whose sums with others are finite, too.
fn finite(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(elo @ -1e6..=1e6) => Ok(elo),
        _ => Err("a number from -1000000 to 1000000 is needed".to_owned()),
    }
}

fn text(rated: &RatedGame, has_level: bool) -> String {
    let game = &rated.game;
    let name = match game.game.as_str() {
        "" => "tables of counts",
        name => name,
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
        let scores = crosstable(&game.bots, |bot, other| {
            rated.scores[bot][other].map(exact_percent).into()
        });
        text += &scores.text(&screen);
    }
    text + &screen.prose(&indented(&notes(rated)))
}

/// What limits the numbers.
fn notes(rated: &RatedGame) -> Vec<String> {
    let game = &rated.game;
    let mut notes = vec![if game.is_watched { WATCHED } else { LOS }.to_owned()];
    notes.extend((game.design.seats > 2).then(|| EVERY_SEAT.to_owned()));
    if let Some(first) = rated.first_player.filter(|first| first.elo.is_finite()) {
        let lo = first.lo95.unwrap_or(f64::NEG_INFINITY);
        let hi = first.hi95.unwrap_or(f64::INFINITY);
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
