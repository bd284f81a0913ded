//! Files that a bot may use.

use std::env;
use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf, absolute};
use std::sync::OnceLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

use crate::launch::Launch;
use crate::program::{find_program, first_line};

/// The version of landlock to ask for. The kernel applies as much of it as it knows.
const ASKED: ABI = ABI::V7;

/// The first version of landlock that keeps signals in.
const SIGNALS_SINCE: i32 = 6;

/// Folders with the programs of the system, and those of the kernel.
#[rustfmt::skip]
const SYSTEM: [&str; 12] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/proc", "/sys",
];

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

/// Entries that show that a folder holds an installed program with its library.
const INSTALLED: [&str; 5] = ["lib", "lib64", "libexec", "tools", "pyvenv.cfg"];

/// How many interpreters to follow: a script may be run by another script.
const INTERPRETERS: usize = 4;

/// How many links in a row to follow, as many as the system does.
const LINKS: usize = 40;

/// Returns the rules of a program that may write to the folders in `writable`, and can't read what is
/// in a `hidden` one. If there are folders that its command must stay `within`, files outside of them
/// aren't opened.
pub(crate) fn rules(
    launch: &Launch,
    writable: &[PathBuf],
    within: Option<&[PathBuf]>,
    hidden: &[PathBuf],
) -> io::Result<RulesetCreated> {
    if let Some(missing) = launch.read.iter().find(|path| !path.exists()) {
        let missing = format!("there is no `{}`, which it is to read", missing.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    readable.extend_from_slice(settings());
    readable.extend(files_of(launch, within));
    for path in &launch.read {
        if is_within(path, within) {
            readable.push(path.clone());
        }
    }
    let mut listed = Vec::new();
    for folder in hidden {
        readable = apart_from(folder, readable, &mut listed);
    }
    open(&readable, &listed, writable).map_err(io::Error::other)
}

/// Replaces folders that hold the `hidden` one by their entries, except for that which leads to it, and
/// adds them to the folders that are only `listed`.
fn apart_from(hidden: &Path, readable: Vec<PathBuf>, listed: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for path in readable {
        let real = fs::canonicalize(&path).unwrap_or_default();
        if real == hidden || !hidden.starts_with(&real) || real == Path::new("") {
            open.push(path);
            continue;
        }
        let entries = fs::read_dir(&real).into_iter().flatten().flatten();
        let entries = entries.map(|entry| entry.path()).collect();
        let mut entries = apart_from(hidden, entries, listed);
        entries.retain(|entry| entry != hidden);
        open.extend(entries);
        listed.push(real);
    }
    open
}

/// Returns rules that open these files and folders, if they exist, with everything below them: some
/// to read, some only to be `listed`, the [devices](DEVICES) to use, and `writable` ones for everything.
fn open(
    readable: &[PathBuf],
    listed: &[PathBuf],
    writable: &[PathBuf],
) -> Result<RulesetCreated, RulesetError> {
    let device_access = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    empty()?
        .add_rules(path_beneath_rules(readable, AccessFs::from_read(ASKED)))?
        .add_rules(path_beneath_rules(listed, AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(DEVICES, device_access))?
        .add_rules(path_beneath_rules(writable, AccessFs::from_all(ASKED)))
}

/// Returns the files of `/etc` that may be read; looked up once.
fn settings() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let etc = Path::new("/etc");
        let mut found: Vec<PathBuf> = SETTINGS.iter().map(|name| etc.join(name)).collect();
        found.retain(|path| path.exists());
        for entry in fs::read_dir(etc).into_iter().flatten().flatten() {
            let name = entry.file_name().into_encoded_bytes();
            if RUNTIMES
                .iter()
                .any(|runtime| name.starts_with(runtime.as_bytes()))
            {
                found.push(entry.path());
            }
        }
        found
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
pub(super) fn try_out() -> (bool, bool) {
    let status = empty()
        .and_then(RulesetCreated::restrict_self)
        .map(|status| status.landlock);
    match status {
        Ok(LandlockStatus::Available { effective_abi, .. }) => {
            (true, effective_abi as i32 >= SIGNALS_SINCE)
        }
        _ => (false, false),
    }
}

/// Returns what the command of a bot needs besides the system: its program, the interpreters of
/// that, and the files it names.
pub(crate) fn files_of(launch: &Launch, within: Option<&[PathBuf]>) -> Vec<PathBuf> {
    let arguments = launch.command.iter().skip(1).map(PathBuf::from);
    let mut files: Vec<PathBuf> = arguments
        .filter(|path| path.is_file() && is_within(path, within))
        .collect();
    let mut program = launch.command.first().cloned();
    // Whether the config or this machine chose the program. A script of the bot may name any file.
    let mut is_chosen = true;
    for _ in 0..INTERPRETERS {
        let Some(name) = program else { break };
        let Ok(path) = find_program(&name) else { break };
        let is_installed = !name.contains('/') || is_in_path(&path);
        let is_given = (is_chosen || within.is_some()) && is_within(&path, within);
        if is_installed || is_given {
            files_of_program(&path, &mut files);
        } else if !is_open(&path) {
            break;
        }
        is_chosen = is_installed || is_open(&path);
        program = interpreter(&path);
    }
    files
}

/// Returns whether a program is the one that PATH finds by its name.
fn is_in_path(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str());
    let found = name.and_then(|name| find_program(name).ok());
    found.is_some_and(|found| fs::canonicalize(found).ok() == fs::canonicalize(program).ok())
}

/// Returns whether a path leads into one of these folders, if any are given.
fn is_within(path: &Path, within: Option<&[PathBuf]>) -> bool {
    within.is_none_or(|within| {
        fs::canonicalize(path)
            .is_ok_and(|real| within.iter().any(|folder| real.starts_with(folder)))
    })
}

/// Returns whether a file is part of the system, and so open to every bot.
fn is_open(path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|real| SYSTEM.iter().any(|system| real.starts_with(system)))
}

/// Adds the folder of a program. If the program belongs to an installation, such as an interpreter
/// in a home folder, all of that is added. It may be reached by several links, each in another
/// installation: the virtual environment, the current version, the version itself.
fn files_of_program(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(named) = absolute(path) else { return };
    let real = fs::canonicalize(path).unwrap_or_else(|_| named.clone());
    let links = iter::successors(Some(named.clone()), |link| {
        Some(link.parent()?.join(fs::read_link(link).ok()?))
    });
    for link in links.take(LINKS).chain([real.clone()]) {
        let Some(folder) = link.parent() else {
            continue;
        };
        files.extend(installation(folder));
        if link == named || link == real {
            files.push(with_neighbours(&link));
        }
    }
}

/// Returns the folders of the installation whose programs are in `folder`.
pub(crate) fn installation(folder: &Path) -> Vec<PathBuf> {
    let Some(prefix) = folder.parent() else {
        return Vec::new();
    };
    let installed = match folder.file_name().and_then(|name| name.to_str()) {
        // Version managers (pyenv, rbenv, asdf) keep everything next to the scripts that choose a
        // version.
        Some("shims") => true,
        Some("bin" | "sbin" | "libexec") => INSTALLED.iter().any(|name| prefix.join(name).exists()),
        _ => false,
    };
    if !installed || is_too_wide(prefix) {
        return Vec::new();
    }
    // In a home folder, desktop programs keep keys here, too.
    if prefix.ends_with(".local") {
        vec![prefix.join("bin"), prefix.join("lib")]
    } else {
        vec![prefix.to_owned()]
    }
}

/// Returns whether a folder holds more than a program: it contains the home folder or the start
/// folder of the arena, or is the home folder.
pub(crate) fn is_too_wide(folder: &Path) -> bool {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let start = env::current_dir().ok().filter(|start| *start != folder);
    let mut inner = env::home_dir().into_iter().chain(start);
    inner.any(|inner| fs::canonicalize(inner).is_ok_and(|inner| inner.starts_with(&folder)))
}

/// Returns the folder of a file, or only the file if its folder holds more than a program.
pub(crate) fn with_neighbours(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !is_too_wide(folder) => folder.to_owned(),
        _ => file.to_owned(),
    }
}

