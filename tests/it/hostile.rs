//! No bot can hurt a run: every way to misbehave, against a bot that plays on, in Onitama and
//! Kutulu; in `.ci/long` in every game.
//!
//! The sample bot `hostile` misbehaves in its second turn, in a gauntlet of `arena run` whose
//! challenger is the same program in its honest mode. The table below says what must become of it;
//! its opponent must always come through. The times of these few games are printed, not judged.
//! `every_mode_alone` is the long form:
//!
//! ```text
//! cargo test --test it hostile:: -- --ignored --nocapture
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use serde_json::Value;

use crate::programs::{self, copy_program, sample_bot, stdout, table};

/// One way to misbehave.
struct Case {
    /// The name of the bot.
    name: &'static str,
    /// The defence that is tried, or `-`.
    wall: &'static str,
    /// The arguments of the program, or `sh ` and a shell script with the program as `$0`.
    command: &'static str,
    /// Its fate in every game, or in the shogi games, Onitama and Kutulu.
    fates: Vec<&'static str>,
}

/// The columns are those of [`Case`].
const CASES: &str = "
plays | - | --mode honest | ok
panics | - | --mode panic | crashed
aborts | - | --mode abort | crashed
segfaults | - | --mode segfault | crashed
overflows its stack | - | --mode stack-overflow | crashed
terminates itself | - | --mode sigterm | crashed
interrupts its group | - | --mode sigint-group | crashed
exits | - | --mode exit | crashed
exits at once | - | --mode exit --turn 1 | crashed
answers and exits | - | --mode exit-after | crashed
exits, child stays | - | --mode orphan-exit | crashed
hangs | - | --mode hang | timeout
keeps busy | - | --mode busy | timeout
takes its own time | - | sh for i in 1 2 3 4; do (while kill -0 $$; do :; done) & done; exec $0 --mode busy | timeout
is stubborn | - | --mode stubborn | timeout
lingers | - | --mode lingers | ok
endless output | - | --mode endless-output | too_long
endless lines | - | --mode endless-lines | invalid_action
# In Onitama what was legal a turn ago isn't legal now, since the card has gone. Elsewhere `random`
# and `WAIT` always are.
endless answers | - | --mode blind | ok invalid_action ok
two answers | - | --mode two-lines | ok invalid_action ok
never reads | - | --mode never-reads | timeout
much stderr each turn | - | --mode stderr-each-turn | ok
1 MB of stderr | - | --mode stderr-flood | ok
endless stderr | - | --mode endless-stderr | timeout
half an answer | - | --mode partial --ms 60000 | timeout
answer with a pause | - | --mode partial | ok
late line | - | --mode late-line | invalid_action
byte by byte | - | --mode bytewise | ok
crlf | - | --mode crlf | ok
cr | - | --mode cr | ok
nul | - | --mode nul | invalid_action
no utf-8 | - | --mode invalid-utf8 | invalid_action
empty line | - | --mode empty | invalid_action
illegal action | - | --mode illegal | invalid_action
late | - | --mode late --ms 1100 | timeout
almost late | - | --mode late | ok
closes stdin | - | --mode closes-stdin | timeout
closes stdout | - | --mode closes-stdout | crashed
closes stderr | - | --mode closes-stderr | ok
stops itself | - | --mode stops | timeout
forks | - | --mode fork-bomb | ok
shell with a child | - | sh $0 --helper sleeper & exec $0 | ok
shell exits, child stays | - | sh $0 --helper sleeper & $0 --mode exit; exit 0 | crashed
descriptors | - | --mode descriptors | ok
scratch folder | - | --mode writes-scratch | ok
# No process outlives the run, whatever session or group it is in.
daemon | guard | --mode daemon | ok
exits, daemon stays | guard | --mode daemon-exit | crashed
chain of daemons | guard | --mode daemon-chain | ok
child in its own group | guard | --mode own-group | ok
# `[limits]`.
takes 4 GB | memory | --mode memory | out_of_memory
# `[sandbox]`: network, files, signals.
tcp | sandbox | --mode tcp | ok
udp | sandbox | --mode udp | ok
reads its rival's folder | sandbox | --mode reads-rival | ok
reads the home folder | sandbox | --mode reads-home | ok
reads others' memory | sandbox | --mode reads-memory | ok
signals the arena | sandbox | --mode signals-arena | ok
signals its starter | sandbox | --mode signals-starter | ok
signals its rival | sandbox | --mode signals-rival | ok
writes outside | sandbox | --mode writes-outside | ok
";

