//! The game loop: one game between any players. Live games, replays and verification all use it.

mod bot;
pub(crate) mod foreign;
pub(crate) mod metrics;
mod notes;
pub(crate) mod probe;
pub(crate) mod record;

use std::time::Duration;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use strum::{Display, EnumString, VariantNames};

use self::foreign::{BrokenReferee, ExternalGame};
use self::notes::StderrReader;
use crate::play::metrics::Metrics;
use arena_games::{Drawing, Fault, Game, GameSpec, MAX_SEATS, Reply, Seat, Standing};
use arena_process::{Stderr, hex};

/// The demands of a referee on an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The number of lines in the answer. With 0 the seat only reads.
    pub(crate) lines: usize,
    /// The time limit; `None` to use the limits of the [`GameSpec`].
    pub(crate) limit: Option<Duration>,
    /// The legal answers, if an external referee lists them beside the prompt.
    pub(crate) actions: Vec<String>,
}

impl Question {
    /// Returns the question of a game to its due seats: that of an external referee, or one for a
    /// line.
    pub(crate) fn of(game: &dyn Game) -> &Question {
        static LINE: Question = Question {
            lines: 1,
            limit: None,
            actions: Vec::new(),
        };
        let external = ExternalGame::of(game).and_then(ExternalGame::question);
        external.unwrap_or(&LINE)
    }
}

/// A question to a player.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) question: &'a Question,
    /// How long to wait for the answer.
    pub(crate) limit: Duration,
}

/// A player of one seat: a bot process, the reader of a record, or a test.
pub(crate) trait Player {
    /// Sends the prompt and waits for the lines of the answer. Calls `thinks` if the answer isn't
    /// there immediately, which is the time for work that an instant answer doesn't need, and again
    /// at a random moment. Calls it with `true` if the time is up and other processes took some of
    /// it.
    fn ask(&mut self, ask: Ask<'_>, thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort>;

    /// Takes the kept part of the standard error that came with the last answer.
    fn take_stderr(&mut self) -> Stderr {
        Stderr::default()
    }

    /// Pauses the player until its next question, if possible. If it is paused, counts how long it
    /// ran meanwhile.
    fn pause(&mut self) {}
}

/// What to keep of a game besides answers, times and results.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept {
    /// Every prompt.
    pub(crate) input: bool,
    /// The metrics that bots write to standard error.
    pub(crate) metrics: bool,
    /// The standard error of bots, with every answer.
    pub(crate) stderr: bool,
}

/// How much of the bots' standard error to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum KeptStderr {
    /// The end of it, if the bot fails.
    #[default]
    Fault,
    /// The same, and the part that came with each answer.
    Turn,
}

/// An answer with its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    /// The lines, or the failure.
    pub(crate) reply: Reply<'a>,
    /// The time from sending the prompt to the last full line.
    pub(crate) elapsed: Duration,
    /// Whether it took longer than the limit and is forgiven, because the machine was busy with
    /// something else.
    pub(crate) late: bool,
}

/// A game that failed through no fault of any bot. It has no result.
#[derive(Debug, Serialize, Deserialize, thiserror::Error)]
pub(crate) enum Abort {
    /// The run was interrupted.
    #[error("can't play the game: interrupted")]
    Interrupted,
    /// A bot exceeded its time because the machine was busy with something else.
    #[error("can't play the game: host overloaded")]
    Busy,
    /// The game was known not to count before it began.
    #[error("can't play the game: it does not count")]
    Unwanted,
    /// A bot could not be started or reached, or the referee failed.
    #[error("can't play the game: {0}")]
    Failed(String),
}

impl From<BrokenReferee> for Abort {
    fn from(error: BrokenReferee) -> Abort {
        Abort::Failed(error.to_string())
    }
}

/// The rules for answers after the time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum TimeRules {
    /// A late answer is a timeout.
    #[default]
    Strict,
    /// As in today's `CodinGame` engine: two answers of a seat may be late, by at most
    /// [`SOFT_MARGIN`]. The third late one is a timeout.
    Codingame,
}

/// Maximum delay of a forgiven answer.
pub(crate) const SOFT_MARGIN: Duration = Duration::from_millis(50);

/// Number of late answers of a seat that [`TimeRules::Codingame`] forgives.
const FORGIVEN: u32 = 2;

/// Maximum number of characters of the reason for an end.
pub(crate) const LONGEST_REASON: usize = 64;

/// The number of answers to make room for when a game starts, so that its turns allocate nothing. A
/// longer game reallocates.
const USUAL_ANSWERS: usize = 256;

/// The bytes of a prompt to make room for.
const USUAL_PROMPT: usize = 4 * 1024;

