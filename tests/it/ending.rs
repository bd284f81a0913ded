//! The end of a run in a window: the answer first, in few lines, with what to type next; and how a
//! run ends that isn't played out.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::programs::{
    self, Said as _, has, in_project, line, new_folder, read, sample_bot, stdout, table, write,
    write_program,
};
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
    write(folder.path(), "arena.toml", config);
    folder
}

/// A window of 80 columns in which arena runs, with its arguments quoted as in a shell.
fn window(folder: &Path, env: &[(&str, &str)], args: &str) -> Window {
    let words = shlex::split(args).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Window::open([80, 24, ALL_ROWS], folder, env, &words)
}

/// Presses Ctrl-C, and returns what is shown at the end.
fn interrupted(window: &mut Window) -> String {
    window.press("\x03");
    window.end();
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
    window.parser.screen().contents()
}

/// The rows that a verb prints with `--quiet`.
fn ending(folder: &Path, args: &str) -> Vec<String> {
    let mut window = window(folder, &[], &format!("{args} --quiet"));
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

const GREEDY: &str = "arena bot onitama-greedy";
const RANDOM: &str = "arena bot onitama-random";

#[test]
fn a_match_ends_in_few_lines() {
    for [run, name, new, old, says] in table(
        r#"
        games = 20 | new | arena bot onitama-search --depth 1 | arena bot onitama-greedy | new is stronger: +
        games = 20 | new | arena bot onitama-greedy | arena bot onitama-search --depth 1 | new is weaker: -
        games = 20 | new | arena bot onitama-greedy | arena bot onitama-random | new is stronger: more than +
        games = 2 | new | arena bot onitama-random | arena bot onitama-random | new
        games = 20 | a-bot-with-quite-a-long-name-of-the-first-version | arena bot onitama-greedy | arena bot onitama-random | a-bot-with-quite-a-long-name-of-the-first-version
        games = 20 | new | arena bot onitama-greedy | sh -c 'exit 3' | no verdict: old
        format = "sprt"; [sprt]; elo0 = 0; elo1 = 100 | new | arena bot onitama-greedy | arena bot onitama-random | new is stronger, a clear case: evidence
        format = "sprt"; [sprt]; elo0 = 0; elo1 = 10; max_units = 5 | new | arena bot onitama-random | arena bot onitama-random | new
        "#,
    ) {
        let folder = ground(&run.replace("; ", "\n"), &[(name, new), ("old", old)]);
        let folder = folder.path();
        let rows = ending(folder, "run arena.toml");
        assert!(rows.len() <= 6, "{rows:#?}");
        assert!(verdict(&rows).starts_with(says), "{rows:#?}");
        assert_eq!(rows.last().unwrap(), "open results/mine/report.html");
        assert!(rows.iter().all(|row| !row.contains("LOS")), "{rows:#?}");
        assert!(folder.join("results/mine/report.html").exists());
        // The rest is there on request.
        let all = stdout(&line(folder, "report results/mine --verbose"));
        has(&all, "\n #  bot ");
        has(&all, "Response times in ms: first turn:");
        assert!(all.matches("LOS: ").count() <= 1, "{all}");
    }
}

#[test]
fn a_duel_ends_in_few_lines() {
    let folder = &new_folder();
    let [greedy, search] = ["onitama-greedy", "onitama-search"].map(sample_bot);
    let bots = format!("{greedy} '{search} --depth 1'");
    let rows = ending(folder, &format!("duel onitama {bots} --games 20 --seed 1"));
    assert!(rows.len() <= 6, "{rows:#?}");
    let verdict = verdict(&rows);
    let start = "onitama-search --depth 1 is stronger: +";
    assert!(verdict.starts_with(start), "{verdict}");
    has(&verdict, "] Elo against onitama-greedy, 20 games");
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
    let rows = ending(folder.path(), "run arena.toml");
    let verdict = verdict(&rows);
    assert!(verdict.starts_with("mine is 2nd of 4: "), "{verdict}");
    // The nearest ones first: those that it beats, and then those that beat it.
    let (beaten, lost) = verdict.split_once("; ").unwrap();
    assert_eq!(beaten.matches("% against chance").count(), 2, "{verdict}");
    assert!(lost.ends_with("% against deep"), "{verdict}");
    let title = rows.iter().find(|row| row.starts_with(" #  bot ")).unwrap();
    // It would be 100% less the score.
    assert!(!title.contains("challenger's score"), "{rows:#?}");
    let marked: Vec<&String> = rows.iter().filter(|row| row.starts_with('>')).collect();
    assert_eq!(marked.len(), 1, "{rows:#?}");
    assert!(marked[0].starts_with(">2  mine "), "{rows:#?}");
    line(folder.path(), "report results/mine --markdown -").contains("| 2 | **mine** |");
    let page = read(folder.path(), "results/mine/report.html");
    assert_eq!(page.matches("class=\"marked\"").count(), 1);
    assert!(page.contains("<strong>mine</strong> is 2nd of 4: "));
}

/// The bots never answer.
#[test]
fn a_first_interrupt_waits_no_longer_than_the_grace() {
    let slow = "sh -c 'sleep 1000'";
    let folder = ground("games = 2", &[("a", slow), ("b", slow)]);
    let mut window = window(folder.path(), &[], "run arena.toml --jobs 1 --grace 1");
    window.shows("1 at a time");
    window.press("\x03");
    window.shows("finishing the games in flight, for 1.0 s at most");
    window.end();
    assert_eq!(window.process.wait().unwrap().code(), Some(130));
    let shown = window.parser.screen().contents();
    let go_on = "to continue: arena run arena.toml --jobs 1 --grace 1 --resume --out results/mine";
    has(&shown, go_on);
}

#[test]
fn the_command_to_go_on_works() {
    let folder = ground("games = 40", &[("a b", GREEDY), ("c", RANDOM)]);
    let path = folder.path();
    fs::create_dir(path.join("a folder")).unwrap();
    fs::rename(path.join("arena.toml"), path.join("a folder/a.toml")).unwrap();
    // Nothing is played in so short a time, or very little.
    let first = line(path, "run 'a folder/a.toml' --force --for 1ms");
    let go_on = "arena run 'a folder/a.toml' --for 1ms --resume --out results/mine";
    let told = format!("to continue: {go_on}\n");
    first.contains(&format!("\n{told}"));
    // A slow machine may finish a unit.
    assert!([Some(4), Some(0)].contains(&first.status.code()));
    // The run keeps it for its reports.
    line(path, "report results/mine").contains(&told);
    let page = read(path, "results/mine/report.html");
    let told = page.contains("To go on: <code>arena run 'a folder/a.toml'");
    assert!(told && page.contains("Not finished: "));
    let go_on = go_on.replace("--for 1ms", "--for 1h");
    let second = programs::shell(path, &go_on).output().unwrap();
    second
        .status(0)
        .contains("40 games, ")
        .lacks("to continue:");
}

/// Changes `arena.toml`.
fn edit(folder: &Path, from: &str, to: &str) {
    let config = read(folder, "arena.toml");
    assert!(config.contains(from), "{config}");
    write(folder, "arena.toml", config.replace(from, to));
}

#[test]
fn a_compiler_is_shown_and_ends_at_once() {
    let folder = ground("games = 2", &[("mine", "bot.slow"), ("other", RANDOM)]);
    let path = folder.path();
    write(path, "bot.slow", "");
    let language = "[language.slow]\nextensions = [\"slow\"]\nrun = [\"{out}\"]\n\
        compile = [\"sh\", \"-c\", \"sleep 1000\", \"{source}\"]\n";
    edit(path, CLOCK, &format!("{CLOCK}{language}"));
    let cache = path.join("cache").display().to_string();
    let env = [("XDG_CACHE_HOME", &*cache), ("OF_TEST", &*cache)];
    let mut window = window(path, &env, "run arena.toml");
    window.shows("compiling bot.slow");
    // The bar of games comes when there are games.
    let shown = window.parser.screen().contents();
    assert!(!shown.contains('█'), "{shown}");
    let shown = interrupted(&mut window);
    has(&shown, "error: interrupted before the first game");
    assert!(!shown.contains("finishing"), "{shown}");
    assert!(programs::survivors("OF_TEST", &cache).is_empty());
}

#[test]
fn an_interrupt_before_the_first_game_leaves_the_run_that_would_be_replaced() {
    let folder = ground("games = 2", &[("mine", GREEDY), ("other", RANDOM)]);
    let path = folder.path();
    line(path, "run arena.toml --out run --quiet").status(0);
    let records = read(path, "run/records.jsonl");
    write_program(&path.join("mine"), "#!/bin/sh\nsleep 1000\n");
    edit(path, GREEDY, "./mine");
    for out in ["run --force", "new"] {
        let mut window = window(path, &[], &format!("run arena.toml --out {out}"));
        window.shows("asking 2 bots for a first answer: 1 of 2, waiting for mine");
        let shown = interrupted(&mut window);
        has(&shown, "error: interrupted before the first game");
    }
    assert_eq!(read(path, "run/records.jsonl"), records);
    assert!(!path.join("new/plan.toml").exists());
}

#[test]
fn something_is_shown_before_bots_are_built() {
    let folder = ground("games = 2", &[("mine", "./mine"), ("other", RANDOM)]);
    let path = folder.path();
    write_program(&path.join("build"), "#!/bin/sh\nsleep 1000\n");
    let command = "command = \"./mine\"\n";
    edit(path, command, &format!("{command}build = \"./build\"\n"));
    let mut window = window(path, &[], "run arena.toml");
    window.shows("building: ./build");
    interrupted(&mut window);
    has(&window.written(), "starting");
}

#[test]
fn a_compiled_bot_is_called_by_its_source() {
    let folder = &new_folder();
    fs::copy(in_project("starters/onitama/bot.rs"), folder.join("bot.rs")).unwrap();
    let told = stdout(&line(folder, "check onitama bot.rs --seeds 1"));
    assert!(told.starts_with("Onitama: bot.rs\n"), "{told}");
}
