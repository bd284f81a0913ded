//! A recorded game in words.

use std::fmt::{Display, Write as _};

use console::{Alignment, measure_text_width, pad_str};

use super::game::{Board, ShownFault, ShownGame, ShownStep};
use arena_section::screen::Screen;
use arena_section::table::{Kind, Rows};
use arena_section::text::harmless;

impl ShownGame<'_> {
    /// Returns the game in words, with its boards or with a table of the answers.
    pub(super) fn text(&self, only_moves: bool) -> String {
        let names = aligned(&self.names);
        let turns = if only_moves {
            format!("\n{}", self.moves())
        } else {
            self.positions(&names)
        };
        self.title(!only_moves) + &turns + "\n" + &self.end(&names)
    }

    /// The game and its bots.
    fn title(&self, with_seats: bool) -> String {
        let ShownGame { listed, seed, .. } = self;
        let mut text = format!("game {}: {}, seed {}", listed.number, listed.game, seed.0);
        text.extend(self.unit.map(|unit| format!(", unit {unit}")));
        let battle = self.battle;
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
        let opening = self.opening;
        if !opening.is_empty() {
            let _ = writeln!(text, "opening: {}", harmless(&opening.join(", ")));
        }
        text
    }

    /// The position before the turns; then, for every turn, the answers and the position after it.
    fn positions(&self, aligned: &[String]) -> String {
        let mut text = position(&self.board);
        let mut is_first = true;
        for step in &self.steps {
            let lead = if is_first {
                format!("\nturn {:<4}", step.turn)
            } else {
                " ".repeat(9)
            };
            let _ = write!(text, "{lead}  {}  {}", aligned[step.seat], answer(step));
            if let Some(ms) = step.ms {
                let _ = write!(text, "  {ms:.1} ms");
            }
            text.push('\n');
            for line in step.stderr.unwrap_or_default().lines() {
                let _ = writeln!(text, "{:9}  | {}", "", harmless(line));
            }
            text.extend(step.board.as_ref().map(position));
            is_first = step.board.is_some();
        }
        text
    }

    /// The result, and the last output of bots that failed.
    fn end(&self, aligned: &[String]) -> String {
        let listed = &self.listed;
        let mut text = format!("{} in turn {}\n", listed.reason, listed.turns);
        for (seat, (score, fate)) in listed.scores.iter().zip(&listed.fates).enumerate() {
            let name = &aligned[seat];
            let _ = writeln!(text, "seat {seat}  {name}  score {score}  {fate}");
        }
        for fault in &self.faults {
            let name = self.names.get(fault.seat).map_or("?", String::as_str);
            write_fault(&mut text, fault, name, self.battle.is_some());
        }
        text
    }

    /// A table of all answers.
    fn moves(&self) -> String {
        Rows::new("Moves", &self.steps)
            .shown(Kind::Number, "turn", |step| step.turn)
            .shown(Kind::Number, "seat", |step| step.seat)
            .shown(Kind::Name, "bot", |step| &self.names[step.seat])
            .shown(Kind::Number, "ms", |step| {
                step.ms.map(|ms| format!("{ms:.1}"))
            })
            .shown(Kind::Prose, "answer", answer)
            .text(&Screen::stdout())
    }
}

/// The notes of the referee and the board.
fn position(board: &Board<'_>) -> String {
    let mut text = String::new();
    for note in board.notes {
        let _ = writeln!(text, "{:11}{}", "", harmless(note));
    }
    text.push('\n');
    for line in &board.lines {
        let _ = writeln!(text, "{}", harmless(line));
    }
    text
}

/// Describes an answer or its fault.
pub(super) fn shown(reply: Option<&str>, fault: Option<impl Display>) -> String {
    match (reply, fault) {
        (None, Some(fault)) => format!("- no answer: {fault}"),
        (reply, _) => harmless(reply.unwrap_or_default()),
    }
}

fn answer(step: &ShownStep<'_>) -> String {
    let mut answer = shown(step.output, step.fault);
    if step.host_late {
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

/// Describes how a bot failed, with the end of its standard error.
fn write_fault(text: &mut String, fault: &ShownFault<'_>, name: &str, is_of_site: bool) {
    let exit = match fault.ended.or(fault.objection.as_deref()) {
        Some(exit) => harmless(exit),
        // The site ended the bots of its battles.
        None if is_of_site => fault.fate.to_string(),
        None => "ended by the arena".to_owned(),
    };
    let _ = write!(text, "\nseat {}, {name}: {exit}", fault.seat);
    if let Some(part) = fault.unfinished {
        let _ = write!(text, ", after {part:?} without an end of line");
    }
    text.push('\n');
    for line in fault.stderr.unwrap_or_default().lines() {
        let _ = writeln!(text, "| {}", harmless(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::replay::game::inputs;
    use crate::play::record::Record;
    use crate::report::replays::{ListedGame, Playback};
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
        let listed = ListedGame::of(&record, 3, None);
        let game = ShownGame::new(listed, &record, &playback, None).unwrap();
        insta::assert_snapshot!(game.text(false), @r"
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
