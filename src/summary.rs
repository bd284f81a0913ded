//! From rows to what they say: standings, pairings, response times. Nothing here depends on the order of the games.

#![expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::record::Record;
use crate::store::{GameRow, SeatRow};
use arena_games::{Fate, GameSpec, MAX_SEATS};
use arena_stats::elo::{MatchElo, match_elo};
use arena_stats::ratings::{self, BotRating, Comparison, Mark, Outcome, Ratings, Settings, Unit};
use arena_stats::scores::UnitScores;
use arena_stats::sprt::too_repetitive;

mod pairing;
pub(crate) mod sprt;
pub(crate) mod sweep;
mod times;

use pairing::Pairing;
use sprt::{SprtSummary, Test};
use sweep::{SweepSummary, SweepTally};
pub(crate) use times::{TimeSummary, Times};

/// A first place is counted in so many parts, that sums do not depend on the order of the games: up to four seats share
/// it.
const PARTS: u64 = 12;

/// The games of a run, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    games: Vec<GameTally>,
}

/// What a run finds out beside standings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found<'a> {
    /// The sequential test that ends it.
    pub(crate) test: Option<&'a Test>,
    /// The sweep that it is.
    pub(crate) sweep: Option<&'a SweepTally>,
}

/// One game of a run, counted.
#[derive(Clone, Debug, Default)]
struct GameTally {
    id: String,
    /// The game, where it is known.
    spec: Option<Arc<GameSpec>>,
    games_per_unit: u32,
    /// The seats of the game.
    seats: usize,
    played: u64,
    reasons: BTreeMap<&'static str, u64>,
    bots: Vec<BotTally>,
    index: HashMap<String, usize>,
    /// Complete units, those with the same comparisons counted together.
    units: BTreeMap<Vec<Comparison>, u64>,
    /// Units of which some games are missing yet.
    open: HashMap<u64, OpenUnit>,
    /// What was played in each game that nobody failed in: bots and moves, hashed.
    transcripts: HashSet<u64>,
    /// Games that were played before, move for move.
    repeated: u64,
    /// What was played in each complete unit that nobody failed in, hashed.
    unit_transcripts: HashSet<u64>,
    /// Complete units that were played before, move for move.
    repeated_units: u64,
    /// The boards that seeds pick from, where they are known.
    boards: Vec<BoardTally>,
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

#[derive(Clone, Debug, Default)]
struct OpenUnit {
    games: u32,
    comparisons: Vec<Comparison>,
    /// What was played in its games, hashed: order does not matter.
    transcripts: BTreeSet<u64>,
    /// Whether a bot failed in it.
    has_fault: bool,
}

#[derive(Clone, Debug, Default)]
struct BotTally {
    name: String,
    games: u64,
    /// Comparisons lost, drawn, won, those of incomplete units included.
    ldw: [u64; 3],
    /// The same, by seat.
    by_seat: [[u64; 3]; MAX_SEATS],
    seats: u64,
    /// The sum of its places, over all its seats.
    places: u64,
    /// First places, in [`PARTS`]; one shared by several seats counts in part.
    firsts: u64,
    host_late: u64,
    fates: BTreeMap<&'static str, u64>,
    first_turn: Times,
    later_turns: Times,
}

impl Tally {
    /// Names a game and its bots before any is counted: equals are listed in this order.
    pub(crate) fn expect(&mut self, spec: &Arc<GameSpec>, seats: usize, games_per_unit: u64, bots: &[String]) {
        let tally = self.game(&spec.id, games_per_unit);
        tally.spec = Some(spec.clone());
        tally.seats = seats;
        for bot in bots {
            tally.bot(bot);
        }
    }

    /// Says under which options a game that was named before is played, so that it is counted by boards, too.
    pub(crate) fn expect_boards(&mut self, spec: &Arc<GameSpec>) {
        if let Some(tally) = self.games.iter_mut().find(|tally| tally.id == spec.id) {
            let boards = spec.rules.boards().into_iter();
            tally.boards = boards.map(|name| BoardTally { name, ..BoardTally::default() }).collect();
            tally.spec = Some(spec.clone());
        }
    }

