//! The words of a sandbox: how much of it a run asks for, what the system has, what it refused, and
//! which process is inside.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

/// How much of the sandbox a run asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// As much as the system has.
    #[default]
    Auto,
    /// All of it, or the run doesn't start.
    Strict,
    /// None of it, and no limits either.
    Off,
}

/// A part of the sandbox, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Part {
    /// Name of the run, bot, variant, parameter or part of the sandbox.
    pub name: &'static str,
    /// Its effect.
    pub ensures: &'static str,
    /// The feature of the system that it needs.
    pub needs: &'static str,
    /// Whether it is there.
    pub is_here: bool,
}

/// The mechanism that ensures the death of all processes.
#[derive(Clone, Copy, Debug, PartialEq, Display)]
pub enum Supervision {
    /// The kernel kills everything.
    #[strum(to_string = "pid namespace")]
    PidNamespace,
    /// The outer process kills what the inner one left, and the other way round.
    #[strum(to_string = "subreaper, no pid namespace")]
    Subreaper,
    /// The system kills what is in the job objects of this process.
    #[strum(to_string = "job objects")]
    Jobs,
    /// Only the process groups of the bots, because this process was not started by
    /// [`enter`](crate::guard::enter).
    #[strum(to_string = "process groups only")]
    None,
}

/// Which of the two processes this is.
#[derive(Debug)]
pub enum Side {
    /// The outer process, after the inner one has ended, with the exit status to end with.
    Outer(u8),
    /// The inner process.
    Inner(Inner),
}

/// The inner process.
#[derive(Debug)]
pub struct Inner {
    /// The mechanism that the system provides.
    pub supervision: Supervision,
    /// An empty folder, which the outer process removes at the end.
    pub folder: PathBuf,
}

/// What the sandbox refused to a bot, which failed because of it.
#[derive(Debug)]
pub enum Refused {
    /// To read a file or folder that the user can open to it.
    Read(PathBuf),
    /// To write to a file or folder.
    Write(PathBuf),
    /// To see a file or folder of the user's home folder.
    Home(PathBuf),
    /// A system call, by what it is for.
    Call(&'static str),
    /// Something that no option opens.
    Other,
}
