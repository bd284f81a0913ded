//! One game after the other: a fixture in, its outcome out. A worker knows no pool, no thread and no other game, and
//! all that it takes and gives can be sent to another machine.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use anyhow::anyhow;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::plan::schedule::Fixture;
use crate::play::foreign::{self, RefereeStart};
use crate::play::probe::Probe;
use crate::play::record::RecordFault;
use crate::play::{Abort, Played, play};
use arena_games::{Fate, GameSpec, Opening};
use arena_process::{Bot, Interrupt, Launch, Launcher, Sandbox};

pub(crate) mod pool;
#[cfg(feature = "workers")]
pub(crate) mod remote;

/// How often a game is tried before it is given up.
const ATTEMPTS: u32 = 3;
/// How often a game on an overloaded host is discarded and replayed. After that it is
/// played once more, and its time-outs count: a bot that never answers must not hold up a run.
pub(crate) const REPLAYS: u32 = 5;

/// Plays the fixtures of a plan on this machine.
#[derive(Debug)]
pub(crate) struct Worker {
    plan: Plan,
    /// The games of the plan, under their options.
    games: Vec<Arc<GameSpec>>,
    sandbox: Arc<Sandbox>,
    /// Who plays; nobody before it is known how they are started.
    ready: OnceLock<Ready>,
    /// Ends the game at once when raised.
    interrupt: Arc<Interrupt>,
}

/// The bots and referees of a plan as they are really started.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Started {
    /// In the order of the plan.
    pub(crate) bots: Vec<Launch>,
    /// By game.
    pub(crate) referees: BTreeMap<String, RefereeStart>,
    /// The files that they are made of, which other machines need.
    #[cfg(feature = "workers")]
    #[serde(skip)]
    pub(crate) files: std::collections::BTreeSet<std::path::PathBuf>,
}

#[cfg(feature = "workers")]
impl Started {
    /// Returns how each bot and referee is started.
    pub(crate) fn launches(&self) -> impl Iterator<Item = &Launch> {
        let referees = self.referees.values();
        self.bots
            .iter()
            .chain(referees.flat_map(RefereeStart::launches))
    }

    /// Returns how each bot and referee is started, to be changed.
    pub(crate) fn launches_mut(&mut self) -> impl Iterator<Item = &mut Launch> {
        let referees = self.referees.values_mut();
        self.bots
            .iter_mut()
            .chain(referees.flat_map(RefereeStart::launches_mut))
    }
}

/// Those of a plan that are started for its games.
#[derive(Debug)]
struct Ready {
    /// What each bot is kept in by.
    launchers: Vec<Arc<Launcher>>,
    /// The games as they can be played.
    games: Vec<Arc<GameSpec>>,
}

/// What became of a fixture.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The game, or why there is none.
    pub(crate) game: Result<Played, Abort>,
    /// What the bots that failed left behind.
    pub(crate) faults: Vec<RecordFault>,
    /// Whether a bot was ended by a signal that may have been meant for the arena, see [`arena_process::Exit::by_group_signal`].
    pub(crate) hit_by_signal: bool,
    /// How often it was discarded and replayed because the host was overloaded; at most
    /// [`REPLAYS`] times.
    pub(crate) voided: u32,
}

impl Outcome {
    /// A game without a result.
    pub(crate) fn aborted(why: Abort, voided: u32) -> Outcome {
        Outcome {
            game: Err(why),
            faults: Vec::new(),
            hit_by_signal: false,
            voided,
        }
    }
}

impl Worker {
    /// A worker for a plan, whose games are `games` under their options, with bots in `sandbox`.
    pub(crate) fn new(
        plan: &Plan,
        games: Vec<Arc<GameSpec>>,
        sandbox: &Arc<Sandbox>,
        interrupt: &Arc<Interrupt>,
    ) -> Worker {
        Worker {
            plan: plan.clone(),
            games,
            sandbox: Arc::clone(sandbox),
            ready: OnceLock::new(),
            interrupt: interrupt.clone(),
        }
    }

