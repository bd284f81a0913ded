//! The options of a game: what is set for it alone, in a config and in a record.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The options of a game, by name.
pub type Options = Map<String, Value>;

/// An option that people can set for a game.
#[derive(Clone, Debug)]
pub struct OptionInfo {
    /// Its name.
    pub key: &'static str,
    /// What a value looks like in a config, quotes included.
    pub example: &'static str,
    /// What it is for, for people.
    pub meaning: String,
}

/// Why a game does not take its options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The game has no option of this name.
    #[error("set `{0}`: the game has no such option")]
    Unknown(String),
    /// The value is of the wrong kind.
    #[error("set `{key}`: expected {expected}")]
    Value {
        /// The option.
        key: &'static str,
        /// What its value should be.
        expected: &'static str,
    },
    /// No game can be played with what the value names.
    #[error("{problem}")]
    Unusable {
        /// The option.
        key: &'static str,
        /// What that means, as a sentence without a full stop.
        title: &'static str,
        /// What is wrong, as the end of a sentence that begins with "failed to".
        problem: String,
        /// What people may need to know to put it right.
        help: &'static str,
    },
    /// What a value names is not what it was: games would be others.
    #[error("{0}")]
    Changed(String),
}

/// What a game wants to read.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The path of the folder.
    pub folder: &'a str,
    /// The ending of the names of the files, without the dot.
    pub ending: &'static str,
    /// What the files are, for messages; in the plural.
    pub what: &'static str,
}

/// The files of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// A digest of the names and contents of the files, in hexadecimal.
    pub digest: String,
    /// At least one, in the byte order of the names.
    pub files: Vec<File>,
}

/// A file of a [`Folder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where it lies.
    pub path: PathBuf,
    /// What it holds.
    pub content: Vec<u8>,
}

/// Reads a folder for a game, for games open no files. Says what is wrong as the end of a sentence that begins with
/// "failed to".
pub type ReadFolder<'a> = dyn Fn(Wanted<'_>) -> Result<Folder, String> + 'a;

/// The value of an option; `None` where it is not set.
pub(crate) fn value<'o, T: Deserialize<'o>>(
    options: &'o Options,
    key: &'static str,
    expected: &'static str,
) -> Result<Option<T>, OptionError> {
    let Some(value) = options.get(key) else {
        return Ok(None);
    };
    Option::deserialize(value).map_err(|_| OptionError::Value { key, expected })
}

/// Refuses options of all names but these.
pub(crate) fn refuse_others(options: &Options, known: &[&str]) -> Result<(), OptionError> {
    match options.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(OptionError::Unknown(key.clone())),
        None => Ok(()),
    }
}
