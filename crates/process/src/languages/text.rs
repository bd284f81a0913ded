//! Finds the parts of a script, and the main class of a Java program, in the text of source files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::hidden::{is_pool, is_run};

/// How deep to look for files below a folder.
const DEPTH: usize = 8;
/// The most files to look at.
pub(super) const FILES: usize = 10_000;
/// The most bytes of a source.
const SIZE: u64 = 4 << 20;
/// Folders of git and of the [cache](super::cache), without parts of a bot.
const FOREIGN: [&str; 3] = [".git", "arena/compiled", "arena/toolchains"];
/// Names of files that are imported by the name of their folder.
const PACKAGES: [&str; 3] = ["__init__", "index", "mod"];

/// Extensions of files that sources of C and C++ include, and that mention further ones.
const HEADERS: [&str; 7] = ["h", "hh", "hpp", "hxx", "inc", "inl", "ipp"];

/// Comments, strings and characters of a Java source.
const COMMENTS_AND_LITERALS: &str = r#"//.*|/\*(?s:.*?)\*/|"(?s:[^"\\]|\\.)*"|'(?s:[^'\\]|\\.)*'"#;

/// Returns what a script consists of, as far as names show: itself, files below a folder whose
/// names it mentions, and the files that these mention in turn. Files of its language may be
/// mentioned without their extension.
pub(super) fn parts(script: &Path, folder: &Path, extensions: &[String]) -> BTreeSet<PathBuf> {
    let mut parts = BTreeSet::from([script.to_owned()]);
    let mut candidates = Vec::new();
    list(folder, DEPTH, &mut candidates);
    let mut open = vec![script.to_owned()];
    while let Some(part) = open.pop() {
        let words = words(&part);
        for path in candidates.extract_if(.., |path| is_named(&words, path, extensions)) {
            if has_extension(&path, extensions) || has_extension(&path, &HEADERS) {
                open.push(path.clone());
            }
            parts.insert(path);
        }
    }
    parts
}

/// Finds the files below a folder, and returns whether these are all. Skips folders without parts
/// of a bot. Links may make a small folder endless, so it counts the folders, too.
pub(super) fn list(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> bool {
    let mut folders = vec![(folder.to_owned(), 0)];
    let mut next = 0;
    let mut are_all = true;
    while let Some((folder, level)) = folders.get(next).cloned()
        && level <= depth
    {
        next += 1;
        let Ok(entries) = fs::read_dir(folder) else {
            are_all = false;
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_foreign =
                || FOREIGN.iter().any(|end| path.ends_with(end)) || is_run(&path) || is_pool(&path);
            // This follows links.
            if path.is_file() {
                found.push(path);
            } else if path.is_dir() && !is_foreign() {
                folders.push((path, level + 1));
                are_all &= level < depth;
            }
            if found.len() > FILES || folders.len() > FILES {
                return false;
            }
        }
    }
    are_all
}

/// Returns whether a file has one of these extensions.
pub(super) fn has_extension(path: &Path, extensions: &[impl AsRef<OsStr>]) -> bool {
    let own = path.extension();
    extensions.iter().any(|one| own == Some(one.as_ref()))
}

/// Returns the words of a source, both whole and split at dots and dashes.
fn words(path: &Path) -> BTreeSet<String> {
    let text = match fs::metadata(path) {
        Ok(file) if file.len() <= SIZE => fs::read(path).unwrap_or_default(),
        _ => Vec::new(),
    };
    String::from_utf8_lossy(&text)
        .split(|c: char| !(c.is_alphanumeric() || "_.-".contains(c)))
        .flat_map(|word| word.split(['.', '-']).chain([word]))
        .map(str::to_owned)
        .collect()
}

fn is_named(words: &BTreeSet<String>, path: &Path, extensions: &[String]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    let folder = path.parent().unwrap_or(path).file_name();
    let folder = folder.unwrap_or_default().to_string_lossy();
    let is_import = words.contains(stem) || (PACKAGES.contains(&stem) && words.contains(&*folder));
    (name.contains('.') && words.contains(&*name)) || (has_extension(path, extensions) && is_import)
}

/// Returns the outermost class of a Java source that has a `main`, with its package.
pub(super) fn main_class(source: &str) -> Option<String> {
    let left_out = Regex::new(COMMENTS_AND_LITERALS).ok()?;
    let code = left_out.replace_all(source, " ");
    let code = code.replace('{', " { ").replace('}', " } ");
    let words: Vec<&str> = code
        .split(|c: char| !(c.is_alphanumeric() || "_$.{}".contains(c)))
        .filter(|word| !word.is_empty())
        .collect();
    let mut depth = 0_usize;
    let mut package = String::new();
    let mut class = None;
    for pair in words.windows(2) {
        match (pair[0], pair[1]) {
            ("{", _) => depth += 1,
            ("}", _) => depth = depth.saturating_sub(1),
            ("package", name) if depth == 0 => package = format!("{name}."),
            ("class" | "enum" | "record" | "interface", name) if depth == 0 => class = Some(name),
            ("void", "main") => return Some(format!("{package}{}", class?)),
            _ => {}
        }
    }
    None
}
