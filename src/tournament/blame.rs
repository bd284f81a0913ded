//! Fault details: what is told of a bot that did not come through its game.

use std::path::Path;

use crate::languages;
use crate::plan::Plan;
use crate::process::Launch;
use crate::record::Record;
use crate::report::command_line;
use crate::report::faults::Blame;
use crate::schedule::Fixture;
use crate::store::GameRow;
use arena_games::Fate;

/// What an author is told of the bot in this seat, which failed in the game of `fixture`.
pub(super) fn blame(
    plan: &Plan,
    out: &Path,
    fixture: &Fixture,
    (row, record): (&GameRow, &Record),
    seat: usize,
) -> Blame {
    let left = record.faults.iter().find(|fault| fault.player == seat).cloned();
    let left = left.unwrap_or_default();
    let answers = record.steps.iter().filter(|step| step.player == seat).count();
    let last = record.steps.iter().rev().find(|step| step.player == seat);
    let fate = row.seats[seat].fate;
    let limit = plan.games[fixture.game].clock.limit(answers <= 1);
    let bot = &plan.bots[fixture.seating[seat]];
    let bot = fixture.values.get(seat).map_or_else(|| bot.clone(), |values| bot.filled(values));
    // The source may be gone since.
    let resolved = languages::resolved(&plan.languages, &bot).map_or(bot, |(bot, _)| bot);
    Blame {
        number: row.number,
        game: row.game.clone(),
        bot: row.seats[seat].bot.clone(),
        seat,
        turn: last.map_or(0, |step| step.turn),
        fate,
        limit_ms: (fate == Fate::Timeout).then(|| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
        reply: last.and_then(|step| step.output.clone()),
        unfinished: left.unfinished,
        exit: left.exit,
        stderr_tail: left.stderr,
        again: again(out, row.number, seat, &started(&resolved, fixture.bot_seed(seat))),
    }
}

/// The command line that started the bot, with its environment.
fn started(bot: &Launch, seed: u64) -> String {
    let Launch { command, env, .. } = bot.seeded(seed);
    let given = (!env.contains_key("ARENA_SEED")).then(|| ("ARENA_SEED".to_owned(), seed.to_string()));
    let mut words: Vec<String> = Vec::new();
    for (key, value) in given.into_iter().chain(env) {
        // Only the value is quoted: a shell takes no quoted name for a variable.
        words.push(format!("{key}={}", command_line(&[value])));
    }
    words.push(command_line(&command));
    words.join(" ")
}

/// What shows the bot's end once more.
fn again(out: &Path, number: u64, seat: usize, started: &str) -> String {
    let out = command_line(&[out.display().to_string()]);
    format!("arena replay {out} --game {number} --as-input {seat} | {started}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_is_told_can_be_typed() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let env = BTreeMap::from([("MODE".to_owned(), "a {seed}".to_owned())]);
        let command = words(&["./my bot", "--seed", "{seed}"]);
        let bot = Launch { name: "mine".into(), command, env, read: Vec::new() };
        assert_eq!(
            again(Path::new("results/my run"), 17, 1, &started(&bot, 5)),
            "arena replay 'results/my run' --game 17 --as-input 1 | ARENA_SEED=5 MODE='a 5' './my bot' --seed 5"
        );
    }
}
