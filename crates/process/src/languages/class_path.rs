//! Class paths of Java: lists of folders and jars, in which `DIR/*` names all jars of a folder, and
//! a jar may name further ones in its manifest (JAR File Specification, "Class-Path attribute").

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use zip::ZipArchive;

use crate::sandbox::files::is_too_wide;

/// Maximum size of a manifest to read, in bytes.
const MANIFEST_SIZE: u64 = 1 << 20;
/// Maximum number of jars to follow.
const MOST_JARS: usize = 10_000;

/// Returns the entries of a class path, with all jars of `DIR/*` and those that manifests name.
pub fn class_path(list: &str) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in list.split(':').filter(|entry| !entry.is_empty()) {
        let all = entry
            .strip_suffix('*')
            .filter(|folder| folder.is_empty() || folder.ends_with('/'));
        match all {
            Some(folder) => entries.extend(jars_in(Path::new(folder))),
            None => entries.push(PathBuf::from(entry)),
        }
    }
    let mut seen: BTreeSet<PathBuf> = entries.iter().cloned().collect();
    let mut next = 0;
    while next < entries.len() && entries.len() < MOST_JARS {
        for named in named_in_manifest(&entries[next]) {
            if seen.insert(named.clone()) {
                entries.push(named);
            }
        }
        next += 1;
    }
    entries
}

/// Whether a class path has a class, named as in `java.lang.String`.
pub fn has_class(list: &str, class: &str) -> bool {
    let file = format!("{}.class", class.replace('.', "/"));
    class_path(list).iter().any(|entry| {
        entry.join(&file).is_file()
            || open_jar(entry).is_some_and(|mut jar| jar.by_name(&file).is_ok())
    })
}

pub(super) fn is_jar(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("jar"))
}

/// Returns the jars in a folder, in the order of their names.
fn jars_in(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut jars: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    jars.retain(|path| is_jar(path) && path.is_file());
    jars.sort_unstable();
    jars
}

fn open_jar(path: &Path) -> Option<ZipArchive<File>> {
    if !is_jar(path) || !path.is_file() {
        return None;
    }
    ZipArchive::new(File::open(path).ok()?).ok()
}

/// Returns the jars below a jar's folder that its manifest names. The author of a bot
/// wrote the manifest, so it opens nothing else.
fn named_in_manifest(jar: &Path) -> Vec<PathBuf> {
    let manifest = || {
        let mut archive = open_jar(jar)?;
        let file = archive.by_name("META-INF/MANIFEST.MF").ok()?;
        let mut text = String::new();
        file.take(MANIFEST_SIZE).read_to_string(&mut text).ok()?;
        Some(text)
    };
    let folder = jar.parent().unwrap_or(Path::new(""));
    // Below such a folder, jars may belong to others.
    if is_too_wide(&Path::new(".").join(folder)) {
        return Vec::new();
    }
    let names = manifest().as_deref().map(class_path_of).unwrap_or_default();
    let is_below = |name: &&String| {
        let mut parts = Path::new(name).components();
        parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    let paths = names.iter().filter(is_below).map(|name| folder.join(name));
    let paths = paths.filter(|path| is_jar(path) && path.is_file());
    paths.collect()
}

/// Returns the words of `Class-Path` in a manifest, whose long lines continue after a line break
/// and a space.
fn class_path_of(manifest: &str) -> Vec<String> {
    let manifest = manifest.replace("\r\n", "\n").replace("\n ", "");
    let mut lines = manifest.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(key, _)| key.eq_ignore_ascii_case("Class-Path"));
    let words = found.map_or("", |(_, value)| value).split_whitespace();
    words
        .map(|word| word.strip_prefix("file:").unwrap_or(word).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn write_jar(path: &Path, entries: &[(&str, &str)]) {
        let mut jar = ZipWriter::new(File::create(path).unwrap());
        for (name, text) in entries {
            jar.start_file(*name, SimpleFileOptions::default()).unwrap();
            jar.write_all(text.as_bytes()).unwrap();
        }
        jar.finish().unwrap();
    }

    #[test]
    fn stars_and_manifests_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("own/lib")).unwrap();
        write_jar(&folder.path().join("other.jar"), &[]);
        let own = folder.path().join("own");
        write_jar(&own.join("lib/b.jar"), &[("com/B.class", "")]);
        write_jar(&own.join("lib/c.JAR"), &[]);
        fs::write(own.join("lib/notes.txt"), "").unwrap();
        fs::write(own.join("lib/broken.jar"), "PK").unwrap();
        // A manifest breaks lines after 72 bytes.
        let manifest = "Manifest-Version: 1.0\r\nClass-Path: lib/b.j\r\n ar a.jar missing.jar ../other.jar \
                        /etc/passwd\r\n";
        write_jar(&own.join("a.jar"), &[("META-INF/MANIFEST.MF", manifest)]);
        let at =
            |names: &[&str]| -> Vec<PathBuf> { names.iter().map(|name| own.join(name)).collect() };
        let list = |text: &str| text.replace("OWN", &own.display().to_string());
        assert_eq!(class_path(&list("OWN/a.jar")), at(&["a.jar", "lib/b.jar"]));
        assert_eq!(
            class_path(&list("OWN/lib:OWN/lib/*")),
            at(&["lib", "lib/b.jar", "lib/broken.jar", "lib/c.JAR"])
        );
        assert!(has_class(&list("OWN/a.jar"), "com.B"));
        assert!(!has_class(&list("OWN/a.jar:OWN/lib/broken.jar"), "com.C"));
    }
}
