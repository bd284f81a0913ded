//! A bot for Mini Shogi that looks ahead.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::shogi::Game;
use sample_bots::shogi::alpha_beta::AlphaBeta;

fn main() -> ExitCode {
    cli::search(Game::MiniShogi, AlphaBeta::new)
}
