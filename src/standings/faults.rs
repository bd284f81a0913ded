//! Faults of bots: their details, their causes, and which of them a report shows in full.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ANY_FAULT, BotSummary, Game, Summary, title};
use arena_games::Fate;
use arena_process::error_line;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::text::{cut, harmless, quoted};
use arena_section::words::count;
use arena_section::{Part, Section, Sentence, Tone};
use arena_stats::rates::Rate;

/// The most faults of a kind to keep for each bot in each game.
const MOST_OF_A_KIND: usize = 3;
/// The most causes to tell apart. Further ones count as one without a name.
const MOST_COUNTED: usize = 1000;
/// The most causes to show in a section.
const MOST_CAUSES: usize = 100;
/// The most faults to show in full.
const MOST_SHOWN: usize = 60;

/// A fault of a bot, with everything that its author needs to know first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FaultDetails {
    pub(crate) number: u64,
    pub(crate) game: String,
    pub(crate) bot: String,
    pub(crate) seat: usize,
    pub(crate) turn: u32,
    pub(crate) fate: Fate,
    /// The time limit that it missed.
    pub(crate) limit_ms: Option<u64>,
    /// The answer that was at fault.
    pub(crate) reply: Option<String>,
    /// The beginning of a line that it wrote without ending it.
    pub(crate) unfinished: Option<String>,
    /// How its process ended, if it ended by itself.
    pub(crate) exit: Option<String>,
    /// What an external referee said about the answer.
    pub(crate) said: Option<String>,
    /// The end of what it wrote to standard error.
    pub(crate) stderr_tail: String,
    /// A command that repeats it: the game's input for this seat, piped into the bot.
    pub(crate) again: String,
}

impl FaultDetails {
    /// What happened instead of a legal answer, without a full stop.
    pub(crate) fn what(&self) -> String {
        let mut parts = self.circumstances("");
        if let Some(reply) = &self.reply {
            parts.insert(0, format!("answered {}", quoted(reply)));
        }
        parts.join(", ")
    }

    /// What happened instead of a whole answer. `hint` follows a line without an end.
    fn circumstances(&self, hint: &str) -> Vec<String> {
        let mut parts = Vec::new();
        if let Some(limit) = self.limit_ms {
            parts.push(format!("no answer within {limit} ms"));
        }
        if let Some(part) = self.unfinished.as_deref().map(quoted) {
            parts.push(format!("only {part} without an end of line{hint}"));
        }
        parts.extend(self.exit.clone());
        if let Some(said) = self.said.as_deref().map(quoted) {
            parts.push(format!("the referee said: {said}"));
        }
        parts
    }

    /// The cause that it may share with other faults: the error message, the referee's, or the
    /// missed limit. Illegal answers in built-in games share none.
    fn cause(&self) -> String {
        let cause = match self.fate {
            Fate::InvalidAction => self.said.clone(),
            Fate::Crashed | Fate::OutOfMemory => {
                error_line(&self.stderr_tail).or(self.exit.clone())
            }
            Fate::Timeout | Fate::TooLong | Fate::Ok => self.circumstances("").into_iter().next(),
        };
        cause.unwrap_or_default()
    }

    /// The command that repeats it, and what it wrote to standard error.
    fn again(&self) -> Cell {
        let mut cell = Cell::default();
        cell.details.push(("command", self.again.clone()));
        if !self.stderr_tail.is_empty() {
            let said = ("standard error", self.stderr_tail.clone());
            cell.details.push(said);
        }
        cell
    }

    /// Everything except the command, for a terminal.
    pub(crate) fn line(&self) -> String {
        let (game, seat) = (&self.game, self.seat);
        let when = format!("game {} ({game}): {}, seat {seat}", self.number, self.bot);
        let mut line = format!("{when}, turn {}: {}", self.turn, self.fate);
        if let Some(reply) = &self.reply {
            let _ = write!(line, " {}", quoted(reply));
        }
        for part in self.circumstances(": end it, and flush") {
            let _ = write!(line, ", {part}");
        }
        if let Some(said) = error_line(&self.stderr_tail) {
            let _ = write!(line, "; it said: {}", quoted(&said));
        }
        line
    }
}

