//! `arena replay`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};

use super::{Failure, ReplayArgs};
use crate::play::{Played, Step};
use crate::record::{Record, RecordFault};
use crate::report::harmless;
use crate::report::replays::Playback;
use crate::store;
use crate::store::StoredGames;
use arena_games::{Games, Seat};

pub(super) fn replay(args: &ReplayArgs, games: &Games) -> Result<u8, Failure> {
    let record = find(&args.run, args.game).map_err(Failure::input)?;
    let shown = shown(args, &record, games);
    let place = || format!("replay game {} of {}", args.game, args.run.display());
    super::print(shown.with_context(place).map_err(Failure::input)?)
}

fn shown(args: &ReplayArgs, record: &Record, games: &Games) -> anyhow::Result<String> {
    let spec = StoredGames::new(games).of(record)?;
    let playback = Playback::of(record, &spec)?;
    match args.as_input {
        Some(seat) => inputs(record, &playback.played, seat),
        None => Ok(story(args.game, record, &playback, args.moves)),
    }
}

/// The record of a game.
fn find(run: &Path, number: u64) -> anyhow::Result<Record> {
    let path = store::named_file(run, store::RECORDS)?;
    // Quick where it is there. If it is not, all records are read to tell what is.
    if let Ok(Some(record)) = store::pick_records(&path, &BTreeSet::from([number])).map(|mut found| found.pop()) {
        return Ok(record);
    }
    let mut numbers = Vec::new();
    let mut broken = None;
    for (place, entry) in (0..).zip(store::read_records(&path)?) {
        match entry {
            Ok((_, record)) => {
                let found = record.number.unwrap_or(place);
                if found == number {
                    return Ok(record);
                }
                numbers.push(found);
            }
            // It may be another game's, and a run that goes on has not written its last line yet.
            Err(error) => broken = broken.or(Some(error)),
        }
    }
    let holds = match (numbers.iter().min(), numbers.iter().max()) {
        (Some(first), Some(last)) => format!("{} games, of the numbers {first} to {last}", numbers.len()),
        _ => "no game".to_owned(),
    };
    let missing = format!("find game {number} in {}, which holds {holds}", path.display());
    Err(broken.map_or_else(|| anyhow!("{missing}"), |error| anyhow!(error).context(missing.clone())))
}

/// All that a seat was sent. The record's own prompts come before those of the replay: where the original lists actions
/// in any order, they differ.
fn inputs(record: &Record, played: &Played, seat: Seat) -> anyhow::Result<String> {
    let last = played.standings.len().saturating_sub(1);
    ensure!(seat <= last, "there is no seat {seat}: expected 0 to {last}");
    let steps = record.steps.iter().zip(&played.steps).filter(|(step, _)| step.player == seat);
    Ok(steps.filter_map(|(recorded, step)| recorded.input.as_deref().or(step.input.as_deref())).collect())
}

/// The game in words: what it was, how it went, how it ended.
fn story(number: u64, record: &Record, playback: &Playback, only_moves: bool) -> String {
    let played = &playback.played;
    let mut text = format!("game {number}: {}, seed {}", record.game, record.seed.0);
    text.extend(record.unit.map(|unit| format!(", unit {unit}")));
    text.push('\n');
    let names: Vec<String> = (0..played.standings.len()).map(|seat| name(record, seat)).collect();
    if !only_moves {
        text.extend(names.iter().enumerate().map(|(seat, name)| format!("seat {seat}  {name}\n")));
    }
    if !played.opening.is_empty() {
        let _ = writeln!(text, "opening: {}", harmless(&played.opening.join(", ")));
    }
    text.push_str(&if only_moves { moves(record, played, &names) } else { boards(record, playback, &names) });
    let width = width(&names);
    let _ = writeln!(text, "\n{} in turn {}", played.reason, played.turns);
    for (seat, standing) in played.standings.iter().enumerate() {
        let _ = writeln!(text, "seat {seat}  {:width$}  score {}  {}", names[seat], standing.score, standing.fate);
    }
    record.faults.iter().for_each(|fault| tell(&mut text, fault, &names));
    text
}

/// A table of all answers.
fn moves(record: &Record, played: &Played, names: &[String]) -> String {
    let width = width(names);
    let mut text = format!("\nturn  seat  {:width$}        ms  answer\n", "bot");
    for (place, step) in played.steps.iter().enumerate() {
        let Step { turn, player: seat, .. } = step;
        let ms = record.ms.get(place).map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1}"));
        let answer = answer(record, place, step);
        let _ = writeln!(text, "{turn:4}  {seat:4}  {:width$}  {ms:>8}  {answer}", names[*seat]);
    }
    text
}

/// The position before the first turn; then, for every turn, the answers and the position after them.
fn boards(record: &Record, playback: &Playback, names: &[String]) -> String {
    let mut text = format!("\n{}", playback.start.text(names));
    let width = width(names);
    for (first, steps, frame) in playback.turns() {
        for (place, step) in (first..).zip(steps) {
            let lead = if place == first { format!("\nturn {:<4}", step.turn) } else { " ".repeat(9) };
            let ms = record.ms.get(place).map_or_else(String::new, |ms| format!("  {ms:.1} ms"));
            let answer = answer(record, place, step);
            let _ = writeln!(text, "{lead}  {:width$}  {answer}{ms}", names[step.player]);
        }
        let _ = write!(text, "\n{}", frame.text(names));
    }
    text
}

fn answer(record: &Record, place: usize, step: &Step) -> String {
    let late = if record.host_late.contains(&place) { "  (late because of the machine)" } else { "" };
    let fault = step.fault.as_deref().unwrap_or_default();
    step.output.as_deref().map_or_else(|| format!("- no answer: {fault}"), harmless) + late
}

fn width(names: &[String]) -> usize {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0)
}

fn name(record: &Record, seat: Seat) -> String {
    record.bots.get(seat).map_or_else(|| format!("seat {seat}"), |name| harmless(name))
}

/// What a bot that failed left behind.
fn tell(text: &mut String, fault: &RecordFault, names: &[String]) {
    let RecordFault { player, exit, unfinished, stderr } = fault;
    let name = names.get(*player).map_or("?", String::as_str);
    let _ = write!(text, "\nseat {player}, {name}: {}", exit.as_deref().map_or("ended by the arena".into(), harmless));
    text.extend(unfinished.iter().map(|part| format!(", after {part:?} without an end of line")));
    text.push('\n');
    text.extend(stderr.lines().map(|line| format!("| {}\n", harmless(line))));
}
