//! The `arena` program; everything is in the library.

use std::process::ExitCode;

/// In the allocator of musl, threads that play wait for each other.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    arena::main()
}
