//! The sweep of a run: as text, read again from it, and who decides which variants play on.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::time::Duration;

use super::judge::{Call, Judge};
use crate::play::TimeRules;
use crate::report::command_line;
use crate::schedule::{Fixture, Schedule};
use crate::store::{BotText, DEFAULT_MEMORY_MB, GameRow, GameText, PlanText, SweepText, VariantText};
use crate::summary::Tally;
use crate::summary::sweep::{SweepSummary, SweepTally};
use crate::sweep::{BLOCK, Contest, MOST_VARIANTS, Settings, Sweep, Turn, UNITS, Variant};
use arena_games::GameSpec;

/// The hypotheses of the test that confirms what a sweep found.
const CONFIRM: &str = "0,10";

/// A sweep as the plan file has it; bots have their names in `name`.
pub(super) fn sweep_text(sweep: &Sweep, name: impl Fn(&usize) -> String) -> SweepText {
    let Settings { block, max_units, alpha, indifference } = sweep.settings;
    let variant = |variant: &Variant| VariantText { bot: name(&variant.bot), values: variant.values.clone() };
    SweepText {
        bot: sweep.bot.clone(),
        parameters: sweep.parameters.clone(),
        against: sweep.against.iter().map(&name).collect(),
        mode: sweep.mode.to_string(),
        block,
        max_units,
        alpha,
        indifference,
        variant: sweep.variants.iter().map(variant).collect(),
    }
}

/// The sweep of a plan that is only there as text; `None` if it has none, or one that cannot be.
pub(super) fn sweep_of(plan: &PlanText) -> Option<Sweep> {
    let text = plan.sweep.as_ref()?;
    let index = |name: &String| plan.bot.iter().position(|bot| bot.name == *name);
    let variant = |variant: &VariantText| Some(Variant { bot: index(&variant.bot)?, values: variant.values.clone() });
    let SweepText { block, max_units, alpha, indifference, .. } = *text;
    let settings = Settings { block, max_units, alpha, indifference };
    let sweep = Sweep {
        bot: text.bot.clone(),
        parameters: text.parameters.clone(),
        variants: text.variant.iter().map(variant).collect::<Option<_>>()?,
        against: text.against.iter().map(index).collect::<Option<_>>()?,
        mode: text.mode.parse().ok()?,
        settings,
    };
    // A plan that was changed by hand may ask for what no config can.
    let most_units = UNITS.end().saturating_add(*BLOCK.end());
    let fits = BLOCK.contains(&block)
        && (*UNITS.start()..=most_units).contains(&max_units)
        && (1..=MOST_VARIANTS).contains(&sweep.variants.len())
        && !sweep.against.is_empty();
    (fits && sweep.race(the_game(plan)?.1.seats).is_ok()).then_some(sweep)
}

/// The beginning of the sweep of a plan whose fixtures are `schedule`.
pub(super) fn contest(plan: &PlanText, schedule: &Schedule) -> Option<Contest> {
    Contest::new(sweep_of(plan)?, the_game(plan)?.1.seats, schedule.clone()).ok()
}

/// The same with names, for people.
pub(super) fn sweep_tally(plan: &PlanText, schedule: &Schedule) -> Option<SweepTally> {
    let contest = contest(plan, schedule)?;
    let text = plan.sweep.as_ref()?;
    let names: Vec<String> = text.variant.iter().map(|variant| variant.bot.clone()).collect();
    Some(SweepTally::new(contest, names, text.against.clone()))
}

fn the_game(plan: &PlanText) -> Option<(&GameText, &'static GameSpec)> {
    let game = plan.game.first()?;
    Some((game, arena_games::find(&game.id)?))
}

/// The command that tests the leader of a sweep under the conditions of the plan, on seeds that are none of its own: what
/// looks best in a sweep was chosen for its luck on these.
pub(super) fn confirm(plan: &PlanText, sweep: &SweepSummary) -> Option<String> {
    let find = |name: &String| plan.bot.iter().find(|bot| bot.name == *name);
    let (old, new) = (find(&sweep.to_beat()?.name)?, find(sweep.leader.as_ref()?)?);
    let (game, spec) = the_game(plan)?;
    let seed = plan.seed.parse::<u64>().ok()?.wrapping_add(1);
    let duel = command_line(&["arena".to_owned(), "duel".to_owned(), game.id.clone(), started(old), started(new)]);
    let mut flags = Vec::new();
    let mut flag = |name: &str, value: &dyn Display| flags.extend([format!("--{name}"), value.to_string()]);
    flag("seed", &seed);
    let ms = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    let limits = [
        ("first-turn-ms", game.first_turn_ms, ms(spec.first_turn)),
        ("turn-ms", game.turn_ms, ms(spec.turn)),
        ("startup-ms", game.startup_ms, ms(super::DEFAULT_STARTUP)),
        ("memory-mb", plan.memory_mb, DEFAULT_MEMORY_MB),
    ];
    limits.iter().filter(|(_, limit, default)| limit != default).for_each(|(name, limit, _)| flag(name, limit));
    if spec.has_opening {
        flag("opening-plies", &game.opening_plies);
    }
    if game.rules != TimeRules::default().to_string() {
        flag("rules", &game.rules);
    }
    let reads: BTreeSet<&String> = old.read.iter().chain(&new.read).collect();
    let paths = game.maps.iter().map(|maps| ("maps", maps)).chain(reads.into_iter().map(|path| ("read", path)));
    paths.for_each(|(name, path)| flag(name, path));
    if let Some(sandbox) = &plan.sandbox {
        flag("sandbox", sandbox);
    }
    flags.extend((!game.no_ponder).then(|| "--ponder".to_owned()));
    Some(format!("{duel} --sprt {CONFIRM} {}", command_line(&flags)))
}

/// The command line that starts a bot, with its environment.
fn started(bot: &BotText) -> String {
    let env = bot.env.iter().map(|(key, value)| format!("{key}={value}"));
    command_line(&env.chain(bot.command.iter().cloned()).collect::<Vec<_>>())
}

/// Fixtures are played as long as their variant is in the race.
pub(super) struct WhileIn {
    pub(super) contest: Contest,
}

impl Judge for WhileIn {
    fn hear(&mut self, row: &GameRow, _: &Tally) {
        // The score of a unit cannot be above its full score.
        let counted = self.contest.add(row.number, row.seats.iter().map(|seat| seat.score));
        debug_assert!(counted.is_ok(), "{counted:?}");
    }

    fn call(&self, fixture: &Fixture) -> Call {
        match self.contest.turn(fixture.number) {
            Turn::Play => Call::Play,
            Turn::Wait => Call::Maybe,
            Turn::Skip if self.has_ended() => Call::Stop,
            Turn::Skip => Call::Skip,
        }
    }

    fn has_ended(&self) -> bool {
        self.contest.end().is_some()
    }
}
