//! What stands in source files, as far as it decides how they are compiled and started.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// How deep parts of a bot are looked for below its folder.
const DEPTH: usize = 8;
/// At most so many files are looked at.
const FILES: usize = 10_000;
/// At most so much is read of all parts, in bytes.
const SIZE: u64 = 32 << 20;
/// Folders without parts of a bot: one with this file holds a run, and these are of git and of [`super::cache`].
const RUN: &str = "plan.toml";
const FOREIGN: [&str; 2] = [".git", "arena/compiled"];

/// The files of which a bot is made: its source, and what the texts of these name, in the folder of the source and below.
pub(super) struct Parts {
    /// Their paths and contents.
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// Whether nothing else can have been compiled in: no text names a file elsewhere, and all files were looked at.
    pub(super) are_all: bool,
}

impl Parts {
    /// The parts of a bot whose source is at `source` and whose other files are below `root`. A file is a part if its name
    /// stands in another one (in quotes, if it has no end), or, if its own name ends with one of `extensions`, the name without its end, or that of its
    /// folder.
    pub(super) fn of(source: &Path, root: &Path, extensions: &[String]) -> io::Result<Parts> {
        let mut candidates = Vec::new();
        let mut are_all = list(root, DEPTH, &mut candidates);
        candidates.retain(|path| path != source);
        let text = fs::read(source)?;
        let mut size = 0;
        let mut open = vec![String::from_utf8_lossy(&text).into_owned()];
        let mut files = BTreeMap::from([(source.to_owned(), text)]);
        while let Some(text) = open.pop() {
            are_all &= !leads_elsewhere(&text);
            for path in candidates.extract_if(.., |path| is_named(&text, path, extensions)) {
                size += fs::metadata(&path).map_or(0, |file| file.len());
                match fs::read(&path) {
                    Ok(content) if size <= SIZE => {
                        open.push(String::from_utf8_lossy(&content).into_owned());
                        files.insert(path, content);
                    }
                    _ => are_all = false,
                }
            }
        }
        Ok(Parts { files, are_all })
    }

    /// Where they are.
    pub(super) fn paths(self) -> impl Iterator<Item = PathBuf> {
        self.files.into_keys()
    }

    /// A word that is another one as soon as anything of them changes.
    pub(super) fn digest(&self) -> String {
        hash(self.files.iter().flat_map(|(path, content)| [path.as_os_str().as_encoded_bytes(), content]))
    }
}

/// A word that tells different texts from others.
pub(super) fn hash<'a>(texts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let mut key = [0; 16];
    key.copy_from_slice(&hash.finalize()[..16]);
    format!("{:032x}", u128::from_be_bytes(key))
}

/// Finds the files below a folder, but for those of foreign folders. Whether these are all.
pub(super) fn list(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let mut are_all = true;
    for path in entries.flatten().map(|entry| entry.path()) {
        // Of a link, what it leads to.
        match fs::metadata(&path) {
            Ok(file) if file.is_file() => found.push(path),
            Ok(file) if file.is_dir() && !FOREIGN.iter().any(|end| path.ends_with(end)) && !path.join(RUN).exists() => {
                are_all &= depth > 0 && list(&path, depth - 1, found);
            }
            _ => {}
        }
        if found.len() > FILES {
            return false;
        }
    }
    are_all
}

fn is_named(text: &str, path: &Path, extensions: &[String]) -> bool {
    let word = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let name = word(path.file_name());
    let extension = word(path.extension());
    let stem = name.split('.').next().unwrap_or_default();
    let folder = word(path.parent().and_then(Path::file_name));
    let is_quoted = || ["\"", "'", "<", "/"].iter().any(|quote| text.contains(&format!("{quote}{name}")));
    let is_whole = if extension.is_empty() { is_quoted() } else { text.contains(&name) };
    is_whole || (extensions.contains(&extension) && (text.contains(stem) || text.contains(&folder)))
}

/// Whether a text may name a file that is not below its folder: one of the folder above, or a path from the root on.
fn leads_elsewhere(text: &str) -> bool {
    let is_absolute = |three: &[u8]| b"\"'<".contains(&three[0]) && three[1] == b'/' && three[2].is_ascii_alphabetic();
    text.contains("../") || text.as_bytes().windows(3).any(is_absolute)
}

/// The outermost class of a Java source that has a `main`, with its package.
pub(super) fn main_class(source: &str) -> Option<String> {
    let words = java_words(source);
    let mut depth = 0_usize;
    let mut package = String::new();
    let mut class = None;
    for pair in words.windows(2) {
        match (pair[0].as_str(), pair[1].as_str()) {
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

/// The names, keywords and braces of a Java source, without its comments and texts.
fn java_words(source: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => text_length(rest, first),
            '{' | '}' => 1,
            _ => rest.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c))).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(length.max(first.len_utf8()));
        if length > 0 && !matches!(first, '/' | '"' | '\'') {
            words.push(word.to_owned());
        }
        rest = behind;
    }
    words
}

/// The bytes of the text that begins here, up to the quote that ends it.
fn text_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}
