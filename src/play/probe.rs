//! Asks each program once before games are played, to notice those that don't work. A misspelt
//! script, or a bot that needs a file that the sandbox closes, would otherwise lose all its games.
//!
//! A bot is only ever started with the sandbox of its games. Whoever wrote it could otherwise make
//! it fail on purpose, to be started with less.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arena_games::{Fate, Fault, GameSpec, MAX_SEATS, Opening, Seat};
use arena_process::{
    Bot, Interrupt, Launch, Launcher, Refused, StartError, error_line, line_ends, refused,
};
use arena_section::text::{command_line, harmless, quoted};

use super::bot::fault;
use super::foreign::{self, BrokenReferee, RefereeError, Told};
use super::{Clock, Question, SOFT_MARGIN};

/// The most time to wait for a first answer. Only a silent bot takes it.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// The most time to wait for it once the bot has started.
const TO_THINK: Duration = Duration::from_secs(1);
/// How long to see whether a bot that answered ends at once.
const PATIENCE_AFTER: Duration = Duration::from_millis(50);

/// What bots may do, in short.
const WALLS: &str = "a bot reads its own folder and the system, and writes below HOME and TMPDIR (docs/explanation/sandbox.md)";

/// The first question of a game with seed 1.
pub(crate) struct FirstQuestion<'g> {
    pub(crate) spec: &'g GameSpec,
    seat: Seat,
    prompt: String,
    question: Question,
    /// The title that an external referee gives the game.
    pub(crate) title: Option<String>,
}

/// A referee that doesn't ask its first question.
#[derive(Debug, thiserror::Error)]
#[error("{why}{hint}")]
pub(crate) struct NoQuestion {
    pub(crate) why: String,
    /// A last line, or nothing.
    hint: String,
    /// The number of seats that it starts with, if there is one.
    pub(crate) seats: Option<usize>,
}

/// Starts a game and returns its first question. An external referee has to ask one.
pub(crate) fn first_question(spec: &GameSpec) -> Result<FirstQuestion<'_>, NoQuestion> {
    question(spec, spec.default_seats()).map_err(|error| {
        let mut seats = None;
        // A referee that is broken in another way starts with no number of seats.
        if let Unasked::Broken(broken) = &error
            && let RefereeError::Unstarted(_) = broken.error
        {
            seats = (1..=MAX_SEATS).find(|&seats| question(spec, seats).is_ok());
        }
        let (id, why) = (&spec.id, error.to_string());
        let hint = match seats {
            Some(seats) => format!(
                "\nhint: it starts with {seats}: write `seats = {seats}` in [game.{id}] of a config"
            ),
            None if why.contains("SoloGameManager") => format!(
                "\nhint: it is for one player: write `seats = 1` and `tests = \"config\"`, the folder of its test cases, in [game.{id}] of a config"
            ),
            None => String::new(),
        };
        NoQuestion { why, hint, seats }
    })
}

/// Why there is no first question.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum Unasked {
    Start(#[from] arena_games::StartError),
    Broken(#[from] BrokenReferee),
}

fn question(spec: &GameSpec, seats: usize) -> Result<FirstQuestion<'_>, Unasked> {
    let game = spec.rules.start(1, seats, &Opening::default())?;
    foreign::check(&*game)?;
    let seat = game.due().iter().next().ok_or_else(|| BrokenReferee {
        referee: format!("referee `{}`", spec.id),
        error: RefereeError::Unstarted("it failed: its game ends without a question".to_owned()),
    })?;
    let mut prompt = String::new();
    game.prompt(seat, &mut prompt);
    Ok(FirstQuestion {
        spec,
        seat,
        prompt,
        question: Question::of(&*game).clone(),
        title: Told::of(&*game).and_then(|told| told.title.clone()),
    })
}

/// A bot to ask, and the first question of its game.
pub(crate) struct Probe<'a> {
    pub(crate) launcher: Arc<Launcher>,
    pub(crate) first: &'a FirstQuestion<'a>,
    pub(crate) clock: Clock,
    /// The values to try, in words. With values, the answer must be in time and legal. To check
    /// that may take the whole limit, and a game of an external referee.
    pub(crate) trial: Option<String>,
    pub(crate) interrupt: &'a Arc<Interrupt>,
}

/// A fault of a bot that was asked for its first answer.
pub(crate) struct FirstFault {
    /// Its fate in a game, with its exit status.
    pub(crate) fate: String,
    /// When and how it ended, if it did so by itself: with the line of its standard error that says
    /// most, or its exit status.
    pub(crate) end: Option<String>,
    /// The end of its standard error.
    said: String,
}

