//! Many machines: an arena that has its games played by workers behind a NATS server, and the workers.

#[cfg_attr(not(feature = "workers"), path = "cluster/missing.rs")]
mod nats;
mod terms;

pub(crate) use nats::{RemotePool, present, serve};
pub(crate) use terms::{Access, Host, Present, Stops, Tell, name_of_machine};
