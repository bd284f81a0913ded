//! What all processes of a bot take together: memory, processes, and the disk. The system limits each process by itself, so
//! bots are watched, and one that takes too much is killed.
//!
//! Control groups would hold at once instead of after a look. But who may make one depends on how the machine was set up,
//! and making one for each start costs a third of it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use rustix::time::{ClockId, clock_gettime};

use crate::family::{Family, Member};
use crate::lock::lock;
use crate::scratch;

/// The time between two looks at least.
const PAUSE: Duration = Duration::from_millis(100);
/// It is so many times what a look takes of a core: of hundreds of bots each is looked at less often, and games have the cores.
const SHARE: u32 = 20;
/// In so many looks one is at the disk.
const DISK_LOOKS: u32 = 10;
/// The most threads of all processes of a bot. Runtimes start a few for each core.
const THREADS: usize = 512;
/// The most bytes on the disk; a file or folder counts as one block at least.
const DISK: u64 = 1 << 30;
/// The most files and folders.
const FILES: usize = 10_000;
/// The deepest folder.
const DEPTH: usize = 32;
/// What a file takes at least, in bytes.
const BLOCK: u64 = 4096;

/// The bots that are watched.
static WATCHED: Mutex<Vec<Arc<Watched>>> = Mutex::new(Vec::new());

/// What a bot took too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// With the limit in bytes.
    Memory(u64),
    Threads,
    Disk,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("killed by the arena: ")?;
        match self {
            Excess::Memory(limit) => write!(
                f,
                "its processes took more than {} MB of memory together",
                limit >> 20
            ),
            Excess::Threads => write!(f, "its processes had more than {THREADS} threads together"),
            Excess::Disk => write!(
                f,
                "its files took more than {} MB, were more than {FILES}, or hidden",
                DISK >> 20
            ),
        }
    }
}

/// A bot that is watched.
#[derive(Debug)]
struct Watched {
    pid: Pid,
    /// The limit of its memory, in bytes.
    memory: u64,
    folder: PathBuf,
    excess: OnceLock<Excess>,
}

/// Keeps a bot watched. Ends before its process is reaped: its number is its own until then.
#[derive(Debug)]
pub(super) struct Watch(Arc<Watched>);

impl Watch {
    /// Watches a bot with a memory limit in bytes, which writes to `folder`.
    pub(super) fn begin(pid: Pid, memory: u64, folder: &Path) -> Watch {
        static STARTED: Once = Once::new();
        // Without a thread bots are not watched, and games go on.
        STARTED.call_once(|| drop(thread::Builder::new().name("watch".into()).spawn(watch)));
        let watched = Arc::new(Watched {
            pid,
            memory,
            folder: folder.to_owned(),
            excess: OnceLock::new(),
        });
        lock(&WATCHED).push(Arc::clone(&watched));
        Watch(watched)
    }

    /// What it was killed for, if it was.
    pub(super) fn end(self) -> Option<Excess> {
        self.0.excess.get().copied()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&WATCHED).retain(|watched| !Arc::ptr_eq(watched, &self.0));
    }
}

/// Looks at all bots, for ever.
fn watch() {
    let mut took = Duration::ZERO;
    for look in (0..DISK_LOOKS).cycle() {
        thread::sleep(PAUSE.max(took * SHARE));
        let start = time_on_cores();
        let watched = lock(&WATCHED).clone();
        for bot in watched {
            if let Some(excess) = bot.excess(look == 0) {
                bot.kill(excess);
            }
        }
        took = time_on_cores().saturating_sub(start);
    }
}

/// How long this thread ran. On a busy machine that is far less than what passed meanwhile.
fn time_on_cores() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

