//! The standings of one game, as `summary.json` has them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::times::TimeSummary;
use crate::results::{Count, Met, Misfit, Pair, Stop, Table, WinsDrawsLosses};
use arena_schedule::UnitDesign;
use arena_section::table::Filter;
use arena_stats::estimate::Holds;
use arena_stats::rates::Rate;
use arena_stats::ratings::{FEW_UNITS, Mark};

/// The standings of one game in a run, or in results that are rated together. The latter only have
/// ratings.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Game {
    /// Id of the game, or the file that was named; empty for tables of counts, null if unknown.
    #[expect(clippy::struct_field_names, reason = "its name in `summary.json`")]
    pub(crate) game: String,
    /// Its name for people.
    #[serde(skip)]
    pub(crate) title: String,
    #[serde(flatten, serialize_with = "in_words")]
    #[schemars(with = "Seating")]
    pub(crate) design: UnitDesign,
    /// Games that count.
    pub(crate) games: u64,
    /// Complete units that count.
    pub(crate) units: u64,
    /// Units that don't repeat another one move for move. Intervals count only these.
    pub(crate) distinct_units: u64,
    /// Units that lack a game.
    pub(crate) incomplete_units: u64,
    /// Seeds, if units share them, and ratings have the intervals of so many; else null.
    pub(crate) shared_seeds: Option<u64>,
    /// Games that repeat another one move for move.
    pub(crate) repeated_games: u64,
    /// Sets of bots that won and lost points among each other. Differences between sets mean
    /// little.
    pub(crate) groups: Vec<Vec<String>>,
    /// Pairings whose results the ratings don't explain, the most surprising first.
    #[serde(skip)]
    pub(crate) misfits: Vec<Misfit>,
    /// Value of moving first; null if unknown.
    pub(crate) first_player: Option<Met>,
    /// Games by the reason of their end.
    pub(crate) reasons: BTreeMap<String, u64>,
    /// Results by map; empty if the game has one board, and if maps aren't known.
    #[serde(rename = "maps")]
    pub(crate) boards: Vec<BoardSummary>,
    /// The bots, the best first.
    pub(crate) bots: Vec<BotSummary>,
    /// The place in the list of the bot that the standings are about, in a gauntlet of more than
    /// two bots.
    #[serde(skip)]
    pub(crate) challenger: Option<usize>,
    /// Bots that are the same program with the same arguments, in sets.
    pub(crate) same_program: Vec<Vec<String>>,
    /// Every two bots that met.
    pub(crate) pairings: Vec<Pair>,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    #[serde(rename = "interval")]
    pub(crate) holds: Holds,
    /// Whether both bots played the same moves in all units.
    pub(crate) same_moves: bool,
}

/// The name of a game for people.
pub(crate) fn title<'a>(games: &'a [Game], id: &'a str) -> &'a str {
    match games.iter().find(|game| game.game == id) {
        Some(game) => &game.title,
        None => id,
    }
}

impl Game {
    /// Two bots that met, if there are no others. They have one number, which is shown everywhere.
    pub(crate) fn pair(&self) -> Option<&Pair> {
        match (&self.bots[..], &self.pairings[..]) {
            ([_, _], [pair]) => Some(pair),
            _ => None,
        }
    }

