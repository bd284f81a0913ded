//! Commands of bots: programs, source files, and the sample bots inside this program, `arena bot NAME`.

use anyhow::anyhow;
use sample_bots::samples::{ALL, Sample, VERSION};

use arena_process::languages::{self, Compilation, Compiler, Identity, Languages, Ready};
use arena_process::{Interrupt, Launch, Sandbox};
use arena_section::text::{command_line, did_you_mean, harmless, harmless_lines};

/// The beginning of the command of a sample bot, before its name.
pub(crate) const START: [&str; 2] = ["arena", "bot"];

/// Returns the sample bot that a command starts, if any, or an error if its name is unknown.
pub(crate) fn of(command: &[String]) -> Option<anyhow::Result<&'static Sample>> {
    let [program, verb, rest @ ..] = command else {
        return None;
    };
    (START == [program, verb]).then(|| named(rest.first().map(String::as_str)))
}

/// Finds a sample bot by its name.
pub(crate) fn named(name: Option<&str>) -> anyhow::Result<&'static Sample> {
    let list = "`arena list bots` lists the sample bots";
    let name = name.ok_or_else(|| anyhow!("`arena bot` needs the name of a sample bot: {list}"))?;
    let mut all = ALL.iter();
    all.find(|sample| sample.name == name).ok_or_else(|| {
        let meant = did_you_mean(name, &ALL.map(|sample| sample.name));
        anyhow!("there is no sample bot `{name}`: {meant}{list}")
    })
}

/// Checks that a command can be started once its source is compiled; `own` are the languages of the config.
pub(crate) fn find_start(own: &Languages, command: &[String]) -> anyhow::Result<()> {
    match of(command) {
        Some(sample) => sample.map(drop),
        None => languages::find_start(own, command).map_err(|error| bare(command).unwrap_or(error)),
    }
}

/// The error for the name of a sample bot without `arena bot`, in any case.
fn bare(command: &[String]) -> Option<anyhow::Error> {
    let (name, options) = command.split_first()?;
    let wanted = name.to_lowercase().replace('_', "-");
    let sample = ALL.iter().find(|sample| sample.name == wanted)?;
    let words = [START[0], START[1], sample.name].map(str::to_owned);
    let command = command_line(&[&words, options].concat());
    Some(anyhow!("`{name}` is a sample bot: write `{command}`"))
}

/// What is being compiled, while it is.
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
    let compiled = compilation.run(sandbox, stops);
    compiled.map_err(|error| anyhow!(harmless_lines(&format!("{error:#}"))))
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
