//! The overview of the verbs, and usage errors that say what to type instead.

use std::error::Error as _;
use std::fmt::Write as _;
use std::iter;
use std::process;

use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::elsewhere::{answer, example};
use super::order;
use super::worker::HAS_WORKERS;
use super::{Cli, Failure, exit, print, report_failure, say};
use arena_games::Games;
use arena_process::guard;
use arena_section::screen::Screen;
use arena_section::text::command_line;

/// The verbs of the overview, in groups.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Play", &["init", "check", "duel", "run", "tune"]),
    ("Look at a run", &["report", "replay", "verify", "import"]),
    ("Calculate", &["rate", "elo", "sprt"]),
    ("Other", &["list", "doctor", "worker", HELP]),
];

/// The verb that clap adds.
const HELP: &str = "help";

/// Verbs that take bots in quotes.
const TAKE_BOTS: [&str; 3] = ["check", "duel", "tune"];

/// An example of each verb, for its long help. `tests/it/docs/commands.rs` runs them in this order.
const VERB_EXAMPLES: [&str; 20] = [
    "arena init mine --game onitama --language python",
    "arena check onitama mine/bot.py",
    "arena duel onitama old=\"arena bot onitama-random\" new=\"arena bot onitama-greedy\"",
    "arena run configs/onitama.toml --games 20 --out results/mine",
    "arena tune onitama \"arena bot onitama-search --depth 1 --param centre={centre=4:0..40}\" --units 64",
    "arena report results/mine --markdown summary.md",
    "arena replay results/mine 0",
    "arena verify results/mine",
    "arena import battle.json --game onitama --me Alice",
    "arena rate results/mine results/duel-onitama-1",
    "arena elo --wdl 136,111,96",
    "arena sprt --penta 30,80,402,180,69 --elo0 0 --elo1 20",
    "arena list bots",
    "arena doctor",
    "arena worker nats://lab1:4222",
    "arena bot onitama-search --depth 3",
    "arena start mine/bot.py",
    "arena perft minishogi --depth 4",
    "arena minishogi --interactive",
    "arena completions bash",
];

/// Returns the arguments of this process. Wrong usage ends it with the code 2, and --help with 0.
pub(super) fn parsed() -> Cli {
    let words = iter::once("arena".into()).chain(guard::arguments());
    let matches = command().try_get_matches_from(words);
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let parsed = parsed.unwrap_or_else(|error| {
        let code = if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            say(error.render().to_string().trim_end());
            exit::USAGE
        } else if error.use_stderr() {
            let said = said(&error, &typed());
            report_failure(Failure::usage(anyhow!(said)))
        } else {
            let text = error.render();
            let text = if Screen::stdout().has_colours() {
                text.ansi().to_string()
            } else {
                text.to_string()
            };
            print(text).unwrap_or_else(report_failure)
        };
        process::exit(code.into());
    });
    if let Err(failure) = order::check_runs(&typed()) {
        process::exit(report_failure(failure).into());
    }
    parsed
}

/// The arguments of this process.
pub(super) fn typed() -> Vec<String> {
    let words = guard::arguments().into_iter();
    words.map(|word| word.to_string_lossy().into()).collect()
}

/// Says what is wrong with the arguments, and what to type if that isn't the help of the verb.
fn said(error: &clap::Error, words: &[String]) -> String {
    let option = option(error, ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::UnknownArgument => unknown_argument(error, option, words),
        ErrorKind::ValueValidation => wrong_value(error, option, words),
        ErrorKind::ArgumentConflict => {
            let other = self::option(error, ContextKind::PriorArg);
            let hint = match (option, other) {
                ("--sprt", "--games") | ("--games", "--sprt") => {
                    "--sprt 0,10,max_units=N limits a test; a unit is two games of two bots"
                }
                _ => "leave one of them out",
            };
            format!("can't use {option} together with {other}\nhint: {hint}")
        }
        ErrorKind::InvalidSubcommand => {
            let typed = context(error, ContextKind::InvalidSubcommand);
            let suggested = || match context(error, ContextKind::SuggestedSubcommand) {
                "" => help(""),
                meant => format!("arena {meant}"),
            };
            let verb = typed.to_lowercase();
            let hint = if command().find_subcommand(&verb).is_some() {
                format!("arena {verb}")
            } else {
                answer("", &verb).map_or_else(suggested, str::to_owned)
            };
            format!("there is no command `{typed}`\nhint: {hint}")
        }
        _ => without_game(words).unwrap_or_else(|| in_our_form(&error.render().to_string())),
    }
}

