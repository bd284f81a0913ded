//! Bots in the sandbox: each process in a landlock domain of its own, under a filter of system calls, with a folder of its
//! own for what it writes.
//!
//! A process puts both on before it becomes the bot, see [`super::spawn`]: the bot has them from its first instruction, the arena never does. The
//! filter is the same for all bots and expensive to put on; threads that do nothing but play are under it themselves, and bots inherit it
//! from them.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use rustix::io::Errno;
use rustix::process::Pid;

use crate::launch::Launch;
use crate::lock::lock;
use crate::program::{LOGIN, find_program, line_ends, patiently};
use crate::sandbox::files::rules;
use crate::sandbox::{Relaxed, Sandbox};
use crate::scratch;
use crate::spawn::{Order, Started, Walls, reap, spawn};
use crate::sums::Watch;

/// The variable from which every Java machine takes options.
const JAVA: &str = "JAVA_TOOL_OPTIONS";

/// The sandbox of every process of one bot.
#[derive(Debug)]
pub struct Jail {
    pub(super) sandbox: Arc<Sandbox>,
    /// What it is: a bot, or a referee.
    what: &'static str,
    /// How the bot is started.
    pub launch: Launch,
    /// The program, once it was found.
    program: OnceLock<PathBuf>,
    /// Those that no process uses at the moment.
    folders: Mutex<Vec<BotFolder>>,
}

/// A folder to write to, and the rules that open it and what the bot may read. Used by one process at a time.
#[derive(Debug)]
pub(super) struct BotFolder {
    path: PathBuf,
    /// `None` where the system has no landlock.
    rules: Option<OwnedFd>,
}

impl Jail {
    /// The jail of a bot.
    pub fn new(sandbox: &Arc<Sandbox>, launch: Launch) -> Arc<Jail> {
        Jail::of(sandbox, "bot", launch)
    }

    /// The jail of a referee.
    pub fn of_referee(sandbox: &Arc<Sandbox>, launch: Launch) -> Arc<Jail> {
        Jail::of(sandbox, "referee", launch)
    }

    fn of(sandbox: &Arc<Sandbox>, what: &'static str, launch: Launch) -> Arc<Jail> {
        let sandbox = Arc::clone(sandbox);
        Arc::new(Jail {
            sandbox,
            what,
            launch,
            program: OnceLock::new(),
            folders: Mutex::new(Vec::new()),
        })
    }

    /// For instance ``bot `alpha` ``.
    pub fn called(&self) -> String {
        format!("{} `{}`", self.what, self.launch.name)
    }

    /// The jail of the same bot with values in the place of names.
    pub fn with(&self, values: &BTreeMap<String, String>) -> Arc<Jail> {
        Jail::new(&self.sandbox, self.launch.filled(values))
    }

    /// The jail of the same bot in less of the sandbox, where there is less.
    pub fn relaxed(&self, relaxed: Relaxed) -> Option<Arc<Jail>> {
        Some(Jail::new(
            &Arc::new(self.sandbox.relaxed(relaxed)?),
            self.launch.clone(),
        ))
    }

    /// Whether a file that we can read is closed to the bot.
    pub fn refuses(&self, path: &Path) -> bool {
        if !self.sandbox.features.files {
            return false;
        }
        let Ok(rules) = rules(
            &self.launch,
            &self.sandbox.folder,
            self.sandbox.within.as_deref(),
        ) else {
            return false;
        };
        let is_closed = || rules.restrict_self().is_ok() && File::open(path).is_err();
        let tried = thread::scope(|scope| {
            thread::Builder::new()
                .spawn_scoped(scope, is_closed)
                .ok()?
                .join()
                .ok()
        });
        File::open(path).is_ok() && tried == Some(true)
    }

