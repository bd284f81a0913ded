//! All processes of a bot: the one that the arena started, whatever that started in turn, and what is left of it when a
//! parent has ended.

use std::fs;

use rustix::process::Pid;

use super::orphans::{relatives, strays};

/// The processes that descend from one, wherever they went.
///
/// A process whose parents have ended is known by its group or its session, which it has in common with one that is still
/// there. In the sandbox no process leaves its group, see [`super::sandbox::calls`], so none is missed; without the sandbox
/// one that left both and whose parents have ended is.
#[derive(Debug)]
pub(super) struct Family {
    root: Pid,
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
        Family { root, scattered: false }
    }

    /// The process that was started, and all below it: one file for each thread is read. Others only once there was one.
    pub(super) fn near(&mut self) -> Vec<Member> {
        let near = with_descendants(vec![self.root.as_raw_nonzero().get()]);
        if self.scattered { self.with_strays(near) } else { near }
    }

    /// All of them: also those whose parents have ended, which are looked for among all children of the arena.
    pub(super) fn all(&mut self) -> Vec<Member> {
        let near = with_descendants(vec![self.root.as_raw_nonzero().get()]);
        self.with_strays(near)
    }

    fn with_strays(&mut self, near: Vec<Member>) -> Vec<Member> {
        let root = self.root.as_raw_nonzero().get();
        let mut pids: Vec<i32> = near.iter().map(|member| member.pid).collect();
        let mut groups = vec![root];
        if let Some([_, _, ours]) = relatives("self") {
            let left = pids.iter().skip(1).filter_map(|pid| relatives(&pid.to_string()));
            groups.extend(left.flat_map(|[_, group, session]| [group, session]).filter(|&group| group != ours));
        }
        let strays = strays(&groups);
        let known = pids.len();
        pids.extend(strays.into_iter().filter(|pid| !near.iter().any(|member| member.pid == *pid)));
        if pids.len() == known {
            return near;
        }
        self.scattered = true;
        with_descendants(pids)
    }
}

/// Those of these processes that are there, with all that descend from them.
fn with_descendants(mut pids: Vec<i32>) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    while let Some(pid) = pids.pop() {
        if members.iter().any(|member| member.pid == pid) {
            continue;
        }
        let threads = threads_of(pid);
        pids.extend(threads.iter().flat_map(|thread| children_of(pid, *thread).unwrap_or_default()));
        if !threads.is_empty() {
            members.push(Member { pid, threads });
        }
    }
    members
}

/// The threads of a process; none if it is gone.
pub(super) fn threads_of(pid: i32) -> Vec<i32> {
    let names =
        fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).collect()
}

/// The processes that a thread started and those that it was given; `None` where the kernel has no such list.
pub(super) fn children_of(pid: i32, thread: i32) -> Option<Vec<i32>> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).ok()?;
    Some(list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}
