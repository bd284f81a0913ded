//! A study decides which game to play next and what the games so far have shown.
//!
//! Workers play several games at once, so a study hands out fixtures before it knows the results of
//! earlier ones. To keep a run reproducible, results come back in the order of the fixtures, and
//! [`Study::record`] decides whether a game still counts. The files of a run therefore depend only
//! on the plan and the bots' answers, never on the number of workers. Resuming and reporting
//! replay the stored games into a fresh study.
//!
//! There is one module for each kind of run. Reports draw the [`Finding`] of a study without
//! knowing the kind.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of units and games are far below 2^52"
)]

use std::path::Path;

use roaring::RoaringTreemap;
use serde::Serialize;

use crate::plan::{Plan, StudyPlan, Unsound, unsound};
use crate::results::{FailedBot, GameResult, Stop, Unfit};
use crate::standings::{Game, Tally};
use arena_schedule::{Fixture, Next, Schedule};
use arena_section::chart::{WIDTH, path};
use arena_section::table::Table;
use arena_section::words::{count, list};
use arena_section::{Section, Sentence, Tone};
use arena_stats::sprt::too_repetitive;

mod confirm;
mod import;
pub(crate) mod list;
mod sprt;
mod sweep;
mod tune;

pub(crate) use sprt::SprtSummary;
pub(crate) use sweep::SweepSummary;
pub(crate) use tune::TuneSummary;

use import::ImportStudy;
use list::ListStudy;
use sprt::SprtStudy;
use sweep::Contest;
use tune::Tuner;

/// Whether a finished game is part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Store it, and count it in the ratings if it is rated.
    Keep { is_rated: bool },
    /// Drop it: it was started too early, or the run already has it.
    Discard,
}

impl Verdict {
    const KEEP: Verdict = Verdict::Keep { is_rated: true };
}

/// Decides which games to play and what they show.
pub(crate) trait Study {
    /// Returns the next fixture, given the games recorded so far. The fixture may set values for
    /// the bots' placeholders.
    fn next(&mut self) -> Next;

    /// Records a finished game. Games arrive in the order of their fixtures, after those of the run
    /// directory. A result that can't be counted is an error.
    fn record(&mut self, result: &GameResult) -> Result<Verdict, Unfit>;

    /// Returns the fixture of a stored game with this number, if the run may hold one.
    fn recall(&self, number: u64) -> Option<Fixture>;

    /// Returns true if the fixture with this number, which was handed out, would still count.
    fn wants(&self, _number: u64) -> bool {
        !self.has_ended()
    }

    /// Returns true if a rule of the study has ended it, even if the plan has more fixtures.
    fn has_ended(&self) -> bool;

    /// Returns true if results decide what is played next. The runner then starts few games ahead,
    /// and stores none after one that is missing.
    fn is_sequential(&self) -> bool {
        true
    }

    /// Returns why no more games are played, if a rule that was announced before the first game
    /// decides that and not their number.
    fn stop(&self) -> Option<Stop> {
        None
    }

    /// Returns what people see before the first game of a session.
    fn introduction(&self) -> Introduction {
        Introduction::default()
    }

    /// Returns the state of the run. This is called several times a second.
    fn live(&self, tally: &Tally) -> Live;

    /// Returns what the games have shown. This may take seconds.
    fn finding(&self, seen: &Context<'_>) -> Finding;

    /// Returns the files that the kind of run has in its folder, with their names.
    fn files(&self, _plan: &Plan) -> Vec<(&'static str, Content)> {
        Vec::new()
    }
}

/// A text for people before the first game of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Introduction {
    /// The question of the run, in lines.
    pub(crate) question: Vec<String>,
    /// Whether the run may end before all planned games are played.
    pub(crate) may_end_early: bool,
    /// What it means for the numbers of a run if more games are added.
    pub(crate) extension: &'static str,
}

/// The meaning of an extension if no rule says when to stop.
const MORE_AFTER_A_LOOK: &str = "more games after a look: intervals are a little too narrow if the look decided that there are more";

