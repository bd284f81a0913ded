//! Running bots, most of them shell scripts.

mod bots;
mod clock;
mod documents;
mod leaks;
mod process_tree;
mod sandbox;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Bot, Failure, Interrupt, Launch, Launcher, Mode, Sandbox, Supervision};

/// A limit that never passes if a test succeeds.
const LONG: Duration = Duration::from_secs(60);

fn launch(command: &[&str]) -> Launch {
    Launch::new("test", command.iter().copied())
}

fn interrupt() -> Arc<Interrupt> {
    Arc::new(Interrupt::new().unwrap())
}

/// The launcher of a bot without a sandbox.
fn unconfined(launch: &Launch) -> Arc<Launcher> {
    let sandbox = Sandbox::new(Mode::Off, 0, Supervision::None, PathBuf::new()).unwrap();
    Launcher::new(&Arc::new(sandbox), launch.clone())
}

/// Starts a bot without a sandbox.
fn started(launch: &Launch) -> Bot {
    Bot::start_in(&unconfined(launch), 1, &interrupt()).unwrap()
}

/// Starts a script without a sandbox.
fn start(script: &str) -> Bot {
    started(&launch(&["sh", "-c", script]))
}

/// Starts a script that gets no time back on a busy machine.
fn shell(script: &str) -> Bot {
    let mut bot = start(script);
    bot.excuses = false;
    bot
}

/// Returns the reply to `prompt`, owned.
fn reply_to(bot: &mut Bot, prompt: &str, limit: Duration) -> Result<String, Failure> {
    bot.ask(prompt, 1, limit, &mut |_| {})
        .unwrap()
        .reply
        .map(str::to_owned)
}

/// Returns the reply to a prompt of one line, with a long limit.
fn ask(bot: &mut Bot) -> Result<String, Failure> {
    reply_to(bot, "go\n", LONG)
}

/// Checks the replies to prompts of one line, with a long limit.
fn assert_replies<const N: usize>(bot: &mut Bot, expected: [&str; N]) {
    assert_eq!([(); N].map(|()| ask(bot).unwrap()), expected);
}

/// Returns the kernel's letter for the state of a process, `T` if it is stopped; `None` if there is
/// no such process.
fn state(pid: &str) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

/// Waits until `condition` holds, and fails if that takes unreasonably long.
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LONG, "never happened: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Checks that a page has these texts, however it is wrapped.
pub(crate) fn assert_says<const N: usize>(page: &str, promises: [String; N]) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = fs::read_to_string(docs.join(page)).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for promise in promises {
        assert!(text.contains(&promise), "{page}: {promise}");
    }
}
