//! The end of a run in a window: the answer first, in few lines, with what to type next; and how a
//! run ends that isn't played out.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::programs::{self, Said as _, arena, said, sample_bot, stdout, write_program};
use crate::window::{ALL_ROWS, Window};

/// Limits that no bot misses, however busy the machine is.
const CLOCK: &str = "[clock]\nfirst_turn_ms = 600000\nturn_ms = 600000\nstartup_ms = 60000\n";

fn bot(name: &str, command: &str) -> String {
    format!("[[bot]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
}

/// A folder with a config of Onitama, which may have more keys in `[run]`, and these bots.
fn ground(run: &str, bots: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bots: String = bots
        .iter()
        .map(|(name, command)| bot(name, command))
        .collect();
    let config = format!(
        "[run]\nname = \"mine\"\ngame = \"onitama\"\nseed = 1\nopening_plies = 4\nstart_anyway = true\n{run}\n{CLOCK}{bots}"
    );
    fs::write(folder.path().join("arena.toml"), config).unwrap();
    folder
}

/// The rows that a verb prints with `--quiet` in a window of 80 columns.
fn ending(folder: &Path, args: &[&str]) -> Vec<String> {
    let args = [args, &["--quiet"]].concat();
    let mut window = Window::open([80, 24, ALL_ROWS], folder, &[], &args);
    window.end();
    let shown = window.parser.screen().contents();
    shown.trim_end().lines().map(str::to_owned).collect()
}

/// The first sentence of the end. It may continue only where a clause ends.
fn verdict(rows: &[String]) -> String {
    let mut verdict = rows[0].clone();
    for row in &rows[1..] {
        let Some(rest) = row.strip_prefix("  ") else {
            break;
        };
        assert!(verdict.ends_with([',', ':', ';']), "{rows:#?}");
        verdict.extend([" ", rest]);
    }
    verdict
}

const SEARCH: &str = "arena bot onitama-search --depth 1";
const GREEDY: &str = "arena bot onitama-greedy";
const RANDOM: &str = "arena bot onitama-random";

#[test]
fn a_match_ends_in_few_lines() {
    let quits = "sh -c 'exit 3'";
    let long = "a-bot-with-quite-a-long-name-of-the-first-version";
    let test = "format = \"sprt\"\n[sprt]\nelo0 = 0\nelo1 = 100";
    let few = "format = \"sprt\"\n[sprt]\nelo0 = 0\nelo1 = 10\nmax_units = 5";
    for (run, bots, says) in [
        (
            "games = 20",
            [("new", SEARCH), ("old", GREEDY)],
            "new is stronger: +",
        ),
        (
            "games = 20",
            [("new", GREEDY), ("old", SEARCH)],
            "new is weaker: -",
        ),
        (
            "games = 20",
            [("new", GREEDY), ("old", RANDOM)],
            "new is stronger: more than +",
        ),
        ("games = 2", [("new", RANDOM), ("old", RANDOM)], "new "),
        ("games = 20", [(long, GREEDY), ("old", RANDOM)], long),
        (
            "games = 20",
            [("new", GREEDY), ("old", quits)],
            "no verdict: old",
        ),
        (
            test,
            [("new", GREEDY), ("old", RANDOM)],
            "new is stronger, a clear case: evidence ",
        ),
        (few, [("new", RANDOM), ("old", RANDOM)], "new "),
    ] {
        let folder = ground(run, &bots);
        let rows = ending(folder.path(), &["run", "arena.toml"]);
        assert!(rows.len() <= 6, "{rows:#?}");
        let verdict = verdict(&rows);
        assert!(verdict.starts_with(says), "{rows:#?}");
        assert_eq!(rows.last().unwrap(), "open results/mine/report.html");
        assert!(rows.iter().all(|row| !row.contains("LOS")), "{rows:#?}");
        assert!(folder.path().join("results/mine/report.html").exists());
        // The rest is there on request.
        let all = stdout(&arena(
            folder.path(),
            &["report", "results/mine", "--verbose"],
        ));
        assert!(
            all.contains("\n #  bot ") && all.contains("Response times in ms: first turn:"),
            "{all}"
        );
        assert!(all.matches("LOS: ").count() <= 1, "{all}");
    }
}

#[test]
fn a_duel_ends_in_few_lines() {
    let folder = tempfile::tempdir().unwrap();
    let [greedy, search] = ["onitama-greedy", "onitama-search"].map(sample_bot);
    let search = search + " --depth 1";
    let duel = [
        "duel", "onitama", &greedy, &search, "--games", "20", "--seed", "1",
    ];
    let rows = ending(folder.path(), &duel);
    assert!(rows.len() <= 6, "{rows:#?}");
    let verdict = verdict(&rows);
    let elo = "onitama-search --depth 1 is stronger: +";
    assert!(
        verdict.starts_with(elo) && verdict.contains("] Elo against onitama-greedy, 20 games"),
        "{verdict}"
    );
    let page = "open results/duel-onitama-1/report.html";
    assert_eq!(rows.last().unwrap(), page);
}

#[test]
fn a_gauntlet_is_about_its_challenger() {
    let bots = [
        ("mine", GREEDY),
        ("deep", "arena bot onitama-search --depth 2"),
        ("chance", RANDOM),
        ("chance-2", RANDOM),
    ];
    let folder = ground("format = \"gauntlet\"\ngames = 20", &bots);
    let rows = ending(folder.path(), &["run", "arena.toml"]);
    let verdict = verdict(&rows);
    assert!(verdict.starts_with("mine is 2nd of 4: "), "{verdict}");
    // The nearest ones first: those that it beats, and then those that beat it.
    let (beaten, lost) = verdict.split_once("; ").unwrap();
    assert_eq!(beaten.matches("% against chance").count(), 2, "{verdict}");
    assert!(lost.ends_with("% against deep"), "{verdict}");
    let title = rows
        .iter()
        .position(|row| row.starts_with(" #  bot "))
        .unwrap();
    // It would be 100% less the score.
    assert!(!rows[title].contains("challenger's score"), "{rows:#?}");
    let marked: Vec<&String> = rows.iter().filter(|row| row.starts_with('>')).collect();
    assert!(
        marked.len() == 1 && marked[0].starts_with(">2  mine "),
        "{rows:#?}"
    );
    let markdown = stdout(&arena(
        folder.path(),
        &["report", "results/mine", "--markdown", "-"],
    ));
    assert!(markdown.contains("| 2 | **mine** |"), "{markdown}");
    let page = fs::read_to_string(folder.path().join("results/mine/report.html")).unwrap();
    assert_eq!(page.matches("class=\"marked\"").count(), 1);
    assert!(page.contains("<strong>mine</strong> is 2nd of 4: "));
}

/// The bots never answer.
#[test]
fn a_first_interrupt_waits_no_longer_than_the_grace() {
    let slow = "sh -c 'sleep 1000'";
    let folder = ground("games = 2", &[("a", slow), ("b", slow)]);
    let run = ["run", "arena.toml", "--jobs", "1", "--grace", "1"];
    let mut window = Window::open([80, 24, ALL_ROWS], folder.path(), &[], &run);
    window.shows("1 at a time");
    window.press("\x03");
    window.shows("finishing the games in flight, for 1.0 s at most");
    window.end();
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
    let shown = window.parser.screen().contents();
    let go_on = "to continue: arena run arena.toml --jobs 1 --grace 1 --resume --out results/mine";
    assert!(shown.contains(go_on), "{shown}");
}

#[test]
fn the_command_to_go_on_works() {
    let folder = ground("games = 40", &[("a b", GREEDY), ("c", RANDOM)]);
    let path = folder.path();
    fs::create_dir(path.join("a folder")).unwrap();
    fs::rename(path.join("arena.toml"), path.join("a folder/a.toml")).unwrap();
    // Nothing is played in so short a time, or very little.
    let run = ["run", "a folder/a.toml", "--force", "--for", "1ms"];
    let first = arena(path, &run);
    first.status(4);
    let first = said(&first);
    let go_on = first
        .lines()
        .find_map(|line| line.strip_prefix("to continue: "));
    let go_on = go_on.unwrap_or_else(|| panic!("{first}"));
    assert_eq!(
        go_on,
        "arena run 'a folder/a.toml' --for 1ms --resume --out results/mine"
    );
    // The run keeps it for its reports.
    let report = said(&arena(path, &["report", "results/mine"]));
    assert!(
        report.contains(&format!("to continue: {go_on}\n")),
        "{report}"
    );
    let page = fs::read_to_string(path.join("results/mine/report.html")).unwrap();
    let told = page.contains("To go on: <code>arena run 'a folder/a.toml'");
    assert!(told && page.contains("Not finished: "));
    let go_on = go_on.replace("--for 1ms", "--for 1h");
    let second = programs::shell(path, &go_on).output().unwrap();
    let told = said(&second);
    assert!(
        second.status.success() && told.contains("40 games, "),
        "{told}"
    );
    assert!(!told.contains("to continue:"), "{told}");
}

#[test]
fn a_compiler_is_shown_and_ends_at_once() {
    let folder = ground("games = 2", &[("mine", "bot.slow"), ("other", RANDOM)]);
    let path = folder.path();
    fs::write(path.join("bot.slow"), "").unwrap();
    let language = "[language.slow]\nextensions = [\"slow\"]\ncompile = [\"sh\", \"-c\", \"sleep 1000\", \"{source}\"]\nrun = [\"{out}\"]\n";
    let config = fs::read_to_string(path.join("arena.toml")).unwrap();
    fs::write(path.join("arena.toml"), config + language).unwrap();
    let cache = path.join("cache").display().to_string();
    let env = [("XDG_CACHE_HOME", &*cache), ("OF_TEST", &*cache)];
    let mut window = Window::open([80, 24, ALL_ROWS], path, &env, &["run", "arena.toml"]);
    window.shows("compiling bot.slow");
    // The bar of games comes when there are games.
    let shown = window.parser.screen().contents();
    assert!(!shown.contains('█'), "{shown}");
    window.press("\x03");
    window.end();
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
    let shown = window.parser.screen().contents();
    assert!(
        shown.contains("error: interrupted before the first game") && !shown.contains("finishing"),
        "{shown}"
    );
    assert!(programs::survivors("OF_TEST", &cache).is_empty());
}

#[test]
fn an_interrupt_before_the_first_game_leaves_the_run_that_would_be_replaced() {
    let folder = ground("games = 2", &[("mine", GREEDY), ("other", RANDOM)]);
    let path = folder.path();
    let first = arena(path, &["run", "arena.toml", "--out", "run", "--quiet"]);
    first.status(0);
    let records = fs::read(path.join("run/records.jsonl")).unwrap();
    write_program(&path.join("mine"), "#!/bin/sh\nsleep 1000\n");
    let config = fs::read_to_string(path.join("arena.toml")).unwrap();
    fs::write(path.join("arena.toml"), config.replace(GREEDY, "./mine")).unwrap();
    for args in [
        &["run", "arena.toml", "--out", "run", "--force"][..],
        &["run", "arena.toml", "--out", "new"],
    ] {
        let mut window = Window::open([80, 24, ALL_ROWS], path, &[], args);
        window.shows("asking 2 bots for a first answer: 1 of 2, waiting for mine");
        window.press("\x03");
        window.end();
        assert_eq!(window.process.wait().unwrap().code(), Some(130));
        let shown = window.parser.screen().contents();
        assert!(
            shown.contains("error: interrupted before the first game"),
            "{shown}"
        );
    }
    assert_eq!(fs::read(path.join("run/records.jsonl")).unwrap(), records);
    assert!(!path.join("new/plan.toml").exists());
}

#[test]
fn something_is_shown_before_bots_are_built() {
    let folder = ground("games = 2", &[("mine", "./mine"), ("other", RANDOM)]);
    let path = folder.path();
    write_program(&path.join("build"), "#!/bin/sh\nsleep 1000\n");
    let config = fs::read_to_string(path.join("arena.toml")).unwrap();
    let config = config.replace(
        "command = \"./mine\"\n",
        "command = \"./mine\"\nbuild = \"./build\"\n",
    );
    fs::write(path.join("arena.toml"), config).unwrap();
    let mut window = Window::open([80, 24, ALL_ROWS], path, &[], &["run", "arena.toml"]);
    window.shows("building: ./build");
    window.press("\x03");
    window.end();
    assert!(
        window.written().contains("starting"),
        "{}",
        window.written()
    );
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
}

#[test]
fn a_compiled_bot_is_called_by_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("starters/onitama/bot.rs");
    fs::copy(starter, path.join("bot.rs")).unwrap();
    let out = arena(path, &["check", "onitama", "bot.rs", "--seeds", "1"]);
    let told = stdout(&out);
    assert!(told.starts_with("Onitama: bot.rs\n"), "{told}");
}
