//! Ratings of all bots of a [`Count`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::count::Count;
use super::pair::{Pair, Stop};
use arena_stats::StatsError;
use arena_stats::anytime::times_as_wide;
use arena_stats::elo::match_elo_of;
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::interval::{Beyond, beyond};
use arena_stats::ratings::{self, BotRating, Difference, Ratings, Settings, Unit};

/// Ratings of some of the bots of a [`Count`].
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) ratings: Ratings,
    /// The names of the rated bots, in groups linked by results both ways.
    pub(crate) groups: Vec<Vec<String>>,
    /// The bots whose results against each other the ratings don't fit, the most surprising first.
    pub(crate) misfits: Vec<Misfit>,
    /// The looks that the intervals are valid for.
    pub(crate) holds: Holds,
    /// The factor that widens the intervals of the fit, because units repeat or intervals hold at
    /// every look.
    pub(crate) width: f64,
    /// The index of each bot in the ratings, beyond their end if the bot wasn't rated.
    places: Vec<usize>,
    /// The ends of the interval of each rating.
    ends: Vec<Option<[f64; 2]>>,
    /// The match of two bots, from the side of the one with the lower number. `None` if there are
    /// more bots, or what moving first is worth was fitted.
    pub(crate) pair: Option<Pair>,
    /// The likelihood that the bot with the lower number is stronger, from the games of such two
    /// bots alone.
    los_of_misfits: BTreeMap<(usize, usize), f64>,
}

/// Two bots whose results against each other one rating per bot doesn't fit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Misfit {
    /// The bot from whose side the numbers are.
    pub(crate) first: String,
    /// The other bot.
    pub(crate) second: String,
    /// Mean score, from 0 to 1; null if unknown.
    pub(crate) score: f64,
    /// Score by the ratings.
    pub(crate) expected: f64,
    /// Elo between `score` and `expected`; null if infinite.
    #[schemars(with = "Option<f64>")]
    pub(crate) elo_apart: f64,
    /// On which side each infinite number beside it lies, by its key.
    pub(crate) beyond: Beyond,
}

impl Count {
    /// Rates these bots, which must be all that a whole unit has. Anchors name their bots by their
    /// numbers here. `stop` decides which intervals are in force.
    pub(crate) fn table(
        &self,
        bots: &[usize],
        mut settings: Settings,
        stop: &Stop,
    ) -> Result<Table, StatsError> {
        let mut places = vec![usize::MAX; self.bots.len()];
        for (place, &bot) in bots.iter().enumerate() {
            places[bot] = place;
        }
        for (bot, _) in &mut settings.anchors {
            *bot = places[*bot];
        }
        let mut ratings = ratings::rate(bots.len(), self.units_of(&places), &settings)?;
        let name = |&place: &usize| self.bots[bots[place]].name.clone();
        let groups = ratings.components.iter();
        let groups = groups
            .map(|group| group.iter().map(name).collect())
            .collect();
        let pair = match bots {
            &[one, other] if !settings.first_advantage => {
                self.pair((one.min(other), one.max(other)), stop)
            }
            _ => None,
        };
        let holds = match (&pair, stop) {
            (Some(pair), _) => pair.met.by.holds,
            (None, Stop::Announced) => Holds::Once,
            // A test's error rates hold only for the match of its two bots.
            (None, Stop::Watched | Stop::Test { .. }) => Holds::EveryLook,
        };
        let width = self.width(&ratings, holds);
        let ends = match &pair {
            Some(pair) => {
                let met = pair.met.by.reversed_if(bots[0] > bots[1]);
                spread(&mut ratings.bots, met, &settings.anchors)
            }
            None => ratings.bots.iter().map(|bot| ends(bot, width)).collect(),
        };
        let mut table = Table {
            holds,
            width,
            groups,
            places,
            ends,
            pair,
            misfits: Vec::new(),
            los_of_misfits: BTreeMap::new(),
            ratings,
        };
        // Two bots have one number, which fits.
        if table.pair.is_none() {
            self.test_fit(&mut table, bots);
        }
        Ok(table)
    }

    /// The factor that widens the intervals of the fit.
    fn width(&self, ratings: &Ratings, holds: Holds) -> f64 {
        let width = (ratings.units as f64 / self.distinct_of(ratings.units) as f64).sqrt();
        if holds != Holds::EveryLook {
            return width;
        }
        let units = ratings.bots.iter().map(|bot| bot.units);
        width * times_as_wide(units.filter(|&units| units > 0).min().unwrap_or(0))
    }

    /// Finds the bots whose results against each other these ratings of theirs don't fit.
    fn test_fit(&self, table: &mut Table, bots: &[usize]) {
        let found = ratings::misfit::misfits(self.units_of(&table.places), &table.ratings);
        if found.is_empty() {
            return;
        }
        let meetings = self.meetings();
        for misfit in found {
            let [bot, other] = [misfit.bot, misfit.other].map(|place| bots[place]);
            let met = (bot.min(other), bot.max(other));
            if let Some(own) = meetings.get(&met)
                && let Some((scores, distinct)) = own.independent()
                && let Some(own) = match_elo_of(&scores, self.design.games_per_unit, distinct)
            {
                table.los_of_misfits.insert(met, own.los);
            }
            table.misfits.push(Misfit {
                first: self.bots[bot].name.clone(),
                second: self.bots[other].name.clone(),
                score: misfit.score,
                expected: misfit.expected,
                elo_apart: misfit.elo,
                beyond: beyond([("elo_apart", Some(misfit.elo))]),
            });
        }
    }

