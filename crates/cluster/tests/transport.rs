//! Jobs through a real server: `nats-server` must be installed. Tasks are numbers, and answers are
//! their squares.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use arena_cluster::{
    Access, Coordinator, File, Host, Job, Outcome, Player, Session, Task, Tell, WrongAnswer, serve,
};
use tempfile::TempDir;

const PROGRAM: &str = "squares 1.0";

/// A server, with a folder for its files and those of workers.
struct Server {
    folder: TempDir,
    port: u16,
    process: Option<Child>,
}

impl Server {
    fn new() -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut server = Server {
            folder: tempfile::tempdir().unwrap(),
            port: port.local_addr().unwrap().port(),
            process: None,
        };
        drop(port);
        server.start();
        server
    }

    fn start(&mut self) {
        let mut command = Command::new("nats-server");
        command
            .args(["-js", "-a", "127.0.0.1", "-p", &self.port.to_string()])
            .arg("-sd")
            .arg(self.folder.path().join("store"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.process = Some(command.spawn().expect("nats-server is installed"));
        until("the server does not start", || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    /// Kills the server, and removes all that it holds.
    fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
        let _ = fs::remove_dir_all(self.folder.path().join("store"));
    }

    fn access(&self) -> Access {
        Access {
            url: format!("nats://127.0.0.1:{}", self.port),
            ..Access::default()
        }
    }

    fn coordinator(&self, job: Job) -> Coordinator {
        Coordinator::open(self.access(), job, silent()).unwrap()
    }

    /// Starts a worker on a thread of this process.
    fn worker(&self, name: &str, player: Squares) -> Worker {
        let leaves = Arc::new(AtomicBool::new(false));
        let is_leaving = Arc::clone(&leaves);
        let host = Host {
            name: Some(name.to_owned()),
            program: player.program.to_owned(),
            jobs: 2,
            cache: self.folder.path().join(name),
            idle: None,
        };
        let (access, said) = (self.access(), Arc::new(Mutex::new(String::new())));
        let saying = Arc::clone(&said);
        let tell: Tell = Arc::new(move |line: &str| *saying.lock().unwrap() += line);
        let thread = thread::spawn(move || {
            let leaves = Box::new(move || is_leaving.load(Ordering::Relaxed));
            serve(access, host, &player, leaves, &tell).unwrap();
        });
        Worker {
            leaves,
            said,
            thread: Some(thread),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A worker, which leaves when this is dropped.
struct Worker {
    leaves: Arc<AtomicBool>,
    said: Arc<Mutex<String>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.leaves.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || ended.is_some_and(|ended| ended.is_ok()));
    }
}

/// How a worker squares numbers.
#[derive(Clone)]
struct Squares {
    program: &'static str,
    /// What it adds to each square.
    error: u64,
    /// How many tasks fail before one does not.
    fails: Arc<AtomicU32>,
    pause: Duration,
}

impl Default for Squares {
    fn default() -> Squares {
        Squares {
            program: PROGRAM,
            error: 0,
            fails: Arc::default(),
            pause: Duration::ZERO,
        }
    }
}

impl Player for Squares {
    /// The text of the file that comes with the job, if there is one.
    type Ready = String;

    fn prepare(&self, session: &Session) -> anyhow::Result<String> {
        let path = session.job.description.clone();
        let text = match session.place.moved(&path) {
            Some(here) => fs::read_to_string(here)?,
            None => path,
        };
        anyhow::ensure!(!text.contains("too hard"), "it is {text}");
        Ok(text)
    }

    fn play(&self, text: &String, task: &str, is_wanted: &dyn Fn() -> bool) -> Outcome {
        sleep(self.pause);
        let is_failing = |fails: u32| fails.checked_sub(1);
        if self
            .fails
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_failing)
            .is_ok()
        {
            return Outcome::Failed("out of ink".into());
        }
        if !is_wanted() {
            return Outcome::GivenBack;
        }
        let number: u64 = task.parse().unwrap();
        Outcome::Played(format!("{text}{}", number * number + self.error))
    }
}

fn silent() -> Tell {
    Arc::new(|_| ())
}

fn until(problem: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "{problem}");
        sleep(Duration::from_millis(20));
    }
}

