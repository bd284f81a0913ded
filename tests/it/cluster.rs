//! Games on other machines: a server, workers in separate folders, and runs that must have the bytes of a run on this machine, even
//! if workers come, leave, are killed or lie. The long form plays more: `cargo test --features workers --test it cluster:: -- --ignored`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::sleep;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::programs::{self, write_program};

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

impl Ground {
    fn new() -> Ground {
        Ground::with(&["-js"])
    }

    fn with(flags: &[&str]) -> Ground {
        let mut ground = Ground::without_server();
        ground.start_server(flags);
        ground
    }

    fn without_server() -> Ground {
        Ground {
            folder: tempfile::tempdir().unwrap(),
            port: free_port(),
            server: None,
        }
    }

    fn start_server(&mut self, flags: &[&str]) {
        self.server = None;
        let mut server = Command::new("nats-server");
        server
            .args(["-a", "127.0.0.1", "-p", &self.port.to_string()])
            .args(flags);
        server
            .arg("-sd")
            .arg(self.path("store"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.server = Some(Running(server.spawn().expect("nats-server is installed")));
        until("the server does not start", || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A program in a subfolder.
    fn arena(&self, folder: &str, args: &[&str]) -> Command {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap();
        let mut command = programs::program();
        command
            .current_dir(&folder)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .env_remove("RUST_BACKTRACE");
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn worker(&self, name: &str) -> Running {
        self.worker_with(name, &[])
    }

    fn worker_with(&self, name: &str, flags: &[&str]) -> Running {
        let mut worker = self.arena(
            name,
            &[
                "worker",
                &self.url(),
                "--name",
                name,
                "--jobs",
                "1",
                "--sandbox",
                "auto",
            ],
        );
        let log = fs::File::create(self.path(name).join("log")).unwrap();
        Running(
            worker
                .args(flags)
                .stdout(Stdio::null())
                .stderr(log)
                .spawn()
                .unwrap(),
        )
    }

    /// Writes a config, and plays it here.
    fn local(&self, config: &str) {
        fs::create_dir_all(self.path("home")).unwrap();
        fs::write(self.path("home").join("config.toml"), config).unwrap();
        let output = self
            .arena(
                "home",
                &["run", "config.toml", "--out", "local", "--jobs", "2"],
            )
            .output()
            .unwrap();
        assert!(
            self.path("home").join("local/games.csv").exists(),
            "{}",
            text(&output)
        );
    }

    fn remote(&self, out: &str) -> Command {
        self.arena(
            "home",
            &["run", "config.toml", "--out", out, "--workers", &self.url()],
        )
    }

    /// Starts a run, and waits until it has games.
    fn begun(&self, out: &str) -> Child {
        let run = self.remote(out).spawn().unwrap();
        let records = self.path("home").join(out).join("records.jsonl");
        until("no game is played", || {
            fs::metadata(&records).map_or(0, |file| file.len()) >= 2000
        });
        run
    }

    /// The files of a run must be those of the run on this machine.
    fn assert_same(&self, out: &str) {
        let read =
            |out: &str, file: &str| fs::read_to_string(self.path("home").join(out).join(file)).ok();
        assert_eq!(
            timeless(&read("local", "games.csv").unwrap()),
            timeless(&read(out, "games.csv").unwrap()),
            "{out}"
        );
        for file in [
            "ratings.csv",
            "pairings.csv",
            "sprt.csv",
            "sweep.csv",
            "tune.csv",
        ] {
            assert_eq!(read("local", file), read(out, file), "{out}/{file}");
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

/// The rows without the columns of times.
fn timeless(csv: &str) -> Vec<String> {
    let is_time = |name: &&str| name.contains("_ms_");
    let columns = csv
        .lines()
        .next()
        .unwrap()
        .split(',')
        .take_while(|name| !is_time(name))
        .count();
    csv.lines()
        .map(|row| row.split(',').take(columns).collect::<Vec<_>>().join(","))
        .collect()
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A run of sample bots that nothing but their seeds decides.
fn config(run: &str, bots: &[&str]) -> String {
    let bots = bots.iter().enumerate().map(|(number, bot)| {
        format!("[[bot]]\nname = \"bot{number}\"\ncommand = \"arena bot {bot} --seed {{seed}}\"\n")
    });
    let limits = "[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n[sandbox]\nmode = \"auto\"\n";
    format!(
        "[run]\nseed = 3\n{run}\n{limits}{}",
        bots.collect::<String>()
    )
}

fn gauntlet(games: u32) -> String {
    config(
        &format!("game = \"onitama\"\ngames = {games}"),
        &[
            "onitama-random",
            "onitama-greedy",
            "onitama-search --depth 1",
        ],
    )
}

fn sprt() -> String {
    let run = "game = \"onitama\"\nformat = \"sprt\"\n[sprt]\nelo0 = 0\nelo1 = 30\nmax_units = 400";
    config(run, &["onitama-random", "onitama-random"]).replacen(
        "bot0\"\ncommand",
        "bot0\"\nenv = { A = \"1\" }\ncommand",
        1,
    )
}

fn race() -> String {
    let run = "game = \"minishogi\"\nformat = \"sweep\"\nopening_plies = 4\n[sweep]\nbot = \"bot0\"\nagainst = [\"bot1\"]\nblock = 5\nmax_units = 40\nvalues = { blunder = [0, 50, 100] }";
    config(
        run,
        &[
            "minishogi-search --depth 1 --blunder {blunder}",
            "minishogi-random",
        ],
    )
}

/// A tuning whose answer is tested, too.
fn tuning() -> String {
    let run = "game = \"onitama\"\nformat = \"tune\"\nopening_plies = 4\n[tune]\nbot = \"bot0\"\nblock = 8\nmax_units = 32\nconfirm = true\nparameters = { blunder = { min = 0, max = 90, start = 80 } }";
    config(run, &["onitama-search --depth 1 --blunder {blunder}"])
}

fn tables() -> String {
    config(
        "game = \"kutulu\"\nformat = \"round-robin\"\ngames = 12",
        &[
            "kutulu-random",
            "kutulu-greedy",
            "kutulu-random",
            "kutulu-greedy",
            "kutulu-random",
        ],
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
        let output = ground.remote(name).output().unwrap();
        assert!(
            ground.path("home").join(name).join("summary.json").exists(),
            "{}",
            text(&output)
        );
        ground.assert_same(name);
        if name == "tuning" {
            let test = |run: &str| {
                fs::read_to_string(ground.path("home").join(run).join("sprt.csv")).unwrap()
            };
            assert_eq!(test("local-confirm-32"), test("tuning-confirm-32"));
        }
        fs::remove_dir_all(ground.path("home").join("local")).unwrap();
    }
    let run = ground.path("home").join("race");
    let records = fs::read_to_string(run.join("records.jsonl")).unwrap();
    assert!(
        records
            .lines()
            .all(|record| record.contains("\"worker\":\"w"))
    );
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
    assert!(
        text(&output).contains("worker second leaves"),
        "{}",
        text(&output)
    );
    // The server is killed, with all that it holds.
    let run = ground.begun("b");
    ground.server = None;
    fs::remove_dir_all(ground.path("store")).unwrap();
    ground.start_server(&["-js"]);
    let output = run.wait_with_output().unwrap();
    ground.assert_same("b");
    assert!(text(&output).contains("is back"), "{}", text(&output));
    // The arena is killed, and resumes with the same workers.
    let mut run = ground.begun("c");
    run.kill().unwrap();
    run.wait().unwrap();
    let output = ground.remote("c").arg("--resume").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("c");
    drop(third);
}

#[test]
fn programs_come_with_the_run() {
    let ground = Ground::new();
    let home = ground.path("home");
    fs::create_dir_all(home.join("bots/parts")).unwrap();
    // A script with a part beside it, and a file in a folder under `read`.
    fs::write(
        home.join("bots/bot.py"),
        "import sys\nfrom part import word\nfor line in sys.stdin: pass\n",
    )
    .unwrap();
    fs::write(home.join("bots/part.py"), "word = 1\n").unwrap();
    // A script that starts without a compiler.
    let script = "#!/usr/bin/env python3\nimport sys\nfrom part import word\nprint('started', file=sys.stderr, flush=True)\nfor line in sys.stdin: pass\n";
    programs::write_program(&home.join("bots/run.py"), script);
    fs::write(home.join("bots/parts/book.txt"), "e4\n").unwrap();
    // A command that names a file that the worker compiled for another run.
    let foreign = ground.path("w/cache/arena/compiled/product/bot");
    let bots = format!(
        "[[bot]]\nname = \"a\"\ncommand = [\"python3\", \"bots/bot.py\"]\nread = [\"bots/parts\"]\n\
         [[bot]]\nname = \"c\"\ncommand = \"bots/run.py\"\n\
         [[bot]]\nname = \"b\"\nread = [\"bots/parts\"]\n\
         command = [\"sh\", \"-c\", \"cat bots/parts/book.txt $0 >&2; exec arena-is-not-here\", \"{}\"]\n",
        foreign.display()
    );
    let config = config("game = \"onitama\"\ngames = 4\nstart_anyway = true", &[])
        .replace("60000", "300")
        + &bots;
    fs::write(home.join("config.toml"), config).unwrap();
    let run = ground.remote("out").spawn().unwrap();
    Wire::new(ground.port, &["arena.sessions"]).hear();
    // The arena has looked for files, and this is none of them.
    fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    fs::write(&foreign, "not for you").unwrap();
    let _worker = ground.worker("w");
    let output = run.wait_with_output().unwrap();
    let records = fs::read_to_string(home.join("out/records.jsonl")).unwrap_or_default();
    let is_as_it_should = records.contains("e4")
        && records.contains("started")
        && !records.contains("No module")
        && !records.contains("not for you");
    assert!(is_as_it_should, "{records}\n{}", text(&output));
}

/// The home folder of the main machine means nothing to a worker.
#[test]
fn a_program_of_a_home_folder_opens_no_others_at_a_worker() {
    let ground = Ground::new();
    let user = ground.path("user");
    let home = ground.path("home");
    for folder in [&user.join("bob"), &home] {
        fs::create_dir_all(folder).unwrap();
    }
    let spy = "#!/bin/sh\necho started >&2\ncat $(dirname $0)/bob/bot >&2\n";
    programs::write_program(&user.join("spy"), spy);
    programs::write_program(&user.join("bob/bot"), "#!/bin/sh\n# s3cr3t\nread line\n");
    let bots = ["spy", "bob/bot"].map(|bot| user.join(bot).display().to_string());
    let table =
        |name: &str, bot: &str| format!("[[bot]]\nname = \"{name}\"\ncommand = [\"{bot}\"]\n");
    let config = config("game = \"onitama\"\ngames = 4\nstart_anyway = true", &[])
        + &table("spy", &bots[0])
        + &table("bob", &bots[1]);
    fs::write(home.join("config.toml"), config).unwrap();
    let _worker = ground.worker("w");
    let output = ground.remote("out").env("HOME", &user).output().unwrap();
    let records = fs::read_to_string(home.join("out/records.jsonl")).unwrap_or_default();
    let is_closed = records.contains("started") && !records.contains("s3cr3t");
    assert!(is_closed, "{records}\n{}", text(&output));
}

/// A worker that asks for the plan finds the programs of the run, even if the server lost them.
#[test]
fn programs_that_the_server_lost_are_stored_again() {
    let mut ground = Ground::new();
    let home = ground.path("home");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("bot.sh"), "exit\n").unwrap();
    let bot = |name: &str| format!("[[bot]]\nname = \"{name}\"\ncommand = [\"sh\", \"bot.sh\"]\n");
    fs::write(
        home.join("config.toml"),
        config("game = \"onitama\"\ngames = 4", &[]) + &bot("a") + &bot("b"),
    )
    .unwrap();
    let _run = Running(ground.remote("out").spawn().unwrap());
    Wire::new(ground.port, &["arena.sessions"]).hear();
    ground.server = None;
    fs::remove_dir_all(ground.path("store")).unwrap();
    ground.start_server(&["-js"]);
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
    let output = ground.remote("out").output().unwrap();
    assert!(
        text(&output).contains("start a server there with `nats-server -js`"),
        "{}",
        text(&output)
    );
    // No JetStream.
    ground.start_server(&[]);
    let output = ground.remote("out").output().unwrap();
    assert!(
        text(&output).contains("the server has no JetStream"),
        "{}",
        text(&output)
    );
    // No login, and then the right one.
    ground.start_server(&["-js", "--auth", "s3cr3t"]);
    let output = ground.remote("out").output().unwrap();
    assert!(
        text(&output).contains("the server refuses; give --set workers.login=FILE"),
        "{}",
        text(&output)
    );
    let login = ground.path("login");
    fs::write(&login, "s3cr3t\n").unwrap();
    let login = login.to_str().unwrap();
    let _worker = ground.worker_with("w", &["--login", login]);
    let in_run = format!("workers.login={login}");
    let output = ground
        .remote("out")
        .args(["--set", &in_run])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("out");
    // A login on the command line.
    let url = format!("nats://me:s3cr3t@127.0.0.1:{}", ground.port);
    for args in [
        ["worker", &url, "--sandbox", "auto"],
        ["run", "config.toml", "--workers", &url],
    ] {
        let output = ground.arena("home", &args).output().unwrap();
        let said = text(&output);
        assert!(
            said.contains("others can read command lines")
                && said.contains("NATS credentials or a token")
                && !said.contains("s3cr3t"),
            "{said}"
        );
    }
}

#[test]
fn a_worker_without_the_interpreter_is_unfit() {
    let ground = Ground::new();
    let home = ground.path("home");
    ground.local(&gauntlet(2));
    let bots = "[[bot]]\nname = \"a\"\ncommand = [\"./only-here/tool\"]\n[[bot]]\nname = \"b\"\ncommand = \"arena bot onitama-random\"\n";
    fs::create_dir_all(home.join("only-here")).unwrap();
    write_program(&home.join("only-here/tool"), "#!/opt/nowhere/interpreter\n");
    fs::write(
        home.join("config.toml"),
        config("game = \"onitama\"\ngames = 4", &[]) + bots,
    )
    .unwrap();
    let _worker = ground.worker("w");
    let output = ground.remote("out").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let said = text(&output);
    assert!(
        said.contains("worker w cannot play") && said.contains("no worker can"),
        "{said}"
    );
}

/// A worker that cannot write where it keeps programs, at first, and then for good.
#[test]
fn a_passing_error_does_not_make_a_worker_unfit() {
    let ground = Ground::new();
    ground.local(&gauntlet(2));
    let _worker = ground.worker("w");
    let sessions = ground.path("w/cache/arena/worker/sessions");
    let log = |words: &str| {
        fs::read_to_string(ground.path("w/log"))
            .unwrap()
            .contains(words)
    };
    until("the worker has no cache", || {
        fs::read_dir(&sessions).is_ok_and(|mut machines| machines.next().is_some())
    });
    fs::rename(&sessions, ground.path("elsewhere")).unwrap();
    let run = ground.remote("a").spawn().unwrap();
    until("the worker does not try again", || {
        log("create a folder for the session") && log("it is tried again")
    });
    fs::rename(ground.path("elsewhere"), &sessions).unwrap();
    let output = run.wait_with_output().unwrap();
    assert!(
        output.status.success() && !log("cannot play"),
        "{}",
        text(&output)
    );
    ground.assert_same("a");
    fs::remove_dir_all(&sessions).unwrap();
    let output = ground.remote("b").output().unwrap();
    assert!(
        text(&output).contains("worker w cannot play: can't create a folder for the session"),
        "{}",
        text(&output)
    );
}

/// A server without users on an address that is not this machine's alone.
#[test]
fn a_server_that_lets_anybody_in_is_refused() {
    let Some(address) = own_address() else { return };
    let ground = Ground::with(&["-js"]);
    let port = free_port();
    let mut server = Command::new("nats-server");
    server
        .args(["-js", "-a", "0.0.0.0", "-p", &port.to_string(), "-sd"])
        .arg(ground.path("open"));
    let _open = Running(
        server
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    sleep(Duration::from_secs(1));
    let url = format!("nats://{address}:{port}");
    let output = ground
        .arena("home", &["worker", &url, "--sandbox", "auto"])
        .output()
        .unwrap();
    assert!(
        text(&output).contains("the server needs no login"),
        "{}",
        text(&output)
    );
}

/// An address of this machine in its network; nothing is sent.
fn own_address() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_loopback())
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
        server
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        server
            .write_all(b"CONNECT {\"verbose\":false}\r\n")
            .unwrap();
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
        let _ = write!(server, "PUB {subject} {}\r\n", payload.len());
        let _ = server
            .write_all(payload)
            .and_then(|()| server.write_all(b"\r\n"));
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

/// Speaks to the arena as a worker, but lies: sends games that were not played, games of others, and garbage.
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
    let said = text(&output);
    assert!(
        said.contains("worker liar is dismissed: its game"),
        "{said}"
    );
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
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
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
    let why = wire.hear_json()["state"]["unfit"]["why"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        why.ends_with("the run is played by arena 9.9.9: use the same version"),
        "{why}"
    );
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
    let log = || fs::read_to_string(ground.path("w/log")).unwrap();
    until("the worker does not try to play", || {
        log().contains("get ready for")
    });
    for said in [text(&played), log()] {
        assert!(
            said.contains("\\u{1b}[2J\\u{202e}") && !said.contains(['\u{1b}', '\u{202e}']),
            "{said}"
        );
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
        let beat: Value = serde_json::from_slice(&payload).unwrap();
        (
            subject.replace("beat", "order"),
            beat["worker"].clone(),
            beat["state"].clone(),
        )
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
    assert!(
        text(&output).contains("worker dismissed cannot play: dismissed: as a test"),
        "{}",
        text(&output)
    );
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

#[test]
fn a_bot_that_is_hit_by_the_signal_for_its_worker_has_not_crashed() {
    let ground = Ground::new();
    let home = ground.path("home");
    fs::create_dir_all(&home).unwrap();
    write_program(&home.join("slow.sh"), SLOW);
    let bots = format!(
        "[[bot]]\nname = \"slow\"\ncommand = \"{}\"\n[[bot]]\nname = \"greedy\"\ncommand = \"arena bot onitama-greedy\"\n",
        home.join("slow.sh").display()
    );
    fs::write(
        home.join("config.toml"),
        config("game = \"onitama\"\ngames = 2", &[]) + &bots,
    )
    .unwrap();
    let first = ground.worker("first");
    let run = ground.remote("out").spawn().unwrap();
    let log = ground.path("first/log");
    until("the worker does not play", || {
        fs::read_to_string(&log).unwrap().contains("1 at a time")
    });
    let place = ground.path("first/cache").display().to_string();
    let bots = || {
        let ids = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let command =
            |id: &u32| fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        ids.filter(|id| command(id).contains(&place))
            .collect::<Vec<u32>>()
    };
    until("no bot is there", || !bots().is_empty());
    signal("-TERM", first.0.id());
    until("it does not hear", || {
        fs::read_to_string(&log)
            .unwrap()
            .contains("finishing the games under way")
    });
    let hit = bots();
    assert!(!hit.is_empty(), "the game is over");
    for bot in hit {
        signal("-TERM", bot);
    }
    let _second = ground.worker("second");
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let records = fs::read_to_string(home.join("out/records.jsonl")).unwrap();
    let of_second = records
        .lines()
        .filter(|record| record.contains("\"worker\":\"second\""))
        .count();
    assert!(
        of_second > 0 && records.lines().count() == 2 && !records.contains("SIGTERM"),
        "{records}"
    );
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
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("a");
    other.0.kill().unwrap();
    let output = ground.remote("b").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("b");
}

#[test]
fn two_arenas_share_a_worker() {
    let ground = Ground::new();
    let _worker = ground.worker("w");
    ground.local(&gauntlet(60));
    let runs = ["a", "b"].map(|out| ground.remote(out).spawn().unwrap());
    for (out, run) in ["a", "b"].iter().zip(runs) {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        ground.assert_same(out);
    }
}

#[test]
fn a_connection_is_encrypted() {
    let mut ground = Ground::without_server();
    let openssl = |args: &str| {
        let common = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
        let args = common.split(' ').chain(args.split(' '));
        let made = Command::new("openssl")
            .current_dir(ground.folder.path())
            .args(args)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", text(&made));
    };
    openssl("-keyout ca.key -out ca.pem -subj /CN=ca");
    openssl(
        "-keyout key.pem -out cert.pem -subj /CN=server -CA ca.pem -CAkey ca.key \
         -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE",
    );
    let [cert, key, config, login, ca] = ["cert.pem", "key.pem", "nats.conf", "login", "ca.pem"]
        .map(|name| ground.path(name).display().to_string());
    let tls = format!("tls {{ cert_file: \"{cert}\", key_file: \"{key}\" }}");
    fs::write(
        &config,
        format!("{tls}\nauthorization {{ token: \"s3cr3t\" }}\n"),
    )
    .unwrap();
    fs::write(&login, "s3cr3t\n").unwrap();
    ground.start_server(&["-js", "-c", &config]);
    let url = ground.url().replace("nats:", "tls:");
    ground.local(&gauntlet(10));
    let flags = ["--login", &login, "--ca", &ca];
    let _worker = ground.worker_with("w", &flags);
    let in_run = [format!("workers.login={login}"), format!("workers.ca={ca}")];
    let in_run = ["--set", &in_run[0], "--set", &in_run[1]];
    let output = ground.remote("out").args(in_run).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("out");
    // The system does not know the authority, and the server refuses a worker without a login.
    for (flag, file, why) in [
        ("--login", &login, "--ca FILE names the authority"),
        ("--ca", &ca, "the server refuses; give --login FILE"),
    ] {
        let args = ["worker", &url, "--sandbox", "auto", flag, file];
        let output = ground.arena("home", &args).output().unwrap();
        assert!(text(&output).contains(why), "{}", text(&output));
    }
}

#[test]
fn a_user_may_have_a_file_of_credentials() {
    let mut ground = Ground::without_server();
    let [config, login] = ["nats.conf", "user.creds"]
        .map(|file| format!("{}/tests/cluster/{file}", env!("CARGO_MANIFEST_DIR")));
    ground.start_server(&["-js", "-c", &config]);
    ground.local(&gauntlet(4));
    let _worker = ground.worker_with("w", &["--login", &login]);
    let output = ground
        .remote("out")
        .args(["--set", &format!("workers.login={login}")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("out");
    let output = ground
        .arena("home", &["worker", &ground.url(), "--sandbox", "auto"])
        .output()
        .unwrap();
    assert!(
        text(&output).contains("the server refuses; give --login FILE"),
        "{}",
        text(&output)
    );
}

/// A warning says that results of an external referee are taken on trust.
#[test]
fn games_of_another_referee_are_played_by_workers() {
    let ground = Ground::new();
    let referees = Path::new(env!("CARGO_MANIFEST_DIR")).join("referees");
    let config = format!(
        "[run]\ngame = \"tictactoe\"\ngames = 6\nseed = 1\n[sandbox]\nmode = \"auto\"\n\
         [game.tictactoe]\nreferee = [\"python3\", \"{0}/tictactoe.py\"]\n\
         [[bot]]\nname = \"greedy\"\ncommand = \"{0}/bots/tictactoe_greedy.py\"\n\
         [[bot]]\nname = \"random\"\ncommand = \"{0}/bots/tictactoe_random.py\"\n",
        referees.display()
    );
    ground.local(&config);
    let _worker = ground.worker("w");
    let output = ground.remote("out").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("results of tictactoe are those that workers tell"),
        "{}",
        text(&output)
    );
    ground.assert_same("out");
    let verified = ground.arena("home", &["verify", "out"]).output().unwrap();
    assert!(verified.status.success(), "{}", text(&verified));
}

/// An array of jobs starts workers, with a loop in the place of the scheduler.
#[test]
fn arrays_of_jobs_play_as_workers() {
    let ground = Ground::new();
    ground.local(&gauntlet(30));
    let arena = env!("CARGO_BIN_EXE_arena");
    let array = |command: &str| {
        let script = format!(
            "PATH={}:$PATH; for task in 1 2 3; do ({command}) & done; wait",
            Path::new(arena).parent().unwrap().display()
        );
        let mut shell = Command::new("sh");
        shell
            .current_dir(ground.path("home"))
            .args(["-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        shell
    };
    let worker = format!(
        "arena worker {} --jobs 1 --name $task --idle 2s --sandbox auto",
        ground.url()
    );
    let workers = array(&worker).spawn().unwrap();
    let output = ground.remote("out").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("out");
    // They end by themselves.
    assert!(workers.wait_with_output().unwrap().status.success());
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
            let out = format!("out{count}");
            let output = ground.remote(&out).output().unwrap();
            assert!(
                Path::new(&ground.path("home"))
                    .join(&out)
                    .join("summary.json")
                    .exists(),
                "{}",
                text(&output)
            );
            ground.assert_same(&out);
        }
    }
}
