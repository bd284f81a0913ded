//! Tables for the terminal.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::words::percent;
use crate::summary::{BotSummary, GameSummary, PairingSummary, TimeSummary};
use arena_stats::ratings::{FEW_UNITS, Mark};

/// Games of two seats have a table of all pairs up to so many bots: more do not fit a terminal.
const WIDEST_CROSSTABLE: usize = 10;

/// The standings of one game, with what one must know to read them. With more seats than two, places stand beside the
/// comparisons, and the score of every two bots below.
pub(crate) fn standings(game: &GameSummary) -> String {
    let bots = game.bots.iter();
    let column =
        |title: &str, cell: &dyn Fn(&BotSummary) -> String| (title.to_owned(), bots.clone().map(cell).collect());
    let mut columns = vec![
        column("#", &|bot| bot.rank.to_string()),
        column("bot", &|bot| bot.name.clone()),
        column("Elo", &elo),
        column("95% interval", &|bot| interval(bot, game)),
        column("above next", &|bot| bot.los_next.map_or_else(|| "-".to_owned(), percent)),
        column("games", &|bot| bot.games.to_string()),
    ];
    if game.seats > 2 {
        columns.push(column("place", &|bot| format!("{:.2}", bot.mean_place)));
        columns.push(column("first", &|bot| percent(bot.firsts)));
    }
    columns.extend([
        column("score", &|bot| percent(bot.score)),
        column("won", &|bot| bot.wins.to_string()),
        column("drawn", &|bot| bot.draws.to_string()),
        column("lost", &|bot| bot.losses.to_string()),
        column("faults", &faults),
    ]);
    let mut text = format!("{}: {} games{}\n", game.game, game.games, design(game)) + &aligned(&columns);
    if has_crosstable(game) {
        text.push_str("  score against each other:\n");
        text.push_str(&aligned(&crosstable(game)));
    }
    for note in notes(game) {
        let _ = writeln!(text, "  {note}");
    }
    text + "  response times in ms, first turn and later turns:\n" + &aligned(&response_times(game))
}

/// Whether there is more to say of pairs than the standings do: with two seats where more met than a challenger and the
/// others, as long as it fits.
fn has_crosstable(game: &GameSummary) -> bool {
    let bots = game.bots.len();
    bots > 2 && (game.seats > 2 || (game.pairings.len() >= bots && bots <= WIDEST_CROSSTABLE))
}

/// How the seats of a game for four were filled.
fn design(game: &GameSummary) -> &'static str {
    match game.design {
        "rotations" => ", four bots at a table in all rotations",
        "mirror" => ", two bots with two seats each, mirrored",
        _ => "",
    }
}

/// The share of its comparisons with each other bot that each bot won, a draw counting half.
fn crosstable(game: &GameSummary) -> Vec<Column> {
    let score = |one: &BotSummary, other: &BotSummary| {
        let met = |pairing: &&PairingSummary| {
            [(&pairing.first, &pairing.second), (&pairing.second, &pairing.first)].contains(&(&one.name, &other.name))
        };
        let pairing = game.pairings.iter().find(met)?;
        let score = pairing.elo?.score;
        Some(percent(if pairing.first == one.name { score } else { 1.0 - score }))
    };
    let mut columns: Vec<Column> = vec![
        ("#".to_owned(), game.bots.iter().map(|bot| bot.rank.to_string()).collect()),
        ("bot".to_owned(), game.bots.iter().map(|bot| bot.name.clone()).collect()),
    ];
    for other in &game.bots {
        let cells = game.bots.iter().map(|bot| score(bot, other).unwrap_or_else(|| "-".to_owned())).collect();
        columns.push((format!("#{}", other.rank), cells));
    }
    columns
}

