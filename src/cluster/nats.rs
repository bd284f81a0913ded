//! The arena and its workers, on both sides of a NATS server.
//!
//! The arena holds the truth. `Ledger` knows what is under way; the queue of the server is a conveyor that may lose things or
//! deliver them twice. Workers send answers, not results: `judge` plays every game again. Everything asynchronous lives on one
//! thread at either end, `desk` and `outpost`, which starts before the sandbox takes the network away.

mod access;
mod desk;
mod goods;
mod judge;
mod ledger;
mod link;
mod outpost;
mod present;
mod protocol;
mod queue;
mod remote;
mod serve;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use super::terms::{self, Access, Host, Leaves, Present, Stops, Tell, name_of_machine};
pub(crate) use present::present;
pub(crate) use remote::RemotePool;
pub(crate) use serve::serve;

/// What nothing else is called.
fn random_id() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
