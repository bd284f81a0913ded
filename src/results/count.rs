//! Counts of games: how bots fared, and which bots were compared in each unit. Runs and
//! `arena rate` count with this. The order of the games doesn't matter.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::bots::{BotCount, mean};
use super::compared::{Compared, joined, same_moves};
use super::evidence::{Evidence, Meetings, distinct, meetings};
use super::pair::{Met, Pair, Stop, WinsDrawsLosses};
use super::repeats::{Repeats, move_for_move};
use super::result::SeatResult;
use super::units::Units;
use super::{GameResult, Unfit};
use crate::plan::UnitSize;
use arena_games::Fate;
use arena_schedule::UnitDesign;
use arena_stats::ratings::{Comparison, Unit, first_player_scores};
use arena_stats::scores::UnitScores;

/// The games of one game and design, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    pub(crate) design: UnitDesign,
    pub(crate) games: u64,
    pub(crate) bots: Vec<BotCount>,
    index: FxHashMap<String, usize>,
    /// Whether the seed of a game decides more than the order of lists.
    seed_decides: bool,
    pub(crate) evidence: Evidence,
    open: Units<Compared>,
    /// The number of the run that is counted.
    run: usize,
    /// Units of earlier runs that lack a game.
    incomplete_units: u64,
    repeated_games: Repeats,
    repeated_units: Repeats,
    /// Whole units of every two bots that repeat another one move for move. They count, but add no
    /// evidence.
    repeated_of: BTreeMap<(usize, usize), u64>,
    /// Whole units in which the games had the same moves with swapped seats.
    units_with_same_moves: u64,
}

/// Games between two bots, counted: a line of a table of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountRow {
    /// The bot that moved first.
    pub(crate) first: String,
    pub(crate) second: String,
    /// Games that `first` won, drew and lost.
    pub(crate) wins_draws_losses: [u64; 3],
}

impl Count {
    /// Counts nothing yet.
    pub(crate) fn new(size: UnitSize, seed_decides: bool) -> Count {
        Count {
            design: size.design,
            seed_decides,
            open: Units::as_they_end(size.games),
            ..Count::default()
        }
    }

    /// Ends the games of a run and begins those of the run with this number, which has so many
    /// games in a unit.
    pub(super) fn begin_run(&mut self, run: usize, games_in_unit: u64) {
        self.run = run;
        self.incomplete_units += self.open.open();
        self.open = Units::as_they_end(games_in_unit);
    }

    /// Returns the number of a bot. A new name gets the next number.
    pub(crate) fn bot(&mut self, name: &str) -> usize {
        *self.index.entry(name.to_owned()).or_insert_with(|| {
            self.bots.push(BotCount::new(name, self.design.seats));
            self.bots.len() - 1
        })
    }

    /// Whether a bot has played.
    pub(super) fn has(&self, name: &str) -> bool {
        matches!(self.index.get(name), Some(&bot) if self.bots[bot].games > 0)
    }

    /// Returns a game with the bots by number.
    pub(crate) fn game(&mut self, result: &GameResult) -> Compared {
        let bot = |seat: &SeatResult| self.bot(&seat.bot);
        let bots = result.seats.iter().map(bot).collect();
        Compared::new(result, bots, self.seed_decides)
    }

    /// Counts a game.
    pub(crate) fn add(&mut self, result: &GameResult) -> Result<(), Unfit> {
        let game = self.game(result);
        self.add_game(result, game)
    }

    /// Counts a game whose bots have these numbers.
    pub(crate) fn add_game(&mut self, result: &GameResult, game: Compared) -> Result<(), Unfit> {
        if game.bots.len() != self.design.seats {
            return Err(Unfit::NotPlanned(result.number));
        }
        self.games += 1;
        self.repeated_games.add(std::slice::from_ref(&game));
        for (at, &bot) in game.bots.iter().enumerate() {
            let counted = &mut self.bots[bot];
            counted.games += u64::from(!game.bots[..at].contains(&bot));
            if result.seats[at].fate != Fate::Ok {
                let fate = result.seats[at].fate.into();
                *counted.faults.entry(fate).or_default() += 1;
            }
        }
        // A bot that plays alone has a result once the others have played on the seed.
        if self.design != UnitDesign::ALONE {
            self.add_results(&game);
        }
        for (_, unit) in self.open.add(result.unit, game) {
            self.close_unit(&unit, result.seed);
        }
        Ok(())
    }

