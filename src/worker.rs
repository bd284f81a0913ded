//! A worker plays one game after the other: a fixture in, its outcome out. Both can be sent to
//! another machine.

use std::any::Any;
use std::collections::BTreeMap;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::plan::{Plan, PlannedGame, Trial};
use crate::play::foreign::RefereeStart;
use crate::play::probe::{self, FirstFault, FirstQuestion, Probe};
use crate::play::record::RecordFault;
use crate::play::{Abort, Played, play};
use crate::worker::pool::Setup;
use arena_games::{Fate, GameSpec, Opening};
use arena_process::{
    Bot, Interrupt, Launch, Launcher, Sandbox, StartError, cant_start, join_command, lock,
};
use arena_schedule::Fixture;
use arena_section::terminal::pause;
use arena_section::text::word;
use arena_section::words::count;

pub(crate) mod pool;
#[cfg(feature = "workers")]
pub(crate) mod remote;

/// Shows a line about what is being made ready. Says whether it is due even where each line stays.
pub(crate) type Show<'s> = dyn FnMut(String, bool) + 's;

/// How to tune a bot that fails with some values.
const RANGES: &str = "the bot must play with every value of a range; `arena check` shows more";
/// How often a game is tried before it is given up.
const ATTEMPTS: u32 = 3;
/// How often a game on an overloaded host is discarded and replayed. Timeouts in the last replay
/// count: a bot that never answers must not block a run.
pub(crate) const REPLAYS: u32 = 2;

/// A bot that fails before the first game.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct BotFailure(String);

/// Plays the fixtures of a plan on this machine.
#[derive(Debug)]
pub(crate) struct Worker {
    plan: Plan,
    /// The games of the plan, under their options.
    games: Vec<Arc<GameSpec>>,
    sandbox: Arc<Sandbox>,
    /// The bots and games, once [`Worker::prepare`] knows how to start them.
    ready: OnceLock<Prepared>,
    /// Ends the game at once when raised.
    interrupt: Arc<Interrupt>,
}

/// How to start the bots and referees of a plan, once compiled.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Started {
    /// In the order of the plan.
    pub(crate) bots: Vec<Launch>,
    /// By game.
    pub(crate) referees: BTreeMap<String, RefereeStart>,
    /// Whether to play even if a bot ends before its first answer.
    #[serde(default)]
    pub(crate) start_anyway: bool,
    /// Their files, for other machines.
    #[cfg(feature = "workers")]
    #[serde(skip)]
    pub(crate) files: std::collections::BTreeSet<std::path::PathBuf>,
}

#[cfg(feature = "workers")]
impl Started {
    /// Returns the launches of all bots and referees.
    pub(crate) fn launches_mut(&mut self) -> impl Iterator<Item = &mut Launch> {
        let referees = self.referees.values_mut();
        self.bots
            .iter_mut()
            .chain(referees.flat_map(RefereeStart::launches_mut))
    }
}

/// The bots and games of a plan, ready to play.
#[derive(Debug)]
struct Prepared {
    /// The bots in their sandbox, in the order of the plan.
    launchers: Vec<Arc<Launcher>>,
    /// The games with their referees.
    games: Vec<Arc<GameSpec>>,
}

/// The outcome of a fixture.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct GameOutcome {
    /// The game, or why it has no result.
    pub(crate) game: Result<Played, Abort>,
    /// The details of the faults.
    pub(crate) faults: Vec<RecordFault>,
    /// Whether a signal that may have been meant for the arena ended a bot, see
    /// [`arena_process::Exit::by_group_signal`].
    pub(crate) hit_by_signal: bool,
    /// How often the game was discarded and replayed, through no fault of a bot.
    pub(crate) voided: u32,
    /// Why it was first replayed, unless the host was overloaded.
    #[serde(default)]
    pub(crate) failed: Option<String>,
}

impl GameOutcome {
    /// Returns the outcome of the first attempt, without faults.
    pub(crate) fn new(game: Result<Played, Abort>) -> GameOutcome {
        GameOutcome {
            game,
            faults: Vec::new(),
            hit_by_signal: false,
            voided: 0,
            failed: None,
        }
    }
}

impl Worker {
    /// Returns a worker for a plan with these games under their options.
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

