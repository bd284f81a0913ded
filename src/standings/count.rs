//! Counts of games: how bots fared, and which bots were compared in each unit. Runs, sequential
//! tests and `arena rate` all count with this. The order of the games doesn't matter.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, Hash};

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::Serialize;

use super::game::Misfit;
use super::stop::Stop;
use super::units::{Units, add_to_unit};
use crate::store::{CountRow, GameRow};
use arena_games::Fate;
use arena_schedule::UnitDesign;
use arena_stats::StatsError;
use arena_stats::anytime::times_as_wide;
use arena_stats::elo::{MatchElo, match_elo, match_elo_of};
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::ratings::{
    self, BotRating, Comparison, Ratings, Settings, Unit, first_player_scores, half_points,
};
use arena_stats::scores::UnitScores;

/// The parts of a first place, which up to eight seats share. Integers make sums independent of the
/// order of the games.
const PARTS: u64 = 720_720;

/// The games of one design, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    pub(crate) design: UnitDesign,
    pub(crate) games: u64,
    pub(crate) bots: Vec<BotCount>,
    index: FxHashMap<String, usize>,
    /// How many complete units have the same comparisons. With four seats nearly all differ, and
    /// there may be millions.
    units: BTreeMap<Box<[Meeting]>, Copies>,
    /// The comparisons of complete units on seeds that pairings share, by seed.
    shared: BTreeMap<i64, Vec<Meeting>>,
    /// Whether pairings share seeds in the games that [`Count::add`] counts.
    pub(crate) shares_seeds: bool,
    /// The number of games in each unit that [`Count::add`] counts.
    games_in_unit: u64,
    open: Units<CountedGame>,
    /// Units that will never be complete.
    incomplete_units: u64,
    /// Complete units that repeat another one move for move, of all bots and of every two of them.
    /// They count, but add no evidence.
    pub(crate) repeated: u64,
    pub(crate) repeated_of: BTreeMap<(usize, usize), u64>,
}

/// The games of one bot, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct BotCount {
    pub(crate) name: String,
    pub(crate) games: u64,
    /// Comparisons lost, drawn and won, by seat, including those of incomplete units.
    pub(crate) by_seat: Vec<[u64; 3]>,
    /// The number of seats in all games.
    seats: u64,
    /// The sum of the places of all seats.
    places: u64,
    /// First places, in [`PARTS`]. A shared one counts in part.
    firsts: u64,
    /// The number of complete units in games of more than two seats, by seats, places below the
    /// first, and first places.
    unit_places: BTreeMap<[u64; 3], u64>,
    /// The scores of games of one seat in complete units.
    pub(crate) alone: AloneScores,
}

/// How many units have the same comparisons.
#[derive(Clone, Copy, Debug, Default)]
struct Copies {
    all: u64,
    /// Those on their own seeds.
    alone: u64,
}

/// Two bots in a unit, by number, and the comparisons that the first one lost, drew and won. With
/// two seats the first bot is the one that moved first, otherwise the one with the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Meeting {
    first: u32,
    second: u32,
    ldw: [u8; 3],
}

/// A game, until its unit is complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedGame {
    /// The bots, by seat.
    pub(crate) bots: Vec<usize>,
    /// The bots that failed.
    pub(crate) failed: Vec<usize>,
    scores: Vec<i32>,
    /// The places from 1, by seat.
    places: Vec<usize>,
    /// A digest of what was played, whoever the bots are; 0 if that isn't known.
    pub(crate) moves: u64,
}

/// The complete units of two bots, from the side of the first one.
#[derive(Default)]
pub(crate) struct Pairing {
    /// Comparisons lost, drawn and won.
    pub(crate) ldw: [u64; 3],
    /// The number of units for each result.
    units: BTreeMap<[u8; 3], u64>,
}

/// Ratings of some of the bots of a [`Count`].
pub(crate) struct Rated {
    pub(crate) ratings: Ratings,
    /// The names of the rated bots, in groups linked by results both ways.
    pub(crate) groups: Vec<Vec<String>>,
    /// The rated bots by number.
    bots: Vec<usize>,
    /// The index of each bot in the ratings, beyond their end if the bot wasn't rated.
    places: Vec<usize>,
    /// The match of two bots, from the side of the one with the lower number.
    of_two: Option<Estimate>,
    /// The interval of each of two bots, by its place.
    ends_of_two: Vec<[f64; 2]>,
    /// The looks that the intervals are valid for.
    pub(super) holds: Holds,
    /// How many times as wide as the fit says intervals are because of repeated units, and if they
    /// hold at every look.
    pub(super) width: f64,
    /// The bots whose results against each other the ratings don't fit, the most surprising first;
    /// empty until [`Count::test_fit`].
    pub(super) misfits: Vec<Misfit>,
    /// The likelihood that the bot with the lower number is stronger, from the games of such two
    /// bots alone.
    los_of_misfits: BTreeMap<(usize, usize), f64>,
}

