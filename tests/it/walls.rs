//! The promises of docs/explanation/sandbox.md about the sandbox hold: each row of its table, on
//! each system that the table names, as root and as an ordinary user.
//!
//! A bot for each attack, `tests/programs/walls.py`, plays in one run against an honest one.
//! Systems without a feature are made by refusing it to the arena. The test also tries what the
//! table doesn't promise, without a judgement: the run continues.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// A column of the table: a system, or a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rung {
    Full,
    NoLandlock,
    NoFilter,
    NoPidNamespace,
    Off,
}

use Rung::{Full, NoFilter, NoLandlock, NoPidNamespace, Off};

use crate::programs::{
    Folder, PATIENT, command, copy_program, csv_rows, in_project, new_folder, read, survivors,
    table,
};

/// The columns of the table after the promise. There is no way to try the second: to take from
/// landlock what it learnt last.
const COLUMNS: [(&str, Option<Rung>); 6] = [
    ("all features", Some(Full)),
    ("Linux before 6.12", None),
    ("no landlock", Some(NoLandlock)),
    ("no seccomp", Some(NoFilter)),
    ("no pid namespace", Some(NoPidNamespace)),
    ("`mode = \"off\"`", Some(Off)),
];

/// The rows of the table by their beginnings, with the attacks on each. They are followed by the
/// fate of the bot that makes them, if it isn't `ok`.
const ROWS: &str = "
    reads | reads, lists
    writes | writes, overwrites
    changes no mode | attributes, old_and_new_calls
    has no network | network, pairs
    signals | signals, signals_to_groups
    sees and traces | memory_of_others, traces_of_others
    changes limits, priority | priority_of_others, limits_of_others
    sees the seed | seed_in_processes, seed_in_files
    thinks only | lifted_by_timer crashed, lifted_stray crashed, lifted_by_pipe crashed, lifted_by_child crashed, lifted_children crashed
    has no more time | unwaited_children timeout, unwaited_grandchildren timeout, workers_of_the_start timeout, one_core timeout
    takes no processes | signals_taken, queue_taken
    shares no keys | shared, folder
    takes no more | shared_memory out_of_memory, memory_together out_of_memory, memory_behind_threads out_of_memory, memory_behind_descriptors out_of_memory, page_tables out_of_memory, strays, dead, ends crashed, own_descriptors, descriptors crashed, areas crashed, parts crashed, processes crashed, files crashed, disk crashed, unnamed crashed, unwaited
    outlives | nested crashed, daemon, traces
";

/// The rows, with attacks and fates.
fn rows() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let attack = |attack: &'static str| attack.split_once(' ').unwrap_or((attack, "ok"));
    let attacks = |[promise, attacks]: [&'static str; 2]| {
        (promise, attacks.split(", ").map(attack).collect())
    };
    table::<2>(ROWS).into_iter().map(attacks).collect()
}

/// Longer than any of the runs takes.
const LONG: Duration = Duration::from_secs(if cfg!(debug_assertions) { 300 } else { 3000 });
/// The seed of the runs, as `tests/programs/walls.py` knows it.
const SEED: &str = "7316498250";
/// The limit of an answer in milliseconds, in the attacks on it.
const LIMIT: u32 = 300;
/// The user `nobody`.
const USER: u32 = 65534;

/// The table of docs/explanation/sandbox.md: the cells of each row.
fn promises() -> Vec<Vec<String>> {
    let text = read(&in_project("docs/explanation"), "sandbox.md");
    let head = text.find("| a bot |").expect("the table of promises");
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let lines = text[head..].lines();
    lines
        .take_while(|line| line.starts_with('|'))
        .map(cells)
        .collect()
}

#[test]
fn the_table_of_promises_is_the_one_that_is_tried() {
    let (promises, rows) = (promises(), rows());
    assert_eq!(promises[0][1..], COLUMNS.map(|(name, _)| name));
    assert_eq!(promises.len() - 2, rows.len());
    for (row, (promise, attacks)) in promises[2..].iter().zip(rows) {
        assert!(row[0].starts_with(promise), "{} is not {promise}", row[0]);
        assert!(attacks.len() > 1, "{promise} is attacked in one way");
        for cell in &row[1..] {
            assert!(["yes", "no"].contains(&&**cell), "{row:?}");
        }
    }
}

