//! Every mistake in a config gives one complete message; a config without mistakes gives the plan
//! it describes.

mod manual;
mod sweep;
mod tune;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use arena_games::{File, Folder, Games, TextError, Wanted};
use insta::assert_snapshot;
use proptest::prelude::*;

use super::{
    Bot, Config, ConfigError, Integer, Outside, Overrides, Precision, Setting, Unusable, load,
    of_flags, of_settings, read,
};
use crate::plan::{Plan, PlannedGame, StudyPlan};
use crate::play::Clock;
use crate::testing::promised;
use crate::tournament::Session;
use arena_process::Launch;
use arena_schedule::{Design, Format};

const FOUR_BOTS: &str = r#"
[[bot]]
name = "a"
command = "bot-a"

[[bot]]
name = "b"
command = "bot-b"

[[bot]]
name = "c"
command = "bot-a"

[[bot]]
name = "d"
command = "bot-b"
"#;

const TWO_BOTS: &str = r#"
[[bot]]
name = "a"
command = "bot-a"

[[bot]]
name = "b"
command = "bot-b"
"#;

fn find_program(program: &str) -> Result<(), Unusable> {
    let why = match program {
        "bot-a" | "bot-b" | "cargo" | "java" => return Ok(()),
        "bots/text" => "this file is not executable",
        _ => "no such program",
    };
    Err(Unusable(why.to_owned()))
}

fn read_folder(Wanted { folder, .. }: Wanted<'_>) -> Result<Folder, TextError> {
    match folder {
        "my_maps" => {
            let file = File {
                path: "my_maps/a.txt".into(),
                content: b"SSSS".to_vec(),
            };
            Ok(Folder {
                digest: "d1".into(),
                files: vec![file],
            })
        }
        _ => Err(TextError("read `broken/a.txt`: row 3 is short".into())),
    }
}

