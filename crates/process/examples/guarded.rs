//! Asks a program for one line, and leaves no process behind, however this program ends.
//!
//! `cargo run -p arena-process --example guarded -- python3 -c 'print(input().upper())'`

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use arena_process::guard::{self, Inner};
use arena_process::{Bot, Interrupt, Launch, Launcher, Mode, Sandbox};

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<ExitCode, Error> {
    // Everything after this line runs in a second process, which takes all others with it when it
    // ends.
    let inner = match guard::enter()? {
        guard::Side::Outer(code) => return Ok(code.into()),
        guard::Side::Inner(inner) => inner,
    };
    let interrupt = Arc::new(Interrupt::new()?);
    inner.ready(&interrupt)?;
    inner.run(|| ask(&inner, &interrupt))??;
    Ok(ExitCode::SUCCESS)
}

fn ask(inner: &Inner, interrupt: &Arc<Interrupt>) -> Result<(), Error> {
    let sandbox = Sandbox::new(
        Mode::Auto,
        768 << 20,
        inner.supervision,
        inner.folder.clone(),
    )?;
    println!("sandbox: {sandbox}");
    let words = guard::arguments().into_iter();
    let words = words.filter_map(|word| word.into_string().ok());
    let launcher = Launcher::new(&Arc::new(sandbox), Launch::new("example", words));
    let mut bot = Bot::start_in(&launcher, 1, interrupt)?;
    match bot
        .ask("hello\n", 1, Duration::from_secs(5), &mut |_| {})?
        .reply
    {
        Ok(line) => println!("answer: {line}"),
        Err(failure) => println!("failure: {failure:?}"),
    }
    println!("end: {}", bot.stop());
    Ok(())
}
