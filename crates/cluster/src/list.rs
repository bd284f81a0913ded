//! Lists the workers at a server and the runs that they play for.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::time::timeout;

use crate::link::runtime;
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

/// Listens for two and a half seconds.
///
/// # Errors
/// If the server can't be used.
pub fn list(access: &Access, tell: Tell) -> anyhow::Result<List> {
    // By session, and by name and id.
    let (mut runs, mut workers) = (BTreeMap::new(), BTreeMap::new());
    runtime()?.block_on(async {
        let client = access.connect(tell).await?;
        let mut announcements = client.subscribe(SESSIONS).await?;
        let mut beats = client.subscribe(subject("beat", "*")).await?;
        let listen = async {
            loop {
                tokio::select! {
                    Some(message) = announcements.next() => {
                        if let Ok(run) = serde_json::from_slice::<Announcement>(&message.payload) {
                            runs.insert(run.session.clone(), run);
                        }
                    }
                    Some(message) = beats.next() => {
                        if let Ok(beat) = serde_json::from_slice::<Heartbeat>(&message.payload) {
                            let session = message.subject.rsplit('.').next().unwrap_or_default();
                            let run = runs.get(session).map_or(session, |run| &run.name);
                            add(&mut workers, beat, run);
                        }
                    }
                    else => break,
                }
            }
        };
        let _ = timeout(LISTEN, listen).await;
        anyhow::Ok(())
    })?;
    Ok(List {
        runs: runs.into_values().collect(),
        workers: workers.into_values().collect(),
    })
}

/// Adds a worker that may play for a run, by its name and id.
fn add(workers: &mut BTreeMap<(String, String), ListedWorker>, beat: Heartbeat, run: &str) {
    let id = (beat.name.clone(), beat.worker);
    // A worker that is unfit for all sessions reports that it is idle, too.
    if beat.state == State::Idle && workers.contains_key(&id) {
        return;
    }
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
    workers.insert(id, worker);
}
