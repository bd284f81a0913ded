//! The study of a plan: the kind of run and its settings.

mod import;
mod list;
mod sprt;
mod sweep;
mod tune;

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use strum::AsRefStr;

use super::{Plan, PlannedGame, Unsound};
use arena_schedule::{Format, Schedule};
use arena_stats::sprt::Hypotheses;
use arena_stats::stopping::Stopping;
pub(crate) use import::{Import, ImportedBattle};
pub(crate) use list::List;
pub(crate) use sprt::SprtPlan;
pub(crate) use sweep::{Sweep, Variant};
pub(crate) use tune::{Tune, TunedParameter};

/// The files that only one kind of run has in its folder.
pub(crate) const STUDY_FILES: [&str; 4] = [SprtPlan::TABLE, Sweep::TABLE, Tune::TABLE, Tune::TUNED];

/// The kind of a run with its settings. It answers the questions of [`Kind`]; nobody else asks
/// which variant it is.
#[derive(AsRefStr, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[strum(serialize_all = "kebab-case")]
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

/// What a kind of run says about itself.
pub(crate) trait Kind {
    /// Returns the word for such a run, as in "the match ended".
    fn word(&self) -> &'static str {
        "match"
    }

    /// Returns the schedule of all fixtures: by default, units of the first bot and each other one.
    fn schedule(&self, plan: &Plan) -> Schedule {
        plan.pairings(Format::Gauntlet, plan.games_in_pairs())
    }

    /// Checks the study of a plan that was read from a file.
    fn check(&self, plan: &Plan) -> Result<(), Unsound>;

    /// Whether the run is about this bot of a game. The others are opponents.
    fn is_about(&self, game: &PlannedGame, bot: &str) -> bool;

    /// Returns the most units of a pairing, if results may end the run before that.
    fn max_units(&self) -> Option<u64> {
        None
    }

    /// Returns the maximum of games per pairing.
    fn games_per_pairing(&self) -> u64 {
        self.max_units().unwrap_or_default().saturating_mul(2)
    }

    /// Whether results may end the run before its maximum of games.
    fn is_ended_by_results(&self) -> bool {
        self.max_units().is_some()
    }

    /// Whether results decided a finished run, so that more games add nothing. `summary` holds the
    /// keys of its `summary.json` that only some runs have.
    fn is_decided(&self, _summary: &Map<String, Value>) -> bool {
        false
    }

    /// Returns the rule that ends a match once it has shown enough, if the run is such a match.
    fn stopping(&self) -> Option<Stopping> {
        None
    }

    /// Returns the hypotheses that the run decides between, if it is such a test.
    fn hypotheses(&self) -> Option<&Hypotheses> {
        None
    }

    /// Whether this is a gauntlet: the first bot of each game meets each of the others.
    fn is_gauntlet(&self) -> bool {
        false
    }

    /// Whether units of different pairings share seeds.
    fn shares_seeds(&self) -> bool {
        false
    }

    /// Whether it compares programs, and not values of one program or bots that aren't here.
    fn compares_programs(&self) -> bool {
        true
    }

    /// Whether its games were played elsewhere, so that its bots have no programs here.
    fn is_imported(&self) -> bool {
        false
    }

    /// Returns the name of the user's own bot, if it is known.
    fn me(&self) -> Option<&String> {
        None
    }

    /// Whether a run is about the first bot of each game.
    fn is_about_first(&self, first: Option<&str>) -> bool {
        self.is_gauntlet() || self.me().is_some_and(|me| Some(&**me) == first)
    }

    /// Returns the values with which to probe a bot, its starting values first.
    fn trials(&self, _bot: &str) -> Vec<Trial> {
        vec![Trial::default()]
    }
}

/// Values for the names in braces of a bot, which show whether it can play.
#[derive(Default)]
pub(crate) struct Trial {
    pub(crate) values: BTreeMap<String, String>,
    /// The bot and the values, in words, if any fault with them stops the run: a bot that rejects
    /// values decides games by that, and a tuning would learn where it crashes.
    pub(crate) words: Option<String>,
}

impl Deref for StudyPlan {
    type Target = dyn Kind;

    fn deref(&self) -> &(dyn Kind + 'static) {
        match self {
            StudyPlan::List(list) => list,
            StudyPlan::Sprt(test) => test,
            StudyPlan::Sweep(sweep) => sweep,
            StudyPlan::Tune(tune) => tune,
            StudyPlan::Import(import) => import,
        }
    }
}

impl From<Import> for StudyPlan {
    fn from(import: Import) -> StudyPlan {
        StudyPlan::Import(import)
    }
}