fn job(description: &str) -> Job {
    Job {
        name: "squares".into(),
        program: PROGRAM.into(),
        description: description.into(),
        files: Vec::new(),
        folder: "/nowhere".into(),
    }
}

fn add(coordinator: &mut Coordinator, numbers: std::ops::Range<u64>) {
    for number in numbers {
        coordinator.add(Task {
            number,
            unit: number / 2,
            unit_size: 2,
            text: number.to_string(),
        });
    }
}

/// The outcomes of tasks, in the order of their answers.
#[derive(Default)]
struct Answers {
    squares: Vec<(u64, String)>,
    workers: Vec<String>,
    failures: Vec<String>,
    given_back: usize,
}

impl Answers {
    /// Polls until every task has an answer. Calls `meanwhile` with the number of squares.
    fn gather(
        &mut self,
        coordinator: &mut Coordinator,
        meanwhile: &mut dyn FnMut(&mut Coordinator, usize),
    ) {
        let end = Instant::now() + Duration::from_secs(120);
        while !coordinator.is_empty() {
            assert!(Instant::now() < end, "tasks have no answers");
            coordinator
                .poll(&mut |answer| {
                    match answer.outcome {
                        Outcome::Played(square) => {
                            let root = answer.number;
                            if !square.ends_with(&(root * root).to_string()) {
                                let why = format!("{root} times {root} is not {square}");
                                return Err(WrongAnswer(why));
                            }
                            self.squares.push((root, square));
                            self.workers.push(answer.worker);
                        }
                        Outcome::Failed(why) => self.failures.push(why),
                        Outcome::GivenBack => self.given_back += 1,
                    }
                    Ok(())
                })
                .unwrap();
            meanwhile(coordinator, self.squares.len());
        }
    }

    /// Every number below `count` must have one square.
    fn assert_complete(&mut self, count: u64) {
        self.squares.sort();
        let roots: Vec<u64> = self.squares.iter().map(|(root, _)| *root).collect();
        assert_eq!(roots, (0..count).collect::<Vec<u64>>());
    }
}

fn idle(_: &mut Coordinator, _: usize) {}

#[test]
fn each_task_is_answered_once_by_any_number_of_workers() {
    let server = Server::new();
    let first = server.worker("first", Squares::default());
    let mut coordinator = server.coordinator(job(""));
    coordinator.first_worker(&|| false).unwrap();
    let _second = server.worker("second", Squares::default());
    add(&mut coordinator, 0..3000);
    let mut answers = Answers::default();
    answers.gather(&mut coordinator, &mut idle);
    answers.assert_complete(3000);
    assert!(coordinator.width() >= 4 && !coordinator.is_alone());
    // Tasks may be added when others have answers.
    add(&mut coordinator, 3000..3100);
    drop(first);
    answers.gather(&mut coordinator, &mut idle);
    answers.assert_complete(3100);
}

#[test]
fn files_come_with_the_job() {
    let server = Server::new();
    let path = server.folder.path().join("prefix.txt");
    fs::write(&path, "the square is ").unwrap();
    let files = vec![File::new(&path).unwrap()];
    let job = Job {
        files,
        ..job(path.to_str().unwrap())
    };
    let mut coordinator = server.coordinator(job);
    // The worker has nothing of it at this path any more.
    fs::remove_file(&path).unwrap();
    let _worker = server.worker("w", Squares::default());
    coordinator.first_worker(&|| false).unwrap();
    add(&mut coordinator, 0..4);
    let mut answers = Answers::default();
    answers.gather(&mut coordinator, &mut idle);
    answers.assert_complete(4);
    assert_eq!(answers.squares[3].1, "the square is 9");
}

#[test]
fn a_worker_that_lies_is_dismissed_and_changes_nothing() {
    let server = Server::new();
    let honest = Squares {
        pause: Duration::from_millis(2),
        ..Squares::default()
    };
    let liar = Squares {
        error: 1,
        ..honest.clone()
    };
    let lying = server.worker("liar", liar);
    let mut coordinator = server.coordinator(job(""));
    coordinator.first_worker(&|| false).unwrap();
    let _honest = server.worker("honest", honest);
    add(&mut coordinator, 0..200);
    let mut answers = Answers::default();
    answers.gather(&mut coordinator, &mut idle);
    answers.assert_complete(200);
    assert!(answers.workers.iter().all(|worker| worker == "honest"));
    until("the liar does not hear of it", || {
        let said = lying.said.lock().unwrap();
        said.contains("dismissed: ") && said.contains("is not")
    });
}

