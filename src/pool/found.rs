//! What the runs of a pool show: the gauntlets together, and each duel for itself. Duels stop on
//! their own results, so they never enter the ratings.

use std::cmp::Ordering;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::{Member, Pool, PoolError, RUNS, State};
use crate::plan::Plan;
use crate::results::Stop;
use crate::standings::{BotSummary, RatedGame, RatingScale};
use crate::store::{PLAN, SUMMARY, io_error, read_plan};
use crate::tournament::{self, RunError};
use arena_games::Games;
use arena_process::{Launch, read_input_text};
use arena_stats::estimate::Estimate;

/// A bot is surely better than another with this likelihood, in the range of its ranks.
const SURELY: f64 = 0.975;

/// What the games of a plan have in common besides their bots and seeds: games under other terms
/// are rated apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Terms(String);

impl Terms {
    pub(crate) fn of(plan: &Plan) -> Terms {
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
        Terms(serde_json::to_string(&(design, games, kept, limits)).unwrap_or_default())
    }
}

/// A run of the pool.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) path: PathBuf,
    pub(crate) terms: Terms,
    /// The names of its bots; the candidate is the first.
    pub(crate) bots: Vec<String>,
    pub(crate) is_gauntlet: bool,
    pub(crate) games_per_pairing: u64,
}

/// The runs of the pool, by name.
#[derive(Debug)]
pub(crate) struct Found(Vec<Run>);

