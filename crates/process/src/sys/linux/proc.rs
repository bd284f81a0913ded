//! The parts of `/proc` that describe processes and how they are related.

use std::fmt::Display;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

use nix::unistd;
use rustix::time::{ClockId, clock_gettime};

use crate::lack;

/// The unit of the kernel's times in `stat`, in milliseconds: 100 ticks a second, whatever its
/// clock does.
const TICK_MS: u64 = 10;
pub(crate) const TICK: Duration = Duration::from_millis(TICK_MS);

/// Some fields of a file `stat`. Processes outside our pid namespace have the number 0.
#[derive(Clone, Copy)]
pub(crate) struct Stat {
    /// Whether it runs or waits for a core.
    pub(crate) is_runnable: bool,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// The number of its threads.
    pub(crate) threads: usize,
    /// Its time on a core, with all threads, and with children that have ended and been waited for.
    pub(crate) cpu_time: Duration,
    /// When it was started, as time since boot in whole ticks.
    pub(crate) started: Duration,
}

/// Reads the `stat` of a process, which may be `self`, or of a thread, as in `1/task/2`; `None` if
/// it is gone.
pub(crate) fn stat(process: impl Display) -> Option<Stat> {
    let text = KernelFile::open(format!("/proc/{process}/stat"))?.read()?;
    // The name of the program, in brackets, may contain anything.
    let (_, fields) = text.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    let mut ids = fields.by_ref().map(str::parse);
    let (parent, group, session) = (ids.next()?.ok()?, ids.next()?.ok()?, ids.next()?.ok()?);
    // Seven other numbers come before the four times, priority and niceness before the number of
    // threads, and another one before the start.
    let mut numbers = fields.skip(7).map_while(|field| field.parse::<i64>().ok());
    let ticks = numbers.by_ref().take(4).map(i64::unsigned_abs).sum();
    let threads = usize::try_from(numbers.nth(2)?).ok()?;
    let started = numbers.nth(1)?.unsigned_abs();
    Some(Stat {
        is_runnable: state == "R",
        parent,
        group,
        session,
        threads,
        cpu_time: of_ticks(ticks),
        started: of_ticks(started),
    })
}

fn of_ticks(ticks: u64) -> Duration {
    Duration::from_millis(ticks.saturating_mul(TICK_MS))
}

/// Returns the group of a process; 0 if it is gone, or if we don't see its group.
pub(crate) fn group_of(pid: i32) -> i32 {
    unistd::getpgid(Some(unistd::Pid::from_raw(pid))).map_or(0, unistd::Pid::as_raw)
}

/// Returns the process of a thread; `None` if it is gone.
pub(crate) fn process_of(thread: i32) -> Option<i32> {
    line_of(format!("/proc/{thread}/status"), "Tgid:")?
        .parse()
        .ok()
}

/// A file of the kernel, which can be read again and again. If it is small, one call reads it.
pub(crate) struct KernelFile(File);

impl KernelFile {
    /// The most bytes that the kernel returns at a time. It splits no entry of a list.
    const PAGE: usize = 4096;
    /// The longest number or line, in bytes.
    const ENTRY: usize = 256;

    /// Opens a file. If that fails, notes what the machine lacks.
    pub(crate) fn open(path: impl AsRef<Path>) -> Option<KernelFile> {
        File::open(path)
            .inspect_err(lack::note)
            .ok()
            .map(KernelFile)
    }

    /// Returns its content now; `None` if it can't be read.
    pub(crate) fn read(&self) -> Option<String> {
        let (mut bytes, mut length) = (Vec::new(), 0);
        loop {
            bytes.resize(length + KernelFile::PAGE, 0);
            let read = self.0.read_at(&mut bytes[length..], length as u64).ok()?;
            length += read;
            if read + KernelFile::ENTRY <= KernelFile::PAGE {
                return Some(String::from_utf8_lossy(&bytes[..length]).into_owned());
            }
        }
    }
}

/// Returns what follows a name at the beginning of a line of a file.
pub(crate) fn line_of(path: impl AsRef<Path>, name: &str) -> Option<String> {
    let text = KernelFile::open(path)?.read()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().to_owned())
}

/// Returns how long the machine has been running, as [`Stat::started`] counts.
pub(crate) fn since_boot() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Boottime)).unwrap_or_default()
}

/// Returns the children of a thread, adopted ones included; `None` if the kernel has no such list.
pub(crate) fn children_of(pid: i32, thread: i32) -> Option<Vec<i32>> {
    let list = KernelFile::open(format!("/proc/{pid}/task/{thread}/children"))?;
    Some(numbers(&list.read()?))
}

/// The numbers in a list of the kernel.
pub(crate) fn numbers(list: &str) -> Vec<i32> {
    list.split_ascii_whitespace().flat_map(str::parse).collect()
}

/// Returns every process of the machine, or of our pid namespace.
pub(crate) fn all_processes() -> Vec<i32> {
    numbers_in("/proc").unwrap_or_default()
}

/// Returns the threads of a process; `None` if it is gone. Most have one and need no list.
pub(crate) fn threads_of(pid: i32) -> Option<Vec<i32>> {
    if stat(pid)?.threads == 1 {
        return Some(vec![pid]);
    }
    numbers_in(&format!("/proc/{pid}/task")).filter(|threads| !threads.is_empty())
}

/// Returns the entries of a folder that are numbers.
fn numbers_in(folder: &str) -> Option<Vec<i32>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder).inspect_err(lack::note).ok()?.flatten() {
        numbers.extend(entry.file_name().to_string_lossy().parse::<i32>());
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    /// Their numbers don't fit into a page.
    #[test]
    fn many_children_are_found() {
        let script = "for i in $(seq 1100); do sleep 60 & done; echo; wait";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdout(Stdio::piped());
        let mut shell = shell.process_group(0).spawn().unwrap();
        let mut are_there = shell.stdout.take().unwrap();
        are_there.read_exact(&mut [0]).unwrap();
        let pid = Pid::from_child(&shell);
        let found = children_of(pid.as_raw_pid(), pid.as_raw_pid());
        kill_process_group(pid, Signal::KILL).unwrap();
        shell.wait().unwrap();
        assert_eq!(found.map(|found| found.len()), Some(1100));
    }
}
