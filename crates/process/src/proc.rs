//! What `/proc` says of processes and of how they are related.

use std::fs;

/// How a process is related to others, by number. Processes outside our pid namespace are 0.
#[derive(Clone, Copy)]
pub(crate) struct Relatives {
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
}

/// Returns the children of a thread, adopted ones included; `None` if the kernel has no such list.
pub(crate) fn children_of(pid: i32, thread: i32) -> Option<Vec<i32>> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children")).ok()?;
    let pids = list.split_ascii_whitespace();
    Some(pids.filter_map(|pid| pid.parse().ok()).collect())
}

/// Returns every process of the machine, or of our pid namespace.
pub(crate) fn all_processes() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// Returns the threads of a process; `None` if it is gone.
pub(crate) fn threads_of(pid: i32) -> Option<Vec<i32>> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
    let threads: Vec<i32> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    (!threads.is_empty()).then_some(threads)
}

/// Returns the relatives of a process, which may be `self`.
pub(crate) fn relatives(pid: &str) -> Option<Relatives> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = after_name(&stat)?.split(' ').skip(1).map(str::parse);
    Some(Relatives {
        parent: fields.next()?.ok()?,
        group: fields.next()?.ok()?,
        session: fields.next()?.ok()?,
    })
}

/// Returns the fields of a file `stat` from the state on. The name before them, in brackets, may contain anything.
pub(crate) fn after_name(stat: &str) -> Option<&str> {
    Some(stat.rsplit_once(") ")?.1)
}
