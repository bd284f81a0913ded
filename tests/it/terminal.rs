//! Output in a window: no row is wider than it, and colours only where they are wanted.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::programs::{self, sample_bot};
use crate::window::{ALL_ROWS, Window};

/// Four bots with long names in a gauntlet of two games, a sweep, and a duel with a fault: configs and their runs.
static RUNS: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let bot = |name: &str, command: &str| {
        format!("[[bot]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
    };
    let clock = "[clock]\nfirst_turn_ms = 60000\nturn_ms = 60000\nstartup_ms = 60000\n";
    let several: String = (1..=6)
        .map(|version| {
            bot(
                &format!("onitama-random-with-quite-a-long-name-version-{version}"),
                "arena bot onitama-random",
            )
        })
        .collect();
    let quitter = bot(
        "quitter-that-fails-whenever-it-is-asked-for-its-move",
        "sh -c 'exit 3'",
    );
    let head = |name: &str, more: &str| {
        format!(
            "[run]\nname = \"{name}\"\ngame = \"onitama\"\nopening_plies = 4\nseed = 1\nstart_anyway = true\n{more}\n{clock}"
        )
    };
    let field = head("field", "format = \"round-robin\"\ngames = 4") + &several + &quitter;
    let gauntlet = head("gauntlet", "format = \"gauntlet\"\ngames = 4") + &several + &quitter;
    let values =
        "parameter_of_the_evaluation = [1, 2], another_parameter_of_it = [1, 2], depth = [1, 2]";
    let race = head("race", "format = \"sweep\"")
        + &format!(
            "[sweep]\nbot = \"search\"\nvalues = {{ {values} }}\nblock = 4\nmax_units = 8\n"
        )
        + &bot("search", "arena bot onitama-search --depth {depth}")
        + "env = { A = \"{parameter_of_the_evaluation}\", B = \"{another_parameter_of_it}\" }\n"
        + &bot("base", "arena bot onitama-greedy");
    for (name, text) in [("field", field), ("gauntlet", gauntlet), ("race", race)] {
        fs::write(folder.path().join(name).with_extension("toml"), text).unwrap();
        let run = piped(
            folder.path(),
            &[],
            &["run", &format!("{name}.toml"), "--out", name],
        );
        assert!(run.contains(" games, "), "{run}");
    }
    folder
});

