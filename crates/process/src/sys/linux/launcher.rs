//! Starts bots in the sandbox: each process in its own landlock domain, under a filter of system
//! calls, with its own folder to write to.
//!
//! A process applies both before it executes the bot (see `spawn`). Worker threads already run
//! under the filter, which is slow to apply, so their bots inherit it.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf, absolute};
use std::slice;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

use rustix::io::Errno;
use rustix::process::Pid;

use crate::environment::of_bot;
use crate::lack;
use crate::launch::Launch;
use crate::lock::lock;
use crate::os::shell_code;
use crate::program::{StartError, line_ends, retry_while_busy};
use crate::sys::orphans::LEFT_USERS;
use crate::sys::sandbox::rules::Open;
use crate::sys::sandbox::{Sandbox, on_another_thread};
use crate::sys::scratch;
use crate::sys::spawn::{NewProcess, Started, reap, spawn};
use crate::sys::usage::Watch;

/// One bot and its sandbox; starts any number of processes of it.
#[derive(Debug)]
pub struct Launcher {
    pub(crate) sandbox: Arc<Sandbox>,
    /// "bot", "referee" or "compiler", for messages.
    pub(in crate::sys) what: &'static str,
    /// How the bot is started.
    pub launch: Launch,
    /// Folders that no process uses at the moment.
    folders: Mutex<Vec<BotFolder>>,
    /// The path of its program, found once.
    program: OnceLock<PathBuf>,
    /// What it may read: found out once, because that takes as long as making the rules.
    open: OnceLock<Open>,
}

/// A folder to write to, and the rules that open it and everything the bot may read. One process at
/// a time uses it.
#[derive(Debug)]
pub(crate) struct BotFolder {
    pub(crate) path: PathBuf,
    /// `None` if the system has no landlock.
    rules: Option<OwnedFd>,
    /// The user namespace of the process; `None` if the system has none.
    users: Option<OwnedFd>,
}

impl Launcher {
    /// Creates the launcher of something else, such as a "referee".
    pub fn of(what: &'static str, sandbox: &Arc<Sandbox>, launch: Launch) -> Arc<Launcher> {
        Arc::new(Launcher {
            sandbox: Arc::clone(sandbox),
            what,
            launch,
            folders: Mutex::new(Vec::new()),
            program: OnceLock::new(),
            open: OnceLock::new(),
        })
    }

    /// Returns whether the sandbox refuses the bot a file or folder that we can read.
    pub(crate) fn closes(&self, path: &Path) -> bool {
        // Opening something else may wait for ever.
        if !self.sandbox.features.files || !(path.is_file() || path.is_dir()) {
            return false;
        }
        let folder = slice::from_ref(&self.sandbox.folder);
        let Ok(rules) = self.open().and_then(|open| open.rules(folder)) else {
            return false;
        };
        let tried =
            on_another_thread(|| rules.restrict_self().is_ok() && File::open(path).is_err());
        File::open(path).is_ok() && tried.is_ok_and(|is_refused| is_refused)
    }

