//! A session, for the connection of a worker: fetches batches and sends answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, RequestErrorKind, Subscriber};
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{interval, sleep};

use super::connection::{BEAT, Connection, Identity};
use super::queue::Queue;
use super::{Event, Stop};
use crate::access;
use crate::protocol::{Answers, Batch, Order, Outcome, State, packed, subject, unpacked};

/// A session is over if nothing was heard of it for so long.
const LOST: Duration = Duration::from_secs(10);
/// How long the server keeps a request for batches.
const PULL: Duration = Duration::from_secs(5);
/// The pause after a problem with the server.
const PAUSE: Duration = Duration::from_millis(300);

/// Why a session ends for this worker.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Nobody wants what it holds.
    AtOnce,
    /// It plays what it has begun.
    Orderly,
}

/// A session that the worker plays for.
pub(super) struct Served<'c> {
    connection: &'c Connection,
    own: Identity,
    session: String,
    queue: Arc<Queue>,
    stop: Arc<Stop>,
    events: UnboundedReceiver<Event>,
    orders: Subscriber,
    /// Batches without an answer, by number.
    held: BTreeMap<u64, Held>,
    /// Answers on their way, by the numbers of their batches.
    sending: JoinSet<u64>,
    pull: Option<AbortHandle>,
    state: State,
    /// How the session ends, once it does.
    end: Option<End>,
    /// When the session was announced last.
    greeted: Instant,
    /// Why the coordinator wants nothing more of this worker.
    dismissed: Option<String>,
}

/// A batch that is not answered.
struct Held {
    /// The message that brought it.
    message: jetstream::Message,
    /// Allows one more batch once it is dropped.
    permit: Option<OwnedSemaphorePermit>,
}

impl<'c> Served<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        own: &Identity,
        session: &str,
        queue: Arc<Queue>,
        stop: Arc<Stop>,
        events: UnboundedReceiver<Event>,
        orders: Subscriber,
    ) -> Served<'c> {
        Served {
            connection,
            own: own.clone(),
            session: session.to_owned(),
            queue,
            stop,
            events,
            orders,
            held: BTreeMap::new(),
            sending: JoinSet::new(),
            pull: None,
            state: State::Preparing,
            end: None,
            greeted: Instant::now(),
            dismissed: None,
        }
    }

    /// Returns how many tasks the worker has played since it was started.
    pub(super) fn games(&self) -> u64 {
        self.own.games
    }

    /// Serves until the threads that play have ended and all answers are sent. The error says why it must not join again.
    pub(super) async fn serve(&mut self, greetings: &mut Subscriber) -> anyhow::Result<()> {
        let (batches, mut pulled) = unbounded_channel();
        let mut tick = interval(BEAT);
        let mut has_left = false;
        while !(has_left && (self.sending.is_empty() || self.end == Some(End::AtOnce))) {
            tokio::select! {
                event = self.events.recv(), if !has_left => match event {
                    Some(Event::Left) | None => has_left = true,
                    Some(event) => self.hear(event, &batches).await?,
                },
                Some((batch, held)) = pulled.recv(), if self.end.is_none() => self.take(batch, held).await,
                Some(sent) = self.sending.join_next() => {
                    if let Some(held) = sent.ok().and_then(|number| self.held.remove(&number)) {
                        let _ = held.message.ack().await;
                    }
                }
                Some(message) = self.orders.next() => self.obey(&message.payload).await,
                Some(message) = greetings.next() => self.hear_greeting(&message.payload),
                _ = tick.tick() => self.tick().await,
            }
        }
        match self.dismissed.take() {
            Some(why) => Err(anyhow!("dismissed: {why}")),
            None => Ok(()),
        }
    }

    /// Takes what the threads that play say. Fails if they cannot play.
    async fn hear(
        &mut self,
        event: Event,
        batches: &UnboundedSender<(Batch, Held)>,
    ) -> anyhow::Result<()> {
        match event {
            Event::Ready(fitness) => {
                self.state = State::Playing(fitness);
                let pull = pull(
                    self.connection.client.clone(),
                    self.session.clone(),
                    self.connection.host.jobs + 1,
                    batches.clone(),
                );
                self.pull = Some(tokio::spawn(pull).abort_handle());
                self.beat().await;
            }
            Event::Unfit(why) => return Err(anyhow!(why)),
            Event::Finished(number, outcome) => self.finish(number, outcome),
            Event::Left => {}
        }
        Ok(())
    }

    fn hear_greeting(&mut self, payload: &[u8]) {
        if let Ok(greeting) = self.connection.greeting_of(payload)
            && greeting.session == self.session
        {
            self.greeted = Instant::now();
        }
    }

    async fn beat(&self) {
        self.connection
            .beat(&self.own, &self.session, self.state.clone())
            .await;
    }

    /// Says that the worker is there, and that what it holds is still played. Ends the session if it is over.
    async fn tick(&mut self) {
        self.beat().await;
        for held in self.held.values() {
            let _ = held.message.ack_with(AckKind::Progress).await;
        }
        if self.greeted.elapsed() > LOST {
            self.end(End::AtOnce).await;
        } else if (self.connection.leaves)() {
            self.end(End::Orderly).await;
        }
    }

    async fn take(&mut self, batch: Batch, held: Held) {
        let number = batch.number;
        if let Some(old) = self.held.get_mut(&number) {
            // It was delivered again; only the newer message can be acknowledged.
            old.message = held.message;
        } else if self.queue.push(batch) {
            self.held.insert(number, held);
        } else {
            let _ = held.message.ack().await;
        }
    }

    fn finish(&mut self, number: u64, outcome: Outcome) {
        self.own.games += u64::from(matches!(outcome, Outcome::Played(_)));
        let Some((batch, tasks)) = self.queue.finish(number, outcome) else {
            return;
        };
        if let Some(held) = self.held.get_mut(&batch) {
            // The next batch may come, even if the coordinator does not have the answers yet.
            held.permit = None;
        }
        let worker = self.own.id.clone();
        self.sending.spawn(send(
            self.connection.client.clone(),
            subject("done", &self.session),
            batch,
            Answers { worker, tasks },
        ));
    }

    async fn obey(&mut self, payload: &[u8]) {
        match serde_json::from_slice(payload) {
            Ok(Order::Skip(numbers)) => self.queue.skip(numbers),
            Ok(Order::Drain) => self.queue.drain(),
            Ok(Order::End) => self.end(End::AtOnce).await,
            Ok(Order::Dismiss { worker, why }) if worker == self.own.id => {
                self.dismissed = Some(why);
                self.end(End::AtOnce).await;
            }
            Ok(Order::Dismiss { .. }) | Err(_) => {}
        }
    }

    /// Ends the session, if it does not end already in the same way.
    async fn end(&mut self, end: End) {
        if end == End::Orderly && self.end.is_some() {
            return;
        }
        self.end = Some(end);
        match end {
            End::AtOnce => self.end_at_once(),
            End::Orderly => {
                self.stop_pulling();
                self.state = State::Leaving;
                self.beat().await;
                self.queue.drain();
                self.queue.close();
            }
        }
    }

    fn end_at_once(&mut self) {
        self.stop_pulling();
        self.queue.drain();
        self.queue.close();
        self.stop.raise();
    }

    fn stop_pulling(&mut self) {
        if let Some(pull) = self.pull.take() {
            pull.abort();
        }
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        self.end_at_once();
    }
}

