//! `arena merge`.

use super::{Failure, MergeArgs, run};
use crate::report::terminal::Terminal;
use crate::tournament;
use arena_games::Games;

pub(super) fn merge(args: &MergeArgs, games: &Games) -> Result<u8, Failure> {
    let existing = run::existing(false, args.force);
    let mut terminal = Terminal::new(true, args.verbose.verbose);
    let merged = tournament::merge(&args.runs, &args.out, existing, games, &mut terminal);
    terminal.is_printed().map_err(super::unprinted)?;
    Ok(run::code_of(&merged?))
}
