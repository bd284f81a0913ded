//! Games played by workers on other machines: an executor like the one on this machine. What counts, and in which order it is
//! written, is decided here; the queue only carries it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};

use super::desk::{Desk, Event};
use super::ledger::{Ledger, News, Retry};
use super::protocol::{Answered, Answers, Order, Spec};
use super::{Access, Stops, Tell, goods, judge, random_id};
use crate::plan::Plan;
use crate::plan::schedule::Fixture;
use crate::play::Abort;
use crate::pool::{Executor, Feed, FeedNext, Finished, PAUSE, UnderWay};
use crate::store::{RemoteWorker, read_folder};
use crate::text::{harmless, harmless_lines};
use crate::worker::{Outcome, Started};
use arena_games::GameSpec;
use arena_process::lock;

/// Batches that are not full wait so long for more games.
const GATHER: Duration = Duration::from_millis(10);
/// How often it is looked at what is lost or not wanted any more.
const LOOK: Duration = Duration::from_millis(200);
/// So long nobody may play before that is told.
const PATIENCE: Duration = Duration::from_secs(2);
/// So long all workers may be unfit before the run is given up that has not begun.
const HOPE: Duration = Duration::from_secs(3);
/// After so long without an answer, and with nothing in the queue, everything is sent again.
const STALE: Duration = Duration::from_secs(2);

/// Has games played by the workers of a server.
pub(crate) struct RemotePool {
    plan: Plan,
    /// The games of the plan, under their options.
    games: Vec<Arc<GameSpec>>,
    access: Access,
    stops: Stops,
    tell: Tell,
    link: Mutex<Option<Link>>,
    width: AtomicUsize,
    seen: Mutex<Vec<RemoteWorker>>,
}

/// A session that is open.
struct Link {
    desk: Desk,
    events: Receiver<Event>,
    ledger: Ledger,
    began: Instant,
}

impl RemotePool {
    /// The workers of a server, for a plan whose games are `games` under their options.
    pub(crate) fn new(
        plan: &Plan,
        games: Vec<Arc<GameSpec>>,
        access: Access,
        stops: Stops,
        tell: Tell,
    ) -> RemotePool {
        let plan = plan.clone();
        RemotePool {
            plan,
            games,
            access,
            stops,
            tell,
            link: Mutex::new(None),
            width: AtomicUsize::new(2),
            seen: Mutex::default(),
        }
    }

