//! The standings of one game, as `summary.json` has them.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::count::{self, Count, Met, Pairing, Rated};
use super::stop::Stop;
use super::times::TimeSummary;
use arena_schedule::UnitDesign;
use arena_stats::estimate::{Estimate, Holds};
use arena_stats::rates::Rate;
use arena_stats::ratings::{FEW_UNITS, Mark};
use arena_stats::scores::UnitScores;

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
    /// Every two bots that met.
    pub(crate) pairings: Vec<PairingSummary>,
    /// The looks that intervals are valid for. If games may stop because of the results, the
    /// intervals hold at every look, and no likelihood is known.
    #[serde(rename = "interval")]
    pub(crate) holds: Holds,
    /// Whether two bots played the same moves as each other in all complete units.
    pub(crate) same_moves: bool,
    /// The one number that is shown of two bots. `None` if there are more bots, or no unit is
    /// complete.
    #[serde(skip)]
    pub(crate) difference: Option<Difference>,
}

/// The name of a game for people.
pub(crate) fn title<'a>(games: &'a [Game], id: &'a str) -> &'a str {
    let game = games.iter().find(|game| game.game == id);
    game.map_or(id, |game| &game.title)
}

/// How much stronger the first of two bots is.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) first: String,
    pub(crate) second: String,
    pub(crate) by: Estimate,
}

impl Difference {
    /// How much stronger one of the two is.
    pub(crate) fn of(&self, bot: &str) -> Estimate {
        self.by.reversed_if(self.first != bot)
    }
}

impl Game {
    /// Whether places say more than who won.
    pub(crate) fn shows_places(&self) -> bool {
        match self.design.seats {
            1 => self.bots.len() > 2,
            seats => seats > 2,
        }
    }

    /// Returns the standings of counted games. `order` has the numbers of the bots, the best first.
    pub(super) fn new(
        game: &str,
        (count, order): (&Count, &[usize]),
        rated: Option<&Rated>,
        stop: Stop,
    ) -> Game {
        let ranks = 0..order.len();
        let bots = ranks.map(|rank| BotSummary::new(count, order, rank, rated));
        Game {
            game: game.to_owned(),
            design: count.design,
            games: count.games,
            units: count.complete_units(),
            incomplete_units: count.incomplete_units(),
            shared_seeds: count.shared_seeds().filter(|_| order.len() > 2),
            groups: rated.map_or_else(Vec::new, |rated| rated.groups.clone()),
            misfits: rated.map_or_else(Vec::new, |rated| rated.misfits.clone()),
            bots: bots.collect(),
            holds: rated.map_or(stop.holds(), |rated| rated.holds),
            distinct_units: count::distinct(count.complete_units(), count.repeated),
            ..Game::default()
        }
    }
}

/// Two bots whose results against each other one rating per bot doesn't fit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Misfit {
    /// The bot that scored more than its rating says.
    pub(crate) first: String,
    pub(crate) second: String,
    /// What the first scored against the second, from 0 to 1.
    pub(crate) score: f64,
    /// What the ratings say that it scores.
    pub(crate) expected: f64,
    /// How far the two are apart; infinite if the first won everything.
    pub(crate) elo_apart: f64,
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

/// The results of a bot against all others, against one of them, or in one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct WinsDrawsLosses {
    /// Games won. With more than two seats, the seats of other bots that it beat in the game.
    /// Likewise for draws and losses.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
}

impl WinsDrawsLosses {
    pub(super) fn of([losses, draws, wins]: [u64; 3]) -> WinsDrawsLosses {
        WinsDrawsLosses {
            wins,
            draws,
            losses,
        }
    }

    /// The mean score from 0 to 1, if there is a game.
    pub(crate) fn score(&self) -> Option<f64> {
        count::score([self.losses, self.draws, self.wins])
    }
}