    /// Counts one game, which enters the ratings or, if not, only the faults and times of its bots. A unit of a game that was
    /// not named before has as many games as seats.
    pub(crate) fn add(&mut self, row: &GameRow, record: &Record, is_rated: bool) {
        let game = self.game(&row.game, row.seats.len() as u64);
        if is_rated { game.add(row, record) } else { game.add_unrated(row, record) }
    }

    fn game(&mut self, id: &str, games_per_unit: u64) -> &mut GameTally {
        let at = self.games.iter().position(|game| game.id == id).unwrap_or_else(|| {
            let games_per_unit = u32::try_from(games_per_unit).unwrap_or(u32::MAX);
            self.games.push(GameTally { id: id.to_owned(), games_per_unit, ..GameTally::default() });
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
        let of_check = found.test.map_or(0, Test::check_games);
        let games = self.standings();
        let too_repetitive = games.iter().any(|game| too_repetitive(game.distinct_units, game.units));
        Summary {
            run: header,
            games_played: self.games.iter().map(|game| game.played).sum::<u64>() + of_check,
            sprt: found.test.map(Test::summary),
            sweep: found.sweep.map(|sweep| SweepSummary { too_repetitive, ..sweep.summary() }),
            games,
        }
    }
}

impl GameTally {
    fn add(&mut self, row: &GameRow, record: &Record) {
        self.played += 1;
        *self.reasons.entry(row.reason.into()).or_default() += 1;
        self.seats = row.seats.len();
        let bots: Vec<usize> = row.seats.iter().map(|seat| self.bot(&seat.bot)).collect();
        let shared_firsts = row.seats.iter().filter(|seat| seat.place == 1).count().max(1) as u64;
        for (index, (seat, &bot)) in row.seats.iter().zip(&bots).enumerate() {
            let first = if seat.place == 1 { PARTS / shared_firsts } else { 0 };
            self.bots[bot].add(seat, first, !bots[..index].contains(&bot));
        }
        self.add_times(&bots, record);
        // That a bot fails the same way every time is evidence; that two bots play the same game again is none.
        let has_fault = row.seats.iter().any(|seat| seat.fate != Fate::Ok);
        let transcript = transcript(row, record, self.spec.as_ref().is_none_or(|spec| spec.seed_decides));
        self.repeated += u64::from(!has_fault && !self.transcripts.insert(transcript));
        self.add_board(row, &bots);
        let unit = self.open.entry(row.unit).or_default();
        unit.games += 1;
        unit.has_fault |= has_fault;
        unit.transcripts.insert(transcript);
        for (seats, comparison) in comparisons(row, &bots) {
            let Comparison { first, second, outcome } = comparison;
            self.bots[first].compared(seats.0, outcome);
            self.bots[second].compared(seats.1, swapped(outcome));
            unit.comparisons.push(comparison);
        }
        if unit.games == self.games_per_unit
            && let Some(mut unit) = self.open.remove(&row.unit)
        {
            unit.comparisons.sort_unstable();
            let is_new = unit.has_fault || self.unit_transcripts.insert(hash(&unit.transcripts));
            self.repeated_units += u64::from(!is_new);
            *self.units.entry(unit.comparisons).or_default() += 1;
        }
    }

    /// Counts how bots answered in a game that is rated elsewhere.
    fn add_unrated(&mut self, row: &GameRow, record: &Record) {
        let bots: Vec<usize> = row.seats.iter().map(|seat| self.bot(&seat.bot)).collect();
        for (seat, &bot) in row.seats.iter().zip(&bots) {
            *self.bots[bot].fates.entry(seat.fate.into()).or_default() += 1;
        }
        self.add_times(&bots, record);
    }

    /// Counts the game for the board that its seed picked.
    fn add_board(&mut self, row: &GameRow, bots: &[usize]) {
        let picked = self.spec.as_ref().and_then(|spec| spec.rules.board(row.seed));
        let Some(board) = picked.and_then(|picked| self.boards.get_mut(picked)) else { return };
        board.games += 1;
        board.turns += u64::from(row.turns);
        board.ldw.resize(board.ldw.len().max(self.bots.len()), [0; 3]);
        for (_, Comparison { first, second, outcome }) in comparisons(row, bots) {
            board.ldw[first][outcome as usize] += 1;
            board.ldw[second][swapped(outcome) as usize] += 1;
        }
    }

    fn bot(&mut self, name: &str) -> usize {
        if let Some(&bot) = self.index.get(name) {
            return bot;
        }
        self.bots.push(BotTally { name: name.to_owned(), ..BotTally::default() });
        self.index.insert(name.to_owned(), self.bots.len() - 1);
        self.bots.len() - 1
    }

    fn add_times(&mut self, bots: &[usize], record: &Record) {
        let mut asked = vec![false; bots.len()];
        for (step, &ms) in record.steps.iter().zip(&record.ms) {
            let Some(&bot) = bots.get(step.player) else { continue };
            let first = !std::mem::replace(&mut asked[step.player], true);
            let bot = &mut self.bots[bot];
            if first { bot.first_turn.add(ms) } else { bot.later_turns.add(ms) }
        }
        let late = record.host_late.iter().filter_map(|&step| bots.get(record.steps.get(step)?.player));
        late.for_each(|&bot| self.bots[bot].host_late += 1);
    }

    fn summary(&self) -> GameSummary {
        let units: Vec<Unit> =
            self.units.iter().map(|(comparisons, &weight)| Unit { comparisons: comparisons.clone(), weight }).collect();
        let rated = self.rated(&units);
        let ratings = ratings::rate(rated.len(), &renumbered(&units, &rated), &Settings::new(self.games_per_unit)).ok();
        let ranked = self.ranked(&rated, ratings.as_ref());
        let order: Vec<usize> = ranked.iter().map(|(bot, _)| *bot).collect();
        let names = |group: &Vec<usize>| group.iter().map(|&bot| self.bots[rated[bot]].name.clone()).collect();
        GameSummary {
            game: self.id.clone(),
            title: self.spec.as_ref().map_or(&self.id, |spec| &spec.title).clone(),
            seats: self.seats,
            design: self.design(),
            games_per_unit: self.games_per_unit,
            games: self.played,
            units: self.units.values().sum(),
            distinct_units: self.units.values().sum::<u64>() - self.repeated_units,
            incomplete_units: self.open.len() as u64,
            repeated_games: self.repeated,
            groups: ratings.iter().flat_map(|ratings| &ratings.components).map(names).collect(),
            first_player: self.first_player(&units),
            reasons: self.reasons.clone(),
            boards: self.boards.iter().filter(|board| board.games > 0).map(|board| board.summary(&order)).collect(),
            bots: ranked.into_iter().map(|(_, bot)| bot).collect(),
            pairings: self.pairings(&units),
        }
    }

    /// How its seats are filled.
    fn design(&self) -> &'static str {
        match (self.seats, self.games_per_unit) {
            (0..=2, _) => "pairs",
            (_, 2) => "mirror",
            _ => "rotations",
        }
    }

    /// All bots with their numbers, the best first.
    fn ranked(&self, rated: &[usize], ratings: Option<&Ratings>) -> Vec<(usize, BotSummary)> {
        let place = |bot: usize| rated.binary_search(&bot).ok();
        let rating = |bot| Some(&ratings?.bots[place(bot)?]);
        let summary = |bot: usize| (bot, self.bots[bot].summary(self.seats, rating(bot)));
        let mut bots: Vec<(usize, BotSummary)> = (0..self.bots.len()).map(summary).collect();
        // Rated bots first; among those without a rating, and among equals, the score decides.
        let key = |bot: &BotSummary| (bot.elo.unwrap_or(f64::NEG_INFINITY), bot.score);
        bots.sort_by(|(_, a), (_, b)| key(b).0.total_cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)));
        // Between groups that no results link, nothing is known.
        let linked = ratings.filter(|ratings| ratings.components.len() == 1);
        let los = |one: usize, next: usize| linked?.difference(place(one)?, place(next)?).los;
        for rank in 0..bots.len() {
            let next = bots.get(rank + 1).map(|(next, _)| *next);
            let (bot, summary) = &mut bots[rank];
            summary.rank = rank + 1;
            summary.los_next = next.and_then(|next| los(*bot, next));
        }
        bots
    }