/// Everything in [`CASES`].
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for [name, wall, command, fates] in table(CASES) {
        let fates = fates.split(' ').collect();
        cases.push(Case {
            name,
            wall,
            command,
            fates,
        });
    }
    cases
}

const GAMES: [&str; 4] = ["minishogi", "dice_shogi", "onitama", "kutulu"];

/// The limit in runs of bots that exceed it, in milliseconds.
const SHORT: u64 = 200;

/// The limit in runs of bots that do not: a busy machine must not make them.
const LONG: u64 = 10_000;

/// The most memory that any process of the arena may ever have had, in KiB.
const MEMORY_MAX: u64 = 30 * 1024;

/// The content of files that bots must not touch.
const UNTOUCHED: &str = "neither read nor changed";

impl Case {
    /// The limit of its run.
    fn limit(&self) -> u64 {
        if self.fates.contains(&"timeout") {
            SHORT
        } else {
            LONG
        }
    }

    fn fate(&self, game: &str) -> &'static str {
        let index = match game {
            "onitama" => 1,
            "kutulu" => 2,
            _ => 0,
        };
        self.fates.get(index).copied().unwrap_or(self.fates[0])
    }

    /// Its table in the config. By default, it misbehaves in `turn`.
    fn bot(&self, ground: &Ground, turn: u32) -> String {
        let program = ground.folder.join("bots/hostile");
        let program = program.display();
        let command = match self.command.strip_prefix("sh ") {
            Some(script) => format!(r#"["sh", "-c", "{script}", "{program}"]"#),
            None if self.command.contains("--turn") => format!(r#""{program} {}""#, self.command),
            None => format!(r#""{program} {} --turn {turn}""#, self.command),
        };
        let mut env = format!("ARENA_TEST_TAG = \"{}\"", ground.tag);
        for (key, value) in &ground.aims {
            let _ = write!(env, ", {key} = \"{value}\"");
        }
        format!(
            "[[bot]]\nname = \"{}\"\ncommand = {command}\nenv = {{ {env} }}\n",
            self.name
        )
    }
}

/// The folder of a run, with files that bots must not touch.
struct Ground {
    /// Removes the folder in the end.
    _temporary: tempfile::TempDir,
    folder: PathBuf,
    /// Stands in the environment of the arena and all that comes from it.
    tag: String,
    /// The variables that tell the bots what to aim at.
    aims: BTreeMap<&'static str, String>,
    tcp: TcpListener,
    /// Whether a datagram arrived.
    heard: Arc<AtomicBool>,
    /// Open in the arena as well, as what a careless caller leaves open is. No bot may get it.
    _inherited: OwnedFd,
}

/// Answers datagrams for as long as the tests run: only so can a bot know that one got through.
fn echo(socket: UdpSocket, heard: &Arc<AtomicBool>) {
    let heard = Arc::clone(heard);
    thread::spawn(move || {
        let mut datagram = [0; 16];
        while let Ok((length, sender)) = socket.recv_from(&mut datagram) {
            heard.store(true, Ordering::Relaxed);
            let _ = socket.send_to(&datagram[..length], sender);
        }
    });
}

impl Ground {
    fn new() -> Ground {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().canonicalize().unwrap();
        for place in ["bots", "rival", "home", "outside"] {
            fs::create_dir(folder.join(place)).unwrap();
        }
        for bot in ["bots", "rival"] {
            copy_program(sample_bot("hostile"), &folder.join(bot).join("hostile"));
        }
        for secret in ["rival/secret", "home/secret", "outside/precious"] {
            fs::write(folder.join(secret), UNTOUCHED).unwrap();
        }
        let (tcp, udp) = (
            TcpListener::bind("127.0.0.1:0").unwrap(),
            UdpSocket::bind("127.0.0.1:0").unwrap(),
        );
        tcp.set_nonblocking(true).unwrap();
        let at = |place: &str| folder.join(place).display().to_string();
        let aims = BTreeMap::from([
            ("HOSTILE_RIVAL", at("rival")),
            ("HOSTILE_HOME", at("home")),
            ("HOSTILE_WRITE", at("outside")),
            ("HOSTILE_TCP", tcp.local_addr().unwrap().to_string()),
            ("HOSTILE_UDP", udp.local_addr().unwrap().to_string()),
        ]);
        let heard = Arc::new(AtomicBool::new(false));
        echo(udp, &heard);
        let tag = format!(
            "hostile-{}-{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        );
        let inherited = rustix::fs::open("/", OFlags::RDONLY, Mode::empty()).unwrap();
        Ground {
            _temporary: temporary,
            folder,
            tag,
            aims,
            tcp,
            heard,
            _inherited: inherited,
        }
    }

    /// Traces of a breach in the network and in files.
    fn touched(&self) -> Vec<String> {
        let mut signs = Vec::new();
        if self.tcp.accept().is_ok() {
            signs.push("somebody connected by TCP".to_owned());
        }
        if self.heard.load(Ordering::Relaxed) {
            signs.push("somebody sent a datagram".to_owned());
        }
        let precious = fs::read_to_string(self.folder.join("outside/precious"));
        if precious.ok().as_deref() != Some(UNTOUCHED) {
            signs.push("a file was changed".to_owned());
        }
        signs
    }

    fn arena(&self, args: &[&str]) -> Command {
        let mut command = programs::command(&self.folder, args);
        command
            .env("ARENA_TEST_TAG", &self.tag)
            .env("HOME", self.folder.join("home"));
        command
    }
}

/// A group of cases that share a config.
struct Plan<'a> {
    cases: Vec<&'a Case>,
    games: Vec<&'static str>,
    /// The games of each pairing, in each game.
    pairing: usize,
    limit: u64,
    /// The limit of the first turn.
    first: u64,
    turn: u32,
    jobs: u32,
    wall: &'static str,
}

impl Plan<'_> {
    /// The games of the run.
    fn count(&self) -> usize {
        self.cases.len() * self.games.len() * self.pairing
    }

    fn config(&self, ground: &Ground) -> String {
        let Plan {
            games,
            pairing,
            limit,
            first,
            jobs,
            ..
        } = self;
        let design = if games.contains(&"kutulu") {
            "design = \"mirror\""
        } else {
            ""
        };
        let wall = match self.wall {
            "memory" => "[limits]\nmemory_mb = 256\n",
            "sandbox" => "[sandbox]\nmode = \"auto\"\n",
            _ => "",
        };
        let mut config = format!(
            "[run]\nseed = 1\nname = \"run\"\ngame = {games:?}\ngames = {pairing}\njobs = {jobs}\nstart_anyway = true\n{design}\n\
             [clock]\nfirst_turn_ms = {first}\nturn_ms = {limit}\nstartup_ms = 0\n{wall}\
             [[bot]]\nname = \"honest\"\ncommand = [\"{}\"]\n",
            ground.folder.join("rival/hostile").display(),
        );
        for case in &self.cases {
            config += &case.bot(ground, self.turn);
        }
        config
    }
}

/// A run as seen from outside.
struct Observed {
    code: Option<i32>,
    wall: Duration,
    /// The highest peak of all processes of the arena, in KiB.
    memory: u64,
    stderr: String,
    survivors: Vec<String>,
}

/// Runs the arena to its end and a little longer.
fn observe(ground: &Ground) -> Observed {
    let to_file = |name: &str| Stdio::from(File::create(ground.folder.join(name)).unwrap());
    let mut command = ground.arena(&["run", "run.toml", "--quiet"]);
    let start = Instant::now();
    let mut child = command
        .stdout(to_file("stdout"))
        .stderr(to_file("stderr"))
        .spawn()
        .unwrap();
    let mut memory = 0;
    let status = loop {
        memory = memory.max(peak_memory(&child.id().to_string()));
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let wall = start.elapsed();
    let survivors = programs::survivors("ARENA_TEST_TAG", &ground.tag);
    let stderr = fs::read_to_string(ground.folder.join("stderr")).unwrap();
    Observed {
        code: status.code(),
        wall,
        memory,
        stderr,
        survivors,
    }
}

/// The highest peak of a process and of its descendants, as far as they are the arena, in KiB.
fn peak_memory(process: &str) -> u64 {
    let folder = Path::new("/proc").join(process);
    let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
    if !status.starts_with("Name:\tarena\n") {
        return 0;
    }
    let mut highest = 0;
    for line in status.lines() {
        if let Some(peak) = line.strip_prefix("VmHWM:") {
            let peak = peak.trim().strip_suffix(" kB").unwrap();
            highest = peak.parse().unwrap();
        }
    }
    for thread in fs::read_dir(folder.join("task"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let children = fs::read_to_string(thread.path().join("children"));
        for child in children.unwrap_or_default().split_whitespace() {
            highest = highest.max(peak_memory(child));
        }
    }
    highest
}

/// The fate of one bot in one game of the config.
#[derive(Default)]
struct Tally {
    fates: Vec<String>,
    faults: u32,
    /// The longest time from a prompt to a fault in its place.
    slowest: Option<f64>,
}

/// Plays the plan. Says what went wrong, if anything, and what became of each bot in each game.
fn play(plan: &Plan<'_>) -> (Vec<String>, BTreeMap<(String, String), Tally>, Observed) {
    let ground = Ground::new();
    fs::write(ground.folder.join("run.toml"), plan.config(&ground)).unwrap();
    let seen = observe(&ground);
    let mut wrong = Vec::new();
    if seen.code != Some(0) {
        wrong.push(format!("the run ended with {:?}", seen.code));
    }
    for process in &seen.survivors {
        wrong.push(format!("survives the run: {process}"));
    }
    if !(1..=MEMORY_MAX).contains(&seen.memory) {
        wrong.push(format!("the arena had {} KiB of memory", seen.memory));
    }
    if plan.wall == "sandbox" {
        wrong.extend(ground.touched());
    }
    let verify = ground
        .arena(&["verify", "results/run/records.jsonl"])
        .output();
    let (games, verified) = (plan.count(), stdout(&verify.unwrap()));
    if verified != format!("{games} games verified, 0 mismatches\n") {
        wrong.push(format!("of {games} games: {verified}"));
    }
    let mut tallies = BTreeMap::new();
    let run = ground.folder.join("results/run");
    if let Err(error) = judge(plan, &run, &mut tallies, &mut wrong) {
        wrong.push(format!("games.csv and records.jsonl: {error}"));
    }
    (wrong, tallies, seen)
}

/// Compares the fates with those of the table.
fn judge(
    plan: &Plan<'_>,
    run: &Path,
    tallies: &mut BTreeMap<(String, String), Tally>,
    wrong: &mut Vec<String>,
) -> io::Result<()> {
    let records = fs::read_to_string(run.join("records.jsonl"))?;
    let mut rows = csv::Reader::from_path(run.join("games.csv"))?;
    let first = rows
        .headers()?
        .iter()
        .position(|name| name == "p1_bot")
        .unwrap_or_default();
    let mut games = 0;
    for (row, record) in rows.records().zip(records.lines()) {
        let (row, record): (_, Value) = (row?, serde_json::from_str(record)?);
        games += 1;
        let game = &row[2];
        for seat in 0..4 {
            let at = first + 4 * seat;
            let (bot, fate) = (&row[at], &row[at + 3]);
            if bot.is_empty() {
                continue;
            }
            let case = plan.cases.iter().find(|case| case.name == bot);
            let expected = case.map_or("ok", |case| case.fate(game));
            if fate != expected {
                let number = &row[0];
                wrong.push(format!(
                    "{game}, game {number}: {bot} is {fate}, not {expected}"
                ));
            }
            let tally: &mut Tally = tallies
                .entry((bot.to_owned(), game.to_owned()))
                .or_default();
            tally.faults += u32::from(fate != "ok");
            if !tally.fates.iter().any(|known| known == fate) {
                tally.fates.push(fate.to_owned());
            }
            if let Some(ms) = time_to_fault(&record, seat) {
                tally.slowest = Some(tally.slowest.unwrap_or(0.0).max(ms));
            }
        }
    }
    if games != plan.count() {
        wrong.push(format!("{games} games instead of {}", plan.count()));
    }
    Ok(())
}

/// The milliseconds from the prompt to the fault, if a seat gave no answer at all.
fn time_to_fault(record: &Value, seat: usize) -> Option<f64> {
    let steps = record["steps"].as_array()?;
    let silent = |step: &Value| step["player"] == seat && step["output"].is_null();
    record["ms"][steps.iter().position(silent)?].as_f64()
}

/// All cases, in as few runs as their walls and limits allow.
fn plans<'a>(
    cases: &'a [Case],
    games: &[&'static str],
    turn: u32,
    pairing: usize,
) -> Vec<Plan<'a>> {
    let mut plans: Vec<Plan<'a>> = Vec::new();
    for case in cases {
        let (wall, limit) = (case.wall, case.limit());
        let is_alike = |plan: &&mut Plan| plan.wall == wall && plan.limit == limit;
        if let Some(plan) = plans.iter_mut().find(is_alike) {
            plan.cases.push(case);
            continue;
        }
        // A bot that is only just being started needs more than a short limit on a busy machine.
        let is_short = turn == 1 && limit == SHORT;
        plans.push(Plan {
            cases: vec![case],
            games: games.to_vec(),
            pairing,
            limit,
            first: if is_short { 1_000 } else { LONG },
            turn,
            jobs: 2,
            wall,
        });
    }
    plans
}

/// One line per bot: its fate in each game, its faults, and the time to the slowest of them.
fn shown(plan: &Plan<'_>, tallies: &BTreeMap<(String, String), Tally>) -> String {
    let mut text = String::new();
    for case in &plan.cases {
        let _ = write!(text, "{:<26}", case.name);
        for game in &plan.games {
            if let Some(tally) = tallies.get(&(case.name.to_owned(), (*game).to_owned())) {
                let mut cell = format!("{} x{}", tally.fates.join("/"), tally.faults);
                if let Some(ms) = tally.slowest {
                    let _ = write!(cell, " {ms:.1} ms");
                }
                let _ = write!(text, " {cell:<32}");
            }
        }
        text.push('\n');
    }
    text
}

#[test]
fn no_bot_hurts_a_run() {
    let mut wrong = Vec::new();
    let games = if programs::is_long() {
        &GAMES[..]
    } else {
        &GAMES[2..]
    };
    for plan in plans(&cases(), games, 2, 2) {
        let (more, tallies, seen) = play(&plan);
        println!(
            "{} ms a turn: {:.1} s, {} KiB\n{}",
            plan.limit,
            seen.wall.as_secs_f64(),
            seen.memory,
            shown(&plan, &tallies)
        );
        if !more.is_empty() {
            wrong.push(format!("{}\n{}", more.join("\n"), seen.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The long form: each mode and game by itself, with the wall time that a fault costs beyond its
/// limit; then all together in other turns than the second.
#[test]
#[ignore = "the long form: .ci/long"]
fn every_mode_alone() {
    let mut wrong = Vec::new();
    let mut report = |what: String, more: Vec<String>, seen: &Observed| {
        if !more.is_empty() {
            wrong.push(format!("{what}: {}\n{}", more.join("\n"), seen.stderr));
        }
    };
    let cases = cases();
    for case in &cases {
        print!("{:<26}", case.name);
        for game in GAMES {
            let limit = case.limit();
            let plan = Plan {
                cases: vec![case],
                games: vec![game],
                pairing: 10,
                limit,
                first: LONG,
                turn: 2,
                jobs: 1,
                wall: case.wall,
            };
            let (more, tallies, seen) = play(&plan);
            let tally = &tallies[&(case.name.to_owned(), game.to_owned())];
            let wall = seen.wall.as_secs_f64() * 1e3;
            let (fate, faults) = (tally.fates.join("/"), f64::from(tally.faults));
            let waited = if fate == "timeout" {
                faults * f64::from(u32::try_from(limit).unwrap())
            } else {
                0.0
            };
            let cost = (wall - waited) / faults.max(10.0);
            print!(" {:<32}", format!("{fate} x{faults} +{cost:.1} ms"));
            report(format!("{} in {game}", case.name), more, &seen);
        }
        println!();
    }
    // A game of Onitama may be over before any third turn.
    for (turn, games) in [(1, &GAMES[..]), (3, &[GAMES[0], GAMES[1], GAMES[3]])] {
        for plan in plans(&cases, games, turn, 4) {
            let (more, tallies, seen) = play(&plan);
            let (limit, seconds) = (plan.limit, seen.wall.as_secs_f64());
            let table = shown(&plan, &tallies);
            println!("turn {turn}, {limit} ms a turn: {seconds:.1} s\n{table}");
            report(format!("in turn {turn}"), more, &seen);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
