//! A bot that fails is told what the sandbox refused to it, if that is why, whatever it says.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Output;
use std::sync::Mutex;
use std::thread;

use crate::programs::{self, closes_files, said};

/// Languages by the endings of their files: the program that must be there, and what runs a file.
const LANGUAGES: [(&str, &str, &str); 13] = [
    ("awk", "awk", "awk -f "),
    ("cpp", "g++", ""),
    ("hs", "ghc", ""),
    ("java", "javac", ""),
    ("js", "node", "node "),
    ("lua", "lua", "lua "),
    ("php", "php", "php "),
    ("pl", "perl", "perl "),
    ("py", "python3", ""),
    ("rb", "ruby", "ruby "),
    ("rs", "rustc", ""),
    ("sh", "bash", "bash "),
    ("tcl", "tclsh", "tclsh "),
];

/// No word about the sandbox.
const NONE: &str = "";
/// Read the closed file.
const READ: &str = "; if you trust this bot, add --read CLOSED (in a config, `read = [\"CLOSED\"]`";
const WRITE: &str = "a bot may write only below HOME and TMPDIR, which are new in each game";
const SHARED: &str = "the sandbox refuses shared memory and semaphores between processes";
const NETWORK: &str = "the sandbox refuses the network";
const MODE: &str = "the sandbox refuses changes to mode";
const OTHER: &str = "writes below HOME and TMPDIR (docs/explanation/sandbox.md)";