    /// Takes the bots and referees of the plan as they are really started, and starts each once: what cannot be run is better
    /// known before the first game than in every game.
    pub(crate) fn prepare(&self, started: Started) -> anyhow::Result<()> {
        let Started { bots, referees, .. } = started;
        let launchers: Vec<_> = bots
            .into_iter()
            .map(|bot| Launcher::new(&self.sandbox, bot))
            .collect();
        let referees = self.proved(referees);
        let games = self.housed(&referees);
        for (game, planned) in games.iter().zip(&self.plan.games) {
            if planned.referee.is_some() {
                foreign::try_out(game, planned.seats()).map_err(|why| anyhow!("{why}"))?;
            }
        }
        let tried = launchers.par_iter().enumerate().map(|(bot, launcher)| {
            match self.plan.values_to_try(bot) {
                Some(values) => self.try_bot(&launcher.with(&values), &games),
                None => self.try_bot(launcher, &games),
            }
        });
        let tried: Vec<_> = tried.collect();
        tried.into_iter().collect::<anyhow::Result<()>>()?;
        // Referees that were started on these threads are not the ones that games will need.
        drop(games);
        let _ = self.ready.set(Ready {
            launchers,
            games: self.housed(&referees),
        });
        Ok(())
    }

    /// The referees, those that would not play alike without their servers.
    fn proved(
        &self,
        mut referees: BTreeMap<String, RefereeStart>,
    ) -> BTreeMap<String, RefereeStart> {
        let mut proved = BTreeMap::new();
        for (spec, planned) in self.games.iter().zip(&self.plan.games) {
            if let (Some(referee), Some(start)) = (&planned.referee, referees.remove(&planned.id)) {
                let start = referee.proved(spec, start, &self.sandbox, &self.interrupt);
                proved.insert(planned.id.clone(), start);
            }
        }
        proved
    }

    /// The games of the plan, with their referees where these are programs of their own.
    fn housed(&self, referees: &BTreeMap<String, RefereeStart>) -> Vec<Arc<GameSpec>> {
        let mut games = self.games.clone();
        for (spec, planned) in games.iter_mut().zip(&self.plan.games) {
            if let (Some(referee), Some(start)) = (&planned.referee, referees.get(&planned.id)) {
                *spec = referee.playable(spec, start, &self.sandbox, &self.interrupt);
            }
        }
        games
    }

    fn try_bot(&self, launcher: &Arc<Launcher>, games: &[Arc<GameSpec>]) -> anyhow::Result<()> {
        let interrupt = &self.interrupt;
        for (game, spec) in self.plan.games.iter().zip(games) {
            if game.bots.contains(&launcher.launch.name) {
                let probe = Probe {
                    launcher,
                    spec,
                    interrupt,
                };
                return probe
                    .advice()?
                    .map_or(Ok(()), |advice| Err(anyhow!(advice)));
            }
        }
        Ok(())
    }

    /// Plays a fixture, again when it fails through no fault of a bot: a failed start may be a matter of the moment.
    /// Nothing more is started once it is not `wanted` any more.
    pub(crate) fn play(&self, fixture: &Fixture, wanted: &dyn Fn() -> bool) -> Outcome {
        let mut failed = 0;
        let mut voided = 0;
        loop {
            if self.interrupt.is_raised() {
                return Outcome::aborted(Abort::Interrupted, voided);
            }
            if !wanted() {
                return Outcome::aborted(Abort::Unwanted, voided);
            }
            let attempted =
                catch_unwind(AssertUnwindSafe(|| self.attempt(fixture, voided < REPLAYS)));
            // Its bots have ended; what they left behind must not trouble the next game.
            arena_process::reap_orphans();
            let attempted =
                attempted.unwrap_or_else(|panic| Err(Abort::Failed(panic_text(panic.as_ref()))));
            match attempted {
                Err(_) if self.interrupt.is_raised() => {}
                Err(Abort::Busy) => voided += 1,
                Err(Abort::Failed(_)) if failed + 1 < ATTEMPTS => failed += 1,
                Err(abort) => return Outcome::aborted(abort, voided),
                Ok(outcome) => return Outcome { voided, ..outcome },
            }
        }
    }