/// The output of a verb into a pipe, standard output and standard error.
fn piped(folder: &Path, env: &[(&str, &str)], args: &[&str]) -> String {
    let mut command = programs::program();
    command
        .current_dir(folder)
        .args(args)
        .envs(env.iter().copied())
        .stdin(Stdio::null())
        .env("TERM", "xterm-256color");
    let out = command.output().unwrap();
    format!(
        "{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    )
}

#[test]
fn no_row_is_wider_than_the_window() {
    let folder = RUNS.path();
    // A word of a command that you can copy isn't wrapped, so that no path of a bot may be long.
    let greedy = "arena bot onitama-greedy";
    let deep = "arena bot onitama-search --depth 1";
    let verbs: &[&[&str]] = &[
        &["run", "field.toml", "--out", "again", "--force"],
        &[
            "run",
            "gauntlet.toml",
            "--out",
            "again",
            "--force",
            "--verbose",
        ],
        &["run", "race.toml", "--out", "again", "--force"],
        &[
            "duel",
            "onitama",
            greedy,
            deep,
            "--games",
            "20",
            "--out",
            "again",
            "--force",
            "--set",
            "clock.turn_ms=60000",
        ],
        &[
            "duel",
            "onitama",
            greedy,
            deep,
            "--sprt",
            "0,50",
            "--out",
            "again",
            "--force",
            "--set",
            "clock.turn_ms=60000",
        ],
        &["report", "field", "--verbose"],
        &["report", "race"],
        &["replay", "field"],
        &[
            "replay",
            "field",
            "--bot",
            "quitter-that-fails-whenever-it-is-asked-for-its-move",
            "--result",
            "loss",
        ],
        &["rate", "field", "gauntlet"],
        &["elo", "--wdl", "136,111,96"],
        &["sprt", "--penta", "45,96,402,130,39", "--elo1", "20"],
        &["sprt", "--penta", "0,0,95,5,0", "--elo1", "25"],
        &["sprt", "--elo1", "20"],
        &["list", "games"],
        &["list", "languages"],
        &[
            "init",
            "started",
            "--game",
            "dice_shogi",
            "--language",
            "java",
        ],
        &[
            "init",
            "--language",
            "a language that nobody knows",
            "--game",
            "onitama",
        ],
        &["duel", "onitama", "./bot", "--depth", "3"],
        &[
            "check",
            "onitama",
            "a-bot-that-is-not-there=./bot --with-options --and-more-of-them",
        ],
        &["run", "bot.py"],
    ];
    for [columns, rows] in [[80, 24], [120, 40]] {
        for verb in verbs {
            let mut window = Window::open([columns, rows, ALL_ROWS], folder, &[], verb);
            window.end();
            let screen = window.parser.screen();
            let shown: Vec<String> = screen.rows(0, columns).collect();
            assert!(shown.iter().any(|row| !row.is_empty()), "{verb:?}");
            // Commands are printed in one piece, so that they can be copied.
            let mut is_command = false;
            for (number, row) in (0..).zip(&shown) {
                is_command |= ["arena ", "to continue: ", "open "]
                    .iter()
                    .any(|start| row.trim_start().starts_with(start))
                    || row.contains("see it again: ");
                let is_wrapped = screen.row_wrapped(number);
                assert!(is_command || !is_wrapped, "{verb:?} at {columns}: {row}");
                is_command &= is_wrapped;
            }
            assert!(
                !screen.hide_cursor() && !screen.alternate_screen(),
                "{verb:?}"
            );
        }
    }
}

#[test]
fn colours_are_where_they_are_wanted() {
    let folder = RUNS.path();
    let bold = "\x1b[1m";
    let verb = ["report", "field"];
    for (env, flag, in_window, in_pipe) in [
        (&[][..], "auto", true, false),
        (&[], "never", false, false),
        (&[], "always", true, true),
        (&[("NO_COLOR", "1")], "auto", false, false),
        (&[("CLICOLOR", "0")], "auto", false, false),
        (&[("CLICOLOR_FORCE", "1")], "auto", true, true),
        (&[("NO_COLOR", "1")], "always", true, true),
    ] {
        let verb = [&verb[..], &["--color", flag]].concat();
        let mut window = Window::open([80, 24, ALL_ROWS], folder, env, &verb);
        window.end();
        let found = [window.written(), piped(folder, env, &verb)];
        assert_eq!(
            found.each_ref().map(|text| text.contains(bold)),
            [in_window, in_pipe],
            "{env:?} {flag}"
        );
        assert_eq!(
            found.map(|text| text.contains('\x1b')),
            [in_window, in_pipe],
            "{env:?} {flag}"
        );
    }
}

#[test]
fn a_pipe_gets_everything_whole() {
    let folder = RUNS.path();
    for verb in [
        &["run", "field.toml", "--out", "whole", "--force"][..],
        &["report", "field"],
        &["replay", "field"],
    ] {
        let text = piped(folder, &[], verb);
        assert!(
            !text.contains('\x1b') && !text.contains('…') && !text.contains("not shown"),
            "{text}"
        );
        assert!(
            text.contains(" onitama-random-with-quite-a-long-name-version-1 "),
            "{text}"
        );
    }
}

/// Reports that are longer than their window.
#[test]
fn a_long_report_ends_with_its_answer_and_says_once_what_has_no_room() {
    for verb in [
        &["report", "field"][..],
        &["report", "gauntlet"],
        &["report", "race"],
        &["rate", "field", "gauntlet"],
    ] {
        for columns in [60, 80, 110] {
            let size = [columns, 16, ALL_ROWS];
            let mut window = Window::open(size, RUNS.path(), &[("NO_COLOR", "1")], verb);
            window.end();
            let shown: Vec<String> = window
                .parser
                .screen()
                .rows(0, columns)
                .filter(|row| !row.is_empty())
                .collect();
            let text = shown.join("\n");
            let times = text.matches("not shown: ").count();
            assert!(
                times <= 1 && (columns > 60 || times == 1),
                "{columns}\n{text}"
            );
            if verb[0] == "report" {
                let answers = shown.iter().filter(|row| **row == shown[0]).count();
                assert!(
                    answers == 2 && shown[shown.len() - 1].starts_with("open "),
                    "{columns}\n{text}"
                );
            }
        }
    }
}

#[test]
fn standings_are_shown_while_a_run_goes_on() {
    let mut window = Window::open(
        [80, 24, 24],
        RUNS.path(),
        &[],
        &["run", "gauntlet.toml", "--games", "400", "--out", "live"],
    );
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
    let mut window = Window::open([200, 24, ALL_ROWS], RUNS.path(), &[], &duel);
    window.until(|screen| screen.contents().contains("(95% at every look), W-D-L "));
    let bar = |row: String| row.matches(['█', '░']).count();
    let bars: Vec<usize> = window.parser.screen().rows(0, 200).map(bar).collect();
    assert_eq!(bars.iter().sum::<usize>(), 40, "{bars:?}");
    window.press("\x03");
    window.end();
    let all = window.parser.screen().contents();
    assert!(
        all.contains("(95% at every look) against ")
            && all.contains("to continue: arena duel onitama ")
            && !all.contains("used because the run was stopped or extended"),
        "{all}"
    );
}

#[test]
fn a_game_is_printed_turn_by_turn() {
    let mut window = Window::open(
        [80, 24, ALL_ROWS],
        RUNS.path(),
        &[("NO_COLOR", "1")],
        &["replay", "race", "4"],
    );
    window.end();
    let shown = window.parser.screen().contents();
    for text in ["turn 5 ", "turn 6 ", "A B C D E", "score "] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(window.process.wait().is_ok());
}
