//! Who is at a server: the workers, and the runs that they play for.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::runtime;
use tokio::time::{Instant, timeout_at};

use crate::protocol::{Beat, Greeting, SESSIONS, State, Versioned, subject};
use crate::{Access, Tell};

/// Everybody speaks within this time.
const LISTEN: Duration = Duration::from_millis(2500);

/// Who was heard at a server.
#[derive(Debug, Default, Serialize)]
pub struct List {
    /// The runs, by session.
    pub runs: Vec<ListedRun>,
    /// The workers, by name.
    pub workers: Vec<ListedWorker>,
}

/// A run that workers play for.
#[derive(Debug, Serialize)]
pub struct ListedRun {
    /// The name of its job.
    pub name: String,
    /// The id of its session.
    pub session: String,
    /// How many tasks are played for it at the same time.
    pub jobs: usize,
}

/// A worker that is there.
#[derive(Debug, Serialize)]
pub struct ListedWorker {
    /// What people call it.
    pub name: String,
    /// How many tasks it plays at the same time.
    pub jobs: usize,
    /// How many cores its machine has.
    pub cores: usize,
    /// How many tasks it has played since it was started.
    pub games: u64,
    /// What it does, for people.
    pub state: String,
}

/// What was heard so far.
#[derive(Default)]
struct Heard {
    runs: BTreeMap<String, Greeting>,
    /// By id, with the session that each speaks to.
    workers: BTreeMap<String, (String, Beat)>,
}

/// Listens for two and a half seconds.
///
/// # Errors
/// If the server cannot be used.
pub fn list(access: &Access, tell: Tell) -> anyhow::Result<List> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start a runtime")?;
    let heard = runtime.block_on(async {
        let client = access.connect(tell).await?;
        let mut greetings = client.subscribe(SESSIONS).await?;
        let mut beats = client.subscribe(subject("beat", "*")).await?;
        let mut heard = Heard::default();
        let listen = async {
            loop {
                tokio::select! {
                    Some(message) = greetings.next() => heard.greeting(&message.payload),
                    Some(message) = beats.next() => heard.beat(&message.subject, &message.payload),
                    else => break,
                }
            }
        };
        let _ = timeout_at(Instant::now() + LISTEN, listen).await;
        anyhow::Ok(heard)
    })?;
    Ok(heard.list())
}

impl Heard {
    fn greeting(&mut self, payload: &[u8]) {
        if let Ok(Versioned::<Greeting> { rest, .. }) = serde_json::from_slice(payload) {
            self.runs.insert(rest.session.clone(), rest);
        }
    }

    fn beat(&mut self, subject: &str, payload: &[u8]) {
        let session = subject.rsplit('.').next().unwrap_or_default().to_owned();
        let Ok(beat) = serde_json::from_slice::<Beat>(payload) else {
            return;
        };
        // A worker that is unfit for all sessions says that it is idle, too.
        if beat.state != State::Idle || !self.workers.contains_key(&beat.worker) {
            self.workers.insert(beat.worker.clone(), (session, beat));
        }
    }

    fn list(self) -> List {
        let mut workers = Vec::new();
        for (session, beat) in self.workers.into_values() {
            let run = match self.runs.get(&session) {
                Some(run) => &run.run,
                None => &session,
            };
            workers.push(ListedWorker {
                name: beat.name,
                jobs: beat.jobs,
                cores: beat.cores,
                games: beat.games,
                state: state_of(beat.state, run),
            });
        }
        workers.sort_by(|one, other| one.name.cmp(&other.name));
        let mut runs = Vec::new();
        for Greeting { session, run, jobs } in self.runs.into_values() {
            runs.push(ListedRun {
                name: run,
                session,
                jobs,
            });
        }
        List { runs, workers }
    }
}

fn state_of(state: State, run: &str) -> String {
    match state {
        State::Idle => "waits for a run".to_owned(),
        State::Preparing => format!("gets ready for {run}"),
        State::Playing(_) => format!("plays {run}"),
        State::Unfit { why } => format!("cannot play {run}: {why}"),
        State::Leaving => format!("leaves {run}"),
    }
}
