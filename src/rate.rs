//! Ratings from results of any number of runs, or from tables of counts. The order of the files and of their lines is of
//! no account.

#![expect(clippy::cast_precision_loss, reason = "counts of games are far below 2^52")]

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::store::{CountRow, GameRow, ResultLine};
use arena_stats::elo::match_elo;
use arena_stats::ratings::{
    self, Anchor, BotRating, Comparison, Mark, Outcome, Ratings, RatingsError, Settings, Unit, first_player_scores,
};

/// A first place is counted in so many parts: up to four seats share it.
const PARTS: u64 = 12;

/// What is compared with what. Designs are never mixed in one estimate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Design {
    /// The id of the game; empty for tables of counts.
    game: String,
    seats: usize,
    /// Different bots at a table.
    bots: usize,
    games_per_unit: u32,
}

/// Results, counted.
#[derive(Debug, Default)]
pub(crate) struct Field {
    designs: BTreeMap<Design, Tally>,
}

#[derive(Debug, Default)]
struct Tally {
    games: u64,
    bots: Vec<BotTally>,
    index: HashMap<String, usize>,
    /// Complete units, those with the same comparisons counted together.
    units: BTreeMap<Vec<Comparison>, u64>,
    /// Units of which games are missing, by file and number: two runs may well use the same numbers.
    open: HashMap<(usize, u64), OpenUnit>,
}

#[derive(Debug, Default)]
struct OpenUnit {
    games: u32,
    comparisons: Vec<Comparison>,
}

#[derive(Debug)]
struct BotTally {
    name: String,
    games: u64,
    seats: u64,
    places: u64,
    firsts: u64,
    /// Comparisons lost, drawn and won.
    ldw: [u64; 3],
}

impl Field {
    /// Counts a line of file number `file`.
    pub(crate) fn add(&mut self, file: usize, line: ResultLine) {
        match line {
            ResultLine::Game(row) => self.add_game(file, &row),
            ResultLine::Count(row) => self.add_count(row),
        }
    }

    fn add_game(&mut self, file: usize, row: &GameRow) {
        let design = Design::of(row);
        let games_per_unit = design.games_per_unit;
        let tally = self.designs.entry(design).or_default();
        tally.games += 1;
        let bots: Vec<usize> = row.seats.iter().map(|seat| tally.bot(&seat.bot)).collect();
        let firsts = row.seats.iter().filter(|seat| seat.place == 1).count().max(1) as u64;
        for (at, (seat, &bot)) in row.seats.iter().zip(&bots).enumerate() {
            let tallied = &mut tally.bots[bot];
            tallied.games += u64::from(!bots[..at].contains(&bot));
            tallied.seats += 1;
            tallied.places += seat.place as u64;
            tallied.firsts += if seat.place == 1 { PARTS / firsts } else { 0 };
        }
        let unit = tally.open.entry((file, row.unit)).or_default();
        unit.games += 1;
        for comparison in comparisons(row, &bots) {
            tally.bots[comparison.first].ldw[comparison.outcome as usize] += 1;
            tally.bots[comparison.second].ldw[2 - comparison.outcome as usize] += 1;
            unit.comparisons.push(comparison);
        }
        if unit.games >= games_per_unit
            && let Some(unit) = tally.open.remove(&(file, row.unit))
        {
            tally.close(unit.comparisons, 1);
        }
    }

    /// Every counted game is a unit of its own.
    fn add_count(&mut self, row: CountRow) {
        let design = Design { game: String::new(), seats: 2, bots: 2, games_per_unit: 1 };
        let tally = self.designs.entry(design).or_default();
        let [first, second] = [row.first, row.second].map(|name| tally.bot(&name));
        for (outcome, count) in [Outcome::Win, Outcome::Draw, Outcome::Loss].into_iter().zip(row.wins_draws_losses) {
            tally.games = tally.games.saturating_add(count);
            for (bot, column) in [(first, outcome as usize), (second, 2 - outcome as usize)] {
                let bot = &mut tally.bots[bot];
                bot.games = bot.games.saturating_add(count);
                bot.ldw[column] = bot.ldw[column].saturating_add(count);
            }
            if count > 0 {
                tally.close(vec![Comparison { first, second, outcome }], count);
            }
        }
    }

