//! The core that a bench stays on.

use std::error::Error;

use arena_process::{allowed_cores, pin_to};

/// Keeps this thread, and the processes it starts, on the first core that it may use.
pub(crate) fn stay_on_one_core() -> Result<(), Box<dyn Error>> {
    let cores = allowed_cores();
    pin_to(*cores.first().ok_or("there is no core to run on")?);
    Ok(())
}