    fn add_results(&mut self, game: &Compared) {
        for (seat, &place) in game.places.iter().enumerate() {
            let bot = &mut self.bots[game.bots[seat]];
            bot.seats += 1;
            bot.places += place as u64;
            bot.firsts += game.firsts(place);
        }
        for (seat, bot, outcome) in game.outcomes() {
            self.bots[bot].compared(seat, outcome, 1);
        }
    }

    /// Counts a complete unit.
    fn close_unit(&mut self, unit: &[Compared], seed: i64) {
        let games = joined(unit);
        if self.design == UnitDesign::ALONE {
            for game in games.iter() {
                self.add_results(game);
                self.add_scores(game);
            }
        }
        let compared = games.iter().flat_map(Compared::comparisons);
        let met = meetings(compared.map(|(_, two)| two), self.design.seats == 2);
        let played = move_for_move(unit);
        self.evidence.add_unit(met, (self.run, seed), played);
        self.add_places(unit);
        self.units_with_same_moves += u64::from(same_moves(unit));
        let repeats = self.repeated_units.add(unit);
        if repeats > 0 {
            let bots: BTreeSet<usize> = unit.iter().flat_map(|game| &game.bots).copied().collect();
            for &one in &bots {
                for &other in bots.range(one + 1..) {
                    *self.repeated_of.entry((one, other)).or_default() += repeats;
                }
            }
        }
    }

    /// Counts the scores of bots that played alone.
    fn add_scores(&mut self, game: &Compared) {
        let mut ok: Vec<_> = game.bots.iter().zip(&game.values).collect();
        ok.retain(|(bot, _)| !game.failed.contains(bot));
        let best = ok.iter().map(|(_, value)| **value).max().unwrap_or(0);
        for (&bot, &value) in ok {
            self.bots[bot].alone.add(value, best, game.lower_is_better);
        }
    }

    /// Counts the places of a complete unit if they say more than who won.
    fn add_places(&mut self, unit: &[Compared]) {
        if self.design.seats < 3 {
            return;
        }
        // The seats of each bot, the places below the first, and the first places.
        let mut sums: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
        for game in unit {
            for (seat, &place) in game.places.iter().enumerate() {
                let sum = sums.entry(game.bots[seat]).or_default();
                sum[0] += 1;
                sum[1] += place.saturating_sub(1) as u64;
                sum[2] += game.firsts(place);
            }
        }
        for (bot, sum) in sums {
            *self.bots[bot].unit_places.entry(sum).or_default() += 1;
        }
    }

    /// Counts games of two bots, each as a unit. More than can be counted exactly are an error.
    pub(crate) fn add_counted(&mut self, row: &CountRow) -> Result<(), Unfit> {
        let [first, second] = [&row.first, &row.second].map(|name| self.bot(name));
        let [wins, draws, losses] = row.wins_draws_losses;
        for (outcome, count) in [(Greater, wins), (Equal, draws), (Less, losses)] {
            self.games = self.games.saturating_add(count);
            let sides = [(0, first, outcome), (1, second, outcome.reverse())];
            for (seat, bot, outcome) in sides {
                let bot = &mut self.bots[bot];
                bot.games = bot.games.saturating_add(count);
                bot.compared(seat, outcome, count);
            }
            let met = Comparison {
                first,
                second,
                outcome,
            };
            if count > 0 {
                self.evidence.add(meetings([met].into_iter(), true), count);
            }
        }
        Ok(UnitScores::from_values([(0.0, self.games)]).map(drop)?)
    }

    /// The number of whole units.
    pub(crate) fn units(&self) -> u64 {
        self.evidence.units()[0]
    }

    /// The number of seeds, if units share them.
    pub(crate) fn shared_seeds(&self) -> Option<u64> {
        let [units, seeds] = self.evidence.units();
        (seeds < units).then_some(seeds)
    }

    /// Independent evidence, and how much of it repeats other evidence: units, or the seeds of each
    /// pairing if units share them.
    fn repeats(&self) -> [u64; 2] {
        if self.shared_seeds().is_none() {
            return [self.units(), self.repeated_units.count()];
        }
        let mut sums = [0, 0];
        for (scores, distinct) in self.meetings().values().filter_map(Meetings::independent) {
            sums[0] += scores.units();
            sums[1] += scores.units() - distinct;
        }
        sums
    }