/// Quantiles of every bot's response times.
fn response_times(game: &GameSummary) -> Vec<Column> {
    type Quantile = (&'static str, fn(&TimeSummary) -> f64);
    let quantiles: [Quantile; 4] = [
        ("p50", |times| times.p50),
        ("p95", |times| times.p95),
        ("p99", |times| times.p99),
        ("max", |times| times.max),
    ];
    let column = |title: String, times: fn(&BotSummary) -> Option<&TimeSummary>, quantile: fn(&TimeSummary) -> f64| {
        let cell =
            |bot: &BotSummary| times(bot).map_or_else(|| "-".to_owned(), |times| format!("{:.2}", quantile(times)));
        (title, game.bots.iter().map(cell).collect())
    };
    let mut columns = vec![("bot".to_owned(), game.bots.iter().map(|bot| bot.name.clone()).collect())];
    columns
        .extend(quantiles.map(|(name, value)| column(format!("first {name}"), |bot| bot.first_turn.as_ref(), value)));
    columns.extend(quantiles.map(|(name, value)| column(name.to_owned(), |bot| bot.later_turns.as_ref(), value)));
    columns
}

/// A title and the cells below.
pub(super) type Column = (String, Vec<String>);

/// Whether a column with this title holds words and no numbers.
pub(super) fn holds_words(title: &str) -> bool {
    ["bot", "faults", "state"].contains(&title)
}

/// Columns of words stand to the left, those of numbers to the right.
pub(super) fn aligned(columns: &[Column]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|(title, _)| title));
    for row in 0..columns.first().map_or(0, |(_, cells)| cells.len()) {
        table.add_row(columns.iter().map(|(_, cells)| &cells[row]));
    }
    for ((title, _), column) in columns.iter().zip(table.column_iter_mut()) {
        column.set_cell_alignment(if holds_words(title) { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// A rating, with a mark where the true one lies beyond it.
pub(crate) fn elo(bot: &BotSummary) -> String {
    let mark = match bot.mark {
        Some(Mark::Perfect) => "> ",
        Some(Mark::Zero) => "< ",
        None => "",
    };
    bot.elo.map_or_else(|| "-".to_owned(), |elo| format!("{mark}{}", signed(elo)))
}

/// Both ends of a rating's interval; in parentheses where they rest on virtual games.
pub(crate) fn interval(bot: &BotSummary, game: &GameSummary) -> String {
    let (Some(lo), Some(hi)) = (bot.lo95, bot.hi95) else { return "-".to_owned() };
    let provisional = if bot.provisional { "?" } else { "" };
    if game.groups.len() > 1 {
        format!("({}, {}){provisional}", signed(lo), signed(hi))
    } else {
        format!("[{}, {}]{provisional}", signed(lo), signed(hi))
    }
}

/// A rating to a tenth with its sign; zero is never negative.
pub(crate) fn signed(elo: f64) -> String {
    format!("{:+.1}", (elo * 10.0).round() / 10.0 + 0.0)
}

pub(super) fn faults(bot: &BotSummary) -> String {
    let some: Vec<String> =
        bot.faults.iter().filter(|(_, count)| **count > 0).map(|(fate, count)| format!("{count} {fate}")).collect();
    if some.is_empty() { "-".to_owned() } else { some.join(", ") }
}

fn late_answers(bot: &BotSummary) -> String {
    format!("{} {}", bot.name, bot.host_late)
}

/// What a column of the standings means.
pub(crate) const ABOVE_NEXT: &str = "above next: how sure it is that the bot is stronger than the next one";

/// What limits ratings: of groups that are not linked, and of bots, of each its mark, whether it is provisional, and an
/// end of its interval.
pub(crate) fn rating_notes(
    groups: &[Vec<String>],
    bots: impl Iterator<Item = (Option<Mark>, bool, Option<f64>)>,
) -> Vec<String> {
    let bots: Vec<_> = bots.collect();
    let mut notes = Vec::new();
    if groups.len() > 1 {
        let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
        notes.push(format!(
            "no results link both ways: {}; ratings between these groups, and intervals in ( ), rest on virtual draws \
             and mean little",
            groups.join(" | ")
        ));
    }
    if bots.iter().any(|(mark, ..)| mark.is_some()) {
        notes.push("> won everything, < lost everything: how far away it is, results do not say".to_owned());
    }
    if bots.iter().any(|(_, provisional, end)| *provisional && end.is_some()) {
        notes.push(format!("? fewer than {FEW_UNITS} units: the interval is rough"));
    }
    if bots.iter().any(|(mark, _, end)| mark.is_none() && end.is_none()) {
        notes.push("- not enough games for an interval: more units than bots are needed".to_owned());
    }
    notes
}

/// How the pairs of games of two bots came out, and what it was worth to play in pairs.
fn pairs(pairing: &PairingSummary) -> Option<String> {
    let (split, drawn) = pairing.pairs_split.zip(pairing.pairs_drawn)?;
    let of = |won: bool| -> u64 {
        let scores = pairing.unit_scores.iter().zip(&pairing.unit_counts);
        scores.filter(|(score, _)| if won { **score > 0.5 } else { **score < 0.5 }).map(|(_, count)| count).sum()
    };
    let gain = pairing
        .pairing_gain
        .map_or_else(String::new, |gain| format!("; a game in a pair is worth {gain:.2} single games"));
    let (first, won, lost) = (&pairing.first, of(true), of(false));
    Some(format!("pairs for {first}: {won} won, {lost} lost, {split} with a win each, {drawn} drawn twice{gain}"))
}

/// What limits the numbers.
pub(super) fn notes(game: &GameSummary) -> Vec<String> {
    let mut notes = Vec::new();
    if game.seats > 2 {
        notes.push("won, drawn, lost, score: every seat is compared with those of all other bots".to_owned());
    }
    if game.incomplete_units > 0 {
        let count = game.incomplete_units;
        notes.push(format!("incomplete units: {count}; their games count in won, drawn and lost, but not in Elo"));
    }
    if game.repeated_games > 0 {
        let count = game.repeated_games;
        let units = game.units - game.distinct_units;
        let units = if units > 0 { format!(" ({units} of {} units)", game.units) } else { String::new() };
        notes.push(format!(
            "repeated games: {count}{units}, the same bots playing the same moves; they say nothing new, and the intervals \
             are too narrow: set opening_plies, or give the bots {{seed}}"
        ));
    }
    if let ([pairing], 2) = (&game.pairings[..], game.seats) {
        notes.extend(pairs(pairing));
    }
    let late: Vec<String> = game.bots.iter().filter(|bot| bot.host_late > 0).map(late_answers).collect();
    if !late.is_empty() {
        notes.push(format!(
            "answers after the limit that counted, because this machine was busy with something else: {}",
            late.join(", ")
        ));
    }
    if game.bots.iter().any(|bot| bot.los_next.is_some()) {
        notes.push(ABOVE_NEXT.to_owned());
    }
    let ratings = game.bots.iter().map(|bot| (bot.mark, bot.provisional, bot.lo95));
    notes.extend(rating_notes(&game.groups, ratings));
    notes
}
