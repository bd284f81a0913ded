//! `arena pool new`.

use std::path::Path;

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Serialize;

use super::game::CommonArgs;
use crate::cli::contest::known_game;
use crate::cli::exit;
use crate::cli::failure::Result;
use crate::cli::init::FoundReferee;
use crate::cli::output::{Next, show};
use crate::cli::terms::FIRST_GAME;
use crate::pool;
use arena_games::Games;

/// Make an empty pool for a game
#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The game, see `arena list games` [default: onitama]
    game: Option<String>,
    /// An external referee, as `arena init --referee` takes it
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with = "game")]
    referee: Option<String>,
}

/// What `pool.toml` says besides the game.
const REST: &str = r#"
# How much `arena pool try` plays. For a number of games, replace `for` by `games = 600`.
[try]
for = "10m"
# A version that is better with this likelihood, in percent, is called likely stronger.
# With 350 games or fewer, 80 finds more improvements.
# sure = 90

# Further keys: docs/reference/config.md. Paths start from this folder. Games under other limits or
# rules are rated apart.
# [clock]
# turn_ms = 100
"#;

pub(super) fn new(args: &NewArgs, common: &CommonArgs, games: &Games) -> Result<u8> {
    let folder = common.pool.as_deref().unwrap_or(Path::new(pool::DEFAULT));
    match &args.referee {
        None => {
            let spec = known_game(args.game.as_deref().unwrap_or(FIRST_GAME), games)?;
            create(folder, &spec.id, "")
        }
        Some(given) => FoundReferee::begin(given, games, |mut found| {
            found.make_absolute()?;
            let table = format!("\n[game.{}]\n{}", found.id, found.table());
            create(folder, &found.id, &table)
        }),
    }
}

/// A new pool.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct NewPool<'p> {
    /// Folder of the run, the bot or the pool; null without one.
    folder: String,
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: &'p str,
    /// Commands to type next.
    next: [Next; 2],
}

fn create(folder: &Path, game: &str, table: &str) -> Result<u8> {
    let config = format!(
        "# A pool for {game}: `arena pool try NAME=BOT` keeps a version and plays it.\n\n[run]\ngame = \"{game}\"\n{table}{REST}"
    );
    pool::create(folder, &config)?;
    let option = pool::option(folder);
    let folder = folder.display().to_string();
    let first = format!("arena pool try v1=bot.py{option}");
    let other = format!("arena pool add friend=\"./friend\"{option}");
    let next = [
        Next::new("keep the first version of your bot", first),
        Next::new("add an opponent", other),
    ];
    let made = NewPool { folder, game, next };
    show(exit::OK, &made, || {
        let (folder, next) = (&made.folder, Next::text(&made.next));
        format!("made a pool for {game} in {folder}\n\nNext:\n{next}")
    })
}