    /// Whether evidence repeats itself.
    pub(crate) fn has_repeats(&self) -> bool {
        self.repeats()[1] > 0
    }

    /// Independent evidence that repeats no other.
    pub(crate) fn distinct_units(&self) -> u64 {
        let [all, repeated] = self.repeats();
        distinct(all, repeated)
    }

    /// The units that repeat no other one, of so many independent ones.
    pub(super) fn distinct_of(&self, units: u64) -> u64 {
        let [all, repeated] = self.repeats();
        let left = u128::from(units) * u128::from(distinct(all, repeated)) / u128::from(all.max(1));
        u64::try_from(left).unwrap_or(units).max(1)
    }

    /// The number of units that lack a game.
    pub(crate) fn incomplete_units(&self) -> u64 {
        self.incomplete_units + self.open.open()
    }

    /// The games that repeat others move for move.
    pub(crate) fn repeated_games(&self) -> u64 {
        self.repeated_games.count()
    }

    /// Whether the bots played the same moves as each other in all whole units.
    pub(crate) fn same_moves(&self) -> bool {
        self.units() > 0 && self.units_with_same_moves == self.units()
    }

    /// The value of moving first, from the scores of all first movers. With more than two seats
    /// all bots act at once, or the order means something else.
    pub(crate) fn first_player(&self, stop: &Stop) -> Option<Met> {
        if self.design.seats != 2 {
            return None;
        }
        let units: Vec<Unit> = self.evidence.independent().collect();
        let scores = first_player_scores(&units).ok()?;
        // A test stops because of its bots, whose scores limit those of first movers.
        let stop = match stop {
            Stop::Announced => Stop::Announced,
            Stop::Watched | Stop::Test { .. } => Stop::Watched,
        };
        let distinct = self.distinct_of(scores.units());
        let by = stop.estimate("", &scores, self.design.games_per_unit, distinct)?;
        Met::new(scores.units(), &scores, by)
    }

    /// Every two bots that met in whole units. The bot with the lower number comes first.
    pub(super) fn meetings(&self) -> BTreeMap<(usize, usize), Meetings> {
        let mut meetings = self.evidence.meetings();
        let (is_only, all) = (self.repeated_of.len() == 1, self.repeated_units.count());
        for (bots, &repeated) in &self.repeated_of {
            if let Some(met) = meetings.get_mut(bots) {
                met.repeated = if is_only { all } else { repeated };
            }
        }
        meetings
    }

    /// The results of every two bots that met, in the same order.
    pub(crate) fn results(&self) -> BTreeMap<(usize, usize), WinsDrawsLosses> {
        self.evidence
            .meetings()
            .into_iter()
            .map(|(bots, met)| (bots, WinsDrawsLosses::of(met.ldw)))
            .collect()
    }

    /// What is known of every two bots that met, from the side of the one with the lower number.
    pub(crate) fn pairs(&self, stop: &Stop) -> Vec<Pair> {
        self.meetings()
            .iter()
            .filter_map(|(bots, met)| self.pair_of(*bots, met, stop))
            .collect()
    }

    /// What is known of two bots, from the side of the first; `None` if they never met.
    pub(crate) fn pair(&self, (one, other): (usize, usize), stop: &Stop) -> Option<Pair> {
        let bots = (one.min(other), one.max(other));
        let met = self.meetings().remove(&bots)?;
        let pair = self.pair_of(bots, &met, stop)?;
        if one <= other {
            return Some(pair);
        }
        // Both sides see the same estimate to the last digit.
        let by = pair.met.by.reversed();
        let mut pair = self.pair_of((one, other), &met.reversed(), stop)?;
        pair.met.by = by;
        Some(pair)
    }

    fn pair_of(&self, bots: (usize, usize), met: &Meetings, stop: &Stop) -> Option<Pair> {
        let names = [bots.0, bots.1].map(|bot| &*self.bots[bot].name);
        let mut pair = Pair::new(names, self.design, met, stop)?;
        pair.same_moves = self.same_moves();
        Some(pair)
    }
}

/// The mean score of these losses, draws and wins, if there are any.
pub(crate) fn score(ldw: [u64; 3]) -> Option<f64> {
    let [losses, draws, wins] = ldw.map(|count| count as f64);
    mean(wins + draws / 2.0, wins + draws + losses)
}

#[cfg(test)]
mod tests;
