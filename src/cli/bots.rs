//! Bots on the command line: `[NAME=][VARIABLE=VALUE ..] PROGRAM [ARGUMENT ..]`.
//!
//! A first word `X=Y` names the bot, unless `X` is written in capitals, as in `DEPTH=3 ./bot`: then
//! it is a variable of the environment. A single capital letter is a name. After a name, every word
//! `X=Y` in front of the program is a variable. The default name is program and arguments,
//! shortened.

use std::env::consts::EXE_SUFFIX;
use std::fmt::Write as _;
use std::path::{Path, PathBuf, is_separator};
use std::{iter, slice};

use super::failure::{InputError, Result, UsageError};
use crate::config::{BACKSLASHES, bot_name_problem};
use crate::plan::samples;
use arena_process::languages::Languages;
use arena_process::{ESCAPES, Launch, slashed, split_command};
use arena_section::screen::shortened_apart;
use arena_section::text::harmless;

/// Maximum width of a default name. A longer command keeps what differs from those of the others.
const LONGEST: usize = 40;
/// The name of a bot whose command can't be a name.
const ANY: &str = "bot";

/// A bot as you type it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BotLine {
    /// The name, if one is given.
    pub(super) name: Option<String>,
    /// Variables of its environment.
    pub(super) env: Vec<(String, String)>,
    /// The program and its arguments. There is a program, and its name isn't empty.
    pub(super) words: Vec<String>,
}

impl BotLine {
    /// Reads a command in quotes.
    pub(super) fn split(line: &str) -> Result<BotLine> {
        let Some(words) = split_command(line) else {
            return Err(UsageError::OpenQuote(line.to_owned()).into());
        };
        BotLine::read(&words, ESCAPES && line.contains('\\'))
    }

    /// Reads a command in quotes, or its words.
    pub(super) fn of(words: &[String]) -> Result<BotLine> {
        match words {
            [line] => BotLine::split(line),
            words => BotLine::read(words, false),
        }
    }

    /// Reads the words of a command that can be started. `has_lost` says whether backslashes in it
    /// became something else.
    fn read(words: &[String], has_lost: bool) -> Result<BotLine> {
        let typed = words.join(" ");
        let Some(line) = BotLine::parse(words) else {
            return Err(UsageError::NoProgram(typed).into());
        };
        let mut place = format!("can't start `{typed}`");
        if let Some(name) = &line.name {
            let shown = harmless(name);
            if let Some(problem) = bot_name_problem(name) {
                return Err(UsageError::BotName(shown, problem).into());
            }
            place = format!("{place} as a bot called `{shown}`");
        }
        samples::find_start(&Languages::new(), &line.words).map_err(|error| {
            let why = error.context(place);
            let hint = match line.words[0].as_str() {
                _ if has_lost => BACKSLASHES.to_owned(),
                file if Path::new(file).extension() == Some("toml".as_ref()) => format!("arena run {file}"),
                _ => "a bot is a source file, or a command in quotes; `arena list bots` names sample bots".to_owned(),
            };
            InputError::CantStart(why, hint)
        })?;
        Ok(line)
    }

    /// Splits words into name, variables and program. Returns `None` if there is no program.
    pub(super) fn parse(words: &[String]) -> Option<BotLine> {
        let mut words = words.to_vec();
        let mut name = None;
        if let Some((first, program)) = assignment(words.first()?)
            && !is_variable(&first)
        {
            name = Some(first);
            words[0] = program;
        }
        let env: Vec<(String, String)> = words.iter().map_while(|word| assignment(word)).collect();
        words.drain(..env.len());
        if words.first()?.is_empty() {
            return None;
        }
        Some(BotLine { name, env, words })
    }

    pub(super) fn launch(self, name: String, read: &[PathBuf]) -> Launch {
        Launch {
            env: self.env.into_iter().collect(),
            read: read.to_vec(),
            ..Launch::new(name, self.words)
        }
    }
}

/// Whether `X` in a first word `X=Y` is the name of a variable: several capitals, digits and
/// underscores.
fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    name.len() > 1
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && letters.all(|c| matches!(c, 'A'..='Z' | '0'..='9' | '_'))
}

/// The parts of `X=Y`. A path that contains `=` is a program.
fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    (!name.contains(is_separator)).then(|| (name.to_owned(), value.to_owned()))
}

/// Reads bots and gives each a name.
pub(super) fn launches(lines: &[String], read: &[PathBuf]) -> Result<Vec<Launch>> {
    let mut bots = Vec::new();
    for line in lines {
        bots.push(BotLine::split(line)?);
    }
    let names = names(&bots);
    let launch = |(bot, name): (BotLine, String)| bot.launch(name, read);
    Ok(iter::zip(bots, names).map(launch).collect())
}

