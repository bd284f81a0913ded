//! The standings of one game, as `summary.json` has them.

use std::collections::BTreeMap;

use serde::ser::SerializeMap as _;
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
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Game {
    /// The id of the game, empty for tables of counts.
    #[expect(clippy::struct_field_names, reason = "its name in `summary.json`")]
    pub(crate) game: String,
    /// Its name for people.
    #[serde(skip)]
    pub(crate) title: String,
    #[serde(flatten, serialize_with = "in_words")]
    pub(crate) design: UnitDesign,
    /// Games with a result.
    pub(crate) games: u64,
    /// Complete units. Only these enter Elo.
    pub(crate) units: u64,
    /// The complete units that don't repeat another one move for move. Intervals are those of so
    /// many units.
    pub(crate) distinct_units: u64,
    /// Units that lack a game.
    pub(crate) incomplete_units: u64,
    /// The number of seeds if pairings share them. Intervals of ratings are those of so many seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shared_seeds: Option<u64>,
    /// Games that repeat an earlier one of the same bots move for move. They count like any other,
    /// but say nothing new.
    pub(crate) repeated_games: u64,
    /// The bots, in groups linked by results both ways. With more than one group the ratings rest
    /// on virtual draws, and differences between groups mean little.
    pub(crate) groups: Vec<Vec<String>>,
    /// Every two bots whose results against each other one rating per bot doesn't fit, the most
    /// surprising first.
    #[serde(skip)]
    pub(crate) misfits: Vec<Misfit>,
    /// The value of moving first.
    pub(crate) first_player: Option<Met>,
    /// The number of games by reason of the end.
    pub(crate) reasons: BTreeMap<String, u64>,
    /// The games on each board (the maps of Kutulu), in the order that seeds refer to. Empty for a
    /// game with one board, and if the boards aren't known.
    #[serde(rename = "maps", skip_serializing_if = "Vec::is_empty")]
    pub(crate) boards: Vec<BoardSummary>,
    /// The bots, the best first.
    pub(crate) bots: Vec<BotSummary>,
    /// The place in the list of the bot that the standings are about, in a gauntlet of more than
    /// two bots.
    #[serde(skip)]
    pub(crate) challenger: Option<usize>,
    /// Bots that are the same program with the same arguments, in groups: what tells them apart is
    /// luck.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) same_program: Vec<Vec<String>>,
    /// Every two bots that met.
    pub(crate) pairings: Vec<Pair>,
    /// The looks that intervals are valid for. If games may stop because of the results, the
    /// intervals hold at every look, and no likelihood is known.
    #[serde(rename = "interval")]
    pub(crate) holds: Holds,
    /// Whether two bots played the same moves as each other in all complete units.
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
        let mut bots = Vec::new();
        for rank in 0..order.len() {
            let mut bot = BotSummary::new(count, order, rank, rated);
            bot.provisional |= is_thin;
            bots.push(bot);
        }
        let (groups, misfits, holds) = match rated {
            Some(rated) => (rated.groups.clone(), rated.misfits.clone(), rated.holds),
            None => (Vec::new(), Vec::new(), stop.holds()),
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
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BoardSummary {
    #[serde(rename = "map")]
    pub(crate) name: String,
    pub(crate) games: u64,
    pub(crate) mean_turns: f64,
    /// The score of each bot, in the order of the standings; `None` if it didn't play on the board.
    pub(crate) scores: Vec<Option<f64>>,
}

/// One bot in the standings of a game: of a run, or of results that are rated together.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct BotSummary {
    /// The place in the standings, from 1.
    pub(crate) rank: usize,
    pub(crate) name: String,
    /// The rating; `None` if nothing limits it on one side. Without an anchor the mean of all bots
    /// is 0.
    pub(crate) elo: Option<f64>,
    /// The lower end of the rating's 95% interval; `None` without enough games, and for a bot that
    /// won or lost everything.
    pub(crate) lo95: Option<f64>,
    pub(crate) hi95: Option<f64>,
    /// Half the width of the interval.
    #[serde(skip)]
    pub(crate) error95: Option<f64>,
    /// Whether there are too few units to trust the interval.
    pub(crate) provisional: bool,
    /// Set for a bot that won or lost everything: results limit its rating on one side only.
    pub(crate) mark: Option<Mark>,
    /// The likelihood that the bot is stronger than the next one in the standings; `None` for the
    /// last bot, and without enough games.
    pub(crate) los_next: Option<f64>,
    /// Complete units.
    #[serde(skip)]
    pub(crate) units: u64,
    /// Games played. These and the results include incomplete units.
    pub(crate) games: u64,
    /// The mean score, from 0 to 1.
    pub(crate) score: f64,
    #[serde(flatten)]
    pub(crate) results: WinsDrawsLosses,
    /// The results in each seat.
    pub(crate) by_seat: Vec<WinsDrawsLosses>,
    /// The mean place, if places are known. Seats with the same score share the better place.
    pub(crate) mean_place: Option<f64>,
    /// The lower end of its 95% interval, from complete units; `None` with two seats, because the
    /// score says it all.
    pub(crate) mean_place_lo95: Option<f64>,
    pub(crate) mean_place_hi95: Option<f64>,
    /// The share of seats that came first, if places are known. A shared first place counts in
    /// part.
    pub(crate) firsts: Option<f64>,
    /// The lower end of its 95% interval; `None` with two seats.
    pub(crate) firsts_lo95: Option<f64>,
    pub(crate) firsts_hi95: Option<f64>,
    /// With one seat, the mean score of complete units, without games in which the bot failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mean_score: Option<f64>,
    /// The mean of such scores divided by the best one on the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score_over_best: Option<f64>,
    /// The number of seats whose bot failed, by fate.
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// The share of its games with a fault, by fate and for [`ANY_FAULT`].
    pub(crate) fault_rates: BTreeMap<&'static str, Rate>,
    /// Answers that came after the limit but counted, because the machine was busy with something
    /// else.
    pub(crate) host_late: u64,
    /// Response times of the first answer of each game.
    pub(crate) first_turn: Option<TimeSummary>,
    /// Response times of all other answers.
    pub(crate) later_turns: Option<TimeSummary>,
    /// The longest later response time of each game.
    pub(crate) longest: Option<TimeSummary>,
}

impl BotSummary {
    /// Returns the number of its faults of all kinds.
    pub(crate) fn faults(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Returns the bot at `rank`, from 0, in this order of bots. How it answered is left out.
    fn new(count: &Count, order: &[usize], rank: usize, rated: Option<&Table>) -> BotSummary {
        let bot = &count.bots[order[rank]];
        let [places, firsts] = match rated {
            // Intervals of places are for a single look.
            Some(rated) if rated.holds != Holds::Once => [None; 2],
            _ => [bot.mean_place95(), bot.firsts95()],
        };
        let by_seat = bot.by_seat.iter().copied().map(WinsDrawsLosses::of);
        let mut summary = BotSummary {
            rank: place(count, order, rank, rated),
            name: bot.name.clone(),
            games: bot.games,
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

fn in_words<S: Serializer>(design: &UnitDesign, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(3))?;
    map.serialize_entry("seats", &design.seats)?;
    map.serialize_entry("design", design.name())?;
    map.serialize_entry("games_per_unit", &design.games_per_unit)?;
    map.end()
}
