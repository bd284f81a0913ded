//! A session in progress at a worker: fetches units and sends answers.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arena_process::{Interrupt, lock};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, RequestErrorKind, Subscriber};
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use super::{BEAT, Connection, PlayEvent, Session, Wanted, read};
use crate::access;
use crate::files::Place;
use crate::protocol::{Answer, Job, Order, Outcome, State, Task, packed, subject, unpacked};

/// A session is over after this time without an announcement.
const LOST: Duration = Duration::from_secs(10);
/// How long the server keeps a request for a unit.
const PULL: Duration = Duration::from_secs(5);
/// The pause before an answer is sent again.
const PAUSE: Duration = Duration::from_millis(300);

/// A session that the worker plays for.
pub(super) struct ActiveSession<'c> {
    connection: &'c Connection,
    session: String,
    wanted: Arc<Wanted>,
    /// For the threads that play. Without it, they end.
    tasks: Option<Sender<(u64, Task)>>,
    stop: Arc<Interrupt>,
    events: UnboundedReceiver<PlayEvent>,
    orders: Subscriber,
    /// The queue of units, while the worker takes any.
    queue: Option<PullConsumer>,
    /// The request for a unit, if it waits for one. The queue delivers none without a request, so
    /// no unit waits unnoticed.
    pulling: JoinSet<Result<Option<jetstream::Message>, async_nats::Error>>,
    /// Units with open tasks, by their place in the stream.
    held: BTreeMap<u64, Held>,
    /// The number of tasks that aren't played yet.
    unplayed: usize,
    /// The answers that are being sent, by unit.
    sending: JoinSet<u64>,
    state: State,
    /// When the session was last announced.
    announced: Instant,
}

/// A unit with open tasks.
struct Held {
    /// The message that brought it.
    message: jetstream::Message,
    /// The number of tasks whose answer the coordinator hasn't confirmed.
    open: usize,
}

impl<'c> ActiveSession<'c> {
    /// Returns a session, and its other end for the threads that play.
    pub(super) fn new(
        connection: &'c Connection,
        session: &str,
        orders: Subscriber,
        job: Job,
        place: Place,
    ) -> anyhow::Result<(ActiveSession<'c>, Session)> {
        let (tasks, receiver) = channel();
        let (sender, events) = unbounded_channel();
        let active = ActiveSession {
            connection,
            session: session.to_owned(),
            wanted: Arc::default(),
            tasks: Some(tasks),
            stop: Arc::new(Interrupt::new()?),
            events,
            orders,
            queue: None,
            pulling: JoinSet::new(),
            held: BTreeMap::new(),
            unplayed: 0,
            sending: JoinSet::new(),
            state: State::Preparing,
            announced: Instant::now(),
        };
        let handed = Session {
            job,
            place,
            stop: Arc::clone(&active.stop),
            wanted: Arc::clone(&active.wanted),
            tasks: Mutex::new(receiver),
            events: sender,
        };
        Ok((active, handed))
    }

    /// Serves until the session is over, or the worker leaves and has sent all answers. Returns why
    /// the worker must not join again, if it must not.
    pub(super) async fn serve(&mut self, announcements: &mut Subscriber) -> Option<String> {
        let mut tick = interval(BEAT);
        let mut has_left = false;
        while !(has_left && self.sending.is_empty()) {
            if let Some(queue) = &self.queue
                && self.pulling.is_empty()
                && self.unplayed <= self.connection.host.jobs
            {
                self.pulling.spawn(pull(queue.clone()));
            }
            tokio::select! {
                event = self.events.recv(), if !has_left => match event {
                    Some(PlayEvent::Ready) => {
                        self.state = State::Playing;
                        self.tick().await;
                    }
                    Some(PlayEvent::Unfit(why)) => return Some(why),
                    Some(PlayEvent::Finished(unit, number, outcome)) => self.finish(unit, number, outcome),
                    None => has_left = true,
                },
                Some(pulled) = self.pulling.join_next() => match pulled {
                    Ok(Ok(Some(message))) => self.take(message).await,
                    Ok(Ok(None)) => {}
                    Ok(Err(_)) | Err(_) => self.queue = None,
                },
                Some(sent) = self.sending.join_next() => {
                    if let Ok(unit) = sent {
                        self.confirm(unit).await;
                    }
                }
                Some(message) = self.orders.next() => match serde_json::from_slice(&message.payload) {
                    Ok(Order::Skip(numbers)) => lock(&self.wanted.skipped).extend(numbers),
                    Ok(Order::Drain) => self.wanted.drains.store(true, Ordering::Relaxed),
                    Ok(Order::End) => return None,
                    Ok(Order::Dismiss { worker, why }) if worker == self.connection.id => {
                        return Some(format!("dismissed: {why}"));
                    }
                    Ok(Order::Dismiss { .. }) | Err(_) => {}
                },
                Some(message) = announcements.next() => {
                    if let Some(announced) = read(&message.payload) && announced.session == self.session {
                        self.announced = Instant::now();
                    }
                }
                _ = tick.tick() => {
                    if self.announced.elapsed() > LOST {
                        return None;
                    }
                    self.tick().await;
                }
            }
        }
        None
    }

