use std::fs;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};

use super::text::main_class;
use super::*;
use crate::launch::fill;
use crate::limits::COMPILER_MEMORY;
use crate::sys::tests::assert_says;
use crate::{Mode, Supervision};

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(ToString::to_string).collect()
}

/// Does something with a compiler that isn't needed.
fn with_compiler<T>(act: impl FnOnce(&mut Compiler<'_>) -> T) -> T {
    let folder = PathBuf::new();
    let sandbox = Sandbox::new(Mode::Off, 0, Supervision::None, folder).unwrap();
    act(&mut Compiler {
        sandbox: &sandbox,
        run: &mut |_| unreachable!("nothing is compiled"),
    })
}

fn prepared(bot: &Launch) -> Ready {
    with_compiler(|compiler| ready(&standard(), bot, None, compiler).unwrap())
}

#[test]
fn every_standard_language_can_be_filled_in() {
    let on_windows = |installed: &str| on_windows(|program| program == installed).unwrap();
    for languages in [
        standard(),
        on_windows(""),
        on_windows("cl"),
        on_windows("csc"),
    ] {
        can_be_filled_in(&languages);
    }
}

fn can_be_filled_in(languages: &Languages) {
    assert!(languages.len() >= 18, "{}", languages.len());
    let mut extensions = BTreeSet::new();
    let names = NAMES.map(|name| (name.to_owned(), String::new()));
    let names = BTreeMap::from(names);
    for (name, language) in languages {
        for extension in &language.extensions {
            assert!(extensions.insert(extension), "two have .{extension}");
        }
        assert!(!language.run.is_empty(), "{name}");
        let needs = |name| language.needs(name);
        assert!(needs("source") || needs("stem"), "{name}");
        let needs_files = needs("out") || needs("dir");
        assert_eq!(!language.compile.is_empty(), needs_files, "{name}");
        for word in language.compile.iter().chain(&language.run) {
            assert!(!fill(word, &names).contains('{'), "{name}: {word}");
        }
    }
}

#[test]
fn a_language_of_windows_is_the_first_that_is_installed() {
    let python = |installed: &[&str]| {
        let known = on_windows(|program| installed.contains(&program.as_str())).unwrap();
        known["python"].run[0].clone()
    };
    assert_eq!(python(&[]), "py");
    assert_eq!(python(&["python"]), "python");
    assert_eq!(python(&["py", "python"]), "py");
}

/// A package of Debian would be no help there.
#[test]
fn each_language_of_windows_names_a_package_or_none() {
    let own: BTreeMap<String, Vec<toml::Table>> = toml::from_str(ON_WINDOWS).unwrap();
    for (name, ways) in own {
        let all_name_it = ways.iter().all(|table| table.contains_key("package"));
        assert!(!ways.is_empty() && all_name_it, "{name}");
    }
    assert!(standard().values().all(|known| !known.package.is_empty()));
}

#[test]
fn the_main_class_is_found() {
    for (source, class) in [
        (
            "class Player { public static void main(String args[]) {} }",
            Some("Player"),
        ),
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
        (
            "class \u{e9}t\u{e9} { static void main(String[] a) {} }",
            Some("\u{e9}t\u{e9}"),
        ),
        ("/* never ended", None),
        ("\"", None),
        ("} } void main", None),
    ] {
        assert_eq!(main_class(source).as_deref(), class, "{source}");
    }
}

/// A folder may hold links to itself.
#[test]
fn a_folder_without_end_is_not_listed() {
    let folder = folder(&[("bot.x", ""), ("a/b/c.x", "")]);
    let listed = |depth: usize| {
        let mut found = Vec::new();
        let are_all = text::list(folder.path(), depth, &mut found);
        (are_all, found.len())
    };
    assert_eq!([1, 2, 64].map(listed), [(false, 1), (true, 2), (true, 2)]);
    fs::create_dir(folder.path().join("loop")).unwrap();
    for link in ["loop/x", "loop/y"] {
        symlink(".", folder.path().join(link)).unwrap();
    }
    assert_eq!(listed(64), (false, 2));
}

/// Makes a folder with these files; the source is `bot.x`.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn parts_are_what_texts_name() {
    let folder = folder(&[
        (
            "bot.x",
            "use moves; data(\"weights.txt\"); pack.sub.eval; the rest of moves; bots",
        ),
        ("moves.x", "import deep.grid"),
        ("deep/grid.x", ""),
        ("weights.txt", "other.x: nothing is looked for in data"),
        ("pack/index.x", ""),
        ("pack/sub/eval.x", ""),
        ("other.x", "never named"),
        ("bot", "a program"),
        (
            "moves.log",
            "the name without its end is enough for sources only",
        ),
        ("results/plan.toml", "checksum = \"x\"\n"),
        ("results/moves.x", "what a run wrote is no part"),
    ]);
    let found = text::parts(&folder.path().join("bot.x"), folder.path(), &words(&["x"]));
    let expected = "bot.x deep/grid.x moves.x pack/index.x pack/sub/eval.x weights.txt";
    let expected = expected.split(' ').map(|name| folder.path().join(name));
    assert_eq!(found, expected.collect());
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
    let languages = language(&["py", "sh"], &[], &["sh", "{source}"]);
    let started = |path: &String| {
        let command = vec![path.clone(), "--x".to_owned()];
        let source = Source::of(&languages, &command).unwrap()?;
        let mut bot = Launch::new("bot", command.clone());
        with_compiler(|compiler| source.start(&mut bot, compiler).unwrap());
        Some(bot.command)
    };
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
    let error = why_not(&languages, "missing/bot.py");
    assert!(
        error.contains("there is no file `missing/bot.py`"),
        "{error}"
    );
}

