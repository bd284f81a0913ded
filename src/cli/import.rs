//! `arena import`.

use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};
use schemars::JsonSchema;
use serde::Serialize;

use super::contest::known_game;
use super::failure::Result;
use super::output::show;
use super::supervised::interruptible;
use super::{exit, run};
use crate::battle::{self, Battle, Unfit};
use crate::play::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::store::{self, RunFolder};
use crate::tournament;
use arena_games::{GameSpec, Games, Options};
use arena_process::{on_all_cores, open_input, slashed};
use arena_section::text::quoted;
use arena_section::words::count;

mod foreign;
mod people;

use foreign::ForeignReferee;
use people::Exact;

/// Where to write the run if `--out` doesn't say.
const OUT: &str = "results/import";
/// The game whose maps arena doesn't have.
const KUTULU: &str = "kutulu";
/// The first league of Kutulu that arena's referee plays.
const FIRST_LEAGUE: u64 = 4;
/// Maximum number of bytes of a file after decompression. In memory, hostile JSON is much larger.
const MOST_BYTES: u64 = 64 << 20;

/// Import battles that you saved from the site
///
/// Reads JSON as the site sends it, plain or gzip, and arrays of battles. Plays the answers through
/// the referee and compares seats, number of frames and the result, and with --referee also the
/// summaries and tooltips. Battles that agree become the games of a run directory, for `arena
/// replay`, `report`, `rate` and `verify`. Prints a line for each battle. The exit status is 3 if
/// anything isn't a battle, else 1 if any battle differs, else 5 if any can't be checked.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Files of battles, or - for standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// The game [default: the one in the battle's title]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The referee of another game
    ///
    /// A jar made with the SDK, another program, or a config with [game.NAME], as FILE.toml or
    /// FILE.toml:NAME.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "maps"], value_hint = ValueHint::FilePath)]
    referee: Option<String>,
    /// The league of the battles
    ///
    /// Only for Kutulu and for jars. The default is the one in the file, or the one that fits.
    #[arg(long, value_name = "N")]
    league: Option<u64>,
    /// The folder with Kutulu's original maps
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    maps: Option<PathBuf>,
    /// Your name on the site, or the number of your submission
    #[arg(long, value_name = "NAME|AGENT", allow_hyphen_values = true)]
    me: Option<String>,
    /// The run directory to write
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = OUT)]
    out: PathBuf,
    /// Replace the run in the run directory
    #[arg(long)]
    force: bool,
}

/// What became of files of battles.
#[derive(Serialize, JsonSchema)]
pub(super) struct Imported {
    /// Battles in the files.
    battles: Vec<ImportedPart>,
    /// Battles that became games of the run.
    #[serde(rename = "games_imported")]
    games: usize,
    /// Folder of the run, the bot or the pool; null without one.
    folder: Option<String>,
}

/// A part of a file.
#[derive(Serialize, JsonSchema)]
struct ImportedPart {
    /// File or folder, with the line or the index if it is known; null if there is none.
    place: String,
    /// The battle's number on the site; null if unknown.
    battle_id: Option<String>,
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    game: Option<String>,
    /// `exact`: the referee agrees. `differs`: it doesn't. `unchecked`: it can't be checked.
    /// `no_battle`: it isn't one.
    compared: ImportResult,
    /// What is wrong; null if the battle is exact.
    why: Option<String>,
    #[serde(skip)]
    exact: Option<Exact>,
}

/// What became of a part, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ImportResult {
    /// The referee agrees with the battle.
    Exact,
    /// It can't be checked.
    Unchecked,
    /// The referee comes to something else.
    Differs,
    /// It isn't a battle.
    NoBattle,
}

pub(super) fn import(args: &ImportArgs, games: &Games) -> Result<u8> {
    let existing = run::existing(false, args.force);
    let Some(referee) = &args.referee else {
        let folder = RunFolder::look(&args.out, None, existing, true)?;
        let games = with_maps(args, games)?;
        let check_file =
            |(): &mut _, file: &PathBuf| check_file(file, |battle| check(args, &games, battle));
        let checked = on_all_cores(&args.files, || (), check_file);
        return finish(args, folder, checked.into_iter().flatten().collect());
    };
    interruptible(DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        let folder = RunFolder::look(&args.out, None, existing, true)?;
        supervised.warn();
        let mut referee = ForeignReferee::new(referee, args.league, games, supervised)?;
        let mut checked = Vec::new();
        for file in &args.files {
            checked.extend(check_file(file, |battle| referee.check(&battle)));
            if supervised.signal_code() != exit::OK {
                return Err(supervised.interrupted());
            }
        }
        finish(args, folder, checked)
    })
}