    /// The names of all bots.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.designs.values().flat_map(|tally| &tally.bots).map(|bot| bot.name.as_str())
    }

    /// Rates the bots of every game and design.
    pub(crate) fn rate(&self, options: &Options) -> Result<Vec<RatedField>, RatingsError> {
        self.designs.iter().map(|(design, tally)| tally.rate(design, options)).collect()
    }
}

/// What to rate by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// A bot and its rating. Without one the mean of all bots is 0.
    pub(crate) anchor: Option<(String, f64)>,
    /// Whether to fit the advantage of moving first.
    pub(crate) first_advantage: bool,
}

impl Design {
    fn of(row: &GameRow) -> Self {
        let mut names: Vec<&str> = row.seats.iter().map(|seat| seat.bot.as_str()).collect();
        names.sort_unstable();
        let mirrored = names.len() == 4 && names[0] == names[1] && names[2] == names[3];
        names.dedup();
        // Two bots with two seats each play a table and its mirror image; otherwise every bot takes every seat once.
        let games_per_unit = if row.seats.len() == 2 || mirrored { 2 } else { 4 };
        Self { game: row.game.clone(), seats: row.seats.len(), bots: names.len(), games_per_unit }
    }
}

/// Every two seats of a game that different bots sat in, compared by score.
fn comparisons<'a>(row: &'a GameRow, bots: &'a [usize]) -> impl Iterator<Item = Comparison> + 'a {
    let pairs = (0..bots.len()).flat_map(move |one| (one + 1..bots.len()).map(move |other| (one, other)));
    pairs.filter(|&(one, other)| bots[one] != bots[other]).map(|(one, other)| {
        let outcome = match row.seats[one].score.cmp(&row.seats[other].score) {
            std::cmp::Ordering::Less => Outcome::Loss,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Greater => Outcome::Win,
        };
        Comparison { first: bots[one], second: bots[other], outcome }
    })
}

impl Tally {
    fn bot(&mut self, name: &str) -> usize {
        if let Some(&bot) = self.index.get(name) {
            return bot;
        }
        let bot = BotTally { name: name.to_owned(), games: 0, seats: 0, places: 0, firsts: 0, ldw: [0; 3] };
        self.bots.push(bot);
        self.index.insert(name.to_owned(), self.bots.len() - 1);
        self.bots.len() - 1
    }

    fn close(&mut self, mut comparisons: Vec<Comparison>, copies: u64) {
        comparisons.sort_unstable();
        let count = self.units.entry(comparisons).or_default();
        *count = count.saturating_add(copies);
    }

    fn rate(&self, design: &Design, options: &Options) -> Result<RatedField, RatingsError> {
        // Bots are numbered by name, so that nothing depends on which file came first.
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by(|&a, &b| self.bots[a].name.cmp(&self.bots[b].name));
        let mut number = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let units: Vec<Unit> = self.units.iter().map(|(kind, &weight)| renumbered(kind, weight, &number)).collect();
        let names: Vec<&str> = order.iter().map(|&bot| self.bots[bot].name.as_str()).collect();
        let rated = ratings::rate(names.len(), &units, &settings(design, options, &names))?;
        let mut ranked: Vec<usize> = (0..names.len()).collect();
        ranked.sort_by(|&a, &b| rated.bots[b].elo.total_cmp(&rated.bots[a].elo));
        let bots = ranked.iter().enumerate().map(|(at, &bot)| {
            let next = ranked.get(at + 1).map(|&next| rated.difference(bot, next));
            let los_next = next.and_then(|next| next.los);
            self.bots[order[bot]].rated(at + 1, &rated.bots[bot], los_next)
        });
        Ok(RatedField {
            game: design.game.clone(),
            seats: design.seats,
            bots_per_table: design.bots,
            games_per_unit: design.games_per_unit,
            games: self.games,
            units: rated.units,
            incomplete_units: self.open.len() as u64,
            groups: rated
                .components
                .iter()
                .map(|group| group.iter().map(|&bot| names[bot].to_owned()).collect())
                .collect(),
            first_player: first_player(design, &rated, &units),
            bots: bots.collect(),
            los: ranked
                .iter()
                .map(|&one| ranked.iter().map(|&other| rated.difference(one, other).los).collect())
                .collect(),
            scores: scores(&units, &ranked),
        })
    }
}