    /// Sends a heartbeat, keeps the units, and opens the queue if it is lost. Leaves if the worker
    /// does.
    async fn tick(&mut self) {
        if (self.connection.leaves)() {
            self.state = State::Leaving;
            self.wanted.drains.store(true, Ordering::Relaxed);
            (self.tasks, self.queue) = (None, None);
            self.pulling.abort_all();
        }
        self.connection
            .beat(&self.session, self.state.clone())
            .await;
        for held in self.held.values() {
            let _ = held.message.ack_with(AckKind::Progress).await;
        }
        if self.queue.is_none() && self.state == State::Playing {
            let jetstream = jetstream::new(self.connection.client.clone());
            if let Ok(Ok(queue)) = timeout(BEAT, access::queue(&jetstream, &self.session)).await {
                self.queue = Some(queue);
            }
        }
    }

    /// Takes a unit from the queue.
    async fn take(&mut self, message: jetstream::Message) {
        let Some(queue) = &self.tasks else { return };
        let unit = message.info().map(|info| info.stream_sequence);
        let (Ok(unit), Ok(tasks)) = (unit, unpacked::<Vec<Task>>(&message.payload)) else {
            // Another worker can't read it either.
            let _ = message.ack_with(AckKind::Term).await;
            return;
        };
        if let Some(held) = self.held.get_mut(&unit) {
            // It was delivered again. The queue accepts the confirmation of the newer message only.
            held.message = message;
            return;
        }
        let open = tasks.len();
        self.held.insert(unit, Held { message, open });
        self.unplayed += open;
        for task in tasks {
            let _ = queue.send((unit, task));
        }
    }

    fn finish(&mut self, unit: u64, number: u64, outcome: Outcome) {
        self.unplayed -= 1;
        let answer = Answer {
            worker: self.connection.id.clone(),
            number,
            outcome,
        };
        let client = self.connection.client.clone();
        let subject = subject("done", &self.session);
        self.sending.spawn(async move {
            send(client, subject, answer).await;
            unit
        });
    }

    /// Removes a unit from the queue once the coordinator has all answers.
    async fn confirm(&mut self, unit: u64) {
        if let Some(held) = self.held.get_mut(&unit) {
            held.open -= 1;
            if held.open == 0 {
                let _ = held.message.ack().await;
                self.held.remove(&unit);
            }
        }
    }
}

impl Drop for ActiveSession<'_> {
    fn drop(&mut self) {
        self.wanted.drains.store(true, Ordering::Relaxed);
        self.stop.raise();
    }
}

/// Waits for a unit. Returns `None` if none comes for a while.
async fn pull(queue: PullConsumer) -> Result<Option<jetstream::Message>, async_nats::Error> {
    let units = queue.batch().max_messages(1).expires(PULL);
    units.messages().await?.next().await.transpose()
}

/// Sends an answer until the coordinator has it. If the answer is too large, sends that as the
/// reason of a failure.
async fn send(client: Client, subject: String, mut answer: Answer) {
    loop {
        let Ok(payload) = packed(&answer) else { return };
        let length = payload.len();
        match client.request(subject.clone(), payload.into()).await {
            Ok(_) => return,
            Err(error) if error.kind() == RequestErrorKind::MaxPayloadExceeded => {
                let most = client.server_info().max_payload;
                answer.outcome = Outcome::Failed(format!(
                    "its record has {length} bytes, and the server takes messages of {most}: raise `max_payload` in its config"
                ));
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}
