//! How a bot is started, and why it was not.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::jail::{BotFolder, Jail};
use super::program::{find_program, line_ends};
use super::spawn::{self, Started};

/// How to start a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Launch {
    /// The name of the bot, for messages.
    pub(crate) name: String,
    /// The program, looked for by [`find_program`], and its arguments, where `{seed}` stands for the bot's own seed.
    pub(crate) command: Vec<String>,
    /// Variables added to the environment; `{seed}` as in the arguments. `ARENA_SEED` is the bot's own seed unless
    /// it is given here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
    /// Further folders and files that it may read in the sandbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) read: Vec<PathBuf>,
    /// Whether its process goes on to the next game when one has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) keep_alive: bool,
}

impl Launch {
    /// The same bot with values in the place of their names in braces.
    pub(crate) fn filled(&self, values: &BTreeMap<String, String>) -> Launch {
        Launch {
            command: self.command.iter().map(|word| fill(word, values)).collect(),
            env: self
                .env
                .iter()
                .map(|(name, text)| (name.clone(), fill(text, values)))
                .collect(),
            ..self.clone()
        }
    }

    /// The same bot with its own seed.
    pub(crate) fn seeded(&self, seed: u64) -> Launch {
        self.filled(&BTreeMap::from([("seed".to_owned(), seed.to_string())]))
    }
}

/// The text with the names in braces replaced for which there is a value.
pub(crate) fn fill(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part
            .split_once('}')
            .and_then(|(name, rest)| Some([values.get(name)?.as_str(), rest]));
        filled.extend(value.unwrap_or(["{", part]));
    }
    filled
}

/// Why a bot did not start.
#[derive(Debug, thiserror::Error)]
#[error("start the {called}: {problem}")]
pub(crate) struct StartError {
    pub(super) called: String,
    pub(super) problem: String,
}

/// What to try against an error of the system that does not explain itself; of a program that did not start.
pub(super) fn hint(error: &io::Error, program: Option<&Path>) -> String {
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

/// Starts the process of a bot in its sandbox: with these streams, or with those of this process.
pub(super) fn start(
    jail: &Jail,
    seed: u64,
    streams: Option<[BorrowedFd<'_>; 3]>,
) -> Result<(Started, Option<BotFolder>), StartError> {
    let failed = |problem| StartError {
        called: jail.called(),
        problem,
    };
    let find = || {
        let program = find_program(jail.launch.command.first().map_or("", String::as_str));
        program.map_err(|error| failed(error.to_string()))
    };
    let program = jail.program.get().cloned().map_or_else(find, Ok)?;
    let started = jail.start(&program, seed, streams).map_err(|error| {
        // It may have been there the last time only.
        let gone = find().err();
        gone.unwrap_or_else(|| {
            failed(format!(
                "run `{}`{}: {error}",
                program.display(),
                hint(&error, Some(&program))
            ))
        })
    });
    let _ = jail.program.set(program);
    started
}

/// Starts a bot in its sandbox with the standard streams of this process, and waits for its end.
pub(crate) fn run_by_hand(jail: &Jail, seed: u64) -> Result<ExitStatus, StartError> {
    let (Started { pid, .. }, _folder) = start(jail, seed, None)?;
    let ended = spawn::reap(pid);
    ended.map(|ended| ended.status).map_err(|error| StartError {
        called: jail.called(),
        problem: format!("wait for it: {error}"),
    })
}
