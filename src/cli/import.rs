//! `arena import`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::{Args, ValueHint};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::contest::known_game;
use super::supervised::supervised;
use super::{Failure, exit, run};
use crate::battle::{self, Battle, Difference, Fingerprint, Found, Listed, Place};
use crate::play::foreign::{DEFAULT_REFEREE_MEMORY_MB, Referee};
use crate::play::record::Record;
use crate::report::{Event, Reporter};
use crate::store;
use crate::tournament;
use arena_games::{GameSpec, Games, Options};
use arena_process::Mode;
use arena_section::words::count;

mod files;
mod foreign;
mod opponents;
mod people;

use files::Item;
use foreign::ForeignReferee;

/// Where to write the run if `--out` doesn't say.
const OUT: &str = "results/import";
/// The game whose maps arena doesn't have.
const KUTULU: &str = "kutulu";
/// The game in which the site's referee draws a move for `RANDOM`.
const DICE_SHOGI: &str = "dice_shogi";
/// The first league of Kutulu that arena's referee plays.
const FIRST_LEAGUE: u64 = 4;

/// Import battles that you saved from the site
///
/// Reads battles as the site sends them and as tools save them: JSON, plain or gzip, alone, in arrays, as JSON lines or inside
/// other objects. Plays the answers through the referee and compares everything that the battle says. Battles that agree become
/// the games of a run directory, for `arena replay`, `report`, `rate` and `verify`. Prints a line for each battle. The exit status
/// is 3 if anything isn't a battle, else 1 if any battle differs, else 5 if any can't be checked.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Files of battles, folders with such files, or - for standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// The game [default: whichever game of arena fits]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The referee of another game
    ///
    /// A jar made with the SDK, another program, or a config with [game.NAME], as FILE.toml or FILE.toml:NAME.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "maps"], value_hint = ValueHint::FilePath)]
    referee: Option<String>,
    /// The league of the battles
    ///
    /// The default is the one in the file, or the one that fits.
    #[arg(long, value_name = "N")]
    league: Option<u64>,
    /// The folder with Kutulu's original maps
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    maps: Option<PathBuf>,
    /// Your name on the site, or the number of your submission
    #[arg(long, value_name = "NAME|AGENT", allow_hyphen_values = true)]
    me: Option<String>,
    /// Replace the names of other players
    #[arg(long)]
    anonymous: bool,
    /// The run directory to write
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = OUT)]
    out: PathBuf,
    /// Replace the run in the run directory
    #[arg(long)]
    force: bool,
}

pub(super) fn import(args: &ImportArgs, games: &Games) -> Result<u8, Failure> {
    let items = files::items(&args.files);
    let Some(referee) = &args.referee else {
        let referees = Referees::new(args, games)?;
        let checked: Vec<Checked> = items
            .into_par_iter()
            .with_max_len(1)
            .map(|item| Checked::of(item, |battle| referees.try_all(battle)))
            .collect();
        return finish(args, checked);
    };
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        let mut referee = ForeignReferee::new(referee, args.league, games, supervised)?;
        let items = items.into_iter();
        let checked = items.map(|item| Checked::of(item, |battle| referee.check(battle)));
        finish(args, checked.collect())
    })
}

/// Prints a line for each part of the files, and writes the exact battles.
fn finish(args: &ImportArgs, checked: Vec<Checked>) -> Result<u8, Failure> {
    let mut tally = Tally::default();
    for checked in checked {
        let line = tally.take(checked);
        super::print(line + "\n")?;
    }
    if let Some(me) = &args.me
        && let Some(table) = opponents::opponents(&tally.listed, me, args.anonymous)
    {
        super::print(format!("\nopponents in lists of last battles\n{table}\n"))?;
    }
    let kept = tally.kept.len() as u64;
    if kept > 0 {
        write(args, &mut tally)?;
        let out = args.out.display();
        let games = count(kept, "battle", "battles");
        super::print(format!(
            "{games} imported into {out}; `arena replay {out}` lists them\n"
        ))?;
    } else {
        super::print("no battle is exact, so there is nothing to write\n")?;
    }
    Ok(tally.code())
}

/// Writes the run directory.
fn write(args: &ImportArgs, tally: &mut Tally) -> Result<(), Failure> {
    let people = people::People {
        me: args.me.as_deref(),
        is_anonymous: args.anonymous,
    };
    let (plan, records) = people.plan(&args.out, std::mem::take(&mut tally.kept));
    if let Some(unknown) = args.me.as_ref().filter(|_| !people::has_me(&plan)) {
        super::say(&format!(
            "warning: these battles have no player `{unknown}`"
        ));
    }
    let existing = run::existing(false, args.force);
    let written = tournament::import(&plan, &records, &args.out, existing, &mut Quiet);
    written.map(drop).map_err(Failure::from)
}

