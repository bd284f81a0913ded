//! The rules of a game as plain text, or the files of an external referee's project that have them.

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::contest::named_game;
use crate::cli::failure::{InputError, Result};
use crate::store::PLAN;
use arena_games::{GameSpec, Games};
use arena_process::LIST;
use arena_section::words::{count, limit};

/// The page with the rules and protocols of all games.
const PAGE: &str = include_str!("../../../docs/reference/games.md");
/// The part of the page that is about every game.
const COMMON: &str = "In all games";
/// A game whose part says only how it differs from another one.
const DIFFERS: (&str, &str) = ("Dice Shogi", "MiniShogi");

/// The rules of a game, or where to read them.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct Rules {
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: String,
    /// The rules and the protocol of a game of arena; null for another game.
    text: Option<String>,
    /// The statement files of the project of an external referee.
    statements: Vec<String>,
}

impl Rules {
    /// Finds the rules of the game that a word names, or of the project in a folder.
    pub(in crate::cli) fn find(name: &str, games: &Games) -> Result<Rules> {
        let path = Path::new(name);
        let (mut text, mut words) = (None, vec![name.to_owned()]);
        if games.search(name).is_some() || !path.is_dir() || path.join(PLAN).exists() {
            let game = named_game(name, games)?;
            match game.referee {
                None => text = Some(rules(&game.spec)),
                Some(referee) => words = referee.command,
            }
        }
        // A class path has several entries.
        let mut paths = words
            .iter()
            .flat_map(|word| word.split(LIST))
            .map(Path::new);
        let statements = match paths.find(|path| path.exists()) {
            Some(path) if text.is_none() => statements(path),
            _ => Vec::new(),
        };
        let game = name.to_owned();
        if text.is_none() && statements.is_empty() {
            return Err(InputError::NoStatement(game).into());
        }
        Ok(Rules {
            game,
            text,
            statements,
        })
    }

    pub(super) fn text(&self) -> String {
        let game = &self.game;
        let files = self.statements.join("\n");
        let others = || format!("The rules of {game} are in these files:\n{files}\n");
        self.text.clone().unwrap_or_else(others)
    }
}

/// Returns the parts of the page about a game of arena.
fn rules(spec: &GameSpec) -> String {
    let (id, title) = (&spec.id, &spec.title);
    let mut text = format!(
        "# {title}\n\n\
         {title} has {}. A bot's first answer in a game may take {}, each later one {},\n\
         unless a config sets other limits.\n\
         `arena init --game {id}` begins a bot, and `arena check {id} BOT` plays games to test it.\n",
        count(spec.default_seats() as u64, "seat", "seats"),
        limit(spec.first_turn),
        limit(spec.turn)
    );
    for part in PAGE.split("\n## ").skip(1) {
        let of = part.lines().next().unwrap_or_default();
        if of != title && of != COMMON && (title.as_str(), of) != DIFFERS {
            continue;
        }
        text += "\n## ";
        for line in without_links(part).lines() {
            let is_of_other_game = of == COMMON && line.starts_with("| `") && !line.contains(title);
            // The command of an example needs a run, its output doesn't.
            if !is_of_other_game && !line.starts_with("$ ") {
                text.extend([line, "\n"]);
            }
        }
    }
    text
}

/// Returns the text with the words of links instead of links.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (start, words) = before.rsplit_once('[').unwrap_or(("", before));
        plain.extend([start, words]);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

/// Returns the statement files of the project that a path belongs to: the nearest folder above it
/// that has some.
fn statements(path: &Path) -> Vec<String> {
    for project in path.ancestors() {
        let config = project.join("config");
        let mut files = starting(&config, "statement");
        for league in starting(&config, "level") {
            files.extend(starting(Path::new(&league), "statement"));
        }
        if !files.is_empty() {
            return files;
        }
    }
    Vec::new()
}

/// Returns the entries of a folder whose names start with a text, sorted.
fn starting(folder: &Path, start: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(start) {
            found.push(entry.path().display().to_string());
        }
    }
    found.sort();
    found
}
