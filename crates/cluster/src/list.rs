//! Lists the workers at a server and the runs that they play for.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::runtime;
use tokio::time::timeout;

use crate::protocol::{Announcement, Heartbeat, SESSIONS, State, subject};
use crate::{Access, Tell};

/// How long to listen. Every run and every worker sends a message within this time.
const LISTEN: Duration = Duration::from_millis(2500);

/// The runs and workers at a server.
#[derive(Debug, Default, Serialize)]
pub struct List {
    /// The runs, by session.
    pub runs: Vec<Announcement>,
    /// The workers, by name.
    pub workers: Vec<ListedWorker>,
}

/// A worker at a server.
#[derive(Debug, Serialize)]
pub struct ListedWorker {
    /// The name for people.
    pub name: String,
    /// How many tasks it plays at the same time.
    pub jobs: usize,
    /// How many cores its machine has.
    pub cores: usize,
    /// How many tasks it has played since it started.
    pub games: u64,
    /// What it does, for people.
    pub state: String,
}

/// The messages so far.
#[derive(Default)]
struct Seen {
    /// By session.
    runs: BTreeMap<String, Announcement>,
    /// By name and id.
    workers: BTreeMap<(String, String), ListedWorker>,
}

/// Listens for two and a half seconds.
///
/// # Errors
/// If the server can't be used.
pub fn list(access: &Access, tell: Tell) -> anyhow::Result<List> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("can't start a runtime")?;
    let mut seen = Seen::default();
    runtime.block_on(async {
        let client = access.connect(tell).await?;
        let mut announcements = client.subscribe(SESSIONS).await?;
        let mut beats = client.subscribe(subject("beat", "*")).await?;
        let listen = async {
            loop {
                tokio::select! {
                    Some(message) = announcements.next() => seen.add_run(&message.payload),
                    Some(message) = beats.next() => seen.add_worker(&message.subject, &message.payload),
                    else => break,
                }
            }
        };
        let _ = timeout(LISTEN, listen).await;
        anyhow::Ok(())
    })?;
    Ok(List {
        runs: seen.runs.into_values().collect(),
        workers: seen.workers.into_values().collect(),
    })
}

impl Seen {
    fn add_run(&mut self, payload: &[u8]) {
        if let Ok(run) = serde_json::from_slice::<Announcement>(payload) {
            self.runs.insert(run.session.clone(), run);
        }
    }

    fn add_worker(&mut self, subject: &str, payload: &[u8]) {
        let Ok(beat) = serde_json::from_slice::<Heartbeat>(payload) else {
            return;
        };
        let id = (beat.name.clone(), beat.worker);
        // A worker that is unfit for all sessions reports that it is idle, too.
        if beat.state == State::Idle && self.workers.contains_key(&id) {
            return;
        }
        let session = subject.rsplit('.').next().unwrap_or_default();
        let run = self.runs.get(session).map_or(session, |run| &run.name);
        let worker = ListedWorker {
            name: beat.name,
            jobs: beat.jobs,
            cores: beat.cores,
            games: beat.games,
            state: match beat.state {
                State::Idle => "waits for a run".to_owned(),
                State::Preparing => format!("gets ready for {run}"),
                State::Playing { .. } => format!("plays {run}"),
                State::Unfit { why } => format!("cannot play {run}: {why}"),
                State::Leaving => format!("leaves {run}"),
            },
        };
        self.workers.insert(id, worker);
    }
}