    /// The bots with a complete unit, in ascending order: only these can be rated.
    fn rated(&self, units: &[Unit]) -> Vec<usize> {
        let met = |bot| units.iter().any(|unit| unit.comparisons.iter().any(|c| c.first == bot || c.second == bot));
        (0..self.bots.len()).filter(|&bot| met(bot)).collect()
    }

    /// With more seats than two, all act at once or the order means something else.
    fn first_player(&self, units: &[Unit]) -> Option<Elo> {
        if self.seats > 2 {
            return None;
        }
        Elo::new(&ratings::first_player_scores(units).ok()?, self.games_per_unit)
    }

    /// Every two bots that met in complete units, in the order of the bots.
    fn pairings(&self, units: &[Unit]) -> Vec<PairingSummary> {
        let mut pairings: BTreeMap<(usize, usize), Pairing> = BTreeMap::new();
        for unit in units {
            let mut met: BTreeMap<(usize, usize), [u32; 3]> = BTreeMap::new();
            for &Comparison { first, second, outcome } in &unit.comparisons {
                let of_lower = if first < second { outcome } else { swapped(outcome) };
                met.entry((first.min(second), first.max(second))).or_default()[of_lower as usize] += 1;
            }
            for (bots, ldw) in met {
                pairings.entry(bots).or_default().add(ldw, unit.weight);
            }
        }
        let name = |bot: usize| self.bots[bot].name.clone();
        let summary =
            |((a, b), pairing): (_, Pairing)| pairing.summary(name(a), name(b), self.seats, self.games_per_unit);
        pairings.into_iter().map(summary).collect()
    }
}