impl Count {
    /// Counts nothing yet, in units of so many games.
    pub(crate) fn new(design: UnitDesign, games_in_unit: u64) -> Count {
        Count {
            design,
            games_in_unit,
            ..Count::default()
        }
    }

    /// Returns the number of a bot. A new name gets the next number.
    pub(crate) fn bot(&mut self, name: &str) -> usize {
        if let Some(&bot) = self.index.get(name) {
            return bot;
        }
        let bot = self.bots.len();
        self.bots.push(BotCount {
            name: name.to_owned(),
            by_seat: vec![[0; 3]; self.design.seats],
            ..BotCount::default()
        });
        self.index.insert(name.to_owned(), bot);
        bot
    }

    /// Returns a game with the bots by number; `moves` is a digest of what was played, or 0.
    pub(crate) fn game(&mut self, row: &GameRow, moves: u64) -> CountedGame {
        let bots = row.seats.iter().map(|seat| self.bot(&seat.bot)).collect();
        CountedGame::new(row, bots, moves)
    }

    /// Counts a game of this design. Returns the unit that it completes.
    pub(crate) fn add(&mut self, row: &GameRow, game: CountedGame) -> Option<Vec<CountedGame>> {
        self.add_game(&game);
        let unit = add_to_unit(&mut self.open, row.unit, game, self.games_in_unit)?;
        self.close_unit(&unit, self.shares_seeds.then_some(row.seed));
        Some(unit)
    }