    /// What is independent, with the bots by their places in ratings.
    fn units_of(&self, places: &[usize]) -> impl Iterator<Item = Unit> {
        self.evidence.independent().map(|mut unit| {
            for comparison in &mut unit.comparisons {
                comparison.first = places[comparison.first];
                comparison.second = places[comparison.second];
            }
            unit
        })
    }
}

impl Table {
    /// The rating of a bot; `None` if it wasn't rated.
    pub(crate) fn of(&self, bot: usize) -> Option<&BotRating> {
        self.ratings.bots.get(self.places[bot])
    }

    /// The number to rank bots by. Bots without a rating come last. Ratings that differ only in
    /// their last digits have the same number.
    pub(crate) fn elo(&self, bot: usize) -> f64 {
        match self.of(bot) {
            // Adding 0 turns a negative zero into a plain one.
            Some(rating) if rating.units > 0 => (1e6 * rating.elo).round() + 0.0,
            _ => f64::NEG_INFINITY,
        }
    }

    /// The ends of the interval of a bot's rating; `None` without enough games. An end that nothing
    /// limits is infinite.
    pub(crate) fn ends(&self, bot: usize) -> Option<[f64; 2]> {
        *self.ends.get(self.places[bot])?
    }

    /// The likelihood that one bot is stronger than another: from their own games if the ratings
    /// don't fit these. `None` without enough games, for bots that no results link both ways, and
    /// for an interval that holds at every look, because the likelihood doesn't.
    pub(crate) fn los(&self, one: usize, other: usize) -> Option<f64> {
        self.of(one).and(self.of(other))?;
        let bots = (one.min(other), one.max(other));
        if self.holds == Holds::Once
            && let Some(&los) = self.los_of_misfits.get(&bots)
        {
            return Some(if one < other { los } else { 1.0 - los });
        }
        self.ahead_by(one, other).los
    }

    /// How much stronger one bot is than another, by their match or their ratings.
    pub(crate) fn ahead_by(&self, one: usize, other: usize) -> Estimate {
        if let Some(pair) = &self.pair
            && one != other
        {
            return pair.met.by.reversed_if(one > other);
        }
        let [first, second] = [one, other].map(|bot| self.places[bot]);
        let links = |group: &Vec<usize>| group.contains(&first) && group.contains(&second);
        let are_linked = self.ratings.components.iter().any(links);
        let mut by = self.estimate(self.ratings.difference(first, second));
        by.los = by.los.filter(|_| are_linked && self.holds == Holds::Once);
        by
    }

    /// A difference of the fit with its interval in force.
    pub(crate) fn estimate(&self, fitted: Difference) -> Estimate {
        let Difference { elo, error95, los } = fitted.wider(self.width);
        let error = error95.unwrap_or(f64::INFINITY);
        Estimate::new(elo, [elo - error, elo + error], los, self.holds)
    }

    /// How much stronger one of two bots is than the other: by their match or, if what moving first
    /// is worth was fitted, by their ratings, as far as results limit these.
    pub(crate) fn of_two(&self, one: usize, other: usize) -> Option<Estimate> {
        let by = self.ahead_by(one, other);
        let is_limited = self.groups.len() == 1 && by.lo95.is_finite();
        (self.pair.is_some() || is_limited).then_some(by)
    }
}

fn ends(rating: &BotRating, width: f64) -> Option<[f64; 2]> {
    let error = width * rating.error95?;
    Some([rating.elo - error, rating.elo + error])
}

/// Gives two bots the estimate of their match from the side of the first: half of it each, or all
/// of it to the bot without an anchor. Returns the intervals of their ratings.
fn spread(bots: &mut [BotRating], by: Estimate, anchors: &[(usize, f64)]) -> Vec<Option<[f64; 2]>> {
    let middle = bots.iter().map(|bot| bot.elo).sum::<f64>() / bots.len() as f64;
    let level = anchors.first().map_or(middle, |(bot, _)| bots[*bot].elo);
    let mut ends = Vec::new();
    for (place, bot) in bots.iter_mut().enumerate() {
        let by = by.reversed_if(place > 0);
        let share = match anchors {
            [] => 0.5,
            [(anchor, _)] if *anchor != place => 1.0,
            _ => {
                bot.error95 = Some(0.0);
                ends.push(Some([bot.elo; 2]));
                continue;
            }
        };
        if by.elo.is_finite() {
            bot.elo = level + share * by.elo;
        }
        let [lo, hi] = by.interval().map(|end| level + share * end);
        bot.error95 = Some((hi - lo) / 2.0).filter(|error| error.is_finite());
        ends.push(Some([lo, hi]));
    }
    ends
}
