//! The players of a check game: the bot, looked at closely, and players that answer at random.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::diagnosis::{self, Note, Unanswered};
use super::{Check, Finding, GOODBYE, Topic};
use crate::play::{Abort, Answer, Clock, Player};
use arena_games::rng::{SplitMix64, choose};
use arena_games::{Fault, Question, Seat};
use arena_process::{Bot, CpuTime, Output};

/// After so many questions of a game the bot is no longer waited for in search of what it may have written or left unread.
const SETTLED: usize = 20;
/// How long it is waited for: it has answered, and whatever belongs to that follows at once.
const SETTLE: Duration = Duration::from_millis(50);
/// What is not read after this is left unread.
const READ_WAIT: Duration = Duration::from_millis(100);
/// How long an answer is waited for after the limit: at least this, to tell late from never.
const LATE_WAIT: Duration = Duration::from_secs(2);

/// A player of a check game.
pub(super) enum CheckPlayer<'a> {
    /// The bot.
    Observed(&'a mut ObservedBot),
    /// One that answers with random legal actions, in a game of the arena itself.
    Random {
        check: &'a Check,
        rng: SplitMix64,
        answer: String,
    },
    /// The same where the referee is a program of its own: if that does not list the legal actions, only a copy of the bot
    /// knows some.
    Stranger(Box<Stranger<'a>>),
}

/// A player in a game whose referee is a program of its own.
pub(super) struct Stranger<'a> {
    check: &'a Check,
    seed: u64,
    rng: SplitMix64,
    answer: String,
    copy: Option<Bot>,
    /// What a copy would have read before its first answer.
    unread: String,
}

impl<'a> Stranger<'a> {
    pub(super) fn new(check: &'a Check, seed: u64, rng: SplitMix64) -> Stranger<'a> {
        Stranger {
            check,
            seed,
            rng,
            answer: String::new(),
            copy: None,
            unread: String::new(),
        }
    }

    fn ask(
        &mut self,
        prompt: &str,
        question: &Question,
        limit: Duration,
        thinks: &mut dyn FnMut(),
    ) -> Result<Answer<'_>, Abort> {
        self.unread.push_str(prompt);
        let knows_answer = question.lines == 0 || !question.actions.is_empty();
        if self.copy.is_none() && knows_answer {
            if question.lines > 0 {
                self.unread.clear();
            }
            self.answer = legal_answer(question, &[], &mut self.rng);
            return Ok(at_once(Ok(&self.answer)));
        }
        let copy = match self.copy.take() {
            Some(copy) => copy,
            None => Bot::start_in(&self.check.launcher, self.seed, &self.check.interrupt)
                .map_err(|error| Abort::Failed(error.to_string()))?,
        };
        let copy = self.copy.insert(copy);
        let unread = std::mem::take(&mut self.unread);
        Player::ask(copy, &unread, question, limit, thinks)
    }
}

/// An answer that is legal, as far as that is known: each line is one of the listed actions, drawn at random, or else the next
/// of the given lines.
pub(super) fn legal_answer(question: &Question, given: &[String], rng: &mut SplitMix64) -> String {
    let mut given = given.iter().cycle();
    let mut lines = Vec::new();
    for _ in 0..question.lines {
        let line = choose(&question.actions, rng).or(given.next());
        lines.push(line.map_or("", String::as_str));
    }
    lines.join("\n")
}

/// An answer that took no time.
pub(super) fn at_once(reply: Result<&str, Fault>) -> Answer<'_> {
    Answer {
        reply,
        elapsed: Duration::ZERO,
        late: false,
    }
}

impl Player for CheckPlayer<'_> {
    fn ask(
        &mut self,
        prompt: &str,
        question: &Question,
        limit: Duration,
        thinks: &mut dyn FnMut(),
    ) -> Result<Answer<'_>, Abort> {
        match self {
            CheckPlayer::Observed(bot) => bot.ask(prompt, question, limit, thinks),
            CheckPlayer::Stranger(stranger) => stranger.ask(prompt, question, limit, thinks),
            CheckPlayer::Random { check, rng, answer } => {
                *answer = check.spec.rules.random_action(prompt, rng);
                Ok(at_once(Ok(answer)))
            }
        }
    }
}

/// The bot of one game, and everything that is noticed about it.
pub(super) struct ObservedBot {
    bot: Bot,
    clock: Clock,
    pub(super) seed: i64,
    pub(super) seat: Seat,
    /// Whether this is the game in which time is taken to look around.
    patient: bool,
    /// All prompts so far, one after the other, and where each of them stands.
    inputs: String,
    prompts: Vec<Range<usize>>,
    pub(super) answer: String,
    /// The lines of the last answer.
    lines: usize,
    /// The legal answers to the last question and to the one before, where a referee lists them that is a program of its own.
    pub(super) actions: [Vec<String>; 2],
    /// How long each answer took, and how much of that its processes ran.
    pub(super) times: Vec<[Duration; 2]>,
    /// What is wrong, and the number of prompts at that time.
    pub(super) notes: Vec<(Note, usize)>,
    /// The bot has failed, or what it writes can no longer be told apart by turns.
    pub(super) lost: bool,
}

impl ObservedBot {
    pub(super) fn new(
        mut bot: Bot,
        clock: Clock,
        seed: i64,
        seat: Seat,
        patient: bool,
    ) -> ObservedBot {
        bot.spared = true;
        ObservedBot {
            bot,
            clock,
            seed,
            seat,
            patient,
            inputs: String::new(),
            prompts: Vec::new(),
            answer: String::new(),
            lines: 1,
            actions: [Vec::new(), Vec::new()],
            times: Vec::new(),
            notes: Vec::new(),
            lost: false,
        }
    }

