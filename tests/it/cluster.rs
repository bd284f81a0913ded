//! Games on other machines: a server, workers in separate folders, and runs that must have the
//! bytes of a run on this machine, even if workers come, leave, are killed or lie. The long form
//! plays more: `cargo test --features workers --test it cluster:: -- --ignored`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::sleep;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::pool;
use crate::programs::{
    self, Said as _, caching, in_project, read, said, shell, timeless, write_program,
};

/// A process that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server with its workers, and a folder for runs.
struct Ground {
    folder: TempDir,
    port: u16,
    server: Option<Running>,
}

/// Starts a server that keeps its files in this folder.
fn server(store: PathBuf, address: &str, port: u16, flags: &[&str]) -> Running {
    let mut server = Command::new("nats-server");
    server
        .args(["-a", address, "-p", &port.to_string()])
        .args(flags)
        .arg("-sd")
        .arg(store)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = Running(server.spawn().expect("nats-server is installed"));
    until("the server does not start", || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    server
}

impl Ground {
    fn new() -> Ground {
        let mut ground = Ground::without_server();
        ground.start_server(&["-js"]);
        ground
    }

    fn without_server() -> Ground {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Ground {
            folder,
            port: free_port(),
            server: None,
        }
    }

    fn start_server(&mut self, flags: &[&str]) {
        self.server = None;
        let store = self.path("store");
        self.server = Some(server(store, "127.0.0.1", self.port, flags));
    }

    /// Kills the server, with all that it holds, and starts another one.
    fn replace_server(&mut self) {
        self.server = None;
        fs::remove_dir_all(self.path("store")).unwrap();
        self.start_server(&["-js"]);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A program in a subfolder.
    fn arena(&self, folder: &str, args: &str) -> Command {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap();
        let mut command = caching(&folder, args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn worker(&self, name: &str) -> Running {
        self.worker_with(name, "")
    }

    fn worker_with(&self, name: &str, flags: &str) -> Running {
        let url = self.url();
        let args = format!("worker {url} --name {name} --jobs 1 --sandbox auto {flags}");
        let mut worker = self.arena(name, &args);
        let log = fs::File::create(self.path(name).join("log")).unwrap();
        Running(worker.stdout(Stdio::null()).stderr(log).spawn().unwrap())
    }

    /// Writes a config.
    fn config(&self, config: &str) {
        fs::write(self.path("home/config.toml"), config).unwrap();
    }

    /// Writes a config, and plays it here.
    fn local(&self, config: &str) {
        self.config(config);
        let mut arena = self.arena("home", "run config.toml --out local --jobs 2");
        let output = arena.output().unwrap();
        let is_played = self.path("home/local/games.csv").exists();
        assert!(is_played, "{}", said(&output));
    }

    fn remote(&self, out: &str) -> Command {
        let url = self.url();
        self.arena(
            "home",
            &format!("run config.toml --out {out} --workers {url}"),
        )
    }

    /// Plays a run at the workers. Flags may follow the name of its folder.
    fn play(&self, out: &str) -> Output {
        self.remote(out).output().unwrap()
    }

    /// Plays a run at the workers to its end, whatever its verdict.
    fn play_to_end(&self, out: &str) {
        let output = self.play(out);
        let summary = self.path("home").join(out).join("summary.json");
        assert!(summary.exists(), "{}", said(&output));
        self.assert_same(out);
    }

    /// Starts a run, and waits until it has games.
    fn begun(&self, out: &str) -> Child {
        let run = self.remote(out).spawn().unwrap();
        let records = self.path("home").join(out).join("records.jsonl");
        until("no game is played", || {
            fs::metadata(&records).is_ok_and(|file| file.len() >= 2000)
        });
        run
    }

    /// What a worker has said.
    fn log(&self, worker: &str) -> String {
        read(&self.path(worker), "log")
    }

    /// The files of a run must be those of the run on this machine.
    fn assert_same(&self, out: &str) {
        let run = |out: &str| self.path("home").join(out);
        assert_eq!(timeless(&run("local"))[0], timeless(&run(out))[0], "{out}");
        for file in [
            "ratings.csv",
            "pairings.csv",
            "sprt.csv",
            "sweep.csv",
            "tune.csv",
        ] {
            let read = |out: &str| fs::read_to_string(run(out).join(file)).ok();
            assert_eq!(read("local"), read(out), "{out}/{file}");
        }
    }
}

/// Waits for a condition, and fails with a message.
fn until(problem: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{problem}");
        sleep(Duration::from_millis(20));
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// Sends a signal to a process.
fn signal(name: &str, id: u32) {
    let kill = Command::new("kill")
        .args([name, &id.to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
}

/// A run of these sample bots that nothing but their seeds decides.
fn config(run: &str, bots: &str) -> String {
    let mut config = format!("{LIMITS}\n[run]\nseed = 3\n{run}\n");
    for (number, bot) in bots.split_terminator(", ").enumerate() {
        config += &programs::bots(&format!("bot{number} | arena bot {bot} --seed {{seed}}"));
    }
    config
}

const LIMITS: &str = "[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n[sandbox]\nmode = \"auto\"";

fn gauntlet(games: u32) -> String {
    config(
        &format!("game = 'onitama'\ngames = {games}"),
        "onitama-random, onitama-greedy, onitama-search --depth 1",
    )
}

fn sprt() -> String {
    let run = "game = 'onitama'\nformat = 'sprt'\n[sprt]\nelo0 = 0\nelo1 = 30\nmax_units = 400";
    config(run, "onitama-random, onitama-random")
        .replace("\"bot0\"", "\"bot0\"\nenv = { A = \"1\" }")
}

fn race() -> String {
    let values = "values = { blunder = [0, 50, 100] }";
    config(
        &format!(
            "game = 'minishogi'\nformat = 'sweep'\nopening_plies = 4\n[sweep]\nbot = 'bot0'\nagainst = ['bot1']\nblock = 5\nmax_units = 40\n{values}"
        ),
        "minishogi-search --depth 1 --blunder {blunder}, minishogi-random",
    )
}

/// A tuning whose answer is tested, too.
fn tuning() -> String {
    let parameters = "parameters = { blunder = { min = 0, max = 90, start = 80 } }";
    config(
        &format!(
            "game = 'onitama'\nformat = 'tune'\nopening_plies = 4\n[tune]\nbot = 'bot0'\nblock = 8\nmax_units = 32\nconfirm = true\n{parameters}"
        ),
        "onitama-search --depth 1 --blunder {blunder}",
    )
}

fn tables() -> String {
    config(
        "game = 'kutulu'\nformat = 'round-robin'\ngames = 12",
        "kutulu-random, kutulu-greedy, kutulu-random, kutulu-greedy, kutulu-random",
    )
}

#[test]
fn any_number_of_workers_gives_the_bytes_of_this_machine() {
    let ground = Ground::new();
    let mut workers = Vec::new();
    for (count, name, config) in [
        (1, "tables", tables()),
        (2, "test", sprt()),
        (3, "tuning", tuning()),
        (4, "race", race()),
    ] {
        while workers.len() < count {
            workers.push(ground.worker(&format!("w{}", workers.len())));
        }
        ground.local(&config);
        ground.play_to_end(name);
        if name == "tuning" {
            let test = |run: &str| read(&ground.path("home").join(run), "sprt.csv");
            assert_eq!(test("local-confirm-32"), test("tuning-confirm-32"));
        }
        fs::remove_dir_all(ground.path("home/local")).unwrap();
    }
    for record in read(&ground.path("home"), "race/records.jsonl").lines() {
        assert!(record.contains("\"worker\":\"w"), "{record}");
    }
}

// The longest of these tests: by its name it begins early.
#[test]
fn arena_and_server_and_workers_may_be_killed() {
    let mut ground = Ground::new();
    ground.local(&gauntlet(400));
    let mut first = ground.worker("first");
    let second = ground.worker("second");
    // A worker is killed, the other drains, and a third comes.
    let run = ground.begun("a");
    first.0.kill().unwrap();
    let third = ground.worker("third");
    signal("-TERM", second.0.id());
    let output = run.wait_with_output().unwrap();
    ground.assert_same("a");
    output.contains("worker second leaves");
    let run = ground.begun("b");
    ground.replace_server();
    let output = run.wait_with_output().unwrap();
    ground.assert_same("b");
    output.contains("is back");
    // The arena is killed, and resumes with the same workers.
    let mut run = ground.begun("c");
    run.kill().unwrap();
    run.wait().unwrap();
    ground.play("c --resume").status(0);
    ground.assert_same("c");
    drop(third);
}

#[test]
fn programs_come_with_the_run() {
    let ground = Ground::new();
    let home = ground.path("home");
    fs::create_dir_all(home.join("bots/parts")).unwrap();
    // A script with a part beside it, and a file in a folder under `read`.
    let script = "import sys\nfrom part import word\nfor line in sys.stdin: pass\n";
    fs::write(home.join("bots/bot.py"), script).unwrap();
    fs::write(home.join("bots/part.py"), "word = 1\n").unwrap();
    // A script that starts without a compiler.
    let script = "#!/usr/bin/env python3\nimport sys\nfrom part import word\nprint('started', file=sys.stderr, flush=True)\nfor line in sys.stdin: pass\n";
    write_program(&home.join("bots/run.py"), script);
    fs::write(home.join("bots/parts/book.txt"), "e4\n").unwrap();
    // A command that names a file that the worker compiled for another run.
    let foreign = ground.path("w/cache/arena/compiled/product/bot");
    let bots = format!(
        r#"
        [[bot]]
        name = "a"
        command = ["python3", "bots/bot.py"]
        read = ["bots/parts"]
        [[bot]]
        name = "c"
        command = "bots/run.py"
        [[bot]]
        name = "b"
        read = ["bots/parts"]
        command = ["sh", "-c", "cat bots/parts/book.txt $0 >&2; exec arena-is-not-here", "{}"]
        "#,
        foreign.display()
    );
    let run = config("game = 'onitama'\ngames = 4\nstart_anyway = true", "");
    ground.config(&(run.replace("60000", "300") + &bots));
    let run = ground.remote("out").spawn().unwrap();
    Wire::new(ground.port, &["arena.sessions"]).hear();
    // The arena has looked for files, and this is none of them.
    fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    fs::write(&foreign, "not for you").unwrap();
    let _worker = ground.worker("w");
    let output = run.wait_with_output().unwrap();
    let records = fs::read_to_string(home.join("out/records.jsonl")).unwrap_or_default();
    let told = format!("{records}\n{}", said(&output));
    for (text, is_there) in [
        ("e4", true),
        ("started", true),
        ("No module", false),
        ("not for you", false),
    ] {
        assert_eq!(records.contains(text), is_there, "{text}: {told}");
    }
}

/// The home folder of the main machine means nothing to a worker.
#[test]
fn a_program_of_a_home_folder_opens_no_others_at_a_worker() {
    let ground = Ground::new();
    let user = ground.path("user");
    fs::create_dir_all(user.join("bob")).unwrap();
    let spy = "#!/bin/sh\necho started >&2\ncat $(dirname $0)/bob/bot >&2\n";
    write_program(&user.join("spy"), spy);
    write_program(&user.join("bob/bot"), "#!/bin/sh\n# s3cr3t\nread line\n");
    let place = user.display();
    let run = config("game = 'onitama'\ngames = 4\nstart_anyway = true", "");
    let bots = programs::bots(&format!("spy | {place}/spy\n bob | {place}/bob/bot"));
    ground.config(&(run + &bots));
    let _worker = ground.worker("w");
    let output = ground.remote("out").env("HOME", &user).output().unwrap();
    let records = fs::read_to_string(ground.path("home/out/records.jsonl")).unwrap_or_default();
    let is_closed = records.contains("started") && !records.contains("s3cr3t");
    assert!(is_closed, "{records}\n{}", said(&output));
}

/// A worker that asks for the plan finds the programs of the run, even if the server lost them.
#[test]
fn programs_that_the_server_lost_are_stored_again() {
    let mut ground = Ground::new();
    fs::write(ground.path("home/bot.sh"), "exit\n").unwrap();
    let bots = programs::bots("a | sh bot.sh\n b | sh bot.sh");
    ground.config(&(config("game = 'onitama'\ngames = 4", "") + &bots));
    let _run = Running(ground.remote("out").spawn().unwrap());
    Wire::new(ground.port, &["arena.sessions"]).hear();
    ground.replace_server();
    let mut wire = Wire::new(ground.port, &["arena.sessions", "answer"]);
    let greeting: Value = serde_json::from_slice(&wire.hear_under("arena.sessions")).unwrap();
    wire.say(
        &format!("arena.job.{} answer", greeting["session"].as_str().unwrap()),
        b"",
    );
    wire.hear_under("answer");
    wire.say("$JS.API.STREAM.INFO.OBJ_arena-programs answer", b"");
    let stored: Value = serde_json::from_slice(&wire.hear_under("answer")).unwrap();
    assert!(stored["state"]["messages"].as_u64() > Some(0), "{stored}");
}

#[test]
fn what_is_wrong_is_told() {
    // No server.
    let mut ground = Ground::new();
    ground.local(&gauntlet(2));
    ground.server = None;
    let why = "start a server there with `nats-server -js`";
    ground.play("out").contains(why);
    // No JetStream.
    ground.start_server(&[]);
    ground.play("out").contains("the server has no JetStream");
    // No login, and then the right one.
    ground.start_server(&["-js", "--auth", "s3cr3t"]);
    let why = "the server refuses; give --set workers.login=FILE";
    ground.play("out").contains(why);
    let login = ground.path("login");
    fs::write(&login, "s3cr3t\n").unwrap();
    let login = login.display();
    let _worker = ground.worker_with("w", &format!("--login {login}"));
    let out = format!("out --set workers.login={login}");
    ground.play(&out).status(0);
    ground.assert_same("out");
    // A login on the command line.
    let url = format!("nats://me:s3cr3t@127.0.0.1:{}", ground.port);
    for args in ["worker URL --sandbox auto", "run config.toml --workers URL"] {
        let mut arena = ground.arena("home", &args.replace("URL", &url));
        let output = arena.output().unwrap();
        output.contains("others can read command lines");
        output
            .contains("NATS credentials or a token")
            .lacks("s3cr3t");
    }
}

#[test]
fn a_worker_without_the_interpreter_is_unfit() {
    let ground = Ground::new();
    let tool = ground.path("home/only-here/tool");
    fs::create_dir_all(tool.parent().unwrap()).unwrap();
    write_program(&tool, "#!/opt/nowhere/interpreter\n");
    let bots = programs::bots("a | ./only-here/tool\n b | arena bot onitama-random");
    ground.config(&(config("game = 'onitama'\ngames = 4", "") + &bots));
    let _worker = ground.worker("w");
    let output = ground.play("out");
    output.status(3).contains("worker w cannot play");
    output.contains("no worker can");
}

/// A worker that cannot write where it keeps programs, at first, and then for good.
#[test]
fn a_passing_error_does_not_make_a_worker_unfit() {
    let ground = Ground::new();
    ground.local(&gauntlet(2));
    let _worker = ground.worker("w");
    let sessions = ground.path("w/cache/arena/worker/sessions");
    until("the worker has no cache", || {
        fs::read_dir(&sessions).is_ok_and(|mut machines| machines.next().is_some())
    });
    fs::rename(&sessions, ground.path("elsewhere")).unwrap();
    let run = ground.remote("a").spawn().unwrap();
    let why = "create a folder for the session";
    until("the worker does not try again", || {
        let log = ground.log("w");
        log.contains(why) && log.contains("it is tried again")
    });
    fs::rename(ground.path("elsewhere"), &sessions).unwrap();
    run.wait_with_output().unwrap().status(0);
    assert!(!ground.log("w").contains("cannot play"));
    ground.assert_same("a");
    fs::remove_dir_all(&sessions).unwrap();
    let why = format!("worker w cannot play: can't {why}");
    ground.play("b").contains(&why);
}

/// A server without users on an address that is not this machine's alone.
#[test]
fn a_server_that_lets_anybody_in_is_refused() {
    let Some(address) = own_address() else { return };
    let ground = Ground::without_server();
    let _open = server(ground.path("open"), "0.0.0.0", ground.port, &["-js"]);
    let args = format!("worker nats://{address}:{} --sandbox auto", ground.port);
    let output = ground.arena("home", &args).output().unwrap();
    output.contains("the server needs no login");
}

/// An address of this machine in its network; nothing is sent.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let own = socket.local_addr().ok()?.ip();
    if own.is_loopback() { None } else { Some(own) }
}

/// A client that speaks the protocol of the server by hand.
struct Wire {
    server: BufReader<TcpStream>,
    /// The deadline for messages.
    end: Instant,
}

impl Wire {
    /// Connects, and hears what is said under these subjects.
    fn new(port: u16, subjects: &[&str]) -> Wire {
        let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let minute = Some(Duration::from_secs(60));
        server.set_read_timeout(minute).unwrap();
        write!(server, "CONNECT {{\"verbose\":false}}\r\n").unwrap();
        for (number, subject) in subjects.iter().enumerate() {
            write!(server, "SUB {subject} {number}\r\n").unwrap();
        }
        server.write_all(b"PING\r\n").unwrap();
        let end = Instant::now() + Duration::from_secs(180);
        let mut wire = Wire {
            server: BufReader::new(server),
            end,
        };
        while wire.line() != "PONG" {}
        wire
    }

    fn line(&mut self) -> String {
        assert!(Instant::now() < self.end, "what is waited for is not said");
        let mut line = String::new();
        self.server
            .read_line(&mut line)
            .expect("something is said within a minute");
        line.trim().to_owned()
    }

    fn say(&mut self, subject: &str, payload: &[u8]) {
        let server = self.server.get_mut();
        let mut message = format!("PUB {subject} {}\r\n", payload.len()).into_bytes();
        message.extend(payload);
        message.extend(b"\r\n");
        let _ = server.write_all(&message);
    }

    /// The next message, with its subject.
    fn hear(&mut self) -> (String, Vec<u8>) {
        loop {
            let line = self.line();
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["MSG", subject, _, .., bytes] => {
                    let mut payload = vec![0; bytes.parse::<usize>().unwrap() + 2];
                    self.server.read_exact(&mut payload).unwrap();
                    payload.truncate(payload.len() - 2);
                    return (subject.to_owned(), payload);
                }
                ["PING"] => self.server.get_mut().write_all(b"PONG\r\n").unwrap(),
                _ => assert!(!line.is_empty(), "the server has gone"),
            }
        }
    }

    fn hear_json(&mut self) -> Value {
        serde_json::from_slice(&self.hear().1).unwrap()
    }

    /// The next message under a subject.
    fn hear_under(&mut self, wanted: &str) -> Vec<u8> {
        loop {
            let (subject, payload) = self.hear();
            if subject == wanted {
                return payload;
            }
        }
    }
}

/// Sends a message again and again, until the returned value is dropped.
fn repeat(port: u16, subject: &str, value: &Value) -> Sender<()> {
    let (stop, stopped) = mpsc::channel();
    let (mut wire, subject, payload) =
        (Wire::new(port, &[]), subject.to_owned(), value.to_string());
    std::thread::spawn(move || {
        while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
            wire.say(&subject, payload.as_bytes());
        }
    });
    stop
}

fn packed(value: &Value) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(value.to_string().as_bytes()).unwrap();
    packed.finish().unwrap()
}

fn unpacked(payload: &[u8]) -> Value {
    serde_json::from_reader(GzDecoder::new(payload)).unwrap()
}

fn beat(worker: &str, name: &str, state: &Value) -> Value {
    json!({ "worker": worker, "name": name, "jobs": 1, "state": state })
}

fn playing(worker: &str, name: &str) -> Vec<u8> {
    beat(worker, name, &json!("playing"))
        .to_string()
        .into_bytes()
}

/// Speaks to the arena as a worker, but lies: sends games that were not played, games of others,
/// and garbage.
fn lie(port: u16) {
    let mut wire = Wire::new(port, &["arena.sessions"]);
    let greeting = wire.hear_json();
    let subject = |kind: &str| format!("arena.{kind}.{}", greeting["session"].as_str().unwrap());
    let standing = json!({ "score": 1, "fate": "ok" });
    let game = json!({ "opening": [], "steps": [], "ms": [], "host_late": [], "standings": [standing, standing],
        "reason": "temple", "shown": {}, "turns": 1 });
    let outcome =
        json!({ "game": { "Ok": game }, "faults": [], "hit_by_signal": false, "voided": 0 });
    for worker in ["nobody", "l"] {
        wire.say(&subject("beat"), &playing("l", "liar"));
        for number in 0..400 {
            let outcome = json!({ "played": outcome.to_string() });
            let answer = json!({ "worker": worker, "number": number, "outcome": outcome });
            wire.say(&subject("done"), &packed(&answer));
        }
        wire.say(&subject("done"), b"garbage");
        wire.say(&subject("beat"), b"garbage");
    }
    sleep(Duration::from_millis(500));
}

#[test]
fn a_liar_changes_nothing() {
    let ground = Ground::new();
    ground.local(&gauntlet(400));
    let _worker = ground.worker("honest");
    let run = ground.begun("out");
    lie(ground.port);
    let output = run.wait_with_output().unwrap();
    ground.assert_same("out");
    output.contains("worker liar is dismissed: its game");
}

#[test]
fn worker_and_arena_can_be_ended_when_the_server_is_gone() {
    let mut ground = Ground::new();
    ground.local(&gauntlet(400));
    let mut worker = ground.worker("w");
    let mut run = Running(ground.begun("out"));
    ground.server = None;
    let end = Instant::now() + Duration::from_secs(60);
    for process in [&worker.0, &run.0] {
        signal("-TERM", process.id());
    }
    for process in [&mut worker.0, &mut run.0] {
        while process.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "it goes on");
            sleep(Duration::from_millis(100));
        }
    }
}

/// A client sends the answers of a worker again, unchanged and under another id.
#[test]
fn no_game_counts_twice() {
    let ground = Ground::new();
    ground.local(&gauntlet(200));
    let _worker = ground.worker("honest");
    let mut wire = Wire::new(ground.port, &["arena.done.*"]);
    let run = ground.begun("out");
    for _ in 0..3 {
        let (subject, payload) = wire.hear();
        let mut answers = unpacked(&payload);
        answers["worker"] = "t".into();
        wire.say(&subject.replace("done", "beat"), &playing("t", "thief"));
        wire.say(&subject, &packed(&answers));
        wire.say(&subject, &payload);
    }
    run.wait_with_output().unwrap().status(0);
    ground.assert_same("out");
}

#[test]
fn a_worker_of_another_version_stays_out() {
    let ground = Ground::new();
    let _worker = ground.worker("w");
    let mut wire = Wire::new(ground.port, &["arena.beat.other"]);
    let greeting =
        json!({ "program": "arena 9.9.9", "session": "other", "name": "new", "jobs": 0 });
    let _greetings = repeat(ground.port, "arena.sessions", &greeting);
    let beat = wire.hear_json();
    let why = beat["state"]["unfit"]["why"].as_str().unwrap();
    let expected = "the run is played by arena 9.9.9: use the same version";
    assert!(why.ends_with(expected), "{why}");
}

/// A client sends control sequences that clear a terminal.
#[test]
fn what_comes_over_the_network_does_nothing_to_a_terminal() {
    let ground = Ground::new();
    ground.local(&gauntlet(2));
    let mut wire = Wire::new(ground.port, &["arena.sessions"]);
    let run = ground.remote("out").spawn().unwrap();
    let mut greeting = wire.hear_json();
    let clear = "\u{1b}[2J\u{202e}";
    let unfit = json!({ "unfit": { "why": clear } });
    let subject = format!("arena.beat.{}", greeting["session"].as_str().unwrap());
    let _beats = repeat(ground.port, &subject, &beat("c", clear, &unfit));
    greeting["session"] = "other".into();
    greeting["name"] = clear.into();
    let _greetings = repeat(ground.port, "arena.sessions", &greeting);
    let played = run.wait_with_output().unwrap();
    let _worker = ground.worker("w");
    until("the worker does not try to play", || {
        ground.log("w").contains("get ready for")
    });
    for said in [said(&played), ground.log("w")] {
        assert!(said.contains("\\u{1b}[2J\\u{202e}"), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said}");
    }
}

#[test]
fn a_dismissed_worker_stays_out() {
    let ground = Ground::new();
    ground.local(&gauntlet(20));
    let mut wire = Wire::new(ground.port, &["arena.beat.*"]);
    let _dismissed = ground.worker("dismissed");
    let run = ground.remote("out").spawn().unwrap();
    let mut hear = || {
        let (subject, payload) = wire.hear();
        let mut beat: Value = serde_json::from_slice(&payload).unwrap();
        let [worker, state] = ["worker", "state"].map(|key| beat[key].take());
        (subject.replace("beat", "order"), worker, state)
    };
    let (order, worker) = loop {
        let (order, worker, state) = hear();
        if state == "playing" {
            break (order, worker);
        }
    };
    let dismiss = json!({ "dismiss": { "worker": worker, "why": "as a test" } });
    Wire::new(ground.port, &[]).say(&order, dismiss.to_string().as_bytes());
    // It says so each time that it hears of the run, and nothing else.
    let mut unfit = 0;
    while unfit < 4 {
        let (about, _, state) = hear();
        let is_unfit = state["unfit"]["why"] == "dismissed: as a test";
        assert!(is_unfit || unfit == 0 || about != order, "{state}");
        unfit += u32::from(is_unfit);
    }
    let _other = ground.worker("other");
    let output = run.wait_with_output().unwrap();
    output.contains("worker dismissed cannot play: dismissed: as a test");
    ground.assert_same("out");
}

/// Answers with the first legal action, after a while.
const SLOW: &str = "#!/bin/sh
read -r me
while :; do
    for row in 1 2 3 4 5 6 7 8 9 10; do read -r line || exit; done
    read -r count
    read -r first
    while [ $((count -= 1)) -gt 0 ]; do read -r line; done
    sleep 0.3
    echo \"$first\"
done
";

/// The processes whose command line has this text.
fn processes(text: &str) -> Vec<u32> {
    let mut processes = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        let command = fs::read_to_string(entry.path().join("cmdline"));
        if command.is_ok_and(|command| command.contains(text)) {
            processes.push(id);
        }
    }
    processes
}

