//! What comes before the first game: building the bots, and finding out what will be played by which programs.

use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};

use super::{Build, Control, RunError, Session};
use crate::plan::Plan;
use crate::process::{Launch, find_program, run_command};
use crate::report::{Event, Reporter, command_line};
use crate::store::{self, Program, read_folder};
use arena_games::GameSpec;

/// Runs each distinct build command once. What it prints is shown only when it fails.
pub(super) fn build_bots(session: &Session, control: &Control, reporter: &mut dyn Reporter) -> Result<(), RunError> {
    let mut done: Vec<&[String]> = Vec::new();
    for Build { bot, command: build } in &session.builds {
        if done.contains(&build.as_slice()) {
            continue;
        }
        done.push(build);
        let command = command_line(build);
        reporter.event(&Event::Building { command: command.clone() });
        let why = match run_command(build, [&control.drain, &control.kill]) {
            Ok(ran) => match ran.status {
                None => return Err(RunError::Input(anyhow!("build the bots: interrupted"))),
                Some(status) if status.success() => continue,
                Some(status) => format!("{status}\n{}", ran.output.trim_end()),
            },
            Err(error) => error.to_string(),
        };
        return Err(RunError::Input(anyhow!("build bot `{bot}` with `{command}`: {why}")));
    }
    Ok(())
}

/// The files each bot is made of: its program, and every file that its command names.
pub(super) fn programs(plan: &Plan) -> Result<Vec<Program>, RunError> {
    plan.bots.iter().map(program).collect()
}

fn program(bot: &Launch) -> Result<Program, RunError> {
    let found = find_program(&bot.command[0]).with_context(|| format!("start bot `{}`", bot.name));
    let path = found.map_err(RunError::Input)?;
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