    /// Starts the program in the sandbox, with its own seed: with these streams, or with those of this process. It has a
    /// folder unless the sandbox is off.
    pub(super) fn start(
        &self,
        seed: u64,
        streams: Option<[BorrowedFd<'_>; 3]>,
    ) -> Result<(Started, Option<BotFolder>), StartError> {
        let program = match self.program.get() {
            Some(program) => program,
            None => {
                let found = self.find()?;
                self.program.get_or_init(|| found)
            }
        };
        self.start_program(program, seed, streams).map_err(|error| {
            // Perhaps the program has been removed since it was found.
            self.find().err().unwrap_or_else(|| {
                let hint = hint(&error, Some(program));
                self.failed(format!("run `{}`{hint}: {error}", program.display()))
            })
        })
    }

    /// Starts the program with the streams of this process, and waits for its end.
    pub fn run(&self, seed: u64) -> Result<ExitStatus, StartError> {
        let (Started { pid, .. }, _folder) = self.start(seed, None)?;
        match reap(pid) {
            Ok(ended) => Ok(ended.status),
            Err(error) => Err(self.failed(format!("wait for it: {error}"))),
        }
    }

    /// Finds the program that the command names.
    fn find(&self) -> Result<PathBuf, StartError> {
        let name = self.launch.command.first().map_or("", String::as_str);
        find_program(name).map_err(|error| self.failed(error.to_string()))
    }

    fn failed(&self, problem: String) -> StartError {
        StartError {
            called: self.called(),
            problem,
        }
    }

    fn start_program(
        &self,
        program: &Path,
        seed: u64,
        streams: Option<[BorrowedFd<'_>; 3]>,
    ) -> io::Result<(Started, Option<BotFolder>)> {
        let folder = self.sandbox.limits.map(|_| self.folder()).transpose()?;
        match self.start_in(folder.as_ref(), program, seed, streams) {
            Ok(started) => Ok((started, folder)),
            Err(error) => {
                if let Some(folder) = folder {
                    self.give_back(folder);
                }
                Err(error)
            }
        }
    }

    fn start_in(
        &self,
        folder: Option<&BotFolder>,
        program: &Path,
        seed: u64,
        streams: Option<[BorrowedFd<'_>; 3]>,
    ) -> io::Result<Started> {
        let launch = self.launch.seeded(seed);
        let environment =
            self.environment(&launch, seed, folder)
                .into_iter()
                .map(|(mut name, value)| {
                    name.push("=");
                    name.push(value);
                    CString::new(name.into_vec())
                });
        let walls = self.sandbox.walls();
        let rules = folder
            .and_then(|folder| folder.rules.as_ref())
            .map(AsFd::as_fd);
        let order = Order {
            program: &CString::new(program.as_os_str().as_bytes())?,
            arguments: &launch
                .command
                .into_iter()
                .map(CString::new)
                .collect::<Result<Vec<_>, _>>()?,
            environment: &environment.collect::<Result<Vec<_>, _>>()?,
            streams,
            walls: Walls { rules, ..walls },
        };
        patiently(|| spawn(&order))
    }

    /// All variables of the bot: ours but for the login, its seed, its own, and in the sandbox where it may write, and what a Java machine may take.
    fn environment(
        &self,
        launch: &Launch,
        seed: u64,
        folder: Option<&BotFolder>,
    ) -> BTreeMap<OsString, OsString> {
        let mut all: BTreeMap<OsString, OsString> =
            env::vars_os().filter(|(name, _)| name != LOGIN).collect();
        if let Some((folder, limits)) = folder.zip(self.sandbox.limits) {
            all.extend(["HOME", "TMPDIR"].map(|name| (name.into(), folder.path.clone().into())));
            all.entry(JAVA.into())
                .or_insert_with(|| limits.java_options().into());
        }
        all.insert("ARENA_SEED".into(), seed.to_string().into());
        all.extend(
            launch
                .env
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        all
    }

    /// An empty folder, as new.
    fn folder(&self) -> io::Result<BotFolder> {
        if let Some(folder) = lock(&self.folders).pop() {
            return Ok(folder);
        }
        let path = scratch::make(&self.sandbox.folder)?;
        let within = self.sandbox.within.as_deref();
        let rules = if self.sandbox.features.files {
            rules(&self.launch, &path, within)?.into()
        } else {
            None
        };
        Ok(BotFolder { path, rules })
    }

    /// Watches what the processes of a bot take together, where there are limits.
    pub(super) fn watch(&self, pid: Pid, folder: Option<&BotFolder>) -> Option<Watch> {
        Some(Watch::begin(
            pid,
            self.sandbox.limits?.memory,
            &folder?.path,
        ))
    }

    /// Takes a folder back whose process has ended. One that was written to is never used again: even when it is empty, its
    /// size and its times tell of what was there.
    pub(super) fn give_back(&self, folder: BotFolder) {
        if scratch::is_untouched(&folder.path) {
            lock(&self.folders).push(folder);
        } else {
            // What cannot be removed now is when the run ends.
            let _ = scratch::remove(&folder.path);
        }
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        for folder in lock(&self.folders).iter() {
            let _ = fs::remove_dir(&folder.path);
        }
    }
}

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
#[error("start the {called}: {problem}")]
pub struct StartError {
    called: String,
    problem: String,
}

impl StartError {
    /// The system refused the pipes of a program.
    pub(super) fn of_pipes(jail: &Jail, error: &io::Error) -> StartError {
        jail.failed(format!("make its pipes{}: {error}", hint(error, None)))
    }
}

/// Returns what to try against an error of the system that doesn't explain itself.
fn hint(error: &io::Error, program: Option<&Path>) -> String {
    let hint = match Errno::from_io_error(error) {
        Some(Errno::NOEXEC) => {
            "built for another machine, or a script whose first line is not `#!` and its interpreter"
        }
        Some(Errno::NOENT) => match program.and_then(line_ends) {
            Some(advice) => return format!(" ({advice})"),
            None => "the interpreter or the loader that the file asks for is missing",
        },
        Some(Errno::MFILE | Errno::NFILE) => "raise `ulimit -n`, or play fewer games at a time",
        Some(Errno::AGAIN | Errno::NOMEM) => {
            "raise `ulimit -u`, free some memory, or play fewer games at a time"
        }
        Some(Errno::TXTBSY) => "another program keeps the file open for writing",
        Some(Errno::NOSYS) => "Linux 5.3 or later is needed",
        _ => return String::new(),
    };
    format!(" ({hint})")
}
