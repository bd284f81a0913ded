//! The pipes to and from a bot.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::pipe::{PipeFlags, pipe_with};

/// A pipe between a bot and us. Our end doesn't block. The bot's end does, because it is another
/// open file.
pub(crate) struct Pipe {
    pub(crate) ours: OwnedFd,
    pub(crate) its: OwnedFd,
}

impl Pipe {
    /// Creates a pipe that we write to.
    pub(crate) fn to() -> io::Result<Pipe> {
        let (its, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        ioctl_fionbio(&ours, true)?;
        Ok(Pipe { ours, its })
    }

    /// Creates a pipe that we read from.
    pub(crate) fn from() -> io::Result<Pipe> {
        let (ours, its) = pipe_with(PipeFlags::CLOEXEC)?;
        ioctl_fionbio(&ours, true)?;
        Ok(Pipe { ours, its })
    }
}

/// Returns whether there is something to read now, or within `wait`.
pub(crate) fn is_ready(from: &impl AsFd, wait: Duration) -> bool {
    let mut set = [PollFd::new(from, PollFlags::IN)];
    let timeout = Timespec::try_from(wait).ok();
    matches!(poll(&mut set, timeout.as_ref()), Ok(1))
}
