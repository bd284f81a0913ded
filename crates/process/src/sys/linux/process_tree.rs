//! All processes of a bot: the one that the arena started, its descendants, and processes whose
//! parents have ended.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::{Pid, getpid};

use crate::sys::orphans::left_in_group;
use crate::sys::proc::{Stat, all_processes, children_of, group_of, stat, threads_of};

/// A process and its descendants.
///
/// A process whose parents have ended is recognised by the bot's group. If it has left that as
/// well, it can't be assigned to a bot, and is killed as an [orphan](crate::sys::orphans).
pub(crate) struct ProcessTree {
    pub(crate) root: i32,
    /// The processes that were found last, with the numbers of their threads.
    pub(crate) found: BTreeMap<i32, Vec<i32>>,
}

impl ProcessTree {
    /// Creates the tree of a process that was started as a bot and leads its group.
    pub(crate) fn new(root: Pid) -> ProcessTree {
        ProcessTree {
            root: root.as_raw_pid(),
            found: BTreeMap::new(),
        }
    }

    /// Finds all processes.
    pub(crate) fn search(&mut self) {
        self.found.clear();
        self.add(vec![self.root]);
        // A parent may have ended during the search.
        self.add(left_in_group(self.root));
    }

    /// Adds those of these processes that exist, with their descendants.
    fn add(&mut self, mut pids: Vec<i32>) {
        while let Some(pid) = pids.pop() {
            if !self.found.contains_key(&pid)
                && let Some(threads) = threads_of(pid)
            {
                for thread in &threads {
                    pids.extend(children_of(pid, *thread).unwrap_or_default());
                }
                self.found.insert(pid, threads);
            }
        }
    }

    /// Finds the processes that aren't in the group of the first one.
    pub(crate) fn outside_group(&mut self) -> Vec<Pid> {
        self.search();
        let mut outside: Vec<i32> = self.found.keys().copied().collect();
        outside.retain(|&pid| ![0, self.root].contains(&group_of(pid)));
        outside.into_iter().filter_map(Pid::from_raw).collect()
    }
}

/// All processes of the machine, or of our pid namespace, at one moment.
///
/// For limits on many bots this is cheaper than their trees: it reads one file for each process,
/// and none for each thread.
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
        if let Some(own) = all.get(&own) {
            ours.extend([own.group, own.session]);
        }
        Processes { all, related, ours }
    }

    /// Returns the processes of a bot, each with the number of its threads: the one that was
    /// started, its descendants, and what is in their groups and sessions.
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
