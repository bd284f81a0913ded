//! `arena init`.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{self, Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueHint};
use sample_bots::samples;

use super::contest::{known_game, named_game};
use super::{Failure, list, print};
use crate::report::screen::Screen;
use crate::section::text::{command_line, did_you_mean, harmless};
use arena_games::{GameSpec, Games};
use arena_process::languages::{Languages, find_start, standard};

/// Begin a bot: write a first one, a config and a CI workflow
///
/// The bot is one file that plays legal moves, in Python, C++, JavaScript, Java or Rust; arena.toml lets it play a sample bot; and
/// .github/workflows/arena.yml makes its strength a check of pull requests. On a terminal the game and the language are asked for
/// if they are not given. Nothing is overwritten.
///
/// With --referee the game is another one, whose referee is a program of its own; then arena.toml alone is written, with places
/// for the commands of two bots.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The folder to write into, which need not be there
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    dir: PathBuf,
    /// The game, see `arena list games` [default: onitama]
    #[arg(long)]
    game: Option<String>,
    /// The language: python, cpp, javascript, java or rust [default: the first of them that is installed]
    #[arg(long)]
    language: Option<String>,
    /// The referee of another game: the jar of a contest, or a program or source file that speaks the protocol of
    /// docs/referees.md
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["game", "language"])]
    referee: Option<String>,
    /// Ask nothing
    #[arg(long, short)]
    yes: bool,
}

/// A language in which there are starter bots.
#[derive(Debug, PartialEq)]
struct Language {
    /// What `arena list languages` calls it.
    name: &'static str,
    /// The file of the bot.
    file: &'static str,
    /// What else people call it.
    others: &'static [&'static str],
}

/// The languages, the first that is installed being the default.
const LANGUAGES: [Language; 5] = [
    Language {
        name: "python",
        file: "bot.py",
        others: &["py", "python3"],
    },
    Language {
        name: "cpp",
        file: "bot.cpp",
        others: &["c++", "cc", "cxx"],
    },
    Language {
        name: "javascript",
        file: "bot.js",
        others: &["js", "node"],
    },
    Language {
        name: "java",
        file: "Player.java",
        others: &[],
    },
    Language {
        name: "rust",
        file: "bot.rs",
        others: &["rs"],
    },
];

/// The starter bots of games, in the order of [`LANGUAGES`].
macro_rules! starters {
    ($($game:literal),*) => {
        [$((
            $game,
            [
                include_str!(concat!("../../starters/", $game, "/bot.py")),
                include_str!(concat!("../../starters/", $game, "/bot.cpp")),
                include_str!(concat!("../../starters/", $game, "/bot.js")),
                include_str!(concat!("../../starters/", $game, "/Player.java")),
                include_str!(concat!("../../starters/", $game, "/bot.rs")),
            ],
        )),*]
    };
}

/// The starter bots of every game that has them; the first is the default.
const STARTERS: [(&str, [&str; LANGUAGES.len()]); 4] =
    starters!("onitama", "minishogi", "dice_shogi", "kutulu");

/// Opponents that a starter bot neither always beats nor always loses to.
const OPPONENT: &str = "greedy";

/// The workflow, and its lines that are another repository's own.
const WORKFLOW: &str = include_str!("../../docs/ci-workflow.yml");
const GAME_LINE: &str = "  GAME: onitama\n";
const BOT_LINE: &str = "  BOT: bot.py\n";

/// What stands for the bots of a game of another referee.
const MINE: &str = "./mine";
const OTHER: &str = "./other";

/// The names of the other files.
const CONFIG: &str = "arena.toml";
const WORKFLOW_FILE: &str = ".github/workflows/arena.yml";

pub(super) fn init(args: &InitArgs, games: &Games) -> Result<u8, Failure> {
    if let Some(file) = &args.referee {
        return init_referee(&args.dir, file, games);
    }
    let asks = !args.yes && io::stdin().is_terminal() && io::stdout().is_terminal();
    let (spec, starters) = match (&args.game, asks) {
        (Some(name), _) => game(name, games)?,
        (None, true) => ask(
            "Game",
            &STARTERS.map(|(game, _)| game),
            STARTERS[0].0,
            |name| game(name, games),
        )?,
        (None, false) => game(STARTERS[0].0, games)?,
    };
    let default = LANGUAGES
        .iter()
        .find(|language| missing(language).is_none())
        .unwrap_or(&LANGUAGES[0]);
    let language = match (&args.language, asks) {
        (Some(name), _) => language(name)?,
        (None, true) => ask(
            "Language",
            &LANGUAGES.map(|language| language.name),
            default.name,
            language,
        )?,
        (None, false) => default,
    };
    let place = LANGUAGES.iter().position(|known| known == language);
    let starter = place.map_or("", |place| starters[place]);
    let files = [
        (language.file, starter.to_owned()),
        (CONFIG, config(spec, language)),
        (WORKFLOW_FILE, workflow(spec, language)),
    ];
    write(&args.dir, &files)?;
    print(told(&args.dir, spec, language))
}