/// The same units, bots being named by their place in `rated`.
fn renumbered(units: &[Unit], rated: &[usize]) -> Vec<Unit> {
    let place = |bot: usize| rated.partition_point(|&other| other < bot);
    let renumber = |c: &Comparison| Comparison { first: place(c.first), second: place(c.second), ..*c };
    let unit = |unit: &Unit| Unit { comparisons: unit.comparisons.iter().map(renumber).collect(), ..*unit };
    units.iter().map(unit).collect()
}

impl BoardTally {
    /// `order` are the bots as they are listed.
    fn summary(&self, order: &[usize]) -> BoardSummary {
        let score = |bot: &usize| self.ldw.get(*bot).copied().and_then(score);
        BoardSummary {
            name: self.name.clone(),
            games: self.games,
            mean_turns: self.turns as f64 / self.games.max(1) as f64,
            scores: order.iter().map(score).collect(),
        }
    }
}

/// The mean score of so many losses, draws and wins; `None` where there are none.
fn score([losses, draws, wins]: [u64; 3]) -> Option<f64> {
    let all = losses + draws + wins;
    (all > 0).then(|| (wins as f64 + draws as f64 / 2.0) / all as f64)
}

impl BotTally {
    /// Counts a seat in which the bot sat, and its part in the first place; of a game that `is_new` or was counted
    /// for another seat.
    fn add(&mut self, seat: &SeatRow, first: u64, is_new: bool) {
        self.games += u64::from(is_new);
        self.seats += 1;
        self.places += seat.place as u64;
        self.firsts += first;
        *self.fates.entry(seat.fate.into()).or_default() += 1;
    }

    /// Counts a comparison of the bot in this seat.
    fn compared(&mut self, seat: usize, outcome: Outcome) {
        self.ldw[outcome as usize] += 1;
        self.by_seat[seat][outcome as usize] += 1;
    }

