//! Paths as text: lists of paths.

use std::path::is_separator;

/// What is between the paths of a list, such as a class path.
pub const LIST: &str = if cfg!(windows) { ";" } else { ":" };

/// Returns the folder of an entry of a class path that names all jars of a folder: `DIR/*`.
pub fn folder_of_jars(entry: &str) -> Option<&str> {
    entry.strip_suffix('*')?.strip_suffix(is_separator)
}
