//! A bot for Mini Shogi that takes what it can get.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::protocol::Game;

fn main() -> ExitCode {
    cli::greedy(Game::MiniShogi)
}
