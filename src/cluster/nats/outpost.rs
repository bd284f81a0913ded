//! A worker's end of the connection: one thread on which everything asynchronous lives. It finds sessions, fetches their programs and
//! batches, and sends answers, while the other threads of the worker play.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, RequestErrorKind, Subscriber};
use futures_util::StreamExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{interval, sleep, timeout};

use super::access;
use super::goods::{Cache, Place};
use super::protocol::{
    Answers, Batch, Beat, Greeting, IDLE, Item, Order, SESSIONS, Spec, State, Versioned, packed,
    subject, unpacked,
};
use super::queue::Queue;
use super::{Leaves, Tell, random_id};
use crate::play::Abort;
use crate::pool::Finished;
use arena_process::Interrupt;

/// How often a worker says that it is there, and that it still plays what it holds.
const BEAT: Duration = Duration::from_secs(1);
/// How long a worker listens before it chooses a session: each is announced in that time.
const LISTEN: Duration = Duration::from_millis(600);
/// A session of which nothing was heard for so long is over.
const LOST: Duration = Duration::from_secs(10);
/// How long the server keeps a request for batches.
const PULL: Duration = Duration::from_secs(5);
/// How long a problem with the server is waited out.
const PAUSE: Duration = Duration::from_millis(300);
/// So often a worker tries to get what a session needs before it is unfit for it, each time the session is announced again.
const TRIES: u32 = 5;

/// A session for the threads that play.
pub(super) struct Job {
    pub(super) run: String,
    pub(super) spec: Spec,
    pub(super) place: Place,
    pub(super) queue: Arc<Queue>,
    /// Back to the thread that has the connection.
    pub(super) told: UnboundedSender<Told>,
}

/// How those who play are fit for it.
pub(super) struct Fitness {
    /// The features of the sandbox.
    pub(super) sandbox: String,
    /// What is odd.
    pub(super) remarks: Vec<String>,
}

/// What the threads that play say of their session.
pub(super) enum Told {
    /// They can play.
    Ready(Fitness),
    /// They cannot.
    Unfit(String),
    Finished(Box<Finished>),
    /// They are through.
    Left,
}

/// The worker, for its connection.
pub(super) struct Outpost {
    pub(super) client: Client,
    pub(super) cache: Cache,
    pub(super) name: String,
    pub(super) jobs: usize,
    pub(super) cores: usize,
    /// Whether the worker is to leave.
    pub(super) leaves: Leaves,
    pub(super) out: Sender<Job>,
    pub(super) tell: Tell,
    /// How long there may be no session before the worker ends, if it does.
    pub(super) idle: Option<Duration>,
}

/// Why a session ends for this worker.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Nobody wants what it holds.
    AtOnce,
    /// It plays what it has begun.
    Orderly,
}

/// What is held of a session.
struct Stint<'o> {
    outpost: &'o Outpost,
    id: &'o str,
    session: String,
    queue: Arc<Queue>,
    /// Batches that are not answered, by number, with the messages that brought them.
    held: BTreeMap<u64, (jetstream::Message, Option<OwnedSemaphorePermit>)>,
    /// Answers on their way.
    sending: JoinSet<u64>,
    pull: Option<AbortHandle>,
    state: State,
    games: u64,
    /// Why the arena wants nothing more of this worker.
    dismissed: Option<String>,
}

impl Outpost {
    fn beat(&self, id: &str, state: State, games: u64) -> Beat {
        Beat {
            worker: id.to_owned(),
            name: self.name.clone(),
            jobs: self.jobs,
            cores: self.cores,
            state,
            games,
        }
    }

    async fn publish(&self, subject: String, value: &impl serde::Serialize) {
        if let Ok(payload) = serde_json::to_vec(value) {
            let _ = self.client.publish(subject, payload.into()).await;
        }
    }

