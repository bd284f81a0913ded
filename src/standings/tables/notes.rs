//! Notes below the standings of a game, which limit its numbers.

use super::are_one;
use super::ratings::{OF_TEST, faults};
use crate::results::{Misfit, Pair};
use crate::standings::{BotSummary, Game};
use arena_section::words::{count, exact_percent, list, percent};
use arena_stats::estimate::Holds;
use arena_stats::ratings::FEW_UNITS;

/// Explains "95% at every look".
const WATCHED: &str = "95% at every look: this interval is wider than one for a single look, but it holds however often you look and \
                       whenever you stop";
/// Why a run has such an interval.
const UNFINISHED: &str = "; used because the run was stopped or extended, or ended by its results";

/// Explains the column of likelihoods.
const LOS: &str = "LOS: the likelihood that the bot is stronger than the next one";

/// Explains the likelihood of a match.
const LOS_OF_TWO: &str = "LOS: the likelihood that the bot is the stronger one";

/// The most pairings to name that ratings don't fit.
const MOST_MISFITS: usize = 3;

/// Explains results if more than two bots meet in a game.
const EVERY_SEAT: &str =
    "won, drawn, lost, score: every seat is compared with those of all other bots";

/// Explains results of bots that play alone.
const ALONE: &str = "won, drawn, lost, score: bots are compared on each seed; a bot that failed is below the others";

/// Explains results that aren't those of games of two seats.
pub(crate) fn how_compared(game: &Game) -> Option<String> {
    match game.design.seats {
        1 => Some(ALONE.to_owned()),
        3.. => Some(EVERY_SEAT.to_owned()),
        _ => None,
    }
}

pub(crate) fn notes(game: &Game) -> Vec<String> {
    let mut notes = Vec::from_iter(how_compared(game));
    notes.extend(reservations(game));
    let design = game.design;
    if let ([pairing], 2, 2) = (&game.pairings[..], design.seats, design.games_per_unit) {
        notes.extend(pairs(pairing));
    }
    notes.extend(late(game));
    if game.pair().is_none() && game.bots.iter().any(|bot| bot.elo.is_some()) {
        notes.push("0 Elo is the mean of these bots".to_owned());
    }
    notes.extend(looks(game, UNFINISHED));
    notes.extend(rating_notes(game, game.pair().is_some(), true));
    notes
}

/// Reasons to doubt the numbers of a game, the weightiest first.
pub(crate) fn reservations(game: &Game) -> Vec<String> {
    let mut notes = Vec::from_iter(failing(game));
    notes.extend(same_program_notes(game));
    notes.extend(repeats(game, ", so intervals are those of the other units"));
    if game.incomplete_units > 0 {
        let count = game.incomplete_units;
        notes.push(format!(
            "incomplete units: {count}; their games count in won, drawn and lost, but not in Elo"
        ));
    }
    notes
}

/// Notes on games whose bots aren't rated.
pub(crate) fn notes_on_games(game: &Game) -> Vec<String> {
    let mut notes = Vec::from_iter(failing(game));
    notes.extend(repeats(game, ""));
    notes.extend(late(game));
    notes
}

/// Explains intervals and likelihoods. `why` ends the explanation of an interval that holds at
/// every look.
pub(crate) fn looks(game: &Game, why: &str) -> Vec<String> {
    let mut notes = Vec::new();
    match game.holds {
        Holds::Once => {}
        Holds::EveryLook => notes.push(format!("{WATCHED}{why}")),
        Holds::Test => notes.extend(game.pair().map(|pair| {
            let confidence = exact_percent(pair.met.by.confidence);
            format!("{OF_TEST}: it has the error rates of the test, so that it holds the truth {confidence} of the time")
        })),
    }
    if game.bots.iter().any(|bot| bot.los_next.is_some()) {
        let of_two = game.pair().is_some();
        notes.push(if of_two { LOS_OF_TWO } else { LOS }.to_owned());
    }
    notes
}

/// The bots that are the same program.
pub(crate) fn same_program_notes(game: &Game) -> Vec<String> {
    let warning = |bots: &Vec<String>| format!("warning: {}", are_one(bots));
    game.same_program.iter().map(warning).collect()
}

/// The bots that failed in more than half of their seats: standings with them mean little.
fn failing(game: &Game) -> Option<String> {
    let seats_per_game = match game.design.name() {
        "mirror" => game.design.seats as u64 / 2,
        _ => 1,
    };
    let mut bots = Vec::from_iter(&game.bots);
    bots.retain(|bot| 2 * bot.faults() > seats_per_game * bot.games);
    let failing = list(bots.into_iter().map(|bot| {
        let faults = faults(bot).unwrap_or_default();
        format!("{} ({faults} in {} games)", bot.name, bot.games)
    }))?;
    Some(format!(
        "warning: results against bots that fail in most games tell little of strength: {failing}"
    ))
}

