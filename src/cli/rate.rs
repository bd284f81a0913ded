//! `arena rate`.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use indexmap::IndexSet;
use serde::Serialize;

use super::terms::within;
use super::{Failure, check_run, print_either};
use crate::standings::tables::{
    ANYTIME, DIFFERENCE, INTERVAL, MEAN_SCORE, OF_TEST, OVER_BEST, Style, crosstable, how_compared,
    looks, rating_notes, seating, table,
};
use crate::standings::{RatedGame, RatingScale, Results, Shared};
use arena_games::Games;
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::text::{nearest, word};
use arena_section::words::{count, decimals, exact_percent, indented, interval, list, signed};
use arena_stats::estimate::Holds;

/// The columns of the standings.
const COLUMNS: [&str; 17] = [
    "#", "bot", "Elo", DIFFERENCE, INTERVAL, ANYTIME, OF_TEST, "LOS", "games", "score", MEAN_SCORE,
    OVER_BEST, "won", "drawn", "lost", "place", "first",
];
/// Numbers have only the decimals that their errors allow.
const STYLE: Style = Style {
    elo: |elo, error95| signed(elo, decimals(error95)),
    share: exact_percent,
    anchor: Some("anchor"),
    has_level: false,
};

/// The note on a file that breaks off.
const CUT: &str = "the last line is cut off and left out: the file is still being written, or was not copied to its end";
/// The note on runs that didn't end at an announced length.
const STOPPED: &str = "stopped, extended, or ended by its results";
/// The note on runs whose bots played again.
const AGAIN: &str = "played again on the same seeds, with other results, so that all games count";
/// The note on several runs of two bots.
const POOLED: &str = "several runs of the same two bots are rated together, and you may add runs until you like the result";

/// Ratings whose sums are finite, too.
const ELO: RangeInclusive<f64> = -1e6..=1e6;

/// The maximum number of bots in a crosstable.
const WIDEST: usize = 12;

/// Rate the bots of any number of runs together
///
/// Each FILE is a games.csv, a run directory, whose files must agree, or a table of counts with the columns first,second,wins,draws,losses, from the side
/// of the bot that moved first. Bots of the same name are the same bot, see --by-program. Games with different rules, or different numbers of
/// seats per bot, are rated apart. If two files have the same games, they count once. Games that random
/// bots played again on the same seeds all count.
///
/// Intervals and LOS are valid for one look, at an end that was fixed before the first game. If a run stopped early, or several
/// runs of the same two bots are rated together, intervals hold at every look. A single sequential test has its own interval.
#[derive(Debug, Args)]
pub(super) struct RateArgs {
    /// Files of results, or run directories
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Fix the rating of a bot; may be given more than once
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Vec<(String, f64)>,
    /// The mean of all ratings
    #[arg(long, value_name = "ELO", default_value_t = 0.0, value_parser = within(ELO), conflicts_with = "anchor")]
    mean: f64,
    /// Virtual draws for each bot, if results set no limit
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = within(1e-3..=1e6))]
    prior: f64,
    /// Fit the value of moving first; needless if units swap the seats
    #[arg(long)]
    first_advantage: bool,
    /// Rate programs apart that share a name, as new@3f2a
    #[arg(long)]
    by_program: bool,
    /// Write JSON; numbers that aren't finite or known are null
    #[arg(long)]
    json: bool,
}

/// The result as JSON.
#[derive(Serialize)]
struct Rates<'a> {
    games: &'a [RatedGame],
    /// The number of games left out because another file has them.
    copies: u64,
    notes: &'a [String],
}

