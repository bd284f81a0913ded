//! Time: when a bot is paused, and that a busy machine makes nobody lose.

use std::process::{Child, Command};
use std::time::Instant;

use arena_games::{Fault, Question};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::{LONG, start, state};
use crate::play::{Abort, Player};

#[test]
fn a_bot_is_paused_only_after_its_first_answer_and_goes_on_when_asked() {
    let mut bot = start("while read -r line; do echo $$; done");
    bot.pause();
    let pid = bot.ask("go\n", &Question::default(), LONG, &mut || {}).unwrap().reply.unwrap().to_owned();
    assert_ne!(state(&pid), Some('T'));
    for _ in 0..3 {
        bot.pause();
        bot.pause();
        while state(&pid) != Some('T') {
            std::thread::yield_now();
        }
        assert_eq!(bot.ask("go\n", &Question::default(), LONG, &mut || {}).unwrap().reply, Ok(pid.as_str()));
    }
    bot.pause();
    drop(bot);
    assert_eq!(state(&pid), None, "a paused bot can be ended");
}

/// Processes that want the core all the time.
struct Load(Vec<Child>);

impl Load {
    fn on_this_core(processes: usize) -> Load {
        let busy = || Command::new("sh").args(["-c", "while kill -0 $PPID; do :; done"]).spawn().unwrap();
        Load((0..processes).map(|_| busy()).collect())
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

/// This thread, and what it starts meanwhile, on one core.
struct OnOneCore {
    allowed: CpuSet,
}

impl OnOneCore {
    fn stay() -> OnOneCore {
        let allowed = sched_getaffinity(None).unwrap();
        let core = (0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core)).unwrap();
        let mut one = CpuSet::new();
        one.set(core);
        sched_setaffinity(None, &one).unwrap();
        OnOneCore { allowed }
    }
}

impl Drop for OnOneCore {
    fn drop(&mut self) {
        // The next test may be run by the same thread.
        let _ = sched_setaffinity(None, &self.allowed);
    }
}

const COUNTS: &str = "while read -r line; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; done";

#[test]
fn a_busy_machine_makes_nobody_lose() {
    let _here = OnOneCore::stay();
    let mut bot = start(COUNTS);
    let mut time = || {
        let start = Instant::now();
        assert_eq!(bot.ask("go\n", &Question::default(), LONG, &mut || {}).unwrap().reply, Ok("done"));
        start.elapsed()
    };
    // A core that does other work as well is also slower, and a virtual one at times not there, which nothing refunds.
    let limit = (0..5).map(|_| time()).max().unwrap() * 2;

    let load = Load::on_this_core(5);
    let (mut late, mut busy) = (0, 0);
    for _ in 0..20 {
        match bot.ask("go\n", &Question::default(), limit, &mut || {}) {
            Ok(answer) => {
                assert_eq!(answer.reply, Ok("done"));
                late += usize::from(answer.late);
            }
            Err(Abort::Busy) => {
                busy += 1;
                bot = start(COUNTS);
                bot.ask("go\n", &Question::default(), LONG, &mut || {}).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(late + busy > 0, "the load did not slow the bot down");

    // Who does not want the core is not excused by others who do; nor is anybody, where no excuses are taken.
    let mut sleeper = start("read -r line; echo first; sleep 60");
    sleeper.ask("go\n", &Question::default(), LONG, &mut || {}).unwrap();
    assert_eq!(sleeper.ask("go\n", &Question::default(), limit, &mut || {}).unwrap().reply, Err(Fault::Timeout));
    let mut endless = start("read -r line; echo first; while :; do :; done");
    endless.excuses = false;
    endless.ask("go\n", &Question::default(), LONG, &mut || {}).unwrap();
    assert_eq!(endless.ask("go\n", &Question::default(), limit, &mut || {}).unwrap().reply, Err(Fault::Timeout));
    drop(load);
}