/// Fetches batches, at most so many more than were answered.
async fn pull(client: Client, session: String, most: usize, out: UnboundedSender<(Batch, Held)>) {
    let slots = Arc::new(Semaphore::new(most));
    let jetstream = jetstream::new(client);
    loop {
        if try_to_pull(&jetstream, &session, &slots, &out)
            .await
            .is_none()
        {
            sleep(PAUSE).await;
        }
    }
}

/// Fetches batches until something is wrong with the server.
async fn try_to_pull(
    jetstream: &jetstream::Context,
    session: &str,
    slots: &Arc<Semaphore>,
    out: &UnboundedSender<(Batch, Held)>,
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
                (Ok(batch), permit @ Some(_)) => {
                    out.send((batch, Held { message, permit })).ok()?;
                }
                // No worker can play what this one cannot read.
                _ => drop(message.ack_with(AckKind::Term).await),
            }
        }
    }
}

/// Sends answers until the coordinator has them, and returns the number of the batch.
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

/// Returns answers as they are sent, in messages that the server takes.
fn parts(answers: Answers, most: usize) -> Vec<Vec<u8>> {
    let Ok(whole) = packed(&answers) else {
        return Vec::new();
    };
    if whole.len() <= most {
        return vec![whole];
    }
    let Answers { worker, mut tasks } = answers;
    if let [task] = &mut tasks[..] {
        task.outcome = Outcome::Failed(format!(
            "its record has {} bytes, and the server takes messages of {most}: raise `max_payload` in its config",
            whole.len()
        ));
        return packed(&Answers { worker, tasks }).into_iter().collect();
    }
    let rest = Answers {
        worker: worker.clone(),
        tasks: tasks.split_off(tasks.len() / 2),
    };
    let mut sent = parts(Answers { worker, tasks }, most);
    sent.extend(parts(rest, most));
    sent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Answered;

    #[test]
    fn answers_are_split_until_the_server_takes_them() {
        let mut answers = Answers {
            worker: "w".into(),
            tasks: Vec::new(),
        };
        // The last one is too large by itself. What cannot be packed well stays large.
        for (number, length) in [(0, 200), (1, 200), (2, 200), (3, 4000)] {
            let mut bytes = Vec::new();
            let mut state: u64 = number + 1;
            while bytes.len() < length {
                state = state * 48_271 % 2_147_483_647;
                bytes.push(state.to_le_bytes()[0]);
            }
            answers.tasks.push(Answered {
                number,
                seconds: 1.0,
                outcome: Outcome::Played(bytes),
            });
        }
        let sent = parts(answers, 1000);
        assert!(sent.iter().all(|part| part.len() <= 1000));
        let mut received = Vec::new();
        for part in &sent {
            received.extend(unpacked::<Answers>(part).unwrap().tasks);
        }
        let numbers: Vec<u64> = received.iter().map(|task| task.number).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        assert!(matches!(received[2].outcome, Outcome::Played(_)));
        assert!(
            matches!(&received[3].outcome, Outcome::Failed(why) if why.contains("max_payload"))
        );
    }
}
