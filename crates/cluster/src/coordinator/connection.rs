//! The coordinator's connection: one thread on which everything asynchronous lives, with a channel in each direction.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow, bail};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, object_store};
use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::files::File;
use crate::link::link;
use crate::protocol::{
    Answers, Batch, Beat, Greeting, Job, Order, QUEUE, SESSIONS, Version, Versioned, packed,
    subject, unpacked,
};
use crate::{Access, Tell, access};

/// How often the session is announced, and the queue looked at.
const TICK: Duration = Duration::from_millis(500);
/// How long the server may take to describe the queue, or to take a message.
const LOOK: Duration = Duration::from_secs(2);
/// A file in the store is stored again if it is older, in seconds. The server forgets files after a week.
const FRESH: i64 = 4 * 24 * 3600;

/// What happens, for the thread of the coordinator.
#[derive(Debug)]
pub(super) enum Event {
    Beat(Beat),
    Answers(Answers),
    /// A worker sent something that cannot be read.
    Garbage(String),
    /// The number of batches in the queue and at workers.
    Queue(u64),
    /// The queue was lost with all that was in it, and exists again.
    Restored,
}

/// What the thread of the connection is to do.
#[derive(Debug)]
pub(super) enum Command {
    Send(Batch),
    Order(Order),
    /// Announce how many tasks are played at the same time.
    Jobs(usize),
}