    /// Counts the games of a unit; `is_complete` says whether these are all of its games, and
    /// `shares_seed` whether pairings share its seed.
    pub(crate) fn add_unit<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a GameRow>,
        is_complete: bool,
        shares_seed: bool,
    ) {
        let (mut unit, mut seed) = (Vec::new(), None);
        for row in rows {
            seed = shares_seed.then_some(row.seed);
            let game = self.game(row, 0);
            self.add_game(&game);
            unit.push(game);
        }
        if is_complete {
            self.close_unit(&unit, seed);
        } else {
            self.incomplete_units += 1;
        }
    }

    /// Counts a complete unit, on a seed if pairings share it.
    fn close_unit(&mut self, unit: &[CountedGame], seed: Option<i64>) {
        let games = joined(unit);
        if let Cow::Owned(games) = &games {
            for game in games {
                self.add_results(game);
                self.add_scores(game);
            }
        }
        let compared = games.iter().flat_map(CountedGame::comparisons);
        self.close(compared.map(|(_, comparison)| comparison), 1, seed);
        self.add_places(unit);
    }

    /// Counts the scores of bots that played alone.
    fn add_scores(&mut self, game: &CountedGame) {
        let mut ok: Vec<_> = game.bots.iter().zip(&game.scores).collect();
        ok.retain(|(bot, _)| !game.failed.contains(bot));
        let best = ok.iter().map(|(_, score)| **score).max().unwrap_or(0);
        for (&bot, &score) in ok {
            self.bots[bot].alone.add(score, best);
        }
    }

    fn add_game(&mut self, game: &CountedGame) {
        self.games += 1;
        for (at, &bot) in game.bots.iter().enumerate() {
            self.bots[bot].games += u64::from(!game.bots[..at].contains(&bot));
        }
        // A bot that plays alone has a result once the others have played on the seed.
        if self.design != UnitDesign::ALONE {
            self.add_results(game);
        }
    }

    fn add_results(&mut self, game: &CountedGame) {
        for (&bot, &place) in game.bots.iter().zip(&game.places) {
            let count = &mut self.bots[bot];
            count.seats += 1;
            count.places += place as u64;
            count.firsts += game.firsts(place);
        }
        for ([one, other], comparison) in game.comparisons() {
            let outcome = comparison.outcome;
            self.bots[comparison.first].compared(one, outcome, 1);
            self.bots[comparison.second].compared(other, outcome.reverse(), 1);
        }
    }

    /// Counts the places of a complete unit if they say more than who won.
    fn add_places(&mut self, unit: &[CountedGame]) {
        if self.design.seats < 3 {
            return;
        }
        // The seats of each bot, the places below the first, and the first places.
        let mut sums: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
        for game in unit {
            for (&bot, &place) in game.bots.iter().zip(&game.places) {
                let sum = sums.entry(bot).or_default();
                sum[0] += 1;
                sum[1] += place.saturating_sub(1) as u64;
                sum[2] += game.firsts(place);
            }
        }
        for (bot, sum) in sums {
            *self.bots[bot].unit_places.entry(sum).or_default() += 1;
        }
    }

    /// Counts games of two bots, each as a unit.
    pub(crate) fn add_counted(&mut self, row: &CountRow) {
        let [first, second] = [&row.first, &row.second].map(|name| self.bot(name));
        let outcomes = [Ordering::Greater, Ordering::Equal, Ordering::Less];
        for (outcome, count) in outcomes.into_iter().zip(row.wins_draws_losses) {
            self.games = self.games.saturating_add(count);
            let sides = [(0, first, outcome), (1, second, outcome.reverse())];
            for (seat, bot, outcome) in sides {
                let bot = &mut self.bots[bot];
                bot.games = bot.games.saturating_add(count);
                bot.compared(seat, outcome, count);
            }
            if count > 0 {
                let met = Comparison {
                    first,
                    second,
                    outcome,
                };
                self.close([met].into_iter(), count, None);
            }
        }
    }

    fn close(
        &mut self,
        comparisons: impl Iterator<Item = Comparison>,
        copies: u64,
        seed: Option<i64>,
    ) {
        let mut met: BTreeMap<[u32; 2], [u8; 3]> = BTreeMap::new();
        for mut two in comparisons {
            if two.first > two.second && self.design.seats != 2 {
                (two.first, two.second) = (two.second, two.first);
                two.outcome = two.outcome.reverse();
            }
            // More bots don't fit into memory.
            let bots = [two.first, two.second].map(|bot| u32::try_from(bot).unwrap_or(u32::MAX));
            // A unit compares two bots no more than 128 times.
            let count = &mut met.entry(bots).or_default()[usize::from(half_points(two.outcome))];
            *count = count.saturating_add(1);
        }
        let met = met.into_iter();
        let met = met.map(|([first, second], ldw)| Meeting { first, second, ldw });
        let met: Box<[Meeting]> = met.collect();
        if let Some(seed) = seed {
            self.shared.entry(seed).or_default().extend(&met);
        }
        let count = self.units.entry(met).or_default();
        count.all = count.all.saturating_add(copies);
        if seed.is_none() {
            count.alone = count.alone.saturating_add(copies);
        }
    }

    /// What is independent: the complete units, and those on the same seed together if pairings
    /// share it, because they also share its luck.
    pub(crate) fn units(&self) -> impl Iterator<Item = Unit> {
        let alone = self.units.iter().filter(|(_, count)| count.alone > 0);
        let alone = alone.map(|(met, count)| (&**met, count.alone));
        let shared = self.shared.values().map(|met| (&**met, 1));
        alone.chain(shared).map(|(met, weight)| Unit {
            comparisons: met.iter().flat_map(Meeting::comparisons).collect(),
            weight,
        })
    }

    /// The number of complete units.
    pub(crate) fn complete_units(&self) -> u64 {
        let counts = self.units.values();
        counts.fold(0, |sum, count| sum.saturating_add(count.all))
    }

    /// The number of seeds with complete units, if pairings share them.
    pub(crate) fn shared_seeds(&self) -> Option<u64> {
        (!self.shared.is_empty()).then_some(self.shared.len() as u64)
    }

    /// The units that repeat no other one, of so many complete units.
    fn distinct_of(&self, units: u64) -> u64 {
        let all = self.complete_units().max(1);
        let left = u128::from(units) * u128::from(distinct(all, self.repeated)) / u128::from(all);
        u64::try_from(left).unwrap_or(units).max(1)
    }

    /// The number of units that lack a game.
    pub(crate) fn incomplete_units(&self) -> u64 {
        self.incomplete_units + self.open.len() as u64
    }

    /// The bots with a complete unit, in ascending order.
    pub(crate) fn bots_in_units(&self) -> Vec<usize> {
        let met = self.units.keys().flatten();
        let bots: BTreeSet<u32> = met.flat_map(|met| [met.first, met.second]).collect();
        bots.into_iter().map(|bot| bot as usize).collect()
    }

    /// The value of moving first, from the scores of all first movers. With more than two seats
    /// all bots act at once, or the order means something else.
    pub(crate) fn first_player(&self, stop: Stop) -> Option<Met> {
        if self.design.seats != 2 {
            return None;
        }
        let units: Vec<Unit> = self.units().collect();
        let scores = first_player_scores(&units).ok()?;
        let distinct = self.distinct_of(scores.units());
        // A test stops because of its bots, whose scores limit those of first movers.
        let stop = match stop {
            Stop::Test(_) => Stop::Watched,
            stop => stop,
        };
        let by = stop.estimate(&scores, self.design.games_per_unit, distinct)?;
        Met::new(&scores, by)
    }

    /// Every two bots that met in complete units. The bot with the lower number comes first.
    pub(crate) fn pairings(&self) -> BTreeMap<(usize, usize), Pairing> {
        let mut pairings: BTreeMap<(usize, usize), Pairing> = BTreeMap::new();
        for (met, count) in &self.units {
            // With two seats, each of two bots may have moved first.
            let mut sums: BTreeMap<(usize, usize), [u8; 3]> = BTreeMap::new();
            for met in met {
                let [first, second] = [met.first, met.second].map(|bot| bot as usize);
                let mut ldw = met.ldw;
                if first > second {
                    ldw.reverse();
                }
                let bots = (first.min(second), first.max(second));
                for (sum, count) in sums.entry(bots).or_default().iter_mut().zip(ldw) {
                    *sum = sum.saturating_add(count);
                }
            }
            for (bots, ldw) in sums {
                pairings.entry(bots).or_default().add(ldw, count.all);
            }
        }
        pairings
    }

    /// Rates these bots, which must be all that a complete unit has. Anchors name their bots by
    /// their numbers here. `stop` decides which intervals are in force.
    pub(crate) fn rate(
        &self,
        bots: &[usize],
        mut settings: Settings,
        stop: Stop,
    ) -> Result<Rated, StatsError> {
        let mut places = vec![usize::MAX; self.bots.len()];
        for (place, &bot) in bots.iter().enumerate() {
            places[bot] = place;
        }
        for (bot, _) in &mut settings.anchors {
            *bot = places[*bot];
        }
        let mut ratings = ratings::rate(bots.len(), self.units_of(&places), &settings)?;
        let mut groups = Vec::new();
        for group in &ratings.components {
            let names = group.iter().map(|&at| self.bots[bots[at]].name.clone());
            groups.push(names.collect());
        }
        let is_match = bots.len() == 2 && !settings.first_advantage;
        let of_two = if is_match { self.of_two(stop) } else { None };
        let ends_of_two = of_two.map_or_else(Vec::new, |met| {
            let met = met.reversed_if(bots[0] > bots[1]);
            spread(&mut ratings.bots, met, &settings.anchors)
        });
        let units = ratings.bots.iter().map(|bot| bot.units);
        let fewest = units.filter(|&units| units > 0).min().unwrap_or(0);
        let distinct = self.distinct_of(ratings.units);
        let holds = match (of_two, stop) {
            (Some(met), _) => met.holds,
            (None, Stop::Announced) => Holds::Once,
            // A test's error rates hold only for the match of its two bots.
            (None, Stop::Watched | Stop::Test(_)) => Holds::EveryLook,
        };
        let mut width = (ratings.units as f64 / distinct as f64).sqrt();
        if holds == Holds::EveryLook {
            width *= times_as_wide(fewest);
        }
        Ok(Rated {
            holds,
            width,
            ratings,
            groups,
            bots: bots.to_vec(),
            places,
            of_two,
            ends_of_two,
            misfits: Vec::new(),
            los_of_misfits: BTreeMap::new(),
        })
    }

    /// Finds the bots whose results against each other these ratings of theirs don't fit.
    pub(crate) fn test_fit(&self, rated: &mut Rated) {
        let found = ratings::misfits(self.units_of(&rated.places), &rated.ratings);
        if found.is_empty() {
            return;
        }
        let pairings = self.pairings();
        for misfit in found {
            let [bot, other] = [misfit.bot, misfit.other].map(|place| rated.bots[place]);
            let met = (bot.min(other), bot.max(other));
            let own = pairings.get(&met).and_then(|own| {
                let units = own.unit_scores()?.units();
                own.elo(self.design, self.distinct_units_of(met, units))
            });
            rated.los_of_misfits.extend(own.map(|own| (met, own.los)));
            rated.misfits.push(Misfit {
                first: self.bots[bot].name.clone(),
                second: self.bots[other].name.clone(),
                score: misfit.score,
                expected: misfit.expected,
                elo_apart: misfit.elo,
            });
        }
    }

    /// The complete units, with the bots by their places in ratings.
    fn units_of(&self, places: &[usize]) -> impl Iterator<Item = Unit> {
        self.units().map(|mut unit| {
            for comparison in &mut unit.comparisons {
                comparison.first = places[comparison.first];
                comparison.second = places[comparison.second];
            }
            unit
        })
    }

    /// How much stronger the first of two bots is than the second.
    pub(super) fn of_two(&self, stop: Stop) -> Option<Estimate> {
        let (bots, pairing) = self.pairings().into_iter().next()?;
        self.estimate(bots, &pairing, stop)
    }

    /// How much stronger the bot with the lower number is than another one.
    pub(crate) fn estimate(
        &self,
        bots: (usize, usize),
        pairing: &Pairing,
        stop: Stop,
    ) -> Option<Estimate> {
        let scores = pairing.unit_scores()?;
        let distinct = self.distinct_units_of(bots, scores.units());
        stop.estimate(&scores, self.design.games_per_unit, distinct)
    }

    /// How many of the units of two bots repeat no other one.
    pub(crate) fn distinct_units_of(&self, bots: (usize, usize), units: u64) -> u64 {
        distinct(units, self.repeated_of.get(&bots).copied().unwrap_or(0))
    }

    /// Notes that a complete unit repeats another one, and stands for so many repeats.
    pub(crate) fn repeat(&mut self, unit: &[CountedGame], repeats: u64) {
        if repeats == 0 {
            return;
        }
        self.repeated += repeats;
        let bots: BTreeSet<usize> = unit.iter().flat_map(|game| &game.bots).copied().collect();
        for &one in &bots {
            for &other in bots.range(one + 1..) {
                *self.repeated_of.entry((one, other)).or_default() += repeats;
            }
        }
    }
}

