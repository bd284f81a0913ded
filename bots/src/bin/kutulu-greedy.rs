//! A bot for Code of Kutulu that looks for company and keeps away from minions.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::kutulu::Kutulu;
use sample_bots::kutulu::greedy::Greedy;

fn main() -> ExitCode {
    cli::simple(Kutulu, Greedy::new)
}
