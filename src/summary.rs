//! From rows and records to what they say: standings, pairings, response times. Nothing here depends on the order of the
//! games, but for how ratings settled.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of games are far below 2^52"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash as _, Hasher as _};
use std::slice;
use std::sync::Arc;

use rustc_hash::FxHasher;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;
use strum::VariantArray;

use crate::contest::Contest;
use crate::count::{self, Count, CountedGame, Pairing, Rated, Repeats, UnitDesign};
use crate::record::Record;
use crate::store::{GameRow, Header};
use crate::tuner::{TuneEnd, Tuner};
use arena_games::{Fate, GameSpec, Reason};
use arena_stats::elo::{MatchElo, match_elo, pairing_gain};
use arena_stats::rates::{Rate, sign_test};
use arena_stats::ratings::{Mark, Settings, half_points};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::estimate::Estimate;
use arena_stats::sprt::too_repetitive;

mod course;
pub(crate) mod failures;
pub(crate) mod metrics;
pub(crate) mod sprt;
pub(crate) mod sweep;
mod times;
pub(crate) mod tune;
pub(crate) mod workers;

use course::Course;
pub(crate) use course::Interval;
use failures::{FailedBot, Failures};
use sprt::{SprtSummary, Test};
use sweep::SweepSummary;
pub(crate) use times::{TimeSummary, Times};
use tune::TuneSummary;
use workers::{WorkerSummary, WorkerTally};

/// What stands for all faults together where they are listed by kind.
pub(crate) const ANY_FAULT: &str = "any";

/// The games of a run, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    games: Vec<GameTally>,
    /// Games that do not enter the ratings.
    unrated_games: u64,
}

/// What a run finds out beside standings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found<'a> {
    /// The sequential test that ends it.
    pub(crate) test: Option<&'a Test>,
    /// The sweep that it is.
    pub(crate) sweep: Option<&'a Contest>,
    /// The tuning that it is.
    pub(crate) tuner: Option<&'a Tuner>,
    /// Of a match of two bots without a test.
    pub(crate) failures: Option<&'a Failures>,
}

impl Found<'_> {
    /// The bots that failed in most units, so that nothing was measured.
    fn no_verdict(&self) -> Vec<FailedBot> {
        if let Some(tuner) = self
            .tuner
            .filter(|tuner| tuner.end == Some(TuneEnd::Failing))
        {
            let [units, failed] = tuner
                .first_units
                .map(|units| usize::try_from(units).unwrap_or(usize::MAX));
            return vec![FailedBot {
                bot: tuner.tune.bot.clone(),
                failed,
                units,
            }];
        }
        let of_test = self.test.map(Test::failed);
        of_test
            .or_else(|| self.failures.map(Failures::in_most))
            .unwrap_or_default()
    }
}

/// One game of a run, counted.
#[derive(Clone, Debug, Default)]
struct GameTally {
    id: String,
    /// The game, where it is known.
    spec: Option<Arc<GameSpec>>,
    count: Count,
    reasons: BTreeMap<String, u64>,
    /// By bot.
    answers: Vec<Answers>,
    repeated_games: Repeats,
    repeated_units: Repeats,
    /// Of two bots by number, the units in which the first, and in which the second, failed more often than the other.
    failed_more: BTreeMap<(usize, usize), [u64; 2]>,
    /// The boards that seeds pick from, where they are known.
    boards: Vec<BoardTally>,
    workers: WorkerTally,
    course: Course,
}

/// How a bot answered.
#[derive(Clone, Debug, Default)]
struct Answers {
    games: u64,
    /// Seats by how the game ended for them.
    fates: BTreeMap<&'static str, u64>,
    /// Games with such a fault, and with [`ANY_FAULT`].
    failed_games: BTreeMap<&'static str, u64>,
    host_late: u64,
    first_turn: Times,
    later_turns: Times,
    /// The longest of the later ones in each game.
    longest: Times,
}

/// The games on one board, counted.
#[derive(Clone, Debug, Default)]
struct BoardTally {
    name: String,
    games: u64,
    turns: u64,
    /// Comparisons lost, drawn, won, by bot.
    ldw: Vec<[u64; 3]>,
}

