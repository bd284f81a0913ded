//! The sweep of a run: as text, read again from it, and who decides which variants play on.

use std::time::Duration;

use super::judge::{Call, Judge};
use crate::games::{self, GameSpec};
use crate::report::command_line;
use crate::schedule::{Fixture, Schedule};
use crate::store::{BotText, GameRow, GameText, PlanText, SweepText, VariantText};
use crate::summary::Tally;
use crate::summary::sweep::SweepTally;
use crate::sweep::{Contest, Settings, Sweep, Turn, Variant};

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
    (block > 0 && max_units > 0 && !sweep.variants.is_empty() && !sweep.against.is_empty()).then_some(sweep)
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
    let confirm = names.iter().map(|name| confirm(plan, text.against.first()?, name)).collect();
    Some(SweepTally::new(contest, names, text.against.clone(), confirm))
}

fn the_game(plan: &PlanText) -> Option<(&GameText, &'static GameSpec)> {
    let game = plan.game.first()?;
    Some((game, games::find(&game.id)?))
}

/// The command that tests whether `new` is stronger than `old` under the conditions of the plan, on seeds that are none of
/// its own: what looks best in a sweep was chosen for its luck on these. `None` for games on maps of a folder, which a duel
/// cannot be given.
fn confirm(plan: &PlanText, old: &str, new: &str) -> Option<String> {
    let (game, spec) = the_game(plan).filter(|(game, _)| game.maps.is_none())?;
    let started = |name: &str| plan.bot.iter().find(|bot| bot.name == name).map(started);
    let seed = plan.seed.parse::<u64>().ok()?.wrapping_add(1);
    let bots = command_line(&[started(old)?, started(new)?]);
    let ms = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    let limits = [
        ("first-turn-ms", game.first_turn_ms, ms(spec.first_turn)),
        ("turn-ms", game.turn_ms, ms(spec.turn)),
        ("startup-ms", game.startup_ms, ms(super::DEFAULT_STARTUP)),
    ];
    let changed = limits.into_iter().filter(|(_, limit, default)| limit != default);
    let opening = spec.has_opening.then_some(("opening-plies", u64::from(game.opening_plies)));
    let flags = changed.map(|(flag, limit, _)| (flag, limit)).chain(opening);
    let flags = flags.map(|(flag, value)| format!(" --{flag} {value}")).collect::<Vec<_>>().concat();
    Some(format!("arena duel {} {bots} --sprt {CONFIRM} --seed {seed}{flags}", game.id))
}

/// The command line that starts a bot, with its environment.
fn started(bot: &BotText) -> String {
    let own = bot.env.iter().map(|(key, value)| format!("{key}={value}"));
    let env = (!bot.env.is_empty()).then(|| "env".to_owned()).into_iter().chain(own);
    command_line(&env.chain(bot.command.iter().cloned()).collect::<Vec<_>>())
}

/// Fixtures are played as long as their variant is in the race.
pub(super) struct WhileIn {
    pub(super) contest: Contest,
}

impl Judge for WhileIn {
    fn hear(&mut self, row: &GameRow, _: &Tally) {
        let scores: Vec<i32> = row.seats.iter().map(|seat| seat.score).collect();
        // The score of a unit cannot be above its full score.
        let _ = self.contest.add(row.number, &scores);
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
