//! A bot that plays any game legally until a chosen turn, and then misbehaves as `--mode` says.
//!
//! It exists to test `arena`. Everything that it does ends within a minute, so that a failing test
//! ends too. A mode that tests a wall (memory, network, files, signals) continues to play if the
//! wall holds, and answers `breach: ..` if it doesn't. No game knows that action, so a breach shows
//! as an invalid action.

mod family;
mod modes;
#[cfg_attr(windows, path = "system/windows.rs")]
#[cfg_attr(not(windows), path = "system/linux.rs")]
mod system;
mod table;
mod walls;

use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

use clap::Parser;

use crate::family::Helper;
use crate::modes::Mode;
use crate::table::Table;

/// The maximum lifetime of any process of this program.
const LIFETIME: Duration = Duration::from_secs(60);

/// Plays one game over standard input and output, until it misbehaves.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// How to misbehave
    #[arg(long, value_name = "NAME", default_value = "honest")]
    mode: Mode,
    /// First turn to misbehave in, from 1
    #[arg(long, value_name = "N", default_value_t = 2)]
    turn: u32,
    /// How long it waits, in modes that do
    #[arg(long, value_name = "K", default_value_t = 50)]
    ms: u64,
    /// Is a process that a bot started, no bot
    #[arg(long, value_name = "NAME", hide = true)]
    helper: Option<Helper>,
    /// How many more processes, or generations of them, the helper starts
    #[arg(long, value_name = "N", default_value_t = 0, hide = true)]
    left: u32,
}

fn main() -> ExitCode {
    // Before anything else is opened.
    let descriptors = system::descriptors();
    let arguments = Arguments::parse();
    thread::spawn(|| {
        thread::sleep(LIFETIME);
        process::exit(0);
    });
    let _mark = match mark() {
        Ok(mark) => mark,
        Err(error) => return fail(&error),
    };
    if let Some(helper) = arguments.helper {
        family::help(helper, arguments.left);
        return ExitCode::SUCCESS;
    }
    match play(&arguments, descriptors) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &io::Error) -> ExitCode {
    // The reader may be gone.
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::FAILURE
}

/// Locks the file that `HOSTILE_MARK` names, together with all others of this program, until this
/// process ends: so a test sees on every system whether one lives.
fn mark() -> io::Result<Option<File>> {
    let Some(path) = env::var_os("HOSTILE_MARK") else {
        return Ok(None);
    };
    let file = File::open(path)?;
    file.lock_shared()?;
    Ok(Some(file))
}

/// Plays until the input ends.
fn play(arguments: &Arguments, descriptors: io::Result<usize>) -> io::Result<()> {
    let mut table = Table::new(io::stdin().lock());
    let mut conduct = modes::Conduct {
        mode: arguments.mode,
        pause: Duration::from_millis(arguments.ms),
        descriptors,
    };
    conduct.start();
    let mut turn = 0;
    while let Some(legal) = table.legal_answer()? {
        turn += 1;
        match turn {
            _ if turn < arguments.turn => modes::say(&legal)?,
            _ if turn == arguments.turn => conduct.misbehave(&legal)?,
            _ => conduct.go_on(&legal)?,
        }
    }
    conduct.end();
    Ok(())
}
