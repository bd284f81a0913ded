//! `arena doctor`.

use std::fmt::Write as _;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::failure::Result;
use super::list::ListedLanguage;
use super::output::show;
use super::supervised::{Supervised, supervised};
use crate::config::default_jobs;
use crate::plan::DEFAULT_MEMORY_MB;
use arena_process::languages::{INSTALL, Language, standard};
use arena_process::{Mode, Part, SYSTEM, THREADS, UNLIKE_LINUX, guard, kernel, on_all_cores};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::table::{Cell, Kind, Rows};
use arena_section::words;

/// How often, and for how long, a thread sleeps to find out how late it wakes up.
const SLEEPS: usize = 50;
const SLEEP: Duration = Duration::from_millis(1);
/// A thread that wakes up later than this had to wait for a core.
const CALM_MS: f64 = 5.0;

/// What this machine can do.
#[derive(Serialize, JsonSchema)]
pub(super) struct Machine {
    /// The version of arena.
    arena_version: &'static str,
    /// The version of Linux; empty on another system.
    kernel: String,
    /// Whether this arena can play on other machines, too.
    has_workers: bool,
    /// Cores that arena may use.
    cores: usize,
    /// Processes and threads.
    processes: Processes,
    /// How late a thread wakes up that slept for 1 ms: the median.
    wakes_late_ms: f64,
    /// The same, at worst.
    wakes_latest_ms: f64,
    /// Parts of the sandbox.
    sandbox_parts: [Part; 5],
    /// Languages whose source files can be bots; null if they weren't asked for.
    languages: Vec<ListedLanguage>,
    /// Packages to install first: of Debian, or of winget on Windows.
    missing_packages: Vec<String>,
}

/// Processes and threads.
#[derive(Serialize, JsonSchema)]
struct Processes {
    /// Processes and threads that may still start; null if nothing limits them.
    left: Option<u64>,
    /// How many may be needed if each core plays a game of two bots.
    needed: u64,
    /// What sets the limit; empty if nothing does.
    limit: String,
}

/// Shows what this machine can do. Nothing that is missing is an error, because bots play without.
pub(super) fn doctor() -> Result<u8> {
    supervised(Mode::Auto, DEFAULT_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        let machine = Machine::new(supervised);
        show(supervised.signal_code(), &machine, || machine.text())
    })
}

impl Machine {
    fn new(supervised: &Supervised) -> Machine {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let left = guard::processes_left();
        // Programs that print their versions would disturb the clock.
        let [wakes_late_ms, wakes_latest_ms] = clock();
        let languages = languages(supervised);
        let mut missing_packages = Vec::new();
        for ListedLanguage { package, .. } in languages.iter().filter(|one| !one.is_here) {
            if !package.is_empty() && !missing_packages.contains(package) {
                missing_packages.push(package.clone());
            }
        }
        Machine {
            arena_version: crate::report::VERSION,
            kernel: kernel(),
            has_workers: cfg!(feature = "workers"),
            cores,
            processes: Processes {
                left: (left.count != u64::MAX).then_some(left.count),
                needed: 2 * cores as u64 * THREADS as u64,
                limit: left.limit,
            },
            wakes_late_ms,
            wakes_latest_ms,
            sandbox_parts: supervised.sandbox.parts(),
            missing_packages,
            languages,
        }
    }

    fn text(&self) -> String {
        let facts = Rows::new("machine", &self.facts())
            .shown(Kind::Name, "machine", |(name, _)| *name)
            .shown(Kind::Prose, "here", |(_, text)| text)
            .text(&Screen::stdout());
        format!("{}\n{facts}", sandbox(&self.sandbox_parts))
    }