    /// Serves one session after the other, until the worker is to leave or was idle for too long.
    pub(super) async fn work(&self) -> anyhow::Result<()> {
        let id = random_id();
        let mut sessions = self.client.subscribe(SESSIONS).await?;
        // Sessions that this worker cannot play for, with the reason.
        let mut unfit: BTreeMap<String, String> = BTreeMap::new();
        // How often what a session needs could not be had.
        let mut failed: BTreeMap<String, u32> = BTreeMap::new();
        let mut games = 0;
        while let Some(greeting) = self.choose(&id, &mut sessions, &unfit, games).await {
            let served = match self.join(&id, &greeting, games).await {
                Ok((mut stint, hear, mut orders)) => stint
                    .serve(hear, &mut sessions, &mut orders)
                    .await
                    .map(|()| stint.games),
                Err(why) => {
                    let failed = failed.entry(greeting.session.clone()).or_default();
                    *failed += 1;
                    if *failed < TRIES {
                        (self.tell)(&format!(
                            "get ready for {}: {why:#}; it is tried again",
                            greeting.run
                        ));
                        sleep(BEAT).await;
                        continue;
                    }
                    Err(why)
                }
            };
            match served {
                Ok(played) => games = played,
                Err(why) => {
                    (self.tell)(&format!("cannot play for {}: {why:#}", greeting.run));
                    unfit.insert(greeting.session, format!("{why:#}"));
                }
            }
        }
        // Where the server is gone there is nobody to wait for.
        let _ = timeout(BEAT, self.client.flush()).await;
        Ok(())
    }

    /// The session with the fewest workers, once there is one.
    async fn choose(
        &self,
        id: &str,
        sessions: &mut Subscriber,
        unfit: &BTreeMap<String, String>,
        games: u64,
    ) -> Option<Greeting> {
        let since = Instant::now();
        let mut tick = interval(LISTEN);
        let mut known: Vec<Greeting> = Vec::new();
        loop {
            tokio::select! {
                message = sessions.next() => {
                    let greeting = greeting_of(&message?.payload);
                    match greeting {
                        Ok(greeting) => match unfit.get(&greeting.session) {
                            Some(why) => self.beat_unfit(id, &greeting.session, why, games).await,
                            None => known.push(greeting),
                        },
                        Err((session, why)) => self.beat_unfit(id, &session, &why, games).await,
                    }
                }
                _ = tick.tick() => {
                    if (self.leaves)() || self.idle.is_some_and(|idle| since.elapsed() > idle) {
                        return None;
                    }
                    if let Some(fewest) = known.drain(..).min_by_key(|greeting| greeting.jobs) {
                        return Some(fewest);
                    }
                    self.publish(subject("beat", IDLE), &self.beat(id, State::Idle, games)).await;
                }
            }
        }
    }

    async fn beat_unfit(&self, id: &str, session: &str, why: &str, games: u64) {
        let beat = self.beat(
            id,
            State::Unfit {
                why: why.to_owned(),
            },
            games,
        );
        self.publish(subject("beat", session), &beat).await;
    }

    /// Gets what a session needs, and hands it to those who play. What goes wrong here may be a matter of the moment.
    async fn join<'o>(
        &'o self,
        id: &'o str,
        greeting: &Greeting,
        games: u64,
    ) -> anyhow::Result<(Stint<'o>, UnboundedReceiver<Told>, Subscriber)> {
        let session = &greeting.session;
        self.publish(
            subject("beat", session),
            &self.beat(id, State::Preparing, games),
        )
        .await;
        let orders = self.client.subscribe(subject("order", session)).await?;
        let spec = self
            .client
            .request(subject("spec", session), Vec::new().into())
            .await
            .context("ask for the plan")?;
        let spec: Spec = unpacked(&spec.payload).context("take the plan")?;
        self.fetch(&spec.goods).await?;
        let place = self.cache.lay_out(&spec)?;
        self.cache.shrink();
        let queue = Arc::new(Queue::new(Arc::new(Interrupt::new()?)));
        let (told, hear) = unbounded_channel();
        let job = Job {
            run: greeting.run.clone(),
            spec,
            place,
            queue: Arc::clone(&queue),
            told,
        };
        self.out
            .send(job)
            .map_err(|_| anyhow!("play: nobody is there to play"))?;
        let stint = Stint {
            outpost: self,
            id,
            session: session.clone(),
            queue,
            held: BTreeMap::new(),
            sending: JoinSet::new(),
            pull: None,
            state: State::Preparing,
            games,
            dismissed: None,
        };
        Ok((stint, hear, orders))
    }

    /// Fetches what is not here yet.
    async fn fetch(&self, goods: &[Item]) -> anyhow::Result<()> {
        let mut programs = None;
        for item in goods.iter().filter(|item| !item.of_system) {
            if self.cache.has(item)? {
                continue;
            }
            if programs.is_none() {
                programs = Some(access::programs(&self.client).await?);
            }
            let Some(programs) = &programs else { continue };
            let path = item.path.display();
            let object = programs.get(&item.digest).await;
            let mut object =
                object.map_err(|error| anyhow!("fetch {path} from the server: {error}"))?;
            let pending = self
                .cache
                .pending()
                .with_context(|| format!("keep {path}"))?;
            let mut file = tokio::fs::File::from_std(pending.reopen()?);
            tokio::io::copy(&mut object, &mut file)
                .await
                .with_context(|| format!("fetch {path}"))?;
            file.flush().await?;
            if crate::store::hash_file(pending.path())? != item.digest {
                bail!("fetch {path}: what the server has is another file");
            }
            self.cache.keep(item, pending.path())?;
        }
        Ok(())
    }
}

