//! One game, any players: the only game loop. Live games, replays and verification all run through it.

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

use self::notes::Notes;
use crate::play::metrics::Metrics;
use arena_games::{
    Drawing, Fault, Game, GameSpec, MAX_SEATS, Question, Reply, Seat, Shown, Standing,
};
use arena_process::Stderr;

/// Somebody who answers for one seat: a bot process, a record that is read back, a test.
pub(crate) trait Player {
    /// Hands over `prompt` and waits for as many lines as the question wants, at most for `limit`. Calls `thinks` if the answer
    /// is not there at once: this is the time for whatever need not be done for an instant answer. Calls it again when the time
    /// is up and others have taken some of it.
    fn ask(
        &mut self,
        prompt: &str,
        question: &Question,
        limit: Duration,
        thinks: &mut dyn FnMut(),
    ) -> Result<Answer<'_>, Abort>;

    /// Takes what came on standard error with the answer that was just given, as far as it is kept.
    fn take_stderr(&mut self) -> Stderr {
        Stderr::default()
    }

    /// Keeps the player from thinking until it is asked again, where it can be.
    fn pause(&mut self) {}
}

/// What is kept of a game besides answers, times and results.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept {
    /// Every prompt.
    pub(crate) input: bool,
    /// The metrics that bots write to standard error.
    pub(crate) metrics: bool,
    /// What bots write to standard error, with every answer.
    pub(crate) stderr: bool,
}

/// What is kept of what bots write to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum KeptStderr {
    /// The end of it, of a bot that fails.
    #[default]
    Fault,
    /// Extras that, what came with every answer.
    Turn,
}

/// What a player answered, and how long it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    /// The lines, or why they are not there.
    pub(crate) reply: Reply<'a>,
    /// The time from handing over the prompt to the last full line.
    pub(crate) elapsed: Duration,
    /// Whether that was more than the limit, which is forgiven because the machine was busy with something else.
    pub(crate) late: bool,
}

/// The game could not be played, through no fault of any bot. It has no result.
#[derive(Debug, Serialize, Deserialize, thiserror::Error)]
pub(crate) enum Abort {
    /// The run was told to stop at once.
    #[error("play the game: interrupted")]
    Interrupted,
    /// A bot ran out of time on a machine that was busy with something else.
    #[error("play the game: host overloaded")]
    Busy,
    /// It was known before it began that it would not count.
    #[error("play the game: it does not count")]
    Unwanted,
    /// A bot could not be started or talked to, or the referee failed.
    #[error("play the game: {0}")]
    Failed(String),
}

/// What happens to an answer after the time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum TimeRules {
    /// It is a time-out.
    #[default]
    Strict,
    /// As in today's `CodinGame` engine: two answers of a seat may be late, by [`SOFT_MARGIN`] at most. The third late one
    /// is a time-out.
    Codingame,
}

/// How late an answer may be where the rules forgive a few.
pub(crate) const SOFT_MARGIN: Duration = Duration::from_millis(50);

/// The late answers of a seat that [`TimeRules::Codingame`] forgives.
const FORGIVEN: u32 = 2;

/// The most characters of the reason for an end.
pub(crate) const LONGEST_REASON: usize = 64;

/// The time limits of a game, and what goes with them. A limit of zero is the one that the referee gives with its question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// For a seat's own first answer.
    #[serde(rename = "first_turn_ms", with = "milliseconds")]
    pub(crate) first_turn: Duration,
    /// For every later answer.
    #[serde(rename = "turn_ms", with = "milliseconds")]
    pub(crate) turn: Duration,
    /// Added to the first answer only: an interpreter's own start is not thinking.
    #[serde(rename = "startup_ms", with = "milliseconds")]
    pub(crate) startup: Duration,
    /// What happens to an answer after the limit.
    pub(crate) rules: TimeRules,
    /// Whether the other players are paused while one thinks.
    pub(crate) no_ponder: bool,
}

