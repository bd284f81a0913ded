//! A pool: bots that are kept in a folder, the runs between them, and which of them is the best.
//!
//! The runs are ordinary run folders, and everything about strength comes from them. arena makes
//! the pool its current folder, so that paths in it mean the same wherever you call it from.

mod answer;
mod found;
mod keep;
pub(crate) mod page;
mod policy;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf, is_separator};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::config::{ConfigError, bot_name_problem, read_table};
use crate::store::{self, StoreError, io_error};
use arena_process::languages::Languages;
use arena_process::{Launch, guard, serialize_paths};

// What the pool plays, a config without bots; and what was submitted, a folder for each bot.
pub(crate) use arena_process::{BOTS, POOL as CONFIG};
use arena_section::text::{nearest, word};

pub(crate) use answer::{Answer, Duel, Known, kept};
pub(crate) use found::{Found, Run, terms};
pub(crate) use keep::KeepError;
pub(crate) use page::{Standings, standings, text, write};
pub(crate) use policy::{DROP_BELOW, Evidence, SHARES, WHOLE};

/// The bots.
pub(crate) const MEMBERS: &str = "members.toml";
/// The runs.
pub(crate) const RUNS: &str = "runs";
/// The pool if none is named.
pub(crate) const DEFAULT: &str = "pool";
/// The page that shows the pool.
pub(crate) const PAGE: &str = "index.html";
/// Holds the number of the process that uses the pool.
const PROCESS: &str = ".process";
/// The first lines of [`MEMBERS`].
const HEAD: &str =
    "# The bots of this pool. arena writes this file; keep it in git, and bots/ with it.\n\n";

/// What a bot is to the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum State {
    /// The one that candidates have to beat.
    Best,
    /// An opponent of candidates.
    Member,
    /// It was tried, and nothing more.
    Tried,
    /// It was an opponent; its games still count.
    Retired,
}

/// A bot of a pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) state: State,
    /// What its author noted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
    /// The day on which it was kept.
    pub(crate) date: String,
    /// A digest of its copy and its command.
    digest: String,
    /// How it is started; paths begin in the pool.
    command: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "serialize_paths"
    )]
    read: Vec<PathBuf>,
    /// How it was tried; opponents that were added were not.
    #[serde(default, rename = "try", skip_serializing_if = "Option::is_none")]
    pub(crate) attempt: Option<Attempt>,
}

/// How a bot was tried.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attempt {
    /// The best bot at the time; empty for the first bot of the pool.
    pub(crate) against: String,
    /// Decides the seeds of its games.
    pub(crate) seed: u64,
    /// How many budgets it had. Each further one is another look at its games.
    pub(crate) budgets: u32,
    /// The games that it may play in all of its budgets; 0 if the last one is a time.
    pub(crate) games: u64,
    /// Whether the last budget isn't used up.
    pub(crate) is_open: bool,
}

/// The bots of a pool, as [`MEMBERS`] has them.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pool {
    #[serde(default, rename = "bot")]
    pub(crate) members: Vec<Member>,
}

/// Why a pool can't be used, or a bot not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PoolError {
    #[error("can't find a pool in {}: it has no {CONFIG}\nhint: arena pool new onitama", .0.display())]
    None(PathBuf),
    #[error("can't make a pool in {path}: it already has {1}\nhint: --pool DIR names another folder", path = .0.display())]
    IsThere(PathBuf, &'static str),
    #[error("can't use the pool: process {0} is using it")]
    Busy(String),
    #[error("can't call a bot `{0}`: {1}")]
    Name(String, String),
    #[error(
        "can't keep `{0}`: the pool already has a bot of this name\nhint: give a new version a new name; `arena pool try {0}` continues the kept one"
    )]
    NameTaken(String),
    #[error("can't keep `{0}`: it is the same as `{1}`\nhint: arena pool try {1}")]
    Same(String, String),
    #[error("can't find a bot `{0}` in the pool{1}")]
    Unknown(String, String),
    #[error(
        "can't retire `{0}`: it is the best\nhint: `arena pool best NAME` makes another one the best"
    )]
    RetiredBest(String),
    #[error(
        "can't play `{0}`: it isn't what was kept, its copy or its command was changed\nhint: restore it, for example from git, or keep the new one under another name"
    )]
    Changed(String),
    #[error(transparent)]
    Members(#[from] ConfigError),
    #[error("can't use {MEMBERS}: {0}")]
    Unsound(String),
    #[error(
        "can't keep `{0}`: it writes files into its own folder\nhint: write to $TMPDIR instead"
    )]
    Writes(String),
    #[error("can't keep `{0}`")]
    Keep(String, #[source] Box<KeepError>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where the user is, and where the pool is.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder that was current.
    pub(crate) from: PathBuf,
    /// The pool as the user named it.
    pub(crate) pool: PathBuf,
}

