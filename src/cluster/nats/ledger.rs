//! What an arena knows of the games that workers have: which are under way, and who plays. The queue may deliver a batch twice or
//! lose it, workers may vanish, lie and come back; the first answer that holds takes a game from the list. Knows no server and no clock.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::time::Duration;

use super::protocol::{Batch, Beat, State};
use crate::plan::schedule::Fixture;
use crate::store::RemoteWorker;

/// A batch takes a job of a worker about so many seconds, where a unit is not longer.
const BATCH: f64 = 0.1;
/// The most units of a batch.
const MOST_UNITS: usize = 64;
/// The share of the last game in what is known of the duration of games.
const NEWEST: f64 = 0.02;
/// A worker of which nothing was heard for so long is lost.
const LOST: Duration = Duration::from_secs(6);
/// So often a game that could not be played is played elsewhere.
const TRIES: u32 = 3;
/// After so many games in a row that it could not play, a worker is dismissed.
const GIVE_UP: u32 = 3;

/// The games that workers have, and the workers.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// The games of a unit, for each game of the plan.
    unit_games: Vec<usize>,
    /// Those that are not sent yet, in order.
    gathered: Vec<Fixture>,
    /// Those that are, by number.
    under_way: BTreeMap<u64, UnderWay>,
    /// Batches of which not all is answered, with the number of games that are not.
    batches: BTreeMap<u64, usize>,
    last_batch: u64,
    members: BTreeMap<String, Member>,
    /// Those that are to have nothing to do with this session any more.
    dismissed: BTreeSet<String>,
    /// The mean duration of a game, in seconds, once there is one.
    seconds: Option<f64>,
    /// The number of the next worker.
    arrivals: u64,
}

#[derive(Debug)]
struct UnderWay {
    fixture: Fixture,
    batch: u64,
    /// How often it could not be played.
    failed: u32,
}

/// A worker of a session.
#[derive(Clone, Debug)]
struct Member {
    /// Its name, with a number behind it where another had it before.
    name: String,
    jobs: usize,
    /// The games of it that count.
    games: u64,
    /// When it was heard of last, since the session began.
    heard: Duration,
    /// When it began to play.
    began: Option<Duration>,
    state: State,
    order: u64,
    is_lost: bool,
    failed_in_a_row: u32,
}

impl Member {
    fn plays(&self) -> bool {
        !self.is_lost && matches!(self.state, State::Playing { .. })
    }

    /// What is shown of it at this time since the session began, if it ever played.
    fn seen(&self, now: Duration) -> Option<RemoteWorker> {
        let spent = self
            .heard
            .saturating_sub(self.began?)
            .as_secs_f64()
            .max(1.0);
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 games")]
        let games_per_second = self.games as f64 / spent;
        let (name, silent) = (
            self.name.clone(),
            now.saturating_sub(self.heard).as_secs_f64(),
        );
        Some(RemoteWorker {
            name,
            jobs: self.jobs,
            games_per_second,
            silent,
            plays: self.plays(),
        })
    }
}

/// What a word of a worker changes.
#[derive(Debug, PartialEq)]
pub(super) enum News {
    Came {
        name: String,
        jobs: usize,
        remarks: Vec<String>,
    },
    Unfit {
        name: String,
        why: String,
    },
    Left {
        name: String,
    },
    Lost {
        name: String,
    },
}

/// What becomes of a game that could not be played.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Retry {
    /// It is played once more.
    Again,
    /// It was tried often enough.
    Never,
}

impl Ledger {
    /// Nothing is under way yet. `unit_games` has the games of a unit, for each game of the plan.
    pub(super) fn new(unit_games: Vec<usize>) -> Ledger {
        Ledger {
            unit_games,
            ..Ledger::default()
        }
    }

    /// Takes a game in that is to be played.
    pub(super) fn gather(&mut self, fixture: Fixture) {
        self.gathered.push(fixture);
    }

    /// The next batch, if workers should have more: of whole units. `is_dry` says that no further game comes before some of these are answered.
    pub(super) fn batch(&mut self, is_dry: bool) -> Option<Batch> {
        let wanted = self.units_per_batch();
        let may_send = self.batches.len() < self.batches_wanted();
        let ends = self.unit_ends();
        let end = match ends.get(wanted - 1) {
            Some(end) => *end,
            None if is_dry && self.under_way.is_empty() => self.gathered.len(),
            None if is_dry && may_send => *ends.last()?,
            None => return None,
        };
        let rest = self.gathered.split_off(end);
        let fixtures = mem::replace(&mut self.gathered, rest);
        (!fixtures.is_empty()).then(|| self.send(fixtures))
    }

