//! arena is one process, in a job of its own. All that it starts is in that job, from the first
//! moment. When arena ends, the system closes the job and ends the rest.

use std::io;
use std::mem;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc;

use win32job::{ExtendedLimitInfo, Job};

use crate::environment::temporary_folder;
use crate::lack;
use crate::lock::lock;
use crate::mode::Supervision;
pub use crate::mode::{Inner, Side};
use crate::os::advice;
use crate::own_folder::OwnFolder;
pub use crate::sys::single::*;

/// The beginning of the names of folders for runs.
const FOLDER: &str = "arena-scratch-";

/// The number of the only signal, that of Ctrl-C.
const SIGINT: i32 = 2;

/// The folder of the [`Inner`] process, which is this one.
static OWN: Mutex<Option<OwnFolder>> = Mutex::new(None);

/// Why the program can't play.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// There is no folder that bots could write to.
    #[error("can't use {} as folder for temporary files: set TMPDIR to one that may be written to", .0.display())]
    Temporary(PathBuf, #[source] io::Error),
    /// The system refused something else.
    #[error("can't start to play{}", lack::words(.0))]
    Refused(#[from] io::Error),
}

/// Prepares to play.
///
/// # Errors
/// If there is no folder for temporary files, or the system refuses a job.
pub fn enter() -> Result<Side, GuardError> {
    // The last handle is open for as long as this process lives.
    mem::forget(own_job()?);
    let temporary = temporary_folder();
    let own = OwnFolder::new(&temporary, FOLDER).map_err(|source| match advice(&source) {
        Some(_) => GuardError::Refused(source),
        None => GuardError::Temporary(temporary, source),
    })?;
    let folder = own.path().to_owned();
    *lock(&OWN) = Some(own);
    Ok(Side::Inner(Inner {
        supervision: Supervision::Jobs,
        folder,
    }))
}

/// Puts this process into a new job, which ends with it.
fn own_job() -> io::Result<Job> {
    let mut info = ExtendedLimitInfo::new();
    info.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&mut info).map_err(io::Error::other)?;
    job.assign_current_process().map_err(io::Error::other)?;
    Ok(job)
}

impl Drop for Inner {
    fn drop(&mut self) {
        lock(&OWN).take();
    }
}

/// Returns Ctrl-C, Ctrl-Break and the end of the console, as they come. Bots have groups of their
/// own, so Ctrl-C reaches this process alone.
///
/// # Errors
/// If the system refuses a handler, or this was called before.
pub fn signals() -> io::Result<impl Iterator<Item = i32> + Send + use<>> {
    let (sender, signals) = mpsc::channel();
    let handler = move || {
        // It fails if nobody listens any more: then the program ends anyway.
        let _ = sender.send(SIGINT);
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)?;
    Ok(signals.into_iter())
}
