//! The arena's end of the connection: one thread on which everything asynchronous lives, with a channel on either side.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, object_store};
use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::access;
use super::link::link;
use super::protocol::{
    Answers, Batch, Beat, Greeting, Item, Order, SESSIONS, Spec, Versioned, packed, subject,
    unpacked,
};
use super::{Access, Tell};
use crate::store::hash_file;

/// How often the session is announced, and the queue looked at.
const TICK: Duration = Duration::from_millis(500);
/// How long the server may take to tell of the queue, or to take a message.
const LOOK: Duration = Duration::from_secs(2);
/// How old a program may be in the store, which forgets them after a week, in seconds.
const FRESH: i64 = 4 * 24 * 3600;

/// What happens, for the thread that writes the files.
#[derive(Debug)]
pub(super) enum Event {
    /// A worker is there.
    Beat(Beat),
    /// Games were played.
    Answers(Answers),
    /// What a worker sent cannot be read.
    Garbage(String),
    /// So many batches are in the queue or at workers.
    Queue(u64),
    /// The queue was lost, with all that was in it, and is there again.
    Restored,
}

/// What the thread is told to do.
#[derive(Debug)]
enum Command {
    Send(Batch),
    Order(Order),
    /// So many games are played at the same time.
    Jobs(usize),
}

/// The thread, as long as it is wanted: when this is dropped the session is over.
#[derive(Debug, Default)]
pub(super) struct Desk {
    commands: Option<UnboundedSender<Command>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Desk {
    /// Connects, stores the programs and announces the session; what happens then is told to `events`.
    pub(super) fn open(
        access: Access,
        session: &str,
        spec: &Spec,
        events: Sender<Event>,
        tell: Tell,
    ) -> anyhow::Result<Desk> {
        let (commands, receiver) = unbounded_channel();
        let (session, run) = (session.to_owned(), spec.plan.name.clone());
        let (goods, spec) = (spec.goods.clone(), packed(spec)?);
        let thread = link(
            "desk",
            || async move { Attended::new(&access, session, run, spec, goods, events, tell).await },
            |mut attended| async move { attended.attend(receiver).await },
        )?;
        Ok(Desk {
            commands: Some(commands),
            thread: Some(thread),
        })
    }

    /// Whether the thread has ended, which it does before this only by a mistake of the program.
    pub(super) fn is_gone(&self) -> bool {
        self.thread
            .as_ref()
            .is_none_or(thread::JoinHandle::is_finished)
    }

    fn tell(&self, command: Command) {
        let _ = self
            .commands
            .as_ref()
            .map(|commands| commands.send(command));
    }

    pub(super) fn send(&self, batch: Batch) {
        self.tell(Command::Send(batch));
    }

    pub(super) fn order(&self, order: Order) {
        self.tell(Command::Order(order));
    }

    pub(super) fn jobs(&self, jobs: usize) {
        self.tell(Command::Jobs(jobs));
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.commands = None;
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

/// A session that is announced.
struct Attended {
    client: Client,
    jetstream: jetstream::Context,
    queue: PullConsumer,
    greeting: Greeting,
    /// As it is sent.
    spec: Vec<u8>,
    goods: Vec<Item>,
    tell: Tell,
    events: Sender<Event>,
    asked: Subscriber,
    beats: Subscriber,
    answers: Subscriber,
}

impl Attended {
    async fn new(
        access: &Access,
        session: String,
        run: String,
        spec: Vec<u8>,
        goods: Vec<Item>,
        events: Sender<Event>,
        tell: Tell,
    ) -> anyhow::Result<Attended> {
        let client = access.connect(Arc::clone(&tell)).await?;
        let most = client.server_info().max_payload;
        if spec.len() > most {
            return Err(anyhow!(
                "send the plan to workers: it has {} bytes, and the server takes messages of {most}; raise `max_payload` in its config",
                spec.len()
            ));
        }
        store(&client, &goods).await?;
        let jetstream = jetstream::new(client.clone());
        let queue = access::queue(&jetstream, &session).await?;
        let asked = client.subscribe(subject("spec", &session)).await?;
        let beats = client.subscribe(subject("beat", &session)).await?;
        let answers = client.subscribe(subject("done", &session)).await?;
        let greeting = Greeting {
            session,
            run,
            jobs: 0,
        };
        Ok(Attended {
            client,
            jetstream,
            queue,
            greeting,
            spec,
            goods,
            tell,
            events,
            asked,
            beats,
            answers,
        })
    }

    /// Until nobody gives commands any more.
    async fn attend(&mut self, mut commands: UnboundedReceiver<Command>) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // The quick ones first: where the server is gone a tick takes seconds, and another is due at once.
                biased;
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                Some(message) = self.beats.next() => self.hear_beat(&message),
                Some(message) = self.answers.next() => self.hear_answers(&message).await,
                Some(message) = self.asked.next() => self.send_spec(&message).await,
                _ = tick.tick() => self.tick().await,
            }
        }
        self.end().await;
    }

