//! A recorded game as data: what its story says, and what JSON has.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cli::failure::{self, InputError};
use crate::cli::output::is_json;
use crate::play::foreign::said_about;
use crate::play::record::{Record, RecordBattle, Seed};
use crate::play::{Played, Step};
use crate::report::replays::{ListedGame, Playback, Position};
use arena_games::{Fate, Fault, Picture, Seat, Setting};
use arena_section::text::harmless;

/// The most turns to show if none are asked for. In games of Kutulu, they have up to 160 kB.
const MOST_TURNS: u32 = 20;

/// A recorded game.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct ShownGame<'a> {
    #[serde(flatten)]
    pub(super) listed: ListedGame,
    /// The seed of the game, as text from 2^53 on.
    #[schemars(with = "Value")]
    pub(super) seed: Seed,
    /// The number of its unit in the run; null if the record has none.
    pub(super) unit: Option<u64>,
    /// The battle of the site that it is; null if it isn't imported.
    pub(super) battle: Option<&'a RecordBattle>,
    /// The actions that were played before the bots began.
    pub(super) opening: &'a [String],
    /// The first turn that the bots of `--against` played; null without `--from`.
    pub(super) played_from: Option<u32>,
    /// The first and the last turn of `steps`; null if there is none.
    pub(super) turns_shown: Option<[u32; 2]>,
    /// What never changes during the game, such as the map of Kutulu, as report.html stores it.
    #[schemars(with = "Value")]
    pub(super) setting: &'a Setting,
    /// Board after the turn, or before the first of these turns; null if another bot answers after
    /// it in the same turn.
    pub(super) board: Board<'a>,
    /// The answers of these turns, in order.
    pub(super) steps: Vec<ShownStep<'a>>,
    /// How bots failed, in the whole game.
    pub(super) faults: Vec<ShownFault<'a>>,
    /// The names of the seats, as text shows them.
    #[serde(skip)]
    pub(super) names: Vec<String>,
}

/// A position.
#[derive(Serialize, JsonSchema)]
pub(super) struct Board<'a> {
    /// Remarks on the runs, or of a referee on the turn before.
    pub(super) notes: &'a [String],
    /// The position in lines of text; empty if the referee shows none.
    pub(super) lines: Vec<String>,
    /// The position as data, as report.html stores it.
    #[schemars(with = "Value")]
    pub(super) picture: &'a Picture,
}

/// An answer of a bot.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownStep<'a> {
    /// Turn of the game, from 1.
    pub(super) turn: u32,
    /// Seat, from 0.
    pub(super) seat: Seat,
    /// Name of the bot.
    pub(super) bot: Option<&'a str>,
    /// What the seat was sent; null if only the external referee knows: `--as-input` asks it.
    pub(super) input: Option<&'a str>,
    /// Answer of the bot; null if there was none.
    pub(super) output: Option<&'a str>,
    /// Why there was no answer; null if there was one.
    pub(super) fault: Option<Fault>,
    /// What it wrote to standard error, or the end of that; null if it isn't recorded.
    pub(super) stderr: Option<&'a str>,
    /// Milliseconds until the answer; null if they aren't recorded.
    pub(super) ms: Option<f64>,
    /// Whether the answer came late and counted, because the machine was busy.
    pub(super) host_late: bool,
    /// Board after the turn, or before the first of these turns; null if another bot answers after
    /// it in the same turn.
    pub(super) board: Option<Board<'a>>,
}

/// How a bot failed.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownFault<'a> {
    /// Seat, from 0.
    pub(super) seat: Seat,
    /// How the bot failed.
    pub(super) fate: Fate,
    /// How the process of the bot ended; null if it didn't end by itself.
    pub(super) ended: Option<&'a str>,
    /// What an external referee said about its illegal answer; null if it said nothing.
    pub(super) objection: Option<String>,
    /// The beginning of a line without an end; null if there was none.
    pub(super) unfinished: Option<&'a str>,
    /// What it wrote to standard error, or the end of that; null if it isn't recorded.
    pub(super) stderr: Option<&'a str>,
}