/// The time limits of a game. A limit of zero means that the referee sets one with each question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// Limit for the first answer of a seat.
    #[serde(rename = "first_turn_ms", with = "milliseconds")]
    pub(crate) first_turn: Duration,
    /// Limit for later answers.
    #[serde(rename = "turn_ms", with = "milliseconds")]
    pub(crate) turn: Duration,
    /// Additional time for the first answer: starting an interpreter is not thinking.
    #[serde(rename = "startup_ms", with = "milliseconds")]
    pub(crate) startup: Duration,
    /// The rules for answers after the limit.
    pub(crate) rules: TimeRules,
    /// Whether to pause the other players while one thinks.
    pub(crate) no_ponder: bool,
}

/// Serializes time limits in whole milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(limit: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

/// Default additional time for a bot's first answer.
pub(crate) const DEFAULT_STARTUP: Duration = Duration::from_secs(2);

impl Clock {
    /// Returns the game's own limits, with strict rules.
    pub(crate) fn of(spec: &GameSpec) -> Clock {
        Clock {
            first_turn: spec.first_turn,
            turn: spec.turn,
            ..Clock::default()
        }
    }

    /// Returns the limit of first or later answers, if it is the same for all questions.
    pub(crate) fn fixed(&self, first: bool) -> Option<Duration> {
        let own = if first { self.first_turn } else { self.turn };
        (!own.is_zero()).then(|| self.limit(first, None))
    }

    /// Returns the limit of a first or later answer. `asked` is the referee's limit for this
    /// question.
    pub(crate) fn limit(&self, first: bool, asked: Option<Duration>) -> Duration {
        let own = if first { self.first_turn } else { self.turn };
        let limit = asked.filter(|_| own.is_zero()).unwrap_or(own);
        let startup = if first { self.startup } else { Duration::ZERO };
        limit.saturating_add(startup)
    }
}

/// The output of an external referee for viewers, before a question or at the end of the game.
/// Other games show nothing, because arena can replay them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Shown {
    /// The position. It is boxed because most answers have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) frame: Option<Box<Drawing>>,
    /// Lines of text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Shown {
    /// Returns true if nothing was shown.
    pub(crate) fn is_empty(&self) -> bool {
        self.frame.is_none() && self.notes.is_empty()
    }
}

/// One answer of a game, as in records. There are very many, so a step is small: 128 bytes are
/// copied without a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    /// The game's turn number, from 1.
    pub(crate) turn: u32,
    /// The seat that was asked.
    pub(crate) player: Seat,
    /// The prompt, if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<String>,
    /// The digest of the prompt in a game with an external referee, see [`digest`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<Box<str>>,
    /// The display of such a referee before it asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shown: Option<Box<Shown>>,
    /// The answer, whose lines are separated by LF; `None` for a fault. Most are short.
    pub(crate) output: Option<CompactString>,
    /// The fault, if any; `timeout` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<Fault>,
    /// The bot's metrics, if they are kept.
    #[serde(default, skip_serializing_if = "Metrics::is_empty")]
    pub(crate) metrics: Metrics,
    /// The bot's standard error with this answer, if it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stderr: Option<Box<str>>,
}

impl Step {
    /// Whether the seat was sent nothing and gave no answer, as an external referee may ask a seat
    /// that is out of the game.
    pub(crate) fn is_idle(&self) -> bool {
        self.output.as_deref() == Some("") && self.hash == Some(digest(""))
    }

    /// Returns the answer or the fault.
    pub(crate) fn reply(&self) -> Reply<'_> {
        let fault = self.fault.unwrap_or(Fault::Timeout);
        self.output.as_deref().ok_or(fault)
    }

    /// Returns the position that a referee showed before it asked.
    pub(crate) fn frame(&self) -> Option<&Drawing> {
        self.shown.as_ref()?.frame.as_deref()
    }
}

/// A complete game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Played {
    /// Turns played before the first question, see [`arena_games::Opening`].
    pub(crate) opening: Vec<String>,
    /// Every question and answer, in order.
    pub(crate) steps: Vec<Step>,
    /// Milliseconds of each step.
    pub(crate) ms: Vec<f64>,
    /// Indices in `steps` of forgiven answers, see [`Answer::late`].
    pub(crate) host_late: Vec<usize>,
    /// The result of each seat.
    pub(crate) standings: Vec<Standing>,
    /// The reason for the end, such as the name of an [`arena_games::Reason`].
    pub(crate) reason: String,
    /// The last display of an external referee.
    pub(crate) shown: Shown,
    /// Number of turns, opening included.
    pub(crate) turns: u32,
}

impl Played {
    /// Returns the scores by seat.
    pub(crate) fn scores(&self) -> Vec<i64> {
        self.standings.iter().map(|own| own.score).collect()
    }
}

