//! What tests do by means of Linux.

use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag::register_conditional_default;

use super::{arena, command, in_project, read};

/// The most time that killed processes get to end. A wide limit, because the machine may be busy
/// with other tests.
const GONE_AFTER: Duration = Duration::from_secs(60);

/// Gives the signals that end programs their default effect in programs that this one starts.
pub(super) fn reset_signals() {
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        // A signal with a handler has its default effect in a new program.
        register_conditional_default(signal, Arc::new(AtomicBool::new(true))).unwrap();
    }
}

/// `PATH`, with the system's programs first. A `python3` of pyenv takes several times as long to
/// start as the system's.
pub(crate) fn search_path() -> String {
    format!("/usr/bin:{}", std::env::var("PATH").unwrap())
}

/// Writes a program for a test to start.
///
/// Another process writes it. If this process had the file open while another thread starts a
/// program, the new process would have it open too for a moment, and starting the file would fail
/// with "text file busy".
pub(crate) fn write_program(path: &Path, text: &str) {
    let mut shell = Command::new("sh")
        .args(["-c", r#"cat > "$0" && chmod 755 "$0""#])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = shell.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    assert!(shell.wait().unwrap().success(), "write {}", path.display());
}

/// Copies a program for a test to start, in another process as well.
pub(crate) fn copy_program(from: impl AsRef<Path>, to: &Path) {
    let status = Command::new("cp").arg(from.as_ref()).arg(to).status();
    assert!(status.unwrap().success(), "write {}", to.display());
}

/// The live processes with this variable in their environment, as their command lines. Only the
/// environment shows where they come from: process ids differ between namespaces. A zombie has
/// none.
pub(crate) fn living(name: &str, value: impl AsRef<Path>) -> Vec<String> {
    let variable = format!("{name}={}", value.as_ref().display());
    let mut commands = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        let mut variables = environ.split(|byte| *byte == 0);
        if variables.any(|found| found == variable.as_bytes()) {
            // The process may have ended since.
            let command = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            commands.push(command.replace('\0', " "));
        }
    }
    commands
}

/// Returns whether the sandbox closes files here.
pub(crate) fn closes_files() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    fs::create_dir(&start).unwrap();
    fs::create_dir(folder.path().join("other")).unwrap();
    let secret = folder.path().join("other/secret").display().to_string();
    fs::write(&secret, "x").unwrap();
    // A file that the command names is open.
    let out = arena(
        &start,
        &["start", "--", "sh", "-c", &format!("cat {secret}")],
    );
    if out.stdout == b"x" {
        eprintln!("not tried, because this system has no landlock");
    }
    out.stdout != b"x"
}

/// Returns the processes that outlive arena: killed ones need a moment to end.
pub(crate) fn survivors(name: &str, value: impl AsRef<Path>) -> Vec<String> {
    let end = Instant::now();
    loop {
        let living = living(name, &value);
        if living.is_empty() || end.elapsed() > GONE_AFTER {
            return living;
        }
        sleep(Duration::from_millis(10));
    }
}

/// The inner process of the arena, which starts the bots: the only child of the outer one. `None`
/// before it starts and after its end.
pub(crate) fn inner(outer: &Child) -> Option<Pid> {
    let outer = outer.id();
    let children = fs::read_to_string(format!("/proc/{outer}/task/{outer}/children"));
    Pid::from_raw(children.ok()?.trim().parse().ok()?)
}

/// Has a command start in a new process group.
pub(crate) fn in_own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Sends a signal to a process.
pub(crate) fn signal(name: &str, pid: u32) {
    let pid = pid.to_string();
    let sent = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(sent.success(), "{name} to {pid}");
}

/// The number before a text in a document, which may break its lines anywhere.
pub(crate) fn number_before(page: &str, text: &str) -> usize {
    let page = read(&in_project("docs"), page);
    let words: Vec<&str> = page.split_whitespace().collect();
    let words = words.join(" ");
    let (before, _) = words.split_once(text).expect(text);
    let number = before.rsplit(' ').next().unwrap().replace(',', "");
    number.parse().expect(text)
}

/// Starts arena with these arguments, quoted as in a shell. Its output can be read at its end.
pub(crate) fn start(folder: &Path, args: &str) -> Child {
    let mut arena = command(folder, &[]);
    arena.args(shlex::split(args).unwrap());
    arena.stdout(Stdio::piped()).stderr(Stdio::piped());
    arena.spawn().unwrap()
}
