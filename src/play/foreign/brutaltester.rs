//! The protocol of referees for the tool brutaltester: `###Input SEAT` and lines, `###Output SEAT
//! n`, `###End` and places. It has no scores and no time-outs. `docs/how-to/referees.md` describes
//! it.

use std::collections::BTreeMap;

use super::link::Link;
use super::{Dialog, End, Given, Heard, Message, Referee, RefereeError, SeatQuestion, keep, wrong};
use crate::play::{Question, Shown};
use arena_games::Seat;
use arena_section::text::quoted;

/// Maximum number of lines between two questions.
const MOST_LINES: usize = 100_000;

/// One game.
#[derive(Default)]
pub(super) struct Brutaltester {
    /// Whether the referee takes a seed.
    seeded: bool,
    /// The next prompt of each seat.
    prompts: Vec<String>,
    /// Number of lines in the last question.
    wanted: usize,
    shown: Shown,
}

impl Brutaltester {
    pub(super) fn new(seats: usize, seeded: bool) -> Brutaltester {
        Brutaltester {
            seeded,
            prompts: vec![String::new(); seats],
            ..Brutaltester::default()
        }
    }

    /// Sends a text and reads lines up to the next question, or the end.
    fn next(&mut self, link: &mut Link, text: String) -> Heard {
        let mut reader: Option<Seat> = None;
        link.send(text);
        for _ in 0..MOST_LINES {
            let said = link.read(1)?;
            let Some(command) = said.strip_prefix("###") else {
                let Some(seat) = reader else {
                    let said = quoted(said);
                    return wrong(format!("expected a line like `###Input 0`, got {said}"));
                };
                self.prompts[seat].extend([said, "\n"]);
                continue;
            };
            let words: Vec<&str> = command.split_ascii_whitespace().collect();
            let word = words.first().copied().unwrap_or_default();
            match (word, number_at(&words, 1)) {
                ("Input", Some(seat)) if seat < self.prompts.len() => reader = Some(seat),
                ("Output", Some(seat)) => {
                    let Some(lines) = number_at(&words, 2) else {
                        return wrong(format!("expected a number of lines, got {}", quoted(said)));
                    };
                    return Ok(self.question(seat, lines));
                }
                ("Error", _) => {
                    keep(&mut self.shown.notes, command);
                    reader = None;
                }
                ("End", _) => return places(&words[1..], self.prompts.len()).map(Message::End),
                _ => {
                    return wrong(format!(
                        "expected `###Input`, `###Output` or `###End`, got {}",
                        quoted(said)
                    ));
                }
            }
        }
        let why = format!("it sends more than {MOST_LINES} lines without a question");
        wrong(why)
    }

    /// Makes the question for a seat from its collected prompt.
    fn question(&mut self, seat: Seat, lines: usize) -> Message {
        self.wanted = lines;
        let prompt = self.prompts.get_mut(seat).map(std::mem::take);
        Message::Question(SeatQuestion {
            seat,
            prompt: prompt.unwrap_or_default(),
            wanted: Question {
                lines,
                ..Question::default()
            },
        })
    }
}

impl Dialog for Brutaltester {
    fn begin(&mut self, link: &mut Link, seed: i64, _: &Referee) -> Heard {
        // These referees read a positive number of 32 bits.
        let seed = match seed {
            1..0x8000_0000 => seed,
            _ => seed.rem_euclid((1 << 31) - 1) + 1,
        };
        let seats = self.prompts.len();
        let mut text = format!("###Start {seats}\n");
        if self.seeded {
            text.insert_str(0, &format!("###Seed {seed}\n"));
        }
        self.next(link, text)
    }

    /// The protocol has no message for a failed bot: it takes the last place, and the game ends.
    fn answer(&mut self, link: &mut Link, given: &Given) -> Heard {
        match &given.answer {
            Some(_) if self.wanted == 0 => self.next(link, String::new()),
            Some(answer) => self.next(link, format!("{answer}\n")),
            None => {
                let mut scores = vec![0; self.prompts.len()];
                scores[given.seat] = -1;
                Ok(Message::End(End {
                    scores,
                    ..End::default()
                }))
            }
        }
    }

    fn shown(&mut self) -> Shown {
        std::mem::take(&mut self.shown)
    }
}

fn number_at(words: &[&str], at: usize) -> Option<usize> {
    words.get(at)?.parse().ok()
}

/// Reads places from first to last, with shared ones in one word: `2 01`. A seat scores the number
/// of seats below it.
fn places(words: &[&str], seats: usize) -> Result<End, RefereeError> {
    let mut scores = BTreeMap::new();
    let mut left = i64::try_from(seats).unwrap_or(i64::MAX);
    let mut count = 0;
    for word in words {
        left = left.saturating_sub(i64::try_from(word.len()).unwrap_or(i64::MAX));
        for digit in word.chars() {
            count += 1;
            scores.insert(digit.to_digit(10), left);
        }
    }
    if count != seats || !scores.keys().copied().eq((0..10).take(seats).map(Some)) {
        let words = quoted(&words.join(" "));
        let why = format!("expected each of {seats} seats once behind `###End`, got {words}");
        return wrong(why);
    }
    Ok(End {
        scores: scores.into_values().collect(),
        ..End::default()
    })
}