/// The language of a bot that fails, the bot, and what the hint says. `CLOSED` is a closed file.
const BOTS: &[(&str, &str, &str)] = &[
    // Words that quote paths and errors, without a refusal.
    ("py", "input()\nw = []\nprint(sum(w) / len(w))", NONE),
    ("py", "raise SystemExit('CLOSED: Permission denied')", NONE),
    (
        "py",
        "raise PermissionError(13, 'Permission denied', 'CLOSED')",
        NONE,
    ),
    (
        "py",
        "raise RuntimeError('https://example.com/a // b needs a newer /usr/lib')",
        NONE,
    ),
    ("py", "raise ValueError(__file__)", NONE),
    ("py", "open('nowhere/weights.txt')", NONE),
    ("py", "import nowhere", NONE),
    ("js", "let o; console.log(o.x); // boom", NONE),
    (
        "js",
        "console.error(\"EACCES: permission denied, open 'CLOSED'\"); process.exit(1)",
        NONE,
    ),
    ("js", "require('fs').readFileSync('/nowhere/a')", NONE),
    ("pl", "die 'illegal division a / b';", NONE),
    ("pl", "die 'CLOSED: Operation not permitted';", NONE),
    ("pl", "open(my $f, '<', 'nowhere') or die \"/ $!\";", NONE),
    (
        "sh",
        "echo 'cat: CLOSED: Permission denied' >&2; exit 1",
        NONE,
    ),
    ("sh", "\"./$0\" || exit 1", NONE),
    ("sh", "echo $((1 / 0)); exit 1 # // CLOSED", NONE),
    ("tcl", "error {a / b: permission denied CLOSED}", NONE),
    (
        "awk",
        "BEGIN { print \"/ by 0, CLOSED: EPERM\" > \"/dev/stderr\"; exit 1 }",
        NONE,
    ),
    ("rb", "raise 'CLOSED: Permission denied / 0'", NONE),
    ("lua", "error('CLOSED: Permission denied')", NONE),
    (
        "php",
        "<?php throw new Exception('CLOSED: Permission denied');",
        NONE,
    ),
    ("hs", "main = error \"/ CLOSED: Permission denied\"", NONE),
    (
        "java",
        "class Main { public static void main(String[] a) { System.out.println(1 / a.length); } } // x",
        NONE,
    ),
    (
        "cpp",
        "#include <vector>\nint main() { std::vector<int> v; return v.at(3) / 2; } // Permission denied",
        NONE,
    ),
    (
        "cpp",
        "#include <cstdio>\nint main() { fputs(\"CLOSED: Permission denied\\n\", stderr); return 1; }",
        NONE,
    ),
    ("rs", "fn main() { panic!(\"/ // CLOSED\") }", NONE),
    // Refusals that a bot survives before it fails.
    (
        "py",
        "try: open('bot.log', 'w')\nexcept OSError: pass\n1 / 0",
        NONE,
    ),
    (
        "py",
        "import sys\ntry: open('CLOSED')\nexcept OSError as e: print(e, file=sys.stderr)\ninput()\nsys.exit(3)",
        NONE,
    ),
    (
        "js",
        "try { require('fs').writeFileSync('bot.log', '') } catch (e) {} throw new Error('a / b')",
        NONE,
    ),
    ("sh", "mkdir data; read -r line; exit 1", NONE),
    // A closed file.
    ("py", "open('CLOSED')", READ),
    (
        "py",
        "try: open('CLOSED')\nexcept OSError as e: raise SystemExit(f'{e} // see https://x/y')",
        READ,
    ),
    (
        "py",
        "try: open('CLOSED')\nexcept OSError: raise SystemExit('no weights')",
        READ,
    ),
    (
        "py",
        "try: open('CLOSED')\nexcept OSError as e: raise ValueError('weights') from e",
        READ,
    ),
    (
        "py",
        "_input, count = input, []\ndef input():\n    count.append(0)\n    if len(count) > 30: open('CLOSED')\n    return _input()\nSTARTER",
        READ,
    ),
    ("js", "require('fs').readFileSync('CLOSED')", READ),
    ("pl", "open(my $f, '<', 'CLOSED') or die $!;", READ),
    ("sh", "cat CLOSED >/dev/null || exit 1", READ),
    ("sh", "exec CLOSED", READ),
    ("tcl", "open CLOSED", READ),
    (
        "awk",
        "BEGIN { if ((getline line < \"CLOSED\") < 0) exit 1 }",
        READ,
    ),
    ("rb", "File.read('CLOSED')", READ),
    ("lua", "assert(io.open('CLOSED'))", READ),
    ("php", "<?php fopen('CLOSED', 'r') or exit(1);", READ),
    ("hs", "main = readFile \"CLOSED\" >>= putStr", READ),
    (
        "java",
        "class Main { public static void main(String[] a) throws Exception { new java.io.FileReader(\"CLOSED\"); } }",
        READ,
    ),
    (
        "cpp",
        "#include <fstream>\nint main() { return std::ifstream(\"CLOSED\") ? 0 : 1; }",
        READ,
    ),
    (
        "rs",
        "fn main() { std::fs::read(\"CLOSED\").unwrap(); }",
        READ,
    ),
    // What opens too much is no advice.
    ("py", "import os\nos.listdir('HOME')", OTHER),
    // A write.
    (
        "py",
        "import logging\nlogging.basicConfig(filename='bot.log')",
        WRITE,
    ),
    ("py", "open('notes', 'a')", WRITE),
    ("py", "import os\nos.remove('notes')", WRITE),
    ("py", "import os\nos.makedirs('data/x')", WRITE),
    ("js", "require('fs').appendFileSync('bot.log', 'x')", WRITE),
    ("pl", "open(my $f, '>', 'bot.log') or die $!;", WRITE),
    ("pl", "rename 'notes', 'older' or die $!;", WRITE),
    ("sh", "echo x >bot.log || exit 1", WRITE),
    ("sh", "mkdir data || exit 1", WRITE),
    ("tcl", "open bot.log w", WRITE),
    (
        "java",
        "class Main { public static void main(String[] a) throws Exception { new java.io.FileWriter(\"bot.log\"); } }",
        WRITE,
    ),
    (
        "cpp",
        "#include <cstdio>\nint main() { fputs(\"x\", fopen(\"bot.log\", \"w\")); }",
        WRITE,
    ),
    // Other calls.
    ("py", "import multiprocessing as mp\nmp.Lock()", SHARED),
    ("py", "import multiprocessing as mp\nmp.Pool(2)", SHARED),
    (
        "py",
        "from multiprocessing import shared_memory as s\ns.SharedMemory(create=True, size=64)",
        SHARED,
    ),
    ("py", "import os\nos.memfd_create('x')", SHARED),
    ("py", "import socket\nsocket.socket()", NETWORK),
    (
        "py",
        "import urllib.request as u\nu.urlopen('http://example.com/weights')",
        NETWORK,
    ),
    (
        "js",
        "fetch('http://example.com/').then(console.log)",
        NETWORK,
    ),
    ("js", "require('net').connect(80, '127.0.0.1')", NETWORK),
    (
        "pl",
        "use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0) or exit 1;",
        NETWORK,
    ),
    ("py", "import os\nos.chmod(__file__, 0o600)", MODE),
    ("js", "require('fs').chmodSync(__filename, 0o600)", MODE),
    // A launcher that looks into the home folder of the user.
    (
        "sh",
        "cat ~/.rustup/settings.toml 2>/dev/null || { echo 'rustup has no default' >&2; exit 1; }",
        "doesn't see ~/.rustup: name the program itself",
    ),
    (
        "sh",
        "cat ~/.config/uv/uv.toml 2>/dev/null || { echo 'no settings of uv' >&2; exit 1; }",
        "doesn't see ~/.config/uv: ",
    ),
    (
        "sh",
        "cat ~/.rustup/settings.toml 2>/dev/null; echo 'a / b' >&2; exit 1",
        NONE,
    ),
];

/// A start folder, a closed file beside it, and the home folder above both.
struct Ground(tempfile::TempDir);