/// What to say if a verb lacks an argument because its first one isn't a game.
fn without_game(words: &[String]) -> Option<String> {
    let words = iter::once("arena").chain(words.iter().map(String::as_str));
    let parsed = command().ignore_errors(true).try_get_matches_from(words);
    let (verb, matches) = parsed.as_ref().ok()?.subcommand()?;
    let game: &String = matches.try_get_one("game").ok()??;
    let is_one_bot = verb == "duel" && !matches.contains_id("bots");
    let games = Games::standard();
    let lacks = !is_one_bot && order::lacks_game(game, &games);
    lacks.then(|| order::without_game(game, &games).error.to_string())
}

/// What an error of clap says of a kind, if that is one text.
fn context(error: &clap::Error, kind: ContextKind) -> &str {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text,
        Some(ContextValue::Strings(texts)) => texts.first().map_or("", String::as_str),
        _ => "",
    }
}

/// The option that an error of clap names, without its value.
fn option(error: &clap::Error, kind: ContextKind) -> &str {
    let mut words = context(error, kind).split([' ', '=']);
    words.next().unwrap_or_default()
}

fn unknown_argument(error: &clap::Error, option: &str, words: &[String]) -> String {
    let verb = verb_of(words);
    let Some(letter) = option.strip_prefix('-') else {
        let hint = counts(words)
            .or_else(|| quoted_bot(words))
            .unwrap_or_else(|| suggested(error, verb));
        let argument = context(error, ContextKind::InvalidArg);
        return format!("can't use {argument}: nothing more is expected\nhint: {hint}");
    };
    // Other programs write long options with one dash, which clap takes for several short ones.
    let is_typed = |word: &&String| !word.starts_with("--") && word[1..].contains(letter);
    let mut dashed = words.iter().filter(|word| word.starts_with('-'));
    let typed = dashed.find(is_typed).map_or(option, String::as_str);
    let typed = typed.split('=').next().unwrap_or_default();
    let name = typed.trim_start_matches('-').to_lowercase();
    let name = match name.len() {
        1 => format!("-{name}"),
        _ => format!("--{}", name.replace('_', "-")),
    };
    let hint = match answer(verb, &name) {
        _ if has_option(verb, &name) => example(&name).unwrap_or(&name).to_owned(),
        Some(answer) if !answer.starts_with('-') || has_option(verb, answer) => answer.to_owned(),
        Some(answer) if verb.is_empty() => format!("arena duel GAME OLD NEW {answer}"),
        _ => quoted_bot(words).unwrap_or_else(|| suggested(error, verb)),
    };
    format!("can't use {typed}: there is no such option\nhint: {hint}")
}

/// The near miss that clap found, or how to learn more.
fn suggested(error: &clap::Error, verb: &str) -> String {
    match context(error, ContextKind::SuggestedArg) {
        "" if TAKE_BOTS.contains(&verb) => {
            "a bot with its options is one word in quotes, as in \"./bot --depth 3\"".to_owned()
        }
        "" => help(verb),
        meant => meant.to_owned(),
    }
}

/// Whether a verb has the option that a text begins with.
fn has_option(verb: &str, text: &str) -> bool {
    let name = text.split(' ').next().unwrap_or_default();
    let command = Cli::command();
    let command = command.find_subcommand(verb).unwrap_or(&command);
    let mut options = command.get_opts();
    options.any(|option| option.get_long() == name.strip_prefix("--"))
}

/// Three or five numbers of a calculator, as the option that takes them.
fn counts(words: &[String]) -> Option<String> {
    let numbers = words.iter().filter(|word| word.parse::<u64>().is_ok());
    let numbers: Vec<&str> = numbers.map(String::as_str).collect();
    match (verb_of(words), numbers.len()) {
        ("elo" | "sprt", 3) => Some(format!("--wdl {}", numbers.join(","))),
        ("sprt", 5) => Some(format!("--penta {}", numbers.join(","))),
        _ => None,
    }
}

