//! Why a verb failed: all errors that users of the command line cause, and the exit status of each.

use std::io;

use super::exit;
use crate::check::CheckError;
use crate::config::ConfigError;
use crate::play::probe::NoQuestion;
use crate::store::StoreError;
use crate::tournament::RunError;
use arena_process::guard::GuardError;
use arena_stats::StatsError;
use arena_stats::sprt::HypothesesError;

/// What a verb does, or why it failed.
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a verb failed. Its kind decides the exit status.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum Failure {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// A file, a folder or a bot that the command line names can't be used.
    #[error("{0}")]
    Input(String),
    Config(#[from] ConfigError),
    Store(#[from] StoreError),
    Run(#[from] RunError),
    Check(#[from] CheckError),
    Guard(#[from] GuardError),
    /// Numbers on the command line that can't be counted.
    Stats(#[from] StatsError),
    Hypotheses(#[from] HypothesesError),
    Referee(#[from] NoQuestion),
    Options(#[from] arena_games::OptionError),
    Position(#[from] arena_games::TextError),
    Start(#[from] arena_process::StartError),
    /// A bot, a referee, a sandbox or a server that can't be used.
    Unusable(#[from] anyhow::Error),
    /// The machine or this program fails.
    Internal(anyhow::Error),
    #[error("can't write standard output: {0}")]
    Output(io::Error),
    /// The verb ended early with this status.
    #[error("{1}")]
    Ended(u8, String),
}

impl Failure {
    /// The exit status of the program. docs/reference/exit-status.md explains it.
    pub(super) fn status(&self) -> u8 {
        match self {
            Failure::Usage(_) | Failure::Stats(_) | Failure::Hypotheses(_) => exit::USAGE,
            Failure::Config(error) if !error.is_of_input => exit::USAGE,
            Failure::Store(StoreError::Io { source, .. })
            | Failure::Run(RunError::Store(StoreError::Io { source, .. })) => of_io(source),
            Failure::Check(CheckError::Overloaded | CheckError::Abort(_)) => exit::ABORTED_GAMES,
            Failure::Check(CheckError::Game(_))
            | Failure::Guard(GuardError::Refused(_))
            | Failure::Run(RunError::Internal(_))
            | Failure::Internal(_)
            | Failure::Output(_) => exit::INTERNAL,
            Failure::Ended(status, _) => *status,
            _ => exit::INPUT,
        }
    }
}

/// The exit status after an error of the system: a path that a user can mend, or a failure.
fn of_io(error: &io::Error) -> u8 {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound
        | Kind::PermissionDenied
        | Kind::AlreadyExists
        | Kind::NotADirectory
        | Kind::IsADirectory
        | Kind::DirectoryNotEmpty
        | Kind::ReadOnlyFilesystem
        | Kind::InvalidFilename
        | Kind::InvalidInput => exit::INPUT,
        _ => exit::INTERNAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statuses of the document, and what it says of each.
    fn documented() -> Vec<(u8, &'static str)> {
        let page = include_str!("../../docs/reference/exit-status.md");
        let mut rows = Vec::new();
        for row in page.lines() {
            let [_, statuses, meaning, _] = row.split('|').collect::<Vec<_>>()[..] else {
                continue;
            };
            for status in statuses.split(',').map(str::trim) {
                rows.extend(status.parse().map(|status: u8| (status, meaning)));
            }
        }
        rows
    }

    #[test]
    fn the_document_has_every_status() {
        let mut statuses = [129, 130, 131, 137, 143].to_vec();
        statuses.extend([
            exit::OK,
            exit::CHECK_FAILED,
            exit::USAGE,
            exit::INPUT,
            exit::INCONCLUSIVE,
            exit::ABORTED_GAMES,
            exit::INTERNAL,
        ]);
        statuses.sort_unstable();
        let mut documented: Vec<u8> = documented().iter().map(|(status, _)| *status).collect();
        documented.sort_unstable();
        assert_eq!(documented, statuses);
        for (status, signal) in [
            (129, "SIGHUP"),
            (130, "SIGINT"),
            (131, "SIGQUIT"),
            (143, "SIGTERM"),
        ] {
            let number = signal_hook::low_level::signal_name(i32::from(status) - 128);
            assert_eq!(number, Some(signal));
            assert_eq!(exit::of_signal(i32::from(status) - 128), status);
        }
    }

    #[test]
    fn a_failure_has_the_status_that_the_document_says() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let lacks = || io::Error::from(io::ErrorKind::NotFound);
        let stored = |source| StoreError::Io {
            action: "write",
            path: std::path::PathBuf::new(),
            source,
        };
        let broken = || anyhow::anyhow!("broken");
        let cases: [(Failure, &str); 13] = [
            (Failure::Usage(String::new()), "command line is wrong"),
            (
                HypothesesError::Elo(f64::NAN).into(),
                "command line is wrong",
            ),
            (Failure::Input(String::new()), "can't use a config"),
            (broken().into(), "can't use a config"),
            (stored(lacks()).into(), "can't use a config"),
            (
                RunError::Store(stored(lacks())).into(),
                "can't use a config",
            ),
            (RunError::Input(broken()).into(), "can't use a config"),
            (stored(full()).into(), "arena itself failed"),
            (
                RunError::Store(stored(full())).into(),
                "arena itself failed",
            ),
            (RunError::Internal(broken()).into(), "arena itself failed"),
            (Failure::Output(full()), "arena itself failed"),
            (GuardError::Refused(full()).into(), "arena itself failed"),
            (CheckError::Overloaded.into(), "couldn't be played"),
        ];
        for (failure, meaning) in cases {
            let status = failure.status();
            let (_, said) = documented()
                .into_iter()
                .find(|row| row.0 == status)
                .unwrap();
            assert!(said.contains(meaning), "{failure:?}: {status}: {said}");
        }
    }
}
