//! A bot for Mini Shogi that takes what it can get.

fn main() -> std::process::ExitCode {
    sample_bots::samples::main(env!("CARGO_BIN_NAME"))
}
