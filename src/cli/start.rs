//! `arena start`.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};

use super::Failure;
use super::bots::{BotLine, launch};
use super::exit;
use super::supervised::ready;
use super::terms::SandboxArgs;
use crate::store;
use arena_games::Games;
use arena_process::languages::Languages;
use arena_process::{Launcher, Mode, Sandbox, Supervision};

/// Start a bot as games do, to talk to it by hand
///
/// The bot is compiled if it is a source file, and runs in the sandbox; what it reads and writes is what this program is
/// given and gives. What a bot was sent in a game can be sent to it again:
/// arena replay results/mine 17 --as-input 1 | arena start --run results/mine my-bot
#[derive(Debug, Args)]
pub(super) struct StartArgs {
    /// The command that starts the bot, as for `arena check`; with --run, the name of a bot
    #[arg(required = true, value_name = "BOT", value_hint = ValueHint::AnyPath)]
    bot: Vec<String>,
    /// Start the bot as in this run directory, under the sandbox of the run; one that is tuned with the values of the start
    #[arg(long, value_name = "RUN", value_hint = ValueHint::DirPath, conflicts_with_all = ["sandbox", "read", "memory_mb"])]
    run: Option<PathBuf>,
    /// The bot's own seed, for {seed} in its command and in the variable that holds it
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    sandbox: SandboxArgs,
}

pub(super) fn start(args: &StartArgs, games: &Games) -> Result<u8, Failure> {
    let (bot, languages, mode, memory_mb) = match &args.run {
        None => {
            let SandboxArgs {
                sandbox, memory_mb, ..
            } = args.sandbox;
            let bot = launch(BotLine::of(&args.bot)?, &args.sandbox.read);
            (bot, Languages::new(), sandbox, memory_mb)
        }
        Some(run) => {
            let files = store::read_run_files(run, games).map_err(Failure::input)?;
            let plan = files.plan.plan;
            let name = args.bot.join(" ");
            let Some(number) = plan.bot(&name) else {
                let known: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
                return Err(Failure::input(anyhow!(
                    "find bot `{name}` in {}: its bots are {}",
                    run.display(),
                    known.join(", ")
                )));
            };
            let bot = plan.bots[number].filled(&plan.values_to_try(number).unwrap_or_default());
            // Without a pid namespace strict gives nothing, and one process needs none.
            let mode = match plan.sandbox {
                Mode::Off => Mode::Off,
                Mode::Auto | Mode::Strict => Mode::Auto,
            };
            (bot, plan.languages, mode, plan.memory_mb)
        }
    };
    let launch = ready(&languages, &bot, &[])?;
    let folder = tempfile::tempdir()
        .context("create a folder for the bot")
        .map_err(Failure::input)?;
    let sandbox = Sandbox::new(
        mode,
        memory_mb << 20,
        Supervision::None,
        folder.path().to_owned(),
    );
    let launcher = Launcher::new(&Arc::new(sandbox.map_err(Failure::input)?), launch);
    let status = launcher.run(args.seed).map_err(Failure::input)?;
    Ok(match (status.code().map(u8::try_from), status.signal()) {
        (Some(Ok(code)), _) => code,
        (_, Some(signal)) => exit::of_signal(signal),
        _ => exit::INTERNAL,
    })
}
