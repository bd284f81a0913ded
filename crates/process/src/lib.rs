//! Programs as players: start a program, ask it for lines before a deadline, and stop it with
//! everything it started.
//!
//! A [`Launch`] says how to start a program. A [`Launcher`] is a launch in a [`Sandbox`], and a
//! [`Bot`] is one running process of it. Source files can be programs, too: [`languages::ready`]
//! compiles them.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use arena_process::{Bot, Interrupt, Launcher, Launch, Mode, Sandbox, Supervision};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Holds the folders that programs may write to.
//! let folder = tempfile::tempdir()?;
//! let memory = 256 << 20;
//! let sandbox = Sandbox::new(Mode::Auto, memory, Supervision::None, folder.path().into())?;
//! let launcher = Launcher::new(&Arc::new(sandbox), Launch::new("echo", ["cat"]));
//!
//! let interrupt = Arc::new(Interrupt::new()?);
//! let mut bot = Bot::start_in(&launcher, 1, &interrupt)?;
//! let answer = bot.ask("hello\n", 1, Duration::from_secs(10), &mut |_| {})?;
//! assert_eq!(answer.reply, Ok("hello"));
//! assert_eq!(bot.stop().to_string(), "stopped by the arena");
//! # Ok(())
//! # }
//! ```
//!
//! Stopping a bot kills its process group. A process that left the group could survive. To end it
//! as well, however this program ends, let [`guard`] run the program as two processes, with one
//! line at the beginning of `main`: see `examples/guarded.rs`.
//!
//! # Modules
//!
//! Modules are listed in layers: each imports only modules of earlier layers. Two of them depend on
//! the system, and what is Linux in them is in `sys/linux`. `os` answers questions about files,
//! errors and ends of processes. `sys` has bots, launchers, the sandbox and the guard, each whole
//! behind its public methods. `sys/windows` has limits but no walls. `sys/none` only compiles.

#![cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "some of it only Linux needs")
)]

mod command_line;
mod lock;
#[cfg_attr(target_os = "linux", path = "sys/linux/os.rs")]
#[cfg_attr(windows, path = "sys/windows/os.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "sys/none/os.rs")]
mod os;
mod paths;
mod rename;

mod lack;

mod answer;
mod cores;
mod input;
mod limits;
mod mode;
mod program;
mod stderr;
mod tail;

mod digest;
mod exit;
mod hidden;
mod launch;
mod lines;
mod own_folder;

mod environment;
mod files;

mod printed;

mod sys;

pub mod languages;

pub use self::answer::{Answer, AskError, CpuTime, Failure, Output};
pub use self::command_line::{ESCAPES, join_command, split_command};
pub use self::cores::on_all_cores;
pub use self::digest::{hash_file, hex};
pub use self::environment::temporary_folder;
pub use self::exit::Exit;
pub use self::hidden::{BOTS, PLAN, PLAN_BEGIN, POOL, is_pool, is_run};
pub use self::input::{open_input, read_input, read_input_text, without_parents};
pub use self::lack::{Left, cant_start};
pub use self::launch::Launch;
pub use self::limits::THREADS;
#[cfg(any(test, fuzzing))]
pub use self::lines::tests::lines_of;
pub use self::lock::lock;
pub use self::mode::{Mode, Part, Refused, Supervision};
pub use self::os::{
    SYSTEM, UNLIKE_LINUX, advice, allowed_cores, flush, host_name, is_at, is_executable, kernel,
    lock_of, open_folder, pin_to, remove_empty, seal_program,
};
pub use self::own_folder::OwnFolder;
pub use self::paths::{LIST, folder_of_jars, serialize_paths, slashed};
pub use self::program::{ProgramError, StartError, find_program, line_ends};
pub use self::rename::{persist, rename};
pub use self::stderr::Stderr;
pub use self::sys::{Bot, Interrupt, Launcher, Sandbox, guard, reap_orphans, refused, run_command};
pub use self::tail::error_line;