impl Tally {
    /// Names a game and its bots before any is counted: equals are listed in this order.
    pub(crate) fn expect(
        &mut self,
        spec: &Arc<GameSpec>,
        seats: usize,
        games_per_unit: u64,
        bots: &[String],
    ) {
        let games_per_unit = u32::try_from(games_per_unit).unwrap_or(u32::MAX);
        let tally = self.game(
            &spec.id,
            UnitDesign {
                seats,
                bots: seats,
                games_per_unit,
            },
        );
        tally.spec = Some(spec.clone());
        for bot in bots {
            tally.count.bot(bot);
        }
    }

    /// Says under which options a game that was named before is played, so that it is counted by boards, too.
    pub(crate) fn expect_boards(&mut self, spec: &Arc<GameSpec>) {
        if let Some(tally) = self.games.iter_mut().find(|tally| tally.id == spec.id) {
            let boards = spec.rules.boards().into_iter();
            tally.boards = boards
                .map(|name| BoardTally {
                    name,
                    ..BoardTally::default()
                })
                .collect();
            tally.spec = Some(spec.clone());
        }
    }

    /// Counts one game, which enters the ratings or, if not, only the faults and times of its bots: designs are never mixed
    /// in one estimate.
    pub(crate) fn add(&mut self, row: &GameRow, record: &Record, is_rated: bool) {
        self.unrated_games += u64::from(!is_rated);
        self.game(&row.game, UnitDesign::of(row))
            .add(row, record, is_rated);
    }

    /// The tally of a game; `design` is that of one that was not named before.
    fn game(&mut self, id: &str, design: UnitDesign) -> &mut GameTally {
        let at = self
            .games
            .iter()
            .position(|game| game.id == id)
            .unwrap_or_else(|| {
                self.games.push(GameTally {
                    id: id.to_owned(),
                    count: Count::new(design),
                    ..GameTally::default()
                });
                self.games.len() - 1
            });
        &mut self.games[at]
    }

    /// The standings of every game so far.
    pub(crate) fn standings(&self) -> Vec<GameSummary> {
        self.games.iter().map(GameTally::summary).collect()
    }

    /// Everything there is to say about the run.
    pub(crate) fn summary(&self, header: Header, found: Found<'_>) -> Summary {
        let mut games = self.standings();
        let games_played =
            self.games.iter().map(|game| game.count.games).sum::<u64>() + self.unrated_games;
        let is_open = found
            .test
            .map_or(!header.came_to_its_end(games_played), |test| {
                !test.has_ended()
            });
        for game in &mut games {
            game.anytime &= is_open;
        }
        let sprt = found.test.map(Test::summary);
        if let ([game], Some(test)) = (&mut games[..], &sprt) {
            game.after_test = test.estimate();
        }
        let too_repetitive = games
            .iter()
            .any(|game| too_repetitive(game.distinct_units, game.units));
        Summary {
            run: header,
            games_played,
            no_verdict: found.no_verdict(),
            fault_causes: Vec::new(),
            sprt,
            sweep: found.sweep.map(|sweep| SweepSummary {
                too_repetitive,
                ..SweepSummary::of(sweep)
            }),
            tune: found.tuner.map(TuneSummary::of),
            workers: WorkerSummary::all(self.games.iter().map(GameTally::workers)),
            games,
        }
    }
}

/// How a game ended: that a seat gave no reply is told by what became of it, for instance `crashed`.
fn reason_of(row: &GameRow) -> String {
    let of_seat = row
        .seats
        .iter()
        .map(|seat| seat.fate)
        .find(|fate| !matches!(fate, Fate::Ok | Fate::InvalidAction));
    match of_seat {
        Some(fate) if row.reason == Reason::Timeout.to_string() => fate.to_string(),
        _ => row.reason.clone(),
    }
}

