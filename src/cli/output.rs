//! What all verbs print and write.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use schemars::JsonSchema;
use serde::Serialize;

use super::exit;
use super::failure::{Failure, Result};
use crate::store::io_error;
use arena_process::advice;
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::text::shown;

/// Whether results and errors are JSON on standard output.
static JSON: AtomicBool = AtomicBool::new(false);
/// Whether only errors go to standard error, and with JSON nothing.
static QUIET: AtomicBool = AtomicBool::new(false);
/// Whether a document was printed. A second one, after a signal, would be one too many.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Chooses how this process shows what it finds.
pub(super) fn choose(json: bool, quiet: bool) {
    JSON.store(json, Ordering::Relaxed);
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether results are JSON.
pub(super) fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// Whether standard error has only errors.
pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// The document of a command that went well.
#[derive(Serialize, JsonSchema)]
pub(super) struct Document<'r, R> {
    #[serde(flatten)]
    result: &'r R,
    /// Exit status of the command.
    exit: u8,
}

/// The document of a command that failed.
#[derive(Serialize, JsonSchema)]
pub(super) struct Failed {
    /// What went wrong.
    error: ErrorSaid,
}

/// An error for programs.
#[derive(Serialize, JsonSchema)]
struct ErrorSaid {
    /// What failed: usage, config, input, `run_folder`, run, pool, check, guard, referee, options,
    /// position, start, unusable, internal, output or ended.
    kind: &'static str,
    /// What is wrong, without hints.
    message: String,
    /// File or folder, with the line or the index if it is known; null if there is none.
    place: Option<String>,
    /// What to type or do next; null without a hint.
    hint: Option<String>,
}

/// A command to type next.
#[derive(Serialize, JsonSchema)]
pub(super) struct Next {
    /// What it is for.
    purpose: &'static str,
    /// Command to type, or that starts the bot.
    command: String,
}

impl Next {
    pub(super) fn new(purpose: &'static str, command: impl Into<String>) -> Next {
        let command = command.into();
        Next { purpose, command }
    }

    /// A line for each purpose and for each command.
    pub(super) fn text(all: &[Next]) -> String {
        let mut text = String::new();
        for Next { purpose, command } in all {
            let _ = writeln!(text, "  # {purpose}\n  {command}");
        }
        text
    }
}

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

/// Shows the result of a command, as JSON or as text, and returns the exit status.
pub(super) fn show(exit: u8, result: &impl Serialize, text: impl FnOnce() -> String) -> Result<u8> {
    if is_json() {
        print_document(exit, result)?;
    } else {
        print(text())?;
    }
    Ok(exit)
}

/// Prints a result as JSON, unless a document was printed.
fn print_document(exit: u8, result: &impl Serialize) -> Result<()> {
    let text = document(exit, result)?;
    if !PRINTED.swap(true, Ordering::Relaxed) {
        print_data(text)?;
    }
    Ok(())
}

/// The JSON of a result, in which numbers that are not finite are null.
pub(super) fn document(exit: u8, result: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(&Document { result, exit });
    let text = text.context("can't write JSON");
    Ok(text.map_err(Failure::Internal)? + "\n")
}

/// Prints prose to standard error, unless only errors are wanted.
pub(super) fn say(text: &str) {
    if !is_quiet() {
        to_stderr(text);
    }
}

/// It is no error if standard error is closed.
fn to_stderr(text: &str) {
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
    let (kind, place) = (failure.kind(), failure.place());
    let text = in_words(failure, help);
    if is_json() {
        let (mut message, mut hints) = (Vec::new(), Vec::new());
        for line in text.lines() {
            match line.strip_prefix("hint: ") {
                Some(hint) => hints.push(hint),
                None => message.push(line),
            }
        }
        let error = ErrorSaid {
            kind,
            message: message.join("\n"),
            place,
            hint: (!hints.is_empty()).then(|| hints.join("\n")),
        };
        // Nobody is left to hear of it if this fails, too.
        let _ = print_document(status, &Failed { error });
        if is_quiet() {
            return status;
        }
    }
    let screen = Screen::stderr();
    let [error, hint] =
        [(Tone::Bad, "error:"), (Tone::Good, "hint:")].map(|(tone, word)| screen.paint(tone, word));
    let text = text.replace("\nhint:", &format!("\n{hint}"));
    let text = text.replace("\nerror:", &format!("\n{error}"));
    to_stderr(&format!("{error} {text}"));
    status
}

/// An error in words, with hints. `help` is the hint about the command line if the error has none.
fn in_words(failure: Failure, help: &str) -> String {
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
    text
}