    /// Starts the program in the sandbox, with its own seed: with these streams, or with those of
    /// this process. It has a folder unless the sandbox is off.
    pub(crate) fn start(
        &self,
        seed: u64,
        streams: Option<[BorrowedFd<'_>; 3]>,
    ) -> Result<(Started, Option<BotFolder>), StartError> {
        let program = if let Some(program) = self.program.get() {
            program
        } else {
            let found = self.find()?;
            self.program.get_or_init(|| found)
        };
        let failed = |error: io::Error| {
            // It may have been there at an earlier start.
            if let Err(missing) = self.find() {
                return missing;
            }
            let hint = self.hint(&error, program);
            self.failed(&format!("can't run `{}`{hint}: {error}", program.display()))
        };
        let folder = self.sandbox.memory.map(|_| self.folder());
        let folder = folder.transpose().map_err(failed)?;
        match self.start_in(folder.as_ref(), program, seed, streams) {
            Ok(started) => Ok((started, folder)),
            Err(error) => {
                self.give_back(folder);
                Err(failed(error))
            }
        }
    }

    /// Starts the program with the streams of this process, waits for its end, and returns the exit
    /// status that a shell would report.
    ///
    /// # Errors
    /// If the program does not start, or its exit status is lost.
    pub fn run(&self, seed: u64) -> Result<u8, StartError> {
        let (Started { pid, .. }, _folder) = self.start(seed, None)?;
        reap(pid)
            .map(|ended| shell_code(ended.status))
            .map_err(|error| self.failed(&format!("wait for it: {error}")))
    }

    /// Returns what to try against an error of the system that doesn't explain itself.
    fn hint(&self, error: &io::Error, program: &Path) -> String {
        lack::note(error);
        let hint = match Errno::from_io_error(error) {
            Some(Errno::NOEXEC) => {
                "built for another machine, or a script whose first line is not `#!` and its interpreter"
            }
            Some(Errno::NOENT) => match line_ends(program) {
                Some(advice) => return format!(" ({advice})"),
                None => "the interpreter or the loader that the file asks for is missing",
            },
            Some(Errno::ACCESS) if self.sandbox.features.files => {
                "the sandbox closes its interpreter, or the program that it is a link to; `--read` opens one that you trust"
            }
            Some(Errno::ACCESS) => "you may not execute its interpreter, or not enter its folder",
            _ => return lack::words(error),
        };
        format!(" ({hint})")
    }

    fn start_in(
        &self,
        folder: Option<&BotFolder>,
        program: &Path,
        seed: u64,
        streams: Option<[BorrowedFd<'_>; 3]>,
    ) -> io::Result<Started> {
        let seeds = BTreeMap::from([("seed".to_owned(), seed.to_string())]);
        let mut launch = self.launch.filled(&seeds);
        let (mut program, mut start) = (program.to_owned(), None);
        if let Some(folder) = launch.folder.take() {
            start = Some(CString::new(folder.into_os_string().into_vec())?);
            launch.make_absolute();
            program = absolute(program)?;
        }
        let mut environment = Vec::new();
        let own = folder.zip(self.sandbox.memory);
        let own = own.map(|(folder, memory)| (&*folder.path, memory));
        for variable in of_bot(&launch, seed, own) {
            let variable = <[OsString; 2]>::from(variable).join(OsStr::new("="));
            environment.push(CString::new(variable.into_vec())?);
        }
        let arguments: Result<Vec<_>, _> = launch.command.into_iter().map(CString::new).collect();
        let mut restrictions = self.sandbox.restrictions();
        if let Some(folder) = folder {
            restrictions.users = folder.users.as_ref().map(AsFd::as_fd);
            restrictions.rules = folder.rules.as_ref().map(AsFd::as_fd);
        }
        let new = NewProcess {
            program: &CString::new(program.as_os_str().as_bytes())?,
            arguments: &arguments?,
            environment: &environment,
            folder: start.as_deref(),
            streams,
            restrictions,
        };
        retry_while_busy(|| spawn(&new))
    }

    /// Returns an empty folder that looks new, and a user namespace.
    fn folder(&self) -> io::Result<BotFolder> {
        let users = self.sandbox.users()?;
        if let Some(folder) = lock(&self.folders).pop() {
            return Ok(BotFolder { users, ..folder });
        }
        let path = scratch::make(&self.sandbox.folder)?;
        let mut writable = self.sandbox.outputs.clone();
        writable.push(path.clone());
        let mut rules = None;
        if self.sandbox.features.files {
            rules = self.open()?.rules(&writable)?.into();
        }
        Ok(BotFolder { path, rules, users })
    }

    /// Returns what it may read.
    fn open(&self) -> io::Result<&Open> {
        if let Some(open) = self.open.get() {
            return Ok(open);
        }
        let within = self.sandbox.within.as_deref();
        let open = Open::find(&self.launch, within, &self.sandbox.hidden.list())?;
        Ok(self.open.get_or_init(|| open))
    }

    /// Watches what the processes of a bot use together, if there are limits.
    pub(crate) fn watch(&self, pid: Pid, folder: Option<&BotFolder>) -> Option<Watch> {
        let mut folders = self.sandbox.outputs.clone();
        folders.push(folder?.path.clone());
        let threads = self.sandbox.threads.load(Ordering::Relaxed);
        Some(Watch::begin(pid, self.sandbox.memory?, threads, folders))
    }

    /// Takes back the folder of a process that has ended, if it had one. If it was written to, it
    /// is never used again: even when it is empty, its size and its times reveal what it held.
    pub(crate) fn give_back(&self, folder: Option<BotFolder>) {
        let Some(mut folder) = folder else { return };
        lock(&LEFT_USERS).extend(folder.users.take());
        if scratch::is_untouched(&folder.path) {
            lock(&self.folders).push(folder);
        } else {
            scratch::remove_later(folder.path);
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        for folder in lock(&self.folders).iter() {
            let _ = fs::remove_dir(&folder.path);
        }
    }
}