/// Time limits are written in whole milliseconds.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        limit: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

/// What is added to a bot's first answer unless somebody says otherwise.
pub(crate) const DEFAULT_STARTUP: Duration = Duration::from_secs(2);

impl Clock {
    /// The limits that the game itself sets, kept strictly.
    pub(crate) fn of(spec: &GameSpec) -> Clock {
        Clock {
            first_turn: spec.first_turn,
            turn: spec.turn,
            ..Clock::default()
        }
    }

    /// The limit of first answers, or of later ones, where it is the same for all.
    pub(crate) fn fixed(&self, first: bool) -> Option<Duration> {
        let own = if first { self.first_turn } else { self.turn };
        (!own.is_zero()).then(|| self.limit(first, None))
    }

    /// How long a seat may take for its first answer, or for a later one; `asked` is what the referee says.
    pub(crate) fn limit(&self, first: bool, asked: Option<Duration>) -> Duration {
        let (own, startup) = if first {
            (self.first_turn, self.startup)
        } else {
            (self.turn, Duration::ZERO)
        };
        let limit = asked.filter(|_| own.is_zero()).unwrap_or(own);
        limit.saturating_add(startup)
    }
}

/// One answer of a game, as records hold it. There are very many, so a step is small: 128 bytes are copied without a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    /// The game's turn number, from 1.
    pub(crate) turn: u32,
    /// The seat that was asked.
    pub(crate) player: Seat,
    /// The exact prompt, where it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<String>,
    /// The digest of the prompt, see [`digest`]; of a game whose referee is a program of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<Box<str>>,
    /// What such a referee showed before it asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shown: Option<Box<Shown>>,
    /// The line that came back, or several with an LF between them; `None` for a fault. Most are short.
    pub(crate) output: Option<CompactString>,
    /// The fault, where there was one; missing means `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<Fault>,
    /// What a bot told of itself, where metrics are kept.
    #[serde(default, skip_serializing_if = "Metrics::is_empty")]
    pub(crate) metrics: Metrics,
    /// What the bot wrote to standard error by this answer, where that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stderr: Option<Box<str>>,
}

impl Step {
    /// The line that came back, or why none did.
    pub(crate) fn reply(&self) -> Reply<'_> {
        let fault = self.fault.unwrap_or(Fault::Timeout);
        self.output.as_deref().ok_or(fault)
    }

    /// Returns the position that a referee showed before it asked.
    pub(crate) fn frame(&self) -> Option<&Drawing> {
        self.shown.as_ref()?.frame.as_deref()
    }
}

/// A game that was played to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Played {
    /// The turns played before the first question, see [`arena_games::Opening`].
    pub(crate) opening: Vec<String>,
    /// Every question and answer, in order.
    pub(crate) steps: Vec<Step>,
    /// Milliseconds each step took.
    pub(crate) ms: Vec<f64>,
    /// The places in the list of steps, from 0, of answers that were forgiven, see [`Answer::late`].
    pub(crate) host_late: Vec<usize>,
    /// One per seat.
    pub(crate) standings: Vec<Standing>,
    /// Why the game ended, for instance the name of an [`arena_games::Reason`].
    pub(crate) reason: String,
    /// What a referee that is a program of its own showed at the end.
    pub(crate) shown: Shown,
    /// The number of turns of the game, opening included.
    pub(crate) turns: u32,
}

/// Plays `game` to its end. Due seats are asked one after another, as the original engine does.
pub(crate) fn play<P: Player>(
    game: &mut dyn Game,
    players: &mut [P],
    clock: Clock,
    kept: Kept,
) -> Result<Played, Abort> {
    watch(game, players, clock, kept, |_| {})
}