pub(super) fn rate(args: &RateArgs, games: &Games) -> Result<u8, Failure> {
    let results = read(args, games)?;
    let names: BTreeSet<&str> = results.names().collect();
    for (place, (name, elo)) in args.anchor.iter().enumerate() {
        if !names.is_empty() && !names.contains(name.as_str()) {
            let names = Vec::from_iter(names);
            let meant = nearest(name, &names).unwrap_or(names[0]);
            return Err(Failure::usage(anyhow!(
                "can't anchor `{name}`: expected one of {}\nhint: --anchor {}",
                names.join(", "),
                word(format!("{meant}={elo}"))
            )));
        }
        if args.anchor[..place].iter().any(|(other, _)| other == name) {
            return Err(Failure::usage(anyhow!(
                "can't anchor `{name}`: expected one rating, found several\nhint: leave out all but one --anchor {name}"
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
    let notes = of_files(&results, args);
    let rates = Rates {
        games: &games,
        copies: results.shared.iter().map(|shared| shared.left_out).sum(),
        notes: &notes,
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

fn read(args: &RateArgs, games: &Games) -> Result<Results, Failure> {
    let files = &args.files;
    for file in files {
        check_run(file, games)?;
    }
    let results = Results::read(files, args.by_program)?;
    let mut seen = BTreeSet::new();
    for &table in &results.tables {
        let path = &files[table];
        if path.canonicalize().is_ok_and(|path| !seen.insert(path)) {
            return Err(Failure::usage(anyhow!(
                "can't count {} twice: its counts look like copies\nhint: name it once",
                path.display()
            )));
        }
    }
    Ok(results)
}

/// Returns notes on the files.
fn of_files(results: &Results, args: &RateArgs) -> Vec<String> {
    let files = &args.files;
    let name = |file: usize| files[file].display();
    let mut notes = IndexSet::new();
    notes.extend(results.cut().map(|file| format!("{}: {CUT}", name(file))));
    notes.extend(listed(STOPPED, files, results.watched()));
    notes.extend(results.are_pooled().then(|| POOLED.to_owned()));
    for (file, what) in results.unknown() {
        notes.insert(format!("{}: {what}", name(file)));
    }
    let left_out = results.shared.iter().filter(|shared| shared.left_out > 0);
    notes.extend(left_out.map(|shared| copied(shared, files)));
    let again = results.shared.iter().filter(|shared| shared.again > 0);
    let again = again.flat_map(|shared| [shared.first, shared.second]);
    notes.extend(listed(AGAIN, files, again));
    if !args.by_program {
        notes.extend(changed(results, files));
    }
    for (file, game) in results.repeating() {
        notes.insert(format!(
            "{}: {} of {} games of {} repeat others move for move; they say nothing new, so intervals are those of the other units",
            name(file),
            game.repeated_games,
            game.games,
            game.id
        ));
    }
    notes.into_iter().collect()
}

/// Returns a note on some files, with each of their paths once; `None` without any.
fn listed(note: &str, files: &[PathBuf], numbers: impl Iterator<Item = usize>) -> Option<String> {
    let paths: BTreeSet<String> = numbers
        .map(|file| files[file].display().to_string())
        .collect();
    list(paths.into_iter()).map(|paths| format!("{note}: {paths}"))
}

/// Says which games were left out.
fn copied(shared: &Shared, files: &[PathBuf]) -> String {
    let [first, second] = [shared.first, shared.second].map(|file| &files[file]);
    let games = count(shared.left_out, "game was", "games were");
    let start = format!("{}: {games} left out", second.display());
    if same_path(first, second) {
        return format!("{start}, because the file has them twice or is named twice");
    }
    let agree = if shared.agree == shared.games {
        ", seats, turns and result".to_owned()
    } else {
        let Shared { games, agree, .. } = shared;
        format!(" and seats, and {agree} of {games} with the same turns and result")
    };
    let first = first.display();
    format!(
        "{start}, because {first} has them with the same seed{agree}: a copy, or deterministic bots played again"
    )
}

fn same_path(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| path.canonicalize().ok());
    one.is_some() && one == other
}

/// Warns of runs in which a bot isn't the program that it was.
fn changed(results: &Results, files: &[PathBuf]) -> Vec<String> {
    let mut warnings = Vec::new();
    for ((file, earlier), bots) in results.changed() {
        let [file, earlier] = [file, earlier].map(|file| files[file].display());
        let have = if bots.len() == 1 { "has" } else { "have" };
        let bots: Vec<String> = bots.iter().map(|bot| format!("`{bot}`")).collect();
        let bots = bots.join(" and ");
        warnings.push(format!(
            "{file}: {bots} {have} another program or other arguments than in {earlier}; --by-program rates them apart"
        ));
    }
    warnings
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    let (name, elo) = text.rsplit_once('=').unwrap_or_default();
    match within(ELO)(elo.trim()) {
        Ok(elo) => Ok((name.to_owned(), elo)),
        Err(_) => Err("a name and a rating are needed, as in search=1500".to_owned()),
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
        "{name}: {}, {}{}",
        count(game.games, "game", "games"),
        count(game.units, "complete unit", "complete units"),
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
    text + &screen.prose(&indented(&notes(rated, has_level)))
}

/// Returns notes on the ratings of a game.
fn notes(rated: &RatedGame, has_level: bool) -> Vec<String> {
    let game = &rated.game;
    let mut notes = looks(game, "");
    notes.extend(how_compared(game));
    if let Some(first) = rated.first_player.filter(|first| first.elo.is_finite()) {
        let lo = first.lo95.unwrap_or(f64::NEG_INFINITY);
        let hi = first.hi95.unwrap_or(f64::INFINITY);
        let places = decimals((hi - lo) / 2.0);
        let (elo, ends) = (signed(first.elo, places), interval([lo, hi], places));
        let how = if first.fitted {
            "fitted with the ratings"
        } else {
            "from the scores of all first movers"
        };
        let looks = match first.interval {
            Holds::Once => "",
            Holds::EveryLook | Holds::Test => " at every look",
        };
        notes.push(format!(
            "moving first is worth {elo} Elo {ends}{looks}, {how}"
        ));
    }
    if game.incomplete_units > 0 {
        notes.push(format!(
            "incomplete units: {}; their games count in games, won, drawn, lost and score, but not in Elo",
            game.incomplete_units
        ));
    }
    notes.extend(rating_notes(game, game.difference.is_some() && !has_level));
    notes
}
