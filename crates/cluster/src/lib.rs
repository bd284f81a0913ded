//! Jobs on many machines: a coordinator hands out tasks, workers play them, and a [NATS](https://nats.io) server connects them.
//!
//! The crate carries bytes. It knows neither what a task asks for nor what an answer says: the program at either end does. A
//! [`Job`] is a description and the files that workers need for it; a [`Task`] is one piece of it. Workers come and go while a job
//! is played, and so may the server: what is lost is sent again, and the first good answer to each task counts.
//!
//! # Example
//!
//! The coordinator has numbers squared, and judges each answer before it takes it:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use arena_cluster::{Access, Coordinator, Job, Outcome, Task};
//!
//! # fn main() -> anyhow::Result<()> {
//! let access = Access { url: "nats://127.0.0.1:4222".into(), ..Access::default() };
//! let job = Job { name: "squares".into(), program: "squares 1.0".into(), ..Job::default() };
//! let mut coordinator = Coordinator::open(access, job, Arc::new(|line| println!("{line}")))?;
//! coordinator.first_worker(&|| false)?;
//! for number in 0..100 {
//!     let bytes = number.to_string().into_bytes();
//!     coordinator.add(Task { number, unit: number, unit_size: 1, bytes });
//! }
//! while !coordinator.is_empty() {
//!     coordinator.poll(true, &mut |answer| match answer.outcome {
//!         Outcome::Played(square) if square == (answer.number.pow(2)).to_string().as_bytes() => Ok(()),
//!         Outcome::Played(_) => Err("it cannot multiply".into()),
//!         Outcome::GivenBack | Outcome::Failed(_) => Ok(()),
//!     })?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A worker implements [`Player`] and calls [`serve`], which plays one job after the other:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use arena_cluster::{Access, Fitness, Host, Outcome, Player, Session, Tell, serve};
//!
//! struct Squares;
//!
//! impl Player for Squares {
//!     type Ready = ();
//!
//!     fn prepare(&self, _: &Session) -> anyhow::Result<((), Fitness)> {
//!         Ok(((), Fitness::default()))
//!     }
//!
//!     fn play(&self, (): &(), task: &[u8], _: &dyn Fn() -> bool) -> Outcome {
//!         match std::str::from_utf8(task).map(str::parse::<u64>) {
//!             Ok(Ok(number)) => Outcome::Played(number.pow(2).to_string().into_bytes()),
//!             _ => Outcome::Failed("not a number".into()),
//!         }
//!     }
//! }
//!
//! # fn main() -> anyhow::Result<()> {
//! let access = Access { url: "nats://127.0.0.1:4222".into(), ..Access::default() };
//! let host = Host { program: "squares 1.0".into(), jobs: 2, ..Host::default() };
//! let tell: Tell = Arc::new(|line| println!("{line}"));
//! serve(access, host, &Squares, Box::new(|| false), &tell)
//! # }
//! ```
//!
//! # How it works
//!
//! The coordinator announces its job every half second. A free worker asks for the job, fetches files that it does not have from
//! the server's object store, and lays them out below a folder of its own. Tasks travel in batches through a work queue of
//! `JetStream`. The queue delivers a batch again if its worker says nothing of it for a few seconds. It is only a conveyor: it lies in
//! the server's memory, so the coordinator keeps all tasks until it has accepted an answer.
//!
//! Everything asynchronous lives on one thread at either end.
//!
//! Text that comes over the network (names, reasons, remarks) is passed on as it is. Escape it before you show it.

mod access;
mod files;
mod link;
mod protocol;

mod coordinator;
mod list;
mod worker;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

pub use access::Access;
pub use coordinator::{Answer, Coordinator, Judge, SeenWorker};
pub use files::{File, Place, clean};
pub use list::{List, ListedRun, ListedWorker, list};
pub use protocol::{Fitness, Job, Outcome, Task};
pub use worker::{Host, Player, Session, Stop, serve};

/// Shows people a line. It has no full stop.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// Returns whether the worker is to leave.
pub type Leaves = Box<dyn Fn() -> bool + Send + Sync>;

/// Returns a name that nothing else has.
fn random_id() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
