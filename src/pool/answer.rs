//! The answer of a try.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::policy::{Evidence, Verdict, by_luck};
use super::{BOTS, Found, Member, PAGE, Pool, Run, State, option};
use crate::config::Sure;
use crate::report::outcome::opening;
use crate::report::replays::Selection;
use crate::results::Pair;
use crate::study::Outcome;
use crate::tournament::{self, RunError};
use arena_games::Games;
use arena_section::text::word;
use arena_section::words::{count, estimate, likelihood, ordinal, percent};
use arena_stats::estimate::{Claim, Estimate};

/// The most opponents to name.
const NAMED: usize = 6;

/// The duel of a candidate with the best, so far.
#[derive(Default)]
pub(crate) struct Duel {
    pair: Option<Pair>,
    /// Whether its results have ended it.
    pub(crate) has_ended: bool,
    games: u64,
    /// What else is to be said: failures, or mean scores.
    notes: Vec<String>,
    is_void: bool,
}

impl Duel {
    pub(crate) fn read(run: &Run, games: &Games) -> Result<Duel, RunError> {
        let report = tournament::report(&run.path, &Selection::None, false, games)?;
        let game = report.summary.games.first();
        let mut notes = Vec::new();
        let bots = game.map_or(&[][..], |game| &game.bots);
        for bot in bots {
            if bot.faults() > 0 {
                let times = count(bot.faults(), "time", "times");
                notes.push(format!("{} failed {times}", bot.name));
            }
        }
        let mean = |name: &String| bots.iter().find(|bot| bot.name == *name)?.mean_score;
        if let (Some(own), Some(other)) = (mean(&run.bots[0]), mean(&run.bots[1])) {
            notes.push(format!("mean score {own:.1} against {other:.1}"));
        }
        Ok(Duel {
            pair: game.and_then(|game| game.pair().cloned()),
            has_ended: report.summary.games_played < report.summary.run.games_planned
                && (report.finding.ended.is_some() || !report.finding.failed.is_empty()),
            games: report.summary.games_played,
            notes,
            is_void: report.finding.outcome == Outcome::NothingMeasured,
        })
    }
}

/// What is known of a candidate against the best.
#[derive(Default)]
pub(crate) struct Known {
    duel: Duel,
    /// The difference of their ratings from gauntlets.
    others: Option<Estimate>,
    pub(crate) evidence: Evidence,
    contradict: bool,
    /// The folder of the run of the duel.
    folder: Option<PathBuf>,
}

impl Known {
    pub(crate) fn read(found: &Found, member: &Member, games: &Games) -> Result<Known, RunError> {
        let mut known = Known::default();
        let (name, Some(attempt)) = (&member.name, &member.attempt) else {
            return Ok(known);
        };
        known.others = found.over(name, &attempt.against);
        known.evidence.budgets = attempt.budgets;
        if let Some(run) = found.duel(name, &attempt.against) {
            known.duel = Duel::read(run, games)?;
            known.folder = Some(run.path.clone());
        }
        if let Duel {
            pair: Some(pair),
            is_void: false,
            ..
        } = &known.duel
        {
            let is_first = pair.first == *name;
            let seen = known.others.map(|others| others.reversed_if(!is_first));
            let los = pair.los_with(seen);
            known.contradict = los.is_some_and(|(_, contradict)| contradict);
            // Too few units say nothing, however likely they look.
            if let Claim::Compared(duel) = pair.by(name).claim() {
                known.evidence.duel = Some(duel);
                known.evidence.los = los.map(|(los, _)| if is_first { los } else { 1.0 - los });
            }
        }
        Ok(known)
    }
}

/// The answer of a try, for people and programs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    /// Name of the bot.
    pub(crate) bot: String,
    /// The bot that it meets.
    opponent: Option<String>,
    #[serde(skip)]
    is_against_best: bool,
    #[serde(skip)]
    is_best: bool,
    /// Folder of the run, the bot or the pool; null without one.
    folder: Option<PathBuf>,
    /// Folder of the copy of the bot; null if nothing was copied.
    copy: Option<PathBuf>,
    /// What the games say of the candidate, compared with the best; null for the first bot.
    verdict: Option<Verdict>,
    /// Likelihood that the bot, or the first of two, is the stronger; null if unknown.
    los: Option<f64>,
    /// Likelihood that `likely_stronger` asks for, in percent; null for `every-look`.
    #[schemars(with = "Option<f64>")]
    sure: Sure,
    /// Duel with the best bot of its time; null if unknown.
    duel: Option<Estimate>,
    /// Games of the duel.
    duel_games: u64,
    /// Games of the gauntlets.
    gauntlet_games: u64,
    /// Difference to the best by the ratings from gauntlets; null if unknown.
    gauntlet: Option<Estimate>,
    /// Rank among the opponents, then the best and the worst that errors allow; null if unrated.
    ranks: Option<[usize; 3]>,
    /// Candidates that were tried.
    tries: usize,
    /// How many of `tries` luck makes look stronger, and at least likely stronger: at most, on
    /// average.
    by_luck: [f64; 2],
    /// Whether the command made the bot the best of the pool.
    pub(crate) is_promoted: bool,
    /// The answer in sentences.
    #[serde(rename = "answer")]
    pub(crate) lines: Vec<String>,
}

/// The line about a bot that was kept.
pub(crate) fn kept(name: &str, played: &str, place: &Path) -> String {
    let copy = Path::new(BOTS).join(name);
    let kept = if copy.is_dir() {
        format!("kept in {}", place.join(copy).display())
    } else {
        "kept; it has no files to copy".to_owned()
    };
    format!("{name}: legal in {played}, {kept}")
}

