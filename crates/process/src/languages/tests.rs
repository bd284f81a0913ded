use std::fs;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};

use super::text::main_class;
use super::*;
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
    let languages = standard();
    assert!(languages.len() >= 18, "{}", languages.len());
    let mut extensions: Vec<&String> = languages
        .values()
        .flat_map(|language| &language.extensions)
        .collect();
    let count = extensions.len();
    extensions.sort();
    extensions.dedup();
    assert_eq!(
        extensions.len(),
        count,
        "no two languages have one extension"
    );
    for (name, language) in &languages {
        assert!(
            !language.run.is_empty() && !language.package.is_empty(),
            "{name}"
        );
        let names_source = language.needs("source") || language.needs("stem");
        assert!(names_source, "{name}");
        assert_eq!(
            language.compile.is_empty(),
            !language.needs("out") && !language.needs("dir"),
            "{name}"
        );
        for word in language.compile.iter().chain(&language.run) {
            let rest = NAMES.iter().fold(word.clone(), |rest, name| {
                rest.replace(&format!("{{{name}}}"), "")
            });
            assert!(!rest.contains('{'), "{name}: {word}");
        }
    }
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
    let found = text::parts(&folder.path().join("bot.x"), &words(&["x"]));
    let names = found.iter().map(|path| {
        path.strip_prefix(folder.path())
            .unwrap()
            .display()
            .to_string()
    });
    let expected = [
        "bot.x",
        "deep/grid.x",
        "moves.x",
        "pack/index.x",
        "pack/sub/eval.x",
        "weights.txt",
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected);
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
            compile_s: 300,
            package: String::new(),
        },
    )]);
    let started = |path: &String| {
        let command = vec![path.clone(), "--x".to_owned()];
        let source = Source::of(&languages, &command).unwrap()?;
        let mut bot = Launch {
            name: "bot".into(),
            command: command.clone(),
            env: BTreeMap::new(),
            read: Vec::new(),
        };
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
    let error = find_start(&languages, &words(&["missing/bot.py"]))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("there is no file `missing/bot.py`"),
        "{error}"
    );
}

#[test]
fn the_page_says_how_long_a_compilation_may_take() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/languages.md");
    let row = format!("| time | {} minutes, or `compile_s` |", compile_s() / 60);
    assert!(fs::read_to_string(page).unwrap().contains(&row));
}

#[test]
fn a_missing_compiler_names_its_package() {
    let source = tempfile::Builder::new().suffix(".x").tempfile().unwrap();
    let language = Language {
        extensions: words(&["x"]),
        compile: words(&["no-such-compiler", "{source}"]),
        run: words(&["{out}"]),
        compile_s: 300,
        package: "x-compiler".to_owned(),
    };
    let languages = Languages::from([("x".to_owned(), language)]);
    let error = find_start(&languages, &[source.path().display().to_string()])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("needs `no-such-compiler`: `apt install x-compiler`"),
        "{error}"
    );
}

#[test]
fn a_language_of_a_config_takes_files_from_the_known_ones() {
    let mine = Language {
        extensions: words(&["cpp", "xyz"]),
        compile: Vec::new(),
        run: words(&["mine", "{source}"]),
        compile_s: 300,
        package: String::new(),
    };
    let known = known(&Languages::from([("zz".to_owned(), mine)]));
    let name = |file: &str| language_of(&known, Path::new(file)).map(|(name, _)| name);
    assert_eq!(
        [name("a.cpp"), name("a.cc"), name("a.xyz"), name("a.q")],
        [Some("zz"), Some("cpp"), Some("zz"), None]
    );
}

#[test]
fn lists_of_folders_are_read_and_nothing_else() {
    let folder = folder(&[("a/x", ""), ("b/x", ""), ("c/bot.py", "")]);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let named = |command: &[&str], env: &[(&str, &str)]| {
        let env = env
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let bot = Launch {
            name: "bot".into(),
            command: words(command),
            env,
            read: Vec::new(),
        };
        named::readable(&standard(), &bot)
            .iter()
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>()
    };
    let both = format!("{}:{}", at("a"), at("b"));
    assert_eq!(
        named(&["java", "-cp", &both, "Player"], &[]),
        [at("a"), at("b")]
    );
    assert_eq!(
        named(&["/x/java", "-p", &both, "-m", "x"], &[]),
        [at("a"), at("b")]
    );
    assert_eq!(
        named(&["java", &format!("--module-path={}", at("a")), "x"], &[]),
        [at("a")]
    );
    assert_eq!(named(&["./bot", "-p", &both], &[]), Vec::<String>::new());
    assert_eq!(
        named(&["python3", &at("c/bot.py")], &[("PYTHONPATH", &at("b"))]),
        [at("b"), at("c")]
    );
    assert_eq!(
        named(&["java", "-cp", "/", "Player"], &[]),
        Vec::<String>::new()
    );
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
        let path = folder.path().join(name).display().to_string();
        let error = find_start(&standard(), &[path]).unwrap_err().to_string();
        assert!(
            error.contains(&format!("no language has the extension .{extension};")),
            "{error}"
        );
    }
}
