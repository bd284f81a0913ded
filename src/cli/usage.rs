//! The overview of the verbs, and usage errors that say what to type instead.

use std::error::Error as _;
use std::fmt::Write as _;
use std::iter;
use std::process;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Parser};

use super::elsewhere::{answer, example};
use super::exit;
use super::failure::UsageError;
use super::order;
use super::output::{choose, is_json, print, report, say};
use super::terms::HAS_WORKERS;
use arena_games::Games;
use arena_process::guard;
use arena_section::screen::Screen;
use arena_section::text::command_line;

#[cfg(test)]
mod tests;

/// The verbs of the overview, in groups.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Play", &["init", "check", "duel", "run", "pool", "tune"]),
    ("Look at a run", &["report", "replay", "verify", "import"]),
    ("Calculate", &["rate", "elo", "sprt"]),
    ("Other", &["list", "doctor", "worker", HELP]),
];

/// The verb that clap adds.
const HELP: &str = "help";

/// Verbs that take bots in quotes.
const TAKE_BOTS: [&str; 3] = ["check", "duel", "tune"];

/// An example of each verb, for its long help. `tests/it/docs/commands.rs` runs them in this order.
const VERB_EXAMPLES: [&str; 21] = [
    "arena init mine --game onitama --language python",
    "arena check onitama mine/bot.py",
    "arena duel onitama old=\"arena bot onitama-random\" new=\"arena bot onitama-greedy\"",
    "arena run configs/onitama.toml --games 20 --out results/mine",
    "arena pool new onitama",
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
pub(super) fn parsed<C: Parser>() -> C {
    let typed = order::typed();
    // What follows `--` belongs to a bot.
    let words = typed.iter().take_while(|word| *word != "--");
    let given = |names: &[&str]| words.clone().any(|word| names.contains(&word.as_str()));
    choose(given(&["--json"]), given(&["--quiet", "-q"]));
    let words = iter::once("arena".into()).chain(guard::arguments());
    let parsed = with_examples(C::command())
        .try_get_matches_from(words)
        .and_then(|matches| C::from_arg_matches(&matches))
        .unwrap_or_else(|error| {
            let usage = Usage::new(C::command(), typed.clone());
            process::exit(usage.end(&error).into())
        });
    if let Err(failure) = order::check_runs(&typed) {
        process::exit(report(failure, &help_of_verb(C::command())).into());
    }
    parsed
}

/// The command that explains the verb of this process: what to type if an error names nothing
/// better.
pub(super) fn help_of_verb(command: Command) -> String {
    help(Usage::new(command, order::typed()).verb())
}

/// What was typed, and what may be.
struct Usage {
    command: Command,
    words: Vec<String>,
}

impl Usage {
    fn new(command: Command, words: Vec<String>) -> Usage {
        Usage {
            command: with_examples(command),
            words,
        }
    }

    /// Prints what clap says about the arguments, and returns the exit status.
    fn end(&self, error: &clap::Error) -> u8 {
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !is_json() {
            say(error.render().to_string().trim_end());
            return exit::USAGE;
        }
        if error.use_stderr() {
            return report(
                UsageError::Parsed(self.said(error)).into(),
                &help(self.verb()),
            );
        }
        let text = error.render();
        let text = if Screen::stdout().has_colours {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        print(text).unwrap_or_else(|failure| report(failure, &help(self.verb())))
    }

    /// Says what is wrong with the arguments, and what to type if that isn't the help of the verb.
    fn said(&self, error: &clap::Error) -> String {
        let option = option(error, ContextKind::InvalidArg);
        match error.kind() {
            ErrorKind::UnknownArgument => self.unknown_argument(error, option),
            ErrorKind::ValueValidation => self.wrong_value(error, option),
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
            ErrorKind::InvalidSubcommand => self.unknown_verb(error),
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                format!(
                    "can't tell what to do: no command is given\nhint: {}",
                    help(self.verb())
                )
            }
            _ => self
                .without_game()
                .unwrap_or_else(|| in_our_form(&error.render().to_string())),
        }
    }

    fn unknown_verb(&self, error: &clap::Error) -> String {
        let typed = context(error, ContextKind::InvalidSubcommand);
        let verb = typed.to_lowercase();
        let hint = if self.command.find_subcommand(&verb).is_some() {
            format!("arena {verb}")
        } else if let Some(answer) = answer("", &verb) {
            answer.to_owned()
        } else {
            match context(error, ContextKind::SuggestedSubcommand) {
                "" => help(""),
                meant => format!("arena {meant}"),
            }
        };
        format!("there is no command `{typed}`\nhint: {hint}")
    }

    /// What to say if a verb lacks an argument because its first one isn't a game.
    fn without_game(&self) -> Option<String> {
        let words = iter::once("arena").chain(self.words.iter().map(String::as_str));
        let command = self.command.clone().ignore_errors(true);
        let matches = command.try_get_matches_from(words).ok()?;
        let (verb, matches) = matches.subcommand()?;
        let game: &String = matches.try_get_one("game").ok()??;
        let is_one_bot = verb == "duel" && !matches.contains_id("bots");
        let games = Games::standard();
        if is_one_bot || !order::lacks_game(game, &games) {
            return None;
        }
        Some(order::without_game(game, &games).to_string())
    }

    fn unknown_argument(&self, error: &clap::Error, option: &str) -> String {
        let verb = self.verb();
        let Some(letter) = option.strip_prefix('-') else {
            let hint = self
                .counts()
                .or_else(|| self.quoted_bot())
                .unwrap_or_else(|| suggested(error, verb));
            let argument = context(error, ContextKind::InvalidArg);
            return format!("can't use {argument}: nothing more is expected\nhint: {hint}");
        };
        // Other programs write long options with one dash, which clap takes for several short ones.
        let typed = self
            .words
            .iter()
            .map(|word| word.split('=').next().unwrap_or_default())
            .find(|word| {
                let letters = word.strip_prefix('-').unwrap_or_default();
                !letters.starts_with('-') && letters.contains(letter)
            })
            .unwrap_or(option);
        let name = typed.trim_start_matches('-').to_lowercase();
        let name = match name.len() {
            1 => format!("-{name}"),
            _ => format!("--{}", name.replace('_', "-")),
        };
        let hint = match answer(verb, &name) {
            _ if self.has_option(verb, &name) => example(&name).unwrap_or(&name).to_owned(),
            Some(answer) if !answer.starts_with('-') || self.has_option(verb, answer) => {
                answer.to_owned()
            }
            Some(answer) if verb.is_empty() => format!("arena duel GAME OLD NEW {answer}"),
            _ => self.quoted_bot().unwrap_or_else(|| suggested(error, verb)),
        };
        format!("can't use {typed}: there is no such option\nhint: {hint}")
    }

    /// Whether a verb has the option that a text begins with.
    fn has_option(&self, verb: &str, text: &str) -> bool {
        let name = text.split(' ').next().unwrap_or_default();
        let verb = self.command.find_subcommand(verb).unwrap_or(&self.command);
        // The options of the program are those of every verb.
        verb.get_opts()
            .chain(self.command.get_opts())
            .any(|option| option.get_long() == name.strip_prefix("--"))
    }

    /// Three or five numbers of a calculator, as the option that takes them.
    fn counts(&self) -> Option<String> {
        let mut numbers = self.words.clone();
        numbers.retain(|word| word.parse::<u64>().is_ok());
        match (self.verb(), numbers.len()) {
            ("elo" | "sprt", 3) => Some(format!("--wdl {}", numbers.join(","))),
            ("sprt", 5) => Some(format!("--penta {}", numbers.join(","))),
            _ => None,
        }
    }

    /// `arena check GAME BOT` with the words of one bot in quotes.
    fn quoted_bot(&self) -> Option<String> {
        let (game, bot) = self
            .words
            .strip_prefix(&["check".to_owned()])?
            .split_first()?;
        let is_own = |word: &String| self.has_option("check", word);
        let (bot, options) = bot.split_at(bot.iter().position(is_own).unwrap_or(bot.len()));
        let [bot] = &order::quoted(bot)[..] else {
            return None;
        };
        let words = ["arena", "check", game, bot].map(str::to_owned);
        Some(command_line(&[&words, options].concat()))
    }

    fn wrong_value(&self, error: &clap::Error, option: &str) -> String {
        let value = context(error, ContextKind::InvalidValue);
        let why = error.source().map(ToString::to_string).unwrap_or_default();
        let typed = if option.starts_with('-') {
            format!("{option} {value}")
        } else {
            let name = option.trim_matches(['<', '>', '[', ']', '.']);
            format!("{value} as {name}")
        };
        let mut said = format!("can't use {typed}: {why}");
        let hint = match self.counts() {
            Some(counts) if counts.starts_with(option) => Some(counts),
            _ => example(option).map(str::to_owned),
        };
        if let Some(hint) = hint
            && !said.contains("\nhint:")
        {
            said.extend(["\nhint: ", &hint]);
        }
        said
    }

    /// The verb among the words, or nothing.
    fn verb(&self) -> &str {
        self.words
            .iter()
            .find(|word| self.command.find_subcommand(word).is_some())
            .map_or("", String::as_str)
    }
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
    context(error, kind).split([' ', '=']).next().unwrap_or("")
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

/// Adds an example to each verb, and shows the verbs in groups, which clap can't do by itself.
fn with_examples(command: Command) -> Command {
    let styles = command.get_styles().clone();
    let (header, literal) = (styles.get_header(), styles.get_literal());
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
