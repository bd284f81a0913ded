//! Bots with parameters, in sweeps and tunings.

use super::mistake::{Mistake, Read, quoted};
use super::values::OneOrMore;
use super::{Bot, Config};
use arena_process::Launch;

/// The placeholder of a bot's own seed.
pub(super) const SEED: &str = "seed";

/// A bot of the run: the number of its table, and its launch.
pub(super) type BotLaunch = (usize, Launch);

/// The bot that a run sweeps or tunes.
pub(super) struct Subject<'c> {
    config: &'c Config,
    /// The table of the run: `sweep` or `tune`.
    table: &'static str,
    /// The key of the parameters in that table.
    key: &'static str,
    /// The participle for messages: `swept` or `tuned`.
    done: &'static str,
    /// The number of the bot's table.
    pub(super) number: usize,
    pub(super) bot: &'c Bot,
}

impl<'c> Subject<'c> {
    pub(super) fn new(
        config: &'c Config,
        [table, key, done]: [&'static str; 3],
        name: &str,
    ) -> Read<Subject<'c>> {
        let number = number_of(config, &format!("{table}.bot"), name)?;
        Ok(Subject {
            config,
            table,
            key,
            done,
            number,
            bot: &config.bot[number],
        })
    }

    /// Returns the path to a parameter.
    pub(super) fn path(&self, parameter: &str) -> String {
        format!("{}.{}.{parameter}", self.table, self.key)
    }

    /// Returns the names of all other bots.
    pub(super) fn others(&self) -> Vec<String> {
        let mut names = Vec::new();
        names.extend(self.config.bot.iter().map(|bot| bot.name.clone()));
        names.retain(|name| *name != self.bot.name);
        names
    }

    /// Checks the names of opponents. Every other bot of the config has to be one of them, once.
    pub(super) fn against(&self, names: &OneOrMore<String>) -> Read<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for (item, name) in names.0.iter().enumerate() {
            let path = format!("{}.against.{item}", self.table);
            number_of(self.config, &path, name)?;
            if found.contains(name) {
                return Err(Mistake::new(path, "named for the second time"));
            }
            if *name == self.bot.name {
                let problem = format!("the bot that is {} cannot play against itself", self.done);
                return Err(Mistake::new(path, problem));
            }
            found.push(name.clone());
        }
        for (number, Bot { name, .. }) in self.config.bot.iter().enumerate() {
            if *name != self.bot.name && !found.contains(name) {
                let Subject { table, done, .. } = self;
                let problem = format!("this bot plays no game: neither {done} nor played against");
                let help = format!("add it to `against` in `[{table}]`, or leave it out");
                return Err(Mistake::new(format!("bot.{number}.name"), problem).help(help));
            }
        }
        Ok(found)
    }

    /// Checks that the bot's parameters and placeholders match, and that nothing else has
    /// placeholders.
    pub(super) fn check_placeholders(&self, names: &[&str]) -> Read<()> {
        let mut used = Vec::new();
        for (number, bot) in self.config.bot.iter().enumerate() {
            for (key, name) in placeholders(bot) {
                let is_filled = number == self.number && ["command", "env"].contains(&key);
                let is_parameter = names.contains(&name);
                let path = format!("bot.{number}.{key}");
                let Subject {
                    table, key, done, ..
                } = self;
                if is_filled {
                    used.push(name);
                }
                if is_parameter && !is_filled {
                    let problem = format!(
                        "expected no placeholder `{{{name}}}` here: only `command` and `env` of the bot that is {done} are given values"
                    );
                    return Err(Mistake::new(path, problem));
                }
                if is_filled && !is_parameter && name != SEED {
                    let help = format!(
                        "give `{name}` values under `{key}` in `[{table}]`; only `{{seed}}` has its own"
                    );
                    return Err(Mistake::unknown(&path, "placeholder", name, names).help(help));
                }
            }
        }
        match names.iter().find(|name| !used.contains(name)) {
            Some(name) => {
                let problem = format!("expected `{{{name}}}` in the bot's `command` or `env`");
                let mistake = Mistake::new(self.path(name), problem);
                Err(mistake.related(format!("bot.{}.name", self.number), "the bot"))
            }
            None => Ok(()),
        }
    }

    /// Returns all bots of the run, with several forms of the subject in its place.
    pub(super) fn players(&self, forms: impl IntoIterator<Item = Launch>) -> Vec<BotLaunch> {
        let mut players = self.config.players();
        let forms = forms.into_iter().map(|launch| (self.number, launch));
        players.splice(self.number..=self.number, forms);
        players
    }
}

/// Finds the number of the bot whose name is at a path.
fn number_of(config: &Config, path: &str, name: &str) -> Read<usize> {
    let known: Vec<&str> = config.bot.iter().map(|bot| bot.name.as_str()).collect();
    let number = known.iter().position(|known| *known == name);
    let unknown = || Mistake::unknown(path, "bot", name, &known);
    number.ok_or_else(|| unknown().help("each bot has its own table `[[bot]]`"))
}

/// Whether `name` can be a placeholder.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && has_only_name_characters(name)
}

pub(super) fn has_only_name_characters(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Explains why `name` can't name a parameter, if so.
pub(super) fn name_problem(name: &str) -> Option<String> {
    if name == SEED {
        let why = "{seed} is the seed that each bot is given; choose another name";
        return Some(format!("`seed` cannot be tuned or swept: {why}"));
    }
    let expected = "expected letters, digits, `_` and `-`, beginning with a letter or `_`";
    (!is_name(name)).then(|| format!("{} cannot name a parameter: {expected}", quoted(name)))
}

/// Returns what a text has between braces.
pub(super) fn braced(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|part| Some(part.split_once('}')?.0))
}

/// Returns the placeholders of a bot, each after the key that contains it.
fn placeholders(bot: &Bot) -> Vec<(&'static str, &str)> {
    let mut names = Vec::new();
    let mut add = |key, text| {
        let found = braced(text).filter(|name| is_name(name));
        names.extend(found.map(|name| (key, name)));
    };
    bot.command.0.iter().for_each(|word| add("command", word));
    bot.env.values().for_each(|value| add("env", value));
    let build = bot.build.iter().flat_map(|build| &build.0);
    build.for_each(|word| add("build", word));
    let read = bot.read.iter().filter_map(|path| path.to_str());
    read.for_each(|path| add("read", path));
    names
}
