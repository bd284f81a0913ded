//! `arena report --follow`: the page of a run while another process plays it.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::programs::{
    Folder, PATIENT, Said as _, command, count_lines, has, in_project, inner, line, new_folder,
    read, said, sample_bot, start, timeless, write,
};

/// The time limit of a page on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// The start of a page that reloads itself.
const RELOADS: &str = "<body data-played>";

const PLAYED: [&str; 4] = ["plan.toml", "games.csv", "records.jsonl", "summary.json"];

/// A copy of the run that comes with the project, without what follows from its games.
fn example() -> Folder {
    let folder = new_folder();
    for name in PLAYED {
        fs::copy(in_project("results/example").join(name), folder.join(name)).unwrap();
    }
    folder
}

fn follow(folder: &Path, run: &str) -> Child {
    start(folder, &format!("report {run} --follow"))
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
    let run = &example();
    let summary = read(run, "summary.json");
    fs::remove_file(run.join("summary.json")).unwrap();
    let records = read(run, "records.jsonl");
    // The records after so many games, and a part of the next.
    let write_games = |games: usize| {
        let mut lines: Vec<&str> = records.split_inclusive('\n').take(games + 1).collect();
        if let Some(next) = lines.get_mut(games) {
            *next = &next[..next.len() / 2];
        }
        // At its end, a run may sort its records into another file.
        write(run, "new", lines.concat());
        fs::rename(run.join("new"), run.join("records.jsonl")).unwrap();
    };
    write_games(10);
    // What an arena that plays the run holds.
    let lock = File::open(&**run).unwrap();
    lock.lock().unwrap();
    let writer = follow(run, ".");
    for games in [10, 15] {
        write_games(games);
        let so_far = format!("The run is being played: {games} games so far.");
        wait(&so_far, || page(run).contains(&so_far));
        assert!(page(run).contains(RELOADS));
    }
    write_games(20);
    write(run, "summary.json", summary);
    write(run, "report.html", "the last page of the run");
    drop(lock);
    let ended = writer.wait_with_output().unwrap();
    ended.status(0);
    let told = said(&ended);
    let start = "search-d2 is first, level with search-d3: ";
    assert!(told.starts_with(start), "{told}");
    has(
        &told,
        "\nopen ./report.html\nupdating ./report.html until the run ends; ",
    );
    assert!(!page(run).contains(RELOADS));
    let plain = line(run, "report . --html -");
    assert_eq!(said(&plain), page(run));
}

#[test]
fn a_finished_run_is_written_once() {
    let run = &example();
    line(run, "report . --follow").status(0);
    let plain = line(run, "report . --html -");
    assert_eq!(said(&plain), page(run));
    line(run, "report . --follow --games 3").status(0);
    assert!(page(run).contains("\"first\":3,"));
    let entries = fs::read_dir(&**run).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| !PLAYED.contains(&name.to_str().unwrap()));
    assert_eq!(names, ["report.html"], "only the page is written");
    line(run, "report . --follow --json")
        .status(0)
        .contains("\"games_played\"");
}

/// arena, with its arguments quoted as in a shell.
fn arena(folder: &Path, args: &str) -> Command {
    let mut arena = command(folder, &[]);
    arena.args(shlex::split(args).unwrap());
    arena
}

/// Stops the process that plays.
fn stop(run: &Child) -> Pid {
    let player = inner(run).unwrap();
    kill_process(player, Signal::STOP).unwrap();
    player
}

#[test]
fn ctrl_c_ends_only_the_writing() {
    let folder = &new_folder();
    let bots = ["onitama-greedy", "onitama-random"]
        .map(sample_bot)
        .join(" ");
    let duel = format!("duel onitama {bots} --games 100 --seed 1 --quiet {PATIENT} --out");
    line(folder, &format!("{duel} alone")).status(0);
    let mut run = arena(folder, &format!("{duel} followed")).spawn().unwrap();
    let followed = &folder.join("followed");
    wait("the run begins", || {
        count_lines(&followed.join("records.jsonl")) > 0
    });
    // It can't end before its page is written.
    let player = stop(&run);
    let mut writer = follow(folder, "followed");
    wait("a page is written", || page(followed).contains(RELOADS));
    kill_process(Pid::from_child(&writer), Signal::INT).unwrap();
    let ended = writer.wait().unwrap();
    assert_eq!(ended.signal(), Some(Signal::INT.as_raw()));
    kill_process(player, Signal::CONT).unwrap();
    assert!(run.wait().unwrap().success());
    assert!(timeless(followed) == timeless(&folder.join("alone")));
    // The page is the run's own.
    assert!(!page(followed).contains(RELOADS));
}

/// Starts a run of two bots, and waits until it builds one. The build ends when the file `go`
/// exists.
fn building(folder: &Path, args: &str) -> Child {
    let [greedy, random] = ["onitama-greedy", "onitama-random"].map(sample_bot);
    let config = format!(
        "[run]\nname = \"run\"\ngame = \"onitama\"\nseed = 1\n\
         [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\n\
         [[bot]]\nname = \"a\"\ncommand = \"{greedy}\"\n\
         build = \"sh -c 'touch building; until [ -e go ]; do sleep 0.01; done'\"\n\
         [[bot]]\nname = \"b\"\ncommand = \"{random}\"\n"
    );
    write(folder, "run.toml", config);
    let mut run = arena(folder, &format!("run run.toml --quiet --out run {args}"));
    let run = run.spawn().unwrap();
    wait("a bot is built", || folder.join("building").exists());
    run
}

#[test]
fn a_run_is_followed_from_its_build_on() {
    let folder = &new_folder();
    let mut first = building(folder, "--games 2");
    let writer = follow(folder, "run");
    // It finds the folder without a plan.
    sleep(Duration::from_millis(500));
    write(folder, "go", "");
    assert!(first.wait().unwrap().success());
    let ended = writer.wait_with_output().unwrap();
    ended.status(0);
    let run = folder.join("run");
    assert!(page(&run).contains("2 games") && !page(&run).contains(RELOADS));

    // A finished run grows under the eyes of the writer.
    for mark in ["go", "building"] {
        fs::remove_file(folder.join(mark)).unwrap();
    }
    let mut longer = building(folder, "--games 400 --resume");
    let mut writer = follow(folder, "run");
    let so_far = |games| format!("The run is being played: {games} games so far.");
    wait("the first page", || page(&run).contains(&so_far(2)));
    write(folder, "go", "");
    let records = run.join("records.jsonl");
    wait("more games", || count_lines(&records) > 2);
    let player = stop(&longer);
    wait("the second page", || {
        page(&run).contains(RELOADS) && !page(&run).contains(&so_far(2))
    });
    kill_process(player, Signal::CONT).unwrap();
    assert!(longer.wait().unwrap().success());
    assert!(writer.wait().unwrap().success());
}
