//! Checks before the first game that bots reach their first answer. A bot that needs a closed file
//! or more memory than the sandbox gives would otherwise lose its games.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arena_games::{GameSpec, Opening};
use arena_process::{Bot, Failure, Interrupt, Launch, Launcher, Relaxed, StartError, line_ends};
use arena_section::text::harmless;

/// Time to wait for a first answer. A bot that can't open a file ends sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bot to probe, and the game.
pub(crate) struct Probe<'a> {
    pub(crate) launcher: &'a Arc<Launcher>,
    pub(crate) spec: &'a GameSpec,
    pub(crate) interrupt: &'a Arc<Interrupt>,
}

impl Probe<'_> {
    /// Returns advice for a bot that ends before its first answer or doesn't start, if it works
    /// without the sandbox; `None` for any other bot.
    pub(crate) fn advice(&self) -> Result<Option<String>, StartError> {
        let first = self.end(self.launcher);
        let said = match &first {
            Ok(None) => return Ok(None),
            Ok(Some(said)) => match self.line_ends() {
                Some(advice) => return Ok(Some(advice)),
                None => said.clone(),
            },
            Err(error) => error.to_string(),
        };
        for relaxed in [Relaxed::Files, Relaxed::All] {
            let Some(launcher) = self.launcher.relaxed(relaxed) else {
                break;
            };
            // Try again to exclude a random failure.
            if matches!(self.end(&launcher), Ok(None))
                && !matches!(self.end(self.launcher), Ok(None))
            {
                return Ok(Some(self.told(relaxed, &said)));
            }
        }
        first.map(|_| None)
    }

    /// Returns the standard error of a bot that ends before its first answer; `None` if it answers
    /// or takes its time.
    fn end(&self, launcher: &Arc<Launcher>) -> Result<Option<String>, StartError> {
        let mut bot = Bot::start_in(launcher, 1, self.interrupt)?;
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
        let said = bot.stop().stderr_tail;
        arena_process::reap_orphans();
        Ok(has_ended.then_some(said))
    }

    /// Returns advice on a shell script with CR at the ends of lines, which a shell takes for parts
    /// of words.
    fn line_ends(&self) -> Option<String> {
        let Launch { name, command, .. } = &self.launcher.launch;
        let (shell, words) = command
            .split_first()
            .filter(|(program, _)| program.ends_with("sh"))?;
        let advice = words.iter().find_map(|word| line_ends(Path::new(word)))?;
        Some(format!(
            "bot `{name}` ends before its first answer: {advice}; `{shell}` takes the CR for a part of a word"
        ))
    }

    fn told(&self, relaxed: Relaxed, said: &str) -> String {
        let name = &self.launcher.launch.name;
        let begin =
            format!("bot `{name}` ends before its first answer, and works outside the sandbox:");
        let end = arena_process::error_line(said).map_or_else(String::new, |line| {
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
            .find(|path| self.launcher.refuses(path))
    }
}
