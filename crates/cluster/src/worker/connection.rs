//! A worker's connection: one thread on which everything asynchronous lives. It finds sessions and fetches their files, while other
//! threads play.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use serde::Serialize;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{interval, sleep, timeout};

use super::queue::Queue;
use super::session::Served;
use super::{Host, Session, Stop};
use crate::files::{Cache, File};
use crate::protocol::{
    Beat, Greeting, IDLE, Job, SESSIONS, State, Version, Versioned, subject, unpacked,
};
use crate::{Leaves, Tell, access, random_id};

/// How often a worker says that it is there, and that it still plays what it holds.
pub(super) const BEAT: Duration = Duration::from_secs(1);
/// How long a worker listens before it chooses a session. Each is announced in that time.
const LISTEN: Duration = Duration::from_millis(600);
/// How often a worker tries to get what a session needs before it is unfit for it. It tries again when it hears of the session.
const TRIES: u32 = 5;

/// The connection of a worker.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) cache: Cache,
    /// What people call the worker.
    pub(super) name: String,
    pub(super) host: Host,
    pub(super) leaves: Leaves,
    /// To the thread that plays.
    pub(super) sessions: Sender<Session>,
    pub(super) tell: Tell,
}

/// Who the worker is at the server.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    /// Different from that of any other worker.
    pub(super) id: String,
    /// How many tasks it has played since it was started.
    pub(super) games: u64,
}

impl Connection {
    /// Serves one session after the other, until the worker is to leave or was idle for too long.
    pub(super) async fn work(&self) -> anyhow::Result<()> {
        let mut own = Identity {
            id: random_id(),
            games: 0,
        };
        let mut greetings = self.client.subscribe(SESSIONS).await?;
        // By session, why the worker cannot play for it, and how often it could not get what it needs.
        let mut unfit = BTreeMap::new();
        let mut failures: BTreeMap<String, u32> = BTreeMap::new();
        while let Some(greeting) = self.choose(&own, &mut greetings, &unfit).await {
            let Greeting { session, run, .. } = &greeting;
            let why = match self.join(&own, &greeting).await {
                Ok(mut served) => {
                    let ended = served.serve(&mut greetings).await;
                    own.games = served.games();
                    let Err(why) = ended else { continue };
                    why
                }
                Err(why) => {
                    let failed = failures.entry(session.clone()).or_default();
                    *failed += 1;
                    if *failed < TRIES {
                        (self.tell)(&format!("get ready for {run}: {why:#}; it is tried again"));
                        sleep(BEAT).await;
                        continue;
                    }
                    why
                }
            };
            (self.tell)(&format!("cannot play for {run}: {why:#}"));
            unfit.insert(session.clone(), format!("{why:#}"));
        }
        // Without a server nobody has to be waited for.
        let _ = timeout(BEAT, self.client.flush()).await;
        Ok(())
    }

    /// Waits for sessions and returns the one with the fewest tasks at the same time. `None` if the worker should end.
    async fn choose(
        &self,
        own: &Identity,
        greetings: &mut Subscriber,
        unfit: &BTreeMap<String, String>,
    ) -> Option<Greeting> {
        let since = Instant::now();
        let mut tick = interval(LISTEN);
        let mut known: Vec<Greeting> = Vec::new();
        loop {
            tokio::select! {
                message = greetings.next() => {
                    match self.greeting_of(&message?.payload) {
                        Ok(greeting) => match unfit.get(&greeting.session) {
                            Some(why) => self.beat_unfit(own, &greeting.session, why).await,
                            None => known.push(greeting),
                        },
                        Err((session, why)) => self.beat_unfit(own, &session, &why).await,
                    }
                }
                _ = tick.tick() => {
                    if (self.leaves)() || self.host.idle.is_some_and(|idle| since.elapsed() > idle) {
                        return None;
                    }
                    if let Some(fewest) = known.drain(..).min_by_key(|greeting| greeting.jobs) {
                        return Some(fewest);
                    }
                    self.beat(own, IDLE, State::Idle).await;
                }
            }
        }
    }