    /// Takes the bots and referees of the plan and probes them, `jobs` bots at a time, so that a
    /// program that doesn't work stops the run before its first game.
    pub(crate) fn prepare(
        &self,
        started: Started,
        jobs: usize,
        show: &mut Show<'_>,
    ) -> anyhow::Result<Setup> {
        let launchers: Vec<_> = started
            .bots
            .into_iter()
            .map(|bot| Launcher::new(&self.sandbox, bot))
            .collect();
        let mut programs = 0;
        for game in &self.plan.games {
            let mut of_game = game.seats();
            if game.referee.is_some() {
                of_game += 1;
                // A Java machine takes seconds to start.
                show(format!("starting the referee of {}", game.id), true);
            }
            programs = programs.max(jobs * of_game);
        }
        let (games, mut warnings) = self.housed(started.referees);
        warnings.extend(self.sandbox.share_processes(programs));
        let mut first = Vec::new();
        let mut titles = BTreeMap::new();
        for spec in &games {
            let question = probe::first_question(spec)?;
            titles.extend(question.title.clone().map(|title| (spec.id.clone(), title)));
            first.push(question);
        }
        let probes = self.probes(&launchers, &first);
        for (probe, fault) in probes.iter().zip(self.ask(&probes, jobs, show)?) {
            let Some(fault) = fault? else { continue };
            let why = if let Some(trial) = &probe.trial {
                let fate = fault.fate;
                format!("{trial} it fails in its first turn ({fate}); {RANGES}")
            } else if let Some(how) = &fault.end
                && !started.start_anyway
            {
                let bot = &probe.launcher.launch.name;
                let advice = match probe.remedy(&fault) {
                    Some(remedy) => format!("; {remedy}"),
                    None => self.closer_look(probe, bot),
                };
                format!("bot `{bot}` ends {how}{advice}")
            } else {
                continue;
            };
            return Err(BotFailure(why).into());
        }
        let _ = self.ready.set(Prepared { launchers, games });
        Ok(Setup {
            warnings,
            titles,
            ..Setup::default()
        })
    }

