//! The thread of the asynchronous connection, at either end.

use std::sync::mpsc;
use std::thread;

use anyhow::{Context as _, anyhow};
use tokio::runtime::Builder;

/// What happened if the thread can't be reached.
pub(crate) const BROKEN: &str = "the thread for it has ended, which is a mistake in this program";

/// Starts the thread and connects. If that succeeds, the thread continues with the connection.
pub(crate) fn link<T, C: Future<Output = anyhow::Result<T>>, G: Future<Output = ()>>(
    name: &str,
    connect: impl FnOnce() -> C + Send + 'static,
    proceed: impl FnOnce(T) -> G + Send + 'static,
) -> anyhow::Result<thread::JoinHandle<()>> {
    let (is_open, opened) = mpsc::channel();
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("can't start a runtime")?;
    let serve = async move || match connect().await {
        Ok(connected) => {
            let _ = is_open.send(Ok(()));
            proceed(connected).await;
        }
        Err(error) => drop(is_open.send(Err(error))),
    };
    let thread = thread::Builder::new()
        .name(name.into())
        .spawn(move || runtime.block_on(serve()))
        .context("can't start a thread")?;
    opened
        .recv()
        .map_err(|_| anyhow!("connect: the thread for it ended"))??;
    Ok(thread)
}