/// Returns the program that runs a script; `None` also if `env` has options other than `-S`.
fn interpreter(script: &Path) -> Option<String> {
    let line = first_line(script)?;
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?).into_owned();
    let mut words = line.split_ascii_whitespace();
    let program = words.next()?;
    if !program.ends_with("/env") {
        return Some(program.to_owned());
    }
    let name = words.find(|word| *word != "-S" && !word.contains('='))?;
    (!name.starts_with('-')).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_script_opens_no_folder_by_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let [own, rival] = ["own", "rival"].map(|name| folder.path().join(name));
        for place in [&own, &rival] {
            fs::create_dir(place).unwrap();
        }
        let rival_program = rival.join("program");
        fs::copy("/bin/sh", &rival_program).unwrap();
        symlink("/bin/sh", rival.join("link")).unwrap();
        let rival = rival.display();
        for line in [
            format!("{rival}/program"),
            format!("{rival}/link"),
            format!("/proc/self/root{rival}/program"),
            format!("/usr/bin/env {rival}/program"),
            format!("/usr/bin/env -S {rival}/program -x"),
            format!("/usr/bin/env -S A=b {rival}/program"),
            format!("/usr/bin/env -S -u {rival}/program /bin/sh"),
            format!("/usr/bin/env -S -C {rival}/program sh"),
            format!("/usr/bin/env --unset={rival}/program sh"),
        ] {
            let script = own.join("bot");
            fs::write(&script, format!("#!{line}\n")).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
            let launch = Launch::new("bot", [script.to_str().unwrap()]);
            let files = files_of(&launch, None);
            assert!(files.contains(&own), "{line}");
            let opens_rival = files.iter().any(|path| rival_program.starts_with(path));
            assert!(!opens_rival, "{line}: {files:?}");
        }
    }
}