impl GameTally {
    fn add(&mut self, row: &GameRow, record: &Record, is_rated: bool) {
        let seed_decides = self.spec.as_ref().is_none_or(|spec| spec.seed_decides);
        let game = self.count.game(row, transcript(row, record, seed_decides));
        self.add_answers(row, record, &game.bots);
        self.workers.add(
            row,
            record,
            &game,
            is_rated.then_some(self.count.design.games_per_unit),
        );
        if !is_rated {
            return;
        }
        *self.reasons.entry(reason_of(row)).or_default() += 1;
        self.repeated_games.add(slice::from_ref(&game));
        self.add_board(row, &game);
        if let Some(unit) = self.count.add(row, game) {
            self.repeated_units.add(&unit);
            self.add_failures(&unit);
            self.course.unit(&self.count);
        }
    }

    /// Who played, with the names of the game and its bots.
    fn workers(&self) -> (&WorkerTally, &str, Vec<&str>) {
        (
            &self.workers,
            &self.id,
            self.count
                .bots
                .iter()
                .map(|bot| bot.name.as_str())
                .collect(),
        )
    }

    fn add_answers(&mut self, row: &GameRow, record: &Record, bots: &[usize]) {
        self.answers
            .resize_with(self.count.bots.len(), Answers::default);
        let mut failed: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (at, (seat, &bot)) in row.seats.iter().zip(bots).enumerate() {
            *self.answers[bot].fates.entry(seat.fate.into()).or_default() += 1;
            self.answers[bot].games += u64::from(!bots[..at].contains(&bot));
            if seat.fate != Fate::Ok {
                failed.extend([(bot, seat.fate.into()), (bot, ANY_FAULT)]);
            }
        }
        for (bot, kind) in failed {
            *self.answers[bot].failed_games.entry(kind).or_default() += 1;
        }
        let mut asked = vec![false; bots.len()];
        let mut longest: BTreeMap<usize, f64> = BTreeMap::new();
        for (step, &ms) in record.steps.iter().zip(&record.ms) {
            let Some(&bot) = bots.get(step.player) else {
                continue;
            };
            if std::mem::replace(&mut asked[step.player], true) {
                self.answers[bot].later_turns.add(ms);
                let longest = longest.entry(bot).or_default();
                *longest = longest.max(ms);
            } else {
                self.answers[bot].first_turn.add(ms);
            }
        }
        for (bot, ms) in longest {
            self.answers[bot].longest.add(ms);
        }
        let late = record
            .host_late
            .iter()
            .filter_map(|&step| bots.get(record.steps.get(step)?.player));
        late.for_each(|&bot| self.answers[bot].host_late += 1);
    }

    /// Counts a complete unit for every two of its bots of which one failed more often.
    fn add_failures(&mut self, unit: &[CountedGame]) {
        let failed = || unit.iter().flat_map(|game| &game.failed);
        if failed().next().is_none() {
            return;
        }
        let times = |bot: usize| failed().filter(|&&failed| failed == bot).count();
        let bots: BTreeSet<usize> = unit.iter().flat_map(|game| &game.bots).copied().collect();
        for (&one, &other) in bots
            .iter()
            .flat_map(|one| bots.range(one + 1..).map(move |other| (one, other)))
        {
            let more = self.failed_more.entry((one, other)).or_default();
            more[0] += u64::from(times(one) > times(other));
            more[1] += u64::from(times(one) < times(other));
        }
    }

    /// The board that the seed of a game picked.
    fn board(&mut self, row: &GameRow) -> Option<&mut BoardTally> {
        self.boards
            .get_mut(self.spec.as_ref()?.rules.board(row.seed)?)
    }

    /// Counts the game for its board.
    fn add_board(&mut self, row: &GameRow, game: &CountedGame) {
        let bots = self.count.bots.len();
        let Some(board) = self.board(row) else { return };
        board.games += 1;
        board.turns += u64::from(row.turns);
        board.ldw.resize(bots, [0; 3]);
        for (_, comparison) in &game.comparisons {
            board.ldw[comparison.first][usize::from(half_points(comparison.outcome))] += 1;
            board.ldw[comparison.second][usize::from(half_points(comparison.outcome.reverse()))] +=
                1;
        }
    }