impl Answer {
    /// What the games of a bot have shown. `place` is the pool as the user named it.
    pub(crate) fn new(
        pool: &Pool,
        found: &Found,
        member: &Member,
        known: &Known,
        (sure, place): (Sure, &Path),
    ) -> Answer {
        let tried = pool
            .members
            .iter()
            .filter_map(|member| member.attempt.as_ref());
        let opponents: Vec<&str> = pool.opponents().map(|other| &*other.name).collect();
        let against = member.attempt.as_ref().map(|attempt| &attempt.against);
        let pair = known.duel.pair.as_ref();
        let mut answer = Answer {
            bot: member.name.clone(),
            opponent: against.cloned(),
            is_against_best: pool.best().map(|best| &best.name) == against,
            is_best: member.state == State::Best,
            folder: known.folder.as_ref().map(|folder| place.join(folder)),
            copy: member.launch().folder.map(|folder| place.join(folder)),
            verdict: against.map(|_| known.evidence.verdict(sure)),
            los: known.evidence.los,
            sure,
            duel: pair.map(|pair| pair.by(&member.name)),
            duel_games: known.duel.games,
            gauntlet_games: found.rating(&member.name).map_or(0, |bot| bot.games),
            gauntlet: known.others,
            ranks: found.ranks(&member.name, &opponents),
            tries: tried.clone().count(),
            by_luck: by_luck(tried.map(|attempt| attempt.budgets), sure),
            is_promoted: false,
            lines: Vec::new(),
        };
        let lines = [
            Some(answer.verdict_in_words(&known.duel)),
            answer.rank_in_words(found, &opponents, known),
            answer.luck_in_words(),
        ];
        answer.lines.extend(lines.into_iter().flatten());
        answer
    }

    /// The exit status of the try.
    pub(crate) fn exit(&self) -> u8 {
        self.verdict.map_or(0, Verdict::exit)
    }

    fn verdict_in_words(&self, duel: &Duel) -> String {
        let bot = &self.bot;
        let (Some(verdict), Some(against)) = (self.verdict, &self.opponent) else {
            return match self.tries {
                0 => format!("{bot} is the best: it is the first"),
                _ => format!("{bot} is the best: there is nothing to compare it with"),
            };
        };
        let best = if self.is_against_best {
            "the best, "
        } else {
            ""
        };
        let is = match verdict {
            Verdict::Stronger => "is stronger",
            Verdict::LikelyStronger => "is likely stronger",
            Verdict::Open => "may or may not be stronger",
            Verdict::Unlikely => "is unlikely to be stronger",
            Verdict::Weaker => "is weaker",
        };
        let mut line = format!("{bot} {is} than {best}{against}");
        if let Some(los) = self.los
            && !matches!(verdict, Verdict::Stronger | Verdict::Weaker)
        {
            let _ = write!(line, " (likelihood {})", likelihood(los));
        }
        if let Some(by) = self.duel {
            let elo = estimate([by.elo, by.lo95, by.hi95]);
            let _ = write!(line, ": {elo} (95% at every look)");
        }
        let _ = write!(line, ", {}", count(self.duel_games, "game", "games"));
        for note in &duel.notes {
            let _ = write!(line, "; {note}");
        }
        line
    }

    fn rank_in_words(&self, found: &Found, opponents: &[&str], known: &Known) -> Option<String> {
        let rating = found.rating(&self.bot)?;
        let [rank, best, worst] = self.ranks?;
        let others = opponents.iter().filter(|other| **other != self.bot).count();
        let mut line = format!("{} is {} of {}", self.bot, ordinal(rank), others + 1);
        if best < worst {
            let _ = write!(line, " ({} to {})", ordinal(best), ordinal(worst));
        }
        if let (Some(elo), Some(lo), Some(hi)) = (rating.elo, rating.lo95, rating.hi95) {
            let _ = write!(line, ": {} from gauntlets", estimate([elo, lo, hi]));
        }
        let mut scores: Vec<(f64, &str)> = Vec::new();
        for other in opponents {
            scores.extend(found.score(&self.bot, other).map(|score| (score, *other)));
        }
        scores.sort_by(|one, other| one.0.total_cmp(&other.0));
        let more = scores.len().saturating_sub(NAMED);
        let mut before = "; ";
        for (score, other) in scores.iter().take(NAMED) {
            let _ = write!(line, "{before}{} against {other}", percent(*score));
            before = ", ";
        }
        if more > 0 {
            let _ = write!(line, ", higher scores against {more} others");
        }
        if known.contradict {
            line += "; its duel and the gauntlets contradict each other: it may be strong against one bot and no other";
        }
        Some(line)
    }

    fn luck_in_words(&self) -> Option<String> {
        let [stronger, likely] = self.by_luck;
        let mut line = format!(
            "{} tries: if none of them were better, luck would make on average at most {stronger:.1} stronger",
            self.tries
        );
        if let Sure::Percent(_) = self.sure {
            let _ = write!(line, ", and {likely:.1} likely stronger or stronger");
        }
        (self.tries > 1).then_some(line)
    }

    /// Adds what to do next to the sentences.
    pub(crate) fn advise(&mut self, place: &Path) {
        let (bot, option) = (word(&self.bot), option(place));
        let next = match self.verdict {
            None => Some(format!(
                "try the next version: arena pool try v2=bot.py{option}"
            )),
            Some(_) if self.is_promoted => Some(format!("{} is the best now", self.bot)),
            Some(Verdict::Stronger | Verdict::LikelyStronger) if !self.is_best => {
                Some(format!("make it the best: arena pool best {bot}{option}"))
            }
            Some(Verdict::Open) => Some(format!("play more: arena pool try {bot}{option}")),
            Some(_) => None,
        };
        self.lines.extend(next);
        self.lines.push(opening(&place.join(PAGE)));
    }
}
