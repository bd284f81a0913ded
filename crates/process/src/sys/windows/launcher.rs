//! Starts bots in jobs, with limits and without walls.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tempfile::TempDir;

use super::job::Job;
use super::sandbox::Sandbox;
use crate::environment::of_bot;
use crate::lack;
use crate::launch::Launch;
use crate::os::shell_code;
use crate::program::{StartError, retry_while_busy};

/// Starts processes of one bot, each in a job of its own.
#[derive(Debug)]
pub struct Launcher {
    pub(crate) sandbox: Arc<Sandbox>,
    /// "bot", "referee" or "compiler", for messages.
    pub(in crate::sys) what: &'static str,
    /// How the bot is started.
    pub launch: Launch,
    /// The path of its program, found once.
    program: OnceLock<PathBuf>,
}

impl Launcher {
    /// Creates the launcher of something else, such as a "referee".
    pub fn of(what: &'static str, sandbox: &Arc<Sandbox>, launch: Launch) -> Arc<Launcher> {
        Arc::new(Launcher {
            sandbox: Arc::clone(sandbox),
            what,
            launch,
            program: OnceLock::new(),
        })
    }

    /// Starts the program, with its own seed and these streams. It has a folder for temporary files
    /// unless the sandbox is off.
    pub(crate) fn start(
        &self,
        seed: u64,
        streams: impl Fn() -> io::Result<[Stdio; 3]>,
    ) -> Result<(Job, Option<TempDir>), StartError> {
        let program = if let Some(program) = self.program.get() {
            program
        } else {
            let found = self.find()?;
            self.program.get_or_init(|| found)
        };
        let start = || {
            let parent = &self.sandbox.folder;
            let folder = (self.sandbox.memory)
                .map(|_| tempfile::tempdir_in(parent))
                .transpose()?;
            let own = folder.as_ref().map(TempDir::path);
            let job = retry_while_busy(|| {
                let command = self.command(program, seed, own, streams()?)?;
                Job::start(command, self.sandbox.memory)
            })?;
            Ok((job, folder))
        };
        start().map_err(|error: io::Error| {
            // It may have been there at an earlier start.
            if let Err(missing) = self.find() {
                return missing;
            }
            let hint = lack::words(&error);
            self.failed(&format!("can't run `{}`{hint}: {error}", program.display()))
        })
    }

    fn command(
        &self,
        program: &Path,
        seed: u64,
        own: Option<&Path>,
        [stdin, stdout, stderr]: [Stdio; 3],
    ) -> io::Result<Command> {
        let seeds = BTreeMap::from([("seed".to_owned(), seed.to_string())]);
        let mut launch = self.launch.filled(&seeds);
        let folder = launch.folder.take();
        if folder.is_some() {
            launch.make_absolute();
        }
        let mut command = Command::new(absolute(program)?);
        let environment = of_bot(&launch, seed, own.zip(self.sandbox.memory));
        command
            .args(&launch.command[1..])
            .env_clear()
            .envs(environment)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        Ok(command)
    }

    /// Starts the program with the streams of this process, waits for its end, and returns the exit
    /// status that a shell would report.
    ///
    /// # Errors
    /// If the program does not start, or its exit status is lost.
    pub fn run(&self, seed: u64) -> Result<u8, StartError> {
        let streams = || Ok([Stdio::inherit(), Stdio::inherit(), Stdio::inherit()]);
        let (mut job, _folder) = self.start(seed, streams)?;
        match job.status_within(Duration::MAX, || false) {
            Ok(status) => Ok(status.map_or(u8::MAX, shell_code)),
            Err(error) => Err(self.failed(&format!("wait for it: {error}"))),
        }
    }
}