    /// Behind which places in the list a unit ends: it is complete, or another begins.
    fn unit_ends(&self) -> Vec<usize> {
        let mut games = 0;
        let ends = self
            .gathered
            .iter()
            .enumerate()
            .filter_map(|(place, fixture)| {
                games += 1;
                let is_complete = self
                    .unit_games
                    .get(fixture.game)
                    .is_some_and(|&all| games >= all);
                let is_end = is_complete
                    || self
                        .gathered
                        .get(place + 1)
                        .is_some_and(|next| next.unit != fixture.unit);
                games = if is_end { 0 } else { games };
                is_end.then_some(place + 1)
            });
        ends.collect()
    }

    fn send(&mut self, fixtures: Vec<Fixture>) -> Batch {
        self.last_batch += 1;
        let number = self.last_batch;
        self.batches.insert(number, fixtures.len());
        for fixture in &fixtures {
            let failed = self
                .remove(fixture.number)
                .map_or(0, |before| before.failed);
            let fixture = fixture.clone();
            self.under_way.insert(
                fixture.number,
                UnderWay {
                    fixture,
                    batch: number,
                    failed,
                },
            );
        }
        Batch { number, fixtures }
    }

    fn remove(&mut self, number: u64) -> Option<UnderWay> {
        let taken = self.under_way.remove(&number)?;
        if let Some(left) = self.batches.get_mut(&taken.batch) {
            *left -= 1;
            if *left == 0 {
                self.batches.remove(&taken.batch);
            }
        }
        Some(taken)
    }

    /// All that is under way, once more: nobody has it any more.
    pub(super) fn again(&mut self) -> Vec<Batch> {
        let mut units: Vec<Vec<Fixture>> = Vec::new();
        for UnderWay { fixture, .. } in self.under_way.values() {
            match units.last_mut().filter(|unit| unit[0].unit == fixture.unit) {
                Some(unit) => unit.push(fixture.clone()),
                None => units.push(vec![fixture.clone()]),
            }
        }
        let per_batch = self.units_per_batch();
        let batches: Vec<Vec<Fixture>> = units.chunks(per_batch).map(<[_]>::concat).collect();
        batches
            .into_iter()
            .map(|fixtures| self.send(fixtures))
            .collect()
    }

    /// One game of those under way, once more.
    pub(super) fn once_more(&mut self, number: u64) -> Option<Batch> {
        let fixture = self.under_way.get(&number)?.fixture.clone();
        Some(self.send(vec![fixture]))
    }

    /// Takes those games from the list, sent or not, of which that is said.
    pub(super) fn drop_all(&mut self, is_dropped: impl Fn(&Fixture) -> bool) -> Vec<Fixture> {
        let sent = self
            .under_way
            .values()
            .map(|game| &game.fixture)
            .filter(|fixture| is_dropped(fixture));
        let numbers: Vec<u64> = sent.map(|fixture| fixture.number).collect();
        let mut dropped: Vec<Fixture> = numbers
            .into_iter()
            .filter_map(|number| self.take(number))
            .collect();
        dropped.extend(self.gathered.extract_if(.., |fixture| is_dropped(fixture)));
        dropped
    }