/// The units that repeat no other one, of so many units and repeats.
pub(crate) fn distinct(units: u64, repeated: u64) -> u64 {
    units.saturating_sub(repeated).max(1)
}

/// A match, from the side of one bot or of all first movers, in short.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Met {
    pub(crate) units: u64,
    pub(crate) score: f64,
    #[serde(flatten)]
    pub(crate) by: Estimate,
}

impl Met {
    pub(crate) fn new(scores: &UnitScores, by: Estimate) -> Option<Met> {
        Some(Met {
            units: scores.units(),
            score: scores.mean()?,
            by,
        })
    }
}

impl BotCount {
    /// The mean score, from 0 to 1.
    pub(crate) fn score(&self) -> f64 {
        score(self.ldw()).unwrap_or(0.0)
    }

    fn compared(&mut self, seat: usize, outcome: Ordering, times: u64) {
        // Bots that play alone all have the first seat.
        let seat = seat.min(self.by_seat.len() - 1);
        let count = &mut self.by_seat[seat][usize::from(half_points(outcome))];
        *count = count.saturating_add(times);
    }

    /// Comparisons lost, drawn and won in all seats.
    pub(crate) fn ldw(&self) -> [u64; 3] {
        [0, 1, 2].map(|outcome| {
            self.by_seat
                .iter()
                .fold(0, |sum: u64, ldw| sum.saturating_add(ldw[outcome]))
        })
    }

