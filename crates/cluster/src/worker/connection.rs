//! A worker's connection: all its asynchronous code, on one thread. It finds sessions and fetches their files, while other threads
//! play.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{interval, sleep, timeout};

use super::session::ActiveSession;
use super::{Host, Session};
use crate::files::{Cache, File};
use crate::protocol::{Announcement, Heartbeat, Job, SESSIONS, State, subject, unpacked};
use crate::{Leaves, Tell, access};

/// How often a worker sends a heartbeat, and tells the queue that it still plays its units.
pub(super) const BEAT: Duration = Duration::from_secs(1);
/// How long a worker listens before it chooses a session. Each is announced in that time.
const LISTEN: Duration = Duration::from_millis(600);
/// How often a worker tries to get ready for a session before it is unfit for it.
const TRIES: u32 = 5;

/// The connection of a worker.
pub(super) struct Connection {
    pub(super) client: Client,
    /// Different from that of any other worker.
    pub(super) id: String,
    /// The name for people.
    pub(super) name: String,
    pub(super) host: Host,
    pub(super) cache: Cache,
    pub(super) leaves: Leaves,
    /// For the thread that plays.
    pub(super) sessions: Sender<Session>,
    pub(super) tell: Tell,
}

impl Connection {
    /// Serves one session after the other, until the worker leaves or was idle for too long.
    pub(super) async fn work(&self) -> anyhow::Result<()> {
        let mut announcements = self.client.subscribe(SESSIONS).await?;
        // By session, why the worker can't play for it, and how often it couldn't get ready.
        let mut unfit = BTreeMap::new();
        let mut failures: BTreeMap<String, u32> = BTreeMap::new();
        while let Some(chosen) = self.choose(&mut announcements, &unfit).await {
            let Announcement { session, name, .. } = chosen;
            let why = match self.join(&session).await {
                Ok(mut active) => match active.serve(&mut announcements).await {
                    Ok(()) => continue,
                    Err(why) => why,
                },
                Err(why) => {
                    let failed = failures.entry(session.clone()).or_default();
                    *failed += 1;
                    if *failed < TRIES {
                        (self.tell)(&format!("get ready for {name}: {why:#}; it is tried again"));
                        sleep(BEAT).await;
                        continue;
                    }
                    why
                }
            };
            (self.tell)(&format!("cannot play for {name}: {why:#}"));
            unfit.insert(session, format!("{why:#}"));
        }
        // Without a server, waiting is useless.
        let _ = timeout(BEAT, self.client.flush()).await;
        Ok(())
    }

    /// Waits for sessions and returns the one with the fewest tasks at the same time. Returns `None` if the worker should end.
    async fn choose(
        &self,
        announcements: &mut Subscriber,
        unfit: &BTreeMap<String, String>,
    ) -> Option<Announcement> {
        let since = Instant::now();
        let mut tick = interval(LISTEN);
        let mut known: Vec<Announcement> = Vec::new();
        loop {
            tokio::select! {
                message = announcements.next() => {
                    let Some(announced) = read(&message?.payload) else { continue };
                    let (own, program) = (&self.host.program, &announced.program);
                    let why = if program == own {
                        unfit.get(&announced.session).cloned()
                    } else {
                        Some(format!("the worker is {own}, the run is played by {program}: use the same version"))
                    };
                    match why {
                        Some(why) => self.beat(&announced.session, State::Unfit { why }).await,
                        None => known.push(announced),
                    }
                }
                _ = tick.tick() => {
                    if (self.leaves)() || self.host.idle.is_some_and(|idle| since.elapsed() > idle) {
                        return None;
                    }
                    if let Some(fewest) = known.drain(..).min_by_key(|announced| announced.jobs) {
                        return Some(fewest);
                    }
                }
            }
        }
    }

    pub(super) async fn beat(&self, session: &str, state: State) {
        let beat = Heartbeat {
            worker: self.id.clone(),
            name: self.name.clone(),
            jobs: self.host.jobs,
            state,
        };
        if let Ok(payload) = serde_json::to_vec(&beat) {
            let _ = self
                .client
                .publish(subject("beat", session), payload.into())
                .await;
        }
    }

    /// Gets ready for a session, and hands it to the thread that plays. An error may be temporary.
    async fn join(&self, session: &str) -> anyhow::Result<ActiveSession<'_>> {
        self.beat(session, State::Preparing).await;
        let orders = self.client.subscribe(subject("order", session)).await?;
        let job = self
            .client
            .request(subject("job", session), Vec::new().into())
            .await
            .context("can't ask for the plan")?;
        let job: Job = unpacked(&job.payload).context("can't read the plan")?;
        self.fetch(&job.files).await?;
        let place = self.cache.lay_out(&job)?;
        self.cache.shrink();
        let (active, handed) = ActiveSession::new(self, session, orders, job, place)?;
        self.sessions
            .send(handed)
            .map_err(|_| anyhow!("play: the thread that plays has ended"))?;
        Ok(active)
    }

    /// Fetches the files that aren't in the cache.
    async fn fetch(&self, files: &[File]) -> anyhow::Result<()> {
        let bucket = access::bucket(&self.client).await?;
        for file in files {
            if !self.cache.has(file)? {
                let path = file.path.display();
                self.download(&bucket, file)
                    .await
                    .with_context(|| format!("can't fetch {path} from the server"))?;
            }
        }
        Ok(())
    }

    async fn download(&self, bucket: &ObjectStore, file: &File) -> anyhow::Result<()> {
        let mut object = bucket.get(&file.digest).await?;
        let pending = self.cache.pending()?;
        let mut content = tokio::fs::File::from_std(pending.reopen()?);
        tokio::io::copy(&mut object, &mut content).await?;
        content.flush().await?;
        self.cache.add(file, pending)
    }
}

/// Reads an announcement whose session can be part of a subject.
pub(super) fn read(payload: &[u8]) -> Option<Announcement> {
    let announced: Announcement = serde_json::from_slice(payload).ok()?;
    let session = &announced.session;
    let is_token = !session.is_empty() && session.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_token.then_some(announced)
}
