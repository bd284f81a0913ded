//! One game of a run as tables, with what limits their numbers and who is first.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::{BotSummary, Game};
use crate::results::Pair;
use arena_section::table::{Cell, Kind, Rows, Table};
use arena_section::words::{
    count, estimate, exact_percent, few, likelihood, list, ordinal, percent,
};
use arena_section::{Sentence, Tone};
use arena_stats::estimate::{Claim, Estimate, Holds};
use arena_stats::ratings::Mark;

mod drawn;
mod notes;
mod ratings;
mod results;

pub(crate) use drawn::drawn;
pub(crate) use notes::{how_compared, looks, rating_notes, same_program_notes};
pub(crate) use notes::{notes, notes_on_games, reservations};
pub(crate) use ratings::{
    ANYTIME, DIFFERENCE, INTERVAL, MEAN_SCORE, OF_TEST, OVER_BEST, Style, faults, seating, table,
};
use ratings::{CHALLENGE, DRAWN, RUN, rating, rating_interval, title};
use results::between;
pub(crate) use results::met;
pub(crate) use results::{all_times, boards, crosstable, pairings, reasons, seats, times};

/// The columns of standings.
pub(crate) const COLUMNS: [&str; 20] = [
    "#", "bot", "Elo", DRAWN, DIFFERENCE, INTERVAL, ANYTIME, OF_TEST, CHALLENGE, "LOS", "games",
    "place", "first", "score", MEAN_SCORE, OVER_BEST, "won", "drawn", "lost", "faults",
];
/// The columns of standings in a terminal while games are played.
const LIVE_COLUMNS: [&str; 8] = [
    "#", "bot", "Elo", INTERVAL, ANYTIME, CHALLENGE, "games", "score",
];
/// The most bots to name that the challenger of a gauntlet beats, and that beat it.
const NAMED: usize = 4;

/// The standings of a game, the best bot first.
pub(crate) fn standings(game: &Game) -> Table {
    table(game, RUN)
}

/// Standings of more than two bots, for a window that shows them while games are played.
pub(crate) fn live_table(game: &Game) -> Table {
    let mut table = standings(game).pick(&LIVE_COLUMNS);
    // Just a number, so that every bot takes one line: the terminal shows above how bots fail.
    let faults = Rows::new("", &game.bots).shown(Kind::Number, "faults", |bot| {
        Cell::toned(Tone::Bad, Some(bot.faults()).filter(|&count| count > 0))
    });
    table.columns.extend(faults.table().columns);
    table
}

/// The rating of a bot in a run with its interval, such as `+12.3 [+4.5, +20.1] Elo`. An interval
/// that isn't for a single look is named.
pub(crate) fn strength(bot: &BotSummary, game: &Game) -> String {
    let elo = rating(bot, RUN);
    let interval = rating_interval(bot, &game.groups, RUN);
    match (bot.elo, bot.lo95, game.holds) {
        (None, ..) => elo,
        (_, None, _) => format!("{elo} Elo"),
        (.., Holds::Once) => format!("{elo} {interval} Elo"),
        (.., holds) => format!("{elo} {interval} Elo ({})", title(holds)),
    }
}

/// The answer of a game without a test: how much stronger the first of two bots is, what the
/// challenger of a gauntlet came to, or which bot is first. `None` if nothing was played.
pub(crate) fn headline(game: &Game) -> Option<Sentence> {
    let mut headline = plain_headline(game)?;
    headline.rest += &same_program(game, &headline.subject);
    Some(headline)
}

/// Names the bots that are the same program as this one, to follow a sentence about it.
pub(crate) fn same_program(game: &Game, bot: &String) -> String {
    match game.same_program.iter().find(|group| group.contains(bot)) {
        Some(group) => format!("; {}", are_one(group)),
        None => String::new(),
    }
}

fn are_one(bots: &[String]) -> String {
    let bots = few(bots);
    format!("{bots} are the same program, so any difference between them is luck")
}

fn plain_headline(game: &Game) -> Option<Sentence> {
    if game.games == 0 {
        return None;
    }
    if let Some(pair) = game.pair() {
        return Some(headline_of_two(game, pair));
    }
    // The others are in no complete unit.
    let mut rated = Vec::from_iter(&game.bots);
    rated.retain(|bot| bot.units > 0);
    let (Some(best), Some(last)) = (rated.first(), rated.last()) else {
        let rest = " is known until a unit is complete";
        return Some(Sentence::new(Tone::Open, "nothing", rest));
    };
    if rated.len() > 1 && best.rank == last.rank {
        let all = format!("all {} bots", rated.len());
        return Some(Sentence::new(Tone::Open, all, " are level"));
    }
    if let Some(at) = game.challenger
        && game.bots[at].units > 0
    {
        return Some(headline_of_gauntlet(game, &game.bots[at], &rated));
    }
    let level = level_with(best, &rated);
    let mut rest = match best.mark {
        Some(Mark::Perfect) => " has won everything".to_owned(),
        _ => format!(" is first{level}: {}", strength(best, game)),
    };
    if level.is_empty()
        && let Some(los) = best.los_next.map(likelihood)
    {
        let _ = write!(rest, "; {los} likely to be stronger than the second");
    }
    Some(Sentence::new(Tone::Strong, &best.name, rest))
}

