//! Work on all cores.

use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

/// Does `work` on each item, on all cores. The results are in the order of the items. Each thread
/// has its own `state`. If the system refuses threads, this one does the work alone.
pub fn on_all_cores<T: Sync, S, R: Send>(
    items: &[T],
    state: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &T) -> R + Sync + Send,
) -> Vec<R> {
    // The global pool panics if the system refuses threads.
    if let Ok(pool) = ThreadPoolBuilder::new().build() {
        return pool.install(|| items.par_iter().map_init(state, work).collect());
    }
    let mut state = state();
    items.iter().map(|item| work(&mut state, item)).collect()
}