#[test]
fn a_bot_that_is_hit_by_the_signal_for_its_worker_has_not_crashed() {
    let ground = Ground::new();
    let slow = ground.path("home/slow.sh");
    write_program(&slow, SLOW);
    let slow = format!(
        "slow | {}\n greedy | arena bot onitama-greedy",
        slow.display()
    );
    let run = config("game = 'onitama'\ngames = 2", "");
    ground.config(&(run + &programs::bots(&slow)));
    let first = ground.worker("first");
    let run = ground.remote("out").spawn().unwrap();
    let hears = |problem: &str, text: &str| until(problem, || ground.log("first").contains(text));
    hears("the worker does not play", "1 at a time");
    let place = ground.path("first/cache").display().to_string();
    until("no bot is there", || !processes(&place).is_empty());
    signal("-TERM", first.0.id());
    hears("it does not hear", "finishing the games under way");
    let hit = processes(&place);
    assert!(!hit.is_empty(), "the game is over");
    for bot in hit {
        signal("-TERM", bot);
    }
    let _second = ground.worker("second");
    run.wait_with_output().unwrap().status(0);
    let records = read(&ground.path("home"), "out/records.jsonl");
    assert!(records.contains("\"worker\":\"second\""), "{records}");
    assert_eq!(records.lines().count(), 2, "{records}");
    assert!(!records.contains("SIGTERM"), "{records}");
}

