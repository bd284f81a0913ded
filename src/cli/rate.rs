//! `arena rate`.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::Args;
use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::exit;
use super::failure::{InputError, Result, UsageError};
use super::output::show;
use super::terms::within;
use crate::results::{Field, Union};
use crate::standings::tables::{
    ANYTIME, DIFFERENCE, INTERVAL, MEAN_SCORE, OF_TEST, OVER_BEST, Style, crosstable, how_compared,
    looks, rating_notes, same_program_notes, seating, table, too_few,
};
use crate::standings::{RatedGame, RatingScale};
use crate::{store, tournament};
use arena_games::Games;
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::terminal::not_shown;
use arena_section::text::{nearest, word};
use arena_section::words::{count, decimals, exact_percent, indented, interval, signed};
use arena_stats::estimate::{Claim, Holds};

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

/// The note on runs that didn't end at an announced length.
const STOPPED: &str = "stopped, extended, or ended by its results";
/// Ratings whose sums are finite, too.
const ELO: RangeInclusive<f64> = -1e6..=1e6;

/// The maximum number of bots in a crosstable.
const WIDEST: usize = 12;

/// Rate the bots of any number of runs together
///
/// FILE is a run directory, or a table of counts with the columns first,second,wins,draws,losses,
/// from the side of the bot that moved first. Games that several runs have count once, and all
/// games on a seed are one piece of evidence. Games with different rules, or different numbers of
/// seats per bot, are rated apart. So are programs that share a name, see --by-name.
///
/// Intervals and LOS are valid for one look, at an end that was fixed before the first game.
/// Intervals of several runs, or of a run that stopped early, hold at every look. A single
/// sequential test has its own.
#[derive(Debug, Args)]
pub(super) struct RateArgs {
    /// Run directories, or tables of counts
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Fix the rating of a bot; may be given more than once
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Vec<(String, f64)>,
    /// The mean of all ratings
    #[arg(long, value_name = "ELO", default_value_t = 0.0, value_parser = within("a number", ELO), conflicts_with = "anchor")]
    mean: f64,
    /// Virtual draws for each bot, if results set no limit
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = within("a number", 1e-3..=1e6))]
    prior: f64,
    /// Fit the value of moving first; needless if units swap the seats
    #[arg(long)]
    first_advantage: bool,
    /// Rate programs that share a name as one bot, not as new@3f2a
    #[arg(long)]
    by_name: bool,
}

/// The result as JSON.
#[derive(Serialize, JsonSchema)]
pub(super) struct Rates<'a> {
    /// Each game with its standings.
    games: &'a [RatedGame],
    /// Games left out because another file has them.
    copies: u64,
    /// Remarks on the runs, or of a referee on the turn before.
    notes: &'a [String],
}

pub(super) fn rate(args: &RateArgs, games: &Games) -> Result<u8> {
    let union = tournament::union(&args.files, args.by_name, games)?;
    let mut again = union.twice.iter().map(|(name, _)| name);
    if let Some(table) = again.find(|name| store::run_of(Path::new(name)).is_none()) {
        return Err(UsageError::TableTwice(table.clone()).into());
    }
    let names: BTreeSet<&str> = union.names().collect();
    for (place, (name, elo)) in args.anchor.iter().enumerate() {
        if !names.is_empty() && !names.contains(name.as_str()) {
            let names = Vec::from_iter(names);
            let meant = nearest(name, &names).unwrap_or(names[0]);
            let hint = format!("--anchor {}", word(format!("{meant}={elo}")));
            let known = names.join(", ");
            return Err(UsageError::Unknown("anchor", name.clone(), known, hint).into());
        }
        if args.anchor[..place].iter().any(|(other, _)| other == name) {
            return Err(UsageError::SeveralAnchors(name.clone()).into());
        }
    }
    let scale = RatingScale {
        anchors: args.anchor.clone(),
        mean: args.mean,
        prior: args.prior,
        first_advantage: args.first_advantage,
    };
    let mut games = Vec::new();
    for field in &union.fields {
        let mut rated =
            RatedGame::new(field, &scale, &union.stop(field)).map_err(InputError::NotRated)?;
        rated.game.same_program = union.alike(field);
        games.push(rated);
    }
    let notes = of_runs(&union, args.by_name);
    let rates = Rates {
        games: &games,
        copies: union.copies(),
        notes: &notes,
    };
    show(exit::OK, &rates, || {
        if games.is_empty() {
            return "no games in these files: nothing is known\n".to_owned();
        }
        let has_level = !args.anchor.is_empty() || args.mean != 0.0;
        let (screen, mut out) = (Screen::stdout(), Vec::new());
        let mut fields = Vec::new();
        for field in &games {
            fields.push(text(field, has_level, &screen, &mut out));
        }
        fields.join("\n") + &screen.prose(&indented(&notes)) + &not_shown(&out, &screen)
    })
}

