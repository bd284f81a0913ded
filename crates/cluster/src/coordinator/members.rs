//! The workers of a session. They may vanish, lie and come back.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::protocol::{Heartbeat, State};

/// A worker is lost after this time without a heartbeat.
const LOST: Duration = Duration::from_secs(6);
/// A worker is useless after so many failed tasks in a row.
const GIVE_UP: u32 = 3;

/// The workers of a session.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// In the order of arrival.
    members: Vec<Member>,
    /// Workers to ignore from now on.
    dismissed: BTreeSet<String>,
}

/// A worker of a session. All times are since the session began.
#[derive(Debug, Default)]
struct Member {
    id: String,
    /// Its name, followed by a number if another worker has it already.
    name: String,
    jobs: usize,
    /// When the last heartbeat came.
    heard: Duration,
    /// Its last state; `None` if it is lost.
    state: Option<State>,
    failed_in_a_row: u32,
}

impl Members {
    /// Records a heartbeat. Returns a line for people if something changed.
    pub(super) fn hear(&mut self, beat: Heartbeat, now: Duration) -> Option<String> {
        if self.dismissed.contains(&beat.worker) {
            return None;
        }
        if self.get_mut(&beat.worker).is_none() {
            self.members.push(Member {
                id: beat.worker.clone(),
                name: self.free_name(&beat.name),
                ..Member::default()
            });
        }
        let member = self.get_mut(&beat.worker)?;
        (member.heard, member.jobs) = (now, beat.jobs.clamp(1, 4096));
        let before = member.state.replace(beat.state);
        if before == member.state {
            return None;
        }
        let name = &member.name;
        Some(match member.state.as_ref()? {
            State::Preparing => return None,
            State::Playing => format!("worker {name}: {} at a time", member.jobs),
            State::Unfit { why } => format!("worker {name} cannot play: {why}"),
            State::Leaving => format!("worker {name} leaves"),
        })
    }

    fn get_mut(&mut self, worker: &str) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.id == worker)
    }

    /// Returns a name of harmless characters that no other worker has.
    fn free_name(&self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        name.retain(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        name.truncate(40);
        if name.is_empty() {
            name.push_str("worker");
        }
        let (mut free, mut numbers) = (name.clone(), 2..);
        while self.members.iter().any(|member| member.name == free) {
            free = format!("{name}-{}", numbers.next().unwrap_or(0));
        }
        free
    }

    /// Looks for workers without heartbeats. Returns a line for people about each newly lost
    /// worker.
    pub(super) fn lost(&mut self, now: Duration) -> Vec<String> {
        let mut lines = Vec::new();
        for Member {
            heard, state, name, ..
        } in &mut self.members
        {
            if now.saturating_sub(*heard) > LOST && state.take() == Some(State::Playing) {
                let line = format!("worker {name} is lost: its games are played by others");
                lines.push(line);
            }
        }
        lines
    }

    /// Forgets the failed tasks of a worker, because it played one.
    pub(super) fn credit(&mut self, worker: &str) {
        if let Some(member) = self.get_mut(worker) {
            member.failed_in_a_row = 0;
        }
    }

    /// Counts a failed task of a worker. Returns whether the worker is useless.
    pub(super) fn failed(&mut self, worker: &str) -> bool {
        self.get_mut(worker).is_some_and(|member| {
            member.failed_in_a_row += 1;
            member.failed_in_a_row >= GIVE_UP
        })
    }

    /// Ignores a worker from now on.
    pub(super) fn dismiss(&mut self, worker: &str) {
        self.dismissed.insert(worker.to_owned());
        self.members.retain(|member| member.id != worker);
    }

    /// Returns the name of a worker, unless it is unknown or ignored.
    pub(super) fn name(&self, worker: &str) -> Option<&str> {
        let member = self.members.iter().find(|member| member.id == worker)?;
        Some(&member.name)
    }

    fn playing(&self) -> impl Iterator<Item = &Member> {
        let is_playing = |member: &&Member| member.state == Some(State::Playing);
        self.members.iter().filter(is_playing)
    }

    /// Returns how many tasks workers play at the same time.
    pub(super) fn jobs(&self) -> usize {
        self.playing().map(|member| member.jobs).sum()
    }

    /// Returns how many units keep all workers busy: for each worker one per task that it plays at
    /// the same time, one that it holds ready, and one in the queue.
    pub(super) fn units(&self) -> usize {
        self.playing().map(|member| member.jobs + 2).sum()
    }

    /// Returns the reasons if workers came and all of them are unfit.
    pub(super) fn all_unfit(&self) -> Option<Vec<String>> {
        let mut reasons = Vec::new();
        for member in &self.members {
            match &member.state {
                Some(State::Unfit { why }) => reasons.push(format!("{}: {why}", member.name)),
                Some(_) => return None,
                None => {}
            }
        }
        (!reasons.is_empty()).then_some(reasons)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn beat(worker: &str, name: &str, state: State) -> Heartbeat {
        Heartbeat {
            worker: worker.to_owned(),
            name: name.to_owned(),
            jobs: 1,
            state,
        }
    }

    #[test]
    fn each_change_is_news_once() {
        let mut members = Members::default();
        let preparing = beat("a", "box", State::Preparing);
        assert_eq!(members.hear(preparing, Duration::ZERO), None);
        let came = Some("worker box: 1 at a time".to_owned());
        assert_eq!(members.hear(beat("a", "box", State::Playing), SECOND), came);
        assert_eq!(members.hear(beat("a", "box", State::Playing), SECOND), None);
        members.hear(beat("b", "other", State::Playing), 8 * SECOND);
        let lost = ["worker box is lost: its games are played by others"];
        assert_eq!(members.lost(8 * SECOND), lost);
        assert!(members.lost(9 * SECOND).is_empty());
        assert_eq!((members.jobs(), members.units()), (1, 3));
        let back = members.hear(beat("a", "box", State::Playing), 10 * SECOND);
        assert_eq!(back, came, "it is back");
        let left = members.hear(beat("b", "other", State::Leaving), 10 * SECOND);
        assert_eq!(left, Some("worker other leaves".to_owned()));
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
            members.hear(beat(worker, name, State::Playing), SECOND);
            assert_eq!(members.name(worker), Some(shown));
        }
    }

    #[test]
    fn a_dismissed_worker_is_ignored() {
        let mut members = Members::default();
        members.hear(beat("a", "box", State::Playing), SECOND);
        members.dismiss("a");
        assert_eq!(members.name("a"), None);
        members.hear(beat("a", "box", State::Playing), SECOND);
        assert_eq!(members.jobs(), 0);
    }

    #[test]
    fn a_worker_that_fails_three_times_in_a_row_is_useless() {
        let mut members = Members::default();
        members.hear(beat("a", "box", State::Playing), SECOND);
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
        assert_eq!(
            news,
            Some("worker box cannot play: there is no java".to_owned())
        );
        assert_eq!(members.hear(unfit, Duration::ZERO), None);
        let reasons = vec!["box: there is no java".to_owned()];
        assert_eq!(members.all_unfit(), Some(reasons));
        members.hear(beat("b", "box", State::Preparing), Duration::ZERO);
        assert_eq!(members.all_unfit(), None);
    }
}