    /// The last prompt but so many.
    pub(super) fn input(&self, back: usize) -> &str {
        let range = self.prompts.iter().rev().nth(back);
        range.map_or("", |range| &self.inputs[range.clone()])
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
        let wait = if patient { SETTLE } else { Duration::ZERO };
        let heard = self.bot.listen(wait)?;
        let unfinished = self.bot.unfinished();
        if let Some(note) = diagnosis::unasked(&self.answer, self.lines, &heard, unfinished) {
            self.lost = true;
            self.note(note);
            return Ok(());
        }
        let mut notes = self.notes.iter();
        let is_known = notes.any(|(note, _)| note.topic == Topic::ReadsInput);
        if !patient || heard != Output::Nothing || is_known || self.bot.unread() == 0 {
            return Ok(());
        }
        self.bot.listen(READ_WAIT)?;
        let unread = self.bot.unread();
        if unread > 0 {
            let whole = self.input(0).len();
            self.note(diagnosis::left_unread(&self.answer, unread, whole));
        }
        Ok(())
    }

    /// Sees what comes after the limit, and what once the input is closed.
    fn wait_longer(
        &mut self,
        lines: usize,
        elapsed: Duration,
        limit: Duration,
        before: CpuTime,
    ) -> Result<Note, Abort> {
        let first = self.times.is_empty();
        let unread = self.bot.unread();
        let unfinished = self.bot.unfinished();
        let wait = LATE_WAIT.max(limit);
        let start = Instant::now();
        let mut heard = [self.bot.listen(wait)?, Output::Nothing];
        let mut late = elapsed + start.elapsed();
        let CpuTime { ran, waited } = self.bot.cpu_time().since(before);
        if matches!(heard[0], Output::Line(_))
            && late.saturating_sub(waited.min(late.saturating_sub(ran))) <= limit
        {
            return Err(Abort::Busy);
        }
        if heard[0] == Output::Nothing {
            late = limit + wait;
            self.bot.close_input();
            heard[1] = self.bot.listen(GOODBYE)?;
        }
        let startup = if first {
            self.clock.startup
        } else {
            Duration::ZERO
        };
        let whole = self.input(0).len();
        Ok(diagnosis::timeout(&Unanswered {
            first,
            lines,
            limit,
            startup,
            late,
            ran,
            unread,
            whole,
            unfinished,
            heard,
        }))
    }

    /// Ends the bot's input, and sees whether it ends as well.
    pub(super) fn say_goodbye(&mut self) -> Result<(), Abort> {
        self.bot.close_input();
        if !self.bot.ends_within(GOODBYE)? {
            self.note(diagnosis::stays(GOODBYE));
        }
        Ok(())
    }

    /// The notes in full. `turns` are the numbers of the turns in which the bot was asked.
    pub(super) fn into_findings(self, turns: &[u32]) -> Vec<(Topic, Finding)> {
        let ObservedBot {
            bot,
            seed,
            seat,
            inputs,
            prompts,
            notes,
            ..
        } = self;
        let exit = bot.stop();
        let end = match exit.status {
            Some(_) => exit.to_string(),
            None => "it closed its output and ran on".to_owned(),
        };
        let mut findings = Vec::new();
        for (note, asked) in notes {
            let last = asked.saturating_sub(1);
            let range = prompts.get(last).cloned().unwrap_or_default();
            let finding = Finding {
                seed,
                seat,
                turn: turns.get(last).copied().unwrap_or(0),
                hint: note.hint_after(&exit),
                what: note.what,
                exit: note.tells_of_the_end.then(|| end.clone()),
                stderr_tail: exit.stderr_tail.clone(),
                input: inputs[range.clone()].to_owned(),
                inputs: inputs[..range.end].to_owned(),
            };
            findings.push((note.topic, finding));
        }
        findings
    }
}

impl Player for ObservedBot {
    fn ask(
        &mut self,
        prompt: &str,
        question: &Question,
        limit: Duration,
        thinks: &mut dyn FnMut(),
    ) -> Result<Answer<'_>, Abort> {
        self.look_around()?;
        if self.lost {
            return Ok(at_once(Err(Fault::Crashed)));
        }
        let start = self.inputs.len();
        self.inputs.push_str(prompt);
        self.prompts.push(start..self.inputs.len());
        let [last, _] = std::mem::take(&mut self.actions);
        self.actions = [question.actions.clone(), last];
        let before = self.bot.cpu_time();
        let Answer {
            reply,
            elapsed,
            late,
        } = Player::ask(&mut self.bot, prompt, question, limit, thinks)?;
        let reply = match reply.map(|line| line.clone_into(&mut self.answer)) {
            Ok(()) => {
                self.lines = question.lines;
                if question.lines > 0 {
                    let ran = self.bot.cpu_time().since(before).ran;
                    self.times.push([elapsed, ran]);
                }
                Ok(self.answer.as_str())
            }
            Err(fault) => {
                self.lost = true;
                let first = self.times.is_empty();
                let note = match fault {
                    Fault::Timeout => self.wait_longer(question.lines, elapsed, limit, before)?,
                    Fault::Crashed | Fault::OutOfMemory => {
                        diagnosis::ended(first, fault, self.bot.unfinished())
                    }
                    Fault::TooLong => diagnosis::too_long(question.lines, self.bot.unfinished()),
                };
                self.note(note);
                Err(fault)
            }
        };
        Ok(Answer {
            reply,
            elapsed,
            late,
        })
    }
}
