//! The games of a run, counted as they come.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash as _;
use std::slice;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHasher;
use strum::VariantArray as _;

use super::count::{self, Count, CountedGame, Rated};
use super::game::{BoardSummary, BotSummary, Difference, Game, PairingSummary};
use super::repeats::Repeats;
use super::stop::Stop;
use super::times::Times;
use crate::plan::StudyPlan;
use crate::play::record::Record;
use crate::store::GameRow;
use arena_games::{Fate, GameSpec, Reason};
use arena_schedule::UnitDesign;
use arena_stats::rates::Rate;
use arena_stats::ratings::{Settings, half_points};

/// The name of all kinds of faults together, in lists by kind.
pub(crate) const ANY_FAULT: &str = "any";

/// The games of a run, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// The games by id, in the order of the plan.
    games: IndexMap<String, GameTally>,
    /// Games that don't enter the ratings.
    unrated_games: u64,
}

/// One game of a run, counted.
#[derive(Clone, Debug, Default)]
struct GameTally {
    /// The game, if it is known.
    spec: Option<Arc<GameSpec>>,
    count: Count,
    /// Whether the first bot challenges the others.
    is_gauntlet: bool,
    reasons: BTreeMap<String, u64>,
    /// The answers of each bot.
    answers: Vec<Answers>,
    repeated_games: Repeats,
    repeated_units: Repeats,
    /// The boards that seeds pick from, if they are known.
    boards: Vec<BoardTally>,
    /// Complete units in which the games had the same moves with swapped seats.
    units_with_same_moves: u64,
}

/// The answers of a bot.
#[derive(Clone, Debug, Default)]
struct Answers {
    games: u64,
    /// The number of seats for each fate.
    fates: BTreeMap<&'static str, u64>,
    /// The number of games with each fault, and with [`ANY_FAULT`].
    failed_games: BTreeMap<&'static str, u64>,
    host_late: u64,
    first_turn: Times,
    later_turns: Times,
    /// The longest later turn of each game.
    longest: Times,
}

/// The games on one board, counted.
#[derive(Clone, Debug, Default)]
struct BoardTally {
    name: String,
    games: u64,
    turns: u64,
    /// Comparisons lost, drawn and won by each bot.
    ldw: Vec<[u64; 3]>,
}

impl Tally {
    /// Names a game and its bots before any game is counted. Bots with equal ratings are listed in
    /// this order.
    pub(crate) fn expect(
        &mut self,
        spec: &Arc<GameSpec>,
        seats: usize,
        games_per_unit: u64,
        bots: &[String],
    ) {
        let size = u32::try_from(games_per_unit).unwrap_or(u32::MAX);
        let tally = self.game(&spec.id, UnitDesign::new(seats, size), games_per_unit);
        tally.spec = Some(spec.clone());
        for bot in bots {
            tally.count.bot(bot);
        }
    }

    /// Says what all games named before are played for.
    pub(crate) fn expect_study(&mut self, study: &StudyPlan) {
        for tally in self.games.values_mut() {
            tally.count.shares_seeds = study.shares_seeds();
            tally.is_gauntlet = study.is_gauntlet();
        }
    }

    /// Sets the options of a game that was named before. Its games are then counted by board, too.
    pub(crate) fn expect_boards(&mut self, spec: &Arc<GameSpec>) {
        if let Some(tally) = self.games.get_mut(&spec.id) {
            for name in spec.rules.boards() {
                tally.boards.push(BoardTally {
                    name,
                    ..BoardTally::default()
                });
            }
            tally.spec = Some(spec.clone());
        }
    }

    /// Counts a game. If it isn't rated, only the faults and times of its bots count: designs are
    /// never mixed in one estimate.
    pub(crate) fn add(&mut self, row: &GameRow, record: &Record, is_rated: bool) {
        self.unrated_games += u64::from(!is_rated);
        let design = row.design();
        self.game(&row.game, design, design.games_per_unit.into())
            .add(row, record, is_rated);
    }

