//! Files that a bot may use.

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::iter;
use std::path::{Component, Path, PathBuf, absolute, is_separator};

use crate::hidden::is_in_run;
use crate::input::{entries, open_input};
use crate::launch::Launch;
use crate::os::is_of_administrator;
use crate::program::{find_in_path, find_program, first_line, program_of};

/// Folders with the programs of the system, and those of the kernel.
#[rustfmt::skip]
pub(crate) const SYSTEM: [&str; 12] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/proc", "/sys",
];

/// Entries that show that a folder holds an installed program with its library.
const INSTALLED: [&str; 5] = ["lib", "lib64", "libexec", "tools", VENV];

/// A file that shows that a folder is a virtual environment.
const VENV: &str = "pyvenv.cfg";

/// The name of a version manager's folder of scripts that choose a version.
const SHIMS: &str = "shims";

/// Parts of a virtual environment, a Python or a JDK. Bots may lie beside them.
const PARTS: [&str; 9] = [
    "bin", "conf", "include", "jre", "lib", "lib64", VENV, "release", "share",
];

/// How much to read of the settings of a virtual environment, in bytes.
const PYVENV_SIZE: u64 = 1 << 16;

/// How many interpreters to follow: a script may be run by another script.
const INTERPRETERS: usize = 4;

/// How many links in a row to follow, as many as the system does.
const LINKS: usize = 40;

/// Returns what the command of a bot needs besides the system: its program, the interpreters of
/// that, and the files it names.
pub(crate) fn files_of(launch: &Launch, within: Option<&[PathBuf]>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let name = program_of(&launch.command);
    let arguments = launch.command.iter().skip(1).map(PathBuf::from);
    for (at, path) in arguments.enumerate() {
        // The first argument of an interpreter is the program.
        let is_program = at == 0 && !name.contains(is_separator);
        let leads_out =
            matches!(leads_out(&path), Some(target) if !is_program || is_in_run(&target));
        if path.is_file() && is_within(&path, within) && !leads_out {
            files.push(path);
        }
    }
    let Ok(mut program) = find_program(name) else {
        return files;
    };
    if !name.contains(is_separator) {
        files_of_installed(&program, &mut files);
        // Programs such as zig have their library beside them.
        let paths = [absolute(&program), dunce::canonicalize(&program)];
        for path in paths.iter().flatten() {
            if !is_in_start(path) {
                files.push(with_neighbours(path));
            }
        }
    } else if !is_within(&program, within) {
        if let Some(found) = installed(&program) {
            files_of_installed(&found, &mut files);
        }
    } else if within.is_some() {
        // What it needs was sent for it by name, and what lies beside it for others.
        files.push(program.clone());
    } else {
        files_of_given(&program, &mut files);
    }
    // The script's author chose its interpreter, so it opens only what is installed.
    for _ in 0..INTERPRETERS {
        let Some(path) = interpreter(&program) else {
            break;
        };
        match installed(&path) {
            Some(found) => files_of_installed(&found, &mut files),
            None if is_open(&path) => {}
            None => break,
        }
        program = path;
    }
    files
}

/// Returns the program of this name in a folder of PATH. A folder that depends on where `arena`
/// was started may hold the bots of others.
fn in_path(name: &str) -> Option<PathBuf> {
    find_in_path(name).ok().filter(|found| found.is_absolute())
}

/// Returns the path that PATH finds for this program: by its name, or below a version manager's
/// folder.
fn installed(program: &Path) -> Option<PathBuf> {
    let real = dunce::canonicalize(program).ok()?;
    for name in [program.file_name(), real.file_name()] {
        if let Some(found) = in_path(name.unwrap_or_default().to_str().unwrap_or_default())
            && dunce::canonicalize(&found).is_ok_and(|found| found == real)
        {
            return Some(found);
        }
    }
    is_of_version_manager(&real).then_some(real)
}

/// Returns whether a file lies in the folder of a version manager whose shims PATH has.
fn is_of_version_manager(real: &Path) -> bool {
    let is_in = |folder: &PathBuf| dunce::canonicalize(folder).is_ok_and(|of| real.starts_with(of));
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|shims| {
        shims.is_absolute() && shims.ends_with(SHIMS) && installation(&shims).iter().any(is_in)
    })
}

