//! `arena run --watch` and `arena watch`: arena serves the page of a run to this machine only.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::programs::{command, folder, sample_bot};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

fn arena(place: &Path, args: &[&str]) -> Child {
    command(place, args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A match of many short games.
fn config(place: &Path, games: u64) {
    let (greedy, random, read) = (
        sample_bot("onitama-greedy"),
        sample_bot("onitama-random"),
        folder().display(),
    );
    let text = format!(
        r#"
        [run]
        seed = 1
        name = "live"
        game = "onitama"
        format = "round-robin"
        games = {games}
        opening_plies = 2
        [clock]
        first_turn_ms = 60000
        turn_ms = 60000
        [[bot]]
        name = "<b>greedy</b>"
        command = ["{greedy}"]
        read = ["{read}"]
        [[bot]]
        name = "random"
        command = ["{random}"]
        read = ["{read}"]
        "#
    );
    fs::write(place.join("live.toml"), text).unwrap();
}

/// The time limit of a page on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A page of this run, its port and its path.
fn watched(place: &Path, run: &str) -> (Child, u16, String) {
    let mut child = arena(place, &["watch", run]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let (port, path) = address(&mut errors);
    (child, port, path)
}

/// The end of a page after a signal.
fn ended(mut child: Child) -> ExitStatus {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let begun = Instant::now();
    while begun.elapsed() < LONG {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    panic!("it does not end");
}

/// The port and the path of the page, from standard error.
fn address(errors: &mut BufReader<ChildStderr>) -> (u16, String) {
    loop {
        let mut line = String::new();
        assert!(
            errors.read_line(&mut line).unwrap() > 0,
            "no address is told"
        );
        if let Some((_, rest)) = line.split_once("watch: http://127.0.0.1:") {
            let (port, path) = rest.trim().split_once('/').unwrap();
            return (port.parse().unwrap(), format!("/{path}"));
        }
    }
}

/// The answer to a request under a host name.
fn ask(port: u16, method: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[test]
fn only_who_has_the_address_gets_the_page() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, 4);
    let played = arena(place, &["run", "live.toml", "--quiet"])
        .wait()
        .unwrap();
    assert!(played.success());
    let (child, port, path) = watched(place, "results/live");
    let own = format!("127.0.0.1:{port}");
    let page = ask(port, "GET", &path, &own);
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("&lt;b&gt;greedy&lt;/b&gt;"),
        "{page}"
    );
    assert!(
        !page.contains("<b>greedy</b>")
            && page.contains("connect-src 'self'")
            && page.contains("nosniff")
    );
    let game = ask(
        port,
        "GET",
        &format!("{path}game/2"),
        &format!("localhost:{port}"),
    );
    assert!(
        game.contains("application/json") && game.contains("\"number\":2,"),
        "{game}"
    );
    let other = "evil.example:80";
    for (method, path, host, expected) in [
        ("GET", "/", own.as_str(), "403"),
        ("GET", "/0123456789abcdef0123456789abcdef/", &own, "403"),
        ("GET", &path[..path.len() - 1], &own, "403"),
        ("GET", &path, other, "403"),
        ("GET", &path, &format!("evil.example:{port}"), "403"),
        ("GET", &path, "127.0.0.1", "403"),
        ("GET", &format!("{path}game/2"), other, "403"),
        ("GET", &format!("{path}events"), other, "403"),
        ("POST", &path, &own, "405"),
        ("GET", &format!("{path}game/77"), &own, "404"),
        ("GET", &format!("{path}../plan.toml"), &own, "404"),
        ("GET", &format!("{path}plan.toml"), &own, "404"),
    ] {
        assert_eq!(
            status(&ask(port, method, path, host)),
            expected,
            "{method} {path} {host}"
        );
    }
    assert!(ended(child).success());
}

fn threads(child: &Child) -> usize {
    fs::read_dir(format!("/proc/{}/task", child.id()))
        .unwrap()
        .count()
}

/// Neither who asks for more than it reads, nor who says to send more than it sends, and nothing is left of them.
#[test]
fn nobody_holds_up_others() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, 4);
    assert!(
        arena(place, &["run", "live.toml", "--quiet"])
            .wait()
            .unwrap()
            .success()
    );
    let (child, port, path) = watched(place, "results/live");
    let own = format!("127.0.0.1:{port}");
    let connect = |text: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let answers = || assert_eq!(status(&ask(port, "GET", &path, &own)), "200");
    answers();
    let idle = threads(&child);
    let posted = ask(
        port,
        "POST",
        &path,
        &format!("{own}\r\nContent-Length: 2\r\n\r\n12"),
    );
    assert_eq!(status(&posted), "405");
    let bodies = [
        "Content-Length: 4096",
        "Content-Length: 9\r\nExpect: 100-continue",
        "Content-Length: 4611686018427387904",
        "Content-Length: 18446744073709551615",
    ]
    .map(|head| {
        let stream = connect(&format!("POST / HTTP/1.1\r\n{head}\r\n\r\n"));
        answers();
        // Nothing more comes.
        stream.shutdown(Shutdown::Write).unwrap();
        answers();
        stream
    });
    // More than the system keeps for a reader.
    let _page = connect(&format!("GET {path} HTTP/1.1\r\nHost: {own}\r\n\r\n").repeat(100));
    let events = connect(&format!("GET {path}events HTTP/1.1\r\nHost: {own}\r\n\r\n"));
    sleep(Duration::from_secs(1));
    answers();
    drop((bodies, events));
    // The page is still not read.
    let begun = Instant::now();
    while threads(&child) > idle {
        assert!(
            begun.elapsed() < LONG,
            "{} threads, {idle} before",
            threads(&child)
        );
        sleep(Duration::from_millis(100));
    }
    answers();
    assert!(ended(child).success());
}

