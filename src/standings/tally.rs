//! The games of a run, counted as they come.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexMap;
use strum::VariantArray as _;

use super::faults::FaultCause;
use super::game::{BoardSummary, BotSummary, Game};
use super::times::Times;
use crate::plan::{StudyPlan, UnitSize};
use crate::results::{Compared, Count, GameResult, Stop, StoredGame, Table, Unfit, score};
use crate::store::Header;
use arena_games::{Fate, GameSpec, Reason};
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
#[derive(Clone, Debug)]
struct GameTally {
    spec: Arc<GameSpec>,
    count: Count,
    /// Whether the first bot challenges the others.
    is_gauntlet: bool,
    /// Bots that are the same program, in groups.
    same_program: Vec<Vec<String>>,
    reasons: BTreeMap<String, u64>,
    /// The answers of each bot.
    answers: Vec<Answers>,
    /// The boards that seeds pick from, if they are known.
    boards: Vec<BoardTally>,
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
    pub(crate) fn expect(&mut self, spec: &Arc<GameSpec>, size: UnitSize, bots: &[String]) {
        let mut count = Count::new(size, spec.seed_decides);
        for bot in bots {
            count.bot(bot);
        }
        let tally = GameTally {
            spec: spec.clone(),
            count,
            is_gauntlet: false,
            same_program: Vec::new(),
            reasons: BTreeMap::new(),
            answers: vec![Answers::default(); bots.len()],
            boards: Vec::new(),
        };
        self.games.insert(spec.id.clone(), tally);
    }

    /// Says what all games named before are played for, and which bots are the same program, in
    /// groups.
    pub(crate) fn expect_study(&mut self, study: &StudyPlan, alike: &[Vec<String>]) {
        for tally in self.games.values_mut() {
            for group in alike {
                let mut group = group.clone();
                group.retain(|name| tally.count.bots.iter().any(|bot| bot.name == *name));
                tally.same_program.push(group);
            }
            tally.same_program.retain(|group| group.len() > 1);
            let first = tally.count.bots.first().map(|bot| &*bot.name);
            tally.is_gauntlet = study.is_about_first(first);
            if study.shares_seeds() {
                tally.count.evidence.by_seed();
            }
        }
    }

    /// Sets the options of a game that was named before. Its games are then counted by board, too.
    pub(crate) fn expect_boards(&mut self, spec: &Arc<GameSpec>) {
        if let Some(tally) = self.games.get_mut(&spec.id) {
            let boards = spec.rules.boards().into_iter();
            tally.boards.extend(boards.map(|name| BoardTally {
                name,
                ..BoardTally::default()
            }));
            tally.spec = spec.clone();
        }
    }

    /// Counts a game that was named before. If it isn't rated, only the faults and times of its
    /// bots count: designs are never mixed in one estimate.
    pub(crate) fn add(&mut self, game: &StoredGame, is_rated: bool) -> Result<(), Unfit> {
        self.unrated_games += u64::from(!is_rated);
        let tally = self.games.get_mut(&game.result.game);
        let tally = tally.ok_or(Unfit::NotPlanned(game.result.number))?;
        tally.add(game, is_rated)
    }

    /// The standings of every game.
    pub(crate) fn standings(&self, stop: &Stop) -> Vec<Game> {
        self.games
            .iter()
            .map(|(id, game)| game.standings(id, stop))
            .collect()
    }

    /// The number of games with a result.
    pub(crate) fn games_played(&self) -> u64 {
        let rated: u64 = self.games.values().map(|game| game.count.games).sum();
        rated + self.unrated_games
    }
}

/// The summary of a run of any kind.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) run: Header,
    /// The number of games that have a result.
    pub(crate) games_played: u64,
    /// Why bots failed, the most frequent cause first.
    pub(crate) fault_causes: Vec<FaultCause>,
    /// Each game's standings.
    pub(crate) games: Vec<Game>,
}

