//! What a run is to find out: its kind, and what only that kind needs.

use serde::{Deserialize, Serialize};

use super::schedule::{Balance, Format, Schedule};
use super::{Plan, PlannedGame, SprtPlan, Sweep, Tune, is_default};

/// The kind of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum StudyPlan {
    /// All games of a list are played.
    List(List),
    /// The first bot meets the second until a sequential test is decided.
    Sprt(SprtPlan),
    /// Variants of one bot meet the same opponents on the same seeds.
    Sweep(Sweep),
    /// A bot meets itself, or opponents, with values of its parameters that follow from the games
    /// before.
    Tune(Tune),
}

/// A list of games that is known before the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct List {
    /// Who meets whom.
    pub(crate) format: Format,
    /// How equally often bots meet in groups of more than two.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) balance: Balance,
    /// Games in which any two bots that are to meet do so, in each game; the schedule rounds up to
    /// whole units.
    pub(crate) games_per_pairing: u64,
}

impl StudyPlan {
    /// A list before its balance is decided, see [`Plan::balanced`].
    pub(crate) fn list(format: Format, games_per_pairing: u64) -> StudyPlan {
        StudyPlan::List(List {
            format,
            balance: Balance::Exact,
            games_per_pairing,
        })
    }

    /// The name of the kind, which is the `format` of a config.
    pub(crate) fn name(&self) -> String {
        match self {
            StudyPlan::List(list) => list.format.to_string(),
            StudyPlan::Sprt(_) => "sprt".to_owned(),
            StudyPlan::Sweep(_) => "sweep".to_owned(),
            StudyPlan::Tune(_) => "tune".to_owned(),
        }
    }

    /// Whether the first bot of each game meets each of the others, in a list.
    pub(crate) fn is_gauntlet(&self) -> bool {
        matches!(self, StudyPlan::List(list) if list.format == Format::Gauntlet)
    }

    /// Games in which any two bots that are to meet do so, at most.
    pub(crate) fn games_per_pairing(&self) -> u64 {
        let units = match self {
            StudyPlan::List(list) => return list.games_per_pairing,
            StudyPlan::Sprt(test) => test.max_units,
            StudyPlan::Sweep(sweep) => sweep.max_units,
            StudyPlan::Tune(tune) => tune.max_units,
        };
        units.saturating_mul(2)
    }

    pub(super) fn schedule(&self, plan: &Plan) -> Schedule {
        let games = plan.seats_and_bots();
        let seats = games.first().map_or(2, |(seats, _)| *seats);
        let (format, balance) = match self {
            StudyPlan::Sweep(sweep) => return sweep.schedule(plan, seats),
            StudyPlan::Tune(tune) if !tune.against.is_empty() => return tune.schedule(plan, seats),
            StudyPlan::List(list) => (list.format, list.balance),
            StudyPlan::Sprt(_) | StudyPlan::Tune(_) => (Format::Gauntlet, Balance::Exact),
        };
        Schedule::new(
            format,
            plan.design.unwrap_or_default(),
            balance,
            &games,
            self.games_per_pairing(),
            plan.seed,
        )
    }

    /// Whether the run is about this bot of a game; the others are opponents. It is about a variant of
    /// a sweep, a bot that is tuned, the candidate of a test, the challenger of a gauntlet, the first
    /// of two bots, and every bot of a larger round robin.
    pub(crate) fn is_about(&self, game: &PlannedGame, bot: &String) -> bool {
        match self {
            StudyPlan::Sweep(sweep) => !sweep.against.contains(bot),
            StudyPlan::Tune(tune) => !tune.against.contains(bot),
            StudyPlan::List(list) if list.format == Format::RoundRobin && game.bots.len() > 2 => {
                true
            }
            StudyPlan::List(_) | StudyPlan::Sprt(_) => game.bots.first() == Some(bot),
        }
    }

    /// This study with as many games as a later one, if that has more and its games begin with those of
    /// this one. A sweep does not grow: which variants it drops depends on how many games there will be.
    pub(super) fn grown(&self, later: &StudyPlan) -> StudyPlan {
        let mut grown = self.clone();
        match (&mut grown, later) {
            (StudyPlan::List(list), StudyPlan::List(later)) => {
                list.games_per_pairing = list.games_per_pairing.max(later.games_per_pairing);
            }
            (StudyPlan::Sprt(test), StudyPlan::Sprt(later)) => {
                test.max_units = test.max_units.max(later.max_units);
            }
            (StudyPlan::Tune(tune), StudyPlan::Tune(later)) => {
                tune.max_units = tune.max_units.max(later.max_units);
            }
            _ => {}
        }
        grown
    }

