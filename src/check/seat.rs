//! Who sits at the table: the bot, looked at closely, and players that answer at random.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::diagnosis::{self, Note, Unanswered};
use super::{Finding, GOODBYE, Terms, Topic};
use crate::play::{Abort, Answer, Clock, Player};
use crate::process::{Bot, Exit, Heard};
use arena_games::rng::SplitMix64;
use arena_games::{Fault, GameSpec, Seat};

/// After so many questions of a game the bot is no longer waited for in search of what it may have written or left unread.
const SETTLED: usize = 20;
/// How long it is waited for: it has answered, and whatever belongs to that follows at once.
const SETTLE: Duration = Duration::from_millis(50);
/// What is not read after this is left unread.
const READ_WAIT: Duration = Duration::from_millis(100);
/// How long an answer is waited for after the limit: at least this, to tell late from never.
const LATE_WAIT: Duration = Duration::from_secs(2);

/// Somebody at the table.
pub(super) enum Sitter<'a> {
    Bot(&'a mut Closer),
    Random(RandomPlayer),
}

impl Sitter<'_> {
    pub(super) fn random(spec: &Arc<GameSpec>, rng: SplitMix64) -> Self {
        Sitter::Random(RandomPlayer { spec: spec.clone(), rng, line: String::new() })
    }
}

impl Player for Sitter<'_> {
    fn ask(&mut self, prompt: &str, limit: Duration, thinks: &mut dyn FnMut()) -> Result<Answer<'_>, Abort> {
        match self {
            Sitter::Bot(closer) => closer.ask(prompt, limit, thinks),
            Sitter::Random(player) => player.ask(prompt, limit, thinks),
        }
    }
}

/// Answers with random legal actions.
pub(super) struct RandomPlayer {
    spec: Arc<GameSpec>,
    rng: SplitMix64,
    line: String,
}

impl Player for RandomPlayer {
    fn ask(&mut self, prompt: &str, _limit: Duration, _thinks: &mut dyn FnMut()) -> Result<Answer<'_>, Abort> {
        self.line = self.spec.rules.random_action(prompt, &mut self.rng);
        Ok(Answer { reply: Ok(&self.line), elapsed: Duration::ZERO, late: false })
    }
}

/// The bot of one game, and everything that is noticed about it.
pub(super) struct Closer {
    bot: Bot,
    clock: Clock,
    /// Whether this is the game in which time is taken to look around.
    patient: bool,
    /// All prompts so far, one after the other, and where each of them stands.
    inputs: String,
    prompts: Vec<Range<usize>>,
    answer: String,
    /// How long each answer took.
    pub(super) times: Vec<Duration>,
    /// What is wrong, and the number of prompts at that time.
    pub(super) notes: Vec<(Note, usize)>,
    /// The bot has failed, or what it writes can no longer be told apart by turns.
    pub(super) lost: bool,
}

impl Closer {
    pub(super) fn new(mut bot: Bot, terms: &Terms, patient: bool) -> Closer {
        bot.spare();
        Closer {
            bot,
            clock: terms.clock,
            patient,
            inputs: String::new(),
            prompts: Vec::new(),
            answer: String::new(),
            times: Vec::new(),
            notes: Vec::new(),
            lost: false,
        }
    }

    /// The last prompt.
    pub(super) fn input(&self) -> &str {
        self.prompts.last().map_or("", |range| &self.inputs[range.clone()])
    }

    /// The prompt before the last.
    pub(super) fn previous_input(&self) -> &str {
        self.prompts.iter().rev().nth(1).map_or("", |range| &self.inputs[range.clone()])
    }

    pub(super) fn last_answer(&self) -> &str {
        &self.answer
    }

    pub(super) fn note(&mut self, note: Note) {
        self.notes.push((note, self.prompts.len()));
    }

    /// Looks for what the bot left unread of its prompt, and for what it wrote beside its answer.
    pub(super) fn look_around(&mut self) -> Result<(), Abort> {
        if self.lost || self.times.is_empty() {
            return Ok(());
        }
        let patient = self.patient && self.times.len() <= SETTLED;
        let heard = self.bot.listen(if patient { SETTLE } else { Duration::ZERO })?;
        if let Some(note) = diagnosis::unasked(&self.answer, &heard, self.bot.unfinished()) {
            self.lost = true;
            self.note(note);
        } else if patient
            && heard == Heard::Nothing
            && !self.notes.iter().any(|(note, _)| note.topic == Topic::ReadsInput)
        {
            self.look_at_input()?;
        }
        Ok(())
    }