fn memory_kb(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:"));
    let mut words = peak.unwrap().split_whitespace();
    words.nth(1).unwrap().parse().unwrap()
}

/// Without the address, a client can neither fill the memory nor take all connections.
#[test]
fn strangers_get_little_and_lock_nobody_out() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, 4);
    let played = arena(place, &["run", "live.toml", "--quiet"])
        .wait()
        .unwrap();
    assert!(played.success());
    let (child, port, path) = watched(place, "results/live");
    let own = format!("127.0.0.1:{port}");
    let line = format!("X-Filling: {}\r\n", "x".repeat(1000));
    let hosts = format!("{own}\r\nhost: {own}");
    let other = format!("evil.example\r\nHost: {own}");
    let long = format!("{own}\r\n{}X: y", line.repeat(20));
    let many = format!("{own}{}", "\r\nA: b".repeat(100));
    for (host, expected) in [
        (&own, "200"),
        (&hosts, "400"),
        (&other, "400"),
        (&long, "431"),
        (&many, "431"),
    ] {
        let answer = ask(port, "GET", &path, host);
        assert_eq!(status(&answer), expected, "{} bytes", host.len());
    }
    assert_eq!(status(&ask(port, "GET", "a b", &own)), "400");
    let before = memory_kb(&child);
    let mut strangers: Vec<TcpStream> = (0..200)
        .map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap())
        .collect();
    for (place, stranger) in strangers.iter_mut().enumerate() {
        // Most say nothing, some begin a request, and some never end it. The server may cut them off.
        if place % 10 == 0 {
            let _ = stranger.write_all(b"GET / HTTP/1.1\r\n");
        }
        for _ in 0..if place % 20 == 0 { 2000 } else { 0 } {
            if stranger.write_all(line.as_bytes()).is_err() {
                break;
            }
        }
        if place % 20 == 0 {
            assert_eq!(status(&ask(port, "GET", &path, &own)), "200");
        }
    }
    let descriptors = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
    assert!(descriptors.count() < 150);
    let grown = memory_kb(&child) - before;
    assert!(grown < 8 << 10, "{grown} KiB more");
    assert_eq!(status(&ask(port, "GET", &path, &own)), "200");
    assert!(ended(child).success());
}

