//! One game as a line of JSON: enough to play it again and prove it.
//!
//! A record is the stored form of [`Played`]. To verify a record, arena plays its game again with
//! players that read their lines from it: in the same loop and with the same referee as a live
//! game.

pub(crate) mod bots;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::play::foreign::ExternalGame;
use crate::play::metrics::place;
use crate::play::{self, Abort, Answer, Ask, Clock, Kept, Played, Player, Shown, Step};
use arena_games::{
    Fate, Game, GameSpec, Listing, Opening, OptionError, Options, Reply, Seat, Standing,
};

/// One game. Reading ignores unknown keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The number of the game in its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
    /// The unit of the game in its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<u64>,
    /// The id of the game.
    pub(crate) game: String,
    /// The seed of the game.
    pub(crate) seed: Seed,
    /// The options of the game, besides the seed.
    #[serde(default)]
    pub(crate) options: RecordOptions,
    /// The names of the bots, by seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) bots: Vec<String>,
    /// Every answer, in order.
    pub(crate) steps: Vec<Step>,
    /// The final scores, by seat.
    pub(crate) scores: Vec<i64>,
    /// Whether the lower score is the better one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lower_is_better: bool,
    /// The reason for the end, see [`arena_games::Reason`].
    pub(crate) reason: String,
    /// The last display of an external referee.
    #[serde(default, skip_serializing_if = "Shown::is_empty")]
    pub(crate) shown: Shown,
    /// Details of seats whose fate isn't `ok`. They come late in the line, because they may differ
    /// from run to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<RecordFault>,
    /// Milliseconds of each step. They come late in the line, because they differ from run to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ms: Vec<f64>,
    /// Indices in `steps` of answers that counted although they came after the limit, because the
    /// machine was slow. They differ as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) host_late: Vec<usize>,
    /// The battle of the site that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) battle: Option<Box<RecordBattle>>,
    /// The worker of another machine that played it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) worker: Option<String>,
}

/// The options of a recorded game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordOptions {
    /// Actions played before the bots started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) opening: Vec<String>,
    /// The game's own options.
    #[serde(flatten)]
    pub(crate) game: Options,
}

/// What the site says of a battle and isn't part of the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RecordBattle {
    /// Its number on the site, `gameId`; null if unknown.
    #[serde(default)]
    pub(crate) id: Option<String>,
    /// The players by seat.
    #[serde(default)]
    pub(crate) agents: Vec<RecordAgent>,
}

/// A player on the site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RecordAgent {
    /// The number of the submission, `agentId`; null if unknown.
    #[serde(default)]
    pub(crate) id: Option<i64>,
    /// The score on the ladder; null if unknown.
    #[serde(default)]
    pub(crate) score: Option<f64>,
}

/// Details of a bot that failed. A seat counts as failed if it has an entry; the rest is for
/// people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordFault {
    /// Its seat.
    pub(crate) player: Seat,
    /// How its process ended, if it ended by itself, for instance `exit code 101`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<String>,
    /// The beginning of an unfinished line, at most 160 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unfinished: Option<String>,
    /// The last 4 KiB of its standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) stderr: String,
}

/// A seed. It is stored as a number if every reader of JSON keeps it exactly (below 2^53), else as
/// a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct Seed(pub i64);

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.unsigned_abs() >> 53 {
            0 => serializer.serialize_i64(self.0),
            _ => serializer.collect_str(&self.0),
        }
    }
}

impl TryFrom<Value> for Seed {
    type Error = &'static str;

    fn try_from(written: Value) -> Result<Seed, &'static str> {
        let number = written.as_i64();
        number
            .or_else(|| written.as_str()?.parse().ok())
            .map(Seed)
            .ok_or("expected a 64-bit signed integer, as a number or a string")
    }
}