/// Writes a config for the game of a referee that is a program of its own.
fn init_referee(folder: &Path, file: &str, games: &Games) -> Result<u8, Failure> {
    let path = Path::new(file);
    let ending = path.extension().unwrap_or_default();
    if ending == "toml" || !path.is_file() {
        let file = harmless(file);
        return Err(Failure::input(anyhow!(
            "--referee: expected the file of a referee, found {file}"
        )));
    }
    // Paths in a config start from the folder in which arena is called.
    let file = if is_here(folder) {
        path.to_owned()
    } else {
        path::absolute(path).map_err(Failure::input)?
    };
    let file = file
        .to_str()
        .ok_or_else(|| Failure::input(anyhow!("--referee: a path in UTF-8 is needed")))?;
    let game = named_game(file, games)?;
    let referee = game
        .referee
        .ok_or_else(|| Failure::internal(anyhow!("{file} has no referee")))?;
    find_start(&Languages::new(), &referee.command)
        .context("--referee")
        .map_err(Failure::input)?;
    let key = if ending == "jar" {
        format!("jar = {}\n# league = 4", toml::Value::from(file))
    } else {
        format!("referee = {}", toml::Value::from(referee.command.clone()))
    };
    // No game of a config has the name of one that the arena knows.
    let id = games
        .search(&game.spec.id)
        .map_or(game.spec.id.clone(), |known| format!("my_{}", known.id));
    write(folder, &[(CONFIG, referee_config(&id, &key))])?;
    print(told_of_referee(folder, &id))
}

/// Two bots in a game of another referee.
fn referee_config(id: &str, key: &str) -> String {
    format!(
        "# {id}: my bot against another. `arena run {CONFIG} --force` plays it again and replaces the results.

[run]
name = \"mine\"
game = \"{id}\"
games = 200

# The referee is a program of its own. docs/referees.md tells of further keys: options, build, memory_mb ..
[game.{id}]
{key}
# seats = 2

[[bot]]
name = \"mine\"
command = \"{MINE}\"

[[bot]]
name = \"other\"
command = \"{OTHER}\"
"
    )
}

fn told_of_referee(folder: &Path, id: &str) -> String {
    let wrote = format!("{id}: wrote {CONFIG}");
    let note = format!("In it, {MINE} and {OTHER} stand for the commands of your bots.");
    let next = [
        (format!("arena check {CONFIG}"), "what does the referee do?"),
        (
            format!("arena check {CONFIG} {MINE}"),
            "does the bot keep to the protocol?",
        ),
        (format!("arena run {CONFIG}"), "its first Elo"),
    ];
    in_text(folder, wrote, [note], &next)
}

fn is_here(folder: &Path) -> bool {
    folder == Path::new(".")
}

/// A game with its starter bots.
fn game<'g>(
    name: &str,
    games: &'g Games,
) -> Result<(&'g GameSpec, &'static [&'static str]), Failure> {
    let spec = known_game(name, games)?;
    match STARTERS.iter().find(|(game, _)| *game == spec.id) {
        Some((_, starters)) => Ok((spec, starters)),
        None => Err(Failure::usage(anyhow!(
            "there is no starter bot for {}",
            spec.title
        ))),
    }
}

fn language(name: &str) -> Result<&'static Language, Failure> {
    let name = name.to_lowercase();
    let found = LANGUAGES
        .iter()
        .find(|language| language.name == name || language.others.contains(&name.as_str()));
    found.ok_or_else(|| {
        let known = LANGUAGES.map(|language| language.name);
        let (meant, known) = (did_you_mean(&name, &known), known.join(", "));
        Failure::usage(anyhow!(
            "there is no starter bot in `{name}`: {meant}expected one of {known}"
        ))
    })
}

/// Asks until the answer can be read; an empty one is the default.
fn ask<T>(
    what: &str,
    known: &[&str],
    default: &str,
    read: impl Fn(&str) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let screen = Screen::stdout();
    loop {
        print(screen.prose(&format!("{what} ({}) [{default}]: ", known.join(", "))))?;
        let _ = io::stdout().flush();
        let mut answer = String::new();
        let length = io::stdin().read_line(&mut answer);
        if length.map_err(Failure::internal)? == 0 {
            return Err(Failure::usage(anyhow!(
                "no answer; --game and --language say it, or --yes takes what is in brackets"
            )));
        }
        let answer = match answer.trim() {
            "" => default,
            answer => answer,
        };
        match read(answer) {
            Ok(value) => return Ok(value),
            Err(failure) => drop(print(screen.prose(&format!("{:#}\n", failure.error)))?),
        }
    }
}

