//! The workers of a session. They may vanish, lie and come back. Knows neither server nor clock.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::time::Duration;

use crate::protocol::{Beat, Fitness, State};

/// A worker is lost if nothing was heard of it for so long.
const LOST: Duration = Duration::from_secs(6);
/// A worker is useless if it could not play so many tasks in a row.
const GIVE_UP: u32 = 3;

/// The workers of a session.
#[derive(Debug, Default)]
pub(super) struct Members {
    by_id: BTreeMap<String, Member>,
    /// Workers that are ignored from now on.
    dismissed: BTreeSet<String>,
    /// How many workers came.
    arrivals: u64,
}

/// A worker of a session. All times are since the session began.
#[derive(Clone, Debug)]
struct Member {
    /// Its name, followed by a number if another worker has it already.
    name: String,
    jobs: usize,
    /// How many of its answers were accepted.
    games: u64,
    /// When it was heard of last.
    heard: Duration,
    /// When it began to play.
    began: Option<Duration>,
    state: State,
    /// Its place in the order of arrival.
    order: u64,
    is_lost: bool,
    failed_in_a_row: u32,
}

/// A worker that plays or played.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenWorker {
    /// What people call it. No other worker of the session has this name.
    pub name: String,
    /// How many tasks it plays at the same time.
    pub jobs: usize,
    /// How many of its answers were accepted each second.
    pub games_per_second: f64,
    /// For how many seconds nothing was heard of it.
    pub silent: f64,
    /// Whether it is playing.
    pub plays: bool,
}

impl Member {
    fn plays(&self) -> bool {
        !self.is_lost && matches!(self.state, State::Playing(_))
    }

    fn seen(&self, now: Duration) -> Option<SeenWorker> {
        let spent = self.heard.saturating_sub(self.began?);
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 tasks")]
        let games_per_second = self.games as f64 / spent.as_secs_f64().max(1.0);
        Some(SeenWorker {
            name: self.name.clone(),
            jobs: self.jobs,
            games_per_second,
            silent: now.saturating_sub(self.heard).as_secs_f64(),
            plays: self.plays(),
        })
    }
}

impl Members {
    /// Takes note of a beat. Returns lines for people if something has changed.
    pub(super) fn hear(&mut self, beat: Beat, now: Duration) -> Vec<String> {
        if self.dismissed.contains(&beat.worker) {
            return Vec::new();
        }
        if !self.by_id.contains_key(&beat.worker) {
            let member = self.arrived(&beat.name, now);
            self.by_id.insert(beat.worker.clone(), member);
        }
        let Some(member) = self.by_id.get_mut(&beat.worker) else {
            return Vec::new();
        };
        let was_playing = member.plays();
        let was = mem::replace(&mut member.state, beat.state);
        (member.heard, member.jobs, member.is_lost) = (now, beat.jobs.clamp(1, 4096), false);
        let name = &member.name;
        match &member.state {
            State::Playing(Fitness { remarks, .. }) if !was_playing => {
                member.began.get_or_insert(now);
                let mut lines = vec![format!("worker {name}: {} at a time", member.jobs)];
                for remark in remarks {
                    lines.push(format!("worker {name}: {remark}"));
                }
                lines
            }
            State::Unfit { why } if member.state != was => {
                vec![format!("worker {name} cannot play: {why}")]
            }
            State::Leaving if was != State::Leaving => vec![format!("worker {name} leaves")],
            _ => Vec::new(),
        }
    }

    fn arrived(&mut self, name: &str, now: Duration) -> Member {
        self.arrivals += 1;
        Member {
            name: self.free_name(name),
            jobs: 1,
            games: 0,
            heard: now,
            began: None,
            state: State::Idle,
            order: self.arrivals,
            is_lost: false,
            failed_in_a_row: 0,
        }
    }

