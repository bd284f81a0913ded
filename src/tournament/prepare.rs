//! What comes before the first game: building the bots, and finding out what will be played by which programs.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};

use super::{Build, Control, RunError, Session};
use crate::languages::{self, Ready, compiler};
use crate::plan::Plan;
use crate::report::{Event, Reporter, command_line};
use crate::store::{self, Program, read_folder};
use arena_games::GameSpec;

/// Runs each distinct build command once, then compiles every bot that is a source file. What compilers print is shown only
/// when they fail.
pub(super) fn build_bots(
    plan: &Plan,
    session: &Session,
    control: &Control,
    reporter: &mut dyn Reporter,
) -> Result<Vec<Ready>, RunError> {
    let stops = [&control.drain, &control.kill];
    let mut build = compiler(&stops, |command| reporter.event(&Event::Building { command: command_line(command) }));
    let mut done: Vec<&[String]> = Vec::new();
    for Build { bot, command } in &session.builds {
        if !done.contains(&command.as_slice()) {
            done.push(command);
            let why = || format!("build bot `{bot}` with `{}`", command_line(command));
            build(command).with_context(why).map_err(RunError::Input)?;
        }
    }
    let mut ready = |bot| languages::ready(&plan.languages, bot, &mut build);
    let bots = plan.bots.iter().map(|bot| ready(bot).with_context(|| format!("start bot `{}`", bot.name)));
    bots.collect::<anyhow::Result<_>>().map_err(RunError::Input)
}

/// The files each bot is made of, and what tells a compiled one from others.
pub(super) fn programs(bots: &[Ready]) -> Result<Vec<Program>, RunError> {
    bots.iter().map(program).collect()
}

fn program(bot: &Ready) -> Result<Program, RunError> {
    let mut files: BTreeMap<String, String> = bot.identity.iter().cloned().collect();
    for path in &bot.files {
        files.insert(path.display().to_string(), store::hash_file(path)?);
    }
    Ok(Program { bot: bot.launch.name.clone(), files })
}

/// The games of a plan under their options.
pub(super) fn games(plan: &Plan) -> Result<Vec<Arc<GameSpec>>, RunError> {
    plan.games.iter().map(|game| game.configured(&read_folder).map_err(|why| RunError::Input(anyhow!(why)))).collect()
}