    /// Plays a fixture once; with `excuses`, a time-out on a busy machine is none.
    fn attempt(&self, fixture: &Fixture, excuses: bool) -> Result<Outcome, Abort> {
        let Ready { launchers, games } = self
            .ready
            .get()
            .ok_or_else(|| Abort::Failed("the bots are not there yet".into()))?;
        let planned = &self.plan.games[fixture.game];
        let opening = Opening::Plies(planned.opening_plies);
        let game = games[fixture.game].start(fixture.seed, fixture.seating.len(), &opening);
        let mut game = game.map_err(|error| failed(&error))?;
        let kept_of_game = self.plan.kept();
        let mut bots = Vec::with_capacity(fixture.seating.len());
        for (seat, &bot) in fixture.seating.iter().enumerate() {
            let seed = fixture.bot_seed(seat);
            let launcher = &launchers[bot];
            let proposed = fixture.values.get(seat).map(|values| launcher.with(values));
            let launcher = proposed.as_ref().unwrap_or(launcher);
            let mut bot =
                Bot::start_in(launcher, seed, &self.interrupt).map_err(|error| failed(&error))?;
            bot.excuses = excuses;
            if kept_of_game.metrics || kept_of_game.stderr {
                bot.keep_stderr();
            }
            bots.push(bot);
        }
        let played = play(game.as_mut(), &mut bots, planned.clock, kept_of_game)?;
        let standings = played.standings.clone();
        let mut outcome = Outcome {
            game: Ok(played),
            faults: Vec::new(),
            hit_by_signal: false,
            voided: 0,
        };
        for (seat, (bot, standing)) in bots.into_iter().zip(standings).enumerate() {
            if standing.fate == Fate::Ok {
                continue;
            }
            let exit = bot.stop();
            outcome.hit_by_signal |= exit.by_group_signal();
            outcome.faults.push(RecordFault {
                player: seat,
                exit: exit.status.is_some().then(|| exit.to_string()),
                unfinished: exit.unfinished,
                stderr: exit.stderr_tail,
            });
        }
        Ok(outcome)
    }
}

fn failed(error: &dyn std::error::Error) -> Abort {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    Abort::Failed(text)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the referee failed: {}", text.unwrap_or("no message"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::schedule::Format;
    use crate::plan::{PlannedGame, StudyPlan};
    use crate::play::Clock;
    use arena_process::Mode;
    use arena_process::Supervision;

    /// A study may propose what each bot of a game is started with.
    #[test]
    fn a_bot_is_started_with_the_values_of_its_fixture() {
        let script = "read -r line; echo \"$0 $DEPTH\"";
        let bot = Launch {
            name: "bot".into(),
            command: ["sh", "-c", script, "{speed}"].map(str::to_owned).to_vec(),
            env: BTreeMap::from([("DEPTH".to_owned(), "{depth}".to_owned())]),
            read: Vec::new(),
        };
        let spec = Arc::new(arena_games::onitama::spec());
        let minute = std::time::Duration::from_secs(60);
        let game = PlannedGame {
            id: spec.id.clone(),
            clock: Clock {
                first_turn: minute,
                turn: minute,
                ..Clock::default()
            },
            opening_plies: 0,
            seats: None,
            options: arena_games::Options::new(),
            bots: vec!["bot".into(), "bot".into()],
            referee: None,
            spec: Some(spec.clone()),
        };
        let plan = Plan {
            name: "proposed".into(),
            design: None,
            seed: 1,
            trace: false,
            metrics: false,
            stderr: crate::play::KeptStderr::Fault,
            sandbox: Mode::Off,
            memory_mb: 768,
            study: StudyPlan::list(Format::RoundRobin, 2),
            languages: BTreeMap::new(),
            games: vec![game],
            bots: vec![bot],
        };
        let sandbox = Arc::new(
            Sandbox::new(Mode::Off, 0, Supervision::None, std::path::PathBuf::new()).unwrap(),
        );
        let worker = Worker::new(
            &plan,
            vec![spec],
            &sandbox,
            &Arc::new(Interrupt::new().unwrap()),
        );
        worker
            .prepare(Started {
                bots: plan.bots,
                ..Started::default()
            })
            .unwrap();
        let values = |depth: &str| {
            BTreeMap::from(
                [("depth", depth), ("speed", "fast")]
                    .map(|(name, value)| (name.to_owned(), value.to_owned())),
            )
        };
        let fixture = Fixture {
            number: 0,
            unit: 0,
            game: 0,
            seed: 1,
            seating: vec![0, 0],
            variant: None,
            values: vec![values("7"), values("8")],
        };
        let sent = serde_json::to_string(&fixture).unwrap();
        let played = worker
            .play(&serde_json::from_str(&sent).unwrap(), &|| true)
            .game
            .unwrap();
        assert_eq!(
            played.steps[0].output.as_deref(),
            Some("fast 7"),
            "{played:?}"
        );
    }
}