/// Returns the real path of a file or folder if a link on the way to it leads out of the folder
/// that holds the link, or into a run. Such a link opens nothing: it may have come with a bot.
///
/// Links to the system are fine, because that is open to every bot. So are links to folders that
/// the user made: those above the start folder, in the home folder or above it.
pub(crate) fn leads_out(path: &Path) -> Option<PathBuf> {
    let mut real = PathBuf::new();
    for part in absolute(path).ok()?.components() {
        if part == Component::ParentDir {
            real.pop();
            continue;
        }
        let next = real.join(part);
        if fs::read_link(&next).is_err() {
            real = next;
            continue;
        }
        let target = dunce::canonicalize(&next).ok()?;
        let is_inside =
            target.parent() == Some(&real) || target.starts_with(&real) && !is_too_wide(&real);
        let is_foreign = !is_inside && !is_open(&target) && !is_folder_of_user(&next, &target);
        if is_foreign || is_in_run(&target) {
            return dunce::canonicalize(path).ok();
        }
        real = target;
    }
    None
}

/// Returns whether a link to a folder is the user's own: bots don't lie there, or the user came
/// that way to the start folder.
fn is_folder_of_user(link: &Path, target: &Path) -> bool {
    let start = env::current_dir().unwrap_or_default();
    let is_home = env::home_dir().unwrap_or_default().starts_with(link);
    let way = PathBuf::from(env::var_os("PWD").unwrap_or_default());
    let is_way = target == start && way.starts_with(link);
    let holder = link.parent().unwrap_or(link);
    let is_among_users_own = is_too_wide(holder) || holder != start && is_of_administrator(holder);
    target.is_dir() && (is_home || is_way || is_among_users_own)
}

/// Returns whether a path leads into one of these folders, if any are given.
pub(crate) fn is_within(path: &Path, within: Option<&[PathBuf]>) -> bool {
    let Some(within) = within else { return true };
    dunce::canonicalize(path).is_ok_and(|real| within.iter().any(|folder| real.starts_with(folder)))
}

/// Returns whether a file is part of the system, and so open to every bot.
fn is_open(path: &Path) -> bool {
    dunce::canonicalize(path).is_ok_and(|real| {
        SYSTEM.iter().any(|system| real.starts_with(system))
            && !matches!(start_in_system(), Some(start) if real.starts_with(&start))
    })
}

/// Returns the start folder if it lies in a folder of the system, as `/usr/src/app` does. Bots may
/// lie there. Nothing works without `/usr` itself.
pub(crate) fn start_in_system() -> Option<PathBuf> {
    let start = env::current_dir().ok()?;
    let is_in = SYSTEM.iter().any(|system| start.starts_with(system));
    let is_whole = |system: &&str| *system != "/opt" && is_start(Path::new(system));
    (is_in && !SYSTEM.iter().any(is_whole)).then_some(start)
}

/// Adds the folder of a program that the user named, with its installation. If the program is a
/// link out of its folder, its target is added without the target's folder: the link may have come
/// with a bot. Installed software is added for the target.
fn files_of_given(path: &Path, files: &mut Vec<PathBuf>) {
    let (Ok(named), Ok(real)) = (absolute(path), dunce::canonicalize(path)) else {
        return;
    };
    if leads_out(&named).is_none() {
        for program in [&named, &real] {
            files.extend(program.parent().into_iter().flat_map(environment));
            files.push(with_neighbours(program));
        }
    } else if let Some(folder) = named.parent() {
        // A Python is no use without its library.
        if environment(folder).is_empty() && !is_in_run(&real) {
            files.push(real.clone());
        }
        if leads_out(folder).is_none() {
            files.extend(environment(folder));
            if !is_too_wide(folder) {
                files.push(folder.to_owned());
            }
            files.extend(python_of(folder, &real).into_iter().flatten());
        }
    }
    if let Some(found) = installed(&named) {
        files_of_installed(&found, files);
    }
}

/// Adds an installed program. If the program belongs to an installation, such as an interpreter in
/// a home folder, all of that is added. It may be reached by several links, each in another
/// installation: the virtual environment, the current version, the version itself.
fn files_of_installed(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(named) = absolute(path) else { return };
    let real = dunce::canonicalize(path).unwrap_or_else(|_| named.clone());
    let links = iter::successors(Some(named.clone()), |link| {
        Some(link.parent()?.join(fs::read_link(link).ok()?))
    });
    for link in links.take(LINKS).chain([real.clone()]) {
        files.extend(link.parent().into_iter().flat_map(installation));
    }
    files.extend([named, real]);
}

