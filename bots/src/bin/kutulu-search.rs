//! A bot for Code of Kutulu that looks ahead.

use std::process::ExitCode;

use sample_bots::cli;
use sample_bots::kutulu::Kutulu;
use sample_bots::kutulu::lookahead::Layers;

fn main() -> ExitCode {
    cli::search(Kutulu, Layers::new)
}
