//! Bots with parameters: what sweeps and tunings have in common.

use std::collections::HashMap;
use std::ops::Range;

use super::document::{At, Found};
use super::mistake::{Mistake, Read, quoted};
use super::{Bot, Config, Player};

/// The name that stands for a bot's own seed, everywhere.
pub(super) const SEED: &str = "seed";

/// How messages call what is done with parameters.
pub(super) struct Kind {
    /// Who plays: the bots that are made of one.
    pub(super) players: &'static str,
    /// What is done with a parameter.
    pub(super) done: &'static str,
    /// The table that says it.
    pub(super) table: &'static str,
    /// Which keys have the names of parameters.
    pub(super) names: &'static str,
    /// Why a name may be that of another bot.
    pub(super) made: &'static str,
}

/// The name of a bot or several.
pub(super) fn names(found: Found<'_>) -> Read<Vec<At<String>>> {
    let names = found.one_or_more("the name of a bot or a list of names")?;
    names
        .into_iter()
        .map(|name| name.at(Found::string))
        .collect()
}

/// The bot with a name.
pub(super) fn find_bot<'c>(config: &'c Config<'_>, name: &At<String>) -> Read<&'c Bot> {
    config
        .bots
        .iter()
        .find(|bot| bot.name.value == name.value)
        .ok_or_else(|| {
            let known: Vec<&str> = config
                .bots
                .iter()
                .map(|bot| bot.name.value.as_str())
                .collect();
            let mistake = Mistake::unknown_here("bot", &name.value, &name.span, &known);
            mistake.help("each bot has a table `[[bot]]` of its own")
        })
}

/// The bots with these names, each once, as opponents of the bots made of `own`. All other bots have to be among them.
pub(super) fn against_named(
    config: &Config<'_>,
    names: &[At<String>],
    own: &Bot,
    kind: &Kind,
) -> Read<Vec<String>> {
    let others = config
        .bots
        .iter()
        .map(|bot| &bot.name)
        .filter(|name| name.value != own.name.value);
    let mut found: Vec<String> = Vec::new();
    for name in names {
        find_bot(config, name)?;
        let is_named = found.contains(&name.value);
        if is_named || name.value == own.name.value {
            let title = format!(
                "{} cannot play against {}",
                kind.players,
                quoted(&name.value)
            );
            let own = format!("this is the bot that is {}", kind.done);
            let label = if is_named {
                "named for the second time".to_owned()
            } else {
                own
            };
            return Err(name.mistake(title, label));
        }
        found.push(name.value.clone());
    }
    match { others }.find(|name| !found.contains(&name.value)) {
        Some(name) => {
            let title = format!("bot {} plays no game of this run", quoted(&name.value));
            let mistake = name.mistake(title, format!("neither {} nor played against", kind.done));
            Err(mistake.help(format!(
                "add it to `against` in `{}`, or leave it out",
                kind.table
            )))
        }
        None => Ok(found),
    }
}

/// Whether this can stand between braces as the name of a parameter.
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_part)
}

/// The name of a parameter that is `done`: swept or tuned.
pub(super) fn name(entry: Found<'_>, done: &str) -> Read<At<String>> {
    let name = entry.key();
    if name.value == SEED {
        let mistake = name.mistake(
            format!("`seed` cannot be {done}"),
            "`{seed}` is the seed that each bot is given",
        );
        return Err(mistake.help("choose another name"));
    }
    if is_name(&name.value) {
        return Ok(name);
    }
    let title = format!("{} cannot name a parameter", quoted(&name.value));
    Err(name.mistake(
        title,
        "expected letters, digits, `_` and `-`, beginning with a letter or `_`",
    ))
}

/// The names in braces of a bot: the key that has it, the name, and where it stands.
fn placeholders(bot: &Bot) -> impl Iterator<Item = (&'static str, &str, &Range<usize>)> {
    let own = &bot.name.span;
    let command = bot
        .command
        .value
        .words
        .iter()
        .map(|word| ("command", word, &bot.command.span));
    let env = bot.env.iter().map(move |(_, value)| ("env", value, own));
    let build = bot.build.iter().flat_map(|build| {
        build
            .value
            .words
            .iter()
            .map(|word| ("build", word, &build.span))
    });
    let read = bot.read.iter().map(move |path| ("read", path, own));
    command
        .chain(env)
        .chain(build)
        .chain(read)
        .flat_map(|(key, text, span)| {
            let names = text
                .split('{')
                .skip(1)
                .filter_map(|part| Some(part.split_once('}')?.0));
            names
                .filter(|name| is_name(name))
                .map(move |name| (key, name, span))
        })
}

/// Every parameter has a placeholder, and every placeholder of the bot that is swept or tuned a parameter. What variants share has
/// none, nor have other bots.
pub(super) fn check_placeholders(
    config: &Config<'_>,
    own: &Bot,
    parameters: &[At<String>],
    kind: &Kind,
) -> Read<()> {
    let names: Vec<&str> = parameters.iter().map(|name| name.value.as_str()).collect();
    let mut used = Vec::new();
    for bot in &config.bots {
        for (key, name, span) in placeholders(bot) {
            let is_filled = bot.name.value == own.name.value && matches!(key, "command" | "env");
            if is_filled {
                used.push(name);
            }
            let called = quoted(&bot.name.value);
            let is_parameter = names.contains(&name);
            if is_parameter && !is_filled {
                let title = format!("`{key}` of bot {called} has the placeholder `{{{name}}}`");
                let label = format!("expected no parameter in its `{key}`");
                let help = format!(
                    "only `command` and `env` of the bot that is {} are given values",
                    kind.done
                );
                return Err(Mistake::new(title, span, label).help(help));
            }
            if is_filled && !is_parameter && name != SEED {
                let what = format!("placeholder of bot {called}:");
                return Err(Mistake::unknown_here(&what, name, span, &names).help(kind.names));
            }
        }
    }
    match parameters
        .iter()
        .find(|name| !used.contains(&name.value.as_str()))
    {
        Some(At { value: name, span }) => {
            let title = format!(
                "bot {} does not use the parameter `{name}`",
                quoted(&own.name.value)
            );
            let mistake = Mistake::new(
                title,
                span,
                format!("expected `{{{name}}}` in the bot's `command` or `env`"),
            );
            Err(mistake.related(&own.name.span, "the bot"))
        }
        None => Ok(()),
    }
}

/// Names that are made from values may be those of other bots, or the same where values hold commas.
pub(super) fn check_unique(bots: &[Player<'_>], own: &At<String>, kind: &Kind) -> Read<()> {
    let mut seen = HashMap::new();
    for (bot, launch) in bots {
        let Some(other) = seen.insert(&launch.name, bot) else {
            continue;
        };
        let title = format!("two bots would be called {}", quoted(&launch.name));
        let mistake = own.mistake(title, kind.made);
        let taken = [*bot, *other]
            .into_iter()
            .find(|bot| bot.name.value == launch.name);
        return Err(match taken {
            Some(bot) => mistake.related(&bot.name.span, "this name is taken"),
            None => mistake,
        });
    }
    Ok(())
}