/// A worker is stopped until others have played its games, and then continues with them.
#[test]
fn a_worker_that_hangs_holds_nobody_up() {
    let ground = Ground::new();
    ground.local(&gauntlet(200));
    let slow = ground.worker("slow");
    let mut other = ground.worker("other");
    let run = ground.begun("a");
    signal("-STOP", slow.0.id());
    let output = run.wait_with_output().unwrap();
    signal("-CONT", slow.0.id());
    output.status(0);
    ground.assert_same("a");
    other.0.kill().unwrap();
    ground.play("b").status(0);
    ground.assert_same("b");
}

#[test]
fn two_arenas_share_a_worker() {
    let ground = Ground::new();
    let _worker = ground.worker("w");
    ground.local(&gauntlet(60));
    let runs = ["a", "b"].map(|out| ground.remote(out).spawn().unwrap());
    for run in runs {
        run.wait_with_output().unwrap().status(0);
    }
    ground.assert_same("a");
    ground.assert_same("b");
}

#[test]
fn a_connection_is_encrypted() {
    let mut ground = Ground::without_server();
    let openssl = |args: &str| {
        let common = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
        let script = format!("openssl {common} {args}");
        let made = shell(ground.folder.path(), &script).output();
        made.unwrap().status(0);
    };
    openssl("-keyout ca.key -out ca.pem -subj /CN=ca");
    openssl(
        "-keyout key.pem -out cert.pem -subj /CN=server -CA ca.pem -CAkey ca.key \
         -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE",
    );
    let [cert, key, config, login, ca] = ["cert.pem", "key.pem", "nats.conf", "login", "ca.pem"]
        .map(|name| ground.path(name).display().to_string());
    let tls = format!("tls {{ cert_file: \"{cert}\", key_file: \"{key}\" }}");
    let users = "authorization { token: \"s3cr3t\" }";
    fs::write(&config, format!("{tls}\n{users}\n")).unwrap();
    fs::write(&login, "s3cr3t\n").unwrap();
    ground.start_server(&["-js", "-c", &config]);
    ground.local(&gauntlet(10));
    let _worker = ground.worker_with("w", &format!("--login {login} --ca {ca}"));
    let out = format!("out --set workers.login={login} --set workers.ca={ca}");
    ground.play(&out).status(0);
    ground.assert_same("out");
    // The system does not know the authority, and the server refuses a worker without a login.
    let worker = format!("worker tls://127.0.0.1:{} --sandbox auto", ground.port);
    for (flag, why) in [
        (format!("--login {login}"), "--ca FILE names the authority"),
        (
            format!("--ca {ca}"),
            "the server refuses; give --login FILE",
        ),
    ] {
        let mut worker = ground.arena("home", &format!("{worker} {flag}"));
        worker.output().unwrap().contains(why);
    }
}

