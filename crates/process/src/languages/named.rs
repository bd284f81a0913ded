//! Files and folders that the command of a bot names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use super::folders::{Folder, Part, look_into};
use super::{JAVA_OPTION, Languages, PATH_OPTIONS, language_of};
use crate::launch::Launch;
use crate::sandbox::files::is_too_wide;

/// Variables that hold a list of folders and files.
const PATH_VARIABLES: [&str; 3] = ["CLASSPATH", "NODE_PATH", "PYTHONPATH"];

/// What a bot consists of besides its program and its scripts.
#[derive(Default)]
pub(super) struct Named {
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) folders: Vec<Folder>,
    pub(super) warnings: Vec<String>,
}

impl Named {
    /// Finds what a bot may read, and what its arguments and variables name.
    pub(super) fn by(known: &Languages, bot: &Launch) -> Named {
        let mut parts: BTreeMap<PathBuf, Part> = BTreeMap::new();
        for argument in bot.command.iter().skip(1) {
            parts.insert(argument.into(), Part::Programs);
        }
        for path in path_lists(bot) {
            parts.insert(path, Part::Programs);
        }
        for path in &bot.read {
            parts.insert(path.clone(), Part::Whole);
        }
        let mut named = Named::default();
        for (path, part) in parts {
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => match look_into(known, &path, part) {
                    Ok(folder) => named.folders.extend(folder),
                    Err(why) => named.warnings.push(format!(
                        "{why}: whether they have changed since is not noticed by --resume, for bot `{}`",
                        bot.name
                    )),
                },
                Ok(metadata) if metadata.is_file() => {
                    named.files.insert(path);
                }
                _ => {}
            }
        }
        named
    }
}

/// Returns what a bot may read besides its program: the folders of scripts in its arguments, and lists of folders.
pub(super) fn readable(known: &Languages, bot: &Launch) -> Vec<PathBuf> {
    let mut readable = path_lists(bot);
    for script in bot.command.iter().skip(1).map(Path::new) {
        if language_of(known, script).is_some()
            && script.is_file()
            && let Ok(script) = absolute(script)
        {
            readable.extend(script.parent().map(Path::to_owned));
        }
    }
    readable.retain(|path| path.exists() && !is_too_wide(path));
    readable
}

/// Returns the entries of lists of folders and files in the arguments and variables of a bot.
fn path_lists(bot: &Launch) -> Vec<PathBuf> {
    let program = bot.command.first().map(Path::new);
    let is_java = program.is_some_and(|program| program.file_name() == Some(OsStr::new("java")));
    let mut options = PATH_OPTIONS.to_vec();
    if is_java {
        options.push(JAVA_OPTION);
    }
    let mut lists: Vec<&str> = Vec::new();
    for pair in bot.command.windows(2) {
        if options.contains(&pair[0].as_str()) {
            lists.push(&pair[1]);
        }
    }
    for word in &bot.command {
        if let Some((option, list)) = word.split_once('=')
            && options.contains(&option)
        {
            lists.push(list);
        }
    }
    for name in PATH_VARIABLES {
        lists.extend(bot.env.get(name).map(String::as_str));
    }
    let mut paths = Vec::new();
    for entry in lists.into_iter().flat_map(|list| list.split(':')) {
        let entry = entry.trim_end_matches("/*");
        if !entry.is_empty() {
            paths.push(PathBuf::from(entry));
        }
    }
    paths
}
