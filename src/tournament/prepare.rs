//! What comes before the first game: building the bots, and finding out what will be played by which programs.

use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};

use super::{Build, Control, RunError, Session};
use crate::languages::{self, Compile, Languages};
use crate::plan::Plan;
use crate::process::{Launch, Ran, find_program, run_command};
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
) -> Result<(), RunError> {
    let stops = [&control.drain, &*control.kill];
    let mut done: Vec<&[String]> = Vec::new();
    for Build { bot, command } in &session.builds {
        if !done.contains(&command.as_slice()) {
            done.push(command);
            reporter.event(&Event::Building { command: command_line(command) });
            let ran = run_command(command, stops).map_err(anyhow::Error::from);
            has_built(bot, command, ran)?;
        }
    }
    for (bot, compile) in started(plan)?.1 {
        if !compile.is_done() {
            reporter.event(&Event::Building { command: command_line(&compile.command) });
            has_built(&bot, &compile.command, compile.run(stops))?;
        }
    }
    Ok(())
}

/// The error of a build that failed.
fn has_built(bot: &str, command: &[String], ran: anyhow::Result<Ran>) -> Result<(), RunError> {
    let why = match ran {
        Ok(Ran { status: None, .. }) => return Err(RunError::Input(anyhow!("build the bots: interrupted"))),
        Ok(Ran { status: Some(status), .. }) if status.success() => return Ok(()),
        Ok(Ran { status: Some(status), output }) => format!("{status}\n{}", output.trim_end()),
        Err(error) => format!("{error:#}"),
    };
    Err(RunError::Input(anyhow!("build bot `{bot}` with `{}`: {why}", command_line(command))))
}

/// The plan with every bot as it is really started, and how those are compiled that are source files.
pub(super) fn started(plan: &Plan) -> Result<(Plan, Vec<(String, Compile)>), RunError> {
    let mut plan = plan.clone();
    let mut compiled = Vec::new();
    for bot in &mut plan.bots {
        let resolved = languages::resolved(&plan.languages, bot).with_context(|| format!("start bot `{}`", bot.name));
        let (started, compile) = resolved.map_err(RunError::Input)?;
        compiled.extend(compile.map(|compile| (bot.name.clone(), compile)));
        *bot = started;
    }
    Ok((plan, compiled))
}

/// The files each bot is made of: its program or source, and every file that its command names.
pub(super) fn programs(plan: &Plan) -> Result<Vec<Program>, RunError> {
    plan.bots.iter().map(|bot| program(bot, &plan.languages)).collect()
}

fn program(bot: &Launch, languages: &Languages) -> Result<Program, RunError> {
    let start = languages::start(&languages::known(languages), &bot.command);
    let program = start.and_then(|start| match start {
        Some(_) => Ok(PathBuf::from(&bot.command[0])),
        None => Ok(find_program(&bot.command[0])?),
    });
    let path = program.with_context(|| format!("start bot `{}`", bot.name)).map_err(RunError::Input)?;
    let named = bot.command[1..].iter().map(PathBuf::from).filter(|path| path.is_file());
    let mut files = BTreeMap::new();
    for path in iter::once(path).chain(named) {
        files.insert(path.display().to_string(), store::hash_file(&path)?);
    }
    Ok(Program { bot: bot.name.clone(), files })
}

/// The games of a plan under their options.
pub(super) fn games(plan: &Plan) -> Result<Vec<Arc<GameSpec>>, RunError> {
    plan.games.iter().map(|game| game.configured(&read_folder).map_err(|why| RunError::Input(anyhow!(why)))).collect()
}
