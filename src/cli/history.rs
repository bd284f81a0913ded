//! `arena history`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;

use super::counts::signed;
use super::rate::{CUT, STOPPED};
use super::{Failure, print_either};
use crate::rate::{RatedField, Results, Scale};
use crate::report::screen::{Ink, Screen};
use crate::report::standings::{ANYTIME, INTERVAL, WATCHED};
use crate::report::table::{Cell, Kind, Rows};
use crate::report::words::{count, indented};
use crate::store::{GameRow, StoredRun, runs_in};

/// The columns that intervals are drawn in.
const WIDTH: usize = 32;

/// Draws the Elo of all versions of bots over many runs
///
/// DIR is a folder of run directories, such as results. All of their games are rated together, each once. Bots whose programs,
/// arguments or variables differ are different versions, also where they are called the same; the same version in several
/// runs links them. Games of a version against itself are left out.
#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    /// The folder of the runs
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "results")]
    folder: PathBuf,
    /// Write JSON; null stands for what is not finite or not known
    #[arg(long)]
    json: bool,
}

/// Versions of bots in one game, the oldest first.
#[derive(Serialize)]
struct History {
    game: String,
    seats: usize,
    runs: u64,
    /// Whether there are two versions whose interval is the one that holds at every look.
    anytime: bool,
    /// Versions in groups that results link; with more than one, Elo between them means little.
    groups: Vec<Vec<String>>,
    versions: Vec<Version>,
}

/// A bot as it was for a while.
#[derive(Clone, Debug, Serialize)]
struct Version {
    name: String,
    /// The first run that it played in.
    run: String,
    /// When that ended, in seconds since 1970 began in Greenwich.
    since: u64,
    elo: Option<f64>,
    lo95: Option<f64>,
    hi95: Option<f64>,
    games: u64,
}

pub(super) fn history(args: &HistoryArgs) -> Result<u8, Failure> {
    let (runs, damaged) = runs_in(&args.folder);
    for error in damaged {
        // A reader that has gone needs no warning.
        let _ = writeln!(io::stderr(), "warning: a run is left out: {:#}", anyhow::Error::from(error));
    }
    if runs.is_empty() {
        let folder = args.folder.display();
        return Err(Failure::input(anyhow!("find a run in {folder}: name a folder of run directories")));
    }
    let mut versions = Versions::default();
    let names: Vec<BTreeMap<String, String>> = runs.iter().map(|run| versions.of(run)).collect();
    let paths: Vec<&PathBuf> = runs.iter().map(|run| &run.path).collect();
    let named_by_version = |run: usize, row: &mut GameRow| name_by_version(row, &names[run]);
    let results = Results::read_versions(&paths, named_by_version).map_err(Failure::input)?;
    let fields = results.rate(&Scale::default()).map_err(Failure::input)?;
    let histories: Vec<History> = fields.iter().map(|field| of_field(field, &versions, runs.len() as u64)).collect();
    let notes = notes(&results, &runs, histories.iter().all(|history| history.anytime));
    print_either(args.json, &histories, || match &histories[..] {
        [] => "no games of different versions in these runs: nothing is known\n".to_owned(),
        histories => {
            let histories = histories.iter().map(text).collect::<Vec<_>>().join("\n");
            histories + &Screen::stdout().prose(&indented(&notes))
        }
    })
}

/// What was left out, and what limits the numbers; `runs` are the files of the results, and `anytime` says whether all intervals
/// hold at every look.
fn notes(results: &Results, runs: &[StoredRun], anytime: bool) -> Vec<String> {
    let mut notes: Vec<String> = results.cut().map(|run| format!("{}: {CUT}", runs[run].path.display())).collect();
    let some = |games: u64, why: &str| (games > 0).then(|| format!("{} {why}", count(games, "game", "games")));
    notes.extend(some(results.copies, "left out: the same game is there already"));
    notes.extend(some(results.left_out, "left out: a version against itself"));
    let watched = results.watched().count();
    notes.extend((watched > 0 && !anytime).then(|| format!("{STOPPED}: {watched} of these runs")));
    notes.extend((watched > 0 && anytime).then(|| WATCHED.to_owned()));
    notes
}

/// Calls the bots of a game by their versions, unless two of them are the same one: such a game says nothing.
fn name_by_version(row: &mut GameRow, names: &BTreeMap<String, String>) -> bool {
    let bots = |row: &GameRow| row.seats.iter().map(|seat| &seat.bot).collect::<BTreeSet<_>>().len();
    let different = bots(row);
    for seat in &mut row.seats {
        if let Some(name) = names.get(&seat.bot) {
            seat.bot.clone_from(name);
        }
    }
    bots(row) == different
}