/// The state of a run while it is played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// The share of the needed evidence, if it isn't the share of the games.
    pub(crate) share: Option<f64>,
    /// The expected number of games until results end the run, if they do and it can be told.
    pub(crate) games_left: Option<f64>,
    pub(crate) blocks: Vec<LiveBlock>,
}

/// A part of what is shown while games are played: a table between a title and a sentence, or a
/// line if there is no room for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveBlock {
    pub(crate) line: String,
    pub(crate) title: String,
    pub(crate) table: Option<Table>,
    pub(crate) below: String,
}

impl LiveBlock {
    fn line(line: String) -> LiveBlock {
        LiveBlock {
            line,
            ..LiveBlock::default()
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Table(Table),
    Text(String),
}

/// The standings of a run, with its plan and directory.
pub(crate) struct Context<'a> {
    pub(crate) games: &'a [Game],
    pub(crate) plan: &'a Plan,
    pub(crate) out: &'a Path,
}

impl Context<'_> {
    /// Whether so many units repeat others, move for move, that nothing is as sure as it looks.
    fn is_too_repetitive(&self) -> bool {
        self.games
            .iter()
            .any(|game| too_repetitive(game.distinct_units, game.units))
    }

    /// The title of a run of two bots and one game.
    fn duel(&self) -> Option<String> {
        let ([new, old], [game]) = (&self.plan.bots[..], self.games) else {
            return None;
        };
        let (new, old) = (&new.name, &old.name);
        Some(format!("duel: {new} against {old}, {}", game.title))
    }
}

/// The faults of each bot, to follow a sentence. A gain over a bot that crashes is no gain in
/// strength.
fn failures<'a>(games: impl IntoIterator<Item = &'a Game>) -> String {
    let mut failed = Vec::new();
    for bot in games.into_iter().flat_map(|game| &game.bots) {
        if bot.faults() > 0 {
            let times = count(bot.faults(), "time", "times");
            failed.push(format!("{} failed {times}", bot.name));
        }
    }
    list(failed.into_iter()).map_or_else(String::new, |failed| format!("; faults: {failed}"))
}

/// The answer of a match if these bots failed in most units.
fn nothing_measured(failed: &[FailedBot], games: &[Game]) -> Option<Sentence> {
    let why = list(failed.iter().map(|failed| {
        let fates = games
            .iter()
            .flat_map(|game| &game.bots)
            .filter(|bot| bot.name == failed.bot)
            .flat_map(|bot| &bot.faults)
            .filter(|(_, times)| **times > 0)
            .map(|(fate, _)| (*fate).to_owned());
        format!("{failed} ({})", list(fates).unwrap_or_default())
    }))?;
    let rest = format!(": {why}; this measures no strength, `arena check` shows why");
    Some(Sentence::new(Tone::Open, "no verdict", rest))
}

/// The result of a run, for reports, which don't know the kind of run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finding {
    /// The answers to the question of the run. Sections don't repeat them.
    pub(crate) answers: Vec<Sentence>,
    pub(crate) outcome: Outcome,
    /// The names of the test suite and of its case for a CI system, if there is one.
    pub(crate) case: Option<[String; 2]>,
    pub(crate) sections: Vec<Section>,
    /// The bots that failed in most units, so that nothing was measured.
    pub(crate) failed: Vec<FailedBot>,
    /// The title of the page, if the name of the run isn't enough.
    pub(crate) title: Option<String>,
    /// Why played games don't count, if there are any.
    pub(crate) unused: String,
    /// What to say of a game if the run has no standings.
    pub(crate) unrated: &'static str,
    /// The key of the finding in `summary.json`, with its value as JSON over several lines.
    pub(crate) data: Option<(&'static str, String)>,
    /// The run that confirms the answer, if the session wants one.
    pub(crate) follow_up: Option<FollowUp>,
    /// Why the run has ended, if its results decide that.
    pub(crate) ended: Option<Ended>,
}

/// Why results ended a run, and how to play on.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// The end of a sentence.
    pub(crate) why: String,
    /// The flags to type.
    pub(crate) how: &'static str,
}

/// A run that confirms what another one found.
#[derive(Clone, Debug)]
pub(crate) struct FollowUp {
    pub(crate) plan: Box<Plan>,
    /// The units of the first run, which tell the folders of several confirming runs apart.
    pub(crate) units: u64,
}

