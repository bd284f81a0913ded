//! Who is at a server: the workers, and the sessions they play for.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::StreamExt as _;
use tokio::runtime;
use tokio::time::{Instant, timeout_at};

use super::protocol::{Beat, Greeting, SESSIONS, State, Versioned, subject};
use super::terms::{PresentRun, PresentWorker};
use super::{Access, Present, Tell};
use crate::text::{harmless, harmless_lines};

/// Everybody speaks within this time.
const LISTEN: Duration = Duration::from_millis(2500);

/// Listens for a while.
pub(crate) fn present(access: &Access, tell: Tell) -> anyhow::Result<Present> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start a runtime")?;
    runtime.block_on(async {
        let client = access.connect(tell).await?;
        let mut greetings = client.subscribe(SESSIONS).await?;
        let mut beats = client.subscribe(subject("beat", "*")).await?;
        let (mut runs, mut workers) = (BTreeMap::new(), BTreeMap::new());
        let end = Instant::now() + LISTEN;
        let listen = async {
            loop {
                tokio::select! {
                    Some(message) = greetings.next() => {
                        if let Ok(Versioned::<Greeting> { rest, .. }) = serde_json::from_slice(&message.payload) {
                            runs.insert(rest.session.clone(), rest);
                        }
                    }
                    Some(message) = beats.next() => {
                        let session = message.subject.rsplit('.').next().unwrap_or_default().to_owned();
                        if let Ok(beat) = serde_json::from_slice::<Beat>(&message.payload) {
                            workers.insert(beat.worker.clone(), (session, beat));
                        }
                    }
                    else => break,
                }
            }
        };
        let _ = timeout_at(end, listen).await;
        let seen = |(session, beat): (String, Beat)| {
            let run = runs.get(&session).map_or(session.as_str(), |run: &Greeting| run.run.as_str());
            let state = harmless_lines(&state_of(beat.state, run));
            PresentWorker { name: harmless(&beat.name), jobs: beat.jobs, cores: beat.cores, games: beat.games, state }
        };
        let mut workers: Vec<PresentWorker> = workers.into_values().map(seen).collect();
        workers.sort_by(|one, other| one.name.cmp(&other.name));
        let run =
            |run: &Greeting| PresentRun { name: harmless(&run.run), session: harmless(&run.session), jobs: run.jobs };
        Ok(Present { runs: runs.values().map(run).collect(), workers })
    })
}

fn state_of(state: State, run: &str) -> String {
    match state {
        State::Idle => "waits for a run".to_owned(),
        State::Preparing => format!("gets ready for {run}"),
        State::Playing { .. } => format!("plays {run}"),
        State::Unfit { why } => format!("cannot play {run}: {why}"),
        State::Leaving => format!("leaves {run}"),
    }
}