impl Found {
    pub(crate) fn read() -> Result<Found, PoolError> {
        let mut runs = Vec::new();
        let entries = match fs::read_dir(RUNS) {
            // A pool from git has no runs yet.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found(runs)),
            entries => entries.map_err(io_error("read", Path::new(RUNS)))?,
        };
        for entry in entries {
            let path = entry.map_err(io_error("read", Path::new(RUNS)))?.path();
            let Some(file) = read_plan(&path)? else {
                continue;
            };
            runs.push(Run {
                terms: Terms::of(&file.plan),
                is_gauntlet: file.plan.study.is_gauntlet(),
                games_per_pairing: file.plan.study.games_per_pairing(),
                bots: file.plan.bots.into_iter().map(|bot| bot.name).collect(),
                path,
            });
        }
        runs.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Found(runs))
    }

    /// The gauntlet of the first of these bots against the others.
    pub(crate) fn gauntlet(&self, bots: &[Launch], terms: &Terms) -> Option<&Run> {
        let mut names: Vec<&String> = bots.iter().map(|bot| &bot.name).collect();
        let candidate = names.first().copied()?;
        names.sort_unstable();
        self.0.iter().find(|run| {
            let mut others: Vec<&String> = run.bots.iter().collect();
            others.sort_unstable();
            run.is_gauntlet && run.bots[0] == *candidate && others == names && run.terms == *terms
        })
    }

    /// The duel of a candidate with a bot.
    pub(crate) fn duel(&self, candidate: &str, other: &str, terms: &Terms) -> Option<&Run> {
        let is_it =
            |run: &&Run| !run.is_gauntlet && run.bots == [candidate, other] && run.terms == *terms;
        self.0.iter().find(is_it)
    }

    /// The runs of a candidate, whatever their terms.
    pub(crate) fn of(&self, candidate: &str) -> impl Iterator<Item = &Run> {
        self.0.iter().filter(move |run| run.bots[0] == candidate)
    }

    /// What the duel of a candidate said when it last ended.
    fn duel_of(&self, member: &Member) -> Option<DuelSaid> {
        let against = &member.attempt.as_ref()?.against;
        let bots = [&member.name, against];
        let run = self
            .of(&member.name)
            .filter(|run| !run.is_gauntlet && run.bots.iter().eq(bots))
            .last()?;
        let text = read_input_text(&run.path.join(SUMMARY)).ok()?;
        let summary: Value = serde_json::from_str(&text).ok()?;
        let pairing = &summary["games"][0]["pairings"][0];
        let is_first = pairing["first"] == *member.name;
        let seen = |key: &str, end: f64| match pairing["elo"][key].as_f64().unwrap_or(end) {
            elo if is_first => elo,
            elo => -elo,
        };
        let won = if pairing["elo"]["score"].as_f64()? > 0.5 {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
        let mut ends = [seen("lo95", f64::NEG_INFINITY), seen("hi95", f64::INFINITY)];
        ends.sort_by(f64::total_cmp);
        Some(DuelSaid {
            over: against.clone(),
            elo: seen("elo", won),
            lo95: ends[0],
            hi95: ends[1],
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

    /// The ratings from all gauntlets under these terms; `None` without games.
    pub(crate) fn gauntlets(
        &self,
        terms: &Terms,
        games: &Games,
    ) -> Result<Option<Gauntlets>, RunError> {
        let mut runs: Vec<&Path> = Vec::new();
        for run in &self.0 {
            if run.is_gauntlet && run.terms == *terms {
                runs.push(&run.path);
            }
        }
        let scale = RatingScale {
            anchors: Vec::new(),
            mean: 0.0,
            prior: 1.0,
            first_advantage: false,
        };
        // The pool knows that bots of one name are the same.
        let union = tournament::union(&runs, true, games)?;
        let Some(field) = union.fields.first() else {
            return Ok(None);
        };
        // Their lengths don't depend on their results, but for a few that were dropped.
        let rated = RatedGame::new(field, &scale, &Stop::Announced);
        let rated = rated.map_err(|error| RunError::Input(error.into()))?;
        Ok(Some(Gauntlets { rated }))
    }
}

/// The ratings of all bots that played gauntlets.
pub(crate) struct Gauntlets {
    pub(crate) rated: RatedGame,
}

impl Gauntlets {
    fn place(&self, name: &str) -> Option<usize> {
        let bots = &self.rated.game.bots;
        bots.iter().position(|bot| bot.name == name)
    }

    /// The rating of a bot.
    pub(crate) fn of(&self, name: &str) -> Option<&BotSummary> {
        Some(&self.rated.game.bots[self.place(name)?])
    }

    /// How much stronger one bot is than another, by their ratings.
    pub(crate) fn over(&self, one: &str, other: &str) -> Option<Estimate> {
        let [one, other] = [self.place(one)?, self.place(other)?];
        (one != other).then(|| self.rated.ahead[one][other])
    }

    /// What a bot scored against another.
    pub(crate) fn score(&self, one: &str, other: &str) -> Option<f64> {
        self.rated.scores[self.place(one)?][self.place(other)?]
    }

    /// The rank of a bot among others: by its rating, and the best and the worst that its errors
    /// allow.
    pub(crate) fn ranks(&self, name: &str, among: &[&str]) -> Option<[usize; 3]> {
        let own = self.of(name)?;
        let [mut rank, mut best, mut worst] = [1, 1, 1];
        for other in among.iter().filter_map(|other| self.of(other)) {
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
#[derive(Serialize)]
pub(crate) struct DuelSaid {
    pub(crate) over: String,
    elo: f64,
    /// The ends of its interval, which holds at every look.
    lo95: f64,
    hi95: f64,
}

impl DuelSaid {
    pub(crate) fn elo95(&self) -> [f64; 3] {
        [self.elo, self.lo95, self.hi95]
    }
}

/// A bot of the pool with what is known of it.
pub(crate) struct Entry<'p> {
    pub(crate) member: &'p Member,
    /// Its place in the order in which bots were kept.
    pub(crate) at: usize,
    pub(crate) ranks: Option<[usize; 3]>,
    pub(crate) rating: Option<&'p BotSummary>,
    /// Its score against the best.
    pub(crate) against_best: Option<f64>,
    /// Its duel with the best bot of its time.
    pub(crate) duel: Option<DuelSaid>,
    /// Its last run.
    pub(crate) run: Option<&'p Run>,
    /// Why it can't be played.
    pub(crate) broken: Option<String>,
}

/// The bots of the pool: opponents by rating, then the others, the latest first.
pub(crate) fn entries<'p>(
    pool: &'p Pool,
    found: &'p Found,
    gauntlets: Option<&'p Gauntlets>,
    broken: impl Fn(&Member) -> Option<String>,
) -> Vec<Entry<'p>> {
    let best = pool.best().map_or("", |best| &best.name);
    let opponents: Vec<&str> = pool.opponents().map(|member| &*member.name).collect();
    let mut entries = Vec::new();
    for (at, member) in pool.members.iter().enumerate().rev() {
        let name = &member.name;
        entries.push(Entry {
            ranks: gauntlets
                .filter(|_| member.state != State::Retired)
                .and_then(|all| all.ranks(name, &opponents)),
            rating: gauntlets.and_then(|all| all.of(name)),
            against_best: gauntlets.and_then(|all| all.score(name, best)),
            duel: found.duel_of(member),
            run: found.of(name).max_by_key(|run| run.is_gauntlet),
            broken: broken(member),
            member,
            at,
        });
    }
    let elo = |entry: &Entry<'_>| entry.rating.and_then(|rating| rating.elo);
    entries.sort_by(|one, other| elo(other).partial_cmp(&elo(one)).unwrap_or(Ordering::Equal));
    entries.sort_by_key(|entry| !opponents.contains(&&*entry.member.name));
    entries
}
