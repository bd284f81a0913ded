//! Whole games a second, against the least that processes and pipes cost on this machine.
//!
//! The roof plays the very same games, question for question, with two workers as well: it starts two bots, writes
//! each prompt, waits for one line before a deadline, and kills both. It has no referee, no files and no walls. The arena is the
//! program itself, as users start it, with the sandbox off and on. All of them in turn, in several rounds; medians are
//! compared. The bot is this same program, called with `--bot`, which answers with the first listed action at once. The time on
//! cores, bots included, says more than the clock where others use the machine too.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

const GAMES: [&str; 2] = ["onitama", "minishogi"];
const JOBS: usize = 2;
const ANSWER_MAX: usize = 64;
const DEADLINE: Duration = Duration::from_millis(50);

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The questions of one game: who is asked what.
type Script = Vec<(usize, String)>;

fn main() -> Outcome<()> {
    if env::args().any(|argument| argument == "--bot") {
        return play_bot();
    }
    // `cargo test --benches` runs this program too, without `--bench`: then it is only seen to work.
    let full = env::args().any(|argument| argument == "--bench");
    let rounds = env::args().skip_while(|argument| argument != "--rounds").nth(1).map(|rounds| rounds.parse());
    let (rounds, games) = if full { (rounds.transpose()?.unwrap_or(9), 2000) } else { (1, 10) };
    let folder = tempfile::tempdir()?;
    for game in GAMES {
        let scripts = scripts(folder.path(), game, games)?;
        let turns: usize = scripts.iter().map(Vec::len).sum();
        let bytes: usize = scripts.iter().flatten().map(|(_, prompt)| prompt.len()).sum();
        println!("{game}: {games} games of {:.0} turns, {} bytes a prompt", share(turns, games), bytes / turns);
        let [mut roof, mut off, mut on] = [const { [Vec::new(), Vec::new()] }; 3];
        let mut rest = Vec::new();
        for _ in 0..rounds {
            measure(&mut roof, games, || raw(&scripts))?;
            measure(&mut off, games, || Ok(arena(folder.path(), game, games, "off", false)?.0))?;
            measure(&mut on, games, || {
                let (rate, seconds) = arena(folder.path(), game, games, "auto", false)?;
                rest.push(seconds);
                Ok(rate)
            })?;
        }
        let [roof, roof_ms] = roof.map(median);
        println!("  processes and pipes alone: {roof:.0} games/s, {roof_ms:.2} ms on cores per game");
        for (name, figures) in [("off", off), ("auto", on)] {
            let [rate, ms] = figures.map(median);
            let (ratio, on_cores) = (rate / roof, roof_ms / ms);
            println!(
                "  arena, sandbox {name}: {rate:.0} games/s, {ms:.2} ms; ratio {ratio:.3}, on cores {on_cores:.3}"
            );
        }
        println!("  start, summary and files of a run: {:.3} s", median(rest));
    }
    Ok(())
}

/// Notes games a second, and milliseconds on cores per game, of processes that have ended included.
fn measure(figures: &mut [Vec<f64>; 2], games: usize, play: impl FnOnce() -> Outcome<f64>) -> Outcome<()> {
    let before = on_cores()?;
    figures[0].push(play()?);
    figures[1].push((on_cores()? - before) / share(games, 1));
    Ok(())
}

/// The milliseconds that this process and its ended children spent on cores.
fn on_cores() -> Outcome<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // From the second field, which may hold anything, the times in hundredths of a second are twelve to fifteen on.
    let fields = stat.rsplit_once(')').ok_or("no fields")?.1.split_whitespace().skip(11).take(4);
    let ticks: Vec<u64> = fields.map(str::parse).collect::<Result<_, _>>()?;
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let ticks = ticks.into_iter().sum::<u64>() as f64;
    Ok(ticks * 10.0)
}

fn share(part: usize, of: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let share = part as f64 / of as f64;
    share
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Runs the program; gives the games a second of the playing itself, and the seconds that the rest took.
fn arena(folder: &Path, game: &str, games: usize, sandbox: &str, trace: bool) -> Outcome<(f64, f64)> {
    let own = env::current_exe()?;
    let bot =
        |name: &str| format!("[[bot]]\nname = \"{name}\"\ncommand = [{:?}, \"--bot\"]\n", own.display().to_string());
    let run = format!("[run]\ngame = \"{game}\"\ngames = {games}\njobs = {JOBS}\n[sandbox]\nmode = \"{sandbox}\"\n");
    fs::write(folder.join("run.toml"), run + &bot("a") + &bot("b"))?;
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.current_dir(folder).args(["run", "run.toml", "--quiet", "--force", "--out", "out"]).stdout(Stdio::null());
    let status = command.args(trace.then_some("--trace")).status()?;
    let all = start.elapsed().as_secs_f64();
    let summary: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("out/summary.json"))?)?;
    let rate = summary["run"]["games_per_second"].as_f64().filter(|_| status.success()).ok_or("the run failed")?;
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let playing = games as f64 / rate;
    Ok((rate, all - playing))
}

