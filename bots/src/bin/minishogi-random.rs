//! A bot for Mini Shogi that plays anything.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::random::Random;
use sample_bots::shogi::Game;

fn main() -> ExitCode {
    cli::simple(Game::MiniShogi, Random::new)
}
