//! Tables of the workers of other machines: what each played, and how fast.

use super::screen::Screen;
use crate::section::Tone;
use crate::section::table::{Cell, Kind, Rows, Table};
use crate::section::words::duration;
use crate::standings::workers::{TimesThere, WorkerSummary};

/// A worker says every second that it is there; what is longer is told, in seconds.
const SILENCE: f64 = 3.0;

/// For how long nothing was heard of a worker, if that is long.
pub(super) fn silent(seconds: f64) -> Option<String> {
    (seconds >= SILENCE).then(|| duration(seconds))
}

/// Who played how much.
pub(super) fn table(workers: &[WorkerSummary]) -> Table {
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
    Cell {
        tone: if count > 0 { Tone::Bad } else { Tone::Plain },
        ..count.into()
    }
}

/// How fast each bot answers at each worker, those of a bot together.
pub(super) fn times(workers: &[WorkerSummary]) -> Table {
    let mut rows: Vec<(&str, &TimesThere)> = workers
        .iter()
        .flat_map(|worker| {
            worker
                .times
                .iter()
                .map(|times| (worker.name.as_str(), times))
        })
        .collect();
    rows.sort_by_key(|(_, there)| (&there.game, &there.bot));
    let ms = |ms: f64| Cell::shown(ms, |ms| format!("{ms:.2}"));
    Rows::new("Response times by worker", &rows)
        .shown(Kind::Name, "game", |(_, there)| &there.game)
        .shown(Kind::Text, "bot", |(_, there)| &there.bot)
        .shown(Kind::Text, "worker", |(worker, _)| *worker)
        .shown(Kind::Time, "p50", |(_, there)| ms(there.times.p50))
        .shown(Kind::Time, "p95", |(_, there)| ms(there.times.p95))
        .shown(Kind::Time, "p99", |(_, there)| ms(there.times.p99))
        .shown(Kind::Time, "max", |(_, there)| ms(there.times.max))
        .table()
}

/// All of it for a terminal; nothing where no worker played.
pub(crate) fn text(workers: &[WorkerSummary], screen: &Screen, with_times: bool) -> String {
    if workers.is_empty() {
        return String::new();
    }
    let mut text = screen.paint(Tone::Strong, "workers:") + "\n" + &table(workers).text(screen);
    if with_times {
        text += &times(workers).text(screen);
    }
    text + "\n"
}
