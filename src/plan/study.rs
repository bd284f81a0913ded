//! The study of a plan: the kind of run and its settings.

use serde::{Deserialize, Serialize};

use super::{Import, Plan, PlannedGame, Sweep, Tune, is_default};
use arena_schedule::{Format, Schedule};
use arena_stats::sprt::Hypotheses;

/// The kind of a run with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum StudyPlan {
    /// Plays all games of a list.
    List(List),
    /// Plays the first bot against the second until a sequential test is decided.
    Sprt(SprtPlan),
    /// Plays variants of one bot against the same opponents on the same seeds.
    Sweep(Sweep),
    /// Plays a bot against itself or opponents, with values of its parameters that depend on
    /// earlier games.
    Tune(Tune),
    /// Holds battles that the site played.
    Import(Import),
}

/// A list of games that is known before the first game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct List {
    /// The format of pairings.
    pub(crate) format: Format,
    /// Whether all pairings of a game play on the same seeds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) same_seeds: bool,
    /// Games per pairing of each game, rounded up to whole units by the schedule.
    pub(crate) games_per_pairing: u64,
    /// The half-width of the interval, in Elo, that ends a match of two bots before that. So does
    /// an interval that excludes 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) precision: Option<f64>,
}

/// A sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SprtPlan {
    #[serde(flatten)]
    pub(crate) hypotheses: Hypotheses,
    /// Whether clear cases end the test early.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) early: bool,
    /// Maximum number of units. The test then ends undecided.
    pub(crate) max_units: u64,
}

impl List {
    /// Checks a list that was read from a file, like [`StudyPlan::check`].
    fn check(&self, plan: &Plan) -> Result<(), String> {
        let has_others = plan.games.iter().any(|game| game.seats() != 2);
        if self.same_seeds && has_others {
            return Err("its pairings share seeds in a game that hasn't two seats".to_owned());
        }
        let is_match = matches!(&plan.games[..], [game] if game.bots.len() == 2);
        match self.precision {
            None => Ok(()),
            Some(precision) if is_match && precision > 0.0 && precision.is_finite() => Ok(()),
            Some(precision) => Err(format!(
                "its precision is {precision}, but only a match of two bots has one, above 0"
            )),
        }
    }
}

impl StudyPlan {
    /// Makes a list that plays all its games.
    pub(crate) fn list(format: Format, games_per_pairing: u64) -> StudyPlan {
        StudyPlan::List(List {
            format,
            same_seeds: false,
            games_per_pairing,
            precision: None,
        })
    }

    /// Returns the name of the kind, which is the `format` in a config.
    pub(crate) fn name(&self) -> String {
        match self {
            StudyPlan::List(list) => list.format.to_string(),
            StudyPlan::Sprt(_) => "sprt".to_owned(),
            StudyPlan::Sweep(_) => "sweep".to_owned(),
            StudyPlan::Tune(_) => "tune".to_owned(),
            StudyPlan::Import(_) => "import".to_owned(),
        }
    }

    /// Whether this is a gauntlet: the first bot of each game meets each of the others.
    pub(crate) fn is_gauntlet(&self) -> bool {
        matches!(self, StudyPlan::List(list) if list.format == Format::Gauntlet)
    }

    /// Whether a run is about the first bot of each game.
    pub(crate) fn is_about_first(&self, first: Option<&str>) -> bool {
        match self {
            StudyPlan::Import(import) => import.me.is_some() && import.me.as_deref() == first,
            _ => self.is_gauntlet(),
        }
    }

    /// Returns the maximum of games per pairing.
    pub(crate) fn games_per_pairing(&self) -> u64 {
        let units = match self {
            StudyPlan::List(list) => return list.games_per_pairing,
            StudyPlan::Import(import) => return import.battles.len() as u64,
            StudyPlan::Sprt(test) => test.max_units,
            StudyPlan::Sweep(sweep) => sweep.max_units,
            StudyPlan::Tune(tune) => tune.max_units,
        };
        units.saturating_mul(2)
    }

    /// Returns the precision that ends a match, if the run is such a match.
    pub(crate) fn precision(&self) -> Option<f64> {
        match self {
            StudyPlan::List(list) => list.precision,
            _ => None,
        }
    }

    /// Whether units of different pairings share seeds.
    pub(crate) fn shares_seeds(&self) -> bool {
        match self {
            StudyPlan::List(list) => list.same_seeds,
            StudyPlan::Sweep(_) => true,
            StudyPlan::Sprt(_) | StudyPlan::Tune(_) | StudyPlan::Import(_) => false,
        }
    }

    pub(super) fn schedule(&self, plan: &Plan) -> Schedule {
        let games = plan.seats_and_bots();
        let seats = games.first().map_or(2, |(seats, _)| *seats);
        let format = match self {
            StudyPlan::Sweep(sweep) => return sweep.schedule(plan, seats),
            StudyPlan::Import(import) => return import.schedule(plan),
            StudyPlan::Tune(tune) if !tune.against.is_empty() => return tune.schedule(plan, seats),
            StudyPlan::List(list) => list.format,
            StudyPlan::Sprt(_) | StudyPlan::Tune(_) => Format::Gauntlet,
        };
        // In a unit, bots play once if each plays alone, and twice if they swap seats.
        let games_per_pairing = match self {
            StudyPlan::Sprt(_) | StudyPlan::Tune(_) if seats == 1 => self.games_per_pairing() / 2,
            _ => self.games_per_pairing(),
        };
        let schedule = Schedule::new(
            format,
            plan.design.unwrap_or_default(),
            &games,
            games_per_pairing,
            plan.seed,
        );
        if self.shares_seeds() {
            return schedule.on_same_seeds();
        }
        schedule
    }

