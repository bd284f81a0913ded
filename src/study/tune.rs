//! A tuning: the parameters of a bot move towards values that win more.

use super::confirm;
use super::{
    Content, Context, Finding, FollowUp, Introduction, Live, LiveBlock, Next, Outcome, Study,
    UNDER_WAY, Verdict, json,
};
use crate::plan::{Plan, Tune};
use crate::results::{GameResult, Unfit};
use crate::standings::Tally;
use arena_schedule::Fixture;
use arena_section::{Part, Section, Sentence, Tone};
pub(crate) use summary::TuneSummary;
pub(super) use tuner::Tuner;

mod charts;
pub(super) mod summary;
mod tuner;
mod words;

impl Study for Tuner {
    fn next(&mut self) -> Next {
        if self.end.is_some() {
            return Next::Done;
        }
        if let Some(number) = self.cursor.advance(self.known_to())
            && let Some(fixture) = self.fixture(number)
        {
            return Next::Play(fixture);
        }
        Next::Wait
    }

    fn record(&mut self, result: &GameResult) -> Result<Verdict, Unfit> {
        if !self.is_due(result.number) || !self.cursor.record(result.number) {
            return Ok(Verdict::Discard);
        }
        self.add(result)?;
        // The sides have other values from unit to unit.
        Ok(Verdict::Keep { is_rated: false })
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        self.fixture(number)
    }

    fn wants(&self, number: u64) -> bool {
        self.is_due(number)
    }

    fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    fn introduction(&self) -> Introduction {
        let tune = TuneSummary::new(self);
        Introduction {
            question: vec![words::question(&tune)],
            may_end_early: tune.end.is_none(),
            extension: "a tuning has no planned length, nothing before changes",
        }
    }

    fn live(&self, _: &Tally) -> Live {
        let tune = TuneSummary::new(self);
        Live {
            blocks: vec![LiveBlock {
                line: words::standing(&tune),
                title: words::progress(&tune),
                table: Some(words::bars(&tune)),
                ..LiveBlock::default()
            }],
            ..Live::default()
        }
    }

    fn finding(&self, seen: &Context<'_>) -> Finding {
        let mut tune = TuneSummary::new(self);
        tune.confirm = confirm::tuned(seen, &tune);
        let outcome = match self.end {
            _ if tune.is_in_vain() => Outcome::NothingMeasured,
            Some(_) => Outcome::Answered,
            None if tune.units == 0 => Outcome::Undecided,
            None => Outcome::Open,
        };
        let mut parts = vec![Part {
            notes: words::notes(&tune),
            command: tune.confirm.clone(),
            ..Part::new("", words::table(&tune))
        }];
        parts.extend(charts::part(&tune));
        let lead = Sentence::new(Tone::Plain, &tune.bot, words::size(&tune));
        let confirming = confirm::confirming(seen.plan, &tune);
        Finding {
            answers: vec![words::answer(&tune)],
            outcome,
            failed: self.failures.at_first(),
            case: Some(["tune".to_owned(), tune.bot.clone()]),
            sections: vec![Section::new("tune", "Tuning", vec![lead], parts)],
            unused: UNDER_WAY.to_owned(),
            unrated: "The sides of a tuning have other values from unit to unit, and no standings",
            data: Some(("tune", json(&tune))),
            follow_up: confirming.map(|plan| FollowUp {
                plan: Box::new(plan),
                units: tune.units,
            }),
            ..Finding::default()
        }
    }

    /// The blocks, and the bot with its answer as a part of a config.
    fn files(&self, plan: &Plan) -> Vec<(&'static str, Content)> {
        let tune = TuneSummary::new(self);
        let mut files = vec![(Tune::TABLE, Content::Table(words::blocks(&tune)))];
        if tune.has_answer()
            && let Some(tuned) = words::tuned(&tune, plan)
        {
            files.push((Tune::TUNED, Content::Text(tuned)));
        }
        files
    }
}
