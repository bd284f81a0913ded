//! What the runs of a pool show: the gauntlets together, and each duel for itself. Duels stop on
//! their own results, so they never enter the ratings.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Member, PoolError, RUNS};
use crate::plan::Plan;
use crate::results::Stop;
use crate::standings::{BotSummary, RatedGame, RatingScale};
use crate::store::{PLAN, SUMMARY, io_error, read_plan};
use crate::tournament::{self, RunError};
use arena_games::Games;
use arena_process::{Launch, read_input_text};
use arena_stats::estimate::{Estimate, Holds};

/// A bot is surely better than another with this likelihood, in the range of its ranks.
const SURELY: f64 = 0.975;

/// What the games of a plan have in common besides their bots and seeds, as text: games under other
/// terms are rated apart.
pub(crate) fn terms(plan: &Plan) -> String {
    let mut plan = plan.clone();
    plan.bots.clear();
    for game in &mut plan.games {
        game.bots.clear();
        if let Some(referee) = &mut game.referee {
            // The referee itself says it, once it was started.
            referee.title.clear();
        }
    }
    let Plan { design, games, .. } = &plan;
    let kept = (plan.trace, plan.metrics, plan.stderr, plan.sandbox);
    let limits = (plan.memory_mb, &plan.languages);
    serde_json::to_string(&(design, games, kept, limits)).unwrap_or_default()
}

/// A run of the pool.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) path: PathBuf,
    /// Whether its terms are those of the pool.
    is_current: bool,
    /// The names of its bots; the candidate is the first.
    pub(crate) bots: Vec<String>,
    pub(crate) is_gauntlet: bool,
    pub(crate) games_per_pairing: u64,
}

/// The runs of the pool by name, and the ratings from its gauntlets under its terms.
#[derive(Debug, Default)]
pub(crate) struct Found {
    runs: Vec<Run>,
    pub(super) rated: Option<RatedGame>,
}

