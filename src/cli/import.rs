//! `arena import`.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::{Args, ValueHint};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::contest::known_game;
use super::supervised::supervised;
use super::{Failure, exit, run};
use crate::battle::{self, Agent, Battle, Difference, Fingerprint, Frame, Listed};
use crate::play::foreign::{DEFAULT_REFEREE_MEMORY_MB, Referee};
use crate::play::record::Record;
use crate::store;
use crate::tournament;
use arena_games::{GameSpec, Games, Options};
use arena_process::Mode;
use arena_section::text::quoted;
use arena_section::words::count;

mod files;
mod foreign;
mod opponents;
mod people;

use foreign::ForeignReferee;

/// Where to write the run if `--out` doesn't say.
const OUT: &str = "results/import";
/// The game whose maps arena doesn't have.
const KUTULU: &str = "kutulu";
/// The first league of Kutulu that arena's referee plays.
const FIRST_LEAGUE: u64 = 4;
/// What to type for a game that arena doesn't have.
const OTHER_GAME: &str = "name the referee of another game with --referee";

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
    /// Only for Kutulu and for jars. The default is the one in the file, or the one that fits.
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
    let existing = run::existing(false, args.force);
    store::check_free(&args.out, existing)?;
    let files = files::files(&args.files);
    let Some(referee) = &args.referee else {
        let referees = Referees::new(args, games)?;
        let files = files.into_par_iter().with_max_len(1);
        let checked = files.flat_map_iter(|file| file.check(&mut |battle| referees.check(battle)));
        return finish(args, checked.collect());
    };
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.handle_signals(None)?;
        supervised.warn();
        let mut referee = ForeignReferee::new(referee, args.league, games, supervised)?;
        let mut checked = Vec::new();
        for file in files {
            checked.extend(file.check(&mut |battle| referee.check(battle)));
            if supervised.signal_code() != exit::OK {
                super::say("interrupted: nothing was written");
                return Ok(supervised.signal_code());
            }
        }
        finish(args, checked)
    })
}

/// Prints a line for each part of the files, and writes the exact battles.
fn finish(args: &ImportArgs, checked: Vec<Checked>) -> Result<u8, Failure> {
    let copies = copies(&checked);
    let mut tally = Tally::default();
    for (at, checked) in checked.into_iter().enumerate() {
        let head = checked.head();
        let said = match copies.get(&at) {
            Some(fuller) => format!("left out, the same battle as in {fuller}"),
            None => tally.take(checked),
        };
        super::print(format!("{head}: {said}\n"))?;
    }
    if let Some(me) = &args.me
        && let Some(table) = opponents::opponents(&tally.listed, me, args.anonymous)
    {
        super::print(format!("\nopponents in lists of last battles\n{table}\n"))?;
    }
    let code = tally.code();
    let kept = tally.kept.len() as u64;
    if kept > 0 {
        write(args, tally.kept)?;
        let out = args.out.display();
        let games = count(kept, "battle", "battles");
        super::print(format!(
            "{games} imported into {out}; `arena replay {out}` lists them\n"
        ))?;
    } else {
        super::print("no battle is exact, so there is nothing to write\n")?;
    }
    Ok(code)
}

/// Writes the run directory.
fn write(args: &ImportArgs, kept: Vec<Exact>) -> Result<(), Failure> {
    let (plan, records) = people::plan(&args.out, args.me.as_deref(), args.anonymous, kept);
    if let Some(unknown) = args.me.as_ref().filter(|_| !people::has_me(&plan)) {
        super::say(&format!(
            "warning: these battles have no player `{unknown}`"
        ));
    }
    let existing = run::existing(false, args.force);
    let written = tournament::import(&plan, &records, &args.out, existing);
    written.map(drop).map_err(Failure::from)
}

/// A battle that the referee agrees with.
struct Exact {
    id: Option<String>,
    agents: Vec<Agent>,
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
    /// The players of a battle in a list of last battles.
    Listed(Listed),
}

impl Outcome {
    /// Returns a battle that the referee agrees with, and what to say of it besides its game.
    fn exact(
        battle: Battle,
        spec: Arc<GameSpec>,
        referee: Option<Referee>,
        record: Record,
        more: &str,
    ) -> Outcome {
        let said = format!("exact, {}{more}", spec.id);
        let exact = Exact {
            id: battle.id,
            agents: battle.agents,
            spec,
            referee,
            record,
        };
        Outcome::Exact(Box::new(exact), said)
    }

