//! Workers of other machines: what each played, and how fast bots answered there.

use std::collections::BTreeMap;

use serde::Serialize;

use super::tables::with_quantiles;
use super::times::{TimeSummary, Times};
use crate::play::record::Record;
use crate::store::{GameRow, RemoteWorker};
use arena_games::Fate;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::duration;
use arena_section::{Detail, Part, Section, Tone};

/// The games of each worker of other machines. Stays empty if none played.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkerTally(BTreeMap<String, WorkerCounts>);

#[derive(Clone, Debug, Default)]
struct WorkerCounts {
    /// The worker without its response times.
    summary: WorkerSummary,
    /// Response times by game and bot, without first turns.
    times: BTreeMap<(String, String), Times>,
}

/// A worker of other machines that played.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct WorkerSummary {
    pub(crate) name: String,
    /// The number of games that it played at the same time in the last session, if known.
    pub(crate) jobs: Option<usize>,
    /// The games that it played each second in the last session, if known.
    pub(crate) games_per_second: Option<f64>,
    /// The seconds since its last message.
    pub(crate) silent: Option<f64>,
    pub(crate) games: u64,
    /// Seats whose bot failed.
    pub(crate) faults: u64,
    /// Answers after the limit that counted, because the machine was busy with something else.
    pub(crate) host_late: u64,
    /// Response times of bots there, without first turns.
    pub(crate) times: Vec<WorkerTimes>,
}

/// The response times of a bot at a worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WorkerTimes {
    pub(crate) game: String,
    pub(crate) bot: String,
    #[serde(flatten)]
    pub(crate) times: TimeSummary,
}

impl WorkerTally {
    /// Counts a game.
    pub(super) fn add(&mut self, row: &GameRow, record: &Record) {
        let Some(name) = &record.worker else { return };
        let WorkerCounts { summary, times } = self.0.entry(name.clone()).or_default();
        summary.name.clone_from(name);
        summary.games += 1;
        let failed = row.seats.iter().filter(|seat| seat.fate != Fate::Ok);
        summary.faults += failed.count() as u64;
        summary.host_late += record.host_late.len() as u64;
        for (at, seat) in row.seats.iter().enumerate() {
            for ms in record.times(at).skip(1) {
                let key = (row.game.clone(), seat.bot.clone());
                times.entry(key).or_default().add(ms);
            }
        }
    }

    /// The workers by name.
    pub(super) fn summaries(&self) -> Vec<WorkerSummary> {
        let mut workers = Vec::new();
        for WorkerCounts { summary, times } in self.0.values() {
            let mut worker = summary.clone();
            for ((game, bot), seen) in times {
                worker
                    .times
                    .extend(seen.summary(false).map(|times| WorkerTimes {
                        game: game.clone(),
                        bot: bot.clone(),
                        times,
                    }));
            }
            workers.push(worker);
        }
        workers
    }
}

impl WorkerSummary {
    /// Adds what the main machine saw of it.
    pub(crate) fn update(&mut self, seen: &[RemoteWorker]) {
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
    let parts = vec![Part::new("", table(workers)), times];
    Some(Section::new("workers", "Workers", Vec::new(), parts))
}

/// The least silence to report, in seconds. Workers send a message every second.
const SILENCE: f64 = 3.0;

/// The time without a message from a worker, if it is long.
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
    let mut rows: Vec<(&str, &WorkerTimes)> = Vec::new();
    for worker in workers {
        rows.extend(worker.times.iter().map(|times| (&*worker.name, times)));
    }
    rows.sort_by_key(|(_, there)| (&there.game, &there.bot));
    let rows = Rows::new("Response times by worker", &rows)
        .shown(Kind::Name, "game", |(_, there)| &there.game)
        .shown(Kind::Text, "bot", |(_, there)| &there.bot)
        .shown(Kind::Text, "worker", |(worker, _)| *worker);
    with_quantiles(rows, |(_, there)| Some(there.times)).table()
}
