//! Speed of turns and of starting bots, compared with the minimal cost of pipes and processes on
//! this machine.
//!
//! Both kinds of turn are measured in the same run, in alternating rounds, with this thread and the
//! bot on one core; the medians are compared. The bot is this same program, called with `--bot`.
//! Figures vary with the load of the machine, but their ratio hardly does.

use std::env;
use std::error::Error;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_process::{Bot, Interrupt, Launch, Launcher, Mode, Sandbox, Supervision};
use cores::stay_on_one_core;

#[path = "shared/cores.rs"]
mod cores;

/// The number of lines of a prompt. The bot only counts lines.
const LINES: usize = 15;
/// The number of bytes of a prompt.
const BYTES: usize = 300;
const ANSWER: &str = "MOVE 1 2";
const LIMIT: Duration = Duration::from_secs(10);
/// The size of this process's heap while it starts bots.
const HEAP: usize = 1 << 30;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    if env::args().any(|argument| argument == "--bot") {
        return play_bot();
    }
    // `cargo test --benches` also runs this program, without `--bench`, to check that it works.
    let full = env::args().any(|argument| argument == "--bench");
    let (rounds, turns, lives) = if full { (15, 40_000, 400) } else { (1, 100, 3) };
    stay_on_one_core()?;

    let prompt = format!("{}\n", "7".repeat(BYTES / LINES - 1)).repeat(LINES);
    let launch = Launch {
        name: "bench".into(),
        command: vec![
            env::current_exe()?.to_string_lossy().into_owned(),
            "--bot".into(),
        ],
        ..Launch::default()
    };
    let interrupt = Arc::new(Interrupt::new()?);
    let (mut raw, mut asked) = (Vec::new(), Vec::new());
    let (mut raw_whole, mut bot_whole) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        raw.push(raw_turns(&launch, &prompt, turns)?);
        asked.push(asked_turns(&launch, &interrupt, &prompt, turns)?);
        raw_whole.push(raw_lives(&launch, &prompt, lives)?);
        bot_whole.push(bot_lives(&launch, &interrupt, &prompt, lives)?);
    }
    report("turns", "raw pipes", &mut raw, &mut asked);
    report(
        "bots started, asked once and stopped",
        "raw pipes",
        &mut raw_whole,
        &mut bot_whole,
    );
    let (mut lean, mut heavy) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        lean.push(bot_lives(&launch, &interrupt, &prompt, lives)?);
        // Use every page, because a process that forks to start another one pays for each.
        let heap = vec![1_u8; if full { HEAP } else { 1 }];
        heavy.push(bot_lives(&launch, &interrupt, &prompt, lives)?);
        drop(std::hint::black_box(heap));
    }
    report(
        "the same beside a heap of 1 GiB",
        "without",
        &mut lean,
        &mut heavy,
    );
    Ok(())
}

/// Prints the medians of two rates and their ratio.
fn report(what: &str, other: &str, roof: &mut [f64], ours: &mut [f64]) {
    let median = |rates: &mut [f64]| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let (roof, ours) = (median(roof), median(ours));
    println!(
        "{what} per second: {ours:.0}, {other} {roof:.0}, ratio {:.3}",
        ours / roof
    );
}

/// Answers every prompt with the same line, with one read and one write a turn.
fn play_bot() -> Outcome<()> {
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let answer = format!("{ANSWER}\n");
    let mut buffer = [0; 4096];
    let mut lines = 0;
    loop {
        let count = stdin.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        lines += buffer[..count].split(|&byte| byte == b'\n').count() - 1;
        while lines >= LINES {
            lines -= LINES;
            stdout.write_all(answer.as_bytes())?;
        }
    }
}

/// A bot on the standard library alone: blocking pipes, no error output, no deadline.
struct RawBot {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl RawBot {
    fn start(launch: &Launch) -> Outcome<RawBot> {
        let mut command = Command::new(&launch.command[0]);
        let mut child = command
            .arg("--bot")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a pipe is missing".into());
        };
        Ok(RawBot {
            child,
            stdin,
            stdout,
        })
    }

    fn turn(&mut self, prompt: &str) -> Outcome<()> {
        let mut buffer = [0; 4096];
        self.stdin.write_all(prompt.as_bytes())?;
        let count = self.stdout.read(&mut buffer)?;
        assert_eq!(buffer[..count].strip_suffix(b"\n"), Some(ANSWER.as_bytes()));
        Ok(())
    }

    fn stop(mut self) -> Outcome<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

fn raw_turns(launch: &Launch, prompt: &str, turns: u32) -> Outcome<f64> {
    let mut bot = RawBot::start(launch)?;
    let rate = rate(turns, &mut || bot.turn(prompt));
    bot.stop()?;
    rate
}

fn turn(bot: &mut Bot, prompt: &str) -> Outcome<()> {
    let answer = bot.ask(prompt, 1, LIMIT, &mut |_| {})?;
    assert_eq!(answer.reply, Ok(ANSWER));
    Ok(())
}

fn unconfined(launch: &Launch) -> Outcome<Arc<Launcher>> {
    let sandbox = Sandbox::new(Mode::Off, 0, Supervision::None, PathBuf::new())?;
    Ok(Launcher::new(&Arc::new(sandbox), launch.clone()))
}

fn asked_turns(
    launch: &Launch,
    interrupt: &Arc<Interrupt>,
    prompt: &str,
    turns: u32,
) -> Outcome<f64> {
    let mut bot = Bot::start_in(&unconfined(launch)?, 1, interrupt)?;
    rate(turns, &mut || turn(&mut bot, prompt))
}

fn raw_lives(launch: &Launch, prompt: &str, lives: u32) -> Outcome<f64> {
    rate(lives, &mut || {
        let mut bot = RawBot::start(launch)?;
        bot.turn(prompt)?;
        bot.stop()
    })
}

fn bot_lives(
    launch: &Launch,
    interrupt: &Arc<Interrupt>,
    prompt: &str,
    lives: u32,
) -> Outcome<f64> {
    rate(lives, &mut || {
        let mut bot = Bot::start_in(&unconfined(launch)?, 1, interrupt)?;
        turn(&mut bot, prompt)?;
        let _ = bot.stop();
        Ok(())
    })
}

/// Returns how often `act` runs per second, not counting a first run.
fn rate(times: u32, act: &mut dyn FnMut() -> Outcome<()>) -> Outcome<f64> {
    act()?;
    let start = Instant::now();
    for _ in 0..times {
        act()?;
    }
    Ok(f64::from(times) / start.elapsed().as_secs_f64())
}
