//! The sandbox of a bot: what it allows, what it refuses, and that a bot keeps playing after a
//! refusal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::{LONG, ask, assert_replies, eventually, interrupt, launch, reply_to, unconfined};
use crate::{Bot, Failure, Launch, Launcher, Mode, Sandbox, Supervision, find_program};

const MB: u64 = 1 << 20;

/// A folder for what bots write, and the sandbox of a run with the default limits.
struct Site {
    scratch: tempfile::TempDir,
    sandbox: Arc<Sandbox>,
}

fn site() -> Site {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().to_owned();
    let sandbox = Sandbox::new(Mode::Auto, 768 * MB, Supervision::None, folder).unwrap();
    let sandbox = Arc::new(sandbox);
    Site { scratch, sandbox }
}

impl Site {
    /// Returns whether the system has the feature with this name in the header of a run.
    fn has(&self, feature: &str) -> bool {
        let header = self.sandbox.to_string();
        let has = header.split([',', ';']).any(|had| had.trim() == feature);
        if !has {
            eprintln!("not tried, because this system has no such feature: {feature}");
        }
        has
    }

    fn start(&self, command: &[&str], read: &[PathBuf]) -> Bot {
        let mut launch = launch(command);
        launch.read = read.to_vec();
        let launcher = Launcher::new(&self.sandbox, launch);
        Bot::start_in(&launcher, 1, &interrupt()).unwrap()
    }

    fn shell(&self, script: &str) -> Bot {
        self.start(&["sh", "-c", script], &[])
    }
}

/// Returns the first interpreter that is installed.
fn installed(names: &[&str]) -> Option<String> {
    for name in names {
        let run = Command::new(name).arg("--version").output();
        if run.is_ok_and(|run| run.status.success()) {
            return Some((*name).to_owned());
        }
    }
    eprintln!("not tried, because it is not installed: {names:?}");
    None
}

#[test]
fn files_of_others_are_closed() {
    let site = site();
    if !site.has("files") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["own", "rival", "given"] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(&format!("{name}/secret")), name).unwrap();
    }
    fs::copy(find_program("sh").unwrap(), at("own/bot")).unwrap();
    let home = std::env::home_dir().unwrap();
    let in_home = tempfile::Builder::new().tempfile_in(&home).unwrap();
    fs::write(in_home.path(), "home").unwrap();
    // The refused text doesn't appear, and the bot keeps playing.
    let script = format!(
        "read x; for f in {own} {rival} {given} {home}; do cat $f 2>/dev/null || echo -n refused; echo -n ' '; done; echo
         read x; (echo x > {own}) 2>/dev/null || echo -n refused; (echo x > {rival}.new) 2>/dev/null || echo -n ' refused'
         rm -f {rival} 2>/dev/null || echo -n ' refused'; ls {folder} >/dev/null 2>&1 || echo -n ' refused'; echo
         read x; mkdir $HOME/d && echo kept > $TMPDIR/d/f && cat $HOME/d/f; read x; echo $HOME; sleep 1000",
        own = at("own/secret"),
        rival = at("rival/secret"),
        given = at("given/secret"),
        home = in_home.path().display(),
        folder = at(""),
    );
    let given = folder.path().join("given");
    let mut bot = site.start(&[&at("own/bot"), "-c", &script], &[given]);
    assert_eq!(ask(&mut bot).unwrap(), "own refused given refused ");
    assert_eq!(ask(&mut bot).unwrap(), "refused refused refused refused");
    assert_eq!(ask(&mut bot).unwrap(), "kept");
    let own = PathBuf::from(ask(&mut bot).unwrap());
    assert!(own.starts_with(site.scratch.path()) && own.join("d/f").exists());
    assert_eq!(bot.stop().to_string(), "stopped by the arena");
    eventually("what it wrote is gone", || !own.join("d").exists());
    assert_eq!(fs::read_to_string(at("rival/secret")).unwrap(), "rival");
}

