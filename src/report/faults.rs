//! Which of a run's faults are told in full: a bounded number, the first of every kind.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Blame;
use arena_games::Fate;

/// So many faults of a kind are kept for each bot in each game.
const KEPT: usize = 3;
/// So many faults are told in all.
const TOLD: usize = 60;

/// A bot that failed in a game, as [`Blame`] tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultNote {
    /// The number of the game.
    pub(crate) number: u64,
    /// The id of the game.
    pub(crate) game: String,
    /// The bot.
    pub(crate) bot: String,
    /// Its seat.
    pub(crate) seat: usize,
    /// The turn in which it failed.
    pub(crate) turn: u32,
    /// How it failed.
    pub(crate) fate: Fate,
    /// The time limit that it missed, if that was the failure.
    pub(crate) limit: Option<Duration>,
    /// The line it answered with, if that was the failure.
    pub(crate) reply: Option<String>,
    /// The beginning of a line that it wrote without ending it.
    pub(crate) unfinished: Option<String>,
    /// How its process ended, if it did so by itself.
    pub(crate) exit: Option<String>,
    /// The end of what it wrote to standard error.
    pub(crate) stderr_tail: String,
    /// The command that shows it once more.
    pub(crate) again: String,
}

impl FaultNote {
    fn new(blame: &Blame<'_>) -> FaultNote {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        FaultNote {
            number: blame.number,
            game: blame.game.to_owned(),
            bot: blame.bot.to_owned(),
            seat: blame.seat,
            turn: blame.turn,
            fate: blame.fate,
            limit: blame.limit,
            reply: owned(blame.reply),
            unfinished: owned(blame.unfinished),
            exit: owned(blame.exit),
            stderr_tail: blame.stderr_tail.to_owned(),
            again: blame.again.clone(),
        }
    }

    /// What happened, without a full stop: what came instead of an answer.
    pub(crate) fn what(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.reply.as_ref().map(|reply| format!("answered {:?}", super::shortened(reply))));
        parts.extend(self.limit.map(|limit| format!("no answer within {} ms", limit.as_millis())));
        let unended = |part: &String| format!("only {:?} without an end of line", super::shortened(part));
        parts.extend(self.unfinished.as_ref().map(unended));
        parts.extend(self.exit.clone());
        parts.join(", ")
    }
}

/// Game, bot, and the place of the fate among all fates.
type Kind = (String, String, &'static str);

/// The faults that are told in full. Which these are does not depend on the order in which games ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultLog {
    kinds: BTreeMap<Kind, Vec<FaultNote>>,
}

impl FaultLog {
    /// Whether a fault of this game would be kept.
    pub(crate) fn wants(&self, number: u64, game: &str, bot: &str, fate: Fate) -> bool {
        let kept = self.kinds.get(&(game.to_owned(), bot.to_owned(), fate.into()));
        kept.is_none_or(|kept| kept.len() < KEPT || kept.iter().any(|note| number < note.number))
    }

    /// Keeps a fault, if it is one of the first of its kind.
    pub(crate) fn add(&mut self, blame: &Blame<'_>) {
        let kind = (blame.game.to_owned(), blame.bot.to_owned(), blame.fate.into());
        let kept = self.kinds.entry(kind).or_default();
        let at = kept.partition_point(|note| (note.number, note.seat) < (blame.number, blame.seat));
        kept.insert(at, FaultNote::new(blame));
        kept.truncate(KEPT);
    }

    /// The faults to tell, in the order of the games. Where they are too many, the first of every kind come before the
    /// second of any.
    pub(crate) fn told(&self) -> Vec<FaultNote> {
        let mut notes: Vec<(usize, &FaultNote)> = self.kinds.values().flat_map(|kept| (0..).zip(kept)).collect();
        notes.sort_by_key(|(place, note)| (*place, note.number, note.seat));
        let mut told: Vec<FaultNote> = notes.into_iter().take(TOLD).map(|(_, note)| note.clone()).collect();
        told.sort_by_key(|note| (note.number, note.seat));
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blame(number: u64, bot: &str, fate: Fate) -> Blame<'_> {
        Blame {
            number,
            game: "onitama",
            bot,
            seat: 1,
            turn: 4,
            fate,
            limit: None,
            reply: Some("pass"),
            unfinished: None,
            exit: None,
            stderr_tail: "",
            again: String::new(),
        }
    }

    #[test]
    fn the_first_of_every_kind_are_told_whatever_the_order() {
        let (mut there, mut back) = (FaultLog::default(), FaultLog::default());
        let fate = |number: u64| if number.is_multiple_of(5) { Fate::Crashed } else { Fate::InvalidAction };
        for number in 0..30 {
            there.add(&blame(number, "a", fate(number)));
        }
        for number in (0..30).rev() {
            if back.wants(number, "onitama", "a", fate(number)) {
                back.add(&blame(number, "a", fate(number)));
            }
        }
        assert_eq!(there.told(), back.told());
        assert_eq!(there.told().iter().map(|note| note.number).collect::<Vec<_>>(), [0, 1, 2, 3, 5, 10]);
        assert!(!there.wants(11, "onitama", "a", Fate::Crashed) && there.wants(11, "onitama", "b", Fate::Crashed));
    }

    #[test]
    fn where_there_are_too_many_kinds_each_is_told_once() {
        let mut log = FaultLog::default();
        for number in 0..TOLD as u64 {
            let bot = format!("bot {number}");
            (0..KEPT as u64).for_each(|again| log.add(&blame(100 * again + number, &bot, Fate::Timeout)));
        }
        let told = log.told();
        assert_eq!(told.len(), TOLD);
        assert!(told.iter().all(|note| note.number < TOLD as u64));
    }
}