/// The greeting of a session; of one that this worker cannot work with, the session and the reason.
fn greeting_of(payload: &[u8]) -> Result<Greeting, (String, String)> {
    let read: Result<Versioned<serde_json::Value>, _> = serde_json::from_slice(payload);
    let Ok(Versioned { version, rest }) = read else {
        return Err(("unknown".into(), "it speaks another language".into()));
    };
    let session = rest["session"]
        .as_str()
        .filter(|session| is_token(session))
        .unwrap_or("unknown")
        .to_owned();
    if let Some(problem) = version.problem() {
        return Err((session, problem));
    }
    match serde_json::from_value::<Greeting>(rest) {
        Ok(greeting) if is_token(&greeting.session) => Ok(greeting),
        Ok(_) => Err((session, "its name can be no part of a subject".to_owned())),
        Err(error) => Err((session, error.to_string())),
    }
}

/// Whether a text can be a part of a subject.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Stint<'_> {
    async fn serve(
        &mut self,
        mut hear: UnboundedReceiver<Told>,
        sessions: &mut Subscriber,
        orders: &mut Subscriber,
    ) -> anyhow::Result<()> {
        let (batches, mut pulled) = unbounded_channel();
        let mut tick = interval(BEAT);
        let mut greeted = Instant::now();
        let mut ends: Option<End> = None;
        let mut has_left = false;
        while !(has_left && (self.sending.is_empty() || ends == Some(End::AtOnce))) {
            let end = tokio::select! {
                told = hear.recv(), if !has_left => match told {
                    Some(Told::Ready(Fitness { sandbox, remarks })) => {
                        self.state = State::Playing { sandbox, remarks };
                        self.pull = Some(tokio::spawn(pull(self.outpost.client.clone(), self.session.clone(), self.outpost.jobs + 1, batches.clone())).abort_handle());
                        self.beat().await;
                        None
                    }
                    Some(Told::Unfit(why)) => bail!(why),
                    Some(Told::Finished(finished)) => { self.finish(*finished); None }
                    Some(Told::Left) | None => { has_left = true; None }
                },
                Some((batch, message, permit)) = pulled.recv(), if ends.is_none() => { self.take(batch, message, permit).await; None }
                Some(sent) = self.sending.join_next() => {
                    if let Some((message, _)) = sent.ok().and_then(|number| self.held.remove(&number)) {
                        let _ = message.ack().await;
                    }
                    None
                }
                Some(message) = orders.next() => self.obey(&message.payload),
                Some(message) = sessions.next() => {
                    if greeting_of(&message.payload).is_ok_and(|greeting| greeting.session == self.session) {
                        greeted = Instant::now();
                    }
                    None
                }
                _ = tick.tick() => {
                    self.tick().await;
                    let is_leaving = (self.outpost.leaves)().then_some(End::Orderly);
                    if greeted.elapsed() > LOST { Some(End::AtOnce) } else { is_leaving }
                }
            };
            if let Some(end) = end.filter(|end| ends.is_none() || *end == End::AtOnce) {
                ends = Some(end);
                self.end(end).await;
            }
        }
        // It is not to join again.
        self.dismissed
            .take()
            .map_or(Ok(()), |why| Err(anyhow!("dismissed: {why}")))
    }

    async fn beat(&self) {
        let beat = self.outpost.beat(self.id, self.state.clone(), self.games);
        self.outpost
            .publish(subject("beat", &self.session), &beat)
            .await;
    }

    /// Says that it is there, and that what it holds is still played.
    async fn tick(&self) {
        self.beat().await;
        for (message, _) in self.held.values() {
            let _ = message.ack_with(AckKind::Progress).await;
        }
    }

    async fn take(
        &mut self,
        batch: Batch,
        message: jetstream::Message,
        permit: OwnedSemaphorePermit,
    ) {
        let number = batch.number;
        if let Some((held, _)) = self.held.get_mut(&number) {
            // It was delivered again; the newer message is the one that counts.
            *held = message;
        } else if self.queue.push(batch) {
            self.held.insert(number, (message, Some(permit)));
        } else {
            let _ = message.ack().await;
        }
    }

    fn finish(&mut self, mut finished: Finished) {
        if finished.outcome.hit_by_signal && (self.outpost.leaves)() {
            // The signal was meant for this worker: the bot has done nothing wrong.
            finished.outcome.game = Err(Abort::Interrupted);
            finished.outcome.faults.clear();
        }
        self.games += u64::from(finished.outcome.game.is_ok());
        if let Some((number, answers)) = self.queue.finish(self.id, finished) {
            if let Some((_, permit)) = self.held.get_mut(&number) {
                // It holds one batch less, even if the arena does not know yet.
                *permit = None;
            }
            self.sending.spawn(send(
                self.outpost.client.clone(),
                subject("done", &self.session),
                number,
                answers,
            ));
        }
    }

    fn obey(&mut self, payload: &[u8]) -> Option<End> {
        match serde_json::from_slice(payload).ok()? {
            Order::Skip(numbers) => self.queue.skip(numbers),
            Order::Drain => self.queue.drain(),
            Order::End => return Some(End::AtOnce),
            Order::Dismiss { worker, why } if worker == self.id => {
                self.dismissed = Some(why);
                return Some(End::AtOnce);
            }
            Order::Dismiss { .. } => {}
        }
        None
    }

    async fn end(&mut self, end: End) {
        if let Some(pull) = self.pull.take() {
            pull.abort();
        }
        match end {
            End::AtOnce => self.queue.end(),
            End::Orderly => {
                self.state = State::Leaving;
                self.beat().await;
                self.queue.drain();
                self.queue.close();
            }
        }
    }
}

