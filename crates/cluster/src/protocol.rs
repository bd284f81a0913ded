//! The messages between a coordinator and its workers: JSON, packed with gzip where it is long.
//!
//! | subject | who speaks | what |
//! |---|---|---|
//! | `arena.sessions` | coordinator, twice a second | [`Greeting`] |
//! | `arena.job.SESSION` | worker asks, coordinator answers | [`Job`] |
//! | `arena.beat.SESSION` | worker, each second; `arena.beat.idle` without a session | [`Beat`] |
//! | `arena.work.SESSION` | coordinator, into the work queue `arena-work` | [`Batch`] |
//! | `arena.done.SESSION` | worker; the coordinator confirms | [`Answers`] |
//! | `arena.order.SESSION` | coordinator | [`Order`] |

use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files::File;

/// The version of these messages. Workers of another version stay out.
const PROTOCOL: u32 = 1;
/// The most bytes that a message may unpack to.
const UNPACKED: u64 = 512 << 20;

/// The subject of [`Greeting`].
pub(crate) const SESSIONS: &str = "arena.sessions";
/// The stream of the work queue.
pub(crate) const QUEUE: &str = "arena-work";
/// The subjects that the stream takes.
pub(crate) const QUEUED: &str = "arena.work.*";
/// The bucket of files.
pub(crate) const BUCKET: &str = "arena-programs";
/// Takes the place of the session in the subject of [`Beat`] if a worker has none.
pub(crate) const IDLE: &str = "idle";

/// Returns the subject of a kind of message of a session.
pub(crate) fn subject(kind: &str, session: &str) -> String {
    format!("arena.{kind}.{session}")
}

/// What must be the same at both ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    protocol: u32,
    program: String,
}

impl Version {
    /// The version of this crate in a program.
    pub(crate) fn of(program: &str) -> Version {
        Version {
            protocol: PROTOCOL,
            program: program.to_owned(),
        }
    }

    /// Returns why a worker of this version cannot play for a coordinator of another one.
    pub(crate) fn problem(&self, coordinator: &Version) -> Option<String> {
        if self == coordinator {
            return None;
        }
        let [worker, run] = [self, coordinator]
            .map(|Version { program, protocol }| format!("{program} (protocol {protocol})"));
        Some(format!(
            "the worker is {worker}, the run is played by {run}: use the same version"
        ))
    }
}

/// Announces a session, which is a job in the hands of a coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Greeting {
    pub(crate) session: String,
    /// The name of the job.
    pub(crate) run: String,
    /// How many tasks workers play for it at the same time.
    pub(crate) jobs: usize,
}

/// A message with the version of its sender. Read the rest only if that is your own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Versioned<T> {
    pub(crate) version: Version,
    #[serde(flatten)]
    pub(crate) rest: T,
}

/// What is to be played, and the files for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What people call it.
    pub name: String,
    /// The program that plays it, with its version: only workers with the same one take part.
    pub program: String,
    /// What [`Player::prepare`](crate::Player::prepare) needs to know.
    #[serde(with = "text")]
    pub description: Vec<u8>,
    /// The files that workers need.
    pub files: Vec<File>,
    /// The coordinator's current folder, as an absolute path. A worker plays in the folder that corresponds to it.
    pub folder: PathBuf,
}

/// A worker is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Beat {
    /// Its id, which no other worker has.
    pub(crate) worker: String,
    /// What people call it.
    pub(crate) name: String,
    /// How many tasks it plays at the same time.
    pub(crate) jobs: usize,
    pub(crate) cores: usize,
    pub(crate) state: State,
    /// How many tasks it has played since it was started.
    pub(crate) games: u64,
}

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It waits for a session.
    Idle,
    /// It fetches files and prepares.
    Preparing,
    Playing(Fitness),
    /// It cannot play for this session.
    Unfit {
        why: String,
    },
    /// It finishes what it has begun, and leaves.
    Leaving,
}

/// How a worker plays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fitness {
    /// Describes it for people, in a few words.
    pub setup: String,
    /// What is odd but hinders nothing; sentences without a full stop.
    pub remarks: Vec<String>,
}

