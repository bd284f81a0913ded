//! The coordinator's end of a session: it hands out tasks, and decides which answers count.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::protocol::{Answered, Answers, Job, Order, Outcome, Task};
use crate::{Access, Tell, random_id};
use connection::{Command, Connection, Event};
use in_flight::InFlight;
use members::Members;
pub use members::SeenWorker;

mod connection;
mod in_flight;
mod members;

/// How long batches that are not full wait for more tasks.
const GATHER: Duration = Duration::from_millis(10);
/// How often lost workers are looked for.
const LOOK: Duration = Duration::from_millis(200);
/// For how long nobody may play before people are told.
const PATIENCE: Duration = Duration::from_secs(2);
/// For how long all workers may be unfit before the first worker is given up.
const HOPE: Duration = Duration::from_secs(3);
/// After so long without an answer, and with nothing in the queue, everything is sent again.
const STALE: Duration = Duration::from_secs(2);

/// A session at a server: has the tasks of a job played by its workers. Dropping it ends the session.
pub struct Coordinator {
    url: String,
    tell: Tell,
    connection: Connection,
    events: Receiver<Event>,
    in_flight: InFlight,
    members: Members,
    /// When the session began.
    began: Instant,
    /// When the last task was added.
    newest: Instant,
    /// When the last answer came.
    answered: Instant,
    looked: Instant,
    /// Whether workers were told to begin nothing more.
    drains: bool,
    /// Whether people were told that nobody plays.
    is_waiting: bool,
}

/// What became of a task.
#[derive(Debug)]
pub struct Answer {
    /// The number of the task.
    pub number: u64,
    /// The name of the worker.
    pub worker: String,
    /// Failed means that several workers failed. Given back means that workers begin nothing more, see [`Coordinator::drain`].
    pub outcome: Outcome,
}

/// Judges an answer. The error says why it cannot be right: the worker is dismissed, and others play its tasks.
pub type Judge<'a> = dyn FnMut(Answer) -> Result<(), String> + 'a;

impl Coordinator {
    /// Connects to a server, stores the files of a job there and announces it. `tell` hears of workers that come and go.
    ///
    /// # Errors
    /// If the server cannot be used, or a file has changed.
    pub fn open(access: Access, job: Job, tell: Tell) -> anyhow::Result<Coordinator> {
        let (sender, events) = mpsc::channel();
        let url = access.url.clone();
        let connection = Connection::open(access, random_id(), job, sender, Arc::clone(&tell))?;
        Ok(Coordinator::new(url, connection, events, tell))
    }

    fn new(
        url: String,
        connection: Connection,
        events: Receiver<Event>,
        tell: Tell,
    ) -> Coordinator {
        let now = Instant::now();
        Coordinator {
            url,
            tell,
            connection,
            events,
            in_flight: InFlight::default(),
            members: Members::default(),
            began: now,
            newest: now,
            answered: now,
            looked: now,
            drains: false,
            is_waiting: false,
        }
    }

    /// Waits for the first worker that can play, and returns its [`setup`](crate::Fitness::setup).
    ///
    /// # Errors
    /// If `is_stopped`, if the connection is lost for good, or if all workers are unfit.
    pub fn first_worker(&mut self, is_stopped: &dyn Fn() -> bool) -> anyhow::Result<String> {
        let url = self.url.clone();
        let mut hopeless: Option<Instant> = None;
        loop {
            if is_stopped() {
                bail!("wait for workers at {url}: interrupted");
            }
            self.check()?;
            if let Ok(Event::Beat(beat)) = self.events.recv_timeout(LOOK) {
                let lines = self.members.hear(beat, self.began.elapsed());
                self.tell(lines);
            }
            if let Some(setup) = self.members.first_setup() {
                return Ok(setup.to_owned());
            }
            if !self.is_waiting && self.began.elapsed() > PATIENCE {
                self.tell_waiting();
            }
            let Some(reasons) = self.members.all_unfit() else {
                hopeless = None;
                continue;
            };
            if hopeless.get_or_insert_with(Instant::now).elapsed() > HOPE {
                bail!("play at {url}: no worker can; {}", reasons.join("; "));
            }
        }
    }

    /// Adds a task. Add the tasks of a unit one after the other.
    pub fn add(&mut self, task: Task) {
        self.newest = Instant::now();
        self.in_flight.gather(task);
    }

