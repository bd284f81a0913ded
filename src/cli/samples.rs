//! `arena bot NAME` is a sample bot.

use std::ffi::OsString;
use std::iter;
use std::process::ExitCode;

use clap::Args;
use sample_bots::samples::Sample;

use super::elsewhere::answer;
use super::exit;
use super::output::say;
use crate::plan::samples;
use arena_process::guard;

/// Be a sample bot, over standard input and output
///
/// You can use this command wherever you name a bot.
#[derive(Debug, Args)]
pub(super) struct BotArgs {
    /// The sample bot; `arena list bots` lists them
    name: String,
    /// Its options, as arena bot NAME --help lists them
    #[arg(
        value_name = "OPTION",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    options: Vec<OsString>,
}

/// Plays if this process is a sample bot. This comes before the command line is parsed, because
/// every game starts bots.
pub(super) fn serve() -> Option<ExitCode> {
    let mut words = guard::arguments().into_iter();
    if words.next()? != samples::START[1] {
        return None;
    }
    let name = words.next().map(|name| name.to_string_lossy().into_owned());
    match &name {
        // An option before the name belongs to the verb.
        Some(name) if name.starts_with('-') => None,
        _ => Some(play(name.as_deref(), words)),
    }
}

pub(super) fn bot(args: BotArgs) -> ExitCode {
    play(Some(&args.name), args.options.into_iter())
}

fn play(name: Option<&str>, options: impl Iterator<Item = OsString>) -> ExitCode {
    match samples::named(name) {
        Ok(sample) => {
            let words = iter::once(command(sample).into()).chain(options);
            (sample.program)(words.collect())
        }
        Err(error) => {
            let mut text = format!("error: {error}");
            if let Some(name) = name
                && let Some(hint) = answer(samples::START[1], name)
            {
                text.extend(["\nhint: ", hint]);
            }
            say(&text);
            ExitCode::from(exit::USAGE)
        }
    }
}

/// The command of a sample bot.
pub(super) fn command(sample: &Sample) -> String {
    format!("{} {}", samples::START.join(" "), sample.name)
}
