use clap::{Arg, CommandFactory as _};

use super::*;
use crate::cli::Cli;
use crate::cli::elsewhere::{TABLE, rows};

fn command() -> Command {
    Usage::new(Cli::command(), Vec::new()).command
}

#[test]
fn the_command_line_is_consistent() {
    command().debug_assert();
}

#[test]
fn each_visible_verb_has_one_group_and_fits_into_a_window() {
    let mut grouped = GROUPS.map(|(_, verbs)| verbs).concat();
    assert!(grouped.len() <= 18, "{grouped:?}");
    grouped.retain(|verb| HAS_WORKERS || *verb != "worker");
    let mut visible = vec![HELP];
    let command = command();
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        visible.push(verb.get_name());
        let about = verb.get_about().unwrap().to_string();
        assert!(about.len() < 66, "{about}");
    }
    grouped.sort_unstable();
    visible.sort_unstable();
    assert_eq!(grouped, visible);
}

#[test]
fn every_verb_has_an_example_that_can_be_parsed() {
    let command = command();
    let verbs = command.get_subcommands().map(Command::get_name);
    let mut verbs: Vec<&str> = verbs.collect();
    for example in VERB_EXAMPLES {
        let words = shlex::split(example).unwrap();
        verbs.retain(|verb| *verb != words[1]);
        let parsed = self::command().try_get_matches_from(words);
        assert!(parsed.is_ok(), "{example}");
    }
    assert!(verbs.is_empty(), "{verbs:?}");
}

#[test]
fn short_help_is_short() {
    for verb in command().get_subcommands() {
        for arg in verb.get_arguments() {
            let help = arg.get_help().unwrap().to_string();
            let words = help.split_whitespace().count();
            assert!(words <= 12, "{} {}: {help}", verb.get_name(), arg.get_id());
        }
    }
}

/// What is said about a command line that can't be parsed.
fn refused(line: &str) -> String {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let error = command().try_get_matches_from(&words).unwrap_err();
    Usage::new(Cli::command(), words[1..].to_vec()).said(&error)
}

/// Command lines, each with what is wrong and what to type.
const WRONG: &str = r#"
arena duel onitama a b --games -5
    can't use --games -5: expected an integer from 1 to 1000000000
    hint: --games 200
arena duel onitama a b --sprt 10,0
    can't use --sprt 10,0: ELO0 must be below ELO1
    hint: --sprt 0,10
arena replay x -1
    can't use -1 as GAME: expected the number of a game, from 0
    hint: `arena replay RUN` lists the games
arena duel onitama a b --set turn_ms
    can't use --set turn_ms: expected KEY=VALUE, as in clock.turn_ms=100
    hint: --set clock.turn_ms=100
arena duel onitama a b --games 20 --sprt 0,10
    can't use --games together with --sprt
    hint: --sprt 0,10,max_units=N limits a test; a unit is two games of two bots
arena duel onitama a b --precision 5 --sprt 0,10
    can't use --precision together with --sprt
    hint: leave one of them out
arena duel onitama a b --gmaes 5
    can't use --gmaes: there is no such option
    hint: --games
arena duel onitama a b --depth 3
    can't use --depth: there is no such option
    hint: a bot with its options is one word in quotes, as in "./bot --depth 3"
arena rate results --turn-ms 5
    can't use --turn-ms: there is no such option
    hint: arena rate --help
arena elo results more
    can't use more: nothing more is expected
    hint: arena elo --help
arena merge one two --out both
    there is no command `merge`
    hint: arena rate RUN RUN ..
arena run --slice 1/2
    can't use --slice: there is no such option
    hint: arena rate RUN RUN ..
arena elo --penta 1,2,3,4,5
    can't use --penta: there is no such option
    hint: arena elo --wdl W,D,L
arena elo --values=0,1 --counts 2,3
    can't use --values: there is no such option
    hint: arena elo --wdl W,D,L
arena play onitama a b
    there is no command `play`
    hint: `arena duel GAME OLD NEW`, or `arena run CONFIG`
arena Test onitama bot.py
    there is no command `Test`
    hint: arena check GAME BOT
arena duel onitama a b -rounds 20 -repeat
    can't use -rounds: there is no such option
    hint: --games 200
arena duel onitama a b -games 20
    can't use -games: there is no such option
    hint: --games 200
arena duel onitama a b --TC 10+0.1
    can't use --TC: there is no such option
    hint: --set clock.turn_ms=100
arena tune onitama a --rounds 20
    can't use --rounds: there is no such option
    hint: --units 4000
arena duel onitama a b -v
    can't use -v: there is no such option
    hint: --verbose
arena -v
    can't use -v: there is no such option
    hint: arena --version
arena --threads 4
    can't use --threads: there is no such option
    hint: arena duel GAME OLD NEW --jobs 2
arena -x
    can't use -x: there is no such option
    hint: arena --help
arena check onitama python3 bot.py --depth 3 --seeds 1
    can't use bot.py: nothing more is expected
    hint: arena check onitama 'python3 bot.py --depth 3' --seeds 1
arena check onitama ./bot --depth 3
    can't use --depth: there is no such option
    hint: arena check onitama './bot --depth 3'
arena elo 10 2 3
    can't use 2: nothing more is expected
    hint: --wdl 10,2,3
arena elo --wdl 10 2 3
    can't use --wdl 10: expected 3 integers from 0 with commas between
    hint: --wdl 10,2,3
arena sprt 30 80 402 180 69
    can't use 80: nothing more is expected
    hint: --penta 30,80,402,180,69
arena run --workers 4
    can't use --workers 4: expected an address
    hint: --jobs 4
arena chekc
    there is no command `chekc`
    hint: arena check
arena watch results/mine
    there is no command `watch`
    hint: arena report RUN --follow
