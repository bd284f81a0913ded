//! A flag that threads which wait look at often.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that stops every [`Bot`](crate::Bot) sharing it from waiting. It stays raised until
/// [`Interrupt::lower`].
#[derive(Debug, Default)]
pub struct Interrupt(AtomicBool);

impl Interrupt {
    /// Creates a switch that isn't raised.
    ///
    /// # Errors
    /// Never.
    pub fn new() -> io::Result<Interrupt> {
        Ok(Interrupt::default())
    }

    /// Raises the switch.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Lowers the switch, so that new waits can begin.
    pub fn lower(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Returns whether the switch is raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
