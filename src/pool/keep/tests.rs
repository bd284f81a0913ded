use std::fs::File;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

/// A folder of a user with a pool in it, and the file `notes.txt`, which no bot needs.
struct Place(TempDir);

impl Place {
    /// Makes the folder with these files. A name ends in `*` if the file is executable.
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.write("pool/pool.toml", "");
        place.write("pool/bots/old/grid.py", "the part of another bot");
        place.write("results/plan.toml", arena_process::PLAN_BEGIN);
        place.write("notes.txt", "");
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn folder(&self) -> String {
        self.0.path().canonicalize().unwrap().display().to_string()
    }

    fn at(&self, name: &str) -> PathBuf {
        Path::new(&self.folder()).join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name.trim_end_matches('*'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let mode = if name.ends_with('*') { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn keep(&self, name: &str, command: &str) -> Result<Kept, KeepError> {
        let command = command.replace("DIR", &self.folder());
        let mut words = shlex::split(&command).unwrap();
        let mut bot = Launch::new(name, [""; 0]);
        while let Some((name, value)) = words[0].split_once('=') {
            match name {
                "READ" => bot.read.push(value.into()),
                name => drop(bot.env.insert(name.to_owned(), value.to_owned())),
            }
            words.remove(0);
        }
        bot.command = words;
        copy(&languages::standard(), &bot, &self.at(""), &self.at("pool"))
    }

    /// The files of a folder below the pool, with a `*` after executable ones.
    fn files(&self, folder: &str) -> String {
        let folder = self.at("pool").join(folder);
        let mut files = BTreeSet::new();
        list(&folder, &|_| false, &mut files).unwrap();
        let shown = |file: &PathBuf| {
            let mode = fs::metadata(file).unwrap().permissions().mode();
            let mark = if mode & 0o111 == 0 { "" } else { "*" };
            format!("{}{mark}", file.strip_prefix(&folder).unwrap().display())
        };
        files.iter().map(shown).collect::<Vec<_>>().join(" ")
    }
}

/// A bot as one line: its variables, what it may read, and its command.
fn shown(bot: &Launch) -> String {
    let env = bot
        .env
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let read = bot
        .read
        .iter()
        .map(|path| format!("READ={}", path.display()));
    let words = env.chain(read).chain(bot.command.iter().cloned());
    words.collect::<Vec<_>>().join(" ")
}

const FILES: &[(&str, &str)] = &[
    ("bot.py", "import grid\nfrom lib import search"),
    ("grid.py", "import deep"),
    ("lib/search.py", "open('weights.txt')"),
    ("lib/weights.txt", "1"),
    ("lib/deep.py", ""),
    ("lib/unused.py", ""),
    ("cpp/bot.cpp", "#include \"grid.h\""),
    ("cpp/grid.h", "#include \"sub/cell.hpp\""),
    ("cpp/sub/cell.hpp", ""),
    (
        "java/com/me/Player.java",
        "package com.me; class Player { Grid g; com.me.ai.Mind m; void main() {} }",
    ),
    ("java/com/me/Grid.java", ""),
    ("java/com/me/ai/Mind.java", ""),
    ("out/bot.jar", "jar"),
    ("out/lib/a.jar", "a"),
    ("data/b.txt", "book"),
    ("target/release/bot*", "program"),
    ("project/Cargo.toml", ""),
    ("project/src/main.rs", ""),
    ("project/src/grid.rs", ""),
    ("project/target/debug/large", ""),
    ("project/.git/HEAD", ""),
    ("folder/Player.py", ""),
    ("folder/__pycache__/x.pyc", ""),
    ("folder/node_modules/x/index.js", ""),
    ("folder/runs/x/plan.toml", "checksum = \""),
    ("folder/pool/pool.toml", ""),
    ("folder/pool/bots/x.py", ""),
    ("empty/readme.md", ""),
    ("two/bot.py", ""),
    ("two/main.cpp", ""),
];

#[test]
fn a_bot_is_copied_with_what_it_needs() {
    for (command, kept, files) in [
        (
            "bot.py",
            "bots/v/bot.py",
            "bot.py grid.py lib/deep.py lib/search.py lib/weights.txt",
        ),
        (
            "python3 lib/search.py",
            "python3 bots/v/search.py",
            "search.py weights.txt",
        ),
        (
            "./cpp/../cpp/bot.cpp 4",
            "bots/v/bot.cpp 4",
            "bot.cpp grid.h sub/cell.hpp",
        ),
        (
            "java/com/me/Player.java",
            "bots/v/com/me/Player.java",
            "com/me/Grid.java com/me/Player.java com/me/ai/Mind.java",
        ),
        (
            "java -cp 'out/bot.jar:out/lib/*:gone.jar' com.me.Player",
            "java -cp bots/v/bot.jar:bots/v/lib/*:gone.jar com.me.Player",
            "bot.jar lib/a.jar",
        ),
        (
            "target/release/bot --book=data/b.txt --depth=4 -o /usr/bin/env",
            "bots/v/target/release/bot --book=bots/v/data/b.txt --depth=4 -o /usr/bin/env",
            "data/b.txt target/release/bot*",
        ),
        ("DIR/target/release/bot", "bots/v/bot", "bot*"),
        (
            "PYTHONPATH=lib READ=data READ=/usr/lib python3 grid.py",
            "PYTHONPATH=bots/v/lib READ=bots/v/data READ=/usr/lib python3 bots/v/grid.py",
            "data/b.txt grid.py lib/deep.py lib/search.py lib/unused.py lib/weights.txt",
        ),
        (
            "project",
            "bots/v/src/main.rs",
            "Cargo.toml src/grid.rs src/main.rs",
        ),
        (
            "folder/ x",
            "bots/v/Player.py x",
            "Player.py node_modules/x/index.js",
        ),
    ] {
        let place = Place::new(FILES);
        let Kept { launch, digest: is } = place.keep("v", command).unwrap();
        assert_eq!(
            (shown(&launch), place.files("bots/v")),
            (kept.to_owned(), files.to_owned())
        );
        assert_eq!(
            launch.folder.as_deref(),
            Some(Path::new("bots/v")),
            "{command}"
        );
        assert_eq!(digest(&launch, &place.at("pool")).unwrap(), is, "{command}");
        assert!(!place.at("pool").join(HALF).exists(), "{command}");
    }
}

#[test]
fn what_is_only_named_is_not_copied() {
    let place = Place::new(&[("onitama-search", ""), ("cat", "")]);
    symlink("/usr", place.at("venv")).unwrap();
    for (command, kept) in [
        ("arena bot onitama-search", "arena bot onitama-search"),
        ("cat x", "cat x"),
        ("/usr/bin/env gone", "/usr/bin/env gone"),
        ("venv/bin/env", "DIR/venv/bin/env"),
    ] {
        let kept_bot = place.keep("v", command).unwrap();
        let kept = kept.replace("DIR", &place.folder());
        assert_eq!(shown(&kept_bot.launch), kept);
        assert_eq!(kept_bot.launch.folder, None);
        assert!(!place.at("pool/bots/v").exists(), "{command}");
    }
}

#[test]
fn a_digest_is_that_of_the_bot_alone() {
    let bot = [
        ("a/bot.py", "import grid"),
        ("a/grid.py", "1"),
        ("a/book*", ""),
    ];
    let of = |files: &[(&str, &str)], name: &str, command: &str| {
        Place::new(files).keep(name, command).unwrap().digest
    };
    let first = of(&bot, "v1", "python3 a/bot.py --book=a/book");
    let moved = bot.map(|(name, text)| (name.strip_prefix("a/").unwrap(), text));
    assert_eq!(of(&moved, "v2", "python3 bot.py --book=book"), first);
    for (files, command) in [
        (
            [bot[0], ("a/grid.py", "2"), bot[2]],
            "python3 a/bot.py --book=a/book",
        ),
        (
            [bot[0], bot[1], ("a/book", "")],
            "python3 a/bot.py --book=a/book",
        ),
        (bot, "python3 a/bot.py --book=a/book 1"),
        (bot, "A=1 python3 a/bot.py --book=a/book"),
    ] {
        assert_ne!(of(&files, "v1", command), first, "{command}");
    }
}

#[test]
fn a_changed_copy_is_found_and_a_changed_original_is_not() {
    let place = Place::new(FILES);
    let Kept { launch, digest: is } = place.keep("v", "bot.py").unwrap();
    let now = || digest(&launch, &place.at("pool")).unwrap();
    fs::remove_dir_all(place.at("lib")).unwrap();
    place.write("bot.py", "import other");
    place.write("pool/bots/v/__pycache__/grid.pyc", "");
    assert_eq!(now(), is);
    for (file, text) in [
        ("bot.py", "import grid"),
        ("new", ""),
        ("lib/weights.txt", "2"),
    ] {
        let file = format!("pool/bots/v/{file}");
        let before = fs::read_to_string(place.at(&file)).ok();
        place.write(&file, text);
        assert_ne!(now(), is, "{file}");
        match before {
            Some(before) => place.write(&file, &before),
            None => fs::remove_file(place.at(&file)).unwrap(),
        }
        assert_eq!(now(), is, "{file}");
    }
}

#[test]
fn nothing_is_left_of_a_bot_that_cannot_be_kept() {
    let place = Place::new(FILES);
    let size = (MOST_MB << 20) - 3;
    File::create(place.at("out/lib/large"))
        .unwrap()
        .set_len(size)
        .unwrap();
    symlink("../notes.txt", place.at("lib/link.py")).unwrap();
    symlink("../../notes.txt", place.at("folder/node_modules/link")).unwrap();
    symlink("../data", place.at("empty/data")).unwrap();
    symlink("bot.py", place.at("two/same.py")).unwrap();
    symlink("gone", place.at("data/gone")).unwrap();
    fs::create_dir(place.at("out/fifo")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.at("out/fifo/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    for (command, why) in [
        (
            "./bot.py .",
            "`DIR` contains the pool or your current folder: name a smaller folder",
        ),
        ("./bot.py pool", "`DIR/pool` contains the pool or"),
        (
            "empty",
            "`DIR/empty/data` is a link to a folder, or to a file outside the bot's folder: replace it by a copy",
        ),
        (
            "two",
            "`DIR/two` is a folder, and arena can't tell which file is the bot: name that file",
        ),
        (
            "data",
            "`DIR/data` is a folder, and arena can't tell which file is the bot: name that file",
        ),
        ("python3 lib/link.py", "`DIR/lib/link.py` is a link"),
        ("folder", "`DIR/folder/node_modules/link` is a link"),
        (
            "READ=out/lib READ=out/bot.jar python3 grid.py",
            "it is 201 MB, and the limit is 200 MB; the largest files: \
             `DIR/out/lib/large` (200 MB), `DIR/grid.py` (1 MB), `DIR/out/bot.jar` (1 MB)",
        ),
        ("READ=data python3 grid.py", "can't read DIR/data/gone"),
        (
            "READ=out/fifo python3 grid.py",
            "can't read DIR/out/fifo/pipe",
        ),
    ] {
        let error = place.keep("v", command).unwrap_err().to_string();
        let why = why.replace("DIR", &place.folder());
        assert!(error.starts_with(&why), "{command}: {error}");
        assert_eq!(place.files("bots"), "old/grid.py", "{command}");
        assert_eq!(place.files(""), "bots/old/grid.py pool.toml", "{command}");
    }
    // A killed arena may have left a folder of this name.
    place.keep("old", "two/bot.py").unwrap();
    // A link within the folder is followed, and what a killed arena has left is no part of the bot.
    place.write("pool/.half/x", "");
    place.keep("v", "two/same.py").unwrap();
    assert_eq!(place.files("bots"), "old/bot.py v/same.py");
    // The copy can't get its name.
    let bots = place.at("pool/bots");
    fs::remove_dir_all(&bots).unwrap();
    fs::write(&bots, "").unwrap();
    assert!(place.keep("v", "bot.py").is_err());
    assert_eq!(place.files(""), "bots pool.toml");
}