    /// Whether the run is about this bot of a game. The others are opponents. A run is about the
    /// variants of a sweep, a tuned bot, the candidate of a test, the challenger of a gauntlet, the
    /// first of two bots, and every bot of a larger round robin.
    pub(crate) fn is_about(&self, game: &PlannedGame, bot: &String) -> bool {
        match self {
            StudyPlan::Sweep(sweep) => !sweep.against.contains(bot),
            StudyPlan::Tune(tune) => !tune.against.contains(bot),
            StudyPlan::Import(import) => import.me.as_ref().is_none_or(|me| me == bot),
            StudyPlan::List(list) if list.format == Format::RoundRobin && game.bots.len() > 2 => {
                true
            }
            StudyPlan::List(_) | StudyPlan::Sprt(_) => game.bots.first() == Some(bot),
        }
    }

    /// Returns this study with as many games as `later`, if that is the same study with more games.
    /// A sweep can't grow, because its length decides which variants it drops.
    ///
    /// A match that its precision ends grows with a smaller precision or without one: it then ends
    /// no sooner, so that its games stay part of the run. Its maximum of games may be any.
    pub(super) fn grown(&self, later: &StudyPlan) -> StudyPlan {
        let mut grown = self.clone();
        match (&mut grown, later) {
            (StudyPlan::List(own), StudyPlan::List(later)) => {
                let mut games = later.games_per_pairing;
                match own.precision {
                    Some(least) => own.precision = later.precision.map(|later| later.min(least)),
                    None => games = games.max(own.games_per_pairing),
                }
                own.games_per_pairing = games;
            }
            (StudyPlan::Sprt(own), StudyPlan::Sprt(later)) => {
                own.max_units = own.max_units.max(later.max_units);
            }
            (StudyPlan::Tune(own), StudyPlan::Tune(later)) => {
                own.max_units = own.max_units.max(later.max_units);
            }
            _ => {}
        }
        grown
    }

    /// Checks the study of a plan that was read from a file. The error says why it can't be played
    /// or counted.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), String> {
        match self {
            StudyPlan::List(list) => list.check(plan),
            StudyPlan::Sprt(test) => {
                let checked = test.hypotheses.check();
                checked.map_err(|error| error.to_string())
            }
            StudyPlan::Sweep(sweep) => sweep.check(plan),
            StudyPlan::Tune(tune) => tune.check(plan),
            StudyPlan::Import(import) => import.check(plan),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arena_stats::sprt::Model;
    use arena_stats::tune::{Parameter, Scale};
    use proptest::prelude::*;

    use super::*;
    use crate::plan::{ImportedBattle, TunedParameter, Variant};

    /// Text for a config, some of which TOML has to quote.
    fn names() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec(r#"[a-z \["'\\\n=]{0,6}"#, 1..4)
    }

    fn list() -> impl Strategy<Value = StudyPlan> {
        let flags = (any::<bool>(), any::<bool>());
        let precision = proptest::option::of(0.1..1000.0);
        let list = (flags, 0..1_u64 << 40, precision);
        list.prop_map(|((gauntlet, same_seeds), games, precision)| {
            StudyPlan::List(List {
                format: if gauntlet {
                    Format::Gauntlet
                } else {
                    Format::RoundRobin
                },
                same_seeds,
                games_per_pairing: games,
                precision,
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
                parameters: names.into_iter().map(parameter).collect(),
            })
        })
    }

    /// Rows: games and precision of the stored match and of the one that resumes it, and whether its
    /// games stay part of the run.
    #[test]
    fn a_match_grows_with_a_smaller_precision() {
        let study = |(games, precision)| {
            let mut study = StudyPlan::list(Format::RoundRobin, games);
            if let StudyPlan::List(list) = &mut study {
                list.precision = precision;
            }
            study
        };
        for (stored, later, grows) in [
            ((100, Some(20.0)), (100, Some(10.0)), true),
            ((100, Some(20.0)), (100, Some(30.0)), false),
            ((100, Some(20.0)), (500, Some(20.0)), true),
            ((20_000, Some(20.0)), (500, None), true),
            ((100, None), (500, None), true),
            ((100, None), (50, None), false),
            ((100, None), (500, Some(20.0)), false),
        ] {
            let (stored, later) = (study(stored), study(later));
            assert_eq!(stored.grown(&later) == later, grows, "{stored:?} {later:?}");
        }
    }

    fn import() -> impl Strategy<Value = StudyPlan> {
        let battle = (
            0..3_usize,
            any::<i64>(),
            proptest::collection::vec(0..9_usize, 2..8),
        );
        let battle = battle.prop_map(|(game, seed, seats)| ImportedBattle { game, seed, seats });
        let battles = proptest::collection::vec(battle, 1..4);
        (names(), any::<bool>(), battles).prop_map(|(names, has_me, battles)| {
            let me = has_me.then(|| names[0].clone());
            StudyPlan::Import(Import { me, battles })
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
            study in prop_oneof![list(), sprt(), sweep(), tune(), import()]
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
