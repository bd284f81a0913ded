//! What is said of a run when play begins.

use std::num::NonZero;
use std::thread;

use super::Session;
use super::reading::Reading;
use crate::plan::PlannedGame;
use crate::report::Event;
use crate::store::PlanFile;
use arena_section::words::{count, few};

/// Returns the introduction to a session: what is played, and how, a line each. `reading` has the
/// stored games.
pub(super) fn introduce(
    file: &PlanFile,
    session: &Session,
    reading: &Reading<'_>,
    sandbox: &str,
    warnings: &[String],
) -> Event {
    let (plan, introduction) = (&file.plan, reading.study.introduction());
    let may_end_early = introduction.may_end_early;
    let most = if may_end_early { "at most " } else { "" };
    let before = match reading.count {
        0 => String::new(),
        played => format!(", {played} of them played before"),
    };
    let players = match &session.workers {
        Some(url) => format!("played by the workers at {url}"),
        None => format!("{} at a time", session.jobs),
    };
    let mut lines = vec![format!(
        "{}: {most}{} of {} bots{before}, {players}, into {}",
        plan.name,
        count(file.games, "game", "games"),
        plan.bots.len(),
        session.out.display()
    )];
    lines.extend(introduction.question);
    // A match that its results end may grow by its precision.
    if let Some(games) = file.grown_from.last()
        && *games < file.games
    {
        let extension = introduction.extension;
        lines.push(format!("extended from {games} games: {extension}"));
    }
    if !session.seed_is_given && reading.count == 0 {
        lines.push(format!("seed: {}, drawn for this run", plan.seed));
    }
    if !sandbox.is_empty() {
        lines.push(format!("sandbox: {sandbox}"));
    }
    Event::Started {
        may_end_early,
        introduction: lines,
        warnings: all_warnings(file, session, warnings),
    }
}

/// Adds to the warnings `so_far`: bots that are the same program, games of workers that this
/// machine can't play again, and too few cores.
fn all_warnings(file: &PlanFile, session: &Session, so_far: &[String]) -> Vec<String> {
    let mut warnings = [&session.warnings, so_far].concat();
    for bots in file.alike() {
        let bots: Vec<String> = bots.iter().map(|bot| format!("`{bot}`")).collect();
        let bots = few(&bots);
        warnings.push(format!(
            "{bots} are the same program with the same arguments: was the new one built?"
        ));
    }
    if session.workers.is_some() {
        for PlannedGame { id, referee, .. } in &file.plan.games {
            if referee.is_some() {
                warnings.push(format!(
                    "results of {id} are those that workers tell: its referee is a program of its \
                     own, so games are not played again here; `arena verify` does that afterwards"
                ));
            }
        }
        return warnings;
    }
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = session.jobs;
    if jobs > cores {
        warnings.push(format!(
            "{jobs} games at a time on {cores} cores: bots will miss time limits while they wait for a core"
        ));
    }
    warnings
}