/// The Debian package that has to be installed before bots of a language can play here.
fn missing(language: &Language) -> Option<String> {
    let known = standard().remove(language.name)?;
    list::missing(&known).map(str::to_owned)
}

/// The bot against a sample bot.
fn config(spec: &GameSpec, language: &Language) -> String {
    let (mut opponent, mut others) = ("", Vec::new());
    for sample in samples::ALL.iter().filter(|sample| sample.game == spec.id) {
        if sample.name.ends_with(OPPONENT) {
            opponent = sample.name;
        } else {
            others.push(sample.name);
        }
    }
    let mut run = String::new();
    if spec.has_opening {
        run += "# Random first turns: bots that draw nothing at random would repeat one game.\nopening_plies = 4\n";
    }
    if spec.default_seats() > 2 {
        run += "# Two bots have two seats each.\ndesign = \"mirror\"\n";
    }
    let (title, game, file) = (&spec.title, &spec.id, language.file);
    format!(
        "# {title}: my bot against a sample bot. `arena run {CONFIG} --force` plays it again and replaces the results.

[run]
name = \"mine\"
game = \"{game}\"
games = 200
{run}
[[bot]]
name = \"mine\"
command = \"{file}\"

# `arena list bots` lists all sample bots; {} play this game, too.
[[bot]]
name = \"{OPPONENT}\"
command = \"arena bot {opponent}\"
",
        others.join(" and ")
    )
}

fn workflow(spec: &GameSpec, language: &Language) -> String {
    let of_game = WORKFLOW.replace(GAME_LINE, &format!("  GAME: {}\n", spec.id));
    of_game.replace(BOT_LINE, &format!("  BOT: {}\n", language.file))
}

/// Writes all files, or none if one of them is there.
fn write(folder: &Path, files: &[(&str, String)]) -> Result<(), Failure> {
    let mut there: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    there.retain(|name| folder.join(name).symlink_metadata().is_ok());
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::input(anyhow!(
            "{} is a file: name a folder to write into",
            folder.display()
        )));
    }
    if !there.is_empty() {
        let (folder, there) = (folder.display(), there.join(", "));
        return Err(Failure::input(anyhow!(
            "{folder} has {there} already: nothing was written; name another folder"
        )));
    }
    for (name, text) in files {
        let path = folder.join(name);
        create(&path, text)
            .with_context(|| format!("write {}", path.display()))
            .map_err(Failure::input)?;
    }
    Ok(())
}

/// Writes a file that must not exist, and the folders it is in.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}

/// What was written, and what to type next.
fn told(folder: &Path, spec: &GameSpec, language: &Language) -> String {
    let (game, file, name) = (&spec.id, language.file, language.name);
    let wrote = format!(
        "{} in {name}: wrote {file}, {CONFIG} and {WORKFLOW_FILE}",
        spec.title
    );
    let mut notes = Vec::new();
    if let Some(package) = missing(language) {
        notes.push(format!(
            "{name} is not installed here: apt install {package}"
        ));
    }
    notes.push("In the workflow, ARENA is the repository to install arena from.".to_owned());
    let mut samples = samples::ALL.iter();
    let strong = samples.rfind(|sample| sample.game == *game);
    let strong = strong.map_or("", |sample| sample.name);
    let next = [
        (
            format!("arena check {game} {file}"),
            "does it keep to the protocol?",
        ),
        (format!("arena run {CONFIG}"), "its first Elo"),
        (
            format!("arena duel {game} \"arena bot {strong} --depth 1\" {file} --games 200"),
            "somebody stronger",
        ),
    ];
    in_text(folder, wrote, notes, &next)
}

/// Returns what was written into a folder, and commands to type next, each with what it is for.
fn in_text(
    folder: &Path,
    mut wrote: String,
    notes: impl IntoIterator<Item = String>,
    next: &[(String, &str)],
) -> String {
    let screen = Screen::stdout();
    let into = folder.display().to_string();
    if !is_here(folder) {
        let _ = write!(wrote, " into {into}");
    }
    let mut lines = vec![wrote];
    lines.extend(notes);
    lines.extend([String::new(), "Next:".to_owned()]);
    if !is_here(folder) {
        lines.push(format!("  cd {}", command_line(&[into])));
    }
    let mut text = screen.prose(&lines.join("\n")) + "\n";
    for (command, why) in next {
        let _ = writeln!(text, "  # {why}\n  {command}");
    }
    text
}
