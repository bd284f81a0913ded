//! A bot that fails is told what the sandbox refused to it, if that is why, whatever it says.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;

use crate::programs::{
    Folder, Said as _, closes_files, command, new_folder, said, search_path, table, write,
    write_program,
};

/// Languages by the endings of their files: the program that must be there, and what runs a file.
const LANGUAGES: &str = "
    awk | awk | awk -f
    cpp | g++ | -
    hs | ghc | -
    java | javac | -
    js | node | node
    lua | lua | lua
    php | php | php
    pl | perl | perl
    py | python3 | -
    rb | ruby | ruby
    rs | rustc | -
    sh | bash | bash
    tcl | tclsh | tclsh
";

const STARTER: &str = include_str!("../../starters/onitama/bot.py");

/// No word about the sandbox.
const NONE: &str = "";
/// Read the closed file.
const READ: &str = "; if you trust this bot, add --read CLOSED (in a config, `read = [\"CLOSED\"]`";
const WRITE: &str = "a bot may write only below HOME and TMPDIR, which are new in each game";
const SHARED: &str = "the sandbox refuses shared memory and semaphores between processes";
const NETWORK: &str = "the sandbox refuses the network";
const MODE: &str = "the sandbox refuses changes to mode";
const OTHER: &str = "writes below HOME and TMPDIR (docs/explanation/sandbox.md)";

