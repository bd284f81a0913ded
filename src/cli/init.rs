//! `arena init`.

mod referee;

use std::fmt::Write as _;
use std::fs;
use std::path::{self, Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueHint};
use sample_bots::samples;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) use self::referee::FoundReferee;
use self::referee::MINE;
use super::contest::known_game;
use super::elsewhere::find;
use super::exit;
use super::failure::{InputError, Result, UsageError};
use super::list::{self, Rules};
use super::output::{Next, say, show};
use super::terms::{CONFIG, FIRST_GAME};
use crate::config::RESULTS;
use crate::store::io_error;
use arena_games::{GameSpec, Games};
use arena_process::languages::{INSTALL, standard};
use arena_process::slashed;
use arena_section::screen::Screen;
use arena_section::text::{nearest, word};
use arena_section::words::count;

/// Begin a bot: write a first one, a config and a CI workflow
///
/// The bot is one file that plays legal moves, in Python, C++, JavaScript, Java or Rust; arena.toml
/// lets it play a sample bot; and .github/workflows/arena.yml makes its strength a check of pull
/// requests; .gitignore leaves out results. It overwrites nothing.
///
/// With --referee, writes only arena.toml, for the game of an external referee, with placeholders
/// for the commands of bots. The referee may be the project of a CodinGame contest, built by Maven.
/// arena starts it to find out how many seats it has.
///
/// With --agents, also writes AGENTS.md: the commands that tell a coding agent whether it made the
/// bot stronger.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Output folder, created if missing
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    dir: PathBuf,
    /// The game, see `arena list games` [default: onitama]
    #[arg(long)]
    game: Option<String>,
    /// python, cpp, javascript, java or rust [default: the first one installed]
    #[arg(long)]
    language: Option<String>,
    /// An external referee, such as the folder of a contest
    ///
    /// The project folder or jar of a contest, or a program or source file that speaks the protocol
    /// of docs/how-to/referees.md.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with_all = ["game", "language"])]
    referee: Option<String>,
    /// Also write AGENTS.md, for coding agents
    #[arg(long)]
    agents: bool,
}

