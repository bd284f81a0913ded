//! `arena history`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;

use super::rate::{CUT, STOPPED};
use super::{Failure, print_either, write_to};
use crate::exit;
use crate::rate::{RatedField, Results, Scale};
use crate::report::chart::{Series, intervals};
use crate::report::html::{self, Part};
use crate::report::screen::{Ink, Screen};
use crate::report::standings::{ANYTIME, INTERVAL, WATCHED};
use crate::report::table::{Cell, Kind, Rows, Table};
use crate::store::{GameRow, StoredRun, runs_in};
use crate::summary::Interval;
use crate::words::{count, decimals, indented, percent, signed};

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
    /// Write a page with the ladder, and against which opponents each version changed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
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
    /// What its runs call it.
    #[serde(skip)]
    bot: String,
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
        let _ = writeln!(
            io::stderr(),
            "warning: a run is left out: {:#}",
            anyhow::Error::from(error)
        );
    }
    if runs.is_empty() {
        let folder = args.folder.display();
        return Err(Failure::input(anyhow!(
            "find a run in {folder}: name a folder of run directories"
        )));
    }
    let mut versions = Versions::default();
    let names: Vec<BTreeMap<String, String>> = runs.iter().map(|run| versions.of(run)).collect();
    let paths: Vec<&PathBuf> = runs.iter().map(|run| &run.path).collect();
    let named_by_version = |run: usize, row: &mut GameRow| name_by_version(row, &names[run]);
    let results = Results::read_versions(&paths, named_by_version).map_err(Failure::input)?;
    let fields = results.rate(&Scale::default()).map_err(Failure::input)?;
    let histories: Vec<History> = fields
        .iter()
        .map(|field| of_field(field, &versions, runs.len() as u64))
        .collect();
    let notes = notes(
        &results,
        &runs,
        histories.iter().all(|history| history.anytime),
    );
    if let Some(path) = &args.html {
        let title = format!("versions in {}", args.folder.display());
        let parts: Vec<Part> = histories
            .iter()
            .zip(&fields)
            .map(|(history, field)| part(history, &results.met(field)))
            .collect();
        write_to(path, html::page_of("history", &title, &notes, &parts))?;
        // The page was all that was wanted on standard output.
        if path.as_os_str() == "-" {
            return Ok(exit::OK);
        }
    }
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
    let mut notes: Vec<String> = results
        .cut()
        .map(|run| format!("{}: {CUT}", runs[run].path.display()))
        .collect();
    let some = |games: u64, why: &str| {
        (games > 0).then(|| format!("{} {why}", count(games, "game", "games")))
    };
    notes.extend(some(
        results.copies,
        "left out: the same game is there already",
    ));
    notes.extend(some(results.left_out, "left out: a version against itself"));
    let watched = results.watched().count();
    notes.extend((watched > 0 && !anytime).then(|| format!("{STOPPED}: {watched} of these runs")));
    notes.extend((watched > 0 && anytime).then(|| WATCHED.to_owned()));
    notes
}

