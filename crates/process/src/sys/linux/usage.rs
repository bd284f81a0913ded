//! Limits on what all processes of a bot use together: memory, threads and disk space.
//!
//! The system only limits each process by itself. So two threads check all bots regularly, and kill
//! bots that use too much: one counts memory and threads, the other files. Control groups would act
//! at once instead of at the next check. But it depends on the machine whether we may create one,
//! and creating one for each start takes a third of the time of that start.
//!
//! Whatever a bot does, a check ends soon: what would take long to count is above the limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use libc::{ENOENT, ESRCH};
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group, nice};
use rustix::thread::{sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

use crate::limits::{DEPTH, DISK, ExceededLimit, FILES};
use crate::lock::lock;
use crate::os::advice;
use crate::sys::orphans::{ENDED, reap_orphans};
use crate::sys::proc::{KernelFile, threads_of};
use crate::sys::process_tree::{ProcessTree, Processes};
use crate::sys::scratch;

/// The shortest pause between two checks.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two checks.
pub(crate) const PAUSE_MAX: Duration = Duration::from_millis(500);
/// Between these, the pause is this many times the CPU time of a check. With hundreds of bots each
/// is checked less often, so games keep the cores.
const SHARE: u32 = 20;
/// How often the files without a name are counted, if the pauses allow it.
const UNNAMED: Duration = Duration::from_millis(300);
/// If processes use more than this many times the limit, with shared memory counted for each, they
/// exceed it without a closer look.
pub(crate) const SHARED: u64 = 16;
/// The fewest bytes that a file takes.
const BLOCK: u64 = 4096;
/// Bytes to count for a removed file that is mapped but not open: the largest that the system
/// allows. Only a part may be mapped, so its size is unknown.
pub(crate) const UNKNOWN: u64 = 256 << 20;
/// The most open files of all processes.
pub(crate) const OPEN_FILES: usize = 16 * 1024;
/// The most bytes of the lists of what all processes have mapped, about 100,000 lines.
pub(crate) const MAPS: u64 = 8 << 20;

/// How long a bot may run in all pauses of a game, beyond what each pause allows.
pub(crate) const PONDERED: Duration = Duration::from_millis(50);

/// The bots that are watched.
static WATCHED: Mutex<Vec<Arc<Watched>>> = Mutex::new(Vec::new());

/// A bot that is watched.
struct Watched {
    pid: Pid,
    /// The limit of its memory, in bytes.
    memory: u64,
    /// The limit of its threads, and of processes that end in a second without being waited for.
    threads: usize,
    /// The folders that it writes to.
    folders: Vec<PathBuf>,
    /// Whether the last check couldn't see all of its files.
    was_hidden: AtomicBool,
    exceeded: OnceLock<ExceededLimit>,
}

/// Keeps a bot watched. Drop it before the process is reaped: only until then its number is its
/// own.
pub(crate) struct Watch(Arc<Watched>);

impl Watch {
    /// Starts watching a bot with a memory limit in bytes and a limit of threads, which writes to
    /// `folders`.
    pub(crate) fn begin(pid: Pid, memory: u64, threads: usize, folders: Vec<PathBuf>) -> Watch {
        static STARTED: Once = Once::new();
        // If the threads can't start, bots aren't watched, and games continue.
        STARTED.call_once(|| {
            let thread = |name: &str| thread::Builder::new().name(name.into());
            let _ = thread("watch").spawn(|| watch(check_processes));
            let _ = thread("watch files").spawn(|| watch(check_files));
        });
        let watched = Arc::new(Watched {
            pid,
            memory,
            threads,
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

/// Checks all bots, again and again. The check keeps the time of what it doesn't always do.
fn watch(check: impl Fn(&[Arc<Watched>], &mut Instant)) {
    // The thread that started this one may be pinned to a core that it shares with its bots.
    if let Ok(cores) = sched_getaffinity(Some(getpid())) {
        let _ = sched_setaffinity(None, &cores);
    }
    // Asks for a higher priority, to run in time beside hundreds of busy threads.
    let _ = nice(-20);
    let (mut last, mut took) = (Instant::now(), Duration::ZERO);
    loop {
        thread::sleep((took * SHARE).clamp(PAUSE, PAUSE_MAX));
        let start = time_on_cores();
        let bots = lock(&WATCHED).clone();
        if !bots.is_empty() {
            check(&bots, &mut last);
        }
        took = time_on_cores().saturating_sub(start);
    }
}

/// Checks memory and threads. Forgets every second what has ended; `last` is when that happened
/// last.
fn check_processes(bots: &[Arc<Watched>], last: &mut Instant) {
    // Nobody else counts what they use.
    reap_orphans();
    let processes = Processes::now();
    for bot in bots {
        if let Some(exceeded) = bot.exceeded(&processes.of(bot.pid)) {
            bot.kill(exceeded);
        }
    }
    if last.elapsed() > Duration::from_secs(1) {
        *last = Instant::now();
        lock(&ENDED).clear();
    }
}

/// Checks the files in the folders of bots and, if it is time for that, those without a name;
/// `last` is when that happened last.
///
/// A program makes tens of thousands of files in a second, so those with a name are counted at each
/// check.
fn check_files(bots: &[Arc<Watched>], last: &mut Instant) {
    let mut processes = None;
    if last.elapsed() > UNNAMED {
        processes = Some(Processes::now());
        *last = Instant::now();
    }
    for bot in bots {
        let exceeds = match &processes {
            Some(processes) => bot.exceeds_disk(&processes.of(bot.pid)),
            None => size_named(&bot.folders).is_ok_and(|size| size > DISK),
        };
        if exceeds {
            bot.kill(ExceededLimit::Disk);
        }
    }
}

/// Returns how long this thread has run. On a busy machine that is far less than the time that
/// passed.
fn time_on_cores() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

impl Watched {
    fn kill(self: &Arc<Watched>, exceeded: ExceededLimit) {
        let outside = ProcessTree::new(self.pid).outside_group();
        let watched = lock(&WATCHED);
        // While it is watched, its number is its own.
        if watched.iter().any(|watched| Arc::ptr_eq(watched, self)) {
            let _ = self.exceeded.set(exceeded);
            let _ = kill_process_group(self.pid, Signal::KILL);
            for pid in outside {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Returns the limit of memory, threads or ended processes that its processes exceed.
    fn exceeded(&self, processes: &[(i32, usize)]) -> Option<ExceededLimit> {
        let ended = lock(&ENDED).get(&self.pid.as_raw_pid()).copied();
        if ended > Some(self.threads) {
            return Some(ExceededLimit::Ended(self.threads));
        }
        let threads: usize = processes.iter().map(|(_, threads)| threads).sum();
        if threads > self.threads {
            return Some(ExceededLimit::Threads(self.threads));
        }
        // Shared memory counts for each process at first, because a closer look is slow.
        let mut used: u64 = processes.iter().map(|&(pid, _)| memory(pid)).sum();
        if used > self.memory && used / SHARED <= self.memory {
            used = processes.iter().map(|&(pid, _)| share_of_memory(pid)).sum();
        }
        (used > self.memory).then_some(ExceededLimit::Memory(self.memory))
    }

    /// Returns whether the files exceed the limits, or two checks in a row couldn't see all of
    /// them.
    ///
    /// One failed check is harmless: until a new process executes its program it still has the
    /// arena's memory, so it can't be inspected.
    fn exceeds_disk(&self, processes: &[(i32, usize)]) -> bool {
        let used = size_named(&self.folders)
            .and_then(|named| Ok(named + size_removed(&self.folders, processes)?));
        let is_hidden = matches!(&used, Err(error) if advice(error).is_none());
        let was_hidden = self.was_hidden.swap(is_hidden, Ordering::Relaxed);
        used.map_or(is_hidden && was_hidden, |used| used > DISK)
    }
}

/// Memory that a process shares with no other: page tables and huge pages.
const UNSHARED: [&str; 2] = ["VmPTE:", "HugetlbPages:"];

/// Returns the bytes of memory that a process uses, without files; 0 if it is gone.
fn memory(pid: i32) -> u64 {
    let [tables, huge] = UNSHARED;
    let names = ["RssAnon:", "RssShmem:", "VmSwap:", tables, huge];
    fields(pid, "status", &names).unwrap_or(0)
}

/// Like [`memory`], but counts only its share of memory that it has in common with others, if the
/// kernel reports that.
fn share_of_memory(pid: i32) -> u64 {
    let names = ["Pss_Anon:", "Pss_Shmem:", "SwapPss:"];
    match fields(pid, "smaps_rollup", &names) {
        Some(share) => share + fields(pid, "status", &UNSHARED).unwrap_or(0),
        None => memory(pid),
    }
}

/// Adds up fields, which are in kB, of a file about a process. It reads the file of the first
/// thread that hasn't ended: the main thread may end before the others, and then its file has no
/// fields.
fn fields(pid: i32, file: &str, names: &[&str]) -> Option<u64> {
    let of_thread = |thread: String| {
        let text = KernelFile::open(format!("/proc/{thread}/{file}"))?.read()?;
        text.lines()
            .filter_map(|line| field(line, names))
            .reduce(|sum, bytes| sum + bytes)
    };
    of_thread(pid.to_string()).or_else(|| threads(pid).find_map(of_thread))
}

/// Returns the folder of each thread of a process, as a path within `/proc`.
fn threads(pid: i32) -> impl Iterator<Item = String> {
    threads_of(pid)
        .unwrap_or_default()
        .into_iter()
        .map(move |thread| format!("{pid}/task/{thread}"))
}

/// Reads the bytes in a line that begins with one of these names.
fn field(line: &str, names: &[&str]) -> Option<u64> {
    let value = names.iter().find_map(|name| line.strip_prefix(name))?;
    let kilobytes: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Returns the bytes of files that a bot has removed but still uses, or more than [`DISK`] if it
/// has too many open or mapped.
fn size_removed(folders: &[PathBuf], processes: &[(i32, usize)]) -> io::Result<u64> {
    let (mut open, mut mapped) = (BTreeMap::new(), BTreeSet::new());
    let (mut descriptors, mut maps_left) = (0, MAPS);
    for &(pid, _) in processes {
        let Some((thread, maps)) = maps(pid, maps_left)? else {
            continue;
        };
        maps_left -= maps.len() as u64;
        // All threads have the same descriptors.
        descriptors +=
            removed_but_open(&thread, &mut open).or_else(|error| unless_ended(&thread, error))?;
        if descriptors > OPEN_FILES || maps_left == 0 {
            return Ok(DISK + 1);
        }
        removed_but_mapped(&maps, folders, &mut mapped);
    }
    mapped.retain(|inode| !open.contains_key(inode));
    Ok(open.values().sum::<u64>() + UNKNOWN * mapped.len() as u64)
}

/// Returns the bytes in a bot's folders, or more than [`DISK`] if they have too many files or
/// levels.
fn size_named(folders: &[PathBuf]) -> io::Result<u64> {
    let (mut size, mut files) = (0, 0);
    let mut folders: Vec<_> = folders.iter().map(|path| (path.clone(), 0)).collect();
    folders.retain(|(path, _)| !scratch::is_untouched(path));
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

/// Adds the bytes of a thread's open files that have no name, by inode. Returns how many are open.
fn removed_but_open(thread: &str, files: &mut BTreeMap<u64, u64>) -> io::Result<usize> {
    let mut descriptors = 0;
    for entry in fs::read_dir(format!("/proc/{thread}/fd"))?.flatten() {
        descriptors += 1;
        if let Ok(meta) = fs::metadata(entry.path())
            && meta.is_file()
            && meta.nlink() == 0
        {
            files.insert(meta.ino(), taken(&meta));
        }
    }
    Ok(descriptors)
}

/// Adds the inodes of mapped files that were in these folders and have no name any more. A line is
/// such as `7f00-7f10 rw-s 00000000 fe:00 1234 /tmp/x (deleted)`.
fn removed_but_mapped(maps: &[u8], folders: &[PathBuf], inodes: &mut BTreeSet<u64>) {
    let maps = String::from_utf8_lossy(maps);
    for line in maps.lines() {
        let is_in = |folder: &PathBuf| line.contains(&*folder.to_string_lossy());
        if line.ends_with(" (deleted)")
            && folders.iter().any(is_in)
            && let Some(inode) = line.split_ascii_whitespace().nth(4)
        {
            inodes.extend(inode.parse::<u64>());
        }
    }
}

/// Reads at most so many bytes of the memory map of a process; also returns the folder of the
/// thread that it is from. The map of a thread that has ended is empty.
fn maps(pid: i32, most: u64) -> io::Result<Option<(String, Vec<u8>)>> {
    for thread in threads(pid) {
        let mut maps = Vec::new();
        let file = File::open(format!("/proc/{thread}/maps"));
        file.and_then(|file| file.take(most).read_to_end(&mut maps))
            .or_else(|error| unless_ended(&thread, error))?;
        if !maps.is_empty() {
            return Ok(Some((thread, maps)));
        }
    }
    Ok(None)
}

/// Passes on an error unless the thread has ended, and so has nothing to count. Until it is reaped
/// it still exists, without memory, and its descriptors belong to root.
fn unless_ended(thread: &str, error: io::Error) -> io::Result<usize> {
    match fs::read(format!("/proc/{thread}/maps")) {
        Ok(maps) if maps.is_empty() => Ok(0),
        Err(later) if [ENOENT, ESRCH].contains(&later.raw_os_error().unwrap_or(0)) => Ok(0),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::limits::THREADS;

    #[test]
    fn a_name_that_is_not_utf_8_hides_nothing() {
        let script = r"printf '\377' > /proc/$$/comm; echo; read -r line";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(Stdio::piped());
        let mut shell = shell.stdout(Stdio::piped()).spawn().unwrap();
        let mut renamed = shell.stdout.take().unwrap();
        renamed.read_exact(&mut [0]).unwrap();
        let pid = Pid::from_child(&shell);
        let name = fs::read(format!("/proc/{pid}/comm")).unwrap();
        assert_eq!(name, b"\xff\n");
        assert_eq!(Processes::now().of(pid).len(), 1);
        assert!(memory(pid.as_raw_pid()) > 0);
        shell.kill().unwrap();
        shell.wait().unwrap();
    }

    /// A new process is briefly hidden. Here the folder is a file, and so can't be read.
    #[test]
    fn only_files_hidden_twice_in_a_row_are_an_offence() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bot = Watched {
            pid: rustix::process::getpid(),
            memory: 0,
            threads: THREADS,
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
