//! A sweep: variants of one bot race against the same opponents on the same seeds.

use super::confirm;
use super::{
    Content, Context, Finding, Introduction, Live, LiveBlock, MORE_AFTER_A_LOOK, Next, Outcome,
    Study, Verdict, json,
};
use crate::plan::{Plan, Sweep};
use crate::results::{Compared, GameResult, Stop, Unfit};
use crate::standings::Tally;
use arena_schedule::Fixture;
use arena_section::{Part, Section, Sentence, Tone};
pub(super) use contest::Contest;
use contest::Status;
pub(crate) use summary::SweepSummary;

mod axes;
mod charts;
mod contest;
pub(super) mod summary;
#[cfg(test)]
pub(super) mod tests;
mod words;

impl Study for Contest {
    /// While a block isn't complete, workers play the next one for the variants that remain: they
    /// have nothing better to do.
    fn next(&mut self) -> Next {
        while !self.has_ended()
            && let Some(number) = self.cursor.advance(self.schedule.len())
        {
            if self.status(number) != Status::Skip {
                return Next::Play(self.schedule.fixture(number));
            }
        }
        Next::Done
    }

    fn record(&mut self, result: &GameResult) -> Result<Verdict, Unfit> {
        let number = result.number;
        if self.status(number) != Status::Play || !self.cursor.record(number) {
            return Ok(Verdict::Discard);
        }
        let seating = self.schedule.fixture(number).seating;
        self.add(number, Compared::new(result, seating, false))?;
        Ok(Verdict::KEEP)
    }

    fn recall(&self, number: u64) -> Option<Fixture> {
        (number < self.schedule.len()).then(|| self.schedule.fixture(number))
    }

    fn wants(&self, number: u64) -> bool {
        self.status(number) != Status::Skip
    }

    fn has_ended(&self) -> bool {
        self.race.end().is_some()
    }

    /// Results decide how many units a variant plays.
    fn stop(&self) -> Option<Stop> {
        Some(Stop::Watched)
    }

    fn introduction(&self) -> Introduction {
        Introduction {
            question: vec![words::question(&SweepSummary::of(self))],
            may_end_early: true,
            extension: MORE_AFTER_A_LOOK,
        }
    }

    fn live(&self, _: &Tally) -> Live {
        let sweep = SweepSummary::of(self);
        Live {
            // The end of a race is unknown.
            share: Some(0.0),
            games_left: None,
            blocks: vec![LiveBlock::line(words::standing(&sweep))],
        }
    }

    fn finding(&self, seen: &Context<'_>) -> Finding {
        let mut sweep = SweepSummary {
            too_repetitive: seen.is_too_repetitive(),
            ..SweepSummary::of(self)
        };
        sweep.confirm = confirm::leader(seen, &sweep);
        finding(&sweep)
    }

    /// The variants in the order of the plan.
    fn files(&self, _: &Plan) -> Vec<(&'static str, Content)> {
        let sweep = SweepSummary::of(self);
        let table = words::table(&sweep, &Vec::from_iter(&sweep.variants));
        vec![(Sweep::TABLE, Content::Table(table))]
    }
}

fn finding(sweep: &SweepSummary) -> Finding {
    let (outcome, or_over) = match sweep.end {
        Some(_) => (Outcome::Answered, " or the race was over"),
        None if sweep.leader.is_none() => (Outcome::Undecided, ""),
        None => (Outcome::Open, ""),
    };
    let mut parts = vec![Part {
        notes: words::notes(sweep),
        command: sweep.confirm.clone(),
        ..Part::new("", words::table(sweep, &sweep.ranking()))
    }];
    parts.extend(charts::part(sweep));
    let lead = Sentence::new(Tone::Plain, &sweep.bot, words::size(sweep));
    Finding {
        answers: vec![words::answer(sweep)],
        outcome,
        case: Some(["sweep".to_owned(), sweep.bot.clone()]),
        sections: vec![Section::new("sweep", "Sweep", vec![lead], parts)],
        unused: format!("started before their variant was dropped{or_over}"),
        unrated: "Elo is in the table of the sweep",
        data: Some(("sweep", json(sweep))),
        ..Finding::default()
    }
}
