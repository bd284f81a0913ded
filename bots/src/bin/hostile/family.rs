//! Processes that outlive their parent, or try to.

use std::env;
use std::io;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use crate::{LIFETIME, system};
use clap::ValueEnum;

/// The lifetime of each daemon of a chain before it starts the next one.
const LINK: Duration = Duration::from_millis(100);

/// The number of daemons in a chain, which lasts half a minute.
const LINKS: u32 = 300;

/// The number of generations of a fork bomb. Each process starts two, which makes 62 in all.
const GENERATIONS: u32 = 5;

/// The task of a process that isn't a bot.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Helper {
    /// Sleeps.
    Sleeper,
    /// Starts a new session, leaves a sleeper or a link there and ends: the second fork of two.
    Daemon,
    /// Starts a new session, starts the next link and ends.
    Link,
    /// Starts two of these, one generation further, and sleeps.
    Shard,
    /// Kills its parent, which stopped itself and so cannot end by itself.
    Waker,
}

/// Runs a helper.
pub(crate) fn help(helper: Helper, left: u32) {
    match helper {
        Helper::Sleeper => sleep(LIFETIME),
        Helper::Daemon => {
            system::leave_session();
            let _ = start(
                if left == 0 {
                    Helper::Sleeper
                } else {
                    Helper::Link
                },
                left,
            );
        }
        Helper::Link => {
            system::leave_session();
            sleep(LINK);
            if let Some(left) = left.checked_sub(1) {
                let _ = start(Helper::Link, left);
            }
        }
        Helper::Shard => {
            burst(left);
            sleep(LIFETIME);
        }
        Helper::Waker => system::wake_parent(),
    }
}

/// Leaves a daemon: an orphan in a new session that holds all pipes of the bot.
pub(crate) fn daemon() {
    leave(0);
}

/// Leaves a chain of daemons that live too briefly to be caught by their ids.
pub(crate) fn chain() {
    leave(LINKS);
}

/// Leaves a daemon. It is out of reach once this returns.
fn leave(links: u32) {
    // A refusal is as good as success: the arena is then safe from daemons.
    let daemon = command(Helper::Daemon, links).and_then(system::start_in_own_group);
    let _ = daemon.and_then(|mut child| child.wait());
}

/// Starts a bounded number of processes, as fast as they multiply.
pub(crate) fn bomb() {
    burst(GENERATIONS);
}

/// Leaves a child in the process group of the bot.
pub(crate) fn orphan() {
    let _ = start(Helper::Sleeper, 0);
}

/// Leaves a child in a new process group, as a shell with job control does.
pub(crate) fn own_group() {
    let _ = command(Helper::Sleeper, 0).and_then(system::start_in_own_group);
}

/// Has this process killed at the end of its lifetime even if it is stopped.
pub(crate) fn wake_later() -> io::Result<()> {
    start(Helper::Waker, 0).map(drop)
}

fn burst(generations: u32) {
    if let Some(left) = generations.checked_sub(1) {
        for _ in 0..2 {
            let _ = start(Helper::Shard, left);
        }
    }
}

fn start(helper: Helper, left: u32) -> io::Result<Child> {
    command(helper, left)?.spawn()
}

fn command(helper: Helper, left: u32) -> io::Result<Command> {
    let program = env::current_exe().or_else(|_| {
        env::args_os()
            .next()
            .map(Into::into)
            .ok_or(io::ErrorKind::NotFound)
    })?;
    let mut command = Command::new(program);
    let name = helper
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default();
    command.args(["--helper", &name, "--left", &left.to_string()]);
    command.env("HOSTILE_PARENT", std::process::id().to_string());
    Ok(command)
}
