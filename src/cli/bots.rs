//! Bots on the command line: `[NAME=][VARIABLE=VALUE ..] PROGRAM [ARGUMENT ..]`.
//!
//! A first word `X=Y` is a name if `Y` begins a command that can be started, and a variable if the words behind it do. Where
//! both do, as in `base=python3 bot.py`, it is a name, but never one in capitals, as in `DEBUG=true ./bot`: those are usual for
//! variables of more than one letter.

use std::path::PathBuf;
use std::slice;

use anyhow::anyhow;

use super::Failure;
use super::names::names;
use crate::config::bot_name_problem;
use crate::plan::samples;
use crate::section::text::harmless;
use arena_process::Launch;
use arena_process::languages::Languages;

/// How a bot is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BotLine {
    /// The name that it is given.
    pub(super) name: Option<String>,
    /// Variables of its environment.
    pub(super) env: Vec<(String, String)>,
    /// Its program and the arguments. One word at least, which is not empty.
    pub(super) words: Vec<String>,
}

/// Why these words cannot be started, if they cannot.
type Find<'f> = &'f dyn Fn(&[String]) -> anyhow::Result<()>;

impl BotLine {
    /// Reads one string, which is split as a shell would.
    pub(super) fn split(line: &str) -> Result<BotLine, Failure> {
        let Some(words) = shlex::split(line) else {
            return Err(Failure::usage(anyhow!(
                "the command `{line}` ends in an open quote or a backslash"
            )));
        };
        BotLine::read(&words)
    }

    /// Reads one string that has to be split, or the words.
    pub(super) fn of(words: &[String]) -> Result<BotLine, Failure> {
        match words {
            [line] => BotLine::split(line),
            words => BotLine::read(words),
        }
    }

    /// Reads words that are split already. What cannot be started is refused.
    fn read(words: &[String]) -> Result<BotLine, Failure> {
        let line = BotLine::chosen(words, &|words| {
            samples::find_start(&Languages::new(), words)
        })?;
        if let Some(name) = &line.name
            && let Some(problem) = bot_name_problem(name)
        {
            let name = harmless(name);
            return Err(Failure::usage(anyhow!(
                "`{name}` cannot name a bot: {problem}"
            )));
        }
        Ok(line)
    }

    /// The reading of the words that can be started.
    fn chosen(words: &[String], find: Find<'_>) -> Result<BotLine, Failure> {
        let line = words.join(" ");
        let plain = BotLine::behind_variables(None, words);
        let (named, plain) = match (BotLine::named(words), plain) {
            (Some(named), Some(plain)) => (named, plain),
            (Some(only), None) | (None, Some(only)) => {
                let Err(error) = find(&only.words) else {
                    return Ok(only);
                };
                let error = match only.words[0].split_once('=') {
                    Some(("", _)) => anyhow!("a name in front of `=` cannot be empty"),
                    Some(_) => anyhow!("{error:#}; a name in front of `=` cannot contain `/`"),
                    None => error,
                };
                return Err(Failure::input(error.context(format!("start `{line}`"))));
            }
            (None, None) => {
                return Err(Failure::usage(anyhow!(
                    "the command `{line}` has no program: write one as in \"./bot --depth 3\""
                )));
            }
        };
        let name = named.name.clone().unwrap_or_default();
        match (find(&named.words), find(&plain.words)) {
            (Ok(()), Ok(())) if is_like_variable(&name) => Err(Failure::usage(anyhow!(
                "`{line}` can be a bot called `{name}` or one with the variable `{name}`: \
                 write a name in front, as in \"bot={line}\", or the name `{name}` in small letters"
            ))),
            (Ok(()), _) => Ok(named),
            (Err(_), Ok(())) => Ok(plain),
            (Err(as_name), Err(as_variable)) => Err(Failure::input(anyhow!(
                "start `{line}`: with `{name}` as the bot's name, {as_name:#}; with `{name}` as a variable, {as_variable:#}"
            ))),
        }
    }

    fn launch(self, name: String, read: &[PathBuf]) -> Launch {
        Launch {
            name,
            command: self.words,
            env: self.env.into_iter().collect(),
            read: read.to_vec(),
        }
    }

    /// The words, if the first one begins with a name.
    fn named(words: &[String]) -> Option<BotLine> {
        let (name, program) = assignment(words.first()?)?;
        BotLine::behind_variables(Some(name), &[&[program], &words[1..]].concat())
    }

    /// The words without a name: variables, then a program.
    fn behind_variables(name: Option<String>, words: &[String]) -> Option<BotLine> {
        let env: Vec<(String, String)> = words.iter().map_while(|word| assignment(word)).collect();
        let words = words[env.len()..].to_vec();
        match words.first()?.as_str() {
            "" => None,
            _ => Some(BotLine { name, env, words }),
        }
    }
}

/// Whether a name is written as those of variables usually are.
fn is_like_variable(name: &str) -> bool {
    name.len() > 1
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name
            .chars()
            .all(|c| matches!(c, 'A'..='Z' | '0'..='9' | '_'))
}