    fn summary(&self, seats: usize, rating: Option<&BotRating>) -> BotSummary {
        let [losses, draws, wins] = self.ldw;
        let in_seat = |&[losses, draws, wins]: &[u64; 3]| SeatSummary { wins, draws, losses };
        // Results that set a limit on one side only have no interval.
        let bounded = rating.filter(|rating| rating.mark.is_none());
        BotSummary {
            rank: 0,
            name: self.name.clone(),
            elo: rating.map(|rating| rating.elo),
            lo95: bounded.and_then(BotRating::lo95),
            hi95: bounded.and_then(BotRating::hi95),
            provisional: rating.is_some_and(|rating| rating.provisional),
            mark: rating.and_then(|rating| rating.mark),
            los_next: None,
            games: self.games,
            score: score(self.ldw).unwrap_or(0.0),
            mean_place: self.places as f64 / self.seats.max(1) as f64,
            firsts: self.firsts as f64 / (PARTS * self.seats).max(1) as f64,
            wins,
            draws,
            losses,
            by_seat: self.by_seat.iter().take(seats).map(in_seat).collect(),
            faults: faults().map(|fate| (fate, self.fates.get(fate).copied().unwrap_or(0))).collect(),
            host_late: self.host_late,
            first_turn: self.first_turn.summary(),
            later_turns: self.later_turns.summary(),
        }
    }
}

fn swapped(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Loss => Outcome::Win,
        Outcome::Draw => Outcome::Draw,
        Outcome::Win => Outcome::Loss,
    }
}

/// Who sat where, from what the game started and what was answered, as one number. Where the seed decides the start it is a
/// part of that.
fn transcript(row: &GameRow, record: &Record, seed_decides: bool) -> u64 {
    let bots: Vec<&str> = row.seats.iter().map(|seat| seat.bot.as_str()).collect();
    let answers: Vec<_> = record.steps.iter().map(|step| (step.player, &step.output)).collect();
    let deal = seed_decides.then_some(row.seed);
    hash(&(deal, bots, &record.options.opening, answers))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The names of all fates but `ok`.
fn faults() -> impl Iterator<Item = &'static str> {
    Fate::VARIANTS.iter().filter(|&&fate| fate != Fate::Ok).map(Into::into)
}

/// Every two seats of a game that different bots sat in, and the bots compared by score.
fn comparisons<'a>(row: &'a GameRow, bots: &'a [usize]) -> impl Iterator<Item = ((usize, usize), Comparison)> + 'a {
    let seats = 0..row.seats.len();
    let pairs = seats.flat_map(move |first| (first + 1..row.seats.len()).map(move |second| (first, second)));
    pairs.filter(|&(first, second)| bots[first] != bots[second]).map(|(first, second)| {
        let outcome = match row.seats[first].score.cmp(&row.seats[second].score) {
            std::cmp::Ordering::Less => Outcome::Loss,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Greater => Outcome::Win,
        };
        ((first, second), Comparison { first: bots[first], second: bots[second], outcome })
    })
}

/// What is known of a run apart from its games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The version of the files of a run.
    pub(crate) version: u32,
    /// The name of the run.
    pub(crate) name: String,
    /// The digest of its plan.
    pub(crate) digest: String,
    /// The seed from which those of all units derive, as text: it has up to 64 bits.
    pub(crate) seed: String,
    /// The slice of the plan that was played.
    pub(crate) slice: String,
    /// The number of games of that slice; of a sequential test the most that it may take.
    pub(crate) games_planned: u64,
    /// Whether nothing is left to be played.
    pub(crate) finished: bool,
    /// Games that could not be played, through no fault of a bot. They have no result, and `--resume` tries again.
    pub(crate) games_aborted: u64,
    /// How often, in the last session, a game was thrown away and played again because the machine was too busy to be
    /// fair to a bot.
    pub(crate) games_voided: u64,
    /// Games of the last session that were started before it was known that they would not count, and thrown away.
    pub(crate) games_unused: u64,
    /// Games played per second in the last session; `None` where none was played.
    pub(crate) games_per_second: Option<f64>,
    /// What the bots of the last session were kept apart by, for people; `None` where none played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sandbox: Option<String>,
    /// When the last session ended, in seconds since 1970 began in Greenwich; `None` where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<u64>,
    /// How long its games took, in seconds; `None` where none was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<f64>,
}

/// Everything there is to say about a run; `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// The run.
    pub(crate) run: Header,
    /// The number of games that have a result.
    pub(crate) games_played: u64,
    /// The sequential test that the run was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sprt: Option<SprtSummary>,
    /// The sweep that the run was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sweep: Option<SweepSummary>,
    /// Each game's standings.
    pub(crate) games: Vec<GameSummary>,
}

