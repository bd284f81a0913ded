//! Speed of whole games, compared with the minimal cost of processes and pipes on this machine.
//!
//! The roof plays the very same games, prompt by prompt, also with two workers. It starts two bots,
//! writes each prompt, waits for one line before a deadline, and kills both. It has no referee,
//! files or sandbox. The arena is the program itself, as users start it, with the sandbox off and
//! on. All of them take turns, in several rounds, and their medians are compared.
//!
//! The bot (`shared/first_bot.rs`) answers with the first listed action at once. It plays twice: as
//! a part of this program, and as a static one. The static one starts in half the time, so all
//! other costs of a start weigh more. The time on cores, bots included, says more than the clock if
//! others use the machine too.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use arena_process::{allowed_cores, pin_to};
use serde_json::Value;

#[path = "shared/first_bot.rs"]
mod first_bot;

const GAMES: [&str; 2] = ["onitama", "minishogi"];
const JOBS: usize = 2;
/// The games of the run whose start, summary and page are measured, and how often.
const LONG_RUN: usize = 6000;
const LONG_ROUNDS: usize = 3;
const ANSWER_MAX: usize = 64;
/// Long enough to survive a short stall of the machine.
const DEADLINE: Duration = Duration::from_secs(1);

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The questions of one game: the seats and their prompts.
type Script = Vec<(usize, String)>;

fn main() -> Outcome<()> {
    if env::args().any(|argument| argument == "--bot") {
        first_bot::main();
        return Ok(());
    }
    // `cargo test --benches` also runs this program, without `--bench`, to check that it works.
    let full = env::args().any(|argument| argument == "--bench");
    let rounds = env::args()
        .skip_while(|argument| argument != "--rounds")
        .nth(1)
        .map(|rounds| rounds.parse());
    let (rounds, games) = if full {
        (rounds.transpose()?.unwrap_or(9), 2000)
    } else {
        (1, 10)
    };
    let folder = tempfile::tempdir()?;
    let dynamic = vec![
        env::current_exe()?.display().to_string(),
        "--bot".to_owned(),
    ];
    for bot in [dynamic, static_bot(folder.path())?] {
        for game in GAMES {
            let plan = Match {
                folder: folder.path(),
                game,
                games,
                bot: &bot,
            };
            let roof = compare(&plan, rounds)?;
            if full && game == GAMES[0] && bot.len() == 1 {
                compare_rest(&plan, roof)?;
            }
        }
    }
    Ok(())
}

/// The games of a round.
struct Match<'a> {
    folder: &'a Path,
    game: &'a str,
    games: usize,
    /// The command of both bots.
    bot: &'a [String],
}

/// Prints the figures of a match, and returns the games per second of processes and pipes alone.
fn compare(plan: &Match, rounds: usize) -> Outcome<f64> {
    let (scripts, games) = (plan.scripts()?, plan.games);
    let turns: usize = scripts.iter().map(Vec::len).sum();
    let bytes: usize = scripts
        .iter()
        .flatten()
        .map(|(_, prompt)| prompt.len())
        .sum();
    let kind = if plan.bot.len() == 1 {
        "static"
    } else {
        "dynamic"
    };
    println!(
        "{}, {kind} bot: {games} games of {:.0} turns, {} bytes a prompt",
        plan.game,
        share(turns, games),
        bytes / turns
    );
    let [mut roof, mut off, mut on] = [const { [Vec::new(), Vec::new()] }; 3];
    let mut rest = Vec::new();
    for _ in 0..rounds {
        measure(&mut roof, games, || raw(&scripts, plan.bot))?;
        measure(&mut off, games, || Ok(plan.arena("off", false)?.0))?;
        measure(&mut on, games, || {
            let (rate, seconds) = plan.arena("auto", false)?;
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
    Ok(roof)
}

/// Prints how long a longer run takes besides its games, and the size of its page.
fn compare_rest(plan: &Match, roof: f64) -> Outcome<()> {
    let long = Match {
        games: LONG_RUN,
        ..*plan
    };
    let mut rest = Vec::new();
    for _ in 0..LONG_ROUNDS {
        rest.push(long.arena("off", false)?.1);
    }
    let (rest, alone) = (median(rest), share(LONG_RUN, 1) / roof);
    let mut sizes = Vec::new();
    for name in ["records.jsonl", "report.html"] {
        let file = fs::metadata(long.folder.join("out").join(name))?;
        sizes.push(share(usize::try_from(file.len())?, 1_000_000));
    }
    println!(
        "  {LONG_RUN} games, {:.1} MB of records: start, summary and page of {:.1} MB take {rest:.3} s; \
         processes and pipes alone take {alone:.1} s; ratio {:.3}",
        sizes[0],
        sizes[1],
        rest / alone
    );
    Ok(())
}

/// Compiles the bot statically.
fn static_bot(folder: &Path) -> Outcome<Vec<String>> {
    let (source, bot) = (
        Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/shared/first_bot.rs"),
        folder.join("static-bot"),
    );
    let compiler = env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let flags = [
        "--edition=2024",
        "-O",
        "-Ctarget-feature=+crt-static",
        "-Crelocation-model=static",
        "-o",
    ];
    let status = Command::new(compiler)
        .args(flags)
        .arg(&bot)
        .arg(source)
        .status()?;
    if !status.success() {
        return Err("rustc could not make a static bot".into());
    }
    Ok(vec![bot.display().to_string()])
}

/// Records games per second, and milliseconds on cores per game, including ended processes.
fn measure(
    figures: &mut [Vec<f64>; 2],
    games: usize,
    play: impl FnOnce() -> Outcome<f64>,
) -> Outcome<()> {
    let before = on_cores()?;
    figures[0].push(play()?);
    figures[1].push((on_cores()? - before) / share(games, 1));
    Ok(())
}

/// Returns the milliseconds that this process and its ended children spent on cores.
fn on_cores() -> Outcome<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The second field may contain anything. The times, in hundredths of a second, are the fields
    // twelve to fifteen places after it.
    let fields = stat
        .rsplit_once(')')
        .ok_or("no fields")?
        .1
        .split_whitespace()
        .skip(11)
        .take(4);
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

impl Match<'_> {
    /// Runs the program. Returns the games per second while it plays, and the seconds of the rest.
    fn arena(&self, sandbox: &str, trace: bool) -> Outcome<(f64, f64)> {
        let Match {
            folder,
            game,
            games,
            bot,
        } = *self;
        let bot = |name: &str| format!("[[bot]]\nname = \"{name}\"\ncommand = {bot:?}\n");
        let run = format!(
            "[run]\ngame = \"{game}\"\ngames = {games}\njobs = {JOBS}\n[sandbox]\nmode = \"{sandbox}\"\n"
        );
        fs::write(folder.join("run.toml"), run + &bot("a") + &bot("b"))?;
        let start = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
        command
            .current_dir(folder)
            .args(["run", "run.toml", "--quiet", "--force", "--out", "out"])
            .stdout(Stdio::null());
        let status = command.args(trace.then_some("--trace")).status()?;
        let all = start.elapsed().as_secs_f64();
        let summary: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("out/summary.json"))?)?;
        let rate = summary["run"]["games_per_second"]
            .as_f64()
            .filter(|_| status.success())
            .ok_or("the run failed")?;
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let playing = games as f64 / rate;
        Ok((rate, all - playing))
    }

    /// Returns the questions of all games of a run, from its records.
    fn scripts(&self) -> Outcome<Vec<Script>> {
        self.arena("off", true)?;
        let mut scripts = Vec::new();
        for line in fs::read_to_string(self.folder.join("out/records.jsonl"))?.lines() {
            let record: Value = serde_json::from_str(line)?;
            let prompt = |step: &Value| {
                Some((
                    usize::try_from(step["player"].as_u64()?).ok()?,
                    step["input"].as_str()?.to_owned(),
                ))
            };
            let steps = record["steps"].as_array().ok_or("a record has no steps")?;
            scripts.push(
                steps
                    .iter()
                    .map(prompt)
                    .collect::<Option<_>>()
                    .ok_or("a prompt is missing")?,
            );
        }
        Ok(scripts)
    }
}