/// Plays `game` to its end. It asks due seats one after another, as the original engine does.
pub(crate) fn play<P: Player>(
    game: &mut dyn Game,
    players: &mut [P],
    clock: Clock,
    kept: Kept,
) -> Result<Played, Abort> {
    watch(game, players, clock, kept, |_| {})
}

/// Plays `game` like [`play`], and calls `look` before its first turn and after each turn.
pub(crate) fn watch<P: Player>(
    game: &mut dyn Game,
    players: &mut [P],
    clock: Clock,
    kept: Kept,
    mut look: impl FnMut(&dyn Game),
) -> Result<Played, Abort> {
    look(game);
    let mut played = Played {
        opening: game.opening().to_vec(),
        steps: Vec::with_capacity(USUAL_ANSWERS),
        ms: Vec::with_capacity(USUAL_ANSWERS),
        ..Played::default()
    };
    let mut prompt = String::with_capacity(USUAL_PROMPT);
    let mut seats = <[SeatHistory; MAX_SEATS]>::default();
    foreign::check(game)?;
    while !game.due().is_empty() {
        let turn = game.turn();
        let first_of_turn = played.steps.len();
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            let question = Question::of(game);
            let answer = ask(players, seat, &prompt, question, clock, &mut seats[seat])?;
            let output = answer.reply.ok().map(CompactString::from);
            let fault = answer.reply.err();
            let (hash, shown) = match ExternalGame::of_mut(game) {
                Some(game) => (Some(digest(&prompt)), game.answered(answer.elapsed)),
                None => (None, None),
            };
            played.ms.push(milliseconds(answer.elapsed));
            if answer.late {
                played.host_late.push(played.steps.len());
            }
            let (metrics, stderr) = seats[seat].stderr.take(&mut players[seat], kept);
            played.steps.push(Step {
                turn,
                player: seat,
                input: kept.input.then(|| prompt.clone()),
                hash,
                shown,
                output,
                fault,
                metrics,
                stderr,
            });
        }
        game.advance(&replies(&played.steps[first_of_turn..]));
        foreign::check(game)?;
        look(game);
    }
    finish(game, &mut played)?;
    Ok(played)
}

/// Adds how a game ended.
fn finish(game: &mut dyn Game, played: &mut Played) -> Result<(), Abort> {
    let Some(reason) = game.reason() else {
        let why = "the referee ended the game without a reason";
        return Err(Abort::Failed(why.into()));
    };
    reason.clone_into(&mut played.reason);
    played.standings = game.standings().to_vec();
    played.turns = game.turn();
    if let Some(game) = ExternalGame::of_mut(game) {
        played.shown = game.shown();
    }
    Ok(())
}

/// Returns the answers of a turn by seat.
fn replies(steps: &[Step]) -> [Option<Reply<'_>>; MAX_SEATS] {
    let mut replies = [None; MAX_SEATS];
    for step in steps {
        replies[step.player] = Some(step.reply());
    }
    replies
}

/// Returns the digest of a prompt: the first 64 bits of its SHA-256 in hexadecimal.
pub(crate) fn digest(prompt: &str) -> Box<str> {
    hex(&Sha256::digest(prompt)[..8]).into()
}

/// Converts a duration to milliseconds, to the microsecond.
fn milliseconds(duration: Duration) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a turn is far shorter than 2^52 microseconds"
    )]
    let micros = duration.as_micros() as f64;
    micros / 1000.0
}

/// What a seat did so far.
#[derive(Default)]
struct SeatHistory {
    /// Whether it was asked for an answer.
    before: bool,
    /// Number of forgiven late answers.
    forgiven: u32,
    stderr: StderrReader,
}

fn ask<'p, P: Player>(
    players: &'p mut [P],
    seat: Seat,
    prompt: &str,
    question: &Question,
    clock: Clock,
    asked: &mut SeatHistory,
) -> Result<Answer<'p>, Abort> {
    let (lower, rest) = players.split_at_mut(seat);
    let Some((player, higher)) = rest.split_first_mut() else {
        return Err(Abort::Failed(format!("seat {seat} is empty")));
    };
    let limit = clock.limit(!asked.before, question.limit);
    // A bot that only reads may still be starting.
    asked.before |= question.lines > 0;
    let forgives = clock.rules == TimeRules::Codingame && asked.forgiven < FORGIVEN;
    let waits = if forgives { limit + SOFT_MARGIN } else { limit };
    let ask = Ask {
        prompt,
        question,
        limit: waits,
    };
    // Pondering must not slow down the player to move.
    let answer = player.ask(ask, &mut |is_delayed| {
        if is_delayed || clock.no_ponder {
            lower.iter_mut().chain(&mut *higher).for_each(Player::pause);
        }
    })?;
    asked.forgiven += u32::from(question.lines > 0 && answer.elapsed > limit);
    Ok(answer)
}

#[cfg(test)]
mod tests;
