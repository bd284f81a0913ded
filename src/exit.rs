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
/// A sequential test is not decided: more games are needed.
pub(crate) const INCONCLUSIVE: u8 = 4;
/// The run ended, but some games could not be played, through no fault of a bot.
pub(crate) const ABORTED_GAMES: u8 = 5;
/// The program itself failed: a full disk, a defect.
pub(crate) const INTERNAL: u8 = 70;
/// Ended by SIGHUP.
pub(crate) const SIGHUP: u8 = 129;
/// Ended by SIGINT (Ctrl-C).
pub(crate) const SIGINT: u8 = 130;
/// Ended by SIGQUIT (Ctrl-\\).
pub(crate) const SIGQUIT: u8 = 131;
/// Ended by SIGTERM.
pub(crate) const SIGTERM: u8 = 143;
