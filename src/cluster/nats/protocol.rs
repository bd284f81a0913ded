//! What an arena and its workers say to each other: JSON, and gzip where it is long.
//!
//! | subject | who speaks | what |
//! |---|---|---|
//! | `arena.sessions` | arena, each second | [`Greeting`] |
//! | `arena.spec.SESSION` | worker asks, arena answers | [`Spec`] |
//! | `arena.beat.SESSION` | worker, each second; `arena.beat.idle` without a session | [`Beat`] |
//! | `arena.work.SESSION` | arena, into the work queue `arena-work` | [`Batch`] |
//! | `arena.done.SESSION` | worker, and the arena says that it has it | [`Answers`] |
//! | `arena.order.SESSION` | arena | [`Order`] |

use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::plan::schedule::Fixture;
use crate::samples;
use crate::worker::{Outcome, Started};

/// The version of all this. Others stay out.
const PROTOCOL: u32 = 1;
/// What a message may grow to when it is unpacked.
const UNPACKED: u64 = 512 << 20;

/// The subject of [`Greeting`].
pub(super) const SESSIONS: &str = "arena.sessions";
/// The work queue, a stream, and the subjects that it takes.
pub(super) const QUEUE: &str = "arena-work";
pub(super) const QUEUED: &str = "arena.work.*";
/// The bucket of programs.
pub(super) const PROGRAMS: &str = "arena-programs";
/// In the place of a session in the subject of [`Beat`], where a worker has none.
pub(super) const IDLE: &str = "idle";

/// The subject of a kind of message of a session.
pub(super) fn subject(kind: &str, session: &str) -> String {
    format!("arena.{kind}.{session}")
}

/// What must be the same at both ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Version {
    protocol: u32,
    arena: String,
    samples: String,
}

impl Version {
    /// That of this program.
    pub(super) fn own() -> Version {
        let (_, samples) = samples::identity();
        Version {
            protocol: PROTOCOL,
            arena: env!("CARGO_PKG_VERSION").to_owned(),
            samples,
        }
    }

    /// Why this program cannot work with one that has it.
    pub(super) fn problem(&self) -> Option<String> {
        let own = Version::own();
        let text = |version: &Version| {
            format!(
                "{} (protocol {}, sample bots {})",
                version.arena, version.protocol, version.samples
            )
        };
        (*self != own).then(|| {
            format!(
                "the worker is arena {}, the run is played by arena {}: use the same version",
                text(&own),
                text(self)
            )
        })
    }
}

/// A session is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) session: String,
    /// The name of the run.
    pub(super) run: String,
    /// The games that are played for it at the same time.
    pub(super) jobs: usize,
}

/// A message with the version of who speaks. The rest is read only where that is the own one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Versioned<T> {
    pub(super) version: Version,
    #[serde(flatten)]
    pub(super) rest: T,
}

impl<T> Versioned<T> {
    pub(super) fn of(rest: T) -> Versioned<T> {
        Versioned {
            version: Version::own(),
            rest,
        }
    }
}

/// How games are played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Spec {
    pub(super) plan: Plan,
    /// The bots and referees as the arena would start them.
    pub(super) started: Started,
    pub(super) goods: Vec<Item>,
    /// The folder from which paths that begin with no slash start.
    pub(super) folder: PathBuf,
}

/// A file that bots or referees need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Item {
    /// Where it is at the arena, from the root on.
    pub(super) path: PathBuf,
    /// Its SHA-256, in hexadecimal.
    pub(super) digest: String,
    /// Whether it is part of the system, which every worker must have itself.
    pub(super) of_system: bool,
}

/// A worker is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Beat {
    /// Tells it from all others.
    pub(super) worker: String,
    /// What people call it.
    pub(super) name: String,
    /// The games that it plays at the same time.
    pub(super) jobs: usize,
    pub(super) cores: usize,
    pub(super) state: State,
    /// Games since it was started.
    pub(super) games: u64,
}

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// It waits for a session.
    Idle,
    /// It fetches programs and tries whether they start.
    Preparing,
    /// It plays.
    Playing {
        /// The features of its sandbox.
        sandbox: String,
        /// What is odd, but hinders nothing.
        remarks: Vec<String>,
    },
    /// It cannot play for this session.
    Unfit { why: String },
    /// It plays what it has begun, and then goes.
    Leaving,
}

/// Units to be played, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Batch {
    pub(super) number: u64,
    pub(super) fixtures: Vec<Fixture>,
}

/// What became of games.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answers {
    /// The id of the worker.
    pub(super) worker: String,
    pub(super) games: Vec<Answered>,
}

/// What became of a game.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answered {
    /// Its number in the run.
    pub(super) number: u64,
    /// How long it took, in seconds.
    pub(super) seconds: f64,
    pub(super) outcome: Outcome,
}

/// What the workers of a session are to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    /// Not to begin these games: nobody wants them any more.
    Skip(Vec<u64>),
    /// To begin no more games.
    Drain,
    /// To end everything: the session is over.
    End,
    /// The same, for one of them.
    Dismiss { worker: String, why: String },
}

/// A value as it is sent.
pub(super) fn packed(value: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&serde_json::to_vec(value)?)?;
    Ok(encoder.finish()?)
}

/// A value that was sent.
pub(super) fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
    let mut text = Vec::new();
    GzDecoder::new(bytes)
        .take(UNPACKED)
        .read_to_end(&mut text)
        .context("unpack it")?;
    serde_json::from_slice(&text).context("read it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_another_version_is_known_by_it() {
        let greeting = Greeting {
            session: "s".into(),
            run: "r".into(),
            jobs: 2,
        };
        let sent = serde_json::to_value(Versioned::of(greeting.clone())).unwrap();
        let read: Versioned<Greeting> = serde_json::from_value(sent.clone()).unwrap();
        assert_eq!((read.version.problem(), read.rest), (None, greeting));
        let mut other = sent;
        other["version"]["protocol"] = 2.into();
        other["jobs"] = "in other words".into();
        let read: Versioned<serde_json::Value> = serde_json::from_value(other).unwrap();
        let problem = read.version.problem().unwrap();
        assert!(
            problem.contains("protocol 2") && problem.ends_with("use the same version"),
            "{problem}"
        );
    }

    #[test]
    fn what_is_no_message_is_told() {
        let batch = Batch {
            number: 1,
            fixtures: Vec::new(),
        };
        let bytes = packed(&batch).unwrap();
        assert_eq!(unpacked::<Batch>(&bytes).unwrap(), batch);
        for garbage in [&b""[..], b"{}", &bytes[..bytes.len() / 2]] {
            assert!(unpacked::<Batch>(garbage).is_err());
        }
    }
}
