//! What launchers of Linux and Windows share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::launch::Launch;
use crate::program::{StartError, find_program, program_of};
use crate::sys::{Launcher, Sandbox};

impl Launcher {
    /// Creates the launcher of a bot.
    pub fn new(sandbox: &Arc<Sandbox>, launch: Launch) -> Arc<Launcher> {
        Launcher::of("bot", sandbox, launch)
    }

    /// Returns the name for messages, for instance ``bot `alpha` ``.
    pub fn label(&self) -> String {
        format!("{} `{}`", self.what, self.launch.name)
    }

    /// Returns a launcher of the same bot with names in braces replaced by values.
    pub fn with(self: &Arc<Self>, values: &BTreeMap<String, String>) -> Arc<Launcher> {
        // What a launcher found out about its files holds for the same command.
        if values.is_empty() {
            return Arc::clone(self);
        }
        Launcher::new(&self.sandbox, self.launch.filled(values))
    }

    /// Finds its program.
    pub(in crate::sys) fn find(&self) -> Result<PathBuf, StartError> {
        find_program(program_of(&self.launch.command))
            .map_err(|error| self.failed(&error.to_string()))
    }

    pub(crate) fn failed(&self, problem: &str) -> StartError {
        StartError(format!("can't start the {}: {problem}", self.label()))
    }
}