/// Reads a file and checks each part; `check` plays a battle.
fn check_file(
    path: &Path,
    mut check: impl FnMut(Battle) -> Result<Exact, Unfit>,
) -> Vec<ImportedPart> {
    let found = match read(path) {
        Ok(bytes) => battle::read(&bytes),
        Err(error) => vec![(String::new(), Err(Unfit::NoBattle(error.to_string())))],
    };
    let mut parts = Vec::new();
    for (place, battle) in found {
        let place = format!("{} {place}", path.display());
        let site = battle.as_ref().ok().map(|battle| &battle.site);
        let battle_id = site.and_then(|site| site.id.clone());
        let checked = battle.and_then(&mut check);
        let (exact, unfit) = (checked.as_ref().ok(), checked.as_ref().err());
        parts.push(ImportedPart {
            place: place.trim_end().to_owned(),
            battle_id,
            game: exact.map(|exact| exact.spec.id.clone()),
            compared: match unfit {
                None => ImportResult::Exact,
                Some(Unfit::Unchecked(_)) => ImportResult::Unchecked,
                Some(Unfit::Differs { .. }) => ImportResult::Differs,
                Some(Unfit::NoBattle(_)) => ImportResult::NoBattle,
            },
            why: unfit.map(ToString::to_string),
            exact: checked.ok(),
        });
    }
    parts
}

/// Reads a file, plain or gzip; `-` is standard input.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = match path.to_str() {
        // Windows has no path for it.
        Some("-") if cfg!(windows) => store::unpacked(io::stdin())?,
        Some("-") => store::unpacked(open_input(Path::new("/dev/stdin"))?)?,
        _ => store::unpacked(open_input(path)?)?,
    };
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("it has more than 64 MiB; split it"));
    }
    Ok(bytes)
}

/// Writes the exact battles, and shows a line for each part of the files.
fn finish(args: &ImportArgs, folder: RunFolder, mut battles: Vec<ImportedPart>) -> Result<u8> {
    let exact: Vec<Exact> = battles
        .iter_mut()
        .filter_map(|part| part.exact.take())
        .collect();
    let status = match battles.iter().map(|part| part.compared).max() {
        Some(ImportResult::NoBattle) => exit::INPUT,
        Some(ImportResult::Differs) => exit::CHECK_FAILED,
        Some(ImportResult::Unchecked) => exit::ABORTED_GAMES,
        Some(ImportResult::Exact) | None => exit::OK,
    };
    let mut imported = Imported {
        games: exact.len(),
        folder: None,
        battles,
    };
    if !exact.is_empty() {
        let (plan, records) = people::plan(&args.out, args.me.as_deref(), exact);
        tournament::import(&plan, &records, folder)?;
        imported.folder = Some(args.out.display().to_string());
    }
    show(status, &imported, || imported.text())
}

impl Imported {
    fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.battles {
            text += &part.place;
            if let Some(id) = &part.battle_id {
                let _ = write!(text, " (battle {id})");
            }
            let _ = match &part.why {
                Some(why) => writeln!(text, ": {why}"),
                None => writeln!(
                    text,
                    ": exact, {}",
                    part.game.as_deref().unwrap_or_default()
                ),
            };
        }
        match &self.folder {
            Some(out) => {
                let games = count(self.games as u64, "battle", "battles");
                text + &format!("{games} imported into {out}; `arena replay {out}` lists them\n")
            }
            None => text + "no battle is exact, so there is nothing to write\n",
        }
    }
}

/// Returns the built-in games, with Kutulu on the maps of `--maps`.
fn with_maps(args: &ImportArgs, games: &Games) -> Result<Games> {
    if let Some(name) = &args.game {
        known_game(name, games)?;
    }
    let mut games = games.clone();
    if let Some(folder) = &args.maps
        && let Some(kutulu) = games.0.iter_mut().find(|spec| spec.id == KUTULU)
    {
        let options = Options::from_iter([("maps".to_owned(), slashed(folder).into())]);
        *kutulu = kutulu.configured(&options, &store::read_folder)?;
    }
    Ok(games)
}

/// Plays a battle through the referee of a built-in game.
fn check(args: &ImportArgs, games: &Games, battle: Battle) -> Result<Exact, Unfit> {
    let spec = game_of(args, games, &battle)?;
    Ok(Exact {
        record: battle::check_moves(&battle, &spec)?,
        battle,
        spec,
        referee: None,
    })
}

/// Returns the game of a battle, or why arena can't play the battle.
fn game_of(args: &ImportArgs, games: &Games, battle: &Battle) -> Result<Arc<GameSpec>, Unfit> {
    let Some(name) = args.game.as_ref().or(battle.title.as_ref()) else {
        return unchecked("it has no title; give --game NAME, or --referee FILE for another game");
    };
    let Some(spec) = games.search(name) else {
        let title = quoted(name);
        return unchecked(&format!(
            "arena has no game {title}; give --game NAME, or --referee FILE for another game"
        ));
    };
    let seats = battle.scores.len();
    if !spec.seats.contains(&seats) {
        return unchecked(&format!("{} isn't played in {seats} seats", spec.title));
    }
    if spec.id == KUTULU {
        if let Some(league) = args.league.or(battle.league)
            && league < FIRST_LEAGUE
        {
            return unchecked(&format!(
                "Kutulu's league {league} has other rules; arena plays those of Bronze and above"
            ));
        }
        if args.maps.is_none() {
            return unchecked(
                "arena doesn't have Kutulu's original maps; name their folder with --maps",
            );
        }
    }
    Ok(Arc::clone(spec))
}

fn unchecked<T>(why: &str) -> Result<T, Unfit> {
    Err(Unfit::Unchecked(why.to_owned()))
}
