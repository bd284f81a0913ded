//! The overview of the verbs, and usage errors that say what to type instead.

use std::error::Error as _;
use std::fmt::Write as _;
use std::iter;
use std::process;

use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::worker::HAS_WORKERS;
use super::{Cli, Failure, exit, print, report_failure, say};
use arena_process::guard;
use arena_section::screen::Screen;

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

/// Examples of options, to show after a value that can't be used.
const EXAMPLES: [(&str, &str); 12] = [
    ("--counts", "--values 0,1/2,1 --counts 10,20,30"),
    ("--for", "--for 20m"),
    ("--games", "--games 200"),
    ("--idle", "--idle 10m"),
    ("--jobs", "--jobs 2"),
    ("--opening-plies", "--opening-plies 4"),
    ("--penta", "--penta 1,2,3,4,5"),
    ("--seed", "--seed 1"),
    ("--set", "--set clock.turn_ms=100"),
    ("--sprt", "--sprt 0,10"),
    ("--units", "--units 4000"),
    ("--wdl", "--wdl 10,5,7"),
];

/// What to type instead of verbs and options that don't exist.
const INSTEAD: [(&[&str], &str); 3] = [
    (&["merge", "run --slice"], "arena rate RUN RUN .."),
    (&["watch", "run --watch"], "arena report RUN --follow"),
    (
        &["elo --counts", "elo --penta", "elo --values"],
        "arena elo --wdl W,D,L",
    ),
];

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
    parsed.unwrap_or_else(|error| {
        let code = if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            say(error.render().to_string().trim_end());
            exit::USAGE
        } else if error.use_stderr() {
            let verb = guard::arguments().into_iter().next().unwrap_or_default();
            let said = said(&error, &verb.to_string_lossy());
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
    })
}

/// Says what is wrong with the arguments, and what to type.
fn said(error: &clap::Error, verb: &str) -> String {
    let argument = context(error, ContextKind::InvalidArg);
    let option = argument.split([' ', '=']).next().unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => unknown_argument(error, option, verb),
        ErrorKind::ValueValidation => wrong_value(error, option, verb),
        ErrorKind::ArgumentConflict => {
            let other = context(error, ContextKind::PriorArg);
            let other = other.split([' ', '=']).next().unwrap_or_default();
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
            let hint = instead(typed).unwrap_or_else(suggested);
            format!("there is no command `{typed}`\nhint: {hint}")
        }
        _ => {
            let mut said = in_our_form(&error.render().to_string());
            if !said.contains("\nhint:") {
                said.extend(["\nhint: ", &help(verb)]);
            }
            said
        }
    }
}

/// What an error of clap says of a kind, if that is one text.
fn context(error: &clap::Error, kind: ContextKind) -> &str {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text,
        Some(ContextValue::Strings(texts)) => texts.first().map_or("", String::as_str),
        _ => "",
    }
}

/// The hint for a verb or an option of a verb that doesn't exist.
fn instead(typed: &str) -> Option<String> {
    let hint = INSTEAD.iter().find(|(names, _)| names.contains(&typed));
    hint.map(|(_, hint)| (*hint).to_owned())
}

fn unknown_argument(error: &clap::Error, option: &str, verb: &str) -> String {
    let suggested = || match context(error, ContextKind::SuggestedArg) {
        "" if TAKE_BOTS.contains(&verb) => {
            "a bot with its options is one word in quotes, as in \"./bot --depth 3\"".to_owned()
        }
        "" => help(verb),
        meant => meant.to_owned(),
    };
    let hint = instead(&format!("{verb} {option}")).unwrap_or_else(suggested);
    let why = if option.starts_with('-') {
        "there is no such option"
    } else {
        "nothing more is expected"
    };
    let argument = context(error, ContextKind::InvalidArg);
    format!("can't use {argument}: {why}\nhint: {hint}")
}

fn wrong_value(error: &clap::Error, option: &str, verb: &str) -> String {
    let value = context(error, ContextKind::InvalidValue);
    let why = error.source().map(ToString::to_string).unwrap_or_default();
    let typed = if option.starts_with('-') {
        format!("{option} {value}")
    } else {
        let name = option.trim_matches(['<', '>', '[', ']', '.']);
        format!("{value} as {name}")
    };
    let mut said = format!("can't use {typed}: {why}");
    if !said.contains("\nhint:") {
        let example = EXAMPLES.iter().find(|(name, _)| *name == option);
        let hint = example.map_or_else(|| help(verb), |(_, example)| (*example).to_owned());
        said.extend(["\nhint: ", &hint]);
    }
    said
}

/// The command that explains the verb of this process: what to type if an error names nothing
/// better.
pub(super) fn help_of_verb() -> String {
    let command = Cli::command();
    let words = guard::arguments();
    let mut words = words.iter().filter_map(|word| word.to_str());
    let verb = words.find(|word| command.find_subcommand(word).is_some());
    help(verb.unwrap_or_default())
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
        said(&error, &words[1])
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
