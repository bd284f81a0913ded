//! `arena bots`, and `arena bot NAME`, which is no verb for people: a command that starts a sample bot.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use sample_bots::samples::{ALL, Sample};

use super::{Failure, print};
use crate::report::screen::Screen;
use crate::report::table::{Kind, Rows};
use crate::{exit, samples};

/// Is a sample bot, if this process was started as one. Comes before the command line is read as that of a verb: bots are
/// started for every game.
pub(super) fn serve() -> Option<ExitCode> {
    let mut words = env::args_os().skip(1);
    if words.next()? != samples::START[1] {
        return None;
    }
    let name = words.next();
    Some(match samples::named(name.as_deref().map(|name| name.to_string_lossy()).as_deref()) {
        Ok(sample) => {
            let line = OsString::from(command(sample));
            (sample.program)(std::iter::once(line).chain(words).collect())
        }
        Err(error) => {
            // Where nobody reads standard error, the exit code still tells.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(exit::USAGE)
        }
    })
}

pub(super) fn samples() -> Result<u8, Failure> {
    let table = Rows::new("Sample bots", &ALL)
        .shown(Kind::Name, "command", command)
        .shown(Kind::Name, "game", |sample| sample.game)
        .shown(Kind::Prose, "how it plays", |sample| sample.how);
    let text = table.table().text(&Screen::stdout());
    // Tables have a margin that a page of nothing else does not need.
    print(text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect::<String>())
}

/// The command that starts it.
fn command(sample: &Sample) -> String {
    format!("{} {}", samples::START.join(" "), sample.name)
}