/// The repeated games, and what follows from them.
fn repeats(game: &Game, therefore: &str) -> Option<String> {
    let count = game.repeated_games;
    let repeated = game.units.saturating_sub(game.distinct_units);
    // A bot plays alone on the same seed again to be compared with other bots.
    if count == 0 || repeated == 0 && game.design.seats == 1 {
        return None;
    }
    let (units, therefore) = match repeated {
        0 => (String::new(), ""),
        _ => (format!(" ({repeated} of {} units)", game.units), therefore),
    };
    Some(format!(
        "repeated games: {count}{units}, the same bots playing the same moves; they say nothing new{therefore}: raise \
         opening_plies, or give the bots {{seed}}"
    ))
}

/// The results of pairs of games, and what playing in pairs was worth.
fn pairs(pairing: &Pair) -> Option<String> {
    let (split, drawn) = (pairing.pairs_split?, pairing.pairs_drawn?);
    let [lost, _, won] = pairing.scores.around_half();
    let first = &pairing.first;
    Some(format!(
        "pairs for {first}: {won} won, {lost} lost, {split} with a win each, {drawn} drawn twice"
    ))
}

/// The bots whose late answers counted.
fn late(game: &Game) -> Option<String> {
    let late = game.bots.iter().filter(|bot| bot.host_late > 0);
    let late = list(late.map(|bot| format!("{} ({})", bot.name, bot.host_late)))?;
    Some(format!(
        "answers after the limit that counted, because the host was overloaded: {late}"
    ))
}

/// Names the bots whose results against each other one rating per bot doesn't fit.
fn misfits(game: &Game) -> Option<String> {
    let mut pairings = Vec::new();
    for misfit in game.misfits.iter().take(MOST_MISFITS) {
        let Misfit { first, second, .. } = misfit;
        let [score, expected] = [misfit.score, misfit.expected].map(percent);
        let apart = match misfit.elo_apart {
            f64::INFINITY => String::new(),
            elo => format!(" ({elo:.0} Elo apart)"),
        };
        pairings.push(format!(
            "{first} took {score} from {second}, the ratings say {expected}{apart}"
        ));
    }
    if game.misfits.len() > MOST_MISFITS {
        let more = (game.misfits.len() - MOST_MISFITS) as u64;
        pairings.push(format!(
            "and {}",
            count(more, "other pairing", "other pairings")
        ));
    }
    let pairings = pairings.join("; ");
    (!pairings.is_empty()).then(|| format!("one rating per bot doesn't fit: {pairings}"))
}

/// Whether these neighbours in the table have a likelihood, and ratings that don't fit.
fn is_los_of_misfit(game: &Game, two: &[BotSummary]) -> bool {
    two[0].los_next.is_some()
        && game.misfits.iter().any(|misfit| {
            let names = [&misfit.first, &misfit.second];
            two.iter().all(|bot| names.contains(&&bot.name))
        })
}

/// Limits of ratings, or of the difference that a table of two bots shows instead. Pairings share
/// seeds by the plan of their run, or because several runs have the same ones.
pub(crate) fn rating_notes(game: &Game, shows_difference: bool, is_by_plan: bool) -> Vec<String> {
    let Game { groups, bots, .. } = game;
    let mut notes = Vec::from_iter(misfits(game));
    if is_by_plan && let Some(seeds) = game.shared_seeds {
        let seeds = count(seeds, "seed", "seeds");
        notes.push(format!(
            "pairings share {seeds}, and the luck of each: intervals of ratings count seeds, not units"
        ));
    }
    let units = game.shared_seeds.map_or("units", |_| "seeds");
    if bots.windows(2).any(|two| is_los_of_misfit(game, two)) {
        notes.push(
            "LOS of neighbours in the table that don't fit comes from their own games".to_owned(),
        );
    }
    let is_fitted = |bot: &BotSummary| bot.elo.is_some() && bot.error95 != Some(0.0);
    if groups.len() > 1 && !shows_difference && bots.iter().any(is_fitted) {
        let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
        notes.push(format!(
            "not connected by both wins and losses: {}; ratings between these groups, and intervals in ( ), rest on \
             virtual draws and mean little",
            groups.join(" | ")
        ));
    }
    let by = game.pair().map(|pair| pair.met.by);
    let end = by.map(|by| by.lo95.max(-by.hi95));
    if shows_difference && end > Some(0.0) && bots.iter().any(|bot| bot.mark.is_some()) {
        notes.push("> everything was won: the lower end of the interval".to_owned());
    }
    if bots.iter().any(|bot| bot.provisional && bot.lo95.is_some()) {
        notes.push(format!(
            "intervals with a ? are rough: fewer than {FEW_UNITS} {units}"
        ));
    }
    let lacks_ends =
        |bot: &BotSummary| bot.mark.is_none() && bot.lo95.is_none() && bot.hi95.is_none();
    if !shows_difference && bots.iter().any(lacks_ends) {
        notes.push(format!(
            "- not enough games for an interval: more {units} than bots are needed"
        ));
    }
    notes
}