    /// The games of this game with these properties.
    pub(super) fn only<const N: usize>(&self, with: [(&'static str, &str); N]) -> Filter {
        let mut filter = vec![("kind", self.game.clone())];
        filter.extend(with.map(|(key, value)| (key, value.to_owned())));
        filter
    }

    /// Whether places say more than who won.
    pub(crate) fn shows_places(&self) -> bool {
        self.design.seats > 2 || self.design.seats == 1 && self.bots.len() > 2
    }

    /// Returns the standings of counted games. `order` has the numbers of the bots, the best first.
    pub(super) fn new(
        game: &str,
        (count, order): (&Count, &[usize]),
        rated: Option<&Table>,
        stop: &Stop,
    ) -> Game {
        let distinct_units = count.distinct_units();
        let is_thin = count.has_repeats() && distinct_units < FEW_UNITS;
        let holds = rated.map_or(stop.holds(), |rated| rated.holds);
        let mut bots = Vec::new();
        for rank in 0..order.len() {
            let mut bot = BotSummary::new(count, order, rank, (rated, holds));
            bot.provisional |= is_thin;
            bots.push(bot);
        }
        let (groups, misfits) = match rated {
            Some(rated) => (rated.groups.clone(), rated.misfits.clone()),
            None => (Vec::new(), Vec::new()),
        };
        Game {
            game: game.to_owned(),
            design: count.design,
            games: count.games,
            units: count.units(),
            incomplete_units: count.incomplete_units(),
            shared_seeds: count.shared_seeds(),
            groups,
            misfits,
            bots,
            holds,
            distinct_units,
            ..Game::default()
        }
    }
}

/// The games on one board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BoardSummary {
    /// Name of the map; null in a game without several maps.
    #[serde(rename = "map")]
    pub(crate) name: String,
    /// Games that count.
    pub(crate) games: u64,
    /// Mean number of turns.
    pub(crate) mean_turns: f64,
    /// Mean score of each bot, in the order of `bots`; null if it didn't play.
    pub(crate) scores: Vec<Option<f64>>,
}

/// One bot in the standings of a game: of a run, or of results that are rated together.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct BotSummary {
    /// Place among all, from 1. Equal bots share the better place.
    pub(crate) rank: usize,
    /// Name of the run, bot, variant, parameter or part of the sandbox.
    pub(crate) name: String,
    /// Elo of the bot, or of the first of two; null if unknown or infinite.
    pub(crate) elo: Option<f64>,
    /// Lower end of the 95% interval; null if unknown or infinite.
    pub(crate) lo95: Option<f64>,
    /// Upper end of the 95% interval; null if unknown or infinite.
    pub(crate) hi95: Option<f64>,
    /// When the intervals beside it hold, and those below it that don't say so themselves; null
    /// without any.
    pub(crate) interval: Holds,
    /// Half the width of the interval.
    #[serde(skip)]
    pub(crate) error95: Option<f64>,
    /// Whether there are too few units to trust the interval.
    pub(crate) provisional: bool,
    /// `perfect` if it won everything, `zero` if it lost everything; else null.
    pub(crate) mark: Option<Mark>,
    /// Likelihood that the bot is stronger than the next one; null if unknown.
    pub(crate) los_next: Option<f64>,
    /// Complete units.
    #[serde(skip)]
    pub(crate) units: u64,
    /// Games that count.
    pub(crate) games: u64,
    /// Mean score, from 0 to 1; null if unknown.
    pub(crate) score: f64,
    #[serde(flatten)]
    pub(crate) results: WinsDrawsLosses,
    /// Results in each seat.
    pub(crate) by_seat: Vec<WinsDrawsLosses>,
    /// Mean place; null if places aren't known. Seats with the same score share the better place.
    pub(crate) mean_place: Option<f64>,
    /// Lower end of the 95% interval of `mean_place`; null if unknown, and with two seats.
    pub(crate) mean_place_lo95: Option<f64>,
    /// Upper end of the 95% interval of `mean_place`; null if unknown, and with two seats.
    pub(crate) mean_place_hi95: Option<f64>,
    /// Share of games in which the bot came first; null if places aren't known. A shared first
    /// place counts in part.
    pub(crate) firsts: Option<f64>,
    /// Lower end of the 95% interval of `firsts`; null if unknown, and with two seats.
    pub(crate) firsts_lo95: Option<f64>,
    /// Upper end of the 95% interval of `firsts`; null if unknown, and with two seats.
    pub(crate) firsts_hi95: Option<f64>,
    /// Mean score from the referee in complete units, without games in which the bot failed; null
    /// unless the game has one seat.
    pub(crate) mean_score: Option<f64>,
    /// Mean score divided by the best one on the seed, as `mean_score` counts; null unless the game
    /// has one seat.
    pub(crate) score_over_best: Option<f64>,
    /// Failures of the bot by fate; null if unknown.
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// Share of the bot's games with a failure, by fate and for `any`.
    pub(crate) fault_rates: BTreeMap<&'static str, Rate>,
    /// Answers that came late but count, because the machine was busy.
    pub(crate) host_late: u64,
    /// Times of the first answer of each game; null without any.
    pub(crate) first_turn: Option<TimeSummary>,
    /// Times of all other answers; null without any.
    pub(crate) later_turns: Option<TimeSummary>,
    /// Times of the longest later answer of each game; null without any.
    pub(crate) longest: Option<TimeSummary>,
}