/// Why games in flight don't count when the study ends.
const UNDER_WAY: &str = "under way when it was decided";

/// The state of the question of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It has an answer, which is neither good nor bad.
    #[default]
    Answered,
    /// It is still being played.
    Open,
    /// The bot that the run is about passes its test.
    Passed,
    /// It doesn't.
    Rejected,
    /// The test has no answer, or not yet.
    Undecided,
    /// It can't have an answer.
    NothingMeasured,
}

/// A value as JSON over several lines.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Begins the study of a plan.
pub(crate) fn begin(plan: &Plan) -> Result<Box<dyn Study>, Unsound> {
    let no_bots = || unsound("its bots don't fit its kind of run");
    Ok(match &plan.study {
        StudyPlan::List(_) => Box::new(ListStudy::new(plan)),
        StudyPlan::Sprt(test) => Box::new(SprtStudy::new(plan, *test).ok_or_else(no_bots)?),
        StudyPlan::Sweep(sweep) => Box::new(Contest::new(plan, sweep).map_err(unsound)?),
        StudyPlan::Tune(tune) => Box::new(Tuner::new(plan, tune).ok_or_else(no_bots)?),
        StudyPlan::Import(import) => Box::new(ImportStudy::new(import)),
    })
}

/// The most points of a line in a chart.
const MOST_POINTS: usize = 1000;

/// Returns the path of a line from its start through these heights at equal distances. It may skip
/// some of many heights, but never the last one.
fn line(start: f64, heights: &[f64]) -> String {
    let count = heights.len();
    let step = count.div_ceil(MOST_POINTS).max(1);
    let mut points = vec![(0.0, start)];
    for (at, height) in heights.iter().enumerate() {
        if (count - at - 1).is_multiple_of(step) {
            points.push((WIDTH * (at + 1) as f64 / count as f64, *height));
        }
    }
    path(points.into_iter())
}

/// A place in a schedule. It leaves out the games that a run directory holds.
#[derive(Debug, Default)]
struct Cursor {
    next: u64,
    /// Recorded games from `next` on.
    recorded: RoaringTreemap,
}

impl Cursor {
    /// The next number below `end`.
    fn advance(&mut self, end: u64) -> Option<u64> {
        while self.next < end {
            let number = self.next;
            self.next += 1;
            if !self.recorded.remove(number) {
                return Some(number);
            }
        }
        None
    }

    /// The next game of a schedule.
    fn next_in(&mut self, schedule: &Schedule) -> Next {
        match self.advance(schedule.len()) {
            Some(number) => Next::Play(schedule.fixture(number)),
            None => Next::Done,
        }
    }

    /// Records a game. Returns false if it was recorded before. Callers record each passed number
    /// once; this isn't checked.
    fn record(&mut self, number: u64) -> bool {
        self.has_passed(number) || self.recorded.insert(number)
    }

    /// Returns true if [`Cursor::advance`] has reached the number, so its game is of this session:
    /// games of a run directory are recorded before.
    fn has_passed(&self, number: u64) -> bool {
        number < self.next
    }
}

/// What runs of some kinds have found, for tests of the reports.
#[cfg(test)]
pub(crate) mod examples {
    pub(crate) use super::sprt::tests::{found as accepted, found_clear as clear_case, planned};
    pub(crate) use super::sweep::tests::{found as finished, found_so_far as unfinished};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_skips_points_but_not_its_end() {
        assert_eq!(line(9.0, &[1.0, 2.0]), "M0.0 9.0L500.0 1.0L1000.0 2.0");
        for count in [999, 1000, 1001, 10_000] {
            let mut heights = vec![1.0; count];
            heights[count - 1] = 7.0;
            let drawn = line(9.0, &heights);
            assert!(drawn.ends_with("L1000.0 7.0"), "{drawn}");
            assert!(drawn.matches('L').count() <= MOST_POINTS);
        }
    }

    #[test]
    fn a_single_failure_is_one_time() {
        let report = crate::report::tests::report("x");
        assert_eq!(
            failures(&report.summary.games),
            "; faults: x c failed 1 time"
        );
    }
}
