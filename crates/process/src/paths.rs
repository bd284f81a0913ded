//! Paths as text: in lists of paths, and in files that are the same on every system.

use std::path::{Path, PathBuf, is_separator};

use serde::{Serialize as _, Serializer};

/// What is between the paths of a list, such as a class path.
pub const LIST: &str = if cfg!(windows) { ";" } else { ":" };

/// Returns the folder of an entry of a class path that names all jars of a folder: `DIR/*`.
pub fn folder_of_jars(entry: &str) -> Option<&str> {
    entry.strip_suffix('*')?.strip_suffix(is_separator)
}

/// Returns a path as text in which `/` is between the parts, as a run stores it.
pub fn slashed(path: &Path) -> String {
    with_slashes(path.display().to_string())
}

/// Replaces `\` by `/` on Windows.
pub(crate) fn with_slashes(path: String) -> String {
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path
    }
}

/// Returns a path whose text has `/` between the parts.
fn stored(path: &Path) -> PathBuf {
    if cfg!(windows) {
        PathBuf::from(slashed(path))
    } else {
        path.to_owned()
    }
}

/// Serializes paths with `/` between their parts.
///
/// # Errors
/// If a path isn't UTF-8.
pub fn serialize_paths<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| stored(path)))
}

/// Serializes a path with `/` between its parts.
#[expect(clippy::ref_option, reason = "serde passes the field")]
pub(crate) fn serialize_path<S: Serializer>(
    path: &Option<PathBuf>,
    to: S,
) -> Result<S::Ok, S::Error> {
    path.as_deref().map(stored).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Launch;

    #[test]
    fn stored_paths_have_slashes() {
        // Elsewhere a backslash is a letter of a name.
        let expected = if cfg!(windows) { "a/b/c" } else { r"a\b/c" };
        let path = Path::new(r"a\b/c");
        assert_eq!(slashed(path), expected);
        let mut bot = Launch::new("bot", ["a"]);
        bot.read = vec![path.to_owned()];
        bot.folder = Some(path.to_owned());
        bot.replace_paths(0, &mut |_| Some(path.to_owned()));
        let stored = serde_json::to_value(&bot).unwrap();
        for key in ["command", "read"] {
            assert_eq!(stored[key][0], expected, "{key}");
        }
        assert_eq!(stored["folder"], expected);
    }

    #[test]
    fn all_jars_of_a_folder_are_named_by_a_star() {
        assert_eq!(folder_of_jars("a/*"), Some("a"));
        assert_eq!(["a*", "a/*.jar", "*"].map(folder_of_jars), [None; 3]);
        assert_eq!(folder_of_jars(r"a\*").is_some(), cfg!(windows));
    }
}