impl Place {
    /// Finds the pool: the named one, or else the current folder if it is one, or else `pool`.
    pub(crate) fn find(named: Option<&Path>) -> Result<Place, PoolError> {
        let is_here = named.is_none() && Path::new(CONFIG).is_file();
        let default = if is_here { "" } else { DEFAULT };
        let pool = named.unwrap_or(Path::new(default)).to_owned();
        if !pool.join(CONFIG).is_file() {
            return Err(PoolError::None(pool));
        }
        let from = env::current_dir().map_err(io_error("find", Path::new(".")))?;
        Ok(Place { from, pool })
    }

    /// Makes the pool the current folder.
    pub(crate) fn enter(&self) -> Result<(), PoolError> {
        go_to(&self.from.join(&self.pool))
    }

    /// Makes the folder of the user the current one again.
    pub(crate) fn leave(&self) -> Result<(), PoolError> {
        go_to(&self.from)
    }
}

fn go_to(folder: &Path) -> Result<(), PoolError> {
    Ok(env::set_current_dir(folder).map_err(io_error("enter", folder))?)
}

/// Makes an empty pool in a folder; `config` is its [`CONFIG`].
pub(crate) fn create(folder: &Path, config: &str) -> Result<(), PoolError> {
    for name in [CONFIG, MEMBERS] {
        if folder.join(name).symlink_metadata().is_ok() {
            return Err(PoolError::IsThere(folder.to_owned(), name));
        }
    }
    for name in [BOTS, RUNS] {
        let path = folder.join(name);
        fs::create_dir_all(&path).map_err(io_error("create", &path))?;
    }
    store::replace(folder, MEMBERS, HEAD.as_bytes())?;
    // Comes last: it makes the folder a pool.
    Ok(store::replace(folder, CONFIG, config.as_bytes())?)
}

impl Pool {
    /// Reads the bots of the pool that is the current folder.
    pub(crate) fn read() -> Result<Pool, PoolError> {
        let pool: Pool = read_table(Path::new(MEMBERS))?;
        let mut names = BTreeSet::new();
        for Member { name, .. } in &pool.members {
            if let Some(why) = name_problem(name) {
                let why = format!("a bot can't be called `{name}`: {why}");
                return Err(PoolError::Unsound(why));
            }
            if !names.insert(name) {
                return Err(PoolError::Unsound(format!("two bots are called `{name}`")));
            }
        }
        let is_best = |member: &&Member| member.state == State::Best;
        let mut best = pool.members.iter().filter(is_best).map(|best| &best.name);
        if let (Some(one), Some(other)) = (best.next(), best.next()) {
            let why = format!("`{one}` and `{other}` both have `state = \"best\"`: expected one");
            return Err(PoolError::Unsound(why));
        }
        Ok(pool)
    }

    /// Keeps other processes from changing the pool, until the file is closed.
    pub(crate) fn lock() -> Result<File, PoolError> {
        let Some(lock) = store::lock(Path::new("."))? else {
            let process = fs::read_to_string(PROCESS).unwrap_or_else(|_| "?".to_owned());
            return Err(PoolError::Busy(process));
        };
        fs::write(PROCESS, guard::process().to_string())
            .map_err(io_error("write", Path::new(PROCESS)))?;
        fs::create_dir_all(BOTS).map_err(io_error("create", Path::new(BOTS)))?;
        Ok(lock)
    }

    /// Writes the bots.
    pub(crate) fn save(&self) -> Result<(), PoolError> {
        let text = toml::to_string(self).map_err(|error| PoolError::Unsound(error.to_string()))?;
        let text = HEAD.to_owned() + &text;
        Ok(store::replace(Path::new("."), MEMBERS, text.as_bytes())?)
    }