    /// Returns the probes of all bots, each in the first game that it plays.
    fn probes<'p>(
        &'p self,
        launchers: &[Arc<Launcher>],
        first: &'p [FirstQuestion<'p>],
    ) -> Vec<Probe<'p>> {
        let mut probes = Vec::new();
        for (bot, launcher) in launchers.iter().enumerate() {
            let mut games = self.plan.games.iter().zip(first);
            let plays = |game: &PlannedGame| game.bots.contains(&launcher.launch.name);
            let Some((game, first)) = games.find(|(game, _)| plays(game)) else {
                continue;
            };
            for Trial { values, words } in self.plan.trials(bot) {
                probes.push(Probe {
                    launcher: launcher.with(&values),
                    first,
                    clock: game.clock,
                    trial: words,
                    interrupt: &self.interrupt,
                });
            }
        }
        probes
    }

    /// Returns a hint with the command that checks a bot in its game.
    fn closer_look(&self, probe: &Probe<'_>, bot: &str) -> String {
        let id = &probe.first.spec.id;
        let is_own = |game: &PlannedGame| game.id == *id && game.referee.is_none();
        let are_own = self.plan.games.iter().any(is_own);
        let game = if are_own { id } else { "GAME" };
        let bot = self.plan.bot(bot).unwrap_or_default();
        let bot = word(join_command(&self.plan.bots[bot].command));
        format!("\nhint: arena check {game} {bot}")
    }

    /// Asks bots for their first answers, `jobs` at a time, and shows how many have answered.
    fn ask(
        &self,
        probes: &[Probe<'_>],
        jobs: usize,
        show: &mut Show<'_>,
    ) -> anyhow::Result<Vec<Result<Option<FirstFault>, StartError>>> {
        let (bots, asked) = (self.plan.bots.len(), probes.len());
        let wanted = match asked {
            _ if asked > bots => format!("{asked} first answers"),
            _ => "a first answer".to_owned(),
        };
        let bots = count(bots as u64, "bot", "bots");
        let (done, answers) = mpsc::channel();
        let begun = Instant::now();
        let (mut found, mut shown) = (BTreeMap::new(), begun);
        // Each thread takes the next one, so no bot waits for a slow one while a thread is free.
        let queue = Mutex::new(probes.iter().enumerate());
        thread::scope(|scope| {
            for _ in 0..jobs.min(asked) {
                let (queue, done) = (&queue, done.clone());
                let ask = move || {
                    for (at, probe) in iter::from_fn(|| lock(queue).next()) {
                        let _ = done.send((at, probe.ask()));
                    }
                };
                thread::Builder::new()
                    .spawn_scoped(scope, ask)
                    .map_err(|error| cant_start(count(jobs as u64, "worker", "workers"), error))?;
            }
            drop(done);
            for answer in iter::once(None).chain(answers.into_iter().map(Some)) {
                found.extend(answer);
                if self.interrupt.is_raised() {
                    continue;
                }
                let answered = found.len();
                let mut line = format!("asking {bots} for {wanted}: {answered} of {asked}");
                if let Some(bot) = (0..asked).find(|at| !found.contains_key(at))
                    && answered > 0
                {
                    line.extend([", waiting for ", &probes[bot].launcher.launch.name]);
                }
                let is_due =
                    [0, asked].contains(&answered) || shown.elapsed() >= pause(begun.elapsed());
                if is_due {
                    shown = Instant::now();
                }
                show(line, is_due);
            }
            anyhow::Ok(())
        })?;
        Ok(found.into_values().collect())
    }

    /// Returns the plan's games with their external referees, and warnings. Drops a server that
    /// plays differently from its referee.
    fn housed(
        &self,
        mut referees: BTreeMap<String, RefereeStart>,
    ) -> (Vec<Arc<GameSpec>>, Vec<String>) {
        let (mut games, mut warnings) = (self.games.clone(), Vec::new());
        for (spec, planned) in games.iter_mut().zip(&self.plan.games) {
            if let (Some(referee), Some(start)) = (&planned.referee, referees.remove(&planned.id)) {
                let (start, warning) = referee.proved(spec, start, &self.sandbox, &self.interrupt);
                warnings.extend(warning);
                *spec = referee.playable(spec, &start, &self.sandbox, &self.interrupt);
            }
        }
        (games, warnings)
    }

    /// Plays a fixture. Tries again after an abort: a failed start may be temporary. Starts nothing
    /// once the game isn't `wanted` any more.
    pub(crate) fn play(&self, fixture: &Fixture, wanted: &dyn Fn() -> bool) -> GameOutcome {
        let (mut failed, mut voided, mut why) = (0, 0, None);
        let ended = loop {
            if self.interrupt.is_raised() {
                break Err(Abort::Interrupted);
            }
            if !wanted() {
                break Err(Abort::Unwanted);
            }
            let attempted =
                catch_unwind(AssertUnwindSafe(|| self.attempt(fixture, voided < REPLAYS)));
            // Processes that the bots left must not disturb the next game.
            arena_process::reap_orphans();
            match attempted.unwrap_or_else(|panic| Err(panicked(panic.as_ref()))) {
                Err(_) if self.interrupt.is_raised() => {}
                Err(Abort::Busy) => voided += 1,
                Err(Abort::Failed(again)) if failed + 1 < ATTEMPTS => {
                    failed += 1;
                    why.get_or_insert(again);
                }
                ended => break ended,
            }
        };
        match ended {
            Ok(mut outcome) => {
                (outcome.voided, outcome.failed) = (voided + failed, why);
                outcome
            }
            Err(abort) => GameOutcome {
                voided,
                ..GameOutcome::new(Err(abort))
            },
        }
    }

    /// Plays a fixture once. With `excuses`, a timeout on a busy machine doesn't count.
    fn attempt(&self, fixture: &Fixture, excuses: bool) -> Result<GameOutcome, Abort> {
        let Some(Prepared { launchers, games }) = self.ready.get() else {
            return Err(Abort::Failed("the bots are not there yet".into()));
        };
        let planned = &self.plan.games[fixture.game];
        let opening = Opening::Plies(planned.opening_plies);
        let mut game = games[fixture.game]
            .start(fixture.seed, fixture.seating.len(), &opening)
            .map_err(failed)?;
        let kept = self.plan.kept();
        let mut bots = Vec::with_capacity(fixture.seating.len());
        for (seat, &bot) in fixture.seating.iter().enumerate() {
            let seed = fixture.bot_seed(seat);
            let launcher = &launchers[bot];
            let proposed = fixture.values.get(seat).map(|values| launcher.with(values));
            let launcher = proposed.as_ref().unwrap_or(launcher);
            let mut bot = Bot::start_in(launcher, seed, &self.interrupt).map_err(failed)?;
            bot.excuses = excuses;
            if kept.metrics || kept.stderr {
                bot.keep_stderr();
            }
            bots.push(bot);
        }
        let played = play(game.as_mut(), &mut bots, planned.clock, kept)?;
        let standings = played.standings.clone();
        let mut outcome = GameOutcome::new(Ok(played));
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

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Abort {
    Abort::Failed(format!("{:#}", anyhow::Error::new(error)))
}

fn panicked(panic: &(dyn Any + Send)) -> Abort {
    let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "no message",
    };
    Abort::Failed(format!("the referee failed: {text}"))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::plan::StudyPlan;
    use crate::play::Clock;
    use crate::testing::promised;
    use arena_process::Mode;
    use arena_process::Supervision;
    use arena_schedule::Format;

    /// A worker that plays Onitama with two copies of a bot.
    fn worker(command: &[&str], env: BTreeMap<String, String>) -> Worker {
        let bot = Launch {
            name: "bot".into(),
            command: command.iter().map(|&word| word.to_owned()).collect(),
            env,
            ..Launch::default()
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
        let unconfined = Sandbox::new(Mode::Off, 0, Supervision::None, std::path::PathBuf::new());
        let sandbox = Arc::new(unconfined.unwrap());
        let interrupt = Arc::new(Interrupt::new().unwrap());
        let worker = Worker::new(&plan, vec![spec], &sandbox, &interrupt);
        let started = Started {
            bots: plan.bots,
            ..Started::default()
        };
        worker.prepare(started, 1, &mut |_, _| {}).unwrap();
        worker
    }

    fn fixture(values: Vec<BTreeMap<String, String>>) -> Fixture {
        Fixture {
            number: 0,
            unit: 0,
            game: 0,
            seed: 1,
            seating: vec![0, 0],
            variant: None,
            values,
        }
    }

    /// A study may propose values for each bot of a game.
    #[test]
    fn a_bot_is_started_with_the_values_of_its_fixture() {
        let script = "read -r line; echo \"$0 $DEPTH\"";
        let env = BTreeMap::from([("DEPTH".to_owned(), "{depth}".to_owned())]);
        let worker = worker(&["sh", "-c", script, "{speed}"], env);
        let values = |depth: &str| {
            BTreeMap::from(
                [("depth", depth), ("speed", "fast")]
                    .map(|(name, value)| (name.to_owned(), value.to_owned())),
            )
        };
        let sent = serde_json::to_string(&fixture(vec![values("7"), values("8")])).unwrap();
        let outcome = worker.play(&serde_json::from_str(&sent).unwrap(), &|| true);
        let played = outcome.game.unwrap();
        let first = played.steps[0].output.as_deref();
        assert_eq!(first, Some("fast 7"), "{played:?}");
    }

    /// A program that is missing for a while, and comes back before the last attempt or after it.
    #[test]
    fn a_game_is_tried_as_often_as_promised() {
        let most = promised("ARCHITECTURE.md", "arena tries the game");
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bot");
        let install = || symlink("/bin/sh", &program).unwrap();
        install();
        let command = [program.to_str().unwrap(), "-c", "read -r line; echo x"];
        let worker = worker(&command, BTreeMap::new());
        for missing in [most - 1, most] {
            fs::remove_file(&program).unwrap();
            let tries = Cell::new(0);
            let outcome = worker.play(&fixture(Vec::new()), &|| {
                if tries.get() == missing {
                    install();
                }
                tries.set(tries.get() + 1);
                true
            });
            assert_eq!(tries.get(), most);
            if missing < most {
                assert!(outcome.game.is_ok(), "{outcome:?}");
                assert_eq!(u64::from(outcome.voided), missing);
            } else {
                assert!(matches!(outcome.game, Err(Abort::Failed(_))), "{outcome:?}");
            }
        }
    }
}
