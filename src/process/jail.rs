//! Bots in the sandbox: each process in a landlock domain of its own, under a filter of system calls, with a folder of its
//! own for what it writes.
//!
//! Both belong to a thread and are inherited. So a bot is started by a thread that puts them on and ends: the bot has them
//! from its first instruction, the arena never does, and nothing has to run between `fork` and `exec`, where
//! hardly anything is safe and std would have to copy the page tables of the whole arena. The thread cannot be kept for the
//! next bot: what is in the same landlock domain can be sent signals, and a signal to a thread of ours is one to the arena.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::{env, thread};

use landlock::RulesetCreated;
use rustix::process::Pid;

use super::orphans::lock;
use super::program::spawn_patiently;
use super::sandbox::files::rules;
use super::sandbox::limits::Limits;
use super::sandbox::{Relaxed, Sandbox};
use super::{Launch, scratch};

/// The stack of a thread that starts a bot, in bytes.
const STACK: usize = 128 * 1024;

/// The variable from which every Java machine takes options.
const JAVA: &str = "JAVA_TOOL_OPTIONS";

/// The number of the next folder.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The sandbox of every process of one bot.
#[derive(Debug)]
pub(crate) struct Jail {
    pub(super) sandbox: Arc<Sandbox>,
    /// What it is: a bot, or a referee.
    what: &'static str,
    /// How the bot is started.
    pub(crate) launch: Launch,
    /// The program, once it was found.
    pub(super) program: OnceLock<PathBuf>,
    /// Those that no process uses at the moment.
    folders: Mutex<Vec<BotFolder>>,
}

/// A folder to write to, and the rules that open it and what the bot may read. Used by one process at a time.
#[derive(Debug)]
pub(super) struct BotFolder {
    path: PathBuf,
    /// `None` where the system has no landlock.
    rules: Option<RulesetCreated>,
}

impl Jail {
    /// The jail of a bot.
    pub(crate) fn new(sandbox: &Arc<Sandbox>, launch: Launch) -> Arc<Jail> {
        Jail::of(sandbox, "bot", launch)
    }

    /// The jail of a referee.
    pub(crate) fn of_referee(sandbox: &Arc<Sandbox>, launch: Launch) -> Arc<Jail> {
        Jail::of(sandbox, "referee", launch)
    }

    fn of(sandbox: &Arc<Sandbox>, what: &'static str, launch: Launch) -> Arc<Jail> {
        let sandbox = Arc::clone(sandbox);
        Arc::new(Jail { sandbox, what, launch, program: OnceLock::new(), folders: Mutex::new(Vec::new()) })
    }

    /// For instance ``bot `alpha` ``.
    pub(crate) fn called(&self) -> String {
        format!("{} `{}`", self.what, self.launch.name)
    }

    /// The jail of the same bot with values in the place of names.
    pub(crate) fn with(&self, values: &BTreeMap<String, String>) -> Arc<Jail> {
        Jail::new(&self.sandbox, self.launch.filled(values))
    }

    /// The jail of the same bot in less of the sandbox, where there is less.
    pub(crate) fn relaxed(&self, relaxed: Relaxed) -> Option<Arc<Jail>> {
        Some(Jail::new(&Arc::new(self.sandbox.relaxed(relaxed)?), self.launch.clone()))
    }

    /// Whether a file that we can read is closed to the bot.
    pub(crate) fn refuses(&self, path: &Path) -> bool {
        let Some(rules) = self.folder().ok().and_then(|folder| folder.rules) else { return false };
        let is_closed = || rules.restrict_self().is_ok() && File::open(path).is_err();
        let tried = thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, is_closed).ok()?.join().ok());
        File::open(path).is_ok() && tried == Some(true)
    }

    /// Starts the process of a bot in the sandbox, and sets its limits. Without a folder where the sandbox is off.
    pub(super) fn start(&self, mut command: Command) -> io::Result<(Child, Option<BotFolder>)> {
        let Some(limits) = self.sandbox.limits else { return Ok((spawn_patiently(&mut command)?, None)) };
        let folder = self.folder()?;
        let env = &self.launch.env;
        for name in ["HOME", "TMPDIR"].into_iter().filter(|&name| !env.contains_key(name)) {
            command.env(name, &folder.path);
        }
        if !env.contains_key(JAVA) && env::var_os(JAVA).is_none() {
            command.env(JAVA, limits.java_options());
        }
        match self.start_in(&folder, limits, &mut command) {
            Ok(child) => Ok((child, Some(folder))),
            Err(error) => {
                self.give_back(folder);
                Err(error)
            }
        }
    }

    /// An empty folder.
    fn folder(&self) -> io::Result<BotFolder> {
        if let Some(folder) = lock(&self.folders).pop() {
            return Ok(folder);
        }
        let path = self.sandbox.folder.join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
        DirBuilder::new().mode(0o700).create(&path)?;
        let rules = if self.sandbox.features.files { Some(rules(&self.launch, &path)?) } else { None };
        Ok(BotFolder { path, rules })
    }

    fn start_in(&self, folder: &BotFolder, limits: Limits, command: &mut Command) -> io::Result<Child> {
        let start = || {
            if let Some(rules) = &folder.rules {
                rules.try_clone()?.restrict_self().map_err(io::Error::other)?;
            }
            self.sandbox.enter()?;
            spawn_patiently(command)
        };
        let mut child = thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, start)?;
            thread.join().map_err(|_| io::Error::other("the thread that starts it failed"))?
        })?;
        if self.sandbox.features.limits
            && let Err(error) = limits.set(Pid::from_child(&child))
        {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok(child)
    }

    /// Takes a folder back whose process has ended, and cleans it for the next one.
    pub(super) fn give_back(&self, folder: BotFolder) {
        // What cannot be cleaned is not used again; all is removed when the run ends.
        if scratch::empty(&folder.path).is_ok() {
            lock(&self.folders).push(folder);
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
