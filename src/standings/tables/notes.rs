//! Notes below the standings of a game, which limit its numbers.

use std::fmt::Write as _;

use super::ratings::faults;
use crate::standings::{BotSummary, Game, PairingSummary};
use arena_stats::ratings::FEW_UNITS;

/// Explains "95% at every look".
pub(crate) const WATCHED: &str = "95% at every look: not played to an end that was announced before the first game, so the interval is the \
                       anytime-valid one, which holds however often one looks and whenever one stops";

/// Explains the column of likelihoods.
pub(crate) const LOS: &str = "LOS: the likelihood that the bot is stronger than the next one";

/// Explains results if more than two bots meet in a game.
pub(crate) const EVERY_SEAT: &str =
    "won, drawn, lost, score: every seat is compared with those of all other bots";

pub(crate) fn notes(game: &Game) -> Vec<String> {
    let mut notes = Vec::new();
    if game.design.seats > 2 {
        notes.push(EVERY_SEAT.to_owned());
    }
    if game.incomplete_units > 0 {
        let count = game.incomplete_units;
        notes.push(format!(
            "incomplete units: {count}; their games count in won, drawn and lost, but not in Elo"
        ));
    }
    notes.extend(failing(game));
    notes.extend(repeats(game));
    if let ([pairing], 2) = (&game.pairings[..], game.design.seats) {
        notes.extend(pairs(pairing));
    }
    notes.extend(late(game));
    let watched = watched(game);
    if watched.is_none() && game.bots.iter().any(|bot| bot.los_next.is_some()) {
        notes.push(LOS.to_owned());
    }
    notes.extend(watched);
    notes.extend(rating_notes(&game.groups, &game.bots));
    notes
}

/// Explains the interval of two bots if the run may be stopped early.
fn watched(game: &Game) -> Option<String> {
    if !game.is_watched {
        return None;
    }
    let met = game.pairings.first()?.elo?;
    let times = (met.hi95_anytime - met.lo95_anytime) / (met.hi95 - met.lo95);
    let mut note = WATCHED.to_owned();
    if times.is_finite() {
        let _ = write!(note, "; here {times:.1} times as wide as for a single look");
    }
    Some(note)
}

/// The bots that failed in more than half of their seats: standings with them mean little.
fn failing(game: &Game) -> Option<String> {
    let seats_per_game = match game.design.name() {
        "mirror" => game.design.seats as u64 / 2,
        _ => 1,
    };
    let mut failing = Vec::new();
    for bot in &game.bots {
        if 2 * bot.faults.values().sum::<u64>() > seats_per_game * bot.games {
            let (name, games) = (&bot.name, bot.games);
            failing.push(format!("{name}: {} in {games} games", faults(bot)?));
        }
    }
    (!failing.is_empty()).then(|| {
        format!(
            "warning: results against bots that fail in most games tell little of strength ({})",
            failing.join("; ")
        )
    })
}

fn repeats(game: &Game) -> Option<String> {
    let count = game.repeated_games;
    if count == 0 {
        return None;
    }
    let repeated = game.units - game.distinct_units;
    let units = match repeated {
        0 => String::new(),
        repeated => format!(" ({repeated} of {} units)", game.units),
    };
    Some(format!(
        "repeated games: {count}{units}, the same bots playing the same moves; they say nothing new, and the intervals \
         are too narrow: set opening_plies, or give the bots {{seed}}"
    ))
}

/// The results of pairs of games, and what playing in pairs was worth.
fn pairs(pairing: &PairingSummary) -> Option<String> {
    let (split, drawn) = pairing.pairs_split.zip(pairing.pairs_drawn)?;
    let (mut won, mut lost) = (0, 0);
    for (&score, count) in pairing.unit_scores.iter().zip(&pairing.unit_counts) {
        if score > 0.5 {
            won += count;
        } else if score < 0.5 {
            lost += count;
        }
    }
    let first = &pairing.first;
    let mut note = format!(
        "pairs for {first}: {won} won, {lost} lost, {split} with a win each, {drawn} drawn twice"
    );
    if let Some(gain) = pairing.pairing_gain {
        let _ = write!(note, "; a game in a pair is worth {gain:.2} single games");
    }
    Some(note)
}

/// The bots whose late answers counted.
fn late(game: &Game) -> Option<String> {
    let mut late = Vec::new();
    for bot in &game.bots {
        if bot.host_late > 0 {
            late.push(format!("{} {}", bot.name, bot.host_late));
        }
    }
    (!late.is_empty()).then(|| {
        format!(
            "answers after the limit that counted, because the host was overloaded: {}",
            late.join(", ")
        )
    })
}

/// Limits of ratings; `groups` are the bots that results link.
pub(crate) fn rating_notes(groups: &[Vec<String>], bots: &[BotSummary]) -> Vec<String> {
    let mut notes = Vec::new();
    if groups.len() > 1 {
        let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
        notes.push(format!(
            "not connected by both wins and losses: {}; ratings between these groups, and intervals in ( ), rest on \
             virtual draws and mean little",
            groups.join(" | ")
        ));
    }
    if bots.iter().any(|bot| bot.mark.is_some()) {
        notes.push("> won everything, < lost everything: bounded on one side only".to_owned());
    }
    if bots.iter().any(|bot| bot.provisional && bot.lo95.is_some()) {
        notes.push(format!(
            "? fewer than {FEW_UNITS} units: the interval is rough"
        ));
    }
    if bots
        .iter()
        .any(|bot| bot.mark.is_none() && bot.lo95.is_none())
    {
        notes
            .push("- not enough games for an interval: more units than bots are needed".to_owned());
    }
    notes
}
