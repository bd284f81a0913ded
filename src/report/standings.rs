//! One game of a run: its tables, what limits their numbers, and who is first.

use std::fmt::Write as _;

use super::faults::{self, of_bot};
use super::screen::Screen;
use crate::section::Tone;
use crate::section::table::{Cell, Kind, Rows, Table};
use crate::section::words::{estimate, indented, likelihood};
use crate::standings::{BotSummary, Difference, Game};
use arena_stats::ratings::Mark;
use arena_stats::sprt::estimate::{Estimate, Holds};

mod notes;
mod ratings;
mod tables;

pub(super) use notes::notes;
pub(crate) use notes::{EVERY_SEAT, LOS, WATCHED, rating_notes};
pub(crate) use ratings::{ANYTIME, DIFFERENCE, INTERVAL, Style, faults, seating, table};
use ratings::{RUN, rating, rating_interval};
pub(super) use tables::met;
pub(crate) use tables::{Turns, all_times, boards, crosstable, pairings, reasons, seats, times};

/// The most bots in a crosstable for a terminal, if the game has two seats.
const WIDEST_CROSSTABLE: usize = 10;

/// The columns of standings in a page and in Markdown.
pub(super) const COLUMNS: [&str; 15] = [
    "#", "bot", "Elo", DIFFERENCE, INTERVAL, ANYTIME, "games", "place", "first", "score", "won",
    "drawn", "lost", "LOS", "faults",
];
/// The columns of standings in a terminal.
const TERMINAL_COLUMNS: [&str; 15] = [
    "#", "bot", "Elo", DIFFERENCE, INTERVAL, ANYTIME, "LOS", "games", "place", "first", "score",
    "won", "drawn", "lost", "faults",
];
/// The columns of standings in a terminal while games are played.
const LIVE_COLUMNS: [&str; 6] = ["#", "bot", "Elo", INTERVAL, "games", "score"];

/// The standings of a game, the best bot first.
pub(crate) fn standings(game: &Game) -> Table {
    table(game, RUN)
}

/// The text of a game for a terminal; response times only on request.
pub(crate) fn text(game: &Game, screen: &Screen, with_times: bool) -> String {
    let design = seating(game);
    let title = format!("{}: {} games{design}", game.game, game.games);
    let mut text = screen.paint(Tone::Strong, screen.prose(&title)) + "\n";
    text += &standings(game).pick(&TERMINAL_COLUMNS).text(screen);
    // If only a challenger met the others, the standings already say everything.
    let bots = game.bots.len();
    if bots > 2 && (game.design.seats > 2 || game.pairings.len() >= bots) {
        let table = crosstable(&game.bots, |bot, other| met(game, bot, other));
        if (game.design.seats > 2 || bots <= WIDEST_CROSSTABLE) && table.fits(screen) {
            text += "  score against each other:\n";
            text += &table.text(screen);
        } else {
            text += &screen.prose(&format!(
                "  score against each other: the table of {bots} bots is too wide, the page has it\n"
            ));
        }
    }
    text += &screen.prose(&indented(&notes(game)));
    if with_times {
        text += "  response times in ms, first turn and later turns:\n";
        text += &tables::response_times(game).text(screen);
        text += "  faults by game:\n";
        text += &faults::rates(game).text(screen);
        text += &screen.prose(&indented(&Vec::from_iter(faults::compared(game))));
    }
    text
}

