//! A recorded game in words.

use std::fmt::{Display, Write as _};

use console::{Alignment, measure_text_width, pad_str};

use crate::play::foreign::said_about;
use crate::play::record::{Record, RecordFault};
use crate::play::{Played, Step};
use crate::report::replays::{Playback, Position};
use arena_games::{Fate, Seat};
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows};
use arena_section::text::harmless;

/// A game in words.
pub(super) struct Story<'a> {
    number: u64,
    record: &'a Record,
    playback: &'a Playback,
    /// The names of the seats.
    names: Vec<String>,
    /// The names, padded to one width.
    aligned: Vec<String>,
}

impl<'a> Story<'a> {
    pub(super) fn new(number: u64, record: &'a Record, playback: &'a Playback) -> Story<'a> {
        let names: Vec<String> = (0..playback.played.standings.len())
            .map(|seat| name(&record.bots, seat))
            .collect();
        Story {
            number,
            record,
            playback,
            aligned: aligned(&names),
            names,
        }
    }

    pub(super) fn text(&self, only_moves: bool) -> String {
        let turns = if only_moves {
            format!("\n{}", self.moves())
        } else {
            self.positions()
        };
        self.title(!only_moves) + &turns + "\n" + &self.end()
    }

    /// The game and its bots.
    fn title(&self, with_seats: bool) -> String {
        let Story { number, record, .. } = self;
        let mut text = format!("game {number}: {}, seed {}", record.game, record.seed.0);
        text.extend(record.unit.map(|unit| format!(", unit {unit}")));
        let battle = record.battle.as_deref();
        if let Some(battle) = battle
            && let Some(id) = &battle.id
        {
            let _ = write!(text, ", battle {}", harmless(id));
        }
        text.push('\n');
        if with_seats {
            for (seat, name) in self.names.iter().enumerate() {
                let _ = write!(text, "seat {seat}  {name}");
                if let Some(battle) = battle
                    && let Some(agent) = battle.agents.get(seat)
                    && let Some(score) = agent.score
                {
                    let _ = write!(text, "  ladder score {score:.2}");
                }
                text.push('\n');
            }
        }
        let opening = &self.playback.played.opening;
        if !opening.is_empty() {
            let _ = writeln!(text, "opening: {}", harmless(&opening.join(", ")));
        }
        text
    }

    /// The position before the first turn; then, for every turn, the answers and the position after
    /// them.
    fn positions(&self) -> String {
        let mut text = self.position(&self.playback.positions[0]);
        for (first, steps, position) in self.playback.turns() {
            for (place, step) in (first..).zip(steps) {
                let lead = if place == first {
                    format!("\nturn {:<4}", step.turn)
                } else {
                    " ".repeat(9)
                };
                let answer = answer(self.record, place, step);
                let _ = write!(text, "{lead}  {}  {answer}", self.aligned[step.player]);
                if let Some(ms) = self.record.ms.get(place) {
                    let _ = write!(text, "  {ms:.1} ms");
                }
                text.push('\n');
                if let Some(recorded) = self.record.steps.get(place)
                    && let Some(stderr) = &recorded.stderr
                {
                    for line in stderr.lines() {
                        let _ = writeln!(text, "{:9}  | {}", "", harmless(line));
                    }
                }
            }
            text += &self.position(position);
        }
        text
    }

    /// The notes of the referee and the board.
    fn position(&self, position: &Position) -> String {
        let mut text = String::new();
        for note in &position.notes {
            let _ = writeln!(text, "{:11}{}", "", harmless(note));
        }
        text.push('\n');
        for line in position.frame.text(&self.names).lines() {
            let _ = writeln!(text, "{}", harmless(line));
        }
        text
    }

    /// The result, and the last output of bots that failed.
    fn end(&self) -> String {
        let played = &self.playback.played;
        let mut text = format!("{} in turn {}\n", played.reason, played.turns);
        for (seat, standing) in played.standings.iter().enumerate() {
            let _ = writeln!(
                text,
                "seat {seat}  {}  score {}  {}",
                self.aligned[seat], standing.score, standing.fate
            );
        }
        for fault in &self.record.faults {
            write_fault(&mut text, fault, self.record, &self.names);
        }
        text
    }

    /// A table of all answers.
    fn moves(&self) -> String {
        let steps: Vec<(usize, &Step)> = self.playback.played.steps.iter().enumerate().collect();
        Rows::new("Moves", &steps)
            .shown(Kind::Number, "turn", |(_, step)| step.turn)
            .shown(Kind::Number, "seat", |(_, step)| step.player)
            .shown(Kind::Name, "bot", |(_, step)| &self.names[step.player])
            .shown(Kind::Number, "ms", |(place, _)| {
                self.record.ms.get(*place).map(|ms| format!("{ms:.1}"))
            })
            .shown(Kind::Prose, "answer", |(place, step)| {
                answer(self.record, *place, step)
            })
            .text(&Screen::stdout())
    }
}

/// Returns the input of a seat, if it is known. Prompts of the record win over those of the replay,
/// which differ if the original lists actions in another order.
pub(super) fn inputs(record: &Record, played: &Played, seat: Seat) -> Option<String> {
    let mut inputs = String::new();
    for (recorded, step) in record.steps.iter().zip(&played.steps) {
        if recorded.player == seat {
            inputs += recorded.input.as_deref().or(step.input.as_deref())?;
        }
    }
    Some(inputs)
}

/// Describes an answer or its fault.
pub(super) fn shown(reply: Result<&str, impl Display>) -> String {
    match reply {
        Ok(line) => harmless(line),
        Err(fault) => format!("- no answer: {fault}"),
    }
}

fn answer(record: &Record, place: usize, step: &Step) -> String {
    let mut answer = shown(step.reply());
    if record.host_late.contains(&place) {
        answer += "  (late because of the machine)";
    }
    answer
}

/// Pads names to the width of the widest.
fn aligned(names: &[String]) -> Vec<String> {
    let width = names.iter().map(|name| measure_text_width(name)).max();
    let width = width.unwrap_or_default();
    names
        .iter()
        .map(|name| pad_str(name, width, Alignment::Left, None).into_owned())
        .collect()
}

/// The name of a seat.
pub(super) fn name(bots: &[String], seat: Seat) -> String {
    match bots.get(seat) {
        Some(name) => harmless(name),
        None => format!("seat {seat}"),
    }
}

/// Describes how a bot failed, with the end of its standard error.
fn write_fault(text: &mut String, fault: &RecordFault, record: &Record, names: &[String]) {
    let seat = fault.player;
    let name = names.get(seat).map_or("?", String::as_str);
    let said = match record.fate(seat) {
        Fate::InvalidAction => said_about(&record.steps, &record.shown, seat, &record.bots),
        _ => None,
    };
    let exit = match fault.exit.clone().or(said) {
        Some(exit) => harmless(&exit),
        // The site ended the bots of its battles.
        None if record.battle.is_some() => record.fate(seat).to_string(),
        None => "ended by the arena".to_owned(),
    };
    let _ = write!(text, "\nseat {seat}, {name}: {exit}");
    if let Some(part) = &fault.unfinished {
        let _ = write!(text, ", after {part:?} without an end of line");
    }
    text.push('\n');
    for line in fault.stderr.lines() {
        let _ = writeln!(text, "| {}", harmless(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoredGames;
    use arena_games::Games;

    #[test]
    fn names_are_aligned_by_what_is_seen_of_them() {
        let names = ["search", "名前", "e\u{301}te\u{301}"].map(ToOwned::to_owned);
        assert_eq!(
            aligned(&names),
            ["search", "名前  ", "e\u{301}te\u{301}   "]
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
