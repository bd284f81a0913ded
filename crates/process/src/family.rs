//! All processes of a bot: the one that the arena started, whatever that started in turn, and what is left of it when a
//! parent has ended.

use std::path::PathBuf;

use rustix::process::Pid;

use crate::orphans::strays;
use crate::proc::{children_of, relatives, threads_of};

/// The processes that descend from one, wherever they went.
///
/// A process whose parents have ended is known by its group or its session, which it has in common with one that is still
/// there. One that left both as well is nobody's, and is killed as an [orphan](super::orphans).
#[derive(Debug)]
pub(super) struct Family {
    root: i32,
    /// Those that were found last.
    known: Vec<i32>,
    /// Whether one of them was seen whose parents had ended.
    scattered: bool,
}

/// One process of a family.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) pid: i32,
    /// Its threads, by number.
    pub(super) threads: Vec<i32>,
}

impl Family {
    /// The family of the process that was started as a bot and leads its group.
    pub(super) fn of(root: Pid) -> Family {
        let root = root.as_raw_nonzero().get();
        Family {
            root,
            known: vec![root],
            scattered: false,
        }
    }

    /// Those that were found last: one folder is read for each.
    pub(super) fn again(&self) -> Vec<Member> {
        self.known
            .iter()
            .filter_map(|&pid| Member::of(pid))
            .collect()
    }

    /// The process that was started, and all below it: one file is read for each thread besides. Others only once there
    /// was one.
    pub(super) fn near(&mut self) -> Vec<Member> {
        if self.scattered {
            self.all()
        } else {
            self.find(vec![self.root])
        }
    }

    /// All of them: also those whose parents have ended, which are looked for among all children of the arena.
    pub(super) fn all(&mut self) -> Vec<Member> {
        let near = self.find(vec![self.root]);
        let mut groups = vec![self.root];
        if self.known.len() > 1 {
            let ours = relatives("self").map(|own| own.session);
            let left = self
                .known
                .iter()
                .filter_map(|pid| relatives(&pid.to_string()));
            let left = left.flat_map(|left| [left.group, left.session]);
            groups.extend(left.filter(|group| Some(*group) != ours));
        }
        let strays = strays(&groups);
        if strays.iter().all(|pid| self.known.contains(pid)) {
            return near;
        }
        self.scattered = true;
        self.find([vec![self.root], strays].concat())
    }

    /// Those near that are not in the group of the first.
    pub(super) fn outside_group(&mut self) -> Vec<Pid> {
        let root = self.root;
        let left = |member: &Member| {
            relatives(&member.pid.to_string()).is_some_and(|own| own.group != root)
        };
        self.near()
            .into_iter()
            .filter(left)
            .filter_map(|member| Pid::from_raw(member.pid))
            .collect()
    }

    /// Those of these processes that are there, with all that descend from them.
    fn find(&mut self, mut pids: Vec<i32>) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        while let Some(pid) = pids.pop() {
            if members.iter().any(|member| member.pid == pid) {
                continue;
            }
            let Some(member) = Member::of(pid) else {
                continue;
            };
            pids.extend(
                member
                    .threads
                    .iter()
                    .flat_map(|thread| children_of(pid, *thread).unwrap_or_default()),
            );
            members.push(member);
        }
        self.known = members.iter().map(|member| member.pid).collect();
        members
    }
}

impl Member {
    /// A process; `None` if it is gone.
    fn of(pid: i32) -> Option<Member> {
        let threads = threads_of(pid)?;
        Some(Member { pid, threads })
    }

    /// What the system tells of each of its threads.
    pub(super) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.threads
            .iter()
            .map(|thread| format!("/proc/{}/task/{thread}", self.pid).into())
    }
}