/// `arena check GAME BOT` with the words of one bot in quotes.
fn quoted_bot(words: &[String]) -> Option<String> {
    let (game, bot) = words.strip_prefix(&["check".to_owned()])?.split_first()?;
    let is_own = |word: &String| has_option("check", word);
    let (bot, options) = bot.split_at(bot.iter().position(is_own).unwrap_or(bot.len()));
    let [bot] = &order::quoted(bot)[..] else {
        return None;
    };
    let words = ["arena", "check", game, bot].map(str::to_owned);
    Some(command_line(&[&words, options].concat()))
}

fn wrong_value(error: &clap::Error, option: &str, words: &[String]) -> String {
    let value = context(error, ContextKind::InvalidValue);
    let why = error.source().map(ToString::to_string).unwrap_or_default();
    let typed = if option.starts_with('-') {
        format!("{option} {value}")
    } else {
        let name = option.trim_matches(['<', '>', '[', ']', '.']);
        format!("{value} as {name}")
    };
    let mut said = format!("can't use {typed}: {why}");
    let counts = counts(words).filter(|counts| counts.starts_with(option));
    let hint = counts.or_else(|| example(option).map(str::to_owned));
    if let Some(hint) = hint.filter(|_| !said.contains("\nhint:")) {
        said.extend(["\nhint: ", &hint]);
    }
    said
}

/// The verb among words, or nothing.
fn verb_of(words: &[String]) -> &str {
    let command = Cli::command();
    let mut words = words.iter().map(String::as_str);
    let verb = words.find(|word| command.find_subcommand(word).is_some());
    verb.unwrap_or_default()
}

/// The command that explains the verb of this process: what to type if an error names nothing
/// better.
pub(super) fn help_of_verb() -> String {
    help(verb_of(&typed()))
}

fn help(verb: &str) -> String {
    match verb {
        "" => "arena --help".to_owned(),
        verb => format!("arena {verb} --help"),
    }
}

/// Turns a message of clap into one line, and its tips and usage into hints.
fn in_our_form(text: &str) -> String {
    let mut said = String::new();
    for part in text.trim_end().split("\n\n") {
        let part = part.trim();
        let line = part.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(error) = line.strip_prefix("error: ") {
            said.push_str(error);
        } else if let Some(tip) = line.strip_prefix("tip: ") {
            said.extend(["\nhint: ", tip]);
        } else if let Some(usage) = line.strip_prefix("Usage: ")
            && !said.contains("\nhint:")
        {
            said.extend(["\nhint: ", usage]);
        }
    }
    said
}