impl StudyPlan {
    /// Returns the name of the kind, which is the `format` in a config.
    pub(crate) fn name(&self) -> String {
        match self {
            StudyPlan::List(list) => list.format.to_string(),
            other => other.as_ref().to_owned(),
        }
    }

    /// Returns this study with as many games as `later`, if that is the same study with more games.
    /// A sweep can't grow, because its length decides which variants it drops.
    ///
    /// A match that its results end grows with a smaller precision and `drop_below`, or without
    /// them: it then ends no sooner, so that its games stay part of the run. Its maximum of games
    /// may be any.
    pub(super) fn grown(&self, later: &StudyPlan) -> StudyPlan {
        let mut grown = self.clone();
        match (&mut grown, later) {
            (StudyPlan::List(own), StudyPlan::List(later)) => {
                let mut games = later.games_per_pairing;
                if own.stopping().is_none() {
                    games = games.max(own.games_per_pairing);
                }
                let smaller = |own: Option<f64>, later: Option<f64>| Some(own?.min(later?));
                own.precision = smaller(own.precision, later.precision);
                own.drop_below = smaller(own.drop_below, later.drop_below);
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arena_stats::sprt::Model;
    use arena_stats::tune::{Parameter, Scale};
    use proptest::prelude::*;

    use super::*;

    impl From<SprtPlan> for StudyPlan {
        fn from(test: SprtPlan) -> StudyPlan {
            StudyPlan::Sprt(test)
        }
    }

    impl From<Sweep> for StudyPlan {
        fn from(sweep: Sweep) -> StudyPlan {
            StudyPlan::Sweep(sweep)
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
                drop_below: None,
            })
        }

        /// Returns this study with so many games per pairing, or half as many units.
        pub(crate) fn sized(mut self, games: u64) -> StudyPlan {
            match &mut self {
                StudyPlan::List(list) => list.games_per_pairing = games,
                StudyPlan::Sprt(test) => test.max_units = games / 2,
                StudyPlan::Sweep(sweep) => sweep.max_units = games / 2,
                other => panic!("{other:?} has another size"),
            }
            self
        }
    }

    /// Text for a config, some of which TOML has to quote.
    fn names() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec(r#"[a-z \["'\\\n=]{0,6}"#, 1..4)
    }

    fn list() -> impl Strategy<Value = StudyPlan> {
        let flags = (any::<bool>(), any::<bool>());
        let limit = || proptest::option::of(0.1..1000.0);
        let list = (flags, 0..1_u64 << 40, [limit(), limit()]);
        list.prop_map(|((gauntlet, same_seeds), games, [precision, drop_below])| {
            StudyPlan::List(List {
                format: if gauntlet {
                    Format::Gauntlet
                } else {
                    Format::RoundRobin
                },
                same_seeds,
                games_per_pairing: games,
                precision,
                drop_below,
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

    /// Rows: games, precision and `drop_below` of the stored match and of the one that resumes it
    /// (0 for none), and whether its games stay part of the run.
    #[test]
    fn a_match_grows_if_it_ends_no_sooner() {
        let study = |(games, precision, drop_below)| {
            let mut study = StudyPlan::list(Format::RoundRobin, games);
            if let StudyPlan::List(list) = &mut study {
                let some = |limit| Some(limit).filter(|limit| *limit > 0.0);
                (list.precision, list.drop_below) = (some(precision), some(drop_below));
            }
            study
        };
        for (stored, later, grows) in [
            ((100, 20.0, 0.0), (100, 10.0, 0.0), true),
            ((100, 20.0, 0.0), (100, 30.0, 0.0), false),
            ((100, 20.0, 0.0), (500, 20.0, 0.0), true),
            ((20_000, 20.0, 0.0), (500, 0.0, 0.0), true),
            ((100, 0.0, 0.0), (500, 0.0, 0.0), true),
            ((100, 0.0, 0.0), (50, 0.0, 0.0), false),
            ((100, 0.0, 0.0), (500, 20.0, 0.0), false),
            ((100, 0.0, 10.0), (50, 0.0, 10.0), true),
            ((100, 0.0, 10.0), (100, 0.0, 5.0), true),
            ((100, 0.0, 10.0), (100, 0.0, 15.0), false),
            ((100, 0.0, 10.0), (500, 0.0, 0.0), true),
            ((100, 0.0, 10.0), (500, 20.0, 10.0), false),
            ((100, 0.0, 0.0), (500, 0.0, 10.0), false),
            ((100, 20.0, 10.0), (100, 10.0, 10.0), true),
            ((100, 20.0, 10.0), (100, 0.0, 10.0), true),
            ((100, 20.0, 0.0), (100, 20.0, 10.0), false),
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
