//! All processes of a bot: the one that the arena started, its descendants, and processes whose
//! parents have ended.

use rustix::process::Pid;

use crate::orphans::left_in_groups;
use crate::proc::{children_of, stat, threads_of};

/// A process and its descendants.
///
/// A process whose parents have ended is recognised by its group or session, if another process of
/// the bot is still in it. A process that left both as well can't be assigned to a bot, and is
/// killed as an [orphan](crate::orphans).
#[derive(Debug)]
pub(crate) struct ProcessTree {
    root: i32,
    /// The processes that were found last.
    known: Vec<i32>,
    /// Whether a process was seen whose parents had ended.
    has_orphans: bool,
}

/// One process of a tree.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    /// The numbers of its threads.
    pub(crate) threads: Vec<i32>,
}

impl ProcessTree {
    /// Creates the tree of a process that was started as a bot and leads its group.
    pub(crate) fn new(root: Pid) -> ProcessTree {
        let root = root.as_raw_nonzero().get();
        ProcessTree {
            root,
            known: vec![root],
            has_orphans: false,
        }
    }

    /// Returns the processes that were found last and still run. Reads one folder for each.
    pub(crate) fn known(&self) -> Vec<Process> {
        let known = self.known.iter();
        known.filter_map(|&pid| Process::find(pid)).collect()
    }

    /// Returns the process that was started and its descendants. Reads one more file for each
    /// thread. Processes whose parents have ended are only included once there was one.
    pub(crate) fn descendants(&mut self) -> Vec<Process> {
        if self.has_orphans {
            self.all()
        } else {
            self.find(vec![self.root])
        }
    }

    /// Returns all processes. Searches all children of the arena for those whose parents have
    /// ended.
    pub(crate) fn all(&mut self) -> Vec<Process> {
        let descendants = self.find(vec![self.root]);
        let orphans = left_in_groups(&self.groups());
        if orphans.iter().all(|pid| self.known.contains(pid)) {
            return descendants;
        }
        self.has_orphans = true;
        self.find([vec![self.root], orphans].concat())
    }

    /// Returns the groups and sessions of the processes that were found last, except our own.
    fn groups(&self) -> Vec<i32> {
        let mut groups = vec![self.root];
        if self.known.len() > 1 {
            let ours = stat("self").map(|own| own.session);
            for process in self.known.iter().filter_map(stat) {
                let both = [process.group, process.session];
                groups.extend(both.into_iter().filter(|group| Some(*group) != ours));
            }
        }
        groups
    }

    /// Returns the descendants that aren't in the group of the first process.
    pub(crate) fn outside_group(&mut self) -> Vec<Pid> {
        let mut outside = Vec::new();
        for Process { pid, .. } in self.descendants() {
            if stat(pid).is_some_and(|process| process.group != self.root) {
                outside.extend(Pid::from_raw(pid));
            }
        }
        outside
    }

    /// Finds which of these processes exist, with their descendants.
    fn find(&mut self, mut pids: Vec<i32>) -> Vec<Process> {
        let mut found: Vec<Process> = Vec::new();
        while let Some(pid) = pids.pop() {
            if found.iter().any(|process| process.pid == pid) {
                continue;
            }
            let Some(process) = Process::find(pid) else {
                continue;
            };
            for thread in &process.threads {
                pids.extend(children_of(pid, *thread).unwrap_or_default());
            }
            found.push(process);
        }
        self.known = found.iter().map(|process| process.pid).collect();
        found
    }
}

impl Process {
    /// Looks at a process; `None` if it is gone.
    fn find(pid: i32) -> Option<Process> {
        let threads = threads_of(pid)?;
        Some(Process { pid, threads })
    }

    /// Returns the folder of each of its threads, as a path within `/proc`.
    pub(crate) fn threads(&self) -> impl Iterator<Item = String> {
        let threads = self.threads.iter();
        threads.map(|thread| format!("{}/task/{thread}", self.pid))
    }
}
