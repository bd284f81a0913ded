//! Every exit status of the program. They are an interface: scripts and CI rely on them.

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// A check failed: a record doesn't verify, a battle differs, a bot breaks the protocol, or a
/// sequential test rejects it.
pub(crate) const CHECK_FAILED: u8 = 1;
/// The command line is wrong.
pub(crate) const USAGE: u8 = 2;
/// No game was played: a config or input file is wrong, the sandbox lacks a feature that `strict`
/// needs, a bot can't be built or started, or the run directory can't be used.
pub(crate) const INPUT: u8 = 3;
/// Nothing was measured: a sequential test needs more games, a bot failed in most units, or no game
/// or block was played.
pub(crate) const INCONCLUSIVE: u8 = 4;
/// Some games couldn't be played or checked, through no fault of a bot, the host was too busy for a
/// check, or a referee's check needs `--answer`.
pub(crate) const ABORTED_GAMES: u8 = 5;
/// The program itself failed, for instance on a full disk.
pub(crate) const INTERNAL: u8 = 70;

/// The status after a signal, as in shells: 129 for SIGHUP, 130 for SIGINT (Ctrl-C), 131 for
/// SIGQUIT (Ctrl-\\), 143 for SIGTERM.
pub(crate) fn of_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(INTERNAL)
}
