//! Workers of other machines: what each played, and how fast bots answered there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::times::{TimeSummary, Times};
use crate::play::record::Record;
use crate::section::table::{Cell, Kind, Rows, Table};
use crate::section::words::{duration, two_decimals};
use crate::section::{Detail, Part, Section, Tone};
use crate::store::{GameRow, RemoteWorker};
use arena_games::Fate;

/// The games of one game, by worker. Stays empty if no worker played.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkerTally {
    workers: BTreeMap<String, OfWorker>,
}

#[derive(Clone, Debug, Default)]
struct OfWorker {
    games: u64,
    faults: u64,
    host_late: u64,
    /// By bot, without first turns.
    times: BTreeMap<usize, Times>,
}

/// A worker of other machines that played.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct WorkerSummary {
    pub(crate) name: String,
    /// The games that it played at the same time, and how many a second, in the last session; `None` if that is not known.
    pub(crate) jobs: Option<usize>,
    pub(crate) games_per_second: Option<f64>,
    /// For how many seconds nothing was heard of it.
    pub(crate) silent: Option<f64>,
    pub(crate) games: u64,
    /// Seats in which bots failed.
    pub(crate) faults: u64,
    /// Answers that came after the limit because the machine was busy with something else, and counted.
    pub(crate) host_late: u64,
    /// Response times of bots there, without first turns.
    pub(crate) times: Vec<TimesThere>,
}

/// How fast a bot answers at a worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TimesThere {
    pub(crate) game: String,
    pub(crate) bot: String,
    #[serde(flatten)]
    pub(crate) times: TimeSummary,
}

impl WorkerTally {
    /// Adds a game between these bots.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record, bots: &[usize]) {
        let Some(name) = &record.worker else { return };
        let worker = self.workers.entry(name.clone()).or_default();
        worker.games += 1;
        worker.faults += row
            .seats
            .iter()
            .filter(|seat| seat.fate != Fate::Ok)
            .count() as u64;
        worker.host_late += record.host_late.len() as u64;
        let mut asked = BTreeSet::new();
        for (step, &ms) in record.steps.iter().zip(&record.ms) {
            let is_first = asked.insert(step.player);
            if let Some(&bot) = bots.get(step.player)
                && !is_first
            {
                worker.times.entry(bot).or_default().add(ms);
            }
        }
    }
}

impl WorkerSummary {
    /// All who played, of tallies with the names of their games and bots.
    pub(super) fn all<'a>(
        tallies: impl Iterator<Item = (&'a WorkerTally, &'a str, Vec<&'a str>)>,
    ) -> Vec<WorkerSummary> {
        let mut workers: BTreeMap<&String, WorkerSummary> = BTreeMap::new();
        for (tally, game, bots) in tallies {
            for (name, seen) in &tally.workers {
                let worker = workers.entry(name).or_default();
                worker.name.clone_from(name);
                worker.add(seen, game, &bots);
            }
        }
        workers.into_values().collect()
    }

    /// Adds what it did in a game, whose bots have these names.
    fn add(&mut self, seen: &OfWorker, game: &str, bots: &[&str]) {
        self.games += seen.games;
        self.faults += seen.faults;
        self.host_late += seen.host_late;
        for (&bot, times) in &seen.times {
            if let (Some(&bot), Some(times)) = (bots.get(bot), times.summary()) {
                self.times.push(TimesThere {
                    game: game.to_owned(),
                    bot: bot.to_owned(),
                    times,
                });
            }
        }
    }

    /// Takes what the arena saw of it.
    pub(crate) fn see(&mut self, seen: &[RemoteWorker]) {
        if let Some(seen) = seen.iter().find(|seen| seen.name == self.name) {
            self.jobs = Some(seen.jobs);
            self.games_per_second = Some(seen.games_per_second);
            self.silent = Some(seen.silent);
        }
    }
}

/// The workers of a run, if any played.
pub(crate) fn section(workers: &[WorkerSummary]) -> Option<Section> {
    if workers.is_empty() {
        return None;
    }
    let times = Part {
        explanation: "In milliseconds, without first turns.".to_owned(),
        detail: Detail::Full,
        ..Part::new("Response times by worker", times(workers))
    };
    Some(Section {
        id: "workers".to_owned(),
        title: "Workers".to_owned(),
        lead: Vec::new(),
        parts: vec![Part::new("", table(workers)), times],
    })
}

/// The seconds without a message after which a worker is called silent. Workers send one every second.
const SILENCE: f64 = 3.0;

/// How long nothing was heard of a worker, if that is long.
pub(crate) fn silent(seconds: f64) -> Option<String> {
    (seconds >= SILENCE).then(|| duration(seconds))
}

/// How much each worker played.
fn table(workers: &[WorkerSummary]) -> Table {
    Rows::new("Workers", workers)
        .shown(Kind::Name, "worker", |worker| &worker.name)
        .shown(Kind::Number, "jobs", |worker| worker.jobs)
        .shown(Kind::Number, "games", |worker| worker.games)
        .shown(Kind::Number, "games/s", |worker| Cell::shown(worker.games_per_second, |rate| format!("{rate:.1}")))
        .note("In the last session")
        .shown(Kind::Number, "faults", |worker| bad(worker.faults))
        .shown(Kind::Number, "late", |worker| bad(worker.host_late))
        .note("Answers after the limit that counted, because the machine was busy with something else")
        .shown(Kind::Number, "silent", |worker| Cell::number(worker.silent, worker.silent.and_then(silent)))
        .note("How long nothing had been heard of it when that was written last")
        .table()
}

fn bad(count: u64) -> Cell {
    Cell::toned(if count > 0 { Tone::Bad } else { Tone::Plain }, count)
}

/// How fast each bot answers at each worker, sorted by bot.
fn times(workers: &[WorkerSummary]) -> Table {
    let mut rows: Vec<(&str, &TimesThere)> = Vec::new();
    for worker in workers {
        rows.extend(worker.times.iter().map(|times| (&*worker.name, times)));
    }
    rows.sort_by_key(|(_, there)| (&there.game, &there.bot));
    Rows::new("Response times by worker", &rows)
        .shown(Kind::Name, "game", |(_, there)| &there.game)
        .shown(Kind::Text, "bot", |(_, there)| &there.bot)
        .shown(Kind::Text, "worker", |(worker, _)| *worker)
        .shown(Kind::Time, "p50", |(_, there)| {
            Cell::shown(there.times.p50, two_decimals)
        })
        .shown(Kind::Time, "p95", |(_, there)| {
            Cell::shown(there.times.p95, two_decimals)
        })
        .shown(Kind::Time, "p99", |(_, there)| {
            Cell::shown(there.times.p99, two_decimals)
        })
        .shown(Kind::Time, "max", |(_, there)| {
            Cell::shown(there.times.max, two_decimals)
        })
        .table()
}
