//! A sweep as it is planned: the variants of one bot, whom they meet, and how it is decided which are left.

mod contest;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub(crate) use contest::{Contest, Turn};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::schedule::{BotId, Grid, Schedule};
use arena_stats::race::{Race, RaceError, Rules, RulesError};

/// The variants that a sweep may have at most.
pub(crate) const MOST_VARIANTS: usize = 256;
/// The units between two looks.
pub(crate) const BLOCK: RangeInclusive<u64> = 1..=100_000;
/// The units of a variant, before they are rounded up to whole blocks.
pub(crate) const UNITS: RangeInclusive<u64> = 1..=1_000_000_000;

/// How many variants play on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Mode {
    /// Those that may still be the best.
    #[default]
    Race,
    /// All, to the end.
    Fixed,
}

/// One set of values, and the bot that has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The bot, as an index into the plan's bots.
    pub(crate) bot: BotId,
    /// The value of each parameter, as it stands in the bot's command or environment.
    pub(crate) values: BTreeMap<String, String>,
}

/// How a sweep is decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Units between two looks.
    pub(crate) block: u64,
    /// The most units of a variant, a multiple of the block; all that it plays where none is dropped.
    pub(crate) max_units: u64,
    /// The chance of error of a race, between 0 and 1.
    pub(crate) alpha: f64,
    /// Within how many Elo of the leader nobody cares, above 0; `None` goes on to the end.
    pub(crate) indifference: Option<f64>,
}

/// Variants of one bot against the same opponents on the same seeds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sweep {
    /// The name of the bot that is swept, as the config has it.
    pub(crate) bot: String,
    /// The names of the parameters, in the order in which they were written.
    pub(crate) parameters: Vec<String>,
    /// The variants, two at least.
    pub(crate) variants: Vec<Variant>,
    /// Whom they all meet, as indices into the plan's bots: a baseline, or a panel.
    pub(crate) against: Vec<BotId>,
    /// How many play on.
    pub(crate) mode: Mode,
    /// How it is decided.
    pub(crate) settings: Settings,
}

impl Sweep {
    /// The fixtures of the full grid in a game of so many seats.
    pub(crate) fn schedule(&self, seats: usize, seed: u64) -> Schedule {
        let variants: Vec<BotId> = self.variants.iter().map(|variant| variant.bot).collect();
        let Settings { block, max_units, .. } = self.settings;
        let blocks = max_units.div_ceil(block.max(1));
        Schedule::sweep(&Grid { seats, variants: &variants, against: &self.against, block, blocks }, seed)
    }

    /// The games of a unit: a variant on one seed against all opponents, seats swapped.
    pub(crate) fn games_per_unit(&self) -> u32 {
        u32::try_from(2 * self.against.len()).unwrap_or(u32::MAX)
    }

    /// The parts of a full score of two games with swapped seats, in a game of so many seats: a half for every comparison
    /// of a seat of the variant with one of the opponent. A win counts 2 of them, a draw 1.
    pub(crate) fn parts_per_pair(seats: usize) -> u32 {
        u32::try_from(seats / 2 * (seats / 2)).unwrap_or(u32::MAX).saturating_mul(4)
    }

    /// The parts of a full score of a unit: a pair of games against each opponent.
    pub(crate) fn parts_per_unit(&self, seats: usize) -> u32 {
        Sweep::parts_per_pair(seats).saturating_mul(self.games_per_unit() / 2)
    }

    /// The race, before its first block, in a game of so many seats.
    pub(crate) fn race(&self, seats: usize) -> Result<Race, SweepError> {
        let Settings { block, max_units, alpha, indifference } = self.settings;
        let rules = Rules::new(alpha, block, max_units)?;
        let rules = indifference.map_or(Ok(rules), |elo| rules.with_indifference(elo))?;
        Ok(Race::new(rules, self.variants.len(), self.parts_per_unit(seats), self.games_per_unit())?)
    }
}

/// Why a sweep cannot be held.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum SweepError {
    /// The settings.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The variants.
    #[error(transparent)]
    Race(#[from] RaceError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_hold_all_games_on_a_seed() {
        let variants = [3, 4].map(|bot| Variant { bot, values: BTreeMap::new() }).to_vec();
        let settings = Settings { block: 16, max_units: 1600, alpha: 0.05, indifference: Some(5.0) };
        let sweep = Sweep {
            bot: "search".into(),
            parameters: Vec::new(),
            variants,
            against: vec![0, 1, 2],
            mode: Mode::Race,
            settings,
        };
        assert_eq!((sweep.games_per_unit(), sweep.parts_per_unit(2), sweep.parts_per_unit(4)), (6, 12, 48));
        assert_eq!(sweep.schedule(2, 1).len(), 2 * 1600 * 6);
        let mut race = sweep.race(4).unwrap();
        assert_eq!(race.add(&[vec![48; 16], vec![0; 16]]), Ok(vec![1]));
        let wrong = Sweep { settings: Settings { alpha: 1.0, ..settings }, ..sweep };
        assert!(matches!(wrong.race(2), Err(SweepError::Rules(RulesError::Alpha(_)))));
    }
}
