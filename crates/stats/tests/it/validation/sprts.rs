//! Sequential tests of two players: errors, lengths, the order of counting, and the estimate after
//! the end.

use std::collections::{BTreeMap, BinaryHeap};

use arena_stats::elo::match_elo;
use arena_stats::sprt::outlook::{Units, outlook};
use arena_stats::sprt::{self, Hypotheses, Sprt, State};
use arena_stats::{elo_to_score, score_to_elo};

use super::matches::{Model, Played};
use crate::random::{Random, mean, share, simulate};

/// The chances that the true strength lies below and above a corrected interval.
const TAILS: [f64; 2] = [0.025; 2];

/// A row of the table of errors.
pub(crate) struct Row {
    pub(crate) model: Model,
    pub(crate) hypotheses: Hypotheses,
    /// Whether clear cases end early.
    pub(crate) early: bool,
}

/// How tests of a bot ended.
pub(crate) struct Ends {
    pub(crate) pass: f64,
    pub(crate) games: f64,
    /// Mean games by the formula.
    pub(crate) formula: f64,
}

impl Row {
    pub(crate) fn new(model: Model, in_elo: sprt::Model, bounds: [f64; 2], error: f64) -> Self {
        Self {
            model,
            hypotheses: Hypotheses::new(in_elo, bounds[0], bounds[1], error, error).unwrap(),
            early: false,
        }
    }

    pub(crate) fn name(&self) -> String {
        let h = &self.hypotheses;
        format!(
            "{:6} {:10} [{}, {}] {}%",
            self.model.name,
            h.model,
            h.elo0,
            h.elo1,
            100.0 * h.alpha
        )
    }

    fn at(&self, elo: f64) -> Played {
        self.model.with_elo_of(self.hypotheses.model, elo)
    }

    /// Tests of bots at elo0, in the middle, and at elo1.
    pub(crate) fn ends(&self, runs: usize) -> [Ends; 3] {
        let (elo0, elo1) = (self.hypotheses.elo0, self.hypotheses.elo1);
        [elo0, f64::midpoint(elo0, elo1), elo1].map(|elo| {
            let played = self.at(elo);
            let ended = simulate(runs, 82, |random| {
                let test = self.test(&played, random);
                (test.state() == State::Accepted, test.scores().units())
            });
            let outlook = outlook(&self.hypotheses, &played.units, played.score, 0.0);
            Ends {
                pass: share(&ended, |ended| ended.0),
                games: mean(&ended, |ended| ended.1 as f64)
                    * f64::from(self.model.games_per_unit()),
                formula: outlook.expected_games,
            }
        })
    }

    pub(crate) fn test(&self, played: &Played, random: &mut Random) -> Sprt {
        let mut test = Sprt::new(
            self.early,
            self.hypotheses,
            self.model.games_per_unit(),
            self.model.nothing(),
        );
        while test.state() == State::Running {
            test.add(played.play(random)).unwrap();
        }
        test
    }

    /// The share of null tests that pass, and of true gains that fail, if the normal approximation
    /// decides: a rule that must be seen to be broken.
    pub(crate) fn normal_approximation_errors(&self, runs: usize) -> [f64; 2] {
        let passes = [self.hypotheses.elo0, self.hypotheses.elo1].map(|elo| {
            let played = self.at(elo);
            let ended = simulate(runs, 821, |random| {
                self.normal_approximation(&played, random)
            });
            share(&ended, |&state| state == State::Accepted)
        });
        [passes[0], 1.0 - passes[1]]
    }

    fn normal_approximation(&self, played: &Played, random: &mut Random) -> State {
        let [s0, s1] = [self.hypotheses.elo0, self.hypotheses.elo1].map(elo_to_score);
        let mut scores = self.model.nothing();
        loop {
            scores.add(played.play(random), 1).unwrap();
            let (mean, variance) = (scores.mean().unwrap(), scores.variance().unwrap());
            let llr = scores.units() as f64 * (s1 - s0) * (2.0 * mean - s0 - s1)
                / (2.0 * variance.max(1e-9));
            let state = self.hypotheses.state(llr);
            if state != State::Running {
                return state;
            }
        }
    }

    /// Tests of a bot at elo0 by several workers. A won game lasts 1 and a lost game 4, give or
    /// take a fifth.
    pub(crate) fn by_workers(&self, workers: usize, runs: usize) -> Vec<Counted> {
        let played = self.at(self.hypotheses.elo0);
        simulate(runs, 83, |random| self.counted(&played, workers, random))
    }