impl BotSummary {
    /// Returns the number of its faults of all kinds.
    pub(crate) fn faults(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Returns the bot at `rank`, from 0, in this order of bots. How it answered is left out.
    fn new(
        count: &Count,
        order: &[usize],
        rank: usize,
        (rated, holds): (Option<&Table>, Holds),
    ) -> BotSummary {
        let bot = &count.bots[order[rank]];
        // Intervals of places are for a single look.
        let [places, firsts] = match holds {
            Holds::Once => [bot.mean_place95(), bot.firsts95()],
            _ => [None; 2],
        };
        let by_seat = bot.by_seat.iter().copied().map(WinsDrawsLosses::of);
        let mut summary = BotSummary {
            rank: place(count, order, rank, rated),
            name: bot.name.clone(),
            interval: holds,
            games: bot.games,
            faults: bot.faults.clone(),
            score: bot.score(),
            results: WinsDrawsLosses::of(bot.ldw()),
            by_seat: by_seat.collect(),
            mean_place: bot.mean_place(),
            mean_place_lo95: places.map(|ends| ends[0]),
            mean_place_hi95: places.map(|ends| ends[1]),
            firsts: bot.firsts(),
            firsts_lo95: firsts.map(|ends| ends[0]),
            firsts_hi95: firsts.map(|ends| ends[1]),
            mean_score: bot.alone.mean(),
            score_over_best: bot.alone.over_best(),
            ..BotSummary::default()
        };
        if let Some(rated) = rated {
            summary.rate(rated, order[rank], order.get(rank + 1));
        }
        summary
    }

    /// Adds the rating of a bot, which `next` follows.
    fn rate(&mut self, rated: &Table, bot: usize, next: Option<&usize>) {
        self.los_next = next.and_then(|&next| rated.los(bot, next));
        let Some(rating) = rated.of(bot) else {
            return;
        };
        self.provisional = rating.provisional;
        self.mark = rating.mark;
        self.units = rating.units;
        if rating.units == 0 {
            return;
        }
        // A bot that won or lost everything has a rating only if it was set.
        if rating.mark.is_none() || rating.error95 == Some(0.0) {
            self.elo = Some(rating.elo);
        }
        // Results that set a limit on one side only give no interval.
        if rating.mark.is_none()
            && let Some([lo, hi]) = rated.ends(bot)
        {
            [self.lo95, self.hi95, self.error95] = [lo, hi, (hi - lo) / 2.0]
                .map(|value| Some(value).filter(|value| value.is_finite()));
        }
    }
}

/// The place of the bot at `rank`, from 1; equal bots share the better one (1-2-2-4).
fn place(count: &Count, order: &[usize], rank: usize, rated: Option<&Table>) -> usize {
    let number = |bot: usize| match rated {
        Some(rated) => rated.elo(bot),
        None => count.bots[bot].score(),
    };
    1 + order[..rank]
        .iter()
        .position(|&bot| number(bot).total_cmp(&number(order[rank])).is_eq())
        .unwrap_or(rank)
}

/// The design of units, as JSON has it.
#[derive(Serialize, JsonSchema)]
struct Seating {
    /// Seats of the game.
    seats: usize,
    /// How units are seated: `pairs`, `rotations`, `mirror` or `alone`.
    design: &'static str,
    /// Games of each bot in a unit.
    games_per_unit: u32,
}

fn in_words<S: Serializer>(design: &UnitDesign, serializer: S) -> Result<S::Ok, S::Error> {
    let seating = Seating {
        seats: design.seats,
        design: design.name(),
        games_per_unit: design.games_per_unit,
    };
    seating.serialize(serializer)
}
