//! The referee that `arena init --referee` names: a program, a source file, a jar, or a project of
//! the SDK of `CodinGame`, which Maven builds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{self, Path, PathBuf};

use anyhow::{Context as _, Error, bail};

use crate::cli::contest::{NamedGame, jar_problem, referee_of_file};
use crate::cli::failure::Result;
use crate::cli::output::say;
use crate::cli::supervised::interruptible;
use crate::config::test_cases;
use crate::plan::DEFAULT_MEMORY_MB;
use crate::play::foreign::{CLASSES, Referee, SDK_MAIN};
use crate::play::probe::{self, NoQuestion};
use arena_games::{Games, MAX_SEATS};
use arena_process::languages::{Languages, find_start, has_class};
use arena_process::{LIST, slashed};
use arena_section::text::harmless;

/// Placeholder for the command of a bot.
pub(super) const MINE: &str = "./mine";
/// The file of a project that Maven builds.
const POM: &str = "pom.xml";
/// The group of the SDK's artifacts in Maven.
const SDK_GROUP: &str = "com.codingame.gameengine";
/// Where Maven puts the classes of a project, and the jars that it needs.
const BUILT: [&str; 2] = [CLASSES, "target/dependency/*"];

/// The folder of a project with its statement, leagues and test cases.
const CONFIG: &str = "config";

/// A referee and its game's name.
pub(in crate::cli) struct FoundReferee {
    pub(in crate::cli) id: String,
    pub(super) referee: Referee,
    /// Its class path, if it is made with the SDK.
    class_path: Vec<String>,
    /// The highest league of its project.
    league: Option<u64>,
    /// The folder of test cases of a project for one player.
    tests: Option<String>,
}

impl FoundReferee {
    /// Finds the referee that a path names.
    fn find(given: &str) -> anyhow::Result<FoundReferee> {
        let path = Path::new(given);
        if let Some(project) = project_of(path) {
            return FoundReferee::of_project(&project);
        }
        let end = path.extension().unwrap_or_default();
        if end == "toml" || !path.is_file() {
            bail!(
                "expected the file of a referee, or a folder with a {POM}{}",
                hint_of_project(path)
            );
        }
        let (id, referee) = referee_of_file(given);
        let mut class_path = Vec::new();
        if end == "jar" {
            class_path.push(given.to_owned());
            if let Some(why) = jar_problem(given) {
                bail!("{why}{}", hint_of_project(path));
            }
        }
        Ok(FoundReferee {
            id,
            referee,
            class_path,
            league: None,
            tests: None,
        })
    }

    fn of_project(project: &Path) -> anyhow::Result<FoundReferee> {
        let pom = project.join(POM);
        let text = fs::read_to_string(&pom);
        let text = text.with_context(|| format!("can't read {}", pom.display()))?;
        if !text.contains(SDK_GROUP) {
            bail!("its {POM} doesn't use the SDK of CodinGame ({SDK_GROUP})");
        }
        let class_path = BUILT.map(|part| plain(&project.join(part)));
        let list = class_path.join(LIST);
        if !project.join(BUILT[0]).is_dir() || !has_class(&list, SDK_MAIN) {
            let pom = plain(&pom);
            bail!(
                "the project isn't built yet\n\
                 hint: mvn -f {pom} compile\n\
                 hint: mvn -f {pom} dependency:copy-dependencies"
            );
        }
        let league = highest_league(project);
        let (id, mut referee) = referee_of_file(&slashed(&path::absolute(project)?));
        let folder = project.join(CONFIG);
        let settings = fs::read_to_string(folder.join("config.ini")).unwrap_or_default();
        let mut setting = BTreeMap::new();
        for line in settings.lines() {
            if let Some((key, value)) = line.split_once('=') {
                setting.entry(key.trim()).or_insert(value.trim());
            }
        }
        let mut word = |key| setting.remove(key).unwrap_or_default();
        referee.seats = match word("min_players").parse() {
            Ok(seats) if (1..=MAX_SEATS).contains(&seats) => seats,
            _ => 2,
        };
        let solo = ["opti", "solo"].contains(&word("type"));
        if solo {
            referee.seats = 1;
            referee.tests = test_cases(&folder).map_err(Error::msg)?;
            referee.lower_is_better = word("sorting_order").eq_ignore_ascii_case("asc");
            referee.criteria = setting.remove("criteria").map(str::to_owned);
        }
        referee.command = Referee::of_jar(&list, league, solo);
        Ok(FoundReferee {
            id,
            referee,
            class_path: class_path.to_vec(),
            league,
            tests: solo.then(|| plain(&folder)),
        })
    }