/// The parts of `X=Y`. A path with this sign in it is a program.
fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    (!name.is_empty() && !name.contains('/')).then(|| (name.to_owned(), value.to_owned()))
}

/// The bots, all of different names.
pub(super) fn launches(lines: &[String], read: &[PathBuf]) -> Result<Vec<Launch>, Failure> {
    let lines = lines.iter().map(|line| BotLine::split(line));
    let lines: Vec<BotLine> = lines.collect::<Result<_, _>>()?;
    let names = names(&lines);
    let mut launches: Vec<Launch> = Vec::new();
    for (name, line) in names.into_iter().zip(lines) {
        if launches.iter().any(|other| other.name == name) {
            return Err(Failure::usage(anyhow!(
                "two bots are called `{name}`: give each a name of its own"
            )));
        }
        launches.push(line.launch(name, read));
    }
    Ok(launches)
}

/// One bot alone.
pub(super) fn launch(line: BotLine, read: &[PathBuf]) -> Launch {
    let name = names(slice::from_ref(&line)).concat();
    line.launch(name, read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(words: &[String]) -> anyhow::Result<()> {
        match &*words[0] {
            "python3" | "true" | "env" | "bot.py" | "./bot" | "./wrap" | "./x=y/bot" => Ok(()),
            unknown => Err(anyhow!("find the program `{unknown}`")),
        }
    }

    /// What is made of a line where a few programs are known.
    fn read(line: &str) -> String {
        match shlex::split(line).map(|words| BotLine::chosen(&words, &find)) {
            None => "open quote".to_owned(),
            Some(Err(failure)) => format!("{}: {:#}", failure.code, failure.error),
            Some(Ok(BotLine { name, env, words })) => {
                let name = name.map(|name| format!("[{name}] ")).unwrap_or_default();
                let env = env.iter().map(|(name, value)| format!("{name}:{value}"));
                name + &env.chain(words).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn names_and_variables_are_told_apart_by_what_can_be_started() {
        for (line, expected) in [
            ("./bot --depth 3", "./bot --depth 3"),
            ("base=./bot", "[base] ./bot"),
            ("base=./bot --depth 3", "[base] ./bot --depth 3"),
            ("BASE=./bot --depth 3", "[BASE] ./bot --depth 3"),
            ("pawn-10.4=bot.py", "[pawn-10.4] bot.py"),
            ("'my bot=./bot' 1", "[my bot] ./bot 1"),
            ("DEPTH=3 ./bot", "DEPTH:3 ./bot"),
            ("depth=3 w='x y' E= ./bot D=4", "depth:3 w:x y E: ./bot D=4"),
            ("./x=y/bot -d 1", "./x=y/bot -d 1"),
            ("2=./bot", "[2] ./bot"),
            ("имя=./bot", "[имя] ./bot"),
            ("名前=./bot", "[名前] ./bot"),
            // Both could be.
            ("A=python3 bot.py", "[A] python3 bot.py"),
            ("2=python3 bot.py", "[2] python3 bot.py"),
            ("名前=python3 bot.py", "[名前] python3 bot.py"),
            ("Ж-2=python3 bot.py", "[Ж-2] python3 bot.py"),
            ("base=python3 bot.py", "[base] python3 bot.py"),
            ("v2=./wrap ./bot", "[v2] ./wrap ./bot"),
            ("new=DEPTH=3 ./bot", "[new] DEPTH:3 ./bot"),
            ("new=DEPTH=3 W=true ./bot", "[new] DEPTH:3 W:true ./bot"),
            ("new=OPTIONS=a=b ./bot", "[new] OPTIONS:a=b ./bot"),
            ("new=env A=1 ./bot", "[new] env A=1 ./bot"),
            ("new=a.b=1 ./bot", "[new] a.b:1 ./bot"),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }

    #[test]
    fn what_can_be_read_in_no_way_or_in_two_is_refused() {
        let two = "write a name in front, as in \"bot=";
        for (line, code, said) in [
            ("", 2, "has no program"),
            ("''", 2, "has no program"),
            ("A=", 2, "has no program"),
            ("A=1 ''", 3, "start `A=1 `: find the program `1`"),
            ("A=1", 3, "start `A=1`: find the program `1`"),
            (
                "=./bot",
                3,
                "start `=./bot`: a name in front of `=` cannot be empty",
            ),
            (
                "v1/2=./bot",
                3,
                "find the program `v1/2=./bot`; a name in front of `=` cannot contain `/`",
            ),
            (
                "./bto -d 1",
                3,
                "start `./bto -d 1`: find the program `./bto`",
            ),
            (
                "base=./bto 3",
                3,
                "with `base` as the bot's name, find the program `./bto`; with `base` as a variable, find the program `3`",
            ),
            ("DEBUG=true ./bot", 2, two),
            ("OPTIONS=a=b ./bot", 2, two),
            ("PYTHON=python3 bot.py", 2, two),
        ] {
            let read = read(line);
            assert!(
                read.starts_with(&format!("{code}: ")) && read.contains(said),
                "{line}: {read}"
            );
        }
    }
}
