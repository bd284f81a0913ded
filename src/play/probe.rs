//! Checks before the first game that bots reach their first answer. A misspelt script, or a bot that
//! needs a file that the sandbox closes, would otherwise lose all its games.
//!
//! A bot is only ever started with the sandbox of its games. Whoever wrote it could otherwise make it
//! fail on purpose, to be started with less.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arena_games::{GameSpec, Opening};
use arena_process::{
    Bot, Exit, Failure, Interrupt, Launch, Launcher, StartError, error_line, line_ends,
};
use arena_section::text::{command_line, harmless, quoted};

use super::Clock;

/// The most time to wait for a first answer. Only a silent bot takes it.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to see whether a bot that answered ends at once.
const PATIENCE_AFTER: Duration = Duration::from_millis(50);

/// In how many starts a bot has to fail. Some fail at random.
const TRIES: usize = 2;

/// A bot to probe, and the game.
pub(crate) struct Probe<'a> {
    pub(crate) launcher: &'a Arc<Launcher>,
    pub(crate) spec: &'a GameSpec,
    pub(crate) clock: Clock,
    pub(crate) interrupt: &'a Arc<Interrupt>,
}

/// A bot that ends at its start in every try.
pub(crate) struct EarlyEnd {
    /// When and how it ended: with the line of its standard error that says most, or its exit status.
    pub(crate) how: String,
    /// What would help, if that is known.
    pub(crate) remedy: Option<String>,
}

impl Probe<'_> {
    /// Starts the bot a few times. Returns `None` if it plays or takes its time in any of them.
    pub(crate) fn early_end(&self) -> Result<Option<EarlyEnd>, StartError> {
        let mut last = None;
        for _ in 0..TRIES {
            last = self.end()?;
            if last.is_none() {
                break;
            }
        }
        Ok(last.map(|(when, exit)| {
            let how = error_line(&exit.stderr_tail).unwrap_or_else(|| exit.to_string());
            EarlyEnd {
                how: format!("{when}: {}", harmless(&how)),
                remedy: self.line_ends().or_else(|| self.open(&exit.stderr_tail)),
            }
        }))
    }

    /// Returns when and how the bot ended if that was at its start.
    fn end(&self) -> Result<Option<(String, Exit)>, StartError> {
        let mut bot = Bot::start_in(self.launcher, 1, self.interrupt)?;
        let mut prompt = String::new();
        if let Ok(game) = self
            .spec
            .start(1, self.spec.default_seats(), &Opening::default())
            && let Some(seat) = game.due().iter().next()
        {
            game.prompt(seat, &mut prompt);
        }
        let Clock {
            startup,
            first_turn,
            ..
        } = self.clock;
        let patience = startup + first_turn.min(Duration::from_secs(1));
        let answer = bot.ask(&prompt, 1, patience.min(PATIENCE), &mut || {});
        let line = match answer.map(|answer| answer.reply.map(str::to_owned)) {
            Ok(Ok(line)) => Some(line),
            Ok(Err(Failure::Crashed | Failure::OutOfMemory)) => None,
            _ => return Ok(None),
        };
        let is_over = line.is_none() || {
            let more = bot.ask("", 1, PATIENCE_AFTER, &mut || {});
            more.is_ok_and(|more| more.reply == Err(Failure::Crashed))
        };
        let exit = bot.stop();
        arena_process::reap_orphans();
        let has_failed = exit.status.is_none_or(|status| !status.success());
        if self.interrupt.is_raised() || !is_over || line.is_some() && !has_failed {
            return Ok(None);
        }
        // Some interpreters print errors where answers belong.
        let when = match line {
            Some(line) => format!("after its first line, {}", quoted(&line)),
            None => "before its first answer".to_owned(),
        };
        Ok(Some((when, exit)))
    }

    /// Returns how to open the file that a bot says it could not open. The bot may say anything, so
    /// its user decides.
    fn open(&self, said: &str) -> Option<String> {
        // A link in the bot's own folder may lead anywhere.
        let path = self.refused(said)?.canonicalize().ok()?;
        let path = path.display().to_string();
        let option = command_line(&["--read".to_owned(), path.clone()]);
        let key = toml::Value::from(path.clone());
        Some(harmless(&format!(
            "the sandbox closes {path} to it; if you trust this bot, add {option} (in a config, `read = [{key}]` below its [[bot]])"
        )))
    }

    /// Returns advice on a shell script with CR at the ends of lines, which a shell takes for parts
    /// of words.
    fn line_ends(&self) -> Option<String> {
        let Launch { command, .. } = &self.launcher.launch;
        let (shell, words) = command
            .split_first()
            .filter(|(program, _)| program.ends_with("sh"))?;
        let advice = words.iter().find_map(|word| line_ends(Path::new(word)))?;
        Some(format!(
            "{advice}; `{shell}` takes the CR for a part of a word"
        ))
    }

    /// Returns the first path in what a bot wrote that exists and that the sandbox closes to it.
    fn refused(&self, said: &str) -> Option<PathBuf> {
        let start = env::current_dir().ok()?;
        let words = said.split(|c: char| c.is_whitespace() || "'\"`:,()[]<>".contains(c));
        words
            .filter(|word| word.contains('/'))
            .map(|word| start.join(word))
            .find(|path| path.exists() && self.launcher.refuses(path))
    }
}