    /// Returns a name of harmless characters that no other worker has.
    fn free_name(&self, wanted: &str) -> String {
        let mut name: String = wanted
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c))
            .take(40)
            .collect();
        if name.is_empty() {
            name.push_str("worker");
        }
        let mut free = name.clone();
        let mut number = 1;
        while self.by_id.values().any(|member| member.name == free) {
            number += 1;
            free = format!("{name}-{number}");
        }
        free
    }

    /// Takes note of workers of which nothing was heard for too long. Returns lines for people about those that are lost now.
    pub(super) fn lost(&mut self, now: Duration) -> Vec<String> {
        let mut lines = Vec::new();
        for member in self.by_id.values_mut() {
            if now.saturating_sub(member.heard) > LOST {
                if member.plays() {
                    lines.push(format!(
                        "worker {} is lost: its games are played by others",
                        member.name
                    ));
                }
                member.is_lost = true;
            }
        }
        lines
    }

    /// Counts an accepted answer for a worker.
    pub(super) fn credit(&mut self, worker: &str) {
        if let Some(member) = self.by_id.get_mut(worker) {
            member.games += 1;
            member.failed_in_a_row = 0;
        }
    }

    /// Takes note that a worker could not play a task, and returns whether it is useless.
    pub(super) fn failed(&mut self, worker: &str) -> bool {
        self.by_id.get_mut(worker).is_some_and(|member| {
            member.failed_in_a_row += 1;
            member.failed_in_a_row >= GIVE_UP
        })
    }

    /// Ignores a worker from now on. Returns its name if it is not ignored already.
    pub(super) fn dismiss(&mut self, worker: &str) -> Option<String> {
        self.dismissed.insert(worker.to_owned());
        self.by_id.remove(worker).map(|member| member.name)
    }

    /// Returns the name of a worker, unless it is unknown or ignored.
    pub(super) fn name(&self, worker: &str) -> Option<&str> {
        self.by_id.get(worker).map(|member| member.name.as_str())
    }

    fn playing(&self) -> impl Iterator<Item = &Member> {
        self.by_id.values().filter(|member| member.plays())
    }

    /// Returns how many tasks workers play at the same time.
    pub(super) fn jobs(&self) -> usize {
        self.playing().map(|member| member.jobs).sum()
    }

    /// Returns how many batches workers should have: one for each task that they play at the same time, one more each, and one
    /// each in the queue.
    pub(super) fn batches(&self) -> usize {
        self.playing().map(|member| member.jobs + 2).sum()
    }

    /// Returns all workers that play or played, in the order of arrival.
    pub(super) fn seen(&self, now: Duration) -> Vec<SeenWorker> {
        let mut members: Vec<&Member> = self.by_id.values().collect();
        members.sort_by_key(|member| member.order);
        members
            .into_iter()
            .filter_map(|member| member.seen(now))
            .collect()
    }

    /// Returns how the first worker plays that does.
    pub(super) fn first_setup(&self) -> Option<&str> {
        match &self.playing().min_by_key(|member| member.order)?.state {
            State::Playing(fitness) => Some(&fitness.setup),
            _ => None,
        }
    }

    /// Returns the reasons if workers came and all of them are unfit.
    pub(super) fn all_unfit(&self) -> Option<Vec<String>> {
        let mut reasons = Vec::new();
        for member in self.by_id.values().filter(|member| !member.is_lost) {
            match &member.state {
                State::Unfit { why } => reasons.push(format!("{}: {why}", member.name)),
                _ => return None,
            }
        }
        (!reasons.is_empty()).then_some(reasons)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn beat(worker: &str, name: &str, state: State) -> Beat {
        Beat {
            worker: worker.to_owned(),
            name: name.to_owned(),
            jobs: 1,
            cores: 1,
            state,
            games: 0,
        }
    }

    fn playing() -> State {
        State::Playing(Fitness::default())
    }

    #[test]
    fn each_change_is_news_once() {
        let mut members = Members::default();
        let none: [&str; 0] = [];
        let preparing = beat("a", "box", State::Preparing);
        assert_eq!(members.hear(preparing, Duration::ZERO), none);
        let came = ["worker box: 1 at a time"];
        assert_eq!(members.hear(beat("a", "box", playing()), SECOND), came);
        assert_eq!(members.hear(beat("a", "box", playing()), SECOND), none);
        members.hear(beat("b", "other", playing()), 8 * SECOND);
        let lost = ["worker box is lost: its games are played by others"];
        assert_eq!(members.lost(8 * SECOND), lost);
        assert_eq!(members.lost(9 * SECOND), none);
        assert_eq!((members.jobs(), members.batches()), (1, 3));
        let back = members.hear(beat("a", "box", playing()), 10 * SECOND);
        assert_eq!(back, came, "it is there again");
        let left = members.hear(beat("b", "other", State::Leaving), 10 * SECOND);
        assert_eq!(left, ["worker other leaves"]);
    }

    #[test]
    fn remarks_come_with_the_worker() {
        let mut members = Members::default();
        let fitness = Fitness {
            setup: "on paper".into(),
            remarks: vec!["slowly".into()],
        };
        let came = members.hear(beat("a", "box", State::Playing(fitness)), SECOND);
        assert_eq!(came, ["worker box: 1 at a time", "worker box: slowly"]);
        assert_eq!(members.first_setup(), Some("on paper"));
    }

    #[test]
    fn names_are_unique_and_harmless() {
        let mut members = Members::default();
        for (worker, name, shown) in [
            ("a", "box", "box"),
            ("b", "box", "box-2"),
            ("c", "\u{1b}[31m", "31m"),
            ("d", "\u{202e}", "worker"),
        ] {
            members.hear(beat(worker, name, playing()), SECOND);
            assert_eq!(members.name(worker), Some(shown));
        }
    }

    #[test]
    fn a_dismissed_worker_is_ignored() {
        let mut members = Members::default();
        members.hear(beat("a", "box", playing()), SECOND);
        assert_eq!(members.dismiss("a"), Some("box".into()));
        assert_eq!(members.dismiss("a"), None);
        assert_eq!(members.name("a"), None);
        members.hear(beat("a", "box", playing()), SECOND);
        assert_eq!(members.seen(SECOND), []);
    }

    #[test]
    fn a_worker_that_fails_three_times_in_a_row_is_useless() {
        let mut members = Members::default();
        members.hear(beat("a", "box", playing()), SECOND);
        assert!(!members.failed("a"));
        assert!(!members.failed("a"));
        members.credit("a");
        assert!(!members.failed("a"), "it played one in between");
        assert!(!members.failed("a"));
        assert!(members.failed("a"));
    }

    #[test]
    fn a_run_has_no_hope_when_all_are_unfit() {
        let mut members = Members::default();
        assert_eq!(members.all_unfit(), None);
        let why = "there is no java".to_owned();
        let unfit = beat("a", "box", State::Unfit { why });
        let news = members.hear(unfit.clone(), Duration::ZERO);
        assert_eq!(news, ["worker box cannot play: there is no java"]);
        assert!(members.hear(unfit, Duration::ZERO).is_empty());
        let reasons = vec!["box: there is no java".to_owned()];
        assert_eq!(members.all_unfit(), Some(reasons));
        members.hear(beat("b", "box", State::Preparing), Duration::ZERO);
        assert_eq!(members.all_unfit(), None);
    }
}