/// What the hint says about bots that fail, and the bots, each with its language. `⏎` ends a line
/// of a bot, and `CLOSED` is a closed file.
const BOTS: &[(&str, &str)] = &[
    // Words that quote paths and errors, without a refusal.
    (
        NONE,
        r#"
        py | input()⏎w = []⏎print(sum(w) / len(w))
        py | raise SystemExit('CLOSED: Permission denied')
        py | raise PermissionError(13, 'Permission denied', 'CLOSED')
        py | raise RuntimeError('https://example.com/a // b needs a newer /usr/lib')
        py | raise ValueError(__file__)
        py | open('nowhere/weights.txt')
        py | import nowhere
        js | let o; console.log(o.x); // boom
        js | console.error("EACCES: permission denied, open 'CLOSED'"); process.exit(1)
        js | require('fs').readFileSync('/nowhere/a')
        pl | die 'illegal division a / b';
        pl | die 'CLOSED: Operation not permitted';
        pl | open(my $f, '<', 'nowhere') or die "/ $!";
        sh | echo 'cat: CLOSED: Permission denied' >&2; exit 1
        sh | "./$0" || exit 1
        sh | echo $((1 / 0)); exit 1 # // CLOSED
        tcl | error {a / b: permission denied CLOSED}
        awk | BEGIN { print "/ by 0, CLOSED: EPERM" > "/dev/stderr"; exit 1 }
        rb | raise 'CLOSED: Permission denied / 0'
        lua | error('CLOSED: Permission denied')
        php | <?php throw new Exception('CLOSED: Permission denied');
        hs | main = error "/ CLOSED: Permission denied"
        java | class Main { public static void main(String[] a) { System.out.println(1 / a.length); } } // x
        cpp | #include <vector>⏎int main() { std::vector<int> v; return v.at(3) / 2; } // Permission denied
        cpp | #include <cstdio>⏎int main() { fputs("CLOSED: Permission denied\n", stderr); return 1; }
        rs | fn main() { panic!("/ // CLOSED") }
    "#,
    ),
    // Refusals that a bot survives before it fails.
    (
        NONE,
        "
        py | try: open('bot.log', 'w')⏎except OSError: pass⏎1 / 0
        py | import sys⏎try: open('CLOSED')⏎except OSError as e: print(e, file=sys.stderr)⏎input()⏎sys.exit(3)
        js | try { require('fs').writeFileSync('bot.log', '') } catch (e) {} throw new Error('a / b')
        sh | mkdir data; read -r line; exit 1
    ",
    ),
    // A closed file.
    (
        READ,
        r#"
        py | open('CLOSED')
        py | try: open('CLOSED')⏎except OSError as e: raise SystemExit(f'{e} // see https://x/y')
        py | try: open('CLOSED')⏎except OSError: raise SystemExit('no weights')
        py | try: open('CLOSED')⏎except OSError as e: raise ValueError('weights') from e
        py | _input, count = input, []⏎def input():⏎    count.append(0)⏎    if len(count) > 30: open('CLOSED')⏎    return _input()⏎STARTER
        js | require('fs').readFileSync('CLOSED')
        pl | open(my $f, '<', 'CLOSED') or die $!;
        sh | cat CLOSED >/dev/null || exit 1
        sh | exec CLOSED
        tcl | open CLOSED
        awk | BEGIN { if ((getline line < "CLOSED") < 0) exit 1 }
        rb | File.read('CLOSED')
        lua | assert(io.open('CLOSED'))
        php | <?php fopen('CLOSED', 'r') or exit(1);
        hs | main = readFile "CLOSED" >>= putStr
        java | class Main { public static void main(String[] a) throws Exception { new java.io.FileReader("CLOSED"); } }
        cpp | #include <fstream>⏎int main() { return std::ifstream("CLOSED") ? 0 : 1; }
        rs | fn main() { std::fs::read("CLOSED").unwrap(); }
    "#,
    ),
    // What opens too much is no advice.
    (
        OTHER,
        "
        py | import os⏎os.listdir('HOME')
    ",
    ),
    // A write.
    (
        WRITE,
        r#"
        py | import logging⏎logging.basicConfig(filename='bot.log')
        py | open('notes', 'a')
        py | import os⏎os.remove('notes')
        py | import os⏎os.makedirs('data/x')
        js | require('fs').appendFileSync('bot.log', 'x')
        pl | open(my $f, '>', 'bot.log') or die $!;
        pl | rename 'notes', 'older' or die $!;
        sh | echo x >bot.log || exit 1
        sh | mkdir data || exit 1
        tcl | open bot.log w
        java | class Main { public static void main(String[] a) throws Exception { new java.io.FileWriter("bot.log"); } }
        cpp | #include <cstdio>⏎int main() { fputs("x", fopen("bot.log", "w")); }
    "#,
    ),
    // Other calls.
    (
        SHARED,
        "
        py | import multiprocessing as mp⏎mp.Lock()
        py | import multiprocessing as mp⏎mp.Pool(2)
        py | from multiprocessing import shared_memory as s⏎s.SharedMemory(create=True, size=64)
        py | import os⏎os.memfd_create('x')
    ",
    ),
    (
        NETWORK,
        "
        py | import socket⏎socket.socket()
        py | import urllib.request as u⏎u.urlopen('http://example.com/weights')
        js | fetch('http://example.com/').then(console.log)
        js | require('net').connect(80, '127.0.0.1')
        pl | use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0) or exit 1;
    ",
    ),
    (
        MODE,
        "
        py | import os⏎os.chmod(__file__, 0o600)
        js | require('fs').chmodSync(__filename, 0o600)
    ",
    ),
    // A launcher that looks into the home folder of the user.
    (
        "doesn't see ~/.rustup: name the program itself",
        "
        sh | cat ~/.rustup/settings.toml 2>/dev/null || { echo 'rustup has no default' >&2; exit 1; }
    ",
    ),
    (
        "doesn't see ~/.config/uv: ",
        "
        sh | cat ~/.config/uv/uv.toml 2>/dev/null || { echo 'no settings of uv' >&2; exit 1; }
    ",
    ),
    (
        NONE,
        "
        sh | cat ~/.rustup/settings.toml 2>/dev/null; echo 'a / b' >&2; exit 1
    ",
    ),
];

/// A start folder, a closed file beside it, and the home folder above both.
struct Ground(Folder);

impl Ground {
    fn new() -> Ground {
        let ground = Ground(new_folder());
        ground.write("data/weights.txt", "1");
        for empty in ["start/notes", ".rustup/settings.toml", ".config/uv/uv.toml"] {
            ground.write(empty, "");
        }
        fs::set_permissions(ground.at("data/weights.txt"), Permissions::from_mode(0o755)).unwrap();
        ground
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.0, path, text);
    }

    /// Puts the real paths in their places.
    fn filled(&self, text: &str) -> String {
        text.replace("CLOSED", &self.at("data/weights.txt").display().to_string())
            .replace("STARTER", STARTER)
            .replace("'HOME'", &format!("{:?}", self.at("").display()))
            .replace('⏎', "\n")
    }

    fn arena(&self, args: &[&str]) -> Output {
        command(&self.at("start"), args)
            .env("HOME", self.at(""))
            .env("XDG_CACHE_HOME", self.at("cache"))
            .output()
            .unwrap()
    }

    /// Checks that a bot plays.
    fn plays(&self, bot: &str) {
        eprintln!("{bot}");
        self.arena(&["check", "onitama", bot, "--seeds", "1"])
            .status(0);
    }
}