/// Returns notes on the runs.
fn of_runs(union: &Union, by_name: bool) -> Vec<String> {
    let mut notes = IndexSet::new();
    for (_, at) in &union.twice {
        let name = &union.sources[*at].name;
        notes.insert(format!("{name} is named twice, and counts once"));
    }
    for source in &union.sources {
        let (name, games) = (&source.name, source.games);
        for (&earlier, &same) in &source.of_earlier {
            let of = match games - same {
                0 => format!("all its {games}"),
                _ => format!("{same} of its {games}"),
            };
            let earlier = &union.sources[earlier].name;
            notes.insert(format!(
                "{name}: {of} games have the same records as in {earlier}, and count once"
            ));
        }
    }
    notes.extend(named(union, &union.stopped()).map(|runs| format!("{STOPPED}: {runs}")));
    for field in union.fields.iter().filter(|field| field.sources.len() > 1) {
        let is_pair = field.count.bots.len() == 2;
        let of = if is_pair { " of the same two bots" } else { "" };
        notes.insert(format!(
            "several runs{of} are rated together, and you may add runs until you like the result"
        ));
        notes.extend(shared(union, field));
    }
    notes.extend(if by_name {
        changed(union)
    } else {
        told_apart(union)
    });
    for field in union
        .fields
        .iter()
        .filter(|field| field.count.has_repeats())
    {
        let (repeated, games) = (field.count.repeated_games(), field.count.games);
        notes.extend(named(union, &field.sources).map(|runs| {
            format!(
                "{runs}: {repeated} of {games} games of {} repeat others move for move; they say nothing new, so intervals are those of the other units",
                field.game
            )
        }));
    }
    notes.into_iter().collect()
}

/// The names of these runs, as `A, B and C`; `None` without any.
fn named(union: &Union, runs: &BTreeSet<usize>) -> Option<String> {
    all_of(runs.iter().map(|&run| &*union.sources[run].name))
}

/// These words, as `a, b and c`; `None` without any.
fn all_of<'w>(words: impl Iterator<Item = &'w str>) -> Option<String> {
    let words: Vec<&str> = words.collect();
    Some(match words.split_last()? {
        (last, []) => (*last).to_owned(),
        (last, others) => format!("{} and {last}", others.join(", ")),
    })
}

/// Says which seeds several runs share.
fn shared(union: &Union, field: &Field) -> Option<String> {
    let (seeds, runs) = field.count.evidence.shared_by_runs();
    let runs = named(union, &runs)?;
    let of_game = match union.fields.len() {
        1 => String::new(),
        _ => format!(" of {}", field.game),
    };
    let all = count(field.count.shared_seeds()?, "seed", "seeds");
    let units = count(field.count.units(), "unit", "units");
    let seeds = count(seeds, "seed", "seeds");
    Some(format!(
        "{runs} share {seeds}{of_game}: games on one seed share its luck, so intervals are those of {all}, not of {units}"
    ))
}

/// Says which bots are different programs.
fn told_apart(union: &Union) -> Vec<String> {
    let mut notes = Vec::new();
    for (bot, labels) in union.told_apart() {
        let (number, labels) = (labels.len(), all_of(labels.into_iter()));
        notes.push(format!(
            "`{bot}` names {number} programs, rated apart as {}; --by-name rates them as one",
            labels.unwrap_or_default()
        ));
    }
    notes
}

/// Warns of runs in which a bot isn't the program that it was.
fn changed(union: &Union) -> Vec<String> {
    let mut warnings = Vec::new();
    for ((run, earlier), bots) in union.changed() {
        let [run, earlier] = [run, earlier].map(|run| &union.sources[run].name);
        let have = if bots.len() == 1 { "has" } else { "have" };
        let bots: Vec<String> = bots.iter().map(|bot| format!("`{bot}`")).collect();
        let bots = bots.join(" and ");
        warnings.push(format!(
            "{run}: {bots} {have} another program or other arguments than in {earlier}"
        ));
    }
    warnings
}

fn anchor(text: &str) -> Result<(String, f64), String> {
    let (name, elo) = text.rsplit_once('=').unwrap_or_default();
    match within("a number", ELO)(elo.trim()) {
        Ok(elo) => Ok((name.to_owned(), elo)),
        Err(_) => Err("a name and a rating are needed, as in search=1500".to_owned()),
    }
}

/// Adds the titles of columns that the window has no room for to `out`.
fn text(rated: &RatedGame, has_level: bool, screen: &Screen, out: &mut Vec<String>) -> String {
    let game = &rated.game;
    let name = match game.game.as_str() {
        "" => "tables of counts",
        name => name,
    };
    let title = format!(
        "{name}: {}, {}{}",
        count(game.games, "game", "games"),
        count(game.units, "complete unit", "complete units"),
        seating(game)
    );
    let mut text = screen.paint(Tone::Strong, screen.prose(&title)) + "\n";
    let style = Style { has_level, ..STYLE };
    text += &table(game, style).pick(&COLUMNS).fitting(screen, out);
    if game.bots.len() > 2 && game.bots.len() <= WIDEST {
        text += "  score against each other:\n";
        let scores = crosstable(&game.bots, |bot, other| {
            rated.scores[bot][other].map(exact_percent).into()
        });
        text += &scores.fitting(screen, out);
    }
    text + &screen.prose(&indented(&notes(rated, has_level)))
}

/// Returns notes on the ratings of a game.
fn notes(rated: &RatedGame, has_level: bool) -> Vec<String> {
    let game = &rated.game;
    let mut notes = same_program_notes(game);
    notes.extend(looks(game, ""));
    if let Some(pair) = game.pair()
        && pair.met.by.claim() == Claim::NoVerdict
        && !game.same_moves
    {
        notes.push(format!("no verdict: {}", too_few(game.distinct_units)));
    }
    notes.extend(how_compared(game));
    if let Some(first) = &rated.first_advantage
        && first.by.elo.is_finite()
    {
        let places = decimals((first.by.hi95 - first.by.lo95) / 2.0);
        let ends = interval(first.by.interval(), places);
        let elo = signed(first.by.elo, places);
        let how = if first.fitted {
            "fitted with the ratings"
        } else {
            "from the scores of all first movers"
        };
        let looks = match first.by.holds {
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
    let is_match = game.pair().is_some() && !has_level;
    notes.extend(rating_notes(game, is_match, !rated.runs_share_seeds));
    notes
}