fn settings(design: &Design, options: &Options, names: &[&str]) -> Settings {
    let anchored = options
        .anchor
        .as_ref()
        .and_then(|(name, elo)| names.iter().position(|other| other == name).map(|bot| Anchor::Bot { bot, elo: *elo }));
    let settings = Settings::new(design.games_per_unit);
    // With more seats than two, all act at once or the order means something else.
    let first_advantage = options.first_advantage && design.seats == 2;
    Settings { anchor: anchored.unwrap_or(settings.anchor), first_advantage, ..settings }
}

fn renumbered(kind: &[Comparison], weight: u64, number: &[usize]) -> Unit {
    let renumber = |c: &Comparison| Comparison { first: number[c.first], second: number[c.second], ..*c };
    Unit { comparisons: kind.iter().map(renumber).collect(), weight }
}

/// What moving first is worth: fitted, or else as plain as the score of those who did.
fn first_player(design: &Design, rated: &Ratings, units: &[Unit]) -> Option<Advantage> {
    if design.seats != 2 {
        return None;
    }
    if let Some(fitted) = rated.first_advantage {
        let end = |sign: f64| fitted.error95.map(|error| fitted.elo + sign * error);
        return Some(Advantage { elo: fitted.elo, lo95: end(-1.0), hi95: end(1.0), fitted: true });
    }
    if !seats_swapped(units) {
        return None;
    }
    let plain = match_elo(&first_player_scores(units).ok()?, design.games_per_unit)?;
    Some(Advantage { elo: plain.elo, lo95: Some(plain.lo95), hi95: Some(plain.hi95), fitted: false })
}

/// Whether any two bots moved first equally often against each other. Otherwise the score of those who moved first
/// tells of their strength too.
fn seats_swapped(units: &[Unit]) -> bool {
    let mut surplus: BTreeMap<(usize, usize), i128> = BTreeMap::new();
    for unit in units {
        for &Comparison { first, second, .. } in &unit.comparisons {
            let sign = if first < second { 1 } else { -1 };
            *surplus.entry((first.min(second), first.max(second))).or_default() += sign * i128::from(unit.weight);
        }
    }
    surplus.values().all(|&surplus| surplus == 0)
}

/// Mean scores of every bot against every other, in the order `ranked`.
fn scores(units: &[Unit], ranked: &[usize]) -> Vec<Vec<Option<f64>>> {
    let mut place = vec![0; ranked.len()];
    ranked.iter().enumerate().for_each(|(at, &bot)| place[bot] = at);
    let mut points = vec![vec![(0_u64, 0_u64); ranked.len()]; ranked.len()];
    for (comparison, weight) in units.iter().flat_map(|unit| unit.comparisons.iter().map(|c| (c, unit.weight))) {
        let half_points = comparison.outcome as u64;
        let (one, other) = (place[comparison.first], place[comparison.second]);
        for (row, column, half_points) in [(one, other, half_points), (other, one, 2 - half_points)] {
            let cell = &mut points[row][column];
            *cell = (cell.0.saturating_add(half_points * weight), cell.1.saturating_add(2 * weight));
        }
    }
    let share = |&(points, all): &(u64, u64)| (all > 0).then(|| points as f64 / all as f64);
    points.iter().map(|row| row.iter().map(share).collect()).collect()
}

