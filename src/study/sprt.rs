//! A sequential test: two bots play until one of two hypotheses about their strength is accepted.

use super::{
    Content, Context, Cursor, Finding, Introduction, Live, LiveBlock, Next, Outcome, Study,
    UNDER_WAY, Verdict, failures, json, nothing_measured,
};
use crate::plan::{Plan, SprtPlan};
use crate::results::{AfterUnit, GameResult, Match, Rule, Stop, Unfit};
use crate::standings::tables::same_program;
use crate::standings::{Game, Tally};
use arena_schedule::{Fixture, Schedule};
use arena_section::{Part, Section};
pub(crate) use test::SprtSummary;
use test::{Decision, summary};

mod chart;
mod test;
#[cfg(test)]
pub(super) mod tests;
mod words;

/// A sequential test: its units are played until it is decided.
pub(super) struct SprtStudy {
    plan: SprtPlan,
    schedule: Schedule,
    cursor: Cursor,
    test: Match,
}

impl SprtStudy {
    /// The test of a plan before its first game; `None` if the plan lacks its game or its bots.
    pub(super) fn new(plan: &Plan, sprt: SprtPlan) -> Option<SprtStudy> {
        Some(SprtStudy {
            test: Match::new(plan, |size| Rule::test(&sprt, size))?,
            plan: sprt,
            schedule: plan.schedule(),
            cursor: Cursor::default(),
        })
    }

    /// What the test has found. Its estimate is that of the standings.
    fn summary(&self, games: &[Game]) -> SprtSummary {
        summary(&self.plan, &self.test, games.first().and_then(Game::pair))
    }
}

impl Study for SprtStudy {
    fn next(&mut self) -> Next {
        if self.test.has_ended() {
            return Next::Done;
        }
        self.cursor.next_in(&self.schedule)
    }

    fn record(&mut self, result: &GameResult) -> Result<Verdict, Unfit> {
        if self.test.has_ended() || !self.cursor.record(result.number) {
            return Ok(Verdict::Discard);
        }
        self.test.add(result)?;
        Ok(Verdict::KEEP)
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        (number < self.schedule.len()).then(|| self.schedule.fixture(number))
    }

    fn has_ended(&self) -> bool {
        self.test.has_ended()
    }

    /// After a decision, or at the maximum of units, the estimate of the test is in force.
    fn stop(&self) -> Option<Stop> {
        self.test.stop()
    }

    fn introduction(&self) -> Introduction {
        Introduction {
            question: words::question(&self.summary(&[])),
            may_end_early: true,
            extension: "an undecided test may continue, its error rates hold",
        }
    }

    fn live(&self, tally: &Tally) -> Live {
        let stop = self.stop().unwrap_or(Stop::Watched);
        let test = self.summary(&tally.standings(&stop));
        Live {
            share: Some(test.by_bets().max(test.progress)),
            games_left: test.expected_games_left,
            blocks: vec![LiveBlock::line(words::standing(&test))],
        }
    }

    fn finding(&self, seen: &Context<'_>) -> Finding {
        let failed = self.test.failed();
        let test = self.summary(seen.games);
        let same = |game| same_program(game, &test.candidate);
        let same: String = seen.games.iter().map(same).collect();
        let mut found = finding(&test, &self.test.history, &(same + &failures(seen.games)));
        if let Some(nothing) = nothing_measured(&failed, seen.games) {
            (found.answers, found.outcome) = (vec![nothing], Outcome::NothingMeasured);
        }
        Finding {
            failed,
            title: seen.duel(),
            ..found
        }
    }

    fn files(&self, _: &Plan) -> Vec<(&'static str, Content)> {
        let table = words::history(&self.summary(&[]), &self.test.history);
        vec![(SprtPlan::TABLE, Content::Table(table))]
    }
}

/// Returns the finding of a test, given its state after each unit and the faults of its bots.
fn finding(test: &SprtSummary, history: &[AfterUnit], failures: &str) -> Finding {
    let part = Part {
        charts: Vec::from_iter(chart::chart(test, history)),
        notes: words::notes(test),
        ..Part::default()
    };
    let lead = Vec::from_iter(words::verdict(test, history));
    Finding {
        answers: vec![words::answer(test, failures)],
        outcome: match test.verdict {
            Some(Decision::Accepted) => Outcome::Passed,
            Some(Decision::Rejected) => Outcome::Rejected,
            Some(Decision::Inconclusive) | None => Outcome::Undecided,
        },
        case: Some(["sprt", "verdict"].map(str::to_owned)),
        sections: vec![Section::new("sprt", "Sequential test", lead, vec![part])],
        unused: UNDER_WAY.to_owned(),
        data: Some(("sprt", json(test))),
        ..Finding::default()
    }
}
