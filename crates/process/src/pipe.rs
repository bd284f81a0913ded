//! The pipes to and from a bot.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::pipe::{PipeFlags, pipe_with};

/// A pipe between a bot and us. Our end does not block; the bot's does: it is another open file.
pub(super) struct Pipe {
    pub(super) ours: OwnedFd,
    pub(super) its: OwnedFd,
}

impl Pipe {
    /// One to which we write.
    pub(super) fn to() -> io::Result<Pipe> {
        let (its, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        Pipe { ours, its }.ready()
    }

    /// One from which we read.
    pub(super) fn from() -> io::Result<Pipe> {
        let (ours, its) = pipe_with(PipeFlags::CLOEXEC)?;
        Pipe { ours, its }.ready()
    }

    fn ready(self) -> io::Result<Pipe> {
        ioctl_fionbio(&self.ours, true)?;
        Ok(self)
    }
}

/// Whether there is something to be read, or is within `wait`.
pub(super) fn is_ready(from: &impl AsFd, wait: Duration) -> bool {
    let mut set = [PollFd::new(from, PollFlags::IN)];
    matches!(
        poll(&mut set, Timespec::try_from(wait).ok().as_ref()),
        Ok(1)
    )
}