impl BotTally {
    fn rated(&self, rank: usize, rating: &BotRating, los_next: Option<f64>) -> RatedBot {
        let [losses, draws, wins] = self.ldw;
        // Results that set a limit on one side only have no interval, and no unit no rating.
        let bounded = Some(rating).filter(|rating| rating.mark.is_none() && rating.units > 0);
        RatedBot {
            rank,
            name: self.name.clone(),
            elo: (rating.units > 0).then_some(rating.elo),
            lo95: bounded.and_then(BotRating::lo95),
            hi95: bounded.and_then(BotRating::hi95),
            error95: bounded.and_then(|rating| rating.error95),
            provisional: rating.provisional,
            mark: rating.mark,
            units: rating.units,
            games: self.games,
            score: (wins as f64 + draws as f64 / 2.0) / (wins as f64 + draws as f64 + losses as f64).max(1.0),
            wins,
            draws,
            losses,
            mean_place: (self.seats > 0).then(|| self.places as f64 / self.seats as f64),
            firsts: (self.seats > 0).then(|| self.firsts as f64 / (PARTS * self.seats) as f64),
            los_next,
        }
    }
}

/// The ratings of one game in one design.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RatedField {
    /// The id of the game; empty for tables of counts.
    pub(crate) game: String,
    /// The seats of the game.
    pub(crate) seats: usize,
    /// Different bots at a table: with four seats four, or two of which one or both have several seats.
    pub(crate) bots_per_table: usize,
    /// The games of a unit.
    pub(crate) games_per_unit: u32,
    /// All games.
    pub(crate) games: u64,
    /// Complete units. Only these enter ratings.
    pub(crate) units: u64,
    /// Units of which a game is missing.
    pub(crate) incomplete_units: u64,
    /// The bots, in groups linked by results both ways. With more than one, ratings rest on virtual draws.
    pub(crate) groups: Vec<Vec<String>>,
    /// What moving first is worth.
    pub(crate) first_player: Option<Advantage>,
    /// The bots, the best first.
    pub(crate) bots: Vec<RatedBot>,
    /// How likely each bot is stronger than each other one, in the order of `bots`.
    pub(crate) los: Vec<Vec<Option<f64>>>,
    /// Each bot's mean score against each other one, in the order of `bots`; `None` where they did not meet.
    pub(crate) scores: Vec<Vec<Option<f64>>>,
}

/// What moving first is worth, in Elo.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Advantage {
    /// Elo; not finite where the first player won or lost everything.
    pub(crate) elo: f64,
    /// The lower end of the 95% interval.
    pub(crate) lo95: Option<f64>,
    /// The upper end.
    pub(crate) hi95: Option<f64>,
    /// Whether it was fitted together with the ratings.
    pub(crate) fitted: bool,
}

/// A rated bot.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RatedBot {
    /// Its place, from 1.
    pub(crate) rank: usize,
    /// Its name.
    pub(crate) name: String,
    /// Its rating; `None` without a complete unit.
    pub(crate) elo: Option<f64>,
    /// The lower end of its 95% interval; `None` while there are not enough games, and for a bot that won or lost
    /// everything.
    pub(crate) lo95: Option<f64>,
    /// The upper end.
    pub(crate) hi95: Option<f64>,
    /// Half the width of the interval.
    pub(crate) error95: Option<f64>,
    /// Whether it has too few units for its interval to be trusted.
    pub(crate) provisional: bool,
    /// For a bot that won or lost everything.
    pub(crate) mark: Option<Mark>,
    /// Complete units.
    pub(crate) units: u64,
    /// Games, those of incomplete units included, as in the rest.
    pub(crate) games: u64,
    /// Mean score.
    pub(crate) score: f64,
    /// Games won. With four seats, as for draws and losses: other bots' seats that it placed above.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
    /// The mean of its places; `None` for tables of counts.
    pub(crate) mean_place: Option<f64>,
    /// The share of its seats that came first; `None` for tables of counts.
    pub(crate) firsts: Option<f64>,
    /// How likely it is stronger than the next bot below.
    pub(crate) los_next: Option<f64>,
}