    /// Returns the tally of a game. A game that wasn't named before has this design and so many
    /// games in a unit.
    fn game(&mut self, id: &str, design: UnitDesign, games_in_unit: u64) -> &mut GameTally {
        self.games
            .entry(id.to_owned())
            .or_insert_with(|| GameTally {
                count: Count::new(design, games_in_unit),
                ..GameTally::default()
            })
    }

    /// The standings of every game.
    pub(crate) fn standings(&self, stop: Stop) -> Vec<Game> {
        let games = self.games.iter();
        games.map(|(id, game)| game.standings(id, stop)).collect()
    }

    /// The number of games with a result.
    pub(crate) fn games_played(&self) -> u64 {
        let rated: u64 = self.games.values().map(|game| game.count.games).sum();
        rated + self.unrated_games
    }
}

/// The reason of the end. If a seat gave no reply, that is its fate, for instance `crashed`.
fn reason_of(row: &GameRow) -> String {
    let mut fates = row.seats.iter().map(|seat| seat.fate);
    let of_seat = fates.find(|fate| !matches!(fate, Fate::Ok | Fate::InvalidAction));
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
        if !is_rated {
            return;
        }
        *self.reasons.entry(reason_of(row)).or_default() += 1;
        self.repeated_games.add(slice::from_ref(&game));
        self.add_board(row, &game);
        if let Some(unit) = self.count.add(row, game) {
            let repeats = self.repeated_units.add(&unit);
            self.count.repeat(&unit, repeats);
            self.units_with_same_moves += u64::from(same_moves(&unit));
        }
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
        let mut longest: BTreeMap<usize, f64> = BTreeMap::new();
        for (seat, &bot) in bots.iter().enumerate() {
            for (turn, ms) in record.times(seat).enumerate() {
                if turn == 0 {
                    self.answers[bot].first_turn.add(ms);
                    continue;
                }
                self.answers[bot].later_turns.add(ms);
                let longest = longest.entry(bot).or_default();
                *longest = longest.max(ms);
            }
        }
        for (bot, ms) in longest {
            self.answers[bot].longest.add(ms);
        }
        let late = record.host_late.iter();
        for step in late.filter_map(|&step| record.steps.get(step)) {
            if let Some(&bot) = bots.get(step.player) {
                self.answers[bot].host_late += 1;
            }
        }
    }

    /// Counts a game for the board that its seed picked.
    fn add_board(&mut self, row: &GameRow, game: &CountedGame) {
        let spec = self.spec.as_ref();
        let picked = spec.and_then(|spec| spec.rules.board(row.seed));
        let Some(board) = picked.and_then(|at| self.boards.get_mut(at)) else {
            return;
        };
        board.games += 1;
        board.turns += u64::from(row.turns);
        board.ldw.resize(self.count.bots.len(), [0; 3]);
        for (_, met) in game.comparisons() {
            let sides = [
                (met.first, met.outcome),
                (met.second, met.outcome.reverse()),
            ];
            for (bot, outcome) in sides {
                board.ldw[bot][usize::from(half_points(outcome))] += 1;
            }
        }
    }

    fn standings(&self, id: &str, stop: Stop) -> Game {
        // Only bots with a complete unit can be rated.
        let (count, bots) = (&self.count, self.count.bots_in_units());
        let settings = Settings::new(count.design.games_per_unit);
        let mut rated = count.rate(&bots, settings, stop).ok();
        if let Some(rated) = &mut rated {
            count.test_fit(rated);
        }
        let order = self.order(rated.as_ref());
        let mut game = Game::new(id, (count, &order), rated.as_ref(), stop);
        for (bot, number) in game.bots.iter_mut().zip(&order) {
            match self.answers.get(*number) {
                Some(answers) => answers.fill_in(bot),
                None => Answers::default().fill_in(bot),
            }
        }
        let played = self.boards.iter().filter(|board| board.games > 0);
        // For two bots, a single number says everything.
        let challenger = order.iter().position(|&bot| bot == 0);
        let mut pairings = Vec::new();
        for (bots, pairing) in count.pairings() {
            pairings.push(PairingSummary::new(count, bots, &pairing, stop));
        }
        Game {
            title: self.spec.as_ref().map_or(id, |spec| &spec.title).to_owned(),
            challenger: challenger.filter(|_| self.is_gauntlet && order.len() > 2),
            same_moves: game.units > 0 && self.units_with_same_moves == game.units,
            repeated_games: self.repeated_games.count(),
            first_player: count.first_player(stop),
            reasons: self.reasons.clone(),
            boards: played.map(|board| board.summary(&order)).collect(),
            difference: difference(&game.bots, &pairings),
            pairings,
            ..game
        }
    }

    /// The numbers of all bots, the best first. Bots without a rating come last. Scores decide
    /// among these, and among equals.
    fn order(&self, rated: Option<&Rated>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.count.bots.len()).collect();
        // Sorting keeps the order of equals.
        order.sort_by(|&a, &b| {
            self.count.bots[b]
                .score()
                .total_cmp(&self.count.bots[a].score())
        });
        if let Some(rated) = rated {
            order.sort_by(|&a, &b| rated.elo(b).total_cmp(&rated.elo(a)));
        }
        order
    }
}