/// Paths in its command stay relative to our own folder.
#[test]
fn a_bot_starts_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count() - 1);
    let at = |name: &str| format!("{up}.{}/{name}", folder.path().display());
    let python = "import os, sys\nfor _ in sys.stdin: print(*[open(n).read() for n in ['book.txt', sys.argv[1], \
                  sys.argv[2].split('=')[1], *os.environ['OWN'].split(':')]], flush=True)";
    for (name, text) in [
        ("own/book.txt", "book"),
        ("code/bot.py", python),
        (
            "own/bot",
            "#!/bin/sh\nread x; cat book.txt $1 ${2#*=}; echo; read x",
        ),
        ("own/data", "data"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let data = [at("own/data"), format!("--data={}", at("own/data"))];
    for (program, reply) in [
        (
            vec!["python3".to_owned(), at("code/bot.py")],
            "book data data data book",
        ),
        (vec![at("own/bot")], "bookdatadata"),
    ] {
        let mut launch = Launch::new("test", [&program[..], &data].concat());
        launch.folder = Some(at("own").into());
        let lists = format!("{}:book.txt", at("own/data"));
        launch.env.insert("OWN".to_owned(), lists);
        for launcher in [unconfined(&launch), Launcher::new(&site().sandbox, launch)] {
            let mut bot = Bot::start_in(&launcher, 1, &interrupt()).unwrap();
            assert_eq!(ask(&mut bot).unwrap(), reply);
        }
    }
    assert_eq!(std::env::current_dir().unwrap(), here);
}

/// The sender of a program to a worker also chooses its command.
#[test]
fn the_command_of_a_bot_that_was_sent_opens_nothing_outside() {
    let mut site = site();
    if !site.has("files") {
        return;
    }
    let [sent, ours] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for (folder, name) in [(&sent, "map"), (&ours, "secret")] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let open = |site: &Site| {
        let [map, secret] = [sent.path().join("map"), ours.path().join("secret")];
        let secret = format!("/usr/..{}", secret.display());
        let script = "read x; for f; do cat $f 2>/dev/null || echo -n refused; echo -n ' '; done; echo; read x";
        let shadow = "/proc/self/root/etc/shadow";
        let files = [map.to_str().unwrap(), &secret, shadow];
        ask(&mut site.start(&[&["sh", "-c", script, "bot"], &files[..]].concat(), &[]))
    };
    let read = |site: &Site| {
        let ours = ours.path().display();
        let script =
            format!("read x; cat {ours}/secret 2>/dev/null || echo -n refused; echo; read x");
        let given = PathBuf::from(format!("/proc/self/root{ours}"));
        ask(&mut site.start(&["sh", "-c", &script], &[given]))
    };
    assert_eq!(read(&site).unwrap(), "secret");
    assert!(open(&site).unwrap().starts_with("map secret "));
    let within = vec![sent.path().canonicalize().unwrap()];
    site.sandbox = Arc::new(Sandbox::clone(&site.sandbox).confined(within));
    assert_eq!(open(&site).unwrap(), "map refused refused ");
    assert_eq!(read(&site).unwrap(), "refused");
}

#[test]
fn two_processes_of_a_bot_share_nothing() {
    let site = site();
    if !site.has("files") {
        return;
    }
    let script = "echo $HOME; read x; read f; cat $f 2>/dev/null || echo refused; read x";
    let launcher = Launcher::new(&site.sandbox, launch(&["sh", "-c", script]));
    let interrupt = interrupt();
    let mut bots = [0, 1].map(|_| Bot::start_in(&launcher, 1, &interrupt).unwrap());
    let homes = bots.each_mut().map(|bot| ask(bot).unwrap());
    assert_ne!(homes[0], homes[1]);
    let file = Path::new(&homes[0]).join("f");
    fs::write(&file, "read\n").unwrap();
    let prompt = format!("{}\n", file.display());
    let answers = bots.each_mut().map(|bot| reply_to(bot, &prompt, LONG));
    assert_eq!(answers, [Ok("read".into()), Ok("refused".into())]);
}

#[test]
fn nobody_else_can_be_signalled() {
    let site = site();
    if !site.has("signals") {
        return;
    }
    let mut rival = site.shell("echo $$; while read x; do echo alive; done");
    let rival_pid = ask(&mut rival).unwrap();
    let script = "sleep 1000 & read x; read x; for pid in $(echo $x); do kill -9 $pid 2>/dev/null && echo -n killed || echo -n refused; echo -n ' '; done; kill -9 $! && echo own; sleep 1000";
    let mut bot = site.shell(&format!("echo; {script}"));
    assert_eq!(ask(&mut bot).unwrap(), "");
    let pids = format!("{rival_pid} {} {}\n", std::process::id(), rival_pid);
    let answer = reply_to(&mut bot, &pids, LONG).unwrap();
    assert_eq!(answer, "refused refused refused own");
    assert_eq!(ask(&mut rival).unwrap(), "alive");
}

/// Prints every feature that doesn't work.
const PROBE: &str = r#"
import ctypes, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
rival = int(sys.argv[1])
found = []
def refused(what, act):
    try:
        act()
        found.append(what)
    except PermissionError:
        pass
    except OSError as error:
        found.append(f"{what}: {error}")
def call(*arguments):
    ctypes.set_errno(0)
    if libc.syscall(*arguments) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
NUMBERS = {"ptrace": (101, 16, rival, 0, 0), "unshare": (272, 0x10000000), "io_uring": (425, 1, 0), "bpf": (321, 0, 0, 0), "keyctl": (250, 0, 0, 0),
    "clone of a sibling": (56, 0x8000 | 17, 0, 0, 0, 0), "clone of a sibling in a namespace": (56, 0x10008000 | 17, 0, 0, 0, 0)}
input()
refused("inet", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
refused("inet6 udp", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
refused("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
refused("unix connect", lambda: socket.socket(socket.AF_UNIX).connect("/run/docker.sock"))
refused("memory of a rival", lambda: open(f"/proc/{rival}/mem", "rb"))
refused("environment of a rival", lambda: open(f"/proc/{rival}/environ", "rb").read())
refused("a file in /tmp", lambda: open("/tmp/breach", "w"))
if os.uname().machine == "x86_64":
    for name, arguments in NUMBERS.items():
        refused(name, lambda: call(*arguments))
    refused("shared memory", lambda: os.memfd_create("x"))
    try:
        call(435, ctypes.create_string_buffer(b"\0\x80", 88), 88)
        found.append("clone3")
    except OSError as error:
        # With another error, libraries would not fall back on clone.
        if error.errno != errno.ENOSYS: found.append(f"clone3: {error}")
a, b = socket.socketpair()
a.send(b"x")
if b.recv(1) != b"x": found.append("no socket pair")
print(found or "nothing", flush=True)
input()
print("plays on", flush=True)
"#;

#[test]
fn network_and_processes_are_closed() {
    let site = site();
    let Some(python) = installed(&["python3", "python"]) else {
        return;
    };
    if !site.has("system calls") || !site.has("files") {
        return;
    }
    let mut rival = site.shell("echo $$; sleep 1000");
    let pid = ask(&mut rival).unwrap();
    let mut bot = site.start(&[&python, "-c", PROBE, &pid], &[]);
    let first = ask(&mut bot);
    assert_eq!(
        (first.as_deref(), ask(&mut bot).as_deref()),
        (Ok("nothing"), Ok("plays on")),
        "{}",
        bot.stop().stderr_tail
    );
}

#[test]
fn interpreters_run_under_the_defaults() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let python = installed(&["python3"]).map(|python| {
        (
            python,
            "bot.py",
            "import random, json, dataclasses, socket\nwhile True:\n    print(input() + ' python', flush=True)\n",
        )
    });
    let node = installed(&["node"]).map(|node| {
        (
            node,
            "bot.js",
            "require('readline').createInterface({input: process.stdin}).on('line', l => console.log(l + ' node'));",
        )
    });
    let java = installed(&["java"]).map(|java| (java, "Bot.java", "public class Bot { public static void main(String[] a) throws Exception { var in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in)); for (String l; (l = in.readLine()) != null;) System.out.println(l + \" java \" + (Runtime.getRuntime().maxMemory() >> 20 <= 384)); } }"));
    for (interpreter, file, source) in [python, node, java].into_iter().flatten() {
        let path = folder.path().join(file);
        fs::write(&path, source).unwrap();
        let mut bot = site.start(&[&interpreter, path.to_str().unwrap()], &[]);
        let answer = ask(&mut bot);
        let expected = if interpreter == "java" {
            "go java true".to_owned()
        } else {
            format!("go {}", interpreter.trim_end_matches('3'))
        };
        assert_eq!(
            answer.as_ref(),
            Ok(&expected),
            "{interpreter}: {}",
            bot.stop().stderr_tail
        );
    }
}

#[test]
fn want_of_memory_is_told_from_a_crash() {
    let site = site();
    let Some(python) = installed(&["python3", "python"]) else {
        return;
    };
    for (script, fault) in [
        (
            "x = [bytearray(b'x' * (8 << 20)) for _ in range(512)]",
            Failure::OutOfMemory,
        ),
        ("x = bytearray(4 << 30)", Failure::OutOfMemory),
        // It ends without a message.
        (
            "import os\ntry:\n    x = []\n    while True: x.append(bytearray(b'x' * (1 << 20)))\nexcept MemoryError:\n    os._exit(1)",
            Failure::OutOfMemory,
        ),
        ("x = bytearray(64 << 20); raise Exception", Failure::Crashed),
    ] {
        let mut bot = site.start(&[&python, "-c", &format!("input()\n{script}")], &[]);
        assert_eq!(ask(&mut bot), Err(fault), "{script}");
        assert_eq!(ask(&mut bot), Err(fault), "said again");
    }
}

#[test]
fn limits_are_set_from_the_outside() {
    let mut bot = site()
        .shell("sleep 0.05; ulimit -c; ulimit -d; ulimit -n; ulimit -d 800000 2>/dev/null || echo refused; sleep 1000");
    assert_replies(&mut bot, ["0", "786432", "1024", "refused"]);
}

#[test]
fn strict_takes_nothing_less() {
    let folder = tempfile::tempdir().unwrap();
    let new = |mode, supervision| Sandbox::new(mode, 768 * MB, supervision, folder.path().into());
    let refused = new(Mode::Strict, Supervision::Subreaper).unwrap_err();
    assert!(refused.to_string().contains("pid namespace"), "{refused}");
    let off = new(Mode::Off, Supervision::PidNamespace).unwrap();
    assert_eq!(off.to_string(), "off; pid namespace");
}