/// Returns the command line with an example of each verb. The verbs are in groups, which clap can't
/// show by itself.
fn command() -> Command {
    let command = Cli::command();
    let (header, literal) = {
        let styles = command.get_styles();
        (*styles.get_header(), *styles.get_literal())
    };
    let command = command.mut_subcommands(|mut verb| {
        let mut examples = VERB_EXAMPLES.iter();
        let own = Some(verb.get_name());
        if let Some(example) = examples.find(|example| example.split(' ').nth(1) == own) {
            verb = verb.after_long_help(format!("{header}Example:{header:#}\n  {example}"));
        }
        verb.mut_args(|arg| {
            let takes_number = arg.get_action().takes_values();
            arg.allow_negative_numbers(takes_number)
                .ignore_case(takes_number)
        })
    });
    let mut verbs = String::new();
    for (title, group) in GROUPS {
        let _ = writeln!(verbs, "{header}{title}:{header:#}");
        let shown = |verb: &&&str| HAS_WORKERS || **verb != "worker";
        for verb in group.iter().filter(shown) {
            let about = match command.find_subcommand(verb) {
                Some(verb) => verb.get_about().map(ToString::to_string),
                None => Some("Explain a verb".to_owned()),
            };
            let about = about.unwrap_or_default();
            let _ = writeln!(verbs, "  {literal}{verb:<9}{literal:#}  {about}");
        }
        verbs.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{verbs}{header}Options:{header:#}\n{{options}}"
    ))
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::super::elsewhere::{TABLE, rows};
    use super::*;

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
        said(&error, &words[1..])
    }

    #[test]
    fn wrong_values_say_what_is_expected_and_what_to_type() {
        for (line, expected) in [
            (
                "arena duel onitama a b --games -5",
                "can't use --games -5: expected an integer from 1 to 1000000000\nhint: --games 200",
            ),
            (
                "arena duel onitama a b --sprt 10,0",
                "can't use --sprt 10,0: ELO0 must be below ELO1\nhint: --sprt 0,10",
            ),
            (
                "arena replay x -1",
                "can't use -1 as GAME: expected the number of a game, from 0\nhint: `arena replay RUN` lists the games",
            ),
            (
                "arena duel onitama a b --set turn_ms",
                "can't use --set turn_ms: expected KEY=VALUE, as in clock.turn_ms=100\nhint: --set clock.turn_ms=100",
            ),
            (
                "arena duel onitama a b --games 20 --sprt 0,10",
                "can't use --games together with --sprt\nhint: --sprt 0,10,max_units=N limits a test; a unit is two games of two bots",
            ),
            (
                "arena duel onitama a b --precision 5 --sprt 0,10",
                "can't use --precision together with --sprt\nhint: leave one of them out",
            ),
            (
                "arena duel onitama a b --gmaes 5",
                "can't use --gmaes: there is no such option\nhint: --games",
            ),
            (
                "arena duel onitama a b --depth 3",
                "can't use --depth: there is no such option\nhint: a bot with its options is one word in quotes, as in \"./bot --depth 3\"",
            ),
            (
                "arena rate results --turn-ms 5",
                "can't use --turn-ms: there is no such option\nhint: arena rate --help",
            ),
            (
                "arena elo results more",
                "can't use more: nothing more is expected\nhint: arena elo --help",
            ),
            (
                "arena merge one two --out both",
                "there is no command `merge`\nhint: arena rate RUN RUN ..",
            ),
            (
                "arena run --slice 1/2",
                "can't use --slice: there is no such option\nhint: arena rate RUN RUN ..",
            ),
            (
                "arena elo --penta 1,2,3,4,5",
                "can't use --penta: there is no such option\nhint: arena elo --wdl W,D,L",
            ),
            (
                "arena elo --values=0,1 --counts 2,3",
                "can't use --values: there is no such option\nhint: arena elo --wdl W,D,L",
            ),
            (
                "arena play onitama a b",
                "there is no command `play`\nhint: `arena duel GAME OLD NEW`, or `arena run CONFIG`",
            ),
            (
                "arena Test onitama bot.py",
                "there is no command `Test`\nhint: arena check GAME BOT",
            ),
            (
                "arena duel onitama a b -rounds 20 -repeat",
                "can't use -rounds: there is no such option\nhint: --games 200",
            ),
            (
                "arena duel onitama a b -games 20",
                "can't use -games: there is no such option\nhint: --games 200",
            ),
            (
                "arena duel onitama a b --TC 10+0.1",
                "can't use --TC: there is no such option\nhint: --set clock.turn_ms=100",
            ),
            (
                "arena tune onitama a --rounds 20",
                "can't use --rounds: there is no such option\nhint: --units 4000",
            ),
            (
                "arena duel onitama a b -v",
                "can't use -v: there is no such option\nhint: --verbose",
            ),
            (
                "arena -v",
                "can't use -v: there is no such option\nhint: arena --version",
            ),
            (
                "arena --threads 4",
                "can't use --threads: there is no such option\nhint: arena duel GAME OLD NEW --jobs 2",
            ),
            (
                "arena -x",
                "can't use -x: there is no such option\nhint: arena --help",
            ),
            (
                "arena check onitama python3 bot.py --depth 3 --seeds 1",
                "can't use bot.py: nothing more is expected\nhint: arena check onitama 'python3 bot.py --depth 3' --seeds 1",
            ),
            (
                "arena check onitama ./bot --depth 3",
                "can't use --depth: there is no such option\nhint: arena check onitama './bot --depth 3'",
            ),
            (
                "arena elo 10 2 3",
                "can't use 2: nothing more is expected\nhint: --wdl 10,2,3",
            ),
            (
                "arena elo --wdl 10 2 3",
                "can't use --wdl 10: expected 3 integers from 0 with commas between\nhint: --wdl 10,2,3",
            ),
            (
                "arena sprt 30 80 402 180 69",
                "can't use 80: nothing more is expected\nhint: --penta 30,80,402,180,69",
            ),
            (
                "arena run --workers 4",
                "can't use --workers 4: expected an address\nhint: --jobs 4",
            ),
            (
                "arena chekc",
                "there is no command `chekc`\nhint: arena check",
            ),
            (
                "arena watch results/mine",
                "there is no command `watch`\nhint: arena report RUN --follow",
            ),
        ] {
            assert_eq!(refused(line), expected, "{line}");
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
}
