//! Bots behind walls: each process in a landlock domain of its own, under a filter of system calls, with a folder of its
//! own for what it writes.
//!
//! Both belong to a thread and are inherited. So a bot is started by a thread that puts them on and ends: the bot has them
//! from its first instruction, the arena never does, and nothing has to run between `fork` and `exec`, where
//! hardly anything is safe and std would have to copy the page tables of the whole arena. The thread cannot be kept for the
//! next bot: what is in the same landlock domain can be sent signals, and a signal to a thread of ours is one to the arena.

pub(super) mod calls;
pub(super) mod rules;

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{env, thread};

use landlock::RulesetCreated;
use rustix::process::Pid;

use super::limits::Limits;
use super::walls::{Walls, as_io};
use super::{Launch, scratch};

/// The stack of a thread that starts a bot, in bytes.
const STACK: usize = 128 * 1024;

/// The variable from which every Java machine takes options.
const JAVA: &str = "JAVA_TOOL_OPTIONS";

/// The number of the next folder.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The walls round every process of one bot.
#[derive(Debug)]
pub(crate) struct Jail {
    walls: Arc<Walls>,
    /// Further folders and files that the bot may read.
    read: Vec<PathBuf>,
    /// The program, once it was found.
    pub(super) program: OnceLock<PathBuf>,
    /// Folders with their rules that no process uses at the moment.
    cells: Mutex<Vec<Cell>>,
}

/// A folder to write to, and the rules that open it and what the bot may read. Used by one process at a time.
#[derive(Debug)]
pub(super) struct Cell {
    folder: PathBuf,
    /// `None` where the system has no landlock.
    rules: Option<RulesetCreated>,
}

impl Jail {
    /// The jail of a bot that may read the files and folders in `read`, besides what all bots may.
    pub(crate) fn new(walls: &Arc<Walls>, read: &[PathBuf]) -> Jail {
        Jail { walls: Arc::clone(walls), read: read.to_vec(), program: OnceLock::new(), cells: Mutex::new(Vec::new()) }
    }

    /// The limits of the bot.
    pub(super) fn limits(&self) -> Option<Limits> {
        self.walls.limits
    }

    /// An empty cell. `None` where walls are off.
    pub(super) fn cell(&self, launch: &Launch) -> io::Result<Option<Cell>> {
        if self.walls.limits.is_none() {
            return Ok(None);
        }
        let free = self.cells.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(cell) = free {
            return Ok(Some(cell));
        }
        let folder = self.walls.folder.join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
        DirBuilder::new().mode(0o700).create(&folder)?;
        let rules = if self.walls.held().files { Some(rules::rules(launch, &self.read, &folder)?) } else { None };
        Ok(Some(Cell { folder, rules }))
    }

    /// Tells the bot of its cell and of its limits, unless the config says otherwise.
    pub(super) fn furnish(&self, command: &mut Command, cell: &Cell, launch: &Launch) {
        for name in ["HOME", "TMPDIR"].into_iter().filter(|&name| !launch.env.contains_key(name)) {
            command.env(name, &cell.folder);
        }
        if let Some(limits) =
            self.walls.limits.filter(|_| !launch.env.contains_key(JAVA) && env::var_os(JAVA).is_none())
        {
            command.env(JAVA, limits.java_options());
        }
    }

    /// Runs `spawn` behind the walls of `cell`, and sets the limits of the process.
    pub(super) fn start(&self, cell: &Cell, spawn: impl FnOnce() -> io::Result<Child> + Send) -> io::Result<Child> {
        let held = self.walls.held();
        let behind_walls = || {
            if let Some(rules) = &cell.rules {
                rules.try_clone()?.restrict_self().map_err(as_io)?;
            }
            self.walls.enter()?;
            spawn()
        };
        let mut child = thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, behind_walls)?;
            thread.join().map_err(|_| io::Error::other("the thread that starts it failed"))?
        })?;
        if let Some(limits) = self.walls.limits.filter(|_| held.limits)
            && let Err(error) = limits.set(Pid::from_child(&child))
        {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok(child)
    }

    /// Takes a cell back whose process has ended, and cleans it for the next one.
    pub(super) fn give_back(&self, cell: Cell) {
        // What cannot be cleaned is not used again; all is removed when the run ends.
        if scratch::empty(&cell.folder).is_ok() {
            self.cells.lock().unwrap_or_else(PoisonError::into_inner).push(cell);
        }
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        for cell in self.cells.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = fs::remove_dir(&cell.folder);
        }
    }
}
