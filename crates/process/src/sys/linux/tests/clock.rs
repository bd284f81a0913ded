//! Time: when a bot is paused, and that a busy machine makes no bot lose.

use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::{Bot, ask, eventually, reply_to, start, state};
use crate::{AskError, Failure};

#[test]
fn a_bot_is_paused_only_after_its_first_answer_and_goes_on_when_asked() {
    let mut bot = start("while read -r line; do echo $$; done");
    bot.pause();
    let pid = ask(&mut bot).unwrap();
    assert_ne!(state(&pid), Some('T'));
    for _ in 0..3 {
        bot.pause();
        bot.pause();
        eventually("stopped", || state(&pid) == Some('T'));
        assert_eq!(ask(&mut bot).unwrap(), pid);
    }
    bot.pause();
    drop(bot);
    assert_eq!(state(&pid), None, "a paused bot can be ended");
}

/// The bot starts a process in a new session, which starts another one in a new session.
#[test]
fn every_process_of_a_bot_is_paused() {
    let mut bot =
        start("setsid sh -c 'setsid sleep 60 & echo $$ $!; wait' & read -r line; echo $$; wait");
    // The two lines may come in any order.
    let lines = [(); 2].map(|()| ask(&mut bot).unwrap());
    let pids: Vec<&str> = lines.iter().flat_map(|line| line.split(' ')).collect();
    assert_eq!(pids.len(), 3);
    bot.pause();
    eventually("all stopped", || {
        pids.iter().all(|pid| state(pid) == Some('T'))
    });
    let _ = bot.ask("go\n", 1, Duration::from_millis(1), &mut |_| {});
    assert!(pids.iter().all(|pid| state(pid) != Some('T')));
}

/// Busy processes on the cores of the thread that starts them.
#[derive(Default)]
struct Load(Vec<Child>);

