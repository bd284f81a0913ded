//! Starting and ending bots leaves nothing behind.
//!
//! These tests count the descriptors and children of their process, or stop all bots in it. So each
//! runs alone, in a new process.

use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, fs, thread};

use rustix::process::{getpid, set_child_subreaper};

use super::{ask, interrupt, launch, start, state, unconfined};
use crate::sys::orphans::{adopt, kill_all};
use crate::{Bot, Failure, Launcher, Mode, Sandbox, Supervision, reap_orphans};

/// Set if no other test runs in the process.
const ALONE: &str = "ARENA_TEST_IS_ALONE";

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The children of this process, dead or alive.
fn children() -> Vec<String> {
    let parent = std::process::id().to_string();
    let stats = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    // After the name in brackets: the state, then the parent.
    stats
        .filter(|stat| {
            stat.rsplit(") ")
                .next()
                .and_then(|rest| rest.split(' ').nth(1))
                == Some(&parent)
        })
        .collect()
}

/// Returns true in a process that runs only this test. Otherwise runs the test in one, checks that
/// it passes, and returns false.
fn is_alone(test: &str) -> bool {
    if env::var_os(ALONE).is_some() {
        return true;
    }
    let mut alone = Command::new(env::current_exe().unwrap());
    alone
        .args(["--exact", "--test-threads=1"])
        .arg(format!("sys::linux::tests::leaks::{test}"))
        .env(ALONE, "1");
    let output = alone.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && told.contains("1 passed"),
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    false
}

/// When everything is killed, a worker may have a bot or be about to start one.
#[test]
fn the_end_of_the_arena_kills_the_bots_of_every_thread() {
    if !is_alone("the_end_of_the_arena_kills_the_bots_of_every_thread") {
        return;
    }
    let (sender, pids) = channel();
    let worker = || {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut bot = start("read -r line; echo $$; sleep 60");
            sender.send(ask(&mut bot).unwrap()).unwrap();
            thread::park();
        });
    };
    worker();
    let pid = pids.recv().unwrap();
    kill_all();
    assert_eq!(state(&pid), None);
    worker();
    let started = pids.recv_timeout(Duration::from_millis(500));
    assert_eq!(started, Err(RecvTimeoutError::Timeout));
}

/// A bot without a filter of calls can start processes that are children of the arena, outside its
/// own group and session.
#[test]
fn a_sibling_that_a_bot_started_ends_with_the_game() {
    if !is_alone("a_sibling_that_a_bot_started_ends_with_the_game") {
        return;
    }
    adopt();
    let number = match env::consts::ARCH {
        "x86_64" => 56,
        _ => 220,
    };
    let script = format!(
        "import ctypes, os, time\n\
         pid = ctypes.CDLL(None).syscall({number}, 0x8000 | 17, 0, 0, 0, 0)\n\
         if pid == 0:\n    os.setsid()\n    time.sleep(60)\n    os._exit(0)\n\
         input()\nprint(pid, flush=True)\ntime.sleep(60)\n"
    );
    let worker = thread::spawn(move || {
        let launcher = unconfined(&launch(&["python3", "-c", &script]));
        let mut bot = Bot::start_in(&launcher, 1, &interrupt()).unwrap();
        let sibling = ask(&mut bot).unwrap();
        assert!(state(&sibling).is_some());
        drop(bot);
        reap_orphans();
        assert_eq!(state(&sibling), None);
    });
    worker.join().unwrap();
}

/// A process outside the group of its bot could write on until the game ends.
#[test]
fn a_bot_that_uses_too_much_takes_its_processes_along() {
    if !is_alone("a_bot_that_uses_too_much_takes_its_processes_along") {
        return;
    }
    adopt();
    set_child_subreaper(Some(getpid())).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().to_owned();
    let sandbox = Sandbox::new(Mode::Auto, 768 << 20, Supervision::None, folder).unwrap();
    let nests = "cd $HOME; i=0; while [ $i -lt 40 ]; do mkdir d; cd d; i=$((i+1)); done";
    let script = format!("read -r line; setsid sleep 60 & echo $!; {nests}; sleep 60");
    let launcher = Launcher::new(&Arc::new(sandbox), launch(&["sh", "-c", &script]));
    let mut bot = Bot::start_in(&launcher, 1, &interrupt()).unwrap();
    let outside = ask(&mut bot).unwrap();
    assert!(state(&outside).is_some());
    assert_eq!(ask(&mut bot), Err(Failure::Crashed));
    assert_eq!(state(&outside), None);
    let exit = bot.stop().to_string();
    assert!(exit.contains("nested"), "{exit}");
}

#[test]
fn nothing_is_left_behind() {
    if !is_alone("nothing_is_left_behind") {
        return;
    }
    let interrupt = interrupt();
    let lives = launch(&["cat"]);
    // The first one opens what a thread keeps open.
    let mut first = Bot::start_in(&unconfined(&lives), 1, &interrupt).unwrap();
    assert_eq!(ask(&mut first).as_deref(), Ok("go"));
    drop(first);
    let before = descriptors();
    let ends = launch(&["sh", "-c", "exit 1"]);
    let never = launch(&["/dev/null/never"]);
    for _ in 0..100 {
        let mut bot = Bot::start_in(&unconfined(&lives), 1, &interrupt).unwrap();
        assert_eq!(ask(&mut bot).as_deref(), Ok("go"));
        assert!(
            descriptors() > before && !children().is_empty(),
            "what is counted would show a leak"
        );
        drop(bot);
        let mut bot = Bot::start_in(&unconfined(&ends), 1, &interrupt).unwrap();
        assert_eq!(ask(&mut bot), Err(Failure::Crashed));
        assert_eq!(bot.stop().to_string(), "exit code 1");
        Bot::start_in(&unconfined(&never), 1, &interrupt)
            .err()
            .unwrap();
    }
    assert_eq!(descriptors(), before);
    assert_eq!(children(), Vec::<String>::new());
}