    fn counted(&self, played: &Played, workers: usize, random: &mut Random) -> Counted {
        let none = || {
            Sprt::new(
                false,
                self.hypotheses,
                self.model.games_per_unit(),
                self.model.nothing(),
            )
        };
        let (mut by_end, mut by_schedule) = (none(), none());
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        // Durations and scores are drawn separately, so that every number of workers sees the same
        // units.
        let mut clock = Random::new(831, (random.uniform() * 1e9) as u64);
        let (mut running, mut started) = (BinaryHeap::new(), 0_u64);
        let mut start = |now: f64, started: &mut u64| {
            let score = played.play(random);
            let lasts = (8.0 - 1.5 * f64::from(score)) * (0.8 + 0.4 * clock.uniform());
            *started += 1;
            Ending {
                at: now + lasts,
                unit: *started - 1,
                score,
            }
        };
        for _ in 0..workers {
            running.push(start(0.0, &mut started));
        }
        while by_end.state() == State::Running || by_schedule.state() == State::Running {
            let ended = running.pop().unwrap();
            by_end.add(ended.score).unwrap();
            waiting.entry(ended.unit).or_insert(ended.score);
            while let Some(score) = waiting.remove(&next) {
                by_schedule.add(score).unwrap();
                next += 1;
            }
            if by_schedule.state() == State::Running {
                running.push(start(ended.at, &mut started));
            } else if by_end.state() == State::Running {
                running.push(start(ended.at, &mut 0));
            }
        }
        Counted {
            by_end: by_end.state(),
            by_schedule: (
                by_schedule.state(),
                by_schedule.scores().units(),
                by_schedule.llr().to_bits(),
            ),
            unused: started - by_schedule.scores().units(),
        }
    }

    /// Estimates after tests of a bot of this strength. If a bet ended them, the Elo is that of the
    /// scores. The interval excludes the hypothesis that the test rejects.
    pub(crate) fn estimates(&self, elo: f64, runs: usize) -> After {
        let played = self.at(elo);
        let games = self.model.games_per_unit();
        let ended = simulate(runs, 84, |random| {
            let test = self.test(&played, random);
            let plain = match_elo(test.scores(), games).unwrap();
            let in_force = test.estimate().unwrap();
            assert!(
                self.early
                    || sprt::estimate::may_have_stopped(test.scores(), games, &self.hypotheses)
            );
            let Hypotheses { elo0, elo1, .. } = self.hypotheses;
            match test.state() {
                State::Accepted => assert!(in_force.lo95 >= elo0 - 1e-9, "{in_force:?}"),
                _ => assert!(in_force.hi95 <= elo1 + 1e-9, "{in_force:?}"),
            }
            (test.state(), plain, in_force)
        });
        let accepted: Vec<f64> = ended
            .iter()
            .filter(|ended| ended.0 == State::Accepted)
            .map(|ended| ended.1.score)
            .collect();
        After {
            pass: share(&ended, |ended| ended.0 == State::Accepted),
            plain: score_to_elo(mean(&ended, |ended| ended.1.score)),
            plain_covers: share(&ended, |ended| (ended.1.lo95..=ended.1.hi95).contains(&elo)),
            accepted: score_to_elo(mean(&accepted, |&score| score)),
            unbiased_covers: share(&ended, |ended| (ended.2.lo95..=ended.2.hi95).contains(&elo)),
            unbiased_above: share(&ended, |ended| ended.2.elo > elo),
        }
    }
}

/// Estimates of tests that are ended after so many units if they run on.
pub(crate) struct Cut {
    /// The share that was still undecided.
    pub(crate) undecided: f64,
    pub(crate) plain_covers: f64,
    pub(crate) unbiased_covers: f64,
    pub(crate) unbiased_above: f64,
}

impl Row {
    /// Returns the figures for a bot of this strength.
    pub(crate) fn cut(&self, elo: f64, units: u64, runs: usize) -> Cut {
        let played = self.at(elo);
        let games = self.model.games_per_unit();
        let ended = simulate(runs, 96, |random| {
            let mut test = Sprt::new(false, self.hypotheses, games, self.model.nothing());
            while test.state() == State::Running && test.scores().units() < units {
                test.add(played.play(random)).unwrap();
            }
            let plain = match_elo(test.scores(), games).unwrap();
            let unbiased =
                sprt::estimate::after_stop(test.scores(), games, &self.hypotheses, TAILS).unwrap();
            (test.state(), plain, unbiased)
        });
        Cut {
            undecided: share(&ended, |ended| ended.0 == State::Running),
            plain_covers: share(&ended, |ended| (ended.1.lo95..=ended.1.hi95).contains(&elo)),
            unbiased_covers: share(&ended, |ended| (ended.2.lo95..=ended.2.hi95).contains(&elo)),
            unbiased_above: share(&ended, |ended| ended.2.elo > elo),
        }
    }
}