    /// The mean place, if places are known.
    pub(crate) fn mean_place(&self) -> Option<f64> {
        (self.seats > 0).then(|| self.places as f64 / self.seats as f64)
    }

    /// The share of seats that came first, if places are known.
    pub(crate) fn firsts(&self) -> Option<f64> {
        (self.seats > 0).then(|| self.firsts as f64 / (PARTS * self.seats) as f64)
    }

    /// The 95% interval of the mean place, from complete units; `None` with two seats.
    pub(crate) fn mean_place95(&self) -> Option<[f64; 2]> {
        let behind = self.by_seat.len().saturating_sub(1) as u64;
        let ends = self.interval95(1, behind)?;
        Some(ends.map(|share| 1.0 + share * behind as f64))
    }

    /// The 95% interval of the share of first places, from complete units; `None` with two seats.
    pub(crate) fn firsts95(&self) -> Option<[f64; 2]> {
        self.interval95(2, PARTS)
    }

    /// The 95% interval of the mean of a sum of units, as a share of `full`, the most that a seat
    /// can have. Like the interval of scores, it takes units as independent, not their games.
    fn interval95(&self, sum: usize, full: u64) -> Option<[f64; 2]> {
        let shares = self.unit_places.iter();
        let shares =
            shares.map(|(sums, &units)| (sums[sum] as f64 / (sums[0] * full) as f64, units));
        let shares = match_elo(&UnitScores::from_values(shares).ok()?, 1)?;
        Some([shares.score_lo, shares.score_hi])
    }
}

/// The scores of one bot in games of one seat, without those in which it failed. Integers make sums
/// independent of the order of the games.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AloneScores {
    games: u64,
    sum: i64,
    /// The sum of scores over the best one, in [`SHARES`].
    over_best: i128,
}

/// The parts of a score over the best one.
const SHARES: i128 = 1_000_000_000;

impl AloneScores {
    fn add(&mut self, score: i32, best: i32) {
        self.games += 1;
        self.sum += i64::from(score);
        let [own, best] = [score, best].map(i128::from);
        self.over_best += match own {
            _ if own == best => SHARES,
            _ if best > 0 => SHARES * own / best,
            // Scores below 0 are costs.
            _ => SHARES * best / own,
        };
    }