/// The thread of the connection. Dropping it ends the session.
#[derive(Debug, Default)]
pub(super) struct Connection {
    commands: Option<UnboundedSender<Command>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Connection {
    /// Connects, stores the files and announces the session.
    pub(super) fn open(
        access: Access,
        session: String,
        job: Job,
        events: Sender<Event>,
        tell: Tell,
    ) -> anyhow::Result<Connection> {
        let (commands, receiver) = unbounded_channel();
        let thread = link(
            "coordinator",
            || async move { Announced::new(&access, session, job, events, tell).await },
            |mut announced| async move { announced.serve(receiver).await },
        )?;
        Ok(Connection {
            commands: Some(commands),
            thread: Some(thread),
        })
    }

    /// Returns whether the thread has ended. It does so before it is dropped only if it panics.
    pub(super) fn is_gone(&self) -> bool {
        self.thread
            .as_ref()
            .is_none_or(thread::JoinHandle::is_finished)
    }

    pub(super) fn command(&self, command: Command) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(command);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A session that is announced.
struct Announced {
    client: Client,
    jetstream: jetstream::Context,
    queue: PullConsumer,
    greeting: Versioned<Greeting>,
    /// The job as it is sent.
    job: Vec<u8>,
    files: Vec<File>,
    tell: Tell,
    events: Sender<Event>,
    asked: Subscriber,
    beats: Subscriber,
    answers: Subscriber,
}

impl Announced {
    async fn new(
        access: &Access,
        session: String,
        job: Job,
        events: Sender<Event>,
        tell: Tell,
    ) -> anyhow::Result<Announced> {
        let client = access.connect(Arc::clone(&tell)).await?;
        let sent = packed(&job)?;
        let most = client.server_info().max_payload;
        if sent.len() > most {
            return Err(anyhow!(
                "send the plan to workers: it has {} bytes, and the server takes messages of {most}; raise `max_payload` in its config",
                sent.len()
            ));
        }
        store(&client, &job.files).await?;
        let jetstream = jetstream::new(client.clone());
        let greeting = Greeting {
            session: session.clone(),
            run: job.name,
            jobs: 0,
        };
        Ok(Announced {
            queue: access::queue(&jetstream, &session).await?,
            asked: client.subscribe(subject("job", &session)).await?,
            beats: client.subscribe(subject("beat", &session)).await?,
            answers: client.subscribe(subject("done", &session)).await?,
            client,
            jetstream,
            greeting: Versioned {
                version: Version::of(&job.program),
                rest: greeting,
            },
            job: sent,
            files: job.files,
            tell,
            events,
        })
    }

    /// Serves until no more commands come.
    async fn serve(&mut self, mut commands: UnboundedReceiver<Command>) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // Quick work first: without a server, a tick takes seconds and the next is due at once.
                biased;
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                Some(message) = self.beats.next() => self.hear_beat(&message),
                Some(message) = self.answers.next() => self.hear_answers(&message).await,
                Some(message) = self.asked.next() => self.send_job(&message).await,
                _ = tick.tick() => self.tick().await,
            }
        }
        self.end().await;
    }

    fn session(&self) -> &str {
        &self.greeting.rest.session
    }

    async fn obey(&mut self, command: Command) {
        match command {
            // If this is lost on the way, it is sent again once the queue is empty.
            Command::Send(batch) => self.send("work", packed(&batch)).await,
            Command::Order(order) => self.send("order", json(&order)).await,
            Command::Jobs(jobs) => self.greeting.rest.jobs = jobs,
        }
    }

    async fn send(&self, kind: &str, payload: anyhow::Result<Vec<u8>>) {
        let subject = subject(kind, self.session());
        self.publish(subject, payload).await;
    }

    async fn publish(&self, subject: String, payload: anyhow::Result<Vec<u8>>) {
        if let Ok(payload) = payload {
            // Without a server this blocks once many messages wait.
            let _ = timeout(LOOK, self.client.publish(subject, payload.into())).await;
        }
    }

    async fn reply(&self, message: &Message, payload: Vec<u8>) {
        if let Some(reply) = &message.reply {
            self.publish(reply.to_string(), Ok(payload)).await;
        }
    }

    /// Sends a worker the job, once all files are stored: a server that was restarted may have lost them.
    async fn send_job(&self, message: &Message) {
        if let Err(why) = store(&self.client, &self.files).await {
            (self.tell)(&format!("{why:#}"));
        }
        self.reply(message, self.job.clone()).await;
    }

    fn hear_beat(&self, message: &Message) {
        let event = match serde_json::from_slice(&message.payload) {
            Ok(beat) => Event::Beat(beat),
            Err(error) => Event::Garbage(error.to_string()),
        };
        let _ = self.events.send(event);
    }

    async fn hear_answers(&self, message: &Message) {
        let event = match unpacked(&message.payload) {
            Ok(answers) => Event::Answers(answers),
            Err(error) => Event::Garbage(format!("{error:#}")),
        };
        let _ = self.events.send(event);
        self.reply(message, Vec::new()).await;
    }

    async fn tick(&mut self) {
        self.publish(SESSIONS.to_owned(), json(&self.greeting))
            .await;
        if let Ok(Ok(info)) = timeout(LOOK, self.queue.get_info()).await {
            let held = info.num_pending + info.num_ack_pending as u64;
            let _ = self.events.send(Event::Queue(held));
            return;
        }
        // A server that was restarted has no queue.
        let queue = access::queue(&self.jetstream, self.session());
        if let Ok(Ok(queue)) = timeout(LOOK, queue).await {
            self.queue = queue;
            let _ = self.events.send(Event::Restored);
        }
    }

    /// Tells the workers, and removes everything from the server except files.
    async fn end(&self) {
        let session = self.session();
        self.send("order", json(&Order::End)).await;
        // Without a server nobody has to be waited for.
        let _ = timeout(LOOK, self.client.flush()).await;
        let clean = async {
            let stream = self.jetstream.get_stream_no_info(QUEUE).await.ok()?;
            stream.delete_consumer(session).await.ok()?;
            stream.purge().filter(subject("work", session)).await.ok()
        };
        let _ = timeout(LOOK, clean).await;
    }
}

fn json(value: &impl Serialize) -> anyhow::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}

/// Stores the files that the server does not have, by their digests.
async fn store(client: &Client, files: &[File]) -> anyhow::Result<()> {
    let bucket = access::bucket(client).await?;
    for file in files.iter().filter(|file| file.is_sent()) {
        if let Ok(info) = bucket.info(file.digest()).await
            && is_fresh(&info)
        {
            continue;
        }
        let path = file.path().display();
        if !file.is_at(file.path()) {
            bail!("store {path} for the workers: it has changed since the run began");
        }
        let mut content = tokio::fs::File::open(file.path())
            .await
            .with_context(|| format!("read {path}"))?;
        let stored = bucket.put(file.digest(), &mut content).await;
        stored.map_err(|error| {
            anyhow!("store {path} for the workers: {error}; `max_mem` and `max_file` of the server's JetStream limit what it holds")
        })?;
    }
    Ok(())
}

/// Returns whether the server keeps a file long enough.
fn is_fresh(info: &object_store::ObjectInfo) -> bool {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    info.modified
        .is_some_and(|modified| now - modified.unix_timestamp() < FRESH)
}
