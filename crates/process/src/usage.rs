//! Limits on what all processes of a bot use together: memory, threads and disk space.
//!
//! The system only limits each process by itself. So two threads check all bots regularly, and kill
//! bots that use too much: one counts the files in their folders, the other everything else. Control
//! groups would act at once instead of at the next check. But it depends on the machine whether we
//! may create one, and creating one for each start takes a third of the time of that start.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::time::{ClockId, clock_gettime};

use crate::lock::lock;
use crate::process_tree::{Process, ProcessTree};
use crate::scratch;

/// The shortest pause between two checks.
const PAUSE: Duration = Duration::from_millis(100);
/// The pause is at least this many times the CPU time of a check. With hundreds of bots each is
/// checked less often, so games keep the cores.
const SHARE: u32 = 20;
/// One check in this many includes files without a name.
const DISK_CHECKS: u32 = 10;
/// The most threads of all processes of a bot. Runtimes start a few for each core.
pub const THREADS: usize = 512;
/// The most bytes on the disk. A file or folder counts as at least one block.
const DISK: u64 = 1 << 30;
/// The most files and folders.
const FILES: usize = 10_000;
/// The deepest folder.
const DEPTH: usize = 32;
/// The fewest bytes that a file takes.
const BLOCK: u64 = 4096;

/// How long a bot may run in all pauses of a game, beyond what each pause allows.
pub(crate) const PONDERED: Duration = Duration::from_millis(50);

/// The bots that are watched.
static WATCHED: Mutex<Vec<Arc<Watched>>> = Mutex::new(Vec::new());

/// The limit that a bot exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExceededLimit {
    /// Memory, with the limit in bytes.
    #[error("killed by the arena: its processes took more than {} MB of memory together", .0 >> 20)]
    Memory(u64),
    #[error("killed by the arena: its processes had more than {THREADS} threads together")]
    Threads,
    #[error(
        "killed by the arena: its files took more than {} MB, were more than {FILES}, nested more than {DEPTH} deep, or hidden",
        DISK >> 20
    )]
    Disk,
    #[error(
        "killed by the arena: it ran for more than {} ms while others were to move",
        PONDERED.as_millis()
    )]
    Pauses,
    /// The time of a compilation, with the limit.
    #[error("killed by the arena: it took longer than {} s", .0.as_secs())]
    Time(Duration),
}

/// A bot that is watched.
#[derive(Debug)]
struct Watched {
    pid: Pid,
    /// The limit of its memory, in bytes.
    memory: u64,
    /// The folders that it writes to.
    folders: Vec<PathBuf>,
    /// Whether the last check couldn't see all of its files.
    was_hidden: AtomicBool,
    exceeded: OnceLock<ExceededLimit>,
}

/// Keeps a bot watched. Drop it before the process is reaped: only until then its number is its
/// own.
#[derive(Debug)]
pub(crate) struct Watch(Arc<Watched>);

impl Watch {
    /// Starts watching a bot with a memory limit in bytes, which writes to `folders`.
    pub(crate) fn begin(pid: Pid, memory: u64, folders: Vec<PathBuf>) -> Watch {
        static STARTED: Once = Once::new();
        // If the threads can't start, bots aren't watched, and games continue.
        STARTED.call_once(|| {
            let thread = |name: &str| thread::Builder::new().name(name.into());
            let all = |bot: &Watched, check| bot.exceeded(check % DISK_CHECKS == 0);
            let _ = thread("watch").spawn(move || watch(all));
            let _ = thread("watch files").spawn(|| watch(|bot, _| bot.exceeds_named()));
        });
        let watched = Arc::new(Watched {
            pid,
            memory,
            folders,
            was_hidden: AtomicBool::new(false),
            exceeded: OnceLock::new(),
        });
        lock(&WATCHED).push(Arc::clone(&watched));
        Watch(watched)
    }

    /// Stops watching, and returns the limit that the bot was killed for, if any.
    pub(crate) fn end(self) -> Option<ExceededLimit> {
        self.0.exceeded.get().copied()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&WATCHED).retain(|watched| !Arc::ptr_eq(watched, &self.0));
    }
}