/// The questions of all games of the run, as its records tell them.
fn scripts(folder: &Path, game: &str, games: usize) -> Outcome<Vec<Script>> {
    arena(folder, game, games, "off", true)?;
    let mut scripts = Vec::new();
    for line in fs::read_to_string(folder.join("out/records.jsonl"))?.lines() {
        let record: Value = serde_json::from_str(line)?;
        let prompt =
            |step: &Value| Some((usize::try_from(step["player"].as_u64()?).ok()?, step["input"].as_str()?.to_owned()));
        let steps = record["steps"].as_array().ok_or("a record has no steps")?;
        scripts.push(steps.iter().map(prompt).collect::<Option<_>>().ok_or("a prompt is missing")?);
    }
    Ok(scripts)
}

/// Plays the scripts with nothing around the bots but processes and pipes; gives games a second.
fn raw(scripts: &[Script]) -> Outcome<f64> {
    let allowed = sched_getaffinity(None)?;
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    thread::scope(|scope| -> Outcome<()> {
        let work = |job: usize| {
            let (next, cores) = (&next, &cores);
            scope.spawn(move || -> Outcome<()> {
                let mut one = CpuSet::new();
                one.set(cores[job % cores.len()]);
                sched_setaffinity(None, &one)?;
                while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    raw_game(script)?;
                }
                Ok(())
            })
        };
        let workers: Vec<_> = (0..JOBS).map(work).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked")?)
    })?;
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let games = scripts.len() as f64;
    Ok(games / start.elapsed().as_secs_f64())
}

fn raw_game(script: &Script) -> Outcome<()> {
    let mut bots = [RawBot::start()?, RawBot::start()?];
    for (seat, prompt) in script {
        let (bot, start) = (&mut bots[*seat], Instant::now());
        bot.stdin.write_all(prompt.as_bytes())?;
        let mut buffer = [0; ANSWER_MAX];
        let left = DEADLINE.saturating_sub(start.elapsed());
        assert_eq!(poll(&mut [PollFd::new(&bot.stdout, PollFlags::IN)], Some(&left.try_into()?))?, 1);
        let count = bot.stdout.read(&mut buffer)?;
        assert_eq!(buffer[..count].last(), Some(&b'\n'));
    }
    bots.into_iter().try_for_each(RawBot::stop)
}

/// A bot with nothing around it: no error output, nothing that watches its process.
struct RawBot {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl RawBot {
    fn start() -> Outcome<RawBot> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("--bot").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a pipe is missing".into());
        };
        Ok(RawBot { child, stdin, stdout })
    }

    fn stop(mut self) -> Outcome<()> {
        kill_process_group(Pid::from_child(&self.child), Signal::KILL)?;
        self.child.wait()?;
        Ok(())
    }
}

/// Answers every prompt with its first listed action, with one read and one write a turn.
fn play_bot() -> Outcome<()> {
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    let mut buffer = [0; 1 << 14];
    let mut filled = 0;
    loop {
        let count = rustix::io::read(stdin.as_fd(), &mut buffer[filled..])?;
        if count == 0 {
            return Ok(());
        }
        filled += count;
        if let Some(action) = first_action(&buffer[..filled]) {
            let mut answer = action.to_vec();
            answer.push(b'\n');
            rustix::io::write(stdout.as_fd(), &answer)?;
            filled = 0;
        }
    }
}

/// The first of the actions that end a prompt, after a line that counts them; none while the prompt is not complete.
fn first_action(prompt: &[u8]) -> Option<&[u8]> {
    let mut action = None;
    let lines = prompt.strip_suffix(b"\n")?.rsplit(|&byte| byte == b'\n');
    for (count, line) in lines.enumerate() {
        if count > 0 && std::str::from_utf8(line).ok()?.parse() == Ok(count) {
            // An action is its number and its text, or its text alone.
            return action;
        }
        action = Some(line);
    }
    None
}
