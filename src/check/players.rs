//! The players of a check game: the observed bot and its opponents.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::diagnosis::{self, Note, Unanswered};
use super::{BotProblem, GOODBYE, Topic};
use crate::play::{Abort, Answer, Ask, Player, Question, Step};
use arena_games::rng::{SplitMix64, choose};
use arena_games::{Fault, GameSpec, Seat};
use arena_process::{Bot, CpuTime, Output};

/// How many questions of the first game are followed by a wait for extra output and unread input.
const SETTLED: usize = 20;
/// How long to wait for extra output after an answer.
const SETTLE: Duration = Duration::from_millis(50);
/// How long to wait for a bot to read the rest of its input.
const READ_WAIT: Duration = Duration::from_millis(100);
/// The least time to wait for an answer after the limit, to tell a late answer from none.
const LATE_WAIT: Duration = Duration::from_secs(2);

/// A player of a check game.
pub(super) enum CheckPlayer<'a> {
    /// The bot that is checked.
    Observed(&'a mut ObservedBot),
    /// Another process of the same bot.
    Copy(Box<Bot>),
    /// A player that answers with random legal actions.
    Random {
        spec: &'a GameSpec,
        rng: SplitMix64,
        answer: String,
    },
}

/// Returns an answer of random listed actions, a line each. If none are listed, it is the given
/// one: where several lines are wanted, `;` separates them, and they repeat.
pub(super) fn legal_answer(question: &Question, given: &str, rng: &mut SplitMix64) -> String {
    let mut given = given.splitn(question.lines, ';').map(str::trim).cycle();
    let mut lines = Vec::new();
    for _ in 0..question.lines {
        let listed = choose(&question.actions, rng).map(String::as_str);
        lines.extend(listed.or_else(|| given.next()));
    }
    lines.join("\n")
}

/// Wraps an answer that took no time.
pub(super) fn at_once(reply: Result<&str, Fault>) -> Answer<'_> {
    Answer {
        reply,
        elapsed: Duration::ZERO,
        late: false,
    }
}

impl Player for CheckPlayer<'_> {
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        match self {
            CheckPlayer::Observed(bot) => bot.ask(ask, thinks),
            CheckPlayer::Copy(bot) => Player::ask(&mut **bot, ask, thinks),
            CheckPlayer::Random { spec, rng, answer } => {
                *answer = spec.rules.random_action(ask.prompt, rng);
                Ok(at_once(Ok(answer)))
            }
        }
    }
}

/// How long an answer took.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerTime {
    pub(super) elapsed: Duration,
    /// For how much of that the bot's processes ran; `None` if the system doesn't say.
    pub(super) ran: Option<Duration>,
    /// Whether it came after the limit and counts, because other programs had the cores.
    pub(super) late: bool,
}

/// The bot of one game, with everything that the check noticed about it.
pub(super) struct ObservedBot {
    bot: Bot,
    pub(super) seed: i64,
    pub(super) seat: Seat,
    /// Whether to wait for extra output and unread input.
    patient: bool,
    /// All prompts so far.
    inputs: String,
    /// The place of each prompt in `inputs`.
    prompts: Vec<Range<usize>>,
    /// The lines that the last question wanted.
    lines: usize,
    pub(super) answer: String,
    /// The legal answers in its place, if an external referee lists them.
    pub(super) actions: Vec<String>,
    /// The number of prompts up to that of the last answer.
    pub(super) answered: usize,
    /// How long each answer took.
    pub(super) times: Vec<AnswerTime>,
    /// Problems, each with the number of prompts at that time.
    pub(super) notes: Vec<(Note, usize)>,
    /// Whether the bot has failed, or its output no longer belongs to a turn.
    pub(super) lost: bool,
}

impl ObservedBot {
    pub(super) fn new(mut bot: Bot, seed: i64, seat: Seat, patient: bool) -> ObservedBot {
        bot.spared = true;
        ObservedBot {
            bot,
            seed,
            seat,
            patient,
            inputs: String::new(),
            prompts: Vec::new(),
            lines: 1,
            answer: String::new(),
            actions: Vec::new(),
            answered: 0,
            times: Vec::new(),
            notes: Vec::new(),
            lost: false,
        }
    }

    /// The number of bytes of the last prompt.
    fn whole(&self) -> usize {
        self.prompts.last().map_or(0, Range::len)
    }

    /// The prompt of the last answer.
    pub(super) fn answered_input(&self) -> &str {
        let prompt = self.prompts[..self.answered].last().cloned();
        &self.inputs[prompt.unwrap_or_default()]
    }

    pub(super) fn note(&mut self, note: Note) {
        self.notes.push((note, self.prompts.len()));
    }

