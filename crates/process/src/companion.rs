//! A process of this program beside the one that was started.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::SIGCHLD;
use signal_hook::iterator::Signals;

use crate::guard::{OURSELVES, deadly_signals};

/// Runs this program with other arguments until it ends by itself. Its standard input ends when this process does, so it knows.
#[derive(Debug)]
pub struct Companion {
    process: Child,
    /// What is to end this process, from the start on: one that comes as the work ends is for the other process, too.
    signals: Signals,
}

impl Companion {
    /// Starts it.
    pub fn start(args: &[&OsStr]) -> io::Result<Companion> {
        let signals = Signals::new(deadly_signals().chain([SIGCHLD]))?;
        let process = Command::new(OURSELVES)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        Ok(Companion { process, signals })
    }

    /// Ends it.
    pub fn end(mut self) {
        // Who cannot be killed is gone.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Says that all is over, and waits until it has ended. A signal that is to end this process ends it.
    pub fn wait(mut self) {
        drop(self.process.stdin.take());
        // No thread can do this: the namespace of the processes that this one would start has ended.
        while let Ok(None) = self.process.try_wait() {
            if self.signals.wait().any(|signal| signal != SIGCHLD) {
                let _ = kill_process(Pid::from_child(&self.process), Signal::TERM);
            }
        }
    }
}
