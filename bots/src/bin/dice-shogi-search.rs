//! A bot for Dice Shogi that looks ahead.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::shogi::Game;
use sample_bots::shogi::expectimax::Expectimax;

fn main() -> ExitCode {
    cli::search(Game::DiceShogi, Expectimax::new)
}
