//! The coordinator of a session: it hands out tasks, and decides which answers count.

use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::ensure;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::access::{Access, Tell};
use crate::error::{ClusterError, WrongAnswer};
use crate::link::{BROKEN, link};
use crate::protocol::{Answer, Job, Order, Outcome, Task, random_id};
use connection::{Command, Connection, Event};
use in_flight::InFlight;
use members::Members;

mod connection;
mod in_flight;
mod members;

/// How long [`Coordinator::poll`] waits for an answer.
const WAIT: Duration = Duration::from_millis(10);
/// How often to look for lost workers.
const LOOK: Duration = Duration::from_millis(200);
/// How long a session may have no workers before people get a message.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long all workers may be unfit before the coordinator stops waiting for the first one.
const HOPE: Duration = Duration::from_secs(3);
/// If the queue is empty, all tasks are sent again after this time without an answer.
const STALE: Duration = Duration::from_secs(2);

/// A session at a server: workers play the tasks of a job. Dropping it ends the session.
pub struct Coordinator {
    url: String,
    tell: Tell,
    /// For the thread of the connection. Without it, the thread ends.
    commands: Option<UnboundedSender<Command>>,
    thread: Option<JoinHandle<()>>,
    events: Receiver<Event>,
    in_flight: InFlight,
    members: Members,
    /// When the session began.
    began: Instant,
    /// When the last task was added, or the last answer came.
    changed: Instant,
    looked: Instant,
    /// Whether workers begin no more tasks.
    drains: bool,
    /// Whether people know that no worker plays.
    is_waiting: bool,
}

/// Judges an answer. The error says why it can't be right: the worker is dismissed, and others play
/// its tasks.
pub type Judge<'a> = dyn FnMut(Answer) -> Result<(), WrongAnswer> + 'a;

impl Coordinator {
    /// Connects to a server, stores the files of a job there and announces it. `tell` reports
    /// workers that come and go.
    ///
    /// # Errors
    /// If the server can't be used, or a file has changed.
    pub fn open(access: Access, job: Job, tell: Tell) -> anyhow::Result<Coordinator> {
        let (sender, events) = mpsc::channel();
        let (commands, receiver) = unbounded_channel();
        let (url, teller) = (access.url.clone(), Arc::clone(&tell));
        let thread = link(
            "coordinator",
            || async move { Connection::new(&access, random_id(), job, sender, teller).await },
            |mut connection| async move { connection.serve(receiver).await },
        )?;
        let now = Instant::now();
        Ok(Coordinator {
            url,
            tell,
            commands: Some(commands),
            thread: Some(thread),
            events,
            in_flight: InFlight::default(),
            members: Members::default(),
            began: now,
            changed: now,
            looked: now,
            drains: false,
            is_waiting: false,
        })
    }

    /// Waits for the first worker that can play.
    ///
    /// # Errors
    /// If `is_stopped`, if the connection is lost for good, or if all workers are unfit.
    pub fn first_worker(&mut self, is_stopped: &dyn Fn() -> bool) -> anyhow::Result<()> {
        let mut hopeless: Option<Instant> = None;
        while !is_stopped() {
            self.hear_all(LOOK, &mut |_| Ok(()))?;
            self.look();
            if !self.is_alone() {
                return Ok(());
            }
            let Some(reasons) = self.members.all_unfit() else {
                hopeless = None;
                continue;
            };
            if hopeless.get_or_insert_with(Instant::now).elapsed() > HOPE {
                let (url, reasons) = (&self.url, reasons.join("; "));
                let why = format!("can't play at {url}: no worker can; {reasons}");
                return Err(ClusterError(why).into());
            }
        }
        let why = format!("can't wait for workers at {}: interrupted", self.url);
        Err(ClusterError(why).into())
    }

    /// Adds a task. Add the tasks of a unit one after the other, and all that you have before
    /// [`Coordinator::poll`].
    pub fn add(&mut self, task: Task) {
        self.changed = Instant::now();
        self.in_flight.add(task);
    }