impl Record {
    /// Makes the record of a game, without the details of faults.
    pub(crate) fn new(spec: &GameSpec, seed: i64, played: Played) -> Record {
        let fault = |player| RecordFault {
            player,
            ..RecordFault::default()
        };
        let seats = 0..played.standings.len();
        Record {
            game: spec.id.clone(),
            seed: Seed(seed),
            scores: played.scores(),
            options: RecordOptions {
                opening: played.opening,
                game: spec.rules.options(),
            },
            steps: played.steps,
            lower_is_better: spec.lower_is_better,
            reason: played.reason,
            shown: played.shown,
            faults: seats
                .filter(|seat| played.standings[*seat].fate != Fate::Ok)
                .map(fault)
                .collect(),
            ms: played.ms,
            host_late: played.host_late,
            ..Record::default()
        }
    }

    /// Returns the number of turns, opening included.
    pub(crate) fn turns(&self) -> u32 {
        match self.steps.last() {
            Some(step) => step.turn,
            None => u32::try_from(self.options.opening.len()).unwrap_or(u32::MAX),
        }
    }

    /// Returns the milliseconds of each answer of a seat.
    pub(crate) fn times(&self, seat: Seat) -> impl Iterator<Item = f64> {
        self.steps
            .iter()
            .zip(&self.ms)
            .filter(move |(step, _)| step.player == seat)
            .map(|(_, &ms)| ms)
    }

    /// Returns the bots' metrics by turn, seat and name. The last value of a turn counts.
    pub(crate) fn metrics(&self) -> BTreeMap<(u32, Seat, &str), f64> {
        let mut placed = BTreeMap::new();
        for step in &self.steps {
            for (key, value) in &step.metrics {
                let (turn, name) = place(key, step.turn);
                placed.insert((turn, step.player, name), *value);
            }
        }
        placed
    }

    /// Returns the place of a seat from 1; equal scores share the better place (1-2-2-4). `None` if
    /// there is no such seat.
    pub(crate) fn place(&self, seat: Seat) -> Option<usize> {
        let own = value(*self.scores.get(seat)?, self.lower_is_better);
        let is_better = |score: &&i64| value(**score, self.lower_is_better) > own;
        Some(1 + self.scores.iter().filter(is_better).count())
    }

    /// Returns the fate of a seat. A seat fails with its last answer, which is missing or no valid
    /// action.
    pub(crate) fn fate(&self, seat: Seat) -> Fate {
        let last = self.steps.iter().rfind(|step| step.player == seat);
        match last.map(Step::reply) {
            Some(Err(fault)) => fault.into(),
            _ if self.faults.iter().any(|fault| fault.player == seat) => Fate::InvalidAction,
            _ => Fate::Ok,
        }
    }
}

/// Returns a number that is higher for the better score.
pub(crate) fn value(score: i64, lower_is_better: bool) -> i128 {
    if lower_is_better {
        -i128::from(score)
    } else {
        score.into()
    }
}

/// A difference between a record and its replay. The text names the turn and the seat if possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Mismatch(pub(crate) String);

impl From<Abort> for Mismatch {
    fn from(abort: Abort) -> Mismatch {
        match abort {
            Abort::Failed(why) => Mismatch(why),
            other => Mismatch(other.to_string()),
        }
    }
}

impl From<OptionError> for Mismatch {
    fn from(error: OptionError) -> Mismatch {
        Mismatch(match error {
            OptionError::Unusable { .. } | OptionError::Changed(_) => error.to_string(),
            other => format!("the recorded options do not fit: {other}"),
        })
    }
}

/// Plays the recorded game again and compares all recorded inputs, seats, turns, scores and the
/// reason. `spec` is its game with its options.
pub(crate) fn verify(record: &Record, spec: &GameSpec) -> Result<(), Mismatch> {
    let is_foreign = record.steps.iter().any(|step| step.hash.is_some());
    if is_foreign && !spec.seed_decides {
        let why = "its referee takes no seed, so that the game cannot be played again";
        return Err(Mismatch(why.to_owned()));
    }
    let played = replay(record, spec, false)?;
    let reasons = [&record.reason, &played.reason].map(|reason| format!("{reason:?}"));
    let scores = [&record.scores, &played.scores()].map(|scores| format!("{scores:?}"));
    for (what, [expected, got]) in [("reason", reasons), ("scores", scores)] {
        if expected != got {
            let after = after(record.steps.last());
            return Err(Mismatch(format!(
                "the result: {what}: expected {expected} (as recorded), got {got} from the referee{after}"
            )));
        }
    }
    // In built-in games the fates follow from the reason.
    if is_foreign {
        for (seat, Standing { fate, .. }) in played.standings.iter().enumerate() {
            let recorded = record.fate(seat);
            if recorded != *fate {
                return Err(Mismatch(format!(
                    "the result: seat {seat}: expected {recorded} (as recorded), got {fate}"
                )));
            }
        }
    }
    Ok(())
}