/// Faults of a bot that seem to have the same cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FaultCause {
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    pub(crate) game: String,
    /// Name of the bot.
    pub(crate) bot: String,
    /// How the bot failed.
    pub(crate) fate: Fate,
    /// Error message, exit or limit; empty for illegal actions.
    pub(crate) cause: String,
    /// Number counted.
    pub(crate) count: u64,
    /// Number of the first game with it.
    pub(crate) first: u64,
}

/// A text without its numbers, which say where and when rather than why.
fn without_numbers(text: &str) -> String {
    let mut key = text.replace(|c: char| c.is_ascii_digit(), "0");
    while key.contains("00") {
        key = key.replace("00", "0");
    }
    key
}

/// Every fault of a run.
pub(crate) fn of_run(games: &[Game]) -> u64 {
    games
        .iter()
        .flat_map(|game| &game.bots)
        .map(BotSummary::faults)
        .sum()
}

/// The share of games with a fault of each bot, of any kind and by kind. A bot with any fault has a
/// row for timeouts.
pub(crate) fn rates(game: &Game) -> Table {
    let timeout = <&str>::from(Fate::Timeout);
    let mut rows: Vec<(&BotSummary, &str, &Rate)> = Vec::new();
    for bot in &game.bots {
        let rates = bot.fault_rates.iter();
        rows.extend(rates.map(|(kind, rate)| (bot, *kind, rate)));
    }
    rows.retain(|(bot, kind, rate)| {
        *kind == ANY_FAULT || rate.count > 0 || *kind == timeout && bot.faults() > 0
    });
    Rows::new("Fault rates", &rows)
        .shown(Kind::Name, "bot", |(bot, ..)| &bot.name)
        .shown(Kind::Text, "fault", |(_, kind, _)| kind.replace('_', " "))
        .shown(Kind::Number, "in games", |(.., rate)| rate.count)
        .of_games(|(bot, kind, _)| game.only([("bot", &bot.name), ("fault", kind)]))
        .shown(Kind::Number, "of", |(.., rate)| rate.of)
        .shown(Kind::Number, "share", |(.., rate)| Cell::shown(rate.share, share))
        .shown(Kind::Number, "95% interval", |(.., rate)| {
            Cell::number(Some(rate.lo95), format!("[{}, {}]", share(rate.lo95), share(rate.hi95)))
        })
        .note("Exact (Clopper and Pearson), if games are independent of each other")
        .shown(Kind::Number, "below", |(.., rate)| Cell::shown(rate.below95, share))
        .note("The true share is below this with 95% confidence: what can be said where nothing happened")
        .table()
}

