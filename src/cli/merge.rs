//! `arena merge`.

use super::{Failure, MergeArgs};
use crate::exit;
use crate::report::terminal::Terminal;
use crate::store::{Existing, StoreError};
use crate::tournament;

pub(super) fn merge(args: &MergeArgs) -> Result<u8, Failure> {
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    let result = tournament::merge(&args.runs, &args.out, existing, &mut Terminal::new(true));
    result.map(|_| exit::OK).map_err(|error| match error {
        tournament::RunError::Store(StoreError::Io { .. }) => Failure { code: exit::INTERNAL, error: error.into() },
        _ => Failure::input(error),
    })
}