    /// Whether no game is under way or to be sent.
    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty() && self.gathered.is_empty()
    }

    /// A game, if it is under way.
    pub(super) fn game(&self, number: u64) -> Option<&Fixture> {
        self.under_way.get(&number).map(|game| &game.fixture)
    }

    /// Takes a game from the list: its answer holds, or nobody wants it any more. `None` if it is not under way.
    pub(super) fn take(&mut self, number: u64) -> Option<Fixture> {
        self.remove(number).map(|taken| taken.fixture)
    }

    /// Counts a game for a worker that took it so many seconds.
    pub(super) fn credit(&mut self, worker: &str, seconds: f64) {
        if let Some(member) = self.members.get_mut(worker) {
            member.games += 1;
            member.failed_in_a_row = 0;
        }
        if seconds.is_finite() && seconds > 0.0 {
            let seconds = seconds.min(3600.0);
            self.seconds = Some(
                self.seconds
                    .map_or(seconds, |mean| mean + NEWEST * (seconds - mean)),
            );
        }
    }

    /// A worker could not play a game; also says whether it is to be dismissed.
    pub(super) fn failed(&mut self, worker: &str, number: u64) -> (Retry, bool) {
        let is_useless = self.members.get_mut(worker).is_some_and(|member| {
            member.failed_in_a_row += 1;
            member.failed_in_a_row >= GIVE_UP
        });
        let Some(game) = self.under_way.get_mut(&number) else {
            return (Retry::Never, is_useless);
        };
        game.failed += 1;
        (
            if game.failed < TRIES {
                Retry::Again
            } else {
                Retry::Never
            },
            is_useless,
        )
    }

    /// Takes note of a worker at this time since the session began.
    pub(super) fn hear(&mut self, beat: Beat, now: Duration) -> Option<News> {
        if self.dismissed.contains(&beat.worker) {
            return None;
        }
        let (is_new, name) = match self.members.get(&beat.worker) {
            Some(member) => (member.is_lost, member.name.clone()),
            None => (true, self.free_name(&beat.name)),
        };
        let arrivals = &mut self.arrivals;
        let member = self.members.entry(beat.worker).or_insert_with(|| {
            *arrivals += 1;
            Member {
                name: name.clone(),
                jobs: 1,
                games: 0,
                heard: now,
                began: None,
                state: State::Idle,
                order: *arrivals,
                is_lost: false,
                failed_in_a_row: 0,
            }
        });
        let was = mem::replace(&mut member.state, beat.state);
        (member.heard, member.jobs, member.is_lost) = (now, beat.jobs.clamp(1, 4096), false);
        match &member.state {
            State::Playing { remarks, .. } if is_new || !matches!(was, State::Playing { .. }) => {
                member.began.get_or_insert(now);
                Some(News::Came {
                    name,
                    jobs: member.jobs,
                    remarks: remarks.clone(),
                })
            }
            State::Unfit { why } if member.state != was => Some(News::Unfit {
                name,
                why: why.clone(),
            }),
            State::Leaving if was != State::Leaving => Some(News::Left { name }),
            _ => None,
        }
    }

    fn free_name(&self, wanted: &str) -> String {
        let wanted: String = wanted
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
            .take(40)
            .collect();
        let wanted = if wanted.is_empty() {
            "worker".to_owned()
        } else {
            wanted
        };
        let is_free = |name: &String| self.members.values().all(|member| member.name != *name);
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        [wanted.clone()]
            .into_iter()
            .chain(numbered)
            .find(is_free)
            .unwrap_or(wanted)
    }

    /// Those of which nothing was heard for a while, told once.
    pub(super) fn lost(&mut self, now: Duration) -> Vec<News> {
        let silent =
            |member: &&mut Member| !member.is_lost && now.saturating_sub(member.heard) > LOST;
        let silent = self
            .members
            .values_mut()
            .filter(silent)
            .filter_map(|member| {
                member.is_lost = true;
                let was_there = matches!(member.state, State::Playing { .. });
                was_there.then(|| News::Lost {
                    name: member.name.clone(),
                })
            });
        silent.collect()
    }

    /// Has nothing to do with a worker any more. Gives its name, if it was not so before.
    pub(super) fn dismiss(&mut self, worker: &str) -> Option<String> {
        self.dismissed.insert(worker.to_owned());
        self.members.remove(worker).map(|member| member.name)
    }

    /// The name of a worker, if its answers are heard.
    pub(super) fn name(&self, worker: &str) -> Option<&str> {
        self.members.get(worker).map(|member| member.name.as_str())
    }

    /// Those who play.
    fn playing(&self) -> impl Iterator<Item = &Member> {
        self.members.values().filter(|member| member.plays())
    }

    /// The games that are played at the same time; 0 where nobody plays.
    pub(super) fn jobs(&self) -> usize {
        self.playing().map(|member| member.jobs).sum()
    }

    /// Those who play or played, in the order in which they came, as they are shown at this time since the session began.
    pub(super) fn seen(&self, now: Duration) -> Vec<RemoteWorker> {
        let mut members: Vec<&Member> = self.members.values().collect();
        members.sort_by_key(|member| member.order);
        members
            .into_iter()
            .filter_map(|member| member.seen(now))
            .collect()
    }

    /// The sandbox of the first that plays.
    pub(super) fn sandbox(&self) -> Option<&str> {
        match &self.playing().min_by_key(|member| member.order)?.state {
            State::Playing { sandbox, .. } => Some(sandbox),
            _ => None,
        }
    }

    /// Why nobody will play soon: all who came are unfit.
    pub(super) fn all_unfit(&self) -> Option<Vec<String>> {
        let why = |member: &Member| match &member.state {
            State::Unfit { why } => Some(format!("{}: {why}", member.name)),
            _ => None,
        };
        let there: Vec<&Member> = self
            .members
            .values()
            .filter(|member| !member.is_lost)
            .collect();
        let reasons: Vec<String> = there.iter().filter_map(|member| why(member)).collect();
        (!reasons.is_empty() && reasons.len() == there.len()).then_some(reasons)
    }

    /// How many units a batch has, going by the games so far.
    fn units_per_batch(&self) -> usize {
        let Some(seconds) = self.seconds else {
            return 1;
        };
        let unit = self.unit_games.iter().max().copied().unwrap_or(1);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and is bounded"
        )]
        #[expect(clippy::cast_precision_loss, reason = "a unit has few games")]
        let units = (BATCH / (seconds * unit as f64)) as usize;
        units.clamp(1, MOST_UNITS)
    }

    /// The batches that workers should have: one for each game that they play at the same time, one more each, and one in the queue.
    fn batches_wanted(&self) -> usize {
        self.playing().map(|member| member.jobs + 2).sum()
    }

    /// How many units are under way at the most.
    pub(super) fn width(&self) -> usize {
        (self.batches_wanted() * self.units_per_batch()).max(2)
    }
}

#[cfg(test)]
#[path = "ledger/tests.rs"]
mod tests;