/// Calls the bots of a game by their versions, unless two of them are the same one: such a game says nothing.
fn name_by_version(row: &mut GameRow, names: &BTreeMap<String, String>) -> bool {
    let bots = |row: &GameRow| {
        row.seats
            .iter()
            .map(|seat| &seat.bot)
            .collect::<BTreeSet<_>>()
            .len()
    };
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
        let folder = run
            .path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let Versions { list, places } = self;
        // The candidate, which comes first in a plan, is the newest.
        let bots = run
            .plan
            .plan
            .bots
            .iter()
            .zip(&run.plan.program)
            .rev()
            .map(|(bot, program)| {
                let place = *places
                    .entry(program.made_of(&run.plan.plan))
                    .or_insert_with(|| {
                        let mut name = bot.name.clone();
                        while list.iter().any(|version| version.name == name) {
                            name = format!("{name} ({folder})");
                        }
                        list.push(Version {
                            name,
                            bot: bot.name.clone(),
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
        Some(Version {
            elo: bot.elo,
            lo95: bot.lo95,
            hi95: bot.hi95,
            games: bot.games,
            ..version.clone()
        })
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

/// The ladder of a game in a page; `met` are the scores of versions against each other.
fn part(history: &History, met: &BTreeMap<(String, String), Interval>) -> Part {
    let versions = &history.versions;
    let names: Vec<String> = versions
        .iter()
        .map(|version| version.name.clone())
        .collect();
    let values = versions
        .iter()
        .map(|version| Some([version.lo95?, version.elo?, version.hi95?]))
        .collect();
    let series = [Series {
        name: "Elo with its 95% interval, the oldest version first".to_owned(),
        values,
    }];
    let chart = intervals("Elo over the versions", &names, &series, &[0.0], |elo| {
        signed(elo, 1)
    });
    let changed = changes(versions, met);
    let told = Rows::new("Against which opponents it changed", &changed)
        .shown(Kind::Name, "version", |change| &change.version)
        .shown(Kind::Text, "before", |change| &change.before)
        .shown(Kind::Text, "against", |change| &change.against)
        .shown(Kind::Heat, "score before", |change| {
            Cell::shown(change.scores[0][1], percent)
        })
        .shown(Kind::Heat, "score", |change| {
            Cell::shown(change.scores[1][1], percent)
        })
        .shown(Kind::Number, "change", |change| {
            Cell::shown(change.by(), |by| format!("{:+.1}", 100.0 * by))
        })
        .shown(Kind::Number, "95% interval", |change| {
            let [lo, hi] = [change.by() - change.error(), change.by() + change.error()];
            Cell::number(
                Some(lo),
                format!("[{:+.1}, {:+.1}]", 100.0 * lo, 100.0 * hi),
            )
        })
        .table();
    let mut tables = vec![table(history)];
    tables.extend((!changed.is_empty()).then_some(told));
    Part {
        title: title(history),
        tables,
        chart: Some(chart),
        notes: unconnected(history).into_iter().collect(),
    }
}

/// How a version fared against an opponent that the one before met, too.
struct Change {
    version: String,
    before: String,
    against: String,
    /// Of both, the older first.
    scores: [Interval; 2],
}

impl Change {
    fn by(&self) -> f64 {
        self.scores[1][1] - self.scores[0][1]
    }

    /// Half of the 95% interval of that, from those of both.
    fn error(&self) -> f64 {
        let half = |[lo, _, hi]: Interval| (hi - lo) / 2.0;
        half(self.scores[0]).hypot(half(self.scores[1]))
    }
}

/// The changes from each version of a bot to the next, the largest of each first.
fn changes(versions: &[Version], met: &BTreeMap<(String, String), Interval>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (at, version) in versions.iter().enumerate() {
        let Some(before) = versions[..at]
            .iter()
            .rfind(|before| before.bot == version.bot)
        else {
            continue;
        };
        let against = versions.iter().filter_map(|opponent| {
            let score =
                |one: &Version| met.get(&(one.name.clone(), opponent.name.clone())).copied();
            Some(Change {
                version: version.name.clone(),
                before: before.name.clone(),
                against: opponent.name.clone(),
                scores: [score(before)?, score(version)?],
            })
        });
        let mut against: Vec<Change> = against.collect();
        against.sort_by(|one, other| other.by().abs().total_cmp(&one.by().abs()));
        changes.extend(against);
    }
    changes
}

fn text(history: &History) -> String {
    let screen = Screen::stdout();
    let mut text = screen.paint(Ink::Strong, screen.prose(&title(history)))
        + "\n"
        + &drawn_table(history).text(&screen);
    text.extend(unconnected(history).map(|note| screen.prose(&format!("  {note}\n"))));
    text
}

fn title(history: &History) -> String {
    let History {
        game,
        versions,
        runs,
        ..
    } = history;
    let [versions, runs] = [
        count(versions.len() as u64, "version", "versions"),
        count(*runs, "run", "runs"),
    ];
    format!("{game}: {versions} in {runs}, the oldest first")
}

/// Which versions no results link.
fn unconnected(history: &History) -> Option<String> {
    let groups: Vec<String> = history
        .groups
        .iter()
        .map(|group| group.join(", "))
        .collect();
    let told = || {
        format!(
            "not connected: {}; Elo between these groups means little",
            groups.join(" | ")
        )
    };
    (groups.len() > 1).then(told)
}

/// The versions with their intervals drawn in characters.
fn drawn_table(history: &History) -> Table {
    let versions = &history.versions;
    let ends = versions
        .iter()
        .flat_map(|version| [version.lo95, version.elo, version.hi95])
        .flatten();
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), elo| {
        (low.min(elo), high.max(elo))
    });
    let drawn = |version: &Version| drawn(version, low, high);
    let drawing = Rows::new("", versions)
        .shown(Kind::Code, format!("{low:+.0} to {high:+.0}"), drawn)
        .table();
    let mut table = table(history);
    table.columns.extend(drawing.columns);
    table
}

fn table(history: &History) -> Table {
    let interval = |version: &Version| {
        let (lo, hi) = version.lo95.zip(version.hi95)?;
        Some(format!(
            "[{}, {}]",
            signed(lo, decimals(hi - lo)),
            signed(hi, decimals(hi - lo))
        ))
    };
    Rows::new("History", &history.versions)
        .shown(Kind::Name, "version", |version| &version.name)
        .shown(Kind::Text, "since", |version| date(version.since))
        .spare(1)
        .shown(Kind::Text, "run", |version| &version.run)
        .spare(2)
        .shown(Kind::Number, "Elo", |version| {
            Cell::shown(version.elo, |elo| signed(elo, 1))
        })
        .shown(
            Kind::Number,
            if history.anytime { ANYTIME } else { INTERVAL },
            |version| Cell::number(version.lo95, interval(version)),
        )
        .shown(Kind::Number, "games", |version| version.games)
        .spare(3)
        .table()
}

/// An interval on the scale of all.
fn drawn(version: &Version, low: f64, high: f64) -> Option<String> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place in the scale, which saturates"
    )]
    let place =
        |elo: f64| ((elo - low) / (high - low).max(1.0) * (WIDTH - 1) as f64).round() as usize;
    let elo = place(version.elo?);
    let [lo, hi] = [version.lo95, version.hi95].map(|end| end.map_or(elo, place));
    let mark = |at: usize| match at {
        at if at == elo => '●',
        at if (lo..=hi).contains(&at) => '─',
        _ => ' ',
    };
    Some(
        (0..WIDTH)
            .map(mark)
            .collect::<String>()
            .trim_end()
            .to_owned(),
    )
}

/// A day, as in 2026-11-22.
fn date(seconds: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    humantime::format_rfc3339_seconds(time)
        .to_string()
        .chars()
        .take(10)
        .collect()
}