    fn look_at_input(&mut self) -> Result<(), Abort> {
        if self.bot.unread() > 0 {
            self.bot.listen(READ_WAIT)?;
        }
        let unread = self.bot.unread();
        if unread > 0 {
            let whole = self.input().len();
            self.note(diagnosis::left_unread(&self.answer, unread, whole));
        }
        Ok(())
    }

    /// Finds out why there is no answer.
    fn look_into(&mut self, fault: Fault, elapsed: Duration, limit: Duration) -> Result<(), Abort> {
        let first = self.prompts.len() == 1;
        let note = match fault {
            Fault::Timeout => {
                let unread = self.bot.unread();
                let unfinished = self.bot.unfinished();
                let wait = LATE_WAIT.max(limit);
                let (before, after) = self.wait_longer(wait)?;
                let startup = if first { self.clock.startup } else { Duration::ZERO };
                let whole = self.input().len();
                let late = if before.0 == Heard::Nothing { limit + wait } else { elapsed + before.1 };
                let heard = [before.0, after];
                diagnosis::timeout(Unanswered { first, limit, startup, late, unread, whole, unfinished, heard })
            }
            Fault::Crashed | Fault::OutOfMemory => diagnosis::ended(first, fault, self.bot.unfinished()),
            Fault::TooLong => diagnosis::too_long(self.bot.unfinished()),
        };
        self.note(note);
        Ok(())
    }

    /// What comes after the limit, and when, and what comes once the input is closed.
    fn wait_longer(&mut self, wait: Duration) -> Result<((Heard, Duration), Heard), Abort> {
        let start = Instant::now();
        let before = self.bot.listen(wait)?;
        let waited = start.elapsed();
        if before != Heard::Nothing {
            return Ok(((before, waited), Heard::Nothing));
        }
        self.bot.hang_up();
        Ok(((before, waited), self.bot.listen(GOODBYE)?))
    }

    /// Ends the bot's input, and sees whether it ends as well.
    pub(super) fn say_goodbye(&mut self) -> Result<(), Abort> {
        self.bot.hang_up();
        if !self.bot.ends_within(GOODBYE)? {
            self.note(diagnosis::stays(GOODBYE));
        }
        Ok(())
    }

    /// The notes in full. `turns` are the numbers of the turns in which the bot was asked.
    pub(super) fn into_findings(self, seed: i64, seat: Seat, turns: &[u32]) -> Vec<(Topic, Finding)> {
        let Closer { bot, inputs, prompts, notes, .. } = self;
        let exit: Exit = bot.stop();
        let finding = |(note, asked): (Note, usize)| {
            let last = asked.saturating_sub(1);
            let range = prompts.get(last).cloned().unwrap_or_default();
            let end = || exit.status.map_or_else(|| "it closed its output and ran on".to_owned(), |_| exit.to_string());
            let finding = Finding {
                seed,
                seat,
                turn: turns.get(last).copied().unwrap_or(0),
                what: note.what,
                hint: note.hint,
                exit: note.tells_of_the_end.then(end),
                stderr_tail: exit.stderr_tail.clone(),
                input: inputs[range.clone()].to_owned(),
                inputs: inputs[..range.end].to_owned(),
            };
            (note.topic, finding)
        };
        notes.into_iter().map(finding).collect()
    }
}

impl Player for Closer {
    fn ask(&mut self, prompt: &str, limit: Duration, thinks: &mut dyn FnMut()) -> Result<Answer<'_>, Abort> {
        let gone = Answer { reply: Err(Fault::Crashed), elapsed: Duration::ZERO, late: false };
        self.look_around()?;
        if self.lost {
            return Ok(gone);
        }
        let start = self.inputs.len();
        self.inputs.push_str(prompt);
        self.prompts.push(start..self.inputs.len());
        let Answer { reply, elapsed, late } = self.bot.ask(prompt, limit, thinks)?;
        match reply.map(|line| line.clone_into(&mut self.answer)) {
            Ok(()) => {
                self.times.push(elapsed);
                Ok(Answer { reply: Ok(&self.answer), elapsed, late })
            }
            Err(fault) => {
                self.lost = true;
                self.look_into(fault, elapsed, limit)?;
                Ok(Answer { reply: Err(fault), elapsed, late })
            }
        }
    }
}
