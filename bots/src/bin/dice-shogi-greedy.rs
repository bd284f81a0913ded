//! A bot for Dice Shogi that takes what it can get.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::shogi::Game;
use sample_bots::shogi::greedy::Greedy;

fn main() -> ExitCode {
    cli::simple(Game::DiceShogi, |seed| Greedy::new(Game::DiceShogi, seed))
}
