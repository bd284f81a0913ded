//! Limits of memory and processes by a job. Files and the network stay open.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::hidden::Hidden;
use crate::limits::COMPILER_MEMORY;
use crate::mode::{Mode, Part, Supervision};
use crate::program::ProgramError;

/// What a part needs that isn't here.
const LINUX: &str = "Linux";

/// The limits of every bot of a run.
#[derive(Clone, Debug)]
pub struct Sandbox {
    mode: Mode,
    supervision: Supervision,
    /// Holds the folders for temporary files.
    pub(crate) folder: PathBuf,
    /// The memory limit of every bot, in bytes; `None` if the sandbox is off.
    pub(crate) memory: Option<u64>,
    pub(crate) hidden: Hidden,
}

impl Sandbox {
    /// Creates a sandbox. `memory` is the limit in bytes, `folder` an empty folder that holds
    /// temporary files.
    ///
    /// # Errors
    /// With [`Mode::Strict`].
    pub fn new(
        mode: Mode,
        memory: u64,
        supervision: Supervision,
        folder: PathBuf,
    ) -> anyhow::Result<Sandbox> {
        if mode == Mode::Strict {
            return Err(ProgramError(
                "can't set up the sandbox: there is none on Windows; `mode = \"auto\"` in `[sandbox]` limits memory and processes".to_owned(),
            )
            .into());
        }
        Ok(Sandbox {
            mode,
            supervision,
            folder,
            memory: (mode != Mode::Off).then_some(memory),
            hidden: Hidden::default(),
        })
    }

    /// Returns the parts of a sandbox, and which of them the system has.
    pub fn parts(&self) -> [Part; 5] {
        let missing = [
            ("files", "a bot opens no files but its own"),
            ("signals", "a bot ends no processes but its own"),
            ("system calls", "a bot has no network"),
            ("users", "a bot takes no processes from others"),
        ];
        let [files, signals, calls, users] = missing.map(|(name, ensures)| Part {
            name,
            ensures,
            needs: LINUX,
            is_here: false,
        });
        let processes = Part {
            name: "processes",
            ensures: "nothing outlives a run, however it ends",
            needs: "job objects",
            is_here: true,
        };
        [files, signals, calls, processes, users]
    }

    /// Returns what is missing, in words.
    pub fn warning(&self) -> Option<String> {
        let words = "bots aren't walled in on Windows: play only bots that you trust";
        (self.mode != Mode::Off).then(|| words.to_owned())
    }

    /// Returns a sandbox with another memory limit, in bytes, if it has limits.
    #[must_use]
    pub fn with_memory(&self, memory: u64) -> Sandbox {
        Sandbox {
            memory: self.memory.map(|_| memory),
            ..self.clone()
        }
    }

    /// Returns a sandbox that asks for as much as `mode` does.
    ///
    /// # Errors
    /// With [`Mode::Strict`].
    pub fn in_mode(&self, mode: Mode) -> anyhow::Result<Sandbox> {
        if mode == self.mode {
            return Ok(self.clone());
        }
        let memory = self.memory.unwrap_or_default();
        let sandbox = Sandbox::new(mode, memory, self.supervision, self.folder.clone())?;
        Ok(Sandbox {
            hidden: self.hidden.clone(),
            ..sandbox
        })
    }

    /// Returns whether a program can't open files that aren't its own.
    pub(crate) fn closes_files(&self) -> bool {
        false
    }

    /// Keeps the folder of a run or its config from compilers. It need not exist yet.
    ///
    /// # Errors
    /// If the current folder is unknown.
    pub fn hide(&self, path: &Path) -> io::Result<()> {
        self.hidden.hide(path)
    }

    /// Returns a sandbox for a compiler.
    pub(crate) fn for_compiler(&self, _: Vec<PathBuf>) -> Sandbox {
        Sandbox {
            memory: self.memory.map(|memory| memory.max(COMPILER_MEMORY)),
            ..self.clone()
        }
    }

    /// Returns the same sandbox: what others sent isn't confined.
    #[must_use]
    pub fn confined(self, _: Vec<PathBuf>) -> Sandbox {
        self
    }

    /// Drops nothing.
    pub fn close(&self) {}

    /// Restricts nothing.
    pub fn enter(&self) {}

    /// Shares nothing: processes of this user aren't limited.
    pub fn share_processes(&self, _: usize) -> Option<String> {
        None
    }
}

impl fmt::Display for Sandbox {
    /// For instance `no walls on Windows, memory 768 MB; job objects`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.memory {
            Some(memory) => write!(f, "no walls on Windows, memory {} MB; ", memory >> 20)?,
            None => f.write_str("off; ")?,
        }
        self.supervision.fmt(f)
    }
}