    async fn obey(&mut self, command: Command) {
        let session = &self.greeting.session;
        match command {
            // What is lost on the way is sent again when the queue is found empty.
            Command::Send(batch) => self.publish(subject("work", session), packed(&batch)).await,
            Command::Order(order) => self.publish(subject("order", session), json(&order)).await,
            Command::Jobs(jobs) => self.greeting.jobs = jobs,
        }
    }

    async fn publish(&self, subject: String, payload: anyhow::Result<Vec<u8>>) {
        if let Ok(payload) = payload {
            // Without a server it waits once many messages do.
            let _ = timeout(LOOK, self.client.publish(subject, payload.into())).await;
        }
    }

    async fn reply(&self, message: &Message, payload: Vec<u8>) {
        if let Some(reply) = &message.reply {
            self.publish(reply.to_string(), Ok(payload)).await;
        }
    }

    /// Tells a worker how it is played, once all programs are there: a server that was restarted may have lost them.
    async fn send_spec(&self, message: &Message) {
        if let Err(why) = store(&self.client, &self.goods).await {
            (self.tell)(&format!("{why:#}"));
        }
        self.reply(message, self.spec.clone()).await;
    }

    fn hear_beat(&self, message: &Message) {
        let beat = serde_json::from_slice(&message.payload);
        let _ = self
            .events
            .send(beat.map_or_else(|error| Event::Garbage(error.to_string()), Event::Beat));
    }

    async fn hear_answers(&self, message: &Message) {
        let answers = unpacked(&message.payload);
        let event =
            answers.map_or_else(|error| Event::Garbage(format!("{error:#}")), Event::Answers);
        let _ = self.events.send(event);
        self.reply(message, Vec::new()).await;
    }

    async fn tick(&mut self) {
        self.publish(
            SESSIONS.to_owned(),
            json(&Versioned::of(self.greeting.clone())),
        )
        .await;
        if let Ok(Ok(info)) = timeout(LOOK, self.queue.get_info()).await {
            let held = info.num_pending + info.num_ack_pending as u64;
            let _ = self.events.send(Event::Queue(held));
            return;
        }
        // A server that was restarted has no queue any more.
        let queue = timeout(LOOK, access::queue(&self.jetstream, &self.greeting.session)).await;
        if let Ok(Ok(queue)) = queue {
            self.queue = queue;
            let _ = self.events.send(Event::Restored);
        }
    }

    /// Tells the workers, and leaves nothing behind but programs.
    async fn end(&self) {
        let session = &self.greeting.session;
        self.publish(subject("order", session), json(&Order::End))
            .await;
        // Where the server is gone there is nobody to wait for.
        let _ = timeout(LOOK, self.client.flush()).await;
        let clean = async {
            let stream = self
                .jetstream
                .get_stream_no_info(super::protocol::QUEUE)
                .await
                .ok()?;
            stream.delete_consumer(session).await.ok()?;
            stream.purge().filter(subject("work", session)).await.ok()
        };
        let _ = timeout(LOOK, clean).await;
    }
}

fn json(value: &impl serde::Serialize) -> anyhow::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}

/// Stores the programs that are not there yet, by their digests.
async fn store(client: &Client, goods: &[Item]) -> anyhow::Result<()> {
    let programs = access::programs(client).await?;
    for item in goods.iter().filter(|item| !item.of_system) {
        let is_fresh = |info: object_store::ObjectInfo| {
            let age = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .ok()?
                .as_secs();
            Some(i64::try_from(age).ok()? - info.modified?.unix_timestamp() < FRESH)
        };
        if programs.info(&item.digest).await.ok().and_then(is_fresh) == Some(true) {
            continue;
        }
        let path = item.path.display();
        if hash_file(&item.path)? != item.digest {
            bail!("store {path} for the workers: it has changed since the run began");
        }
        let mut file = tokio::fs::File::open(&item.path)
            .await
            .with_context(|| format!("read {path}"))?;
        let stored = programs.put(item.digest.as_str(), &mut file).await;
        stored.map_err(|error| {
            anyhow!("store {path} for the workers: {error}; `max_mem` and `max_file` of the server's JetStream limit what it holds")
        })?;
    }
    Ok(())
}
