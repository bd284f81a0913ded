//! `arena run --watch` and `arena watch`: the page of a run is served to this machine, and to nobody else.

mod programs;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use programs::{folder, sample_bot};
use rustix::process::{Pid, Signal, kill_process};

fn arena(place: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.current_dir(place).args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A match of many short games.
fn config(place: &Path, games: u64) {
    let (greedy, random, read) = (sample_bot("onitama-greedy"), sample_bot("onitama-random"), folder().display());
    let text = format!(
        r#"
        [run]
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

/// The port and the path of the page, as it is told on standard error.
fn address(errors: &mut BufReader<ChildStderr>) -> (u16, String) {
    loop {
        let mut line = String::new();
        assert!(errors.read_line(&mut line).unwrap() > 0, "no address is told");
        if let Some((_, rest)) = line.split_once("watch: http://127.0.0.1:") {
            let (port, path) = rest.trim().split_once('/').unwrap();
            return (port.parse().unwrap(), format!("/{path}"));
        }
    }
}

/// The answer to a request under a host name.
fn ask(port: u16, method: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
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
    let played = arena(place, &["run", "live.toml", "--quiet"]).wait().unwrap();
    assert!(played.success());
    let mut child = arena(place, &["watch", "results/live"]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let (port, path) = address(&mut errors);
    let own = format!("127.0.0.1:{port}");
    let page = ask(port, "GET", &path, &own);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("&lt;b&gt;greedy&lt;/b&gt;"), "{page}");
    assert!(!page.contains("<b>greedy</b>") && page.contains("connect-src 'self'") && page.contains("nosniff"));
    let game = ask(port, "GET", &format!("{path}game/2"), &format!("localhost:{port}"));
    assert!(game.contains("application/json") && game.contains("\"number\":2,"), "{game}");
    let other = "evil.example:80";
    for (method, path, host, expected) in [
        ("GET", "/", own.as_str(), "403"),
        ("GET", "/0123456789abcdef0123456789abcdef/", &own, "403"),
        ("GET", &path[..path.len() - 1], &own, "403"),
        ("GET", &path, other, "403"),
        ("GET", &path, &format!("evil.example:{port}"), "403"),
        ("GET", &path, "127.0.0.1", "403"),
        ("GET", &format!("{path}game/2"), other, "403"),
        ("GET", &format!("{path}events?from=0"), other, "403"),
        ("POST", &path, &own, "405"),
        ("GET", &format!("{path}game/77"), &own, "404"),
        ("GET", &format!("{path}../plan.toml"), &own, "404"),
        ("GET", &format!("{path}plan.toml"), &own, "404"),
    ] {
        assert_eq!(status(&ask(port, method, path, host)), expected, "{method} {path} {host}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn games_arrive_as_they_finish_and_the_page_ends_with_the_run() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    config(place, 2000);
    let mut child = arena(place, &["run", "live.toml", "--quiet", "--watch"]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let (port, path) = address(&mut errors);
    // Before the run has begun there is a page that waits.
    while !ask(port, "GET", &path, &format!("127.0.0.1:{port}")).contains("EventSource") {}
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {path}events?from=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
    let mut numbers = Vec::new();
    let mut is_over = false;
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let news: serde_json::Value = serde_json::from_str(data).unwrap();
        numbers.extend(news["games"].as_array().into_iter().flatten().map(|game| game["number"].as_u64().unwrap()));
        is_over |= news["over"] == true;
    }
    assert!(is_over, "{} games", numbers.len());
    assert_eq!(numbers, (0..2000).collect::<Vec<_>>());
    let mut said = String::new();
    errors.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "nobody listens any more");
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
        while !place.join("results/live/report.html").exists() {}
        let page = ask(port, "GET", &path, &format!("127.0.0.1:{port}"));
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        // That one alone: nobody but a terminal tells both.
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait().unwrap();
        // Its standard error is open as long as the page is there.
        errors.read_to_end(&mut Vec::new()).unwrap();
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "{signal:?}");
    }
}

#[test]
fn what_is_no_run_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let output = arena(place.path(), &["watch", "nowhere"]).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not a run directory"));
}
