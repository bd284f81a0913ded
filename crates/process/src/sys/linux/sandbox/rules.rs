//! The files that the rules of landlock open to a program.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

use super::Features;
use crate::files::{SYSTEM, files_of, is_within, start_in_system};
use crate::hidden::is_run;
use crate::input::entries;
use crate::launch::Launch;

/// The version of landlock to ask for. The kernel applies as much of it as it knows.
const ASKED: ABI = ABI::V7;

/// The first version of landlock that keeps signals in.
const SIGNALS_SINCE: i32 = 6;

/// The settings in `/etc` that ordinary programs need: for the loader, names of users and hosts,
/// time and language, shells, certificates. Other files there hold passwords and private keys,
/// which a bot of root could read.
#[rustfmt::skip]
const SETTINGS: [&str; 39] = [
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "ld-musl-x86_64.path", "ld-musl-aarch64.path",
    "passwd", "group", "nsswitch.conf", "hosts", "host.conf", "hostname", "resolv.conf", "gai.conf", "services", "protocols",
    "localtime", "timezone", "locale.alias", "locale.conf", "os-release", "lsb-release", "debian_version",
    "alternatives", "profile", "bash.bashrc", "bashrc", "inputrc", "terminfo", "mime.types", "fonts",
    "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "pki/tls/openssl.cnf", "pki/ca-trust/extracted", "pki/java", "crypto-policies",
    "ca-certificates",
];

/// Beginnings of the names of language runtimes and compilers in `/etc`, as in `java-17-openjdk`.
const RUNTIMES: [&str; 11] = [
    "java", "python", "mono", "perl", "php", "ruby", "lua", "dotnet", "fpc", "dmd", "ldc2",
];

/// Devices that store nothing.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// How deep to look for other runs.
pub(crate) const DEPTH: usize = 32;
/// The most folders to look into.
pub(crate) const FOLDERS: usize = 10_000;

/// Files and folders that a program may read, and folders whose entries it may only list.
#[derive(Debug)]
pub(crate) struct Open {
    readable: Vec<PathBuf>,
    listed: Vec<PathBuf>,
}

impl Open {
    /// Finds out what a program may read, without what is in a `hidden` path. If there are folders
    /// that its command must stay `within`, files outside of them aren't opened.
    pub(crate) fn find(
        launch: &Launch,
        within: Option<&[PathBuf]>,
        hidden: &[PathBuf],
    ) -> io::Result<Open> {
        let mut listed = Vec::new();
        let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        if let Some(start) = start_in_system() {
            readable = apart_from(&start, readable, &mut listed);
        }
        readable.extend_from_slice(settings());
        readable.extend(files_of(launch, within));
        for path in launch.read.iter().chain(&launch.folder) {
            if !path.exists() {
                let missing = format!("there is no `{}`, which it is to read", path.display());
                return Err(io::Error::new(io::ErrorKind::NotFound, missing));
            }
            if is_within(path, within) {
                readable.push(path.clone());
            }
        }
        for path in hidden {
            readable = without(path, &readable, &mut listed);
        }
        Ok(Open { readable, listed })
    }

    /// Returns rules that open this, if it exists, with everything below it, the [devices](DEVICES)
    /// to use, and `writable` folders for everything.
    pub(crate) fn rules(&self, writable: &[PathBuf]) -> io::Result<RulesetCreated> {
        let device_access = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
        let all = [
            (self.readable.as_slice(), AccessFs::from_read(ASKED)),
            (&self.listed, AccessFs::ReadDir.into()),
            (&DEVICES.map(PathBuf::from), device_access),
            (writable, AccessFs::from_all(ASKED)),
        ];
        // Rules leave out files that can't be opened: all of them at the limit of open files.
        let _ = [File::open("/")?, File::open("/")?];
        let mut rules = empty().map_err(io::Error::other)?;
        for (paths, access) in all {
            let added = rules.add_rules(path_beneath_rules(paths, access));
            rules = added.map_err(io::Error::other)?;
        }
        Ok(rules)
    }
}

/// Returns the files of `/etc` that may be read; looked up once.
fn settings() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let etc = Path::new("/etc");
        let mut found: Vec<PathBuf> = SETTINGS.iter().map(|name| etc.join(name)).collect();
        found.retain(|path| path.exists());
        for entry in entries(etc) {
            let name = entry.file_name();
            if name.to_str().is_some_and(is_of_runtime) {
                found.push(entry.path());
            }
        }
        found
    })
}

/// Returns whether an entry of `/etc` is named after a language runtime, perhaps with a version.
/// `phpmyadmin`, with its passwords, is not.
fn is_of_runtime(name: &str) -> bool {
    RUNTIMES.iter().any(|runtime| {
        let rest = name.strip_prefix(runtime);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphabetic() || c == '_'))
    })
}