/// Plays the recorded game again and compares all steps. With `trace` it keeps every prompt.
pub(crate) fn replay(record: &Record, spec: &GameSpec, trace: bool) -> Result<Played, Mismatch> {
    watch(record, spec, trace, |_| {})
}

/// Replays like [`replay`], and calls `look` before the first turn and after each turn.
pub(crate) fn watch(
    record: &Record,
    spec: &GameSpec,
    trace: bool,
    look: impl FnMut(&dyn Game),
) -> Result<Played, Mismatch> {
    let kept = Kept {
        input: trace,
        ..Kept::default()
    };
    let played = play_again(record, spec, Clock::of(spec), kept, look, Ok)?;
    check_course(record, &played)?;
    Ok(played)
}

/// Plays the recorded game again. `make` turns the reader of each seat's answers into its player.
fn play_again<'r, P: Player>(
    record: &'r Record,
    spec: &GameSpec,
    clock: Clock,
    kept: Kept,
    look: impl FnMut(&dyn Game),
    make: impl FnMut(ScriptPlayer<'r>) -> Result<P, Abort>,
) -> Result<Played, Abort> {
    let (least, most) = (*spec.seats.start(), *spec.seats.end());
    let seats = record.scores.len().clamp(least, most);
    let opening = Opening::Moves(record.options.opening.clone());
    let mut game = spec
        .start(record.seed.0, seats, &opening)
        .map_err(|error| Abort::Failed(format!("the recorded options do not fit: {error}")))?;
    let script = Rc::new(Script {
        record,
        listing: spec.listing,
        is_foreign: ExternalGame::of(&*game).is_some(),
        next: Cell::new(0),
    });
    let readers = (0..seats).map(|seat| ScriptPlayer {
        script: Rc::clone(&script),
        seat,
    });
    let mut players: Vec<P> = readers.map(make).collect::<Result<_, Abort>>()?;
    play::watch(game.as_mut(), &mut players, clock, kept, look)
}

/// Compares the turns of a game that was played again.
fn check_course(record: &Record, played: &Played) -> Result<(), Mismatch> {
    for (at, step) in record.steps.iter().enumerate() {
        let (expected, Played { reason, turns, .. }) = (step.turn, played);
        let detail = match played.steps.get(at).map(|live| live.turn) {
            Some(got) if got == expected => continue,
            Some(got) => format!("the turn: expected {expected} (as recorded), got {got}"),
            None => format!("recorded after the end: the game is over ({reason} in turn {turns})"),
        };
        return Err(mismatch_at(&record.steps, at, &detail));
    }
    Ok(())
}

/// Plays again while the machine is busy with something else, 20 times at most.
fn retry_while_busy<T>(mut play: impl FnMut() -> Result<T, Abort>) -> Result<T, Mismatch> {
    for _ in 1..20 {
        match play() {
            Err(Abort::Busy) => {}
            played => return Ok(played?),
        }
    }
    Ok(play()?)
}

/// Makes the error that a step differs. It names the previous step, too, because a wrong action
/// would be there.
fn mismatch_at(steps: &[Step], at: usize, detail: &str) -> Mismatch {
    let Step { turn, player, .. } = &steps[at];
    let after = after(steps[..at].last());
    Mismatch(format!("turn {turn}, seat {player}: {detail}{after}"))
}

fn after(step: Option<&Step>) -> String {
    step.map_or_else(String::new, |step| format!(" (after {})", describe(step)))
}

