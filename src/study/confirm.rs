//! The test that confirms what a sweep or a tuning has found, as a command and as a plan.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Seen;
use super::sweep::summary::SweepSummary;
use super::tune::summary::TuneSummary;
use crate::plan::{
    DEFAULT_ELO0, DEFAULT_ELO1, DEFAULT_ERROR, DEFAULT_MAX_UNITS, DEFAULT_MEMORY_MB, Plan,
    PlannedGame, SprtPlan, StudyPlan,
};
use crate::play::{DEFAULT_STARTUP, TimeRules};
use crate::text::command_line;
use arena_process::{Launch, Mode};
use arena_stats::sprt::{Hypotheses, Model};

/// The command that tests the leader of a sweep: what looks best in a sweep was chosen for its luck on its seeds.
pub(super) fn leader(seen: &Seen<'_>, sweep: &SweepSummary) -> Option<String> {
    let Seen { plan, out, .. } = seen;
    let find = |name: &String| plan.bots.iter().find(|bot| bot.name == *name);
    confirm(
        plan,
        out,
        find(&sweep.to_beat()?.name)?,
        find(sweep.leader.as_ref()?)?,
    )
}

/// The command that tests the answer of a tuning against its start.
pub(super) fn tuned(seen: &Seen<'_>, tuned: &TuneSummary) -> Option<String> {
    let [old, new] = start_and_answer(seen.plan, tuned)?;
    confirm(seen.plan, seen.out, &old, &new)
}

/// The same test as a plan; `None` where a tuning has no answer but the start.
pub(super) fn confirming(plan: &Plan, tuned: &TuneSummary) -> Option<Plan> {
    let [old, new] = start_and_answer(plan, tuned)?;
    let hypotheses = Hypotheses::new(
        Model::default(),
        DEFAULT_ELO0,
        DEFAULT_ELO1,
        DEFAULT_ERROR,
        DEFAULT_ERROR,
    )
    .ok()?;
    let test = SprtPlan {
        hypotheses,
        early: true,
        max_units: DEFAULT_MAX_UNITS,
    };
    let bots = vec![new, old];
    let of_both = |game: &PlannedGame| PlannedGame {
        bots: bots.iter().map(|bot| bot.name.clone()).collect(),
        ..game.clone()
    };
    let plan = Plan {
        name: format!("{}-confirm", plan.name),
        seed: fresh_seed(plan),
        games: plan.games.iter().map(of_both).collect(),
        study: StudyPlan::Sprt(test),
        bots,
        ..plan.clone()
    };
    Some(plan)
}

/// A seed of games that the run has not played.
fn fresh_seed(plan: &Plan) -> u64 {
    plan.seed.wrapping_add(1)
}

/// The bot that was tuned as it was before, and with its answer; `None` where there is none.
fn start_and_answer(plan: &Plan, tuned: &TuneSummary) -> Option<[Launch; 2]> {
    let StudyPlan::Tune(tune) = &plan.study else {
        return None;
    };
    if !tuned.has_answer() {
        return None;
    }
    let [side, _] = tune.sides();
    let bot = plan.bots.iter().find(|bot| bot.name == side)?;
    let answer: Vec<f64> = tuned
        .parameters
        .iter()
        .map(|parameter| parameter.answer)
        .collect();
    let with = |name: &str, values: &[f64]| Launch {
        name: name.to_owned(),
        ..bot.filled(&tune.named(values))
    };
    Some([with("start", &tune.start()), with("tuned", &answer)])
}

/// The command that tests a bot against another one under the conditions of the plan, on seeds that are none of its own. A game that the
/// arena does not know is that of the run directory, which has its referee.
fn confirm(plan: &Plan, out: &Path, old: &Launch, new: &Launch) -> Option<String> {
    let game = plan.games.first()?;
    let spec = game.spec.as_ref()?;
    let named = if game.referee.is_some() {
        out.display().to_string()
    } else {
        game.id.clone()
    };
    let duel = command_line(&[
        "arena".to_owned(),
        "duel".to_owned(),
        named,
        started(old, "old"),
        started(new, "new"),
    ]);
    let mut flags = Vec::new();
    let mut flag =
        |name: &str, value: &dyn Display| flags.extend([format!("--{name}"), value.to_string()]);
    flag("seed", &fresh_seed(plan));
    let ms = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    let limits = [
        (
            "first-turn-ms",
            ms(game.clock.first_turn),
            ms(spec.first_turn),
        ),
        ("turn-ms", ms(game.clock.turn), ms(spec.turn)),
        ("startup-ms", ms(game.clock.startup), ms(DEFAULT_STARTUP)),
        ("memory-mb", plan.memory_mb, DEFAULT_MEMORY_MB),
    ];
    limits
        .iter()
        .filter(|(_, limit, default)| limit != default)
        .for_each(|(name, limit, _)| flag(name, limit));
    if spec.has_opening {
        flag("opening-plies", &game.opening_plies);
    }
    if game.clock.rules != TimeRules::default() {
        flag("rules", &game.clock.rules);
    }
    for option in &spec.options {
        if let Some(value) = game.options.get(option.key) {
            flag(
                option.key,
                &value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            );
        }
    }
    let reads: BTreeSet<&PathBuf> = old.read.iter().chain(&new.read).collect();
    for path in reads {
        flag("read", &path.display());
    }
    if plan.sandbox != Mode::default() {
        flag("sandbox", &plan.sandbox);
    }
    if !game.clock.no_ponder {
        flags.push("--ponder".to_owned());
    }
    Some(format!(
        "{duel} --sprt {DEFAULT_ELO0},{DEFAULT_ELO1} {}",
        command_line(&flags)
    ))
}

/// The command line that starts a bot. Where it has variables, a name is in front of them, so that none is taken for one.
fn started(bot: &Launch, name: &str) -> String {
    let env = bot.env.iter().map(|(key, value)| format!("{key}={value}"));
    let mut words: Vec<String> = env.chain(bot.command.iter().cloned()).collect();
    if !bot.env.is_empty() {
        words[0].insert_str(0, &format!("{name}="));
    }
    command_line(&words)
}
