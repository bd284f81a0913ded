//! The messages between a coordinator and its workers, as JSON. Jobs, units and answers are packed
//! with gzip.
//!
//! | subject | sender | content |
//! |---|---|---|
//! | `arena.sessions` | coordinator, twice a second | [`Announcement`] |
//! | `arena.job.SESSION` | worker asks, coordinator answers | [`Job`] |
//! | `arena.beat.SESSION` | worker, each second | [`Heartbeat`] |
//! | `arena.work.SESSION` | coordinator, to the queue `arena-work` | the [tasks](Task) of a unit |
//! | `arena.done.SESSION` | worker; the coordinator confirms | [`Answer`] |
//! | `arena.order.SESSION` | coordinator | [`Order`] |

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files::File;

/// The size limit of an unpacked message, in bytes.
const UNPACKED: u64 = 512 << 20;

/// The subject of [`Announcement`].
pub(crate) const SESSIONS: &str = "arena.sessions";
/// The stream of the work queue.
pub(crate) const QUEUE: &str = "arena-work";
/// The subjects that the stream stores.
pub(crate) const QUEUED: &str = "arena.work.*";
/// The bucket of files.
pub(crate) const BUCKET: &str = "arena-programs";

/// Returns the subject of a kind of message of a session.
pub(crate) fn subject(kind: &str, session: &str) -> String {
    format!("arena.{kind}.{session}")
}

/// Returns a random id for a session or a worker.
pub(crate) fn random_id() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Announces a session: a job with its coordinator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Announcement {
    /// The program of the coordinator, see [`Job::program`].
    pub(crate) program: String,
    /// The id of the session.
    pub(crate) session: String,
    /// The name of the job.
    pub(crate) name: String,
    /// How many of its tasks workers play at the same time.
    pub(crate) jobs: usize,
}

/// What to play, and the files for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name for people.
    pub name: String,
    /// The program that plays it, with its version. Only workers with the same program take part.
    pub program: String,
    /// The input of [`Player::prepare`](crate::Player::prepare).
    pub description: String,
    /// The files that workers need.
    pub files: Vec<File>,
    /// The coordinator's current folder, as an absolute path. A worker plays in the folder that
    /// corresponds to it.
    pub folder: PathBuf,
}

/// Shows that a worker is alive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heartbeat {
    /// The id of the worker. No other worker has it.
    pub(crate) worker: String,
    /// The name for people.
    pub(crate) name: String,
    /// How many tasks it plays at the same time.
    pub(crate) jobs: usize,
    pub(crate) state: State,
}

/// The state of a worker in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It fetches files and prepares.
    Preparing,
    /// The worker plays.
    Playing,
    /// It can't play for this session.
    Unfit { why: String },
    /// It finishes its current tasks, and leaves.
    Leaving,
}

/// One piece of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Identifies it within the job.
    pub number: u64,
    /// The unit that it belongs to. One worker plays all tasks of a unit, unless something fails.
    pub unit: u64,
    /// How many tasks the unit has. Add them one after the other; some may be missing.
    pub unit_size: usize,
    /// The input of [`Player::play`](crate::Player::play).
    pub text: String,
}

/// The answer to a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The worker: its id in a message, its name in
    /// [`Coordinator::poll`](crate::Coordinator::poll).
    pub worker: String,
    /// The number of the task.
    pub number: u64,
    /// Its result, or why there is none.
    pub outcome: Outcome,
}

/// The result of a task, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The worker played it, with this result.
    Played(String),
    /// The worker didn't finish it, because it was cancelled or because the worker leaves.
    GivenBack,
    /// The worker couldn't play it, for this reason.
    Failed(String),
}

/// A command for the workers of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// Don't begin these tasks: they were cancelled.
    Skip(Vec<u64>),
    /// Begin no task.
    Drain,
    /// Stop everything: the session is over.
    End,
    /// One worker stops everything, and doesn't come back.
    Dismiss { worker: String, why: String },
}

/// Packs a value into a message.
pub(crate) fn packed(value: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&serde_json::to_vec(value)?)?;
    Ok(encoder.finish()?)
}

/// Reads a value from a message.
pub(crate) fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
    let mut text = Vec::new();
    GzDecoder::new(bytes)
        .take(UNPACKED)
        .read_to_end(&mut text)
        .context("can't unpack it")?;
    serde_json::from_slice(&text).context("can't read it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbage_is_an_error() {
        let answer = Answer {
            worker: "w".into(),
            number: 1,
            outcome: Outcome::Played("\u{1}ä\u{10ffff}".into()),
        };
        let bytes = packed(&answer).unwrap();
        assert_eq!(unpacked::<Answer>(&bytes).unwrap(), answer);
        for garbage in [&b""[..], b"{}", &bytes[..bytes.len() / 2]] {
            assert!(unpacked::<Answer>(garbage).is_err());
        }
    }
}