/// Standings in at most so many lines, for a window that shows them while games are played: the
/// best and the last bots, and `challenger`.
pub(super) fn live(
    game: &Game,
    challenger: Option<&String>,
    lines: usize,
    screen: &Screen,
) -> Vec<String> {
    let shown = ranks_with_room(game, challenger, lines);
    let few = Game {
        design: game.design,
        groups: game.groups.clone(),
        bots: shown.iter().map(|&rank| game.bots[rank].clone()).collect(),
        ..Game::default()
    };
    let mut table = standings(&few).pick(&LIVE_COLUMNS);
    // Just a number, so that every bot takes one line: the terminal shows above how bots fail.
    let faults = Rows::new("", &few.bots).shown(Kind::Number, "faults", |bot| Cell {
        tone: Tone::Bad,
        ..Some(of_bot(bot)).filter(|&count| count > 0).into()
    });
    table.columns.extend(faults.table().columns);
    let mut lines: Vec<String> = table.text(screen).lines().map(ToOwned::to_owned).collect();
    let mut ranks = shown.iter().enumerate();
    if let Some(gap) = ranks.position(|(place, &rank)| rank != place) {
        let left_out = game.bots.len() - shown.len();
        lines.insert(gap + 1, format!(" ⋮  {left_out} more"));
    }
    lines
}

/// The places of the bots to show in so many lines, from 0.
fn ranks_with_room(game: &Game, challenger: Option<&String>, lines: usize) -> Vec<usize> {
    let bots = game.bots.len();
    if bots < lines {
        return (0..bots).collect();
    }
    // One line is the head, and one counts the bots left out.
    let rows = lines.saturating_sub(2);
    let top = rows.div_ceil(2);
    let mut ranks: Vec<usize> = (0..top).collect();
    ranks.extend(bots - (rows - top)..bots);
    let mut names = game.bots.iter().map(|bot| &bot.name);
    if let Some(rank) = names.position(|name| Some(name) == challenger)
        && !ranks.contains(&rank)
        && let Some(last) = top.checked_sub(1)
    {
        ranks[last] = rank;
    }
    ranks
}

/// The rating of a bot in a run.
pub(crate) fn elo(bot: &BotSummary) -> String {
    rating(bot, RUN)
}

/// The interval of a rating in a run.
pub(crate) fn interval(bot: &BotSummary, game: &Game) -> String {
    rating_interval(bot, &game.groups, RUN)
}

/// The answer of a game without a test: how much stronger the first of two bots is, or who is
/// first. It has a colour and two parts, a name and the rest of the sentence. `None` if nothing was
/// played.
pub(crate) fn headline(game: &Game) -> Option<(Tone, [String; 2])> {
    let best = game.bots.first().filter(|_| game.games > 0)?;
    if let Some(difference) = &game.difference {
        return Some(headline_of_two(game, difference));
    }
    let mut sentence = match best.mark {
        Some(Mark::Perfect) => " has won everything".to_owned(),
        _ => format!(" is first with {} Elo", elo(best)),
    };
    if best.lo95.is_some() {
        let _ = write!(sentence, ", 95% interval {}", interval(best, game));
    }
    if let Some(los) = best.los_next {
        let los = likelihood(los);
        let _ = write!(sentence, "; stronger than the second with likelihood {los}");
    }
    Some((Tone::Strong, [best.name.clone(), sentence]))
}

fn headline_of_two(game: &Game, difference: &Difference) -> (Tone, [String; 2]) {
    let Difference { first, second, by } = difference;
    let (ink, claim) = if by.lo95 > 0.0 {
        (Tone::Good, "is stronger")
    } else if by.hi95 < 0.0 {
        (Tone::Bad, "is weaker")
    } else {
        (
            Tone::Open,
            "is neither clearly stronger nor weaker, inconclusive",
        )
    };
    let mut sentence = format!(
        " {claim}: {} against {}, {} games",
        in_force(by),
        second,
        game.games
    );
    if by.holds != Holds::EveryLook {
        let _ = write!(sentence, ", LOS {}", likelihood(by.los));
    }
    (ink, [first.clone(), sentence])
}

/// How far the first of two bots is ahead, with the interval in force. An interval that holds at
/// every look is named.
pub(super) fn in_force(met: &Estimate) -> String {
    let estimate = estimate([met.elo, met.lo95, met.hi95]);
    if met.holds == Holds::EveryLook {
        format!("{estimate} ({ANYTIME})")
    } else {
        estimate
    }
}
