//! Hints if the game is missing or comes after the bots, and if bots lack quotes.

use std::path::Path;
use std::{fs, iter};

use anyhow::anyhow;

use super::bots::BotLine;
use super::{Failure, init, usage};
use crate::config::first_game;
use crate::plan::samples;
use crate::store::PLAN;
use arena_games::Games;
use arena_process::read_input;
use arena_section::text::{command_line, harmless, nearest};

/// Programs that play only with the name of another program.
const INTERPRETERS: [&str; 16] = [
    "arena", "bash", "bun", "deno", "dotnet", "java", "lua", "mono", "node", "perl", "php",
    "pypy3", "python", "python3", "ruby", "sh",
];

/// Verbs that take runs, and the one that takes a config.
const TAKE_RUNS: [&str; 7] = ["run", "report", "replay", "verify", "rate", "elo", "sprt"];

/// What the source of a referee for the usual protocol contains, unless it imports that part.
const QUESTION: &str = "NEXT_PLAYER";

/// Rejects a game that is missing or after the bots, and bots whose words aren't in quotes.
pub(super) fn check_order(game: &str, bots: &[String], games: &Games) -> Result<(), Failure> {
    let is_game = |word: &str| {
        let path = Path::new(word);
        let is_config = path.extension().is_some_and(|end| end == "toml");
        games.search(word).is_some() && !path.exists() || is_config && path.is_file()
    };
    let typed: Vec<&str> = iter::once(game)
        .chain(bots.iter().map(String::as_str))
        .collect();
    if !is_game(game)
        && let Some(named) = bots.iter().find(|bot| is_game(bot))
    {
        let mut words = typed.clone();
        words.retain(|word| word != named);
        words.insert(0, named);
        return Err(game_first(game, &retyped(&typed, &words)));
    }
    if lacks_game(game, games) && !Path::new(game).exists() && BotLine::split(game).is_ok() {
        return Err(without_game(game, games));
    }
    let quoted = quoted(bots);
    if quoted.len() < bots.len() {
        let mut words = vec![game];
        words.extend(quoted.iter().map(String::as_str));
        let hint = retyped(&typed, &words);
        return Err(Failure::usage(anyhow!(
            "can't tell the bots apart: a program with its arguments is one word in quotes\nhint: {hint}"
        )));
    }
    Ok(())
}

/// Whether a first word is no game: neither the name of one, however misspelt, nor a config, a run
/// or what looks like a referee.
pub(super) fn lacks_game(word: &str, games: &Games) -> bool {
    let path = Path::new(word);
    let is_jar = path.extension().is_some_and(|end| end == "jar");
    let is_other = is_jar || word.contains(".toml") || path.is_dir();
    let is_named = games.search(word).is_some() || nearest(word, &games.ids()).is_some();
    let text = read_input(path).unwrap_or_default();
    let is_referee = String::from_utf8_lossy(&text).contains(QUESTION);
    !is_named && !is_other && !is_referee
}

/// The error for a command whose first word is a bot in the place of the game.
pub(super) fn without_game(word: &str, games: &Games) -> Failure {
    let words = shlex::split(word).unwrap_or_default();
    let sample = samples::of(&words).and_then(Result::ok);
    let game = sample.map(|sample| sample.game.to_owned());
    let game = game.or_else(|| first_game(Path::new(init::CONFIG), games));
    let game = game.unwrap_or_else(|| init::STARTERS[0].0.to_owned());
    let hint = retyped(&[word], &[&game, word]) + "\nhint: `arena list games` shows the games";
    game_first(word, &hint)
}

fn game_first(word: &str, hint: &str) -> Failure {
    let word = harmless(word);
    Failure::usage(anyhow!(
        "can't play the game `{word}`: the game comes before the bots\nhint: {hint}"
    ))
}

/// Rejects what isn't a run in the place of one, and a run in the place of a config.
pub(super) fn check_runs(words: &[String]) -> Result<(), Failure> {
    let verb = words.first().map_or("", String::as_str);
    if !TAKE_RUNS.contains(&verb) {
        return Ok(());
    }
    for (before, word) in words.iter().zip(&words[1..]) {
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
            _ if path.is_file() && path.extension().is_some_and(|end| end == "toml") => {
                ("it is a config, not a run", format!("arena run {word}"))
            }
            _ if !is_run && !runs.is_empty() => (
                "it has no plan.toml, so it is not a run directory",
                format!("arena {verb} {}", runs.join(", or ")),
            ),
            _ => continue,
        };
        return Err(Failure::input(anyhow!(
            "can't use {word}: {why}\nhint: {hint}"
        )));
    }
    Ok(())
}

/// Returns the runs in a folder.
fn runs_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let runs = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(PLAN).is_file());
    let mut runs: Vec<String> = runs.map(|path| path.display().to_string()).collect();
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
            let program = bot
                .split_once('=')
                .map_or(bot.as_str(), |(_, program)| program);
            // `./node` is a program of the user, `/usr/bin/node` is not.
            let name = match program.strip_prefix('/') {
                Some(path) => path.rsplit('/').next().unwrap_or_default(),
                None => program,
            };
            INTERPRETERS.contains(&name)
                || program == "arena bot"
                || word.parse::<f64>().is_ok()
                || word.starts_with(['-', '{'])
                || before.starts_with('-')
                || is_range(word)
        };
        match bots.last_mut().filter(|bot| goes_on(bot)) {
            Some(bot) if is_range(word) => bot.extend([" {", word, "}"]),
            Some(bot) => bot.extend([" ", word]),
            None => bots.push(word.clone()),
        }
        before = word;
    }
    bots
}

/// Whether a word is a range to tune, whose braces a shell has removed.
fn is_range(word: &str) -> bool {
    let range = word
        .split_once('=')
        .and_then(|(_, range)| range.split_once(':'));
    !word.starts_with('{')
        && range.is_some_and(|(start, ends)| start.parse::<f64>().is_ok() && ends.contains(".."))
}

/// The command of this process with other positional arguments.
fn retyped(typed: &[&str], words: &[&str]) -> String {
    let mut typed = typed.iter().peekable();
    let mut words = Some(words);
    let mut command = vec!["arena".to_owned()];
    for word in usage::typed() {
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
