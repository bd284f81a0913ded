//! Which workers of other machines played, and whether bots do there as elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use strum::{EnumCount, VariantArray};

use super::count::CountedGame;
use super::times::{TimeSummary, Times};
use crate::record::Record;
use crate::store::{GameRow, RemoteWorker};
use arena_games::Fate;
use arena_stats::ratings::half_points;
use arena_stats::strata::{Contrast, Sums};

/// What is less likely than this, all comparisons of a run together, stands out.
const UNLIKELY: f64 = 0.01;
/// The fewest units of either side of which scores and times are compared.
const FEWEST: u64 = 30;
/// Times that differ by less than this factor are those of another machine, and nothing to be told.
const SLOWER: f64 = 1.25;

/// The games of one game, by worker. Stays empty where none played.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkerTally {
    workers: BTreeMap<String, OfWorker>,
    /// Units of which games are missing yet.
    open: BTreeMap<u64, OpenUnit>,
    /// What complete units add up to: by bot and those that it met, and then by worker.
    strata: BTreeMap<(usize, Vec<usize>), BTreeMap<String, UnitSums>>,
}

#[derive(Clone, Debug, Default)]
struct OfWorker {
    games: u64,
    faults: u64,
    host_late: u64,
    /// By bot, without first turns.
    times: BTreeMap<usize, Times>,
}

#[derive(Clone, Debug, Default)]
struct OpenUnit {
    games: u32,
    /// Those who played it; only one, as a rule.
    workers: BTreeSet<String>,
    bots: BTreeMap<usize, InUnit>,
}

/// What a bot did in a unit.
#[derive(Clone, Debug, Default)]
struct InUnit {
    half_points: u32,
    comparisons: u32,
    has_failed: bool,
    ms: f64,
    answers: u32,
}

/// What a bot did in units.
#[derive(Clone, Copy, Debug, Default)]
struct UnitSums {
    score: Sums,
    failed: Sums,
    /// Of the mean time of its answers the logarithm.
    time: Sums,
}

impl UnitSums {
    fn of(&self, what: What) -> Sums {
        match what {
            What::Score => self.score,
            What::Faults => self.failed,
            What::Times => self.time,
        }
    }
}

/// A worker of other machines that played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WorkerSummary {
    pub(crate) name: String,
    /// The games that it played at the same time, and how many a second, in the last session; `None` where that is not known.
    pub(crate) jobs: Option<usize>,
    pub(crate) games_per_second: Option<f64>,
    /// For how many seconds nothing was heard of it.
    pub(crate) silent: Option<f64>,
    pub(crate) games: u64,
    /// Seats in which bots failed.
    pub(crate) faults: u64,
    /// Answers that came after the limit because the machine was busy with something else, and counted.
    pub(crate) host_late: u64,
    /// Response times of bots there, without first turns.
    pub(crate) times: Vec<TimesThere>,
    /// What bots do there otherwise than elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) stands_out: Vec<Oddity>,
}

/// How fast a bot answers at a worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct TimesThere {
    pub(crate) game: String,
    pub(crate) bot: String,
    #[serde(flatten)]
    pub(crate) times: TimeSummary,
}

/// Something that a bot does at a worker otherwise than against the same opponents elsewhere, by more than chance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Oddity {
    pub(crate) game: String,
    pub(crate) bot: String,
    pub(crate) what: What,
    /// How it is in both places: of scores and faults the mean of units, of times the geometric mean in milliseconds.
    pub(crate) here: f64,
    pub(crate) elsewhere: f64,
    /// How likely it is, corrected for the number of comparisons.
    pub(crate) p: f64,
}

/// What can stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, VariantArray, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// The mean score of its units.
    Score,
    /// The share of units in which it failed.
    Faults,
    /// How long its answers take.
    Times,
}