/// A run that has just begun has a page without games. One that has lost its games is refused.
#[test]
fn a_run_without_records_has_no_games() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, 4);
    assert!(
        arena(place, &["run", "live.toml", "--quiet"])
            .wait()
            .unwrap()
            .success()
    );
    let run = place.join("results/live");
    fs::rename(run.join("records.jsonl"), place.join("records.jsonl")).unwrap();
    let refused = arena(place, &["watch", "results/live"])
        .wait_with_output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(3));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("records.jsonl lacks 4 of the games in summary.json"),
        "{said}"
    );
    fs::remove_file(run.join("summary.json")).unwrap();
    let (child, port, path) = watched(place, "results/live");
    let own = format!("127.0.0.1:{port}");
    let page = ask(port, "GET", &path, &own);
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("Not finished: 0 of 4 games are played"),
        "{page}"
    );
    let game = ask(port, "GET", &format!("{path}game/2"), &own);
    assert_eq!(status(&game), "404");
    fs::rename(place.join("records.jsonl"), run.join("records.jsonl")).unwrap();
    let begun = Instant::now();
    while status(&ask(port, "GET", &format!("{path}game/2"), &own)) != "200" {
        assert!(begun.elapsed() < LONG);
    }
    assert!(ended(child).success());
}

/// The list of the games in a page that is a file.
fn listed(page: &str) -> Vec<Value> {
    let data = page
        .split_once("id=\"replay-data\">")
        .unwrap()
        .1
        .split_once("</script>")
        .unwrap()
        .0;
    let data: Value = serde_json::from_str(data).unwrap();
    let packed = BASE64_STANDARD
        .decode(data["list"].as_str().unwrap())
        .unwrap();
    serde_json::from_reader(GzDecoder::new(&packed[..])).unwrap()
}

#[test]
fn games_arrive_as_they_finish_and_the_page_ends_with_the_run() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, 600);
    let mut child = arena(place, &["run", "live.toml", "--quiet", "--watch"]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let (port, path) = address(&mut errors);
    // Before the run has begun there is a page that waits.
    while !ask(port, "GET", &path, &format!("127.0.0.1:{port}")).contains("EventSource") {
        sleep(Duration::from_millis(10));
    }
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "GET {path}events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    )
    .unwrap();
    let mut games = BTreeMap::new();
    let mut told = 0;
    let mut is_over = false;
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let Some(data) = line.strip_prefix("data: ") else {
            continue;
        };
        let news: Value = serde_json::from_str(data).unwrap();
        for game in news["games"].as_array().unwrap() {
            games.insert(game["number"].as_u64().unwrap(), game.clone());
            told += 1;
        }
        is_over |= news["over"] == true;
    }
    assert!(is_over, "{} games", games.len());
    assert!(
        (600..1200).contains(&told),
        "{told}: what has not changed is not told again"
    );
    let mut said = String::new();
    errors.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    // What is said of a game changes as others come; at the end it is what the file says.
    let page = fs::read_to_string(place.join("results/live/report.html")).unwrap();
    let expected: BTreeMap<u64, Value> = listed(&page)
        .into_iter()
        .map(|game| (game["number"].as_u64().unwrap(), game))
        .collect();
    assert!(games == expected && games.len() == 600);
    assert!(games.values().all(|game| game["differs"].is_u64()));
    assert!(
        TcpStream::connect(("127.0.0.1", port)).is_err(),
        "nobody listens any more"
    );
}

#[test]
fn a_page_that_stays_ends_with_whoever_started_it() {
    for signal in [Signal::TERM, Signal::KILL] {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        config(place, 4);
        let mut child = arena(place, &["run", "live.toml", "--quiet", "--watch=stay"]);
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let (port, path) = address(&mut errors);
        while !place.join("results/live/report.html").exists() {
            sleep(Duration::from_millis(10));
        }
        let page = ask(port, "GET", &path, &format!("127.0.0.1:{port}"));
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        // Only that process: a terminal would signal both.
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait().unwrap();
        // Its standard error stays open as long as the page is served.
        errors.read_to_end(&mut Vec::new()).unwrap();
        assert!(
            TcpStream::connect(("127.0.0.1", port)).is_err(),
            "{signal:?}"
        );
    }
}

#[test]
fn what_is_no_run_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let output = arena(place.path(), &["watch", "nowhere"])
        .wait_with_output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not a run directory"));
}
