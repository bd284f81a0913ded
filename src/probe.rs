//! Whether a bot comes to its first answer, and what keeps it from that: a bot that reads a file which the sandbox keeps
//! closed, or needs more memory than it has there, is better told of before the first game than by lost games.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::play::{Abort, Clock, Kept, Played, Step, play};
use crate::text::harmless;
use arena_games::{Fate, GameSpec, Opening};
use arena_process::{Bot, Failure, Interrupt, Jail, Launch, Relaxed, StartError, line_ends};

/// The longest that a first answer is waited for. Who misses a file ends sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// How a bot is tried.
pub(crate) struct Probe<'a> {
    pub(crate) jail: &'a Arc<Jail>,
    pub(crate) spec: &'a GameSpec,
    pub(crate) interrupt: &'a Arc<Interrupt>,
}

impl Probe<'_> {
    /// What to change for a bot that ends before its first answer, or does not even start, and does neither without the
    /// sandbox. `None` for any other.
    pub(crate) fn advice(&self) -> Result<Option<String>, StartError> {
        let first = self.end(self.jail);
        let said = match &first {
            Ok(None) => return Ok(None),
            Ok(Some(said)) => match self.line_ends() {
                Some(advice) => return Ok(Some(advice)),
                None => said.clone(),
            },
            Err(error) => error.to_string(),
        };
        for relaxed in [Relaxed::Files, Relaxed::All] {
            let Some(jail) = self.jail.relaxed(relaxed) else {
                break;
            };
            // Some end by chance: it has to be the sandbox.
            if matches!(self.end(&jail), Ok(None)) && !matches!(self.end(self.jail), Ok(None)) {
                return Ok(Some(self.told(relaxed, &said)));
            }
        }
        first.map(|_| None)
    }

    /// Whether the bot, against itself, plays a game in processes that played another one before as it does in fresh ones; if not,
    /// why it cannot be kept alive.
    pub(crate) fn plays_on(&self, seats: usize, clock: Clock) -> Result<(), String> {
        let name = &self.jail.launch.name;
        let failed = |why: String| {
            format!("keep bot `{name}` alive: {why}; `keep_alive = false` starts it for every game")
        };
        let start = || -> Result<Vec<Bot>, String> {
            let seeds = 1..=seats as u64;
            let bots = seeds.map(|seed| Bot::start_in(self.jail, seed, self.interrupt));
            bots.collect::<Result<_, _>>()
                .map_err(|error| error.to_string())
        };
        let game = |seed: i64, bots: &mut Vec<Bot>| -> Result<Played, String> {
            let game = self.spec.start(seed, seats, &Opening::default());
            let mut game = game.map_err(|error| failed(error.to_string()))?;
            play(game.as_mut(), bots, clock, Kept::default()).map_err(|abort| match abort {
                Abort::Busy => {
                    failed("the host is overloaded, so that this cannot be tried out".to_owned())
                }
                abort => failed(abort.to_string()),
            })
        };
        let mut kept = start()?;
        let first = game(1, &mut kept)?;
        if let Some(fate) = first
            .standings
            .iter()
            .map(|standing| standing.fate)
            .find(|fate| *fate != Fate::Ok)
        {
            return Err(failed(format!(
                "its fate in a game against itself was {fate}, so that nobody knows whether it plays on"
            )));
        }
        let resting: Option<Vec<Bot>> = kept
            .into_iter()
            .map(|bot| bot.rest().and_then(Bot::rested))
            .collect();
        let mut kept = resting.ok_or_else(|| {
            failed("it ended with its game, or wrote more than it was asked for".to_owned())
        })?;
        let mut fresh = start()?;
        // Each has another seat than before.
        kept.rotate_left(1);
        fresh.rotate_left(1);
        let answers = [&mut kept, &mut fresh].map(|bots| game(2, bots));
        arena_process::reap_strays();
        let [kept, fresh] = answers;
        let (kept, fresh) = (kept?, fresh?);
        let Some((kept, fresh)) = kept
            .steps
            .iter()
            .zip(&fresh.steps)
            .find(|(kept, fresh)| kept.reply() != fresh.reply())
        else {
            return Ok(());
        };
        let told = |step: &Step| match step.reply() {
            Ok(answer) => format!("{:?}", harmless(answer)),
            Err(fault) => format!("nothing ({fault})"),
        };
        Err(failed(format!(
            "in turn {} of a game it answered {} in a process that played another game before, and {} in a fresh one: what is kept \
             alive must answer by the input of the game alone, not by time, chance or earlier games",
            kept.turn,
            told(kept),
            told(fresh)
        )))
    }

    /// What a bot that ended before its first answer wrote to standard error; `None` if it answers, or takes its time.
    fn end(&self, jail: &Arc<Jail>) -> Result<Option<String>, StartError> {
        let mut bot = Bot::start_in(jail, 1, self.interrupt)?;
        let mut prompt = String::new();
        if let Ok(game) = self
            .spec
            .start(1, self.spec.default_seats(), &Opening::default())
            && let Some(seat) = game.due().iter().next()
        {
            game.prompt(seat, &mut prompt);
        }
        let answer = bot
            .ask(&prompt, 1, PATIENCE, &mut || {})
            .map(|answer| answer.reply.err());
        let has_ended = matches!(answer, Ok(Some(Failure::Crashed)));
        let said = bot.stop().stderr_tail;
        arena_process::reap_strays();
        Ok(has_ended.then_some(said))
    }

    /// What to do about a script for a shell, for which the CR of a line is a part of its last word.
    fn line_ends(&self) -> Option<String> {
        let Launch { name, command, .. } = &self.jail.launch;
        let (shell, words) = command
            .split_first()
            .filter(|(program, _)| program.ends_with("sh"))?;
        let advice = words.iter().find_map(|word| line_ends(Path::new(word)))?;
        Some(format!(
            "bot `{name}` ends before its first answer: {advice}; `{shell}` takes the CR for a part of a word"
        ))
    }

    fn told(&self, relaxed: Relaxed, said: &str) -> String {
        let name = &self.jail.launch.name;
        let begin =
            format!("bot `{name}` ends before its first answer, and works outside the sandbox:");
        let end = arena_process::complaint(said).map_or_else(String::new, |line| {
            format!("\nit said: {}", harmless(&line))
        });
        match (relaxed, self.refused(said)) {
            (Relaxed::All, _) => {
                format!(
                    "{begin} give it more memory with `--memory-mb N`, or play with `--sandbox off` if it needs the network or \
                     what else is refused there{end}"
                )
            }
            (Relaxed::Files, None) => {
                format!(
                    "{begin} add --read DIR with the folder that it reads (in a config, `read = [\"DIR\"]` below its [[bot]]){end}"
                )
            }
            (Relaxed::Files, Some(path)) => {
                let folder = if path.is_dir() {
                    &path
                } else {
                    path.parent().unwrap_or(&path)
                }
                .display();
                format!(
                    "{begin} {} is closed to it there; add --read {folder} (in a config, `read = [\"{folder}\"]` below its [[bot]]){end}",
                    path.display()
                )
            }
        }
    }

    /// The first of the paths in what a bot wrote that is there and closed to it.
    fn refused(&self, said: &str) -> Option<PathBuf> {
        let words = said.split(|c: char| c.is_whitespace() || "'\"`:,()[]<>".contains(c));
        let paths = words
            .filter(|word| word.contains('/'))
            .filter_map(|word| Some(env::current_dir().ok()?.join(word)));
        paths
            .filter(|path| Path::exists(path))
            .find(|path| self.jail.refuses(path))
    }
}
