//! A bot for Code of Kutulu that plays anything.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::kutulu::Kutulu;
use sample_bots::random::Random;

fn main() -> ExitCode {
    cli::simple(Kutulu, Random::new)
}
