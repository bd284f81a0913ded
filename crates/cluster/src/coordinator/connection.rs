//! The coordinator's connection: all asynchronous code of a session, on one thread with a channel
//! in each direction.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::Context as _;
use async_nats::jetstream;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::access::{self, Access, Tell};
use crate::error::ClusterError;
use crate::files::File;
use crate::protocol::{
    Announcement, Answer, Heartbeat, Job, Order, QUEUE, SESSIONS, Task, packed, subject, unpacked,
};

/// How often to announce the session and look at the queue.
const TICK: Duration = Duration::from_millis(500);
/// How long the server may take to describe the queue, or to accept a message.
const LOOK: Duration = Duration::from_secs(2);

/// An event for the thread of the coordinator.
#[derive(Debug)]
pub(super) enum Event {
    Beat(Heartbeat),
    Answer(Answer),
    /// No unit is in the queue or at a worker.
    Empty,
}

/// A command for the thread of the connection.
#[derive(Debug)]
pub(super) enum Command {
    /// Send the tasks of a unit.
    Send(Vec<Task>),
    Order(Order),
    /// Announce how many tasks workers play at the same time.
    Jobs(usize),
}

/// The connection of an announced session.
pub(super) struct Connection {
    client: Client,
    jetstream: jetstream::Context,
    queue: PullConsumer,
    announcement: Announcement,
    /// The job as a message.
    job: Vec<u8>,
    files: Vec<File>,
    tell: Tell,
    events: Sender<Event>,
    asked: Subscriber,
    beats: Subscriber,
    answers: Subscriber,
}

impl Connection {
    /// Connects, stores the files and opens the session.
    pub(super) async fn new(
        access: &Access,
        session: String,
        job: Job,
        events: Sender<Event>,
        tell: Tell,
    ) -> anyhow::Result<Connection> {
        let client = access.connect(Arc::clone(&tell)).await?;
        let sent = packed(&job)?;
        let (bytes, most) = (sent.len(), client.server_info().max_payload);
        if bytes > most {
            let why = format!(
                "can't send the plan to workers: it has {bytes} bytes, and the server takes messages of {most}; raise `max_payload` in its config"
            );
            return Err(ClusterError(why).into());
        }
        store(&client, &job.files).await?;
        let jetstream = jetstream::new(client.clone());
        Ok(Connection {
            queue: access::queue(&jetstream, &session).await?,
            asked: client.subscribe(subject("job", &session)).await?,
            beats: client.subscribe(subject("beat", &session)).await?,
            answers: client.subscribe(subject("done", &session)).await?,
            client,
            jetstream,
            announcement: Announcement {
                program: job.program,
                session,
                name: job.name,
                jobs: 0,
            },
            job: sent,
            files: job.files,
            tell,
            events,
        })
    }

    /// Serves until no more commands come.
    pub(super) async fn serve(&mut self, mut commands: UnboundedReceiver<Command>) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // Quick work first: without a server, a tick takes seconds and the next one is due
                // at once.
                biased;
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                Some(message) = self.beats.next() => {
                    if let Ok(beat) = serde_json::from_slice(&message.payload) {
                        let _ = self.events.send(Event::Beat(beat));
                    }
                }
                Some(message) = self.answers.next() => {
                    if let Ok(answer) = unpacked(&message.payload) {
                        let _ = self.events.send(Event::Answer(answer));
                    }
                    self.reply(&message, Vec::new()).await;
                }
                Some(message) = self.asked.next() => self.send_job(&message).await,
                _ = tick.tick() => self.tick().await,
            }
        }
        self.end().await;
    }

    async fn obey(&mut self, command: Command) {
        match command {
            // A lost unit is sent again once the queue is empty.
            Command::Send(unit) => self.send("work", packed(&unit)).await,
            Command::Order(order) => self.send("order", json(&order)).await,
            Command::Jobs(jobs) => self.announcement.jobs = jobs,
        }
    }

    async fn send(&self, kind: &str, payload: anyhow::Result<Vec<u8>>) {
        let subject = subject(kind, &self.announcement.session);
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

    /// Sends a worker the job. Stores the files before that: a server that was restarted may have
    /// lost them.
    async fn send_job(&self, message: &Message) {
        if let Err(why) = store(&self.client, &self.files).await {
            (self.tell)(&format!("{why:#}"));
        }
        self.reply(message, self.job.clone()).await;
    }

    async fn tick(&mut self) {
        self.publish(SESSIONS.to_owned(), json(&self.announcement))
            .await;
        if let Ok(Ok(info)) = timeout(LOOK, self.queue.get_info()).await {
            if info.num_pending == 0 && info.num_ack_pending == 0 {
                let _ = self.events.send(Event::Empty);
            }
            return;
        }
        // A server that was restarted has no queue.
        let queue = access::queue(&self.jetstream, &self.announcement.session);
        if let Ok(Ok(queue)) = timeout(LOOK, queue).await {
            self.queue = queue;
        }
    }

    /// Ends the session for all workers, and removes everything from the server except files.
    async fn end(&self) {
        let session = &self.announcement.session;
        self.send("order", json(&Order::End)).await;
        // Without a server, waiting is useless.
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

/// Stores the files that the server doesn't have, by their digests.
async fn store(client: &Client, files: &[File]) -> anyhow::Result<()> {
    let bucket = access::bucket(client).await?;
    for file in files {
        let digest = file.digest.as_str();
        if bucket.info(digest).await.is_ok() {
            continue;
        }
        let path = file.path.display();
        if !file.is_at(&file.path) {
            let why = "it has changed since the run began";
            return Err(ClusterError(format!("can't store {path} for the workers: {why}")).into());
        }
        let mut content = tokio::fs::File::open(&file.path)
            .await
            .with_context(|| format!("can't read {path}"))?;
        bucket.put(digest, &mut content).await.map_err(|error| {
            ClusterError(format!(
                "can't store {path} for the workers: {error}; `max_mem` and `max_file` of the server's JetStream limit what it holds"
            ))
        })?;
    }
    Ok(())
}