    fn summary(&self) -> GameSummary {
        let UnitDesign {
            seats,
            games_per_unit,
            ..
        } = self.count.design;
        // Only bots with a complete unit can be rated.
        let rated = self
            .count
            .rate(
                &self.count.bots_in_units(),
                Settings::new(games_per_unit),
                false,
            )
            .ok();
        let order = self.order(rated.as_ref());
        let units = self.count.complete_units();
        GameSummary {
            game: self.id.clone(),
            title: self
                .spec
                .as_ref()
                .map_or(&self.id, |spec| &spec.title)
                .clone(),
            seats,
            design: self.count.design.name(),
            games_per_unit,
            games: self.count.games,
            units,
            distinct_units: units - self.repeated_units.count(),
            incomplete_units: self.count.incomplete_units(),
            repeated_games: self.repeated_games.count(),
            groups: rated
                .as_ref()
                .map_or_else(Vec::new, |rated| rated.groups.clone()),
            first_player: self.count.first_player(),
            reasons: self.reasons.clone(),
            boards: self
                .boards
                .iter()
                .filter(|board| board.games > 0)
                .map(|board| board.summary(&order))
                .collect(),
            bots: (0..order.len())
                .map(|rank| self.bot(&order, rank, rated.as_ref()))
                .collect(),
            pairings: self.pairings(),
            anytime: order.len() == 2,
            after_test: None,
            course: self.course.until_now(&self.count, rated.as_ref(), &order),
        }
    }

    /// All bots, the best first. Rated bots come first; among those without a rating, and among equals, the score decides.
    fn order(&self, rated: Option<&Rated>) -> Vec<usize> {
        let elo = |bot: usize| rated.map_or(f64::NEG_INFINITY, |rated| rated.elo(bot));
        let score = |bot: usize| self.count.bots[bot].score();
        let mut order: Vec<usize> = (0..self.count.bots.len()).collect();
        order.sort_by(|&a, &b| {
            elo(b)
                .total_cmp(&elo(a))
                .then(score(b).total_cmp(&score(a)))
        });
        order
    }

    fn bot(&self, order: &[usize], rank: usize, rated: Option<&Rated>) -> BotSummary {
        let bot = BotSummary::new(&self.count, order, rank, rated);
        let no_answers = Answers::default();
        let answers = self.answers.get(order[rank]).unwrap_or(&no_answers);
        let faults = Fate::VARIANTS
            .iter()
            .filter(|&&fate| fate != Fate::Ok)
            .map(<&'static str>::from);
        BotSummary {
            // Between groups that no results link, nothing is known.
            los_next: bot
                .los_next
                .filter(|_| rated.is_some_and(|rated| rated.groups.len() == 1)),
            mean_place: bot.mean_place.or(Some(0.0)),
            firsts: bot.firsts.or(Some(0.0)),
            faults: faults
                .clone()
                .map(|fate| (fate, answers.fates.get(fate).copied().unwrap_or(0)))
                .collect(),
            fault_rates: faults
                .chain([ANY_FAULT])
                .filter_map(|kind| Some((kind, answers.rate(kind)?)))
                .collect(),
            host_late: answers.host_late,
            first_turn: answers.first_turn(),
            later_turns: answers.later_turns.summary(),
            longest: answers.longest.summary_with_intervals(),
            ..bot
        }
    }

    /// Every two bots that met in complete units, in the order of the bots.
    fn pairings(&self) -> Vec<PairingSummary> {
        let name = |bot: usize| self.count.bots[bot].name.clone();
        let summary = |(bots, pairing): ((usize, usize), Pairing)| {
            let names = [name(bots.0), name(bots.1)];
            let failed_more = self.failed_more.get(&bots).copied().unwrap_or_default();
            let failed_p = failed_more
                .iter()
                .any(|&units| units > 0)
                .then(|| sign_test(failed_more[0], failed_more[1]));
            PairingSummary {
                failed_more,
                failed_p,
                ..PairingSummary::new(names, &pairing, self.count.design)
            }
        };
        self.count.pairings().into_iter().map(summary).collect()
    }
}

impl Answers {
    /// Times of first answers, which are independent where a bot has one seat in each game.
    fn first_turn(&self) -> Option<TimeSummary> {
        let is_one_each = self.first_turn.count() <= self.games;
        if is_one_each {
            self.first_turn.summary_with_intervals()
        } else {
            self.first_turn.summary()
        }
    }

