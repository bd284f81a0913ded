//! A bot for Mini Shogi that plays anything.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::protocol::Game;

fn main() -> ExitCode {
    cli::random(Game::MiniShogi)
}
