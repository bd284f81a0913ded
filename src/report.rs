//! Reports of a run. While it is played, a run emits events and reporters show them. Reports are
//! pure functions of a [`RunReport`], see [`export`].

use std::collections::BTreeSet;
use std::time::Duration;

use crate::plan::{Plan, PlannedGame};
use crate::standings::faults::{self, FaultDetails};
use crate::standings::metrics::MetricTally;
use crate::standings::{self, Extras, Summary};
use crate::study::{Content, Finding, Live};
use arena_section::words::{count, duration};
use arena_section::{Detail, Section};
use replays::Embedded;

pub(crate) mod export;
pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod outcome;
pub(crate) mod replays;
pub(crate) mod terminal;
#[cfg(test)]
pub(crate) mod tests;

/// The version. In a release also the commit, from `.ci/release`.
pub(crate) const VERSION: &str = match option_env!("ARENA_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Something that happened in a run.
#[derive(Debug)]
pub(crate) enum Event {
    /// Bots or referees are being made ready. A line that isn't due appears only in a terminal
    /// window, where it replaces the last one.
    Preparing { what: String, is_due: bool },
    /// Play begins.
    Started {
        /// What is played, and how, a line each.
        introduction: Vec<String>,
        /// Oddities that don't prevent the run.
        warnings: Vec<String>,
        /// Whether the run may end before all planned games are played.
        may_end_early: bool,
    },
    /// A game ended and was stored.
    Played(Progress),
    /// A bot failed in the game that is reported next.
    Fault(FaultDetails),
    /// A game could not be played. No bot was at fault.
    Aborted { number: u64, why: String },
    /// No more games begin, but some are still being played. `longest` is how long the oldest has
    /// run.
    Waiting { games: usize, longest: Duration },
}

/// The progress of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Games with a result, including those of earlier sessions.
    pub(crate) played: u64,
    /// The games of the run; the most games of a test or a race.
    pub(crate) planned: u64,
    /// Games per second in this session.
    pub(crate) per_second: f64,
    /// The state of the run; only when a reporter asks for it.
    pub(crate) live: Option<Live>,
}

/// Everything that the reports of a run show.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    pub(crate) summary: Summary,
    /// Whether another process still plays the run.
    pub(crate) is_played: bool,
    pub(crate) finding: Finding,
    /// The files that only this kind of run has.
    pub(crate) files: Vec<(&'static str, Content)>,
    pub(crate) plan: Plan,
    /// The faults to show in full, in the order of the games.
    pub(crate) faults: Vec<FaultDetails>,
    pub(crate) metrics: MetricTally,
    pub(crate) replays: Embedded,
}

impl RunReport {
    /// The findings, and the standings of each game that was played.
    fn sections(&self) -> Vec<Section> {
        let mut sections = self.finding.sections.clone();
        let beside = Extras {
            unrated: self.finding.unrated,
            ..Extras::default()
        };
        for game in self.summary.games.iter().filter(|game| game.games > 0) {
            sections.push(standings::section(game, beside));
        }
        // An earlier section may have said what an abbreviation means.
        let mut said = BTreeSet::new();
        for part in sections.iter_mut().flat_map(|section| &mut section.parts) {
            if part.detail == Detail::Everywhere {
                part.notes.retain(|note| said.insert(note.clone()));
            }
        }
        sections
    }

    /// The faults of bots, if there are any.
    fn faults(&self) -> Option<Section> {
        let mut of_opponents = 0;
        for game in &self.summary.games {
            for bot in &game.bots {
                if !self.is_about(&game.game, &bot.name) {
                    of_opponents += bot.faults();
                }
            }
        }
        faults::section(&self.summary, &self.faults, of_opponents)
    }

    /// The plan of a game.
    fn planned(&self, game: &str) -> Option<&PlannedGame> {
        self.plan.games.iter().find(|planned| planned.id == game)
    }

    /// Whether the run is about this bot of a game. Faults of other bots aren't failures.
    fn is_about(&self, game: &str, bot: &str) -> bool {
        self.planned(game)
            .is_none_or(|planned| self.plan.study.is_about(planned, bot))
    }

    /// The games, the bots and the time of a run; phrases for a line.
    fn extent(&self) -> Vec<String> {
        let summary = &self.summary;
        let run = &summary.run;
        let played = if run.finished || summary.games_played == run.games_planned {
            count(summary.games_played, "game", "games")
        } else {
            format!("{} of {} games", summary.games_played, run.games_planned)
        };
        let mut parts = vec![played, count(self.plan.bots.len() as u64, "bot", "bots")];
        if let Some(rate) = run.games_per_second {
            parts.push(match run.seconds {
                Some(seconds) => format!("{} at {rate:.1} games/s", duration(seconds)),
                None => format!("{rate:.1} games/s"),
            });
        }
        parts
    }

    /// Reasons to doubt all numbers of the run; sentences without a full stop.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::from_iter(self.aborted());
        warnings.extend(self.routine());
        warnings
    }

    /// The games that have no result.
    fn aborted(&self) -> Option<String> {
        let aborted = self.summary.run.games_aborted;
        let verb = match aborted {
            0 => return None,
            1 => "has",
            _ => "have",
        };
        let games = count(aborted, "game", "games");
        Some(format!(
            "{games} could not be played and {verb} no result; --resume tries again"
        ))
    }

    /// What happens in sound runs, too: games that were replayed or don't count.
    fn routine(&self) -> Vec<String> {
        let run = &self.summary.run;
        let mut warnings = Vec::new();
        if run.games_voided > 0 {
            let times = count(run.games_voided, "time", "times");
            warnings.push(match &run.first_replay {
                None => format!(
                    "{times} a game was replayed because the host was overloaded; no game is replayed more than twice for that, and a timeout in its second replay counts"
                ),
                Some(why) => format!("{times} a game was replayed, through no fault of a bot: {why}"),
            });
        }
        if run.games_unused > 0 {
            let games = count(run.games_unused, "more game was", "more games were");
            let why = &self.finding.unused;
            let verb = if run.games_unused == 1 { "does" } else { "do" };
            warnings.push(format!("{games} {why}, and {verb} not count"));
        }
        warnings
    }
}

/// Shows a run while it is played.
pub(crate) trait Reporter {
    /// Whether the next game should come with [`Progress::live`], which takes a while to compute.
    fn wants_live(&self, _progress: &Progress) -> bool {
        false
    }

    /// Called for every event, in order, on the thread that writes the files.
    fn event(&mut self, event: &Event);
}
