//! Class paths of Java: lists of folders and jars, in which `DIR/*` names all jars of a folder.

use std::fs::File;
use std::path::Path;

use zip::ZipArchive;

use crate::input::entries;
use crate::paths::{LIST, folder_of_jars};

/// Returns whether a class path has a class, named as in `java.lang.String`.
pub fn has_class(list: &str, class: &str) -> bool {
    let file = format!("{}.class", class.replace('.', "/"));
    list.split(LIST).any(|entry| match folder_of_jars(entry) {
        Some(folder) => entries(folder).any(|jar| is_in_jar(&jar.path(), &file)),
        None => Path::new(entry).join(&file).is_file() || is_in_jar(Path::new(entry), &file),
    })
}

fn is_in_jar(jar: &Path, file: &str) -> bool {
    let end = jar.extension().unwrap_or_default();
    end.eq_ignore_ascii_case("jar")
        && File::open(jar).is_ok_and(|jar| {
            ZipArchive::new(jar).is_ok_and(|jar| jar.index_for_name(file).is_some())
        })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    #[test]
    fn a_class_is_found_in_folders_and_jars() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for place in ["classes/com", "lib"] {
            fs::create_dir_all(at(place)).unwrap();
        }
        fs::write(at("classes/com/A.class"), "").unwrap();
        let mut jar = ZipWriter::new(File::create(at("lib/b.JAR")).unwrap());
        jar.start_file("com/B.class", SimpleFileOptions::default())
            .unwrap();
        jar.write_all(b"").unwrap();
        jar.finish().unwrap();
        fs::copy(at("lib/b.JAR"), at("lib/b.txt")).unwrap();
        fs::write(at("lib/broken.jar"), "PK").unwrap();
        for (list, class, is_there) in [
            ("DIR/classes", "com.A", true),
            ("DIR/lib/b.JAR", "com.B", true),
            ("DIR/gone:DIR/classes:DIR/lib/*", "com.B", true),
            ("DIR/lib", "com.B", false),
            ("DIR/lib/b.txt", "com.B", false),
            ("DIR/classes:DIR/lib/*", "com.C", false),
        ] {
            let list = list
                .replace(':', LIST)
                .replace("DIR", &folder.path().display().to_string());
            assert_eq!(has_class(&list, class), is_there, "{list} {class}");
        }
    }
}
