use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;

use super::sources::{key, main_class};
use super::*;

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(ToString::to_string).collect()
}

#[test]
fn every_standard_language_can_be_filled_in() {
    let languages = standard();
    assert!(languages.len() >= 18, "{}", languages.len());
    let mut extensions: Vec<&String> = languages.values().flat_map(|language| &language.extensions).collect();
    let count = extensions.len();
    extensions.sort();
    extensions.dedup();
    assert_eq!(extensions.len(), count, "no two languages have one extension");
    for (name, language) in &languages {
        assert!(!language.run.is_empty() && !language.package.is_empty(), "{name}");
        assert!(language.needs("{source}"), "{name}");
        assert_eq!(language.compile.is_empty(), !language.needs("{out}") && !language.needs("{dir}"), "{name}");
        for word in language.compile.iter().chain(&language.run) {
            let known = ["{source}", "{stem}", "{dir}", "{out}", "{class}", "{shim}", "{types}"];
            let rest = known.iter().fold(word.clone(), |rest, placeholder| rest.replace(placeholder, ""));
            assert!(!rest.contains('{'), "{name}: {word}");
        }
    }
}

#[test]
fn the_main_class_is_found() {
    for (source, class) in [
        ("class Player { public static void main(String args[]) {} }", Some("Player")),
        (
            "import java.util.*;\nclass Grid { int x; }\nclass Player {\n  static class In {}\n  public static void main(String[] a) {} }",
            Some("Player"),
        ),
        (
            "package a.b; public final class Bot { void f() {} static public void main(String... a) {} } class Z {}",
            Some("a.b.Bot"),
        ),
        (
            "/* class Old { void main() {} } */ // class X\nclass New { String s = \"class Y { \\\" }\"; char c = '\"'; public static void main(String[] a) {} }",
            Some("New"),
        ),
        ("class Player { void run() {} }", None),
        ("", None),
        ("class \u{e9}t\u{e9} { static void main(String[] a) {} }", Some("\u{e9}t\u{e9}")),
        ("/* never ended", None),
        ("\"", None),
        ("} } void main", None),
    ] {
        assert_eq!(main_class(source).as_deref(), class, "{source}");
    }
}

#[test]
fn a_key_changes_with_whatever_is_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let (source, header) = (folder.path().join("bot.cpp"), folder.path().join("lib/grid.hpp"));
    fs::create_dir(folder.path().join("lib")).unwrap();
    fs::write(&source, "int main() {}").unwrap();
    fs::write(&header, "").unwrap();
    let language = standard()["cpp"].clone();
    let first = key(&source, &language).unwrap();
    fs::write(folder.path().join("notes.txt"), "of no matter").unwrap();
    assert_eq!(key(&source, &language).unwrap(), first);
    fs::write(&header, "int x;").unwrap();
    let second = key(&source, &language).unwrap();
    assert_ne!(second, first);
    let debug = Language { compile: words(&["g++", "-g", "{source}"]), ..language };
    assert_ne!(key(&source, &debug).unwrap(), second);
}

#[test]
fn a_script_with_an_interpreter_of_its_own_is_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, mode: u32, text: &str| {
        let path = folder.path().join(name);
        OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(mode)
            .open(&path)
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        path.display().to_string()
    };
    let languages = Languages::from([(
        "shell".to_owned(),
        Language {
            extensions: words(&["py", "sh"]),
            compile: Vec::new(),
            run: words(&["sh", "{source}"]),
            package: String::new(),
        },
    )]);
    let started =
        |path: &String| start(&languages, &[path.clone(), "--x".to_owned()]).unwrap().map(|start| start.command);
    let by_itself = script("a.py", 0o755, "#!/usr/bin/env python3\n");
    assert_eq!(started(&by_itself), None);
    for (name, mode, text) in [
        ("b.py", 0o644, "#!/usr/bin/env python3\n"),
        ("c.py", 0o755, "import sys\n"),
        ("d.py", 0o755, "#!/usr/bin/env python3\r\n"),
    ] {
        let path = script(name, mode, text);
        assert_eq!(started(&path), Some(words(&["sh", &path, "--x"])), "{name}");
    }
    assert_eq!(started(&"sh".to_owned()), None);
    let error = start(&languages, &words(&["missing/bot.py"])).unwrap_err().to_string();
    assert!(error.contains("there is no file `missing/bot.py`"), "{error}");
}

#[test]
fn a_missing_compiler_names_its_package() {
    let source = tempfile::Builder::new().suffix(".x").tempfile().unwrap();
    let language = Language {
        extensions: words(&["x"]),
        compile: words(&["no-such-compiler", "{source}"]),
        run: words(&["{out}"]),
        package: "x-compiler".to_owned(),
    };
    let languages = Languages::from([("x".to_owned(), language)]);
    let error = start(&languages, &[source.path().display().to_string()]).unwrap_err().to_string();
    assert!(error.contains("needs `no-such-compiler`: `apt install x-compiler`"), "{error}");
}
