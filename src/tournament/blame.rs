//! Fault details: what happened to a bot that failed in a game.

use std::path::Path;

use super::reading::Reading;
use crate::play::Step;
use crate::play::foreign::said_about;
use crate::results::StoredGame;
use crate::standings::faults::FaultDetails;

use arena_games::Fate;
use arena_process::slashed;
use arena_schedule::Fixture;
use arena_section::text::word;

impl Reading<'_> {
    /// Returns the details of a fault in the game of `fixture`, for the author of the bot.
    pub(super) fn blame(
        &self,
        fixture: &Fixture,
        StoredGame { result, record }: &StoredGame,
        seat: usize,
    ) -> FaultDetails {
        let left = record.faults.iter().find(|fault| fault.player == seat);
        let left = left.cloned().unwrap_or_default();
        let mut steps: Vec<&Step> = record.steps.iter().collect();
        steps.retain(|step| step.player == seat);
        // A referee may still send a bot that failed what happens.
        let failed = steps.iter().position(|step| step.output.is_none());
        let answered = steps.iter().rposition(|step| !step.is_idle());
        let at = failed.or(answered).unwrap_or_default();
        let last = steps.get(at);
        let (bot, fate) = (result.seats[seat].bot.clone(), result.seats[seat].fate);
        let limit = self.plan.games[fixture.game].clock.fixed(at == 0);
        // A battle of the site calls every failure a timeout, and its bots have no programs here.
        let is_imported = self.plan.study.is_imported();
        let names: Vec<String> = result.seats.iter().map(|seat| seat.bot.clone()).collect();
        let said = said_about(&record.steps, &record.shown, seat, &names);
        let limit = limit.filter(|_| fate == Fate::Timeout && !is_imported);
        let start = if is_imported {
            "./bot".to_owned()
        } else {
            of_run(self.out, &bot, fixture.bot_seed(seat))
        };
        FaultDetails {
            number: result.number,
            game: result.game.clone(),
            seat,
            turn: last.map_or(0, |step| step.turn),
            fate,
            limit_ms: limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            reply: last.and_then(|step| Some(step.output.as_ref()?.to_string())),
            unfinished: left.unfinished,
            exit: left.exit,
            said: said.filter(|_| fate == Fate::InvalidAction),
            stderr_tail: left.stderr,
            again: again(self.out, result.number, seat, &start),
            bot,
        }
    }
}

/// Returns a command that repeats the last turn of the bot, in the same sandbox.
fn again(out: &Path, number: u64, seat: usize, start: &str) -> String {
    let out = word(slashed(out));
    format!("arena replay {out} {number} --as-input {seat} | arena start {start}")
}

/// Returns the arguments that start a bot of a run.
fn of_run(out: &Path, bot: &str, seed: u64) -> String {
    let out = word(slashed(out));
    format!("--run {out} --seed {seed} {}", word(bot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_can_be_typed() {
        let out = Path::new("results/my run");
        assert_eq!(
            again(out, 17, 1, &of_run(out, "my bot", 5)),
            "arena replay 'results/my run' 17 --as-input 1 | \
             arena start --run 'results/my run' --seed 5 'my bot'"
        );
    }
}
