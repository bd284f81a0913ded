//! `arena replay`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, anyhow};
use console::{Alignment, measure_text_width, pad_str};

use super::contest::{games_of_run, housed};
use super::supervised::supervised;
use super::{Failure, ReplayArgs};
use crate::play::foreign::DEFAULT_REFEREE_MEMORY_MB;
use crate::play::record::{self, Record, RecordFault};
use crate::play::{Played, Step};
use crate::report::replays::{Playback, Position};
use crate::store;
use crate::store::StoredGames;
use crate::text::harmless;
use arena_games::{Games, Seat};
use arena_process::Mode;

mod list;

pub(super) use list::FilterArgs;

pub(super) fn replay(args: &ReplayArgs, games: &Games) -> Result<u8, Failure> {
    let Some(number) = args.number.or(args.game) else {
        return super::print(list::list(&args.run, &args.filter, games).map_err(Failure::input)?);
    };
    let record = find(&args.run, number).map_err(Failure::input)?;
    let place = || format!("replay game {number} of {}", args.run.display());
    let playback = Playback::stored(&record, &mut StoredGames::new(games))
        .with_context(place)
        .map_err(Failure::input)?;
    match args.as_input {
        Some(seat) => {
            let last = playback.played.standings.len().saturating_sub(1);
            if seat > last {
                return Err(Failure::input(
                    anyhow!("there is no seat {seat}: expected 0 to {last}").context(place()),
                ));
            }
            match inputs(&record, &playback.played, seat) {
                Some(inputs) => super::print(inputs),
                None => inputs_again(&args.run, &record, seat, games),
            }
        }
        None => super::print(Story::new(number, &record, &playback).text(args.moves)),
    }
}

/// The record of a game.
fn find(run: &Path, number: u64) -> anyhow::Result<Record> {
    let path = store::named_file(run, store::RECORDS)?;
    // Quick where it is there. If it is not, all records are read to tell what is.
    if let Ok(Some(record)) =
        store::pick_records(&path, &BTreeSet::from([number])).map(|mut found| found.pop())
    {
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
        (Some(first), Some(last)) => {
            format!("{} games, of the numbers {first} to {last}", numbers.len())
        }
        _ => "no game".to_owned(),
    };
    let missing = format!(
        "find game {number} in {}, which holds {holds}",
        path.display()
    );
    Err(broken.map_or_else(
        || anyhow!("{missing}"),
        |error| anyhow!(error).context(missing.clone()),
    ))
}

/// All that a seat was sent, where it is known. The record's own prompts come before those of the replay: where the original
/// lists actions in any order, they differ.
fn inputs(record: &Record, played: &Played, seat: Seat) -> Option<String> {
    let steps = record
        .steps
        .iter()
        .zip(&played.steps)
        .filter(|(step, _)| step.player == seat);
    steps
        .map(|(recorded, step)| recorded.input.as_deref().or(step.input.as_deref()))
        .collect()
}

/// The same of a game whose referee is a program of its own: that plays it once more.
fn inputs_again(run: &Path, record: &Record, seat: Seat, games: &Games) -> Result<u8, Failure> {
    let foreign = games_of_run(run, games);
    let place = || {
        format!(
            "the referee of {} has to tell again what it sent; `--trace` keeps that in a run",
            record.game
        )
    };
    supervised(Mode::Auto, DEFAULT_REFEREE_MEMORY_MB, |supervised| {
        supervised.heed_signals(None)?;
        if let Some((game, _)) = foreign
            .iter()
            .find(|(game, _)| game.spec.id == record.game && !game.spec.seed_decides)
        {
            let why = "takes no seed, so that its games cannot be played again; `--trace` keeps what it sends in a run";
            return Err(Failure::input(anyhow!(
                "the referee of {} {why}",
                game.spec.id
            )));
        }
        let games = housed(&foreign, games, supervised)?;
        let spec = StoredGames::new(&games)
            .of(record)
            .with_context(place)
            .map_err(Failure::input)?;
        let played = record::replay(record, &spec, true)
            .with_context(place)
            .map_err(Failure::input)?;
        super::print(inputs(record, &played, seat).unwrap_or_default())
    })
}