/// Plays the scripts with only processes and pipes around the bots. Returns games per second.
fn raw(scripts: &[Script], bot: &[String]) -> Outcome<f64> {
    let cores = allowed_cores();
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    thread::scope(|scope| -> Outcome<()> {
        let work = |job: usize| {
            let (next, cores) = (&next, &cores);
            scope.spawn(move || -> Outcome<()> {
                pin_to(cores[job % cores.len()]);
                while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    raw_game(script, bot)?;
                }
                Ok(())
            })
        };
        let workers: Vec<_> = (0..JOBS).map(work).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a worker panicked")?)
    })?;
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let games = scripts.len() as f64;
    Ok(games / start.elapsed().as_secs_f64())
}

fn raw_game(script: &Script, bot: &[String]) -> Outcome<()> {
    let mut bots = [RawBot::start(bot)?, RawBot::start(bot)?];
    for (seat, prompt) in script {
        let (bot, start) = (&mut bots[*seat], Instant::now());
        bot.stdin.write_all(prompt.as_bytes())?;
        let mut buffer = [0; ANSWER_MAX];
        system::wait(&bot.stdout, DEADLINE.saturating_sub(start.elapsed()))?;
        let count = bot.stdout.read(&mut buffer)?;
        assert_eq!(buffer[..count].last(), Some(&b'\n'));
    }
    bots.into_iter().try_for_each(RawBot::stop)
}

/// A bot with no error output and no supervision of its process.
struct RawBot {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl RawBot {
    fn start(bot: &[String]) -> Outcome<RawBot> {
        let mut command = Command::new(&bot[0]);
        command
            .args(&bot[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        system::alone(&mut command);
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a pipe is missing".into());
        };
        Ok(RawBot {
            child,
            stdin,
            stdout,
        })
    }

    fn stop(mut self) -> Outcome<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::os::unix::process::CommandExt as _;
    use std::process::{ChildStdout, Command};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};

    /// Waits for output until a deadline.
    pub(crate) fn wait(output: &ChildStdout, left: Duration) -> super::Outcome<()> {
        let mut outputs = [PollFd::new(output, PollFlags::IN)];
        assert_eq!(poll(&mut outputs, Some(&left.try_into()?))?, 1);
        Ok(())
    }

    /// Has a command start in a process group of its own.
    pub(crate) fn alone(command: &mut Command) {
        command.process_group(0);
    }
}

/// Elsewhere the roof has no deadline.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::{ChildStdout, Command};
    use std::time::Duration;

    pub(crate) fn wait(_: &ChildStdout, _: Duration) -> super::Outcome<()> {
        Ok(())
    }

    pub(crate) fn alone(_: &mut Command) {}
}