impl Ground {
    fn new() -> Ground {
        let ground = Ground(tempfile::tempdir().unwrap());
        for (file, text) in [
            ("data/weights.txt", "1"),
            ("start/notes", ""),
            (".rustup/settings.toml", ""),
            (".config/uv/uv.toml", ""),
        ] {
            ground.write(file, text);
        }
        fs::set_permissions(ground.at("data/weights.txt"), Permissions::from_mode(0o755)).unwrap();
        ground
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    /// Puts the real paths in their places.
    fn filled(&self, text: &str) -> String {
        text.replace("CLOSED", &self.at("data/weights.txt").display().to_string())
            .replace("STARTER", include_str!("../../starters/onitama/bot.py"))
            .replace("'HOME'", &format!("{:?}", self.at("").display()))
    }

    fn arena(&self, args: &[&str]) -> Output {
        programs::command(&self.at("start"), args)
            .env("HOME", self.at(""))
            .env("XDG_CACHE_HOME", self.at("cache"))
            .output()
            .unwrap()
    }
}

fn is_installed(program: &str) -> bool {
    std::env::split_paths(&programs::search_path()).any(|folder| folder.join(program).exists())
}

/// Returns what is wrong with the hint to a bot, if anything.
fn wrong(
    ground: &Ground,
    number: usize,
    (ending, bot, hint): (&str, &str, &str),
) -> Option<String> {
    let (_, needed, run) = *LANGUAGES
        .iter()
        .find(|(known, ..)| *known == ending)
        .unwrap();
    if !is_installed(needed) {
        eprintln!("not tried, because there is no {needed}");
        return None;
    }
    // Java wants a file with the name of its class, and each bot reads its whole folder.
    let file = match ending {
        "java" => format!("bots/{number}/Main.java"),
        _ => format!("bots/{number}/bot.{ending}"),
    };
    ground.write(&format!("start/{file}"), &(ground.filled(bot) + "\n"));
    let run = format!("{run}{file}");
    let mut outputs = Vec::new();
    let out = format!("out/{number}");
    outputs.push(ground.arena(&["check", "onitama", &run, "--seeds", "1", "--out", &out]));
    if number.is_multiple_of(7) && !bot.contains("STARTER") {
        let rival = "arena bot onitama-random";
        outputs.push(ground.arena(&["duel", "onitama", &run, rival, "--games", "2"]));
    }
    let is_right = |said: &str| match hint {
        NONE => !said.contains("sandbox") && !said.contains("--read"),
        hint => said.contains(&ground.filled(hint)) && (hint == READ || !said.contains("--read")),
    };
    let said = outputs.iter().map(said).find(|said| {
        !is_right(said) || said.contains("ready to play\n") && !said.contains("not ready")
    })?;
    Some(format!("{run}: {bot}\nexpected: {hint:?}\n{said}"))
}

#[test]
fn a_hint_is_about_what_was_refused() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    let left = Mutex::new(BOTS.iter().copied().enumerate());
    let all_wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some((number, bot)) = next else { return };
                    all_wrong
                        .lock()
                        .unwrap()
                        .extend(wrong(&ground, number, bot));
                }
            });
        }
    });
    let all_wrong = all_wrong.into_inner().unwrap();
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n----\n"));
}

/// Bots that lock files, read a database, or are links: they play.
#[test]
fn what_a_bot_may_do_needs_no_hint() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    let bot = include_str!("../../starters/onitama/bot.py");
    let own = "import os\nown = os.path.dirname(os.path.realpath(__file__))\n";
    let make = "import sqlite3\nd = sqlite3.connect('book.db')\nd.execute('create table t (a)')\nd.commit()\n";
    let status = std::process::Command::new("python3")
        .args(["-c", make])
        .current_dir(ground.at("start"))
        .status();
    assert!(status.unwrap().success());
    for (number, begin) in [
        "import sqlite3\nsqlite3.connect(own + '/book.db').execute('select a from t')\n",
        "import sqlite3\nd = sqlite3.connect(os.environ['HOME'] + '/x')\nd.execute('create table t (a)')\nd.commit()\n",
        "import fcntl\nfcntl.flock(open(__file__), fcntl.LOCK_SH)\n",
        "import fcntl\nfcntl.flock(open(__file__), fcntl.LOCK_EX)\n",
        "import fcntl\nfcntl.lockf(open(os.environ['TMPDIR'] + '/x', 'w'), fcntl.LOCK_EX)\n",
    ]
    .into_iter()
    .enumerate()
    {
        let file = format!("{number}.py");
        ground.write(&format!("start/{file}"), &format!("{own}{begin}{bot}"));
        let out = ground.arena(&["check", "onitama", &file, "--seeds", "1"]);
        assert!(out.status.success(), "{begin}: {}", said(&out));
    }
}

#[test]
fn a_bot_that_is_a_link_plays() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    let bot = include_str!("../../starters/onitama/bot.py");
    ground.write("builds/v17/bot.py", bot);
    let script = format!("#!/usr/bin/env python3\n{bot}");
    programs::write_program(&ground.at("builds/v17/bot"), &script);
    fs::create_dir_all(ground.at("start/bots")).unwrap();
    let link = |target: &str, link: &str| symlink(ground.at(target), ground.at(link)).unwrap();
    link("builds/v17/bot", "start/bots/current");
    link("builds/v17/bot.py", "start/bots/current.py");
    link("builds/v17", "start/bots/latest");
    for bot in [
        "bots/current",
        "bots/current.py",
        "python3 bots/current.py",
        "bots/latest/bot",
        "bots/latest/bot.py",
    ] {
        let out = ground.arena(&["check", "onitama", bot, "--seeds", "1"]);
        assert!(out.status.success(), "{bot}: {}", said(&out));
    }
}