    /// Looks for unread input, and for output after the answer.
    pub(super) fn look_around(&mut self) -> Result<(), Abort> {
        if self.lost || self.times.is_empty() {
            return Ok(());
        }
        let patient = self.patient && self.times.len() <= SETTLED;
        let wait = if patient { SETTLE } else { Duration::ZERO };
        let heard = self.bot.listen(wait)?;
        let unfinished = self.bot.unfinished();
        let is_known = (self.notes.iter()).any(|(note, _)| note.topic == Topic::ReadsInput);
        if let Some(note) = diagnosis::unasked(&self.answer, self.lines, &heard, unfinished) {
            self.lost = true;
            self.note(note);
        } else if patient && heard == Output::Nothing && !is_known && self.bot.unread() > 0 {
            self.bot.listen(READ_WAIT)?;
            let unread = self.bot.unread();
            if unread > 0 {
                self.note(diagnosis::left_unread(&self.answer, unread, self.whole()));
            }
        }
        Ok(())
    }

    /// Waits for an answer after the limit, and then closes the input.
    fn wait_longer(
        &mut self,
        elapsed: Duration,
        limit: Duration,
        before: Option<CpuTime>,
    ) -> Result<Note, Abort> {
        let unread = self.bot.unread();
        let unfinished = self.bot.unfinished();
        let wait = LATE_WAIT.max(limit);
        let start = Instant::now();
        let mut heard = [self.bot.listen(wait)?, Output::Nothing];
        let mut late = elapsed + start.elapsed();
        let times = self.times_since(before);
        let refund = times.map_or(Duration::ZERO, |CpuTime { ran, waited }| {
            waited.min(late.saturating_sub(ran))
        });
        if matches!(heard[0], Output::Line(_)) && late.saturating_sub(refund) <= limit {
            return Err(Abort::Busy);
        }
        if heard[0] == Output::Nothing {
            late = limit + wait;
            self.bot.close_input();
            heard[1] = self.bot.listen(GOODBYE)?;
        }
        Ok(diagnosis::timeout(&Unanswered {
            first: self.times.is_empty(),
            lines: self.lines,
            limit,
            late,
            ran: times.map(|times| times.ran),
            unread,
            whole: self.whole(),
            unfinished,
            heard,
        }))
    }

    /// Returns the times of its processes since an earlier measurement, if the system tells them.
    fn times_since(&mut self, before: Option<CpuTime>) -> Option<CpuTime> {
        Some(self.bot.cpu_time()?.since(before?))
    }

    /// Closes the bot's input, and notes if it doesn't end.
    pub(super) fn say_goodbye(&mut self) -> Result<(), Abort> {
        self.bot.close_input();
        if !self.bot.ends_within(GOODBYE)? {
            self.note(diagnosis::stays(GOODBYE));
        }
        Ok(())
    }

    /// Completes the notes on a game of these steps.
    pub(super) fn into_problems(self, steps: &[Step]) -> Vec<(Topic, BotProblem)> {
        let exit = self.bot.stop();
        let end = match exit.status {
            Some(_) => exit.to_string(),
            None => "it closed its output and ran on".to_owned(),
        };
        let problem = |(note, asked): (Note, usize)| {
            let last = asked.saturating_sub(1);
            let range = self.prompts.get(last).cloned().unwrap_or_default();
            let mut own = Vec::from_iter(steps);
            own.retain(|step| step.player == self.seat);
            let problem = BotProblem {
                seed: self.seed,
                seat: self.seat,
                turn: own.get(last).map_or(0, |step| step.turn),
                hint: Some(note.hint).filter(|hint| !hint.is_empty()),
                what: note.what,
                ended: note.has_ended.then(|| end.clone()),
                stderr_tail: exit.stderr_tail.clone(),
                input: self.inputs[range.clone()].to_owned(),
                inputs: self.inputs[..range.end].to_owned(),
            };
            (note.topic, problem)
        };
        self.notes.into_iter().map(problem).collect()
    }
}

impl Player for ObservedBot {
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        self.look_around()?;
        if self.lost {
            return Ok(at_once(Err(Fault::Crashed)));
        }
        let question = ask.question;
        let start = self.inputs.len();
        self.inputs.push_str(ask.prompt);
        self.prompts.push(start..self.inputs.len());
        self.lines = question.lines;
        let before = self.bot.cpu_time();
        let answer = Player::ask(&mut self.bot, ask, thinks)?;
        let (elapsed, late) = (answer.elapsed, answer.late);
        let reply = match answer.reply {
            Ok(_) if question.lines == 0 => Ok(""),
            Ok(line) => {
                line.clone_into(&mut self.answer);
                self.actions.clone_from(&question.actions);
                self.answered = self.prompts.len();
                let ran = self.times_since(before).map(|times| times.ran);
                self.times.push(AnswerTime { elapsed, ran, late });
                Ok(self.answer.as_str())
            }
            Err(fault) => {
                self.lost = true;
                let first = self.times.is_empty();
                let note = match fault {
                    Fault::Timeout => self.wait_longer(elapsed, ask.limit, before)?,
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