    /// The share of games with such a fault.
    fn rate(&self, kind: &str) -> Option<Rate> {
        Rate::new(
            self.failed_games.get(kind).copied().unwrap_or(0),
            self.games,
        )
    }
}

impl BoardTally {
    /// `order` are the bots as they are listed.
    fn summary(&self, order: &[usize]) -> BoardSummary {
        BoardSummary {
            name: self.name.clone(),
            games: self.games,
            mean_turns: self.turns as f64 / self.games.max(1) as f64,
            scores: order
                .iter()
                .map(|&bot| count::score(*self.ldw.get(bot)?))
                .collect(),
        }
    }
}

impl BotSummary {
    /// The bot that comes at `rank` in this order, from 0; nothing is said of how it answered.
    pub(crate) fn new(
        count: &Count,
        order: &[usize],
        rank: usize,
        rated: Option<&Rated>,
    ) -> BotSummary {
        let bot = &count.bots[order[rank]];
        let rating = rated.and_then(|rated| rated.of(order[rank]));
        // Results that set a limit on one side only have no interval, and no unit no rating.
        let known = rating.filter(|rating| rating.units > 0);
        let bounded = known.filter(|rating| rating.mark.is_none());
        let error95 = bounded.and_then(|rating| rating.error95);
        let end = |sign: f64| Some(rating?.elo + sign * error95?);
        let next = rated.zip(order.get(rank + 1));
        BotSummary {
            rank: rank + 1,
            name: bot.name.clone(),
            elo: known.map(|rating| rating.elo),
            lo95: end(-1.0),
            hi95: end(1.0),
            error95,
            provisional: rating.is_some_and(|rating| rating.provisional),
            mark: rating.and_then(|rating| rating.mark),
            los_next: next.and_then(|(rated, &next)| rated.los(order[rank], next)),
            units: rating.map_or(0, |rating| rating.units),
            games: bot.games,
            score: bot.score(),
            results: WinsDrawsLosses::of(bot.ldw()),
            by_seat: bot
                .by_seat
                .iter()
                .copied()
                .map(WinsDrawsLosses::of)
                .collect(),
            mean_place: bot.mean_place(),
            mean_place_lo95: bot.mean_place95().map(|ends| ends[0]),
            mean_place_hi95: bot.mean_place95().map(|ends| ends[1]),
            firsts: bot.firsts(),
            firsts_lo95: bot.firsts95().map(|ends| ends[0]),
            firsts_hi95: bot.firsts95().map(|ends| ends[1]),
            ..BotSummary::default()
        }
    }
}

impl PairingSummary {
    fn new([first, second]: [String; 2], pairing: &Pairing, design: UnitDesign) -> PairingSummary {
        let UnitDesign {
            seats,
            games_per_unit,
            ..
        } = design;
        let scores = UnitScores::from_values(pairing.scores()).ok();
        let elo = scores
            .as_ref()
            .and_then(|scores| match_elo(scores, games_per_unit));
        // With two seats a game is one comparison, so the counts are those of games.
        let of_games = UnitScores::from_counts(2, pairing.ldw)
            .ok()
            .filter(|_| seats == 2);
        let gain = scores
            .as_ref()
            .zip(of_games)
            .and_then(|(units, games)| pairing_gain([[units, &games]], games_per_unit));
        let (unit_scores, unit_counts) = scores.iter().flat_map(UnitScores::values).unzip();
        PairingSummary {
            first,
            second,
            results: WinsDrawsLosses::of(pairing.ldw),
            elo,
            nelo: elo.and_then(|elo| elo.nelo),
            nelo_lo95: elo.and_then(|elo| elo.nelo_lo95),
            nelo_hi95: elo.and_then(|elo| elo.nelo_hi95),
            n_eff: elo.map(|elo| elo.n_eff),
            draw_ratio: elo.map(|elo| elo.draw_ratio),
            pairs_ratio: elo.and_then(|elo| elo.pairs_ratio),
            pairing_gain: gain,
            pairs_split: (seats == 2).then(|| pairing.units_with([1, 0, 1])),
            pairs_drawn: (seats == 2).then(|| pairing.units_with([0, 2, 0])),
            unit_scores,
            unit_counts,
            failed_more: [0; 2],
            failed_p: None,
        }
    }
}

/// Who sat where, from what the game started and what was answered, as one number. Where the seed decides the start it is a
/// part of that.
fn transcript(row: &GameRow, record: &Record, seed_decides: bool) -> u64 {
    let mut hasher = FxHasher::default();
    seed_decides.then_some(row.seed).hash(&mut hasher);
    for seat in &row.seats {
        seat.bot.hash(&mut hasher);
    }
    record.options.opening.hash(&mut hasher);
    record.hash_answers(&mut hasher);
    hasher.finish()
}

/// A value with only these of its keys, which have spaces between, in this order.
pub(crate) struct Only<T>(pub(crate) T, pub(crate) &'static str);

impl<T: Serialize> Serialize for Only<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::to_value(&self.0).map_err(S::Error::custom)? {
            Value::Object(object) => {
                serializer.collect_map(self.1.split(' ').map(|key| (key, object.get(key))))
            }
            other => other.serialize(serializer),
        }
    }
}

