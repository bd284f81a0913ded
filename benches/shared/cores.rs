//! The core that a bench stays on.

use std::error::Error;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and the processes it starts, on the first core that it may use.
pub(crate) fn stay_on_one_core() -> Result<(), Box<dyn Error>> {
    let allowed = sched_getaffinity(None)?;
    let core = (0..CpuSet::MAX_CPU)
        .find(|&core| allowed.is_set(core))
        .ok_or("there is no core to run on")?;
    let mut one = CpuSet::new();
    one.set(core);
    Ok(sched_setaffinity(None, &one)?)
}
