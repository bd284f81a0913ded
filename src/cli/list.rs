//! `arena list`.

mod rules;

use std::time::Duration;

use clap::{Args, ValueEnum};
use sample_bots::samples::{ALL, Sample};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) use self::rules::Rules;
use super::exit;
use super::failure::{Result, UsageError};
use super::output::show;
use super::samples::command;
use arena_games::{GameSpec, Games};
use arena_process::find_program;
use arena_process::languages::{Language, standard};
use arena_section::Tone;
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows, Table};

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
    /// What to list in full [default: all but rules, in short]
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

/// The columns of the lists in short.
const SHORT: &str = "id,title,seats,first turn,later turns,command,game,language,files,here";

/// What can play here. A list that wasn't asked for is null.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct List {
    /// The games of arena itself; null if they weren't asked for.
    games: Option<Vec<ListedGame>>,
    /// Sample bots; null if they weren't asked for.
    bots: Option<Vec<ListedBot>>,
    /// Languages whose source files can be bots; null if they weren't asked for.
    languages: Option<Vec<ListedLanguage>>,
    /// The rules of a game; null if they weren't asked for.
    rules: Option<Rules>,
}

/// A game of arena itself.
#[derive(Serialize, JsonSchema)]
struct ListedGame {
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: String,
    /// Name of the game for people.
    title: String,
    /// Seats of the game.
    seats: usize,
    /// The limit for a bot's first answer.
    first_turn_ms: u64,
    /// The limit for later answers.
    turn_ms: u64,
    /// What a config can set for this game but not for all.
    settings: Vec<String>,
}

/// A sample bot.
#[derive(Serialize, JsonSchema)]
struct ListedBot {
    /// Command to type, or that starts the bot.
    command: String,
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: &'static str,
    /// How it plays.
    how: &'static str,
}

/// A language whose source files can be bots.
#[derive(Serialize, JsonSchema)]
pub(super) struct ListedLanguage {
    /// Language of the bot, or one of the list; null with `--referee`.
    pub(super) language: String,
    /// The extensions of its source files, without the dot.
    extensions: Vec<String>,
    /// The command that compiles a bot; empty if there is none.
    compile_command: Vec<String>,
    /// The command that starts a bot.
    start_command: Vec<String>,
    /// Whether it is there.
    pub(super) is_here: bool,
    /// What its compiler or interpreter calls itself; null if `arena doctor` wasn't asked, or it
    /// doesn't say.
    pub(super) installed_version: Option<String>,
    /// The package of its compiler or interpreter: of Debian, or of winget on Windows; empty if it
    /// has none.
    pub(super) package: String,
}

pub(super) fn list(args: &ListArgs, games: &Games) -> Result<u8> {
    let mut list = List::default();
    match (args.what, &args.game) {
        (Some(What::Rules), Some(game)) => list.rules = Some(Rules::find(game, games)?),
        (Some(What::Rules), None) => {
            return Err(UsageError::RulesOfWhat(games.ids().join(", ")).into());
        }
        (_, Some(game)) => return Err(UsageError::OnlyRules(game.clone()).into()),
        (_, None) => {}
    }
    let wants = |what| [None, Some(what)].contains(&args.what);
    if wants(What::Games) {
        list.games = Some(games.iter().map(|spec| ListedGame::new(spec)).collect());
    }
    if wants(What::Bots) {
        let listed = |sample: &Sample| ListedBot {
            command: command(sample),
            game: sample.game,
            how: sample.how,
        };
        list.bots = Some(ALL.iter().map(listed).collect());
    }
    if wants(What::Languages) {
        let known = standard().into_iter();
        list.languages = Some(known.map(ListedLanguage::new).collect());
    }
    show(exit::OK, &list, || list.text())
}