/// A share with two decimals.
fn share(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

/// Faults by bot and cause, each with the first of them in full.
fn table(causes: &[FaultCause], shown: &[FaultDetails], games: &[Game]) -> Table {
    let mut rows: Vec<(&FaultCause, Option<&FaultDetails>)> = Vec::new();
    for cause in causes {
        let is_first = |fault: &&FaultDetails| {
            (fault.number, &fault.bot, fault.fate) == (cause.first, &cause.bot, cause.fate)
        };
        rows.push((cause, shown.iter().find(is_first)));
    }
    Rows::new("Faults by cause", &rows)
        .shown(Kind::Text, "game", |(cause, _)| title(games, &cause.game))
        .shown(Kind::Name, "bot", |(cause, _)| &cause.bot)
        .shown(Kind::Text, "fate", |(cause, _)| {
            Cell::toned(Tone::Bad, cause.fate.to_string().replace('_', " "))
        })
        .shown(Kind::Number, "faults", |(cause, _)| cause.count)
        .shown(Kind::Game, "first in game", |(cause, _)| cause.first)
        .shown(Kind::Number, "turn", |(_, first)| {
            first.map(|fault| fault.turn)
        })
        .shown(Kind::Prose, "what happened", |(cause, first)| {
            happened(cause, *first)
        })
        .shown(Kind::Details, "see it again", |(_, first)| {
            first.map(FaultDetails::again).unwrap_or_default()
        })
        .table()
}

/// The cause of faults, and what else happened in the first of them.
fn happened(cause: &FaultCause, first: Option<&FaultDetails>) -> String {
    let what = first.map(FaultDetails::what).unwrap_or_default();
    match &cause.cause {
        cause if what.contains(cause) => what,
        cause if what.is_empty() => cut(cause),
        cause => format!("{}; {what}", cut(cause)),
    }
}

/// A cause in a sentence, for a terminal.
pub(crate) fn cause_line(cause: &FaultCause) -> String {
    let times = count(cause.count, "fault", "faults");
    let (game, bot, fate, first) = (&cause.game, &cause.bot, cause.fate, cause.first);
    let mut line = format!("{times}: {bot}, {fate} in {game}, first in game {first}");
    if !cause.cause.is_empty() {
        let _ = write!(line, ": {}", harmless(&cut(&cause.cause)));
    }
    line
}

/// The faults of a run, if there are any: their causes, those to show in full, and how many of them
/// are of opponents of the bot under test.
pub(crate) fn section(run: &Summary, shown: &[FaultDetails], of_opponents: u64) -> Option<Section> {
    let all = of_run(&run.games);
    if all == 0 {
        return None;
    }
    let causes = &run.fault_causes;
    let listed = &causes[..MOST_CAUSES.min(causes.len())];
    let mut part = Part::new("", table(listed, shown, &run.games));
    if causes.len() > MOST_CAUSES {
        let more = (causes.len() - MOST_CAUSES) as u64;
        let more = count(more, "further cause", "further causes");
        part.notes.push(format!("{more} are not listed"));
    }
    if let Some(FaultDetails { number, again, .. }) = shown.first() {
        let repeats = format!("this repeats the fault of game {number}:");
        part.notes.push(repeats);
        part.command = Some(again.clone());
    }
    let mut rest = " of bots".to_owned();
    if of_opponents > 0 {
        let _ = write!(rest, ", {of_opponents} of them of opponents");
    }
    rest += ". A fault counts as a result: the bot loses the game";
    let lead = Sentence::new(Tone::Bad, count(all, "fault", "faults"), rest);
    Some(Section::new("faults", "Faults", vec![lead], vec![part]))
}

/// Game, bot, and the name of the fate.
type Class = (String, String, &'static str);

/// Collects the faults to show in full. The choice doesn't depend on the order of the games.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultLog {
    kept: BTreeMap<Class, Vec<FaultDetails>>,
    /// By class, and by the cause without numbers.
    causes: BTreeMap<(Class, String), FaultCause>,
}

impl FaultLog {
    /// Counts a fault, and keeps it if it is one of the first of its kind.
    pub(crate) fn add(&mut self, fault: FaultDetails) {
        let class = (fault.game.clone(), fault.bot.clone(), fault.fate.into());
        let mut cause = fault.cause();
        // Referees quote answers.
        let reply = fault.reply.as_deref().unwrap_or_default();
        let mut key = (class.clone(), without_numbers(&cause.replace(reply, "")));
        if self.causes.len() >= MOST_COUNTED && !self.causes.contains_key(&key) {
            (key.1, cause) = (String::new(), String::new());
        }
        let counted = self.causes.entry(key).or_insert_with(|| FaultCause {
            game: fault.game.clone(),
            bot: fault.bot.clone(),
            fate: fault.fate,
            cause: cause.clone(),
            count: 0,
            first: fault.number,
        });
        counted.count += 1;
        if fault.number < counted.first {
            (counted.first, counted.cause) = (fault.number, cause);
        }
        let kept = self.kept.entry(class).or_default();
        kept.push(fault);
        kept.sort_by_key(|fault| (fault.number, fault.seat));
        kept.truncate(MOST_OF_A_KIND);
    }

    /// The causes of faults, the most frequent first.
    pub(crate) fn causes(&self) -> Vec<FaultCause> {
        let mut causes: Vec<FaultCause> = self.causes.values().cloned().collect();
        causes.sort_by_key(|cause| (std::cmp::Reverse(cause.count), cause.first));
        causes
    }

    /// The faults to show, in the order of the games. If there are too many, the first of every
    /// kind go before the second of any.
    pub(crate) fn shown(&self) -> Vec<FaultDetails> {
        let kept = self.kept.values();
        let mut faults: Vec<_> = kept.flat_map(|kept| kept.iter().enumerate()).collect();
        faults.sort_by_key(|(place, fault)| (*place, fault.number, fault.seat));
        faults.truncate(MOST_SHOWN);
        faults.sort_by_key(|(_, fault)| (fault.number, fault.seat));
        faults.into_iter().map(|(_, fault)| fault.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blame(number: u64, bot: &str, fate: Fate) -> FaultDetails {
        FaultDetails {
            number,
            game: "onitama".to_owned(),
            bot: bot.to_owned(),
            seat: 1,
            turn: 4,
            fate,
            limit_ms: None,
            reply: Some("pass".to_owned()),
            unfinished: None,
            exit: None,
            said: None,
            stderr_tail: String::new(),
            again: String::new(),
        }
    }

    #[test]
    fn the_first_of_every_kind_are_told_whatever_the_order() {
        let (mut there, mut back) = (FaultLog::default(), FaultLog::default());
        let of = |number: u64| match number % 5 {
            0 => blame(number, "a", Fate::Crashed),
            _ => blame(number, "a", Fate::InvalidAction),
        };
        for number in 0..30 {
            there.add(of(number));
            back.add(of(29 - number));
        }
        assert_eq!(there.shown(), back.shown());
        let shown: Vec<u64> = there.shown().iter().map(|fault| fault.number).collect();
        assert_eq!(shown, [0, 1, 2, 3, 5, 10]);
        assert_eq!(there.causes(), back.causes());
    }

    /// A number says where or when, not why.
    #[test]
    fn faults_are_counted_by_cause() {
        let mut log = FaultLog::default();
        for number in 0..40 {
            let mut fault = blame(number, "a", Fate::Crashed);
            fault.exit = Some("exit code 1".to_owned());
            fault.stderr_tail = match number % 4 {
                0 => format!(
                    "Traceback (most recent call last):\n  File \"bot.py\"\nIndexError: {number} of {}",
                    7 * number
                ),
                1 => format!("thread 'main' ({number}) panicked at src/main.rs:7:\nno move"),
                _ => String::new(),
            };
            log.add(fault);
        }
        let shown: Vec<String> = log.causes().iter().map(cause_line).collect();
        let expected = [
            "20 faults: a, crashed in onitama, first in game 2: exit code 1",
            "10 faults: a, crashed in onitama, first in game 0: IndexError: 0 of 0",
            "10 faults: a, crashed in onitama, first in game 1: thread 'main' (1) panicked at src/main.rs:7: no move",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn where_there_are_too_many_kinds_each_is_told_once() {
        let mut log = FaultLog::default();
        for number in 0..MOST_SHOWN as u64 {
            let bot = format!("bot {number}");
            (0..MOST_OF_A_KIND as u64)
                .for_each(|again| log.add(blame(100 * again + number, &bot, Fate::Timeout)));
        }
        let shown = log.shown();
        assert_eq!(shown.len(), MOST_SHOWN);
        assert!(shown.iter().all(|fault| fault.number < MOST_SHOWN as u64));
    }
}