/// Gives a single bot its name.
pub(super) fn launch(line: BotLine, read: &[PathBuf]) -> Launch {
    let name = names(slice::from_ref(&line)).concat();
    line.launch(name, read)
}

/// Returns a name for each bot: the given one, or its command. All differ if the given ones do.
fn names(bots: &[BotLine]) -> Vec<String> {
    let commands = commands(bots);
    let commands: Vec<&str> = commands.iter().map(|command| command.trim()).collect();
    let fitted = shortened_apart(&commands, LONGEST);
    let mut names: Vec<String> = Vec::new();
    for (bot, fitted) in bots.iter().zip(fitted) {
        if let Some(name) = &bot.name {
            names.push(name.clone());
            continue;
        }
        let wanted = bot_name_problem(&fitted).map_or(fitted, |_| ANY.to_owned());
        let mut name = wanted.clone();
        let mut number = 1;
        while names.contains(&name) || bots.iter().any(|other| other.name.as_ref() == Some(&name)) {
            number += 1;
            name = format!("{wanted}-{number}");
        }
        names.push(name);
    }
    names
}

/// Returns the commands of bots. `old/bot` and `new/bot` keep their folders.
fn commands(bots: &[BotLine]) -> Vec<String> {
    let mut commands = Vec::new();
    for bot in bots {
        let [short, long] = [false, true].map(|with_folder| command(bot, with_folder));
        let is_ambiguous = bots
            .iter()
            .any(|other| command(other, false) == short && command(other, true) != long);
        commands.push(harmless(if is_ambiguous { &long } else { &short }));
    }
    commands
}