const OUTSIDE: Outside = Outside {
    find_start: |_, command| find_program(&command[0]),
    exists: |path| {
        if path.ends_with("rats/config/level9") {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(())
    },
    read_folder,
    test_cases: |_| Ok(vec!["7".to_owned()]),
};

fn both(text: &str, overrides: &Overrides) -> Result<(Plan, Session), ConfigError> {
    read(
        "configs/test.toml",
        text,
        &Games::standard(),
        overrides,
        OUTSIDE,
    )
    .map(|(mut plan, session)| {
        // A drawn seed would differ from plan to plan.
        if !session.seed_is_given {
            plan.seed = 0;
        }
        (plan, session)
    })
}

fn plan(text: &str) -> Result<Plan, ConfigError> {
    both(text, &Overrides::default()).map(|(plan, _)| plan)
}

/// The message about the mistake in `text`.
fn message(text: &str) -> String {
    plan(text).expect_err(text).to_string()
}

/// The message about a line of `[run]`.
fn run(line: &str) -> String {
    message(&format!("[run]\ngame = \"minishogi\"\n{line}\n{TWO_BOTS}"))
}

/// The message about a line of `[clock]`.
fn clock(line: &str) -> String {
    message(&format!(
        "[run]\ngame = \"minishogi\"\n[clock]\n{line}\n{TWO_BOTS}"
    ))
}

/// The message about the lines of a third bot.
fn bot(lines: &str) -> String {
    message(&format!(
        "run.game = \"minishogi\"\n{TWO_BOTS}\n[[bot]]\n{lines}\n"
    ))
}

#[test]
fn syntax() {
    assert_snapshot!(message("[run\ngame = 1"), @r"
    the config is not valid TOML
     --> configs/test.toml:1:5
      |
    1 | [run
      |     ^ unclosed table, expected `]`
    ");
    assert_snapshot!(message("[run]\ngame = "), @r"
    the config is not valid TOML
     --> configs/test.toml:2:8
      |
    2 | game = 
      |        ^ string values must be quoted, expected literal string
    ");
    assert_snapshot!(message("[run]\ngame = \"minishogi"), @r#"
    the config is not valid TOML
     --> configs/test.toml:2:18
      |
    2 | game = "minishogi
      |                  ^ invalid basic string, expected `"`
    "#);
    assert_snapshot!(run("games = 1\ngames = 2"), @r"
    the config is not valid TOML
     --> configs/test.toml:4:1
      |
    4 | games = 2
      | ^^^^^ duplicate key
    ");
    assert_snapshot!(message("[run]\ngame = \"minishogi\"\n[run]\n"), @r"
    the config is not valid TOML
     --> configs/test.toml:3:2
      |
    3 | [run]
      |  ^^^ duplicate key
    ");
}

#[test]
fn unknown_keys() {
    assert_snapshot!(run("opening_ply = 4"), @r"
    unknown key `opening_ply`
     --> configs/test.toml:3:1
      |
    3 | opening_ply = 4
      | ^^^^^^^^^^^ did you mean `opening_plies`?
    hint: [run] takes `name`, `game`, `format`, `design`, `games`, `total_games`, `precision`, `drop_below`, `same_seeds`, `seed`, `jobs`, `opening_plies`, `pin`, `start_anyway`, `workers`, `metrics` and `stderr`
    ");
    assert_snapshot!(run("threads = 4"), @r"
    unknown key `threads`
     --> configs/test.toml:3:1
      |
    3 | threads = 4
      | ^^^^^^^
    hint: [run] takes `name`, `game`, `format`, `design`, `games`, `total_games`, `precision`, `drop_below`, `same_seeds`, `seed`, `jobs`, `opening_plies`, `pin`, `start_anyway`, `workers`, `metrics` and `stderr`
    ");
    assert_snapshot!(clock("turn = 100"), @r"
    unknown key `turn`
     --> configs/test.toml:4:1
      |
    4 | turn = 100
      | ^^^^ did you mean `turn_ms`?
    hint: [clock] takes `first_turn_ms`, `turn_ms`, `startup_ms`, `rules` and `no_ponder`
    ");
    assert_snapshot!(bot("name = \"c\"\ncomand = \"bot-a\""), @r#"
    unknown key `comand`
      --> configs/test.toml:13:1
       |
    13 | comand = "bot-a"
       | ^^^^^^ did you mean `command`?
    hint: [[bot]] takes `name`, `command`, `build`, `games`, `env` and `read`
    "#);
    assert_snapshot!(message(&format!("game = \"minishogi\"\n{TWO_BOTS}")), @r#"
    bad value for `game`
     --> configs/test.toml:1:8
      |
    1 | game = "minishogi"
      |        ^^^^^^^^^^^ expected `[run]` above it, or a table that begins with `[game.NAME]`, found the string `minishogi`
    "#);
    assert_snapshot!(message("[ruN]\ngame = \"minishogi\""), @r"
    unknown key `ruN`
     --> configs/test.toml:1:2
      |
    1 | [ruN]
      |  ^^^ did you mean `run`?
    hint: the config takes `run`, `clock`, `limits`, `sandbox`, `workers`, `sprt`, `game`, `sweep`, `tune`, `try`, `language` and `bot`
    ");
}

#[test]
fn limits_and_sandbox() {
    let tables = |tables: &str| plan(&format!("run.game = \"minishogi\"\n{TWO_BOTS}\n{tables}"));
    let both = tables("read = [\"data\"]\n[limits]\nmemory_mb = 64\n[sandbox]\nmode = \"strict\"")
        .unwrap();
    assert_eq!(
        (both.memory_mb, both.sandbox.to_string().as_str()),
        (64, "strict")
    );
    assert_eq!(both.bots[1].read, [std::path::PathBuf::from("data")]);
    for (wrong, said) in [
        (
            "[limits]\nmemory_mb = 63",
            "expected an integer from 64 to 1048576",
        ),
        ("[sandbox]\nmode = \"of\"", "did you mean `off`"),
        (
            "[limits]\nmemory_mb = 64\n[sandbox]\nmode = \"off\"",
            "without the sandbox there are no limits",
        ),
        (
            "read = \"data\"",
            "expected a list of paths, found the string `data`",
        ),
        ("read = [\"\"]", "expected the path of a folder or file"),
    ] {
        let message = tables(wrong).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
}

/// A config with a sequential test, with further lines in `[run]` and in `[sprt]`.
fn test_of(game: &str, run: &str, sprt: &str) -> String {
    format!("[run]\ngame = {game}\nformat = \"sprt\"\n{run}\n[sprt]\n{sprt}\n{TWO_BOTS}")
}

#[test]
fn sequential_tests() {
    let tested = |text: &str| match plan(text).expect("a plan").study {
        StudyPlan::Sprt(test) => test,
        study => panic!("no test: {study:?}"),
    };
    let bare = tested(&test_of("\"minishogi\"", "", ""));
    let hypotheses = bare.hypotheses;
    assert_eq!(
        (
            hypotheses.elo0,
            hypotheses.elo1,
            hypotheses.alpha,
            hypotheses.beta
        ),
        (0.0, 10.0, 0.05, 0.05)
    );
    assert_eq!(bare.max_units, 20_000);
    let games = StudyPlan::Sprt(bare).games_per_pairing();
    assert_eq!(games, 40_000);
    let whole =
        "elo0 = -10.5\nelo1 = 0\nalpha = 1e-2\nbeta = 0.1\nmodel = \"normalized\"\nmax_units = 7";
    let whole = test_of("\"kutulu\"", "", whole);
    let hypotheses = tested(&whole).hypotheses;
    let whole = plan(&whole).expect("a plan");
    assert_eq!(
        (whole.design, whole.schedule().len()),
        (Some(Design::Mirror), 14)
    );
    assert_eq!((hypotheses.elo0, hypotheses.alpha), (-10.5, 0.01));
    let early = |line: &str| tested(&test_of("\"kutulu\"", "", line)).early;
    assert_eq!(
        ["", "early = true", "early = false"].map(early),
        [true, true, false]
    );
}

#[test]
fn the_games_of_a_run_in_all() {
    let with = |games: &str, overrides: &Overrides| {
        let text = format!(
            "[run]\ngame = [\"minishogi\", \"kutulu\"]\nformat = \"round-robin\"\n{games}\n{FOUR_BOTS}"
        );
        both(&text, overrides)
            .map(|(plan, _)| (plan.study.games_per_pairing(), plan.schedule().len()))
    };
    let none = Overrides::default();
    assert_eq!(with("total_games = 1000", &none).unwrap(), (142, 852 + 144));
    assert_eq!(with("total_games = 16", &none).unwrap(), (2, 12 + 4));
    assert_eq!(
        with(
            "total_games = 1000",
            &Overrides {
                games: Some(8),
                ..none.clone()
            }
        )
        .unwrap(),
        (8, 56)
    );
    let message = |games: &str| with(games, &none).unwrap_err().to_string();
    assert!(
        message("total_games = 15").contains("expected 16 or more"),
        "{}",
        message("total_games = 15")
    );
    assert!(message("games = 2\ntotal_games = 15").contains("both say how many games are played"));
    let test = test_of("\"minishogi\"", "total_games = 10", "");
    assert!(
        plan(&test)
            .unwrap_err()
            .to_string()
            .contains("has no fixed number of games")
    );
}

#[test]
fn the_same_seeds_for_all_pairings() {
    let text = |game: &str, rest: &str, bots: &str| {
        format!("[run]\ngame = {game}\nsame_seeds = true\n{rest}\n{bots}")
    };
    for format in ["gauntlet", "round-robin"] {
        let rest = format!("format = \"{format}\"");
        let plan = plan(&text("\"minishogi\"", &rest, FOUR_BOTS)).expect("a plan");
        assert!(plan.study.shares_seeds());
        let stored = toml::to_string(&plan).expect("TOML");
        assert!(stored.contains("\nsame_seeds = true\n"), "{stored}");
        let before = stored.replace("same_seeds = true\n", "");
        let before: Plan = toml::from_str(&before).expect("a plan without the key");
        assert!(!before.study.shares_seeds());
        let again = toml::to_string(&before).expect("TOML");
        assert!(
            !again.contains("same_seeds"),
            "older plans keep their digest"
        );
    }
    let two_games = text(
        "[\"minishogi\", \"kutulu\"]",
        "design = \"mirror\"",
        FOUR_BOTS,
    );
    let sequential = test_of("\"minishogi\"", "same_seeds = true", "");
    for (refused, problem) in [
        (
            message(&two_games),
            "is for games of two seats: expected none",
        ),
        (message(&two_games), "`kutulu` has 4 seats"),
        (run("same_seeds = true"), "is for three or more bots"),
        (
            message(&sequential),
            "is for a gauntlet or a round robin: expected none",
        ),
    ] {
        assert!(
            refused.contains(problem) && refused.contains(" | same_seeds = true"),
            "{refused}"
        );
    }
}

/// Rows: the key, and what is said of it.
#[test]
fn a_precision_or_drop_below_ends_a_match() {
    for (key, what) in [("precision", "a precision"), ("drop_below", "`drop_below`")] {
        ends_a_match(key, what);
    }
}

fn ends_a_match(key: &str, what: &str) {
    let text =
        |run: &str, bots: &str| format!("[run]\ngame = \"minishogi\"\n{key} = 20\n{run}\n{bots}");
    for (run, games) in [
        ("", 20_000),
        ("games = 300", 300),
        ("total_games = 300", 300),
    ] {
        let plan = plan(&text(run, TWO_BOTS)).expect("a plan");
        let rule = plan.study.stopping().expect("a rule");
        let limits = [
            ("precision", rule.precision),
            ("drop_below", rule.drop_below),
        ];
        for (limit, value) in limits {
            assert_eq!(value, Some(20.0).filter(|_| limit == key), "{limit}");
        }
        assert_eq!(plan.study.games_per_pairing(), games);
        assert!(plan.check().is_ok());
        let line = format!("{key} = 20.0\n");
        let stored = toml::to_string(&plan).expect("TOML");
        assert!(stored.contains(&format!("\n{line}")), "{stored}");
        let before: Plan = toml::from_str(&stored.replace(&line, "")).expect("a plan");
        assert!(before.study.stopping().is_none());
        let difference = plan.difference(&before).expect("a difference");
        assert!(difference.contains(line.trim_end()), "{difference}");
        let below_0: Plan =
            toml::from_str(&stored.replace(&line, &format!("{key} = -1.0\n"))).expect("a plan");
        assert!(below_0.check().is_err());
    }
    let two_games = text("", TWO_BOTS).replace("\"minishogi\"", "[\"minishogi\", \"onitama\"]");
    for (refused, problem) in [
        (
            message(&text("", FOUR_BOTS)),
            format!("{what} ends a match of two bots, and 4 bots play: expected none"),
        ),
        (
            message(&two_games),
            format!("{what} ends a match in one game: expected none"),
        ),
        (
            message(&text("format = \"sprt\"", TWO_BOTS)),
            "ends by its own rule: expected none".to_owned(),
        ),
    ] {
        assert!(
            refused.contains(&problem) && refused.contains(&format!(" | {key} = 20")),
            "{refused}"
        );
    }
}

/// Rows: the number of bots, `--games`, `--precision`, whether there is `--for`, and what is
/// played: the most games per pairing, and the precision that ends it before.
#[test]
fn a_duel_ends_when_it_knows_unless_it_says_otherwise() {
    let games = Games::standard();
    let onitama = games.find("onitama").expect("a game");
    for (bots, games, precision, is_timed, expected) in [
        (2, None, None, false, (20_000, Some(20.0))),
        (2, Some(100), None, false, (100, None)),
        (2, None, Some(5.0), false, (20_000, Some(5.0))),
        (2, Some(100), Some(5.0), false, (100, Some(5.0))),
        (2, None, None, true, (20_000, None)),
        (2, None, Some(5.0), true, (20_000, Some(5.0))),
        (3, None, None, false, (200, None)),
        (3, Some(100), None, false, (100, None)),
        (3, None, None, true, (20_000, None)),
    ] {
        let launch = |number: usize| Launch {
            name: number.to_string(),
            command: vec!["bot-a".to_owned()],
            ..Launch::default()
        };
        let mut config = Config {
            games: vec![("run.game".to_owned(), onitama.clone())],
            bot: (0..bots).map(launch).map(Bot::from).collect(),
            ..Config::default()
        };
        config.run.games = games.map(Integer);
        config.run.precision = precision.map(Precision);
        let overrides = Overrides {
            has_time_limit: is_timed,
            ..Overrides::default()
        };
        let (plan, _) = of_flags(&mut config, &overrides).expect("a plan");
        let precision = plan.study.stopping().and_then(|rule| rule.precision);
        assert_eq!((plan.study.games_per_pairing(), precision), expected);
    }
}

#[test]
fn mistakes_in_sequential_tests() {
    let minishogi = |run: &str, sprt: &str| message(&test_of("\"minishogi\"", run, sprt));
    for (message, said, line) in [
        (
            run("[sprt]\nelo0 = 0"),
            "is for a run with `format = \"sprt\"`",
            3,
        ),
        (
            minishogi("games = 10", ""),
            "has no fixed number of games",
            4,
        ),
        (minishogi("", "elo0 = 10"), "elo0 must be less than elo1", 6),
        (
            minishogi("", "elo0 = 3\nelo1 = 2"),
            "elo0 must be less than elo1",
            7,
        ),
        (
            minishogi("", "alpha = 0.5\nbeta = 0.5"),
            "less than 1 together",
            6,
        ),
        (
            minishogi("", "beta = 0"),
            "expected a number above 0 and below 1",
            6,
        ),
        (
            minishogi("", "elo1 = inf"),
            "expected a number from -2000 to 2000",
            6,
        ),
        (minishogi("", "elo1 = \"10\""), "found the string `10`", 6),
        (
            minishogi("", "model = \"normal\""),
            "did you mean `normalized`?",
            6,
        ),
        (
            minishogi("", "max_units = 0"),
            "expected an integer from 1 to 1000000",
            6,
        ),
        (minishogi("", "elo = 0"), "did you mean `elo0`?", 6),
        (
            message(&test_of("[\"minishogi\", \"kutulu\"]", "", "")),
            "is about one game",
            2,
        ),
        (
            message(&test_of("\"kutulu\"", "design = \"rotations\"", "")),
            "expected `\"mirror\"`",
            4,
        ),
        (
            message(
                &(test_of("\"minishogi\"", "", "") + "[[bot]]\nname = \"c\"\ncommand = \"bot-a\""),
            ),
            "is about two bots",
            3,
        ),
    ] {
        assert!(message.contains(said), "{said}\n{message}");
        assert!(
            message.contains(&format!("configs/test.toml:{line}:")),
            "line {line}\n{message}"
        );
        assert!(message.contains('^'), "{message}");
    }
    {
        let overrides = Overrides {
            games: Some(8),
            ..Overrides::default()
        };
        let message = both(&test_of("\"minishogi\"", "", ""), &overrides)
            .expect_err("a mistake")
            .to_string();
        assert!(
            message.contains("has no fixed number of games")
                && message.contains("configs/test.toml:3:"),
            "{message}"
        );
    }
}

#[test]
fn wrong_types() {
    assert_snapshot!(run("games = \"200\""), @r#"
    bad value for `games`
     --> configs/test.toml:3:9
      |
    3 | games = "200"
      |         ^^^^^ expected an integer from 1 to 1000000000, found the string `200`
    "#);
    assert_snapshot!(run("games = 1e3"), @r"
    bad value for `games`
     --> configs/test.toml:3:9
      |
    3 | games = 1e3
      |         ^^^ expected an integer from 1 to 1000000000, found the float `1e3`
    ");
    assert_snapshot!(run("pin = \"yes\""), @r#"
    bad value for `pin`
     --> configs/test.toml:3:7
      |
    3 | pin = "yes"
      |       ^^^^^ expected a boolean, found the string `yes`
    "#);
    assert_snapshot!(run("name = 5"), @r"
    bad value for `name`
     --> configs/test.toml:3:8
      |
    3 | name = 5
      |        ^ expected a string, found the integer `5`
    ");
    assert_snapshot!(run("format = true"), @r"
    bad value for `format`
     --> configs/test.toml:3:10
      |
    3 | format = true
      |          ^^^^ expected `gauntlet`, `round-robin`, `sprt`, `sweep` or `tune`, found the boolean `true`
    ");
    assert_snapshot!(message("[run]\ngame = 7"), @r"
    bad value for `game`
     --> configs/test.toml:2:8
      |
    2 | game = 7
      |        ^ expected a game id or a list of game ids, found the integer `7`
    ");
    assert_snapshot!(message("[run]\ngame = [\"minishogi\", [\"dice_shogi\"]]"), @r#"
    bad value for `game`
     --> configs/test.toml:2:22
      |
    2 | game = ["minishogi", ["dice_shogi"]]
      |                      ^^^^^^^^^^^^^^ expected a string, found a list
    "#);
    assert_snapshot!(message("run = 1"), @r"
    bad value for `run`
     --> configs/test.toml:1:7
      |
    1 | run = 1
      |       ^ expected a table that begins with `[run]`, found the integer `1`
    ");
    assert_snapshot!(message("[[run]]\ngame = \"minishogi\""), @r"
    bad value for `run`
     --> configs/test.toml:1:1
      |
    1 | [[run]]
      | ^^^^^^^ expected a table that begins with `[run]`, found a list
    ");
    assert_snapshot!(message("[run]\ngame = \"minishogi\"\n[bot]\nname = \"a\"\n"), @r"
    bad value for `bot`
     --> configs/test.toml:3:2
      |
    3 | [bot]
      |  ^^^ expected tables that begin with `[[bot]]`, found a table
    ");
    assert_snapshot!(message("[run]\ngame = \"minishogi\"\n[[bot]]\n[[bot.env]]\n"), @r#"
    [[bot]] has no `name`
     --> configs/test.toml:3:1
      |
    3 | [[bot]]
      | ^^^^^^^ `name` is missing
    hint: add `name = "my-bot"`

    error: bad value for `env`
     --> configs/test.toml:4:1
      |
    4 | [[bot.env]]
      | ^^^^^^^^^^^ expected a table of strings, found a list
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = [\"bot-a\", 4]"), @r#"
    bad value for `command`
      --> configs/test.toml:13:21
       |
    13 | command = ["bot-a", 4]
       |                     ^ expected a string, found the integer `4`
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bot-a\"\nenv = { DEPTH = 4 }"), @r"
    bad value for `env`
      --> configs/test.toml:14:17
       |
    14 | env = { DEPTH = 4 }
       |                 ^ expected a string, found the integer `4`
    ");
}

#[test]
fn impossible_values() {
    assert_snapshot!(run("games = 0"), @r"
    bad value for `games`
     --> configs/test.toml:3:9
      |
    3 | games = 0
      |         ^ expected an integer from 1 to 1000000000, found the integer `0`
    ");
    assert_snapshot!(run("games = 0xFFFF_FFFF_FFFF_FFFF_FFFF"), @r"
    bad value for `games`
     --> configs/test.toml:3:9
      |
    3 | games = 0xFFFF_FFFF_FFFF_FFFF_FFFF
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^ expected an integer from 1 to 1000000000, found the integer `0xFFFFFFFFFFFFFFFFFFFF`
    ");
    assert_snapshot!(run("seed = -1"), @r"
    bad value for `seed`
     --> configs/test.toml:3:8
      |
    3 | seed = -1
      |        ^^ expected an integer from 0 to 18446744073709551615, found the integer `-1`
    ");
    assert_snapshot!(run("seed = 18446744073709551616"), @r"
    bad value for `seed`
     --> configs/test.toml:3:8
      |
    3 | seed = 18446744073709551616
      |        ^^^^^^^^^^^^^^^^^^^^ expected an integer from 0 to 18446744073709551615, found the integer `18446744073709551616`
    ");
    assert_snapshot!(run("jobs = 0"), @r#"
    bad value for `jobs`
     --> configs/test.toml:3:8
      |
    3 | jobs = 0
      |        ^ expected an integer from 1 to 4096, found the integer `0`
    "#);
    assert_snapshot!(run("jobs = \"all\""), @r#"
    bad value for `jobs`
     --> configs/test.toml:3:8
      |
    3 | jobs = "all"
      |        ^^^^^ expected an integer from 1 to 4096, found the string `all`
    "#);
    assert_snapshot!(run("opening_plies = 3"), @r"
    bad value for `opening_plies`
     --> configs/test.toml:3:17
      |
    3 | opening_plies = 3
      |                 ^ expected an even integer from 0 to 100, found the integer `3`
    ");
    assert_snapshot!(clock("turn_ms = -100"), @r"
    bad value for `turn_ms`
     --> configs/test.toml:4:11
      |
    4 | turn_ms = -100
      |           ^^^^ expected an integer from 1 to 86400000, found the integer `-100`
    ");
    assert_snapshot!(clock("first_turn_ms = 0"), @r"
    bad value for `first_turn_ms`
     --> configs/test.toml:4:17
      |
    4 | first_turn_ms = 0
      |                 ^ expected an integer from 1 to 86400000, found the integer `0`
    ");
    assert_snapshot!(clock("startup_ms = 86400001"), @r"
    bad value for `startup_ms`
     --> configs/test.toml:4:14
      |
    4 | startup_ms = 86400001
      |              ^^^^^^^^ expected an integer from 0 to 86400000, found the integer `86400001`
    ");
    assert_snapshot!(run("format = \"roundrobin\""), @r#"
    unknown format `roundrobin`
     --> configs/test.toml:3:10
      |
    3 | format = "roundrobin"
      |          ^^^^^^^^^^^^ did you mean `round-robin`?
    "#);
    assert_snapshot!(run("format = \"swiss\""), @r#"
    unknown format `swiss`
     --> configs/test.toml:3:10
      |
    3 | format = "swiss"
      |          ^^^^^^^ expected `gauntlet`, `round-robin`, `sprt`, `sweep` or `tune`
    "#);
}

#[test]
fn games_are_found_as_people_call_them() {
    let games = "[\"MiniShogi\", \"Code of Kutulu\", \"dice-shogi\"]";
    let last = "[[bot]]\nname = \"e\"\ncommand = \"bot-a\"\ngames = \"DICE SHOGI\"";
    let plan = plan(&format!("[run]\ngame = {games}\n{FOUR_BOTS}{last}")).unwrap();
    let played: Vec<(&str, usize)> = plan
        .games
        .iter()
        .map(|game| (game.id.as_str(), game.bots.len()))
        .collect();
    assert_eq!(played, [("minishogi", 4), ("kutulu", 4), ("dice_shogi", 5)]);
}

#[test]
fn games() {
    assert_snapshot!(message("[run]\ngame = \"minishogy\""), @r#"
    unknown game `minishogy`
     --> configs/test.toml:2:8
      |
    2 | game = "minishogy"
      |        ^^^^^^^^^^^ did you mean `minishogi`?
    "#);
    assert_snapshot!(message("[run]\ngame = \"chess\""), @r#"
    unknown game `chess`
     --> configs/test.toml:2:8
      |
    2 | game = "chess"
      |        ^^^^^^^ expected `minishogi`, `dice_shogi`, `onitama` or `kutulu`
    "#);
    assert_snapshot!(message("[run]\ngame = []"), @r"
    bad value for `game`
     --> configs/test.toml:2:8
      |
    2 | game = []
      |        ^^ expected a game id or a list of game ids, found an empty list
    ");
    assert_snapshot!(message("[run]\ngame = [\n  \"minishogi\",\n  \"dice_shogi\",\n  \"minishogi\",\n]"), @r#"
    bad value for `game`
     --> configs/test.toml:5:3
      |
    3 |   "minishogi",
      |   ----------- first here
    4 |   "dice_shogi",
    5 |   "minishogi",
      |   ^^^^^^^^^^^ `minishogi` for the second time
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bot-a\"\ngames = [\"dice-shog\"]"), @r#"
    unknown game `dice-shog`
      --> configs/test.toml:14:10
       |
    14 | games = ["dice-shog"]
       |          ^^^^^^^^^^^ did you mean `dice_shogi`?
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bot-a\"\ngames = [\"dice_shogi\"]"), @r#"
    bad value for `games`
      --> configs/test.toml:14:9
       |
     1 | run.game = "minishogi"
       |            ----------- the games of the run
    ...
    14 | games = ["dice_shogi"]
       |         ^^^^^^^^^^^^^^ the bot plays no game of this run
    "#);
    assert_snapshot!(message(&format!("[run]\ngame = [\"minishogi\", \"kutulu\"]\nopening_plies = 2\n{TWO_BOTS}")), @r#"
    bad value for `game`
      --> configs/test.toml:2:22
       |
     2 | game = ["minishogi", "kutulu"]
       |                      ^^^^^^^^ too few bots play `kutulu`: expected 4 or more, found 2
    ...
     6 | name = "a"
       |        --- plays it
    ...
    10 | name = "b"
       |        --- plays it
    hint: `design = "mirror"` in `[run]` lets bots meet in pairs, which share the seats
    "#);
}

#[test]
fn missing_keys() {
    assert_snapshot!(message(""), @r#"
    [run] has no `game`
     --> configs/test.toml:1:1
      |
    1 |
      | ^ `game` is missing
    hint: add `game = "minishogi"`
    "#);
    assert_snapshot!(message("[run]\nseed = 1"), @r#"
    [run] has no `game`
     --> configs/test.toml:1:2
      |
    1 | [run]
      |  ^^^ `game` is missing
    hint: add `game = "minishogi"`
    "#);
    assert_snapshot!(bot("command = \"bot-a\""), @r#"
    [[bot]] has no `name`
      --> configs/test.toml:11:1
       |
    11 | [[bot]]
       | ^^^^^^^ `name` is missing
    hint: add `name = "my-bot"`
    "#);
    assert_snapshot!(bot("name = \"c\""), @r#"
    [[bot]] has no `command`
      --> configs/test.toml:11:1
       |
    11 | [[bot]]
       | ^^^^^^^ `command` is missing
    hint: add `command = ["path/to/my-bot"]`
    "#);
}

#[test]
fn too_few_bots() {
    assert_snapshot!(message("[run]\ngame = \"minishogi\""), @r#"
    bad value for `game`
     --> configs/test.toml:2:8
      |
    2 | game = "minishogi"
      |        ^^^^^^^^^^^ too few bots play `minishogi`: expected 2 or more, found 0
    hint: each bot has its own table `[[bot]]`
    "#);
    let one_short =
        format!("run.game = [\"minishogi\", \"dice_shogi\"]\n{TWO_BOTS}games = \"minishogi\"");
    assert_snapshot!(message(&one_short), @r#"
    bad value for `game`
     --> configs/test.toml:1:26
      |
    1 | run.game = ["minishogi", "dice_shogi"]
      |                          ^^^^^^^^^^^^ too few bots play `dice_shogi`: expected 2 or more, found 1
    ...
    4 | name = "a"
      |        --- plays it
    hint: each bot has its own table `[[bot]]`
    "#);
}

#[test]
fn a_core_plays_as_many_games_as_promised() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let most = cores
        * promised(
            "docs/reference/config.md",
            "Games at the same time, at most",
        );
    assert_eq!(super::jobs(Some(most)).unwrap() as u64, most);
    let said = run(&format!("jobs = {}", most + 1));
    assert!(
        said.contains(&format!("expected {most} or fewer")),
        "{said}"
    );
}

#[test]
fn a_name_has_as_many_characters_as_promised() {
    let most = promised(
        "docs/reference/config.md",
        "No two bots share one, and it has at most",
    );
    let name = |length: u64| "x".repeat(usize::try_from(length).unwrap());
    assert_eq!(super::bot_name_problem(&name(most)), None);
    assert!(super::bot_name_problem(&name(most + 1)).is_some());
}

#[test]
fn names() {
    assert_snapshot!(bot("name = \"a\"\ncommand = \"bot-a\""), @r#"
    bad value for `name`
      --> configs/test.toml:12:8
       |
     4 | name = "a"
       |        --- first used here
    ...
    12 | name = "a"
       |        ^^^ two bots are called `a`
    hint: give one of them another name
    "#);
    assert_snapshot!(bot("name = \"\"\ncommand = \"bot-a\""), @r#"
    bad value for `name`
      --> configs/test.toml:12:8
       |
    12 | name = ""
       |        ^^ a name cannot be empty
    "#);
    assert_snapshot!(bot("name = \"two\\nlines\"\ncommand = \"bot-a\""), @r#"
    bad value for `name`
      --> configs/test.toml:12:8
       |
    12 | name = "two\nlines"
       |        ^^^^^^^^^^^^ its character 4 is U+000A: line ends, tabs and what is not shown cannot be in a name
    "#);
    assert_snapshot!(bot("name = \" c\"\ncommand = \"bot-a\""), @r#"
    bad value for `name`
      --> configs/test.toml:12:8
       |
    12 | name = " c"
       |        ^^^^ a name cannot begin or end with a space
    "#);
    assert_snapshot!(run("name = \"../outside\""), @r#"
    bad value for `name`
     --> configs/test.toml:3:8
      |
    3 | name = "../outside"
      |        ^^^^^^^^^^^^ a run's name is a directory under `results`: expected at most 200 bytes without `/`, and neither `.` nor `..`
    "#);
    assert_snapshot!(run("name = \"..\""), @r#"
    bad value for `name`
     --> configs/test.toml:3:8
      |
    3 | name = ".."
      |        ^^^^ a run's name is a directory under `results`: expected at most 200 bytes without `/`, and neither `.` nor `..`
    "#);
    assert!(run(&format!("name = \"{}\"", "n".repeat(201))).contains("expected at most 200 bytes"));
    let nameless = format!("[run]\ngame = \"minishogi\"\n{TWO_BOTS}");
    assert_snapshot!(read("..", &nameless, &Games::standard(), &Overrides::default(), OUTSIDE).expect_err("a nameless run"), @r"
    bad value for `name`
     --> ..:1:1
      |
    1 | [run]
      | ^^^^^ a name cannot be empty
    ");
}

#[test]
fn commands() {
    assert_snapshot!(bot("name = \"c\"\ncommand = []"), @r"
    bad value for `command`
      --> configs/test.toml:13:11
       |
    13 | command = []
       |           ^^ the name of a program is missing
    ");
    assert_snapshot!(bot("name = \"c\"\ncommand = \"  \""), @r#"
    bad value for `command`
      --> configs/test.toml:13:11
       |
    13 | command = "  "
       |           ^^^^ the name of a program is missing
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = [\"\", \"--fast\"]"), @r#"
    bad value for `command`
      --> configs/test.toml:13:11
       |
    13 | command = ["", "--fast"]
       |           ^^^^^^^^^^^^^^ the name of a program is missing
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bot-a --name 'it is\""), @r#"
    bad value for `command`
      --> configs/test.toml:13:11
       |
    13 | command = "bot-a --name 'it is"
       |           ^^^^^^^^^^^^^^^^^^^^^ a quote is not closed, or nothing follows a backslash; in a list, as in `["program", "argument"]`, neither is special
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = 'bot-a \\'"), @r#"
    bad value for `command`
      --> configs/test.toml:13:11
       |
    13 | command = 'bot-a \'
       |           ^^^^^^^^^ a quote is not closed, or nothing follows a backslash; in a list, as in `["program", "argument"]`, neither is special
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = [\"bot-a\", \"\\u0000\"]"), @r#"
    bad value for `command`
      --> configs/test.toml:13:21
       |
    13 | command = ["bot-a", "\u0000"]
       |                     ^^^^^^^^ a NUL character cannot be handed to a program
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = [\"target/release/nobody\", \"--depth\", \"4\"]"), @r#"
    bad value for `command`
      --> configs/test.toml:13:12
       |
    13 | command = ["target/release/nobody", "--depth", "4"]
       |            ^^^^^^^^^^^^^^^^^^^^^^^ bot `c` cannot be started: no such program
    hint: paths start from the current folder; names without `/` are looked for in PATH
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bots/text --depth 4\""), @r#"
    bad value for `command`
      --> configs/test.toml:13:11
       |
    13 | command = "bots/text --depth 4"
       |           ^^^^^^^^^^^^^^^^^^^^^ bot `c` cannot be started: this file is not executable
    hint: paths start from the current folder; names without `/` are looked for in PATH
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bots/built\"\nbuild = \"cargi build\""), @r#"
    bad value for `build`
      --> configs/test.toml:14:9
       |
    14 | build = "cargi build"
       |         ^^^^^^^^^^^^^ bot `c` cannot be built: no such program
    hint: paths start from the current folder; names without `/` are looked for in PATH
    "#);
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bots/built\"\nbuild = []"), @r"
    bad value for `build`
      --> configs/test.toml:14:9
       |
    14 | build = []
       |         ^^ the name of a program is missing
    ");
    assert_snapshot!(bot("name = \"c\"\ncommand = \"bot-a\"\nenv = { \"A=B\" = \"1\" }"), @r#"
    bad value for `env`
      --> configs/test.toml:14:17
       |
    14 | env = { "A=B" = "1" }
       |                 ^^^ expected a name of a variable that is not empty and without `=`
    "#);
}

/// What a message repeats of the user's text must not move a terminal's cursor or fill its screen.
#[test]
fn hostile_text_is_shown_harmlessly() {
    let text = format!(
        "[run]\n\"\\u001b[2J{}\" = 1\ngame = \"minishogi\"\u{1b}",
        "x".repeat(1000)
    );
    assert!(!message(&text).contains('\u{1b}'));
    assert_snapshot!(run("\"\\u001b[2J\" = 1"), @r#"
    unknown key `\u{1b}[2J`
     --> configs/test.toml:3:1
      |
    3 | "\u001b[2J" = 1
      | ^^^^^^^^^^^
    hint: [run] takes `name`, `game`, `format`, `design`, `games`, `total_games`, `precision`, `drop_below`, `same_seeds`, `seed`, `jobs`, `opening_plies`, `pin`, `start_anyway`, `workers`, `metrics` and `stderr`
    "#);
    assert_snapshot!(run(&format!("{} = 1", "x".repeat(1000))), @r"
    unknown key `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`
     --> configs/test.toml:3:1
      |
    3 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx = 1
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^...^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: [run] takes `name`, `game`, `format`, `design`, `games`, `total_games`, `precision`, `drop_below`, `same_seeds`, `seed`, `jobs`, `opening_plies`, `pin`, `start_anyway`, `workers`, `metrics` and `stderr`
    ");
}

/// The whole list of mistakes, in the order of the file.
#[test]
fn all_mistakes_are_shown_at_once() {
    let text = "[run]\ngame = \"minishogi\"\nseeed = 1\n[clock]\nturn_ms = -1\n\n[[bot]]\nname = \"a\"\n\n[[bot]]\nname = \"b\"\ncommand = 7\n";
    assert_snapshot!(message(text), @r#"
    unknown key `seeed`
     --> configs/test.toml:3:1
      |
    3 | seeed = 1
      | ^^^^^ did you mean `seed`?
    hint: [run] takes `name`, `game`, `format`, `design`, `games`, `total_games`, `precision`, `drop_below`, `same_seeds`, `seed`, `jobs`, `opening_plies`, `pin`, `start_anyway`, `workers`, `metrics` and `stderr`

    error: bad value for `turn_ms`
     --> configs/test.toml:5:11
      |
    5 | turn_ms = -1
      |           ^^ expected an integer from 1 to 86400000, found the integer `-1`

    error: [[bot]] has no `command`
     --> configs/test.toml:7:1
      |
    7 | [[bot]]
      | ^^^^^^^ `command` is missing
    hint: add `command = ["path/to/my-bot"]`

    error: bad value for `command`
      --> configs/test.toml:12:11
       |
    12 | command = 7
       |           ^ expected a program with its arguments, as one string or as a list, found the integer `7`
    "#);
    let text = "[run]\ngame = \"minishogi\"\ndesign = \"mirror\"\n[[bot]]\nname = \"a\"\ncommand = \"gone\"\n\n[[bot]]\nname = \"a\"\ncommand = \"bot-a\"\n";
    assert_snapshot!(message(text), @r#"
    bad value for `design`
     --> configs/test.toml:3:10
      |
    3 | design = "mirror"
      |          ^^^^^^^^ `design` is for games of more than two seats, and no game of this run has them

    error: bad value for `command`
     --> configs/test.toml:6:11
      |
    6 | command = "gone"
      |           ^^^^^^ bot `a` cannot be started: no such program
    hint: paths start from the current folder; names without `/` are looked for in PATH

    error: bad value for `name`
     --> configs/test.toml:9:8
      |
    5 | name = "a"
      |        --- first used here
    ...
    9 | name = "a"
      |        ^^^ two bots are called `a`
    hint: give one of them another name
    "#);
}

/// The message about a setting, with a config and without one.
fn set(settings: &[&str]) -> [String; 2] {
    let settings: Vec<Setting> = settings.iter().map(|text| text.parse().unwrap()).collect();
    let alone = of_settings(&settings, &Games::standard()).map(|_| "a config".to_owned());
    let overrides = Overrides {
        settings,
        ..Overrides::default()
    };
    let text = format!("run.game = \"minishogi\"\nclock.turn_ms = 50\n{TWO_BOTS}");
    let said = both(&text, &overrides).map(|(plan, _)| {
        let Clock { turn, rules, .. } = plan.games[0].clock;
        format!("{turn:?}, {rules}, {}", plan.bots[1].command.join(" "))
    });
    [said, alone].map(|said| said.unwrap_or_else(|error| error.to_string()))
}

#[test]
fn settings_override_the_file() {
    assert_eq!(
        set(&["clock.turn_ms=100", "clock.rules=codingame"]),
        ["100ms, codingame, bot-b", "a config"]
    );
    assert_eq!(
        set(&["clock.turn_ms=100", "clock.turn_ms=70"])[0],
        "70ms, strict, bot-b"
    );
    let bot = set(&["bot.1.command=[\"bot-a\", \"3\"]"]);
    assert_eq!(bot[0], "50ms, strict, bot-a 3");
    assert!(
        bot[1].starts_with("can't use --set bot.1.command="),
        "{}",
        bot[1]
    );
    for (setting, expected) in [
        (
            "clock.turn_ms=0",
            "can't use --set clock.turn_ms=0: expected an integer from 1 to 86400000, found the integer `0`\n\
             hint: docs/reference/config.md describes the keys",
        ),
        (
            "clock.trun_ms=100",
            "can't use --set clock.trun_ms=100: unknown key `trun_ms`: did you mean `turn_ms`?\n\
             hint: [clock] takes `first_turn_ms`, `turn_ms`, `startup_ms`, `rules` and `no_ponder`",
        ),
        (
            "sandbox.mode=of",
            "can't use --set sandbox.mode=of: unknown mode `of`: did you mean `off`?\n\
             hint: docs/reference/config.md describes the keys",
        ),
        (
            "clok.turn_ms=100",
            "can't use --set clok.turn_ms=100: unknown key `clok`: did you mean `clock`?\n\
             hint: the config takes `run`, `clock`, `limits`, `sandbox`, `workers`, `sprt`, `game`, `sweep`, `tune`, `try`, `language` and `bot`",
        ),
        (
            "clock.turn_ms=[1, {a = 2}]",
            "can't use --set clock.turn_ms=[1, {a = 2}]: expected an integer from 1 to 86400000, found a list\n\
             hint: docs/reference/config.md describes the keys",
        ),
        (
            "game.kutuluu.maps=my_maps",
            "can't use --set game.kutuluu.maps=my_maps: unknown key `kutuluu`: did you mean `kutulu`?\n\
             hint: [game] takes `kutulu`, and games with a `referee` or `jar`",
        ),
    ] {
        assert_eq!(set(&[setting]), [expected, expected], "{setting}");
    }
}

/// However deeply a text is nested, reading it must not exhaust the stack.
#[test]
fn nested_text_is_refused() {
    let deep = 100_000;
    for text in [
        format!("x = {}", "[".repeat(deep)),
        format!("x = {}", "{ x = ".repeat(deep)),
        format!("[{}]", "x.".repeat(deep) + "x"),
        format!("{} = 1", "x.".repeat(deep) + "x"),
    ] {
        message(&text);
    }
}

#[test]
fn unreadable_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = load(
        Path::new("no/such.toml"),
        &Games::standard(),
        &Overrides::default(),
    )
    .expect_err("a missing file");
    assert_eq!(
        missing.to_string(),
        "can't read the config `no/such.toml`: No such file or directory (os error 2)\n\
         hint: paths start from the current folder, and `arena init` writes a config"
    );

    let unreadable = load(folder.path(), &Games::standard(), &Overrides::default())
        .expect_err("a folder")
        .to_string();
    assert!(
        unreadable.starts_with(&format!(
            "can't read the config `{}`: ",
            folder.path().display()
        )),
        "{unreadable}"
    );

    let latin = folder.path().join("latin.toml");
    std::fs::write(&latin, b"[run]\nname = \"caf\xe9\"\n").expect("written");
    let shown = load(&latin, &Games::standard(), &Overrides::default())
        .expect_err("latin text")
        .to_string();
    assert_snapshot!(shown.replace(&latin.display().to_string(), "latin.toml"), @r"
    can't read the config `latin.toml`: line 2 isn't UTF-8
    hint: save the file as UTF-8
    ");
}

const FULL: &str = r#"
[run]
name = "full"
game = ["minishogi", "dice_shogi"]
format = "round-robin"
games = 1_000
seed = 18446744073709551615
jobs = 3
opening_plies = 4
pin = false
start_anyway = true

[clock]
first_turn_ms = 500
turn_ms = 20
startup_ms = 0

[[bot]]
name = "a, the \"first\""
command = "bot-a --name 'two words' {seed}"
build = "cargo build --release"
env = { RUST_BACKTRACE = "1", SEED = "{seed}" }

[[bot]]
name = "b"
command = ["bot-b", "", "it's"]
games = "dice_shogi"

[[bot]]
name = "c"
command = ["bot-a"]
games = ["minishogi", "kutulu"]
"#;

/// What a plan says about its games: id, limits in milliseconds, opening, bots.
fn planned_games(plan: &Plan) -> Vec<(&str, [u128; 3], u32, String)> {
    let limits =
        |clock: Clock| [clock.first_turn, clock.turn, clock.startup].map(|limit| limit.as_millis());
    let game = |game: &PlannedGame| (limits(game.clock), game.opening_plies, game.bots.join(" "));
    let games = plan
        .games
        .iter()
        .map(|planned| (planned.id.as_str(), game(planned)));
    games
        .map(|(id, (limits, plies, bots))| (id, limits, plies, bots))
        .collect()
}

#[test]
fn a_full_config_gives_its_plan() {
    let (plan, session) = both(FULL, &Overrides::default()).expect("a plan");
    assert_eq!(
        (plan.name.as_str(), session.out.as_path()),
        ("full", Path::new("results/full"))
    );
    assert_eq!(
        (&plan.study, plan.seed),
        (&StudyPlan::list(Format::RoundRobin, 1000), u64::MAX)
    );
    assert_eq!((session.jobs, session.pin, plan.trace), (3, false, false));
    assert!(session.start_anyway);
    let limits = [500, 20, 0];
    let [first, second] = ["a, the \"first\" c", "a, the \"first\" b"].map(str::to_owned);
    assert_eq!(
        planned_games(&plan),
        [
            ("minishogi", limits, 4, first),
            ("dice_shogi", limits, 4, second)
        ]
    );
    let [a, b, c] = plan.bots.as_slice() else {
        panic!("three bots")
    };
    assert_eq!(a.name, "a, the \"first\"");
    assert_eq!(a.command, ["bot-a", "--name", "two words", "{seed}"]);
    let [build] = session.builds.as_slice() else {
        panic!("one build")
    };
    assert_eq!(
        (&build.bot, build.command.join(" ").as_str()),
        (&a.name, "cargo build --release")
    );
    assert_eq!(
        format!("{:?}", a.env),
        r#"{"RUST_BACKTRACE": "1", "SEED": "{seed}"}"#
    );
    assert_eq!(b.command, ["bot-b", "", "it's"]);
    assert_eq!((c.command.len(), c.env.len()), (1, 0));
}

#[test]
fn a_short_config_gives_the_defaults() {
    let text = format!("[run]\ngame = [\"kutulu\", \"minishogi\"]\nopening_plies = 0\n{FOUR_BOTS}");
    let (plan, session) = both(&text, &Overrides::default()).expect("a plan");
    assert_eq!(
        (
            plan.design,
            plan.games[0].options.len(),
            session.warnings.len()
        ),
        (Some(Design::Rotations), 1, 0)
    );
    assert_eq!(
        (plan.name.as_str(), session.out.as_path()),
        ("test", Path::new("results/test"))
    );
    assert_eq!(&plan.study, &StudyPlan::list(Format::Gauntlet, 200));
    assert!(!session.seed_is_given);
    assert_eq!(
        session.jobs,
        super::default_jobs(std::thread::available_parallelism().map_or(1, usize::from))
    );
    assert!(session.pin && !session.start_anyway && !plan.trace);
    assert_eq!(
        planned_games(&plan),
        [
            ("kutulu", [1000, 50, 2000], 0, "a b c d".into()),
            ("minishogi", [1000, 100, 2000], 0, "a b c d".into())
        ]
    );
}

#[test]
fn flags_override_the_config() {
    let overrides = Overrides {
        out: Some("elsewhere".into()),
        jobs: Some(2),
        games: Some(8),
        seed: Some(9),
        trace: true,
        ..Overrides::default()
    };
    let (plan, session) =
        read("full.toml", FULL, &Games::standard(), &overrides, OUTSIDE).expect("a plan");
    assert_eq!(
        (plan.name.as_str(), session.out),
        ("full", PathBuf::from("elsewhere"))
    );
    assert_eq!(
        (
            session.jobs,
            plan.study.games_per_pairing(),
            plan.seed,
            plan.trace
        ),
        (2, 8, 9, true)
    );
}

/// The program of a bot that has a build is there only after the build.
#[test]
fn a_built_program_is_not_looked_for() {
    let built = "[[bot]]\nname = \"c\"\ncommand = \"not/yet\"\nbuild = [\"cargo\"]";
    let plan = plan(&format!("run.game = \"minishogi\"\n{TWO_BOTS}\n{built}")).expect("a plan");
    assert_eq!(plan.bots.len(), 3);
}

/// The names between backticks in the last line of a message, which lists what the table takes.
fn known_keys(message: &str) -> Vec<&str> {
    let help = message
        .lines()
        .last()
        .unwrap_or_default()
        .split_once(" takes ")
        .expect("a list of keys")
        .1;
    help.split('`').skip(1).step_by(2).collect()
}

/// Reads, plans and shows; the outcome does not matter.
fn survives(text: &str) {
    if let Err(error) = plan(text) {
        assert!(!error.to_string().is_empty());
    }
}

/// The numbers of the lines of [`FULL`] that hold a value, from 0.
fn lines_with_values() -> Vec<usize> {
    FULL.lines()
        .enumerate()
        .filter(|(_, line)| line.contains(" = "))
        .map(|(number, _)| number)
        .collect()
}

/// The games and the seats of a run in which a referee has these numbers of seats, and what one bot
/// plays.
fn seated(seats: &str, game: &str) -> Result<Vec<(String, usize)>, String> {
    let text = format!(
        "[run]\ngame = {game}\n[game.ants]\nreferee = \"bot-a\"\nseats = {seats}\n{FOUR_BOTS}"
    );
    let plan = plan(&text).map_err(|error| error.to_string())?;
    Ok(plan
        .games
        .iter()
        .map(|game| (game.id.clone(), game.seats()))
        .collect())
}

#[test]
fn a_referee_with_several_numbers_of_seats_has_a_game_for_each() {
    let is = |games: &[(&str, usize)]| {
        Ok(games
            .iter()
            .map(|&(id, seats)| (id.to_owned(), seats))
            .collect())
    };
    assert_eq!(seated("3", "\"ants\""), is(&[("ants", 3)]));
    assert_eq!(seated("[4]", "\"ants\""), is(&[("ants", 4)]));
    assert_eq!(
        seated("[2, 4, 3]", "\"ants\""),
        is(&[("ants-2", 2), ("ants-4", 4), ("ants-3", 3)])
    );
    assert_eq!(
        seated("[2, 4]", "[\"ants-4\", \"onitama\"]"),
        is(&[("ants-4", 4), ("onitama", 2)])
    );
    assert_snapshot!(seated("[2, 4]", "[\"ants-4\", \"ants\"]").unwrap_err());
    assert_snapshot!(seated("[2, 4]", "\"ants-3\"").unwrap_err());
}

#[test]
fn mistakes_in_games_of_referees() {
    let game = |lines: &str| {
        message(&format!(
            "run.game = \"ants\"\n{TWO_BOTS}\n[game.ants]\n{lines}\n"
        ))
    };
    let mut told = String::new();
    for lines in [
        "referee = []",
        "referee = \"nowhere.py\"",
        "referee = \"bot-a\"\njar = \"ants.jar\"",
        "referee = \"bot-a\"\nleague = 4",
        "jar = 7",
        "jar = \"ants.jar\"\nleague = 0",
        "jar = [\"rats/target/classes\", \"x.jar\"]\nleague = 9",
        "referee = \"bot-a\"\nseats = 9",
        "referee = \"bot-a\"\nseats = []",
        "referee = \"bot-a\"\nseats = [2, 2]",
        "referee = \"bot-a\"\nprotocol = \"uci\"",
        "referee = \"bot-a\"\nreuse = \"yes\"",
        "referee = \"bot-a\"\noptions = { \"a=b\" = \"1\" }",
        "referee = \"bot-a\"\noptions = { plies = 4 }",
        "referee = \"bot-a\"\noptions = { seed = \"5\" }",
        "referee = \"bot-a\"\nprotocol = \"brutaltester\"\nreuse = true",
        "referee = \"bot-a\"\nprotocol = \"brutaltester\"\nseats = 1",
        "referee = \"bot-a\"\nprotocol = \"brutaltester\"\nlower_is_better = true",
        "referee = \"bot-a\"\nseats = [2, 3]\n[game.ants-2]\nreferee = \"bot-a\"",
        "referee = \"bot-a\"\nmap = \"1\"",
        "build = \"make\"",
    ] {
        writeln!(told, "{}\n", game(lines)).expect("text");
    }
    for text in [
        "[game.\"my ants\"]\nreferee = \"bot-a\"",
        "[game.onitama]\nreferee = \"bot-a\"",
    ] {
        writeln!(
            told,
            "{}\n",
            message(&format!("run.game = \"onitama\"\n{TWO_BOTS}\n{text}"))
        )
        .expect("text");
    }
    assert_snapshot!(told);
}

#[test]
fn games_of_four_seats() {
    let kutulu = |lines: &str| plan(&format!("[run]\ngame = \"kutulu\"\n{lines}\n{TWO_BOTS}"));
    assert_snapshot!(kutulu("").unwrap_err(), @r#"
    bad value for `game`
      --> configs/test.toml:2:8
       |
     2 | game = "kutulu"
       |        ^^^^^^^^ too few bots play `kutulu`: expected 4 or more, found 2
    ...
     6 | name = "a"
       |        --- plays it
    ...
    10 | name = "b"
       |        --- plays it
    hint: `design = "mirror"` in `[run]` lets bots meet in pairs, which share the seats
    "#);
    assert_snapshot!(kutulu("design = \"mirrors\"").unwrap_err(), @r#"
    unknown design `mirrors`
     --> configs/test.toml:3:10
      |
    3 | design = "mirrors"
      |          ^^^^^^^^^ did you mean `mirror`?
    "#);
    assert_snapshot!(run("design = \"mirror\""), @r#"
    bad value for `design`
     --> configs/test.toml:3:10
      |
    3 | design = "mirror"
      |          ^^^^^^^^ `design` is for games of more than two seats, and no game of this run has them
    "#);
    assert_snapshot!(run("[game.kutulu]\nmaps = \"my_maps\""), @r"
    bad value for `kutulu`
     --> configs/test.toml:3:7
      |
    3 | [game.kutulu]
      |       ^^^^^^ `[game.kutulu]` is for a game that this run does not play
    hint: add `kutulu` to the games of `[run]`, or leave this table out
    ");
    assert_snapshot!(run("[game.onitama]\nmaps = \"my_maps\""), @r"
    unknown key `onitama`
     --> configs/test.toml:3:7
      |
    3 | [game.onitama]
      |       ^^^^^^^
    hint: [game] takes `kutulu`, and games with a `referee` or `jar`
    ");
    assert_snapshot!(kutulu("design = \"mirror\"\n[game.kutulu]\nmaps = \"broken\"").unwrap_err(), @r#"
    bad value for `maps`
     --> configs/test.toml:5:8
      |
    5 | maps = "broken"
      |        ^^^^^^^^ no games can be played on these maps: can't read `broken/a.txt`: row 3 is short
    hint: the path starts from the current folder; every file in it that ends in .txt is a map
    "#);
    let mirror = format!(
        "[run]\ngame = \"kutulu\"\ndesign = \"mirror\"\n[game.kutulu]\nmaps = \"my_maps\"\n{TWO_BOTS}"
    );
    let (plan, session) = both(&mirror, &Overrides::default()).expect("a plan");
    assert_eq!(
        (plan.design, session.warnings.len()),
        (Some(Design::Mirror), 1)
    );
    assert!(
        session.warnings[0].starts_with("my_maps/a.txt: "),
        "{:?}",
        session.warnings
    );
    let option = |key| {
        plan.games[0]
            .options
            .get(key)
            .and_then(|value| value.as_str())
    };
    assert_eq!(
        (option("maps"), option("maps_digest")),
        (Some("my_maps"), Some("d1"))
    );
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in any::<String>()) {
        survives(&text);
    }

    #[test]
    fn toml_like_text_is_read_without_panic(
        text in r#"([\[\]{}="',#.\\ \n\t\r0-9]|run|game|bot|é|\x00|\x1b){0,60}"#,
    ) {
        survives(&text);
    }

    #[test]
    fn a_changed_config_is_read_without_panic(
        place in any::<prop::sample::Index>(),
        removed in 0..30usize,
        inserted in r#"[\[\]{}="',#.\\ \n\t\ra-c0-9é-]{0,6}"#,
    ) {
        let mut characters: Vec<char> = FULL.chars().collect();
        let start = place.index(characters.len());
        let end = (start + removed).min(characters.len());
        characters.splice(start..end, inserted.chars());
        survives(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn a_value_of_another_type_is_refused_at_its_place(
        line in prop::sample::select(lines_with_values()),
        value in prop::sample::select(vec!["2000-01-01", "1.5", "{ x = 1 }", "[[]]", "[1]"]),
    ) {
        let mut lines: Vec<String> = FULL.lines().map(str::to_owned).collect();
        let key = lines[line].split(" = ").next().unwrap_or_default().to_owned();
        lines[line] = format!("{key} = {value}");
        let message = message(&lines.join("\n"));
        prop_assert!(message.contains(&format!("configs/test.toml:{}:", line + 1)), "{}", message);
        let is_named = message.contains(&format!("bad value for `{key}`"));
        prop_assert!(is_named || (key == "env" && value == "{ x = 1 }"), "{}", message);
    }
}

/// Every candidate gets new seeds (docs/explanation/statistics.md), by the configs and the workflow
/// that are there to be copied, too.
#[test]
fn shipped_tests_draw_their_seeds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let anything = Outside {
        find_start: |_, _| Ok(()),
        ..OUTSIDE
    };
    let mut tests = 0;
    for entry in fs::read_dir(root.join("configs")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let (plan, session) = read(
            "configs/x.toml",
            &text,
            &Games::standard(),
            &Overrides::default(),
            anything,
        )
        .unwrap();
        let is_test = matches!(plan.study, StudyPlan::Sprt(_));
        tests += u32::from(is_test);
        assert_eq!(session.seed_is_given, !is_test, "{text}");
    }
    assert!(tests >= 2);
    let workflow = fs::read_to_string(root.join("docs/ci-workflow.yml")).unwrap();
    assert!(workflow.contains("--sprt") && !workflow.contains("--seed"));
}
