//! A match of two bots that its results may end.

use super::compared::{Compared, same_moves, unit_points};
use super::failures::{FailedBot, Failures};
use super::pair::Stop;
use super::repeats::Repeats;
use super::result::SeatResult;
use super::units::Units;
use super::{GameResult, Unfit};
use crate::plan::{Plan, SprtPlan, UnitSize};
use arena_stats::elo::match_elo;
use arena_stats::scores::UnitScores;
use arena_stats::sprt::{Sprt as SequentialTest, State, betting::Capitals, too_repetitive};
use arena_stats::stopping::Stopping;

/// The games in a unit of two bots: both play in both of them, or each plays one of them alone.
pub(crate) const GAMES_OF_TWO: u64 = 2;

/// A match, with its units from the side of the first bot. Units after its end don't count.
#[derive(Debug)]
pub(crate) struct Match {
    pub(crate) bots: [String; 2],
    pub(crate) size: UnitSize,
    pub(crate) rule: Rule,
    seed_decides: bool,
    units: Units<Compared>,
    scores: UnitScores,
    repeats: Repeats,
    units_with_same_moves: u64,
    failures: Failures,
    /// A test after each of its units; empty for other rules.
    pub(crate) history: Vec<AfterUnit>,
}

/// What ends a match besides failures.
#[derive(Debug)]
pub(crate) enum Rule {
    /// Its number of games.
    Length,
    /// Results that show enough.
    Stopping(Stopping),
    /// A sequential test. Only failures of the second bot end it: a candidate that fails just
    /// loses.
    Test {
        test: Box<SequentialTest>,
        max_units: u64,
    },
}

/// The state of a test after a unit; a line of `sprt.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AfterUnit {
    pub(crate) unit: u64,
    /// Games counted so far.
    pub(crate) games: u64,
    /// Log-likelihood ratio.
    pub(crate) llr: f64,
    /// Mean score of the candidate so far.
    pub(crate) score: f64,
    /// Logistic Elo so far.
    pub(crate) elo: f64,
    pub(crate) state: State,
    /// The bets against the hypotheses, if clear cases end early.
    pub(crate) bets: Option<Capitals>,
}

impl Rule {
    /// The test of a plan before its first unit.
    pub(crate) fn test(plan: &SprtPlan, size: UnitSize) -> Rule {
        let full = 2 * size.design.full_points();
        let nothing = UnitScores::new(full);
        // Reports list all scores of pairs, even those that no unit has.
        let nothing = match size.design.seats {
            2 => UnitScores::from_counts(full, [0; 5]).unwrap_or(nothing),
            _ => nothing,
        };
        let games = size.design.games_per_unit;
        let test = SequentialTest::new(plan.early, plan.hypotheses, games, nothing);
        Rule::Test {
            test: Box::new(test),
            max_units: plan.max_units,
        }
    }
}

impl Match {
    /// The match of the first two bots of a plan's only game, before the first one is played.
    pub(crate) fn new(plan: &Plan, rule: impl FnOnce(UnitSize) -> Rule) -> Option<Match> {
        let [game] = &plan.games[..] else { return None };
        let [first, second, ..] = &game.bots[..] else {
            return None;
        };
        let bots = [first.clone(), second.clone()];
        let seed_decides = game.spec.as_ref().is_none_or(|spec| spec.seed_decides);
        let size = plan.unit(0);
        Some(Match::between(bots, size, seed_decides, rule(size)))
    }

    /// A match of these bots before its first game.
    pub(crate) fn between(
        bots: [String; 2],
        size: UnitSize,
        seed_decides: bool,
        rule: Rule,
    ) -> Match {
        Match {
            units: match rule {
                Rule::Length => Units::as_they_end(GAMES_OF_TWO),
                Rule::Stopping(_) | Rule::Test { .. } => Units::in_order(GAMES_OF_TWO),
            },
            rule,
            size,
            seed_decides,
            scores: UnitScores::new(2 * size.design.full_points()),
            repeats: Repeats::default(),
            units_with_same_moves: 0,
            failures: Failures::new(bots.to_vec()),
            history: Vec::new(),
            bots,
        }
    }

