//! `arena man`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::{Args, CommandFactory};
use clap_mangen::Man;

use super::{Cli, Failure, print};
use crate::exit;

/// Writes the manual pages of this program
///
/// One page to standard output, as for arena man run | man -l -, or all of them into a folder, for instance
/// ~/.local/share/man/man1.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The verb whose page to write [default: the page of the whole program]
    verb: Option<String>,
    /// Write the pages of the program and of every verb into this folder, as arena.1, arena-run.1 and so on
    #[arg(long, value_name = "DIR", conflicts_with = "verb")]
    out: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> Result<u8, Failure> {
    let mut pages = pages();
    if let Some(folder) = &args.out {
        let written =
            fs::create_dir_all(folder).and_then(|()| pages.try_for_each(|page| page.generate_to(folder).map(drop)));
        written.with_context(|| format!("write {}", folder.display())).map_err(Failure::internal)?;
        return Ok(exit::OK);
    }
    let file = args.verb.as_ref().map_or_else(|| "arena.1".to_owned(), |verb| format!("arena-{verb}.1"));
    let unknown = || anyhow!("find the verb `{}`; `arena help` lists them", args.verb.as_deref().unwrap_or_default());
    let page = pages.find(|page| page.get_filename() == file).ok_or_else(unknown).map_err(Failure::usage)?;
    let mut text = Vec::new();
    page.render(&mut text).map_err(Failure::internal)?;
    print(text)
}

/// The page of the program, then that of each verb.
fn pages() -> impl Iterator<Item = Man> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Names usage lines as they are typed: `arena run`.
    program.build();
    let verbs: Vec<_> = program.get_subcommands().cloned().collect();
    let source = concat!("arena ", env!("CARGO_PKG_VERSION"));
    std::iter::once(program).chain(verbs).map(move |command| Man::new(command).source(source))
}