#[test]
fn a_user_may_have_a_file_of_credentials() {
    let mut ground = Ground::without_server();
    let [config, login] = ["nats.conf", "user.creds"].map(|file| {
        let path = in_project("tests/cluster").join(file);
        path.display().to_string()
    });
    ground.start_server(&["-js", "-c", &config]);
    ground.local(&gauntlet(4));
    let _worker = ground.worker_with("w", &format!("--login {login}"));
    let out = format!("out --set workers.login={login}");
    ground.play(&out).status(0);
    ground.assert_same("out");
    let args = format!("worker {} --sandbox auto", ground.url());
    let output = ground.arena("home", &args).output().unwrap();
    output.contains("the server refuses; give --login FILE");
}

/// A warning says that results of an external referee are taken on trust.
#[test]
fn games_of_another_referee_are_played_by_workers() {
    let ground = Ground::new();
    let referees = in_project("referees").display().to_string();
    let bots =
        "greedy | REFEREES/bots/tictactoe_greedy.py\n random | REFEREES/bots/tictactoe_random.py";
    let config = "[run]\ngame = 'tictactoe'\ngames = 6\nseed = 1\n[sandbox]\nmode = 'auto'\n[game.tictactoe]\nreferee = ['python3', 'REFEREES/tictactoe.py']\n".to_owned()
        + &programs::bots(bots);
    ground.local(&config.replace("REFEREES", &referees));
    let _worker = ground.worker("w");
    let output = ground.play("out");
    output
        .status(0)
        .contains("results of tictactoe are those that workers tell");
    ground.assert_same("out");
    let verified = ground.arena("home", "verify out").output().unwrap();
    verified.status(0);
}

