//! Games on other machines: a server, workers in folders of their own, and runs that must have the bytes of a run on this machine,
//! whoever comes, goes, is killed or lies. The long form plays more: `cargo test --features workers --test cluster -- --ignored`.

#![cfg(feature = "workers")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

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
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut ground = Ground { folder: tempfile::tempdir().unwrap(), port, server: None };
        ground.start_server(flags);
        ground
    }

    fn start_server(&mut self, flags: &[&str]) {
        self.server = None;
        let mut server = Command::new("nats-server");
        server.args(["-a", "127.0.0.1", "-p", &self.port.to_string()]).args(flags);
        server.arg("-sd").arg(self.path("store")).stdout(Stdio::null()).stderr(Stdio::null());
        self.server = Some(Running(server.spawn().expect("nats-server is installed")));
        let end = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(Instant::now() < end, "the server does not start");
            sleep(Duration::from_millis(20));
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// A program in a folder of its own below this one.
    fn arena(&self, folder: &str, args: &[&str]) -> Command {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
        command.current_dir(&folder).env("XDG_CACHE_HOME", folder.join("cache")).env_remove("RUST_BACKTRACE");
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn worker(&self, name: &str) -> Running {
        self.worker_with(name, &[])
    }

    fn worker_with(&self, name: &str, flags: &[&str]) -> Running {
        let mut worker = self.arena(name, &["worker", &self.url(), "--name", name, "--jobs", "1", "--sandbox", "auto"]);
        let log = fs::File::create(self.path(name).join("log")).unwrap();
        Running(worker.args(flags).stdout(Stdio::null()).stderr(log).spawn().unwrap())
    }

    /// Writes a config, and plays it here.
    fn local(&self, config: &str) {
        fs::create_dir_all(self.path("home")).unwrap();
        fs::write(self.path("home").join("config.toml"), config).unwrap();
        let output = self.arena("home", &["run", "config.toml", "--out", "local", "--jobs", "2"]).output().unwrap();
        assert!(self.path("home").join("local/games.csv").exists(), "{}", text(&output));
    }

    fn remote(&self, out: &str) -> Command {
        self.arena("home", &["run", "config.toml", "--out", out, "--workers", &self.url()])
    }

    /// Starts a run, and waits until it has games.
    fn begun(&self, out: &str) -> Child {
        let run = self.remote(out).spawn().unwrap();
        let records = self.path("home").join(out).join("records.jsonl");
        let end = Instant::now() + Duration::from_secs(60);
        while fs::metadata(&records).map_or(0, |file| file.len()) < 2000 {
            assert!(Instant::now() < end, "no game is played");
            sleep(Duration::from_millis(10));
        }
        run
    }

    /// The files of a run must be those of the run on this machine.
    fn assert_same(&self, out: &str) {
        let read = |out: &str, file: &str| fs::read_to_string(self.path("home").join(out).join(file)).ok();
        assert_eq!(timeless(&read("local", "games.csv").unwrap()), timeless(&read(out, "games.csv").unwrap()), "{out}");
        for file in ["ratings.csv", "pairings.csv", "sprt.csv", "sweep.csv", "tune.csv"] {
            assert_eq!(read("local", file), read(out, file), "{out}/{file}");
        }
    }
}

/// The rows without the columns of times.
fn timeless(csv: &str) -> Vec<String> {
    let is_time = |name: &&str| name.contains("_ms_");
    let columns = csv.lines().next().unwrap().split(',').take_while(|name| !is_time(name)).count();
    csv.lines().map(|row| row.split(',').take(columns).collect::<Vec<_>>().join(",")).collect()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A run of sample bots that nothing but their seeds decides.
fn config(run: &str, bots: &[&str]) -> String {
    let bots = bots.iter().enumerate().map(|(number, bot)| {
        format!("[[bot]]\nname = \"bot{number}\"\ncommand = \"arena bot {bot} --seed {{seed}}\"\n")
    });
    let limits = "[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n[sandbox]\nmode = \"auto\"\n";
    format!("[run]\nseed = 3\n{run}\n{limits}{}", bots.collect::<String>())
}

fn gauntlet(games: u32) -> String {
    config(
        &format!("game = \"onitama\"\ngames = {games}"),
        &["onitama-random", "onitama-greedy", "onitama-search --depth 1"],
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
    config(run, &["minishogi-search --depth 1 --blunder {blunder}", "minishogi-random"])
}

/// A tuning whose answer is tested, too.
fn tuning() -> String {
    let run = "game = \"onitama\"\nformat = \"tune\"\nopening_plies = 4\n[tune]\nbot = \"bot0\"\nblock = 8\nmax_units = 32\nconfirm = true\nparameters = { blunder = { min = 0, max = 90, start = 80 } }";
    config(run, &["onitama-search --depth 1 --blunder {blunder}"])
}

fn tables() -> String {
    config(
        "game = \"kutulu\"\nformat = \"round-robin\"\ngames = 12",
        &["kutulu-random", "kutulu-greedy", "kutulu-random", "kutulu-greedy", "kutulu-random"],
    )
}

#[test]
fn any_number_of_workers_gives_the_bytes_of_this_machine() {
    let ground = Ground::new();
    let mut workers = Vec::new();
    for (count, name, config) in
        [(1, "tables", tables()), (2, "test", sprt()), (3, "tuning", tuning()), (4, "race", race())]
    {
        while workers.len() < count {
            workers.push(ground.worker(&format!("w{}", workers.len())));
        }
        ground.local(&config);
        let output = ground.remote(name).output().unwrap();
        assert!(ground.path("home").join(name).join("summary.json").exists(), "{}", text(&output));
        ground.assert_same(name);
        if name == "tuning" {
            let test = |run: &str| fs::read_to_string(ground.path("home").join(run).join("sprt.csv")).unwrap();
            assert_eq!(test("local-confirm-32"), test("tuning-confirm-32"));
        }
        fs::remove_dir_all(ground.path("home").join("local")).unwrap();
    }
    let run = ground.path("home").join("race/records.jsonl");
    assert!(fs::read_to_string(run).unwrap().lines().all(|record| record.contains("\"worker\":\"w")));
}

#[test]
fn workers_and_server_and_arena_may_be_killed() {
    let mut ground = Ground::new();
    ground.local(&gauntlet(400));
    let mut first = ground.worker("first");
    let second = ground.worker("second");
    // A worker is killed, the other drains, and a third comes.
    let run = ground.begun("a");
    first.0.kill().unwrap();
    let third = ground.worker("third");
    let term = Command::new("kill").arg(second.0.id().to_string()).status().unwrap();
    assert!(term.success());
    let output = run.wait_with_output().unwrap();
    ground.assert_same("a");
    assert!(text(&output).contains("worker second leaves"), "{}", text(&output));
    // The server is killed, with all that it holds.
    let run = ground.begun("b");
    ground.server = None;
    fs::remove_dir_all(ground.path("store")).unwrap();
    ground.start_server(&["-js"]);
    let output = run.wait_with_output().unwrap();
    ground.assert_same("b");
    assert!(text(&output).contains("is there again"), "{}", text(&output));
    // The arena is killed, and goes on with the workers that are there.
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
    fs::write(home.join("bots/bot.py"), "import sys\nfrom part import word\nfor line in sys.stdin: pass\n").unwrap();
    fs::write(home.join("bots/part.py"), "word = 1\n").unwrap();
    fs::write(home.join("bots/parts/book.txt"), "e4\n").unwrap();
    let bots = "[[bot]]\nname = \"a\"\ncommand = [\"python3\", \"bots/bot.py\"]\nread = [\"bots/parts\"]\n\
                [[bot]]\nname = \"b\"\ncommand = [\"sh\", \"-c\", \"cat bots/parts/book.txt >&2; exec arena-is-not-here\"]\nread = [\"bots/parts\"]\n";
    let config = config("game = \"onitama\"\ngames = 4", &[]).replace("60000", "300") + bots;
    fs::write(home.join("config.toml"), config).unwrap();
    let _worker = ground.worker("w");
    let output = ground.remote("out").output().unwrap();
    let records = fs::read_to_string(home.join("out/records.jsonl")).unwrap_or_default();
    assert!(records.contains("e4") && !records.contains("No module"), "{records}\n{}", text(&output));
}

#[test]
fn what_is_wrong_is_told() {
    // No server.
    let mut ground = Ground::new();
    ground.local(&gauntlet(2));
    ground.server = None;
    let output = ground.remote("out").output().unwrap();
    assert!(text(&output).contains("start a server there with `nats-server -js`"), "{}", text(&output));
    // No JetStream.
    ground.start_server(&[]);
    let output = ground.remote("out").output().unwrap();
    assert!(text(&output).contains("the server has no JetStream"), "{}", text(&output));
    // Wrong credentials, and then the right ones.
    ground.start_server(&["-js", "--user", "me", "--pass", "secret"]);
    let output = ground.remote("out").output().unwrap();
    assert!(text(&output).contains("the server refuses; give --login FILE"), "{}", text(&output));
    let login = ground.path("login");
    fs::write(&login, "me:secret\n").unwrap();
    let login = login.to_str().unwrap();
    let _worker = ground.worker_with("w", &["--login", login]);
    let output = ground.remote("out").args(["--login", login]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    ground.assert_same("out");
    // A password on the command line.
    let url = format!("nats://me:secret@127.0.0.1:{}", ground.port);
    let output = ground.arena("home", &["workers", &url]).output().unwrap();
    assert!(text(&output).contains("others can read command lines"), "{}", text(&output));
    let output = ground.arena("home", &["workers", &ground.url(), "--login", login]).output().unwrap();
    assert!(text(&output).contains("waits for a run"), "{}", text(&output));
}

#[test]
fn a_worker_without_the_interpreter_is_unfit() {
    let ground = Ground::new();
    let home = ground.path("home");
    ground.local(&gauntlet(2));
    let bots = "[[bot]]\nname = \"a\"\ncommand = [\"./only-here/tool\"]\n[[bot]]\nname = \"b\"\ncommand = \"arena bot onitama-random\"\n";
    fs::create_dir_all(home.join("only-here")).unwrap();
    fs::write(home.join("only-here/tool"), "#!/opt/nowhere/interpreter\n").unwrap();
    let chmod = Command::new("chmod").arg("+x").arg(home.join("only-here/tool")).status().unwrap();
    assert!(chmod.success());
    fs::write(home.join("config.toml"), config("game = \"onitama\"\ngames = 4", &[]) + bots).unwrap();
    let _worker = ground.worker("w");
    let output = ground.remote("out").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("worker w cannot play") && said.contains("no worker can"), "{said}");
}

/// A server without users on an address that is not this machine's alone.
#[test]
fn a_server_that_lets_anybody_in_is_refused() {
    let Some(address) = own_address() else { return };
    let ground = Ground::with(&["-js"]);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new("nats-server");
    server.args(["-js", "-a", "0.0.0.0", "-p", &port.to_string(), "-sd"]).arg(ground.path("open"));
    let _open = Running(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    sleep(Duration::from_secs(1));
    let url = format!("nats://{address}:{port}");
    let output = ground.arena("home", &["worker", &url, "--sandbox", "auto"]).output().unwrap();
    assert!(text(&output).contains("the server lets anybody in"), "{}", text(&output));
    let output = ground.arena("home", &["workers", &url, "--insecure"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// An address of this machine in its network; nothing is sent.
fn own_address() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_loopback())
}

/// Somebody who speaks to the arena as a worker does, but lies: sends games that nobody played, of others, and garbage.
fn lie(port: u16) {
    let mut server = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    server.write_all(b"CONNECT {\"verbose\":false}\r\nSUB arena.sessions 1\r\n").unwrap();
    let mut lines = BufReader::new(server.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(greeting) = lines.find(|line| line.starts_with('{') && line.contains("session")) else { return };
    let greeting: serde_json::Value = serde_json::from_str(&greeting).unwrap();
    let session = greeting["session"].as_str().unwrap();
    let mut publish = |kind: &str, payload: &[u8]| {
        let _ = write!(server, "PUB arena.{kind}.{session} {}\r\n", payload.len());
        let _ = server.write_all(payload).and_then(|()| server.write_all(b"\r\n"));
    };
    let playing = serde_json::json!({ "playing": { "sandbox": "", "remarks": [] } });
    let beat =
        serde_json::json!({ "worker": "l", "name": "liar", "jobs": 1, "cores": 1, "state": playing, "games": 0 });
    let standing = serde_json::json!({ "score": 1, "fate": "ok" });
    let game = serde_json::json!({ "opening": [], "steps": [], "ms": [], "host_late": [], "standings": [standing, standing],
        "reason": "temple", "shown": {}, "turns": 1 });
    let outcome = serde_json::json!({ "game": { "Ok": game }, "faults": [], "hit_by_signal": false, "voided": 0 });
    let games: Vec<_> =
        (0..400).map(|number| serde_json::json!({ "number": number, "seconds": 0.1, "outcome": outcome })).collect();
    for worker in ["nobody", "l"] {
        let answers = serde_json::json!({ "worker": worker, "games": games });
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(answers.to_string().as_bytes()).unwrap();
        publish("beat", beat.to_string().as_bytes());
        publish("done", &packed.finish().unwrap());
        publish("done", b"garbage");
        publish("beat", b"garbage");
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
    assert!(said.contains("worker liar is dismissed: its game"), "{said}");
    assert!(said.contains("a worker sent what cannot be read"), "{said}");
}

/// More of the same: every format with 1, 2 and 4 workers.
#[test]
#[ignore = "takes minutes"]
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
            assert!(Path::new(&ground.path("home")).join(&out).join("summary.json").exists(), "{}", text(&output));
            ground.assert_same(&out);
        }
    }
}