    /// Returns what to say of a difference, with the game if it was one of several.
    fn of(difference: Difference, is_one_of_several: bool) -> Outcome {
        if difference.is_failure {
            return Outcome::Unchecked(difference.what);
        }
        let mut said = format!("differs at {difference}");
        if is_one_of_several {
            let _ = write!(said, " (as {}, which fits longest)", difference.game);
        }
        Outcome::Differs(said)
    }
}

/// A part of a file with what became of it.
struct Checked {
    /// The file, and the place in it.
    place: String,
    /// The digests of a battle with a number.
    battle: Option<(String, Fingerprint)>,
    outcome: Outcome,
}

impl Checked {
    /// Returns the place and the number of the battle.
    fn head(&self) -> String {
        let number = self
            .battle
            .as_ref()
            .map(|(id, _)| format!(" (battle {id})"));
        format!("{}{}", self.place, number.unwrap_or_default())
    }
}

/// Finds the battles of which another one of the same number has everything, and the place of that one.
/// The first of equal battles isn't a copy.
fn copies(checked: &[Checked]) -> BTreeMap<usize, String> {
    let mut same_number: BTreeMap<&str, Vec<(usize, &Fingerprint)>> = BTreeMap::new();
    for (at, checked) in checked.iter().enumerate() {
        if let Some((id, fingerprint)) = &checked.battle {
            same_number.entry(id).or_default().push((at, fingerprint));
        }
    }
    let mut copies = BTreeMap::new();
    for battles in same_number.values() {
        for (at, own) in battles {
            let fuller = battles.iter().find(|(other, fingerprint)| {
                let is_equal = own.has_all_of(fingerprint);
                other != at && fingerprint.has_all_of(own) && (other < at || !is_equal)
            });
            copies.extend(fuller.map(|(fuller, _)| (*at, checked[*fuller].place.clone())));
        }
    }
    copies
}

/// Collects what became of all parts.
#[derive(Default)]
struct Tally {
    kept: Vec<Exact>,
    listed: Vec<Listed>,
    /// The numbers of the battles so far, with their places.
    seen: BTreeMap<String, String>,
    codes: BTreeSet<u8>,
}

impl Tally {
    /// Takes a part and returns what to say of it.
    fn take(&mut self, checked: Checked) -> String {
        let (mut said, code) = match checked.outcome {
            Outcome::Exact(exact, said) => {
                self.kept.push(*exact);
                (said, exit::OK)
            }
            Outcome::Differs(said) => (said, exit::CHECK_FAILED),
            Outcome::Unchecked(why) => (format!("can't be checked: {why}"), exit::ABORTED_GAMES),
            Outcome::NoBattle(why) => (format!("not a battle: {why}"), exit::INPUT),
            Outcome::Listed(players) => {
                self.listed.push(players);
                let why =
                    "a list of last battles has no seed and no answers; save the battle itself";
                (format!("can't be checked: {why}"), exit::ABORTED_GAMES)
            }
        };
        self.codes.insert(code);
        if let Some((id, _)) = checked.battle {
            match self.seen.entry(id) {
                Entry::Occupied(first) => {
                    let _ = write!(
                        said,
                        "; another battle in {} has the same number",
                        first.get()
                    );
                }
                Entry::Vacant(first) => drop(first.insert(checked.place)),
            }
        }
        said
    }

    /// Returns the exit status: that of the worst part.
    fn code(&self) -> u8 {
        let worst = [exit::INPUT, exit::CHECK_FAILED, exit::ABORTED_GAMES];
        let mut worst = worst.into_iter().filter(|code| self.codes.contains(code));
        worst.next().unwrap_or(exit::OK)
    }
}

/// The built-in games to try.
struct Referees<'a> {
    specs: Vec<Arc<GameSpec>>,
    args: &'a ImportArgs,
}

