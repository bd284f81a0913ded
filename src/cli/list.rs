//! `arena list`.

mod rules;

use clap::{Args, ValueEnum};
use sample_bots::samples::ALL;

use self::rules::GameRules;
use super::failure::{Result, UsageError};
use super::output::print;
use super::samples::command;
use arena_games::{GameSpec, Games};
use arena_process::find_program;
use arena_process::languages::{Language, standard};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows, Table};
use arena_section::words::limit;

/// List games, sample bots, languages, or the rules of a game
///
/// The id of a game is its name in configs and files. Its limits are for a bot's first answer and
/// for every later one; a config can set others for all of its games.
///
/// A sample bot can play wherever you name a bot: arena duel onitama "arena bot onitama-greedy"
/// bot.py. All take --seed N; those that search also take --depth N, --time-ms N, --blunder PERCENT
/// and --param NAME=VALUE: arena bot onitama-search --help.
///
/// A source file can play wherever you name a bot: arena compiles it once if necessary, into the
/// user's cache folder. A table [language.NAME] in a config adds a language or changes one.
///
/// `arena list rules GAME` prints all that you need to write a bot: the rules, what a bot reads and
/// what it answers. For a game with an external referee, name its config, project folder or jar:
/// you get the names of the project's statement files.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// What to list in full [default: all three, in short]
    what: Option<What>,
    /// With `rules`, the game
    game: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Games, with what a config can set for each
    Games,
    /// Sample bots, with how they play
    Bots,
    /// Languages, with the commands that compile and start a bot
    Languages,
    /// The rules of a game, and what its bots read and write
    Rules,
}

pub(super) fn list(args: &ListArgs, games: &Games) -> Result<u8> {
    let screen = Screen::stdout();
    let text = match (args.what, &args.game) {
        (Some(What::Rules), Some(game)) => GameRules::find(game, games)?.text(),
        (Some(What::Rules), None) => {
            return Err(UsageError::RulesOfWhat(games.ids().join(", ")).into());
        }
        (_, Some(game)) => return Err(UsageError::OnlyRules(game.clone()).into()),
        (Some(What::Games), None) => of_games(games).text(&screen),
        (Some(What::Bots), None) => bots().text(&screen),
        (Some(What::Languages), None) => languages().text(&screen),
        (None, None) => {
            let short = [
                of_games(games).pick(&["id", "title", "seats", "first turn", "later turns"]),
                bots().pick(&["command", "game"]),
                languages().pick(&["language", "files", "here"]),
            ];
            let short = short.map(|table| {
                let title = screen.paint(Tone::Strong, table.title);
                format!("{title}\n{}", table.text(&screen))
            });
            short.join("\n")
        }
    };
    print(text)
}

fn of_games(games: &Games) -> Table {
    Rows::new("Games", games.iter())
        .shown(Kind::Name, "id", |spec| &spec.id)
        .shown(Kind::Name, "title", |spec| &spec.title)
        .shown(Kind::Value, "seats", |spec| spec.default_seats())
        .shown(Kind::Value, "first turn", |spec| limit(spec.first_turn))
        .shown(Kind::Value, "later turns", |spec| limit(spec.turn))
        .shown(Kind::Prose, "what a config can set, too", |spec| {
            own_settings(spec)
        })
        .table()
}

/// The settings that a config has for this game but not for all.
fn own_settings(spec: &GameSpec) -> String {
    let mut settings = Vec::new();
    if spec.has_opening {
        settings.push(
            "opening_plies in [run]: turns played at random before the bots start".to_owned(),
        );
    }
    for option in &spec.options {
        settings.push(format!(
            "{} = {} in [game.{}]: {}",
            option.key, option.example, spec.id, option.meaning
        ));
    }
    let seats = spec.default_seats();
    if seats > 2 {
        settings.push(format!(
            "design in [run]: {seats} bots at a table, or two that share the seats"
        ));
    }
    settings.join("; ")
}

fn bots() -> Table {
    Rows::new("Sample bots", &ALL)
        .shown(Kind::Name, "command", command)
        .shown(Kind::Name, "game", |sample| sample.game)
        .shown(Kind::Prose, "how it plays", |sample| sample.how)
        .table()
}

fn languages() -> Table {
    let known: Vec<(String, Language)> = standard().into_iter().collect();
    Rows::new("Languages", &known)
        .shown(Kind::Name, "language", |(name, _)| name)
        .shown(Kind::Name, "files", |(_, language)| {
            format!(".{}", language.extensions.join(" ."))
        })
        .shown(Kind::Name, "here", |(_, language)| {
            missing(language).map_or("yes".to_owned(), |package| format!("needs {package}"))
        })
        .shown(
            Kind::Prose,
            "compiled, and started, with",
            |(_, language)| commands(language),
        )
        .table()
}

/// Returns the package to install before bots of a language can play here, if one is missing.
pub(super) fn missing(language: &Language) -> Option<&str> {
    language
        .programs()
        .any(|program| find_program(program).is_err())
        .then_some(&language.package)
}

fn commands(language: &Language) -> String {
    let mut commands = [language.compile.join(" "), language.run.join(" ")].to_vec();
    commands.retain(|command| !command.is_empty());
    commands.join("; ")
}
