//! The sample bots, as programs and as a library.

mod cli;
mod games;
mod protocol;
mod search;
