//! The rules of the games, through the public interface of the crate.

mod games;
mod kutulu;
mod minishogi_text;
mod onitama;
mod shogi;

/// Returns whether a test counts this many sequences. `.ci/long`, which sets `ARENA_LONG`, counts them all.
fn is_counted(sequences: u64) -> bool {
    sequences < 20_000_000 || std::env::var_os("ARENA_LONG").is_some()
}
