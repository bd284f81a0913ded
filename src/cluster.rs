//! Many machines: an arena that has its games played by workers behind a NATS server, and the workers.
//!
//! The arena holds the truth. `Ledger` knows what is under way; the queue of the server is a conveyor that may lose things or
//! deliver them twice. Workers send answers, not results: `judge` plays every game again. Everything asynchronous lives on one
//! thread at either end, `desk` and `outpost`, which starts before the sandbox takes the network away.

#[cfg(feature = "workers")]
mod access;
#[cfg(feature = "workers")]
mod desk;
#[cfg(feature = "workers")]
mod goods;
#[cfg(feature = "workers")]
mod judge;
#[cfg(feature = "workers")]
mod ledger;
#[cfg(feature = "workers")]
mod link;
#[cfg(not(feature = "workers"))]
mod missing;
#[cfg(feature = "workers")]
mod outpost;
#[cfg(feature = "workers")]
mod present;
#[cfg(feature = "workers")]
mod protocol;
#[cfg(feature = "workers")]
mod queue;
#[cfg(feature = "workers")]
mod remote;
#[cfg(feature = "workers")]
mod serve;
#[cfg(feature = "workers")]
mod speed;
mod terms;

#[cfg(not(feature = "workers"))]
pub(crate) use missing::{RemotePool, present, serve};
#[cfg(feature = "workers")]
pub(crate) use present::present;
#[cfg(feature = "workers")]
pub(crate) use remote::RemotePool;
#[cfg(feature = "workers")]
pub(crate) use serve::serve;
pub(crate) use terms::{Access, Host, Leaves, Present, Stops, Tell, name_of_machine};

/// What nothing else is called.
#[cfg(feature = "workers")]
fn random_id() -> String {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};

    format!("{:016x}", RandomState::new().build_hasher().finish())
}