impl WorkerTally {
    /// Takes a game, of a unit of so many if it counts for ratings.
    pub(super) fn add(
        &mut self,
        row: &GameRow,
        record: &Record,
        game: &CountedGame,
        unit: Option<u32>,
    ) {
        let Some(name) = &record.worker else { return };
        let worker = self.workers.entry(name.clone()).or_default();
        worker.games += 1;
        worker.faults += row
            .seats
            .iter()
            .filter(|seat| seat.fate != Fate::Ok)
            .count() as u64;
        worker.host_late += record.host_late.len() as u64;
        let mut asked = BTreeSet::new();
        let later = record
            .steps
            .iter()
            .zip(&record.ms)
            .filter(|(step, _)| !asked.insert(step.player));
        let later: Vec<_> = later
            .filter_map(|(step, &ms)| Some((*game.bots.get(step.player)?, ms)))
            .collect();
        for &(bot, ms) in &later {
            worker.times.entry(bot).or_default().add(ms);
        }
        let Some(games_per_unit) = unit else { return };
        let open = self.open.entry(row.unit).or_default();
        open.games += 1;
        open.workers.insert(name.clone());
        for (_, comparison) in game.comparisons() {
            let points = u32::from(half_points(comparison.outcome));
            for (bot, half_points) in [(comparison.first, points), (comparison.second, 2 - points)]
            {
                let bot = open.bots.entry(bot).or_default();
                (bot.half_points, bot.comparisons) =
                    (bot.half_points + half_points, bot.comparisons + 1);
            }
        }
        for bot in &game.failed {
            open.bots.entry(*bot).or_default().has_failed = true;
        }
        for (bot, ms) in later {
            let bot = open.bots.entry(bot).or_default();
            (bot.ms, bot.answers) = (bot.ms + ms, bot.answers + 1);
        }
        if open.games == games_per_unit
            && let Some(unit) = self.open.remove(&row.unit)
        {
            self.add_unit(unit);
        }
    }

    /// A unit that several had a part in says nothing of any.
    fn add_unit(&mut self, unit: OpenUnit) {
        let Some(name) = unit.workers.first().filter(|_| unit.workers.len() == 1) else {
            return;
        };
        let all: Vec<usize> = unit.bots.keys().copied().collect();
        for (bot, done) in unit.bots {
            let others = all.iter().copied().filter(|&other| other != bot).collect();
            let sums = self
                .strata
                .entry((bot, others))
                .or_default()
                .entry(name.clone())
                .or_default();
            if done.comparisons > 0 {
                sums.score
                    .add(f64::from(done.half_points) / f64::from(2 * done.comparisons));
            }
            sums.failed.add(f64::from(u8::from(done.has_failed)));
            if done.answers > 0 && done.ms > 0.0 {
                sums.time.add((done.ms / f64::from(done.answers)).ln());
            }
        }
    }

    /// Adds what became of this game, whose bots have these names, to the workers.
    fn tell(&self, game: &str, bots: &[&str], workers: &mut BTreeMap<String, WorkerSummary>) {
        for (
            name,
            OfWorker {
                games,
                faults,
                host_late,
                times,
            },
        ) in &self.workers
        {
            let worker = workers
                .entry(name.clone())
                .or_insert_with(|| WorkerSummary::new(name));
            worker.games += games;
            worker.faults += faults;
            worker.host_late += host_late;
            let there = |(&bot, times): (&usize, &Times)| {
                let (game, bot, times) = (
                    game.to_owned(),
                    (*bots.get(bot)?).to_owned(),
                    times.summary()?,
                );
                Some(TimesThere { game, bot, times })
            };
            worker.times.extend(times.iter().filter_map(there));
        }
    }

