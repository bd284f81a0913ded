//! All processes of a bot: the one that the arena started, its descendants, and what is left when a parent has ended.

use std::path::PathBuf;

use rustix::process::Pid;

use crate::orphans::left_in_groups;
use crate::proc::{children_of, relatives, threads_of};

/// A process and its descendants.
///
/// A process whose parents have ended is recognised by its group or session, if another process of the bot is still in it. A
/// process that left both as well can't be assigned to a bot, and is killed as an [orphan](crate::orphans).
#[derive(Debug)]
pub(crate) struct Family {
    root: i32,
    /// The processes that were found last.
    known: Vec<i32>,
    /// Whether a process was seen whose parents had ended.
    scattered: bool,
}

/// One process of a family.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) pid: i32,
    /// The numbers of its threads.
    pub(crate) threads: Vec<i32>,
}

impl Family {
    /// The family of a process that was started as a bot and leads its group.
    pub(crate) fn of(root: Pid) -> Family {
        let root = root.as_raw_nonzero().get();
        Family {
            root,
            known: vec![root],
            scattered: false,
        }
    }

    /// Returns the processes that were found last. Reads one folder for each.
    pub(crate) fn again(&self) -> Vec<Member> {
        self.known
            .iter()
            .filter_map(|&pid| Member::of(pid))
            .collect()
    }

    /// Returns the process that was started and its descendants. Reads one more file for each thread. Processes whose parents
    /// have ended are only included once there was one.
    pub(crate) fn near(&mut self) -> Vec<Member> {
        if self.scattered {
            self.all()
        } else {
            self.find(vec![self.root])
        }
    }

    /// Returns all processes, also those whose parents have ended, which are searched among all children of the arena.
    pub(crate) fn all(&mut self) -> Vec<Member> {
        let near = self.find(vec![self.root]);
        let orphans = left_in_groups(&self.groups());
        if orphans.iter().all(|pid| self.known.contains(pid)) {
            return near;
        }
        self.scattered = true;
        self.find([vec![self.root], orphans].concat())
    }

    /// The groups and sessions of the processes that were found last, except our own.
    fn groups(&self) -> Vec<i32> {
        let mut groups = vec![self.root];
        if self.known.len() > 1 {
            let ours = relatives("self").map(|own| own.session);
            for pid in &self.known {
                if let Some(member) = relatives(&pid.to_string()) {
                    let both = [member.group, member.session];
                    groups.extend(both.into_iter().filter(|group| Some(*group) != ours));
                }
            }
        }
        groups
    }

    /// Returns the near processes that aren't in the group of the first one.
    pub(crate) fn outside_group(&mut self) -> Vec<Pid> {
        let mut outside = Vec::new();
        for Member { pid, .. } in self.near() {
            if relatives(&pid.to_string()).is_some_and(|member| member.group != self.root) {
                outside.extend(Pid::from_raw(pid));
            }
        }
        outside
    }

    /// Finds which of these processes exist, with their descendants.
    fn find(&mut self, mut pids: Vec<i32>) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        while let Some(pid) = pids.pop() {
            if members.iter().any(|member| member.pid == pid) {
                continue;
            }
            let Some(member) = Member::of(pid) else {
                continue;
            };
            for thread in &member.threads {
                pids.extend(children_of(pid, *thread).unwrap_or_default());
            }
            members.push(member);
        }
        self.known = members.iter().map(|member| member.pid).collect();
        members
    }
}

impl Member {
    /// Looks at a process; `None` if it is gone.
    fn of(pid: i32) -> Option<Member> {
        let threads = threads_of(pid)?;
        Some(Member { pid, threads })
    }

    /// Returns the folder in `/proc` of each of its threads.
    pub(crate) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.threads
            .iter()
            .map(|thread| format!("/proc/{}/task/{thread}", self.pid).into())
    }
}
