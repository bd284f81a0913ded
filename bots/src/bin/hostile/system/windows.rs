//! What Windows has instead. A mode that needs Linux ends the program with an error.

use std::io::{self, Error};
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt as _;
use std::process::{self, Child, Command};

use filedescriptor::{FileDescriptor, StdioDescriptor};

/// The exit code of a process that was ended by an access violation.
const ACCESS_VIOLATION: u32 = 0xC000_0005;

/// The exit code of a process that was ended by Ctrl-C.
const ENDED_BY_CTRL_C: u32 = 0xC000_013A;

/// The flags of a process without the console, in a new process group, and outside the job.
const DETACHED_PROCESS: u32 = 0x8;
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
const CREATE_BREAKAWAY_FROM_JOB: u32 = 0x0100_0000;

fn needs_linux<T>() -> io::Result<T> {
    Err(Error::other("this mode needs Linux"))
}

pub(crate) fn descriptors() -> io::Result<usize> {
    needs_linux()
}

/// Ends with the status of an access violation. A real one takes unsafe code.
pub(crate) fn segfault() -> io::Result<()> {
    process::exit(ACCESS_VIOLATION.cast_signed())
}

/// Ends with the status that Task Manager gives to a process that it ends.
pub(crate) fn terminate() -> io::Result<()> {
    process::exit(1)
}

/// Ends with the status of Ctrl-C.
pub(crate) fn interrupt_group() -> io::Result<()> {
    process::exit(ENDED_BY_CTRL_C.cast_signed())
}

pub(crate) fn stop() -> io::Result<()> {
    needs_linux()
}

/// Closes the standard input: what is read now never comes.
pub(crate) fn close_stdin() -> io::Result<()> {
    close(&io::pipe()?.0, StdioDescriptor::Stdin)
}

/// Closes the standard output: nothing hears what is written now.
pub(crate) fn close_stdout() -> io::Result<()> {
    close(&io::pipe()?.1, StdioDescriptor::Stdout)
}

/// Closes the error output.
pub(crate) fn close_stderr() -> io::Result<()> {
    close(&io::pipe()?.1, StdioDescriptor::Stderr)
}

/// Puts one end of a new pipe, whose other end is closed, in the place of a stream.
fn close(pipe: &impl AsRawHandle, stream: StdioDescriptor) -> io::Result<()> {
    // Returns the handle that was there. Dropping it closes it.
    let closed = FileDescriptor::redirect_stdio(pipe, stream);
    closed.map(drop).map_err(Error::other)
}

/// Nothing: no process is asked to end.
pub(crate) fn ignore_signals() {}

/// Nothing: what [`start_in_own_group`] starts is on its own from its start.
pub(crate) fn leave_session() {}

/// Starts a command on its own: without the console, in a new process group, and outside the job
/// where that is allowed.
pub(crate) fn start_in_own_group(mut command: Command) -> io::Result<Child> {
    let alone = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
    let outside = command.creation_flags(alone | CREATE_BREAKAWAY_FROM_JOB);
    outside
        .spawn()
        .or_else(|_| command.creation_flags(alone).spawn())
}

pub(crate) fn wake_parent() {}

pub(crate) fn signal_arena() -> Option<String> {
    None
}

pub(crate) fn signal_starter() {}

pub(crate) fn signal_rival() -> Option<String> {
    None
}

pub(crate) fn read_memory() -> Option<String> {
    None
}