    /// Finds the referee that a path names, asks it for the number of its seats, and does `work`.
    pub(in crate::cli) fn begin(
        given: &str,
        games: &Games,
        work: impl FnOnce(FoundReferee) -> Result<u8> + Send,
    ) -> Result<u8> {
        let unusable = || format!("can't use --referee {}", harmless(given));
        let mut found = FoundReferee::find(given).with_context(unusable)?;
        find_start(&Languages::new(), &found.referee.command).with_context(unusable)?;
        // A config can't reuse the names of the games that arena knows.
        if let Some(known) = games.search(&found.id) {
            found.id = format!("my_{}", known.id);
        }
        interruptible(DEFAULT_MEMORY_MB, |supervised| {
            let game = NamedGame::foreign(&found.id, found.referee.clone()).ready(supervised)?;
            supervised.sandbox.close();
            match probe::first_question(&game) {
                Ok(_) => found.referee.seats = game.default_seats(),
                Err(NoQuestion {
                    seats: Some(seats), ..
                }) => found.referee.seats = seats,
                Err(NoQuestion { why, .. }) => {
                    say(&format!("warning: can't start the referee: {why}"));
                }
            }
            work(found)
        })
    }

    /// Makes the paths in its command and of its test cases absolute.
    pub(in crate::cli) fn make_absolute(&mut self) -> anyhow::Result<()> {
        let words = match &mut self.class_path[..] {
            [] => &mut self.referee.command[..1],
            class_path => class_path,
        };
        for word in words.iter_mut().chain(&mut self.tests) {
            *word = slashed(&path::absolute(&word)?);
        }
        Ok(())
    }

    /// Returns the keys of its game in a config.
    pub(in crate::cli) fn table(&self) -> String {
        let referee = &self.referee;
        let mut table = match &self.class_path[..] {
            [] => line("referee", referee.command.clone()),
            [jar] => line("jar", jar.clone()),
            several => line("jar", several.to_vec()),
        };
        match self.league {
            Some(league) => {
                let _ = writeln!(table, "league = {league}");
            }
            // A project without leagues has none.
            None if self.class_path.len() != 1 => {}
            None => table += "# league = 4\n",
        }
        let _ = writeln!(table, "seats = {}", referee.seats);
        table.extend(self.tests.clone().map(|tests| line("tests", tests)));
        table.extend(referee.criteria.clone().map(|key| line("criteria", key)));
        if referee.lower_is_better {
            table += "lower_is_better = true\n";
        }
        table
    }

    /// Returns a config with as many bots as the game has seats.
    pub(super) fn config(&self) -> String {
        let FoundReferee { id, referee, .. } = self;
        let table = self.table();
        let games = match referee.tests.len() {
            0 => 200,
            tests => tests,
        };
        let mut config = format!(
            "# {id}: my bot against others. `arena run --force` plays it again and replaces the results.

[run]
name = \"mine\"
game = \"{id}\"
games = {games}

# The external referee. docs/how-to/referees.md lists further keys: options, build, memory_mb ..
[game.{id}]
{table}
[[bot]]
name = \"mine\"
command = \"{MINE}\"
"
        );
        let others = referee.seats.max(2) - 1;
        for other in 1..=others {
            let name = match others {
                1 => "other".to_owned(),
                _ => format!("other{other}"),
            };
            let _ = write!(
                config,
                "\n[[bot]]\nname = \"{name}\"\ncommand = \"./{name}\"\n"
            );
        }
        config
    }
}

/// Returns a line of a config.
fn line(key: &str, value: impl Into<toml::Value>) -> String {
    format!("{key} = {}\n", value.into())
}

/// Returns the folder of the project that a path belongs to: a folder with a `pom.xml`, that file,
/// or a source file below it.
fn project_of(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return path.join(POM).is_file().then(|| path.to_owned());
    }
    if path.extension() != Some("java".as_ref()) && !path.ends_with(POM) {
        return None;
    }
    project_above(path)
}

/// Returns the nearest folder above a path that has a `pom.xml`.
fn project_above(path: &Path) -> Option<PathBuf> {
    // A path without a folder starts from the current one.
    let mut projects = Path::new(".").join(path);
    while projects.pop() {
        if projects.join(POM).is_file() {
            return Some(projects);
        }
    }
    None
}

/// Returns a hint at what to use instead of a path: a project in it, or the one that it belongs to.
fn hint_of_project(path: &Path) -> String {
    let mut below = Vec::new();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        below.push(entry.path());
    }
    below.retain(|folder| folder.join(POM).is_file());
    match below.into_iter().min().or_else(|| project_above(path)) {
        Some(project) => format!("\nhint: arena init --referee {}", plain(&project)),
        None => "\nhint: a jar, a program or a source file, as in --referee referee.py".to_owned(),
    }
}

/// Returns the highest number of the folders `config/levelN` of a project.
fn highest_league(project: &Path) -> Option<u64> {
    let folder = project.join(CONFIG);
    (1..=100)
        .rev()
        .find(|level| folder.join(format!("level{level}")).is_dir())
}

/// Returns a path as people write it, without `./`.
fn plain(path: &Path) -> String {
    let text = slashed(path);
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}