/// Checks all bots, again and again. `exceeded` also takes the number of the check.
fn watch(exceeded: impl Fn(&Watched, u32) -> Option<ExceededLimit>) {
    let mut took = Duration::ZERO;
    for check in (0..=u32::MAX).cycle() {
        thread::sleep(PAUSE.max(took * SHARE));
        let start = time_on_cores();
        let watched = lock(&WATCHED).clone();
        for bot in watched {
            if let Some(exceeded) = exceeded(&bot, check) {
                bot.kill(exceeded);
            }
        }
        took = time_on_cores().saturating_sub(start);
    }
}

/// Returns how long this thread has run. On a busy machine that is far less than the time that
/// passed.
fn time_on_cores() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

impl Watched {
    fn kill(self: &Arc<Watched>, exceeded: ExceededLimit) {
        let watched = lock(&WATCHED);
        if watched.iter().any(|watched| Arc::ptr_eq(watched, self)) {
            let _ = self.exceeded.set(exceeded);
            // Processes that left the group are killed when the game ends.
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }

    fn exceeded(&self, at_disk: bool) -> Option<ExceededLimit> {
        let processes = ProcessTree::new(self.pid).all();
        let threads = processes.iter().map(|process| process.threads.len());
        if threads.sum::<usize>() > THREADS {
            return Some(ExceededLimit::Threads);
        }
        // Shared memory counts for each process at first, because a closer look is slow.
        if processes.iter().map(memory).sum::<u64>() > self.memory
            && processes.iter().map(share_of_memory).sum::<u64>() > self.memory
        {
            return Some(ExceededLimit::Memory(self.memory));
        }
        (at_disk && self.exceeds_disk(&processes)).then_some(ExceededLimit::Disk)
    }

    /// Returns the limit if the files in its folders exceed it. A program makes tens of thousands in a
    /// second, so they are counted as often as possible, beside the other checks.
    fn exceeds_named(&self) -> Option<ExceededLimit> {
        let size = size_named(&self.folders);
        size.is_ok_and(|size| size > DISK)
            .then_some(ExceededLimit::Disk)
    }

    /// Returns whether the files exceed the limits, or two checks in a row couldn't see all of them.
    ///
    /// One failed check is harmless: until a new process executes its program it still has the
    /// arena's memory, so it can't be inspected.
    fn exceeds_disk(&self, processes: &[Process]) -> bool {
        let used = used_on_disk(&self.folders, processes);
        let was_hidden = self.was_hidden.swap(used.is_err(), Ordering::Relaxed);
        used.map_or(was_hidden, |used| used > DISK)
    }
}

/// Returns the bytes of memory that a process uses, without files; 0 if it is gone.
fn memory(process: &Process) -> u64 {
    fields(process, "status", &["RssAnon:", "RssShmem:", "VmSwap:"]).unwrap_or(0)
}

/// Like [`memory`], but counts only its share of memory that it has in common with others, if the
/// kernel reports that.
fn share_of_memory(process: &Process) -> u64 {
    let share = fields(
        process,
        "smaps_rollup",
        &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"],
    );
    share.unwrap_or_else(|| memory(process))
}

/// Adds up fields, which are in kB, of a file about a process. It reads the file of the first
/// thread that hasn't ended: the main thread may end before the others, and then its file has no
/// fields.
fn fields(process: &Process, file: &str, names: &[&str]) -> Option<u64> {
    process.threads().find_map(|thread| {
        let text = fs::read_to_string(format!("/proc/{thread}/{file}")).ok()?;
        let fields = text.lines().filter_map(|line| field(line, names));
        let kilobytes = fields.reduce(|sum, field| sum + field)?;
        Some(kilobytes << 10)
    })
}

/// Reads the number of a line that begins with one of these names.
fn field(line: &str, names: &[&str]) -> Option<u64> {
    let value = names.iter().find_map(|name| line.strip_prefix(name))?;
    value.trim().strip_suffix(" kB")?.parse().ok()
}

/// Returns the bytes of all files of a bot: those in its folders, and those that it has removed but
/// still uses.
fn used_on_disk(folders: &[PathBuf], processes: &[Process]) -> io::Result<u64> {
    Ok(size_named(folders)? + size_removed(folders, processes)?)
}

/// Returns the bytes of files that a bot has removed but still uses.
fn size_removed(folders: &[PathBuf], processes: &[Process]) -> io::Result<u64> {
    let mut files = BTreeMap::new();
    for process in processes {
        for thread in process.threads() {
            removed_but_open(&thread, &mut files).or_else(|error| unless_ended(&thread, error))?;
        }
        removed_but_mapped(&maps(process)?, folders, &mut files);
    }
    Ok(files.values().sum())
}

/// Returns the bytes in a bot's folders, or more than [`DISK`] if they have too many files or levels.
fn size_named(folders: &[PathBuf]) -> io::Result<u64> {
    let (mut size, mut files) = (0, 0);
    let touched = folders.iter().filter(|path| !scratch::is_untouched(path));
    let mut folders: Vec<_> = touched.map(|path| (path.clone(), 0)).collect();
    while let Some((folder, depth)) = folders.pop() {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let meta = match entry.metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                meta => meta?,
            };
            size += taken(&meta);
            files += 1;
            if files > FILES || depth > DEPTH || size > DISK {
                return Ok(DISK + 1);
            }
            if meta.is_dir() {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    Ok(size)
}

/// Returns the bytes that a file takes on the disk.
fn taken(meta: &fs::Metadata) -> u64 {
    (meta.blocks() * 512).max(BLOCK)
}

/// Adds the bytes of a thread's open files that have no name, by inode.
fn removed_but_open(thread: &str, files: &mut BTreeMap<u64, u64>) -> io::Result<()> {
    for entry in fs::read_dir(format!("/proc/{thread}/fd"))?.flatten() {
        if let Ok(meta) = fs::metadata(entry.path())
            && meta.is_file()
            && meta.nlink() == 0
        {
            files.insert(meta.ino(), taken(&meta));
        }
    }
    Ok(())
}

/// Adds the mapped bytes of files that were in these folders and have no name any more, by inode.
fn removed_but_mapped(maps: &[u8], folders: &[PathBuf], files: &mut BTreeMap<u64, u64>) {
    let maps = String::from_utf8_lossy(maps);
    for line in maps.lines() {
        if line.ends_with(" (deleted)")
            && folders
                .iter()
                .any(|folder| line.contains(&*folder.to_string_lossy()))
            && let Some((inode, size)) = mapped(line)
        {
            let known: &mut u64 = files.entry(inode).or_default();
            *known = (*known).max(size);
        }
    }
}

/// Reads the inode and the mapped bytes of a line such as `7f00-7f10 rw-s 00000000 fe:00 1234
/// /tmp/x (deleted)`.
fn mapped(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let from = u64::from_str_radix(from, 16).ok()?;
    let to = u64::from_str_radix(to, 16).ok()?;
    let inode = words.nth(3)?.parse().ok()?;
    Some((inode, to - from))
}

/// Reads the memory map of a process. The map of a thread that has ended is empty.
fn maps(process: &Process) -> io::Result<Vec<u8>> {
    for thread in process.threads() {
        match fs::read(format!("/proc/{thread}/maps")) {
            Ok(maps) if maps.is_empty() => {}
            Ok(maps) => return Ok(maps),
            Err(error) => unless_ended(&thread, error)?,
        }
    }
    Ok(Vec::new())
}

/// Passes on an error unless the thread has ended. Until it is reaped it still exists, without
/// memory, and its descriptors belong to root.
fn unless_ended(thread: &str, error: io::Error) -> io::Result<()> {
    let has_ended = match fs::read(format!("/proc/{thread}/maps")) {
        Ok(maps) => maps.is_empty(),
        Err(later) => matches!(
            Errno::from_io_error(&later),
            Some(Errno::NOENT | Errno::SRCH)
        ),
    };
    if has_ended { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new process is briefly hidden. Here the folder is a file, and so can't be read.
    #[test]
    fn only_files_hidden_twice_in_a_row_are_an_offence() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bot = Watched {
            pid: rustix::process::getpid(),
            memory: 0,
            folders: vec![file.path().to_owned()],
            was_hidden: AtomicBool::new(false),
            exceeded: OnceLock::new(),
        };
        assert!(!bot.exceeds_disk(&[]));
        assert!(bot.exceeds_disk(&[]));
        bot.folders = vec!["/nonexistent".into()];
        assert!(!bot.exceeds_disk(&[]));
    }
}
