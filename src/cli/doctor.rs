//! `arena doctor`.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

use super::failure::Result;
use super::list::missing;
use super::output::print;
use super::supervised::{Supervised, supervised};
use crate::plan::DEFAULT_MEMORY_MB;
use arena_process::languages::{Language, standard};
use arena_process::{Left, Mode, Part, Sandbox, THREADS, guard, on_all_cores, owns_control_group};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::table::{Cell, Kind, Rows};
use arena_section::words::{self, ms};

/// How often, and for how long, a thread sleeps to find out how late it wakes up.
const SLEEPS: usize = 50;
const SLEEP: Duration = Duration::from_millis(1);
/// A thread that wakes up later than this had to wait for a core.
const CALM: Duration = Duration::from_millis(5);

/// A fact of this machine: its name, and what there is to say.
type Fact = (&'static str, String);

/// Prints what this machine can do. Nothing that is missing is an error, because bots play without.
pub(super) fn doctor() -> Result<u8> {
    supervised(Mode::Auto, DEFAULT_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        print(sandbox(&supervised.sandbox) + "\n")?;
        // Programs that print their versions would disturb the clock.
        let mut facts = machine();
        facts.extend(languages(supervised));
        let facts = Rows::new("machine", &facts)
            .shown(Kind::Name, "machine", |(name, _)| *name)
            .shown(Kind::Prose, "here", |(_, text)| text);
        print(facts.text(&Screen::stdout()))?;
        Ok(supervised.signal_code())
    })
}

/// Lists the parts of the sandbox, with what is missing for the others.
fn sandbox(sandbox: &Sandbox) -> String {
    let here = |part: &Part| {
        if part.is_here {
            Cell::from("yes")
        } else {
            Cell::toned(Tone::Bad, "no")
        }
    };
    let ensures = |part: &Part| {
        if part.is_here {
            part.ensures.to_owned()
        } else {
            format!("{}: needs {}", part.ensures, part.needs)
        }
    };
    Rows::new("Sandbox", &sandbox.parts())
        .shown(Kind::Name, "sandbox", |part| part.name)
        .shown(Kind::Text, "here", here)
        .shown(Kind::Prose, "ensures that", ensures)
        .text(&Screen::stdout())
}

fn machine() -> Vec<Fact> {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = if cfg!(feature = "workers") {
        "yes: plays on other machines, too"
    } else {
        "no: built without `--features workers`, so it plays on this machine only"
    };
    let group = if owns_control_group() { "" } else { "not " };
    let arena = format!("{} on Linux {}", crate::report::VERSION, kernel.trim_end());
    let group = format!("{group}writable; arena doesn't use control groups");
    vec![
        ("arena", arena),
        ("workers", workers.to_owned()),
        ("cores", format!("{cores}, for as many games at a time")),
        ("limit", processes(&guard::processes_left(), cores)),
        ("cgroup", group),
        ("clock", clock()),
    ]
}

/// Says how many processes may still start, and how many games of two bots may need.
fn processes(left: &Left, jobs: usize) -> String {
    let (count, bots) = (left.count, 2 * jobs as u64);
    let needed = bots * THREADS as u64;
    let games = words::count(jobs as u64, "game", "games");
    let mut text =
        format!("{count} more processes may start; {games} of 2 bots at a time may need {needed}");
    if count < needed {
        let (share, limit) = (count / bots, &left.limit);
        let _ = write!(text, ": each bot gets at most {share}; raise {limit}");
    }
    text
}

/// Measures how late a thread wakes up, which is what a bot may lose through no fault of its own.
fn clock() -> String {
    let mut late = [(); SLEEPS].map(|()| {
        let start = Instant::now();
        thread::sleep(SLEEP);
        start.elapsed().saturating_sub(SLEEP)
    });
    late.sort_unstable();
    let worst = late[SLEEPS - 1];
    let [median, most] = [late[SLEEPS / 2], worst].map(|late| ms(late, 2));
    let mut text = format!("a sleep of 1 ms ends {median} late, {most} at worst");
    if worst > CALM {
        text += ": other programs use this machine";
    }
    text
}

/// Lists the languages with their versions, and what to install for the others.
fn languages(supervised: &Supervised) -> Vec<Fact> {
    let (mut here, mut absent, mut packages) = (Vec::new(), Vec::new(), Vec::new());
    let known = standard();
    for (name, language) in &known {
        match missing(language) {
            None => here.push((name, language)),
            Some(package) => {
                absent.push(name.as_str());
                packages.push(package);
            }
        }
    }
    let mut facts = vec![("languages", versions(&here, supervised))];
    if !absent.is_empty() {
        facts.push(("missing", absent.join(", ")));
        facts.push(("to add them", format!("apt install {}", packages.join(" "))));
    }
    facts
}

/// Asks languages for their versions, on all cores.
fn versions(languages: &[(&String, &Language)], supervised: &Supervised) -> String {
    let interrupt = &supervised.control.kill;
    let asked = on_all_cores(
        languages,
        || (),
        |(), (name, language)| {
            let version = language.version(&supervised.sandbox, interrupt);
            format!("{name} {}", version.as_deref().unwrap_or("(no version)"))
        },
    );
    asked.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_processes_come_with_advice() {
        let said = |count, jobs| {
            let limit = "`ulimit -u`".to_owned();
            processes(&Left { count, limit }, jobs)
        };
        assert_eq!(
            said(31_000, 2),
            "31000 more processes may start; 2 games of 2 bots at a time may need 2048"
        );
        assert_eq!(
            said(1024, 1),
            "1024 more processes may start; 1 game of 2 bots at a time may need 1024"
        );
        assert_eq!(
            said(1023, 1),
            "1023 more processes may start; 1 game of 2 bots at a time may need 1024: each bot gets at most 511; raise `ulimit -u`"
        );
    }
}