impl Load {
    fn grow(&mut self) {
        for _ in 0..6 {
            let mut busy = Command::new("sh");
            busy.args(["-c", "while kill -0 $PPID; do :; done"]);
            self.0.push(busy.spawn().unwrap());
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Keeps this thread, and processes that it starts, on one core, which no other of these tests
/// loads meanwhile.
struct OnOneCore {
    allowed: CpuSet,
    _alone: MutexGuard<'static, ()>,
}

impl OnOneCore {
    fn stay() -> OnOneCore {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let allowed = sched_getaffinity(None).unwrap();
        let core = (0..CpuSet::MAX_CPU)
            .find(|&core| allowed.is_set(core))
            .unwrap();
        let mut one = CpuSet::new();
        one.set(core);
        sched_setaffinity(None, &one).unwrap();
        OnOneCore {
            allowed,
            _alone: alone,
        }
    }
}

impl Drop for OnOneCore {
    fn drop(&mut self) {
        // This thread may run the next test.
        let _ = sched_setaffinity(None, &self.allowed);
    }
}

/// A short limit, for bots that miss it by far.
const SHORT: Duration = Duration::from_millis(50);

/// Asks with a short limit. When the bot begins to think, the arena is busy for `preparing`.
fn ask_slowly(bot: &mut Bot, preparing: Duration) -> Result<Result<String, Failure>, AskError> {
    let mut preparing = Some(preparing);
    let mut thinks = |_| preparing.take().into_iter().for_each(thread::sleep);
    Ok(bot
        .ask("go\n", 1, SHORT, &mut thinks)?
        .reply
        .map(str::to_owned))
}

#[test]
fn an_answer_that_is_there_counts_however_late_we_are() {
    let mut bot = start("while read -r line; do sleep 0.01; echo done; done");
    assert_eq!(ask(&mut bot).unwrap(), "done");
    assert_eq!(ask_slowly(&mut bot, 6 * SHORT).unwrap().unwrap(), "done");
    let late = bot
        .ask("go\n", 1, Duration::from_millis(2), &mut |_| {
            thread::sleep(SHORT);
        })
        .unwrap();
    assert!(late.late, "{late:?}");

    // It is unknown when it would have answered if we had not been late.
    let mut bot = start("read -r line; echo first; read -r line; sleep 60; echo done");
    assert_eq!(ask(&mut bot).unwrap(), "first");
    assert!(matches!(
        ask_slowly(&mut bot, 6 * SHORT),
        Err(AskError::Busy)
    ));

    // A bot that runs for more than its limit times out, though.
    for goes_on in ["while :; do :; done", &format!("{WORKS}; echo done")] {
        let script = format!("read -r line; echo first; read -r line; {goes_on}");
        eventually(&format!("times out: {goes_on}"), || {
            runs_out_of_time(&script, 40 * SHORT)
        });
    }
}

/// Returns whether a bot times out in its second turn, when we are `late`. If not, the machine is
/// busy with something else.
fn runs_out_of_time(script: &str, late: Duration) -> bool {
    let mut bot = start(script);
    assert_eq!(ask(&mut bot).unwrap(), "first");
    match ask_slowly(&mut bot, late) {
        Ok(reply) => assert_eq!(reply, Err(Failure::Timeout)),
        Err(AskError::Busy) => return false,
        Err(error) => panic!("{error}"),
    }
    true
}

/// Takes much longer than a short limit.
const WORKS: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

/// The bot's own processes keep it from its core, whatever their group or session.
#[test]
fn what_a_bot_takes_from_itself_is_no_excuse() {
    let spins = "while kill -0 $PPID; do :; done";
    for spinners in [
        "while :; do :; done &".to_owned(),
        "(while :; do :; done &);".to_owned(),
        format!("setsid sh -c '{spins}' &"),
        format!("(setsid sh -c '{spins}' & wait) &"),
        "while :; do sh -c 'i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done'; done &".to_owned(),
    ] {
        let _here = OnOneCore::stay();
        let all = format!("{spinners} ").repeat(3);
        let script = format!("read -r line; echo first; read -r line; {all} while :; do :; done");
        eventually(&format!("times out: {spinners}"), || {
            runs_out_of_time(&script, Duration::ZERO)
        });
    }
}

/// A bot in Python. It has `spin(seconds)`, which takes CPU time, and `think()`, which comes before
/// its second answer.
fn thinker(begin: &str, think: &str) -> String {
    format!(
        "exec python3 -c '
import ctypes, os, signal, sys, time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def alive(pid):
    try: os.kill(pid, 0)
    except ProcessLookupError: return False
    return True
{begin}
time.sleep(0.05)
def think():
    {think}
input(); print(\"first\", flush=True)
input(); think(); print(\"second\", flush=True)'"
    )
}

/// Bots that think for one and a half limits while they seem to wait for others. The system forgets
/// how long children ran that nobody waits for.
#[test]
fn no_bot_has_more_time_because_of_what_it_starts() {
    let limit = 8 * SHORT;
    let ignored = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)";
    let one_core = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})";
    let child = |spins: f64| {
        format!(
            "pid = os.fork(); pid or (spin({spins}), os._exit(0)); [0 for _ in iter(lambda: alive(pid), False)]"
        )
    };
    // Two workers share a core, although each could have its own.
    let workers = format!(
        "{one_core}
asked, done = os.pipe(), os.pipe()
for _ in range(2):
    if os.fork() == 0:
        while os.read(asked[0], 1): spin({}); os.write(done[1], b\"x\")
        os._exit(0)",
        limit.as_secs_f64() * 0.8
    );
    for (begin, think) in [
        (
            ignored,
            format!("for _ in range(15): {}", child(limit.as_secs_f64() / 20.0)),
        ),
        (ignored, child(limit.as_secs_f64() * 0.75)),
        (
            "action = (ctypes.c_uint64 * 19)(); action[17] = 2; ctypes.CDLL(None).sigaction(17, action, None)",
            format!("for _ in range(15): {}", child(limit.as_secs_f64() / 20.0)),
        ),
        (
            &workers,
            "os.write(asked[1], b\"xx\"); [os.read(done[0], 1) for _ in range(2)]".to_owned(),
        ),
    ] {
        let _here = (!begin.contains("workers")).then(OnOneCore::stay);
        eventually(&format!("times out: {begin} {think}"), || {
            let mut bot = start(&thinker(begin, &think));
            // Otherwise a busy machine could be to blame.
            bot.excuses = false;
            assert_eq!(ask(&mut bot).unwrap(), "first");
            reply_to(&mut bot, "go\n", limit) == Err(Failure::Timeout)
        });
    }
}

/// Three bots: a single process, a process with a launcher, and a pipeline.
#[test]
fn no_bot_loses_because_the_machine_is_busy() {
    let count = |to: u32| {
        format!(
            "while read -r line; do i=0; while [ $i -lt {to} ]; do i=$((i+1)); done; echo $line; done"
        )
    };
    let engine = format!("sh -c '{}'; true", count(20_000));
    let pipeline = format!("count() {{ {}; }}; count | count | count", count(7000));
    for script in [&count(20_000), &engine, &pipeline] {
        let _here = OnOneCore::stay();
        let mut bot = start(script);
        let mut time = || {
            let start = Instant::now();
            ask(&mut bot).unwrap();
            start.elapsed()
        };
        // Triple the limit: arena doesn't refund a slower shared core or a suspended virtual one.
        let limit = (0..10).map(|_| time()).min().unwrap() * 3;
        let mut load = Load::default();
        let mut late = 0;
        while late == 0 {
            load.grow();
            assert!(
                load.0.len() < 100,
                "even 100 busy processes don't slow the bot down: {script}"
            );
            for _ in 0..4 {
                match bot.ask("go\n", 1, limit, &mut |_| {}) {
                    Ok(answer) => {
                        assert_eq!(answer.reply, Ok("go"), "{script}");
                        late += usize::from(answer.late);
                    }
                    Err(AskError::Busy) => {
                        late += 1;
                        bot = start(script);
                        ask(&mut bot).unwrap();
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

/// A bot that sleeps has no excuse, and no bot has one if excuses aren't accepted.
#[test]
fn a_busy_machine_is_not_always_an_excuse() {
    let _here = OnOneCore::stay();
    let mut load = Load::default();
    load.grow();
    eventually("out of time", || {
        runs_out_of_time("read -r line; echo first; sleep 60", Duration::ZERO)
    });
    let mut endless = start("read -r line; echo first; while :; do :; done");
    endless.excuses = false;
    ask(&mut endless).unwrap();
    assert_eq!(reply_to(&mut endless, "go\n", SHORT), Err(Failure::Timeout));
}
