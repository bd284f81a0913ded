//! Output in a window: no row is wider than it, and colours only where they are wanted.

use std::path::Path;
use std::sync::LazyLock;

use crate::minishogi_text::{FIRST, SECOND};
use crate::programs::{Folder, command, has, new_folder, said, sample_bot, write};
use crate::window::{ALL_ROWS, Window};

/// Six bots with long names in a round robin and a gauntlet of four games, a bot that fails in
/// both, and a sweep: configs and their runs.
static RUNS: LazyLock<Folder> = LazyLock::new(|| {
    let folder = new_folder();
    let bot = |name: &str, command: &str| {
        format!("[[bot]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
    };
    let mut bots = bot(
        "quitter-that-fails-whenever-it-is-asked-for-its-move",
        "sh -c 'exit 3'",
    );
    for version in (1..=6).rev() {
        let name = format!("onitama-random-with-quite-a-long-name-version-{version}");
        bots = bot(&name, "arena bot onitama-random") + &bots;
    }
    let values =
        "parameter_of_the_evaluation = [1, 2], another_parameter_of_it = [1, 2], depth = [1, 2]";
    let race =
        format!("[sweep]\nbot = \"search\"\nvalues = {{ {values} }}\nblock = 4\nmax_units = 8\n")
            + &bot("search", "arena bot onitama-search --depth {depth}")
            + "env = { A = \"{parameter_of_the_evaluation}\", B = \"{another_parameter_of_it}\" }\n"
            + &bot("base", "arena bot onitama-greedy");
    for (name, format, rest) in [
        ("field", "\"round-robin\"\ngames = 4", &bots),
        ("gauntlet", "\"gauntlet\"\ngames = 4", &bots),
        ("race", "\"sweep\"", &race),
    ] {
        let config = format!(
            "[run]\nname = \"{name}\"\ngame = \"onitama\"\nopening_plies = 4\nseed = 1\nstart_anyway = true\nformat = {format}\n\
             [clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n{rest}"
        );
        let file = format!("{name}.toml");
        write(&folder, &file, config);
        let run = piped(&folder, &[], &["run", &file, "--out", name]);
        assert!(run.contains(" games, "), "{run}");
    }
    folder
});

/// The output of a verb into a pipe, standard output and standard error.
fn piped(folder: &Path, env: &[(&str, &str)], args: &[&str]) -> String {
    let mut command = command(folder, args);
    let variables = env.iter().copied();
    said(
        &command
            .envs(variables)
            .env("TERM", "xterm-256color")
            .output()
            .unwrap(),
    )
}

/// Commands whose output is wide.
const WIDE: &str = "
    run field.toml --out again --force
    run gauntlet.toml --out again --force --verbose
    run race.toml --out again --force
    duel onitama GREEDY SEARCH --games 20 --out again --force --set clock.turn_ms=60000
    duel onitama GREEDY SEARCH --sprt 0,50 --out again --force --set clock.turn_ms=60000
    report field --verbose
    report race
    replay field
    replay field --bot quitter-that-fails-whenever-it-is-asked-for-its-move --result loss
    rate field gauntlet
    elo --wdl 136,111,96
    sprt --penta 45,96,402,130,39 --elo1 20
    sprt --penta 0,0,95,5,0 --elo1 25
    sprt --elo1 20
    list games
    list languages
    init started --game dice_shogi --language java
    init --language 'a language that nobody knows' --game onitama
    duel onitama ./bot --depth 3
    check onitama 'a-bot-that-is-not-there=./bot --with-options --and-more-of-them'
    run bot.py
";

#[test]
fn no_row_is_wider_than_the_window() {
    // A word of a command that you can copy isn't wrapped, so that no path of a bot may be long.
    let commands = WIDE
        .replace("GREEDY", "'arena bot onitama-greedy'")
        .replace("SEARCH", "'arena bot onitama-search --depth 1'");
    for [columns, rows] in [[80, 24], [120, 40]] {
        for command in commands.trim().lines() {
            let words = shlex::split(command).unwrap();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut window = Window::open([columns, rows, ALL_ROWS], &RUNS, &[], &words);
            window.end();
            let screen = window.parser.screen();
            let shown: Vec<String> = screen.rows(0, columns).collect();
            assert!(shown.iter().any(|row| !row.is_empty()), "{command}");
            // Commands are printed in one piece, so that they can be copied.
            let mut is_command = false;
            for (number, row) in (0..).zip(&shown) {
                let starts = |start: &&str| row.trim_start().starts_with(start);
                is_command |= ["arena ", "to continue: ", "open "].iter().any(starts)
                    || row.contains("see it again: ");
                let is_wrapped = screen.row_wrapped(number);
                assert!(is_command || !is_wrapped, "{command} at {columns}: {row}");
                is_command &= is_wrapped;
            }
            let is_restored = !screen.hide_cursor() && !screen.alternate_screen();
            assert!(is_restored, "{command}");
        }
    }
}

#[test]
fn colours_are_where_they_are_wanted() {
    for (env, flag, in_window, in_pipe) in [
        (&[][..], "auto", true, false),
        (&[], "never", false, false),
        (&[], "always", true, true),
        (&[("NO_COLOR", "1")], "auto", false, false),
        (&[("CLICOLOR", "0")], "auto", false, false),
        (&[("CLICOLOR_FORCE", "1")], "auto", true, true),
        (&[("NO_COLOR", "1")], "always", true, true),
    ] {
        let args = ["report", "field", "--color", flag];
        let mut window = Window::open([80, 24, ALL_ROWS], &RUNS, env, &args);
        window.end();
        let found = [window.written(), piped(&RUNS, env, &args)];
        for (text, is_coloured) in found.into_iter().zip([in_window, in_pipe]) {
            for sign in ["\x1b[1m", "\x1b"] {
                assert_eq!(text.contains(sign), is_coloured, "{env:?} {flag}");
            }
        }
    }
}

#[test]
fn a_pipe_gets_everything_whole() {
    for args in [
        &["run", "field.toml", "--out", "whole", "--force"][..],
        &["report", "field"],
        &["replay", "field"],
    ] {
        let text = piped(&RUNS, &[], args);
        for part in ["\x1b", "…", "not shown"] {
            assert!(!text.contains(part), "{text}");
        }
        has(&text, " onitama-random-with-quite-a-long-name-version-1 ");
    }
}

/// Reports that are longer than their window.
#[test]
fn a_long_report_ends_with_its_answer_and_says_once_what_has_no_room() {
    for args in [
        &["report", "field"][..],
        &["report", "gauntlet"],
        &["report", "race"],
        &["rate", "field", "gauntlet"],
    ] {
        for columns in [60, 80, 110] {
            let mut window =
                Window::open([columns, 16, ALL_ROWS], &RUNS, &[("NO_COLOR", "1")], args);
            window.end();
            let mut shown: Vec<String> = window.parser.screen().rows(0, columns).collect();
            shown.retain(|row| !row.is_empty());
            let text = shown.join("\n");
            let times = text.matches("not shown: ").count();
            assert!(
                times == 1 || times == 0 && columns > 60,
                "{columns}\n{text}"
            );
            if args[0] == "report" {
                let answers = shown.iter().filter(|row| **row == shown[0]).count();
                assert_eq!(answers, 2, "{columns}\n{text}");
                assert!(
                    shown[shown.len() - 1].starts_with("open "),
                    "{columns}\n{text}"
                );
            }
        }
    }
}

#[test]
fn standings_are_shown_while_a_run_goes_on() {
    let args = ["run", "gauntlet.toml", "--games", "400", "--out", "live"];
    let mut window = Window::open([80, 24, 24], &RUNS, &[], &args);
    window.until(|screen| {
        let shown = screen.contents();
        shown.contains(" #  bot") && shown.contains("so far ") && shown.contains(" s left")
    });
    window.press("\x03");
    window.end();
    let all = window.parser.screen().contents();
    assert!(!all.contains("so far "), "{all}");
}

#[test]
fn two_bots_are_shown_with_the_interval_for_every_look() {
    let [greedy, random] = ["onitama-greedy", "onitama-random"].map(sample_bot);
    let duel = [
        "duel", "onitama", &greedy, &random, "--games", "1000000", "--out", "watched",
    ];
    let mut window = Window::open([200, 24, ALL_ROWS], &RUNS, &[], &duel);
    window.shows("(95% at every look), W-D-L ");
    let bars = window
        .parser
        .screen()
        .contents()
        .matches(['█', '░'])
        .count();
    assert_eq!(bars, 40);
    window.press("\x03");
    window.end();
    let all = window.parser.screen().contents();
    has(&all, "(95% at every look) against ");
    has(&all, "to continue: arena duel onitama ");
    let why = "used because the run was stopped or extended";
    assert!(!all.contains(why), "{all}");
}

#[test]
fn a_game_is_printed_turn_by_turn() {
    let args = ["replay", "race", "4"];
    let mut window = Window::open([80, 24, ALL_ROWS], &RUNS, &[("NO_COLOR", "1")], &args);
    window.end();
    let shown = window.parser.screen().contents();
    for text in ["turn 5 ", "turn 6 ", "A B C D E", "score "] {
        has(&shown, text);
    }
    assert!(window.process.wait().is_ok());
}

#[test]
fn minishogi_shows_the_prompt_before_it_waits() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["minishogi", "--interactive"];
    let mut window = Window::open([100, 24, ALL_ROWS], folder.path(), &[], &args);
    let ends_with = |window: &Window, text: &str| {
        let (written, text) = (window.written(), text.replace('\n', "\r\n"));
        assert!(written.ends_with(&text), "{written} and not {text}");
    };
    window.shows("lower> ");
    ends_with(&window, &format!("{FIRST}lower> "));
    window.press("move a2 a3\n");
    window.shows("UPPER> ");
    ends_with(
        &window,
        &format!("lower player action: move a2 a3\n{SECOND}UPPER> "),
    );
    window.press("resign\n");
    window.end();
    ends_with(&window, "lower player wins.  Illegal move.\n");
}
