//! A process of this program beside the one that was started.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command, Stdio};

use super::guard::OURSELVES;

/// Runs this program with other arguments until it ends by itself. Its standard input ends when this process does, so it knows.
#[derive(Debug)]
pub(crate) struct Companion(Child);

impl Companion {
    /// Starts it.
    pub(crate) fn start(args: &[&OsStr]) -> io::Result<Companion> {
        Command::new(OURSELVES).args(args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map(Companion)
    }

    /// Ends it.
    pub(crate) fn end(mut self) {
        // Who cannot be killed is gone.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Says that all is over, and waits until it has ended.
    pub(crate) fn wait(mut self) {
        drop(self.0.stdin.take());
        // Who cannot be waited for is gone.
        let _ = self.0.wait();
    }
}
