//! No bot can hurt a run: every way to misbehave, against a bot that plays on, in Onitama and Kutulu; in
//! `.ci/long` in every game.
//!
//! The sample bot `hostile` misbehaves in its second turn, in a gauntlet of `arena run` whose challenger is the same
//! program in its honest mode. The table below says what must become of it; its opponent must always come through.
//! The times of these few games are printed, not judged. `every_mode_alone` is the long form:
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

use crate::programs::{self, copy_program, sample_bot};

/// The defence against a kind of misbehaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wall {
    /// No process outlives the run, whatever session or group it is in.
    Guard,
    /// `[limits]`: memory.
    Memory,
    /// `[sandbox]`: network, files, signals.
    Sandbox,
}

/// What is added to the config where a wall is tried.
fn wall_config(wall: Wall) -> &'static str {
    match wall {
        Wall::Guard => "",
        Wall::Memory => "[limits]\nmemory_mb = 256\n",
        Wall::Sandbox => "[sandbox]\nmode = \"auto\"\n",
    }
}

/// One way to misbehave.
struct Case {
    /// The name of the bot.
    name: &'static str,
    /// The arguments of the program, or `sh ` and a shell script with the program as `$0`.
    command: &'static str,
    /// Its fate in the shogi games, Onitama and Kutulu.
    fates: [&'static str; 3],
    wall: Option<Wall>,
}

const fn case(name: &'static str, command: &'static str, fate: &'static str) -> Case {
    Case {
        name,
        command,
        fates: [fate; 3],
        wall: None,
    }
}

const fn behind(wall: Wall, name: &'static str, command: &'static str, fate: &'static str) -> Case {
    Case {
        name,
        command,
        fates: [fate; 3],
        wall: Some(wall),
    }
}

/// In Onitama what was legal a turn ago is not legal now, since the card has gone. Elsewhere `random` and `WAIT` always are.
const fn stale_in_onitama(name: &'static str, command: &'static str) -> Case {
    Case {
        name,
        command,
        fates: ["ok", "invalid_action", "ok"],
        wall: None,
    }
}

const CASES: &[Case] = &[
    case("plays", "--mode honest", "ok"),
    case("panics", "--mode panic", "crashed"),
    case("aborts", "--mode abort", "crashed"),
    case("segfaults", "--mode segfault", "crashed"),
    case("terminates itself", "--mode sigterm", "crashed"),
    case("interrupts its group", "--mode sigint-group", "crashed"),
    case("exits", "--mode exit", "crashed"),
    case("exits at once", "--mode exit --turn 1", "crashed"),
    case("answers and exits", "--mode exit-after", "crashed"),
    case("exits, child stays", "--mode orphan-exit", "crashed"),
    case("hangs", "--mode hang", "timeout"),
    case("keeps busy", "--mode busy", "timeout"),
    case(
        "takes its own time",
        "sh for i in 1 2 3 4; do (while kill -0 $$; do :; done) & done; exec $0 --mode busy",
        "timeout",
    ),
    case("is stubborn", "--mode stubborn", "timeout"),
    case("lingers", "--mode lingers", "ok"),
    case("endless output", "--mode endless-output", "too_long"),
    case("endless lines", "--mode endless-lines", "invalid_action"),
    stale_in_onitama("endless answers", "--mode blind"),
    case("never reads", "--mode never-reads", "timeout"),
    case("much stderr each turn", "--mode stderr-each-turn", "ok"),
    case("1 MB of stderr", "--mode stderr-flood", "ok"),
    case("endless stderr", "--mode endless-stderr", "timeout"),
    case("half an answer", "--mode partial --ms 60000", "timeout"),
    case("answer with a pause", "--mode partial", "ok"),
    stale_in_onitama("two answers", "--mode two-lines"),
    case("late line", "--mode late-line", "invalid_action"),
    case("byte by byte", "--mode bytewise", "ok"),
    case("crlf", "--mode crlf", "ok"),
    case("cr", "--mode cr", "ok"),
    case("nul", "--mode nul", "invalid_action"),
    case("no utf-8", "--mode invalid-utf8", "invalid_action"),
    case("empty line", "--mode empty", "invalid_action"),
    case("illegal action", "--mode illegal", "invalid_action"),
    case("late", "--mode late --ms 1100", "timeout"),
    case("almost late", "--mode late", "ok"),
    case("closes stdin", "--mode closes-stdin", "timeout"),
    case("closes stdout", "--mode closes-stdout", "crashed"),
    case("closes stderr", "--mode closes-stderr", "ok"),
    case("stops itself", "--mode stops", "timeout"),
    case("forks", "--mode fork-bomb", "ok"),
    case(
        "shell with a child",
        "sh $0 --helper sleeper & exec $0",
        "ok",
    ),
    case(
        "shell exits, child stays",
        "sh $0 --helper sleeper & $0 --mode exit; exit 0",
        "crashed",
    ),
    case("descriptors", "--mode descriptors", "ok"),
    case("scratch folder", "--mode writes-scratch", "ok"),
    behind(Wall::Guard, "daemon", "--mode daemon", "ok"),
    behind(
        Wall::Guard,
        "exits, daemon stays",
        "--mode daemon-exit",
        "crashed",
    ),
    behind(Wall::Guard, "chain of daemons", "--mode daemon-chain", "ok"),
    behind(
        Wall::Guard,
        "child in its own group",
        "--mode own-group",
        "ok",
    ),
    behind(Wall::Memory, "takes 4 GB", "--mode memory", "out_of_memory"),
    behind(Wall::Sandbox, "tcp", "--mode tcp", "ok"),
    behind(Wall::Sandbox, "udp", "--mode udp", "ok"),
    behind(
        Wall::Sandbox,
        "reads its rival's folder",
        "--mode reads-rival",
        "ok",
    ),
    behind(
        Wall::Sandbox,
        "reads the home folder",
        "--mode reads-home",
        "ok",
    ),
    behind(
        Wall::Sandbox,
        "reads others' memory",
        "--mode reads-memory",
        "ok",
    ),
    behind(
        Wall::Sandbox,
        "signals the arena",
        "--mode signals-arena",
        "ok",
    ),
    behind(
        Wall::Sandbox,
        "signals its starter",
        "--mode signals-starter",
        "ok",
    ),
    behind(
        Wall::Sandbox,
        "signals its rival",
        "--mode signals-rival",
        "ok",
    ),
    behind(
        Wall::Sandbox,
        "writes outside",
        "--mode writes-outside",
        "ok",
    ),
];

/// The games, and the index of each in [`Case::fates`].
const GAMES: [(&str, usize); 4] = [
    ("minishogi", 0),
    ("dice_shogi", 0),
    ("onitama", 1),
    ("kutulu", 2),
];

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
        self.fates[GAMES
            .iter()
            .find(|(id, _)| *id == game)
            .expect("a game of the config")
            .1]
    }

    /// Its table in the config. By default, it misbehaves in `turn`.
    fn bot(&self, ground: &Ground, turn: u32) -> String {
        let program = ground.folder.join("bots/hostile");
        let command = match self.command.strip_prefix("sh ") {
            Some(script) => format!(r#"["sh", "-c", "{script}", "{}"]"#, program.display()),
            None if self.command.contains("--turn") => {
                format!(r#""{} {}""#, program.display(), self.command)
            }
            None => format!(r#""{} {} --turn {turn}""#, program.display(), self.command),
        };
        let mut env: Vec<String> = ground
            .aims
            .iter()
            .map(|(key, value)| format!("{key} = \"{value}\""))
            .collect();
        env.push(format!("ARENA_TEST_TAG = \"{}\"", ground.tag));
        format!(
            "[[bot]]\nname = \"{}\"\ncommand = {command}\nenv = {{ {} }}\n",
            self.name,
            env.join(", ")
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
    fn touched(&self) -> impl Iterator<Item = String> {
        let precious = fs::read_to_string(self.folder.join("outside/precious"));
        let signs = [
            (self.tcp.accept().is_ok(), "somebody connected by TCP"),
            (
                self.heard.load(Ordering::Relaxed),
                "somebody sent a datagram",
            ),
            (
                precious.ok().as_deref() != Some(UNTOUCHED),
                "a file was changed",
            ),
        ];
        signs
            .into_iter()
            .filter(|(seen, _)| *seen)
            .map(|(_, sign)| sign.to_owned())
    }

    fn arena(&self, args: &[&str]) -> Command {
        let mut command = programs::program();
        command
            .current_dir(&self.folder)
            .args(args)
            .stdin(Stdio::null());
        command
            .env("ARENA_TEST_TAG", &self.tag)
            .env("HOME", self.folder.join("home"))
            .env_remove("RUST_BACKTRACE");
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
    wall: Option<Wall>,
}

impl Plan<'_> {
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
        let mut config = format!(
            "[run]\nseed = 1\nname = \"run\"\ngame = {games:?}\ngames = {pairing}\njobs = {jobs}\nstart_anyway = true\n{design}\n\
             [clock]\nfirst_turn_ms = {first}\nturn_ms = {limit}\nstartup_ms = 0\n{}\
             [[bot]]\nname = \"honest\"\ncommand = [\"{}\"]\n",
            self.wall.map_or("", wall_config),
            ground.folder.join("rival/hostile").display(),
        );
        self.cases
            .iter()
            .for_each(|case| config += &case.bot(ground, self.turn));
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
    let value = |key: &str| {
        status
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .map(str::trim)
    };
    if value("Name:") != Some("arena") {
        return 0;
    }
    let own = value("VmHWM:")
        .and_then(|text| text.strip_suffix(" kB"))
        .and_then(|text| text.parse().ok());
    let threads = fs::read_dir(folder.join("task"))
        .into_iter()
        .flatten()
        .flatten();
    let children =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let below = children
        .filter_map(|list| list.split(' ').map(peak_memory).max())
        .max();
    own.unwrap_or(0).max(below.unwrap_or(0))
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
    wrong.extend(
        seen.survivors
            .iter()
            .map(|process| format!("survives the run: {process}")),
    );
    if !(1..=MEMORY_MAX).contains(&seen.memory) {
        wrong.push(format!("the arena had {} KiB of memory", seen.memory));
    }
    if plan.wall == Some(Wall::Sandbox) {
        wrong.extend(ground.touched());
    }
    let games = plan.cases.len() * plan.games.len() * plan.pairing;
    let verified = ground
        .arena(&["verify", "results/run/records.jsonl"])
        .output()
        .unwrap();
    let verified = String::from_utf8_lossy(&verified.stdout).into_owned();
    if verified != format!("{games} games verified, 0 mismatches\n") {
        wrong.push(format!("of {games} games: {verified}"));
    }
    let mut tallies = BTreeMap::new();
    if let Err(error) = judge(
        plan,
        &ground.folder.join("results/run"),
        &mut tallies,
        &mut wrong,
    ) {
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
        let (row, record): (_, serde_json::Value) = (row?, serde_json::from_str(record)?);
        games += 1;
        let game = &row[2];
        for (seat, cells) in (first..first + 16)
            .step_by(4)
            .map(|at| (&row[at], &row[at + 3]))
            .enumerate()
        {
            let (bot, fate) = cells;
            if bot.is_empty() {
                continue;
            }
            let case = plan.cases.iter().find(|case| case.name == bot);
            let expected = case.map_or("ok", |case| case.fate(game));
            if fate != expected {
                wrong.push(format!(
                    "{game}, game {}: {bot} is {fate}, not {expected}",
                    &row[0]
                ));
            }
            let tally: &mut Tally = tallies
                .entry((bot.to_owned(), game.to_owned()))
                .or_default();
            tally.faults += u32::from(fate != "ok");
            if !tally.fates.iter().any(|known| known == fate) {
                tally.fates.push(fate.to_owned());
            }
            tally.slowest = time_to_fault(&record, seat)
                .into_iter()
                .chain(tally.slowest)
                .reduce(f64::max);
        }
    }
    let expected = plan.cases.len() * plan.games.len() * plan.pairing;
    if games != expected {
        wrong.push(format!("{games} games instead of {expected}"));
    }
    Ok(())
}

/// The milliseconds from the prompt to the fault, if a seat gave no answer at all.
fn time_to_fault(record: &serde_json::Value, seat: usize) -> Option<f64> {
    let steps = record["steps"]
        .as_array()?
        .iter()
        .zip(record["ms"].as_array()?);
    let mut silent = steps.filter(|(step, _)| step["player"] == seat && step["output"].is_null());
    silent.next().and_then(|(_, ms)| ms.as_f64())
}

/// All cases, in as few runs as their walls and limits allow.
fn plans(games: &[&'static str], turn: u32, pairing: usize) -> Vec<Plan<'static>> {
    let walls = [
        None,
        Some(Wall::Guard),
        Some(Wall::Memory),
        Some(Wall::Sandbox),
    ];
    let groups = walls
        .into_iter()
        .flat_map(|wall| [(wall, SHORT), (wall, LONG)]);
    let plan = |(wall, limit)| {
        let cases: Vec<_> = CASES
            .iter()
            .filter(|case| case.wall == wall && case.limit() == limit)
            .collect();
        // A bot that is only just being started needs more than a short limit on a busy machine.
        let first = if turn == 1 && limit == SHORT {
            1_000
        } else {
            LONG
        };
        Plan {
            cases,
            games: games.to_vec(),
            pairing,
            limit,
            first,
            turn,
            jobs: 2,
            wall,
        }
    };
    groups
        .map(plan)
        .filter(|plan| !plan.cases.is_empty())
        .collect()
}

/// One line per bot: what became of it in each game, its faults, and the time to the slowest of them.
fn table(plan: &Plan<'_>, tallies: &BTreeMap<(String, String), Tally>) -> String {
    let mut text = String::new();
    for case in &plan.cases {
        let _ = write!(text, "{:<26}", case.name);
        for game in &plan.games {
            let Some(Tally {
                fates,
                faults,
                slowest,
            }) = tallies.get(&(case.name.to_owned(), (*game).to_owned()))
            else {
                continue;
            };
            let time = slowest.map_or(String::new(), |ms| format!(" {ms:.1} ms"));
            let _ = write!(
                text,
                " {:<32}",
                format!("{} x{faults}{time}", fates.join("/"))
            );
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
    let games: Vec<_> = games.iter().map(|(id, _)| *id).collect();
    for plan in plans(&games, 2, 2) {
        let (more, tallies, seen) = play(&plan);
        println!(
            "{} ms a turn: {:.1} s, {} KiB\n{}",
            plan.limit,
            seen.wall.as_secs_f64(),
            seen.memory,
            table(&plan, &tallies)
        );
        if !more.is_empty() {
            wrong.push(format!("{}\n{}", more.join("\n"), seen.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The long form: each mode and game by itself, with the wall time that a fault costs beyond its limit; then all
/// together in other turns than the second.
#[test]
#[ignore = "the long form: .ci/long"]
fn every_mode_alone() {
    let mut wrong = Vec::new();
    let mut report = |what: String, more: Vec<String>, seen: &Observed| {
        if !more.is_empty() {
            wrong.push(format!("{what}: {}\n{}", more.join("\n"), seen.stderr));
        }
    };
    for case in plans(&[], 2, 10).into_iter().flat_map(|plan| plan.cases) {
        print!("{:<26}", case.name);
        for (game, _) in GAMES {
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
        let games: Vec<_> = games.iter().map(|(id, _)| *id).collect();
        for plan in plans(&games, turn, 4) {
            let (more, tallies, seen) = play(&plan);
            let (limit, seconds) = (plan.limit, seen.wall.as_secs_f64());
            println!(
                "turn {turn}, {limit} ms a turn: {seconds:.1} s\n{}",
                table(&plan, &tallies)
            );
            report(format!("in turn {turn}"), more, &seen);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
