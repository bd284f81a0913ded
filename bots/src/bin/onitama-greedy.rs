//! A bot for Onitama that takes what it can get.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::onitama::Onitama;
use sample_bots::onitama::greedy::Greedy;

fn main() -> ExitCode {
    cli::simple(Onitama, Greedy::new)
}