/// A language of starter bots: its name, the file of its bot, and what its compiler or interpreter
/// leaves in the folder, a pattern of git on each line.
type Language = [&'static str; 3];

/// A file to write: its name and its text.
type File = (&'static str, String);

/// The languages of starter bots. The first that is installed is the default.
const LANGUAGES: [Language; 5] = [
    ["python", "bot.py", "__pycache__/"],
    ["cpp", "bot.cpp", "*.o\na.out\nbot"],
    ["javascript", "bot.js", "node_modules/"],
    ["java", "Player.java", "*.class"],
    ["rust", "bot.rs", "target/\nbot"],
];

/// Other names of languages, after the name that arena has.
const ALIASES: &str = "
python | py python3 pypy cpython
cpp | c++ cxx cc cplusplus
javascript | js node nodejs node.js ecmascript
rust | rs
java | jdk openjdk
csharp | c# cs mono dotnet
typescript | ts
go | golang
kotlin | kt
ruby | rb
haskell | hs
";

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

/// The end of the name of an opponent that a starter bot sometimes beats: the first one.
const OPPONENT: &str = "greedy";

/// The workflow, and its lines that differ between repositories.
const WORKFLOW: &str = include_str!("../../docs/ci-workflow.yml");
const ADDRESS_LINE: &str = "  ARENA: arena\n";
const GAME_LINE: &str = "  GAME: onitama\n";
const BOT_LINE: &str = "  BOT: bot.py\n";

/// What to set as long as arena has no public address. The first step of the workflow fails with
/// the same words.
const UNPUBLISHED: &str = "arena has no public address yet: put its source into the folder arena of your repository, or set ARENA in .github/workflows/arena.yml to the address of a wheel";
/// The public address of arena, from Cargo.toml; empty if it has none.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How maturin ends the name of a wheel that `.ci/release` builds for the processor of the
/// workflow.
const WHEEL_TAGS: &str =
    "py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl";

/// Instructions for coding agents; words in braces depend on the bot and its game.
const AGENTS: &str = include_str!("init/AGENTS.md");

/// The names of the other files.
const AGENTS_FILE: &str = "AGENTS.md";
const IGNORED: &str = ".gitignore";
const WORKFLOW_FILE: &str = ".github/workflows/arena.yml";

/// What was begun.
#[derive(Serialize, JsonSchema)]
pub(super) struct Begun<'b> {
    /// Folder of the run, the bot or the pool; null without one.
    folder: String,
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: &'b str,
    /// Language of the bot, or one of the list; null with `--referee`.
    language: Option<&'b str>,
    /// Files that were written, such as the input that led to a failure.
    files: Vec<&'b str>,
    /// Packages to install first: of Debian, or of winget on Windows.
    missing_packages: Vec<String>,
    /// Commands to type next.
    next: Vec<Next>,
}

pub(super) fn init(args: &InitArgs, games: &Games) -> Result<u8> {
    if let Some(file) = &args.referee {
        return init_referee(args, file, games);
    }
    let spec = known_game(args.game.as_deref().unwrap_or(FIRST_GAME), games)?;
    let Some((_, starters)) = STARTERS.iter().find(|(game, _)| *game == spec.id) else {
        return Err(UsageError::NoStarter(spec.title.clone(), FIRST_GAME).into());
    };
    let place = match &args.language {
        Some(name) => language(name)?,
        None => LANGUAGES
            .iter()
            .position(|[name, ..]| missing(name).is_none())
            .unwrap_or(0),
    };
    let language = LANGUAGES[place];
    let mut files = vec![
        (language[1], starters[place].to_owned()),
        (CONFIG, config(spec, language)),
        (WORKFLOW_FILE, workflow(spec, language, REPOSITORY)),
        (IGNORED, ignored(spec, language)),
    ];
    if args.agents {
        let text = agents(&spec.title, language[1], [&spec.id, &spec.id], "list rules");
        files.push((AGENTS_FILE, text));
    }
    let files = write(&args.dir, &files)?;
    if REPOSITORY.is_empty() {
        say(&format!("warning: {UNPUBLISHED}"));
    }
    let [name, file, _] = language;
    let missing = missing(name);
    let note = match &missing {
        Some(package) => format!("{name} is not installed here: {INSTALL} {package}\n"),
        None => String::new(),
    };
    let begun = Begun {
        folder: args.dir.display().to_string(),
        game: &spec.id,
        language: Some(name),
        files,
        missing_packages: Vec::from_iter(missing),
        next: next(&spec.id, file),
    };
    begun.show(&format!("{} in {name}", spec.title), &note)
}

/// Writes a config for the game of an external referee.
fn init_referee(args: &InitArgs, file: &str, games: &Games) -> Result<u8> {
    let folder = &args.dir;
    FoundReferee::begin(file, games, |mut found| {
        // Paths in a config start from the current folder.
        let mut file = PathBuf::from(file);
        if !is_here(folder) {
            found.make_absolute()?;
            file = path::absolute(file).context("can't find the current folder")?;
        }
        let mut files = vec![(CONFIG, found.config())];
        if args.agents {
            let pool = format!("--referee {}", word(slashed(&file)));
            // A referee without a statement shows its rules by what it sends.
            let rules = match Rules::find(&file.to_string_lossy(), games) {
                Ok(_) => "list rules",
                Err(_) => "check",
            };
            let text = agents(&found.id, MINE, [CONFIG, &pool], rules);
            files.push((AGENTS_FILE, text));
        }
        let files = write(folder, &files)?;
        let check = format!("arena check {CONFIG}");
        let check_bot = format!("{check} {MINE}");
        let begun = Begun {
            folder: folder.display().to_string(),
            game: &found.id,
            language: None,
            files,
            missing_packages: Vec::new(),
            next: vec![
                Next::new("what does the referee do?", check),
                Next::new("does the bot keep to the protocol?", check_bot),
                Next::new("its first Elo", format!("arena run {CONFIG}")),
            ],
        };
        let seats = count(found.referee.seats as u64, "seat", "seats");
        let note = format!(
            "In it, replace {MINE} and the others by the commands of your bots. It gives the game {seats}.\n"
        );
        begun.show(begun.game, &note)
    })
}

fn is_here(folder: &Path) -> bool {
    folder == Path::new(".")
}

/// Finds a language by one of its names.
fn language(typed: &str) -> Result<usize> {
    let name = typed.to_lowercase();
    let name = find(ALIASES, &name).unwrap_or(&name);
    let known = LANGUAGES.map(|[name, ..]| name);
    let found = known.iter().position(|known| *known == name);
    found.ok_or_else(|| {
        let hint = format!("--language {}", nearest(name, &known).unwrap_or(known[0]));
        UsageError::Unknown("begin a bot in", typed.to_owned(), known.join(", "), hint).into()
    })
}

/// Returns the package to install before bots of a language can play here.
fn missing(language: &str) -> Option<String> {
    let known = standard().remove(language)?;
    list::missing(&known).map(str::to_owned)
}

/// The bot against sample bots, one for each further seat.
fn config(spec: &GameSpec, [_, file, _]: Language) -> String {
    let mut opponents: Vec<&str> = samples::ALL
        .iter()
        .filter(|sample| sample.game == spec.id)
        .map(|sample| sample.name)
        .collect();
    opponents.sort_by_key(|name| !name.ends_with(OPPONENT));
    opponents.truncate(spec.default_seats() - 1);
    let (title, game) = (&spec.title, &spec.id);
    let mut config = format!(
        "# {title}: my bot against sample bots. `arena run --force` plays it again and replaces the results.

[run]
name = \"mine\"
game = \"{game}\"
games = 200
"
    );
    if spec.has_opening {
        config += "# Random first turns: bots that draw nothing at random would repeat one game.\nopening_plies = 4\n";
    }
    let _ = write!(
        config,
        "
[[bot]]
name = \"mine\"
command = \"{file}\"

# `arena list bots` lists all sample bots.
"
    );
    for opponent in opponents {
        let name = opponent.rsplit('-').next().unwrap_or(opponent);
        let _ = write!(
            config,
            "[[bot]]\nname = \"{name}\"\ncommand = \"arena bot {opponent}\"\n\n"
        );
    }
    config.trim_end().to_owned() + "\n"
}

/// Returns the workflow, which installs this version's wheel from its release in a repository.
fn workflow(spec: &GameSpec, [_, file, _]: Language, repository: &str) -> String {
    let mut workflow = WORKFLOW.replace(GAME_LINE, &format!("  GAME: {}\n", spec.id));
    if !repository.is_empty() {
        let wheel =
            format!("{repository}/releases/download/v{VERSION}/arena_cg-{VERSION}-{WHEEL_TAGS}");
        workflow = workflow.replace(ADDRESS_LINE, &format!("  ARENA: {wheel}\n"));
    }
    workflow.replace(BOT_LINE, &format!("  BOT: {file}\n"))
}

/// What git leaves out: results, the input of bots that failed a check, and what compilers write.
fn ignored(spec: &GameSpec, [_, _, outputs]: Language) -> String {
    let programs = if cfg!(windows) { "*.exe\n" } else { "" };
    format!(
        "{RESULTS}/\npool/runs/\npool/index.html\npool/standings.*\npool/.*\ncheck-{}/\n{outputs}\n{programs}",
        spec.id
    )
}

/// Instructions for coding agents about a bot and its game. `pool` is what `arena pool new` takes,
/// and `rules` the verb that shows the rules.
fn agents(title: &str, bot: &str, [game, pool]: [&str; 2], rules: &str) -> String {
    let text = AGENTS.replace("{title}", title).replace("{bot}", bot);
    let text = text.replace("{game}", game).replace("{pool}", pool);
    text.replace("{rules}", rules)
}

/// Writes all files, or none if one of them exists, and returns their names.
fn write(folder: &Path, files: &[File]) -> Result<Vec<&'static str>> {
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let mut there = names.clone();
    there.retain(|name| folder.join(name).symlink_metadata().is_ok());
    if folder.exists() && !folder.is_dir() {
        return Err(InputError::IsFile(folder.to_owned()).into());
    }
    if !there.is_empty() {
        return Err(InputError::IsThere(folder.to_owned(), there.join(", ")).into());
    }
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))
            .and_then(|()| fs::write(&path, text))
            .map_err(io_error("write", &path))?;
    }
    Ok(names)
}

