//! Bots on the command line: `[NAME=][VARIABLE=VALUE ..] PROGRAM [ARGUMENT ..]`.
//!
//! A first word `X=Y` names the bot, unless `X` is written in capitals, as in `DEPTH=3 ./bot`: then
//! it is a variable of the environment. A single capital letter is a name. After a name, every word
//! `X=Y` in front of the program is a variable.

use std::path::{Path, PathBuf};

use super::failure::{InputError, Result, UsageError};
use crate::config::{BACKSLASHES, bot_name_problem};
use crate::plan::samples;
use arena_process::Launch;
use arena_process::languages::Languages;
use arena_section::text::harmless;

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
        let Some(words) = shlex::split(line) else {
            return Err(UsageError::OpenQuote(line.to_owned()).into());
        };
        BotLine::read(&words, line.contains('\\'))
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
            let hint = match &line.name {
                _ if has_lost => BACKSLASHES.to_owned(),
                Some(name) if name.len() == 1 => format!(
                    "`{name}=` names the bot; to set a variable, give a name first, as in \"bot={typed}\""
                ),
                _ if Path::new(&line.words[0]).extension() == Some("toml".as_ref()) => format!("arena run {}", line.words[0]),
                _ => "a bot is a source file, or a command in quotes; `arena list bots` names sample bots".to_owned(),
            };
            InputError::CantStart(why, hint)
        })?;
        Ok(line)
    }

    /// Splits words into name, variables and program. Returns `None` if there is no program.
    fn parse(words: &[String]) -> Option<BotLine> {
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
            name,
            command: self.words,
            env: self.env.into_iter().collect(),
            read: read.to_vec(),
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
    (!name.contains('/')).then(|| (name.to_owned(), value.to_owned()))
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
}