#[test]
fn a_script_names_its_interpreter() {
    for (line, run) in [
        ("#!/bin/sh\n", "sh {source}"),
        ("#!/usr/bin/env -S deno run -A\r\n", "deno run -A {source}"),
        ("#! /usr/bin/env python3\n", "python3 {source}"),
        ("#!\n", ""),
        ("echo\n", ""),
    ] {
        let folder = folder(&[("bot", line)]);
        let found = source::language_of_script(&folder.path().join("bot"));
        let found = found.map(|(_, language)| language.run.join(" "));
        assert_eq!(found.unwrap_or_default(), run, "{line}");
    }
}

/// The only language of a config, which is called `mine`.
fn language(extensions: &[&str], compile: &[&str], run: &[&str]) -> Languages {
    let language = Language {
        extensions: words(extensions),
        compile: words(compile),
        run: words(run),
        compile_s: 300,
        package: "x-compiler".to_owned(),
    };
    Languages::from([("mine".to_owned(), language)])
}

/// Says why a command of one word can't be started.
fn why_not(languages: &Languages, command: &str) -> String {
    let found = find_start(languages, &words(&[command]));
    found.unwrap_err().to_string()
}

#[test]
fn the_page_names_the_limits_of_compilers() {
    assert_eq!(text::FILES, 10_000);
    assert_says(
        "reference/languages.md",
        [
            format!("| time | {} minutes, or `compile_s` |", compile_s() / 60),
            format!("| memory | {} GB together", COMPILER_MEMORY >> 30),
            format!("than 10,000 files or {} GB to read", folders::SIZE >> 30),
            format!("compiled for {} days", cache::MAX_AGE.as_secs() / 86_400),
            format!(
                "`{}` is {} unless you set it",
                compilation::GO.0,
                compilation::GO.1
            ),
        ],
    );
}

#[test]
fn a_missing_compiler_names_its_package() {
    let source = tempfile::Builder::new().suffix(".x").tempfile().unwrap();
    let languages = language(&["x"], &["no-such-compiler", "{source}"], &["{out}"]);
    let error = why_not(&languages, source.path().to_str().unwrap());
    let advice = "needs `no-such-compiler`: `apt install x-compiler`";
    assert!(error.contains(advice), "{error}");
}

#[test]
fn a_language_of_a_config_takes_files_from_the_known_ones() {
    let known = known(&language(&["cpp", "xyz"], &[], &["mine", "{source}"]));
    let name = |file: &str| Some(language_of(&known, Path::new(file))?.0.as_str());
    let names = ["a.cpp", "a.cc", "a.xyz", "a.q"].map(name);
    assert_eq!(names, [Some("mine"), Some("cpp"), Some("mine"), None]);
}