impl Display for WinsDrawsLosses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.wins, self.draws, self.losses)
    }
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
    pub(crate) fn new(
        count: &Count,
        order: &[usize],
        rank: usize,
        rated: Option<&Rated>,
    ) -> BotSummary {
        let bot = &count.bots[order[rank]];
        let rating = rated.and_then(|rated| rated.of(order[rank]));
        // Results that set a limit on one side only give no interval. Without a unit there is no
        // rating.
        let known = rating.filter(|rating| rating.units > 0);
        let bounded = known.filter(|rating| rating.mark.is_none());
        let ends = bounded.and_then(|_| rated?.ends(order[rank]));
        let next = rated.zip(order.get(rank + 1));
        let distinct = count::distinct(count.complete_units(), count.repeated);
        // Intervals of places are for a single look.
        let is_once = rated.is_none_or(|rated| rated.holds == Holds::Once);
        let [places, firsts] =
            [bot.mean_place95(), bot.firsts95()].map(|ends| ends.filter(|_| is_once));
        let by_seat = bot.by_seat.iter().copied();
        BotSummary {
            rank: rank + 1,
            name: bot.name.clone(),
            // A bot that won or lost everything has a rating only if it was set.
            elo: known
                .filter(|rating| rating.mark.is_none() || rating.error95 == Some(0.0))
                .map(|rating| rating.elo),
            lo95: ends.map(|[lo, _]| lo).filter(|lo| lo.is_finite()),
            hi95: ends.map(|[_, hi]| hi).filter(|hi| hi.is_finite()),
            error95: ends
                .map(|[lo, hi]| (hi - lo) / 2.0)
                .filter(|error| error.is_finite()),
            provisional: rating.is_some_and(|rating| rating.provisional)
                || count.repeated > 0 && distinct < FEW_UNITS,
            mark: rating.and_then(|rating| rating.mark),
            los_next: next.and_then(|(rated, &next)| rated.los(order[rank], next)),
            units: rating.map_or(0, |rating| rating.units),
            games: bot.games,
            score: bot.score(),
            results: WinsDrawsLosses::of(bot.ldw()),
            by_seat: by_seat.map(WinsDrawsLosses::of).collect(),
            mean_place: bot.mean_place(),
            mean_place_lo95: places.map(|ends| ends[0]),
            mean_place_hi95: places.map(|ends| ends[1]),
            firsts: bot.firsts(),
            firsts_lo95: firsts.map(|ends| ends[0]),
            firsts_hi95: firsts.map(|ends| ends[1]),
            mean_score: bot.alone.mean(),
            score_over_best: bot.alone.over_best(),
            ..BotSummary::default()
        }
    }
}

/// Two bots that met.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairingSummary {
    /// The bot from whose side the numbers are.
    pub(crate) first: String,
    pub(crate) second: String,
    #[serde(flatten)]
    pub(crate) results: WinsDrawsLosses,
    /// Complete units that repeat another one move for move.
    pub(crate) repeated_units: u64,
    /// The match in short, in the interval in force.
    #[serde(rename = "elo")]
    pub(crate) met: Option<Met>,
    /// Normalized Elo per game.
    nelo: Option<f64>,
    nelo_lo95: Option<f64>,
    nelo_hi95: Option<f64>,
    /// The number of independent wins and losses that would say as much.
    n_eff: Option<f64>,
    /// The share of units that scored exactly one half.
    draw_ratio: Option<f64>,
    /// Units won for each unit lost.
    pairs_ratio: Option<f64>,
    /// Pairs of games with a win for each bot, with two seats: the seed decided them.
    pub(crate) pairs_split: Option<u64>,
    /// Pairs of two drawn games, with two seats.
    pub(crate) pairs_drawn: Option<u64>,
    /// The scores of units that occurred, the worst first.
    pub(crate) unit_scores: Vec<f64>,
    /// How many units had each.
    pub(crate) unit_counts: Vec<u64>,
}

impl PairingSummary {
    pub(super) fn new(
        count: &Count,
        bots: (usize, usize),
        pairing: &Pairing,
        stop: Stop,
    ) -> PairingSummary {
        let [first, second] = [bots.0, bots.1].map(|bot| count.bots[bot].name.clone());
        let (design, by) = (count.design, count.estimate(bots, pairing, stop));
        let seats = design.seats;
        let scores = pairing.unit_scores();
        let scores = scores.as_ref();
        let figures = scores
            .and_then(|scores| pairing.elo(design, count.distinct_units_of(bots, scores.units())));
        let (unit_scores, unit_counts) = scores.into_iter().flat_map(UnitScores::values).unzip();
        PairingSummary {
            first,
            second,
            results: WinsDrawsLosses::of(pairing.ldw),
            met: scores.zip(by).and_then(|(scores, by)| Met::new(scores, by)),
            nelo: figures.and_then(|elo| elo.nelo),
            nelo_lo95: figures.and_then(|elo| elo.nelo_lo95),
            nelo_hi95: figures.and_then(|elo| elo.nelo_hi95),
            n_eff: figures.map(|elo| elo.n_eff),
            draw_ratio: figures.map(|elo| elo.draw_ratio),
            pairs_ratio: figures.and_then(|elo| elo.pairs_ratio),
            pairs_split: (seats == 2).then(|| pairing.units_with([1, 0, 1])),
            pairs_drawn: (seats == 2).then(|| pairing.units_with([0, 2, 0])),
            unit_scores,
            unit_counts,
            repeated_units: count.repeated_of.get(&bots).copied().unwrap_or(0),
        }
    }
}

fn in_words<S: Serializer>(design: &UnitDesign, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(3))?;
    map.serialize_entry("seats", &design.seats)?;
    map.serialize_entry("design", design.name())?;
    map.serialize_entry("games_per_unit", &design.games_per_unit)?;
    map.end()
}
