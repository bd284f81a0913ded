//! What Linux has: signals, sessions, process groups and the ids of other processes.

use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{self, Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, getpgid, getpgrp, getpid, getppid, kill_current_process_group, kill_process,
    setsid, test_kill_process,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::LIFETIME;

/// The range of process ids around its own that a bot searches for others. Its rival was started
/// just before or after it.
const NEIGHBOURS: i32 = 100;

/// The number of descriptors that are open. The folder itself is open while it is read.
pub(crate) fn descriptors() -> io::Result<usize> {
    fs::read_dir("/proc/self/fd").map(|folder| folder.count() - 1)
}

/// Ends this process by SIGSEGV.
pub(crate) fn segfault() -> io::Result<()> {
    Ok(kill_process(getpid(), Signal::SEGV)?)
}

/// Ends this process by SIGTERM.
pub(crate) fn terminate() -> io::Result<()> {
    Ok(kill_process(getpid(), Signal::TERM)?)
}

/// Ends the process group by SIGINT.
pub(crate) fn interrupt_group() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::INT)?)
}

/// Stops this process by SIGSTOP.
pub(crate) fn stop() -> io::Result<()> {
    Ok(kill_process(getpid(), Signal::STOP)?)
}

/// Closes the standard input: what is read now never comes.
pub(crate) fn close_stdin() -> io::Result<()> {
    let (reader, _) = io::pipe()?;
    Ok(dup2_stdin(reader)?)
}

/// Closes the standard output: nothing hears what is written now.
pub(crate) fn close_stdout() -> io::Result<()> {
    let (_, writer) = io::pipe()?;
    Ok(dup2_stdout(writer)?)
}

/// Closes the error output.
pub(crate) fn close_stderr() -> io::Result<()> {
    let (_, writer) = io::pipe()?;
    Ok(dup2_stderr(writer)?)
}

/// Ignores every signal that can have a handler.
pub(crate) fn ignore_signals() {
    for signal in 1..32 {
        if !signal_hook::consts::FORBIDDEN.contains(&signal) {
            // Skip a signal that the system doesn't let us handle.
            let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
        }
    }
}

/// Leaves the session of the bot.
pub(crate) fn leave_session() {
    let _ = setsid();
}

/// Starts a command in a new process group, as a shell with job control does.
pub(crate) fn start_in_own_group(mut command: Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

/// Kills the parent at the end of its lifetime. The parent stopped itself, so it can't end by
/// itself.
pub(crate) fn wake_parent() {
    // The thread that bounds all lifetimes would end this process too early.
    sleep(LIFETIME.saturating_sub(Duration::from_secs(5)));
    // If the parent ended meanwhile, this process has another one.
    if let Some(parent) = getppid()
        && parent_named_by_environment() == Some(parent.as_raw_pid())
    {
        let _ = kill_process(parent, Signal::KILL);
    }
}

fn parent_named_by_environment() -> Option<i32> {
    env::var("HOSTILE_PARENT").ok()?.parse().ok()
}

/// Tries to signal the parent, which is the arena. If a test shows that it could, it sends no
/// signal.
pub(crate) fn signal_arena() -> Option<String> {
    let arena = getppid()?;
    let reached = test_kill_process(arena).is_ok()
        || kill_process(arena, Signal::TERM).is_ok()
        || kill_process(arena, Signal::KILL).is_ok();
    reached.then(|| format!("may signal the arena, process {}", arena.as_raw_pid()))
}

/// Signals the threads that were started just before this process, for 20 ms. They include the
/// thread that starts it, unless that has finished.
pub(crate) fn signal_starter() {
    let own = process::id().cast_signed();
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(20) {
        for thread in (own.saturating_sub(NEIGHBOURS).max(2)..own).filter_map(Pid::from_raw) {
            let _ = kill_process(thread, Signal::TERM);
        }
    }
}

/// Checks whether it could signal any process that was started at about the same time, such as its
/// rival.
pub(crate) fn signal_rival() -> Option<String> {
    let reached = neighbours().find(|&other| test_kill_process(other).is_ok())?;
    Some(format!("may signal process {}", reached.as_raw_pid()))
}

/// Opens the memory and the environment of its parent, and of processes that were started at about
/// the same time.
pub(crate) fn read_memory() -> Option<String> {
    let mut paths = neighbours().chain(getppid()).flat_map(|other| {
        ["mem", "environ"].map(|file| PathBuf::from(format!("/proc/{}/{file}", other.as_raw_pid())))
    });
    // Anyone can open the environment, but few can read it.
    let read = |path: &PathBuf| {
        if path.ends_with("mem") {
            File::open(path).is_ok()
        } else {
            fs::read(path).is_ok_and(|text| !text.is_empty())
        }
    };
    paths
        .find(read)
        .map(|path| format!("opened {}", path.display()))
}

/// Iterates over the processes of other groups with ids close to its own.
fn neighbours() -> impl Iterator<Item = Pid> {
    let own = process::id().cast_signed();
    let (near, group) = (
        own.saturating_sub(NEIGHBOURS).max(2)..=own.saturating_add(NEIGHBOURS),
        getpgrp(),
    );
    near.filter_map(Pid::from_raw)
        .filter(move |&other| getpgid(Some(other)).is_ok_and(|theirs| theirs != group))
}