impl Found {
    /// Reads the runs of a pool with these terms, without their games.
    pub(crate) fn read(terms: &str) -> Result<Found, PoolError> {
        let mut found = Found::default();
        let entries = match fs::read_dir(RUNS) {
            // A pool from git has no runs yet.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
            entries => entries.map_err(io_error("read", Path::new(RUNS)))?,
        };
        for entry in entries {
            let path = entry.map_err(io_error("read", Path::new(RUNS)))?.path();
            let Some(file) = read_plan(&path)? else {
                continue;
            };
            found.runs.push(Run {
                is_current: self::terms(&file.plan) == terms,
                is_gauntlet: file.plan.study.is_gauntlet(),
                games_per_pairing: file.plan.study.games_per_pairing(),
                bots: file.plan.bots.into_iter().map(|bot| bot.name).collect(),
                path,
            });
        }
        found.runs.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// The gauntlet of the first of these bots against the others.
    pub(crate) fn gauntlet(&self, bots: &[Launch]) -> Option<&Run> {
        let candidate = &bots.first()?.name;
        let names: BTreeSet<&String> = bots.iter().map(|bot| &bot.name).collect();
        self.of(candidate)
            .find(|run| run.is_gauntlet && run.is_current && names == run.bots.iter().collect())
    }

    /// The duel of a candidate with a bot.
    pub(crate) fn duel(&self, candidate: &str, other: &str) -> Option<&Run> {
        self.of(candidate)
            .find(|run| !run.is_gauntlet && run.is_current && run.bots[1..] == [other])
    }

    /// The runs of a candidate, whatever their terms.
    pub(super) fn of(&self, candidate: &str) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.bots[0] == candidate)
    }

    /// What the duel of a candidate said when it last ended.
    pub(super) fn duel_of(&self, member: &Member) -> Option<DuelSaid> {
        let against = &member.attempt.as_ref()?.against;
        let run = self
            .of(&member.name)
            .filter(|run| !run.is_gauntlet && run.bots[1..] == [&**against])
            .last()?;
        let text = read_input_text(&run.path.join(SUMMARY)).ok()?;
        let summary: Value = serde_json::from_str(&text).ok()?;
        let pairing = &summary["games"][0]["pairings"][0];
        let by = &pairing["elo"];
        let won = f64::INFINITY.copysign(by["score"].as_f64()? - 0.5);
        let sign = if pairing["first"] == *member.name {
            1.0
        } else {
            -1.0
        };
        // What is infinite is null.
        let seen = |key: &str, end: f64| sign * by[key].as_f64().unwrap_or(end);
        let mut ends = [seen("lo95", -f64::INFINITY), seen("hi95", f64::INFINITY)];
        ends.sort_by(f64::total_cmp);
        Some(DuelSaid {
            opponent: against.clone(),
            by: Estimate::new(seen("elo", won), ends, None, Holds::EveryLook),
        })
    }

    /// Where a run with this name goes. Names of bots may look like those of other runs, and a
    /// killed process may have left a folder without a plan.
    pub(crate) fn place(name: &str) -> PathBuf {
        let mut place = Path::new(RUNS).join(name);
        let mut number = 1;
        while place.join(PLAN).exists() {
            number += 1;
            place = Path::new(RUNS).join(format!("{name}-{number}"));
        }
        place
    }

    /// Rates the bots by all gauntlets under the terms of the pool.
    pub(crate) fn rate(&mut self, games: &Games) -> Result<(), RunError> {
        let is_rated = |run: &&Run| run.is_gauntlet && run.is_current;
        let runs: Vec<&Path> = self
            .runs
            .iter()
            .filter(is_rated)
            .map(|run| &*run.path)
            .collect();
        let scale = RatingScale {
            anchors: Vec::new(),
            mean: 0.0,
            prior: 1.0,
            first_advantage: false,
        };
        // The pool knows that bots of one name are the same.
        let union = tournament::union(&runs, true, games)?;
        if let Some(field) = union.fields.first() {
            // Their lengths don't depend on their results, but for a few that were dropped.
            let rated = RatedGame::new(field, &scale, &Stop::Announced);
            self.rated = Some(rated.map_err(|error| RunError::Input(error.into()))?);
        }
        Ok(())
    }

    /// The rating of a bot from gauntlets.
    pub(crate) fn rating(&self, name: &str) -> Option<&BotSummary> {
        let rated = self.rated.as_ref()?;
        Some(&rated.game.bots[rated.place(name)?])
    }

    /// How much stronger one bot is than another, by their ratings.
    pub(crate) fn over(&self, one: &str, other: &str) -> Option<Estimate> {
        let rated = self.rated.as_ref()?;
        let [one, other] = [rated.place(one)?, rated.place(other)?];
        (one != other).then(|| rated.ahead_by(one, other))
    }

    /// What a bot scored against another.
    pub(crate) fn score(&self, one: &str, other: &str) -> Option<f64> {
        let rated = self.rated.as_ref()?;
        rated.scores[rated.place(one)?][rated.place(other)?]
    }

    /// The rank of a bot among others: by its rating, and the best and the worst that its errors
    /// allow.
    pub(crate) fn ranks(&self, name: &str, among: &[&str]) -> Option<[usize; 3]> {
        let own = self.rating(name)?;
        let [mut rank, mut best, mut worst] = [1, 1, 1];
        for other in among.iter().filter_map(|other| self.rating(other)) {
            if let Some(by) = self.over(name, &other.name) {
                let los = by.los.unwrap_or(0.5);
                rank += usize::from(other.rank < own.rank);
                best += usize::from(los <= 1.0 - SURELY);
                worst += usize::from(los < SURELY);
            }
        }
        Some([rank, best, worst])
    }
}

/// How much stronger a candidate was in its duel, in Elo.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DuelSaid {
    /// The bot that it meets.
    pub(crate) opponent: String,
    #[serde(flatten)]
    by: Estimate,
}

impl DuelSaid {
    pub(crate) fn elo95(&self) -> [f64; 3] {
        [self.by.elo, self.by.lo95, self.by.hi95]
    }
}
