//! Jobs on many machines: a coordinator hands out tasks, workers play them, and a
//! [NATS](https://nats.io) server connects them.
//!
//! The crate carries text. Only the program at either end knows what a task or an answer means. A
//! [`Job`] is a description and the files that workers need for it; a [`Task`] is one piece of it.
//! Workers and the server may disappear and come back during a job: lost tasks are sent again, and
//! the first good answer to each task counts.
//!
//! # Example
//!
//! This coordinator lets workers square numbers, and judges each answer:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use arena_cluster::{Access, Coordinator, Job, Outcome, Task, WrongAnswer};
//!
//! # fn main() -> anyhow::Result<()> {
//! let access = Access { url: "nats://127.0.0.1:4222".into(), ..Access::default() };
//! let job = Job { name: "squares".into(), program: "squares 1.0".into(), ..Job::default() };
//! let mut coordinator = Coordinator::open(access, job, Arc::new(|line| println!("{line}")))?;
//! coordinator.first_worker(&|| false)?;
//! for number in 0..100 {
//!     coordinator.add(Task { number, unit: number, unit_size: 1, text: number.to_string() });
//! }
//! while !coordinator.is_empty() {
//!     coordinator.poll(&mut |answer| match answer.outcome {
//!         Outcome::Played(square) if square == answer.number.pow(2).to_string() => Ok(()),
//!         Outcome::Played(_) => Err(WrongAnswer("it cannot multiply".into())),
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
//! use arena_cluster::{Access, Host, Outcome, Player, Session, Tell, serve};
//!
//! struct Squares;
//!
//! impl Player for Squares {
//!     type Ready = ();
//!
//!     fn prepare(&self, _: &Session) -> anyhow::Result<()> {
//!         Ok(())
//!     }
//!
//!     fn play(&self, (): &(), task: &str, _: &dyn Fn() -> bool) -> Outcome {
//!         match task.parse::<u64>() {
//!             Ok(number) => Outcome::Played(number.pow(2).to_string()),
//!             Err(_) => Outcome::Failed("not a number".into()),
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
//! The coordinator announces its job every half second. A free worker asks for the job, fetches
//! missing files from the server's object store, and lays them out below a folder of the session.
//! Tasks travel in units through a work queue of `JetStream`. The queue delivers a unit again after
//! a few seconds without a message from its worker. The queue is in the server's memory, so the
//! coordinator keeps all tasks until it has accepted an answer.
//!
//! All asynchronous code runs on one thread at either end.
//!
//! Text from the network (names, reasons) is passed on as it is. Escape it before you show it.

mod access;
mod error;
mod files;
mod link;
mod protocol;

mod coordinator;
mod worker;

pub use access::{Access, Tell};
pub use coordinator::{Coordinator, Judge};
pub use error::{ClusterError, WrongAnswer};
pub use files::{File, Place, clean};
pub use protocol::{Answer, Job, Outcome, Task};
pub use worker::{Host, Leaves, Player, Session, serve};
