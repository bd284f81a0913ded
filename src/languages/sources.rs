//! What stands in source files, as far as it decides how they are started.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Language;

/// The ends of the names of files that a source may include.
const INCLUDED: [&str; 6] = ["h", "hh", "hpp", "hxx", "inc", "inl"];
/// Folders in which no part of a bot stands.
const FOREIGN: [&str; 3] = ["target", "node_modules", "__pycache__"];
/// How deep parts of a bot are looked for below its folder.
const DEPTH: usize = 3;

/// What the compiled program depends on, as a word: the commands, the path of the source, and every file of this language, or
/// that one may include, in its folder and those below.
pub(super) fn key(source: &Path, language: &Language) -> io::Result<String> {
    let mut files = Vec::new();
    let is_part = |path: &Path| {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        language.extensions.iter().any(|of| of == extension) || INCLUDED.contains(&extension)
    };
    if let Some(folder) = source.parent() {
        parts(folder, DEPTH, &is_part, &mut files);
    }
    files.sort();
    let mut content = vec![source.to_string_lossy().into_owned().into_bytes()];
    content.extend(language.compile.iter().map(|word| word.clone().into_bytes()));
    content.push(fs::read(source)?);
    for file in files {
        content.push(file.to_string_lossy().into_owned().into_bytes());
        // What cannot be read cannot be compiled either.
        content.push(fs::read(&file).unwrap_or_default());
    }
    Ok(hash(content.iter().map(Vec::as_slice)))
}

/// A word that tells different parts from others.
pub(super) fn hash<'a>(parts: impl Iterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut key = [0; 16];
    key.copy_from_slice(&hash.finalize()[..16]);
    format!("{:032x}", u128::from_be_bytes(key))
}

/// The files below a folder of which a bot may consist.
fn parts(folder: &Path, depth: usize, is_part: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_foreign = name.to_string_lossy().starts_with('.') || FOREIGN.iter().any(|foreign| name == *foreign);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 && !is_foreign => parts(&path, depth - 1, is_part, found),
            Ok(kind) if !kind.is_dir() && is_part(&path) => found.push(path),
            _ => {}
        }
    }
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