impl List {
    fn text(&self) -> String {
        if let Some(rules) = &self.rules {
            return rules.text();
        }
        let screen = Screen::stdout();
        let mut tables: Vec<Table> = Vec::new();
        tables.extend(self.games.as_deref().map(of_games));
        tables.extend(self.bots.as_deref().map(bots));
        tables.extend(self.languages.as_deref().map(languages));
        if let [only] = &tables[..] {
            return only.text(&screen);
        }
        let columns: Vec<&str> = SHORT.split(',').collect();
        let mut short = Vec::new();
        for table in &tables {
            let title = screen.paint(Tone::Strong, table.title);
            short.push(format!("{title}\n{}", table.pick(&columns).text(&screen)));
        }
        short.join("\n")
    }
}

impl ListedGame {
    fn new(spec: &GameSpec) -> ListedGame {
        let ms = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        ListedGame {
            game: spec.id.clone(),
            title: spec.title.clone(),
            seats: spec.default_seats(),
            first_turn_ms: ms(spec.first_turn),
            turn_ms: ms(spec.turn),
            settings: own_settings(spec),
        }
    }
}

/// The settings that a config has for this game but not for all.
fn own_settings(spec: &GameSpec) -> Vec<String> {
    let mut settings = Vec::new();
    if spec.has_opening {
        let plies = "opening_plies in [run]: turns played at random before the bots start";
        settings.push(plies.to_owned());
    }
    for option in &spec.options {
        let (key, example, meaning) = (&option.key, &option.example, &option.meaning);
        let id = &spec.id;
        settings.push(format!("{key} = {example} in [game.{id}]: {meaning}"));
    }
    let seats = spec.default_seats();
    if seats > 2 {
        settings.push(format!(
            "design in [run]: {seats} bots at a table, or two that share the seats"
        ));
    }
    settings
}

impl ListedLanguage {
    pub(super) fn new((name, language): (String, Language)) -> ListedLanguage {
        ListedLanguage {
            is_here: missing(&language).is_none(),
            language: name,
            extensions: language.extensions,
            compile_command: language.compile,
            start_command: language.run,
            installed_version: None,
            package: language.package,
        }
    }
}

fn of_games(games: &[ListedGame]) -> Table {
    Rows::new("Games", games)
        .shown(Kind::Name, "id", |game| &game.game)
        .shown(Kind::Name, "title", |game| &game.title)
        .shown(Kind::Value, "seats", |game| game.seats)
        .shown(Kind::Value, "first turn", |game| {
            format!("{} ms", game.first_turn_ms)
        })
        .shown(Kind::Value, "later turns", |game| {
            format!("{} ms", game.turn_ms)
        })
        .shown(Kind::Prose, "what a config can set, too", |game| {
            game.settings.join("; ")
        })
        .table()
}

fn bots(bots: &[ListedBot]) -> Table {
    Rows::new("Sample bots", bots)
        .shown(Kind::Name, "command", |bot| &bot.command)
        .shown(Kind::Name, "game", |bot| bot.game)
        .shown(Kind::Prose, "how it plays", |bot| bot.how)
        .table()
}

fn languages(languages: &[ListedLanguage]) -> Table {
    Rows::new("Languages", languages)
        .shown(Kind::Name, "language", |language| &language.language)
        .shown(Kind::Name, "files", |language| {
            format!(".{}", language.extensions.join(" ."))
        })
        .shown(Kind::Name, "here", |language| {
            if language.is_here {
                "yes".to_owned()
            } else if language.package.is_empty() {
                "no".to_owned()
            } else {
                format!("needs {}", language.package)
            }
        })
        .shown(Kind::Prose, "compiled, and started, with", commands)
        .table()
}

/// Returns the package to install before bots of a language can play here, if one is missing.
pub(super) fn missing(language: &Language) -> Option<&str> {
    language
        .programs()
        .any(|program| find_program(program).is_err())
        .then_some(&language.package)
}

fn commands(language: &ListedLanguage) -> String {
    let start = language.start_command.join(" ");
    match &language.compile_command[..] {
        [] => start,
        compile => format!("{}; {start}", compile.join(" ")),
    }
}
