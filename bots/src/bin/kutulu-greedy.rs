//! A bot for Code of Kutulu that looks for company and keeps away from minions.

fn main() -> std::process::ExitCode {
    sample_bots::samples::main(env!("CARGO_BIN_NAME"))
}
