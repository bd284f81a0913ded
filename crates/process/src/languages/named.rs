//! Files and folders that the command of a bot names.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf, absolute};

use super::folders::list_folder;
use super::{JAVA_OPTION, Languages, PATH_OPTIONS, Ready, language_of};
use crate::launch::Launch;
use crate::sandbox::files::is_too_wide;

/// Variables that hold a list of folders and files.
const PATH_VARIABLES: [&str; 3] = ["CLASSPATH", "NODE_PATH", "PYTHONPATH"];

impl Ready {
    /// Adds the files and folders that the arguments and variables of a bot name, and those that it
    /// may read.
    pub(super) fn add_named(&mut self, known: &Languages, bot: &Launch) {
        // Other people may work in folders that are only named: then just the programs and sources
        // are parts of the bot.
        let mut paths: BTreeMap<PathBuf, bool> = BTreeMap::new();
        let arguments = bot.command.iter().skip(1).map(PathBuf::from);
        for path in arguments.chain(path_lists(bot)) {
            paths.insert(path, false);
        }
        for path in &bot.read {
            paths.insert(path.clone(), true);
        }
        for (path, is_whole) in paths {
            if path.is_file() {
                self.files.insert(path);
            } else if path.is_dir() {
                match list_folder(known, &path, is_whole) {
                    Ok(folder) => self.folders.extend(folder),
                    Err(why) => self.warnings.push(format!(
                        "{why}: whether they have changed since is not noticed by --resume, for bot `{}`",
                        bot.name
                    )),
                }
            }
        }
    }
}

/// Returns what a bot may read besides its program: the folders of scripts in its arguments, and
/// lists of folders.
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