/// The difference of two bots that met.
fn difference(bots: &[BotSummary], pairings: &[PairingSummary]) -> Option<Difference> {
    let ([_, _], [pairing]) = (bots, pairings) else {
        return None;
    };
    Some(Difference {
        first: pairing.first.clone(),
        second: pairing.second.clone(),
        by: pairing.met?.by,
    })
}

impl Answers {
    /// Adds how a bot answered to its standings.
    fn fill_in(&self, bot: &mut BotSummary) {
        for fate in Fate::VARIANTS.iter().filter(|&&fate| fate != Fate::Ok) {
            let fate: &'static str = fate.into();
            let count = self.fates.get(fate).copied().unwrap_or(0);
            bot.faults.insert(fate, count);
        }
        for kind in bot.faults.keys().copied().chain([ANY_FAULT]) {
            let failed = self.failed_games.get(kind).copied().unwrap_or(0);
            let rate = Rate::new(failed, self.games);
            bot.fault_rates.extend(rate.map(|rate| (kind, rate)));
        }
        bot.mean_place = bot.mean_place.or(Some(0.0));
        bot.firsts = bot.firsts.or(Some(0.0));
        bot.host_late = self.host_late;
        // First answers are independent if the bot has one seat in each game.
        let is_one_each = self.first_turn.count() <= self.games;
        bot.first_turn = self.first_turn.summary(is_one_each);
        bot.later_turns = self.later_turns.summary(false);
        bot.longest = self.longest.summary(true);
    }
}

impl BoardTally {
    /// Returns the results on the board; `order` are the bots in the order of the standings.
    fn summary(&self, order: &[usize]) -> BoardSummary {
        let scores = order.iter().map(|&bot| count::score(*self.ldw.get(bot)?));
        BoardSummary {
            name: self.name.clone(),
            games: self.games,
            mean_turns: self.turns as f64 / self.games.max(1) as f64,
            scores: scores.collect(),
        }
    }
}

/// A digest of how the game started and what was answered. The seed is part of it if it decides the
/// start.
pub(crate) fn transcript(row: &GameRow, record: &Record, seed_decides: bool) -> u64 {
    let mut hasher = FxHasher::default();
    seed_decides.then_some(row.seed).hash(&mut hasher);
    record.moves_hash(hasher)
}

/// Whether the games of a unit had the same moves, whoever played in which seat.
pub(crate) fn same_moves(unit: &[CountedGame]) -> bool {
    let [first, rest @ ..] = unit else {
        return false;
    };
    !rest.is_empty()
        && rest.iter().all(|game| game.moves == first.moves)
        && unit.iter().all(|game| game.failed.is_empty())
}