    /// Returns whether every task has an answer or was cancelled.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Sends tasks and hands answers to `judge`, each task at most once; waits for them at most 10 ms. Set `is_complete` once all
    /// tasks were added.
    ///
    /// # Errors
    /// If the connection is lost for good.
    pub fn poll(&mut self, is_complete: bool, judge: &mut Judge<'_>) -> anyhow::Result<()> {
        let mut event = self.events.recv_timeout(GATHER).ok();
        while let Some(next) = event {
            self.hear(next, judge);
            event = self.events.try_recv().ok();
        }
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            self.check()?;
            self.look();
        }
        let is_dry = is_complete || self.newest.elapsed() >= GATHER;
        while let Some(batch) = self.in_flight.batch(is_dry, self.members.batches()) {
            self.connection.command(Command::Send(batch));
        }
        Ok(())
    }

    /// Removes tasks, and has workers begin none of them. Returns their numbers.
    pub fn cancel(&mut self, is_unwanted: impl Fn(u64) -> bool) -> Vec<u64> {
        let cancelled = self.in_flight.cancel(is_unwanted);
        if !cancelled.is_empty() {
            self.connection
                .command(Command::Order(Order::Skip(cancelled.clone())));
        }
        cancelled
    }

    /// Has workers finish what they have begun, and give back the rest.
    pub fn drain(&mut self) {
        if !self.drains {
            self.drains = true;
            self.connection.command(Command::Order(Order::Drain));
        }
    }

    /// Returns whether nobody plays at the moment.
    pub fn is_alone(&self) -> bool {
        self.members.jobs() == 0
    }

    /// Returns how many units workers should have, at least 2.
    pub fn width(&self) -> usize {
        (self.members.batches() * self.in_flight.units_per_batch()).max(2)
    }

    /// Returns the workers that play or played, in the order of arrival.
    pub fn workers(&self) -> Vec<SeenWorker> {
        self.members.seen(self.began.elapsed())
    }

    fn tell_waiting(&mut self) {
        let url = &self.url;
        self.is_waiting = true;
        (self.tell)(&format!(
            "waiting for workers at {url}: start `arena worker {url}`"
        ));
    }

    fn tell(&self, lines: Vec<String>) {
        for line in lines {
            (self.tell)(&line);
        }
    }

    /// Fails if the thread of the connection has ended.
    fn check(&self) -> anyhow::Result<()> {
        if self.connection.is_gone() {
            bail!(
                "talk to {}: the thread for it has ended, which is a mistake in this program; --resume goes on",
                self.url
            );
        }
        Ok(())
    }

    fn hear(&mut self, event: Event, judge: &mut Judge<'_>) {
        match event {
            Event::Beat(beat) => {
                let lines = self.members.hear(beat, self.began.elapsed());
                self.tell(lines);
            }
            Event::Answers(answers) => self.hear_answers(answers, judge),
            Event::Garbage(why) => {
                (self.tell)(&format!("a worker sent what cannot be read: {why}"));
            }
            Event::Queue(held) => {
                let is_stale = self.answered.elapsed() > STALE && self.newest.elapsed() > STALE;
                if held == 0 && is_stale {
                    self.send_again();
                }
            }
            Event::Restored => self.send_again(),
        }
    }

    fn send_again(&mut self) {
        self.answered = Instant::now();
        for batch in self.in_flight.again() {
            self.connection.command(Command::Send(batch));
        }
    }

    fn hear_answers(&mut self, answers: Answers, judge: &mut Judge<'_>) {
        for answered in answers.tasks {
            // A wrong answer dismisses the worker: the others are ignored.
            let Some(name) = self.members.name(&answers.worker).map(str::to_owned) else {
                return;
            };
            self.answered = Instant::now();
            if self.in_flight.has(answered.number) {
                self.hear_answer(&answers.worker, name, answered, judge);
            }
        }
    }

    /// Takes what became of a task in flight at a worker.
    fn hear_answer(
        &mut self,
        worker: &str,
        name: String,
        answered: Answered,
        judge: &mut Judge<'_>,
    ) {
        let (number, outcome) = (answered.number, answered.outcome.clone());
        let answer = Answer {
            number,
            worker: name,
            outcome: answered.outcome,
        };
        match outcome {
            Outcome::GivenBack if !self.drains => self.once_more(number),
            Outcome::GivenBack => {
                self.take(worker, answer, judge);
            }
            Outcome::Played(_) => {
                if self.take(worker, answer, judge) {
                    self.members.credit(worker);
                    self.in_flight.took(answered.seconds);
                }
            }
            Outcome::Failed(why) => {
                let is_useless = self.members.failed(worker);
                if self.in_flight.failed(number) {
                    self.take(worker, answer, judge);
                } else {
                    self.once_more(number);
                }
                if is_useless {
                    self.dismiss(
                        worker,
                        &format!("it could not play several games in a row: {why}"),
                    );
                }
            }
        }
    }

    /// Hands an answer on, and returns whether it is good.
    fn take(&mut self, worker: &str, answer: Answer, judge: &mut Judge<'_>) -> bool {
        let number = answer.number;
        match judge(answer) {
            Ok(()) => self.in_flight.take(number),
            Err(why) => {
                self.dismiss(worker, &why);
                false
            }
        }
    }

    fn once_more(&mut self, number: u64) {
        if let Some(batch) = self.in_flight.once_more(number) {
            self.connection.command(Command::Send(batch));
        }
    }

    /// Ignores a worker from now on, and has others play what it has.
    fn dismiss(&mut self, worker: &str, why: &str) {
        if let Some(name) = self.members.dismiss(worker) {
            (self.tell)(&format!(
                "worker {name} is dismissed: {why}; its games are played by others"
            ));
            self.connection.command(Command::Order(Order::Dismiss {
                worker: worker.to_owned(),
                why: why.to_owned(),
            }));
            self.send_again();
        }
    }

    /// Looks who is lost, and who is there.
    fn look(&mut self) {
        let lines = self.members.lost(self.began.elapsed());
        self.tell(lines);
        let jobs = self.members.jobs();
        self.connection.command(Command::Jobs(jobs));
        if jobs > 0 {
            self.is_waiting = false;
        } else if !self.is_waiting {
            self.tell_waiting();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_with_the_thread_of_its_connection() {
        let (_sender, events) = mpsc::channel();
        let connection = Connection::default();
        let url = "nats://here".to_owned();
        let mut coordinator = Coordinator::new(url, connection, events, Arc::new(|_| ()));
        let why = loop {
            if let Err(error) = coordinator.poll(false, &mut |_| Ok(())) {
                break error.to_string();
            }
            assert!(coordinator.began.elapsed() < Duration::from_secs(20));
        };
        assert!(why.contains("talk to nats://here: the thread for it has ended"));
    }
}