impl Referees<'_> {
    fn new<'a>(args: &'a ImportArgs, games: &Games) -> Result<Referees<'a>, Failure> {
        let named = match &args.game {
            Some(name) => vec![Arc::clone(known_game(name, games)?)],
            None => games.0.clone(),
        };
        for (flag, is_given) in [
            ("--league", args.league.is_some()),
            ("--maps", args.maps.is_some()),
        ] {
            if is_given && named.iter().all(|spec| spec.id != KUTULU) {
                let game = &named[0].title;
                let error = anyhow!("{flag} is for Kutulu, and {game} has none");
                return Err(Failure::usage(error));
            }
        }
        let mut specs = Vec::new();
        for spec in named {
            specs.push(match &args.maps {
                Some(folder) if spec.id == KUTULU => with_maps(&spec, folder)?,
                _ => spec,
            });
        }
        Ok(Referees { specs, args })
    }

    /// Whether the user named the game.
    fn is_named(&self) -> bool {
        self.args.game.is_some()
    }

    /// Returns the games that a battle may be of, the likeliest first.
    fn fitting(&self, battle: &Battle) -> Vec<&Arc<GameSpec>> {
        let mut specs: Vec<&Arc<GameSpec>> = self.specs.iter().collect();
        specs.retain(|spec| spec.seats.contains(&battle.scores.len()));
        // A title decides, if it is the one of a game.
        match self.titled(battle) {
            Some(titled) => specs.retain(|spec| spec.id == titled.id),
            None if self.is_named() => {}
            None => specs.retain(|spec| battle::has_actions_of(&spec.id, battle)),
        }
        // Dice Shogi comes after MiniShogi and offers a part of its moves, so a game with moves that
        // fits both is one of Dice Shogi.
        if battle.frames.len() > 2 {
            specs.reverse();
        }
        specs
    }

    /// Returns the game with the title of a battle.
    fn titled(&self, battle: &Battle) -> Option<&Arc<GameSpec>> {
        let title = battle.title.as_deref()?;
        let found = Games(self.specs.clone()).search(title)?.id.clone();
        self.specs.iter().find(|spec| spec.id == found)
    }

    /// Plays a battle through the referees that may fit.
    fn check(&self, battle: Battle) -> Outcome {
        if let Some((key, value)) = battle.options.first() {
            return Outcome::Unchecked(format!(
                "its refereeInput has `{key}={value}`, and arena's referees only take a seed"
            ));
        }
        let specs = self.fitting(&battle);
        let mut checks = specs
            .iter()
            .map(|spec| Ok((*spec, battle::check_moves(&battle, spec)?)));
        match battle::first_exact(&mut checks) {
            Some(Ok((spec, record))) => {
                let mut more = String::new();
                for (frame, action) in battle::drawn_moves(&battle, &record) {
                    let _ = write!(more, ", RANDOM of frame {frame} was {action}");
                }
                for (other, _) in checks.flatten() {
                    let _ = write!(more, " (also {}; --game decides)", other.id);
                }
                Outcome::exact(battle, Arc::clone(spec), None, record, &more)
            }
            Some(Err(difference)) => self.differs(&battle, difference),
            None => self.no_game(&battle),
        }
    }

    /// Says that a battle is of another game.
    fn no_game(&self, battle: &Battle) -> Outcome {
        let seats = battle.scores.len();
        let named = self.specs.first().filter(|_| self.is_named());
        if let Some(spec) = self.titled(battle).or(named) {
            return Outcome::Unchecked(format!("{} isn't played in {seats} seats", spec.title));
        }
        let answer = battle.frames.iter().find_map(Frame::answer);
        let answer = quoted(answer.unwrap_or_default());
        Outcome::Unchecked(format!(
            "no game of arena has {seats} seats and answers like {answer}; {OTHER_GAME}"
        ))
    }

    /// Reports the difference of the game that got furthest.
    fn differs(&self, battle: &Battle, difference: Difference) -> Outcome {
        let is_known = self.is_named() || battle.title.is_some();
        if difference.game == KUTULU {
            let league = self.args.league.or(battle.league);
            if let Some(league) = league.filter(|league| *league < FIRST_LEAGUE) {
                return Outcome::Unchecked(format!(
                    "Kutulu's league {league} has other rules; arena plays those of Bronze and above"
                ));
            }
            if self.args.maps.is_none() {
                let why =
                    "arena doesn't have Kutulu's original maps; name their folder with --maps";
                if is_known {
                    return Outcome::Unchecked(why.to_owned());
                }
                return Outcome::Unchecked(format!("{why}, or {OTHER_GAME}"));
            }
        }
        Outcome::of(difference, !self.is_named())
    }
}

/// Returns Kutulu on the maps of a folder.
fn with_maps(spec: &GameSpec, folder: &Path) -> Result<Arc<GameSpec>, Failure> {
    let options = Options::from_iter([("maps".to_owned(), folder.to_string_lossy().into())]);
    let configured = spec.configured(&options, &store::read_folder);
    configured
        .map(|configured| configured.game)
        .map_err(|error| Failure::input(anyhow!("{error}")))
}