/// Returns the command of a bot as it is typed, without parameters in braces and their options.
fn command(bot: &BotLine, with_folder: bool) -> String {
    let start = samples::of(&bot.words).map_or(0, |_| samples::START.len());
    let mut typed: Vec<&str> = Vec::new();
    for word in bot.words.iter().skip(start) {
        if !word.contains('{') {
            typed.push(word);
        } else if !word.starts_with('-') {
            typed.pop_if(|option| option.starts_with('-'));
        }
    }
    let program = typed.first().map(|word| slashed(Path::new(word)));
    if let Some(program) = &program {
        // The same name on every system.
        let program = program.strip_suffix(EXE_SUFFIX).unwrap_or(program);
        typed[0] = match program.rsplit_once('/') {
            Some((_, name)) if !with_folder => name,
            _ => program.trim_start_matches("./"),
        };
    }
    let mut command = String::new();
    for (variable, value) in &bot.env {
        let _ = write!(command, "{variable}={value} ");
    }
    command + &typed.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows a line as `[name] VARIABLE:value program arguments`.
    fn parsed(line: &str) -> String {
        let Some(BotLine { name, env, words }) = BotLine::parse(&shlex::split(line).unwrap())
        else {
            return "no program".to_owned();
        };
        let name = name.map(|name| format!("[{name}] ")).unwrap_or_default();
        let env = env.iter().map(|(name, value)| format!("{name}:{value}"));
        name + &env.chain(words).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_and_variables_are_told_apart_by_their_letters() {
        for (line, expected) in [
            ("./bot --depth 3", "./bot --depth 3"),
            ("base=./bot", "[base] ./bot"),
            ("base=./bot --depth 3", "[base] ./bot --depth 3"),
            ("pawn-10.4=bot.py", "[pawn-10.4] bot.py"),
            ("'my bot=./bot' 1", "[my bot] ./bot 1"),
            ("DEPTH=3 ./bot", "DEPTH:3 ./bot"),
            ("DEPTH=3 w='x y' E= ./bot D=4", "DEPTH:3 w:x y E: ./bot D=4"),
            ("./x=y/bot -d 1", "./x=y/bot -d 1"),
            ("2=./bot", "[2] ./bot"),
            ("имя=./bot", "[имя] ./bot"),
            ("名前=./bot", "[名前] ./bot"),
            ("A=python3 bot.py", "[A] python3 bot.py"),
            ("Ж-2=python3 bot.py", "[Ж-2] python3 bot.py"),
            ("base=python3 bot.py", "[base] python3 bot.py"),
            ("new=DEPTH=3 ./bot", "[new] DEPTH:3 ./bot"),
            ("new=DEPTH=3 W=true ./bot", "[new] DEPTH:3 W:true ./bot"),
            ("new=OPTIONS=a=b ./bot", "[new] OPTIONS:a=b ./bot"),
            ("new=env A=1 ./bot", "[new] env A=1 ./bot"),
            ("new=a.b=1 ./bot", "[new] a.b:1 ./bot"),
            ("DEBUG=true ./bot", "DEBUG:true ./bot"),
            ("OPTIONS=a=b ./bot", "OPTIONS:a=b ./bot"),
            ("=./bot", "[] ./bot"),
            ("v1/2=./bot", "v1/2=./bot"),
            ("", "no program"),
            ("''", "no program"),
            ("A=", "no program"),
            ("A= ''", "no program"),
            ("BASE=./bot", "no program"),
        ] {
            assert_eq!(parsed(line), expected, "{line}");
        }
    }

    /// The names of bots; one in front of a comma is given.
    fn named(lines: &[&str]) -> Vec<String> {
        let line = |line: &&str| {
            let (name, line) = line
                .split_once(", ")
                .map_or((None, *line), |(name, line)| (Some(name.to_owned()), line));
            let words = shlex::split(line).unwrap_or_default();
            let is_variable = |word: &&String| word.contains('=') && !word.starts_with('-');
            let variables: Vec<&String> = words.iter().take_while(is_variable).collect();
            let env = variables.iter().filter_map(|word| word.split_once('='));
            let env: Vec<(String, String)> = env
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            BotLine {
                name,
                words: words[env.len()..].to_vec(),
                env,
            }
        };
        names(&lines.iter().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_is_the_command() {
        let cases: &[(&[&str], &[&str])] = &[
            (&["./bot", "./bot --pawn 104"], &["bot", "bot --pawn 104"]),
            (
                &["./bot --pawn 100 -d 2", "./bot -d 2 --pawn=104"],
                &["bot --pawn 100 -d 2", "bot -d 2 --pawn=104"],
            ),
            (&["./bot --nn 'a b'"], &["bot --nn a b"]),
            (&["./bot 2", "./bot 4"], &["bot 2", "bot 4"]),
            (&["D=1 ./bot", "D=2 ./bot"], &["D=1 bot", "D=2 bot"]),
            (&["v1.cpp", "bots/v1.py"], &["v1.cpp", "v1.py"]),
            (&["target/release/bot --depth 3"], &["bot --depth 3"]),
            (&["python3 -u bots/bot.py"], &["python3 -u bots/bot.py"]),
            (
                &["arena bot x-search --depth 1", "arena bot x-greedy"],
                &["x-search --depth 1", "x-greedy"],
            ),
            // Parameters in braces have no value yet.
            (
                &["./bot -v --depth={depth} --param {x}", "./bot -s {seed}"],
                &["bot -v", "bot"],
            ),
            // Only folders differ.
            (&["old/bot", "new/bot"], &["old/bot", "new/bot"]),
            (&["./bot", "x/bot", "y"], &["bot", "x/bot", "y"]),
            // Nothing differs.
            (&["./bot", "bot", "./bot"], &["bot", "bot-2", "bot-3"]),
            (&["a/bot", "a/bot"], &["bot", "bot-2"]),
            (&["bot", "bot", "bot-2"], &["bot", "bot-2", "bot-2-2"]),
            // Given names.
            (&["old, ./bot", "./bot 1"], &["old", "bot 1"]),
            (&["./bot", "bot, ./bot 1"], &["bot-2", "bot"]),
            // Impossible names are escaped or replaced.
            (
                &["./bot 'a\nb'", "./bot 'a\nb'"],
                &["bot a\\nb", "bot a\\nb-2"],
            ),
            (&["./' '", "/"], &["bot", "bot-2"]),
        ];
        for (lines, expected) in cases {
            assert_eq!(named(lines), *expected, "{lines:?}");
        }
    }

    #[test]
    fn a_long_name_keeps_what_differs() {
        let many = "x".repeat(50);
        let long = |weight: char, depth: u32| {
            format!("./bot --weights {many}{weight}{many} --depth {depth}")
        };
        let of = |bots: [String; 2]| named(&bots.each_ref().map(String::as_str));
        let ends = |depth: u32| format!("bot --weights xxxxxx…xxxxxxxxx --depth {depth}");
        assert_eq!(of([long('x', 3), long('x', 4)]), [3, 4].map(ends));
        let middle = |weight: char| format!("…{}{weight}{}…", &many[..10], &many[..27]);
        assert_eq!(of([long('a', 3), long('b', 3)]), ['a', 'b'].map(middle));
    }
}