/// A match in short.
fn in_short<S: Serializer>(elo: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    Only(elo, "units score elo lo95 hi95 los").serialize(serializer)
}

/// A match of two bots in short, which may be watched.
fn watched<S: Serializer>(elo: &impl Serialize, serializer: S) -> Result<S::Ok, S::Error> {
    Only(
        elo,
        "units score elo lo95 hi95 lo95_anytime hi95_anytime los",
    )
    .serialize(serializer)
}

/// Everything there is to say about a run; `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// The run.
    pub(crate) run: Header,
    /// The number of games that have a result.
    pub(crate) games_played: u64,
    /// Of a match of two bots, those that failed in most units, so that nothing was measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) no_verdict: Vec<FailedBot>,
    /// Why bots failed, the most frequent cause first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fault_causes: Vec<FaultCause>,
    /// The sequential test that the run was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sprt: Option<SprtSummary>,
    /// The sweep that the run was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sweep: Option<SweepSummary>,
    /// The tuning that the run was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tune: Option<TuneSummary>,
    /// The workers of other machines that played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) workers: Vec<WorkerSummary>,
    /// Each game's standings.
    pub(crate) games: Vec<GameSummary>,
}

impl Summary {
    /// The name of a game for people.
    pub(crate) fn title<'a>(&'a self, id: &'a str) -> &'a str {
        self.games
            .iter()
            .find(|game| game.game == id)
            .map_or(id, |game| &game.title)
    }
}

/// Faults of a bot that have the same cause, as far as can be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FaultCause {
    /// The id of the game.
    pub(crate) game: String,
    /// The bot.
    pub(crate) bot: String,
    /// How it failed.
    pub(crate) fate: Fate,
    /// What the first of them tells.
    pub(crate) cause: String,
    /// How many there are.
    pub(crate) count: u64,
    /// The number of the first game.
    pub(crate) first: u64,
}