    /// The mean score.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.games > 0).then(|| self.sum as f64 / self.games as f64)
    }

    /// The mean of the scores divided by the best one on the seed.
    pub(crate) fn over_best(&self) -> Option<f64> {
        let full = SHARES as f64 * self.games as f64;
        (self.games > 0).then(|| self.over_best as f64 / full)
    }
}

impl CountedGame {
    /// A game of these bots, by seat; `moves` is a digest of what was played.
    pub(crate) fn new(row: &GameRow, bots: Vec<usize>, moves: u64) -> CountedGame {
        let seats = row.seats.iter().zip(&bots);
        let failed = seats.filter(|(seat, _)| seat.fate != Fate::Ok);
        CountedGame {
            failed: failed.map(|(_, &bot)| bot).collect(),
            scores: row.compared_scores().collect(),
            places: row.seats.iter().map(|seat| seat.place).collect(),
            moves,
            bots,
        }
    }

    /// A game of these bots with these scores, by seat, of which no more is known.
    pub(crate) fn scored(bots: Vec<usize>, scores: Vec<i32>) -> CountedGame {
        CountedGame {
            bots,
            scores,
            ..CountedGame::default()
        }
    }

    /// The part of the first place that a seat with this place has, in [`PARTS`].
    fn firsts(&self, place: usize) -> u64 {
        let sharing = self.places.iter().filter(|&&place| place == 1).count();
        let is_first = place == 1;
        if is_first { PARTS / sharing as u64 } else { 0 }
    }

    /// Every two seats of different bots, and the bots compared by score.
    pub(crate) fn comparisons(&self) -> impl Iterator<Item = ([usize; 2], Comparison)> {
        let seats = 0..self.bots.len();
        seats
            .flat_map(|one| (one + 1..self.bots.len()).map(move |other| [one, other]))
            .filter(|&[one, other]| self.bots[one] != self.bots[other])
            .map(|[one, other]| {
                let comparison = Comparison {
                    first: self.bots[one],
                    second: self.bots[other],
                    outcome: self.scores[one].cmp(&self.scores[other]),
                };
                ([one, other], comparison)
            })
    }

    /// The points of a bot: 2 for each win of one of its seats over a seat of another bot, and 1 for
    /// each draw.
    pub(crate) fn points(&self, own: usize) -> u32 {
        let mut points = 0;
        for (&bot, score) in self.bots.iter().zip(&self.scores) {
            for (&other, others) in self.bots.iter().zip(&self.scores) {
                if bot == own && other != own {
                    points += u32::from(half_points(score.cmp(others)));
                }
            }
        }
        points
    }
}

/// Returns the games of a unit in which bots are compared. If bots played alone, that is one game
/// with a seat for each of them.
fn joined(unit: &[CountedGame]) -> Cow<'_, [CountedGame]> {
    if unit.iter().any(|game| game.bots.len() != 1) {
        return Cow::Borrowed(unit);
    }
    let mut joined = CountedGame::default();
    for game in unit {
        joined.bots.extend(&game.bots);
        joined.failed.extend(&game.failed);
        joined.scores.extend(&game.scores);
    }
    let places = joined.scores.iter().map(|score| {
        let better = joined.scores.iter().filter(|other| *other > score);
        1 + better.count()
    });
    joined.places = places.collect();
    Cow::Owned(vec![joined])
}

/// The [points](CountedGame::points) of a bot in a unit.
pub(crate) fn unit_points(unit: &[CountedGame], bot: usize) -> u32 {
    joined(unit).iter().map(|game| game.points(bot)).sum()
}

impl Pairing {
    /// Counts `weight` units with these comparisons lost, drawn and won.
    fn add(&mut self, ldw: [u8; 3], weight: u64) {
        for (sum, count) in self.ldw.iter_mut().zip(ldw) {
            *sum = sum.saturating_add(weight.saturating_mul(count.into()));
        }
        *self.units.entry(ldw).or_default() += weight;
    }

    /// The match of the two, of which so many units repeat no other.
    pub(crate) fn elo(&self, design: UnitDesign, distinct: u64) -> Option<MatchElo> {
        match_elo_of(&self.unit_scores()?, design.games_per_unit, distinct)
    }

    /// The scores of units, counted.
    pub(crate) fn unit_scores(&self) -> Option<UnitScores> {
        UnitScores::from_values(self.scores()).ok()
    }

    /// The number of units with this result.
    pub(crate) fn units_with(&self, ldw: [u8; 3]) -> u64 {
        self.units.get(&ldw).copied().unwrap_or_default()
    }

