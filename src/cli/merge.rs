//! `arena merge`.

use super::{Failure, MergeArgs, run};
use crate::tournament;
use arena_games::Games;

pub(super) fn merge(args: &MergeArgs, games: &Games) -> Result<u8, Failure> {
    let existing = run::existing(false, args.force);
    let report = tournament::merge(&args.runs, &args.out, existing, games)?;
    run::print_end(&report, &args.out, args.verbose)?;
    Ok(run::code_of(&report))
}
