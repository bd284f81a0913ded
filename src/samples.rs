//! The sample bots inside this program: the command `arena bot NAME` is one.

use anyhow::anyhow;
use sample_bots::samples::{Sample, VERSION, find};

/// What the command of a sample bot begins with, before its name.
pub(crate) const START: [&str; 2] = ["arena", "bot"];

/// The sample bot that a command is, if it is one; an error if it has no name that is known.
pub(crate) fn of(command: &[String]) -> Option<anyhow::Result<&'static Sample>> {
    let [program, verb, rest @ ..] = command else { return None };
    (START == [program, verb]).then(|| named(rest.first().map(String::as_str)))
}

/// The sample bot of this name.
pub(crate) fn named(name: Option<&str>) -> anyhow::Result<&'static Sample> {
    let known = "`arena bots` lists the sample bots";
    match name {
        None => Err(anyhow!("`arena bot` needs a name behind it: {known}")),
        Some(name) => find(name).map_err(|error| anyhow!("{error} {known}")),
    }
}

/// What tells the sample bots of this program from those of another, as `plan.toml` keeps it.
pub(crate) fn identity() -> (String, String) {
    (START.join(" "), format!("version {VERSION}"))
}
