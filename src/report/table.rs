//! Tables for the terminal.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use crate::stats::ratings::Mark;
use crate::summary::{BotSummary, GameSummary};

const COLUMNS: [&str; 10] = ["#", "bot", "Elo", "95% interval", "games", "score", "won", "drawn", "lost", "faults"];
/// Columns of words; the others are numbers and stand to the right.
const WORDS: [usize; 2] = [1, 9];

/// The standings of one game, with what one must know to read them.
#[must_use]
pub fn standings(game: &GameSummary) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled).set_header(COLUMNS);
    for bot in &game.bots {
        table.add_row([
            bot.rank.to_string(),
            bot.name.clone(),
            elo(bot),
            interval(bot, game),
            bot.games.to_string(),
            format!("{:.1}%", 100.0 * bot.score),
            bot.wins.to_string(),
            bot.draws.to_string(),
            bot.losses.to_string(),
            faults(bot),
        ]);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        let alignment = if WORDS.contains(&index) { CellAlignment::Left } else { CellAlignment::Right };
        column.set_cell_alignment(alignment);
    }
    let mut text = format!("{}: {} games\n", game.game, game.games);
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for note in notes(game) {
        let _ = writeln!(text, "  {note}");
    }
    text
}

/// A rating, with a mark where the true one lies beyond it.
#[must_use]
pub fn elo(bot: &BotSummary) -> String {
    let mark = match bot.mark {
        Some(Mark::Perfect) => "> ",
        Some(Mark::Zero) => "< ",
        None => "",
    };
    bot.elo.map_or_else(|| "-".to_owned(), |elo| format!("{mark}{}", signed(elo)))
}

/// Both ends of a rating's interval; in parentheses where they rest on virtual games.
#[must_use]
pub fn interval(bot: &BotSummary, game: &GameSummary) -> String {
    let (Some(lo), Some(hi)) = (bot.lo95, bot.hi95) else { return "-".to_owned() };
    let provisional = if bot.provisional { "?" } else { "" };
    if game.groups.len() > 1 {
        format!("({}, {}){provisional}", signed(lo), signed(hi))
    } else {
        format!("[{}, {}]{provisional}", signed(lo), signed(hi))
    }
}

/// A rating to a tenth with its sign; zero is never negative.
fn signed(elo: f64) -> String {
    format!("{:+.1}", (elo * 10.0).round() / 10.0 + 0.0)
}

fn faults(bot: &BotSummary) -> String {
    let some: Vec<String> =
        bot.faults.iter().filter(|(_, count)| **count > 0).map(|(fate, count)| format!("{count} {fate}")).collect();
    if some.is_empty() { "-".to_owned() } else { some.join(", ") }
}

/// What limits the numbers.
fn notes(game: &GameSummary) -> Vec<String> {
    let mut notes = Vec::new();
    if game.incomplete_units > 0 {
        let count = game.incomplete_units;
        notes.push(format!("incomplete units: {count}; their games count in won, drawn and lost, but not in Elo"));
    }
    if game.repeated_games > 0 {
        let count = game.repeated_games;
        notes.push(format!(
            "repeated games: {count}, the same bots playing the same moves; they say nothing new, and the intervals are too \
             narrow: set opening_plies, or give the bots {{seed}}"
        ));
    }
    if game.groups.len() > 1 {
        let groups: Vec<String> = game.groups.iter().map(|group| group.join(", ")).collect();
        notes.push(format!(
            "no results link both ways: {}; ratings between these groups, and intervals in ( ), rest on virtual draws \
             and mean little",
            groups.join(" | ")
        ));
    }
    if game.bots.iter().any(|bot| bot.mark.is_some()) {
        notes.push("> won everything, < lost everything: how far away it is, results do not say".to_owned());
    }
    if game.bots.iter().any(|bot| bot.provisional && bot.lo95.is_some()) {
        notes.push("? fewer than 30 units: the interval is rough".to_owned());
    }
    notes
}
