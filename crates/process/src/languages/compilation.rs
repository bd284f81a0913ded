//! One run of a compiler: what it may use in the sandbox.
//!
//! It reads its toolchain, the system, and what its bot may read. It writes to its own folder,
//! and to a cache that is kept for the next version of the same source: Go compiles its whole
//! library without one. It is watched as a bot is.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;

use crate::command_line::join_command;
use crate::environment::{self, JAVA};
use crate::files::{files_of, installation, is_in_start, is_start, is_too_wide};
use crate::launch::Launch;
use crate::limits::{ExceededLimit, java_options};
use crate::os::create_private;
use crate::program::ProgramError;
use crate::sys::{Interrupt, Launcher, Sandbox, run_compiler};

/// Variables that name a folder of a toolchain, its default below the home folder, and the part
/// that is opened. Folders with logins, such as `~/.cargo`, are not among them.
const TOOLCHAINS: [(&str, &str, &str); 7] = [
    ("RUSTUP_HOME", ".rustup", ""),
    ("GOPATH", "go", "pkg"),
    ("GOMODCACHE", "", ""),
    ("GOROOT", "", ""),
    ("JAVA_HOME", "", ""),
    ("KONAN_DATA_DIR", ".konan", ""),
    ("NUGET_PACKAGES", ".nuget/packages", ""),
];

/// Where packages of Debian keep parts of a toolchain outside `/usr`.
const OF_SYSTEM: [&str; 2] = ["/etc/nim", "/var/lib/ghc"];

/// Variables that name a cache folder of toolchains.
const CACHES: [&str; 2] = ["XDG_CACHE_HOME", "GOCACHE"];

/// How many programs the build of Go starts at a time, and threads of each. By default it is the
/// number of cores, whose square may be more threads than a compilation may have.
pub(super) const GO: (&str, &str) = ("GOMAXPROCS", "8");

/// Advice for most errors that only the sandbox causes.
const ADVICE: &str = "in the sandbox a compiler reads its toolchain and the folder of the source: `--read`, or `read` in a config, opens more. A `compile` command can't start what it has linked: use `build`, which runs outside";
/// Advice for a source that doesn't compile alone.
const SEVERAL_FILES: &str = "hint: for several files, a config takes `build`, as in `build = \"make\"`; then name the program instead of the source";
/// Advice for a compilation that exceeds a limit.
const LIMITS: &str = "hint: if the source is fine, `build` in a config compiles it outside the sandbox, without limits; for more time, copy its language from docs/reference/languages.md into the config and set `compile_s`";

/// A run of a compiler.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The compiler and its arguments.
    pub command: Vec<String>,
    /// The source as the command of the bot names it.
    pub source: String,
    /// The programs that compile and start bots of the language.
    pub(super) programs: Vec<String>,
    /// What it may read besides its toolchain.
    pub(super) read: Vec<PathBuf>,
    /// The folder that it writes to.
    pub(super) place: PathBuf,
    /// The cache folder for this source.
    pub(super) cache: PathBuf,
    /// How long it may take.
    pub(super) limit: Duration,
}

impl Compilation {
    /// Runs the compiler in a sandbox for as many features as `sandbox` has, until one of `stops`
    /// is raised. Returns whether the sandbox closed all other files to it.
    ///
    /// # Errors
    /// The system's error, the limit that it exceeded, or its exit status with the end of what it
    /// printed.
    pub fn run(&self, sandbox: &Sandbox, stops: &[&Interrupt]) -> anyhow::Result<bool> {
        let launcher = self.launcher(sandbox)?;
        let is_closed = launcher.sandbox.closes_files();
        let Err(why) = run_compiler(&launcher, self.limit, stops) else {
            return Ok(is_closed);
        };
        let advice = if why.is::<ExceededLimit>() {
            LIMITS
        } else if is_closed && why.to_string().contains("ermission denied") {
            &format!("{ADVICE}\n{SEVERAL_FILES}")
        } else {
            SEVERAL_FILES
        };
        Err(ProgramError(format!("{why:#}\n{advice}")).into())
    }

    /// Returns the compiler in its sandbox.
    pub(super) fn launcher(&self, sandbox: &Sandbox) -> anyhow::Result<Arc<Launcher>> {
        let mut launch = Launch::new(&self.source, &self.command);
        let outputs = vec![self.place.clone(), self.cache.clone()];
        let sandbox = sandbox.for_compiler(outputs);
        if let Some(memory) = sandbox.memory {
            launch.read = self.readable();
            launch.env = self.environment(memory);
            create_private(&self.cache)
                .with_context(|| format!("can't create {}", self.cache.display()))?;
        }
        Ok(Launcher::of("compiler", &Arc::new(sandbox), launch))
    }

    /// Returns the command as a shell reads it.
    pub(super) fn shown(&self) -> String {
        join_command(&self.command)
    }

    /// Returns what it may read besides the system and what its own command opens.
    fn readable(&self) -> Vec<PathBuf> {
        let mut all = self.read.clone();
        for program in &self.programs {
            all.extend(files_of(&Launch::new("", [program]), None));
        }
        // Compilers call linkers and other compilers by their names.
        for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
            if folder.is_absolute() && !is_too_wide(&folder) && !is_in_start(&folder) {
                all.extend(installation(&folder));
                all.push(folder);
            }
        }
        for (_, folder, part) in toolchains() {
            all.push(folder.join(part));
        }
        all.extend(OF_SYSTEM.map(PathBuf::from));
        all.retain(|path| path.exists());
        all
    }

    /// Returns variables that lead toolchains to their folders, which they would look for in a home
    /// folder that is empty, and to folders that they can write to.
    fn environment(&self, memory: u64) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for (name, folder, _) in toolchains() {
            all.insert(name.to_owned(), folder.display().to_string());
        }
        all.extend(CACHES.map(|name| (name.to_owned(), self.cache.display().to_string())));
        if env::var_os(GO.0).is_none() {
            all.insert(GO.0.to_owned(), GO.1.to_owned());
        }
        if env::var_os(JAVA).is_none() {
            // Java machines don't look at `TMPDIR`.
            let (options, place) = (java_options(memory), self.place.display());
            let options = format!("{options} '-Djava.io.tmpdir={place}'");
            all.insert(JAVA.to_owned(), options);
        }
        all
    }
}

/// Returns the folders of toolchains that exist, with their variables and the part to open.
fn toolchains() -> Vec<(&'static str, PathBuf, &'static str)> {
    let mut found = Vec::new();
    for (name, default, part) in TOOLCHAINS {
        let folder = match environment::folder(name) {
            Some(folder) => folder,
            None if default.is_empty() => continue,
            None => env::home_dir().unwrap_or_default().join(default),
        };
        let opened = folder.join(part);
        let holds_bots = is_too_wide(&opened) || is_start(&opened);
        if folder.is_absolute() && folder.is_dir() && !holds_bots {
            found.push((name, folder, part));
        }
    }
    found
}