impl Probe<'_> {
    /// Starts the bot and asks it. A bot that ends is asked once more: some end at random.
    pub(crate) fn ask(&self) -> Result<Option<FirstFault>, StartError> {
        match self.ask_once()? {
            Some(FirstFault { end: Some(_), .. }) => self.ask_once(),
            found => Ok(found),
        }
    }

    fn ask_once(&self) -> Result<Option<FirstFault>, StartError> {
        let (prompt, question) = (&self.first.prompt, &self.first.question);
        let limit = self.clock.limit(true, question.limit);
        let (lines, limit) = match self.trial {
            Some(_) => (question.lines, limit.saturating_add(SOFT_MARGIN)),
            None => (1, limit.min(self.clock.startup + TO_THINK).min(PATIENCE)),
        };
        let mut bot = Bot::start_in(&self.launcher, 1, self.interrupt)?;
        let (line, fate) = match bot.ask(prompt, lines, limit, &mut |_| {}) {
            Ok(answer) => match answer.reply {
                Ok(line) => (Some(line.to_owned()), Fate::Ok),
                Err(failure) => (None, fault(failure).into()),
            },
            Err(_) => return Ok(None),
        };
        let is_over = match line {
            Some(_) => bot.crashes_within(PATIENCE_AFTER),
            None => matches!(fate, Fate::Crashed | Fate::OutOfMemory),
        };
        let exit = bot.stop();
        arena_process::reap_orphans();
        let has_failed = exit.status.is_none_or(|status| !status.success());
        let (when, fate) = match line {
            // Some interpreters print errors where answers belong.
            Some(line) if is_over && has_failed => (
                Some(format!("after its first line, {}", quoted(&line))),
                Fate::Crashed,
            ),
            Some(line) => (None, self.fate(&line)),
            None => (is_over.then(|| "before its first answer".to_owned()), fate),
        };
        if self.interrupt.is_raised() || fate == Fate::Ok {
            return Ok(None);
        }
        let said = &exit.stderr_tail;
        let how = error_line(said).unwrap_or_else(|| exit.to_string());
        Ok(Some(FirstFault {
            fate: match exit.status {
                Some(_) => format!("{fate}, {exit}"),
                None => fate.to_string(),
            },
            end: when.map(|when| format!("{when}: {}", harmless(&how))),
            said: exit.stderr_tail,
        }))
    }

    /// Returns what would help against a fault, if that is known.
    pub(crate) fn remedy(&self, fault: &FirstFault) -> Option<String> {
        let prompt = &self.first.prompt;
        remedy(&self.launcher, 1, prompt, &fault.said, self.interrupt)
    }

    /// Applies the answer of a bot on trial to the game. Without a seed, that would be another
    /// game.
    fn fate(&self, line: &str) -> Fate {
        let FirstQuestion { spec, seat, .. } = self.first;
        if self.trial.is_none() || !spec.seed_decides {
            return Fate::Ok;
        }
        let Ok(mut game) = spec.start(1, spec.default_seats(), &Opening::default()) else {
            return Fate::Ok;
        };
        let mut replies = [Some(Err(Fault::Timeout)); MAX_SEATS];
        replies[*seat] = Some(Ok(line));
        game.advance(&replies);
        game.standings()[*seat].fate
    }
}

/// Returns what would help a bot that ended by itself after it read `input` and wrote `said` to
/// standard error, if that is known.
pub(crate) fn remedy(
    launcher: &Launcher,
    seed: u64,
    input: &str,
    said: &str,
    interrupt: &Interrupt,
) -> Option<String> {
    line_ends_of(&launcher.launch)
        .or_else(|| refused(launcher, seed, input, said, interrupt).map(advice))
}

/// Returns advice for a refusal of the sandbox. A bot may be hostile, so its user decides what to
/// open.
fn advice(refused: Refused) -> String {
    harmless(&match refused {
        Refused::Read(path) => {
            let path = path.display().to_string();
            let option = command_line(&["--read".to_owned(), path.clone()]);
            let key = toml::Value::from(path.clone());
            format!(
                "the sandbox closes {path} to it; if you trust this bot, add {option} (in a config, `read = [{key}]` below its [[bot]])"
            )
        }
        Refused::Write(path) => format!(
            "the sandbox doesn't let it write to {}: a bot may write only below HOME and TMPDIR, which are new in each game",
            path.display()
        ),
        Refused::Home(path) => format!(
            "HOME is a new folder in the sandbox, so the bot doesn't see ~/{}: name the program itself, as in `target/release/bot` for `cargo run`, or build it first with `build = ..` below its [[bot]] in a config",
            path.display()
        ),
        Refused::Call(purpose) => {
            format!("the sandbox refuses {purpose} (docs/explanation/sandbox.md)")
        }
        Refused::Other => format!("the sandbox refuses what it tried: {WALLS}"),
    })
}

/// Returns advice on a shell script with CR at the ends of lines, which a shell takes for parts of
/// words.
fn line_ends_of(Launch { command, .. }: &Launch) -> Option<String> {
    let (shell, words) = command
        .split_first()
        .filter(|(shell, _)| shell.ends_with("sh"))?;
    let advice = words.iter().find_map(|word| line_ends(Path::new(word)))?;
    Some(format!(
        "{advice}; `{shell}` takes the CR for a part of a word"
    ))
}