    fn place(&self, name: &str) -> Result<usize, PoolError> {
        let found = self.members.iter().position(|member| member.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.members.iter().map(|member| &*member.name).collect();
            let hint = match nearest(name, &names) {
                Some(near) => format!("\nhint: did you mean `{near}`?"),
                None if names.is_empty() => "\nhint: arena pool try v1=bot.py".to_owned(),
                None => format!("\nhint: its bots are {}", names.join(", ")),
            };
            PoolError::Unknown(name.to_owned(), hint)
        })
    }

    /// Returns a bot by its name.
    pub(crate) fn known(&self, name: &str) -> Result<&Member, PoolError> {
        Ok(&self.members[self.place(name)?])
    }

    pub(crate) fn member(&mut self, name: &str) -> Result<&mut Member, PoolError> {
        let place = self.place(name)?;
        Ok(&mut self.members[place])
    }

    /// The bots that candidates meet.
    pub(crate) fn opponents(&self) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(|member| matches!(member.state, State::Best | State::Member))
    }

    /// The bot that candidates have to beat.
    pub(crate) fn best(&self) -> Option<&Member> {
        self.members
            .iter()
            .find(|member| member.state == State::Best)
    }

    /// Makes a bot the best; the former best stays an opponent.
    pub(crate) fn promote(&mut self, name: &str) -> Result<(), PoolError> {
        self.member(name)?;
        for member in &mut self.members {
            if member.name == name {
                member.state = State::Best;
            } else if member.state == State::Best {
                member.state = State::Member;
            }
        }
        Ok(())
    }

    /// Makes a bot no opponent any more.
    pub(crate) fn retire(&mut self, name: &str) -> Result<(), PoolError> {
        let member = self.member(name)?;
        if member.state == State::Best {
            return Err(PoolError::RetiredBest(name.to_owned()));
        }
        member.state = State::Retired;
        Ok(())
    }

    /// Copies a bot, whose paths begin in the folder `from`, and adds it to the pool. What `check`
    /// refuses is removed again. Returns what it says.
    pub(crate) fn keep<E: From<PoolError>>(
        &mut self,
        languages: &Languages,
        bot: &Launch,
        (from, state, note): (&Path, State, &str),
        check: impl FnOnce(&Launch) -> Result<String, E>,
    ) -> Result<String, E> {
        let name = &bot.name;
        if let Some(why) = name_problem(name) {
            return Err(PoolError::Name(name.clone(), why).into());
        }
        if self.members.iter().any(|member| member.name == *name) {
            return Err(PoolError::NameTaken(name.clone()).into());
        }
        let kept = keep::copy(languages, bot, from, Path::new("."))
            .map_err(|why| PoolError::Keep(name.clone(), why.into()))?;
        let member = Member {
            name: kept.launch.name,
            state,
            note: note.to_owned(),
            date: today(),
            digest: kept.digest,
            command: kept.launch.command,
            env: kept.launch.env,
            read: kept.launch.read,
            attempt: None,
        };
        let is_same = |other: &&Member| other.digest == member.digest;
        let checked = match self.members.iter().find(is_same) {
            Some(same) => Err(PoolError::Same(name.clone(), same.name.clone()).into()),
            None => check(&member.launch()).and_then(|said| match member.check_copy() {
                Ok(()) => Ok(said),
                // It would be another bot.
                Err(_) => Err(PoolError::Writes(name.clone()).into()),
            }),
        };
        if checked.is_err() {
            let _ = fs::remove_dir_all(Path::new(BOTS).join(name));
            return checked;
        }
        self.members.push(member);
        self.save()?;
        checked
    }
}

impl Member {
    /// How it is started.
    pub(crate) fn launch(&self) -> Launch {
        let folder = Path::new(BOTS).join(&self.name);
        Launch {
            name: self.name.clone(),
            command: self.command.clone(),
            env: self.env.clone(),
            read: self.read.clone(),
            folder: folder.is_dir().then_some(folder),
        }
    }

    /// Fails if its copy isn't what was kept.
    pub(crate) fn check_copy(&self) -> Result<(), PoolError> {
        match keep::digest(&self.launch(), Path::new(".")) {
            Ok(digest) if digest == self.digest => Ok(()),
            _ => Err(PoolError::Changed(self.name.clone())),
        }
    }
}

/// The option that names a pool in a command, with the blank before it.
pub(crate) fn option(pool: &Path) -> String {
    if [Path::new(DEFAULT), Path::new("")].contains(&pool) {
        String::new()
    } else {
        format!(" --pool {}", word(pool.display()))
    }
}

/// Why a bot of a pool can't have this name: it also names folders.
fn name_problem(name: &str) -> Option<String> {
    match name {
        "." | ".." => Some("it names a folder".to_owned()),
        _ if name.contains(is_separator) => {
            Some("it is a path; name the bot first, as in v1=bot.cpp".to_owned())
        }
        _ => bot_name_problem(name),
    }
}

/// The date, as in 2026-11-29.
fn today() -> String {
    let now = humantime::format_rfc3339(SystemTime::now()).to_string();
    now.chars().take(10).collect()
}