/// The commands to type after a bot was written to a file.
fn next(game: &str, file: &str) -> Vec<Next> {
    let strong = samples::ALL
        .iter()
        .rfind(|sample| sample.game == game)
        .map_or("", |sample| sample.name);
    let duel = format!("arena duel {game} \"arena bot {strong} --depth 1\" {file} --games 200");
    let pool = format!("arena pool new {game}");
    vec![
        Next::new("does it keep to the protocol?", "arena check"),
        Next::new("its first Elo", "arena run"),
        Next::new("a stronger opponent", duel),
        Next::new("keep every version, and know the best", pool),
    ]
}

impl Begun<'_> {
    /// Shows what was written, and commands to type next, each with what it is for.
    fn show(&self, what: &str, note: &str) -> Result<u8> {
        show(exit::OK, self, || {
            let (files, folder) = (self.files.join(", "), &self.folder);
            let (mut place, mut enter) = (String::new(), String::new());
            if !is_here(Path::new(folder)) {
                place = format!(" into {folder}");
                enter = format!("  cd {}\n", word(folder));
            }
            let text = format!("{what}: wrote {files}{place}\n{note}\nNext:\n{enter}");
            Screen::stdout().prose(&text) + &Next::text(&self.next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wheel is in the release that `.github/workflows/release.yml` makes of the tag.
    #[test]
    fn the_workflow_installs_the_wheel_of_the_release() {
        let games = Games::standard();
        let spec = known_game("onitama", &games).unwrap();
        let written = workflow(spec, LANGUAGES[0], "https://example.org/me/arena");
        let mut lines = written.lines();
        let address = lines
            .find_map(|line| line.strip_prefix("  ARENA: "))
            .unwrap();
        let release = format!("https://example.org/me/arena/releases/download/v{VERSION}/");
        let file = address.strip_prefix(&release).unwrap();
        assert!(file.starts_with(&format!("arena_cg-{VERSION}-py3-none-")));
    }
}