    /// The scores of units, with the number of units that have each.
    pub(crate) fn scores(&self) -> impl Iterator<Item = (f64, u64)> {
        let units = self.units.iter();
        units.filter_map(|(ldw, &units)| Some((score(ldw.map(u64::from))?, units)))
    }
}

impl Meeting {
    fn comparisons(&self) -> impl Iterator<Item = Comparison> {
        let [first, second] = [self.first, self.second].map(|bot| bot as usize);
        let outcomes = [Ordering::Less, Ordering::Equal, Ordering::Greater];
        outcomes
            .into_iter()
            .zip(self.ldw)
            .flat_map(move |(outcome, times)| {
                let comparison = Comparison {
                    first,
                    second,
                    outcome,
                };
                std::iter::repeat_n(comparison, times.into())
            })
    }
}

impl Rated {
    /// The rating of a bot; `None` if it wasn't rated.
    pub(crate) fn of(&self, bot: usize) -> Option<&BotRating> {
        self.ratings.bots.get(self.places[bot])
    }

    /// The number to rank bots by. Bots without a rating come last.
    pub(crate) fn elo(&self, bot: usize) -> f64 {
        self.of(bot).map_or(f64::NEG_INFINITY, |rating| rating.elo)
    }

    /// The ends of the interval of a bot's rating; `None` without enough games. An end that nothing
    /// limits is infinite.
    pub(crate) fn ends(&self, bot: usize) -> Option<[f64; 2]> {
        if self.of_two.is_some() {
            return self.ends_of_two.get(self.places[bot]).copied();
        }
        let rating = self.of(bot)?;
        let error = self.width * rating.error95?;
        Some([rating.elo - error, rating.elo + error])
    }

    /// The likelihood that one bot is stronger than another: from their own games if the ratings
    /// don't fit these. `None` without enough games, for bots that no results link both ways, and
    /// for an interval that holds at every look, because the likelihood doesn't.
    pub(crate) fn los(&self, one: usize, other: usize) -> Option<f64> {
        self.of(one).and(self.of(other))?;
        let misfit = self.los_of_misfits.get(&(one.min(other), one.max(other)));
        match misfit.filter(|_| self.of_two.is_none() && self.holds == Holds::Once) {
            Some(&los) => Some(if one < other { los } else { 1.0 - los }),
            None => self.ahead_by(one, other).los,
        }
    }

    /// How much stronger one bot is than another, by their match or their ratings.
    fn ahead_by(&self, one: usize, other: usize) -> Estimate {
        if let Some(of_two) = self.of_two(one, other) {
            return of_two;
        }
        let [one, other] = [one, other].map(|bot| self.places[bot]);
        let mut groups = self.ratings.components.iter();
        let are_linked = groups.any(|group| group.contains(&one) && group.contains(&other));
        let by = self.ratings.difference(one, other).wider(self.width);
        let error = by.error95.unwrap_or(f64::INFINITY);
        let los = by.los.filter(|_| are_linked && self.holds == Holds::Once);
        Estimate::new(by.elo, [by.elo - error, by.elo + error], los, self.holds)
    }

    /// How much stronger one of two bots is than the other, if results limit that. Comes from their
    /// match, or from the ratings if what moving first is worth was fitted.
    pub(crate) fn ahead(&self, one: usize, other: usize) -> Option<Estimate> {
        let by = self.ahead_by(one, other);
        let is_bounded = self.groups.len() == 1 && by.lo95.is_finite();
        (self.of_two.is_some() || is_bounded).then_some(by)
    }

    /// The match of two bots. `None` if there are more bots, or what moving first is worth was
    /// fitted.
    fn of_two(&self, one: usize, other: usize) -> Option<Estimate> {
        let of_lower = self.of_two.filter(|_| one != other)?;
        Some(of_lower.reversed_if(one > other))
    }
}

/// Gives two bots the estimate of their match from the side of the first: half of it each, or all of
/// it to the bot without an anchor. Returns the intervals of their ratings.
fn spread(bots: &mut [BotRating], met: Estimate, anchors: &[(usize, f64)]) -> Vec<[f64; 2]> {
    let middle = bots.iter().map(|bot| bot.elo).sum::<f64>() / bots.len() as f64;
    let level = anchors.first().map_or(middle, |(bot, _)| bots[*bot].elo);
    let mut ends = Vec::new();
    for (place, bot) in bots.iter_mut().enumerate() {
        let by = met.reversed_if(place > 0);
        let share = match anchors {
            [] => 0.5,
            [(anchor, _)] if *anchor != place => 1.0,
            _ => {
                bot.error95 = Some(0.0);
                ends.push([bot.elo; 2]);
                continue;
            }
        };
        if by.elo.is_finite() {
            bot.elo = level + share * by.elo;
        }
        let [lo, hi] = by.interval().map(|end| level + share * end);
        bot.error95 = Some((hi - lo) / 2.0).filter(|error| error.is_finite());
        ends.push([lo, hi]);
    }
    ends
}