impl Summary {
    /// Sums up these games, which stopped for this reason.
    pub(crate) fn new(header: Header, tally: &Tally, stop: &Stop) -> Summary {
        Summary {
            run: header,
            games_played: tally.games_played(),
            fault_causes: Vec::new(),
            games: tally.standings(stop),
        }
    }
}

/// The reason of the end. If a seat gave no reply, that is its fate, for instance `crashed`.
fn reason_of(result: &GameResult) -> String {
    let mut fates = result.seats.iter().map(|seat| seat.fate);
    match fates.find(|fate| !matches!(fate, Fate::Ok | Fate::InvalidAction)) {
        Some(fate) if result.reason == Reason::Timeout.to_string() => fate.to_string(),
        _ => result.reason.clone(),
    }
}

impl GameTally {
    fn add(&mut self, stored: &StoredGame, is_rated: bool) -> Result<(), Unfit> {
        let result = &stored.result;
        let game = self.count.game(result);
        self.add_answers(stored, &game.bots);
        if !is_rated {
            return Ok(());
        }
        *self.reasons.entry(reason_of(result)).or_default() += 1;
        self.add_board(result, &game);
        self.count.add_game(result, game)
    }

    fn add_answers(&mut self, StoredGame { result, record }: &StoredGame, bots: &[usize]) {
        let bot_count = self.count.bots.len();
        self.answers.resize_with(bot_count, Answers::default);
        let mut failed: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (at, seat) in result.seats.iter().enumerate() {
            let bot = bots[at];
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
            let mut times = record.times(seat);
            if let Some(ms) = times.next() {
                self.answers[bot].first_turn.add(ms);
            }
            for ms in times {
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
    fn add_board(&mut self, result: &GameResult, game: &Compared) {
        if let Some(at) = self.spec.rules.board(result.seed)
            && let Some(board) = self.boards.get_mut(at)
        {
            board.games += 1;
            board.turns += u64::from(result.turns);
            board.ldw.resize(self.count.bots.len(), [0; 3]);
            for (_, bot, outcome) in game.outcomes() {
                board.ldw[bot][usize::from(half_points(outcome))] += 1;
            }
        }
    }

    fn standings(&self, id: &str, stop: &Stop) -> Game {
        // Only bots with a complete unit can be rated.
        let (count, bots) = (&self.count, self.count.evidence.bots());
        let settings = Settings::new(count.design.games_per_unit);
        let rated = count.table(&bots, settings, stop).ok();
        let order = self.order(rated.as_ref());
        let mut game = Game::new(id, (count, &order), rated.as_ref(), stop);
        for (rank, &bot) in order.iter().enumerate() {
            self.answers[bot].fill_in(&mut game.bots[rank]);
        }
        let played = self.boards.iter().filter(|board| board.games > 0);
        // For two bots, a single number says everything.
        let challenger = order.iter().position(|&bot| bot == 0);
        Game {
            title: self.spec.title.clone(),
            challenger: challenger.filter(|_| self.is_gauntlet && order.len() > 2),
            same_moves: count.same_moves(),
            same_program: self.same_program.clone(),
            repeated_games: count.repeated_games(),
            first_player: count.first_player(stop),
            reasons: self.reasons.clone(),
            boards: played.map(|board| board.summary(&order)).collect(),
            pairings: count.pairs(stop),
            ..game
        }
    }

    /// The numbers of all bots, the best first. Bots without a rating come last. Scores decide
    /// among these, and among equals.
    fn order(&self, rated: Option<&Table>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.count.bots.len()).collect();
        // Sorting keeps the order of equals.
        let score = |bot: usize| self.count.bots[bot].score();
        order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        if let Some(rated) = rated {
            order.sort_by(|&a, &b| rated.elo(b).total_cmp(&rated.elo(a)));
        }
        order
    }
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
        let scores = order.iter().map(|&bot| score(*self.ldw.get(bot)?));
        BoardSummary {
            name: self.name.clone(),
            games: self.games,
            mean_turns: self.turns as f64 / self.games.max(1) as f64,
            scores: scores.collect(),
        }
    }
}
