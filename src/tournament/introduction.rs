//! What is said of a run when play begins.

use std::num::NonZero;
use std::thread;

use super::Session;
use super::reading::Reading;
use crate::plan::Plan;
use crate::report::Event;
use crate::store::PlanFile;
use arena_section::words::{count, few};

/// Returns the introduction to a session. `reading` has the stored games.
pub(super) fn introduce(
    file: &PlanFile,
    session: &Session,
    reading: &Reading<'_>,
    sandbox: &str,
    warnings: &[String],
) -> Event {
    Event::Started {
        may_end_early: reading.study.introduction().may_end_early,
        introduction: introduction(file, session, reading, sandbox),
        warnings: [
            &session.warnings,
            warnings,
            &alike(file),
            &taken_on_trust(&file.plan, session),
            &Vec::from_iter(of_session(session)),
        ]
        .concat(),
    }
}

/// What is played, and how, a line each.
fn introduction(
    file: &PlanFile,
    session: &Session,
    reading: &Reading<'_>,
    sandbox: &str,
) -> Vec<String> {
    let (plan, introduction) = (&file.plan, reading.study.introduction());
    let most = if introduction.may_end_early {
        "at most "
    } else {
        ""
    };
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
    if let Some(games) = file.grown_from.last().filter(|games| **games < file.games) {
        let extension = introduction.extension;
        lines.push(format!("extended from {games} games: {extension}"));
    }
    if !session.seed_is_given && reading.count == 0 {
        lines.push(format!("seed: {}, drawn for this run", plan.seed));
    }
    if !sandbox.is_empty() {
        lines.push(format!("sandbox: {sandbox}"));
    }
    lines
}

/// Returns a warning about the cores of this machine.
fn of_session(session: &Session) -> Option<String> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = session.jobs;
    (jobs > cores && session.workers.is_none()).then(|| {
        format!(
            "{jobs} games at a time on {cores} cores: bots will miss time limits while they wait for a core"
        )
    })
}

/// Warns of bots that are the same program.
fn alike(file: &PlanFile) -> Vec<String> {
    let mut warnings = Vec::new();
    for bots in file.alike() {
        let bots: Vec<String> = bots.iter().map(|bot| format!("`{bot}`")).collect();
        warnings.push(format!(
            "{} are the same program with the same arguments: was the new one built?",
            few(&bots)
        ));
    }
    warnings
}

/// Returns warnings about games of workers that this machine can't play again.
fn taken_on_trust(plan: &Plan, session: &Session) -> Vec<String> {
    let games = plan.games.iter();
    let trusted = games.filter(|game| game.referee.is_some() && session.workers.is_some());
    let lines = trusted.map(|game| {
        format!(
            "results of {} are those that workers tell: its referee is a program of its own, \
             so games are not played again here; `arena verify` does that afterwards",
            game.id
        )
    });
    lines.collect()
}