/// The standings of one game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GameSummary {
    /// The id of the game.
    pub(crate) game: String,
    /// Its name for people.
    #[serde(skip)]
    pub(crate) title: String,
    /// The seats of the game.
    pub(crate) seats: usize,
    /// How they are filled: `pairs`, two bots that swap them; `rotations`, four bots, each in each seat once; `mirror`, two
    /// bots with two seats each, which they swap.
    pub(crate) design: &'static str,
    /// The games of a unit.
    pub(crate) games_per_unit: u32,
    /// Games with a result.
    pub(crate) games: u64,
    /// Complete units. Only these enter Elo.
    pub(crate) units: u64,
    /// Those of them that do not repeat another move for move.
    pub(crate) distinct_units: u64,
    /// Units of which a game is missing.
    pub(crate) incomplete_units: u64,
    /// Games that repeat an earlier one of the same bots move for move. They are counted like any other, but add
    /// nothing to what is known: intervals are too narrow by their share.
    pub(crate) repeated_games: u64,
    /// The bots, in groups linked by results both ways. With more than one group the ratings rest on virtual draws,
    /// and differences between groups mean little.
    pub(crate) groups: Vec<Vec<String>>,
    /// What moving first is worth.
    #[serde(serialize_with = "in_short")]
    pub(crate) first_player: Option<MatchElo>,
    /// How many games ended for which reason.
    pub(crate) reasons: BTreeMap<String, u64>,
    /// What became of the games on each board (the maps of Kutulu), in the order from which seeds pick; empty for a game
    /// without several, and where they are not known.
    #[serde(rename = "maps", skip_serializing_if = "Vec::is_empty")]
    pub(crate) boards: Vec<BoardSummary>,
    /// The bots, the best first.
    pub(crate) bots: Vec<BotSummary>,
    /// Every two bots that met.
    pub(crate) pairings: Vec<PairingSummary>,
    /// Whether two bots meet who may be watched: their sequential test is not decided, or there is none and they played not, or
    /// not only, up to an end that was announced. Then the interval that is shown is the one that holds at every look, and no
    /// likelihood is.
    pub(crate) anytime: bool,
    /// After a sequential test, how much stronger its candidate is, corrected for the end.
    #[serde(skip)]
    pub(crate) after_test: Option<Estimate>,
    /// After some numbers of games, the ratings of the bots in the order of the standings with their 95% intervals, where there are any;
    /// of two bots one number, how much stronger the first of the plan is, with the interval that holds at every look.
    #[serde(skip)]
    pub(crate) course: Vec<(u64, Vec<Option<Interval>>)>,
}

impl GameSummary {
    /// Of two bots, how much stronger the first of the plan is: the one number that is told of them. `None` of more bots, or
    /// before a unit is complete.
    pub(crate) fn difference(&self) -> Option<(&PairingSummary, Estimate)> {
        let ([_, _], [pairing]) = (&self.bots[..], &self.pairings[..]) else {
            return None;
        };
        let met = pairing.elo?;
        Some((
            pairing,
            self.after_test
                .unwrap_or_else(|| Estimate::of_match(&met, self.anytime)),
        ))
    }
}

/// The games on one board.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BoardSummary {
    /// Its name.
    #[serde(rename = "map")]
    pub(crate) name: String,
    /// Games played on it.
    pub(crate) games: u64,
    /// How long they were.
    pub(crate) mean_turns: f64,
    /// The score of each bot on it, in the order of the standings; `None` where it played none of them.
    pub(crate) scores: Vec<Option<f64>>,
}

/// What a bot reached, against all others, against one of them or in one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct WinsDrawsLosses {
    /// Games won; with four seats, other bots' seats that it placed above. Likewise for the others.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
}

impl WinsDrawsLosses {
    /// The comparisons lost, drawn, won.
    fn of([losses, draws, wins]: [u64; 3]) -> WinsDrawsLosses {
        WinsDrawsLosses {
            wins,
            draws,
            losses,
        }
    }

    /// The mean score, from 0 to 1; `None` where there is no game.
    pub(crate) fn score(&self) -> Option<f64> {
        count::score([self.losses, self.draws, self.wins])
    }
}