/// Shows nothing: `arena import` prints its own lines.
struct Quiet;

impl Reporter for Quiet {
    fn event(&mut self, _: &Event<'_>) {}
}

/// A battle that the referee agrees with.
struct Exact {
    battle: Battle,
    spec: Arc<GameSpec>,
    /// The referee, if it is an external one.
    referee: Option<Referee>,
    record: Record,
}

/// What became of a part of a file.
enum Outcome {
    Exact(Box<Exact>, String),
    Differs(String),
    Unchecked(String),
    NoBattle(String),
}

/// A part of a file with what became of it.
struct Checked {
    place: Place,
    /// The number of the battle and its digests.
    battle: Option<(Option<String>, Fingerprint)>,
    outcome: Outcome,
    /// The battle of a list of last battles.
    listed: Option<Listed>,
}

impl Checked {
    /// Checks a part; `check` plays a battle.
    fn of(item: Item, check: impl FnOnce(Battle) -> Outcome) -> Checked {
        let Item { place, found } = item;
        let mut listed = None;
        let (battle, outcome) = match found {
            Ok(Found::Battle(battle)) => {
                let known = (battle.id.clone(), battle.fingerprint());
                (Some(known), check(*battle))
            }
            Ok(Found::Listed(battle)) => {
                listed = Some(battle);
                let why =
                    "a list of last battles has no seed and no answers; save the battle itself";
                (None, Outcome::Unchecked(why.to_owned()))
            }
            Err(problem) => (None, Outcome::NoBattle(problem.0)),
        };
        Checked {
            place,
            battle,
            outcome,
            listed,
        }
    }
}

/// Counts what became of all parts, and collects exact battles.
#[derive(Default)]
struct Tally {
    kept: Vec<Exact>,
    listed: Vec<Listed>,
    /// The battles so far, by their numbers, with their places.
    seen: BTreeMap<String, Vec<(Fingerprint, String)>>,
    no_battles: u64,
    differing: u64,
    unchecked: u64,
}

impl Tally {
    /// Takes a part and returns the line about it.
    fn take(&mut self, checked: Checked) -> String {
        let Checked {
            place,
            battle,
            outcome,
            listed,
        } = checked;
        self.listed.extend(listed);
        let mut head = place.to_string();
        let mut note = String::new();
        if let Some((Some(id), fingerprint)) = battle {
            let _ = write!(head, " (battle {id})");
            let seen = self.seen.entry(id).or_default();
            if let Some((_, first)) = seen.iter().find(|(seen, _)| seen.agrees(&fingerprint)) {
                return format!("{head}: left out, the same battle as in {first}");
            }
            if let Some((_, first)) = seen.first() {
                note = format!("; another battle in {first} has the same number");
            }
            seen.push((fingerprint, place.to_string()));
        }
        let said = match outcome {
            Outcome::Exact(exact, said) => {
                self.kept.push(*exact);
                said
            }
            Outcome::Differs(said) => {
                self.differing += 1;
                said
            }
            Outcome::Unchecked(why) => {
                self.unchecked += 1;
                format!("can't be checked: {why}")
            }
            Outcome::NoBattle(why) => {
                self.no_battles += 1;
                format!("not a battle: {why}")
            }
        };
        format!("{head}: {said}{note}")
    }

    fn code(&self) -> u8 {
        if self.no_battles > 0 {
            exit::INPUT
        } else if self.differing > 0 {
            exit::CHECK_FAILED
        } else if self.unchecked > 0 {
            exit::ABORTED_GAMES
        } else {
            exit::OK
        }
    }
}

/// The referees to try.
struct Referees {
    specs: Vec<Arc<GameSpec>>,
    /// Whether the user named the game.
    is_named: bool,
    has_maps: bool,
    league: Option<u64>,
}

impl Referees {
    fn new(args: &ImportArgs, games: &Games) -> Result<Referees, Failure> {
        let named = match &args.game {
            Some(name) => vec![Arc::clone(known_game(name, games)?)],
            None => games.0.clone(),
        };
        let mut specs = Vec::new();
        for spec in named {
            specs.push(match &args.maps {
                Some(folder) if spec.id == KUTULU => with_maps(&spec, folder)?,
                _ => spec,
            });
        }
        Ok(Referees {
            specs,
            is_named: args.game.is_some(),
            has_maps: args.maps.is_some(),
            league: args.league,
        })
    }

