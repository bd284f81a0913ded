//! A bot for Onitama that looks ahead.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::onitama::Onitama;
use sample_bots::onitama::alpha_beta::AlphaBeta;

fn main() -> ExitCode {
    cli::search(Onitama, AlphaBeta::new)
}