#[test]
fn tasks_that_fail_are_tried_again_and_given_up_after_three_times() {
    let server = Server::new();
    let player = Squares::default();
    player.fails.store(2, Ordering::Relaxed);
    let _worker = server.worker("w", player.clone());
    let mut coordinator = server.coordinator(job(""));
    coordinator.first_worker(&|| false).unwrap();
    add(&mut coordinator, 0..1);
    let mut answers = Answers::default();
    answers.gather(&mut coordinator, &mut idle);
    answers.assert_complete(1);
    // Now everything fails: the worker is useless, and another takes over.
    player.fails.store(u32::MAX, Ordering::Relaxed);
    add(&mut coordinator, 1..2);
    answers.gather(&mut coordinator, &mut idle);
    assert_eq!(answers.failures, ["out of ink"]);
    assert!(coordinator.is_alone());
    let _other = server.worker("other", Squares::default());
    add(&mut coordinator, 2..4);
    answers.gather(&mut coordinator, &mut idle);
    assert_eq!(answers.squares.len(), 3);
}

#[test]
fn a_server_that_loses_everything_is_waited_for() {
    let mut server = Server::new();
    let player = Squares {
        pause: Duration::from_millis(5),
        ..Squares::default()
    };
    let _worker = server.worker("w", player);
    let mut coordinator = server.coordinator(job(""));
    coordinator.first_worker(&|| false).unwrap();
    add(&mut coordinator, 0..600);
    let mut answers = Answers::default();
    let mut is_killed = false;
    answers.gather(&mut coordinator, &mut |_, squares| {
        if squares > 100 && !is_killed {
            is_killed = true;
            server.kill();
            server.start();
        }
    });
    assert!(is_killed);
    answers.assert_complete(600);
}

#[test]
fn unwanted_tasks_are_not_waited_for() {
    let server = Server::new();
    let player = Squares {
        pause: Duration::from_millis(20),
        ..Squares::default()
    };
    let _worker = server.worker("w", player);
    let mut coordinator = server.coordinator(job(""));
    coordinator.first_worker(&|| false).unwrap();
    add(&mut coordinator, 0..1000);
    let mut cancelled = Vec::new();
    let mut answers = Answers::default();
    answers.gather(&mut coordinator, &mut |coordinator, squares| {
        if squares >= 10 && cancelled.is_empty() {
            cancelled = coordinator.cancel(|number| number >= 20);
        }
    });
    assert!(cancelled.len() >= 970 && answers.squares.len() + cancelled.len() == 1000);
    // The worker has forgotten the rest, and is free for more.
    add(&mut coordinator, 1000..1002);
    answers.gather(&mut coordinator, &mut idle);
    assert!(answers.squares.iter().any(|(root, _)| *root == 1001));
}

#[test]
fn a_drained_session_finishes_what_was_begun_and_returns_the_rest() {
    let server = Server::new();
    let player = Squares {
        pause: Duration::from_millis(300),
        ..Squares::default()
    };
    let _worker = server.worker("w", player);
    let mut coordinator = server.coordinator(job(""));
    coordinator.first_worker(&|| false).unwrap();
    add(&mut coordinator, 0..6);
    let mut answers = Answers::default();
    answers.gather(&mut coordinator, &mut |coordinator, squares| {
        if squares > 0 {
            coordinator.drain();
        }
    });
    assert!(answers.given_back > 0);
    assert_eq!(answers.squares.len() + answers.given_back, 6);
}

#[test]
fn workers_that_cannot_play_say_why() {
    let server = Server::new();
    let _unfit = server.worker("unfit", Squares::default());
    let other = Squares {
        program: "squares 2.0",
        ..Squares::default()
    };
    let _other = server.worker("other", other);
    let mut coordinator = server.coordinator(job("too hard"));
    let why = coordinator.first_worker(&|| false).unwrap_err().to_string();
    assert!(why.contains("no worker can"), "{why}");
    assert!(why.contains("unfit: it is too hard"), "{why}");
    assert!(
        why.contains("the run is played by squares 1.0: use the same version"),
        "{why}"
    );
}