"#;

#[test]
fn wrong_values_say_what_is_expected_and_what_to_type() {
    for row in WRONG.split("\narena ").skip(1) {
        let [line, expected @ ..] = &row.lines().map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("expected a command: {row}");
        };
        assert_eq!(refused(&format!("arena {line}")), expected.join("\n"));
    }
}

/// The words of the command lines of other programs, from their documentation.
const OTHERS: [(&str, &str); 9] = [
    (
        "fastchess",
        "-quick -event -site -config -concurrency --compliance -crc32 -force-concurrency -rounds -games -variant -tournament -seeds -repeat -recover -show-latency -testEnv -draw -resign -maxmoves -tb -tbpieces -tbignore50 -tbadjudicate -openings -output -pgnout -epdout -wait -noswap -reverse -ratinginterval -scoreinterval -autosaveinterval -srand -log -use-affinity -report -version -each -engine",
    ),
    (
        "cutechess-cli",
        "-engine -each -variant -concurrency -draw -resign -maxmoves -tb -tournament -event -games -rounds -ratinginterval -outcomeinterval -debug -openings -bookmode -pgnout -epdout -recover -repeat -noswap -reverse -seeds -site -srand -wait -version --engines --protocols --variants -fcp -scp -both",
    ),
    ("cg-brutaltester", "-r -p1 -p2 -p3 -p4 -t -n -l -s -i -o -v"),
    ("psyleague", "config c r b show s info i"),
    ("psyleague bot", "bot+add bot+update bot+stop bot+remove"),
    ("psyleague run", "run+-g run+--workers run+-w run+-s run+-v"),
    ("cgarena", "new server wipe-old-matches"),
    (
        "any",
        "play match test compare fight tournament build add show stop ladder league gauntlet watch merge results stats leaderboard create config optimize",
    ),
    (
        "any option",
        "--threads --timeout --book --elo0 --movetime --tc --st --time --name --referee",
    ),
];

#[test]
fn each_word_of_other_programs_has_an_answer() {
    for (program, words) in OTHERS {
        for word in words.split(' ') {
            let line = format!("arena {}", word.replace('+', " "));
            let words: Vec<&str> = line.split(' ').collect();
            let answer = match words[..] {
                // The sample bots read their own command line.
                [_, "bot", word] => answer("bot", word).unwrap().to_owned(),
                [_, "run", "--workers"] => refused("arena run --workers 4"),
                _ => refused(&line),
            };
            let (_, hint) = answer.rsplit_once("hint: ").unwrap_or(("", &answer));
            assert!(!hint.ends_with("--help"), "{program}: {line}: {hint}");
            let typed = words[words.len() - 1];
            assert!(!hint.split(' ').any(|word| word == typed), "{line}: {hint}");
            assert_exists(hint);
        }
    }
}

/// Whether a hint names a command or an option that can be parsed.
fn assert_exists(hint: &str) {
    let quoted = hint.split('`').skip(1).step_by(2);
    let quoted: Vec<&str> = quoted.collect();
    let named = if quoted.is_empty() {
        vec![hint]
    } else {
        quoted
    };
    for line in named {
        let line = line.replace("W,D,L", "1,2,3");
        let line = match line.split(' ').next() {
            Some("arena") => line,
            _ if line.starts_with("--seeds") => format!("arena check g b {line}"),
            _ if line.starts_with("--units") => format!("arena tune g b {line}"),
            _ if line.starts_with("--idle") => format!("arena worker u {line}"),
            _ => format!("arena duel g a b {line}"),
        };
        let parsed = command().try_get_matches_from(shlex::split(&line).unwrap());
        let is_help = |error: &clap::Error| !error.use_stderr();
        let parsed = parsed
            .map(drop)
            .or_else(|error| if is_help(&error) { Ok(()) } else { Err(error) });
        assert!(parsed.is_ok(), "{hint}: {line}: {parsed:?}");
    }
}

#[test]
fn each_answer_for_words_of_other_programs_exists() {
    for (answer, words) in rows(TABLE) {
        assert!(!words.is_empty());
        assert_exists(answer);
    }
}

#[test]
fn what_needs_workers_is_hidden_without_them() {
    let mut command = command();
    let overview = command.render_help().to_string();
    assert_eq!(overview.contains("\n  worker "), HAS_WORKERS);
    for verb in ["run", "duel", "tune"] {
        let mut verb = command.find_subcommand(verb).unwrap().clone();
        let help = verb.render_long_help().to_string();
        assert_eq!(help.contains("--workers"), HAS_WORKERS, "{help}");
    }
    // They are still understood, for an error that says how to get them.
    let words = ["arena", "run", "--workers", "nats://lab1:4222"];
    assert!(command.try_get_matches_from(words).is_ok());
}

#[test]
fn a_duel_has_few_options_and_shows_the_ten_most_used() {
    let command = command();
    let mut duel = command.find_subcommand("duel").unwrap().clone();
    let options = duel.get_opts().filter(|option| !option.is_hide_set());
    let options: Vec<&str> = options.filter_map(Arg::get_long).collect();
    // `--color` and `--help` belong to every verb.
    assert!(options.len() <= 18, "{options:?}");
    duel = duel.term_width(80);
    let help = duel.render_help().to_string();
    assert!(help.lines().count() <= 24, "{help}");
    assert!(
        help.lines().all(|line| line.chars().count() <= 80),
        "{help}"
    );
    // Ten, `--color` and `--help`, each on one line.
    let (_, shown) = help.split_once("Options:\n").unwrap();
    assert!(shown.lines().count() <= 12, "{help}");
    let is_option = |line: &str| line.trim_start().starts_with('-');
    assert!(shown.lines().all(is_option), "{help}");
}