#[test]
fn lists_of_folders_are_read_and_nothing_else() {
    let folder = folder(&[("a/x", ""), ("b/x", ""), ("c/bot.py", "")]);
    let at = |name: &str| folder.path().join(name).display().to_string();
    // A command, what is in PYTHONPATH, and the folders that are opened.
    for (command, python, open) in [
        ("java -cp DIR/a:DIR/b Player", None, &["a", "b"][..]),
        ("/x/java -p DIR/a:DIR/b -m x", None, &["a", "b"]),
        ("java --module-path=DIR/a x", None, &["a"]),
        ("./bot -p DIR/a:DIR/b", None, &[]),
        ("python3 DIR/c/bot.py", Some(at("b")), &["b", "c"]),
        ("java -cp / Player", None, &[]),
    ] {
        let line = command.replace("DIR", &folder.path().display().to_string());
        let mut bot = Launch::new("bot", line.split(' '));
        bot.env.extend(python.map(|b| ("PYTHONPATH".to_owned(), b)));
        let found = named::readable(&standard(), &bot);
        let open: Vec<_> = open.iter().map(|name| folder.path().join(name)).collect();
        assert_eq!(found, open, "{command}");
    }
}

/// A worker opens only what is listed.
#[test]
fn the_folder_of_a_script_that_is_started_as_it_is_is_listed() {
    let folder = folder(&[("own/bot.py", "#!/usr/bin/env python3\nimport grid\n")]);
    let script = folder.path().join("own/bot.py");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let bot = Launch::new("bot", [script.to_str().unwrap()]);
    let ready = prepared(&bot);
    assert_eq!(ready.launch.command, bot.command);
    assert_eq!(ready.launch.read, [folder.path().join("own")]);
}

#[test]
fn the_folder_that_a_bot_starts_in_is_part_of_it() {
    let folder = folder(&[("own/book.txt", ""), ("own/deep/x", ""), ("rival/y", "")]);
    let own = folder.path().join("own");
    let bot = Launch {
        folder: Some(own.clone()),
        ..Launch::new("bot", ["cat"])
    };
    let ready = prepared(&bot);
    assert_eq!(ready.launch.folder, bot.folder);
    assert_eq!(ready.launch.read, [own.as_path()]);
    let files = ready.all_files().into_iter();
    let files: Vec<_> = files
        .filter(|file| file.starts_with(folder.path()))
        .collect();
    assert_eq!(files, [own.join("book.txt"), own.join("deep/x")]);
}

/// Workers are sent the files of a bot, so a link would send those of others.
#[test]
fn links_out_of_a_folder_are_no_files_of_a_bot() {
    let folder = folder(&[
        ("own/bot.py", "import part, secret, key"),
        ("own/part.py", ""),
        ("own/lib/x.py", ""),
        ("rival/secret.py", ""),
    ]);
    let at = |name: &str| folder.path().join(name);
    for (link, target) in [
        ("own/secret.py", "../rival/secret.py"),
        ("own/lib/secret.py", "../../rival/secret.py"),
        ("own/away", "../rival"),
        ("own/same.py", "part.py"),
    ] {
        symlink(target, at(link)).unwrap();
    }
    let command = ["bot.py", "secret.py", "away/secret.py", "same.py"]
        .map(|name| at("own").join(name).display().to_string());
    let mut bot = Launch::new("bot", [&["python3".to_owned()][..], &command].concat());
    let path = format!("{}:{}", at("own/lib").display(), at("own/away").display());
    bot.env.insert("PYTHONPATH".to_owned(), path);
    let files = |bot: &Launch| {
        let ready = prepared(bot);
        let files = ready.all_files().into_iter().flat_map(absolute);
        let own = files.filter_map(|file| Some(file.strip_prefix(at("own")).ok()?.to_owned()));
        let own: BTreeSet<String> = own.map(|file| file.display().to_string()).collect();
        let read = ready.launch.read.contains(&at("own/away"));
        (own, read, ready.warnings.len())
    };
    let (own, read, warnings) = files(&bot);
    let expected = ["bot.py", "lib/x.py", "part.py", "same.py"].map(str::to_owned);
    assert_eq!(own, BTreeSet::from(expected));
    assert!(!read);
    assert!(warnings >= 3);
    bot.read = vec![at("rival")];
    let (own, ..) = files(&bot);
    assert!(own.contains("secret.py"), "{own:?}");
}

#[test]
fn a_file_of_no_language_is_explained() {
    let files = ["bot.zig", "bot.dart", "bot.ex"].map(|name| (name, ""));
    let folder = folder(&files);
    for (name, _) in files {
        let (_, extension) = name.split_once('.').unwrap();
        let error = why_not(&standard(), folder.path().join(name).to_str().unwrap());
        let problem = format!("no language has the extension .{extension};");
        assert!(error.contains(&problem), "{error}");
    }
}