/// A game in words: what it was, how it went, how it ended.
struct Story<'a> {
    number: u64,
    record: &'a Record,
    playback: &'a Playback,
    /// By seat.
    names: Vec<String>,
}

impl<'a> Story<'a> {
    fn new(number: u64, record: &'a Record, playback: &'a Playback) -> Story<'a> {
        let seats = 0..playback.played.standings.len();
        Story {
            number,
            record,
            playback,
            names: seats.map(|seat| name(record, seat)).collect(),
        }
    }

    /// All of it.
    fn text(&self, only_moves: bool) -> String {
        let mut text = self.title(!only_moves);
        if only_moves {
            text += &moves(self.record, &self.playback.played, &self.names);
        } else {
            text += &self.positions();
        }
        text + "\n" + &self.end()
    }

    /// What was played, and by whom.
    fn title(&self, with_seats: bool) -> String {
        let Story { number, record, .. } = self;
        let mut text = format!("game {number}: {}, seed {}", record.game, record.seed.0);
        text.extend(record.unit.map(|unit| format!(", unit {unit}")));
        text.push('\n');
        if with_seats {
            text.extend(
                self.names
                    .iter()
                    .enumerate()
                    .map(|(seat, name)| format!("seat {seat}  {name}\n")),
            );
        }
        let opening = &self.playback.played.opening;
        if !opening.is_empty() {
            let _ = writeln!(text, "opening: {}", harmless(&opening.join(", ")));
        }
        text
    }

    /// The position before the first turn; then, for every turn, the answers and the position after them.
    fn positions(&self) -> String {
        let (_, aligned) = aligned("", &self.names);
        let mut text = self.position(&self.playback.start);
        for (first, steps, position) in self.playback.turns() {
            for (place, step) in (first..).zip(steps) {
                let lead = if place == first {
                    format!("\nturn {:<4}", step.turn)
                } else {
                    " ".repeat(9)
                };
                let ms = self
                    .record
                    .ms
                    .get(place)
                    .map_or_else(String::new, |ms| format!("  {ms:.1} ms"));
                let answer = answer(self.record, place, step);
                let _ = writeln!(text, "{lead}  {}  {answer}{ms}", aligned[step.player]);
                let stderr = self
                    .record
                    .steps
                    .get(place)
                    .and_then(|step| step.stderr.as_deref())
                    .unwrap_or_default();
                for line in stderr.lines() {
                    let _ = writeln!(text, "{:9}  | {}", "", harmless(line));
                }
            }
            text += &self.position(position);
        }
        text
    }

    /// A board below what the referee said, a line each.
    fn position(&self, position: &Position) -> String {
        let mut text = String::new();
        for note in &position.notes {
            let _ = writeln!(text, "{:11}{}", "", harmless(note));
        }
        text.push('\n');
        for line in position.frame.text(&self.names).lines() {
            text += &harmless(line);
            text.push('\n');
        }
        text
    }

    /// How it ended, and what bots that failed left behind.
    fn end(&self) -> String {
        let names = &self.names;
        let (_, aligned) = aligned("", names);
        let played = &self.playback.played;
        let mut text = format!("{} in turn {}\n", played.reason, played.turns);
        for (seat, standing) in played.standings.iter().enumerate() {
            let _ = writeln!(
                text,
                "seat {seat}  {}  score {}  {}",
                aligned[seat], standing.score, standing.fate
            );
        }
        self.record
            .faults
            .iter()
            .for_each(|fault| tell(&mut text, fault, names));
        text
    }
}

/// A table of all answers.
fn moves(record: &Record, played: &Played, names: &[String]) -> String {
    let (title, aligned) = aligned("bot", names);
    let mut text = format!("\nturn  seat  {title}        ms  answer\n");
    for (place, step) in played.steps.iter().enumerate() {
        let Step {
            turn, player: seat, ..
        } = step;
        let ms = record
            .ms
            .get(place)
            .map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1}"));
        let answer = answer(record, place, step);
        let _ = writeln!(
            text,
            "{turn:4}  {seat:4}  {}  {ms:>8}  {answer}",
            aligned[*seat]
        );
    }
    text
}