    /// The facts that aren't about the sandbox, each with its name.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut arena = format!("{} on {SYSTEM}", self.arena_version);
        if !self.kernel.is_empty() {
            let _ = write!(arena, " {}", self.kernel);
        }
        let workers = if self.has_workers {
            "yes: plays on other machines, too"
        } else {
            "no: built without `--features workers`, so it plays on this machine only"
        };
        let (late, latest) = (self.wakes_late_ms, self.wakes_latest_ms);
        let mut clock = format!("a sleep of 1 ms ends {late:.2} ms late, {latest:.2} ms at worst");
        if latest > CALM_MS {
            clock += ": other programs use this machine";
        }
        let (mut here, mut absent) = (Vec::new(), Vec::new());
        for known in &self.languages {
            let name = known.language.as_str();
            if known.is_here {
                let version = known.installed_version.as_deref();
                here.push(format!("{name} {}", version.unwrap_or("(no version)")));
            } else {
                absent.push(name);
            }
        }
        let games = match default_jobs(self.cores) {
            jobs if jobs == self.cores => "as many games".to_owned(),
            jobs => words::count(jobs as u64, "game", "games"),
        };
        let cores = format!("{}, for {games} at a time", self.cores);
        let mut facts = vec![
            ("arena", arena),
            ("workers", workers.to_owned()),
            ("cores", cores),
        ];
        if let Some(left) = self.processes.left {
            facts.push(("limit", self.processes.text(left, self.cores)));
        }
        facts.push(("clock", clock));
        if !UNLIKE_LINUX.is_empty() {
            facts.push(("unlike Linux", UNLIKE_LINUX.to_owned()));
        }
        facts.push(("languages", here.join(", ")));
        if !absent.is_empty() {
            facts.push(("missing", absent.join(", ")));
            let packages = self.missing_packages.join(" ");
            facts.push(("to add them", format!("{INSTALL} {packages}")));
        }
        facts
    }
}

/// Lists the parts of the sandbox, with what is missing for the others.
fn sandbox(parts: &[Part]) -> String {
    Rows::new("Sandbox", parts)
        .shown(Kind::Name, "sandbox", |part| part.name)
        .shown(Kind::Text, "here", |part| {
            if part.is_here {
                Cell::from("yes")
            } else {
                Cell::toned(Tone::Bad, "no")
            }
        })
        .shown(Kind::Prose, "ensures that", |part| {
            if part.is_here {
                part.ensures.to_owned()
            } else {
                format!("{}: needs {}", part.ensures, part.needs)
            }
        })
        .text(&Screen::stdout())
}

impl Processes {
    /// Describes the limit, of which so much is `left`.
    fn text(&self, left: u64, cores: usize) -> String {
        let (needed, limit) = (self.needed, &self.limit);
        let games = words::count(cores as u64, "game", "games");
        let mut text = format!(
            "{left} more processes may start; {games} of 2 bots at a time may need {needed}"
        );
        if left < needed {
            let share = left / (2 * cores as u64);
            let _ = write!(text, ": each bot gets at most {share}; raise {limit}");
        }
        text
    }
}

/// Measures how late a thread wakes up in milliseconds, the median and the worst: what a bot may
/// lose through no fault of its own.
fn clock() -> [f64; 2] {
    let mut late = [(); SLEEPS].map(|()| {
        let start = Instant::now();
        thread::sleep(SLEEP);
        start.elapsed().saturating_sub(SLEEP)
    });
    late.sort_unstable();
    [late[SLEEPS / 2], late[SLEEPS - 1]].map(|late| 1000.0 * late.as_secs_f64())
}

/// Asks the languages that are here for their versions, on all cores.
fn languages(supervised: &Supervised) -> Vec<ListedLanguage> {
    let known: Vec<(String, Language)> = standard().into_iter().collect();
    let interrupt = &supervised.control.kill;
    let ask = |(): &mut _, (name, language): &(String, Language)| {
        let mut listed = ListedLanguage::new((name.clone(), language.clone()));
        if listed.is_here {
            listed.installed_version = language.version(&supervised.sandbox, interrupt);
        }
        listed
    };
    on_all_cores(&known, || (), ask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_processes_come_with_advice() {
        let said = |left, jobs| {
            let processes = Processes {
                left: Some(left),
                needed: 1024 * jobs as u64,
                limit: "`ulimit -u`".to_owned(),
            };
            processes.text(left, jobs)
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