impl Drop for Stint<'_> {
    fn drop(&mut self) {
        if let Some(pull) = self.pull.take() {
            pull.abort();
        }
        self.queue.end();
    }
}

type Pulled = (Batch, jetstream::Message, OwnedSemaphorePermit);

/// Fetches batches, at most so many more than were answered.
async fn pull(client: Client, session: String, most: usize, out: UnboundedSender<Pulled>) {
    let slots = Arc::new(Semaphore::new(most));
    let jetstream = jetstream::new(client);
    loop {
        if pull_on(&jetstream, &session, &slots, &out).await.is_none() {
            sleep(PAUSE).await;
        }
    }
}

/// The same, until something is wrong with the server.
async fn pull_on(
    jetstream: &jetstream::Context,
    session: &str,
    slots: &Arc<Semaphore>,
    out: &UnboundedSender<Pulled>,
) -> Option<()> {
    let queue = access::queue(jetstream, session).await.ok()?;
    loop {
        let mut permits = vec![Arc::clone(slots).acquire_owned().await.ok()?];
        while let Ok(permit) = Arc::clone(slots).try_acquire_owned() {
            permits.push(permit);
        }
        let mut messages = queue
            .batch()
            .max_messages(permits.len())
            .expires(PULL)
            .messages()
            .await
            .ok()?;
        while let Some(message) = messages.next().await {
            let message = message.ok()?;
            match (unpacked(&message.payload), permits.pop()) {
                (Ok(batch), Some(permit)) => out.send((batch, message, permit)).ok()?,
                // What nobody can read nobody can play.
                _ => drop(message.ack_with(AckKind::Term).await),
            }
        }
    }
}

/// Sends answers until the arena has them; gives the number of the batch.
async fn send(client: Client, subject: String, number: u64, answers: Answers) -> u64 {
    let most = client.server_info().max_payload;
    for part in parts(answers, most) {
        loop {
            match client.request(subject.clone(), part.clone().into()).await {
                Ok(_) => break,
                Err(error) if error.kind() == RequestErrorKind::MaxPayloadExceeded => break,
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
    number
}

/// Answers as they are sent, in messages that the server takes.
fn parts(answers: Answers, most: usize) -> Vec<Vec<u8>> {
    let Ok(whole) = packed(&answers) else {
        return Vec::new();
    };
    let Answers { worker, mut games } = answers;
    if whole.len() <= most {
        return vec![whole];
    }
    if let [game] = &mut games[..] {
        let why = format!(
            "its record has {} bytes, and the server takes messages of {most}: raise `max_payload` in its config",
            whole.len()
        );
        game.outcome.game = Err(Abort::Failed(why));
        game.outcome.faults.clear();
        return packed(&Answers { worker, games }).into_iter().collect();
    }
    let rest = games.split_off(games.len() / 2);
    let halves = [games, rest].map(|games| {
        parts(
            Answers {
                worker: worker.clone(),
                games,
            },
            most,
        )
    });
    halves.concat()
}