/// An array of jobs starts workers, with a loop in the place of the scheduler.
#[test]
fn arrays_of_jobs_play_as_workers() {
    let ground = Ground::new();
    ground.local(&gauntlet(30));
    let url = ground.url();
    let worker = format!("arena worker {url} --jobs 1 --name $task --idle 2s --sandbox auto");
    let script = format!("for task in 1 2 3; do ({worker}) & done; wait");
    let mut array = shell(&ground.path("home"), &script);
    array.stdout(Stdio::null()).stderr(Stdio::piped());
    let workers = array.spawn().unwrap();
    ground.play("out").status(0);
    ground.assert_same("out");
    // They end by themselves.
    workers.wait_with_output().unwrap().status(0);
}

/// A worker that ends by itself prints a document, and with `--quiet` nothing else.
#[test]
fn a_worker_ends_with_a_document() {
    let ground = Ground::new();
    let url = ground.url();
    let args = format!("worker {url} --idle 1s --sandbox auto --json --quiet");
    let out = ground.arena("home", &args).output().unwrap();
    assert_eq!(programs::json(out.status(0)), json!({ "exit": 0 }));
    assert_eq!(programs::stderr(&out), "");
}

/// What is kept goes to the workers with its files.
#[test]
fn a_pool_is_played_by_workers() {
    let ground = Ground::new();
    let home = ground.path("home");
    fs::write(home.join("coin.py"), pool::COIN).unwrap();
    let bot = "while read -r x; do cat \"$1\"; done\n";
    for (name, elo) in [("v1", 0), ("v2", 300)] {
        fs::create_dir(home.join(name)).unwrap();
        fs::write(home.join(name).join("bot.sh"), bot).unwrap();
        fs::write(home.join(name).join("book.txt"), format!("{elo} {name}\n")).unwrap();
    }
    let arena = |args: &str| ground.arena("home", args).output().unwrap();
    let _worker = ground.worker("w");
    for (pool, flags) in [
        ("here", String::new()),
        ("there", format!("--workers {}", ground.url())),
    ] {
        arena(&format!("pool new --pool {pool} --referee coin.py")).status(0);
        let toml = read(&home, &format!("{pool}/pool.toml"));
        fs::write(
            home.join(pool).join("pool.toml"),
            toml + "[sandbox]\nmode = 'auto'\n",
        )
        .unwrap();
        for name in ["v1", "v2"] {
            let bot = format!("{name}='sh {name}/bot.sh {name}/book.txt'");
            let flags = format!("--games 100 --seed 1 {flags}");
            arena(&format!("pool try {bot} --pool {pool} {flags}")).status(0);
        }
    }
    for run in ["v2", "v2-v1"] {
        let [here, there] =
            ["here", "there"].map(|pool| timeless(&home.join(pool).join("runs").join(run)));
        assert_eq!(here[0], there[0], "{run}");
    }
}

/// More of the same: every format with 1, 2 and 4 workers.
#[test]
#[ignore = "the long form: .ci/long"]
fn every_format_with_every_number_of_workers() {
    for config in [gauntlet(600), sprt(), race(), tuning(), tables()] {
        let ground = Ground::new();
        ground.local(&config);
        let mut workers = Vec::new();
        for count in [1, 2, 4] {
            while workers.len() < count {
                workers.push(ground.worker(&format!("w{}", workers.len())));
            }
            ground.play_to_end(&format!("out{count}"));
        }
    }
}