    /// Counts a game.
    pub(crate) fn add(&mut self, result: &GameResult) -> Result<(), Unfit> {
        let bot = |seat: &SeatResult| usize::from(seat.bot != self.bots[0]);
        let bots = result.seats.iter().map(bot).collect();
        let game = Compared::new(result, bots, self.seed_decides);
        for (number, unit) in self.units.add(result.unit, game) {
            if !self.has_ended() {
                self.count(number, &unit)?;
            }
            let failed = |bot| unit.iter().any(|game| game.failed.contains(&bot));
            // After the unit was counted, because it may be the last that counts.
            self.failures.add(number, vec![failed(0), failed(1)]);
        }
        Ok(())
    }

    fn count(&mut self, number: u64, unit: &[Compared]) -> Result<(), Unfit> {
        let points = unit_points(unit, 0);
        self.scores.add(points, 1)?;
        self.repeats.add(unit);
        self.units_with_same_moves += u64::from(same_moves(unit));
        let (games_per_unit, distinct) = (self.size.design.games_per_unit, self.distinct());
        match &mut self.rule {
            Rule::Length => {}
            Rule::Stopping(rule) => {
                rule.look(&self.scores, games_per_unit, distinct);
            }
            Rule::Test { test, .. } => {
                test.add(points)?;
                let now = match_elo(&self.scores, games_per_unit);
                let [score, elo] = now.map(|now| [now.score, now.elo]).unwrap_or_default();
                self.history.push(AfterUnit {
                    unit: number,
                    games: self.scores.units() * GAMES_OF_TWO,
                    llr: test.llr(),
                    score,
                    elo,
                    state: test.state(),
                    bets: test.capitals(),
                });
            }
        }
        Ok(())
    }

    /// Whether results have ended the match.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended_by_rule() || self.is_in_vain(&self.failures.at_first())
    }

    fn has_ended_by_rule(&self) -> bool {
        match &self.rule {
            Rule::Length => false,
            Rule::Stopping(rule) => rule.end.is_some(),
            Rule::Test { test, max_units } => {
                test.state() != State::Running || test.scores().units() >= *max_units
            }
        }
    }

    /// The bots that failed in most units, so that nothing was measured.
    pub(crate) fn failed(&self) -> Vec<FailedBot> {
        let failed = self.failures.in_most();
        match self.rule {
            Rule::Test { .. } if !self.has_ended() || !self.is_in_vain(&failed) => Vec::new(),
            _ => failed,
        }
    }

    fn is_in_vain(&self, failed: &[FailedBot]) -> bool {
        match self.rule {
            Rule::Test { .. } => failed.iter().any(|failed| failed.bot == self.bots[1]),
            Rule::Length | Rule::Stopping(_) => !failed.is_empty(),
        }
    }

    /// Why no more games are played; `None` if their number decides that. Too many units that
    /// repeat others take away what a test promises.
    pub(crate) fn stop(&self) -> Option<Stop> {
        let test = match &self.rule {
            Rule::Length => return None,
            Rule::Stopping(_) => return Some(Stop::Watched),
            Rule::Test { test, .. } => test,
        };
        if self.has_ended_by_rule()
            && !too_repetitive(self.distinct(), self.scores.units())
            && let Some(by) = test.estimate()
        {
            let bot = self.bots[0].clone();
            return Some(Stop::Test { bot, by });
        }
        Some(Stop::Watched)
    }

    /// The counted units that repeat no other one.
    pub(crate) fn distinct(&self) -> u64 {
        self.scores.units() - self.repeats.count()
    }

    /// Whether both bots played the same moves in all counted units.
    pub(crate) fn same_moves(&self) -> bool {
        self.scores.units() > 0 && self.units_with_same_moves == self.scores.units()
    }
}

#[cfg(test)]
mod tests;
