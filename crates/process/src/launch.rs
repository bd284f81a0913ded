//! How a bot is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf, absolute, is_separator};

use serde::{Deserialize, Serialize};

use crate::paths::{LIST, folder_of_jars, serialize_path, serialize_paths, with_slashes};
use crate::program::program_of;

/// How to start a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The name of the bot, for messages.
    pub name: String,
    /// The program, found by [`find_program`](crate::find_program), and its arguments. `{seed}`
    /// becomes the bot's own seed.
    pub command: Vec<String>,
    /// Variables to add to the environment; `{seed}` as in the arguments. `ARENA_SEED` is the bot's
    /// own seed unless it is given here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// More folders and files that it may read in the sandbox.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "serialize_paths"
    )]
    pub read: Vec<PathBuf>,
    /// The folder that it starts in, and may read; by default the current folder. Paths in its
    /// command and variables are relative to the current folder either way.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_path"
    )]
    pub folder: Option<PathBuf>,
}

impl Launch {
    /// Creates a bot with a name and a command, and nothing else.
    pub fn new<W: Into<String>>(
        name: impl Into<String>,
        command: impl IntoIterator<Item = W>,
    ) -> Launch {
        Launch {
            name: name.into(),
            command: command.into_iter().map(Into::into).collect(),
            ..Launch::default()
        }
    }

    /// Returns the same bot with names in braces replaced by their values.
    #[must_use]
    pub fn filled(&self, values: &BTreeMap<String, String>) -> Launch {
        let mut filled = self.clone();
        for text in filled.command.iter_mut().chain(filled.env.values_mut()) {
            *text = fill(text, values);
        }
        filled
    }

    /// Replaces the paths of the bot: those in its command after the first `skipped` words, in the
    /// values of its variables, and those that it may read. `replace` returns `None` for a text
    /// that is no path.
    ///
    /// A word is a path, or has one after `=`, or is a [list](LIST) of paths, such as a class path.
    /// In lists, `DIR/*` names all jars of a folder.
    pub fn replace_paths(
        &mut self,
        skipped: usize,
        replace: &mut dyn FnMut(&Path) -> Option<PathBuf>,
    ) {
        let words = self.command.iter_mut().skip(skipped);
        for text in words.chain(self.env.values_mut()) {
            *text = replace_in(text, replace);
        }
        for path in &mut self.read {
            if let Some(replaced) = replace(path) {
                *path = replaced;
            }
        }
    }

    /// Makes all paths absolute that lead to something, so that it can start in another folder.
    pub(crate) fn make_absolute(&mut self) {
        // A program without a slash is the one in PATH.
        let skipped = usize::from(!program_of(&self.command).contains(is_separator));
        self.replace_paths(skipped, &mut |path| {
            if path.exists() {
                absolute(path).ok()
            } else {
                None
            }
        });
    }
}

/// Replaces the paths in a word.
fn replace_in(text: &str, replace: &mut dyn FnMut(&Path) -> Option<PathBuf>) -> String {
    let mut replaced = |text: &str| {
        if text.is_empty() {
            return None;
        }
        let path = replace(Path::new(text))?;
        path.into_os_string().into_string().ok().map(with_slashes)
    };
    if let Some(whole) = replaced(text) {
        return whole;
    }
    let (option, list) = text.split_at(text.find('=').map_or(0, |at| at + 1));
    let mut entries = Vec::new();
    for entry in list.split(LIST) {
        let folder = folder_of_jars(entry).unwrap_or(entry);
        let jars = &entry[folder.len()..];
        let folder = replaced(folder).unwrap_or_else(|| folder.to_owned());
        entries.push(folder + jars);
    }
    option.to_owned() + &entries.join(LIST)
}

/// Replaces the names in braces that have a value.
pub(crate) fn fill(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part
            .split_once('}')
            .and_then(|(name, rest)| Some([values.get(name)?.as_str(), rest]));
        filled.extend(value.unwrap_or(["{", part]));
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_words() {
        for (word, replaced) in [
            ("a", "A"),
            ("b", "b"),
            ("--book=a", "--book=A"),
            ("--book=b:a", "--book=b:A"),
            ("a:b:a/*", "A:b:A/*"),
            ("x=a", "whole"),
            ("a=a", "a=A"),
            ("a,a", "a,a"),
            ("", ""),
            ("=", "="),
            (":a:", ":A:"),
        ] {
            let [word, replaced] = [word, replaced].map(|text| text.replace(':', LIST));
            let mut bot = Launch::new("bot", ["a", &word]);
            bot.env.insert("a".to_owned(), word);
            bot.read = vec!["a".into(), "b".into()];
            bot.replace_paths(1, &mut |path| match path.to_str()? {
                "a" => Some("A".into()),
                "x=a" => Some("whole".into()),
                _ => None,
            });
            assert_eq!(bot.command, ["a", &replaced]);
            assert_eq!(bot.env["a"], replaced);
            assert_eq!(bot.read, [Path::new("A"), Path::new("b")]);
        }
    }
}