    /// All that a worker needs to know.
    fn spec(&self, started: Started) -> anyhow::Result<Spec> {
        let mut others = BTreeSet::new();
        for game in &self.plan.games {
            let read = Mutex::new(Vec::new());
            let spy = |wanted: arena_games::Wanted<'_>| {
                let folder = read_folder(wanted)?;
                lock(&read).extend(folder.files.iter().map(|file| file.path.clone()));
                Ok(folder)
            };
            game.configured(&spy).map_err(|why| anyhow!(why))?;
            others.extend(lock(&read).drain(..));
        }
        let goods = goods::pack(&started, &others)?;
        let folder = std::env::current_dir().context("find the current folder")?;
        Ok(Spec {
            plan: self.plan.clone(),
            started,
            goods,
            folder,
        })
    }

    fn ledger(&self) -> Ledger {
        let schedule = self.plan.schedule();
        let games = (0..self.plan.games.len()).map(|game| schedule.games_per_unit(game));
        Ledger::new(
            games
                .map(|games| usize::try_from(games).unwrap_or(1))
                .collect(),
        )
    }

    fn told(&self, news: News) {
        let tell = &self.tell;
        match news {
            News::Came {
                name,
                jobs,
                remarks,
            } => {
                tell(&format!("worker {name}: {jobs} at a time"));
                for remark in &remarks {
                    tell(&format!("worker {name}: {remark}"));
                }
            }
            News::Unfit { name, why } => tell(&format!("worker {name} cannot play: {why}")),
            News::Left { name } => tell(&format!("worker {name} leaves")),
            News::Lost { name } => tell(&format!(
                "worker {name} is lost: its games are played by others"
            )),
        }
    }

    fn waits(&self) {
        let url = &self.access.url;
        (self.tell)(&format!(
            "waiting for workers at {url}: start `arena worker {url}`"
        ));
    }

    /// The run cannot go on where the thread that talks to the server is gone, whatever the cause.
    fn see_to(&self, desk: &Desk) -> anyhow::Result<()> {
        if desk.is_gone() {
            bail!(
                "talk to {}: the thread for it has ended, which is a mistake in this program; --resume goes on",
                self.access.url
            );
        }
        Ok(())
    }

    /// Waits for the first worker that can play; says what its sandbox has.
    fn first_worker(&self, link: &mut Link) -> anyhow::Result<String> {
        let mut has_told = false;
        let mut hopeless = None;
        loop {
            if (self.stops.drains)() {
                bail!("wait for workers at {}: interrupted", self.access.url);
            }
            self.see_to(&link.desk)?;
            if let Ok(Event::Beat(beat)) = link.events.recv_timeout(LOOK) {
                link.ledger
                    .hear(beat, link.began.elapsed())
                    .into_iter()
                    .for_each(|news| self.told(news));
            }
            if let Some(sandbox) = link.ledger.sandbox() {
                return Ok(harmless(sandbox));
            }
            if !has_told && link.began.elapsed() > PATIENCE {
                self.waits();
                has_told = true;
            }
            hopeless = link.ledger.all_unfit().map(|reasons| {
                (
                    hopeless.map_or_else(Instant::now, |(since, _)| since),
                    reasons,
                )
            });
            if let Some((since, reasons)) = &hopeless
                && since.elapsed() > HOPE
            {
                bail!(
                    "play at {}: no worker can; {}",
                    self.access.url,
                    harmless_lines(&reasons.join("; "))
                );
            }
        }
    }
}

impl Executor for RemotePool {
    fn prepare(&self, started: Started) -> anyhow::Result<String> {
        let spec = self.spec(started)?;
        let (sender, events) = mpsc::channel();
        let desk = Desk::open(
            self.access.clone(),
            &random_id(),
            &spec,
            sender,
            Arc::clone(&self.tell),
        )?;
        let mut link = Link {
            desk,
            events,
            ledger: self.ledger(),
            began: Instant::now(),
        };
        let sandbox = self.first_worker(&mut link)?;
        self.width.store(link.ledger.width(), Ordering::Relaxed);
        *lock(&self.link) = Some(link);
        Ok(format!("{sandbox}; of the first worker"))
    }

    fn width(&self) -> usize {
        self.width.load(Ordering::Relaxed)
    }

    fn workers(&self) -> Vec<RemoteWorker> {
        lock(&self.seen).clone()
    }

    fn execute(&self, feed: &mut dyn Feed) -> anyhow::Result<()> {
        let link = lock(&self.link)
            .take()
            .context("play: no session is open")?;
        let now = Instant::now();
        let mut round = Round {
            pool: self,
            link,
            feed,
            no_more: false,
            drains: false,
            given: BTreeMap::new(),
            newest: now,
            answered: now,
            looked: now,
            played: now,
            is_waiting: false,
        };
        round.play()?;
        // A tuning has games played before those of its run.
        *lock(&self.link) = Some(round.link);
        Ok(())
    }
}

/// One call of [`Executor::execute`].
struct Round<'r> {
    pool: &'r RemotePool,
    link: Link,
    feed: &'r mut dyn Feed,
    /// Whether the feed has no more games.
    no_more: bool,
    /// Whether the workers were told to begin no more.
    drains: bool,
    /// When the feed gave each game that has no result yet.
    given: BTreeMap<u64, Instant>,
    /// When the last game was proposed, and answered.
    newest: Instant,
    answered: Instant,
    looked: Instant,
    /// When there was a result, or it was told that there is none.
    played: Instant,
    /// Whether it was told that nobody plays.
    is_waiting: bool,
}

