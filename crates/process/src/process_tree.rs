//! All processes of a bot: the one that the arena started, its descendants, and processes whose
//! parents have ended.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::{Pid, getpid};

use crate::orphans::left_in_group;
use crate::proc::{Stat, all_processes, children_of, stat, threads_of};

/// A process and its descendants.
///
/// A process whose parents have ended is recognised by the bot's group. If it has left that as well,
/// it can't be assigned to a bot, and is killed as an [orphan](crate::orphans).
#[derive(Debug)]
pub(crate) struct ProcessTree {
    root: i32,
    /// The processes that were found last.
    known: Vec<i32>,
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
        let root = root.as_raw_pid();
        ProcessTree {
            root,
            known: vec![root],
        }
    }

    /// Returns the processes that were found last and still run. Reads one folder for each.
    pub(crate) fn known(&self) -> Vec<Process> {
        let known = self.known.iter();
        known.filter_map(|&pid| Process::find(pid)).collect()
    }

    /// Finds all processes. Reads one more file for each thread.
    pub(crate) fn all(&mut self) -> Vec<Process> {
        let mut found = Vec::new();
        add(&mut found, vec![self.root]);
        // A parent may have ended during the search.
        add(&mut found, left_in_group(self.root));
        self.known = found.iter().map(|process| process.pid).collect();
        found
    }

    /// Finds the processes that aren't in the group of the first one.
    pub(crate) fn outside_group(&mut self) -> Vec<Pid> {
        let mut outside = Vec::new();
        for Process { pid, .. } in self.all() {
            if stat(pid).is_some_and(|process| process.group != self.root) {
                outside.extend(Pid::from_raw(pid));
            }
        }
        outside
    }
}

/// Adds those of these processes that exist, with their descendants.
fn add(found: &mut Vec<Process>, mut pids: Vec<i32>) {
    while let Some(pid) = pids.pop() {
        if found.iter().all(|process| process.pid != pid)
            && let Some(process) = Process::find(pid)
        {
            for thread in &process.threads {
                pids.extend(children_of(pid, *thread).unwrap_or_default());
            }
            found.push(process);
        }
    }
}

impl Process {
    /// Looks at a process; `None` if it is gone.
    fn find(pid: i32) -> Option<Process> {
        let threads = threads_of(pid)?;
        Some(Process { pid, threads })
    }
}

/// All processes of the machine, or of our pid namespace, at one moment.
///
/// For limits on many bots this is cheaper than their trees: it reads one file for each process, and
/// none for each thread.
pub(crate) struct Processes {
    all: BTreeMap<i32, Stat>,
    /// The processes that have a number as their parent, group or session.
    related: BTreeMap<i32, Vec<i32>>,
    /// Numbers that relate processes to us, and not to each other.
    ours: BTreeSet<i32>,
}

impl Processes {
    pub(crate) fn now() -> Processes {
        let mut all = BTreeMap::new();
        let mut related: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for pid in all_processes() {
            let Some(stat) = stat(pid) else { continue };
            for number in [stat.parent, stat.group, stat.session] {
                related.entry(number).or_default().push(pid);
            }
            all.insert(pid, stat);
        }
        let own = getpid().as_raw_pid();
        let mut ours = BTreeSet::from([0, own]);
        ours.extend(all.get(&own).map(|own| own.group));
        ours.extend(all.get(&own).map(|own| own.session));
        Processes { all, related, ours }
    }

    /// Returns the processes of a bot, each with the number of its threads: the one that was started,
    /// its descendants, and what is in their groups and sessions.
    pub(crate) fn of(&self, root: Pid) -> Vec<(i32, usize)> {
        let mut seen = self.ours.clone();
        let mut numbers = vec![root.as_raw_pid()];
        let mut found = Vec::new();
        while let Some(number) = numbers.pop() {
            if !seen.insert(number) {
                continue;
            }
            numbers.extend(self.related.get(&number).into_iter().flatten());
            if let Some(stat) = self.all.get(&number) {
                numbers.extend([stat.group, stat.session]);
                found.push((number, stat.threads));
            }
        }
        found
    }
}
