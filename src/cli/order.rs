//! Hints if the game is missing or comes after the bots, and if bots lack quotes.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, is_separator};

use super::bots::BotLine;
use super::failure::{InputError, Result, UsageError};
use super::terms::{CONFIG, FIRST_GAME};
use crate::config::first_game;
use crate::plan::samples;
use crate::store::PLAN;
use arena_games::Games;
use arena_process::{guard, read_input, split_command};
use arena_section::text::{command_line, harmless, nearest};

/// Programs that play only with the name of another program.
const INTERPRETERS: [&str; 17] = [
    "arena", "bash", "bun", "deno", "dotnet", "java", "lua", "mono", "node", "perl", "php", "py",
    "pypy3", "python", "python3", "ruby", "sh",
];

/// Verbs that take runs, and the one that takes a config.
const TAKE_RUNS: [&str; 7] = ["run", "report", "replay", "verify", "rate", "elo", "sprt"];

/// What the source of a referee for the usual protocol contains, unless it imports that part.
const QUESTION: &str = "NEXT_PLAYER";

/// Rejects a game that is missing or after the bots, and bots whose words aren't in quotes.
pub(super) fn check_order(game: &str, bots: &[String], games: &Games) -> Result<()> {
    let is_game = |word: &str| {
        let path = Path::new(word);
        let is_config = path.extension() == Some("toml".as_ref());
        games.search(word).is_some() && !path.exists() || is_config && path.is_file()
    };
    let mut typed = vec![game];
    typed.extend(bots.iter().map(String::as_str));
    if !is_game(game)
        && let Some(named) = bots.iter().find(|bot| is_game(bot))
    {
        let mut words = typed.clone();
        words.retain(|word| word != named);
        words.insert(0, named);
        let hint = retyped(&typed, &words);
        return Err(UsageError::GameFirst(harmless(game), hint).into());
    }
    if lacks_game(game, games) && !Path::new(game).exists() && BotLine::split(game).is_ok() {
        return Err(without_game(game, games).into());
    }
    let quoted = quoted(bots);
    if quoted.len() < bots.len() {
        let mut words = vec![game];
        words.extend(quoted.iter().map(String::as_str));
        return Err(UsageError::NotQuoted(retyped(&typed, &words)).into());
    }
    Ok(())
}

/// Whether a first word is no game: neither the name of one, however misspelt, nor a config, a run
/// or what looks like a referee.
pub(super) fn lacks_game(word: &str, games: &Games) -> bool {
    let path = Path::new(word);
    let is_jar = path.extension() == Some("jar".as_ref());
    let is_other = is_jar || word.contains(".toml") || path.is_dir();
    let is_named = games.search(word).is_some() || nearest(word, &games.ids()).is_some();
    let text = read_input(path).unwrap_or_default();
    let is_referee = String::from_utf8_lossy(&text).contains(QUESTION);
    !is_named && !is_other && !is_referee
}

/// The error for a command whose first word is a bot in the place of the game.
pub(super) fn without_game(word: &str, games: &Games) -> UsageError {
    let words = split_command(word).unwrap_or_default();
    let game = match samples::of(&words) {
        Some(Ok(sample)) => Some(sample.game.to_owned()),
        _ => first_game(Path::new(CONFIG), games),
    };
    let game = game.as_deref().unwrap_or(FIRST_GAME);
    let hint = retyped(&[word], &[game, word]) + "\nhint: `arena list games` shows the games";
    UsageError::GameFirst(harmless(word), hint)
}

/// Rejects what isn't a run in the place of one, and a run in the place of a config.
pub(super) fn check_runs(words: &[String]) -> Result<()> {
    let verb = words.first().map_or("", String::as_str);
    if !TAKE_RUNS.contains(&verb) {
        return Ok(());
    }
    for pair in words.windows(2) {
        let [before, word] = pair else { continue };
        if before.starts_with("--") && !before.contains('=') || word.starts_with('-') {
            continue;
        }
        let path = Path::new(word);
        let is_run = path.join(PLAN).is_file();
        let runs = runs_in(path);
        let (why, hint) = match verb {
            "run" if is_run => (
                "it is a run, not a config",
                format!("`arena report {word}`, or `arena run CONFIG --resume --out {word}`"),
            ),
            "run" => continue,
            "replay" if before == verb && !path.exists() && word.parse::<u64>().is_ok() => {
                ("there is no such run", format!("arena replay RUN {word}"))
            }
            _ if path.is_file() && path.extension() == Some("toml".as_ref()) => {
                ("it is a config, not a run", format!("arena run {word}"))
            }
            _ if !is_run && !runs.is_empty() => (
                "it has no plan.toml, so it is not a run directory",
                format!("arena {verb} {}", runs.join(", or ")),
            ),
            _ => continue,
        };
        return Err(InputError::WrongPath(word.clone(), why, hint).into());
    }
    Ok(())
}