/// The attacks whose fates the table promises on a system.
fn promised(rung: Rung) -> BTreeMap<&'static str, &'static str> {
    let is_of_rung = |(_, column): &(&str, Option<Rung>)| *column == Some(rung);
    let column = 1 + COLUMNS.iter().position(is_of_rung).unwrap();
    let mut promised = BTreeMap::new();
    for (row, (_, attacks)) in promises()[2..].iter().zip(rows()) {
        if row[column] == "yes" {
            promised.extend(attacks);
        }
    }
    promised
}

/// A folder with all that a run needs, of a user.
struct Ground {
    folder: Folder,
    user: u32,
    python: &'static str,
    stream: UnixListener,
    datagrams: UnixDatagram,
}

impl Ground {
    fn new(user: u32) -> Ground {
        let folder = new_folder();
        fs::set_permissions(&*folder, fs::Permissions::from_mode(0o755)).unwrap();
        for place in ["bot", "target", "home", "tmp"] {
            fs::create_dir(folder.join(place)).unwrap();
        }
        copy_program(env!("CARGO_BIN_EXE_arena"), &folder.join("arena"));
        let bot = in_project("tests/programs/walls.py");
        fs::copy(bot, folder.join("bot/walls.py")).unwrap();
        for secret in ["target/secret", "home/secret"] {
            fs::write(folder.join(secret), "neither read nor changed").unwrap();
        }
        let stream = UnixListener::bind(folder.join("target/stream")).unwrap();
        let datagrams = UnixDatagram::bind(folder.join("target/datagrams")).unwrap();
        stream.set_nonblocking(true).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let files = "bot/walls.py target/secret target/datagrams target/stream";
        for place in format!(" bot target home tmp {files}").split(' ') {
            chown(folder.join(place), Some(user), None).unwrap();
        }
        // Another user does not get at an interpreter in a home folder.
        let python = if Path::new("/usr/bin/python3").exists() {
            "/usr/bin/python3"
        } else {
            "python3"
        };
        Ground {
            folder,
            user,
            python,
            stream,
            datagrams,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// The files that no bot may touch, and what shows that it did: contents, and the time of the
    /// last change of anything.
    fn untouched(&self) -> [(String, i64, i64); 3] {
        ["target/secret", "home/secret", "bot/walls.py"].map(|path| {
            let meta = fs::metadata(self.at(path)).unwrap();
            (read(&self.folder, path), meta.ctime(), meta.ctime_nsec())
        })
    }

    /// The config of a run in which an innocent bot meets each attack.
    fn config(&self, rung: Rung, attacks: &[&str], innocent: &str, jobs: u32) -> String {
        // Without a sandbox, the `traces` attack can trace its rival. If arena paused the rival
        // too, it would stay stopped until its time runs out.
        let (mode, settings) = if rung == Off {
            ("off", "no_ponder = false\n")
        } else {
            ("auto", "[limits]\nmemory_mb = 256\n")
        };
        let turn_ms = if innocent == "plain" { LIMIT } else { 60_000 };
        let bot = |attack: &&str| {
            let (python, folder) = (self.python, self.folder.display());
            format!(
                "[[bot]]\nname = \"{attack}\"\ncommand = [\"{python}\", \"{folder}/bot/walls.py\", \"{attack}\"]\n\
                 env = {{ WALLS_TARGET = \"{folder}/target\", WALLS_LIMIT = \"{}\" }}\n",
                f64::from(turn_ms) / 1000.0
            )
        };
        let bots: String = [&innocent].into_iter().chain(attacks).map(bot).collect();
        format!(
            "[run]\nseed = {SEED}\nname = \"run\"\ngame = \"minishogi\"\ngames = {}\njobs = {jobs}\n[sandbox]\nmode = \"{mode}\"\n\
             [clock]\nfirst_turn_ms = 60000\nturn_ms = {turn_ms}\n{settings}{bots}",
            games_and_jobs().0,
        )
    }

    /// The arena as the user, on such a system.
    fn start(&self, rung: Rung) -> Child {
        self.start_with(as_user(self.user, &self.at("arena")), rung)
    }

    /// Starts arena as the last argument of a command.
    fn start_with(&self, mut command: Command, rung: Rung) -> Child {
        command
            .args(["run", "run.toml", "--seed", SEED])
            .current_dir(self.at(""))
            .stdin(Stdio::null())
            .env("TMPDIR", self.at("tmp"))
            .env("HOME", self.at("home"))
            .stdout(File::create(self.at("stdout")).unwrap())
            .stderr(File::create(self.at("stderr")).unwrap());
        spawn(&mut command, rung)
    }
}

/// Starts a program on a system that lacks a feature.
fn spawn(command: &mut Command, rung: Rung) -> Child {
    let set_filter = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 22);
    let set_filter = vec![SeccompRule::new(vec![set_filter.unwrap()]).unwrap()];
    let refused: &[(c_long, Vec<SeccompRule>)] = match rung {
        Full | Off => &[],
        NoLandlock => &[(libc::SYS_landlock_create_ruleset, vec![])],
        NoFilter => &[(libc::SYS_seccomp, vec![]), (libc::SYS_prctl, set_filter)],
        NoPidNamespace => &[(libc::SYS_unshare, vec![])],
    };
    if refused.is_empty() {
        return command.spawn().unwrap();
    }
    let refuse = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(
        refused.iter().cloned().collect(),
        SeccompAction::Allow,
        refuse,
        arch,
    );
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    let spawn = || {
        seccompiler::apply_filter(&filter).unwrap();
        command.spawn().unwrap()
    };
    thread::scope(|scope| scope.spawn(spawn).join().unwrap())
}

/// Waits for the end of a run; none within a long time is an end, too.
fn end(mut child: Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < LONG {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// Fates of the attacking bots, each with its breach or exit from the records.
fn fates(ground: &Ground) -> BTreeMap<String, Vec<(String, String)>> {
    let mut fates: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let run = &ground.at("results/run");
    let records = read(run, "records.jsonl");
    for (row, record) in csv_rows(run, "games.csv").iter().zip(records.lines()) {
        let evidence = record.find("breach: ").or_else(|| record.find("\"exit\":"));
        let evidence = evidence.map_or("", |at| &record[at..record.len().min(at + 900)]);
        for [bot, fate] in [["p1_bot", "p1_fate"], ["p2_bot", "p2_fate"]] {
            let fate = (row[fate].clone(), evidence.to_owned());
            fates.entry(row[bot].clone()).or_default().push(fate);
        }
    }
    fates
}

/// The games of each pairing, and how many are played at a time; more in the long form of the
/// tests.
fn games_and_jobs() -> (u32, &'static [u32]) {
    match env::var_os("ARENA_LONG") {
        Some(_) => (20, &[1, 2]),
        None => (2, &[2]),
    }
}

/// Makes all attacks on a system as a user, and says which promises do not hold.
fn attack(rung: Rung, user: u32) -> Vec<String> {
    let promised = promised(rung);
    let (mut slow, mut lifted, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (attack, fate) in rows().into_iter().flat_map(|(_, attacks)| attacks) {
        let is_promised = promised.contains_key(attack);
        let (list, is_tried) = if fate == "timeout" {
            (&mut slow, is_promised)
        } else if attack.starts_with("lifted") {
            (&mut lifted, is_promised)
        } else if attack.ends_with("taken") {
            // Elsewhere it would take signals from other runs of the user.
            (&mut others, is_promised)
        } else {
            // Outside the sandbox nothing but the promises is tried. There is no private folder
            // there, so we would have to remove what the attack with folders wrote in ours.
            (
                &mut others,
                rung != Off || is_promised && attack != "nested",
            )
        };
        if is_tried {
            list.push(attack);
        }
    }
    let mut wrong = Vec::new();
    for (innocent, attacks) in [("honest", others), ("plain", slow), ("patient", lifted)] {
        for jobs in games_and_jobs().1.iter().filter(|_| !attacks.is_empty()) {
            wrong.extend(played(rung, user, &promised, &attacks, innocent, *jobs));
        }
    }
    wrong
}

fn played(
    rung: Rung,
    user: u32,
    promised: &BTreeMap<&str, &str>,
    attacks: &[&str],
    innocent: &str,
    jobs: u32,
) -> Vec<String> {
    let ground = Ground::new(user);
    let config = ground.config(rung, attacks, innocent, jobs);
    fs::write(ground.at("run.toml"), config).unwrap();
    let before = ground.untouched();
    let status = end(ground.start(rung));
    let said = fs::read_to_string(ground.at("stderr")).unwrap();
    let mut wrong = Vec::new();
    if status.and_then(|status| status.code()) != Some(0) {
        return vec![format!("the run ended with {status:?}: {said}")];
    }
    let warned = said.contains("warning: the sandbox is incomplete, unavailable: ");
    if warned == [Full, Off].contains(&rung) {
        wrong.push(format!("of what is missing: {said}"));
    }
    for process in survivors("WALLS_TARGET", ground.at("target")) {
        wrong.push(format!("survives the run: {process}"));
    }
    for left in fs::read_dir(ground.at("tmp")).unwrap().flatten() {
        wrong.push(format!("is left: {left:?}"));
    }
    let fates = fates(&ground);
    let mut expected: BTreeMap<&str, &str> = BTreeMap::new();
    for attack in attacks {
        expected.extend(promised.get_key_value(attack));
    }
    if rung == Full {
        expected.insert(innocent, "ok");
    }
    for (attack, expected) in expected {
        for (fate, evidence) in &fates[attack] {
            if fate != expected {
                wrong.push(format!("{attack}: {fate} instead of {expected} {evidence}"));
            }
        }
    }
    if rung == Full {
        if ground.stream.accept().is_ok() || ground.datagrams.recv(&mut [0; 8]).is_ok() {
            wrong.push("something was sent to a socket".to_owned());
        }
        if ground.untouched() != before {
            wrong.push("a file was changed".to_owned());
        }
    }
    wrong
}

/// The program, started as a user that this one [can be](can_be).
pub(crate) fn as_user(user: u32, program: &Path) -> Command {
    if rustix::process::geteuid().as_raw() == user {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args([format!("--reuid={user}"), format!("--regid={user}")])
        .arg("--clear-groups")
        .arg(program);
    command
}

/// Whether the run can be tried as this user.
pub(crate) fn can_be(user: u32) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let can = own == user || own == 0 && Command::new("setpriv").arg("--version").output().is_ok();
    if !can {
        eprintln!(
            "not tried as user {user}: this is user {own}, and another needs root and `setpriv` (util-linux)"
        );
    }
    can
}

fn every_promise_holds(rung: Rung, users: &[u32]) {
    for &user in users.iter().filter(|&&user| can_be(user)) {
        let wrong = attack(rung, user);
        let wrong = wrong.join("\n");
        assert!(wrong.is_empty(), "{rung:?}, user {user}:\n{wrong}");
    }
}

/// The user of the test, or `nobody` if that is root.
pub(crate) fn ordinary_user() -> u32 {
    let own = rustix::process::geteuid();
    if own.is_root() { USER } else { own.as_raw() }
}

#[test]
fn with_all_features_as_root() {
    every_promise_holds(Full, &[0]);
}

#[test]
fn with_all_features_as_an_ordinary_user() {
    every_promise_holds(Full, &[ordinary_user()]);
}

/// The limit holds only in a user namespace that the test makes.
#[test]
fn a_bot_takes_no_processes_from_others() {
    let user = ordinary_user();
    if !can_be(user) {
        return;
    }
    let ground = Ground::new(user);
    let config = ground.config(Full, &["processes_taken"], "honest", 2);
    fs::write(ground.at("run.toml"), config).unwrap();
    let mut command = as_user(user, Path::new("unshare"));
    command.args(["--user", "--map-current-user", "prlimit", "--nproc=400"]);
    command.arg(ground.at("arena"));
    let status = end(ground.start_with(command, Full));
    let said = fs::read_to_string(ground.at("stderr")).unwrap();
    assert!(status.is_some_and(|status| status.success()), "{said}");
    assert!(said.contains("raise `ulimit -u`"), "{said}");
    let fates = fates(&ground);
    for (fate, _) in fates.values().flatten() {
        assert_eq!(fate, "ok", "{fates:?}");
    }
}

#[test]
fn without_landlock() {
    every_promise_holds(NoLandlock, &[ordinary_user()]);
}

/// Java's warnings go to standard output, where they would be taken for answers.
#[test]
fn java_plays_without_landlock() {
    if Command::new("javac").arg("-version").output().is_err() {
        eprintln!("there is no javac here: nothing was tried");
        return;
    }
    let folder = new_folder();
    let starter = in_project("starters/onitama/Player.java");
    fs::copy(starter, folder.join("Player.java")).unwrap();
    let mut command = command(
        &folder,
        &["check", "onitama", "Player.java", "--seeds", "1"],
    );
    command
        .args(PATIENT.split(' '))
        .env("JAVA_TOOL_OPTIONS", "-Dmine=1")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .stdout(File::create(folder.join("stdout")).unwrap());
    let status = end(spawn(&mut command, NoLandlock));
    let said = read(&folder, "stdout");
    assert!(status.is_some_and(|status| status.success()), "{said}");
}

#[test]
fn without_a_filter_of_calls() {
    every_promise_holds(NoFilter, &[ordinary_user()]);
}

#[test]
fn without_a_pid_namespace() {
    every_promise_holds(NoPidNamespace, &[ordinary_user()]);
}

#[test]
fn without_a_sandbox() {
    every_promise_holds(Off, &[ordinary_user()]);
}
