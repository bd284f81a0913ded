//! What all verbs print and write.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

use super::exit;
use super::failure::{Failure, Result};
use crate::store::io_error;
use arena_process::advice;
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::text::shown;

/// Writes text for people to standard output.
pub(super) fn print(text: impl AsRef<str>) -> Result<u8> {
    print_data(shown(text.as_ref()))
}

/// Writes what programs read to standard output, byte for byte. It is no error if a pager or a bot
/// stops reading.
pub(super) fn print_data(content: impl AsRef<[u8]>) -> Result<u8> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(content.as_ref())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(exit::OK),
    }
}

/// Writes a result as JSON, where numbers that are not finite become null, or as text.
pub(super) fn print_either(
    json: bool,
    result: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<u8> {
    if json {
        let text = serde_json::to_string_pretty(result).context("can't write JSON");
        print_data(text.map_err(Failure::Internal)? + "\n")
    } else {
        print(text())
    }
}

/// Prints prose to standard error. It is no error if that is closed.
pub(super) fn say(text: &str) {
    let text = shown(&Screen::stderr().prose(text));
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a file that the command line names; `-` is standard output.
pub(super) fn write_to(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    if path.as_os_str() == "-" {
        return print_data(content).map(drop);
    }
    Ok(fs::write(path, content).map_err(io_error("write", path))?)
}

/// Prints an error and returns its exit status. What to type next is on lines of its own, which
/// begin with `hint:`; `help` is the default for the command line.
pub(super) fn report(failure: Failure, help: &str) -> u8 {
    let status = failure.status();
    let error = anyhow::Error::new(failure);
    let mut text = format!("{error:#}");
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    if let Some(advice) = causes.find_map(advice)
        && !text.contains(advice)
    {
        text.extend(["\nhint: ", advice]);
    }
    if status == exit::USAGE && !text.contains("\nhint:") {
        text.extend(["\nhint: ", help]);
    }
    let screen = Screen::stderr();
    let [error, hint] =
        [(Tone::Bad, "error:"), (Tone::Good, "hint:")].map(|(tone, word)| screen.paint(tone, word));
    text = text.replace("\nhint:", &format!("\n{hint}"));
    text = text.replace("\nerror:", &format!("\n{error}"));
    say(&format!("{error} {text}"));
    status
}
