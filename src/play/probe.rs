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
use arena_section::text::harmless;

/// Time to wait for a first answer. A bot that can't open a file ends sooner.
const PATIENCE: Duration = Duration::from_secs(2);

/// In how many starts a bot has to fail. Some fail at random.
const TRIES: usize = 2;

/// A bot to probe, and the game.
pub(crate) struct Probe<'a> {
    pub(crate) launcher: &'a Arc<Launcher>,
    pub(crate) spec: &'a GameSpec,
    pub(crate) interrupt: &'a Arc<Interrupt>,
}

/// A bot that ends before its first answer in every try.
pub(crate) struct EarlyEnd {
    /// How it ended: the line of its standard error that says most, or its exit status.
    pub(crate) how: String,
    /// What would help, if that is known.
    pub(crate) remedy: Option<String>,
}

impl Probe<'_> {
    /// Starts the bot a few times. Returns `None` if it answers or takes its time in any of them.
    pub(crate) fn early_end(&self) -> Result<Option<EarlyEnd>, StartError> {
        let mut last = None;
        for _ in 0..TRIES {
            last = self.end()?;
            if last.is_none() {
                break;
            }
        }
        Ok(last.map(|exit| EarlyEnd {
            how: harmless(&error_line(&exit.stderr_tail).unwrap_or_else(|| exit.to_string())),
            remedy: self.line_ends().or_else(|| self.open(&exit.stderr_tail)),
        }))
    }

    /// Returns how the bot ended if that was before its first answer.
    fn end(&self) -> Result<Option<Exit>, StartError> {
        let mut bot = Bot::start_in(self.launcher, 1, self.interrupt)?;
        let mut prompt = String::new();
        if let Ok(game) = self
            .spec
            .start(1, self.spec.default_seats(), &Opening::default())
            && let Some(seat) = game.due().iter().next()
        {
            game.prompt(seat, &mut prompt);
        }
        let answer = bot.ask(&prompt, 1, PATIENCE, &mut || {});
        let has_ended = answer.is_ok_and(|answer| answer.reply == Err(Failure::Crashed));
        let exit = bot.stop();
        arena_process::reap_orphans();
        Ok(has_ended
            .then_some(exit)
            .filter(|_| !self.interrupt.is_raised()))
    }

    /// Returns how to open the file that a bot says it could not open.
    fn open(&self, said: &str) -> Option<String> {
        let path = self.refused(said)?;
        let folder = if path.is_dir() {
            &path
        } else {
            path.parent().unwrap_or(&path)
        };
        let folder = folder.display();
        Some(harmless(&format!(
            "the sandbox closes {} to it; add --read {folder} (in a config, `read = [\"{folder}\"]` below its [[bot]])",
            path.display()
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