    /// What the bots of this game, with these names, do otherwise at a worker, of so many comparisons in the run.
    fn stand_out(
        &self,
        game: &str,
        bots: &[&str],
        comparisons: f64,
        workers: &mut BTreeMap<String, WorkerSummary>,
    ) {
        for (bot, name) in bots.iter().enumerate() {
            for what in What::VARIANTS.iter().copied() {
                // Of two bots one scores what the other does not.
                if what == What::Score && bot == 1 && bots.len() == 2 {
                    continue;
                }
                let mut left: BTreeSet<&String> = self.workers.keys().collect();
                // Whoever is told is left out of what the others are compared with.
                while let Some((worker, oddity)) = self.oddest(bot, what, &left) {
                    let p = (oddity.p * comparisons).min(1.0);
                    if p >= UNLIKELY {
                        break;
                    }
                    left.remove(worker);
                    if let Some(summary) = workers.get_mut(worker) {
                        let (game, bot) = (game.to_owned(), (*name).to_owned());
                        summary.stands_out.push(Oddity {
                            game,
                            bot,
                            p,
                            ..oddity
                        });
                    }
                }
            }
        }
    }

    /// Of these workers the one where a bot does most otherwise, and how likely that is before any correction.
    fn oddest<'w>(
        &self,
        bot: usize,
        what: What,
        among: &BTreeSet<&'w String>,
    ) -> Option<(&'w String, Oddity)> {
        let odd = |worker: &&'w String| {
            let strata = self
                .strata
                .range((bot, Vec::new())..(bot + 1, Vec::new()))
                .map(|(_, workers)| {
                    let of = |worker: &String| {
                        workers
                            .get(worker)
                            .map(|sums| sums.of(what))
                            .unwrap_or_default()
                    };
                    let mut all = Sums::default();
                    for worker in among {
                        all.join(of(worker));
                    }
                    (of(worker), all)
                });
            let contrast = Contrast::of(strata)?;
            let are_many = contrast.units.min(contrast.others) >= FEWEST;
            let [here, elsewhere] = [contrast.here, contrast.elsewhere];
            let (game, bot) = Default::default();
            let oddity = Oddity {
                game,
                bot,
                what,
                here,
                elsewhere,
                p: 1.0,
            };
            match what {
                What::Faults => Some((
                    *worker,
                    Oddity {
                        p: contrast.is_more(),
                        ..oddity
                    },
                )),
                What::Score if are_many => Some((
                    *worker,
                    Oddity {
                        p: contrast.differs(),
                        ..oddity
                    },
                )),
                What::Times if are_many && (here - elsewhere).abs() >= SLOWER.ln() => {
                    let [here, elsewhere] = [here, elsewhere].map(f64::exp);
                    Some((
                        *worker,
                        Oddity {
                            here,
                            elsewhere,
                            p: contrast.differs(),
                            ..oddity
                        },
                    ))
                }
                What::Score | What::Times => None,
            }
        };
        among
            .iter()
            .filter_map(odd)
            .min_by(|(_, one), (_, other)| one.p.total_cmp(&other.p))
    }
}

impl WorkerSummary {
    fn new(name: &str) -> WorkerSummary {
        WorkerSummary {
            name: name.to_owned(),
            jobs: None,
            games_per_second: None,
            silent: None,
            games: 0,
            faults: 0,
            host_late: 0,
            times: Vec::new(),
            stands_out: Vec::new(),
        }
    }

    /// All who played, of tallies with the names of their games and bots.
    pub(super) fn all<'a>(
        tallies: impl Iterator<Item = (&'a WorkerTally, &'a str, Vec<&'a str>)>,
    ) -> Vec<WorkerSummary> {
        let tallies: Vec<_> = tallies.collect();
        let mut workers = BTreeMap::new();
        for (tally, game, bots) in &tallies {
            tally.tell(game, bots, &mut workers);
        }
        let comparisons = tallies
            .iter()
            .map(|(tally, _, bots)| tally.workers.len() * bots.len() * What::COUNT)
            .sum::<usize>();
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
        for (tally, game, bots) in &tallies {
            tally.stand_out(game, bots, comparisons as f64, &mut workers);
        }
        workers.into_values().collect()
    }

    /// Takes what the arena saw of it.
    pub(crate) fn see(&mut self, seen: &[RemoteWorker]) {
        if let Some(seen) = seen.iter().find(|seen| seen.name == self.name) {
            self.jobs = Some(seen.jobs);
            self.games_per_second = Some(seen.games_per_second);
            self.silent = Some(seen.silent);
        }
    }
}
