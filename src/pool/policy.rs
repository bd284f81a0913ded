//! How a try spends its games, and what it may say of them: the policy that simulated months
//! favour, see docs/explanation/pool.md.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Serialize;
use strum::{Display, IntoStaticStr};

use crate::config::Sure;

/// The shares of a budget that the duel with the best and the gauntlet get.
pub(crate) const SHARES: [u32; 2] = [3, 1];
/// The shares of both.
pub(crate) const WHOLE: u32 = 4;
/// A candidate that is better with a likelihood below this is dropped.
pub(crate) const DROP_BELOW: f64 = 0.10;
/// A candidate plays a gauntlet if the duel leaves it a likelihood above this.
const MIN_LOS_FOR_GAUNTLET: f64 = 0.5;
/// How often a candidate that is no better is called stronger at any look, at most.
const EVERY_LOOK: f64 = 0.025;

/// What a try says of its candidate, compared with the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Display, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Verdict {
    /// The interval of the duel, which holds at every look, lies above 0.
    Stronger,
    /// Duel and gauntlet together make it as likely as `--sure` asks for.
    LikelyStronger,
    /// It may or may not be better.
    Open,
    /// It is better with a likelihood below 10%.
    Unlikely,
    /// The interval of the duel lies below 0.
    Weaker,
}

/// What is known of a candidate against the best.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// What the interval of the duel says at every look; `None` without a verdict.
    pub(crate) duel: Option<Ordering>,
    /// The likelihood that it is better, from all games.
    pub(crate) los: Option<f64>,
    /// How many budgets were looked at.
    pub(crate) budgets: u32,
}

/// The likelihood that the look after this many budgets asks for: the k-th asks for
/// 1 - (1 - sure)/k, so that further budgets don't let equal candidates pass. Infinite if no
/// likelihood is enough.
fn asked(sure: Sure, budgets: u32) -> f64 {
    match sure {
        Sure::Percent(sure) => 1.0 - (1.0 - sure / 100.0) / f64::from(budgets.max(1)),
        Sure::EveryLook => f64::INFINITY,
    }
}

impl Verdict {
    /// The exit status of a try, see docs/reference/exit-status.md.
    pub(crate) fn exit(self) -> u8 {
        match self {
            Verdict::Stronger | Verdict::LikelyStronger => 0,
            Verdict::Unlikely | Verdict::Weaker => 1,
            Verdict::Open => 4,
        }
    }
}

impl Evidence {
    pub(crate) fn verdict(&self, sure: Sure) -> Verdict {
        match (self.duel, self.los) {
            (Some(Ordering::Greater), _) => Verdict::Stronger,
            (Some(Ordering::Less), _) => Verdict::Weaker,
            _ if self.is_hopeless() => Verdict::Unlikely,
            (_, Some(los)) if los >= asked(sure, self.budgets) => Verdict::LikelyStronger,
            _ => Verdict::Open,
        }
    }

    /// Whether the candidate is dropped.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.los.is_some_and(|los| los < DROP_BELOW)
    }

    /// Whether the candidate plays a gauntlet after its duel.
    pub(crate) fn deserves_gauntlet(&self) -> bool {
        self.duel != Some(Ordering::Less) && self.los.is_some_and(|los| los > MIN_LOS_FOR_GAUNTLET)
    }
}

/// How many candidates at most would be called stronger, and at least likely stronger, if none of
/// those tried were better. Each is given by its number of budgets.
pub(crate) fn by_luck(tried: impl Iterator<Item = u32>, sure: Sure) -> [f64; 2] {
    let mut expected = [0.0, 0.0];
    for budgets in tried {
        // A further budget may be a duel with another bot.
        expected[0] += EVERY_LOOK * f64::from(budgets.max(1));
        expected[1] += match sure {
            Sure::Percent(_) => (1..=budgets.max(1))
                .map(|look| 1.0 - asked(sure, look))
                .sum(),
            Sure::EveryLook => EVERY_LOOK,
        };
    }
    expected
}

#[cfg(test)]
mod tests;
