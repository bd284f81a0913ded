//! One game of a run in a terminal.

use super::screen::Screen;
use crate::section::Tone;
use crate::section::words::indented;
use crate::standings::Game;
use crate::standings::faults;
use crate::standings::tables::{
    TERMINAL_COLUMNS, crosstable, met, notes, response_times, seating, standings,
};

/// The most bots in a crosstable, if the game has two seats.
const WIDEST_CROSSTABLE: usize = 10;

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
        text += &response_times(game).text(screen);
        text += "  faults by game:\n";
        text += &faults::rates(game).text(screen);
        text += &screen.prose(&indented(&Vec::from_iter(faults::compared(game))));
    }
    text
}