/// Returns rules that open nothing: no file, no TCP port, no process or abstract socket outside.
fn empty() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .handle_access(AccessFs::from_all(ASKED))?
        .handle_access(AccessNet::from_all(ASKED))?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?
        .create()
}

/// Puts this thread under rules, and returns whether they hold for files, and for signals.
/// `calls` is not tried here.
pub(super) fn try_out() -> Features {
    let status = empty()
        .and_then(RulesetCreated::restrict_self)
        .map(|status| status.landlock);
    match status {
        Ok(LandlockStatus::Available { effective_abi, .. }) => Features {
            files: true,
            signals: effective_abi as i32 >= SIGNALS_SINCE,
            calls: false,
        },
        _ => Features::default(),
    }
}

/// Removes a `hidden` path, and all runs that lie in a folder beside the way to it: they may share
/// its seed. Folders that are taken apart for that are added to those that are only `listed`.
fn without(hidden: &Path, readable: &[PathBuf], listed: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for path in apart_from(hidden, readable.to_vec(), listed) {
        if readable.contains(&path) || !path.is_dir() {
            open.push(path);
            continue;
        }
        let mut left = FOLDERS;
        // There may be runs in a folder that is too large to search, so it stays closed.
        if let Some(runs) = runs_in(&path, DEPTH, &mut left) {
            let mut parts = vec![path];
            for run in runs {
                parts = apart_from(&run, parts, listed);
            }
            open.extend(parts);
        }
    }
    open
}

/// Removes paths that lead into the `hidden` one. Replaces folders that hold it by their entries,
/// except for that which leads to it and for runs, and adds them to the folders that are only
/// `listed`.
fn apart_from(hidden: &Path, readable: Vec<PathBuf>, listed: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for path in readable {
        let Ok(real) = fs::canonicalize(&path) else {
            continue;
        };
        if real.starts_with(hidden) {
            continue;
        }
        if !hidden.starts_with(&real) {
            open.push(path);
            continue;
        }
        let mut inner = Vec::new();
        for entry in entries(&real) {
            // A rule for a link would open its target. A target in this folder gets its own rule.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let path = entry.path();
            if !is_link && !is_run(&path) {
                inner.push(path);
            }
        }
        open.extend(apart_from(hidden, inner, listed));
        listed.push(real);
    }
    open
}

/// Returns the runs below a folder, or `None` if there is too much to search. Links are not
/// followed: what they lead to isn't opened with the folder.
fn runs_in(folder: &Path, depth: usize, left: &mut usize) -> Option<Vec<PathBuf>> {
    let mut runs = Vec::new();
    for entry in entries(folder) {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        *left = left.checked_sub(1)?;
        let path = entry.path();
        if is_run(&path) {
            runs.push(path);
        } else {
            runs.extend(runs_in(&path, depth.checked_sub(1)?, left)?);
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hidden::{PLAN, PLAN_BEGIN};
    use std::slice;

    #[test]
    fn only_runtimes_have_their_settings_open() {
        for (name, is_open) in [
            ("java-17-openjdk", true),
            ("python3.11", true),
            ("php", true),
            ("fpc-3.2.2.cfg", true),
            ("phpmyadmin", false),
            ("perl_secrets", false),
            ("shadow", false),
        ] {
            assert_eq!(is_of_runtime(name), is_open, "{name}");
        }
    }

    /// A bot could hide a run behind folders.
    #[test]
    fn a_folder_that_is_too_large_to_search_stays_closed() {
        let folder = tempfile::tempdir().unwrap();
        let start = folder.path().canonicalize().unwrap();
        let at = |path: &str| start.join(path);
        let deep = format!("deep{}", "/x".repeat(DEPTH + 2));
        for place in ["hidden", "plain/x", "runs/x/run", "runs/x/other", &deep] {
            fs::create_dir_all(at(place)).unwrap();
        }
        for number in 0..=FOLDERS {
            fs::create_dir_all(at("wide").join(number.to_string())).unwrap();
        }
        fs::write(at("runs/x/run").join(PLAN), PLAN_BEGIN).unwrap();
        fs::write(at("plain/x").join(PLAN), "").unwrap();
        let mut listed = Vec::new();
        let mut open = without(&at("hidden"), slice::from_ref(&start), &mut listed);
        open.sort();
        assert_eq!(open, [at("plain"), at("runs/x/other")]);
        listed.sort();
        assert_eq!(listed, [start.clone(), at("runs"), at("runs/x")]);
    }
}