impl Watched {
    fn kill(self: &Arc<Watched>, excess: Excess) {
        let watched = lock(&WATCHED);
        if watched.iter().any(|watched| Arc::ptr_eq(watched, self)) {
            let _ = self.excess.set(excess);
            // What left the group is killed when the game ends.
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }

    fn excess(&self, at_disk: bool) -> Option<Excess> {
        let family = Family::of(self.pid).all();
        if family
            .iter()
            .map(|member| member.threads.len())
            .sum::<usize>()
            > THREADS
        {
            return Some(Excess::Threads);
        }
        // What processes share counts for each of them here, and a closer look takes its time.
        let total = |of: fn(&Member) -> u64| family.iter().map(of).sum::<u64>();
        if total(memory) > self.memory && total(share_of_memory) > self.memory {
            return Some(Excess::Memory(self.memory));
        }
        (at_disk && !takes_little(&self.folder, &family)).then_some(Excess::Disk)
    }
}

/// The bytes of memory that a process has in use, files aside; 0 if it is gone.
fn memory(member: &Member) -> u64 {
    fields(member, "status", &["RssAnon:", "RssShmem:", "VmSwap:"]).unwrap_or(0)
}

/// The same, with its share of what several processes have in common. Where it cannot be told, all of that.
fn share_of_memory(member: &Member) -> u64 {
    let share = fields(
        member,
        "smaps_rollup",
        &["Pss_Anon:", "Pss_Shmem:", "SwapPss:"],
    );
    share.unwrap_or_else(|| memory(member))
}

/// The sum of the fields of these names, which are in kB, in a file about a process. It is that of its first thread which has not
/// ended: the one that a process began with may end before the others, and then nothing is told of it.
fn fields(member: &Member, file: &str, names: &[&str]) -> Option<u64> {
    let field = |line: &str| {
        let value = names.iter().find_map(|name| line.strip_prefix(name))?;
        value.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    member.folders().find_map(|folder| {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        text.lines()
            .filter_map(field)
            .reduce(|sum, kilobytes| sum + kilobytes)
            .map(|sum| sum << 10)
    })
}

/// Whether all files of a bot are within the limits: those in its folder, and those that it still uses but has removed.
fn takes_little(folder: &Path, family: &[Member]) -> bool {
    let removed = || -> io::Result<u64> {
        let mut files = BTreeMap::new();
        for member in family {
            for thread in member.folders() {
                removed_but_open(&thread, &mut files)
                    .or_else(|error| unless_ended(&thread, error))?;
            }
            removed_but_mapped(&maps(member)?, folder, &mut files);
        }
        Ok(files.values().sum())
    };
    // What cannot be looked at is hidden.
    let named = || {
        if scratch::is_untouched(folder) {
            Ok(0)
        } else {
            size(folder)
        }
    };
    let total = named().and_then(|size| Ok(size + removed()?));
    total.is_ok_and(|total| total <= DISK)
}

/// The bytes of all that is in a folder; an error where that is more than a bot may have.
fn size(folder: &Path) -> io::Result<u64> {
    let (mut size, mut files) = (0, 0);
    let mut folders = vec![(folder.to_owned(), 0)];
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
            if files > FILES || depth > DEPTH {
                return Err(io::ErrorKind::QuotaExceeded.into());
            }
            if meta.is_dir() {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    Ok(size)
}

/// The bytes that a file takes on the disk.
fn taken(meta: &fs::Metadata) -> u64 {
    (meta.blocks() * 512).max(BLOCK)
}

/// Adds the bytes of a thread's open files without a name, by their numbers.
fn removed_but_open(thread: &Path, files: &mut BTreeMap<u64, u64>) -> io::Result<()> {
    for entry in fs::read_dir(thread.join("fd"))?.flatten() {
        if let Ok(meta) = fs::metadata(entry.path())
            && meta.is_file()
            && meta.nlink() == 0
        {
            files.insert(meta.ino(), taken(&meta));
        }
    }
    Ok(())
}

/// Adds the bytes of files without a name that were in this folder and are mapped into memory, as far as they are.
fn removed_but_mapped(maps: &[u8], folder: &Path, files: &mut BTreeMap<u64, u64>) {
    let (maps, folder) = (String::from_utf8_lossy(maps), folder.to_string_lossy());
    for line in maps
        .lines()
        .filter(|line| line.ends_with(" (deleted)") && line.contains(&*folder))
    {
        // For instance `7f00-7f10 rw-s 00000000 fe:00 1234 /tmp/x (deleted)`.
        let mut words = line.split_ascii_whitespace();
        let range = words.next().and_then(|range| range.split_once('-'));
        let [from, to] = range.map_or([None; 2], |(from, to)| {
            [from, to].map(|end| u64::from_str_radix(end, 16).ok())
        });
        if let (Some(from), Some(to), Some(number)) = (
            from,
            to,
            words.nth(3).and_then(|number| number.parse().ok()),
        ) {
            let known: &mut u64 = files.entry(number).or_default();
            *known = (*known).max(to - from);
        }
    }
}

/// The memory of a process, piece by piece. That of a thread that has ended is empty.
fn maps(member: &Member) -> io::Result<Vec<u8>> {
    for thread in member.folders() {
        match fs::read(thread.join("maps")) {
            Ok(maps) if !maps.is_empty() => return Ok(maps),
            other => other
                .map(drop)
                .or_else(|error| unless_ended(&thread, error))?,
        }
    }
    Ok(Vec::new())
}

/// No error where a thread has ended. While nobody has asked for its status it is still there, and its descriptors are root's.
fn unless_ended(thread: &Path, error: io::Error) -> io::Result<()> {
    let is_gone = |error: &io::Error| {
        error.kind() == io::ErrorKind::NotFound
            || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
    };
    let has_ended = || {
        fs::read(thread.join("maps")).map_or_else(|error| is_gone(&error), |maps| maps.is_empty())
    };
    if is_gone(&error) || has_ended() {
        Ok(())
    } else {
        Err(error)
    }
}
