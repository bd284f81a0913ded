//! A switch that ends every wait of the program.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// A switch that stops every [`Bot`](crate::Bot) sharing it from waiting, whichever thread waits.
///
/// It stays raised until [`Interrupt::lower`]. The flag answers without a system call. The
/// descriptor, readable once raised, wakes threads that wait in `poll`.
#[derive(Debug)]
pub struct Interrupt {
    raised: AtomicBool,
    pub(crate) event: OwnedFd,
}

impl Interrupt {
    /// Creates a switch that isn't raised.
    ///
    /// # Errors
    /// If the system has no more descriptors.
    pub fn new() -> io::Result<Interrupt> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Interrupt {
            raised: AtomicBool::new(false),
            event,
        })
    }

    /// Raises the switch. It neither blocks nor allocates, so a signal handler may call it.
    pub fn raise(&self) {
        // The flag comes first: a thread that the descriptor wakes must find it set.
        self.raised.store(true, Ordering::SeqCst);
        // The write can only fail on a full counter, which is readable as it is.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Lowers the switch, so that new waits can begin.
    pub fn lower(&self) {
        self.raised.store(false, Ordering::SeqCst);
        // The read fails if the switch wasn't raised.
        let _ = rustix::io::read(&self.event, &mut [0; 8]);
    }

    /// Returns whether the switch is raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }
}
