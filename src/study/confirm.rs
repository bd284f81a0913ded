//! The test that confirms the answer of a sweep or a tuning, as a command and as a plan.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use arena_games::GameSpec;
use serde_json::Value;

use super::Context;
use super::sweep::summary::SweepSummary;
use super::tune::summary::TuneSummary;
use crate::plan::{
    DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR, DEFAULT_MAX_UNITS, DEFAULT_MEMORY_MB, Plan,
    PlannedGame, SprtPlan, StudyPlan,
};
use crate::play::{DEFAULT_STARTUP, TimeRules};
use arena_process::{Launch, Mode, join_command, slashed};
use arena_section::text::command_line;
use arena_stats::sprt::{Hypotheses, Model};

/// Returns the command that tests the leader of a sweep on fresh seeds. It was chosen for its luck
/// on those of the sweep.
pub(super) fn leader(seen: &Context<'_>, sweep: &SweepSummary) -> Option<String> {
    let Context { plan, out, .. } = seen;
    let old = &plan.bots[plan.bot(&sweep.to_beat()?.name)?];
    let new = &plan.bots[plan.bot(sweep.leader.as_ref()?)?];
    confirm(plan, out, old, new)
}

/// Returns the command that tests the answer of a tuning against its start.
pub(super) fn tuned(seen: &Context<'_>, tuned: &TuneSummary) -> Option<String> {
    let [old, new] = start_and_answer(seen.plan, tuned)?;
    confirm(seen.plan, seen.out, &old, &new)
}

/// Returns the same test as a plan; `None` if the answer is the start.
pub(super) fn confirming(plan: &Plan, tuned: &TuneSummary) -> Option<Plan> {
    let [old, new] = start_and_answer(plan, tuned)?;
    let (elo0, elo1, error) = (DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR);
    let test = SprtPlan {
        hypotheses: Hypotheses::new(Model::default(), elo0, elo1, error, error).ok()?,
        early: true,
        max_units: DEFAULT_MAX_UNITS,
    };
    let mut games = plan.games.clone();
    for game in &mut games {
        game.bots = vec![new.name.clone(), old.name.clone()];
    }
    Some(Plan {
        name: format!("{}-confirm", plan.name),
        seed: fresh_seed(plan),
        games,
        study: StudyPlan::Sprt(test),
        bots: vec![new, old],
        ..plan.clone()
    })
}

/// Returns a seed of games that the run hasn't played.
fn fresh_seed(plan: &Plan) -> u64 {
    plan.seed.wrapping_add(1)
}

/// Returns the tuned bot with the values of the start and with those of the answer, if there is
/// one.
fn start_and_answer(plan: &Plan, tuned: &TuneSummary) -> Option<[Launch; 2]> {
    let StudyPlan::Tune(tune) = &plan.study else {
        return None;
    };
    if !tuned.has_answer() {
        return None;
    }
    let [side, _] = tune.sides();
    let bot = &plan.bots[plan.bot(&side)?];
    let with = |name: &str, values: &[f64]| Launch {
        name: name.to_owned(),
        ..bot.filled(&tune.named(values))
    };
    Some([with("start", &tune.start()), with("tuned", &tuned.values())])
}

/// Returns the command that tests a bot against another one under the conditions of the plan, on
/// fresh seeds. A game with an external referee is named by the run folder, which has the referee.
fn confirm(plan: &Plan, out: &Path, old: &Launch, new: &Launch) -> Option<String> {
    let game = plan.games.first()?;
    let named = match game.referee {
        Some(_) => &slashed(out),
        None => &game.id,
    };
    let [old_bot, new_bot] = [started(old, "old"), started(new, "new")];
    let duel = command_line(&["arena", "duel", named, &old_bot, &new_bot].map(str::to_owned));
    let reads = old.read.iter().chain(&new.read).collect();
    let flags = conditions(plan, game, game.spec.as_ref()?, &reads);
    let flags = command_line(&flags);
    Some(format!(
        "{duel} --sprt {DEFAULT_ELO0},{DEFAULT_ELO1} {flags}"
    ))
}

/// Returns the flags of a duel under the conditions of a plan, as far as they are no defaults.
fn conditions(
    plan: &Plan,
    game: &PlannedGame,
    spec: &GameSpec,
    reads: &BTreeSet<&PathBuf>,
) -> Vec<String> {
    let mut flags = Vec::new();
    let mut flag =
        |name: &str, value: &dyn Display| flags.extend([format!("--{name}"), value.to_string()]);
    let setting = |key: &str, value: &dyn Display| format!("{key}={value}");
    flag("seed", &fresh_seed(plan));
    let clock = &game.clock;
    for (name, limit, default) in [
        ("clock.first_turn_ms", clock.first_turn, spec.first_turn),
        ("clock.turn_ms", clock.turn, spec.turn),
        ("clock.startup_ms", clock.startup, DEFAULT_STARTUP),
    ] {
        if limit != default {
            flag("set", &setting(name, &limit.as_millis()));
        }
    }
    if plan.memory_mb != DEFAULT_MEMORY_MB {
        flag("set", &setting("limits.memory_mb", &plan.memory_mb));
    }
    if spec.has_opening {
        flag("opening-plies", &game.opening_plies);
    }
    if clock.rules != TimeRules::default() {
        flag("set", &setting("clock.rules", &clock.rules));
    }
    for option in &spec.options {
        let key = format!("game.{}.{}", game.id, option.key);
        match game.options.get(option.key) {
            Some(Value::String(text)) => flag("set", &setting(&key, text)),
            Some(value) => flag("set", &setting(&key, value)),
            None => {}
        }
    }
    for path in reads {
        flag("read", &slashed(path));
    }
    if plan.sandbox != Mode::default() {
        flag("sandbox", &plan.sandbox);
    }
    if !clock.no_ponder {
        flag("set", &"clock.no_ponder=false");
    }
    flags
}

/// Returns the command line that starts a bot. If it has variables, a name comes first, so that
/// none of them is taken for it.
fn started(bot: &Launch, name: &str) -> String {
    let env = bot.env.iter().map(|(key, value)| format!("{key}={value}"));
    let mut words: Vec<String> = env.chain(bot.command.iter().cloned()).collect();
    if !bot.env.is_empty() {
        words[0].insert_str(0, &format!("{name}="));
    }
    join_command(&words)
}
