//! Referees that start the bots themselves and tell only what came out: the command lines of other tools. One sandbox is around
//! all of them, the whole game has one limit, and nothing can be replayed.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::link::{Link, Silence};
use super::{End, Given, Said, Talk};
use crate::text::quoted;
use arena_games::{Seat, SeatSet, Shown};

/// The most lines that are read of such a referee.
const MOST_LINES: usize = 100_000;

/// JSON is looked for in so many lines at the end.
const MOST_JSON: usize = 200;

/// One game.
pub(super) struct Results {
    pub(super) seats: usize,
}

/// What tools of this kind agree on, as JSON; by seat, as a list or under the numbers of the seats.
#[derive(Deserialize)]
struct Told {
    #[serde(alias = "score")]
    scores: Option<Value>,
    /// From 0 or 1, the best first.
    #[serde(alias = "rank")]
    ranks: Option<Value>,
    /// 1 or true for a bot that failed.
    #[serde(alias = "error")]
    errors: Option<Value>,
}

impl Talk for Results {
    fn begin(
        &mut self,
        link: &mut Link,
        _: i64,
        _: &BTreeMap<String, String>,
    ) -> Result<Said, String> {
        let mut lines: Vec<String> = Vec::new();
        loop {
            // It is told nothing: what it has to know is in its command.
            let answer = if lines.is_empty() {
                link.send("", 1)
            } else {
                link.read(1)
            };
            match answer {
                Ok(said) if lines.len() < MOST_LINES => lines.push(said.to_owned()),
                Ok(_) => return Err(format!("it writes more than {MOST_LINES} lines")),
                Err(Silence {
                    why,
                    is_success: true,
                    ..
                }) => {
                    return results(&lines, self.seats).map(Said::End).ok_or_else(|| {
                        let last = lines.last().map_or("nothing", String::as_str);
                        format!(
                            "expected {} scores, or JSON with `scores` or `ranks`, got {}; {why}",
                            self.seats,
                            quoted(last)
                        )
                    });
                }
                Err(silence) => return Err(silence.why),
            }
        }
    }

    fn answer(&mut self, _: &mut Link, _: Seat, _: &Given, _: Duration) -> Result<Said, String> {
        Err("it asks nobody".to_owned())
    }

    fn shown(&mut self) -> Shown {
        Shown::default()
    }
}

/// Reads what a referee wrote: JSON, in one line or from a line `{` on, or one number for each seat in the last lines.
fn results(lines: &[String], seats: usize) -> Option<End> {
    let last = &lines[lines.len().saturating_sub(MOST_JSON)..];
    let starts = (0..last.len())
        .rev()
        .filter(|&at| last[at].trim_start().starts_with('{'));
    let told = { starts }.find_map(|at| {
        let text = last[at..].join("\n");
        let first = serde_json::Deserializer::from_str(&text)
            .into_iter::<Told>()
            .next()?
            .ok();
        first.and_then(|told| end_of(&told, seats))
    });
    told.or_else(|| {
        let words: Vec<&str> = lines
            .iter()
            .flat_map(|line| line.split_ascii_whitespace())
            .collect();
        let last = words.get(words.len().checked_sub(seats)?..)?;
        let scores = last
            .iter()
            .map(|word| word.parse().ok())
            .collect::<Option<_>>()?;
        Some(End {
            scores,
            invalid: SeatSet::EMPTY,
            reason: None,
            goes_on: false,
        })
    })
}

fn end_of(told: &Told, seats: usize) -> Option<End> {
    let by_seat = |value: &Value| -> Option<Vec<i32>> {
        let of_seat = |seat: usize| match value {
            Value::Array(list) => list.get(seat),
            Value::Object(table) => table.get(&seat.to_string()),
            _ => None,
        };
        (0..seats).map(|seat| number(of_seat(seat)?)).collect()
    };
    let scores = told.scores.as_ref().and_then(by_seat);
    let ranks = || {
        by_seat(told.ranks.as_ref()?)?
            .into_iter()
            .map(i32::checked_neg)
            .collect()
    };
    let errors = told.errors.as_ref().and_then(by_seat).unwrap_or_default();
    let invalid = (0..seats)
        .filter(|&seat| errors.get(seat).is_some_and(|error| *error != 0))
        .collect();
    Some(End {
        scores: scores.or_else(ranks)?,
        invalid,
        reason: None,
        goes_on: false,
    })
}

fn number(value: &Value) -> Option<i32> {
    match value {
        Value::Bool(truth) => Some((*truth).into()),
        _ => value.as_i64().and_then(|number| i32::try_from(number).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_write() {
        let none = SeatSet::EMPTY;
        for (text, expected) in [
            ("12\n7", Some((vec![12, 7], none))),
            ("warming up\n12 -1", Some((vec![12, -1], none))),
            (
                "{\"ranks\": [1, 0], \"errors\": [0, 0]}",
                Some((vec![-1, 0], none)),
            ),
            (
                "{\"rank\": [1, 2], \"error\": [false, true]}",
                Some((vec![-1, -2], SeatSet::of(1))),
            ),
            (
                "log\n{\n \"scores\": {\"0\": 3, \"1\": 4},\n \"other\": []\n}\nbye",
                Some((vec![3, 4], none)),
            ),
            ("{\"scores\": [1]}", None),
            ("{\"scores\": [1e99, 2]}", None),
            ("one two", None),
            ("5", None),
            ("", None),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let found = results(&lines, 2).map(|end| (end.scores, end.invalid));
            assert_eq!(found, expected, "{text}");
        }
    }
}