/// Returns the parts of the virtual environment, the Python or the JDK whose programs are in
/// `folder`. Bots may be called `bin` and `lib`, so these names alone show nothing.
pub(crate) fn environment(folder: &Path) -> Vec<PathBuf> {
    let prefix = folder.parent().unwrap_or(folder);
    let has = |name: &str| prefix.join(name).is_file();
    let is_java =
        || has("release") && has("lib/modules") || has("lib/rt.jar") || has("jre/lib/rt.jar");
    let mut parts = Vec::new();
    if folder.ends_with("bin")
        && (has(VENV) || is_java() || is_python(prefix))
        && !is_too_wide(prefix)
    {
        parts.extend(PARTS.map(|part| prefix.join(part)));
        parts.retain(|part| part.exists());
    }
    parts
}

/// Returns whether a folder holds an installation of Python.
fn is_python(prefix: &Path) -> bool {
    entries(prefix.join("lib")).any(|entry| entry.path().join("os.py").is_file())
}

/// Returns the installation of Python that a virtual environment with its programs in `folder` was
/// made from, if that has the program `real`. The settings may come from a bot, so it must be a
/// Python where no bot lies: in a hidden folder of the home folder.
fn python_of(folder: &Path, real: &Path) -> Option<Vec<PathBuf>> {
    let file = open_input(&folder.parent()?.join(VENV)).ok()?;
    let settings = io::read_to_string(file.take(PYVENV_SIZE)).ok()?;
    let (_, home) = settings
        .lines()
        .filter_map(|line| line.split_once('='))
        .find(|(key, _)| key.trim() == "home")?;
    let home = dunce::canonicalize(home.trim()).ok()?;
    let is_fit = real.parent() == Some(&home)
        && is_python(home.parent()?)
        && is_in_hidden_folder(&home)
        && !is_in_start(&home);
    is_fit.then(|| installation(&home))
}

/// Returns whether a path leads into a hidden folder of the home folder, where version managers
/// keep what they install.
fn is_in_hidden_folder(real: &Path) -> bool {
    let home = dunce::canonicalize(env::home_dir().unwrap_or_default()).unwrap_or_default();
    let path = real.strip_prefix(home).unwrap_or(Path::new(""));
    path.as_os_str().as_encoded_bytes().starts_with(b".")
}

/// Returns the folders of the installation whose programs are in `folder`, if PATH led there.
pub(crate) fn installation(folder: &Path) -> Vec<PathBuf> {
    let prefix = folder.parent().unwrap_or(folder);
    let is_installed = match folder.file_name().and_then(|name| name.to_str()) {
        // Version managers (pyenv, rbenv, asdf) keep everything next to the scripts that choose a
        // version.
        Some(SHIMS) => true,
        Some("bin" | "sbin" | "libexec") => INSTALLED.iter().any(|name| prefix.join(name).exists()),
        _ => false,
    };
    if !is_installed || is_too_wide(prefix) {
        Vec::new()
    } else if is_start(prefix) || prefix.join(VENV).is_file() {
        // Bots may lie beside it.
        environment(folder)
    } else if prefix.ends_with(".local") {
        // In a home folder, desktop programs keep keys here, too.
        vec![prefix.join("bin"), prefix.join("lib")]
    } else {
        vec![prefix.to_owned()]
    }
}

/// Returns whether a folder holds more than a program: it contains the home folder or the start
/// folder of the arena, or is the home folder.
pub(crate) fn is_too_wide(folder: &Path) -> bool {
    let folder = dunce::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let holds =
        |inner: &Path| dunce::canonicalize(inner).is_ok_and(|real| real.starts_with(&folder));
    let start = env::current_dir().unwrap_or_default();
    holds(&env::home_dir().unwrap_or_default()) || start != folder && holds(&start)
}

/// Returns whether a folder is arena's start folder. Bots may lie there.
pub(crate) fn is_start(folder: &Path) -> bool {
    env::current_dir()
        .is_ok_and(|start| dunce::canonicalize(folder).is_ok_and(|real| real == start))
}