    /// This study with the balance of groups with which a stored run began.
    pub(super) fn as_begun(&self, begun: &StudyPlan) -> StudyPlan {
        let mut study = self.clone();
        if let (StudyPlan::List(list), StudyPlan::List(begun)) = (&mut study, begun) {
            list.balance = begun.balance;
        }
        study
    }

    /// Says why the study of a plan that was read from a file cannot be played or counted.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        match self {
            StudyPlan::List(_) => Ok(()),
            StudyPlan::Sprt(test) => {
                let checked = test.hypotheses.check();
                checked.map_err(|error| format!("its test cannot be held: failed to {error}"))
            }
            StudyPlan::Sweep(sweep) => sweep.check(plan),
            StudyPlan::Tune(tune) => tune.check(plan),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arena_stats::sprt::{Hypotheses, Model};
    use arena_stats::tune::spsa::Rates;
    use arena_stats::tune::{Parameter, Scale};
    use proptest::prelude::*;

    use super::*;
    use crate::plan::{TunedParameter, Variant};

    /// Text that may stand in a config, also such that TOML has to quote.
    fn names() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec(r#"[a-z \["'\\\n=]{0,6}"#, 1..4)
    }

    fn list() -> impl Strategy<Value = StudyPlan> {
        (any::<bool>(), any::<bool>(), 0..1_u64 << 40).prop_map(|(gauntlet, near, games)| {
            StudyPlan::List(List {
                format: if gauntlet {
                    Format::Gauntlet
                } else {
                    Format::RoundRobin
                },
                balance: if near { Balance::Near } else { Balance::Exact },
                games_per_pairing: games,
            })
        })
    }

    fn sprt() -> impl Strategy<Value = StudyPlan> {
        let elo = (-2000.0..1999.0, 0.001..1.0, any::<bool>(), 1..1_u64 << 31);
        elo.prop_map(|(elo0, more, early, max_units)| {
            let model = if early {
                Model::Logistic
            } else {
                Model::Normalized
            };
            StudyPlan::Sprt(SprtPlan {
                hypotheses: Hypotheses::new(model, elo0, elo0 + more, 0.05, 0.01).unwrap(),
                early,
                max_units,
            })
        })
    }

    fn sweep() -> impl Strategy<Value = StudyPlan> {
        let indifference = proptest::option::of(0.0..100.0);
        (names(), names(), 1..1_u64 << 31, indifference).prop_map(
            |(parameters, against, block, indifference)| {
                let values = parameters.iter().cloned().zip(against.iter().cloned());
                StudyPlan::Sweep(Sweep {
                    bot: against[0].clone(),
                    parameters: parameters.clone(),
                    variants: vec![Variant {
                        bot: parameters[0].clone(),
                        values: values.collect(),
                    }],
                    against,
                    block,
                    max_units: 2 * block,
                    alpha: 0.05,
                    indifference,
                })
            },
        )
    }

    fn tune() -> impl Strategy<Value = StudyPlan> {
        let step = proptest::option::of(0.1..9.0);
        (names(), names(), -1e9..1e9, step).prop_map(|(names, against, min, step)| {
            let range = Parameter {
                min,
                max: min + 1.5,
                start: min,
                step,
                scale: step.map_or(Scale::Log, |_| Scale::Linear),
            };
            let parameter = |name| TunedParameter { name, range };
            StudyPlan::Tune(Tune {
                bot: names[0].clone(),
                against: against[1..].to_vec(),
                block: 32,
                max_units: 64,
                indifference: step,
                rates: Rates::default(),
                parameters: names.into_iter().map(parameter).collect(),
            })
        })
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Stored {
        before: String,
        study: StudyPlan,
        game: Vec<BTreeMap<String, String>>,
    }

    proptest! {
        /// Run directories hold plans as TOML.
        #[test]
        fn a_study_is_read_as_it_was_written(
            study in prop_oneof![list(), sprt(), sweep(), tune()]
        ) {
            let stored = Stored {
                before: "x".to_owned(),
                study,
                game: vec![BTreeMap::from([("id".to_owned(), "y".to_owned())])],
            };
            let text = toml::to_string(&stored).unwrap();
            prop_assert_eq!(&toml::from_str::<Stored>(&text).unwrap(), &stored, "{}", text);
        }
    }
}
