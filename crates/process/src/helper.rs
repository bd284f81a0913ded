//! A second process of this program, beside the first.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::SIGCHLD;
use signal_hook::iterator::Signals;

use crate::guard::{OURSELVES, deadly_signals};

/// Runs this program with other arguments until it ends by itself. Its standard input ends when
/// this process does.
#[derive(Debug)]
pub struct HelperProcess {
    process: Child,
    /// Signals that should end this process, from the start on: one that comes as the work ends is
    /// for the helper, too.
    signals: Signals,
}

impl HelperProcess {
    /// Starts the helper.
    ///
    /// # Errors
    /// If the system refuses a process or a handler.
    pub fn start(args: &[&OsStr]) -> io::Result<HelperProcess> {
        let signals = Signals::new(deadly_signals().chain([SIGCHLD]))?;
        let process = Command::new(OURSELVES)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        Ok(HelperProcess { process, signals })
    }

    /// Kills the helper.
    pub fn end(mut self) {
        // It can only fail if the process is gone.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Tells the helper that the work is done, and waits until it has ended. A signal that should
    /// end this process ends the helper.
    pub fn wait(mut self) {
        drop(self.process.stdin.take());
        // A thread could not do this: it would start in a namespace that has ended.
        while let Ok(None) = self.process.try_wait() {
            if self.signals.wait().any(|signal| signal != SIGCHLD) {
                let _ = kill_process(Pid::from_child(&self.process), Signal::TERM);
            }
        }
    }
}