    /// Returns whether every task has an answer or was cancelled.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Sends tasks, and gives answers to `judge`, one for each task. Waits at most 10 ms for
    /// answers. `Failed` means three attempts failed. `GivenBack` comes only from a
    /// [drained](Coordinator::drain) session.
    ///
    /// # Errors
    /// If the connection is lost for good.
    pub fn poll(&mut self, judge: &mut Judge<'_>) -> anyhow::Result<()> {
        while let Some(unit) = self.in_flight.next_unit() {
            self.command(Command::Send(unit));
        }
        self.hear_all(WAIT, judge)?;
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            self.look();
        }
        Ok(())
    }

    /// Removes tasks, so that workers don't begin them. Returns their numbers.
    pub fn cancel(&mut self, is_unwanted: impl Fn(u64) -> bool) -> Vec<u64> {
        let cancelled = self.in_flight.cancel(is_unwanted);
        if !cancelled.is_empty() {
            self.command(Command::Order(Order::Skip(cancelled.clone())));
        }
        cancelled
    }

    /// Lets workers finish their current tasks, and give back the rest.
    pub fn drain(&mut self) {
        if !self.drains {
            self.drains = true;
            self.command(Command::Order(Order::Drain));
        }
    }

    /// Returns whether no worker plays at the moment.
    pub fn is_alone(&self) -> bool {
        self.members.jobs() == 0
    }

    /// Returns how many units keep all workers busy, at least 2.
    pub fn width(&self) -> usize {
        self.members.units().max(2)
    }

    fn command(&self, command: Command) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(command);
        }
    }

    /// Waits up to `wait` for an event, then handles all that have come.
    fn hear_all(&mut self, wait: Duration, judge: &mut Judge<'_>) -> anyhow::Result<()> {
        let mut event = self.events.recv_timeout(wait);
        while let Ok(heard) = event {
            self.hear(heard, judge);
            event = self.events.recv_timeout(Duration::ZERO);
        }
        let is_over = matches!(event, Err(RecvTimeoutError::Disconnected));
        ensure!(!is_over, "can't talk to {}: {BROKEN}", self.url);
        Ok(())
    }

    fn hear(&mut self, event: Event, judge: &mut Judge<'_>) {
        match event {
            Event::Beat(beat) => {
                if let Some(line) = self.members.hear(beat, self.began.elapsed()) {
                    (self.tell)(&line);
                }
            }
            Event::Answer(answer) => self.hear_answer(answer, judge),
            Event::Empty if self.changed.elapsed() > STALE => {
                self.changed = Instant::now();
                for unit in self.in_flight.units() {
                    self.command(Command::Send(unit));
                }
            }
            Event::Empty => {}
        }
    }

    fn hear_answer(&mut self, mut answer: Answer, judge: &mut Judge<'_>) {
        let Some(name) = self.members.name(&answer.worker).map(str::to_owned) else {
            return;
        };
        self.changed = Instant::now();
        let Some(task) = self.in_flight.get(answer.number).cloned() else {
            return;
        };
        let worker = mem::replace(&mut answer.worker, name);
        let is_played = matches!(answer.outcome, Outcome::Played(_));
        let is_final = match &answer.outcome {
            Outcome::Played(_) => true,
            Outcome::GivenBack => self.drains,
            Outcome::Failed(why) => {
                if self.members.failed(&worker) {
                    let why = format!("it could not play several games in a row: {why}");
                    self.dismiss(&worker, &answer.worker, &why);
                }
                self.in_flight.failed(task.number)
            }
        };
        if !is_final {
            return self.command(Command::Send(vec![task]));
        }
        let name = answer.worker.clone();
        match judge(answer) {
            Ok(()) => {
                self.in_flight.take(task.number);
                if is_played {
                    self.members.credit(&worker);
                }
            }
            Err(WrongAnswer(why)) => {
                self.dismiss(&worker, &name, &why);
                self.command(Command::Send(vec![task]));
            }
        }
    }

    /// Ignores a worker from now on. The queue gives its units to others once it doesn't hear of
    /// them any more.
    fn dismiss(&mut self, worker: &str, name: &str, why: &str) {
        self.members.dismiss(worker);
        (self.tell)(&format!(
            "worker {name} is dismissed: {why}; its games are played by others"
        ));
        self.command(Command::Order(Order::Dismiss {
            worker: worker.to_owned(),
            why: why.to_owned(),
        }));
    }

    /// Looks for lost workers, and reports if no worker is left.
    fn look(&mut self) {
        let now = self.began.elapsed();
        for line in self.members.lost(now) {
            (self.tell)(&line);
        }
        let jobs = self.members.jobs();
        self.command(Command::Jobs(jobs));
        if jobs > 0 {
            self.is_waiting = false;
        } else if !self.is_waiting && now > PATIENCE {
            self.is_waiting = true;
            let url = &self.url;
            let line = format!("waiting for workers at {url}: start `arena worker {url}`");
            (self.tell)(&line);
        }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
