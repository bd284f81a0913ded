//! How fast bots are asked and started, against the least that pipes and processes cost on this machine.
//!
//! Both kinds of turn are measured in the same run, in alternating rounds, with this thread and the bot on one
//! core; the medians are compared. The bot is this same program, called with `--bot`. Figures swing with the load
//! of the machine, their ratio hardly.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena::play::Player;
use arena::process::{Bot, Interrupt, Launch};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The lines of a prompt, which are all that the bot looks for.
const LINES: usize = 15;
/// The bytes of a prompt.
const BYTES: usize = 300;
const ANSWER: &str = "MOVE 1 2";
const LIMIT: Duration = Duration::from_secs(10);

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    if env::args().any(|argument| argument == "--bot") {
        return play_bot();
    }
    // `cargo test --benches` runs this program too, without `--bench`: then it is only seen to work.
    let full = env::args().any(|argument| argument == "--bench");
    let (rounds, turns, starts) = if full { (15, 40_000, 400) } else { (1, 100, 3) };
    stay_on_one_core()?;

    let prompt = format!("{}\n", "7".repeat(BYTES / LINES - 1)).repeat(LINES);
    let launch = Launch {
        name: "bench".into(),
        command: vec![env::current_exe()?.to_string_lossy().into_owned(), "--bot".into()],
        env: BTreeMap::new(),
    };
    let interrupt = Arc::new(Interrupt::new()?);
    let (mut raw, mut asked) = (Vec::new(), Vec::new());
    let (mut raw_started, mut started) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        raw.push(raw_turns(&launch, &prompt, turns)?);
        asked.push(asked_turns(&launch, &interrupt, &prompt, turns)?);
        raw_started.push(raw_starts(&launch, starts)?);
        started.push(bot_starts(&launch, &interrupt, starts)?);
    }
    report("turns", "raw blocking pipes", &mut raw, "Bot::ask", &mut asked);
    report("starts", "spawn, kill and wait", &mut raw_started, "Bot::start and stop", &mut started);
    Ok(())
}

/// Prints the medians of two rates and their ratio.
fn report(what: &str, roof_name: &str, roof: &mut [f64], ours_name: &str, ours: &mut [f64]) {
    let median = |rates: &mut [f64]| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let (roof, ours) = (median(roof), median(ours));
    println!("{what:>6}/s  {roof_name} {roof:.0}, {ours_name} {ours:.0}, ratio {:.3}", ours / roof);
}

/// Answers every prompt with the same line, with one read and one write a turn.
fn play_bot() -> Outcome<()> {
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    let answer = format!("{ANSWER}\n");
    let mut buffer = [0; 4096];
    let mut lines = 0;
    loop {
        let count = rustix::io::read(stdin.as_fd(), &mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        lines += buffer[..count].split(|&byte| byte == b'\n').count() - 1;
        while lines >= LINES {
            lines -= LINES;
            rustix::io::write(stdout.as_fd(), answer.as_bytes())?;
        }
    }
}

/// Turns per second with nothing but a blocking write and a blocking read.
fn raw_turns(launch: &Launch, prompt: &str, turns: u32) -> Outcome<f64> {
    let mut child =
        Command::new(&launch.command[0]).arg("--bot").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(mut stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("a pipe is missing".into());
    };
    let mut turn = || -> Outcome<()> {
        let mut buffer = [0; 4096];
        stdin.write_all(prompt.as_bytes())?;
        let count = stdout.read(&mut buffer)?;
        assert_eq!(buffer[..count].strip_suffix(b"\n"), Some(ANSWER.as_bytes()));
        Ok(())
    };
    let rate = rate(turns, &mut turn);
    child.kill()?;
    child.wait()?;
    rate
}

/// Turns per second of a [`Bot`].
fn asked_turns(launch: &Launch, interrupt: &Arc<Interrupt>, prompt: &str, turns: u32) -> Outcome<f64> {
    let mut bot = Bot::start(launch, 1, interrupt)?;
    rate(turns, &mut || {
        let answer = bot.ask(prompt, LIMIT)?;
        assert_eq!(answer.reply, Ok(ANSWER));
        Ok(())
    })
}

/// Starts per second with nothing but the standard library.
fn raw_starts(launch: &Launch, starts: u32) -> Outcome<f64> {
    rate(starts, &mut || {
        let mut child =
            Command::new(&launch.command[0]).arg("--bot").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        child.kill()?;
        child.wait()?;
        Ok(())
    })
}

/// Starts per second of a [`Bot`].
fn bot_starts(launch: &Launch, interrupt: &Arc<Interrupt>, starts: u32) -> Outcome<f64> {
    rate(starts, &mut || {
        let _ = Bot::start(launch, 1, interrupt)?.stop();
        Ok(())
    })
}

/// How often `act` is done in a second. The first time is not counted.
fn rate(times: u32, act: &mut dyn FnMut() -> Outcome<()>) -> Outcome<f64> {
    act()?;
    let start = Instant::now();
    for _ in 0..times {
        act()?;
    }
    Ok(f64::from(times) / start.elapsed().as_secs_f64())
}

/// Keeps this thread, and the processes it starts, on the first core that it may use.
fn stay_on_one_core() -> Outcome<()> {
    let allowed = sched_getaffinity(None)?;
    let core = (0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core)).ok_or("there is no core to run on")?;
    let mut one = CpuSet::new();
    one.set(core);
    Ok(sched_setaffinity(None, &one)?)
}