impl Round<'_> {
    fn play(&mut self) -> anyhow::Result<()> {
        loop {
            if let Ok(event) = self.link.events.recv_timeout(GATHER) {
                self.hear(event);
            }
            while let Ok(event) = self.link.events.try_recv() {
                self.hear(event);
            }
            if self.looked.elapsed() >= LOOK {
                self.looked = Instant::now();
                self.pool.see_to(&self.link.desk)?;
                self.look();
            }
            self.gather();
            self.send();
            if self.played.elapsed() >= PAUSE {
                self.played = Instant::now();
                self.feed.idle(UnderWay::since(self.given.values()));
            }
            if self.no_more && self.link.ledger.is_empty() {
                *lock(&self.pool.seen) = self.link.ledger.seen(self.link.began.elapsed());
                return Ok(());
            }
        }
    }

    /// Takes all games from the feed that it has now.
    fn gather(&mut self) {
        while !self.no_more {
            match self.feed.next() {
                FeedNext::Play(fixture) => {
                    self.newest = Instant::now();
                    self.given.insert(fixture.number, self.newest);
                    self.link.ledger.gather(fixture);
                }
                FeedNext::Wait => break,
                FeedNext::Done => self.no_more = true,
            }
        }
    }

    fn send(&mut self) {
        let is_dry = self.no_more || self.newest.elapsed() >= GATHER;
        while let Some(batch) = self.link.ledger.batch(is_dry) {
            self.link.desk.send(batch);
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Beat(beat) => {
                let news = self.link.ledger.hear(beat, self.link.began.elapsed());
                if let Some(news) = news {
                    self.pool.told(news);
                }
            }
            Event::Answers(answers) => self.hear_answers(answers),
            Event::Garbage(why) => {
                (self.pool.tell)(&format!("a worker sent what cannot be read: {why}"));
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
        for batch in self.link.ledger.again() {
            self.link.desk.send(batch);
        }
    }

    fn hear_answers(&mut self, answers: Answers) {
        for answered in answers.games {
            let Some(name) = self.link.ledger.name(&answers.worker).map(str::to_owned) else {
                return;
            };
            self.answered = Instant::now();
            if let Some(fixture) = self.link.ledger.game(answered.number).cloned() {
                self.hear_answer(&answers.worker, name, fixture, answered);
            }
        }
    }

    /// Takes what became of a game that is under way.
    fn hear_answer(&mut self, worker: &str, name: String, fixture: Fixture, answered: Answered) {
        let Answered {
            number,
            seconds,
            outcome:
                Outcome {
                    game,
                    faults,
                    voided,
                    ..
                },
        } = answered;
        let planned = &self.pool.plan.games[fixture.game];
        match game {
            Ok(played) => {
                let spec = &self.pool.games[fixture.game];
                match judge::judged(planned, spec, &fixture, played, self.pool.plan.kept()) {
                    Ok(played) => {
                        self.link.ledger.credit(worker, seconds);
                        self.finish(fixture, judge::outcome(played, &faults, voided), Some(name));
                    }
                    Err(why) => self.dismiss(
                        worker,
                        &format!("its game {number} is none by the rules: {why}"),
                    ),
                }
            }
            Err(Abort::Failed(why)) => {
                let why = harmless_lines(&why);
                let (retry, is_useless) = self.link.ledger.failed(worker, number);
                match retry {
                    Retry::Again => self.once_more(number),
                    Retry::Never => {
                        self.finish(
                            fixture,
                            Outcome::aborted(
                                Abort::Failed(format!("{why} (on worker {name})")),
                                voided,
                            ),
                            None,
                        );
                    }
                }
                if is_useless {
                    self.dismiss(
                        worker,
                        &format!("it could not play several games in a row: {why}"),
                    );
                }
            }
            Err(_) if self.feed.wants(number) => self.once_more(number),
            Err(abort) => self.finish(fixture, Outcome::aborted(abort, voided), None),
        }
    }

    fn once_more(&mut self, number: u64) {
        if let Some(batch) = self.link.ledger.once_more(number) {
            self.link.desk.send(batch);
        }
    }

    fn finish(&mut self, fixture: Fixture, outcome: Outcome, worker: Option<String>) {
        self.link.ledger.take(fixture.number);
        self.played = Instant::now();
        self.given.remove(&fixture.number);
        self.feed.take(Finished {
            fixture,
            outcome,
            worker,
        });
    }

    /// Nothing that a worker says is believed any more; what it has is played by others.
    fn dismiss(&mut self, worker: &str, why: &str) {
        if let Some(name) = self.link.ledger.dismiss(worker) {
            (self.pool.tell)(&format!(
                "worker {name} is dismissed: {why}; its games are played by others"
            ));
            self.link.desk.order(Order::Dismiss {
                worker: worker.to_owned(),
                why: why.to_owned(),
            });
            self.send_again();
        }
    }

    /// What is lost, what nobody wants any more, who is there.
    fn look(&mut self) {
        let now = self.link.began.elapsed();
        self.link
            .ledger
            .lost(now)
            .into_iter()
            .for_each(|news| self.pool.told(news));
        let jobs = self.link.ledger.jobs();
        let is_alone = jobs == 0;
        *lock(&self.pool.seen) = self.link.ledger.seen(now);
        self.pool
            .width
            .store(self.link.ledger.width(), Ordering::Relaxed);
        self.link.desk.jobs(jobs);
        if is_alone && !self.is_waiting {
            self.pool.waits();
        }
        self.is_waiting = is_alone;
        let stops = &self.pool.stops;
        if (stops.kills)() || ((stops.drains)() && is_alone) {
            let dropped = self.link.ledger.drop_all(|_| true);
            self.give_up(dropped, || Abort::Interrupted);
        } else if (stops.drains)() {
            if !self.drains {
                self.drains = true;
                self.link.desk.order(Order::Drain);
            }
        } else {
            let feed = &*self.feed;
            let dropped = self
                .link
                .ledger
                .drop_all(|fixture| !feed.wants(fixture.number));
            if !dropped.is_empty() {
                let numbers = dropped.iter().map(|fixture| fixture.number).collect();
                self.link.desk.order(Order::Skip(numbers));
            }
            self.give_up(dropped, || Abort::Unwanted);
        }
    }

    /// Tells the feed of games that will have no result.
    fn give_up(&mut self, games: Vec<Fixture>, why: impl Fn() -> Abort) {
        for fixture in games {
            self.finish(fixture, Outcome::aborted(why(), 0), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has no game, and no end for a while.
    struct Idle(Instant);

    impl Feed for Idle {
        fn next(&mut self) -> FeedNext {
            if self.0.elapsed() > Duration::from_secs(20) {
                FeedNext::Done
            } else {
                FeedNext::Wait
            }
        }

        fn take(&mut self, _: Finished) {}

        fn idle(&mut self, _: UnderWay) {}

        fn wants(&self, _: u64) -> bool {
            true
        }
    }

    #[test]
    fn a_run_ends_when_nobody_talks_to_the_server_any_more() {
        let plan = "name = \"a\"\nformat = \"round-robin\"\nseed = \"1\"\ngames_per_pairing = 2\ntrace = false\ngame = []\nbot = []";
        let access = Access {
            url: "nats://here".into(),
            login: None,
            ca: None,
            insecure: false,
        };
        let stops = Stops {
            drains: Box::new(|| false),
            kills: Box::new(|| false),
        };
        let plan = toml::from_str(plan).unwrap();
        let pool = RemotePool::new(&plan, Vec::new(), access, stops, Arc::new(|_| ()));
        let (_sender, events) = mpsc::channel();
        let began = Instant::now();
        *lock(&pool.link) = Some(Link {
            desk: Desk::default(),
            events,
            ledger: Ledger::default(),
            began,
        });
        let played = pool.execute(&mut Idle(began));
        let why = played.unwrap_err().to_string();
        assert!(
            why.contains("talk to nats://here: the thread for it has ended"),
            "{why}"
        );
    }
}
