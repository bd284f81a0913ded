//! What is known of two bots, and why their games stopped.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::Serialize;

use super::count::score;
use super::evidence::Meetings;
use arena_schedule::UnitDesign;
use arena_stats::elo::{Figures, match_elo_of};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::scores::UnitScores;
use arena_stats::{Z95, normal_cdf};

/// Why no more games are played.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Stop {
    /// They reached an end that was announced before the first game.
    #[default]
    Announced,
    /// They didn't, so the results may have stopped them: through a user who watched them, or
    /// through a rule of the run that does.
    Watched,
    /// A sequential test ended, decided or at its maximum of units. Its estimate, from the side of
    /// `bot`, allows for that.
    Test { bot: String, by: Estimate },
}

impl Stop {
    /// How much stronger `bot` is than the other one of two, in the interval that holds after such
    /// a stop; `None` without units. So many units repeat no other.
    pub(super) fn estimate(
        &self,
        bot: &str,
        scores: &UnitScores,
        games: u32,
        distinct: u64,
    ) -> Option<Estimate> {
        match self {
            Stop::Announced => Estimate::once(scores, games, distinct),
            Stop::Watched => Estimate::at_every_look(scores, games, distinct),
            Stop::Test { bot: candidate, by } => Some(by.reversed_if(candidate != bot)),
        }
    }

    /// The looks that intervals are valid for.
    pub(crate) fn holds(&self) -> Holds {
        match self {
            Stop::Announced => Holds::Once,
            Stop::Watched => Holds::EveryLook,
            Stop::Test { by, .. } => by.holds,
        }
    }
}

/// What is known of two bots that met: the one value from which everything that shows it is
/// written. An entry of `pairings` in `summary.json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Pair {
    /// The bot from whose side the numbers are.
    pub(crate) first: String,
    /// The other bot.
    pub(crate) second: String,
    #[serde(flatten)]
    pub(crate) results: WinsDrawsLosses,
    /// Units that repeat another one move for move.
    pub(crate) repeated_units: u64,
    /// Difference in strength, from the side of the first.
    #[serde(rename = "elo")]
    pub(crate) met: Met,
    #[serde(flatten)]
    figures: Figures,
    /// Pairs of games with a win for each bot; null unless the game has two seats.
    pub(crate) pairs_split: Option<u64>,
    /// Pairs of drawn games; null unless the game has two seats.
    pub(crate) pairs_drawn: Option<u64>,
    /// Scores of units, the worst first.
    pub(crate) unit_scores: Vec<f64>,
    /// How many units had each score.
    pub(crate) unit_counts: Vec<u64>,
    /// What is independent, in scores: units, or the seeds of several runs.
    #[serde(skip)]
    pub(crate) scores: UnitScores,
    /// How many of these repeat no other.
    #[serde(skip)]
    pub(crate) distinct: u64,
    /// Games of each bot in a unit.
    #[serde(skip)]
    pub(crate) games_per_unit: u32,
    /// Whether both bots played the same moves in all units of the count that this is of.
    #[serde(skip)]
    pub(crate) same_moves: bool,
    /// Whether both bots are known to be the same program with the same arguments.
    #[serde(skip)]
    pub(crate) same_program: bool,
}

impl Pair {
    /// Two bots by name, with their units from the side of the first; `None` without units.
    pub(super) fn new(
        [first, second]: [&str; 2],
        design: UnitDesign,
        met: &Meetings,
        stop: &Stop,
    ) -> Option<Pair> {
        let (scores, distinct) = met.independent()?;
        let by = stop.estimate(first, &scores, design.games_per_unit, distinct)?;
        let once = match_elo_of(&scores, design.games_per_unit, distinct)?;
        let (unit_scores, unit_counts) = scores.values().unzip();
        let pairs_with = |ldw| (design.seats == 2).then(|| met.units_with(ldw));
        Some(Pair {
            first: first.to_owned(),
            second: second.to_owned(),
            results: WinsDrawsLosses::of(met.ldw),
            repeated_units: scores.units() - distinct,
            met: Met::new(met.units(), &scores, by)?,
            figures: once.figures(),
            pairs_split: pairs_with([1, 0, 1]),
            pairs_drawn: pairs_with([0, 2, 0]),
            unit_scores,
            unit_counts,
            scores,
            distinct,
            games_per_unit: design.games_per_unit,
            same_moves: false,
            same_program: false,
        })
    }

    /// How much stronger one of the two is.
    pub(crate) fn by(&self, bot: &str) -> Estimate {
        self.met.by.reversed_if(self.first != bot)
    }

    /// The likelihood that the first is stronger, from these games and an estimate that other games
    /// give: the two weighted by 1/variance. Without a variance, these games decide alone. Also
    /// whether the two contradict each other: they differ by more than 2.6 standard errors, which
    /// happens by luck once in a hundred times.
    pub(crate) fn los_with(&self, others: Option<Estimate>) -> Option<(f64, bool)> {
        let own = match_elo_of(&self.scores, self.games_per_unit, self.distinct)?;
        let has_error =
            |[elo, error]: &[f64; 2]| elo.is_finite() && error.is_finite() && *error > 0.0;
        let [one, other] = [
            Some([own.elo, own.error95 / Z95]),
            others.map(|by| [by.elo, (by.hi95 - by.lo95) / 2.0 / Z95]),
        ]
        .map(|by| by.filter(has_error));
        let (Some([elo, error]), Some([other, of_other])) = (one, other) else {
            return Some((own.los, false));
        };
        let [weight, of_others] = [error.powi(-2), of_other.powi(-2)];
        let both = (weight * elo + of_others * other) / (weight + of_others);
        let los = normal_cdf(both * (weight + of_others).sqrt());
        Some((los, (elo - other).abs() > 2.6 * error.hypot(of_other)))
    }
}

/// A match, from the side of one bot or of all first movers, in short.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Met {
    /// Complete units that count.
    pub(crate) units: u64,
    /// Mean score, from 0 to 1; null if unknown.
    pub(crate) score: f64,
    #[serde(flatten)]
    pub(crate) by: Estimate,
}

impl Met {
    pub(super) fn new(units: u64, scores: &UnitScores, by: Estimate) -> Option<Met> {
        Some(Met {
            units,
            score: scores.mean()?,
            by,
        })
    }
}

/// The results of a bot against all others, against one of them, or in one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WinsDrawsLosses {
    /// Games won. With more than two seats: seats of other bots that it beat in its games.
    pub(crate) wins: u64,
    /// Games drawn, counted like `wins`.
    pub(crate) draws: u64,
    /// Games lost, counted like `wins`.
    pub(crate) losses: u64,
}

impl WinsDrawsLosses {
    pub(crate) fn of([losses, draws, wins]: [u64; 3]) -> WinsDrawsLosses {
        WinsDrawsLosses {
            wins,
            draws,
            losses,
        }
    }

    /// The same results from the other side.
    pub(crate) fn reversed(self) -> WinsDrawsLosses {
        WinsDrawsLosses {
            wins: self.losses,
            losses: self.wins,
            ..self
        }
    }

    /// The mean score from 0 to 1, if there is a game.
    pub(crate) fn score(&self) -> Option<f64> {
        score([self.losses, self.draws, self.wins])
    }
}

impl Display for WinsDrawsLosses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.wins, self.draws, self.losses)
    }
}
