//! The result of a game: a row of `games.csv` without its times.

use sha2::{Digest as _, Sha256};

use crate::play::LONGEST_REASON;
use crate::play::record::{Record, value};
use arena_games::{Fate, Reason};
use arena_stats::StatsError;

/// One play of a game in short.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GameResult {
    /// The number of the game in the run.
    pub(crate) number: u64,
    /// The unit that the game belongs to.
    pub(crate) unit: u64,
    /// The id of the game.
    pub(crate) game: String,
    pub(crate) seed: i64,
    /// The reason for the end.
    pub(crate) reason: String,
    /// Number of turns, opening included.
    pub(crate) turns: u32,
    /// A digest of the opening and all answers, whoever the bots are; `None` if nobody answered.
    pub(crate) moves: Option<u64>,
    /// Whether the lower score is the better one.
    pub(crate) lower_is_better: bool,
    pub(crate) seats: Vec<SeatResult>,
}

/// The result of one seat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeatResult {
    /// The name of the bot.
    pub(crate) bot: String,
    /// The referee's score.
    pub(crate) score: i64,
    /// The place from 1; equal scores share the better place (1-2-2-4).
    pub(crate) place: usize,
    pub(crate) fate: Fate,
}

/// A result with the record that it follows from.
#[derive(Clone, Debug)]
pub(crate) struct StoredGame {
    pub(crate) result: GameResult,
    pub(crate) record: Record,
}

/// Why a result can't be one of a run, or can't be counted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Unfit {
    /// The record lacks a part of the result.
    #[error("{0}")]
    Lacks(String),
    #[error("game {0} is not as planned")]
    NotPlanned(u64),
    #[error("game {0} is stored twice or out of order")]
    Again(u64),
    #[error(transparent)]
    Stats(#[from] StatsError),
}

impl StoredGame {
    /// A record with its result.
    pub(crate) fn new(record: Record) -> Result<StoredGame, Unfit> {
        let result = GameResult::of(&record)?;
        Ok(StoredGame { result, record })
    }
}

impl GameResult {
    /// The result that a record says. The error names what it lacks.
    pub(crate) fn of(record: &Record) -> Result<GameResult, Unfit> {
        let (Some(number), Some(unit)) = (record.number, record.unit) else {
            let why = "expected the record of a game of a run, with its number and unit";
            return Err(Unfit::Lacks(why.to_owned()));
        };
        let mut seats = Vec::new();
        for (seat, bot) in record.bots.iter().enumerate() {
            let (Some(&score), Some(place)) = (record.scores.get(seat), record.place(seat)) else {
                return Err(Unfit::Lacks(format!("expected a score of seat {seat}")));
            };
            seats.push(SeatResult {
                bot: bot.clone(),
                score,
                place,
                fate: record.fate(seat),
            });
        }
        Ok(GameResult {
            number,
            unit,
            game: record.game.clone(),
            seed: record.seed.0,
            reason: reason_of(record)?,
            turns: record.turns(),
            moves: moves_of(record)?,
            lower_is_better: record.lower_is_better,
            seats,
        })
    }

    /// The values that compare bots, by seat: higher is better. The referee ranks a bot that failed
    /// among others. In a game of one seat, it is below all that didn't fail.
    pub(crate) fn values(&self) -> impl Iterator<Item = i128> {
        let is_alone = self.seats.len() == 1;
        self.seats.iter().map(move |seat| {
            if is_alone && seat.fate != Fate::Ok {
                return i128::MIN;
            }
            value(seat.score, self.lower_is_better)
        })
    }
}

/// Returns the reason for the end of a game. Games with an external referee have digests of prompts
/// and may have other reasons than built-in games.
fn reason_of(record: &Record) -> Result<String, Unfit> {
    let is_own = matches!(record.steps.first(), Some(step) if step.hash.is_none());
    let reason = &record.reason;
    let is_short = !reason.is_empty() && reason.chars().count() <= LONGEST_REASON;
    if is_short && (!is_own || reason.parse::<Reason>().is_ok()) {
        return Ok(reason.clone());
    }
    Err(Unfit::Lacks(format!("expected a reason, found `{reason}`")))
}

/// The digest of a game's moves: the first 64 bits of the SHA-256 of `[opening, [[player, output],
/// ..]]` as JSON without blanks. `None` if nobody answered.
fn moves_of(record: &Record) -> Result<Option<u64>, Unfit> {
    let mut answers = Vec::with_capacity(record.steps.len());
    for step in &record.steps {
        answers.push((step.player, &step.output));
    }
    if answers.iter().all(|(_, output)| output.is_none()) {
        return Ok(None);
    }
    let json = serde_json::to_vec(&(&record.options.opening, answers))
        .map_err(|error| Unfit::Lacks(error.to_string()))?;
    let start = Sha256::digest(json).first_chunk().copied();
    Ok(Some(u64::from_be_bytes(start.unwrap_or_default())))
}
