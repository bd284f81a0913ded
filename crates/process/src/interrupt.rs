//! One switch that ends every wait of the program.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// Tells every bot that shares it to stop waiting, whichever thread it waits in.
///
/// It stays raised until [`Interrupt::lower`]. The flag answers without a system call; the descriptor, readable once raised, wakes
/// those who wait in `poll`.
#[derive(Debug)]
pub struct Interrupt {
    raised: AtomicBool,
    pub(super) event: OwnedFd,
}

impl Interrupt {
    /// A switch that is not raised.
    pub fn new() -> io::Result<Interrupt> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Interrupt {
            raised: AtomicBool::new(false),
            event,
        })
    }

    /// Raises the switch. It neither blocks nor allocates, so a signal handler may call it.
    pub fn raise(&self) {
        // The flag comes first: whoever is woken by the descriptor must find it set.
        self.raised.store(true, Ordering::SeqCst);
        // The write can only fail on a full counter, which is readable as it is.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Lowers the switch, for what comes after all that it has ended.
    pub fn lower(&self) {
        self.raised.store(false, Ordering::SeqCst);
        // Fails where it was not raised.
        let _ = rustix::io::read(&self.event, &mut [0; 8]);
    }

    /// Whether the switch was raised.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }
}