fn describe(step: &Step) -> String {
    let reply = match step.reply() {
        Ok(line) => format!("{line:?}"),
        Err(fault) => fault.to_string(),
    };
    format!("turn {}, seat {}: {reply}", step.turn, step.player)
}

/// The steps of a record while its players read them.
struct Script<'a> {
    record: &'a Record,
    listing: Listing,
    /// Whether steps have digests of prompts.
    is_foreign: bool,
    next: Cell<usize>,
}

impl<'a> Script<'a> {
    /// Returns the time of the next answer to the microsecond. Some referees use it.
    fn elapsed(&self) -> Duration {
        let ms = self.record.ms.get(self.next.get()).unwrap_or(&0.0);
        let exact = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
        let micros = (exact.as_nanos() + 500) / 1000;
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    fn answer(&self, seat: Seat, prompt: &str, lines: usize) -> Result<Reply<'a>, Abort> {
        let (at, steps) = (self.next.get(), &self.record.steps);
        let Some(step) = steps.get(at) else {
            let last = steps.last().map(describe);
            let last = last.unwrap_or_else(|| "no step at all".to_owned());
            return Err(Abort::Failed(format!(
                "the record ends before the game: seat {seat} is to answer (after {last})"
            )));
        };
        let has_lines = |answer: &str| match answer {
            "" => lines <= 1,
            _ => answer.split('\n').count() == lines,
        };
        let detail = if step.player != seat {
            let player = step.player;
            format!("seat {seat} is to answer, but the record has seat {player}")
        } else if let Some(input) = &step.input
            && let Some(difference) = difference(input, prompt, self.listing)
        {
            difference
        } else if step.hash != self.is_foreign.then(|| play::digest(prompt)) {
            "the input: it has another digest than the one recorded".to_owned()
        } else if !step.output.as_deref().is_none_or(has_lines) {
            format!("the answer: expected {lines} lines")
        } else {
            self.next.set(at + 1);
            return Ok(step.reply());
        };
        Err(Abort::Failed(mismatch_at(steps, at, &detail).0))
    }
}

/// A player that reads its lines from a script.
struct ScriptPlayer<'r> {
    script: Rc<Script<'r>>,
    seat: Seat,
}

impl<'r> ScriptPlayer<'r> {
    /// Returns the next recorded step.
    fn step(&self) -> Option<&'r Step> {
        self.script.record.steps.get(self.script.next.get())
    }
}

impl Player for ScriptPlayer<'_> {
    fn ask(&mut self, ask: Ask<'_>, _thinks: &mut dyn FnMut(bool)) -> Result<Answer<'_>, Abort> {
        let (script, lines) = (&self.script, ask.question.lines);
        Ok(Answer {
            elapsed: script.elapsed(),
            reply: script.answer(self.seat, ask.prompt, lines)?,
            late: false,
        })
    }
}

/// Describes the first difference of two prompts, if there is one.
fn difference(expected: &str, got: &str, listing: Listing) -> Option<String> {
    if expected == got {
        return None;
    }
    let [mut want, mut have] =
        [expected, got].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let mut sorted = "";
    if listing == Listing::Unordered {
        sort_actions(&mut want);
        sort_actions(&mut have);
        sorted = ", the actions sorted";
    }
    let length = want.len().max(have.len());
    let at = (0..length).find(|&line| want.get(line) != have.get(line))?;
    let [want, have] = [want, have].map(|lines| match lines.get(at) {
        Some(line) => format!("{line:?}"),
        None => "no line".to_owned(),
    });
    let number = at + 1;
    Some(format!(
        "input line {number}{sorted}: expected {want} (as recorded), got {have} from the referee"
    ))
}

/// Sorts the list of actions at the end, whose length is in the line before it.
fn sort_actions(lines: &mut [&str]) {
    for start in (0..lines.len()).rev() {
        if lines[start].trim_end().parse() == Ok(lines.len() - start - 1) {
            lines[start + 1..].sort_unstable();
            return;
        }
    }
}

#[cfg(test)]
mod tests;
