//! The options of a game, as set in configs and stored in records.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::TextError;

/// The options of a game, by name.
pub type Options = Map<String, Value>;

/// An option that people can set for a game.
#[derive(Clone, Debug)]
pub struct OptionInfo {
    /// Its name.
    pub key: &'static str,
    /// An example of a value in a config, including quotes.
    pub example: &'static str,
    /// Its meaning.
    pub meaning: String,
}

/// A mistake in the options of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The game has no option of this name.
    #[error("can't set `{0}`: the game has no such option")]
    Unknown(String),
    /// The value is of the wrong kind.
    #[error("can't set `{key}`: expected {expected}")]
    Value {
        /// The option.
        key: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// The value names something on which no game can be played.
    #[error("can't {problem}")]
    Unusable {
        /// The option.
        key: &'static str,
        /// The consequence, as a sentence without a full stop.
        title: &'static str,
        /// The mistake, phrased to follow "can't".
        problem: String,
        /// Advice on how to fix it.
        help: &'static str,
    },
    /// The value names something that has changed since, so games would differ.
    #[error("{0}")]
    Changed(String),
}

/// A folder that a game wants to read.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The path of the folder.
    pub folder: &'a str,
    /// The extension of its files, without the dot.
    pub ending: &'static str,
    /// The files as messages call them, in the plural.
    pub what: &'static str,
}

/// The files of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// A digest of the names and contents of the files, in hexadecimal.
    pub digest: String,
    /// One file or more, in the byte order of their names.
    pub files: Vec<File>,
}

/// A file of a [`Folder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub content: Vec<u8>,
}

/// Reads a folder for a game, since games open no files themselves.
pub type ReadFolder<'a> = dyn Fn(Wanted<'_>) -> Result<Folder, TextError> + 'a;

/// Returns the value of an option; `None` if it isn't set.
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

/// Rejects options with other names.
pub(crate) fn refuse_others(options: &Options, known: &[&str]) -> Result<(), OptionError> {
    match options.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(OptionError::Unknown(key.clone())),
        None => Ok(()),
    }
}
