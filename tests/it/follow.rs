//! `arena report --follow`: the page of a run while another process plays it.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::programs::{Said as _, arena, command, inner, said, sample_bot, timeless};

/// The time limit of a page on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// The start of a page that reloads itself.
const RELOADS: &str = "<body data-played>";

const PLAYED: [&str; 4] = ["plan.toml", "games.csv", "records.jsonl", "summary.json"];

/// A copy of the run that comes with the project, without what follows from its games.
fn example() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in PLAYED {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/example");
        fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn follow(folder: &Path, run: &str) -> Child {
    command(folder, &["report", run, "--follow"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until something is so.
fn wait(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// The page of a run, empty before it is written.
fn page(run: &Path) -> String {
    fs::read_to_string(run.join("report.html")).unwrap_or_default()
}

#[test]
fn the_page_grows_with_the_run_and_ends_with_it() {
    let run = example();
    let run = run.path();
    let summary = fs::read(run.join("summary.json")).unwrap();
    fs::remove_file(run.join("summary.json")).unwrap();
    let records = fs::read_to_string(run.join("records.jsonl")).unwrap();
    // The records after so many games, and a part of the next.
    let write = |games: usize| {
        let mut lines: Vec<&str> = records.split_inclusive('\n').take(games + 1).collect();
        if let Some(next) = lines.get_mut(games) {
            *next = &next[..next.len() / 2];
        }
        // At its end, a run may sort its records into another file.
        fs::write(run.join("new"), lines.concat()).unwrap();
        fs::rename(run.join("new"), run.join("records.jsonl")).unwrap();
    };
    write(10);
    // What an arena that plays the run holds.
    let lock = File::open(run).unwrap();
    lock.lock().unwrap();
    let writer = follow(run, ".");
    for games in [10, 15] {
        write(games);
        let so_far = format!("The run is being played: {games} games so far.");
        wait(&so_far, || page(run).contains(&so_far));
        assert!(page(run).contains(RELOADS));
    }
    write(20);
    fs::write(run.join("summary.json"), summary).unwrap();
    fs::write(run.join("report.html"), "the last page of the run").unwrap();
    drop(lock);
    let ended = writer.wait_with_output().unwrap();
    let told = said(&ended);
    ended.status(0);
    assert!(
        told.starts_with("search-d2 is first, level with search-d3: ")
            && told.contains("\nopen ./report.html\nupdating ./report.html until the run ends; "),
        "{told}"
    );
    assert!(!page(run).contains(RELOADS));
    let plain = arena(run, &["report", ".", "--html", "-"]);
    assert_eq!(said(&plain), page(run));
}

#[test]
fn a_finished_run_is_written_once() {
    let run = example();
    let run = run.path();
    let followed = arena(run, &["report", ".", "--follow"]);
    followed.status(0);
    let plain = arena(run, &["report", ".", "--html", "-"]);
    assert_eq!(said(&plain), page(run));
    let asked = arena(run, &["report", ".", "--follow", "--games", "3"]);
    asked.status(0);
    assert!(page(run).contains("\"first\":3,"));
    let entries = fs::read_dir(run).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| !PLAYED.contains(&name.to_str().unwrap()));
    assert_eq!(names, ["report.html"], "only the page is written");
    let both = arena(run, &["report", ".", "--follow", "--json", "-"]);
    both.status(2);
}

#[test]
fn ctrl_c_ends_only_the_writing() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let bots = ["onitama-greedy", "onitama-random"].map(sample_bot);
    let args = |out: &'static str| {
        let limits = ["clock.first_turn_ms=60000", "--set", "clock.turn_ms=60000"];
        let more = [
            "--games", "100", "--seed", "1", "--quiet", "--out", out, "--set",
        ];
        let args = [&["duel", "onitama", &bots[0], &bots[1]], &more[..], &limits].concat();
        command(place, &args)
    };
    assert!(args("alone").status().unwrap().success());
    let mut run = args("followed").spawn().unwrap();
    let has_begun =
        || fs::read(place.join("followed/records.jsonl")).is_ok_and(|all| !all.is_empty());
    wait("the run begins", has_begun);
    // It can't end before its page is written.
    let player = inner(&run).unwrap();
    kill_process(player, Signal::STOP).unwrap();
    let mut writer = follow(place, "followed");
    let followed = place.join("followed");
    wait("a page is written", || page(&followed).contains(RELOADS));
    kill_process(Pid::from_child(&writer), Signal::INT).unwrap();
    let ended = writer.wait().unwrap();
    assert_eq!(ended.signal(), Some(Signal::INT.as_raw()));
    kill_process(player, Signal::CONT).unwrap();
    assert!(run.wait().unwrap().success());
    assert!(timeless(&followed) == timeless(&place.join("alone")));
    assert!(
        !page(&followed).contains(RELOADS),
        "the page is the run's own"
    );
}

/// Starts a run of two bots, and waits until it builds one. The build ends when the file `go` exists.
fn building(folder: &Path, args: &[&str]) -> Child {
    let bots = ["onitama-greedy", "onitama-random"].map(sample_bot);
    let config = format!(
        "[run]\nname = \"run\"\ngame = \"onitama\"\nseed = 1\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [[bot]]\nname = \"a\"\ncommand = \"{}\"\n\
         build = \"sh -c 'touch building; until [ -e go ]; do sleep 0.01; done'\"\n\
         [[bot]]\nname = \"b\"\ncommand = \"{}\"\n",
        bots[0], bots[1]
    );
    fs::write(folder.join("run.toml"), config).unwrap();
    let args = [&["run", "run.toml", "--quiet", "--out", "run"], args].concat();
    let run = command(folder, &args).spawn().unwrap();
    wait("a bot is built", || folder.join("building").exists());
    run
}

#[test]
fn a_run_is_followed_from_its_build_on() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let mut first = building(folder, &["--games", "2"]);
    let writer = follow(folder, "run");
    // It finds the folder without a plan.
    sleep(Duration::from_millis(500));
    fs::write(folder.join("go"), "").unwrap();
    assert!(first.wait().unwrap().success());
    let ended = writer.wait_with_output().unwrap();
    ended.status(0);
    let run = folder.join("run");
    assert!(page(&run).contains("2 games") && !page(&run).contains(RELOADS));

    // A finished run grows under the eyes of the writer.
    for mark in ["go", "building"] {
        fs::remove_file(folder.join(mark)).unwrap();
    }
    let mut longer = building(folder, &["--games", "400", "--resume"]);
    let mut writer = follow(folder, "run");
    let so_far = |games| format!("The run is being played: {games} games so far.");
    wait("the first page", || page(&run).contains(&so_far(2)));
    fs::write(folder.join("go"), "").unwrap();
    let records = run.join("records.jsonl");
    wait("more games", || {
        fs::read_to_string(&records).unwrap().lines().count() > 2
    });
    let player = inner(&longer).unwrap();
    kill_process(player, Signal::STOP).unwrap();
    wait("the second page", || {
        page(&run).contains(RELOADS) && !page(&run).contains(&so_far(2))
    });
    kill_process(player, Signal::CONT).unwrap();
    assert!(longer.wait().unwrap().success());
    assert!(writer.wait().unwrap().success());
}
