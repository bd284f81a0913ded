//! Time to start arena, compared with `/bin/true`, in turn.
//!
//! `cargo bench --bench start -- PROGRAM` measures another program, such as the one of a release.

use std::env;
use std::error::Error;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // `cargo test --benches` also runs this program, without `--bench`, to check that it works.
    let rounds = if arguments.iter().any(|argument| argument == "--bench") {
        400
    } else {
        1
    };
    let arena = arguments
        .iter()
        .find(|argument| !argument.starts_with('-'))
        .map_or(env!("CARGO_BIN_EXE_arena"), String::as_str);
    let (mut yardstick, mut start) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        yardstick.push(time("/bin/true")?);
        start.push(time(arena)?);
    }
    let (yardstick, start) = (median(yardstick), median(start));
    println!(
        "/bin/true: {yardstick:.2?}; arena --version: {start:.2?}; ratio {:.2}",
        start.as_secs_f64() / yardstick.as_secs_f64()
    );
    Ok(())
}

fn time(program: &str) -> Result<Duration, Box<dyn Error>> {
    let begin = Instant::now();
    let status = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .status()?;
    let time = begin.elapsed();
    assert!(status.success(), "{program} --version: {status}");
    Ok(time)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