/// The bots that share the place of this one, to follow it.
fn level_with(bot: &BotSummary, rated: &[&BotSummary]) -> String {
    let mut others = rated.to_vec();
    others.retain(|other| other.rank == bot.rank && other.name != bot.name);
    let others: Vec<&str> = others.iter().map(|other| &*other.name).collect();
    match others.len() {
        0 => String::new(),
        1..=NAMED => format!(", level with {}", others.join(", ")),
        all => format!(", level with {all} others"),
    }
}

/// The place of the challenger, and its scores: first against those that it beats, then against
/// those that beat it, and of each the nearest ones first.
fn headline_of_gauntlet(game: &Game, challenger: &BotSummary, rated: &[&BotSummary]) -> Sentence {
    let (mut beaten, mut lost) = (Vec::new(), Vec::new());
    for other in &game.bots {
        if let Some((_, score, _)) = between(game, &challenger.name, &other.name) {
            let side = if score >= 0.5 { &mut beaten } else { &mut lost };
            side.push((score, other.name.as_str()));
        }
    }
    beaten.sort_by(|one, other| one.0.total_cmp(&other.0));
    lost.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (place, all) = (ordinal(challenger.rank), rated.len());
    let mut rest = format!(" is {place} of {all}{}", level_with(challenger, rated));
    let beaten = scores_against(&beaten, ["more", "no less"]);
    let lost = scores_against(&lost, ["less", "no more"]);
    let scores = beaten
        .into_iter()
        .chain(lost)
        .collect::<Vec<_>>()
        .join("; ");
    if !scores.is_empty() {
        let _ = write!(rest, ": {scores}");
    }
    Sentence::new(Tone::Strong, &challenger.name, rest)
}

/// Scores against bots, with the names of the first ones. Against the others they are `further`
/// from one half, or as far as the last one that is named.
fn scores_against(bots: &[(f64, &str)], [further, as_far]: [&str; 2]) -> Option<String> {
    let named = bots.iter().take(NAMED);
    let named = named.map(|(score, name)| format!("{} against {name}", percent(*score)));
    let others = bots.get(NAMED).map(|next| {
        let is_as_far = percent(next.0) == percent(bots[NAMED - 1].0);
        let further = if is_as_far { as_far } else { further };
        let others = count((bots.len() - NAMED) as u64, "other", "others");
        format!("{further} against {others}")
    });
    list(named.chain(others))
}

fn headline_of_two(game: &Game, pair: &Pair) -> Sentence {
    let (first, second, by) = (&pair.first, &pair.second, &pair.met.by);
    if game.same_moves {
        let rest = format!(" against {second}: {}", same_moves(game.units));
        return Sentence::new(Tone::Open, first, rest);
    }
    let unclear = "is neither clearly stronger nor weaker, inconclusive";
    let (tone, claim) = match by.claim() {
        Claim::Compared(Ordering::Greater) => (Tone::Good, "is stronger"),
        Claim::Compared(Ordering::Less) => (Tone::Bad, "is weaker"),
        Claim::Compared(Ordering::Equal) => (Tone::Open, unclear),
        Claim::NoVerdict => (Tone::Open, NO_VERDICT),
    };
    let games = count(game.games, "game", "games");
    let mut rest = format!(" {claim}: {} against {second}, {games}", in_force(by));
    if by.claim() == Claim::NoVerdict {
        let _ = write!(rest, "; {}", too_few(game.distinct_units));
    } else if let Some(los) = by.los {
        let _ = write!(rest, ", {} likely to be stronger", likelihood(los));
    }
    Sentence::new(tone, first, rest)
}

/// The claim of a match with too few units.
pub(crate) const NO_VERDICT: &str = "has no verdict";

/// Why there is no verdict.
pub(crate) fn too_few(distinct_units: u64) -> String {
    let units = count(distinct_units, "different unit", "different units");
    format!("only {units}: a verdict takes 6 of 6, or 8 of 9")
}

/// What is known of bots that play alike.
pub(crate) fn same_moves(units: u64) -> String {
    let units = count(units, "unit", "units");
    format!(
        "both bots played the same moves in all {units}: the change has no effect in these games"
    )
}

/// How far the first of two bots is ahead, with the interval in force. One that isn't for a single
/// look is named.
pub(crate) fn in_force(met: &Estimate) -> String {
    let estimate = estimate([met.elo, met.lo95, met.hi95]);
    match met.holds {
        Holds::Once => estimate,
        Holds::EveryLook => format!("{estimate} ({ANYTIME})"),
        Holds::Test => format!("{estimate} ({} {OF_TEST})", exact_percent(met.confidence)),
    }
}
