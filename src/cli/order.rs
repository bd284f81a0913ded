//! Hints for a game after the bots, and for bots without quotes.

use std::iter;
use std::path::Path;

use anyhow::anyhow;

use super::Failure;
use arena_games::Games;
use arena_process::guard;
use arena_section::text::{command_line, harmless};

/// Programs that play only with the name of another program.
const INTERPRETERS: [&str; 16] = [
    "arena", "bash", "bun", "deno", "dotnet", "java", "lua", "mono", "node", "perl", "php",
    "pypy3", "python", "python3", "ruby", "sh",
];

/// Rejects a game after the bots, and bots whose words aren't in quotes.
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
        let (game, hint) = (harmless(game), retyped(&typed, &words));
        return Err(Failure::usage(anyhow!(
            "can't play the game `{game}`: the game comes before the bots\nhint: {hint}"
        )));
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

/// Joins words that are meant as one bot: an interpreter with the next word, and numbers with the
/// word before them.
fn quoted(words: &[String]) -> Vec<String> {
    let mut bots: Vec<String> = Vec::new();
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
            INTERPRETERS.contains(&name) || program == "arena bot" || word.parse::<f64>().is_ok()
        };
        match bots.last_mut().filter(|bot| goes_on(bot)) {
            Some(bot) => bot.extend([" ", word]),
            None => bots.push(word.clone()),
        }
    }
    bots
}

/// The command of this process with other positional arguments.
fn retyped(typed: &[&str], words: &[&str]) -> String {
    let mut typed = typed.iter().peekable();
    let mut words = Some(words);
    let mut command = vec!["arena".to_owned()];
    for word in guard::arguments() {
        let word = word.to_string_lossy().into_owned();
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
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            assert_eq!(quoted(&words).join("|"), expected);
        }
    }
}