impl Summary {
    /// The name of a game for people.
    pub(crate) fn title<'a>(&'a self, id: &'a str) -> &'a str {
        self.games.iter().find(|game| game.game == id).map_or(id, |game| &game.title)
    }
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
    pub(crate) first_player: Option<Elo>,
    /// How many games ended for which reason.
    pub(crate) reasons: BTreeMap<&'static str, u64>,
    /// What became of the games on each board (the maps of Kutulu), in the order from which seeds pick; empty for a game
    /// without several, and where they are not known.
    #[serde(rename = "maps", skip_serializing_if = "Vec::is_empty")]
    pub(crate) boards: Vec<BoardSummary>,
    /// The bots, the best first.
    pub(crate) bots: Vec<BotSummary>,
    /// Every two bots that met.
    pub(crate) pairings: Vec<PairingSummary>,
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

/// What a bot reached in one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SeatSummary {
    /// Games won; with four seats, other bots' seats that it placed above. Likewise for the others.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
}

impl SeatSummary {
    /// The mean score, from 0 to 1; `None` where there is no game.
    pub(crate) fn score(&self) -> Option<f64> {
        score([self.losses, self.draws, self.wins])
    }
}

/// One bot in the standings of a game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BotSummary {
    /// Its place, from 1.
    pub(crate) rank: usize,
    /// Its name.
    pub(crate) name: String,
    /// Its rating; the mean of all bots is 0.
    pub(crate) elo: Option<f64>,
    /// The lower end of the rating's 95% interval; `None` while there are not enough games, and for a bot that won or
    /// lost everything.
    pub(crate) lo95: Option<f64>,
    /// The upper end.
    pub(crate) hi95: Option<f64>,
    /// Whether it has too few units for its interval to be trusted.
    pub(crate) provisional: bool,
    /// For a bot that won or lost everything: results set no limit to its rating on one side, and the number rests on
    /// virtual draws.
    pub(crate) mark: Option<Mark>,
    /// The likelihood that it is stronger than the next bot in the standings; `None` for the last, and while there are
    /// not enough games.
    pub(crate) los_next: Option<f64>,
    /// Games played.
    pub(crate) games: u64,
    /// The mean score, from 0 to 1.
    pub(crate) score: f64,
    /// Games won. With four seats, as for draws and losses: other bots' seats that it placed above.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
    /// The same, by seat.
    pub(crate) by_seat: Vec<SeatSummary>,
    /// The mean of its places. Seats with the same score share the better place.
    pub(crate) mean_place: f64,
    /// The share of its seats that came first. A first place that several seats share counts in part.
    pub(crate) firsts: f64,
    /// Seats in which it failed, by fate.
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// Answers that came after the limit because the machine was busy with something else, and counted.
    pub(crate) host_late: u64,
    /// Response times of its first answer in a game.
    pub(crate) first_turn: Option<TimeSummary>,
    /// Response times of its other answers.
    pub(crate) later_turns: Option<TimeSummary>,
}

/// Two bots that met.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairingSummary {
    /// The bot from whose side the rest is told.
    pub(crate) first: String,
    /// Its opponent.
    pub(crate) second: String,
    /// Games won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
    /// The Elo of the match.
    pub(crate) elo: Option<Elo>,
    /// Normalized Elo, per game.
    pub(crate) nelo: Option<f64>,
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
}

/// Elo of a match, see [`MatchElo`].
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Elo {
    /// Complete units.
    pub(crate) units: u64,
    /// The mean score, from 0 to 1.
    pub(crate) score: f64,
    /// Elo; not finite for a score of 0 or 1.
    pub(crate) elo: f64,
    /// The lower end of the 95% interval.
    pub(crate) lo95: f64,
    /// The upper end.
    pub(crate) hi95: f64,
    /// The likelihood that the first is the stronger.
    pub(crate) los: f64,
}

impl Elo {
    fn new(scores: &UnitScores, games_per_unit: u32) -> Option<Elo> {
        let MatchElo { units, score, elo, lo95, hi95, los, .. } = match_elo(scores, games_per_unit)?;
        Some(Elo { units, score, elo, lo95, hi95, los })
    }
}