/// All versions so far, in the order in which they came.
#[derive(Default)]
struct Versions {
    list: Vec<Version>,
    /// Their places in the list, by what they are made of.
    places: BTreeMap<String, usize>,
}

impl Versions {
    /// What the bots of a run are called here: a version keeps the name that it had first, with its run where another has
    /// that name.
    fn of(&mut self, run: &StoredRun) -> BTreeMap<String, String> {
        let folder = run.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let Versions { list, places } = self;
        // The candidate, which comes first in a plan, is the newest.
        let bots = run.plan.plan.bots.iter().zip(&run.plan.program).rev().map(|(bot, program)| {
            let place = *places.entry(program.made_of(&run.plan.plan)).or_insert_with(|| {
                let mut name = bot.name.clone();
                while list.iter().any(|version| version.name == name) {
                    name = format!("{name} ({folder})");
                }
                list.push(Version {
                    name,
                    run: folder.clone(),
                    since: run.time,
                    elo: None,
                    lo95: None,
                    hi95: None,
                    games: 0,
                });
                list.len() - 1
            });
            (bot.name.clone(), list[place].name.clone())
        });
        bots.collect()
    }
}

fn of_field(field: &RatedField, versions: &Versions, runs: u64) -> History {
    let rated = versions.list.iter().filter_map(|version| {
        let bot = field.bots.iter().find(|bot| bot.name == version.name)?;
        Some(Version { elo: bot.elo, lo95: bot.lo95, hi95: bot.hi95, games: bot.games, ..version.clone() })
    });
    History {
        game: field.game.clone(),
        seats: field.seats,
        runs,
        anytime: field.anytime,
        groups: field.groups.clone(),
        versions: rated.collect(),
    }
}

fn text(history: &History) -> String {
    let screen = Screen::stdout();
    let History { game, groups, versions, runs, anytime, .. } = history;
    let ends = versions.iter().flat_map(|version| [version.lo95, version.elo, version.hi95]).flatten();
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), elo| (low.min(elo), high.max(elo)));
    let interval = |version: &Version| {
        let (lo, hi) = version.lo95.zip(version.hi95)?;
        Some(format!("[{}, {}]", signed(lo, hi - lo), signed(hi, hi - lo)))
    };
    let table = Rows::new("History", versions)
        .shown(Kind::Name, "version", |version| &version.name)
        .shown(Kind::Text, "since", |version| date(version.since))
        .spare(1)
        .shown(Kind::Text, "run", |version| &version.run)
        .spare(2)
        .shown(Kind::Number, "Elo", |version| Cell::shown(version.elo, |elo| signed(elo, 10.0)))
        .shown(Kind::Number, if *anytime { ANYTIME } else { INTERVAL }, |version| {
            Cell::number(version.lo95, interval(version))
        })
        .shown(Kind::Number, "games", |version| version.games)
        .spare(3)
        .shown(Kind::Code, format!("{low:+.0} to {high:+.0}"), |version| drawn(version, low, high))
        .table();
    let [versions, runs] = [count(versions.len() as u64, "version", "versions"), count(*runs, "run", "runs")];
    let title = format!("{game}: {versions} in {runs}, the oldest first");
    let mut text = screen.paint(Ink::Strong, screen.prose(&title)) + "\n" + &table.text(&screen);
    if groups.len() > 1 {
        let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
        text +=
            &screen.prose(&format!("  not connected: {}; Elo between these groups means little\n", groups.join(" | ")));
    }
    text
}

/// An interval on the scale of all.
fn drawn(version: &Version, low: f64, high: f64) -> Option<String> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place in the scale, which saturates"
    )]
    let place = |elo: f64| ((elo - low) / (high - low).max(1.0) * (WIDTH - 1) as f64).round() as usize;
    let elo = place(version.elo?);
    let [lo, hi] = [version.lo95, version.hi95].map(|end| end.map_or(elo, place));
    let mark = |at: usize| match at {
        at if at == elo => '●',
        at if (lo..=hi).contains(&at) => '─',
        _ => ' ',
    };
    Some((0..WIDTH).map(mark).collect::<String>().trim_end().to_owned())
}

/// A day, as in 2026-11-22.
fn date(seconds: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    humantime::format_rfc3339_seconds(time).to_string().chars().take(10).collect()
}