    /// Plays a battle through the referees with its number of seats.
    fn try_all(&self, battle: Battle) -> Outcome {
        let seats = battle.scores.len();
        let mut specs: Vec<&Arc<GameSpec>> = self.specs.iter().collect();
        specs.retain(|spec| spec.seats.contains(&seats));
        // A title decides, if it is the one of a game.
        let titled = battle
            .title
            .as_deref()
            .map(|title| Games(self.specs.clone()).search(title).cloned());
        if let Some(Some(titled)) = titled {
            specs.retain(|spec| spec.id == titled.id);
        }
        if let Some((key, value)) = battle.options.first() {
            return Outcome::Unchecked(format!(
                "its refereeInput has `{key}={value}`, and arena's referees only take a seed"
            ));
        }
        let mut fits: Vec<(&Arc<GameSpec>, Record)> = Vec::new();
        let mut nearest: Option<(&Arc<GameSpec>, Difference)> = None;
        for spec in specs {
            let checked = if spec.id == DICE_SHOGI {
                battle::check_moves(&battle, spec)
            } else {
                battle::check(&battle, spec)
            };
            match checked {
                Ok(record) => fits.push((spec, record)),
                Err(difference) => {
                    let reach = nearest.as_ref().map(|(_, other)| other.reach());
                    if reach.is_none_or(|reach| difference.reach() > reach) {
                        nearest = Some((spec, difference));
                    }
                }
            }
        }
        match (likeliest(&mut fits), nearest) {
            (Some((spec, record)), _) => {
                let mut said = format!("exact, {}", spec.id);
                for (other, _) in fits {
                    let _ = write!(said, " (also {}; --game decides)", other.id);
                }
                let spec = Arc::clone(spec);
                let exact = Exact {
                    battle,
                    spec,
                    referee: None,
                    record,
                };
                Outcome::Exact(Box::new(exact), said)
            }
            (None, Some((spec, difference))) => self.differs(&battle, spec, &difference),
            (None, None) => Outcome::Unchecked(format!(
                "no game of arena has {seats} seats{}",
                if self.is_named { " and this name" } else { "" }
            )),
        }
    }

    /// Reports the difference of the game that got furthest.
    fn differs(&self, battle: &Battle, spec: &GameSpec, difference: &Difference) -> Outcome {
        let league = self.league.or(battle.league);
        if spec.id == DICE_SHOGI
            && let Some(at) = battle::hidden_move(battle, difference)
        {
            return Outcome::Unchecked(format!(
                "the referee drew the move of frame {at}, and no offered move fits the rest: {difference}"
            ));
        }
        if spec.id == KUTULU {
            if let Some(league) = league.filter(|league| *league < FIRST_LEAGUE) {
                return Outcome::Unchecked(format!(
                    "Kutulu's league {league} has other rules; arena plays those of Bronze and above"
                ));
            }
            if !self.has_maps {
                return Outcome::Unchecked(
                    "arena doesn't have Kutulu's original maps; name their folder with --maps"
                        .to_owned(),
                );
            }
        }
        let game = &spec.id;
        let note = match difference.frame {
            _ if self.is_named => String::new(),
            0 | 1 => format!(" (as {game}; --referee names the referee of another game)"),
            _ => format!(" (as {game}, which fits longest)"),
        };
        Outcome::Differs(format!("differs at {difference}{note}"))
    }
}

/// Takes the likeliest of the games that a battle fits. Dice Shogi comes after `MiniShogi` and offers a
/// part of its moves, so a game with moves that fits both is one of Dice Shogi. Without a move, nobody
/// knows.
fn likeliest<'a>(
    fits: &mut Vec<(&'a Arc<GameSpec>, Record)>,
) -> Option<(&'a Arc<GameSpec>, Record)> {
    let (_, record) = fits.first()?;
    if record.steps.len() > 1 {
        fits.pop()
    } else {
        Some(fits.remove(0))
    }
}

/// Returns Kutulu on the maps of a folder.
fn with_maps(spec: &GameSpec, folder: &Path) -> Result<Arc<GameSpec>, Failure> {
    let Some(folder) = folder.to_str() else {
        return Err(Failure::usage(anyhow!(
            "can't use {} as --maps: its name isn't UTF-8 text",
            folder.display()
        )));
    };
    let options = Options::from_iter([("maps".to_owned(), folder.into())]);
    let configured = spec.configured(&options, &store::read_folder);
    configured
        .map(|configured| configured.game)
        .map_err(|error| Failure::input(anyhow!("{error}")))
}
