//! A system without bots. arena compiles there, and says so when it should play.

pub mod guard;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::answer::{Answer, AskError, CpuTime, Output};
use crate::exit::Exit;
use crate::hidden::Hidden;
use crate::launch::Launch;
use crate::mode::{Mode, Part, Refused, Supervision};
use crate::os::SYSTEM;
use crate::program::{ProgramError, StartError};
use crate::stderr::Stderr;
pub use crate::sys::flag::Interrupt;

/// Returns why nothing plays here.
fn unsupported() -> ProgramError {
    ProgramError(format!("arena plays on Linux and Windows, not on {SYSTEM}"))
}

/// A running bot: there is none.
pub struct Bot {
    /// Unused.
    pub excuses: bool,
    /// Unused.
    pub spared: bool,
    never: Infallible,
}

/// Methods of a bot, which are never called.
#[expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "see those of Linux"
)]
impl Bot {
    pub fn start_in(
        launcher: &Arc<Launcher>,
        _: u64,
        _: &Arc<Interrupt>,
    ) -> Result<Bot, StartError> {
        match launcher.sandbox.never {}
    }

    #[must_use]
    pub fn with_lines_of(self, _: usize) -> Bot {
        match self.never {}
    }

    pub fn ask(
        &mut self,
        _: &str,
        _: usize,
        _: Duration,
        _: &mut dyn FnMut(bool),
    ) -> Result<Answer<'_>, AskError> {
        match self.never {}
    }

    pub fn listen(&mut self, _: Duration) -> Result<Output, AskError> {
        match self.never {}
    }

    pub fn ends_within(&mut self, _: Duration) -> Result<bool, AskError> {
        match self.never {}
    }

    pub fn crashes_within(&mut self, _: Duration) -> bool {
        match self.never {}
    }

    pub fn unread(&self) -> u64 {
        match self.never {}
    }

    pub fn unfinished(&self) -> Option<String> {
        match self.never {}
    }

    pub fn cpu_time(&mut self) -> Option<CpuTime> {
        match self.never {}
    }

    pub fn pause(&mut self) {
        match self.never {}
    }

    pub fn keep_stderr(&mut self) {
        match self.never {}
    }

    pub fn take_stderr(&mut self) -> Stderr {
        match self.never {}
    }

    pub fn close_input(&mut self) {
        match self.never {}
    }

    pub fn stop(self) -> Exit {
        match self.never {}
    }
}

/// Starts bots: there is none.
#[derive(Debug)]
pub struct Launcher {
    pub(crate) sandbox: Arc<Sandbox>,
    /// How the bot is started.
    pub launch: Launch,
}

/// Methods of a launcher, which are never called.
#[expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "see those of Linux"
)]
impl Launcher {
    pub fn new(sandbox: &Arc<Sandbox>, _: Launch) -> Arc<Launcher> {
        match sandbox.never {}
    }

    pub fn of(_: &'static str, sandbox: &Arc<Sandbox>, _: Launch) -> Arc<Launcher> {
        match sandbox.never {}
    }

    pub fn label(&self) -> String {
        match self.sandbox.never {}
    }

    pub fn with(self: &Arc<Self>, _: &BTreeMap<String, String>) -> Arc<Launcher> {
        match self.sandbox.never {}
    }

    pub fn run(&self, _: u64) -> Result<u8, StartError> {
        match self.sandbox.never {}
    }
}

/// The sandbox of a run: there is none.
#[derive(Clone, Debug)]
pub struct Sandbox {
    pub(crate) folder: PathBuf,
    pub(crate) memory: Option<u64>,
    pub(crate) hidden: Hidden,
    never: Infallible,
}

/// Methods of a sandbox. Only [`Sandbox::new`] is ever called.
#[expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "see those of Linux"
)]
impl Sandbox {
    pub fn new(_: Mode, _: u64, _: Supervision, _: PathBuf) -> anyhow::Result<Sandbox> {
        Err(unsupported().into())
    }

    pub fn parts(&self) -> [Part; 5] {
        match self.never {}
    }

    pub fn warning(&self) -> Option<String> {
        match self.never {}
    }

    #[must_use]
    pub fn with_memory(&self, _: u64) -> Sandbox {
        match self.never {}
    }

    pub fn in_mode(&self, _: Mode) -> anyhow::Result<Sandbox> {
        match self.never {}
    }

    pub(crate) fn closes_files(&self) -> bool {
        match self.never {}
    }

    pub fn hide(&self, _: &Path) -> io::Result<()> {
        match self.never {}
    }

    pub(crate) fn for_compiler(&self, _: Vec<PathBuf>) -> Sandbox {
        match self.never {}
    }

    #[must_use]
    pub fn confined(self, _: Vec<PathBuf>) -> Sandbox {
        match self.never {}
    }

    pub fn close(&self) {
        match self.never {}
    }

    pub fn enter(&self) {
        match self.never {}
    }

    pub fn share_processes(&self, _: usize) -> Option<String> {
        match self.never {}
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.never {}
    }
}

/// Runs no command.
///
/// # Errors
/// Always.
pub fn run_command(_: &[String], _: &[&Interrupt]) -> anyhow::Result<()> {
    Err(unsupported().into())
}

/// Runs no compiler.
pub(crate) fn run_compiler(
    launcher: &Launcher,
    _: Duration,
    _: &[&Interrupt],
) -> anyhow::Result<()> {
    match launcher.sandbox.never {}
}

/// Finds nothing to reap.
pub fn reap_orphans() -> bool {
    false
}

/// Returns what the sandbox refused: there is none.
pub fn refused(launcher: &Launcher, _: u64, _: &str, _: &str, _: &Interrupt) -> Option<Refused> {
    match launcher.sandbox.never {}
}
