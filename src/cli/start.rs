//! `arena start`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, ValueHint};

use super::bots::{BotLine, launch};
use super::failure::{InputError, Result};
use super::supervised::ready;
use super::terms::{SandboxArgs, SetArgs};
use crate::config::of_settings;
use crate::store;
use arena_games::Games;
use arena_process::{Launcher, Sandbox, Supervision, temporary_folder};
use arena_section::text::{nearest, word};

/// Start a bot as games do, to talk to it by hand
///
/// Compiles the bot if it is a source file, and runs it in the sandbox on standard input and
/// output. To send a bot the input of a game again: arena replay results/mine 17 --as-input 1 |
/// arena start --run results/mine my-bot
#[derive(Debug, Args)]
pub(super) struct StartArgs {
    /// The bot, as for `arena check`; with --run, its name
    #[arg(required = true, value_name = "BOT", value_hint = ValueHint::AnyPath)]
    bot: Vec<String>,
    /// Start the bot as in this run directory
    ///
    /// In the sandbox of the run. A bot that is tuned has its first values.
    #[arg(long, value_name = "RUN", value_hint = ValueHint::DirPath, conflicts_with_all = ["sandbox", "read", "settings"])]
    run: Option<PathBuf>,
    /// The bot's seed, for {seed} in its command and in its variable
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    sandbox: SandboxArgs,
    #[command(flatten)]
    set: SetArgs,
}

pub(super) fn start(args: &StartArgs, games: &Games) -> Result<u8> {
    let (bot, languages, mode, memory_mb) = match &args.run {
        None => {
            let config = of_settings(&args.set.settings, games)?;
            let bot = launch(BotLine::of(&args.bot)?, &args.sandbox.read);
            let memory_mb = config.memory_mb();
            let mode = args.sandbox.sandbox.unwrap_or_default();
            (bot, config.language, mode, memory_mb)
        }
        Some(run) => {
            let files = store::read_run_files(run, games)?;
            let plan = files.plan.plan;
            let name = args.bot.join(" ");
            let Some(number) = plan.bot(&name) else {
                let known: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
                let meant = nearest(&name, &known).unwrap_or(known[0]);
                return Err(InputError::NoBot(
                    name,
                    run.clone(),
                    known.join(", "),
                    format!("{} {}", word(run.display()), word(meant)),
                )
                .into());
            };
            if plan.bots[number].command.is_empty() {
                return Err(InputError::OnTheSite(name, run.clone()).into());
            }
            let bot = plan.bots[number].filled(&plan.trials(number)[0].values);
            (bot, plan.languages, plan.sandbox, plan.memory_mb)
        }
    };
    let folder =
        tempfile::tempdir_in(temporary_folder()).context("can't create a folder for the bot")?;
    let path = folder.path().to_owned();
    let sandbox = Sandbox::new(mode, memory_mb << 20, Supervision::None, path);
    let sandbox = Arc::new(sandbox?);
    let launch = ready(&languages, &bot, &sandbox, &[])?;
    let launcher = Launcher::new(&sandbox, launch);
    Ok(launcher.run(args.seed)?)
}
