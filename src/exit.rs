//! Every exit code of the program. They are an interface: scripts and CI decide by them.

/// Everything went well.
pub const OK: u8 = 0;
/// A check failed: a record does not verify, a bot does not keep to the protocol, or a sequential test rejected it.
pub const CHECK_FAILED: u8 = 1;
/// The command line was wrong.
pub const USAGE: u8 = 2;
/// A config or input file is wrong, a wall is missing that `strict` asks for, a bot cannot be built or started, or a run
/// directory is refused. No game was played.
pub const INPUT: u8 = 3;
/// A sequential test is not decided: more games are needed.
pub const INCONCLUSIVE: u8 = 4;
/// The run ended, but some games could not be played, through no fault of a bot.
pub const ABORTED_GAMES: u8 = 5;
/// The program itself failed: a full disk, a defect.
pub const INTERNAL: u8 = 70;
/// Ended by SIGHUP.
pub const SIGHUP: u8 = 129;
/// Ended by SIGINT (Ctrl-C).
pub const SIGINT: u8 = 130;
/// Ended by SIGQUIT (Ctrl-\\).
pub const SIGQUIT: u8 = 131;
/// Ended by SIGTERM.
pub const SIGTERM: u8 = 143;
/// What a killed process ends with: this and the number of the signal.
pub const KILLED: u8 = 128;
