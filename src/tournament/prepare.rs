//! What comes before the first game: building the bots, and writing down what will be played by which programs.

use std::collections::BTreeMap;
use std::iter;
use std::path::PathBuf;
use std::time::Duration;

use super::swept::sweep_text;
use super::{Control, Plan, PlannedBot, PlannedGame, RunError, SprtPlan};
use crate::process::{Mode, find_program, run_command};
use crate::report::{Event, Reporter};
use crate::schedule::{Schedule, Slice};
use crate::store::{self, BotText, GameText, PlanFile, PlanText, Program, SprtText};
use arena_games::Maps;
use arena_games::kutulu::MapSet;

/// Runs each distinct build command once. What it prints is shown only when it fails.
pub(super) fn build_bots(plan: &Plan, control: &Control, reporter: &mut dyn Reporter) -> Result<(), RunError> {
    let mut done: Vec<&[String]> = Vec::new();
    for bot in &plan.bots {
        let Some(build) = bot.build.as_deref() else { continue };
        if done.contains(&build) {
            continue;
        }
        done.push(build);
        let command = shlex::try_join(build.iter().map(String::as_str)).unwrap_or_else(|_| build.join(" "));
        reporter.event(&Event::Building { command: &command });
        let why = match run_command(build, [&control.drain, &control.kill]) {
            Ok(ran) => match ran.status {
                None => return Err(RunError::Interrupted),
                Some(status) if status.success() => continue,
                Some(status) => format!("{status}\n{}", ran.output.trim_end()),
            },
            Err(error) => error.to_string(),
        };
        return Err(RunError::Build { bot: bot.name.clone(), command, why });
    }
    Ok(())
}

/// The files each bot is made of: its program, and every file that its command names.
pub(super) fn programs(plan: &Plan) -> Result<Vec<Program>, RunError> {
    plan.bots.iter().map(program).collect()
}

fn program(bot: &PlannedBot) -> Result<Program, RunError> {
    let name = || bot.name.clone();
    let path = find_program(&bot.command[0]).map_err(|source| RunError::Program { bot: name(), source })?;
    let named = bot.command[1..].iter().map(PathBuf::from).filter(|path| path.is_file());
    let mut files = BTreeMap::new();
    for path in iter::once(path).chain(named) {
        files.insert(path.display().to_string(), store::hash_file(&path)?);
    }
    Ok(Program { bot: name(), files })
}

/// What the run directory says it is a run of; the programs are not looked at yet.
pub(super) fn plan_file(plan: &Plan, schedule: &Schedule, slice: Slice) -> PlanFile {
    let ms = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    let name = |&bot: &usize| plan.bots[bot].name.clone();
    let game = |game: &PlannedGame| GameText {
        id: game.spec.id.to_owned(),
        first_turn_ms: ms(game.clock.first_turn),
        turn_ms: ms(game.clock.turn),
        startup_ms: ms(game.clock.startup),
        rules: game.clock.rules.to_string(),
        no_ponder: game.clock.no_ponder,
        opening_plies: game.opening_plies,
        maps: maps(game).map(|maps| maps.folder.clone()),
        maps_digest: maps(game).map(|maps| maps.digest.clone()),
        bots: game.bots.iter().map(name).collect(),
    };
    let bot = |bot: &PlannedBot| BotText {
        name: bot.name.clone(),
        command: bot.command.clone(),
        env: bot.env.clone(),
        read: bot.read.iter().map(|path| path.display().to_string()).collect(),
    };
    let seats_four = plan.games.iter().any(|game| game.spec.seats > 2);
    let text = PlanText {
        name: plan.name.clone(),
        format: plan.format.to_string(),
        design: seats_four.then(|| plan.design.to_string()),
        seed: plan.seed.to_string(),
        games_per_pairing: plan.games_per_pairing,
        trace: plan.trace,
        sandbox: (plan.sandbox != Mode::default()).then(|| plan.sandbox.to_string()),
        memory_mb: plan.memory_mb,
        sprt: plan.sprt.as_ref().map(sprt_text),
        sweep: plan.sweep.as_ref().map(|sweep| sweep_text(sweep, name)),
        game: plan.games.iter().map(game).collect(),
        bot: plan.bots.iter().map(bot).collect(),
    };
    PlanFile::new(text, schedule.len(), slice, schedule.count(slice))
}

fn sprt_text(SprtPlan { hypotheses, max_units, check_units }: &SprtPlan) -> SprtText {
    SprtText {
        model: hypotheses.model().to_string(),
        elo0: hypotheses.elo0(),
        elo1: hypotheses.elo1(),
        alpha: hypotheses.alpha(),
        beta: hypotheses.beta(),
        max_units: *max_units,
        check_1v3: *check_units,
    }
}

/// The folder of maps that a game was given.
fn maps(game: &PlannedGame) -> Option<&MapSet> {
    match &game.maps {
        Maps::Set(maps) => Some(maps),
        Maps::Own | Maps::One(_) => None,
    }
}
