//! A bot for Dice Shogi that looks ahead.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::protocol::Game;

fn main() -> ExitCode {
    cli::search(Game::DiceShogi)
}
