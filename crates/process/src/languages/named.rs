//! Files and folders that the command of a bot names.

use std::collections::BTreeMap;
use std::iter;
use std::path::{Path, PathBuf, absolute, is_separator};

use super::folders::{Folder, list_folder};
use super::{JAVA_OPTION, Languages, PATH_OPTIONS, Ready, language_of};
use crate::files::{environment, files_of, installation, is_too_wide, leads_out};
use crate::hidden::is_in_run;
use crate::launch::Launch;
use crate::paths::{LIST, folder_of_jars};
use crate::program::{ProgramError, find_program, program_of};
use crate::sys::Sandbox;

/// Variables that hold a list of folders and files.
const PATH_VARIABLES: [&str; 3] = ["CLASSPATH", "NODE_PATH", "PYTHONPATH"];

impl Ready {
    /// Adds the files and folders that the arguments and variables of a bot name, and those that it
    /// may read.
    pub(super) fn add_named(&mut self, known: &Languages, bot: &Launch) {
        // Other people may work in folders that are only named: then just the programs and sources
        // are parts of the bot.
        let named = named_by(bot).into_iter().map(|path| (path, false));
        let read = bot.read.iter().chain(&bot.folder);
        let read = read.map(|path| (path.clone(), true));
        for (path, is_whole) in named.chain(read).collect::<BTreeMap<_, _>>() {
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

    /// Removes files that links hide from the bot, so that nothing hashes them or sends them to
    /// workers, and warns about links that the command names.
    pub(super) fn close_links(&mut self, bot: &Launch) {
        let mut open = files_of(&self.launch, None);
        open.extend_from_slice(&self.launch.read);
        open = open.iter().flat_map(dunce::canonicalize).collect();
        let closed = |path: &Path| {
            let target = leads_out(path)?;
            let is_open = open.iter().any(|open| {
                // An open folder may hold runs, which stay closed.
                target.starts_with(open) && (is_in_run(open) || !is_in_run(&target))
            });
            (!is_open).then_some(target)
        };
        self.files.retain(|file| closed(file).is_none());
        for Folder { path, files } in &mut self.folders {
            files.retain(|file| closed(&path.join(file)).is_none());
        }
        let mut named = named_by(bot);
        // A program without a slash is the one in PATH.
        let program = program_of(&bot.command);
        if program.contains(is_separator) || find_program(program).is_err() {
            named.push(PathBuf::from(program));
        }
        for path in named {
            // A virtual environment has settings beside its programs.
            let folder = path
                .parent()
                .filter(|folder| !environment(folder).is_empty());
            if let Some(target) = closed(&path).or_else(|| closed(folder?)) {
                self.warnings.push(link_warning(bot, &path, &target));
            }
        }
    }

    /// Removes what no program may read, so that nothing hashes it or sends it to workers.
    ///
    /// # Errors
    /// If the bot is to read it.
    pub(super) fn leave_out_hidden(&mut self, sandbox: &Sandbox) -> Result<(), ProgramError> {
        let hidden = &sandbox.hidden;
        if let Some(path) = self.launch.read.iter().find(|path| hidden.hides(path)) {
            return Err(ProgramError(format!(
                "no program may read `{}`: the config and the folder of a run tell its seed; copy what the bot needs to another folder",
                path.display()
            )));
        }
        self.files.retain(|file| !hidden.hides(file));
        for Folder { path, files } in &mut self.folders {
            files.retain(|file| !hidden.hides(&path.join(file)));
        }
        Ok(())
    }
}

/// Returns a warning about a path that leads to something closed. What is part of an installation
/// needs all of it.
fn link_warning(bot: &Launch, path: &Path, target: &Path) -> String {
    let folder = target.ancestors().find(|path| path.is_dir());
    let needed = installation(folder.unwrap_or(target)).into_iter().next();
    let needed = needed.as_deref().unwrap_or(target).display().to_string();
    let (name, needed) = (&bot.name, toml::Value::from(needed));
    let (path, target) = (path.display(), target.display());
    format!(
        "the sandbox closes `{path}` to bot `{name}`, because it is a link to {target}; if you trust it, add `read = [{needed}]`"
    )
}

/// Returns what a bot may read besides its program: the folders of scripts in its arguments, lists
/// of folders, and the folder that it starts in.
pub(super) fn readable(known: &Languages, bot: &Launch) -> Vec<PathBuf> {
    let mut readable = path_lists(bot);
    readable.extend(bot.folder.clone());
    for script in bot.command.iter().skip(1).map(Path::new) {
        if language_of(known, script).is_some()
            && script.is_file()
            && let Ok(script) = absolute(script)
        {
            readable.extend(script.parent().map(Path::to_owned));
        }
    }
    readable.retain(|path| path.exists() && !is_too_wide(path) && leads_out(path).is_none());
    readable
}

/// Returns what the arguments and variables of a bot name.
fn named_by(bot: &Launch) -> Vec<PathBuf> {
    let mut named: Vec<PathBuf> = bot.command.iter().skip(1).map(PathBuf::from).collect();
    named.extend(path_lists(bot));
    named
}

/// Returns the entries of lists of folders and files in the arguments and variables of a bot.
fn path_lists(bot: &Launch) -> Vec<PathBuf> {
    let mut options = PATH_OPTIONS.to_vec();
    if Path::new(program_of(&bot.command)).ends_with("java") {
        options.extend(["-jar", JAVA_OPTION]);
    }
    let words = bot.command.iter().map(String::as_str);
    let mut lists: Vec<&str> = iter::zip(words.clone(), words.clone().skip(1))
        .chain(words.filter_map(|word| word.split_once('=')))
        .filter(|(option, _)| options.contains(option))
        .map(|(_, list)| list)
        .collect();
    for name in PATH_VARIABLES {
        lists.extend(bot.env.get(name).map(String::as_str));
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in lists.iter().flat_map(|list| list.split(LIST)) {
        // `DIR/*` means all jars of a folder.
        let path = PathBuf::from(folder_of_jars(entry).unwrap_or(entry));
        if !entry.is_empty() && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}