/// Figures of matches of a fixed length, which no test stopped, if they are beyond a bound.
pub(crate) struct Unstopped {
    /// The share of matches beyond a bound.
    pub(crate) beyond: f64,
    /// The share of these that look as if a test had stopped them.
    pub(crate) taken_for_stopped: f64,
    /// The share of those beyond a bound whose usual interval holds the truth.
    pub(crate) covers: f64,
    /// How much wider the interval is that is corrected for a stop, on average.
    pub(crate) wider: f64,
    /// The share of those beyond a bound whose corrected estimate is above the usual one.
    pub(crate) above: f64,
}

impl Row {
    /// Matches of so many units of a bot of this strength.
    pub(crate) fn unstopped(&self, elo: f64, units: u32, runs: usize) -> Unstopped {
        let played = self.at(elo);
        let games = self.model.games_per_unit();
        let matches = simulate(runs, 88, |random| {
            let mut scores = self.model.nothing();
            (0..units).for_each(|_| scores.add(played.play(random), 1).unwrap());
            let state = Sprt::new(false, self.hypotheses, games, scores.clone()).state();
            let usual = match_elo(&scores, games).unwrap();
            let corrected =
                sprt::estimate::after_stop(&scores, games, &self.hypotheses, TAILS).unwrap();
            let stopped = sprt::estimate::may_have_stopped(&scores, games, &self.hypotheses);
            let covers = (usual.lo95..=usual.hi95).contains(&elo);
            let wider = (corrected.hi95 - corrected.lo95) / (usual.hi95 - usual.lo95);
            (state != State::Running).then_some((stopped, covers, wider, corrected.elo > usual.elo))
        });
        let beyond: Vec<_> = matches.iter().flatten().collect();
        Unstopped {
            beyond: share(&matches, Option::is_some),
            taken_for_stopped: share(&beyond, |found| found.0),
            covers: share(&beyond, |found| found.1),
            wider: mean(&beyond, |found| found.2),
            above: share(&beyond, |found| found.3),
        }
    }
}

/// One test, counted in two orders.
pub(crate) struct Counted {
    pub(crate) by_end: State,
    /// The verdict, the units it took, and the bits of its LLR.
    pub(crate) by_schedule: (State, u64, u64),
    pub(crate) unused: u64,
}

/// What is known after a test, over many.
pub(crate) struct After {
    pub(crate) pass: f64,
    /// The Elo of the mean score at the end.
    pub(crate) plain: f64,
    pub(crate) plain_covers: f64,
    /// The Elo of the mean score of accepted tests.
    pub(crate) accepted: f64,
    pub(crate) unbiased_covers: f64,
    pub(crate) unbiased_above: f64,
}

/// The end of a unit; the heap gives the earliest first.
struct Ending {
    at: f64,
    unit: u64,
    score: u32,
}

impl Ord for Ending {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other
            .at
            .total_cmp(&self.at)
            .then(other.unit.cmp(&self.unit))
    }
}

impl PartialOrd for Ending {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ending {}

/// Mean games of tests of a bot, and what a run of the same bot against a weak opponent foretells.
pub(crate) struct Foretold {
    pub(crate) played: f64,
    /// By the variance scaled to the score of the tests.
    pub(crate) scaled: f64,
    /// By the variance as it is in the run.
    pub(crate) unscaled: f64,
}

impl Row {
    /// Tests of a bot of strength `elo`, and what so many units of a bot of strength `lopsided`
    /// foretell.
    pub(crate) fn foretold(&self, elo: f64, lopsided: f64, units: u32, runs: usize) -> Foretold {
        let (played, games) = (self.at(elo), self.model.games_per_unit());
        let ended = simulate(runs, 85, |random| {
            self.test(&played, random).scores().units() as f64
        });
        let (run, mut random) = (self.model.with_elo(lopsided), Random::new(86, 0));
        let mut scores = self.model.nothing();
        (0..units).for_each(|_| scores.add(run.play(&mut random), 1).unwrap());
        let measured = Units::like(&scores, games).unwrap();
        let [scaled, unscaled] = [measured.at(played.score), measured]
            .map(|units| outlook(&self.hypotheses, &units, played.score, 0.0).expected_games);
        Foretold {
            played: mean(&ended, |units| units * f64::from(games)),
            scaled,
            unscaled,
        }
    }
}
