//! Bots in the sandbox: each process in a landlock domain of its own, under a filter of system calls, with a folder of its
//! own for what it writes.
//!
//! Both belong to a thread and are inherited. So a bot is started by a thread that is in them and ends: the bot has them
//! from its first instruction, the arena never does, and nothing has to run between `fork` and `exec`, where
//! hardly anything is safe and std would have to copy the page tables of the whole arena. The thread cannot be kept for the
//! next bot: what is in the same landlock domain can be sent signals, and a signal to a thread of ours is one to the arena.
//! But the filter is the same for all bots and expensive to put on. So each worker has a thread under the filter, the
//! launcher, from which those threads inherit it; the worker itself limits and cleans up what no bot may touch.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::{env, thread};

use landlock::RulesetCreated;
use rustix::process::Pid;

use super::orphans::lock;
use super::program::spawn_patiently;
use super::sandbox::files::rules;
use super::sandbox::limits::Limits;
use super::sandbox::{Relaxed, Sandbox};
use super::sums::Watch;
use super::{Launch, scratch};

/// The stack of a thread that starts a bot, in bytes.
const STACK: usize = 128 * 1024;

/// The variable from which every Java machine takes options.
const JAVA: &str = "JAVA_TOOL_OPTIONS";

thread_local! {
    /// The launcher of this thread, on whose core the bots are to run. It ends with the thread.
    static LAUNCHER: OnceCell<Sender<Order>> = const { OnceCell::new() };
}

/// A bot to be started: in which rules, and who wants to know.
struct Order {
    rules: Option<RulesetCreated>,
    command: Command,
    reply: Sender<io::Result<Child>>,
}

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
        match self.start_in(&folder, limits, command) {
            Ok(child) => Ok((child, Some(folder))),
            Err(error) => {
                self.give_back(folder);
                Err(error)
            }
        }
    }

    /// An empty folder, as new.
    fn folder(&self) -> io::Result<BotFolder> {
        if let Some(folder) = lock(&self.folders).pop() {
            return Ok(folder);
        }
        let path = scratch::make(&self.sandbox.folder)?;
        let rules = if self.sandbox.features.files { Some(rules(&self.launch, &path)?) } else { None };
        Ok(BotFolder { path, rules })
    }

    fn start_in(&self, folder: &BotFolder, limits: Limits, command: Command) -> io::Result<Child> {
        let rules = folder.rules.as_ref().map(RulesetCreated::try_clone).transpose()?;
        let (reply, started) = mpsc::channel();
        self.order(Order { rules, command, reply })?;
        let mut child = started.recv().map_err(|_| io::Error::other("the thread that starts it failed"))??;
        if self.sandbox.features.limits
            && let Err(error) = limits.set(Pid::from_child(&child))
        {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok(child)
    }

    /// Hands an order to the launcher of this thread, which is started for the first one.
    fn order(&self, order: Order) -> io::Result<()> {
        LAUNCHER.with(|launcher| {
            if launcher.get().is_none() {
                let (orders, received) = mpsc::channel();
                let sandbox = Arc::clone(&self.sandbox);
                let launch = move || launch(&sandbox, received);
                thread::Builder::new().name("launcher".into()).stack_size(STACK).spawn(launch)?;
                let _ = launcher.set(orders);
            }
            let is_sent = launcher.get().is_some_and(|orders| orders.send(order).is_ok());
            if is_sent { Ok(()) } else { Err(io::Error::other("the thread that starts bots has ended")) }
        })
    }

    /// Watches what the processes of a bot take together, where there are limits.
    pub(super) fn watch(&self, pid: Pid, folder: Option<&BotFolder>) -> Option<Watch> {
        Some(Watch::begin(pid, self.sandbox.limits?.memory, &folder?.path))
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

/// Starts what is ordered, each in a thread of its own that inherits the filter.
fn launch(sandbox: &Sandbox, orders: Receiver<Order>) {
    let entered = sandbox.enter();
    for Order { rules, mut command, reply } in orders {
        let answer = reply.clone();
        let start = move || {
            let restricted = rules.map_or(Ok(()), |rules| rules.restrict_self().map(drop).map_err(io::Error::other));
            // Whoever ordered it waits for the answer.
            let _ = answer.send(restricted.and_then(|()| spawn_patiently(&mut command)));
        };
        let started = match &entered {
            Ok(()) => thread::Builder::new().stack_size(STACK).spawn(start).map(drop),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        };
        if let Err(error) = started {
            let _ = reply.send(Err(error));
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
