//! A bot for Onitama that plays anything.

fn main() -> std::process::ExitCode {
    sample_bots::samples::main(env!("CARGO_BIN_NAME"))
}