impl<'a> ShownGame<'a> {
    /// Without a range of turns, has all of them, and for JSON the last ones.
    pub(super) fn new(
        mut listed: ListedGame,
        record: &'a Record,
        playback: &'a Playback,
        asked: Option<&RangeInclusive<u32>>,
    ) -> failure::Result<ShownGame<'a>> {
        let standings = &playback.played.standings;
        listed.fates = standings.iter().map(|standing| standing.fate).collect();
        let names: Vec<String> = (0..standings.len())
            .map(|seat| name(&record.bots, seat))
            .collect();
        let wanted = match asked {
            Some(turns) => turns.clone(),
            None if is_json() => listed.turns.saturating_sub(MOST_TURNS - 1)..=u32::MAX,
            None => 0..=u32::MAX,
        };
        let (mut before, mut steps) = (None, Vec::new());
        for ((start, turn, after), position) in playback.turns().zip(&playback.positions) {
            if !wanted.contains(&turn[0].turn) {
                continue;
            }
            before.get_or_insert(position);
            for (at, step) in (start..).zip(turn) {
                steps.push(ShownStep::new(record, at, step));
            }
            if let Some(last) = steps.last_mut() {
                last.board = Some(Board::new(after, &names));
            }
        }
        if asked.is_some() && before.is_none() {
            let first = record.steps.first().map_or(0, |step| step.turn);
            return Err(InputError::NoTurns(first, listed.turns).into());
        }
        let ends = steps.first().zip(steps.last());
        Ok(ShownGame {
            listed,
            seed: record.seed,
            unit: record.unit,
            battle: record.battle.as_deref(),
            opening: &playback.played.opening,
            played_from: None,
            turns_shown: ends.map(|(first, last)| [first.turn, last.turn]),
            setting: &playback.setting,
            board: Board::new(before.unwrap_or(&playback.positions[0]), &names),
            steps,
            faults: ShownFault::all(record),
            names,
        })
    }
}

impl<'a> Board<'a> {
    fn new(position: &'a Position, names: &[String]) -> Board<'a> {
        let text = position.frame.text(names);
        Board {
            notes: &position.notes,
            lines: text.lines().map(str::to_owned).collect(),
            picture: &position.frame.picture,
        }
    }
}

impl<'a> ShownStep<'a> {
    /// A step of a replay, beside the recorded one at this index.
    fn new(record: &'a Record, at: usize, step: &'a Step) -> ShownStep<'a> {
        let recorded = record.steps.get(at);
        ShownStep {
            turn: step.turn,
            seat: step.player,
            bot: record.bots.get(step.player).map(String::as_str),
            input: sent(recorded.unwrap_or(step), step),
            output: step.reply().ok(),
            fault: step.reply().err(),
            stderr: recorded.and_then(|recorded| recorded.stderr.as_deref()),
            ms: record.ms.get(at).copied(),
            host_late: record.host_late.contains(&at),
            board: None,
        }
    }
}

impl<'a> ShownFault<'a> {
    fn all(record: &'a Record) -> Vec<ShownFault<'a>> {
        let mut faults = Vec::new();
        for fault in &record.faults {
            let seat = fault.player;
            let fate = record.fate(seat);
            let objection = match fate {
                Fate::InvalidAction => said_about(&record.steps, &record.shown, seat, &record.bots),
                _ => None,
            };
            faults.push(ShownFault {
                seat,
                fate,
                ended: fault.exit.as_deref(),
                objection,
                unfinished: fault.unfinished.as_deref(),
                stderr: Some(&*fault.stderr).filter(|stderr| !stderr.is_empty()),
            });
        }
        faults
    }
}

/// Returns what a seat was sent. Prompts of the record win over those of the replay, which differ
/// if the original lists actions in another order.
fn sent<'s>(recorded: &'s Step, step: &'s Step) -> Option<&'s str> {
    recorded.input.as_deref().or(step.input.as_deref())
}

/// Returns the input of a seat, if it is known.
pub(super) fn inputs(record: &Record, played: &Played, seat: Seat) -> Option<String> {
    let mut inputs = String::new();
    for (recorded, step) in record.steps.iter().zip(&played.steps) {
        if recorded.player == seat {
            inputs += sent(recorded, step)?;
        }
    }
    Some(inputs)
}

/// The name of a seat.
pub(super) fn name(bots: &[String], seat: Seat) -> String {
    match bots.get(seat) {
        Some(name) => harmless(name),
        None => format!("seat {seat}"),
    }
}