    /// Reads a greeting. If this worker cannot play for the session, returns the session and the reason.
    pub(super) fn greeting_of(&self, payload: &[u8]) -> Result<Greeting, (String, String)> {
        let read: Result<Versioned<Value>, _> = serde_json::from_slice(payload);
        let Ok(Versioned { version, rest }) = read else {
            return Err(("unknown".into(), "it speaks another language".into()));
        };
        let session = match rest["session"].as_str() {
            Some(session) if is_token(session) => session.to_owned(),
            _ => "unknown".to_owned(),
        };
        if let Some(problem) = Version::of(&self.host.program).problem(&version) {
            return Err((session, problem));
        }
        match serde_json::from_value::<Greeting>(rest) {
            Ok(greeting) if is_token(&greeting.session) => Ok(greeting),
            Ok(_) => Err((session, "its name can be no part of a subject".to_owned())),
            Err(error) => Err((session, error.to_string())),
        }
    }

    pub(super) async fn beat(&self, own: &Identity, session: &str, state: State) {
        let beat = Beat {
            worker: own.id.clone(),
            name: self.name.clone(),
            jobs: self.host.jobs,
            cores: self.host.cores,
            state,
            games: own.games,
        };
        self.publish(subject("beat", session), &beat).await;
    }

    async fn beat_unfit(&self, own: &Identity, session: &str, why: &str) {
        let why = why.to_owned();
        self.beat(own, session, State::Unfit { why }).await;
    }

    async fn publish(&self, subject: String, value: &impl Serialize) {
        if let Ok(payload) = serde_json::to_vec(value) {
            let _ = self.client.publish(subject, payload.into()).await;
        }
    }

    /// Gets what a session needs, and hands it to the thread that plays. An error here may pass.
    async fn join(&self, own: &Identity, greeting: &Greeting) -> anyhow::Result<Served<'_>> {
        let session = &greeting.session;
        self.beat(own, session, State::Preparing).await;
        let orders = self.client.subscribe(subject("order", session)).await?;
        let job = self
            .client
            .request(subject("job", session), Vec::new().into())
            .await
            .context("ask for the plan")?;
        let job: Job = unpacked(&job.payload).context("take the plan")?;
        self.fetch(&job.files).await?;
        let place = self.cache.lay_out(&job)?;
        self.cache.shrink();
        let (queue, stop) = (Arc::new(Queue::default()), Arc::new(Stop::default()));
        let (sender, events) = unbounded_channel();
        let handed = Session {
            job,
            place,
            stop: Arc::clone(&stop),
            queue: Arc::clone(&queue),
            events: sender,
        };
        self.sessions
            .send(handed)
            .map_err(|_| anyhow!("play: nobody is there to play"))?;
        Ok(Served::new(self, own, session, queue, stop, events, orders))
    }

    /// Fetches the files that are not here yet.
    async fn fetch(&self, files: &[File]) -> anyhow::Result<()> {
        let mut bucket = None;
        for file in files.iter().filter(|file| file.is_sent()) {
            if self.cache.has(file)? {
                continue;
            }
            let bucket = match &bucket {
                Some(bucket) => bucket,
                None => bucket.insert(access::bucket(&self.client).await?),
            };
            self.download(bucket, file).await?;
        }
        Ok(())
    }

    async fn download(&self, bucket: &ObjectStore, file: &File) -> anyhow::Result<()> {
        let path = file.path().display();
        let object = bucket.get(file.digest()).await;
        let mut object =
            object.map_err(|error| anyhow!("fetch {path} from the server: {error}"))?;
        let pending = self
            .cache
            .pending()
            .with_context(|| format!("keep {path}"))?;
        let mut content = tokio::fs::File::from_std(pending.reopen()?);
        tokio::io::copy(&mut object, &mut content)
            .await
            .with_context(|| format!("fetch {path}"))?;
        content.flush().await?;
        if !file.is_at(pending.path()) {
            bail!("fetch {path}: what the server has is another file");
        }
        self.cache.keep(file, pending.path())
    }
}

/// Returns whether a text can be a part of a subject.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
