//! What people see of a run. A run emits events; reporters show them. The files for people and programs are pure
//! functions of the summary.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::store::PlanText;
use crate::summary::sprt::Test;
use crate::summary::sweep::SweepSummary;
use crate::summary::{Summary, Tally};
use arena_games::Fate;
use faults::FaultNote;
use replays::Embedded;

pub(crate) mod board;
#[cfg(test)]
mod example;
pub(crate) mod faults;
pub(crate) mod files;
pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod replays;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod terminal;
pub(crate) mod verdict;
mod words;

/// Something that happened in a run.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// A bot is being built.
    Building {
        /// The command.
        command: &'a str,
    },
    /// Play begins.
    Started(&'a Start<'a>),
    /// A game ended and is written.
    Played {
        /// All games so far.
        tally: &'a Tally,
    },
    /// A bot failed in the game that is reported next.
    Fault(&'a Blame<'a>),
    /// A game could not be played, through no fault of a bot.
    Aborted {
        /// The number of the game.
        number: u64,
        /// What failed.
        why: &'a str,
    },
    /// The run ended, and its files are written.
    Ended {
        /// All that is known of it.
        summary: &'a Summary,
        /// The run directory.
        out: &'a Path,
    },
}

/// What is known when play begins.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    /// The name of the run.
    pub(crate) name: &'a str,
    /// The run directory.
    pub(crate) out: &'a Path,
    /// The number of games of the run (of this slice of it).
    pub(crate) games: u64,
    /// How many of them were played before.
    pub(crate) stored: u64,
    /// The number of bots.
    pub(crate) bots: usize,
    /// The number of games played at the same time.
    pub(crate) jobs: usize,
    /// The number of cores.
    pub(crate) cores: usize,
    /// For each game of a gauntlet, its id and the bot whose standing is shown while the games go on. In any other
    /// game it is the leader's.
    pub(crate) challengers: Vec<(&'a str, &'a str)>,
    /// What the bots are kept apart by; empty where nothing is to be said.
    pub(crate) sandbox: &'a str,
    /// The sequential test that ends the run.
    pub(crate) test: Option<&'a Test>,
    /// The sweep that the run is.
    pub(crate) sweep: Option<&'a SweepSummary>,
    /// What is odd about the plan but hinders nothing.
    pub(crate) warnings: &'a [String],
}

/// All that the reports of a run are made of: the page, and the files for programs that check it.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    /// Everything that is counted.
    pub(crate) summary: Summary,
    /// What was played.
    pub(crate) plan: PlanText,
    /// The faults to be told in full, in the order of the games.
    pub(crate) faults: Vec<FaultNote>,
    /// The log-likelihood ratio (LLR) of the sequential test after each of its units; empty where there was none.
    pub(crate) llr: Vec<f64>,
    /// The games to be watched.
    pub(crate) replays: Embedded,
}

/// A bot that failed in a game: what an author wants to know first.
#[derive(Debug)]
pub(crate) struct Blame<'a> {
    /// The number of the game.
    pub(crate) number: u64,
    /// The id of the game.
    pub(crate) game: &'a str,
    /// The bot.
    pub(crate) bot: &'a str,
    /// Its seat.
    pub(crate) seat: usize,
    /// The turn in which it failed.
    pub(crate) turn: u32,
    /// How it failed.
    pub(crate) fate: Fate,
    /// The time limit that it missed, if that was the failure.
    pub(crate) limit: Option<Duration>,
    /// The line it answered with, if that was the failure.
    pub(crate) reply: Option<&'a str>,
    /// The beginning of a line that it wrote without ending it.
    pub(crate) unfinished: Option<&'a str>,
    /// How its process ended, if it did so by itself.
    pub(crate) exit: Option<&'a str>,
    /// The end of what it wrote to standard error.
    pub(crate) stderr_tail: &'a str,
    /// The command that shows it once more: the game's input for this seat, piped into the bot.
    pub(crate) again: String,
}

impl fmt::Display for Blame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blame { number, game, bot, seat, turn, fate, .. } = self;
        write!(f, "game {number} ({game}): {bot}, seat {seat}, turn {turn}: {fate}")?;
        if let Some(reply) = self.reply {
            write!(f, " {:?}", shortened(reply))?;
        }
        if let Some(limit) = self.limit {
            write!(f, ", no answer within {} ms", limit.as_millis())?;
        }
        if let Some(part) = self.unfinished {
            write!(f, ", only {:?} without an end of line: end it, and flush", shortened(part))?;
        }
        if let Some(exit) = self.exit {
            write!(f, ", {exit}")?;
        }
        if let Some(line) = self.stderr_tail.lines().rev().find(|line| !line.trim().is_empty()) {
            write!(f, "; its last words: {:?}", shortened(line))?;
        }
        Ok(())
    }
}

/// At most 160 characters of bot output, for a line or two of the terminal.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(160).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    short
}

/// A command as one would type it.
pub(crate) fn command_line(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// A line of bot output without the characters that a terminal obeys.
pub(crate) fn harmless(line: &str) -> String {
    let character = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    line.chars().map(character).collect()
}

/// Shows a run to somebody.
pub(crate) trait Reporter {
    /// Called for every event, in order, on the thread that writes the files.
    fn event(&mut self, event: &Event<'_>);
}
