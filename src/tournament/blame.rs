//! Fault details: what happened to a bot that failed in a game.

use std::path::Path;

use super::reading::Reading;
use crate::play::Step;
use crate::play::record::Record;
use crate::standings::faults::FaultDetails;
use crate::store::GameRow;
use arena_games::Fate;
use arena_schedule::Fixture;
use arena_section::text::command_line;

impl Reading<'_> {
    /// Returns the details of a fault in the game of `fixture`, for the author of the bot.
    pub(super) fn blame(
        &self,
        fixture: &Fixture,
        (row, record): (&GameRow, &Record),
        seat: usize,
    ) -> FaultDetails {
        let left = record.faults.iter().find(|fault| fault.player == seat);
        let left = left.cloned().unwrap_or_default();
        let steps = record.steps.iter().filter(|step| step.player == seat);
        let steps: Vec<&Step> = steps.collect();
        let last = steps.last();
        let (bot, fate) = (row.seats[seat].bot.clone(), row.seats[seat].fate);
        let limit = self.plan.games[fixture.game].clock.fixed(steps.len() <= 1);
        let limit = limit.filter(|_| fate == Fate::Timeout);
        FaultDetails {
            number: row.number,
            game: row.game.clone(),
            seat,
            turn: last.map_or(0, |step| step.turn),
            fate,
            limit_ms: limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            reply: last.and_then(|step| Some(step.output.as_ref()?.to_string())),
            unfinished: left.unfinished,
            exit: left.exit,
            stderr_tail: left.stderr,
            again: again(self.out, row.number, seat, &bot, fixture.bot_seed(seat)),
            bot,
        }
    }
}

/// Returns a command that repeats the last turn of the bot, in the same sandbox.
fn again(out: &Path, number: u64, seat: usize, bot: &str, seed: u64) -> String {
    let [out, bot] = [&out.display().to_string(), bot].map(|word| command_line(&[word.to_owned()]));
    format!(
        "arena replay {out} {number} --as-input {seat} | arena start --run {out} --seed {seed} {bot}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_can_be_typed() {
        assert_eq!(
            again(Path::new("results/my run"), 17, 1, "my bot", 5),
            "arena replay 'results/my run' 17 --as-input 1 | \
             arena start --run 'results/my run' --seed 5 'my bot'"
        );
    }
}