/// One bot in the standings of a game: of a run, or of results that are rated together.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct BotSummary {
    /// Its place, from 1.
    pub(crate) rank: usize,
    /// Its name.
    pub(crate) name: String,
    /// Its rating; without an anchor the mean of all bots is 0.
    pub(crate) elo: Option<f64>,
    /// The lower end of the rating's 95% interval; `None` while there are not enough games, and for a bot that won or
    /// lost everything.
    pub(crate) lo95: Option<f64>,
    /// The upper end.
    pub(crate) hi95: Option<f64>,
    /// Half the width of the interval.
    #[serde(skip)]
    pub(crate) error95: Option<f64>,
    /// Whether it has too few units for its interval to be trusted.
    pub(crate) provisional: bool,
    /// For a bot that won or lost everything: results set no limit to its rating on one side, and the number rests on
    /// virtual draws.
    pub(crate) mark: Option<Mark>,
    /// The likelihood that it is stronger than the next bot in the standings; `None` for the last, and while there are
    /// not enough games.
    pub(crate) los_next: Option<f64>,
    /// Complete units.
    #[serde(skip)]
    pub(crate) units: u64,
    /// Games played, those of incomplete units included, as in the rest.
    pub(crate) games: u64,
    /// The mean score, from 0 to 1.
    pub(crate) score: f64,
    /// The games that it won, drew and lost.
    #[serde(flatten)]
    pub(crate) results: WinsDrawsLosses,
    /// The same, by seat.
    pub(crate) by_seat: Vec<WinsDrawsLosses>,
    /// The mean of its places, where they are known. Seats with the same score share the better place.
    pub(crate) mean_place: Option<f64>,
    /// The lower end of its 95% interval, from complete units; `None` with two seats, which the score tells all of.
    pub(crate) mean_place_lo95: Option<f64>,
    /// The upper end.
    pub(crate) mean_place_hi95: Option<f64>,
    /// The share of its seats that came first, likewise. A first place that several seats share counts in part.
    pub(crate) firsts: Option<f64>,
    /// The lower end of its 95% interval, likewise.
    pub(crate) firsts_lo95: Option<f64>,
    /// The upper end.
    pub(crate) firsts_hi95: Option<f64>,
    /// Seats in which it failed, by fate.
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// The share of its games in which it failed, by fate and in [`ANY_FAULT`] way; games of a check after a test included.
    pub(crate) fault_rates: BTreeMap<&'static str, Rate>,
    /// Answers that came after the limit because the machine was busy with something else, and counted.
    pub(crate) host_late: u64,
    /// Response times of its first answer in a game.
    pub(crate) first_turn: Option<TimeSummary>,
    /// Response times of its other answers.
    pub(crate) later_turns: Option<TimeSummary>,
    /// Of the longest of these in each game.
    pub(crate) longest: Option<TimeSummary>,
}

/// Two bots that met.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairingSummary {
    /// The bot from whose side the rest is told.
    pub(crate) first: String,
    /// Its opponent.
    pub(crate) second: String,
    /// Games won, drawn and lost.
    #[serde(flatten)]
    pub(crate) results: WinsDrawsLosses,
    /// The Elo of the match.
    #[serde(serialize_with = "watched")]
    pub(crate) elo: Option<MatchElo>,
    /// Normalized Elo, per game.
    pub(crate) nelo: Option<f64>,
    /// The lower end of its 95% interval.
    pub(crate) nelo_lo95: Option<f64>,
    /// The upper end.
    pub(crate) nelo_hi95: Option<f64>,
    /// Number of wins and losses, without draws and independent, that would say as much.
    pub(crate) n_eff: Option<f64>,
    /// Share of units that scored exactly one half.
    pub(crate) draw_ratio: Option<f64>,
    /// Units won to units lost.
    pub(crate) pairs_ratio: Option<f64>,
    /// How many independent games one game of a unit is worth, with two seats; `None` with too few units to tell.
    pub(crate) pairing_gain: Option<f64>,
    /// Pairs of games that one bot won and then the other, the seed deciding both; with two seats.
    pub(crate) pairs_split: Option<u64>,
    /// Pairs of two drawn games; with two seats.
    pub(crate) pairs_drawn: Option<u64>,
    /// The unit scores that were seen, worst first.
    pub(crate) unit_scores: Vec<f64>,
    /// How many units had each.
    pub(crate) unit_counts: Vec<u64>,
    /// The units in which the first failed more often than the second, and those in which it was the other way round.
    pub(crate) failed_more: [u64; 2],
    /// The chance that these differ as much between bots that fail equally often; `None` where they are both 0.
    pub(crate) failed_p: Option<f64>,
}

#[cfg(test)]
mod tests;