fn is_installed(program: &str) -> bool {
    std::env::split_paths(&search_path()).any(|folder| folder.join(program).exists())
}

/// Returns what is wrong with the hint to a bot, if anything.
fn wrong(ground: &Ground, number: usize, hint: &str, [ending, bot]: [&str; 2]) -> Option<String> {
    let languages = table::<3>(LANGUAGES);
    let [_, needed, run] = languages
        .iter()
        .find(|[known, ..]| *known == ending)
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
    let run = if *run == "-" {
        file
    } else {
        format!("{run} {file}")
    };
    let out = format!("out/{number}");
    let mut outputs =
        vec![ground.arena(&["check", "onitama", &run, "--seeds", "1", "--out", &out])];
    if number.is_multiple_of(7) && !bot.contains("STARTER") {
        let rival = "arena bot onitama-random";
        outputs.push(ground.arena(&["duel", "onitama", &run, rival, "--games", "2"]));
    }
    for said in outputs.iter().map(said) {
        let is_right = match hint {
            NONE => !said.contains("sandbox") && !said.contains("--read"),
            READ => said.contains(&ground.filled(hint)),
            hint => said.contains(hint) && !said.contains("--read"),
        };
        let is_ready = said.contains("ready to play\n") && !said.contains("not ready");
        if !is_right || is_ready {
            return Some(format!("{run}: {bot}\nexpected: {hint:?}\n{said}"));
        }
    }
    None
}

#[test]
fn a_hint_is_about_what_was_refused() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    let of_hint = |(hint, bots): &(&'static str, &'static str)| {
        let bots = table::<2>(bots).into_iter();
        bots.map(|bot| (*hint, bot)).collect::<Vec<_>>()
    };
    let left = Mutex::new(BOTS.iter().flat_map(of_hint).enumerate());
    let all_wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some((number, (hint, bot))) = next else {
                        return;
                    };
                    let wrong = wrong(&ground, number, hint, bot);
                    all_wrong.lock().unwrap().extend(wrong);
                }
            });
        }
    });
    let all_wrong = all_wrong.into_inner().unwrap();
    assert!(all_wrong.is_empty(), "{}", all_wrong.join("\n----\n"));
}

/// Beginnings of bots that lock files or read a database. `OWN` is the folder of the bot.
const BEGINNINGS: [&str; 5] = [
    "import sqlite3\nsqlite3.connect(OWN + '/book.db').execute('select a from t')",
    "import sqlite3\nd = sqlite3.connect(os.environ['HOME'] + '/x')\nd.execute('create table t (a)')\nd.commit()",
    "import fcntl\nfcntl.flock(open(__file__), fcntl.LOCK_SH)",
    "import fcntl\nfcntl.flock(open(__file__), fcntl.LOCK_EX)",
    "import fcntl\nfcntl.lockf(open(os.environ['TMPDIR'] + '/x', 'w'), fcntl.LOCK_EX)",
];

#[test]
fn what_a_bot_may_do_needs_no_hint() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    let own = "import os\nOWN = os.path.dirname(os.path.realpath(__file__))";
    let make = "import sqlite3\nd = sqlite3.connect('book.db')\nd.execute('create table t (a)')\nd.commit()\n";
    let mut python = Command::new("python3");
    python.args(["-c", make]).current_dir(ground.at("start"));
    python.output().unwrap().status(0);
    for (number, beginning) in BEGINNINGS.iter().enumerate() {
        let bot = format!("{own}\n{beginning}\n{STARTER}");
        ground.write(&format!("start/{number}.py"), &bot);
        ground.plays(&format!("{number}.py"));
    }
}

#[test]
fn a_bot_that_is_a_link_plays() {
    if !closes_files() {
        return;
    }
    let ground = Ground::new();
    ground.write("builds/v17/bot.py", STARTER);
    let script = format!("#!/usr/bin/env python3\n{STARTER}");
    write_program(&ground.at("builds/v17/bot"), &script);
    fs::create_dir_all(ground.at("start/bots")).unwrap();
    for [target, link] in [
        ["builds/v17/bot", "start/bots/current"],
        ["builds/v17/bot.py", "start/bots/current.py"],
        ["builds/v17", "start/bots/latest"],
    ] {
        symlink(ground.at(target), ground.at(link)).unwrap();
    }
    ground.plays("bots/current");
    ground.plays("bots/current.py");
    ground.plays("python3 bots/current.py");
    ground.plays("bots/latest/bot");
    ground.plays("bots/latest/bot.py");
}