/// [`play`], with a look at the game before its first turn and after every one.
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
        ..Played::default()
    };
    let mut prompt = String::new();
    let mut seats = [Asked::default(); MAX_SEATS];
    let mut notes = <[Notes; MAX_SEATS]>::default();
    unbroken(game)?;
    while !game.due().is_empty() {
        let turn = game.turn();
        let first_of_turn = played.steps.len();
        for seat in game.due().iter() {
            prompt.clear();
            game.prompt(seat, &mut prompt);
            let question = game.question(seat);
            let answer = ask(players, seat, &prompt, &question, clock, &mut seats[seat])?;
            let (output, fault) = (
                answer.reply.ok().map(CompactString::from),
                answer.reply.err(),
            );
            game.took(seat, answer.elapsed);
            played.ms.push(milliseconds(answer.elapsed));
            if answer.late {
                played.host_late.push(played.steps.len());
            }
            let (metrics, stderr) = notes[seat].take(&mut players[seat], kept);
            let shown = game.shown();
            played.steps.push(Step {
                turn,
                player: seat,
                input: kept.input.then(|| prompt.clone()),
                hash: game.is_foreign().then(|| digest(&prompt)),
                shown: (!shown.is_empty()).then(|| Box::new(shown)),
                output,
                fault,
                metrics,
                stderr,
            });
        }
        game.advance(&replies(&played.steps[first_of_turn..]));
        unbroken(game)?;
        look(game);
    }
    let Some(reason) = game.reason() else {
        let why = "the referee ended the game without a reason";
        return Err(Abort::Failed(why.into()));
    };
    Ok(Played {
        reason: reason.to_owned(),
        standings: game.standings().to_vec(),
        shown: game.shown(),
        turns: game.turn(),
        ..played
    })
}

/// The answers of a turn, by seat.
fn replies(steps: &[Step]) -> [Option<Reply<'_>>; MAX_SEATS] {
    let mut replies = [None; MAX_SEATS];
    for step in steps {
        replies[step.player] = Some(step.reply());
    }
    replies
}

/// Whether the game can go on.
fn unbroken(game: &dyn Game) -> Result<(), Abort> {
    game.broken().map_or(Ok(()), |why| Err(Abort::Failed(why)))
}

/// What tells a prompt from any other: the first 64 bits of its SHA-256, in hexadecimal.
pub(crate) fn digest(prompt: &str) -> Box<str> {
    let digest: [u8; 32] = Sha256::digest(prompt).into();
    let first = digest
        .first_chunk()
        .map_or(0, |first| u64::from_be_bytes(*first));
    format!("{first:016x}").into()
}

/// A duration in milliseconds, to the microsecond.
fn milliseconds(duration: Duration) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a turn is far shorter than 2^52 microseconds"
    )]
    let micros = duration.as_micros() as f64;
    micros / 1000.0
}

/// What a seat has been asked so far.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    before: bool,
    /// Late answers that were forgiven.
    forgiven: u32,
}

fn ask<'p, P: Player>(
    players: &'p mut [P],
    seat: Seat,
    prompt: &str,
    question: &Question,
    clock: Clock,
    asked: &mut Asked,
) -> Result<Answer<'p>, Abort> {
    let (lower, rest) = players.split_at_mut(seat);
    let Some((player, higher)) = rest.split_first_mut() else {
        return Err(Abort::Failed(format!("nobody sits in seat {seat}")));
    };
    let limit = clock.limit(!asked.before, question.limit);
    // Who only reads may still be starting.
    asked.before |= question.lines > 0;
    let forgives = clock.rules == TimeRules::Codingame && asked.forgiven < FORGIVEN;
    let waits = if forgives { limit + SOFT_MARGIN } else { limit };
    // Who ponders may not do so at the expense of who is to move.
    let mut pauses = clock.no_ponder;
    let answer = player.ask(prompt, question, waits, &mut || {
        if pauses {
            lower.iter_mut().chain(&mut *higher).for_each(Player::pause);
        }
        pauses = true;
    })?;
    asked.forgiven += u32::from(question.lines > 0 && answer.elapsed > limit);
    Ok(answer)
}

#[cfg(test)]
mod tests;