/// The mean score of these losses, draws and wins, if there are any.
pub(crate) fn score([losses, draws, wins]: [u64; 3]) -> Option<f64> {
    let all = wins as f64 + draws as f64 + losses as f64;
    (all > 0.0).then(|| (wins as f64 + draws as f64 / 2.0) / all)
}

pub(crate) fn hash(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

#[cfg(test)]
mod tests {
    use arena_games::Reason;

    use super::*;
    use crate::store::SeatRow;

    /// A game whose first `winners` seats share the first place. Each letter is a bot.
    fn row(number: u64, unit: u64, bots: &str, winners: usize) -> GameRow {
        let seat = |(at, bot): (usize, char)| SeatRow {
            bot: bot.to_string(),
            score: i32::from(at < winners),
            place: if at < winners { 1 } else { winners + 1 },
            fate: Fate::Ok,
            ms_p50: None,
            ms_max: None,
        };
        let seats = bots.chars().enumerate().map(seat).collect();
        GameRow {
            number,
            unit,
            game: "any".to_owned(),
            seed: 1,
            reason: Reason::MaxRounds.to_string(),
            turns: 1,
            seats,
        }
    }

    #[test]
    fn a_game_tells_its_design() {
        let designs = [
            ("ab", 2, 2),
            ("abc", 3, 3),
            ("bab", 2, 2),
            ("abcd", 4, 4),
            ("abba", 2, 2),
            ("cabc", 3, 4),
            ("ababb", 2, 2),
            ("abcdefgh", 8, 8),
        ];
        for (bots, different, games_per_unit) in designs {
            let design = row(0, 0, bots, 1).design();
            assert_eq!(
                (design.bots, design.games_per_unit),
                (different, games_per_unit),
                "{bots}"
            );
        }
    }

    #[test]
    fn up_to_eight_seats_are_counted_and_share_first_places() {
        for seats in 2..=8_usize {
            let mut count = Count::new(row(0, 0, &"abcdefgh"[..seats], 1).design(), seats as u64);
            for number in 0..seats {
                let mut bots: Vec<char> = "abcdefgh"[..seats].chars().collect();
                bots.rotate_left(number);
                let row = row(
                    number as u64,
                    0,
                    &bots.iter().collect::<String>(),
                    seats - 1,
                );
                let game = count.game(&row, 0);
                let unit = count.add(&row, game);
                assert_eq!(
                    unit.map(|games| games.len()),
                    (number == seats - 1).then_some(seats)
                );
            }
            let share = 1.0 / seats as f64;
            for bot in &count.bots {
                assert_eq!((bot.by_seat.len(), bot.games), (seats, seats as u64));
                assert!(
                    (bot.firsts().unwrap() - share).abs() < 1e-15
                        && (bot.score() - 0.5).abs() < 1e-15
                );
                assert_eq!(
                    (bot.mean_place95().is_some(), bot.firsts95().is_some()),
                    (seats > 2, seats > 2)
                );
            }
            assert_eq!(
                (count.complete_units(), count.pairings().len()),
                (1, seats * (seats - 1) / 2)
            );
        }
    }

    /// The first place of a game is a win or a loss of it, so that with one game in a unit the
    /// interval is Wilson's: of 3 in 10 it is [0.1078, 0.6032].
    #[test]
    fn intervals_of_places_are_those_of_units() {
        for copies in [1, 4] {
            let design = UnitDesign {
                seats: 4,
                bots: 4,
                games_per_unit: copies,
            };
            let mut count = Count::new(design, copies.into());
            for unit in 0..10 {
                let bots = if unit < 3 { "abcd" } else { "bacd" };
                let games = 0..u64::from(copies);
                let rows: Vec<GameRow> = games
                    .map(|game| row(4 * unit + game, unit, bots, 1))
                    .collect();
                count.add_unit(rows.iter(), true, false);
            }
            let [lo, hi] = count.bots[0].firsts95().unwrap();
            assert!(
                (lo - 0.1078).abs() < 1e-4 && (hi - 0.6032).abs() < 1e-4,
                "{copies}: {lo} {hi}"
            );
            // Places 1 and 2 of this table, of 4: between them are 0 and 1 of three steps.
            let [lo, hi] = count.bots[0].mean_place95().unwrap();
            assert!(lo > 1.0 && lo < 1.7 && hi > 1.7 && hi < 4.0, "{lo} {hi}");
        }
    }
}