/// Returns the runs in a folder.
fn runs_in(folder: &Path) -> Vec<String> {
    let mut runs = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().join(PLAN).is_file() {
            runs.push(entry.path().display().to_string());
        }
    }
    runs.sort();
    runs
}

/// Joins words that are meant as one bot: an interpreter and the next word, and numbers and
/// options with the word before them.
pub(super) fn quoted(words: &[String]) -> Vec<String> {
    let mut bots: Vec<String> = Vec::new();
    let mut before = "";
    for word in words {
        let goes_on = |bot: &String| {
            let (_, program) = bot.split_once('=').unwrap_or(("", bot));
            // `./node` is a program of the user, `/usr/bin/node` is not.
            let name = if Path::new(program).is_absolute() {
                program.rsplit(is_separator).next().unwrap_or_default()
            } else {
                program
            };
            let name = name.strip_suffix(EXE_SUFFIX).unwrap_or(name);
            INTERPRETERS.contains(&name)
                || program == "arena bot"
                || word.parse::<f64>().is_ok()
                || word.starts_with(['-', '{'])
                || before.starts_with('-')
        };
        match bots.last_mut() {
            Some(bot) if is_range(word) => bot.extend([" {", word, "}"]),
            Some(bot) if goes_on(bot) => bot.extend([" ", word]),
            _ => bots.push(word.clone()),
        }
        before = word;
    }
    bots
}

/// Whether a word is a range to tune, whose braces a shell has removed.
fn is_range(word: &str) -> bool {
    if let Some((name, range)) = word.split_once('=')
        && let Some((start, ends)) = range.split_once(':')
    {
        !name.starts_with('{') && start.parse::<f64>().is_ok() && ends.contains("..")
    } else {
        false
    }
}

/// The arguments of this process.
pub(super) fn typed() -> Vec<String> {
    guard::arguments()
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Checks that the config of a command exists. Its default name says how to make one.
pub(super) fn check_config(path: &Path) -> Result<()> {
    if path == Path::new(CONFIG) && path.symlink_metadata().is_err() {
        return Err(InputError::NoConfig.into());
    }
    Ok(())
}

/// The command of this process with other positional arguments.
fn retyped(typed: &[&str], words: &[&str]) -> String {
    let mut typed = typed.iter().peekable();
    let mut words = Some(words);
    let mut command = vec!["arena".to_owned()];
    for word in self::typed() {
        if typed.next_if(|typed| **typed == word).is_none() {
            command.push(word);
        } else if let Some(words) = words.take() {
            command.extend(words.iter().map(|&word| word.to_owned()));
        }
    }
    harmless(&command_line(&command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_bot_are_joined() {
        for (words, expected) in [
            (
                "python3 bot.py python3 bot2.py",
                "python3 bot.py|python3 bot2.py",
            ),
            ("./bot 2 ./bot 4", "./bot 2|./bot 4"),
            (
                "old=/usr/bin/node bot.js ./new",
                "old=/usr/bin/node bot.js|./new",
            ),
            (
                "arena bot onitama-greedy ./new",
                "arena bot onitama-greedy|./new",
            ),
            (
                "old=arena bot onitama-greedy new=./new",
                "old=arena bot onitama-greedy|new=./new",
            ),
            ("./node ./new", "./node|./new"),
            ("bot.py bot.cpp ./bot", "bot.py|bot.cpp|./bot"),
            ("python3 bot.py 3 bot2.py", "python3 bot.py 3|bot2.py"),
            (
                "./bot --depth 3 --fast ./new",
                "./bot --depth 3 --fast ./new",
            ),
            ("./bot {w=5:0..40} ./new", "./bot {w=5:0..40}|./new"),
            ("./bot a=1:0..9 b=0.5:0..1", "./bot {a=1:0..9} {b=0.5:0..1}"),
            ("old=../a new=../b", "old=../a|new=../b"),
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            assert_eq!(quoted(&words).join("|"), expected);
        }
    }
}
