//! The rules of the games, through the public interface of the crate.

mod games;
mod kutulu;
mod minishogi_text;
mod onitama;
mod shogi;

/// Returns whether tests have their long form, as in `.ci/long`.
fn is_long() -> bool {
    std::env::var_os("ARENA_LONG").is_some()
}

/// Returns whether a test counts this many sequences. The long form counts them all.
fn is_counted(sequences: u64) -> bool {
    sequences < 20_000_000 || is_long()
}
