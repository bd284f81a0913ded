//! The `arena` program; everything is in the library.

use std::process::ExitCode;

/// The static program would otherwise spend half as much processor time again on games of instant bots.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    arena::main()
}
