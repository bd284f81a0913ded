//! Commands of bots: programs, source files, and the sample bots inside this program,
//! `arena bot NAME`.

use sample_bots::samples::{ALL, Sample, VERSION};

use arena_process::languages::{self, Compilation, Compiler, Identity, Languages, Ready};
use arena_process::{Interrupt, Launch, Sandbox};
use arena_section::text::{command_line, did_you_mean, harmless, harmless_lines};

/// The beginning of the command of a sample bot, before its name.
pub(crate) const START: [&str; 2] = ["arena", "bot"];

/// The end of an error about names.
const LIST: &str = "`arena list bots` lists the sample bots";

/// Why a command starts no bot.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoBot(String);

/// Returns the sample bot that a command starts, if any, or an error if its name is unknown.
pub(crate) fn of(command: &[String]) -> Option<Result<&'static Sample, NoBot>> {
    match command {
        [program, verb, rest @ ..] if START == [program, verb] => {
            Some(named(rest.first().map(String::as_str)))
        }
        _ => None,
    }
}

pub(crate) fn named(name: Option<&str>) -> Result<&'static Sample, NoBot> {
    let Some(name) = name else {
        let why = format!("`arena bot` needs the name of a sample bot: {LIST}");
        return Err(NoBot(why));
    };
    ALL.iter()
        .find(|sample| sample.name == name)
        .ok_or_else(|| {
            let meant = did_you_mean(name, &ALL.map(|sample| sample.name));
            NoBot(format!("there is no sample bot `{name}`: {meant}{LIST}"))
        })
}

/// Checks that a command can be started once its source is compiled; `own` are the languages of the
/// config.
pub(crate) fn find_start(own: &Languages, command: &[String]) -> anyhow::Result<()> {
    if let Some(sample) = of(command) {
        sample?;
        return Ok(());
    }
    languages::find_start(own, command).map_err(|error| match bare(command) {
        Some(bare) => bare.into(),
        None => error,
    })
}

/// The error for the name of a sample bot, in any case.
fn bare(command: &[String]) -> Option<NoBot> {
    let (name, options) = command.split_first()?;
    let wanted = name.to_lowercase().replace('_', "-");
    let sample = ALL.iter().find(|sample| sample.name == wanted)?;
    let words = [START[0], START[1], sample.name].map(str::to_owned);
    let command = command_line(&[&words, options].concat());
    Some(NoBot(format!(
        "`{name}` is a sample bot: write `{command}`"
    )))
}

pub(crate) fn compiling(compilation: &Compilation) -> String {
    format!("compiling {}", harmless(&compilation.source))
}

/// Runs a compiler. What it prints may quote a source that hides text, so it is escaped, colours
/// included.
pub(crate) fn compile(
    compilation: &Compilation,
    sandbox: &Sandbox,
    stops: &[&Interrupt],
) -> anyhow::Result<bool> {
    compilation
        .run(sandbox, stops)
        .map_err(|error| NoBot(harmless_lines(&format!("{error:#}"))).into())
}

/// Compiles a bot if necessary; `own` are the languages of the config.
pub(crate) fn ready(
    own: &Languages,
    bot: &Launch,
    compiler: &mut Compiler<'_>,
) -> anyhow::Result<Ready> {
    let identity: Identity = of(&bot.command).map(|_| identity());
    languages::ready(own, bot, identity, compiler)
}

/// Identifies the sample bots of this version in `plan.toml`.
pub(crate) fn identity() -> (String, String) {
    (START.join(" "), format!("version {VERSION}"))
}
