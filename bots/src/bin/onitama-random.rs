//! A bot for Onitama that plays anything.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::onitama::Onitama;
use sample_bots::random::Random;

fn main() -> ExitCode {
    cli::simple(Onitama, Random::new)
}
