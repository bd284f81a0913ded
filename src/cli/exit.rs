//! Every exit code of the program. They are an interface: scripts and CI decide by them.

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// A check failed: a record does not verify, a bot does not keep to the protocol, or a sequential test rejected it.
pub(crate) const CHECK_FAILED: u8 = 1;
/// The command line was wrong.
pub(crate) const USAGE: u8 = 2;
/// A config or input file is wrong, a sandbox feature is unavailable that `strict` asks for, a bot cannot be built or started, or a run
/// directory is refused. No game was played.
pub(crate) const INPUT: u8 = 3;
/// A sequential test is not decided: more games are needed. Or nothing was measured: a bot failed in most units.
pub(crate) const INCONCLUSIVE: u8 = 4;
/// The run ended, but some games could not be played, through no fault of a bot. A check could not tell, because the host
/// was overloaded.
pub(crate) const ABORTED_GAMES: u8 = 5;
/// The program itself failed: a full disk, a defect.
pub(crate) const INTERNAL: u8 = 70;

/// Ended by a signal, as shells tell it: 129 by SIGHUP, 130 by SIGINT (Ctrl-C), 131 by SIGQUIT (Ctrl-\\), 143 by SIGTERM.
pub(crate) fn of_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(INTERNAL)
}
