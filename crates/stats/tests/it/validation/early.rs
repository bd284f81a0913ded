//! Sequential tests that end clear cases early: errors and lengths, and rules that look alike and
//! err too often.

use arena_stats::elo_to_score;
use arena_stats::sprt::{Hypotheses, Rule, Sprt, State};

use super::matches::{Model, Played};
use crate::random::{Random, mean, share, simulate};

/// The rule that ends a test.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Ending {
    /// The LLR alone.
    Plain,
    /// The LLR, or a bet, at shared errors.
    Early,
    /// The LLR, or a bet, each at the whole of the errors.
    Doubled,
    /// At shared errors, but on units that score less than is fair only half as much is staked.
    Peeking,
}

/// Tests of units that may repeat others.
pub(crate) struct Clear {
    pub(crate) model: Model,
    pub(crate) hypotheses: Hypotheses,
    /// The share of units that are another one again, move for move.
    pub(crate) repeats: f64,
}

/// How many tests ended how.
pub(crate) struct Ended {
    pub(crate) pass: f64,
    pub(crate) by_bets: f64,
    pub(crate) units: f64,
}

impl Clear {
    pub(crate) fn new(model: Model, hypotheses: Hypotheses) -> Self {
        Self {
            model,
            hypotheses,
            repeats: 0.0,
        }
    }

    pub(crate) fn name(&self) -> String {
        let Hypotheses {
            model, elo0, elo1, ..
        } = self.hypotheses;
        let repeats = if self.repeats > 0.0 {
            format!(", {}% repeated", 100.0 * self.repeats)
        } else {
            String::new()
        };
        format!("{} {model} [{elo0}, {elo1}]{repeats}", self.model.name)
    }

    fn at(&self, elo: f64) -> Played {
        self.model.with_elo_of(self.hypotheses.model, elo)
    }

    pub(crate) fn tests(&self, elo: f64, ending: Ending, runs: usize) -> Ended {
        let played = self.at(elo);
        let ended = simulate(runs, 87, |random| self.test(&played, ending, random));
        Ended {
            pass: share(&ended, |ended| ended.0 == State::Accepted),
            by_bets: share(&ended, |ended| ended.1 == Rule::Betting),
            units: mean(&ended, |ended| ended.2),
        }
    }

    /// The mean number of units that is foretold.
    pub(crate) fn expected(&self, elo: f64) -> f64 {
        let played = self.at(elo);
        let test = Sprt::new(
            true,
            self.hypotheses,
            self.model.games_per_unit(),
            self.model.nothing(),
        );
        test.outlook(&played.units, played.score).expected_units
    }

    fn test(&self, played: &Played, ending: Ending, random: &mut Random) -> (State, Rule, f64) {
        let mut test = Sprt::new(
            ending == Ending::Early,
            self.by_llr(ending),
            self.model.games_per_unit(),
            self.model.nothing(),
        );
        let mut gamblers = self.gamblers(ending);
        let mut units: Vec<u32> = Vec::new();
        loop {
            let is_repeat =
                self.repeats > 0.0 && !units.is_empty() && random.uniform() < self.repeats;
            let unit = if is_repeat {
                units[random.below(units.len())]
            } else {
                played.play(random)
            };
            units.push(unit);
            test.add(unit).unwrap();
            let full = f64::from(self.model.games_per_unit() * 2);
            let won = gamblers
                .iter_mut()
                .find_map(|gambler| gambler.bet(f64::from(unit) / full));
            if test.state() != State::Running {
                return (test.state(), test.ended_by().unwrap(), units.len() as f64);
            }
            if let Some(state) = won {
                return (state, Rule::Betting, units.len() as f64);
            }
        }
    }

    fn by_llr(&self, ending: Ending) -> Hypotheses {
        let Hypotheses {
            model,
            elo0,
            elo1,
            alpha,
            beta,
            ..
        } = self.hypotheses;
        let left = if ending == Ending::Peeking { 0.93 } else { 1.0 };
        Hypotheses::new(model, elo0, elo1, left * alpha, left * beta).unwrap()
    }

    /// Gamblers with a rule that tests must show to fail.
    fn gamblers(&self, ending: Ending) -> Vec<Gambler> {
        let Hypotheses {
            elo0,
            elo1,
            alpha,
            beta,
            ..
        } = self.hypotheses;
        let share = match ending {
            Ending::Plain | Ending::Early => return Vec::new(),
            Ending::Doubled => 1.0,
            Ending::Peeking => 0.07,
        };
        let gambler = |end, fair, error: f64| Gambler {
            end,
            fair,
            capitals: [1.0; 5],
            enough: 1.0 / (share * error),
            peeks: ending == Ending::Peeking,
        };
        vec![
            gambler(State::Accepted, elo_to_score(elo0), alpha),
            gambler(State::Rejected, 1.0 - elo_to_score(elo1), beta),
        ]
    }
}

/// Bets against a mean score, unit by unit.
struct Gambler {
    end: State,
    fair: f64,
    capitals: [f64; 5],
    enough: f64,
    peeks: bool,
}

impl Gambler {
    fn bet(&mut self, score: f64) -> Option<State> {
        let score = if self.end == State::Accepted {
            score
        } else {
            1.0 - score
        };
        let part = if self.peeks && score < self.fair {
            0.5
        } else {
            1.0
        };
        for (capital, stake) in self
            .capitals
            .iter_mut()
            .zip([1.0, 0.5, 0.25, 0.125, 0.0625])
        {
            *capital *= 1.0 + part * stake * (score / self.fair - 1.0);
        }
        (mean(&self.capitals, |capital| *capital) >= self.enough).then_some(self.end)
    }
}
