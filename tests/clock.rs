//! Time: who is asked with which limit, who is paused meanwhile, and that a busy machine makes nobody lose.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena::play::{Abort, Answer, Clock, Player, SOFT_MARGIN, TimeRules, play};
use arena::process::{Bot, Interrupt, Launch};
use arena_games::{Fate, Fault, Options, onitama};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

const LONG: Duration = Duration::from_secs(20);

/// Answers with the first action of the list, after a time of its own, and remembers what happened to it.
#[derive(Default)]
struct Thinker {
    takes: Vec<Duration>,
    limits: Vec<Duration>,
    line: String,
    pauses: usize,
}

impl Player for Thinker {
    fn ask(&mut self, prompt: &str, limit: Duration, thinks: &mut dyn FnMut()) -> Result<Answer<'_>, Abort> {
        let elapsed = self.takes.get(self.limits.len()).copied().unwrap_or_default();
        self.limits.push(limit);
        if elapsed > Duration::from_millis(1) {
            thinks();
        }
        let count = |&(count, line): &(usize, &str)| line.parse() == Ok(count);
        let (count, _) = prompt.lines().rev().enumerate().find(count).expect("a counted list of actions");
        prompt.lines().rev().nth(count - 1).unwrap().clone_into(&mut self.line);
        Ok(Answer { reply: if elapsed > limit { Err(Fault::Timeout) } else { Ok(&self.line) }, elapsed, late: false })
    }

    fn pause(&mut self) {
        self.pauses += 1;
    }
}

fn played(clock: Clock, takes: [Vec<u64>; 2]) -> ([Thinker; 2], [Fate; 2]) {
    let thinker = |takes: Vec<u64>| Thinker {
        takes: takes.into_iter().map(Duration::from_millis).collect(),
        ..Thinker::default()
    };
    let mut players = takes.map(thinker);
    let mut game = (onitama::SPEC.start)(3, &Options::default()).unwrap();
    let played = play(game.as_mut(), &mut players, clock, false).unwrap();
    (players, [0, 1].map(|seat: usize| played.standings[seat].fate))
}

#[test]
fn the_first_answer_has_its_own_limit_and_the_time_to_start() {
    let clock = Clock { startup: Duration::from_secs(2), ..Clock::of(&onitama::SPEC) };
    let (players, fates) = played(clock, [vec![2900, 40, 40], vec![2900, 40, 60]]);
    assert_eq!(fates, [Fate::Ok, Fate::Timeout]);
    assert_eq!(players[1].limits, [3000, 50, 50].map(Duration::from_millis));
}

#[test]
fn codingame_forgives_two_late_answers() {
    let clock = Clock { rules: TimeRules::Codingame, ..Clock::of(&onitama::SPEC) };
    let (players, fates) = played(clock, [vec![1, 80, 10, 100, 50, 51], vec![1, 60]]);
    assert_eq!(fates, [Fate::Timeout, Fate::Ok]);
    let limits = [1000, 50, 50, 50, 50, 50].map(Duration::from_millis);
    let margins = [1, 1, 1, 1, 0, 0];
    assert_eq!(players[0].limits, [0, 1, 2, 3, 4, 5].map(|turn: usize| limits[turn] + margins[turn] * SOFT_MARGIN));
    let (_, fates) = played(clock, [vec![1, 101], vec![]]);
    assert_eq!(fates[0], Fate::Timeout, "the margin is the end");
}

#[test]
fn the_other_seat_is_paused_while_one_thinks() {
    for no_ponder in [true, false] {
        let clock = Clock { no_ponder, ..Clock::of(&onitama::SPEC) };
        let (players, _) = played(clock, [vec![10, 0, 10, 10, 0, 60], vec![]]);
        assert_eq!(players.map(|player| player.pauses), [0, if no_ponder { 4 } else { 0 }]);
    }
}

fn start(script: &str) -> Bot {
    let command = vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()];
    let launch = Launch { name: "bot".into(), command, env: BTreeMap::new() };
    Bot::start(&launch, 1, &Arc::new(Interrupt::new().unwrap())).unwrap()
}

/// The state of a process as the kernel calls it: `T` is stopped.
fn state(pid: &str) -> char {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
}

#[test]
fn a_bot_is_paused_only_after_its_first_answer_and_goes_on_when_asked() {
    let mut bot = start("while read -r line; do echo $$; done");
    bot.pause();
    let pid = bot.ask("go\n", LONG, &mut || {}).unwrap().reply.unwrap().to_owned();
    assert_ne!(state(&pid), 'T');
    for _ in 0..3 {
        bot.pause();
        bot.pause();
        while state(&pid) != 'T' {
            std::thread::yield_now();
        }
        assert_eq!(bot.ask("go\n", LONG, &mut || {}).unwrap().reply, Ok(pid.as_str()));
    }
    bot.pause();
    drop(bot);
    assert!(fs::metadata(format!("/proc/{pid}")).is_err(), "a paused bot can be ended");
}

/// Processes that want the core all the time.
struct Load(Vec<Child>);

impl Load {
    fn on_this_core(processes: usize) -> Load {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
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

/// This thread, and what it starts from now on, on one core.
fn stay_on_one_core() {
    let allowed = sched_getaffinity(None).unwrap();
    let core = (0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core)).unwrap();
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one).unwrap();
}

const COUNTS: &str = "while read -r line; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; done";

#[test]
fn a_busy_machine_makes_nobody_lose() {
    stay_on_one_core();
    let mut bot = start(COUNTS);
    let mut time = || {
        let start = Instant::now();
        assert_eq!(bot.ask("go\n", LONG, &mut || {}).unwrap().reply, Ok("done"));
        start.elapsed()
    };
    // A core that does other work as well is also slower, and a virtual one at times not there, which nothing refunds.
    let limit = (0..5).map(|_| time()).max().unwrap() * 2;

    let load = Load::on_this_core(5);
    let (mut late, mut busy) = (0, 0);
    for _ in 0..20 {
        match bot.ask("go\n", limit, &mut || {}) {
            Ok(answer) => {
                assert_eq!(answer.reply, Ok("done"));
                late += usize::from(answer.late);
            }
            Err(Abort::Busy) => {
                busy += 1;
                bot = start(COUNTS);
                bot.ask("go\n", LONG, &mut || {}).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(late + busy > 0, "the load did not slow the bot down");

    // Who does not want the core is not excused by others who do; nor is anybody, where no excuses are taken.
    let mut sleeper = start("read -r line; echo first; sleep 60");
    sleeper.ask("go\n", LONG, &mut || {}).unwrap();
    assert_eq!(sleeper.ask("go\n", limit, &mut || {}).unwrap().reply, Err(Fault::Timeout));
    let mut endless = start("read -r line; echo first; while :; do :; done");
    endless.excuses = false;
    endless.ask("go\n", LONG, &mut || {}).unwrap();
    assert_eq!(endless.ask("go\n", limit, &mut || {}).unwrap().reply, Err(Fault::Timeout));
    drop(load);
}