/// One piece of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Identifies it within the job.
    pub number: u64,
    /// The unit that it belongs to. One worker plays all tasks of a unit, if nothing fails.
    pub unit: u64,
    /// How many tasks the unit has. They are added one after the other; some may be missing.
    pub unit_size: usize,
    /// What [`Player::play`](crate::Player::play) needs to know.
    #[serde(with = "text")]
    pub bytes: Vec<u8>,
}

/// Tasks of whole units for one worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Batch {
    pub(crate) number: u64,
    pub(crate) tasks: Vec<Task>,
}

/// What became of tasks at a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answers {
    /// The id of the worker.
    pub(crate) worker: String,
    pub(crate) tasks: Vec<Answered>,
}

/// What became of a task.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answered {
    pub(crate) number: u64,
    /// How long it took.
    pub(crate) seconds: f64,
    pub(crate) outcome: Outcome,
}

/// What became of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was played, and this is the answer.
    Played(#[serde(with = "text")] Vec<u8>),
    /// Nobody wanted it any more, or the worker had to leave.
    GivenBack,
    /// It could not be played, for this reason.
    Failed(String),
}

/// What a coordinator tells the workers of its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// Begin none of these tasks: they are not wanted any more.
    Skip(Vec<u64>),
    /// Begin nothing more.
    Drain,
    /// Stop everything: the session is over.
    End,
    /// One worker is to stop everything.
    Dismiss { worker: String, why: String },
}

/// Bytes as a string in which each character stands for one byte, so that a task in JSON stays readable, and packs well.
mod text {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = bytes.iter().copied().map(char::from).collect();
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
        bytes.map_err(|_| D::Error::custom("a character does not stand for a byte"))
    }
}

/// Returns a value as it is sent.
pub(crate) fn packed(value: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&serde_json::to_vec(value)?)?;
    Ok(encoder.finish()?)
}

/// Reads a value that was sent.
pub(crate) fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> anyhow::Result<T> {
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
    fn the_version_of_a_message_can_be_read_when_the_rest_cannot() {
        let greeting = Greeting {
            session: "s".into(),
            run: "r".into(),
            jobs: 2,
        };
        let own = Version::of("squares 1.0");
        let sent = serde_json::to_value(Versioned {
            version: own.clone(),
            rest: greeting.clone(),
        });
        let sent = sent.unwrap();
        let read: Versioned<Greeting> = serde_json::from_value(sent.clone()).unwrap();
        assert_eq!((own.problem(&read.version), read.rest), (None, greeting));
        let mut other = sent;
        other["version"]["protocol"] = 2.into();
        other["jobs"] = "in other words".into();
        let read: Versioned<serde_json::Value> = serde_json::from_value(other).unwrap();
        assert_eq!(
            own.problem(&read.version).unwrap(),
            "the worker is squares 1.0 (protocol 1), the run is played by squares 1.0 (protocol 2): use the same version"
        );
    }

    #[test]
    fn any_bytes_can_be_sent() {
        let bytes: Vec<u8> = (0..=255).collect();
        let task = Task {
            number: 1,
            unit: 1,
            unit_size: 1,
            bytes: bytes.clone(),
        };
        let sent: Task = unpacked(&packed(&task).unwrap()).unwrap();
        assert_eq!(sent.bytes, bytes);
        let outcome = Outcome::Played(bytes);
        assert_eq!(
            unpacked::<Outcome>(&packed(&outcome).unwrap()).unwrap(),
            outcome
        );
        assert!(serde_json::from_str::<Outcome>("{\"played\":\"\u{100}\"}").is_err());
    }

    #[test]
    fn garbage_is_an_error() {
        let batch = Batch {
            number: 1,
            tasks: Vec::new(),
        };
        let bytes = packed(&batch).unwrap();
        assert_eq!(unpacked::<Batch>(&bytes).unwrap(), batch);
        for garbage in [&b""[..], b"{}", &bytes[..bytes.len() / 2]] {
            assert!(unpacked::<Batch>(garbage).is_err());
        }
    }
}
