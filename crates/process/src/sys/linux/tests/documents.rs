//! Numbers that documents promise are those of the code.

use super::assert_says;
use crate::limits;
use crate::lines::LINE_MAX;
use crate::sys::bot::pause::{ARRIVAL, PONDERED_SHARE};
use crate::sys::left::{FEW, MEMORY};
use crate::sys::sandbox::{resources, rules};
use crate::sys::timer::{PATIENCE, PATIENCE_MAX, THINKING};
use crate::sys::{refused, usage};

/// Returns a number as documents write it: `16,384` and `512`.
fn count(number: usize) -> String {
    match number {
        ..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}

#[test]
fn documents_name_the_limits_of_the_sandbox() {
    let files = format!(
        "{} MB per file, {} open | {} GB and {} files and folders, {} folders deep |",
        resources::FILE_SIZE >> 20,
        resources::OPEN_FILES,
        limits::DISK >> 30,
        count(limits::FILES),
        limits::DEPTH,
    );
    let checks = [usage::PAUSE_MAX, usage::PAUSE].map(|pause| 1000 / pause.as_millis());
    let [fewest, most] = checks;
    let too_long = format!(
        "more than {} open files, more than {} MB of `/proc/PID/maps`, or more than {} times",
        count(usage::OPEN_FILES),
        usage::MAPS >> 20,
        usage::SHARED
    );
    let [folders, depth] = [count(rules::FOLDERS), rules::DEPTH.to_string()];
    assert_says(
        "explanation/sandbox.md",
        [
            files,
            too_long,
            format!("| threads | | {}, or its share", limits::THREADS),
            format!("| queued signals and timers | | {},", resources::SIGNALS),
            format!("checks all limits {fewest} to {most} times a second"),
            format!("not open counts as {} MB", usage::UNKNOWN >> 20),
            format!("(over {folders} folders, or {depth} deep)"),
            format!("for {} seconds at most", refused::PATIENCE.as_secs()),
            "maximum heap to half of `memory_mb`".to_owned(),
        ],
    );
    assert_eq!(limits::java_options(768 << 20), "-Xmx384m");
}

#[test]
fn documents_name_the_times_of_bots() {
    assert_eq!((THINKING.as_millis(), PONDERED_SHARE), (1, 20));
    assert_eq!(PATIENCE_MAX.as_secs(), 10);
    let pondered = usage::PONDERED.as_millis();
    assert_says(
        "explanation/timing.md",
        [
            "After a millisecond without an answer".to_owned(),
            format!("the first {} ms of each stop", ARRIVAL.as_millis()),
            format!("exceeds {pondered} ms in a game and a twentieth"),
            format!("{PATIENCE} times its limit, but no more than ten seconds"),
            format!("Fewer than {FEW} more threads"),
            format!("Less than {} MB of memory", MEMORY >> 10),
        ],
    );
    let line = count(LINE_MAX);
    assert_says("how-to/referees.md", [format!("up to {line} bytes a line")]);
    assert_says("reference/games.md", [format!("at most {line} bytes")]);
    assert_says("reference/files.md", [format!("above {line} bytes")]);
}