/// Returns whether a file lies in arena's start folder or below, and so perhaps among bots. In a
/// home folder there is all of a user's own software.
pub(crate) fn is_in_start(path: &Path) -> bool {
    env::current_dir().is_ok_and(|start| {
        !is_too_wide(&start) && dunce::canonicalize(path).is_ok_and(|real| real.starts_with(start))
    })
}

/// Returns the folder of a file, or only the file if its folder holds more than a program.
pub(crate) fn with_neighbours(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !is_too_wide(folder) => folder.to_owned(),
        _ => file.to_owned(),
    }
}

/// Returns the program that runs a script. After `env` it is found in PATH, as `env` finds it;
/// `None` if `env` is given a path, or options other than `-S`.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let line = first_line(script);
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?).into_owned();
    let mut words = line.split_ascii_whitespace();
    let program = words.next()?;
    if !program.ends_with("/env") {
        return Some(PathBuf::from(program));
    }
    let name = words.find(|word| *word != "-S" && !word.contains('='))?;
    (!name.starts_with('-') && !name.contains(is_separator)).then(|| in_path(name))?
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// Returns temporary folders: an ordinary one, and one of the system if we may make it.
    fn places() -> Vec<tempfile::TempDir> {
        let of_system = tempfile::tempdir_in("/opt").ok();
        [tempfile::tempdir().unwrap()]
            .into_iter()
            .chain(of_system)
            .collect()
    }

    fn write_script(path: &Path, first: &str) {
        fs::write(path, format!("#!{first}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_script_opens_no_folder_by_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let rival_folder = folder.path().join("rival");
        fs::create_dir(&rival_folder).unwrap();
        let rival_program = rival_folder.join("program");
        fs::copy("/bin/sh", &rival_program).unwrap();
        for link in ["link", "sh", "env"] {
            symlink("/bin/sh", rival_folder.join(link)).unwrap();
        }
        let opened = fs::File::open(&rival_folder).unwrap();
        let rival = rival_folder.display();
        let within = [folder.path().canonicalize().unwrap()];
        for own in places() {
            let own = own.path();
            let script = own.join("bot");
            for line in [
                format!("{rival}/program"),
                format!("{rival}/link"),
                format!("{rival}/sh"),
                format!("/proc/self/root{rival}/program"),
                format!("/proc/self/fd/{}/program", opened.as_raw_fd()),
                format!("/usr/bin/env {rival}/program"),
                format!("/usr/bin/env {rival}/sh"),
                format!("{rival}/env {rival}/sh"),
                format!("{rival}/env {rival}/program"),
                format!("/usr/bin/env -S {rival}/program -x"),
                format!("/usr/bin/env -S A=b {rival}/program"),
                format!("/usr/bin/env -S A=\"x {rival}/sh y\" /bin/sh"),
                format!("/usr/bin/env -S -u {rival}/program /bin/sh"),
                format!("/usr/bin/env -S -C {rival}/program sh"),
                format!("/usr/bin/env --unset={rival}/program sh"),
            ] {
                write_script(&script, &line);
                let launch = Launch::new("bot", [script.to_str().unwrap()]);
                for within in [None, Some(&within[..])] {
                    let files = files_of(&launch, within);
                    let is_own = within.is_none();
                    assert_eq!(files.contains(&own.to_owned()), is_own, "{line}");
                    let opens_rival = files.iter().any(|path| rival_program.starts_with(path));
                    assert!(!opens_rival, "{line}: {files:?}");
                }
            }
        }
    }

    /// A script of the system is followed, and so is one in the folder of a bot.
    #[test]
    fn a_script_that_runs_a_script_opens_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let rival_program = folder.path().join("program");
        fs::copy("/bin/sh", &rival_program).unwrap();
        for own in places() {
            let [first, second] = ["first", "second"].map(|name| own.path().join(name));
            write_script(&first, &second.display().to_string());
            write_script(&second, &rival_program.display().to_string());
            let within = [own.path(), folder.path()].map(|path| path.canonicalize().unwrap());
            let launch = Launch::new("bot", [first.to_str().unwrap()]);
            for within in [None, Some(&within[..])] {
                let files = files_of(&launch, within);
                let opened = if within.is_some() { &first } else { own.path() };
                assert!(files.contains(&opened.to_owned()));
                let opens_rival = files.iter().any(|path| rival_program.starts_with(path));
                assert!(!opens_rival, "{files:?}");
            }
        }
    }

    #[test]
    fn a_link_opens_nothing_outside_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for place in ["own/build", "rival/bin", "rival/lib", "venv/bin"] {
            fs::create_dir_all(at(place)).unwrap();
        }
        fs::write(at("venv/pyvenv.cfg"), "").unwrap();
        fs::write(at("rival/secret"), "").unwrap();
        for program in ["own/bot", "own/build/bot", "rival/bin/program"] {
            fs::copy("/bin/sh", at(program)).unwrap();
        }
        symlink("/bin/sh", at("rival/bin/python")).unwrap();
        for (link, target) in [
            ("own/book", "../rival/secret"),
            ("own/next", "book"),
            ("own/rival", "../rival"),
            ("own/away", "/proc/self/root"),
            ("own/program", "../rival/bin/program"),
            ("own/python", "../rival/bin/python"),
            ("own/inside", "build/bot"),
            ("own/same", "bot"),
            ("venv/bin/python", "python3"),
            ("venv/bin/python3", "/bin/sh"),
        ] {
            symlink(target, at(link)).unwrap();
        }
        let away = format!("own/away{}/rival/secret", folder.path().display());
        // A command, and a file or folder that is open.
        for (command, open) in [
            (&["own/bot", "own/book"][..], "own"),
            (&["own/bot", "own/next"], "own"),
            (&["own/bot", "own/rival/secret"], "own"),
            (&["own/bot", &away], "own"),
            (&["own/program"], "own"),
            (&["own/python"], "own"),
            (&["own/rival/bin/program"], ""),
            (&["own/inside"], "own/build"),
            (&["own/same", "own/inside"], "own/inside"),
            (&["venv/bin/python"], "venv/pyvenv.cfg"),
        ] {
            let words = command.iter().map(|word| at(word).display().to_string());
            let launch = Launch::new("bot", words.collect::<Vec<_>>());
            let files = files_of(&launch, None);
            let is_open = open.is_empty() || files.contains(&at(open));
            assert!(is_open, "{command:?}: {files:?}");
            for file in &files {
                let real = file.canonicalize().unwrap();
                let rival = at("rival").canonicalize().unwrap();
                let opens_rival = real.starts_with(&rival) || rival.starts_with(&real);
                // The program itself, without its folder.
                let is_program = at(command[0]).canonicalize().unwrap() == real;
                assert!(!opens_rival || is_program, "{command:?}: {files:?}");
            }
        }
    }

    /// Bots may be called `shims`, `bin` and `lib`.
    #[test]
    fn a_program_given_by_its_path_opens_its_folder_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in [
            "shims", "bin", "sbin", "libexec", "lib", "lib64", "tools", "rival",
        ] {
            fs::create_dir_all(at("bots").join(name)).unwrap();
            fs::copy("/bin/sh", at("bots").join(name).join("bot")).unwrap();
        }
        for file in [
            "venv/bin/bot",
            "venv/pyvenv.cfg",
            "jdk/bin/bot",
            "jdk/lib/modules",
            "jdk/release",
        ] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::copy("/bin/sh", at(file)).unwrap();
        }
        symlink(at("bots/rival/bot"), at("bots/bin/link")).unwrap();
        let within = [at("")];
        for (program, open) in [
            ("bots/shims/bot", "bots/shims"),
            ("bots/bin/bot", "bots/bin"),
            ("bots/bin/link", "bots/bin"),
            ("bots/sbin/bot", "bots/sbin"),
            ("bots/libexec/bot", "bots/libexec"),
            ("venv/bin/bot", "venv/pyvenv.cfg"),
            ("jdk/bin/bot", "jdk/lib"),
        ] {
            let launch = Launch::new("bot", [at(program).to_str().unwrap()]);
            let files = files_of(&launch, None);
            assert!(files.contains(&at(open)), "{program}: {files:?}");
            for file in files {
                let own = at(open).parent().unwrap().to_owned();
                let is_part = !open.starts_with("bots") && file.starts_with(own)
                    || file == at(program).canonicalize().unwrap();
                assert!(is_part || file.starts_with(at(open)), "{program}: {file:?}");
            }
            // A worker gets what is needed by name.
            let files = files_of(&launch, Some(&within));
            assert_eq!(files, [at(program)]);
        }
    }
}
