//! Finds sessions for a worker, and fetches their files.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use async_nats::Subscriber;
use async_nats::jetstream::object_store::ObjectStore;
use futures_util::StreamExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{interval, sleep, timeout};

use super::active::ActiveSession;
use super::{BEAT, Connection, read};
use crate::access;
use crate::files::File;
use crate::protocol::{Announcement, Job, SESSIONS, State, subject, unpacked};

/// How long a worker listens before it chooses a session. Each is announced in that time.
const LISTEN: Duration = Duration::from_millis(600);
/// How often a worker tries to get ready for a session before it is unfit for it.
const TRIES: u32 = 5;

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
                    Some(why) => why,
                    None => continue,
                },
                Err(why) => {
                    let failed = failures.entry(session.clone()).or_default();
                    *failed += 1;
                    if *failed < TRIES {
                        (self.tell)(&format!("get ready for {name}: {why:#}; it is tried again"));
                        sleep(BEAT).await;
                        continue;
                    }
                    format!("{why:#}")
                }
            };
            (self.tell)(&format!("cannot play for {name}: {why}"));
            unfit.insert(session, why);
        }
        // Without a server, waiting is useless.
        let _ = timeout(BEAT, self.client.flush()).await;
        Ok(())
    }

    /// Waits for sessions and returns the one with the fewest tasks at the same time. Returns
    /// `None` if the worker should end.
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
        let place = self.cache.lay_out(&job.folder, &job.files)?;
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
