//! The `arena` program; everything is in the library.

use std::process::ExitCode;

/// Threads read the records of a run for another thread: with the allocator of the C library they wait for each other's frees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    arena::main()
}