fn answer(record: &Record, place: usize, step: &Step) -> String {
    let late = if record.host_late.contains(&place) {
        "  (late because of the machine)"
    } else {
        ""
    };
    match step.reply() {
        Ok(line) => harmless(line) + late,
        Err(fault) => format!("- no answer: {fault}{late}"),
    }
}

/// Names in a column, as wide as the widest of them and a title.
fn aligned<'n>(title: &'n str, names: &'n [String]) -> (Cow<'n, str>, Vec<Cow<'n, str>>) {
    let width = names
        .iter()
        .map(|name| measure_text_width(name))
        .chain([title.len()])
        .max()
        .unwrap_or(0);
    let pad = |name: &'n str| pad_str(name, width, Alignment::Left, None);
    (pad(title), names.iter().map(|name| pad(name)).collect())
}

fn name(record: &Record, seat: Seat) -> String {
    record
        .bots
        .get(seat)
        .map_or_else(|| format!("seat {seat}"), |name| harmless(name))
}

/// What a bot that failed left behind.
fn tell(text: &mut String, fault: &RecordFault, names: &[String]) {
    let RecordFault {
        player,
        exit,
        unfinished,
        stderr,
    } = fault;
    let name = names.get(*player).map_or("?", String::as_str);
    let _ = write!(
        text,
        "\nseat {player}, {name}: {}",
        exit.as_deref()
            .map_or("ended by the arena".into(), harmless)
    );
    text.extend(
        unfinished
            .iter()
            .map(|part| format!(", after {part:?} without an end of line")),
    );
    text.push('\n');
    text.extend(stderr.lines().map(|line| format!("| {}\n", harmless(line))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_aligned_by_what_is_seen_of_them() {
        let names = ["search", "名前", "e\u{301}te\u{301}"].map(ToOwned::to_owned);
        let (title, aligned) = aligned("bot", &names);
        assert_eq!(
            (&*title, &aligned[..]),
            (
                "bot   ",
                &[
                    "search".into(),
                    "名前  ".into(),
                    "e\u{301}te\u{301}   ".into()
                ][..]
            )
        );
    }

    /// Nothing that the referee or a bot wrote reaches the terminal as it is.
    #[test]
    fn a_game_of_another_referee_is_shown_from_its_record() {
        let record = r#"{"number":3,"game":"harvest","seed":7,"bots":["mine","theirs"],"steps":[
            {"turn":1,"player":0,"hash":"a","shown":{"frame":{"grid":["..#"]}},"output":"A\nB"},
            {"turn":1,"player":1,"input":"go\n","hash":"b","output":"C","stderr":"one \u001b[2J\ntwo"},
            {"turn":2,"player":1,"hash":"c","shown":{"frame":{"grid":["x\u200b#"],"text":["\u001b[2J"]},"notes":["a \u202e"]},"output":null}],
            "scores":[4,-1],"reason":"all_done","shown":{"notes":["seat 1: too slow"]},"ms":[1,2,3]}"#;
        let record: Record = serde_json::from_str(record).unwrap();
        let games = Games::standard();
        let playback = Playback::stored(&record, &mut StoredGames::new(&games)).unwrap();
        let story = Story::new(3, &record, &playback);
        insta::assert_snapshot!(story.text(false), @r"
        game 3: harvest, seed 7
        seat 0  mine
        seat 1  theirs

           . . #

        turn 1     mine    A\nB  1.0 ms
                   theirs  C  2.0 ms
                   | one \u{1b}[2J
                   | two
                   a \u{202e}

           x \u{200b} #

           [2J

        turn 2     theirs  - no answer: timeout  3.0 ms
                   seat 1: too slow

           x \u{200b} #

           [2J

        all_done in turn 2
        seat 0  mine    score 4  ok
        seat 1  theirs  score -1  timeout
        ");
        assert_eq!(
            [0, 1].map(|seat| inputs(&record, &playback.played, seat)),
            [None, None]
        );
    }
}
